"""The whole page, in this process: it opens on a result, stays small, and redraws without growing."""

from __future__ import annotations

import asyncio
import gc
import itertools
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import (
    AskedPanel,
    ClientPanel,
    ComparePanel,
    CorrelationPanel,
    FairnessPanel,
    FilesPanel,
    Lab,
    PrivacyPanel,
    ReplicaPanel,
    ReportPanel,
    ScorePanel,
    SplitPanel,
    TrainPanel,
    TrustPanel,
    VerticalPanel,
    app,
    opening,
)
from trustkit.widgets.attack import AttackPanel
from trustkit.widgets.groups import GroupPanel
from trustkit.widgets.history import History
from trustkit.widgets.player import Player, measure
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import PLAIN, SMALL, Gate, setting_of, tabs_of, tree
from trustkit.catalogue import PANELS
from trustkit.preset import PRESETS
from trustkit.trust.taxonomy import PILLARS


def views(page: Any) -> dict[str, Any]:
    """Return the page's views by name."""
    return {widget.name: widget for widget in tree(page) if isinstance(widget, View)}


def failed(page: Any) -> list[str]:
    """List the views that are red."""
    return [name for name, view in views(page).items() if 'role="alert"' in view.value]


def pictures(page: Any) -> dict[str, str]:
    """Return the sentences of the page's pictures by view."""
    found = {name: re.search(r'<svg role="img" aria-label="([^"]+)"', view.value) for name, view in views(page).items()}
    return {name: match[1] for name, match in found.items() if match}


def test_opens_on_the_recorded_run() -> None:
    """Nothing is empty and nothing has failed: six pillars, a sentence, tiles, a split, fairness and a curve."""
    page = app()
    lab = page.lab
    assert (lab.state, lab.error) == ("idle", None)
    assert failed(page) == []
    assert set(pictures(page)) == {"pillars", "split", "fairness", "accuracy"}
    radar = pictures(page)["pillars"]
    for pillar in PILLARS:
        assert f"{pillar} {lab.report().pillars[pillar]:.2f}" in radar
    assert len(PILLARS) == 6
    gaps = tk.fairness_of(lab.outcome.record)
    assert gaps is not None
    assert f"{gaps.over} of 10 clients above 0.09" in pictures(page)["fairness"]
    said = views(page)["summary"].value
    assert f"{gaps.over} of 10 clients</span></b> exceed 0.09" in said
    assert f"{gaps.pooled:.3f}</span>" in said
    assert "idle · cached: 20 of 20 rounds were played before" in views(page)["status"].value


def test_is_made_of_few_widgets_and_no_output() -> None:
    """Output widgets lose text and jump; many widgets open slowly."""
    found = tree(app())
    assert len(found) <= 75  # 120 open slowly; other sections are built when they are visited
    assert not [widget for widget in found if isinstance(widget, w.Output)]
    assert all(callable(getattr(view, "draw", None)) for view in found if isinstance(view, View))


@pytest.mark.parametrize("preset", PRESETS)
def test_opens_on_every_preset(preset: str) -> None:
    """Trained or not; its caveat is on the page."""
    page = app(preset=preset)
    assert page.lab.experiment == PRESETS[preset].make()
    assert failed(page) == []
    assert "split" in pictures(page)
    caveats = [widget.value for widget in tree(page) if isinstance(widget, w.HTML) and "tk-caveat" in widget.value]
    assert [PRESETS[preset].caveat in caveat for caveat in caveats if "</style>" not in caveat] == (
        [True] if PRESETS[preset].caveat else []
    )


def test_it_can_be_drawn_larger() -> None:
    """By a style of this page alone; out of range is said before anything is made."""
    page = app(scale=1.4)
    assert "tk-scale-1-40" in page._dom_classes
    assert ".tk-scale-1-40 { zoom: 1.40; }" in page.children[0].value
    assert "zoom" not in app().children[0].value
    for scale in (0.4, 3.1, math.nan):
        with pytest.raises(ValueError, match=r"scale must be from 0\.5 to 3, got "):
            app(scale=scale)


def test_there_is_no_such_preset() -> None:
    """Said with those there are."""
    with pytest.raises(KeyError, match=r"there is no preset 'nowhere'; known are start, start/private, "):
        opening("nowhere")


def test_every_panel_is_in_the_catalogue_and_stands_alone() -> None:
    """On a lab of its own, and on one that has a result."""
    assert {entry.function for entry in PANELS.values()} == {
        AskedPanel, AttackPanel, ClientPanel, ComparePanel, CorrelationPanel, FairnessPanel, FilesPanel, GroupPanel,
        PrivacyPanel, ReplicaPanel, ReportPanel, ScorePanel, SplitPanel, TrainPanel, TrustPanel, VerticalPanel,
    }  # fmt: skip
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    for entry in PANELS.values():
        assert failed(entry.function()) == []
        assert failed(entry.function(lab)) == []
        assert entry.title


