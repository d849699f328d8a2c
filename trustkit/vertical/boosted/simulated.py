"""Trees grown by XGBoost on all columns at once, and the messages that an exchange would have sent, counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from trustkit.records import Tick
from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.boosted.levels import Layout
from trustkit.vertical.boosted.trees import Trees, bare, leaves_of
from trustkit.vertical.channel import Channel

__all__ = ["Central", "count_messages"]


@dataclass(frozen=True, eq=False)
class Central:
    """Growth by XGBoost in one place; a `trustkit.vertical.boosted.exchange.Grower` that only counts messages.

    Parameters
    ----------
    X : (n, m) float32 array
        The training rows, the columns of all parties in the order of the table.
    bins, depth : int
        Bins a column, and splits on the longest path.
    lr : float
        What leaf weights are multiplied by.
    rules : Rules
        What makes a split worth it.
    """

    X: np.ndarray
    bins: int
    depth: int
    lr: float
    rules: Rules

    def __call__(
        self, g: np.ndarray, h: np.ndarray, parties: Sequence[Binned], wire: Channel, tick: Tick, index: int
    ) -> tuple[Trees, np.ndarray]:
        """Grow the trees of one round.

        Parameters
        ----------
        g, h : (C, n) float32 array
            First and second derivatives by output and row.
        parties : sequence of Binned
            Every party's columns.
        wire : Channel
            Counts what the exchange would have sent.
        tick : callable
            Called once more before the messages are counted.
        index : int
            The round; not used, each is grown from its gradients alone.

        Returns
        -------
        trees, leaf
            C trees, and (C, n) int32: the slot of the leaf of each row.
        """
        import xgboost

        layout = Layout.of(parties)
        several = {"objective": "multi:softprob", "num_class": len(g)} if len(g) > 1 else {}
        model = xgboost.Booster({
            "tree_method": "hist", "max_bin": self.bins, "max_depth": self.depth, "eta": self.lr, "nthread": 1,
            "lambda": self.rules.reg_lambda, "gamma": self.rules.gamma, "base_score": 0,
            "min_child_weight": self.rules.min_child_weight, **several,
        }, [self._matrix])  # fmt: skip
        model.boost(self._matrix, 0, grad=np.ascontiguousarray(g.T), hess=np.ascontiguousarray(h.T))
        told = json.loads(model.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
        trees = bare(len(g), self.depth)
        cuts = {int(j): ends for own in parties for j, ends in zip(own.columns, own.cuts, strict=True)}
        for tree, lines in enumerate(told):
            _read(lines, trees, tree, layout.columns, cuts)
        tick()
        codes = np.zeros((g.shape[1], layout.columns[-1] + 1), np.uint16)
        for own in parties:
            codes[:, own.columns] = own.codes
        leaf = leaves_of(trees, codes)
        count_messages(trees, leaf, layout, wire)
        return trees, leaf

    @cached_property
    def _matrix(self) -> Any:
        import xgboost

        return xgboost.QuantileDMatrix(self.X, max_bin=self.bins, nthread=1)


def _read(
    lines: dict[str, Any], trees: Trees, tree: int, columns: np.ndarray, cuts: dict[int, np.ndarray]
) -> None:  # fmt: skip
    """Write one of XGBoost's trees into its slots."""
    waiting = [(0, 0)]
    while waiting:
        node, slot = waiting.pop()
        left, value = lines["left_children"][node], np.float32(lines["split_conditions"][node])
        if left < 0:
            trees.weight[tree, slot] = value
            continue
        column = int(columns[lines["split_indices"][node]])
        trees.feature[tree, slot] = column
        trees.bin[tree, slot] = np.searchsorted(cuts[column], value)
        waiting += [(left, 2 * slot + 1), (lines["right_children"][node], 2 * slot + 2)]


def count_messages(trees: Trees, leaf: np.ndarray, layout: Layout, wire: Channel) -> None:
    """Count what an exchange in the clear sends while it grows some trees.

    Parameters
    ----------
    trees : Trees
        Of one round, C.
    leaf : (C, n) int array
        The slot of the leaf of each training row.
    layout : Layout
        Who holds which column.
    wire : Channel
        Counts.

    Notes
    -----
    To each of the K − 1 others 8 C n bytes of "gradient". At each level from each of them 16 bytes a bin of its own
    for C roots, or for each split of the level above, as "histogram"; to each of them 16 bytes a split as "split", at
    the last level only for its own splits; from the owner of a split one bit for each row in it as "instance set", and
    except at the last level as many to each of those who do not own it; bits of a level fill bytes together.
    """
    size, others = trees.feature.shape[1], range(1, len(layout.parties))
    rows = np.stack([np.bincount(each, minlength=size) for each in leaf])
    for slot in range(size // 2 - 1, -1, -1):
        rows[:, slot] += rows[:, 2 * slot + 1] + rows[:, 2 * slot + 2]
    owners = np.full(trees.feature.shape, -1)
    split = trees.feature >= 0
    owners[split] = layout.owner[np.searchsorted(layout.columns, trees.feature[split])]
    for k in others:
        wire.count(0, k, "gradient", 8 * leaf.size)
    nodes, depth = len(leaf), (size + 1).bit_length() - 2
    for level in range(depth):
        here = slice(2**level - 1, 2 ** (level + 1) - 1)
        owner, inside = owners[:, here], rows[:, here]
        for k in others:
            wire.count(k, 0, "histogram", 16 * nodes * int(layout.parties[k].counts.sum()))
        nodes = int((owner >= 0).sum())
        _count_splits(owner, inside, level == depth - 1, len(layout.parties), wire)
        if not nodes:
            return


def _count_splits(owner: np.ndarray, rows: np.ndarray, last: bool, parties: int, wire: Channel) -> None:
    """Count what one level's splits send."""
    told = int((owner >= 0).sum())
    asked = [int(rows[owner == k].sum()) for k in range(parties)]
    for k in range(1, parties):
        named = int((owner == k).sum()) if last else told
        heard = 0 if last else sum(asked) - asked[k]
        for sender, receiver, kind, size in (
            (0, k, "split", 16 * named), (k, 0, "instance set", -(-asked[k] // 8)),
            (0, k, "instance set", -(-heard // 8)),
        ):  # fmt: skip
            if size:
                wire.count(sender, receiver, kind, size)
