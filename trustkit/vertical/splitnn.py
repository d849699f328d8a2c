"""SplitNN: one network cut among parties that hold different columns of the same rows.

Each party sends the first one an embedding of a batch and gets back the gradient of the loss by it; features and labels
stay where they are. What crosses the wire is counted by a `Channel`.
"""

from __future__ import annotations

from typing import Annotated, Any

from trustkit import memory
from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.defences.column_noise import open_ledger
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.networks.split_training import SplitTrainer
from trustkit.vertical.table import laid_out

__all__ = ["splitnn"]


@ALGORITHMS.enter("splitnn", title="SplitNN", axis="columns")
def splitnn(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    local: Annotated[tuple[int, ...], Interval(1, 1024), "widths of each party's layers"] = (100, 100),
    top: Annotated[tuple[int, ...], Interval(1, 4096), "widths above the joined embeddings"] = (200,),
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size, halved every 10 rounds"] = 1e-3,
    weight_decay: Annotated[float, Interval(0, 0.1), "Adam's weight decay"] = 1e-5,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 128,
    keep: Annotated[float, Interval(0.01, 1), "share of a returned gradient's entries that is sent"] = 1.0,
    seed: int = 0,
) -> SplitTrainer:  # fmt: skip
    """One network cut among the parties: embeddings go up to the holder of the labels, gradients come down.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled; the first party holds the labels.
    model : object
        Not used: the parties bring their own layers.
    privacy : ColumnNoise, optional
        Noise on embeddings or labels; see `trustkit.vertical.defences.column_noise.column_noise`.
    participation : float
        1: every party is needed in every step.
    rounds : int
        At least 1; a round is one epoch over the training rows.
    local : tuple of int
        1 to 1024 each: widths of every party's layers, the last of which is the embedding.
    top : tuple of int
        1 to 4096 each: widths of the layers above the joined embeddings.
    lr : float
        0.00001 to 0.1: step size, halved every 10 rounds.
    weight_decay : float
        0 to 0.1: pull of all parameters to 0.
    batch : int
        1 to 65536: rows in a step.
    keep : float
        0.01 to 1: share of the entries of each row's gradient that is sent back, the largest ones; the rest are 0.
    seed : int
        The experiment's seed.

    Returns
    -------
    SplitTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), the mechanism is for rows, ``local`` is
        empty, or the network will not fit into memory.

    Notes
    -----
    Training sends 2·(K − 1)·local[-1]·4 bytes a row and epoch. Evaluation rows would send half of that; they are left
    out of the bytes of a round and stated in the fact evaluation_bytes. With ``keep`` below 1 the way back takes
    ⌈keep·local[-1]⌉·6 bytes a row: a value and an index of two bytes each. It saves bytes and gives no guarantee of
    privacy.

    Source
    ------
    Vepakomma et al. (2018), "Split learning for health"; sizes and training as in the experiments of VertiBench
    (Wu et al. 2023) and its code.

    Deviations
    ----------
    VertiBench's code counts test rows too, in both directions; training rows alone are counted here, so letter with 4
    parties and 50 epochs gives 1373.3 MiB instead of 1709.7. Two classes have two logits instead of one with a sigmoid;
    a regression has a linear output instead of a sigmoid, so that its target may have any unit.
    The paper picks the step size from 0.0001, 0.001 and 0.003 by data set; the middle one is the default.
    """
    if not local:
        raise ValueError("local must name at least one width, got none")
    ledger = open_ledger(privacy, "splitnn", rounds)
    table = laid_out(fed, "splitnn", participation)
    network = SplitNetwork(table.columns, table.features, tuple(local), tuple(top), table.outputs)
    memory.fits(f"splitnn with {table.parties:,} parties", network.needs(min(batch, len(table.y))))
    facts = {
        "parameters": network.parameters, "tensors": len(network.shapes), "model_bytes": 4 * network.parameters,
        "evaluation_bytes": (table.parties - 1) * network.local[-1] * 4 * table.y_test.size,
        **({} if ledger is None else ledger.facts(rounds)),
    }  # fmt: skip
    return SplitTrainer(network, table, lr, weight_decay, batch, seed, facts, ledger, keep)
