"""The search for the bounds of Icor and for a β between them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.metrics import icor, spearman
from trustkit.metrics.correlation import Definition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.split import search
from trustkit.split.anneal import anneal
from trustkit.split.extremes import extremes
from trustkit.split.scores import scorer
from trustkit.split.search import bounds, reach
from trustkit.split.seats import (
    all_divisions,
    canonical_owner,
    count_divisions,
    member_table,
    owner_vector,
    party_sizes,
    swap_steps,
    swapped,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "correlation.json").read_text())["tables"]
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)
SIZES = st.lists(st.integers(1, 4), min_size=2, max_size=4)


def noise(columns: int, seed: int = 0) -> np.ndarray:
    """Return correlations of columns that share three hidden causes; one column is constant."""
    rng = stream(seed, "noise")
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, columns)) + rng.normal(size=(60, columns))
    X[:, 0] = 1.0
    return spearman(X)


def golden_correlation(name: str) -> np.ndarray:
    """Return the correlations of a golden table."""
    from sklearn import datasets

    if name == "mc12":
        return spearman(datasets.make_classification(n_samples=1000, n_features=12, random_state=0)[0])
    if name == "mc40":
        shape = {"n_features": 40, "n_informative": 10, "n_redundant": 15, "n_repeated": 5}
        return spearman(datasets.make_classification(n_samples=2000, shuffle=False, random_state=1, **shape)[0])
    return spearman(getattr(datasets, f"load_{name}")().data)


def quiet(_: float) -> None:
    """Take no notice of progress."""


@given(SIZES)
@settings(max_examples=25)
def test_all_divisions_are_listed_once(sizes: list[int]) -> None:
    """Against brute force over permutations of owners, with parties of one size interchangeable."""
    if sum(sizes) > 8:
        sizes = [2, 3, 3]
    flat = [k for k, size in enumerate(sizes) for _ in range(size)]
    brute = {tuple(canonical_owner(np.array(owner), sizes)) for owner in set(itertools.permutations(flat))}
    listed = [tuple(owner) for owner in all_divisions(sizes).tolist()]
    assert len(listed) == len(set(listed)) == count_divisions(sizes)
    assert set(listed) == {tuple(map(int, owner)) for owner in brute}


@given(SIZES, st.integers(0, 99))
def test_a_path_of_swaps_keeps_the_sizes(sizes: list[int], seed: int) -> None:
    """It leads from one division to the other in fewer than m steps, each a swap of two columns."""
    rng = stream(seed, "path")
    start, end = (rng.permutation(np.repeat(np.arange(len(sizes)), sizes)) for _ in range(2))
    steps = swap_steps(start, end, sizes, rng.permutation(start.size).tolist())
    path = [swapped(start, steps[:count]) for count in range(len(steps) + 1)]
    assert (path[0] == start).all()
    assert (canonical_owner(path[-1], sizes) == canonical_owner(end, sizes)).all()
    assert len(path) <= start.size
    assert all((one != two).sum() == 2 for one, two in itertools.pairwise(path))
    assert all(np.bincount(step, minlength=len(sizes)).tolist() == sizes for step in path)


@given(SIZES, st.integers(0, 99))
def test_lists_of_members_and_owner_vectors_are_the_same(sizes: list[int], seed: int) -> None:
    """There and back again, one by one and many at once."""
    owner = stream(seed, "seats").permutation(np.repeat(np.arange(len(sizes)), sizes))
    table = member_table(owner, sizes)
    assert (owner_vector(table, owner.size) == owner).all()
    assert (member_table(np.stack([owner, owner]), sizes)[1] == table).all()


def test_party_sizes() -> None:
    """Equal ones as `numpy.array_split` makes them; given ones are checked."""
    assert party_sizes(4, 14) == tuple(len(part) for part in np.array_split(np.arange(14), 4))
    assert party_sizes((1, 13), 14) == (1, 13)
    for bad in (1, 15, [14], [13, 2], [0, 14], [-1, 15]):
        with pytest.raises(ValueError, match=r"parties must be .* 14 columns, got"):
            party_sizes(bad, 14)
    for wrong in (2.5, "3", True, ["7", 7], [7.5, 6.5], [True, 13], np.array([7.0, 7.0])):
        with pytest.raises(TypeError, match="parties must be a whole number or a list of them, got"):
            party_sizes(wrong, 14)  # type: ignore[arg-type]


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("sizes", [(4, 3, 3, 3), (9, 2, 2), (6, 5, 1, 1), (2, 2, 3, 3, 3), (7, 6)])
def test_many_scores_at_once_are_icor(definition: Definition, sizes: tuple[int, ...]) -> None:
    """The identities for norms and traces, the padding and the orientation of blocks change nothing."""
    corr = noise(13)
    owners = np.stack([stream(k, "owners").permutation(np.repeat(np.arange(len(sizes)), sizes)) for k in range(5)])
    scored = scorer(corr, sizes, definition).terms(member_table(owners, sizes)).sum(axis=1)
    np.testing.assert_allclose(scored, [icor(corr, owner, definition) for owner in owners], atol=1e-7)


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_annealing_keeps_its_books(definition: Definition) -> None:
    """After many swaps the energy of each chain is the score of its division, and never above the start's."""
    corr, sizes = noise(14), (5, 4, 3, 2)
    score, rng = scorer(corr, sizes, definition), stream(0, "anneal")
    owners = np.stack([rng.permutation(np.repeat(np.arange(4), sizes)) for _ in range(6)])
    found = anneal(score, member_table(owners, sizes), np.negative, np.full(200, 1e-2), rng, quiet)
    for members, energy, start in zip(found.members, found.energy, owners, strict=True):
        assert -energy == pytest.approx(icor(corr, owner_vector(members, 14), definition), abs=1e-7)
        assert -energy >= icor(corr, start, definition) - 1e-7


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (4, 2, 2), (3, 3, 1, 1)])
def test_bounds_are_certain_where_all_divisions_are_tried(definition: Definition, sizes: tuple[int, ...]) -> None:
    """Against every permutation, scored one by one with singular values; β takes the nearest of all."""
    corr = noise(8)
    flat = [k for k, size in enumerate(sizes) for _ in range(size)]
    every = sorted({round(icor(corr, np.array(one), definition), 12) for one in set(itertools.permutations(flat))})
    found = bounds(corr, sizes, 0, definition)
    assert found.exact
    assert found.evaluations == count_divisions(sizes)
    assert (found.min, found.max) == pytest.approx((every[0], every[-1]), abs=1e-10)
    for beta in (0.25, 0.5, 0.9):
        target = (1 - beta) * found.min + beta * found.max
        nearest = min(abs(value - target) for value in every)
        assert abs(reach(corr, sizes, beta, found, 0, definition).icor - target) == pytest.approx(nearest, abs=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_annealing_finds_what_trying_all_finds(seed: int) -> None:
    """mc12 has 15,400 divisions; the chains see fewer of them than that. All of them tried give the known optimum."""
    corr, sizes = golden_correlation("mc12"), (3, 3, 3, 3)
    low, high, _ = extremes(scorer(corr, sizes, "package"), stream(seed, "test"), quiet)
    certain = bounds(corr, sizes, definition="package")
    assert icor(corr, low, "package") == pytest.approx(certain.min, abs=1e-9)
    assert icor(corr, high, "package") == pytest.approx(certain.max, abs=1e-9)
    assert (certain.exact, certain.evaluations) == (True, 15_400)
    assert (certain.min, certain.max) == pytest.approx((-0.2415455, 0.1408247), abs=1e-7)


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("mc12", 0),
        ("wine", 0),
        *[(name, seed) for name in ("breast_cancer", "mc40") for seed in (0, 1, 2)],
        ("digits", 0),
    ],
)
def test_best_known_bounds_are_met(name: str, seed: int) -> None:
    """Exactly where all divisions are tried; otherwise the best that is known is missed by 1.5 % of the range at most.

    Twelve seeds miss it by up to 0.8 % (digits), so that another processor's rounding does not decide.
    """
    corr, golden = golden_correlation(name), GOLDEN[name]
    sizes = party_sizes(golden["parties"], len(corr))
    found = bounds(corr, sizes, seed, "package")
    best_low, best_high = golden["best_known"]
    slack = 1e-9 if found.exact else 0.015 * (best_high - best_low)
    assert found.min <= best_low + slack
    assert found.max >= best_high - slack
    assert found.exact == (count_divisions(sizes) <= search.ENUMERATED)
    assert icor(corr, found.owner_min, "package") == found.min
    assert icor(corr, found.owner_max, "package") == found.max


