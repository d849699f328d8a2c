"""Solo: what one party would reach with its own columns only."""

from __future__ import annotations

from typing import Annotated, Any

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.networks.yardsticks import AloneTrainer, alone
from trustkit.vertical.table import laid_out

__all__ = ["solo"]


@ALGORITHMS.enter("solo", title="One party alone", axis="columns")
def solo(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    party: Annotated[int, Interval(0, 4095), "who trains, counted from 0"] = 0,
    local: Annotated[tuple[int, ...], Interval(1, 1024), "widths of the party's layers"] = (100, 100),
    top: Annotated[tuple[int, ...], Interval(1, 4096), "widths above its embedding"] = (200,),
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size, halved every 10 rounds"] = 1e-3,
    weight_decay: Annotated[float, Interval(0, 0.1), "Adam's weight decay"] = 1e-5,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 128,
    seed: int = 0,
) -> AloneTrainer:  # fmt: skip
    """One party trains SplitNN's network on its own columns: no federation, but what one is measured against.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled.
    model : object
        Not used: the party brings its own layers.
    privacy : None
        There is no mechanism for it here.
    participation : float
        1.
    rounds : int
        At least 1; a round is one epoch over the training rows.
    party : int
        0 to K − 1: who trains. Only party 0 holds the labels in truth; the others are given them here.
    local : tuple of int
        1 to 1024 each: widths of the party's layers, as SplitNN's below the wire.
    top : tuple of int
        1 to 4096 each: widths of the layers above, as SplitNN's at the holder of the labels.
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
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), there is no such party, a mechanism is
        asked for, or ``local`` is empty.

    Notes
    -----
    Nothing is sent. A party that does not hold the labels could not do this by itself: for it this is a yardstick, of
    how much its columns say.

    Source
    ------
    VertiBench (Wu et al. 2023), table 7 and appendix G.4: a SplitNN's local model linked with its aggregated model,
    with the same hyper-parameters.

    Deviations
    ----------
    As SplitNN's: two logits for two classes, a linear output for a regression.
    """
    if privacy is not None:
        raise ValueError(f"solo trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "solo", participation)
    if party >= table.parties:
        raise ValueError(f"party must be between 0 and {table.parties - 1}, the last of the parties, got {party}")
    return alone(
        table, (party,), local=local, top=top, lr=lr, weight_decay=weight_decay, batch=batch, seed=seed
    )  # fmt: skip
