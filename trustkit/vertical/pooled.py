"""Pooled: what one would reach if all parties' columns were at one place."""

from __future__ import annotations

from typing import Annotated, Any

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.networks.yardsticks import AloneTrainer, alone
from trustkit.vertical.table import laid_out

__all__ = ["pooled"]


@ALGORITHMS.enter("pooled", title="All columns at one place", axis="columns")
def pooled(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    local: Annotated[tuple[int, ...], Interval(1, 1024), "widths of the lower layers"] = (100, 100),
    top: Annotated[tuple[int, ...], Interval(1, 4096), "widths of the upper layers"] = (200,),
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size, halved every 10 rounds"] = 1e-3,
    weight_decay: Annotated[float, Interval(0, 0.1), "Adam's weight decay"] = 1e-5,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 128,
    seed: int = 0,
) -> AloneTrainer:  # fmt: skip
    """SplitNN's network over everybody's columns at one place: no federation, but what one is measured against.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled.
    model : object
        Not used: it brings its own layers.
    privacy : None
        There is no mechanism for it here.
    participation : float
        1.
    rounds : int
        At least 1; a round is one epoch over the training rows.
    local : tuple of int
        1 to 1024 each: widths of the lower layers, which read all columns that any party holds.
    top : tuple of int
        1 to 4096 each: widths of the upper layers.
    lr : float
        0.00001 to 0.1: step size, halved every 10 rounds.
    weight_decay : float
        0 to 0.1: pull of all parameters to 0.
    batch : int
        1 to 65536: rows in a step.
    seed : int
        The experiment's seed.

    Returns
    -------
    AloneTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), a mechanism is asked for, or ``local`` is
        empty.

    Notes
    -----
    Nothing is counted as sent: collecting the columns would send 4 bytes a row for every column that is not at the
    first party, once, and give them away.

    Source
    ------
    VertiBench (Wu et al. 2023), appendix G.4, with the columns of all parties instead of one's;
    `trustkit.vertical.solo` is the same for one party.

    Deviations
    ----------
    The paper has no neural network over pooled columns. There is one chain of lower layers instead of one a party, so
    the network has fewer parameters than SplitNN's.
    """
    if privacy is not None:
        raise ValueError(f"pooled trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "pooled", participation)
    everybody = tuple(range(table.parties))
    return alone(
        table, everybody, local=local, top=top, lr=lr, weight_decay=weight_decay, batch=batch, seed=seed
    )  # fmt: skip
