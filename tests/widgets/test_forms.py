"""Forms are read off signatures: a control for each kind of parameter, and every change is told once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import ipywidgets as w
import pytest
from ipywidgets.widgets.widget import _instances
from trustkit.widgets.forms import close, control, form

from tests.widgets.labs import tree
from trustkit.catalogue import ALGORITHMS, ATTACKS, FAULTS, MODELS, PRIVACY, SPLITS, Catalogue, Entry, Interval
from trustkit.parameters import parameters_of


def made_up(
    data: Any,
    size: Annotated[int, Interval(1, 9), "how many"] = 3,
    rate: Annotated[float, Interval(0.5, float("inf")), "how fast"] = 1.5,
    hidden: Annotated[tuple[int, ...], Interval(1, 99), "widths"] = (8, 4),
    kind: Annotated[Literal["a", "b"], "which"] = "b",
    robust: Annotated[bool, "whether"] = True,
    noise: Annotated[float | None, Interval(0, 1), "none or some"] = None,
    count: Annotated[int | None, Interval(2, 9), "some or all"] = 4,
    either: Annotated[float | tuple[float, ...], Interval(0, 1), "one or several"] = 0.5,
    free: Annotated[int, "without a range"] = 1,
    text: Annotated[str, "a text"] = "x",
    seed: int = 0,
) -> None:
    """Do nothing."""


KINDS = {"size": w.BoundedIntText, "rate": w.BoundedFloatText, "hidden": w.Text, "kind": w.Dropdown,
         "robust": w.Checkbox, "noise": w.HBox, "count": w.HBox, "either": None, "free": None,
         "text": None}  # fmt: skip
NEW = {"size": (5, 5), "rate": (2.5, 2.5), "hidden": ("7 6,5", (7, 6, 5)), "kind": ("a", "a"), "robust": (False, False)}


@pytest.mark.parametrize("parameter", parameters_of(made_up), ids=lambda parameter: parameter.name)
def test_a_control_for_each_kind(parameter: Any) -> None:
    """With its range, its text and its value; none for what a form cannot show."""
    told: list[tuple[str, Any]] = []
    box = control(parameter, parameter.default, lambda *change: told.append(change))
    assert type(box) is type(None) if KINDS[parameter.name] is None else isinstance(box, KINDS[parameter.name])
    if box is None or isinstance(box, w.HBox):
        return
    assert box.tooltip == parameter.about
    assert box.description == parameter.name
    typed, meant = NEW[parameter.name]
    box.value = typed
    assert told == [(parameter.name, meant)]
    assert type(told[0][1]) is type(meant)
    assert parameter.check(told[0][1]) == meant


def test_a_number_that_may_be_none_is_turned_on_by_a_box() -> None:
    """Off tells none, on the number that stands there; both say what they are, and a closed form takes both along."""
    told: list[Any] = []
    optional = {p.name: p for p in parameters_of(made_up) if p.optional}
    row = control(optional["noise"], None, lambda *change: told.append(change))
    assert row is not None
    switch, number = row.children
    assert (switch.description, switch.tooltip, switch.value) == ("noise", "none or some", False)
    assert (number.description, number.disabled, number.value) == ("value of noise", True, 0.0)
    switch.value = True
    assert not number.disabled
    number.value = 0.25
    number.value = 7
    switch.value = False
    assert number.disabled
    switch.value = True
    assert told == [("noise", 0.0), ("noise", 0.25), ("noise", 1.0), ("noise", None), ("noise", 1.0)]
    count = control(optional["count"], 4, lambda *change: told.append(change))
    assert count is not None
    assert [box.value for box in count.children] == [True, 4]
    assert (count.children[1].min, count.children[1].max) == (2, 9)
    assert isinstance(count.children[1], w.BoundedIntText)
    off = control(optional["count"], None, lambda *change: told.append(change))
    assert off is not None
    assert [box.value for box in off.children] == [False, 4]


@pytest.mark.parametrize("catalogue", [ALGORITHMS, ATTACKS, FAULTS], ids=lambda catalogue: catalogue.thing)
def test_every_optional_number_can_be_set_and_unset(catalogue: Catalogue) -> None:
    """Of all that the page offers: what the control tells is what the entry takes."""
    for entry in catalogue.values():
        for parameter in entry.parameters:
            if parameter.type not in (float | None, int | None) or parameter.interval is None:
                continue
            told: list[Any] = []
            row = control(parameter, None, lambda _, value, told=told: told.append(value))
            assert row is not None
            switch, number = row.children
            switch.value = True
            number.value = 2
            switch.value = False
            assert told[-1] is None
            assert [parameter.check(value) for value in told] == told


def test_numbers_stay_in_their_range() -> None:
    """The control is held at the ends, so nothing impossible is told; no upper end is a very high one."""
    told: list[Any] = []
    size, rate = (control(p, p.default, lambda _, value: told.append(value)) for p in parameters_of(made_up)[:2])
    assert size is not None
    assert rate is not None
    size.value, rate.value = 77, 0.1
    assert told == [9, 0.5]
    assert (size.min, size.max, rate.min, rate.max) == (1, 9, 0.5, 1e9)


@pytest.mark.parametrize("text", ["8, x", "1.5", "a", "3; 4", "--1"])
def test_bad_list_text_is_ignored(text: str) -> None:
    """Nothing is told until it can be read."""
    told: list[Any] = []
    hidden = next(p for p in parameters_of(made_up) if p.name == "hidden")
    box = control(hidden, (8, 4), lambda *change: told.append(change))
    assert box is not None
    assert box.value == "8, 4"
    box.value = text
    assert told == []
    box.value = "16"
    assert told == [("hidden", (16,))]


def test_a_form_stands_on_what_is_given() -> None:
    """In the order of the signature; the rest on the defaults."""
    entry = Entry("made_up", made_up, "made up")
    box = form(entry, {"size": 7, "hidden": (1,)}, lambda *change: None)
    assert {item.description: item.value for item in box.children if not isinstance(item, w.HBox)} == {
        "size": 7, "rate": 1.5, "hidden": "1", "kind": "b", "robust": True,
    }  # fmt: skip


@pytest.mark.parametrize("catalogue", [ALGORITHMS, MODELS, PRIVACY, SPLITS], ids=lambda catalogue: catalogue.thing)
def test_every_entry_has_a_form(catalogue: Catalogue) -> None:
    """And most of its parameters are in it."""
    shown = {name: len(form(entry, {}, lambda *change: None).children) for name, entry in catalogue.items()}
    known = {name: len(entry.parameters) for name, entry in catalogue.items()}
    assert all(shown[name] <= known[name] for name in shown)
    assert sum(shown.values()) >= 0.6 * sum(known.values())


def test_a_closed_form_leaves_nothing_behind() -> None:
    """Neither its controls nor their layouts and styles."""
    before = set(_instances)
    box = form(Entry("made_up", made_up, "made up"), {}, lambda *change: None)
    assert len(set(_instances) - before) > len(tree(box))
    close(box)
    assert set(_instances) - before == set()
