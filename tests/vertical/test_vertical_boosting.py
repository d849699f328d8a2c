"""Bins, histograms, splits and trees against hand calculation, XGBoost's cuts, and their own inner loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xgboost

from trustkit.rng import stream
from trustkit.vertical.boosted import compiled_loops as loops
from trustkit.vertical.boosted import histograms, levels, trees
from trustkit.vertical.boosted.bins import Binned, binned, coded, cuts_of
from trustkit.vertical.boosted.boosting import derivatives
from trustkit.vertical.boosted.histograms import Rules, best_splits, histogram, weight_of
from trustkit.vertical.boosted.trees import Trees, bare, leaves_of, slots
from trustkit.vertical.table import ColumnTable


def mixed(rows: int = 300) -> np.ndarray:
    """Make columns of many numbers, few numbers, one number, and a heavy tail."""
    draw = stream(2, "mixed")
    columns = [draw.standard_normal(rows), draw.integers(0, 5, rows), np.ones(rows), draw.standard_cauchy(rows)]
    return np.column_stack(columns).astype(np.float32)


def test_cuts_do_not_depend_on_who_holds_the_other_columns() -> None:
    """A party's cuts are those of XGBoost on all columns; every number is in the bin whose ends enclose it."""
    X = mixed()
    table = ColumnTable(((3, 0), (1,), (2,)), X, np.zeros(300, int), X[:0], np.zeros(0, int), 2, {})
    first, ends = xgboost.QuantileDMatrix(X, max_bin=16).get_quantile_cut()
    for own in binned(table, 16):
        for place, column in enumerate(own.columns):
            whole = ends[first[column] + 1 : first[column + 1]]
            assert np.array_equal(own.cuts[place], whole)
            low = np.append(-np.inf, whole)[own.codes[:, place]]
            assert ((X[:, column] >= low) & (X[:, column] < whole[own.codes[:, place]])).all()
    assert binned(table, 16)[0].columns.tolist() == [0, 3]


def test_new_rows_beyond_the_ends_belong_to_the_outer_bins() -> None:
    """Codes stay inside; more than 256 bins take two bytes."""
    ends = cuts_of(mixed(), 16)
    codes = coded(np.array([[-1e9] * 4, [1e9] * 4]), ends)
    assert codes[0].tolist() == [0] * 4
    assert codes[1].tolist() == [each.size - 1 for each in ends]
    assert codes.dtype == np.dtype(np.uint8)
    assert coded(np.zeros((1, 1)), [np.arange(300.0)]).dtype == np.dtype(np.uint16)


def test_the_gain_of_a_split_by_hand() -> None:
    """Bins with g = −2, 1, 3 and h = 1 each, λ = 1.

    The parent: G = 2, H = 3, so G²/(H + λ) = 1. After the first bin: 4/2 + 16/3 − 1 = 6.33; after the second:
    1/3 + 9/2 − 1 = 3.83. The weights are 2/2 = 1 and −4/3.
    """
    sums = np.array([[-2.0, 1], [1, 1], [3, 1]])[None, None]
    found = best_splits(sums, np.array([[2.0, 3]]), np.ones((1, 3), bool), Rules())
    assert (found.column.tolist(), found.bin.tolist()) == ([0], [0])
    assert (found.left.tolist(), found.right.tolist()) == ([[-2.0, 1.0]], [[4.0, 2.0]])
    assert weight_of(found.left, Rules()).tolist() == [1.0]
    assert weight_of(found.right, Rules())[0] == np.float32(-4 / 3)


@pytest.mark.parametrize(
    ("rules", "column", "where"),
    [(Rules(gamma=6.33), 0, 0), (Rules(gamma=6.34), -1, None), (Rules(min_child_weight=1.5), -1, None)],
)
def test_what_is_not_worth_it_is_not_split(rules: Rules, column: int, where: int | None) -> None:
    """The gain above is 6.333; three rows of curvature 1 leave 1 on one side of any split."""
    sums = np.array([[-2.0, 1], [1, 1], [3, 1]])[None, None]
    found = best_splits(sums, np.array([[2.0, 3]]), np.ones((1, 3), bool), rules)
    assert found.column[0] == column
    assert where is None or found.bin[0] == where


def test_of_equal_gains_the_first_column_and_its_first_bin_count() -> None:
    """Two equal columns, and a bin that nobody is in."""
    one = np.array([[-2.0, 1], [0, 0], [4, 2], [0, 0]])
    found = best_splits(np.array([[one, one]]), np.array([[2.0, 3]]), np.ones((2, 4), bool), Rules())
    assert (found.column[0], found.bin[0]) == (0, 0)


def test_derivatives_are_those_of_the_losses() -> None:
    """By central differences; XGBoost's h of several classes is twice the second derivative."""
    draw, step = stream(3, "derivatives"), 1e-4

    def loss(z: np.ndarray, y: np.ndarray) -> np.ndarray:
        if y.dtype == float:
            return np.asarray((z[:, 0] - y) ** 2 / 2)
        z = z if z.shape[1] > 1 else np.hstack([0 * z, z])
        return np.asarray(np.log(np.exp(z).sum(axis=1)) - z[np.arange(y.size), y])

    for outputs, y, twice in ((1, draw.random(6), 1), (1, draw.integers(0, 2, 6), 1), (4, draw.integers(0, 4, 6), 2)):
        z = draw.standard_normal((6, outputs)).astype(np.float32)
        g, h = derivatives(z, y)
        assert g.dtype == h.dtype == np.float32
        for c in range(outputs):
            shift = np.eye(outputs)[c] * step
            low, here, high = (loss(z + k * shift, y) for k in (-1.0, 0.0, 1.0))
            assert np.allclose(g[c], (high - low) / (2 * step), atol=1e-5)
            assert np.allclose(h[c], twice * (high - 2 * here + low) / step**2, atol=1e-4)


