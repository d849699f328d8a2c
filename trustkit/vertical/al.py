"""Assisted learning: parties fit what the holder of the labels has not explained yet; their outputs are added up."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.records import Tick
from trustkit.vertical.assisting.assisted import AssistedTrainer
from trustkit.vertical.assisting.sizes_assisted import assisted_facts, learners_of
from trustkit.vertical.defences.residual_noise import label_noise, reach
from trustkit.vertical.table import laid_out

__all__ = ["al"]


@ALGORITHMS.enter("al", title="AL", axis="columns")
def al(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    order: Annotated[Literal["together", "in turn"], "who fits what: all the residual, or each the rest"] = "together",
    eta: Annotated[float | None, Interval(0, 1), "how much of the sum is added; none: 1/K, in turn 1"] = None,
    local: Annotated[tuple[int, ...], Interval(1, 1024), "widths of each party's layers"] = (100, 100),
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size"] = 0.01,
    weight_decay: Annotated[float, Interval(0, 0.1), "Adam's weight decay"] = 5e-4,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 512,
    local_epochs: Annotated[int, Interval(1, 200, log=True), "passes over the rows in each fit"] = 20,
    seed: int = 0,
) -> AssistedTrainer:  # fmt: skip
    """Parties fit models of their own to what is left to explain; the plain sum of their outputs is added.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled; the first party holds the labels.
    model : object
        Not used: the parties bring their own networks.
    privacy : ColumnNoise, optional
        Noise on labels; see `trustkit.vertical.defences.column_noise.column_noise`.
    participation : float
        1: every party is needed in every round.
    rounds : int
        At least 1; each adds one model a party.
    order : {"together", "in turn"}
        Whether all parties fit the same residual, or each what the one before it left over and passed on.
    eta : float, optional
        0 to 1: how much of the summed outputs is added; by default 1/K together, 1 in turn.
    local : tuple of int
        1 to 1024 each: widths of the layers of every party's network; none for linear models.
    lr : float
        0.00001 to 0.1: step size of the local fits.
    weight_decay : float
        0 to 0.1: pull of a local model's parameters to 0.
    batch : int
        1 to 65536: rows in a step.
    local_epochs : int
        1 to 200: passes over the rows for each local model.
    seed : int
        The experiment's seed.

    Returns
    -------
    AssistedTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), the mechanism is not for labels, or
        the models of all rounds will not fit into memory.

    Notes
    -----
    r = y − F for numbers, onehot(y) − softmax(F) for classes; F grows by η Σ_k f_k. Together, r goes to K − 1 parties
    and outputs come back: 2·(K − 1)·c·4 bytes a row and round, as in GAL. In turn, party k passes r − f_k on and the
    last returns the rest, which tells the holder Σ_k f_k and no more: K·c·4 bytes a row and round. The residual that
    leaves the holder is positive for a row's own class only: together, whoever receives it knows the label.

    Source
    ------
    Xian, Wang, Ding and Ghanadan (2020), "Assisted learning: a framework for multi-organization learning"; VertiBench
    (Wu et al. 2023), algorithm 2.

    Deviations
    ----------
    VertiBench's algorithm 2 writes L(F, y) for AL's residual: for squared error the paper by Xian et al. has y − F, and
    that is taken here; a class's residual is that of its one-hot label to its probability. Algorithm 2 lets all parties
    fit the same residual and adds their outputs up, times an η whose value is not said: with K parties that all explain
    the same, η = 1 steps K times too far, so η is 1/K by default. Xian et al., and the code that VertiBench builds on,
    let parties take turns: order="in turn". VertiBench excludes AL from its experiments, as inferior to GAL; the local
    networks are those of its GAL. F starts from the prior, not from 0.
    """
    table = laid_out(fed, "al", participation)
    in_turn = order == "in turn"
    learners = learners_of("al", table, rounds, local, lr=lr, weight_decay=weight_decay, batch=batch,
                           epochs=local_epochs)  # fmt: skip
    rate = (1.0 if in_turn else 1 / table.parties) if eta is None else eta

    def merge(
        outputs: np.ndarray, residual: np.ndarray, scores: np.ndarray, y: np.ndarray, tick: Tick
    ) -> tuple[np.ndarray, float]:
        return np.ones(len(outputs)), rate

    scale = 1.0 if table.classes else 0.5
    noise = label_noise(privacy, "al", rounds, reach(table.classes, learners.outputs, scale), seed)
    facts = {**assisted_facts(table, learners, rounds), **({} if noise is None else noise.ledger.facts(rounds))}
    return AssistedTrainer(learners, table, merge, scale, in_turn, seed, facts, noise)
