"""BlindFL: a network whose first layer is secret-shared, so that embeddings and their gradients stay hidden.

The first layer's weights are shared between each party and another; what crosses the wire is masked by numbers that are
uniform modulo 2^64. The first party learns the sum of all parties' activations, and trains the layers above it.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from trustkit import memory
from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.networks.network import SplitNetwork
from trustkit.vertical.sharing.blind_training import BlindTrainer
from trustkit.vertical.sharing.sourcelayer import SourceLayer
from trustkit.vertical.table import ColumnTable, laid_out

__all__ = ["blindfl"]

_LARGEST = 4096
_COPIES = 16.0


@ALGORITHMS.enter("blindfl", title="BlindFL", axis="columns")
def blindfl(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    width: Annotated[int, Interval(1, 1024), "units of the shared first layer"] = 100,
    top: Annotated[tuple[int, ...], Interval(1, 4096), "widths above it"] = (100, 200),
    source_lr: Annotated[float, Interval(1e-4, 1, log=True), "step size of the shared layer, halved as lr"] = 0.1,
    lr: Annotated[float, Interval(1e-5, 0.1, log=True), "Adam's step size above it, halved every 10 rounds"] = 1e-3,
    weight_decay: Annotated[float, Interval(0, 0.1), "Adam's weight decay"] = 1e-5,
    batch: Annotated[int, Interval(1, 65536, log=True), "rows in a step"] = 128,
    point: Annotated[int, Interval(8, 15), "bits after the point of a feature"] = 12,
    seed: int = 0,
) -> BlindTrainer:  # fmt: skip
    """A network whose first layer is secret-shared: whatever crosses is masked, and one party reads the sums.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns, features scaled; the first party holds the labels.
    model : object
        Not used: the parties bring their own layers.
    privacy : None
        There is no mechanism for it here; secret sharing hides messages, not what the model says of its rows.
    participation : float
        1: every party is needed in every step.
    rounds : int
        At least 1; a round is one epoch over the training rows.
    width : int
        1 to 1024: units of the shared first layer, with ReLU.
    top : tuple of int
        1 to 4096 each: widths of the first party's layers above it, each with ReLU.
    source_lr : float
        0.0001 to 1: step size of the shared layer, halved every 10 rounds.
    lr : float
        0.00001 to 0.1: step size of the layers above, halved every 10 rounds.
    weight_decay : float
        0 to 0.1: pull of the parameters above the shared layer to 0.
    batch : int
        1 to 65536: rows in a step.
    point : int
        8 to 15: bits after the point of a feature; more of them leave less room for large sums.
    seed : int
        The experiment's seed.

    Returns
    -------
    BlindTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), a mechanism is asked for, a feature is
        larger than 4096, or the shares will not fit into memory.

    Notes
    -----
    z = Σ_k X_k W_k modulo 2^64, exact: features have ``point`` bits after the point, steps 24, weights point + 24 and
    sums 2·point + 24, which leaves 63 − 2·point − 24 bits before it (15 by default). A sum beyond half of that ends the
    run. With h units, n rows in B batches and m_k columns a round sends: masked activations 8·h·n from each of the
    K − 1 others and masked gradients 8·h·n to each; masked weights 8·h·m_k·B to each party from its keeper; and from
    the dealer, who is no party, before training ("dealt"): 8·h·n for each of the K pairs, and 8·h·m_k·B for each of the
    K − 1 others. The first round sends masked features 8·n·m_k, the kept shares of the first weights 8·h·m_k, and seeds
    of 16 bytes besides. The fact offline_bytes is the dealer's part of a later round.

    The first party learns z and its gradient, as in the paper. With its own weights shared too it cannot take its part
    out of z; the parts of three parties or more are hidden behind pads that add up to 0. All others see uniform numbers
    only. Parties follow the protocol and do not pool what they see.

    Source
    ------
    Fu et al. (2022), "BlindFL: vertical federated machine learning without peeking into your data", the MatMul source
    layer; its role in VertiBench (Wu et al. 2023), algorithm 3 and appendix B.2.

    Deviations
    ----------
    The paper multiplies a party's features by the other's share under homomorphic encryption (Paillier) and turns the
    ciphertext into shares. Here a dealer's masks (Beaver triples of matrices) take its place: it has to be trusted to
    draw them and to tell nobody. Masks come from the experiment's seed, so that a run can be repeated; parties apart
    would draw them from a cryptographic generator and never from a number that is written down. The dealer also draws
    the first weights, which the paper's parties draw in two parts. With more than two parties the second keeps the
    other share of the first's weights. As in the paper the first party knows the gradient of its own weights, not the
    weights. A step on shares must be linear in the gradient of the weights, so Adam is not for them; instead the first
    party divides each unit's gradient by the root of the running mean (0.99) of its square over the batch, before
    masking, which needs nothing that is hidden from it.
    VertiBench describes BlindFL but does not run it; sizes are those of SplitNN with the parties' embeddings added up
    instead of joined: a shared layer of 100, then 100 and 200.
    """
    if privacy is not None:
        raise ValueError(f"blindfl trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "blindfl", participation, copies=_COPIES)
    largest = max(float(np.abs(rows[:, list(own)]).max(initial=0.0))
                  for rows in (table.X, table.X_test) for own in table.columns)  # fmt: skip
    if largest > _LARGEST:
        raise ValueError(f"features must be between -{_LARGEST} and {_LARGEST} for blindfl, got {largest:g}")
    every = tuple(column for own in table.columns for column in own)
    network = SplitNetwork((every,), table.features, (width,), tuple(top), table.outputs, rectified=True)
    shared = 8 * width * len(every) * 4 + 8 * width * min(batch, len(table.y)) * 3 * table.parties
    memory.fits(f"blindfl with {table.parties:,} parties", shared + network.needs(min(batch, len(table.y))))
    layer = SourceLayer(table.columns, width, seed, point)
    facts = _facts(table, network, batch)
    return BlindTrainer(layer, network, table, source_lr, lr, weight_decay, batch, seed, facts)


def _facts(table: ColumnTable, network: SplitNetwork, batch: int) -> dict[str, Any]:
    """Count what is learnt and what is sent apart from training."""
    held, width, others = len(network.columns[0]), network.local[0], table.parties - 1
    tests, batches = int(table.y_test.size), -(-len(table.y) // batch)
    shared = held * width
    return {
        "parameters": network.parameters, "tensors": len(network.shapes),
        "model_bytes": 4 * (network.parameters - shared) + 2 * 8 * shared,
        "evaluation_bytes": 8 * (tests * (held + others * width) + shared),
        "offline_bytes": 8 * width * (len(table.y) * table.parties + batches * (held - len(table.columns[0]))),
        "assumes": "a dealer of random numbers whom all trust",
    }  # fmt: skip
