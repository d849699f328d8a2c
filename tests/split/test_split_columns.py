"""Splits of the columns: importance, correlation, uniform, natural views, by hand."""

from __future__ import annotations

import gc
import itertools
import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trustkit as tk
from trustkit.catalogue import SPLITS, use
from trustkit.data import Dataset, Provenance
from trustkit.metrics import icor, spearman
from trustkit.metrics.correlation import Definition
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split import measured, shares

SPLIT: Any = tk.split
SEEDS = st.integers(0, 2**32)


def table(columns: int = 12, **more: Any) -> Dataset:
    """Return a table whose held-out rows correlate otherwise than its training rows."""
    rng = stream(0, "table")
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, columns)) + 0.3 * rng.normal(size=(80, columns))
    X[:16] = rng.normal(size=(16, columns))
    names = tuple(f"c{j}" for j in range(columns))
    held_out = np.arange(80) < 16
    made = Provenance("made up", "none", synthetic=True)
    return Dataset("small", X, np.arange(80) % 2, names, ("no", "yes"), made, held_out=held_out, **more)


COLUMN_SPLITS = [name for name, entry in SPLITS.items() if entry.axis == "columns" and name != "by_views"]


@given(SEEDS, st.integers(2, 9), st.integers(9, 20))
@settings(max_examples=15)
def test_every_column_has_one_owner(seed: int, parties: int, columns: int) -> None:
    """No party is empty, the seed decides, and a file gives the split back bit for bit."""
    X = table(columns).X
    for name in ("importance", "uniform"):
        made = SPLITS[name].function(X, parties=parties, seed=seed)
        assert made.axis == "columns"
        assert made.owner.size == columns
        assert made.sizes.min() >= 1
        assert made.sizes.sum() == columns
        assert made.achieved["counts"] == made.sizes.tolist()
        assert made.achieved["icor"] == icor(spearman(X), made.owner)
        assert SPLITS[name].function(X, parties=parties, seed=seed) == made


@pytest.mark.parametrize("name", COLUMN_SPLITS)
def test_a_file_gives_the_split_back(name: str, tmp_path: Path) -> None:
    """Bit for bit: the owners, what was asked and what was achieved; written again it is the same file."""
    made = SPLITS.call(use(name, parties=3), table(), seed=4)
    read = Partition.load(made.save(tmp_path / "one.json"))
    assert read == made
    assert read.save(tmp_path / "two.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    assert made.made_by is not None
    assert SPLITS.call(made.made_by, table(), seed=made.achieved["seed"]) == made


def test_undefined_icor_survives_a_file(tmp_path: Path) -> None:
    """All columns with one party: NaN is kept, and the two are equal."""
    made = next(
        split
        for seed in range(50)
        if (split := tk.split.importance(table(3), 2, alpha=0.001, allow_empty=True, seed=seed)).sizes.min() == 0
    )
    assert np.isnan(made.achieved["icor"])
    assert Partition.load(made.save(tmp_path / "one.json")) == made


@pytest.mark.parametrize("allow_empty", [True, False])
def test_the_expected_columns_and_importance_of_a_party(allow_empty: bool) -> None:
    """Theorem 1: a party's part of the columns, and of their importance, is a = α_k/Σα if parties may be empty.

    If every party first gets one column at random, that one brings 1/m of either, and the other m − K go as before:
    (1 + (m − K)·a)/m. The mean of 2,000 runs lies within 4 standard errors of it, which chance alone exceeds once in
    5,000 times or so for three parties.
    """
    m, alpha, runs = 10, (0.5, 1.0, 2.5), 2000
    X, weight = stream(0, "theorem").normal(size=(5, m)), np.arange(1.0, m + 1)
    drawn = [shares.deal_columns(m, 3, alpha, allow_empty, seed) for seed in range(runs)]
    for seed in range(0, runs, 100):  # that is what the split does
        made = tk.split.importance(X, 3, alpha, allow_empty, seed)
        assert made.owner.tolist() == drawn[seed][0].tolist()
        assert made.achieved["shares"] == drawn[seed][1].tolist()
    a = np.array(alpha) / sum(alpha)
    part = a if allow_empty else (1 + (m - 3) * a) / m
    counts, sums = (np.array([np.bincount(owner, each, 3) for owner, _ in drawn]) for each in (None, weight))
    for got, whole in ((counts, m), (sums, weight.sum())):
        error = got.std(axis=0) / np.sqrt(runs)
        assert (np.abs(got.mean(axis=0) - whole * part) < 4 * error).all()
    parts = np.array([part for _, part in drawn])
    # Var(p_k) = α_k(Σα − α_k)/(Σα²(Σα + 1)): here Σα = 4, so α_k(4 − α_k)/80
    variance = [one * (4 - one) / 80 for one in alpha]
    np.testing.assert_allclose(parts.var(axis=0), variance, rtol=0.1)


def test_shares_are_dirichlet() -> None:
    """A share of a symmetric Dirichlet is a beta variable with α and (K − 1)α; at points of its distribution."""
    from scipy import stats

    points = np.array([1e-200, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.9, 0.999])
    for alpha in (0.01, 0.3, 1.0, 20.0):
        drawn = shares.dirichlet_shares(np.full(3, alpha), stream(1, "shares").random((4000, 3)))[:, 0]
        below = (drawn[:, None] <= points).mean(axis=0)
        np.testing.assert_allclose(below, stats.beta(alpha, 2 * alpha).cdf(points), atol=0.03)


@given(st.floats(1e-4, 1e4), st.integers(2, 50), SEEDS)
def test_shares_are_finite_for_any_alpha(alpha: float, parties: int, seed: int) -> None:
    """They add up to 1; uniform numbers of exactly 0 and 1 are no exception."""
    uniforms = stream(seed, "any").random((3, parties))
    uniforms[0, :2] = 0.0, 1.0
    drawn = shares.dirichlet_shares(np.full(parties, alpha), uniforms)
    assert np.isfinite(drawn).all()
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0, atol=1e-12)


