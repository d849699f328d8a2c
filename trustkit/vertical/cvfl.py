"""C-VFL: SplitNN with compressed messages and several local steps between them.

For a batch the parties send compressed embeddings once; the holder of the labels sends back its compressed upper layers
and what the others sent. Then each party takes several steps by itself, with the others' embeddings growing stale.
"""

from __future__ import annotations

from typing import Annotated, Any

from trustkit import memory
from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.networks.compress import Compressor, Squeeze
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.networks.stale_training import StaleTrainer
from trustkit.vertical.table import laid_out

__all__ = ["cvfl"]


@ALGORITHMS.enter("cvfl", title="C-VFL", axis="columns")
def cvfl(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    compressor: Annotated[Compressor, "which numbers of an embedding and of the upper layers are sent"] = "topk",
    levels: Annotated[int, Interval(2, 256, log=True), "levels of a number; top-k sends as many bits"] = 4,
    local_steps: Annotated[int, Interval(1, 100, log=True), "steps on a batch between messages, Q"] = 10,
    local: Annotated[tuple[int, ...], Interval(1, 1024), "widths of each party's layers"] = (100, 100),
    top: Annotated[tuple[int, ...], Interval(1, 4096), "widths above the joined embeddings"] = (200,),
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size"] = 1e-3,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 512,
    seed: int = 0,
) -> StaleTrainer:  # fmt: skip
    """SplitNN with compressed embeddings, and several steps by each party between messages.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled; the first party holds the labels and tells them to all others.
    model : object
        Not used: the parties bring their own layers.
    privacy : None
        There is no mechanism for it here.
    participation : float
        1: every party is needed in every batch.
    rounds : int
        At least 1; a round is one epoch over the training rows.
    compressor : {"topk", "quantize", "none"}
        "topk": of an embedding the dimensions with the largest last gradient, of each array of the upper layers the
        numbers furthest from 0; "quantize": all numbers in a few levels; "none": all as they are.
    levels : int
        2 to 256: of a quantised number; top-k keeps the share log₂(levels) / 32 of all numbers, so 6 of 100 for 4.
    local_steps : int
        1 to 100: steps of every party, and of the upper layers, on each batch.
    local : tuple of int
        1 to 1024 each: widths of every party's layers, ReLU after each; the last is the embedding.
    top : tuple of int
        1 to 4096 each: widths of the layers above the joined embeddings.
    lr : float
        0.00001 to 0.1: step size.
    batch : int
        1 to 65536: rows in a step.
    seed : int
        The experiment's seed.

    Returns
    -------
    StaleTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), a mechanism is asked for, ``local`` is
        empty, or the network will not fit into memory.

    Notes
    -----
    Let e(b) be the bytes of a compressed embedding of b rows (top-k: 8·k·b; quantised: ⌈b·w·⌈log₂ levels⌉/8⌉ + 8; none:
    4·w·b, as is the very first batch under top-k) and t those of the compressed upper layers. A batch sends e(b) up
    from each of the K − 1 others, and t + (K − 1)·e(b) down to each of them: the upper layers and the other parties'
    embeddings. The first round sends the labels besides, 8 bytes a row to each of the others. Evaluation reads whole
    embeddings; they are left out of the bytes of a round and stated in the fact evaluation_bytes.

    With "none" and one local step all parties and the upper layers take their steps from the same parameters: the
    epoch is that of the joint network under one Adam.

    Source
    ------
    Castiglia et al. (2022), "Compressed-VFL: communication-efficient learning with vertically partitioned data",
    algorithm 1; sizes and training as in VertiBench (Wu et al. 2023), appendices B.2 and F.

    Deviations
    ----------
    "The last gradient" of a dimension is that by the last offset of the party's layers in its last step, as in the
    code of Castiglia et al.; here it is kept from epoch to epoch, so that only the first batch of a run is sent whole.
    The first party steps on the compressed upper layers as the others do, though it holds them whole; K − 1 parties
    send, where VertiBench counts K, and a first batch in every epoch. Each row carries the places of its numbers, as
    VertiBench counts; they are the same for all rows of a batch and could be sent once. Castiglia et al. quantise
    between 0 and the largest number, which turns every negative weight into 0; here it is between the lowest and the
    highest. All parties must know the labels, as in that paper: this protocol does not hide them.
    VertiBench trains 200 epochs; rounds are the experiment's. Two classes have two logits. A regression's
    output is a sigmoid onto the training labels' range, as in VertiBench's code: what is learnt on compressed messages
    and read on whole ones would otherwise run far off.
    """
    if not local:
        raise ValueError("local must name at least one width, got none")
    if privacy is not None:
        raise ValueError(f"cvfl trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "cvfl", participation)
    network = SplitNetwork(table.columns, table.features, tuple(local), tuple(top), table.outputs, rectified=True)
    memory.fits(f"cvfl with {table.parties:,} parties", network.needs(min(batch, len(table.y))))
    facts = {
        "parameters": network.parameters, "tensors": len(network.shapes), "model_bytes": 4 * network.parameters,
        "evaluation_bytes": (table.parties - 1) * network.local[-1] * 4 * table.y_test.size,
        "labels": "told to every party",
    }  # fmt: skip
    return StaleTrainer(network, table, Squeeze(compressor, levels), local_steps, lr, batch, seed, facts)
