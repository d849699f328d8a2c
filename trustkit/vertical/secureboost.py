"""SecureBoost: boosted trees over columns whose gradients are encrypted, so that only their sums are ever read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned, binned
from trustkit.vertical.boosted.boosting import BoostTrainer, facts_of_trees
from trustkit.vertical.boosted.exchange import Exchange
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.trees import Trees
from trustkit.vertical.channel import Channel
from trustkit.vertical.encrypted.cost_estimate import facts_of_work, holds_locked, work_of
from trustkit.vertical.encrypted.paillier import key_of, needs_encryption
from trustkit.vertical.encrypted.secureboost_messages import sealed
from trustkit.vertical.table import laid_out

__all__ = ["SealedExchange", "secureboost"]


@dataclass(frozen=True)
class SealedExchange:
    """An exchange under a new key each round; a `trustkit.vertical.boosted.exchange.Grower`.

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
    together : bool
        Whether g and h of a row share a locked number.
    fresh : bool
        Whether parties put noise of their own onto each sum that they send.
    """

    depth: int
    lr: float
    rules: Rules
    key_bits: int
    together: bool
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
        cover = sealed(g, h, key_of(self.key_bits), self.together, tick, self.fresh)
        return Exchange(self.depth, self.lr, self.rules, cover)(g, h, parties, wire, tick, index)


@ALGORITHMS.enter("secureboost", title="SecureBoost", axis="columns")
def secureboost(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    lr: Annotated[float, Interval(0.001, 1, log=True), "what leaf weights are multiplied by"] = 0.1,
    depth: Annotated[int, Interval(1, 10), "splits on the longest path of a tree"] = 6,
    bins: Annotated[int, Interval(2, 256, log=True), "bins a column"] = 32,
    reg_lambda: Annotated[float, Interval(0, 1000), "pull of leaf weights to 0"] = 1.0,
    gamma: Annotated[float, Interval(0, 1000), "least gain of a split"] = 0.0,
    min_child_weight: Annotated[float, Interval(0.001, 1000, log=True), "least curvature on a side"] = 1.0,
    key_bits: Annotated[int, Interval(512, 4096, step=512), "length of the encryption key"] = 2048,
    packed: Annotated[bool, "both derivatives of a row in one encrypted number"] = True,
    fresh_noise: Annotated[bool, "noise of the sender's on every locked sum"] = False,
    threshold: Annotated[float, Interval(0.01, 0.99), "chance from which on it is the second of two classes"] = 0.5,
    seed: int = 0,
) -> BoostTrainer:  # fmt: skip
    """Boosted trees: encrypted gradients go out, encrypted histograms come back, the holder of the labels opens them.

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
    packed : bool
        Whether g and h of a row share one encrypted number.
    fresh_noise : bool
        Whether parties put noise of their own onto each locked number that they send back; see Notes.
    threshold : float
        0.01 to 0.99: with two classes, the second one is predicted from this chance on.
    seed : int
        Not used: nothing of the result is random.

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
    With κ = 2·key_bits/8 bytes a number and s = 1 number a row (2 if not ``packed``), a round of C trees over n rows
    sends every other party key_bits/8 bytes of key and C n s κ of gradients, and gets s κ a node and bin of its own
    columns in return, of all root nodes and of the lighter child of every split. Splits and instance sets follow in the
    clear, as in `fedtree`.

    g and h are rounded to 40 bits behind the point; sums are exact. So trees are those of `fedtree` and margins differ
    by no more than float32 rounding, unless two gains are equal to within 10⁻⁷.

    What the first party sees: all sums, which a node of few rows makes telling, and instance sets. A locked sum is the
    product of its rows' locked numbers, which the first party made: as the paper has it, one may try which rows
    multiply to it, and a bin of one row is recognised at sight, whatever its sum. ``fresh_noise`` closes that way for
    one more encryption a node and bin. What the others see: instance sets and which of their columns were chosen; no
    gradient, no label.

    Source
    ------
    Cheng et al. (2021), "SecureBoost: a lossless federated learning framework", algorithms 1 and 2; VertiBench (Wu et
    al. 2023), algorithm 4 and appendix B.3, whose defaults these are.

    Deviations
    ----------
    The paper encrypts g and h apart, as ``packed=False`` does; putting them together is FATE's later version. A new key
    is made each round, and only one child of two is sent. The threshold of VertiBench's appendix B.3 moves the margin
    by its log-odds, so probabilities are those of classes weighted (1 − t) : t, and their loss with them; trees are the
    same. The owner keeps a split's place under no other name than (column, bin), which the first party writes down too.
    """
    needs_encryption("secureboost", key_bits)
    if privacy is not None:
        raise ValueError(f"secureboost trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "secureboost", participation)
    parties, trees = binned(table, bins), 1 if table.classes == 2 else table.outputs
    rules = Rules(reg_lambda, gamma, min_child_weight)
    work = work_of(parties, trees, depth, 1 if packed else 2, fresh=fresh_noise)
    holds_locked("secureboost", work, key_bits)
    facts = {**facts_of_trees(table, rounds, depth), **facts_of_work(work, key_bits)}
    grow = SealedExchange(depth, lr, rules, key_bits, packed, fresh_noise)
    return BoostTrainer(table, parties, depth, grow, facts, threshold)
