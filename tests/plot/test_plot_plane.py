"""Where a split stands: each mark is where the number is, names do not hide one another, what is not known is said."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.plot.samples import texts, xy
from tests.plot.test_plot_columns import boxes
from tests.plot.test_plot_redraw import PICTURES
from trustkit import plot
from trustkit.metrics.correlation import spearman
from trustkit.plot import PlanePoint
from trustkit.rng import stream
from trustkit.split.exchange import exchange

nan, inf = float("nan"), float("inf")


def marks(figure: Figure, which: int = 0) -> list[list[float]]:
    """Return the places of the marks of a figure's lines that are marks only."""
    lines = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
    return [list(place) for place in xy(lines[which])]


def test_icor_between_its_bounds() -> None:
    """A value a quarter of the way is a quarter of the way; a disc for what is, a diamond for what was asked."""
    figure = plot.icor_gauge(-0.1, (-0.2, 0.2), 0.1, exact=True)
    assert np.ravel(marks(figure, 2)) == pytest.approx([0.25, 0])
    assert np.ravel(marks(figure, 1)) == pytest.approx([0.75, 0])
    assert {"Icor −0.100", "target 0.100", "min −0.200", "max 0.200", "all divisions"} == set(texts(figure))
    assert "best found" in texts(plot.icor_gauge(-0.1, (-0.2, 0.2), 0.1))
    assert not any("target" in text for text in texts(plot.icor_gauge(-0.1, (-0.2, 0.2))))


@pytest.mark.parametrize(
    ("given", "words", "places"),
    [
        ((None, (0.0, 0.2)), {"Icor n/a", "min 0.000", "max 0.200", "best found"}, []),
        ((nan, None, nan), {"Icor n/a", "target n/a", "bounds n/a"}, []),
        ((0.1, None, 0.05), {"Icor 0.100", "target 0.050", "bounds n/a"}, []),
        ((0.1, (nan, nan)), {"Icor 0.100", "bounds n/a"}, []),
        ((0.3, (0.0, 0.2)), {"Icor 0.300 (outside)", "min 0.000", "max 0.200", "best found"}, [[1, 0]]),
        ((-0.3, (0.0, 0.2)), {"Icor −0.300 (outside)", "min 0.000", "max 0.200", "best found"}, [[0, 0]]),
        ((0.2, (0.2, 0.2)), {"Icor 0.200", "min 0.200", "max 0.200", "best found"}, [[0.5, 0]]),
    ],
)
def test_icor_that_is_not_known_or_outside(given: Any, words: set[str], places: list[list[float]]) -> None:
    """In words; without bounds there is no place for it."""
    figure = plot.icor_gauge(*given)
    assert set(texts(figure)) == words
    assert marks(figure, 2) == places


def test_points_are_at_their_place_on_the_plane() -> None:
    """log₁₀ of α̂; ∞ has a place of its own beyond 100, marked; what is beyond the axis is at its edge."""
    points = [PlanePoint("a", "natural", 10, 0.25), PlanePoint("b", "natural", 1e-9, 0.5),
              PlanePoint("c", "natural", 5000, 0.75), PlanePoint("now", "current", inf, 1.0),
              PlanePoint("r", "random", 0.1, 0.0)]  # fmt: skip
    figure = plot.split_plane(points)
    by_marker = {line.get_marker(): xy(line).tolist() for line in figure.axes[0].lines if line.get_marker() != "None"}
    assert by_marker["s"] == [[1, 0.25], [-2, 0.5], [2, 0.75]]
    assert by_marker["x"] == [[-1, 0]]
    ((place, high),) = by_marker["o"]
    assert (place > 2, high) == (True, 1)
    labels = {tick.get_text(): tick.get_position()[0] for tick in figure.axes[0].get_xticklabels()}
    assert labels == {"0.01": -2, "0.1": -1, "1": 0, "10": 1, "100": 2, "∞": place}
    said = texts(figure)
    assert {"∞: equal importance", "a", "b", "c", "now"} <= set(said)
    assert {"random split", "natural parties", "this split"} <= set(said)
    assert "r" not in said  # random splits are not named


def test_points_without_a_place_are_listed() -> None:
    """Below the plane, at most four by name; synthetic data say so."""
    points = [PlanePoint(f"set {k}", "natural", nan, 0.5, k == 0) for k in range(6)]
    said = " ".join(texts(plot.split_plane([*points, PlanePoint("here", "current", 1, 0.5)])))
    assert "n/a: set 0 (synthetic), set 1, set 2, set 3, 2 more" in said
    assert "n/a" not in " ".join(texts(plot.split_plane([PlanePoint("here", "current", inf, 0.5)])))
    assert "radar_synthetic" in texts(plot.split_plane([PlanePoint("radar_synthetic", "natural", 1, 0.5, True)]))


@pytest.mark.parametrize("seed", range(4))
def test_names_on_the_plane_do_not_hide_one_another(seed: int) -> None:
    """Six natural sets and the current split within a small part of it, beside eight random ones."""
    draw = stream(seed, "test", "plane")
    points = [PlanePoint(f"random {k}", "random", 10 ** draw.uniform(0, 1.5), draw.uniform(0.3, 0.9)) for k in range(8)]
    points += [PlanePoint(f"data {k}", "natural", 10 ** draw.uniform(0, 1.9), draw.uniform(0, 0.6)) for k in range(6)]
    points.append(PlanePoint("this split", "current", 10, 0.5))
    figure = plot.split_plane(points)
    named = {words: box for words, box in boxes(figure).items() if words in {p.name for p in points}}
    assert len(named) == 7
    assert not [pair for pair in itertools.combinations(named, 2) if named[pair[0]].overlaps(named[pair[1]])]


def test_the_trend_is_the_table() -> None:
    """Six lines; what is not defined is left out; the axis ends at the first round number that is enough."""
    corr = spearman(stream(0, "test", "table").normal(size=(50, 7)))
    table = exchange(corr, 3)
    figure = plot.exchange_trend(table)
    lines = {str(line.get_label()): xy(line) for line in figure.axes[0].lines}
    assert set(lines) == {f"{name}({i})-({j})" for name in ("Pcor", "mcor") for i, j in ((1, 1), (1, 2), (2, 2))}
    for name, column in (("Pcor(1)-(2)", "pcor_12"), ("mcor(2)-(2)", "mcor_22")):
        np.testing.assert_array_equal(lines[name], table[["moved", column]].to_numpy(float))
    assert lines["mcor(1)-(2)"].size == 0
    assert figure.axes[0].get_ylim()[1] in (0.1, 0.2, 0.5, 1)
    with pytest.raises(
        ValueError, match=r"^frame must be what trustkit\.split\.exchange returns, got one without pcor_11$"
    ):
        plot.exchange_trend(table.drop(columns="pcor_11"))


def test_series_of_the_new_pictures_follow_the_theme() -> None:
    """Now, over the line, baseline and grid are variables of the page."""
    plane = plot.to_svg(PICTURES["split_plane"][2](None), "x")
    trend = plot.to_svg(PICTURES["exchange_trend"][0](None), "x")
    for picture in (plane, trend):
        assert all(f"var(--tk-{name}, #" in picture for name in ("now", "warn", "grid", "base"))
    assert "var(--tk-now, #" in plot.to_svg(PICTURES["party_shares"][0](None), "x")
