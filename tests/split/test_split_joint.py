"""The joint split: sizes and importance follow one Dirichlet draw, β is reached under those sizes, at a stated cost."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import jsonfile
from trustkit.data import Dataset, Provenance
from trustkit.metrics.correlation import icor
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.split import importance
from trustkit.split.importances import column_importance
from trustkit.split.joint import Joint, joint, joint_split
from trustkit.split.measured import column_correlation
from trustkit.split.swaps import balance, matched, toward
from trustkit.split.tradeoff import WEIGHTS


def correlated(m: int, seed: int = 0) -> np.ndarray:
    """Return the correlation matrix of m columns that share m/4 factors."""
    rng = stream(seed, "joint", m)
    factors = max(2, m // 4)
    X = rng.normal(size=(200, factors)) @ rng.normal(size=(factors, m)) + rng.normal(size=(200, m))
    return np.asarray(np.corrcoef(X, rowvar=False))


def weights(m: int, seed: int = 0) -> np.ndarray:
    """Return very unequal importances."""
    return stream(seed, "weights", m).exponential(size=m) ** 2


def table(m: int = 10, n: int = 120) -> Dataset:
    """Return two classes that some of the columns tell apart."""
    rng = stream(0, "joint table")
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, m)) + rng.normal(size=(n, m)) + y[:, None] * (np.arange(m) < 3)
    made = Provenance("made up", "none", synthetic=True)
    return Dataset("small", X, y, tuple(f"c{j}" for j in range(m)), ("no", "yes"), made, held_out=np.arange(n) % 5 == 0)


def every(sizes: list[int]) -> list[np.ndarray]:
    """Return every owner vector of these sizes, parties named."""
    seats = [k for k, size in enumerate(sizes) for _ in range(size)]
    return [np.array(owner) for owner in sorted(set(itertools.permutations(seats)))]


def same(one: Partition, other: Partition) -> bool:
    """Say whether two splits differ in nothing but the time they took."""
    plain = [{**made.to_dict(), "achieved": {**made.achieved, "seconds": 0.0}} for made in (one, other)]
    return jsonfile.canonical(plain[0]) == jsonfile.canonical(plain[1])


def monotone(found: Joint) -> None:
    """Check that more weight on importance never makes its error larger, nor that of β smaller."""
    beta, held = (np.array([point[name] for point in found.tradeoff]) for name in ("beta_error", "importance_error"))
    assert [point["weight"] for point in found.tradeoff] == list(WEIGHTS)
    assert (np.diff(beta) >= 0).all()
    assert (np.diff(held) <= 0).all()


@pytest.mark.parametrize("definition", ["paper", "package"])
@pytest.mark.parametrize(("sizes", "beta"), [([3, 3, 1], 0.5), ([2, 2, 3], 0.0), ([4, 3], 0.8), ([2, 3, 2], 1.0)])
def test_the_best_of_all_divisions(sizes: list[int], beta: float, definition: Any) -> None:
    """Few columns: by hand, all divisions and all names of parties are tried, and none is better at any weight."""
    corr, each, budgets = correlated(7), weights(7), np.arange(1, len(sizes) + 1) ** 2.0
    found = joint_split(corr, each, sizes, budgets, beta, definition)
    owners = every(sizes)
    values = np.array([icor(corr, owner, definition) for owner in owners])
    target = (1 - beta) * values.min() + beta * values.max()
    off = np.abs(values - target) / np.ptp(values)
    held = np.array([np.bincount(owner, each) for owner in owners]) / each.sum()
    missed = np.abs(held - budgets / budgets.sum()).sum(axis=1) / 2
    for point in found.tradeoff:
        weight = point["weight"]
        a, b = (1.0, weight) if math.isfinite(weight) else (0.0, 1.0)
        best = float((a * off + b * missed).min())
        assert a * point["beta_error"] + b * point["importance_error"] == pytest.approx(best, abs=1e-7)
    even = found.tradeoff[WEIGHTS.index(1.0)]
    assert even["beta_error"] == pytest.approx(abs(found.beta - beta), abs=1e-7)
    assert even["importance_error"] == pytest.approx(found.importance_error, abs=1e-8)
    assert found.icor == pytest.approx(icor(corr, found.owner, definition), abs=1e-12)
    assert found.conflict == ((off + missed).min() > off.min() + missed.min() + 0.01)
    monotone(found)


@given(st.integers(0, 2**32), st.sampled_from([9, 13, 21]), st.integers(2, 5), st.floats(0, 1), st.floats(0.05, 50))
@settings(max_examples=8, deadline=None)
def test_laws(seed: int, m: int, parties: int, beta: float, alpha: float) -> None:
    """Every column has one owner, sizes are those of the draw, the frontier is monotone, the seed decides."""
    X = stream(seed, "laws").normal(size=(60, m))
    made = joint(X, parties, alpha=alpha, beta=beta, seed=seed)
    drawn = importance(X, parties, alpha=alpha, seed=seed)
    assert made.sizes.tolist() == made.achieved["counts"] == drawn.sizes.tolist()
    assert made.achieved["shares"] == drawn.achieved["shares"]
    assert (made.owner >= 0).all()
    again = joint(X, parties, alpha=alpha, beta=beta, seed=seed)
    assert same(again, made)
    achieved = made.achieved
    assert np.allclose(achieved["importance"], made.sizes / m), "all columns of an array are equally important"
    error = np.abs(np.array(achieved["importance"]) - achieved["shares"]).sum() / 2
    assert achieved["importance_error"] == pytest.approx(error)
    tradeoff = achieved["tradeoff"]
    assert all(one["beta_error"] <= two["beta_error"] for one, two in itertools.pairwise(tradeoff))
    assert all(one["importance_error"] >= two["importance_error"] for one, two in itertools.pairwise(tradeoff))


@pytest.mark.parametrize("m", [24, 70])
def test_both_are_reached_where_both_can_be(m: int) -> None:
    """Budgets that the columns can meet and a β in the middle: 0.02 is missed at most, of both together."""
    rng = stream(1, "feasible", m)
    sizes = [m // 2, m // 4, m - m // 2 - m // 4]
    each = weights(m)
    budgets = np.bincount(rng.permutation(np.repeat(np.arange(3), sizes)), each)
    found = joint_split(correlated(m), each, sizes, budgets, 0.5)
    assert abs(found.beta - 0.5) + found.importance_error < 0.02
    assert not found.conflict
    assert np.bincount(found.owner).tolist() == sizes
    monotone(found)


def test_one_column_has_all_importance() -> None:
    """By hand: it cannot be divided, so half of it is misplaced whatever is done; that is no conflict with β."""
    each = np.array([1.0, 0, 0, 0, 0, 0])
    found = joint_split(correlated(6), each, [3, 3], [0.5, 0.5], 0.0)
    assert found.importance_error == 0.5
    assert sorted(found.shares.tolist()) == [0.0, 1.0]
    assert found.beta == pytest.approx(0.0, abs=1e-9)
    assert not found.conflict


def test_the_two_can_conflict() -> None:
    """Two pairs of twins: β = 0 keeps twins together, equal importance asks to part them. By hand."""
    corr = np.kron(np.eye(2), np.ones((2, 2)))
    each = np.array([3.0, 3.0, 1.0, 1.0])
    found = joint_split(corr, each, [2, 2], [0.5, 0.5], 0.0, "package")
    assert found.conflict
    together, parted = found.tradeoff[0], found.tradeoff[-1]
    assert (together["beta_error"], together["importance_error"]) == (0.0, 0.25)
    assert (parted["beta_error"], parted["importance_error"]) == (1.0, 0.0)
    assert found.owner.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0]), "0 + 0.25 is less than 1 + 0"


def test_one_column_each() -> None:
    """All divisions have the same Icor, so β is not defined; names alone bring importance to its place."""
    found = joint_split(correlated(4), np.arange(1.0, 5), [1, 1, 1, 1], [0.4, 0.3, 0.2, 0.1], 0.5)
    assert math.isnan(found.beta)
    assert found.owner.tolist() == [3, 2, 1, 0]
    assert found.importance_error == pytest.approx(0.0)


def test_a_table_with_a_target() -> None:
    """Importance is that of the columns for the target; every achieved number is checked against its definition."""
    data = table()
    made = joint(data, 3, alpha=2.0, beta=0.4, definition="package", seed=5)
    achieved, each = made.achieved, column_importance(data)
    held = np.bincount(made.owner, each, minlength=3) / each.sum()
    assert achieved["importance"] == pytest.approx(held.tolist())
    assert achieved["icor"] == pytest.approx(icor(column_correlation(data), made.owner, "package"), abs=1e-12)
    low, high = achieved["bounds"]
    assert achieved["beta"] == pytest.approx((achieved["icor"] - low) / (high - low))
    assert achieved["target"] == pytest.approx(low + 0.4 * (high - low), abs=1e-12)
    assert (achieved["asked_alpha"], achieved["asked_beta"], achieved["definition"]) == (2.0, 0.4, "package")
    variance = held.var()
    assert achieved["alpha_package"] == pytest.approx((2 - 9 * variance) / (27 * variance))
    sigma = float((held * (1 - held) / 2).mean())
    assert achieved["alpha_paper"] == pytest.approx((2 - 9 * sigma) / (27 * sigma))
    assert achieved["bounds_exact"] is True
    assert achieved["approximated"] is None
    assert achieved["evaluations"] > 0
    assert achieved["seed"] == 5
    assert made.made_by is not None
    assert made.made_by.args == {"parties": 3, "alpha": 2.0, "beta": 0.4, "definition": "package"}


def test_alpha_for_each_party() -> None:
    """The party with a hundred times the α gets nearly all, of columns and of importance."""
    X = stream(0, "each").normal(size=(50, 12))
    made = joint(X, 3, alpha=(0.5, 100.0, 0.5), beta=0.5)
    assert made.sizes.argmax() == 1
    assert made.achieved["shares"][1] > 0.9
    assert made.achieved["asked_alpha"] == (0.5, 100.0, 0.5)


def test_progress_is_told_and_may_stop() -> None:
    """Fractions lie in [0, 1] and do not fall within a stage; whatever is stopped can be done again, the same."""
    heard: list[tuple[str, float]] = []

    def listen(stage: str, fraction: float) -> None:
        heard.append((stage, fraction))

    X = stream(3, "progress").normal(size=(60, 24))
    made = joint(X, 3, seed=1, progress=listen)
    stages = list(dict.fromkeys(stage for stage, _ in heard))
    assert stages[-1] == "division"
    for stage in stages:
        fractions = [fraction for name, fraction in heard if name == stage]
        assert fractions == sorted(fractions)
        assert 0 <= fractions[0] <= fractions[-1] <= 1
    assert heard[-1] == ("division", 1.0)

    def stop(stage: str, fraction: float) -> None:
        if stage == "division":
            raise Stopped

    with pytest.raises(Stopped):
        joint(X, 3, seed=1, progress=stop)
    assert same(joint(X, 3, seed=1), made)


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(6, 25))
@settings(max_examples=30)
def test_swaps(seed: int, parties: int, m: int) -> None:
    """Each balancing swap lowers the error; a way leads to its goal up to names; renaming keeps every division."""
    rng = stream(seed, "swaps")
    sizes = (np.bincount(rng.integers(0, parties, m - parties), minlength=parties) + 1).tolist()
    seats = np.repeat(np.arange(parties), sizes)
    owner, goal, each, budgets = rng.permutation(seats), rng.permutation(seats), rng.random(m), rng.random(parties)
    each, budgets = each / each.sum(), budgets / budgets.sum()

    def error(owner: np.ndarray) -> float:
        return float(np.abs(np.bincount(owner, each, minlength=parties) - budgets).sum() / 2)

    here, errors = owner.copy(), [error(owner)]
    for a, b in balance(owner, each, budgets).tolist():
        here[[a, b]] = here[[b, a]]
        errors.append(error(here))
    assert (np.diff(errors) < 0).all()
    assert np.bincount(here).tolist() == sizes
    there = owner.copy()
    for a, b in toward(owner, goal, each).tolist():
        there[[a, b]] = there[[b, a]]
    assert len({*zip(there.tolist(), goal.tolist(), strict=True)}) == parties, "the same division"
    named = matched(np.stack([owner, goal]), each, budgets, sizes)
    for before, after in zip((owner, goal), named, strict=True):
        assert len({*zip(before.tolist(), after.tolist(), strict=True)}) == parties
        assert np.bincount(after).tolist() == sizes
        assert error(after) <= error(before) + 1e-12


X = np.arange(24.0).reshape(4, 6) ** np.arange(1, 7)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"parties": 7}, r"^parties must be between 2 and the 6 columns, got 7$"),
        ({"parties": 1}, r"^joint: parties must be between 2 and 2048, got 1$"),
        ({"alpha": 0.0}, r"^joint: alpha must be between 0.001 and 100, got 0.0$"),
        ({"alpha": (1.0, 2.0)}, r"^alpha must be one number or one for each of the 4 parties, got 2$"),
        ({"beta": 1.5}, r"^joint: beta must be between 0 and 1, got 1.5$"),
        ({"definition": "mine"}, r"^joint: definition must be one of paper, package, got 'mine'$"),
    ],
)
def test_bad_input(more: dict[str, Any], message: str) -> None:
    """One sentence, before anything is searched."""
    with pytest.raises(ValueError, match=message):
        joint(X, **more)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones((5, 4)), r"^data must have a column that varies, got 4 constant ones: β is not defined$"),
        (np.ones((1, 4)), r"^X must have at least 2 rows to correlate columns, got 1$"),
        (np.full((5, 4), np.nan), r"^X must have no missing values, got 20 in 4 of 4 columns; "),
    ],
)
def test_bad_values(values: np.ndarray, message: str) -> None:
    """Constant columns, one row, missing values."""
    with pytest.raises(ValueError, match=message) as caught:
        joint(values)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"importance": [1, 2]}, r"^importance must be 4 numbers, got 2$"),
        (
            {"importance": [0, 0, 0, 0]},
            r"^importance must be numbers that are at least 0 and not all 0, got \[0.0, 0.0, ",
        ),
        (
            {"importance": [1, -1, 1, 1]},
            r"^importance must be numbers that are at least 0 and not all 0, got \[1.0, -1.0",
        ),
        ({"budgets": [1, 2, 3]}, r"^budgets must be 2 numbers, got 3$"),
        ({"budgets": [1, math.nan]}, r"^budgets must be numbers that are at least 0 and not all 0, got \[1.0, nan\]$"),
        ({"sizes": [2, 3]}, r"^sizes must be at least 2 and add up to the 4 columns of corr, got \[2, 3\]$"),
        ({"beta": -0.1}, r"^beta must be between 0 and 1, got -0.1$"),
    ],
)
def test_bad_arrays(change: dict[str, Any], message: str) -> None:
    """Lengths and ranges are checked first."""
    good: dict[str, Any] = {"importance": [1, 1, 1, 1], "sizes": [2, 2], "budgets": [1, 1], "beta": 0.5}
    with pytest.raises(ValueError, match=message):
        joint_split(np.eye(4), **{**good, **change})
