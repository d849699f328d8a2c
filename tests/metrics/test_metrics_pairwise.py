"""Correlations of dense and sparse tables against SciPy, and the rules for what is missing or constant."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from trustkit.metrics import column_report, pearson, ranks, spearman
from trustkit.rng import stream

BOTH = [spearman, pearson]
NAN = np.nan


def ties(rows: int, columns: int, filled: float) -> np.ndarray:
    """Make a table of small whole numbers, some negative; the share that is not zero is given."""
    rng = stream(0, "ties", str(filled))
    return np.where(rng.random((rows, columns)) < filled, rng.integers(-3, 5, (rows, columns)), 0).astype(float)


def scipys(correlate: Any, X: np.ndarray) -> np.ndarray:
    """Return SciPy's and NumPy's answer."""
    from scipy import stats

    return np.asarray(stats.spearmanr(X).statistic if correlate is spearman else np.corrcoef(X, rowvar=False))


@pytest.mark.parametrize("correlate", BOTH)
@pytest.mark.parametrize("filled", [0.03, 0.3, 0.55, 1.0])
def test_dense_and_sparse_are_scipys(correlate: Any, filled: float) -> None:
    """With ties and negative numbers, from nearly empty to full; constant columns are apart."""
    X = ties(200, 30, filled)
    X[:, 7], X[:, 8], X[:, 9] = 0.0, 2.5, 1.0
    X[3, 9] = 0.0  # all but one value are the same
    moving = np.ptp(X, axis=0) > 0
    got = correlate(X)
    np.testing.assert_allclose(got[np.ix_(moving, moving)], scipys(correlate, X[:, moving]), atol=1e-12)
    assert not got[~moving].any()
    assert not got[:, ~moving].any()
    assert not moving[[7, 8]].any()
    for form in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.coo_array):
        thin = correlate(form(X))
        np.testing.assert_allclose(thin, got, atol=1e-12)
        np.testing.assert_array_equal(thin, thin.T)


@pytest.mark.parametrize("correlate", BOTH)
def test_sparse_panels_are_put_together(correlate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By sparse products and by dense panels, of a width that does not divide the columns; dense in chunks."""
    monkeypatch.setattr(ranks, "PANEL", 7)
    monkeypatch.setattr(ranks, "CHUNK", 500)
    for filled in (0.05, 0.4):
        X = ties(120, 30, filled)
        X[:, 11] = np.arange(120) + 1.0  # among slim columns one that is full
        for threshold in (0.0, 1.0):
            monkeypatch.setattr(ranks, "FILLED", threshold)
            np.testing.assert_allclose(correlate(sparse.csr_array(X)), scipys(correlate, X), atol=1e-12)
        np.testing.assert_allclose(correlate(X), scipys(correlate, X), atol=1e-12)


@pytest.mark.parametrize("correlate", BOTH)
def test_a_sparse_table_may_be_untidy(correlate: Any) -> None:
    """Zeros that are written down, entries in any order, entries given twice that add up; it is left as it was."""
    rows, columns = np.array([3, 0, 1, 1, 2, 3]), np.array([0, 0, 0, 1, 1, 1])
    data = np.array([2.0, 5.0, 0.0, -1.0, 4.0, 1.5])
    twice = sparse.csc_array((np.append(data, [1.0]), np.append(rows, [3]), [0, 3, 7]), shape=(4, 2))
    before = twice.data.copy()
    dense = sparse.coo_array((np.append(data, [1.0]), (np.append(rows, [3]), np.append(columns, [1]))), (4, 2))
    np.testing.assert_allclose(correlate(twice), correlate(dense.toarray()), atol=1e-15)
    np.testing.assert_array_equal(twice.data, before)
    counted = sparse.csr_array(np.array([[1, 0], [0, 2], [3, 1]]))  # whole numbers
    np.testing.assert_allclose(correlate(counted), correlate(counted.toarray()), atol=1e-15)


