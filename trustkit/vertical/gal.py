"""GAL: parties assist the holder of the labels by fitting models of their own to the gradient that it sends."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.records import Tick
from trustkit.vertical.assisting.assisted import AssistedTrainer
from trustkit.vertical.assisting.merging import assistance, best_rate
from trustkit.vertical.assisting.sizes_assisted import assisted_facts, learners_of
from trustkit.vertical.defences.residual_noise import label_noise, least_squares_rate, reach
from trustkit.vertical.table import laid_out

__all__ = ["gal"]


@ALGORITHMS.enter("gal", title="GAL", axis="columns")
def gal(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    local: Annotated[tuple[int, ...], Interval(1, 1024), "widths of each party's layers"] = (100, 100),
    output: Annotated[Literal["linear", "softmax"], "what the parties' models end with"] = "linear",
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size"] = 0.01,
    weight_decay: Annotated[float, Interval(0, 0.1), "Adam's weight decay"] = 5e-4,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 512,
    local_epochs: Annotated[int, Interval(1, 200, log=True), "passes over the rows in each fit"] = 20,
    seed: int = 0,
) -> AssistedTrainer:  # fmt: skip
    """Parties fit models of their own to the holder's residual; weights and a line search put them together.

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
        At least 1; each adds one model a party. VertiBench plays 20.
    local : tuple of int
        1 to 1024 each: widths of the layers of every party's network; none for linear models.
    output : {"linear", "softmax"}
        Whether outputs can be any numbers, as a residual can, or are made positive and add up to 1, as in VertiBench's
        code.
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
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), the mechanism is not for labels,
        softmax outputs are asked for in a regression, or the models of all rounds will not fit into memory.

    Notes
    -----
    r = −∂L/∂F goes to K − 1 parties, their outputs f_k on the training rows come back, and F grows by η Σ_k w_k f_k:
    w are fitted to r by `trustkit.vertical.assisting.merging.assistance`, η is searched on the loss by ``best_rate``
    there. Training sends 2·(K − 1)·c·4 bytes a row and round, where c is the number of classes, or 1 for two classes
    and for a regression. Every model of every round is needed to predict, so the state grows by all parties'
    parameters each round. F starts from the logarithms of the classes' shares, or the mean. A
    row's residual is positive for its own class only: whoever receives it knows the label.

    Source
    ------
    Diao, Ding and Tarokh (2022), "GAL: gradient assisted learning for decentralized multi-organization collaborations";
    VertiBench (Wu et al. 2023), algorithm 2 and appendix F, and its code.

    Deviations
    ----------
    VertiBench's algorithm 2 starts from 0 and writes the residual with the sign of the gradient; its code, as this,
    starts from the prior and takes the negative gradient. Its text says that parties send their models; its code, as
    this, sends outputs. Its code ends a party's network with a softmax, which cannot follow a residual below 0: that is
    output="softmax"; a regression there has linear models. Its code gives a party all columns with foreign ones set to
    0; here the network has the party's columns only. Two classes have one score inside, so that half as much is sent as
    with two; output="softmax" needs both. The weights' fit and the search for η are described where they are.
    With noise on labels F starts from 0 and η is that of least squares on the noisy residual: the prior and the search
    for η read labels.
    """
    table = laid_out(fed, "gal", participation)
    if output == "softmax" and not table.classes:
        raise ValueError("output must be linear for a regression, got 'softmax', which makes its one output 1")
    learners = learners_of("gal", table, rounds, local, softmax=output == "softmax", lr=lr,
                           weight_decay=weight_decay, batch=batch, epochs=local_epochs)  # fmt: skip

    noise = label_noise(privacy, "gal", rounds, reach(table.classes, learners.outputs, 1.0), seed)

    def merge(
        outputs: np.ndarray, residual: np.ndarray, scores: np.ndarray, y: np.ndarray, tick: Tick
    ) -> tuple[np.ndarray, float]:
        weights = assistance(outputs, residual, tick)
        step = np.tensordot(weights, outputs, axes=1)
        if noise is not None:
            return weights, least_squares_rate(step, residual)
        return weights, best_rate(scores, step, y, table.classes, tick)

    facts = {**assisted_facts(table, learners, rounds), **({} if noise is None else noise.ledger.facts(rounds))}
    return AssistedTrainer(learners, table, merge, 1.0, False, seed, facts, noise)
