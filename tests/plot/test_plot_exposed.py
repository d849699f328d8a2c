"""The picture of a comparison of exposure: points where the numbers say, moved or drawn anew."""

from __future__ import annotations

import math

import numpy as np

from tests.plot.samples import texts, xy
from trustkit.exposure import Exposure, Finding, Tradeoff, Trial
from trustkit.plot import to_svg
from trustkit.plot.exposed import exposure_points
from trustkit.rng import stream


def made_up(names: tuple[str, ...], seeds: int = 2, draw: int = 0, refused: str = "", blind: str = "") -> Tradeoff:
    """Make runs out of random numbers; one may be refused, and of one nothing may be heard."""
    rng, trials = stream(draw, "samples", "exposure"), {}
    for name in names:
        each = []
        for _ in range(seeds):
            some = [Finding(t, "a", 1, 0, "model", "R²", (float(rng.random()),), 0.0) for t in ("labels", "features")]
            told = Exposure((), (0,), 9) if name == blind else Exposure(tuple(some), (0,), 9)
            trial = Trial(float(rng.random()), 1e6 * (1 + rng.random()), math.inf if draw else 3.0, told)
            each.append(Trial(refused="no") if name == refused else trial)
        trials[name] = tuple(each)
    return Tradeoff(tuple(range(seeds)), trials)


def test_points_and_crosses_stand_where_the_numbers_say() -> None:
    """One point a run in each panel that it has a value in, numbered as in the list."""
    found = made_up(("splitnn", "gal", "quiet", "no"), refused="no", blind="quiet")
    figure = exposure_points(found)
    bands = [found.bands(name) for name in ("splitnn", "gal")]
    for axes, target in zip(figure.axes, ("labels", "features"), strict=True):
        (dots,) = axes.get_lines()
        np.testing.assert_array_equal(xy(dots), [(each[target].mean, each["quality"].mean) for each in bands])
        segments = axes.collections[0].get_segments()  # type: ignore[attr-defined]
        assert len(segments) == 4
        np.testing.assert_array_equal(segments[0][:, 0], [bands[0][target].low, bands[0][target].high])
        np.testing.assert_array_equal(segments[2][:, 1], [bands[0]["quality"].low, bands[0]["quality"].high])
    seen = texts(figure)
    assert sum(words.startswith("1  splitnn · ") and words.endswith(" MB · ε 3") for words in seen) == 1
    assert "4  no · refused" in seen
    assert {"labels found ←", "features found ←", "accuracy →"} <= set(seen)
    assert seen.count("1") == 4  # two points, and the end of two axes
    assert "3" not in seen


def test_moved_is_drawn_anew() -> None:
    """Byte for byte, whatever it showed before; another shape is another figure."""
    before, after = made_up(("splitnn", "gal"), blind="gal"), made_up(("splitnn", "gal"), draw=1)
    figure = exposure_points(before)
    assert to_svg(exposure_points(after, figure), "x") == to_svg(exposure_points(after), "x")
    assert "no ε" in to_svg(exposure_points(after), "x")
    assert exposure_points(made_up(("one",)), figure) is not figure
