"""The picture of a front shows every point where its numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plot.samples import front, texts, xy
from trustkit import plot


def test_points_stand_where_their_numbers_say() -> None:
    """Front and beaten ones apart, a point without a score nowhere, the start with a diamond; bytes as megabytes."""
    found = front(6)
    lines = {line.get_label(): xy(line) for line in plot.pareto_front(found).axes[0].get_lines()}
    spots = np.array([[point.values["bytes"] / 1e6, point.values["trust"]] for point in found.points])
    assert found.mask.any()
    assert not found.mask.all()
    np.testing.assert_array_equal(lines["front"], spots[found.mask])
    np.testing.assert_array_equal(lines["beaten"], spots[~found.mask])
    np.testing.assert_array_equal(lines["start"], spots[:1])
    assert {"MB sent and received by all", "trust", "front", "beaten", "start"} <= set(texts(plot.pareto_front(found)))
    axes = plot.pareto_front(found).axes[0]
    for k, (low, high) in enumerate((axes.get_xlim(), axes.get_ylim())):
        assert low < np.nanmin(spots[:, k]) <= np.nanmax(spots[:, k]) < high


def test_spread_over_seeds_is_drawn_for_the_front() -> None:
    """One standard deviation to both sides; nothing for one seed."""
    found = front(5, seeds=3)
    segments = plot.pareto_front(found, "accuracy", "privacy").axes[0].collections[0].get_segments()  # type: ignore[attr-defined]
    assert len(segments) == 2 * int(found.mask.sum())
    best = found.best[0]
    assert segments[0][:, 0] == pytest.approx(best.values["accuracy"] + np.array([-1, 1]) * best.spread["accuracy"])
    assert segments[1][:, 1] == pytest.approx(best.values["privacy"] + np.array([-1, 1]) * best.spread["privacy"])
    assert not plot.pareto_front(front(5)).axes[0].collections[0].get_segments()  # type: ignore[attr-defined]


def test_an_unknown_measure_is_refused() -> None:
    """And the known ones are listed; one objective is drawn against trust or accuracy."""
    with pytest.raises(ValueError, match=r"x and y must be of trust, .*trainings; got 'speed'"):
        plot.pareto_front(front(2), x="speed")
    axes = plot.pareto_front(front(3).over("privacy")).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("trust", "Privacy")