def test_importance_moves_smoothly() -> None:
    """A small step of α moves few columns, and small α concentrates them."""
    steps = [shares.deal_columns(400, 4, float(alpha), False, seed=3)[0] for alpha in np.geomspace(0.01, 10, 200)]
    moved = [(one != two).mean() for one, two in itertools.pairwise(steps)]
    assert max(moved) < 0.1
    assert np.bincount(steps[0]).max() > 350
    assert np.bincount(steps[-1]).max() < 200
    made = tk.split.importance(stream(0, "wide").normal(size=(4, 400)), 4, 10.0, seed=3)
    assert (made.owner == steps[-1]).all()


def test_correlation_reports_what_was_asked_and_reached() -> None:
    """On training rows only; the numbers fit together."""
    data = table()
    corr = spearman(data.X[16:])
    for definition in get_args(Definition):
        split = SPLIT.correlation(data, 3, 0.6, definition, seed=1)
        got, (low, high) = split.achieved, split.achieved["bounds"]
        assert split.sizes.tolist() == [4, 4, 4]
        assert got["icor"] == icor(corr, split.owner, definition)
        assert got["beta"] == (got["icor"] - low) / (high - low)
        assert (got["asked_beta"], got["definition"], got["bounds_exact"], got["seed"]) == (0.6, definition, True, 1)
        assert abs(got["beta"] - 0.6) < 0.02
        assert got["target"] == pytest.approx(low + 0.6 * (high - low), abs=1e-12)
        assert SPLIT.icor_bounds(data, 3, definition, seed=1) == (low, high)
        assert (got["method"], got["approximated"], got["counts"]) == ("annealing", None, [4, 4, 4])
        assert got["evaluations"] >= 5775  # 12!/(4!³·3!) divisions
        assert got["seconds"] >= 0.0


def test_correlation_takes_sizes() -> None:
    """As a list; they are kept, in order, and in what was asked; one column is enough for a party."""
    assert SPLIT.correlation(table(), parties=[1, 10, 1], beta=0.5).sizes.tolist() == [1, 10, 1]
    split = SPLIT.correlation(table(), parties=[2, 7, 3], beta=0.0)
    assert split.sizes.tolist() == [2, 7, 3]
    assert split.achieved["beta"] == 0.0
    assert split.made_by == use("correlation", parties=[2, 7, 3], beta=0.0, definition="paper", method="annealing")


def test_correlation_of_many_columns_is_remembered_while_the_data_live() -> None:
    """Once a data set; and it does not keep the data alive."""
    data = table()
    corr = tk.split.column_correlation(data)
    assert tk.split.column_correlation(data) is corr
    assert not corr.flags.writeable
    np.testing.assert_array_equal(corr, spearman(data.X[16:]))
    before = len(measured._SEEN)
    del data
    gc.collect()
    assert len(measured._SEEN) == before - 1


