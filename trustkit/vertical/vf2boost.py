"""VF2Boost: boosted trees over columns under encryption, with fewer numbers to send back and less waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.vertical.boosted.bins import Binned, binned
from trustkit.vertical.boosted.boosting import BoostTrainer, facts_of_trees
from trustkit.vertical.boosted.exchange import Exchange
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.trees import Trees
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.cost_estimate import Work, facts_of_work, holds_locked, makespan, work_of
from trustkit.vertical.encrypted.packing import capacity
from trustkit.vertical.encrypted.paillier import key_of, needs_encryption
from trustkit.vertical.encrypted.vf2boost_messages import slot_width, woven
from trustkit.vertical.table import laid_out

__all__ = ["WovenExchange", "modelled_seconds", "vf2boost"]


@dataclass(frozen=True)
class WovenExchange:
    """An exchange under a new key each round, in pieces; a `trustkit.vertical.boosted.exchange.Grower`.

    Parameters
    ----------
    depth : int
        Splits on the longest path.
    lr : float
        What leaf weights are multiplied by.
    rules : Rules
        What makes a split worth it.
    key_bits : int
        Length of n.
    exponents : int
        How many scales numbers are written in.
    pieces : int
        In how many pieces the rows of a round go out.
    seed : int
        The experiment's seed, which draws exponents.
    fresh : bool
        Whether parties put noise of their own onto what they send.
    """

    depth: int
    lr: float
    rules: Rules
    key_bits: int
    exponents: int
    pieces: int
    seed: int
    fresh: bool = False

    def __call__(
        self, g: np.ndarray, h: np.ndarray, parties: Sequence[Binned], wire: Channel, tick: Tick, index: int
    ) -> tuple[Trees, np.ndarray]:
        """Grow the trees of one round.

        Parameters
        ----------
        g, h : (C, n) float32 array
            First and second derivatives by output and row, which only the first party has.
        parties : sequence of Binned
            Every party's columns.
        wire : Channel
            Counts what is sent.
        tick : callable
            Called before each locked number, each row that is added and each number that is opened.
        index : int
            The round.

        Returns
        -------
        trees, leaf
            C trees, and (C, n): the slot of the leaf of each row.
        """
        drawn = stream(self.seed, index, "exponents")
        cover = woven(g, h, parties, key_of(self.key_bits), self.exponents, self.pieces, drawn, tick,
                      self.fresh)  # fmt: skip
        return Exchange(self.depth, self.lr, self.rules, cover)(g, h, parties, wire, tick, index)


def modelled_seconds(work: Work, key_bits: int, sent: int, speed: float, pieces: int) -> float:
    """Model how long a round takes parties who work side by side; nothing is measured.

    Parameters
    ----------
    work : Work
        Of a round, the additions being those of the busiest party.
    key_bits : int
        Length of n.
    sent : int
        Bytes of encrypted gradients, to each party.
    speed : float
        Bytes a second of each line.
    pieces : int
        1: nobody begins before the one before is through. More: locking, sending, adding and opening overlap.

    Returns
    -------
    float
        `makespan` of the four stages.

    Examples
    --------
    >>> work = Work(1000, 100_000, 1000)
    >>> [round(modelled_seconds(work, 2048, 512_000, 1e6, pieces), 2) for pieces in (1, 8)]
    [9.61, 4.26]
    """
    locking, adding, opening = work.seconds(key_bits)
    return makespan([locking, sent / speed, adding, opening], pieces)


@ALGORITHMS.enter("vf2boost", title="VF²Boost", axis="columns")
def vf2boost(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    lr: Annotated[float, Interval(0.001, 1, log=True), "what leaf weights are multiplied by"] = 0.1,
    depth: Annotated[int, Interval(1, 10), "splits on the longest path of a tree"] = 6,
    bins: Annotated[int, Interval(2, 256, log=True), "bins a column"] = 32,
    reg_lambda: Annotated[float, Interval(0, 1000), "pull of leaf weights to 0"] = 1.0,
    gamma: Annotated[float, Interval(0, 1000), "least gain of a split"] = 0.0,
    min_child_weight: Annotated[float, Interval(0.001, 1000, log=True), "least curvature on a side"] = 1.0,
    key_bits: Annotated[int, Interval(512, 4096, step=512), "length of the encryption key"] = 2048,
    exponents: Annotated[int, Interval(1, 8), "scales in which numbers are written"] = 4,
    pieces: Annotated[int, Interval(1, 256, log=True), "pieces in which rows are sent; 1 does not overlap"] = 8,
    fresh_noise: Annotated[bool, "noise of the sender's on every locked number"] = False,
    seed: int = 0,
) -> BoostTrainer:  # fmt: skip
    """SecureBoost with many bins in one encrypted number, one scaling a sum, and parties who need not wait.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns; the first party holds the labels and the key.
    model : object
        Not used.
    privacy : None
        There is no mechanism for it here: what is opened is exact.
    participation : float
        1: every party is needed in every step.
    rounds : int
        At least 1; a round is one tree for two classes or a regression, else one a class.
    lr : float
        0.001 to 1: what leaf weights are multiplied by.
    depth : int
        1 to 10: splits on the longest path of a tree.
    bins : int
        2 to 256: bins a column.
    reg_lambda : float
        0 to 1000: pull of leaf weights to 0.
    gamma : float
        0 to 1000: least gain of a split.
    min_child_weight : float
        0.001 to 1000: least sum of second derivatives on either side of a split.
    key_bits : int
        512 to 4096, a multiple of 8: length of the modulus. Below 1024 for teaching only, which a fact says.
    exponents : int
        1 to 8: scales in which numbers are written, so that a scale says nothing about a size.
    pieces : int
        1 to 256: pieces in which a round's rows are locked, sent and added up.
    fresh_noise : bool
        Whether parties put noise of their own onto each locked number that they send back, as in
        `trustkit.vertical.secureboost`.
    seed : int
        The experiment's seed; it draws the scales, on which nothing depends but rounding.

    Returns
    -------
    BoostTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), a mechanism is asked for, phe or gmpy2 is
        missing, the key is too short, or the locked numbers will not fit into memory.

    Notes
    -----
    *Packing*: a bin's G and H take 2 w bits, w for the sum of all rows; ⌊(key_bits − 2)/2w⌋ bins are put side by side
    by locked multiplication with 2^(2w) and locked addition, and sent as one number of 2·key_bits/8 bytes.
    *Reordering*: rows of one scale are added to one sum, and a bin's few sums are brought to one scale at the end, in
    place of scaling at each row whose scale is another one than the last's: at most ``exponents`` − 1 scalings a bin.
    *Pipelining*: while a piece of rows is added up at the roots, the next one is being locked. Here one process does
    one thing after the other, in that order; what overlapping would save is modelled, with GMP's speed on one core and
    lines of 100 Mbit/s, and stated as modelled_pipeline_seconds beside modelled_sequence_seconds. Trees are the same.

    A round of C trees over n rows sends every other party key_bits/8 bytes of key and C n (2·key_bits/8 + 1) bytes of
    gradients with their scales.

    Source
    ------
    Fu et al. (2021), "VF²Boost: very fast vertical federated gradient boosting for cross-enterprise learning",
    sections 4 and 5; VertiBench (Wu et al. 2023), algorithm 4 and appendix B.3.

    Deviations
    ----------
    The paper shifts sums to be positive before they are packed; here digits are signed. It packs g and h apart; here
    they share each slot pair, as they share a number on the way out. Its optimistic splitting, by which the first party
    goes on with its own best split until a better one arrives, is not done: it would change the time only.
    VertiBench did not run it, as there is no public code.
    """
    needs_encryption("vf2boost", key_bits)
    if privacy is not None:
        raise ValueError(f"vf2boost trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "vf2boost", participation)
    parties, trees = binned(table, bins), 1 if table.classes == 2 else table.outputs
    rules = Rules(reg_lambda, gamma, min_child_weight)
    pair = 2 * slot_width(len(parties[0].codes), 1.0, exponents)
    work = work_of(parties, trees, depth, 1, capacity(key_bits, pair), pair, fresh=fresh_noise)
    holds_locked("vf2boost", work, key_bits)
    facts = {**facts_of_trees(table, rounds, depth), **_facts(parties, work, trees, depth, key_bits, pair, pieces)}
    grow = WovenExchange(depth, lr, rules, key_bits, exponents, pieces, seed, fresh_noise)
    return BoostTrainer(table, parties, depth, grow, facts)


_SPEED = 12.5e6
"""Bytes a second: 100 Mbit/s."""


def _facts(
    parties: Sequence[Binned], work: Work, trees: int, depth: int, key_bits: int, pair: int, pieces: int
) -> dict[str, Any]:
    """Count a round's work, and model its time with and without overlap."""
    bins = capacity(key_bits, pair)
    busiest = max(parties[1:], key=lambda own: own.columns.size)
    alone = work_of([parties[0], busiest], trees, depth, 1, bins, pair, fresh=work.freshenings > 0)
    shared = replace(alone, encryptions=work.encryptions, openings=work.openings)
    sent = work.encryptions * (2 * key_bits // 8 + 1)
    found = [modelled_seconds(shared, key_bits, sent, _SPEED, count) for count in (1, pieces)]
    return {**facts_of_work(work, key_bits), "bins_a_number": bins,
            "modelled_sequence_seconds": found[0], "modelled_pipeline_seconds": found[1]}  # fmt: skip
