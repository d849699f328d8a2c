"""The fairness panel: server and client view, attribute, value, intersection, measure, line; and what is undefined."""

from __future__ import annotations

import re
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import FairnessPanel, Lab
from trustkit.widgets.groups import GroupPanel
from trustkit.widgets.looking import Look, Looking
from trustkit.widgets.player import measure
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, heard, setting_of, tree
from trustkit import use
from trustkit.disparities import COMPARED, disparities_of

ANSWERS = tk.Experiment("acs_employment", use("iid", parties=5), use("fedavg", batch=64), "logistic", rounds=2, seed=3)


def text(html: str) -> str:
    """What is read, without pictures and without what explains itself on focus."""
    html = re.sub(r'<span class="tk-unseen">.*?</span>|<svg.*?</svg>', " ", html, flags=re.DOTALL)
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def parts(panel: w.VBox) -> dict[str, Any]:
    """The panel's controls by what they are called, its views by name."""
    found = {getattr(item, "description", "") or getattr(item, "label", ""): item for item in tree(panel)
             if isinstance(item, (w.Dropdown, Slider, w.Checkbox, w.Button))}  # fmt: skip
    found |= {item.name: item for item in tree(panel) if isinstance(item, View)}
    return found | {"view": next((item for item in tree(panel) if isinstance(item, w.ToggleButtons)), None)}


@pytest.fixture
def lab() -> Any:
    """With a short run on real answers."""
    return Lab(setting_of(ANSWERS), measure(tk.run(ANSWERS)))


def label(view: Any) -> str:
    """The sentence of a view's picture."""
    return str(re.findall(r'role="img" aria-label="([^"]*)"', view.value)[0])


def test_one_click_shows_what_the_average_hides(lab: Any) -> None:
    """The server's number first, then the clients'; the tiles hold both, and what lies between."""
    panel = parts(FairnessPanel(lab))
    gaps = tk.fairness_of(lab.outcome.record)
    assert gaps is not None
    panel["view"].value = "server"
    said = text(panel["fairness"].value)
    assert f"of all held-out rows together: {gaps.pooled:.3f}" in said
    assert "What do clients see? Switch the view." in said
    assert "worst client ? not in this view" in said
    assert label(panel["fairness"]) == f"Demographic disparity by sex: pooled {gaps.pooled:.3f}, clients not shown"
    panel["view"].value = "clients"
    said = text(panel["fairness"].value)
    assert f"worst client {gaps.worst:.3f}" in said
    assert f"masking gap {gaps.masking:.3f}" in said
    assert f"{gaps.over} of 5 clients above 0.09, worst {gaps.worst:.3f}" in label(panel["fairness"])


@pytest.mark.parametrize("compared", COMPARED)
def test_every_measure(lab: Any, compared: str) -> None:
    """As the library has it; a ratio has a line of its own, below which it counts."""
    panel = parts(FairnessPanel(lab))
    panel["measure"].value = compared
    found = disparities_of(lab.outcome.record, "sex", compared=compared)
    assert found is not None
    side = "below 0.8" if compared == "parity_ratio" else "above 0.09"
    assert f"{int(found.over.sum())} of 5 clients {side}, worst {found.worst:.3f}" in label(panel["fairness"])
    assert panel["line"].value == (0.8 if compared == "parity_ratio" else 0.09)


def test_the_line_is_moved_and_each_kind_keeps_its_own(lab: Any) -> None:
    """A gap's and a ratio's; only what can be seen changes, no setting, and nothing is stale."""
    panel = parts(FairnessPanel(lab))
    with heard(lab) as topics:
        panel["line"].value = 0.02
    assert topics == ["looking"]
    assert lab.state == "idle"
    gaps = tk.fairness_of(lab.outcome.record)
    assert gaps is not None
    assert f"{(gaps.disparity > 0.02).sum()} of 5 clients above 0.02" in label(panel["fairness"])
    panel["measure"].value = "parity_ratio"
    panel["line"].value = 0.9
    panel["measure"].value = "accuracy_gap"
    assert (panel["line"].value, lab.looking.look.ratio_line) == (0.02, 0.9)


