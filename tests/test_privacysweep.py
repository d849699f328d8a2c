"""What ε costs and what it bounds: hand values, and runs that are read off as they are."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trustkit as tk
from trustkit import use
from trustkit.comparison.result import Band
from trustkit.findings import fairness_of, quality_of
from trustkit.privacysweep import (
    EPSILONS,
    BudgetPoint,
    attack_bound,
    budget_points,
    epsilon_grid,
    on_budget_front,
    posterior_bound,
    swept_mechanism,
)
from trustkit.records import RunRecord

SMALL = tk.Experiment("acs_employment", use("iid", parties=3), model="logistic", rounds=1, seed=1)


def _point(epsilon: float, quality: float, measure: str = "accuracy") -> BudgetPoint:
    return BudgetPoint(epsilon, epsilon, 1.0, measure, Band(quality, quality, quality), None, 1)


def test_six_budgets_are_equal_steps_of_a_logarithm() -> None:
    """From 0.1 to 50, to two digits."""
    steps = [0.1 * 500 ** (k / 5) for k in range(6)]
    assert [float(f"{step:.2g}") for step in steps] == list(EPSILONS)


def test_the_grid_keeps_all_but_epsilon_and_seed() -> None:
    """Level, δ, clip and sampling stay; an experiment that names its noise gets an ε in its place."""
    private = SMALL.change(privacy=use("gaussian", level="client", epsilon=None, noise=2.0, delta=1e-6, clip=0.5))
    grid = epsilon_grid(private, [4.0, 1.0], seeds=2)
    assert list(grid) == [(1.0, 1), (1.0, 2), (4.0, 1), (4.0, 2), (math.inf, 1), (math.inf, 2)]
    for (epsilon, seed), experiment in grid.items():
        assert experiment.change(privacy=private.privacy, seed=1) == private
        assert experiment.seed == seed
        if math.isinf(epsilon):
            assert experiment.privacy is None
        else:
            assert experiment.privacy is not None
            assert experiment.privacy.args == {**private.privacy.args, "epsilon": epsilon, "noise": None}  # type: ignore[union-attr]


def test_columns_have_to_say_what_is_protected() -> None:
    """Then their own mechanism is varied; without one it is refused in a sentence."""
    across = tk.Experiment("wine", use("uniform", parties=2), "splitnn", rounds=1)
    assert swept_mechanism(across) is None
    with pytest.raises(ValueError, match="must name its mechanism before ε can be varied"):
        epsilon_grid(across)
    guarded = across.change(privacy=use("column_noise", protects="labels"))
    found = epsilon_grid(guarded, [2.0], seeds=1, without=False)
    assert [each.privacy.args["epsilon"] for each in found.values() if each.privacy] == [2.0]
    flips = guarded.change(privacy=use("randomised_labels"))
    assert swept_mechanism(flips) == flips.privacy


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seeds": 0}, "seeds must be at least 1, got 0"),
        ({"epsilons": [0.0]}, "every epsilon must be above 0, got 0.0"),
        ({"epsilons": [math.nan]}, "every epsilon must be above 0, got nan"),
    ],
)
def test_a_grid_that_cannot_be(arguments: dict[str, object], words: str) -> None:
    """Before anything is built."""
    with pytest.raises(ValueError, match=words):
        epsilon_grid(SMALL, **arguments)  # type: ignore[arg-type]


def test_points_are_read_off_real_runs() -> None:
    """Mean, smallest and largest over the seeds; more noise for a smaller ε; what is not whole is left out."""
    grid = epsilon_grid(SMALL, [0.5, 5.0], seeds=2)
    runs = {key: tk.run(experiment) for key, experiment in grid.items()}
    points = budget_points({**runs, (9.0, 1): RunRecord(SMALL)})
    assert [point.asked for point in points] == [0.5, 5.0, math.inf]
    for point in points:
        mine = [record for (asked, _), record in runs.items() if asked == point.asked]
        values = [quality_of(record).last for record in mine]
        assert point.quality == Band(float(np.mean(values)), min(values), max(values))
        worst = [found.worst for record in mine if (found := fairness_of(record)) is not None]
        assert point.gap == Band(float(np.mean(worst)), min(worst), max(worst))
        assert (point.seeds, point.measure) == (2, "accuracy")
    assert [point.noise is None for point in points] == [False, False, True]
    assert points[0].noise > points[1].noise > 0  # type: ignore[operator]
    assert 0 < points[0].epsilon <= 0.5
    assert 0.5 < points[1].epsilon <= 5.0
    assert math.isinf(points[2].epsilon)


def test_the_front_by_hand() -> None:
    """More ε must buy quality; of an error less is better; what is undefined is out."""
    assert on_budget_front([_point(1, 0.5), _point(2, 0.4), _point(4, 0.7), _point(8, math.nan)]).tolist() == [
        True, False, True, False,
    ]  # fmt: skip
    errors = [_point(1, 5.0, "RMSE"), _point(2, 6.0, "RMSE"), _point(math.inf, 2.0, "RMSE")]
    assert on_budget_front(errors).tolist() == [True, False, True]
    assert on_budget_front([]).tolist() == []


def test_bounds_by_hand() -> None:
    """Odds times e^ε; the corner of the region that (ε, δ) leaves; nothing is bounded without noise."""
    assert posterior_bound(math.log(3)) == pytest.approx(0.75)
    assert posterior_bound(math.log(9), prior=0.1) == pytest.approx(0.5)
    assert (posterior_bound(0.0, 0.2), posterior_bound(5.0, 0.0), posterior_bound(5.0, 1.0)) == (0.2, 0.0, 1.0)
    assert (posterior_bound(math.inf), posterior_bound(math.inf, 0.0)) == (1.0, 0.0)
    assert attack_bound(math.log(3), delta=0.2) == pytest.approx((3 + 0.2) / 4)
    assert attack_bound(math.log(3)) == pytest.approx(posterior_bound(math.log(3)))
    assert attack_bound(0.0) == 0.5
    assert attack_bound(0.1, prior=0.99) == pytest.approx(0.99)
    assert (attack_bound(math.inf), attack_bound(5000.0)) == (1.0, 1.0)


def test_bounds_refuse_what_is_none() -> None:
    """Named, with the rule and what came."""
    with pytest.raises(ValueError, match=r"epsilon must be at least 0, got -1\.0"):
        posterior_bound(-1.0)
    with pytest.raises(ValueError, match=r"prior must be between 0 and 1, got 1\.5"):
        posterior_bound(1.0, 1.5)
    with pytest.raises(ValueError, match="delta must be between 0 and 1, got 2"):
        attack_bound(1.0, 2.0)
