"""A panel that is displayed alone brings its colours and sizes along, and says what is stale and what is made up."""

from __future__ import annotations

from typing import Any

import pytest
from ipywidgets.widgets.widget import _instances
from trustkit.widgets import AttackPanel, Lab, Setting, TrustPanel, page

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, setting_of
from trustkit.catalogue import PANELS
from trustkit.preset import PRESETS

VIEW = "application/vnd.jupyter.widget-view+json"


def displayed(panel: Any) -> Any:
    """What a notebook shows for a panel at the end of a cell."""
    return _instances[panel._repr_mimebundle_()[VIEW]["model_id"]]


@pytest.mark.parametrize("name", PANELS)
def test_every_panel_can_be_displayed_alone(name: str) -> None:
    """With the style sheet before it, on a page of its own."""
    panel = PANELS[name].function(Lab(setting_of(PLAIN)))
    alone = displayed(panel)
    style, shown = alone.children[:2]  # and what sets the language
    assert style.value.startswith("<style>")
    assert ".tk-unseen" in style.value
    assert shown is panel
    assert {"tk-app", "tk-alone"} <= set(alone._dom_classes)
    assert alone.lab is panel.lab


def test_panels_share_a_page_and_its_marks() -> None:
    """One style sheet; stale until it is trained, made up where the rows are, other places across columns."""
    lab = Lab(setting_of(PLAIN))
    whole = page(lab, TrustPanel(lab), AttackPanel(lab))
    assert len(whole.children) == 4
    assert "tk-stale" in whole._dom_classes
    assert "tk-alone" not in whole._dom_classes
    lab.run(wait=True)
    assert not {"tk-stale", "tk-synthetic"} & set(whole._dom_classes)
    lab.go(setting_of(COLUMNS))
    assert {"tk-stale", "tk-columns"} <= set(whole._dom_classes)
    made_up = next(each for name in PRESETS if "nbaiot" in (each := PRESETS[name].make()).data.name)
    made_up = made_up.change(rounds=1)
    lab.go(Setting.of(made_up))
    lab.run(wait=True)
    assert "tk-synthetic" in whole._dom_classes
    assert tk.headline_of(lab.outcome.record).rounds == 1
