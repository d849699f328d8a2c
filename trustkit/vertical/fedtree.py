"""FedTree: boosted trees over columns, equal to those of one who holds all columns.

The holder of the labels sends the others the gradients of its loss; they send back sums of them by node, column and
bin, from which it picks the best splits. What crosses the wire is counted by a `Channel`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from trustkit import memory
from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.boosted.bins import binned
from trustkit.vertical.boosted.boosting import BoostTrainer, facts_of_trees
from trustkit.vertical.boosted.exchange import Exchange, Grower
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.simulated import Central
from trustkit.vertical.defences.residual_noise import label_noise, reach
from trustkit.vertical.table import laid_out

__all__ = ["fedtree"]

SIMULATED = "simulated: trained centrally, messages counted"


@ALGORITHMS.enter("fedtree", title="FedTree", axis="columns")
def fedtree(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    lr: Annotated[float, Interval(0.001, 1, log=True), "what the weights of leaves are multiplied by"] = 0.1,
    depth: Annotated[int, Interval(1, 10), "splits on the longest path of a tree"] = 6,
    bins: Annotated[int, Interval(2, 1024, log=True), "bins a column"] = 32,
    reg_lambda: Annotated[float, Interval(0, 1000), "pull of the weights of leaves to 0"] = 1.0,
    gamma: Annotated[float, Interval(0, 1000), "the least gain of a split"] = 0.0,
    min_child_weight: Annotated[float, Interval(0.001, 1000, log=True), "the least curvature on a side"] = 1.0,
    engine: Annotated[Literal["exchange", "simulated"], "messages sent, or trained centrally and counted"] = "exchange",
    seed: int = 0,
) -> BoostTrainer:  # fmt: skip
    """Boosted trees: gradients go out to every party, histograms of its own columns come back.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns; the first party holds the labels.
    model : object
        Not used: the trees are the model.
    privacy : ColumnNoise, optional
        Noise on labels; see `trustkit.vertical.defences.column_noise.column_noise`.
    participation : float
        1: every party is needed in every step.
    rounds : int
        At least 1; a round is one tree a class, or one tree for two classes and for a regression.
    lr : float
        0.001 to 1: what the weights of leaves are multiplied by.
    depth : int
        1 to 10: splits on the longest path of a tree.
    bins : int
        2 to 1024: bins a column at most.
    reg_lambda : float
        0 to 1000: λ, pull of the weights of leaves to 0.
    gamma : float
        0 to 1000: the least gain of a split.
    min_child_weight : float
        0.001 to 1000: the least sum of second derivatives on either side of a split.
    engine : str
        "exchange": every message is sent. "simulated": XGBoost trains in one place, messages are counted from its
        trees; trees and bytes are the same, and the fact ``simulated`` says so.
    seed : int
        The experiment's seed; nothing is drawn but noise.

    Returns
    -------
    BoostTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), or the mechanism is not one for labels.

    Notes
    -----
    A round of C trees over n rows sends (K − 1)·8·C·n bytes of gradients, 16 bytes for each bin of another party and
    node whose histogram is sent (of two children the one with less curvature; the other's is the rest), 16 bytes for
    each split and party told of it, and one bit for each row and split, from its owner and to the others
    (`trustkit.vertical.boosted.simulated.count_messages`). How many bins a column has is agreed on before.
    The first party learns which rows a split of another sends where, but not at which number; the others get every
    gradient in the clear, and gradients tell labels.

    Source
    ------
    Li et al. (2023), "FedTree: a federated learning system for trees"; VertiBench (Wu et al. 2023), Algorithm 4 and
    Appendix F: rate 0.1, 50 trees, depth 6, 32 bins, no encryption. Gain, bins, order of ties and rounding are
    XGBoost's ``hist`` (Chen and Guestrin 2016), so that the trees equal those of XGBoost on all columns.

    Deviations
    ----------
    VertiBench's code runs FedTree's own binary and counts, instead of its messages, 4 bytes a gradient and node
    number, and one histogram a tree (`trustkit.vertical.accounting`); here messages are counted as sent, with
    histograms in float64, as XGBoost adds up. Margins start at 0 (Algorithm 4, F⁰ = 0), where XGBoost starts at a
    number fitted to the labels. Labels of a regression are brought onto [0, 1], as VertiBench brings them. With
    ``reg_lambda`` 0 two different splits may gain the same up to the last bit of a float32, and XGBoost may then take
    the other one.
    """
    table = laid_out(fed, "fedtree", participation)
    noise = label_noise(
        privacy, "fedtree", rounds, reach(table.classes, 1 if table.classes == 2 else table.outputs, 0.5), seed
    )
    rules = Rules(reg_lambda, gamma, min_child_weight)
    facts = {**facts_of_trees(table, rounds, depth), **({} if noise is None else noise.ledger.facts(rounds))}
    nodes = facts["tensors"] // rounds * min(2 ** (depth - 1), len(table.X))
    memory.fits(f"fedtree on {fed.data.name}", 2 * 16 * nodes * table.features * bins)  # of a level, and of the next
    grow: Grower = Exchange(depth, lr, rules)
    if engine == "simulated":
        held = table.X[:, np.sort(np.concatenate(table.columns))]
        grow, facts["simulated"] = Central(held, bins, depth, lr, rules), SIMULATED
    return BoostTrainer(table, binned(table, bins), depth, grow, facts, noise=noise)
