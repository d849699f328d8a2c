"""The stand-in for Icor that moves many columns at a time, and the estimates for very large blocks."""

from __future__ import annotations

import itertools
from functools import cache
from typing import get_args

import numpy as np
import pytest

from trustkit.metrics import icor, spearman
from trustkit.metrics.correlation import Definition
from trustkit.rng import stream
from trustkit.split import scores, search
from trustkit.split.nuclear import nuclear_estimate, nuclear_norms
from trustkit.split.scores import scorer
from trustkit.split.search import bounds, reach
from trustkit.split.seats import member_table, party_sizes
from trustkit.split.surrogate import Squares, calibration, descend

DEFINITIONS: tuple[Definition, ...] = get_args(Definition)


@cache
def noise(columns: int, rows: int = 60, causes: int = 3) -> np.ndarray:
    """Return correlations of columns that share some hidden causes; one column is constant."""
    rng = stream(0, "noise")
    X = rng.normal(size=(rows, causes)) @ rng.normal(size=(causes, columns)) + rng.normal(size=(rows, columns))
    X[:, 0] = 1.0
    return spearman(X)


def quiet(done: float) -> None:
    """Take no notice of progress."""


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_descent_moves_icor_both_ways(definition: Definition) -> None:
    """It keeps the sizes, and ends far from random divisions on both sides."""
    corr, sizes = noise(40), (12, 10, 10, 8)
    score, rng = scorer(corr, sizes, definition), stream(0, "descend")
    owners = np.stack([rng.permutation(np.repeat(np.arange(4), sizes)) for _ in range(8)])
    start = score.terms(member_table(owners, sizes)).sum(axis=1)
    state = Squares(score, owners, np.full(8, 0.8))
    descend(state, np.repeat([1.0, -1.0], 4), 60, rng, quiet)
    assert all(np.bincount(owner).tolist() == list(sizes) for owner in state.owner)
    end = score.terms(member_table(state.owner, sizes)).sum(axis=1)
    assert end[:4].max() < start.min() - start.std()
    assert end[4:].min() > start.max()


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_sums_of_squares_keep_their_books(definition: Definition) -> None:
    """After swaps they are those of a fresh start, and those of the squared correlations themselves."""
    corr, sizes = noise(23), (9, 7, 5, 2)
    score, rng = scorer(corr, sizes, definition), stream(0, "books")
    owners = np.stack([rng.permutation(np.repeat(np.arange(4), sizes)) for _ in range(3)])
    state = Squares(score, owners, np.array([0.7, 0.8, 0.9]))
    descend(state, np.array([1.0, -1.0, 1.0]), 9, rng, quiet)
    fresh = Squares(score, state.owner, state.ratio)
    one_hot = (state.owner[:, None, :] == np.arange(4)[:, None]).astype(float)
    np.testing.assert_allclose(state.by_column, one_hot @ corr**2, atol=1e-12)
    np.testing.assert_allclose(state.between, state.by_column @ one_hot.swapaxes(1, 2), atol=1e-12)
    np.testing.assert_allclose(state.slope, fresh.slope, rtol=1e-9)
    np.testing.assert_allclose(state.gains(np.arange(23)), fresh.gains(np.arange(23)), atol=1e-12)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_gain_is_the_gradient_along_a_swap(definition: Definition) -> None:
    """By hand: slopes times the changes of the sums of squares that a swap makes, which are counted anew."""
    corr, sizes = noise(18), (8, 6, 4)
    score = scorer(corr, sizes, definition)
    owner = stream(0, "gain").permutation(np.repeat(np.arange(3), sizes))
    state = Squares(score, owner[None], np.array([0.8]))
    before, slope, gains = state.between[0].copy(), np.triu(state.slope[0]), state.gains(np.arange(18))[0]
    for a, b in itertools.combinations(range(18), 2):
        if 0 in (a, b):
            continue  # the constant column changes the trace, which the gradient leaves out
        there = owner.copy()
        there[a], there[b] = owner[b], owner[a]
        after = Squares(score, there[None], np.array([0.8])).between[0]
        assert gains[a, b] == pytest.approx(float((slope * (after - before)).sum()), abs=1e-12)


