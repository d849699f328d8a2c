"""Pcor and Icor against the authors' package, SciPy, hand calculations and laws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.metrics import icor, mcor, pcor, pcor_matrix, pearson, spearman
from trustkit.metrics.correlation import Definition
from trustkit.rng import stream

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "correlation.json").read_text())["tables"]
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)


def table(name: str) -> np.ndarray:
    """Make the table of a golden recipe."""
    from sklearn import datasets

    if name == "mc12":
        made = datasets.make_classification(n_samples=1000, n_features=12, random_state=0)[0]
    elif name == "mc40":
        shape = {"n_features": 40, "n_informative": 10, "n_redundant": 15, "n_repeated": 5}
        made = datasets.make_classification(n_samples=2000, shuffle=False, random_state=1, **shape)[0]
    else:
        made = getattr(datasets, f"load_{name}")().data
    return np.asarray(made, float)


def contiguous(columns: int, parties: int) -> np.ndarray:
    """Return the owners of contiguous parts, the first ones larger by one."""
    return np.concatenate([np.full(len(part), k) for k, part in enumerate(np.array_split(np.arange(columns), parties))])


@pytest.mark.parametrize("name", GOLDEN)
def test_the_authors_numbers(name: str) -> None:
    """Both definitions, every pair of parties, Spearman and Pearson."""
    X, golden = table(name), GOLDEN[name]
    owner, corr = contiguous(X.shape[1], golden["parties"]), spearman(X)
    for definition in DEFINITIONS:
        expected: dict[str, Any] = golden[definition]
        np.testing.assert_allclose(pcor_matrix(corr, owner, definition), expected["pcor"], atol=1e-9)
        assert icor(corr, owner, definition) == pytest.approx(expected["icor"], abs=1e-9)
    linear = icor(pearson(X), owner, "package")
    assert linear == pytest.approx(golden["package"]["icor_pearson"], abs=1e-9)


@pytest.mark.parametrize("name", GOLDEN)
def test_correlations_are_scipys(name: str) -> None:
    """Ranks with ties (wine, digits) and without; columns that are constant are apart."""
    from scipy import stats

    X = table(name)
    moving = np.ptp(X, axis=0) > 0
    inside = np.ix_(moving, moving)
    np.testing.assert_allclose(spearman(X)[inside], stats.spearmanr(X[:, moving]).statistic, atol=1e-12)
    np.testing.assert_allclose(pearson(X)[inside], np.corrcoef(X[:, moving], rowvar=False), atol=1e-12)


@pytest.mark.parametrize("correlate", [spearman, pearson])
def test_a_constant_column_correlates_with_nothing(correlate: Any) -> None:
    """Its row, its column and its place on the diagonal are zero, whatever the constant."""
    corr = correlate(np.array([[1.0, 7.1, 5.0], [2.0, 7.1, 3.0], [3.0, 7.1, 4.0]]))
    assert corr[1].tolist() == corr[:, 1].tolist() == [0.0, 0.0, 0.0]
    # ranks 1 2 3 against 3 1 2, centred: (-1)(1) + 0(-1) + 1(0) = -1, lengths² 2 and 2; as numbers it is the same
    np.testing.assert_allclose(corr[np.ix_([0, 2], [0, 2])], [[1, -0.5], [-0.5, 1]], atol=1e-15)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=12))
def test_spearman_is_pearson_of_ranks(rows: list[list[int]]) -> None:
    """Also with many ties and constant columns; and growing functions of a column change nothing."""
    from scipy import stats

    X = np.array(rows, float)
    np.testing.assert_allclose(spearman(X), pearson(stats.rankdata(X, axis=0)), atol=1e-12)
    np.testing.assert_allclose(spearman(np.exp(X)), spearman(X), atol=1e-15)


@given(st.floats(1e-150, 1e150), st.floats(-5, 5))
def test_pearson_ignores_units(scale: float, shift: float) -> None:
    """A column in other units, however large or small, has the same correlations."""
    X = stream(0, "units").normal(size=(20, 2))
    moved = X * [scale, 1.0] + [0.0, shift]
    np.testing.assert_allclose(pearson(moved), pearson(X), atol=1e-9)


def test_pcor_of_known_blocks() -> None:
    """A block of ones has one singular value, sqrt(ab); the identity has equal ones."""
    # 5×5 ones: σ = 5, 0, 0, 0, 0; mean 1; SS = 16 + 4 = 20. paper √20/5, package √(20/4)/√5 = 1
    assert pcor(np.ones((5, 5))) == pytest.approx(np.sqrt(20) / 5, abs=1e-12)
    assert pcor(np.ones((5, 5)), "package") == pytest.approx(1.0, abs=1e-12)
    # 5×7 ones: σ = √35, 0 …; SS = 35·(1 − 1/5) = 28. paper √28/5, package √(28/4)/√5 = √1.4
    assert pcor(np.ones((5, 7))) == pytest.approx(np.sqrt(28) / 5, abs=1e-12)
    assert pcor(np.ones((5, 7)), "package") == pytest.approx(np.sqrt(1.4), abs=1e-12)
    assert pcor(np.ones((7, 5)), "package") == pytest.approx(np.sqrt(1.4), abs=1e-12)
    # diagonal 3, 1: σ̄ = 2, SS = 2. paper √2/2, package √(2/1)/√2 = 1
    assert pcor(np.diag([3.0, 1.0])) == pytest.approx(np.sqrt(2) / 2, abs=1e-12)
    assert pcor(np.diag([3.0, 1.0]), "package") == pytest.approx(1.0, abs=1e-12)
    for definition in DEFINITIONS:
        assert pcor(np.eye(5), definition) == 0.0
        assert pcor(np.ones((1, 6)), definition) == 0.0  # a single singular value has no spread
        assert np.isnan(pcor(np.ones((0, 6)), definition))


def test_icor_by_hand() -> None:
    """Columns 0 and 1 are perfectly correlated, 2 and 3 independent of all."""
    corr = np.eye(4)
    corr[0, 1] = corr[1, 0] = 1.0
    # {0, 2}, {1, 3}: block [[1, 0], [0, 0]], σ = 1, 0; SS = 1/2; paper √½/2; the inner blocks are identities: 0
    apart = np.array([0, 1, 0, 1])
    assert icor(corr, apart) == pytest.approx(np.sqrt(0.5) / 2, abs=1e-12)
    assert icor(corr, apart, "package") == pytest.approx(0.5, abs=1e-12)  # √(½/1)/√2
    # {0, 1}, {2, 3}: block 0; inner of the first party: σ = 2, 0; package √(2/1)/√2 = 1; minus the mean (1 + 0)/2
    assert icor(corr, np.array([0, 0, 1, 1])) == 0.0
    assert icor(corr, np.array([0, 0, 1, 1]), "package") == pytest.approx(-0.5, abs=1e-12)


def test_a_party_without_columns_is_left_out() -> None:
    """And so are columns that nobody owns; with one party left there is nothing to measure."""
    corr = spearman(table("wine"))
    owner = contiguous(13, 3)
    gap = np.where(owner == 2, 3, owner)  # party 2 is empty, party 3 has its columns
    for definition in DEFINITIONS:
        assert icor(corr, gap, definition) == icor(corr, owner, definition)
        fewer = np.where(owner == 2, -1, owner)
        kept = owner < 2
        assert icor(corr, fewer, definition) == icor(corr[np.ix_(kept, kept)], owner[kept], definition)
        assert np.isnan(icor(corr, np.zeros(13, int), definition))
    matrix = pcor_matrix(corr, gap)
    assert np.isnan(matrix[2]).all()
    assert np.isfinite(np.delete(np.delete(matrix, 2, 0), 2, 1)).all()
    assert pcor_matrix(corr, owner, parties=5).shape == (5, 5)


@given(st.integers(0, 10_000))
def test_names_of_parties_and_order_of_columns_do_not_matter(seed: int) -> None:
    """Icor is a property of the division."""
    rng = stream(seed, "law")
    corr = spearman(rng.normal(size=(9, 7)))
    owner, rename, shuffle = rng.integers(0, 3, 7), rng.permutation(3), rng.permutation(7)
    for definition in DEFINITIONS:
        renamed = icor(corr, rename[owner], definition)
        shuffled = icor(corr[np.ix_(shuffle, shuffle)], owner[shuffle], definition)
        np.testing.assert_allclose([renamed, shuffled], icor(corr, owner, definition), atol=1e-12)


def test_mcor_is_pcor_inside() -> None:
    """The eigenvalues of a correlation matrix are its singular values."""
    corr = spearman(table("wine"))
    assert mcor(corr) == pytest.approx(pcor(corr, "package"), abs=1e-12)
    assert mcor(np.ones((4, 4))) == pytest.approx(1.0, abs=1e-12)
    assert mcor(np.eye(4)) == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(mcor(np.eye(1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: spearman(np.array([[1.0, np.nan], [2.0, 3.0]])), "missing or infinite values in 1 columns"),
        (lambda: pearson(np.ones(3)), r"rows and columns, got shape \(3,\)"),
        (lambda: spearman(np.ones((1, 3))), "at least 2 rows to correlate columns, got 1"),
        (lambda: pcor(np.ones((2, 2)), "package2"), "definition must be 'paper' or 'package', got 'package2'"),  # type: ignore[arg-type]
        (lambda: pcor(np.ones(2)), r"matrix, got shape \(2,\)"),
        (lambda: icor(np.ones((2, 3)), np.zeros(2)), r"square matrix, got shape \(2, 3\)"),
        (lambda: icor(np.eye(3), np.zeros(2)), r"each of the 3 columns, got shape \(2,\)"),
    ],
)
def test_errors_name_the_thing(call: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call()
