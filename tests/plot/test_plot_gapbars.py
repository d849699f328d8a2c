"""Gaps by client, rates by group and gaps of labels: what is drawn is what was measured, and redrawn is drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.plot import samples
from trustkit.disparities import COMPARED, Disparities
from trustkit.injected import Injected
from trustkit.plot import to_svg
from trustkit.plot.gapbars import client_gaps
from trustkit.plot.grouprates import group_rates
from trustkit.plot.labelgaps import label_gaps
from trustkit.rng import stream


def found(
    clients: int = 3, groups: int = 2, seed: int = 0, compared: str = "demographic_disparity", line: float = 0.09
) -> Disparities:
    """Made-up counts; the last client has one group only."""
    counts = stream(seed, "samples", "gaps").integers(1, 60, (clients, groups, 2, 2))
    counts[-1, 1:] = 0
    values = tuple(f"value {g}" if g % 2 else f"a longer value {g}" for g in range(groups))
    return Disparities("sex", "", COMPARED[compared], line, values, tuple(f"client {k + 1}" for k in range(clients)),
                       counts)  # fmt: skip


def injected(clients: int = 4, seed: int = 0) -> Injected:
    """Half of the clients biased, one without a gap."""
    draw = stream(seed, "samples", "injected").random((3, clients)) / 3
    asked = np.where(np.arange(clients) < clients // 2, 0.2, np.nan)
    now = draw[1].copy()
    now[-1] = np.nan
    return Injected(
        tuple(f"client {k + 1}" for k in range(clients)), ("sex",) * clients, asked, np.arange(clients) == 1, draw[0],
        now, now - 0.05, now + 0.05, ("female",) * clients, np.full(clients, 1000), np.arange(clients) * 10,
    )  # fmt: skip


def widths(figure: Figure) -> list[float]:
    """The lengths of the bars, hatched ones once more."""
    bars: Any = figure.axes[0].patches
    return [bar.get_width() for bar in bars]


def test_bars_are_gaps_from_the_worst_on() -> None:
    """Under the pooled one; over the line they are hatched, and an undefined one says why."""
    seen = found(4)
    drawn = widths(client_gaps(seen))
    gaps = [seen.pooled, *np.nan_to_num(seen.gap[seen.order])]
    assert drawn[:5] == pytest.approx(gaps)
    assert drawn[5:] == pytest.approx([gap if gap > 0.09 else 0 for gap in gaps])
    words = samples.texts(client_gaps(seen))
    assert "n/a: one group only" in words
    assert ["all together", *(f"client {k + 1}" for k in seen.order)] == [
        word.removesuffix(" †") for word in words if word.startswith(("all", "client"))
    ]
    least, most = seen.sizes[seen.order[0]].min(), seen.sizes[seen.order[0]].max()
    assert f"{least}–{most}" in words


def test_the_server_sees_one_bar_on_the_same_scale() -> None:
    """No client's bar, interval or size; what the line is, and how long the axis, stays."""
    seen = found(4)
    server, clients = client_gaps(seen, "server"), client_gaps(seen)
    assert widths(server)[0] == pytest.approx(seen.pooled)
    assert not any(widths(server)[1:5])
    assert server.axes[0].get_xlim() == clients.axes[0].get_xlim()
    assert sum("–" in word for word in samples.texts(server)) == 1
    assert "n/a: one group only" not in samples.texts(server)


def test_a_ratio_is_hatched_below_its_line() -> None:
    """On an axis to 1."""
    seen = found(4, compared="parity_ratio", line=0.8)
    figure = client_gaps(seen)
    assert figure.axes[0].get_xlim() == (0, 1)
    assert [bool(width) for width in widths(figure)[6:]] == [bool(v < 0.8) for v in seen.gap[seen.order]]


@pytest.mark.parametrize("draw", [client_gaps, group_rates])
def test_of_many_clients_the_worst_are_drawn(draw: Callable[..., Figure]) -> None:
    """Twenty."""
    seen = found(30)
    names = [word.removesuffix(" †") for word in samples.texts(draw(seen)) if word.startswith("client")]
    assert names == [f"client {k + 1}" for k in seen.order[:20]]


def test_the_worst_off_are_marked_in_words_and_by_a_frame() -> None:
    """Everybody's number stands in its cell; who has no rows has none; the dagger marks few rows."""
    seen = found(3)
    words = samples.texts(group_rates(seen))
    k = int(seen.order[0])
    for g, rate in enumerate(seen.rates[k]):
        mark = " ▼" if seen.worse[k] == g else ""
        few = " †" if seen.sizes[k, g] < 30 else ""
        assert f"{rate:.2f}{mark}{few}" in words
    figure = group_rates(seen)
    assert [patch.get_visible() for patch in figure.axes[0].patches] == [True, True, True, False]
    assert sum("▼" in word for word in words) == 3
    mesh: Any = figure.axes[0].collections[0]
    assert mesh.get_array().mask.sum() == 1
    assert mesh.get_clim() == (0, 1)


def test_of_many_cells_only_the_worst_off_have_numbers() -> None:
    """A page has no time for hundreds of words."""
    words = [word for word in samples.texts(group_rates(found(12, 8))) if word.startswith("0.")]
    assert len(words) == 12
    assert all("▼" in word for word in words)


def test_labels_before_after_and_asked() -> None:
    """Hollow and solid dots, strokes where a gap was asked for, and how many rows went."""
    seen = injected()
    figure = label_gaps(seen)
    before, after = figure.axes[0].lines[:2]
    assert samples.xy(before)[:, 0] == pytest.approx(seen.before)
    assert samples.xy(after)[:3, 0] == pytest.approx(seen.achieved[:3])
    words = samples.texts(figure)
    assert [word for word in words if word.endswith("of 1,000")] == [f"{n} of 1,000" for n in seen.dropped]
    assert words.count("n/a") == 1
    strokes: Any = figure.axes[0].collections[2]
    heights = [float(np.ptp(segment[:, 1])) for segment in strokes.get_segments()]
    assert heights == pytest.approx([0.84, 0.4])


@pytest.mark.parametrize(
    "draws",
    [
        [lambda f, d=d, v=v: client_gaps(d, v, f) for d in (found(), found(seed=1), found(14))
         for v in ("clients", "server")],
        [lambda f, d=d: group_rates(d, f) for d in (found(), found(seed=1), found(3, 5), found(12, 8), found(9, 8))],
        [lambda f, d=d: label_gaps(d, f) for d in (injected(), injected(seed=1), injected(15))],
    ],
    ids=["bars", "rates", "labels"],
)  # fmt: skip
def test_a_moved_picture_is_the_picture_drawn_anew(draws: list[Callable[[Figure | None], Figure]]) -> None:
    """Byte for byte, whatever it showed before."""
    figure = draws[0](None)
    for draw in (*draws[1:], draws[0]):
        figure = draw(figure)
        assert to_svg(figure, "x") == to_svg(draw(None), "x")
