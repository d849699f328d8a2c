"""The plane of α̂ and β̂: points are what the estimators say, and the recorded ones are still true."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trustkit as tk
from trustkit.partition import Partition
from trustkit.plane import NATURAL, held_shares, measured_natural, natural_points, plane_point, random_points
from trustkit.split import column_importance, estimate_alpha, estimate_beta


def test_shares_by_hand() -> None:
    """Party 0 holds 1 + 2 of 6, party 1 holds 3, party 2 nothing, and what nobody owns does not count."""
    partition = Partition("columns", np.array([0, 0, 1, -1]), 3)
    assert held_shares(np.array([1.0, 2.0, 3.0, 9.0]), partition).tolist() == [0.5, 0.5, 0.0]
    assert np.isnan(held_shares(np.zeros(4), partition)).all()


def test_a_point_is_what_the_estimators_say() -> None:
    """α̂ in the package's reading, β̂ with the bounds of the same sizes."""
    data = tk.datasets.load("wine")
    split = tk.split.importance(data, parties=3, alpha=2.0, seed=4)
    point = plane_point(data, split, "mine")
    assert (point.name, point.kind, point.synthetic) == ("mine", "current", False)
    assert point.alpha == estimate_alpha(column_importance(data), split, "package")
    assert point.beta == estimate_beta(data, split).beta


def test_random_splits_lie_where_the_paper_says() -> None:
    """Section 5: "high values of both α and β". On letter: above the middle of β, α above 1."""
    points = random_points(tk.datasets.load("letter"), parties=4, count=5)
    assert len({point.name for point in points}) == 5
    assert len({(point.alpha, point.beta) for point in points}) == 5
    assert all(point.kind == "random" for point in points)
    assert np.mean([point.beta for point in points]) > 0.5
    assert np.median([point.alpha for point in points]) > 1


@pytest.mark.parametrize("name", NATURAL)
def test_a_recorded_point_is_still_true(name: str) -> None:
    """Measured anew. Boosted trees round differently on other processors, hence the width of a marker."""
    recorded = {point.name: point for point in natural_points()}[name]
    found = measured_natural(name)
    assert math.log10(found.alpha) == pytest.approx(math.log10(recorded.alpha), abs=0.05)
    assert found.beta == pytest.approx(recorded.beta, abs=0.02)
    assert found.synthetic == recorded.synthetic
    assert found.synthetic == name.endswith("_synthetic")


def test_every_natural_data_set_is_recorded() -> None:
    """And no other."""
    assert [point.name for point in natural_points()] == list(NATURAL)