def largest_gap(corr: np.ndarray, sizes: Sequence[int], definition: Definition) -> float:
    """Return how far β is missed at most, over a range of it, and check that β is monotone."""
    ends = bounds(corr, sizes, 0, definition)
    asked = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    found = [reach(corr, sizes, float(beta), ends, 0, definition) for beta in asked]
    achieved = np.array([ends.beta(one.icor) for one in found])
    assert achieved[0] == 0.0
    assert achieved[-1] == 1.0
    assert (np.diff(achieved) > 0).all()
    for one in found:
        assert np.bincount(one.owner).tolist() == list(sizes)
        assert one.icor == icor(corr, one.owner, definition)
    return float(np.abs(achieved - asked).max())


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize(
    ("name", "parties"), [("wine", 3), ("breast_cancer", 3), ("digits", 4), ("", (40, 20, 20, 10))]
)
def test_beta_is_reached(name: str, parties: Any, definition: Definition) -> None:
    """Within 0.001, exactly at both ends; the two small tables have gaps, and 90 columns are too many to anneal.

    Of other seeds, wine, whose divisions are all known, misses β by as much as this one (0.00195), breast_cancer by up
    to 0.0012, digits by 0.0005 and the 90 columns by 0.0009.
    """
    corr = golden_correlation(name) if name else noise(90)
    limit = {"wine": 2.5e-3, "breast_cancer": 3e-3, "digits": 1e-3, "": 2e-3}[name]
    assert largest_gap(corr, party_sizes(parties, len(corr)), definition) < limit


