"""The picture of a comparison shows every strategy where its numbers say, moved or drawn anew."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plot.samples import texts, xy
from trustkit.catalogue import use
from trustkit.comparison import Comparison, Outcome
from trustkit.experiment import Experiment
from trustkit.plot import to_svg
from trustkit.plot.strategies import strategy_dots
from trustkit.rng import stream

BASE = Experiment("acs_employment", use("iid", parties=3), "fedavg", "logistic")


def made_up(names: tuple[str, ...], seeds: int, refused: str = "", draw: int = 0) -> Comparison:
    """Make runs of three clients out of random counts."""
    rng, outcomes = stream(draw, "samples", "strategies"), {}
    for name in names:
        each = [Outcome(rng.random(3), {"sex": rng.integers(1, 50, (3, 2, 2, 2))}, 1e6) for _ in range(seeds)]
        outcomes[name] = tuple(Outcome(refused="no") if name == refused else one for one in each)
    return Comparison(BASE, "sex", tuple(range(seeds)), outcomes)


def test_dots_and_bands_stand_where_the_numbers_say() -> None:
    """One panel a measure; dots are means, bands reach to the ends, and the first strategy has a line."""
    found = made_up(("fedavg", "fairfed", "puffle"), 3, refused="fairfed")
    figure = strategy_dots(found, ("accuracy", "pooled_dd"))
    for axes, name in zip(figure.axes, ("accuracy", "pooled_dd"), strict=True):
        bands = [found.bands(each)[name] for each in ("fedavg", "puffle")]
        dots, first = axes.get_lines()
        np.testing.assert_array_equal(xy(dots), [(bands[0].mean, 0), (bands[1].mean, 2)])
        assert xy(first)[0, 0] == bands[0].mean
        segments = axes.collections[0].get_segments()  # type: ignore[attr-defined]
        np.testing.assert_array_equal(segments[1], [(bands[1].low, 2), (bands[1].high, 2)])
        assert axes.get_xlim()[0] < min(band.low for band in bands)
        assert axes.get_xlim()[1] > max(band.high for band in bands)
    seen = texts(figure)
    assert {"fedavg", "fairfed", "puffle", "accuracy →", "DD, pooled ←"} <= set(seen)
    assert seen.count("n/a") == 2


def test_stacked_panels_have_the_names_each() -> None:
    """One above the other on a phone: as wide as one panel with its names, which stand at all of them."""
    found = made_up(("fedavg", "fairfed"), 2)
    wide, tall = (strategy_dots(found, ("accuracy", "worst_dd"), stacked=stacked) for stacked in (False, True))
    assert texts(tall).count("fairfed") == 2
    assert texts(wide).count("fairfed") == 1
    assert tall.get_figwidth() < 3 < wide.get_figwidth()
    upper, lower = (axes.get_position() for axes in tall.axes)
    assert upper.y0 > lower.y1
    assert (upper.x0, upper.x1) == (lower.x0, lower.x1)
    assert xy(tall.axes[1].get_lines()[0]).tolist() == xy(wide.axes[1].get_lines()[0]).tolist()


def test_moved_is_drawn_anew() -> None:
    """Byte for byte, whatever it showed before; another shape is another figure."""
    names = ("fedavg", "a strategy with a name that is far too long")
    before, after = made_up(names, 3, refused="fedavg"), made_up(names, 2, draw=1)
    figure = strategy_dots(before)
    assert to_svg(strategy_dots(after, figure=figure), "x") == to_svg(strategy_dots(after), "x")
    assert strategy_dots(before, figure=figure) is figure
    assert strategy_dots(made_up(("fedavg",), 1), figure=figure) is not figure


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (("speed",), r"^measures must be of accuracy, .*; got 'speed'$"),
        ((), r"^measures must be at least one, got none$"),
    ],
)
def test_an_unknown_measure_is_refused(measures: tuple[str, ...], message: str) -> None:
    """And the known ones are listed."""
    with pytest.raises(ValueError, match=message):
        strategy_dots(made_up(("fedavg",), 1), measures)