def test_a_view_that_breaks_is_red_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong in it: the others draw on, and it comes back by itself."""

    def broken(*args: Any, **more: Any) -> Any:
        raise ZeroDivisionError("a <broken> picture")

    page = app()
    with monkeypatch.context() as patch:
        patch.setattr(tk.plot, "pillar_radar", broken)
        page.lab.change(weights=(("privacy", 2.0),))
        assert failed(page) == ["pillars"]
        assert "a &lt;broken&gt; picture" in views(page)["pillars"].value
        page.lab.change(skew=0.1)
        assert failed(page) == ["pillars"]
        assert "stale" in views(page)["status"].value
    page.lab.reset()
    assert failed(page) == []


def test_weights_that_are_all_nought_say_so_where_they_matter() -> None:
    """There is no mean then; the curve, the split and fairness do not care."""
    page = app()
    page.lab.change(weights=tuple((pillar, 0.0) for pillar in PILLARS))
    assert set(failed(page)) == {"pillars", "summary", "tiles"}
    assert "weights must leave at least one metric" in views(page)["pillars"].value
    tabs_of(page).current = "trust"
    assert set(failed(page)) == {"pillars", "summary", "tiles", "scores"}
    page.lab.undo()
    assert failed(page) == []


def test_stale_is_marked_and_never_blank() -> None:
    """The earlier pictures stay, dimmed by the style sheet, until there are new ones."""
    page = app()
    before = pictures(page)
    assert "tk-stale" not in page._dom_classes
    page.lab.change(rounds=2)
    assert "tk-stale" in page._dom_classes
    assert {name: text for name, text in pictures(page).items() if name != "split"} == {
        name: text for name, text in before.items() if name != "split"
    }
    page.lab.undo()
    assert "tk-stale" not in page._dom_classes


def test_the_last_picture_stays_until_the_first_round() -> None:
    """Pressing Run must not make the page jump."""

    async def test() -> None:
        gate = Gate()
        start = opening()
        lab = Lab(start.setting.change(seed=7), start.outcome, Player(gate.work))
        page = app(lab)
        assert set(pictures(page)) == {"pillars", "split", "fairness", "accuracy"}
        lab.run()
        gate.arrive()
        lab._tell("progress")
        assert lab.state == "running"
        assert set(pictures(page)) == {"pillars", "split", "fairness", "accuracy"}
        lab.stop()
        gate.open()
        lab.player.wait()
        lab._finish()

    asyncio.run(test())


def test_axes_and_baseline_on_the_page() -> None:
    """Across columns there is a matrix; a pinned result is named in the radar's sentence."""
    page = app()
    page.lab.pin()
    assert "; baseline: privacy" in pictures(page)["pillars"]
    page.lab.change(axis="columns", table="wine")
    assert failed(page) == []
    assert "13 columns with the borders of 4 parties" in pictures(page)["correlation"]
    assert pictures(page)["split"].startswith("Importance by party: 4 parties")
    page.lab.change(epochs=1)
    page.lab.run(wait=True)
    assert failed(page) == []
    assert "fairness" not in pictures(page)
    assert "names no protected attribute" in views(page)["fairness"].value
    page.lab.change(axis="rows")
    assert page.lab.state == "idle"
    assert "fairness" in pictures(page)


def test_pictures_tell_more_clients_than_fit() -> None:
    """51 states: the twenty with the largest gap, and it says so."""
    experiment = PRESETS["start/states"].make().change(rounds=1)
    page = app(Lab(setting_of(experiment), measure(tk.run(experiment))))
    assert failed(page) == []
    assert re.search(r"20 worst of 5\d", views(page)["fairness"].value)


def test_loads_no_pyplot_and_no_torch() -> None:
    """In an interpreter of its own: pyplot keeps figures for ever, torch takes seconds."""
    code = (
        "import sys; from trustkit.widgets import app; page = app(); page.lab.change(skew=0.1); page.lab.pin(); "
        "print([name for name in ('matplotlib.pyplot', 'torch', 'pandas', 'shap') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def _pyplot_figures() -> list[int]:
    """Those pyplot keeps, if a library that other tests use has loaded it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return [] if pyplot is None else list(pyplot.get_fignums())


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads its memory from /proc")
def test_two_hundred_redraws_leave_nothing_behind() -> None:
    """With sliders, weights, menus and axes; pyplot knows of no new figure."""
    opened = _pyplot_figures()
    page = app(Lab(setting_of(SMALL), measure(tk.run(SMALL))))
    lab = page.lab
    moves: Any = itertools.cycle([
        {"skew": 0.1, "rows_split": "dirichlet"}, {"weights": (("privacy", 2.0),)}, {"clients": 7}, {"clients": 4},
        {"weights": ()}, {"rows_split": "iid"}, {"axis": "columns", "table": "wine"}, {"beta": 0.3}, {"axis": "rows"},
        {"epsilon": 5.0}, {"epsilon": math.inf}, {"strategy": "fedprox"}, {"strategy": "fedavg"},
    ])  # fmt: skip

    drawn = list[str]()

    def counted(view: Any, draw: Any) -> Any:
        def draw_and_count(lab: Any) -> Any:
            drawn.append(view.name)
            return draw(lab)

        return draw_and_count

    shown = [view for name, view in views(page).items() if name in ("pillars", "split", "accuracy", "fairness")]
    for view in shown:
        view.draw, view.of = counted(view, view.draw), None  # not even what was drawn of the same is shown again
    again = itertools.cycle(shown)

    def redraw(times: int) -> None:
        drawn.clear()
        while len(drawn) < times:
            lab.change(**next(moves))
            next(again).refresh()

    redraw(50)
    lab._history = History()
    gc.collect()
    before = _megabytes()
    redraw(200)
    gc.collect()
    assert _megabytes() - before < 30
    assert len(set(drawn)) == 4
    assert failed(page) == []
    assert _pyplot_figures() == opened