def test_rows_go_down_a_tree_by_hand() -> None:
    """The root asks column 1, its right child column 0; rows end in slots 1, 5 and 6."""
    grown = bare(1, 2)
    grown.feature[0, [0, 2]] = 1, 0
    grown.bin[0, [0, 2]] = 3, 0
    assert slots(2) == grown.feature.shape[1] == 7
    codes = np.array([[9, 3], [0, 4], [1, 4]], np.uint8)
    assert leaves_of(grown, codes).tolist() == [[1, 5, 6]]
    leaf = np.empty((1, 3), np.int32)
    loops.descend(codes, grown.feature, grown.bin, leaf)
    assert leaf.tolist() == [[1, 5, 6]]


def level(trees_: int = 3, rows: int = 40, nodes: int = 6) -> dict[str, Any]:
    """Draw bins, gradients and nodes, some rows in none."""
    draw = stream(5, "level")
    at = draw.integers(-1, nodes // trees_, (trees_, rows)) + np.arange(trees_)[:, None] * (nodes // trees_)
    at[draw.random(at.shape) < 0.2] = -1
    g, h = draw.standard_normal((trees_, rows)), draw.random((trees_, rows))
    return {"codes": draw.integers(0, 7, (rows, 4)).astype(np.uint8), "g": g.astype(np.float32),
            "h": h.astype(np.float32), "at": at.astype(np.int32), "nodes": nodes, "width": 7}  # fmt: skip


def uncompiled(loop: Callable[..., Any], steps: int) -> Callable[..., Any]:
    """Hand a loop back as it is written, however little there is to do."""
    return loop


def test_inner_loops_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What numba compiles for much work, run as plain Python, against the NumPy code for little work."""
    drawn = level()
    sums = histogram(**drawn)
    total = sums[:, 0].sum(axis=1) * np.array([1, 1 + 1e-15])  # off in the last bit: bins are walked both ways
    real = np.arange(7) < np.array([[7], [7], [5], [7]])
    sums = np.where(real[..., None], sums, 0)
    rules = Rules(min_child_weight=0.1)
    best = best_splits(sums, total, real, rules)
    column = np.array([0, -1, 2, 1, -1, 3])
    answer = levels._answer(drawn["codes"], drawn["at"], column, np.full(6, 3))
    for module in (histograms, levels, trees):
        monkeypatch.setattr(module, "compiled", uncompiled)
    assert np.array_equal(np.where(real[..., None], histogram(**drawn), 0), sums)
    walked = best_splits(sums, total, real, rules)
    assert (best.column >= 0).any()
    for name in ("column", "bin", "left", "right"):
        used = best.column >= 0
        assert np.array_equal(getattr(walked, name)[used], getattr(best, name)[used])
    assert np.array_equal(walked.column, best.column)
    bits, count = levels._answer(drawn["codes"], drawn["at"], column, np.full(6, 3))
    assert (count, bits.tolist()) == (answer[1], answer[0].tolist())
    assert count == np.isin(drawn["at"], [0, 2, 3, 5]).sum()


def test_moving_rows_gives_the_same_in_both_ways() -> None:
    """Nodes 0 and 2 are split by parties 1 and 0, node 1 is a leaf in slot 4."""
    at = np.array([[0, 1, 2, -1, 0, 2]], np.int32)
    bits = np.packbits([1, 0] + [0] * 6 + [0, 1])  # party 0 of rows 2 and 5: right, left; party 1 of 0 and 4
    args = (at, np.array([0, -1, 1]), np.array([1, 0, 0]), np.array([3, 4, 5]), bits)
    for move in (loops.move, levels._move):
        below, leaf = np.empty_like(at), np.zeros_like(at)
        move(*args, np.array([0, 8]), below, leaf)
        assert below.tolist() == [[0, -1, 3, -1, 1, 2]]
        assert leaf.tolist() == [[0, 4, 0, 0, 0, 0]]


def test_sums_over_the_bins_of_any_column_are_the_node_s() -> None:
    """And every row is in exactly one node."""
    drawn = level()
    sums = histogram(**drawn)
    for node in range(drawn["nodes"]):
        inside = drawn["at"] == node
        expected = [drawn["g"][inside].sum(dtype=float), drawn["h"][inside].sum(dtype=float)]
        assert np.allclose(sums[node].sum(axis=1), expected, atol=1e-12)


def test_bins_that_a_column_does_not_have_are_no_cells() -> None:
    """Three bins and one bin among four."""
    own = Binned(np.array([0, 1]), (np.arange(3.0), np.arange(1.0)), np.zeros((2, 2), np.uint8))
    assert own.real(4).tolist() == [[True, True, True, False], [True, False, False, False]]
    assert isinstance(bare(2, 3), Trees)