@pytest.mark.parametrize("correlate", BOTH)
def test_a_sparse_table_is_never_made_dense(correlate: Any) -> None:
    """A million rows of 300 columns would be 2.4 GB."""
    rng = stream(0, "large")
    at = rng.integers(0, 1_000_000, 20_000), rng.integers(0, 300, 20_000)
    X = sparse.csr_array((rng.random(20_000) + 0.5, at), shape=(1_000_000, 300))
    tracemalloc.start()
    try:
        assert correlate(X).shape == (300, 300)
        assert tracemalloc.get_traced_memory()[1] < 60e6
    finally:
        tracemalloc.stop()


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=12))
def test_spearman_is_pearson_of_ranks(rows: list[list[int]]) -> None:
    """Also with many ties and constant columns; growing functions change nothing, and sparse is dense."""
    from scipy import stats

    X = np.array(rows, float)
    np.testing.assert_allclose(spearman(X), pearson(stats.rankdata(X, axis=0)), atol=1e-12)
    np.testing.assert_allclose(spearman(np.exp(X)), spearman(X), atol=1e-15)
    for correlate in BOTH:
        np.testing.assert_allclose(correlate(sparse.csr_array(X)), correlate(X), atol=1e-12)


@given(st.floats(1e-150, 1e150), st.floats(-5, 5))
def test_pearson_ignores_units(scale: float, shift: float) -> None:
    """A column in other units, however large or small, has the same correlations."""
    X = stream(0, "units").normal(size=(20, 2))
    moved = X * [scale, 1.0] + [0.0, shift]
    np.testing.assert_allclose(pearson(moved), pearson(X), atol=1e-9)
    X[5:, 0] = 0
    np.testing.assert_allclose(pearson(sparse.csr_array(X * [scale, 1.0])), pearson(X), atol=1e-12)


@pytest.mark.parametrize("correlate", BOTH)
def test_a_constant_column_correlates_with_nothing(correlate: Any) -> None:
    """Its row, its column and its place on the diagonal are zero, whatever the constant."""
    X = np.array([[1.0, 7.1, 5.0], [2.0, 7.1, 3.0], [3.0, 7.1, 4.0]])
    for corr in (correlate(X), correlate(sparse.csr_array(X))):
        assert corr[1].tolist() == corr[:, 1].tolist() == [0.0, 0.0, 0.0]
        # ranks 1 2 3 against 3 1 2, centred: (-1)(1) + 0(-1) + 1(0) = -1, lengths² 2 and 2; as numbers it is the same
        np.testing.assert_allclose(corr[np.ix_([0, 2], [0, 2])], [[1, -0.5], [-0.5, 1]], atol=1e-15)


@pytest.mark.parametrize("correlate", BOTH)
def test_rows_with_a_missing_value_are_left_out(correlate: Any) -> None:
    """The others count as if there were no more."""
    X = ties(60, 8, 0.4)
    whole = stream(0, "whole").random(60) < 0.7
    holed = X.copy()
    holed[~whole, stream(0, "where").integers(0, 8, (~whole).sum())] = NAN
    np.testing.assert_allclose(correlate(holed, "rows"), correlate(X[whole]), atol=1e-15)
    np.testing.assert_allclose(correlate(sparse.csr_array(holed), "rows"), correlate(X[whole]), atol=1e-12)


@pytest.mark.parametrize("correlate", BOTH)
def test_a_missing_value_takes_the_mean_rank_or_value(correlate: Any) -> None:
    """It is filled in by hand: ranks among what is there, their mean elsewhere."""
    from scipy import stats

    X = ties(80, 10, 0.4) + np.where(np.arange(10) < 5, 0.0, 10.0)  # some columns nearly empty, some full
    X[stream(0, "holes").random(X.shape) < 0.2] = NAN
    X[:, 3] = NAN
    X[0, 3] = 2.0  # one value alone is a constant
    filled = stats.rankdata(X, axis=0, nan_policy="omit") if correlate is spearman else X.copy()
    filled = np.where(np.isnan(X), np.nanmean(filled, axis=0), filled)
    moving = np.arange(10) != 3
    got = correlate(X, "mean")
    want = np.corrcoef(filled[:, moving], rowvar=False)
    np.testing.assert_allclose(got[np.ix_(moving, moving)], want, atol=1e-12)
    assert not got[3].any()
    np.testing.assert_allclose(correlate(sparse.csr_array(X), "mean"), got, atol=1e-12)
    assert np.linalg.eigvalsh(got).min() > -1e-12


