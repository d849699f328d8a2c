"""Pcor and Icor against the authors' package, SciPy, hand calculations and laws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.metrics import blocks, icor, mcor, pcor, pcor_matrix, pearson, spearman
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


def spread_of(values: np.ndarray, d: int, definition: Definition) -> float:
    """Pcor from singular values, those that are left out being 0, by the formulas as they are printed."""
    values = np.concatenate([values, np.zeros(d - values.size)])
    squares = ((values - values.sum() / d) ** 2).sum()
    return float(np.sqrt(squares) / d if definition == "paper" else np.sqrt(squares / (d - 1)) / np.sqrt(d))


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (5, 2), (3, 3), (4, 9), (30, 20)])
def test_pcor_is_made_from_singular_values(shape: tuple[int, int], definition: Definition) -> None:
    """Closed form, batches and single decompositions against LAPACK; blocks of any rank, orthogonal ones too."""
    rng = stream(0, "blocks")
    for rank in range(min(shape) + 1):
        block = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
        want = spread_of(np.linalg.svd(block, compute_uv=False), min(shape), definition)
        assert pcor(block, definition) == pytest.approx(want, abs=1e-12)
        assert pcor(block.T, definition) == pytest.approx(want, abs=1e-12)
    rotation = np.linalg.qr(rng.normal(size=(max(shape), max(shape))))[0][: shape[0], : shape[1]]
    assert pcor(rotation, definition) == pytest.approx(0.0, abs=1e-8 if min(shape) == 2 else 1e-12)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_parties_of_all_sizes_pair_by_pair(definition: Definition) -> None:
    """The matrix, which takes parties of one size together, is `pcor` of every block; also beyond one batch."""
    sizes = [1, 4, 2, 3, 1, 4, 2, 7, 3, 0]
    owner = stream(1, "owner").permutation(np.repeat(np.arange(10), sizes))
    corr = spearman(stream(0, "many").normal(size=(20, owner.size)))  # of rank 19 at most
    got = pcor_matrix(corr, owner, definition, parties=10)
    for i in range(10):
        for j in range(10):
            block = corr[np.ix_(owner == i, owner == j)]
            np.testing.assert_allclose(got[i, j], pcor(block, definition), atol=1e-12)
    off, full = ~np.eye(9, dtype=bool), got[:9, :9]
    inner = full.diagonal().mean() if definition == "package" else 0.0
    assert icor(corr, owner, definition) == pytest.approx(full[off].mean() - inner, abs=1e-12)


def test_batches_end_where_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many blocks are gathered at a time."""
    corr = spearman(stream(0, "batches").normal(size=(30, 40)))
    owner = np.arange(40) % 13
    want = pcor_matrix(corr, owner)
    monkeypatch.setattr(blocks, "CELLS", 30)
    np.testing.assert_array_equal(pcor_matrix(corr, owner), want)


def test_an_inner_block_with_negative_eigenvalues() -> None:
    """Correlations that no table has: the singular values are the absolute eigenvalues, not the eigenvalues."""
    corr = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    # eigenvalues 1.9, 1.9, -0.8: σ̄ = 4.6/3, SS = 2·1.9² + 0.8² − 4.6²/3
    want = np.sqrt(2 * 1.9**2 + 0.8**2 - 4.6**2 / 3) / 3
    assert pcor_matrix(corr, np.zeros(3, int))[0, 0] == pytest.approx(want, abs=1e-12)
    # mcor is made from the eigenvalues themselves: λ̄ = 1, Σ(λ − 1)² = 2·0.9² + 1.8²
    assert mcor(corr) == pytest.approx(np.sqrt((2 * 0.9**2 + 1.8**2) / 2) / np.sqrt(3), abs=1e-12)