def test_views_and_columns_by_hand() -> None:
    """Parties in the order in which they occur, or are named; what is not listed belongs to nobody."""
    data = table(6, notes={"views": ("b", "b", "a", "b", "c", "a")})
    split = tk.split.by_views(data)
    assert split.owner.tolist() == [0, 0, 1, 0, 2, 1]
    assert split.achieved["names"] == ["b", "a", "c"]
    named = table(6, notes={"views": ("b", "b", "a", "b", "c", "a"), "parties": ("label", "c", "b", "a")})
    split = tk.split.by_views(named)
    assert split.owner.tolist() == [2, 2, 3, 2, 1, 3]
    assert split.achieved["names"] == ["label", "c", "b", "a"]
    assert split.achieved["counts"] == [0, 1, 3, 2]
    hand = tk.split.from_columns(data, {"bank": ["c5", 0], "shop": [2]})
    assert hand.owner.tolist() == [0, -1, 1, -1, -1, 0]
    assert hand.achieved["names"] == ["bank", "shop"]
    assert json.loads(json.dumps(hand.to_dict()))["made_by"] is None


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: SPLIT.importance(d, 40), ValueError, "parties must be between 2 and the 12 columns, got 40"),
        (lambda d: SPLIT.importance(d, 1), ValueError, "importance: parties must be between 2 and 2048, got 1"),
        (lambda d: SPLIT.importance(d, 3, -1.0), ValueError, "alpha must be between 0.001 and 100, got -1"),
        (lambda d: SPLIT.importance(d, 3, (1.0, 2.0)), ValueError, "one for each of the 3 parties, got 2"),
        (lambda d: SPLIT.importance(d, 3, "x"), TypeError, "alpha must be a number, got 'x'"),
        (lambda d: SPLIT.uniform(d, 13), ValueError, "parties must be between 2 and the 12 columns, got 13"),
        (lambda d: SPLIT.correlation(d, 13), ValueError, "parties must be between 2 and the 12 columns, got 13"),
        (lambda d: SPLIT.correlation(d, [6, 5]), ValueError, r"add up to the 12 columns, got \[6, 5\]"),
        (lambda d: SPLIT.correlation(d, 3, 1.2), ValueError, "beta must be between 0 and 1, got 1.2"),
        (lambda d: SPLIT.correlation(d, 3, 0.2, "v2"), ValueError, "definition must be one of paper, package, got"),
        (lambda d: SPLIT.correlation(d, 1), ValueError, "parties must be between 2 and the 12 columns, got 1"),
        (lambda d: SPLIT.correlation(d, [12]), ValueError, r"at least 2 sizes, .* got \[12\]"),
        (lambda d: SPLIT.correlation(d, [12, 0]), ValueError, r"each at least 1, .* got \[12, 0\]"),
        (lambda d: SPLIT.correlation(d, 3, -0.1), ValueError, "beta must be between 0 and 1, got -0.1"),
        (lambda d: SPLIT.correlation(d, 3, method="ant"), ValueError, "method must be one of annealing, brkga, got"),
        (lambda d: SPLIT.correlation(np.zeros((2, 3000)), 2049), ValueError, "between 2 and 2048, got 2049"),
        (lambda d: SPLIT.correlation(d.X[:1], 3), ValueError, "at least 2 rows to correlate columns, got 1"),
        (lambda d: SPLIT.correlation(np.ones((9, 4)), 2), ValueError, "that varies, got 4 constant ones"),
        (lambda d: SPLIT.icor_bounds(np.ones((9, 4)), 2), ValueError, "that varies, got 4 constant ones"),
        (lambda d: SPLIT.correlation(np.where(d.X[3, 2] < d.X, d.X, np.nan), 3), ValueError, "missing"),
        (lambda d: SPLIT.importance(d, 3, 0.0), ValueError, "alpha must be between 0.001 and 100, got 0"),
        (lambda d: SPLIT.icor_bounds(d, 3, "v2"), ValueError, "definition must be one of paper, package, got 'v2'"),
        (lambda d: SPLIT.uniform(np.zeros(5), 2), ValueError, r"rows and columns, got shape \(5,\)"),
        (lambda d: SPLIT.by_views(d), ValueError, "small must name at least two views, .* got none"),
        (lambda d: SPLIT.from_columns(d, {"a": [0]}), ValueError, "at least 2 parties, got 1"),
        (
            lambda d: SPLIT.from_columns(d, {"a": [0], "b": ["c0"]}),
            ValueError,
            "one owner, got 'c0' twice, last for b",
        ),
        (
            lambda d: SPLIT.from_columns(d, {"a": [0], "b": ["x"]}),
            KeyError,
            "small has no column 'x' for b; it has c0",
        ),
        (lambda d: SPLIT.from_columns(d, {"a": [12], "b": [1]}), KeyError, "small has no column 12 for a"),
        (lambda d: SPLIT.from_columns(d, {"a": [0.5], "b": [1]}), KeyError, "small has no column 0.5 for a"),
        (lambda d: SPLIT.from_columns(table(13), {"a": [-1], "b": [1]}), KeyError, "it has c0, .*, c10, c11, …"),
        (lambda d: SPLIT.correlation(d, ["a", 11]), TypeError, r"whole number or a list of them, got \['a', 11\]"),
        (lambda d: SPLIT.uniform(np.full((3, 4), np.nan), 2), ValueError, "missing values, got 12 in 4 of 4"),
        (lambda d: SPLIT.importance(d.X[:1], 2), ValueError, "at least 2 rows to correlate columns, got 1"),
    ],
)
def test_errors_name_the_thing(call: Any, error: type[Exception], message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(error, match=message):
        call(table())