def test_beta_is_reached_where_icor_jumps() -> None:
    """Copies of columns, and an Icor that a few swaps do not come by: a last annealing finds it, 0.024 away else."""
    corr, sizes = golden_correlation("mc40"), (10, 10, 10, 10)
    ends = bounds(corr, sizes)
    for seed in range(3):
        assert abs(ends.beta(reach(corr, sizes, 0.2, ends, seed).icor) - 0.2) < 2e-3


def test_a_matrix_without_any_choice() -> None:
    """Independent columns: every division has Icor 0, and β is not defined."""
    for columns, sizes in ((6, (3, 3)), (30, (10, 10, 10)), (70, (35, 35))):
        found = bounds(np.eye(columns), sizes)
        assert found.min == found.max == 0.0
        assert math.isnan(found.beta(0.0))
        assert np.bincount(reach(np.eye(columns), sizes, 0.5, found).owner).tolist() == list(sizes)


def test_bounds_are_remembered_and_the_seed_decides() -> None:
    """The second time is the same value; other seeds may find others, the same seed finds the same."""
    corr = noise(22)
    assert bounds(corr.copy(), [11, 11], 5) is (first := bounds(corr, (11, 11), 5))
    assert not first.owner_min.flags.writeable
    search._KNOWN.clear()
    again = bounds(corr, (11, 11), 5)
    assert again is not first
    assert (again.owner_min == first.owner_min).all()
    assert (again.owner_max == first.owner_max).all()
    one, two = (reach(corr, (11, 11), 0.4, again, 7) for _ in range(2))
    assert (one.owner == two.owner).all()


def test_the_memory_does_not_grow_for_ever() -> None:
    """Old answers are dropped."""
    for seed in range(search.REMEMBERED + 5):
        bounds(noise(4), (2, 2), seed)
    assert len(search._KNOWN) == search.REMEMBERED


@pytest.mark.parametrize("columns", [12, 18, 30, 70])
def test_a_caller_can_stop_the_search_anywhere(columns: int) -> None:
    """What ``progress`` raises comes out, and nothing half-done is remembered."""

    def stop_after(calls: int) -> Any:
        left = itertools.count(calls, -1)

        def progress(stage: str, done: float) -> None:
            if next(left) == 0:
                raise Stopped

        return progress

    corr, sizes = noise(columns, seed=9), party_sizes(3, columns)
    for calls in (0, 1):
        search._KNOWN.clear()
        with pytest.raises(Stopped):
            bounds(corr, sizes, progress=stop_after(calls))
        assert calls or not search._KNOWN
    if columns > 12:
        with pytest.raises(Stopped):
            reach(corr, sizes, 0.5, bounds(corr, sizes), progress=stop_after(0))


@pytest.mark.parametrize("columns", [12, 18, 30, 70])
def test_progress_grows_from_nothing_to_all(columns: int) -> None:
    """Stage by stage, never backwards, within 0 and 1; it changes nothing."""
    told: dict[str, list[float]] = {}

    def note(stage: str, done: float) -> None:
        told.setdefault(stage, []).append(done)

    corr, sizes = noise(columns, seed=9), party_sizes(3, columns)
    search._KNOWN.clear()
    ends = bounds(corr, sizes, 0, "paper", note)
    found = reach(corr, sizes, 0.4, ends, 0, "paper", note)
    assert list(told) == ["least and greatest correlation", "target"]
    for parts in told.values():
        assert parts == sorted(parts)
        assert (parts[0] >= 0.0, parts[-1]) == (True, 1.0)
    search._KNOWN.clear()
    assert (bounds(corr, sizes).owner_min == ends.owner_min).all()
    assert (reach(corr, sizes, 0.4, ends).owner == found.owner).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds(np.eye(4), (2, 3)), r"add up to the 4 columns of corr, got \[2, 3\]"),
        (lambda: bounds(np.eye(4), (4,)), r"at least 2 and .*, got \[4\]"),
        (lambda: bounds(np.eye(30), (15, 15), 0, "x"), "^definition must be 'paper' or 'package', got 'x'$"),  # type: ignore[arg-type]
        (lambda: reach(np.eye(4), (2, 2), 1.5, bounds(np.eye(4), (2, 2))), "beta must be between 0 and 1, got 1.5"),
    ],
)
def test_errors_name_the_thing(call: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call()
