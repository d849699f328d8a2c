"""The correlation panel: matrix, Pcor and Icor between its bounds; signed or not, in either order."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from trustkit.widgets import CorrelationPanel, Lab, SplitPanel, correlation, split

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, hear, setting_of
from trustkit import use
from trustkit.rounds import partition_of


def parts(panel: Any) -> tuple[Any, Any, Any]:
    """Return the view and the two choices."""
    view, choices = panel.children
    return (view, *choices.children)


def labels(html: str) -> list[str]:
    """Return what the pictures say to people who do not see them."""
    return re.findall(r'<svg role="img" aria-label="([^"]*)"', html)


def test_three_pictures_say_what_the_partition_says() -> None:
    """Matrix, gauge and parties; asked and achieved β are both there."""
    view, _, _ = parts(CorrelationPanel(Lab(setting_of(COLUMNS))))
    achieved = partition_of(COLUMNS).achieved
    matrix, gauge, pairs = labels(view.value)
    assert matrix.startswith("Absolute Spearman correlation of 13 columns with the borders of 3 parties")
    assert "holding 5, 4, 4 columns" in matrix
    assert f"Icor {achieved['icor']:.3f} between {achieved['bounds'][0]:.3f} and {achieved['bounds'][1]:.3f}" in gauge
    low, high = achieved["bounds"]
    assert f"target {low + 0.5 * (high - low):.3f}" in gauge
    assert pairs.startswith("Pcor of every two of 3 parties")
    assert f"β asked 0.50, achieved {achieved['beta']:.3f}" in view.value


def test_choices_redraw() -> None:
    """Signed values, and like columns side by side; the numbers stay."""
    view, sign, order = parts(CorrelationPanel(Lab(setting_of(COLUMNS))))
    before = view.value
    sign.value = True
    signed = view.value
    assert labels(signed)[0].startswith("Spearman correlation")
    assert signed != before
    order.value = "clustered"
    assert view.value not in (before, signed)
    sign.value, order.value = False, "party"
    assert labels(view.value) == labels(before)


def test_while_a_slider_moves_pcor_waits() -> None:
    """Matrix and gauge follow at once, Pcor and the card of importance when the slider stands still or is let go."""

    async def test(end: Any) -> None:
        lab = Lab(setting_of(COLUMNS))
        view, _, _ = parts(CorrelationPanel(lab))
        held = SplitPanel(lab)
        while not lab.standings.of(lab.experiment).whole:
            await asyncio.sleep(0.01)
        before, card = view.value, held.value
        lab.change("beta", beta=0.9)
        moving = view.value
        assert labels(moving)[0] != labels(before)[0]
        assert pcor(moving) == pcor(before)
        assert held.value == card
        await hear(lab, "still", lambda: end(lab))
        assert pcor(view.value) != pcor(before)
        assert labels(view.value) == labels(moving)
        assert held.value != card

    asyncio.run(test(lambda lab: None))
    asyncio.run(test(lambda lab: lab.let_go()))


def pcor(html: str) -> str:
    """Return the picture of Pcor by party."""
    return html[html.index('<svg role="img" aria-label="Pcor') :]


def test_it_hides_across_rows() -> None:
    """There it has nothing to say; back across columns it returns."""
    lab = Lab(setting_of(PLAIN))
    panel = CorrelationPanel(lab)
    assert (panel.layout.display, parts(panel)[0].value) == ("none", "")
    lab.go(setting_of(COLUMNS))
    assert panel.layout.display == ""
    assert len(labels(parts(panel)[0].value)) == 3


def test_a_split_without_a_target_has_no_bounds() -> None:
    """The natural views of a table: Icor is measured, nothing was asked for."""
    wanted = tk.Experiment("landsat", "by_views", "splitnn", rounds=1)
    view, _, _ = parts(CorrelationPanel(Lab(setting_of(wanted))))
    _, gauge, _ = labels(view.value)
    assert gauge == f"Icor {partition_of(wanted).achieved['icor']:.3f}"
    assert "asked" not in view.value


def test_synthetic_rows_are_labelled() -> None:
    """In the card itself."""
    wanted = tk.Experiment(use("radar_synthetic", rows=1000), "by_views", "splitnn", rounds=1)
    view, _, _ = parts(CorrelationPanel(Lab(setting_of(wanted))))
    assert '<span class="tk-tag">synthetic data</span>' in view.value


def test_a_very_wide_table_is_not_drawn(monkeypatch: Any) -> None:
    """A sentence instead of pictures that would hold up the page; what is not measured is not called a number."""
    monkeypatch.setattr(correlation, "WIDE", 12)
    view, _, _ = parts(CorrelationPanel(Lab(setting_of(COLUMNS))))
    assert labels(view.value) == []
    assert "The correlations are drawn of at most 12 columns; this table has 13." in view.value
    assert f"achieved {partition_of(COLUMNS).achieved['beta']:.3f}" in view.value


def test_a_search_says_how_much_it_has_to_do(monkeypatch: Any) -> None:
    """The columns; of a very wide table also the size of their correlations."""
    lab = Lab(setting_of(COLUMNS))
    lab.search.words = "target, 40%"
    assert (
        split.searching(lab) == "looking for the split of 13 columns; any other setting ends the search … (target, 40%)"
    )
    monkeypatch.setattr(split, "WIDE", 12)
    assert "13 columns (their correlations are 676 B: minutes); " in split.searching(lab)  # 4 × 13²
