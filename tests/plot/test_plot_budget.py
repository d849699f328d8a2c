"""What ε costs, drawn: points where they are, what is beaten hollow, no noise apart; and several runs on a radar."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.plot.samples import texts, xy
from trustkit import plot
from trustkit.comparison.result import Band
from trustkit.plot import style
from trustkit.privacysweep import BudgetPoint


def point(epsilon: float, quality: float, gap: float | None = 0.1, measure: str = "accuracy") -> BudgetPoint:
    """Make a point up; its noise falls with ε, and without noise there is none."""
    noise = None if math.isinf(epsilon) else 2 / epsilon
    held = None if gap is None else Band(gap, gap / 2, gap * 2)
    return BudgetPoint(epsilon, epsilon, noise, measure, Band(quality, quality - 0.1, quality + 0.1), held, 3)


def test_points_stand_where_they_are() -> None:
    """By ε and quality; filled on the front, hollow if beaten; a diamond where the page is; σ in words."""
    points = [point(0.1, 0.5), point(1.0, 0.4), point(10.0, 0.7), point(math.inf, 0.8)]
    figure = plot.privacy_utility(points, points[1])
    parts = style.artists(figure, (4, True, True)) or {}
    quality, gap = parts["series"]
    assert xy(quality["front"])[:2].tolist() == [[0.1, 0.5], [10.0, 0.7]]
    assert xy(quality["beaten"]).tolist() == [[1.0, 0.4]]
    assert xy(quality["current"]).tolist() == [[1.0, 0.4]]
    assert xy(gap["current"]).tolist() == [[1.0, 0.1]]
    assert quality["bands"].get_segments()[0][:, 1].round(3).tolist() == [0.4, 0.6]
    assert {"20", "2", "0.2", "none", "no noise", "on the front", "beaten", "now"} <= set(texts(figure))
    data = plot.data_of(figure)
    assert data["quality_mean"].tolist() == [0.5, 0.4, 0.7, 0.8]
    assert data["noise"].tolist()[:3] == [20.0, 2.0, 0.2]
    assert data["noise"].tolist()[3] is None
    assert data["on_front"].tolist() == [True, False, True, True]
    assert np.isinf(data["epsilon"].tolist()[3])


def test_no_attribute_no_second_row() -> None:
    """Nothing is drawn of what is not known."""
    figure = plot.privacy_utility([point(1.0, 4.0, None, "RMSE")])
    assert len(figure.axes) == 2
    assert "RMSE ←" in texts(figure)
    assert plot.data_of(figure)["worst_gap_mean"].tolist() == [None]


def test_ghosts() -> None:
    """The first has the area, a run without a score is skipped, too many are refused."""
    runs = {"now": {"a": 0.5, "b": 1.0, "c": None}, "before": {"a": 0.25, "b": 0.5, "c": 0.75}}
    figure = plot.pillar_ghosts(runs, "before")
    parts = style.artists(figure, (("a", "b", "c"), 2, 1)) or {}
    assert xy(parts["lines"][0])[:, 1].tolist() == [0.5, 1.0, 0.5]
    assert xy(parts["lines"][1])[:, 1].tolist() == [0.25, 0.5, 0.75, 0.25]
    assert parts["lines"][1].get_linestyle() == "--"
    assert {"now", "before", "a", "b", "c"} <= set(texts(figure))
    with pytest.raises(ValueError, match="reports must be 1 to 9, got 0"):
        plot.pillar_ghosts({})
