"""Pictures about a trust score: what moved it, how it grew, and how far it depends on choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

from tests.plot.samples import texts, xy
from trustkit import plot
from trustkit.trust import FactSheet, assess, sensitivity
from trustkit.trust.attribution import Bar, Waterfall

nan = float("nan")


def falls(*contributions: float, start: float = 0.5) -> Waterfall:
    """Make a waterfall of metrics a, b, c … that moved trust by so much."""
    bars = [
        Bar("metric", name, "score", 0.0, 1.0, value) for name, value in zip("abcdefgh", contributions, strict=False)
    ]
    return Waterfall(start, start + sum(contributions), tuple(bars), ())


def drawn(figure: Any) -> list[tuple[str, float, float, str, str]]:
    """List the bars: name, start, width, colour, hatch."""
    axes = figure.axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()][1:-1]
    return [(name, round(b.get_x(), 9), round(b.get_width(), 9), to_hex(b.get_facecolor()), b.get_hatch())
            for name, b in zip(names, axes.containers[0], strict=True)]  # fmt: skip


def test_bars_lead_from_the_baseline_to_now() -> None:
    """Largest first, each where the one before ends; what falls is hatched and of another colour. By hand."""
    figure = plot.trust_waterfall(falls(0.01, -0.2, 0.05), {"b": "Beta"})
    assert drawn(figure) == [
        ("Beta", 0.3, 0.2, "#d55e00", "////"), ("c", 0.3, 0.05, "#0072b2", ""), ("a", 0.35, 0.01, "#0072b2", ""),
    ]  # fmt: skip
    said = texts(figure)
    assert {"0.500", "▼ −0.200", "▲ +0.050", "▲ +0.010", "0.360", "baseline", "now"} <= set(said)


def test_what_does_not_fit_is_one_bar() -> None:
    """The smallest are joined, the sum is kept; what would read 0.000 is not drawn."""
    figure = plot.trust_waterfall(falls(0.08, 0.04, 0.02, -0.01, 0.0004), {}, most=3)
    assert [bar[0] for bar in drawn(figure)] == ["a", "b", "all others"]
    assert drawn(figure)[-1][2] == pytest.approx(0.0104)
    assert [bar[0] for bar in drawn(plot.trust_waterfall(falls(0.08, 0.0004), {}))] == ["a"]
    assert drawn(plot.trust_waterfall(falls(0.0), {})) == []


def test_words_and_numbers_of_a_waterfall_fit() -> None:
    """Inside the picture, however long the names are and wherever the score lies."""
    for found in (falls(0.4, -0.6, start=0.7), falls(0.003), falls(-0.5, start=1.0), falls(0.9, start=0.0)):
        figure = plot.trust_waterfall(found, {"a": "a name that is far too long for a bar"})
        figure.draw_without_rendering()
        axes: Any = figure.axes[0]
        for text in (*axes.texts, *axes.get_yticklabels(), *axes.get_xticklabels(), axes.xaxis.label):
            box = text.get_window_extent()
            assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1 + 1, text.get_text()
            assert figure.bbox.y0 - 1 <= box.y0


def test_bands_are_those_of_the_samples() -> None:
    """Ends, middle and score of every band, from the samples themselves; a pillar without evidence has none."""
    report = assess(FactSheet({"performance/test_acc_avg": 0.8, "participants/client_num": 100}))
    found = sensitivity(report, draws=101)
    figure = plot.score_bands(found, {"robustness": "Robustness"}, level=0.5)
    axes: Any = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["trust", "Robustness", "accountability"]
    middle, given = axes.lines
    for row, name in enumerate(("trust", "robustness")):
        values = found.samples[name]
        bar = axes.containers[0][row]
        assert (bar.get_x(), bar.get_x() + bar.get_width()) == pytest.approx(tuple(np.quantile(values, [0.25, 0.75])))
        assert xy(middle)[row] == pytest.approx((np.median(values), row))
        assert xy(given)[row] == pytest.approx((report.score if row == 0 else report.pillars[name], row))
    with pytest.raises(ValueError, match="level must be above 0 and at most 1, got 0"):
        plot.score_bands(found, level=0)


def test_trail_has_a_ghost_for_every_round_and_one_in_full() -> None:
    """A pillar without a score is no corner; later ghosts are stronger."""
    scores: list[Any] = [{"a": 0.1, "b": None, "c": 0.5, "d": 1.0}, {"a": 0.2, "b": 0.4, "c": nan, "d": 1.0}]
    figure = plot.pillar_trail(scores, (3, 9), 0, {"a": "Alpha"})
    axes: Any = figure.axes[0]
    ghosts = axes.collections[0]
    right = np.pi / 2
    np.testing.assert_allclose(ghosts.get_segments()[0], [(0, 0.1), (2 * right, 0.5), (3 * right, 1.0), (0, 0.1)])
    np.testing.assert_allclose(ghosts.get_segments()[1], [(0, 0.2), (right, 0.4), (3 * right, 1.0), (0, 0.2)])
    assert ghosts.get_colors()[0][3] < ghosts.get_colors()[1][3]
    np.testing.assert_allclose(xy(axes.lines[0]), ghosts.get_segments()[0])
    assert {"Alpha", "0.10", "n/a", "round 3 of 9"} <= set(texts(figure))
    moved = plot.pillar_trail(scores, (3, 9), 1, {"a": "Alpha"}, figure)
    assert moved is figure
    np.testing.assert_allclose(xy(axes.lines[0]), ghosts.get_segments()[1])


@pytest.mark.parametrize("rounds", [(), (1, 2)])
def test_a_trail_needs_as_many_rounds_as_scores(rounds: tuple[int, ...]) -> None:
    """And at least one."""
    scores = [{"a": 1.0}][: len(rounds)]
    message = f"scores and rounds must be as many and at least 1, got {len(scores)} and {len(rounds)}"
    with pytest.raises(ValueError, match=message):
        plot.pillar_trail(scores, rounds)


def test_a_waterfall_needs_room() -> None:
    """For one bar, and one of all others."""
    with pytest.raises(ValueError, match="most must be at least 2 bars, got 1"):
        plot.trust_waterfall(falls(0.1), {}, 1)