def test_calibration_is_exact_where_all_pairs_are_looked_at() -> None:
    """With that ratio the stand-in's pairs add up to the exact ones; by the definition of both."""
    corr, sizes = noise(24), (8, 8, 8)
    score = scorer(corr, sizes)
    owner, pairs = stream(0, "ratio").permutation(np.repeat(np.arange(3), 8)), np.arange(3)
    exact = score.pairs(member_table(owner[None], sizes), pairs)
    (ratio,) = calibration(Squares(score, owner[None], np.ones(1)), pairs, exact)
    rough = sum(np.linalg.norm(corr[np.ix_(owner == i, owner == j)]) / 8 / 3 for i in range(3) for j in range(i))
    assert ratio * rough == pytest.approx(icor(corr, owner), abs=1e-9)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_two_thousand_parties(definition: Definition) -> None:
    """5,000 columns with 2,048 parties of 2 or 3: scored in pieces, against sums over pairs of another making."""
    corr, sizes = noise(5000), party_sizes(2048, 5000)
    owner = stream(0, "many").permutation(np.repeat(np.arange(2048), sizes))
    score = scorer(corr, sizes, definition)
    terms = score.terms(member_table(owner[None], sizes))[0]
    assert terms.size == 2048 * 2047 // 2 + 2048
    for pair in (0, 7, 904 * 2000, score.left.size - 1):
        block = corr[np.ix_(owner == score.left[pair], owner == score.right[pair])]
        values, d = np.linalg.svd(block, compute_uv=False), min(block.shape)
        spread = np.sqrt(((values - values.mean()) ** 2).sum())
        scale = d if definition == "paper" else np.sqrt(d * (d - 1))
        assert terms[pair] == pytest.approx(2 * spread / scale / 2048 / 2047, rel=1e-6)


@pytest.mark.parametrize("sizes", [[2] * 60, [60, 30, *[2] * 10, *[1] * 10], [1] * 70 + [10]])
def test_many_and_unequal_parties_are_searched(sizes: list[int]) -> None:
    """Sizes are kept, the bounds lie far outside of chance, and β is reached."""
    corr = noise(sum(sizes))
    ends = bounds(corr, sizes, 0, "package")
    flat = np.repeat(np.arange(len(sizes)), sizes)
    chance = [icor(corr, stream(k, "chance").permutation(flat), "package") for k in range(5)]
    assert ends.min < min(chance) - 0.3 * np.ptp(chance)
    assert ends.max > max(chance) + 0.3 * np.ptp(chance)
    for owner in (ends.owner_min, ends.owner_max):
        assert np.bincount(owner).tolist() == sizes
    assert abs(ends.beta(reach(corr, sizes, 0.5, ends, 0, "package").icor) - 0.5) < 5e-3


def test_four_byte_floats_are_kept() -> None:
    """Wide tables are not copied into 8 bytes; the answer is that of 8 bytes within the rounding."""
    corr, sizes = noise(90), [30, 30, 20, 10]
    score = scorer(corr.astype(np.float32), sizes)
    assert score.corr.dtype == np.float32
    owner = stream(0, "short").permutation(np.repeat(np.arange(4), sizes))
    value = score.terms(member_table(owner[None], sizes)).sum()
    assert value == pytest.approx(icor(corr, owner), abs=1e-6)
    ends = bounds(corr.astype(np.float32), sizes)
    assert ends.approximated is None
    assert ends.min == pytest.approx(icor(corr, ends.owner_min), abs=1e-6)


def test_sums_of_singular_values() -> None:
    """Against singular values themselves, for the closed form and the eigenvalues."""
    for d in (2, 3, 7):
        blocks = stream(d, "blocks").normal(size=(20, d, 9))
        expected = np.linalg.svd(blocks, compute_uv=False).sum(axis=1)
        np.testing.assert_allclose(nuclear_norms(blocks @ blocks.swapaxes(1, 2)), expected, rtol=1e-7)


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_estimated_sums_of_singular_values(number: type) -> None:
    """A correlation block of hidden causes and noise, and a block of low rank: within 2 % of singular values."""
    corr = noise(1200, rows=400, causes=20)
    flat = stream(0, "low").normal(size=(300, 5)) @ stream(1, "low").normal(size=(5, 350))
    for block in (corr[:600, 600:], flat):
        exact = np.linalg.svd(block, compute_uv=False).sum()
        assert nuclear_estimate(block.astype(number)) == pytest.approx(exact, rel=0.02)
        assert nuclear_estimate(block.astype(number)) == nuclear_estimate(block.astype(number))


def test_large_blocks_are_estimated_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the limit lowered: both bounds and a target are found, in a fair estimate of their Icor.

    Two swaps at most follow the path, so that β is missed by more than elsewhere: by up to 0.0016 in three seeds.
    """
    monkeypatch.setattr(scores, "ESTIMATED", 66)
    monkeypatch.setattr(search, "ESTIMATED", 66)
    corr, sizes = noise(240, rows=200, causes=10).astype(np.float32), (70, 70, 70, 30)
    ends = bounds(corr, sizes, 3)
    assert ends.approximated is not None
    assert "66 columns or more are estimated" in ends.approximated
    found = reach(corr, sizes, 0.4, ends, 3)
    assert abs(ends.beta(found.icor) - 0.4) < 5e-3
    exact = [icor(corr, owner) for owner in (ends.owner_min, found.owner, ends.owner_max)]
    assert exact == sorted(exact)
    assert exact == pytest.approx([ends.min, found.icor, ends.max], rel=0.02)