@pytest.mark.parametrize("correlate", BOTH)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_single_precision(correlate: Any, form: Any) -> None:
    """The result has the type that is asked for, and is that of double precision to 1e-6."""
    X = ties(500, 20, 0.4)
    got = correlate(form(X), dtype=np.float32)
    assert got.dtype == np.float32
    assert correlate(form(X)).dtype == np.float64
    assert correlate(form(X.astype(np.float32))).dtype == np.float64
    np.testing.assert_allclose(got, correlate(X), atol=1e-6)


@given(st.integers(0, 10_000), st.sampled_from(["refuse", "rows", "mean"]))
@settings(max_examples=40)
def test_a_report_counts_what_there_is(seed: int, rule: Any) -> None:
    """The same of a dense and of a sparse table; constant columns are those without correlation."""
    rng = stream(seed, "report")
    X = np.where(rng.random((6, 5)) < 0.5, rng.integers(-1, 2, (6, 5)), 0).astype(float)
    X[rng.random(X.shape) < 0.1] = NAN
    missing = np.isnan(X)
    kept = ~missing.any(axis=1) if rule == "rows" else np.ones(6, bool)
    whole = np.where(missing, 0, X)
    for counted in (whole.astype(int), whole > 0):  # whole numbers and truth values have no missing ones
        constant = np.flatnonzero(np.ptp(counted.astype(int), axis=0) == 0)
        assert column_report(counted, rule).constant.tolist() == constant.tolist()
    for form in (X, sparse.csr_array(X), sparse.csc_matrix(X)):
        found = column_report(form, rule)
        assert (found.rows, found.columns, found.missing, found.rule) == (6, 5, missing.sum(), rule)
        assert found.missing_columns.tolist() == np.flatnonzero(missing.any(axis=0)).tolist()
        assert found.rows_used == kept.sum()
        if kept.sum() >= 2 and not (rule == "refuse" and missing.any()):
            assert found.constant.tolist() == np.flatnonzero(spearman(X, rule).diagonal() == 0).tolist()
    values = [set(column[kept & ~np.isnan(column)]) for column in X.T]
    assert found.constant.tolist() == [j for j, some in enumerate(values) if len(some) < 2]


HOLED = np.array([[1.0, NAN, 2.0], [NAN, NAN, 1.0], [3.0, 1.0, 5.0]])
REFUSED = "X must have no missing values, got 3 in 2 of 3 columns; missing='rows' leaves out .* missing='mean' puts"


@pytest.mark.parametrize("correlate", BOTH)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("X", "more", "message"),
    [
        (HOLED, {}, REFUSED),
        (HOLED, {"missing": "rows"}, "missing='rows' must leave at least 2 rows, got 1 complete ones of 3"),
        (HOLED, {"missing": "drop"}, "missing must be 'refuse', 'rows' or 'mean', got 'drop'"),
        (HOLED * [1, np.inf, 1], {"missing": "mean"}, "finite numbers only, got infinite values in 1 columns"),
        (np.ones((1, 3)), {}, "at least 2 rows to correlate columns, got 1"),
        (np.eye(3), {"dtype": np.int64}, "dtype must be numpy.float64 or numpy.float32, got <class 'numpy.int64'>"),
    ],
)
def test_errors_name_the_thing(correlate: Any, form: Any, X: np.ndarray, more: dict[str, Any], message: str) -> None:
    """The thing, the rule and the value; of dense and sparse tables alike."""
    with pytest.raises(ValueError, match=message):
        correlate(form(X), **more)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pearson(np.ones(3)), r"rows and columns, got shape \(3,\)"),
        (lambda: spearman(np.array([["a", "b"], ["c", "d"]])), "X must hold numbers, got an array of <U1"),
        (lambda: column_report(np.array([[np.inf], [1.0]])), "infinite values in 1 columns"),
        (lambda: column_report(np.eye(2), "none"), "missing must be 'refuse', 'rows' or 'mean', got 'none'"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_table_is_refused(call: Any, message: str) -> None:
    """One sentence each."""
    with pytest.raises(ValueError, match=message):
        call()