def test_attribute_value_and_intersection(lab: Any) -> None:
    """Values follow the groups; a value is let go with its attribute, and an attribute is not crossed with itself."""
    panel = parts(FairnessPanel(lab))
    panel["groups by"].value = "race5"
    panel["value"].value = "Black"
    assert "by race5, Black against all others:" in label(panel["fairness"])
    panel["crossed with"].value = "sex"
    assert "by race5 &amp; sex:" in label(panel["fairness"])
    assert len(panel["value"].options) == 1 + 5 * 2
    panel["value"].value = "Black & female"
    assert "Black &amp; female against all others" in label(panel["fairness"])
    panel["groups by"].value = "sex"
    assert lab.looking.look == Look(attribute="sex")
    assert "by sex:" in label(panel["fairness"])
    assert [name for _, name in panel["crossed with"].options] == ["", "race", "race5"]


def test_small_groups_are_marked_or_left_out_and_undefined_ones_say_why(lab: Any) -> None:
    """Five values of race at five clients: some groups are tiny."""
    panel = parts(FairnessPanel(lab))
    panel["groups by"].value = "race5"
    assert "† a group under 30 rows" in text(panel["fairness"].value)
    panel["counting"].value = 30
    found = disparities_of(lab.outcome.record, "race5", min_group=30)
    assert found is not None
    assert f"worst {found.worst:.3f}" in label(panel["fairness"])
    assert "†" not in text(panel["fairness"].value)
    lone = PLAIN.change(data="cces", split=use("by_group", group="state"), rounds=1)
    states = Lab(setting_of(lone), measure(tk.run(lone)))
    states.looking.change(attribute="race", compared="equal_opportunity", min_group=30)
    said = text(parts(FairnessPanel(states))["fairness"].value)
    assert "20 worst of 51" in said
    assert re.search(r"n/a: [A-Z]\w+.* \(fewer than two groups have 30 or more such rows\).* and \d+ more", said)


def test_what_a_run_does_not_have_is_not_looked_for(lab: Any) -> None:
    """Other data, columns, or nothing at all: the first attribute, or a sentence and no menus."""
    panel = parts(FairnessPanel(lab))
    panel["groups by"].value = "race5"
    panel["value"].value = "Black"
    other = tk.Experiment("cces", use("by_group", group="state"), "fedavg", "logistic", rounds=1)
    lab.go(setting_of(other))
    lab.run(wait=True)
    assert "by sex:" in label(panel["fairness"])
    lab.go(setting_of(COLUMNS.change(data="acs_employment")))
    lab.run(wait=True)
    assert "of 1 clients" in label(panel["fairness"])
    assert panel["crossed with"].layout.display == "none"
    bare = FairnessPanel(Lab(setting_of(PLAIN)))
    assert text(parts(bare)["fairness"].value) == "Fairness, client by client nothing trained yet"
    assert bare.children[1].layout.display == bare.children[2].layout.display == "none"


def test_it_is_measured_once_for_all_panels(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Card and map look at the same thing."""
    made: list[int] = []

    def counted(*args: Any, **more: Any) -> Any:
        made.append(1)
        return disparities_of(*args, **more)

    monkeypatch.setattr("trustkit.widgets.looking.disparities_of", counted)
    FairnessPanel(lab)
    GroupPanel(lab)
    lab.looking.change(compared="equal_opportunity")
    assert len(made) == 2


def test_the_map_marks_who_is_worst_off(lab: Any) -> None:
    """Counted by group in its sentence; a line changes nothing in it."""
    panel = parts(GroupPanel(lab))
    lab.looking.change(attribute="race5", compared="equal_opportunity")
    found = disparities_of(lab.outcome.record, "race5", compared="equal_opportunity")
    assert found is not None
    for g, value in enumerate(found.values):
        n = int((found.worse == g).sum())
        assert (f"{value} at {n}" in label(panel["groups"])) == (n > 0)
    assert "true positive rate of each group of race5 · ▼ worst off" in text(panel["groups"].value)
    before = panel["groups"].value
    lab.looking.change(gap_line=0.3, view="server")
    assert panel["groups"].value is before


def test_only_changes_are_told() -> None:
    """The same look again is none."""
    told: list[int] = []
    looking = Looking(lambda: told.append(1))
    looking.change(compared="demographic_disparity")
    looking.change(attribute="a", other="b")
    looking.change(attribute="b")
    assert (looking.look, len(told)) == (Look(attribute="b"), 2)
    assert looking.look.groups == "b"


def test_words_say_what_was_measured() -> None:
    """None of the words that a measure cannot stand for."""
    from pathlib import Path

    import trustkit.widgets

    folder = Path(trustkit.widgets.__file__).parent
    source = "".join((folder / f"{name}.py").read_text() for name in ("fairness", "groups", "injecting", "strategies"))
    assert not re.search(r"unbiased|debias|solves fairness", source, flags=re.IGNORECASE)