def test_the_two_ways_for_large_blocks_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvalues of the Gram matrix give what singular values give."""
    corr = spearman(stream(0, "large").normal(size=(40, 120)))  # of rank 39: many singular values are 0
    block = corr[:50, 50:]
    want = pcor(block)
    monkeypatch.setattr(blocks, "GRAM", 10)
    assert pcor(block) == pytest.approx(want, abs=1e-7)
    assert pcor(block.T) == pytest.approx(want, abs=1e-7)


def test_single_precision_is_taken_as_it_is() -> None:
    """Also by the inner blocks, whose smallest eigenvalues are rounding."""
    X = stream(0, "single").normal(size=(25, 60))
    owner = np.arange(60) % 3
    for definition in DEFINITIONS:
        want = icor(spearman(X), owner, definition)
        assert icor(spearman(X, dtype=np.float32), owner, definition) == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_truncated_decompositions(definition: Definition, monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest values with zeros after them; by Lanczos iterations as by a full decomposition."""
    corr = spearman(stream(0, "cut").normal(size=(300, 60)))
    block = corr[:24, 24:]
    values = np.linalg.svd(block, compute_uv=False)
    for components in (1, 2, 12, 23):
        want = spread_of(values[:components], 24, definition)
        assert pcor(block, definition, components) == pytest.approx(want, abs=1e-12)
    with monkeypatch.context() as patch:
        patch.setattr(blocks, "SPARSE", (10, 8))
        assert pcor(block.T, definition, 2) == pytest.approx(spread_of(values[:2], 24, definition), abs=1e-9)
    owner = np.arange(60) // 20
    for enough in (20, 21, 1000):
        assert icor(corr, owner, definition, enough) == icor(corr, owner, definition)
    eigenvalues = np.linalg.eigvalsh(corr[:20, :20])[::-1]
    inner = pcor_matrix(corr, owner, definition, components=5)[0, 0]
    assert inner == pytest.approx(spread_of(eigenvalues[:5], 20, definition), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.data())
def test_truncation_overestimates_down_to_half_of_the_values(values: list[float], data: st.DataObject) -> None:
    """For any singular values, as the docstring says."""
    d = len(values)
    components = data.draw(st.integers((d + 1) // 2, d))
    assert pcor(np.diag(values), components=components) >= pcor(np.diag(values)) - 1e-9


def test_truncation_below_half_may_go_either_way() -> None:
    """Equal values look unequal; but of two large values among ten, one alone has less spread than both."""
    assert pcor(np.eye(10), components=2) > pcor(np.eye(10)) == 0.0
    two = np.diag([1.0, 1.0] + [0.0] * 8)
    # σ = 1: 1 − 1/10 = 0.9; σ = 1, 1: 2 − 4/10 = 1.6
    assert pcor(two, components=1) == pytest.approx(np.sqrt(0.9) / 10, abs=1e-12)
    assert pcor(two) == pytest.approx(np.sqrt(1.6) / 10, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pcor(np.ones((2, 2)), "package2"), "definition must be 'paper' or 'package', got 'package2'"),  # type: ignore[arg-type]
        (lambda: pcor_matrix(np.eye(2), np.zeros(2, int), "x"), "definition must be 'paper' or 'package', got 'x'"),  # type: ignore[arg-type]
        (lambda: pcor(np.ones(2)), r"matrix, got shape \(2,\)"),
        (lambda: pcor(np.array([[1.0, np.nan]])), "block must hold finite numbers only"),
        (lambda: pcor(np.eye(3), components=0), "components must be at least 1, got 0"),
        (lambda: icor(np.full((4, 4), np.nan), np.arange(4) // 2), "corr must hold finite numbers only"),
        (lambda: icor(np.ones((2, 3)), np.zeros(2)), r"square matrix, got shape \(2, 3\)"),
        (lambda: icor(np.eye(3), np.zeros(2)), r"each of the 3 columns, got shape \(2,\)"),
        (lambda: pcor_matrix(np.eye(3), np.arange(3), parties=2), "more than the highest party 2 in owner, got 2"),
    ],
)
def test_errors_name_the_thing(call: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call()
