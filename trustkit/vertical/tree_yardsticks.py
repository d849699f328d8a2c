"""Yardsticks beside boosting over columns: XGBoost on one party's columns, or on all at one place; nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.boosted.bins import Binned, coded, cuts_of
from trustkit.vertical.boosted.boosting import BoostTrainer, facts_of_trees
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.simulated import Central
from trustkit.vertical.table import ColumnTable, laid_out

__all__ = ["pooled_trees", "solo_trees"]


@ALGORITHMS.enter("solo_trees", title="One party's trees alone", axis="columns")
def solo_trees(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    party: Annotated[int, Interval(0, 4095), "who trains, counted from 0"] = 0,
    lr: Annotated[float, Interval(0.001, 1, log=True), "what the weights of leaves are multiplied by"] = 0.1,
    depth: Annotated[int, Interval(1, 10), "splits on the longest path of a tree"] = 6,
    bins: Annotated[int, Interval(2, 1024, log=True), "bins a column"] = 32,
    reg_lambda: Annotated[float, Interval(0, 1000), "pull of the weights of leaves to 0"] = 1.0,
    gamma: Annotated[float, Interval(0, 1000), "the least gain of a split"] = 0.0,
    min_child_weight: Annotated[float, Interval(0.001, 1000, log=True), "the least curvature on a side"] = 1.0,
    seed: int = 0,
) -> BoostTrainer:  # fmt: skip
    """One party boosts trees on its own columns: no federation, but what one is measured against.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns.
    model : object
        Not used: the trees are the model.
    privacy : None
        There is no mechanism for it here.
    participation : float
        1.
    rounds : int
        At least 1; a round is one tree a class, or one tree for two classes and for a regression.
    party : int
        0 to K − 1: who trains. Only party 0 holds the labels in truth; the others are given them here.
    lr, depth, bins, reg_lambda, gamma, min_child_weight : float
        As `trustkit.vertical.fedtree.fedtree` has them.
    seed : int
        Not used: nothing is drawn.

    Returns
    -------
    BoostTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it, a mechanism is asked for, or there is no such party.

    Source
    ------
    Chen and Guestrin (2016), "XGBoost"; in the place of VertiBench's Table 7, where single parties train networks.

    Deviations
    ----------
    VertiBench has no such row for trees.
    """
    table = _plain(fed, "solo_trees", participation, privacy)
    if party >= table.parties:
        raise ValueError(f"party must be between 0 and {table.parties - 1}, got {party}")
    rules = Rules(reg_lambda, gamma, min_child_weight)
    return _bound(table, [party], rounds, lr, depth, bins, rules)


@ALGORITHMS.enter("pooled_trees", title="Trees on all columns at one place", axis="columns")
def pooled_trees(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    lr: Annotated[float, Interval(0.001, 1, log=True), "what the weights of leaves are multiplied by"] = 0.1,
    depth: Annotated[int, Interval(1, 10), "splits on the longest path of a tree"] = 6,
    bins: Annotated[int, Interval(2, 1024, log=True), "bins a column"] = 32,
    reg_lambda: Annotated[float, Interval(0, 1000), "pull of the weights of leaves to 0"] = 1.0,
    gamma: Annotated[float, Interval(0, 1000), "the least gain of a split"] = 0.0,
    min_child_weight: Annotated[float, Interval(0.001, 1000, log=True), "the least curvature on a side"] = 1.0,
    seed: int = 0,
) -> BoostTrainer:  # fmt: skip
    """Trees boosted on all columns at one place: what a lossless exchange must equal.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns.
    model : object
        Not used: the trees are the model.
    privacy : None
        There is no mechanism for it here.
    participation : float
        1.
    rounds : int
        At least 1; a round is one tree a class, or one tree for two classes and for a regression.
    lr, depth, bins, reg_lambda, gamma, min_child_weight : float
        As `trustkit.vertical.fedtree.fedtree` has them.
    seed : int
        Not used: nothing is drawn.

    Returns
    -------
    BoostTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it, or a mechanism is asked for.

    Source
    ------
    Chen and Guestrin (2016), "XGBoost", with ``tree_method="hist"``.

    Deviations
    ----------
    Margins start at 0, where XGBoost starts at a number fitted to the labels.
    """
    table = _plain(fed, "pooled_trees", participation, privacy)
    rules = Rules(reg_lambda, gamma, min_child_weight)
    return _bound(table, range(table.parties), rounds, lr, depth, bins, rules)


def _plain(fed: FederatedDataset, name: str, participation: float, privacy: Any) -> ColumnTable:
    """Cut the data, and refuse a mechanism."""
    if privacy is not None:
        raise ValueError(f"{name} trains without a privacy mechanism, got {privacy}")
    return laid_out(fed, name, participation)


def _bound(
    table: ColumnTable, members: Sequence[int], rounds: int, lr: float, depth: int, bins: int, rules: Rules
) -> BoostTrainer:
    """Bind XGBoost to the columns of some parties."""
    columns = np.sort(np.concatenate([table.columns[k] for k in members]))
    X = np.ascontiguousarray(table.X[:, columns])
    cuts = cuts_of(X, bins)
    facts = {**facts_of_trees(table, rounds, depth), "evaluation_bytes": 0, "federated": False}
    one = Binned(columns, cuts, coded(X, cuts))
    grow = Central(X, bins, depth, lr, rules)
    return BoostTrainer(table, (one,), depth, grow, facts, members=tuple(members))
