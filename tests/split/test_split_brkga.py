"""The paper's genetic search, and Icor of a population by PyTorch."""

from __future__ import annotations

import sys
from typing import Any, get_args

import numpy as np
import pytest

import trustkit as tk
from trustkit.metrics import icor, spearman
from trustkit.metrics.correlation import Definition
from trustkit.rng import stream
from trustkit.split.brkga import brkga_extremes, brkga_target
from trustkit.split.population import icor_population
from trustkit.split.scores import scorer
from trustkit.split.search import bounds, reach

SPLIT: Any = tk.split
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)


def noise(columns: int) -> np.ndarray:
    """Return correlations of columns that share three hidden causes; one column is constant."""
    rng = stream(0, "noise")
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, columns)) + rng.normal(size=(60, columns))
    X[:, 0] = 1.0
    return spearman(X)


def quiet(done: float) -> None:
    """Take no notice of progress."""


@pytest.mark.parametrize("seed", range(2))
def test_annealing_is_at_least_as_wide(seed: int) -> None:
    """With unequal sizes; the genetic search keeps them, finds ends outside of chance, and scores what it says."""
    pytest.importorskip("pymoo")
    corr, sizes = noise(24), (9, 8, 7)
    score = scorer(corr, sizes, "package")
    least, greatest, scored = brkga_extremes(score, seed, quiet, generations=3)
    assert scored == 2 * (1000 + 2 * 800)
    assert np.bincount(least).tolist() == np.bincount(greatest).tolist() == list(sizes)
    low, high = icor(corr, least, "package"), icor(corr, greatest, "package")
    chance = [icor(corr, stream(k, "c").permutation(np.repeat(range(3), sizes)), "package") for k in range(20)]
    assert low < min(chance)
    assert high > max(chance)
    ends = bounds(corr, sizes, seed, "package")
    assert ends.min <= low
    assert ends.max >= high


def test_the_genetic_search_repeats_itself_and_leaves_no_trace() -> None:
    """The seed decides alone, whatever state NumPy's global generator is in; that one is left as it was."""
    pytest.importorskip("pymoo")
    score = scorer(noise(16), (4, 4, 4, 4))
    before = str(np.random.get_state(legacy=False))  # noqa: NPY002
    first = brkga_extremes(score, 1, quiet, generations=2)
    assert str(np.random.get_state(legacy=False)) == before  # noqa: NPY002
    np.random.random(3)  # noqa: NPY002 (another state)
    again = brkga_extremes(score, 1, quiet, generations=2)
    assert all((one == two).all() for one, two in zip(first[:2], again[:2], strict=True))
    other = brkga_extremes(score, 2, quiet, generations=2)
    assert (other[0] != first[0]).any()


def test_the_genetic_search_reaches_a_target() -> None:
    """Within a hundredth of the range; it stops before all generations are over."""
    pytest.importorskip("pymoo")
    corr, sizes = noise(16), (4, 4, 4, 4)
    ends, told = bounds(corr, sizes), list[float]()
    goal = 0.4 * ends.min + 0.6 * ends.max
    owner, scored = brkga_target(scorer(corr, sizes), goal, 0, told.append)
    assert abs(icor(corr, owner) - goal) < 0.01 * (ends.max - ends.min)
    assert 100 < scored < 100 + 99 * 80
    assert told == sorted(told)
    found = reach(corr, sizes, 0.6, ends, 0, method="brkga")
    assert found.icor == icor(corr, found.owner)
    assert abs(ends.beta(found.icor) - 0.6) < 0.01


def test_without_pymoo_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is searched."""
    monkeypatch.setitem(sys.modules, "pymoo.algorithms.soo.nonconvex.brkga", None)
    X = stream(0, "X").normal(size=(20, 6))
    with pytest.raises(ValueError, match=r"pip install 'trustkit\[brkga\]'\), got 'brkga'"):
        SPLIT.correlation(X, 2, method="brkga")


def test_few_divisions_are_all_tried_whatever_the_method() -> None:
    """Then both methods give the same split, but for its name."""
    pytest.importorskip("pymoo")
    X = stream(0, "X").normal(size=(20, 6))
    one, two = (SPLIT.correlation(X, 2, 0.3, method=method) for method in ("annealing", "brkga"))
    assert (one.owner == two.owner).all()
    assert one.achieved["bounds_exact"]
    assert two.achieved["method"] == two.made_by.args["method"] == "brkga"


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("sizes", [(10, 10, 10), (15, 8, 6, 1), (26, 2, 1, 1)])
def test_a_population_is_scored_as_one_by_one(definition: Definition, sizes: tuple[int, ...]) -> None:
    """Equal to the measure to 1e-9, in 8-byte floats."""
    corr, flat = noise(30), np.repeat(np.arange(len(sizes)), sizes)
    owners = np.stack([stream(k, "population").permutation(flat) for k in range(6)])
    expected = [icor(corr, owner, definition) for owner in owners]
    np.testing.assert_allclose(icor_population(corr, owners, definition), expected, atol=1e-9)


def test_a_population_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few blocks are held at a time, the answer is the same."""
    corr, flat = noise(30), np.repeat(np.arange(5), 6)
    owners = np.stack([stream(k, "population").permutation(flat) for k in range(6)])
    whole = icor_population(corr, owners, "package")
    for entries in (36, 36 * 25):
        monkeypatch.setattr("trustkit.split.population.ENTRIES", entries)
        np.testing.assert_allclose(icor_population(corr, owners, "package"), whole, atol=1e-12)


@pytest.mark.parametrize(
    ("owners", "device", "message"),
    [
        ([[0, 0, 1, 1], [0, 1, 1, 1]], "cpu", r"equally many columns, got sizes \[\[2, 2\], \[1, 3\]\]"),
        ([[0, 0, 0, 0]], "cpu", r"2 or more parties .* got sizes \[\[4\]\]"),
        ([[0, 1]], "cpu", r"owners must be \(R, 4\) parties of the columns, got shape \(1, 2\)"),
        ([[0, 0, 1, 1]], "tpu7", "device must be one of cpu.* here, got 'tpu7'"),
    ],
)
def test_errors_name_the_thing(owners: list[list[int]], device: str, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        icor_population(np.eye(4), np.array(owners), device=device)


def test_a_device_that_is_not_there() -> None:
    """One sentence; where there is a graphics card it gives the same numbers."""
    import torch

    corr, owners = noise(12), np.repeat(np.arange(3), 4)[None]
    if torch.cuda.is_available():
        np.testing.assert_allclose(
            icor_population(corr, owners, device="cuda"), icor_population(corr, owners), atol=1e-9
        )
    else:
        with pytest.raises(ValueError, match="device must be one of cpu here, got 'cuda'"):
            icor_population(corr, owners, device="cuda")
