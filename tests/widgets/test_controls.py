"""Every control moves its own field, on both axes; following a setting moves nothing."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import ipywidgets as w
import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances
from trustkit.widgets import Controls, Lab, Setting
from trustkit.widgets.header import Header
from trustkit.widgets.setting import choices

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, SMALL, Gate, heard, setting_of, tree
from tests.widgets.test_setting import ODD
from trustkit import use
from trustkit.catalogue import ALGORITHMS, DATASETS, MODELS, SPLITS
from trustkit.horizontal.plan import select
from trustkit.preset import PRESETS

FIELDS = {
    "rows": {"alpha": "skew", "beta": None, "epsilon": "epsilon", "clients": "clients", "selection": "selection",
             "rounds": "rounds"},
    "columns": {"alpha": "alpha", "beta": "beta", "epsilon": None, "clients": "parties", "selection": None,
                "rounds": "epochs"},
}  # fmt: skip


def made(setting: Any = None) -> tuple[Any, Any]:
    """Make a lab and its controls."""
    lab = Lab(setting or Setting(data="breast_cancer", table="wine", columns_split="correlation", rounds=2))
    return lab, Controls(lab)


def moved(before: Any, after: Any) -> dict[str, Any]:
    """List the fields that differ."""
    pairs = ((field.name, getattr(after, field.name)) for field in dataclasses.fields(after))
    return {name: value for name, value in pairs if value != getattr(before, name)}


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_each_slider_moves_its_field_and_no_other(axis: str) -> None:
    """By one stop up and one down; a slider that does nothing on this axis is disabled and says why."""
    lab, controls = made()
    controls.axis.value = axis
    assert lab.setting.axis == axis
    for split in ("correlation", "importance") if axis == "columns" else ("dirichlet",):
        controls.split.value = split
        for name, field in FIELDS[axis].items():
            slider = controls.sliders[name]
            if field is None or not slider.enabled:
                assert not slider.enabled
                assert slider.hint
                continue
            for step in (1, -1):
                before, at = lab.setting, slider.index + step
                if 0 <= at < len(slider.stops):
                    slider.index = at
                    assert moved(before, lab.setting) == {field: slider.stops[at]}
                    lab.undo()
    lab.undo()


def test_what_is_disabled_says_why() -> None:
    """In a few words of its own kind."""
    _, controls = made()
    for axis, split, off in (
        ("rows", "dirichlet", {"beta": "columns"}), ("rows", "iid", {"alpha": "not used", "beta": "columns"}),
        ("columns", "correlation", {"alpha": "not used", "epsilon": "more settings", "selection": "all parties"}),
        ("columns", "importance", {"beta": "not used", "epsilon": "more settings", "selection": "all parties"}),
    ):  # fmt: skip
        controls.axis.value = axis
        controls.split.value = split
        found = {name: slider.hint for name, slider in controls.sliders.items() if not slider.enabled}
        assert found.keys() == off.keys()
        assert all(words in found[name] for name, words in off.items()), found
        assert all(slider.label for slider in controls.sliders.values())


def test_clients_that_a_split_brings_are_counted() -> None:
    """51 states are 51 clients, whatever the slider said; half of them are selected as the engine does it."""
    lab, controls = made(Setting.of(PRESETS["start/states"].make()))
    clients, selection = controls.sliders["clients"], controls.sliders["selection"]
    count = len(lab.federated())
    assert count > 50
    assert (clients.value, clients.enabled, clients.hint) == (count, False, f"{count}, given by this split")
    drawn = select(42, 1, np.arange(count), 0.5).size
    assert selection.hint == f"{drawn} of {count} clients"
    controls.split.value = "dirichlet"
    assert (clients.value, clients.enabled) == (10, True)
    assert selection.hint == "5 of 10 clients"


def test_menus_come_from_the_catalogues(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a new entry is in them after the next move."""
    _, controls = made()
    for axis in ("rows", "columns"):
        controls.axis.value = axis
        splits, algorithms = choices(axis)
        assert list(controls.split.options) == splits
        assert list(controls.algorithm.options) == algorithms
        names = [name for _, name in controls.data.options]
        assert names == [name for name, entry in DATASETS.items() if not entry.function.__name__.startswith("read_")]
        assert {"letter", "realsim_synthetic"} <= set(names)
    assert [name for _, name in controls.model.options] == list(MODELS)
    for catalogue, known in ((MODELS, "logistic"), (SPLITS, "iid"), (ALGORITHMS, "fedavg"), (DATASETS, "wine")):
        monkeypatch.setattr(catalogue, "_entries", dict(catalogue._entries))
        catalogue.replace(dataclasses.replace(catalogue[known], name="new", title="A new one"))
    controls.axis.value = "rows"
    for menu in (controls.model, controls.split, controls.algorithm, controls.data):
        assert ("A new one", "new") in menu.options


MENUS = {
    "rows": {"data": ("data", "wine"), "split": ("rows_split", "iid"), "algorithm": ("strategy", "fedprox"),
             "model": ("model", "mlp"), "level": ("level", "client"), "seed": ("seed", 7)},
    "columns": {"data": ("table", "letter"), "split": ("columns_split", "uniform"), "seed": ("seed", 7)},
}  # fmt: skip


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_each_menu_moves_its_field(axis: str) -> None:
    """The rest stays, but for what the old entry was given."""
    for name, (field, value) in MENUS[axis].items():
        lab, controls = made()
        controls.axis.value = axis
        before = lab.setting
        getattr(controls, name).value = value
        assert {key: v for key, v in moved(before, lab.setting).items() if key != "more"} == {field: value}
        lab.undo()
        assert lab.setting == before
        assert getattr(controls, name).value != value


@pytest.mark.parametrize("experiment", [*ODD.values(), *(preset.make() for preset in PRESETS.values())],
                         ids=[*ODD, *PRESETS])  # fmt: skip
def test_following_a_setting_moves_nothing(experiment: tk.Experiment) -> None:
    """No undo step, no other setting; and what stands on the controls is what the setting says, stop or no stop."""
    lab, controls = made()
    header = Header(lab)
    wanted = dataclasses.replace(Setting.of(experiment), weights=(("privacy", 2.0), ("fairness", 0.25)))
    with heard(lab) as topics:
        lab.go(wanted)
    assert lab.setting == wanted
    assert sorted(set(topics)) == ["setting", "weights"]
    assert len(topics) == 2
    fields = FIELDS[wanted.axis]
    for name, field in fields.items():
        if field is not None and (name != "clients" or wanted.takes("parties")):
            assert controls.sliders[name].value == getattr(wanted, field)
    lab.undo()
    lab.redo()
    assert lab.setting == wanted
    lab.undo()
    lab.undo()
    assert lab.setting == lab.first
    lab.redo()
    assert lab.setting == wanted
    assert controls.seed.value == wanted.seed
    assert header.preset.value == next((n for n, p in PRESETS.items() if p.make() == experiment), "")


def test_a_value_from_elsewhere_becomes_a_stop() -> None:
    """A slider never shows the nearest number instead of the right one."""
    lab, controls = made(Setting.of(ODD["further arguments"]))
    epsilon = controls.sliders["epsilon"]
    assert (epsilon.value, epsilon.texts[epsilon.index]) == (3.3, "3.3")
    assert list(epsilon.stops) == sorted(epsilon.stops)
    epsilon.index += 1
    assert lab.setting.epsilon == 4
    assert 3.3 not in epsilon.stops
    lab.go(Setting.of(ODD["sizes of parties"]))
    parties = controls.sliders["clients"]
    assert (parties.value, parties.texts[parties.index]) == ((4, 4, 8), "4, 4, 8")
    parties.index -= 1
    assert lab.setting.parties == 16


def test_parties_are_no_more_than_columns() -> None:
    """13 columns have at most 13 parties, whatever the slider could say."""
    _, controls = made(setting_of(COLUMNS))
    assert controls.sliders["clients"].stops[-1] == 13


def test_epsilon_says_how_much_noise_it_takes() -> None:
    """Off says so; the noise is the engine's; the menu of what is protected is there only with a mechanism."""
    lab, controls = made(setting_of(PLAIN))
    epsilon = controls.sliders["epsilon"]
    assert epsilon.hint == "off: no noise, no bound"
    assert controls.level.layout.display == "none"
    epsilon.index = epsilon.stops.index(6)
    noise = tk.build(lab.experiment).trainer.facts["noise_multiplier"]
    assert epsilon.hint.endswith(f"σ = {noise:.2f}")
    assert controls.level.layout.display == ""
    lab.go(Setting.of(ODD["noise, not ε"]))
    assert epsilon.hint == "ε follows from the noise · noise multiplier σ = 1.50"
    assert math.isinf(epsilon.value)


def test_beta_says_what_was_achieved() -> None:
    """Next to what was asked for."""
    lab, controls = made(setting_of(COLUMNS))
    achieved = lab.federated().partition.achieved
    assert controls.sliders["beta"].hint == f"asked {achieved['asked_beta']:.2f} · achieved {achieved['beta']:.3f}"


@pytest.mark.parametrize(
    "changes",
    [{"model": "convnet", "epsilon": 6.0}, {"axis": "columns", "parties": 99}, {"data": "nowhere"},
     {"rows_split": "nowhere"}, {"strategy": "nowhere"}, {"more": (("algorithm__lr", 99.0),)},
     {"rows_split": "by_group"}],
    ids=str,
)  # fmt: skip
def test_controls_stand_on_what_cannot_be_trained(changes: dict[str, Any]) -> None:
    """They show it, raise nothing, and undo works; the page says elsewhere what is wrong."""
    lab, controls = made()
    lab.change(**changes)
    assert controls.data.value == (lab.setting.data if lab.setting.across_rows else lab.setting.table)
    assert controls.sliders["clients"].value == (99 if "parties" in changes else 10)
    lab.undo()
    assert lab.setting == lab.first


def test_the_form_of_an_algorithm_keeps_the_keyboards_place() -> None:
    """Typing into it does not make it anew; another algorithm does, and the old one leaves nothing behind."""
    lab, controls = made(setting_of(PLAIN))
    controls.more.children[0].value = True  # forms are made when the fold is opened first

    def fields() -> dict[str, Any]:
        return {item.description: item for item in tree(controls.more.children[1]) if isinstance(item, w.ValueWidget)}

    first = fields()
    assert set(first) == {"seed", "attack", "faults", "secure sums", "privacy", "lr", "epochs", "batch", "selector"}
    assert first["batch"].value == 64
    first["lr"].value = 0.25
    assert dict(lab.setting.more) == {"algorithm__batch": 64, "algorithm__lr": 0.25}
    assert fields()["lr"] is first["lr"]
    assert lab.experiment.algorithm.args["lr"] == 0.25
    lab.undo()
    assert fields()["lr"].value == 0.1
    before = len(_instances)
    for _ in range(5):
        controls.algorithm.value = "fedprox"
        controls.algorithm.value = "fedavg"
    assert set(fields()) == set(first)
    assert len(_instances) == before


def test_buttons_are_there_when_they_can_be_pressed() -> None:
    """Stop while something runs, Step while nothing does and there is a round left."""
    gate = Gate()
    lab = gate.lab(PLAIN)
    controls = Controls(lab)

    def off() -> list[str]:
        return [name for name, button in controls.buttons.items() if button.disabled]

    assert off() == ["stop"]
    lab.player.start(PLAIN)
    gate.arrive()
    lab._tell("progress")
    assert off() == ["step"]
    gate.open(2)
    lab.player.wait()
    lab._finish()
    assert off() == ["step", "stop"]
    gate.open(2)
    controls.buttons["run"].click()
    assert lab.state == "idle"


def test_letting_go_runs_only_if_asked_to() -> None:
    """And only what is not there already."""
    lab, controls = made(setting_of(SMALL))
    slider = controls.sliders["rounds"]
    slider.index -= 1
    slider.released += 1
    assert lab.state == "stale"
    controls.auto.value = True
    slider.released += 1
    assert lab.state == "idle"
    outcome = lab.outcome
    slider.released += 1
    assert lab.outcome is outcome


def test_split_of_a_setting_uses_what_the_sliders_say() -> None:
    """Through to the library's own experiment."""
    lab, controls = made(Setting(data="breast_cancer"))
    controls.sliders["alpha"].value = 0.1
    controls.sliders["clients"].value = 6
    assert (
        lab.experiment.split
        == tk.Experiment("breast_cancer", use("dirichlet", alpha=0.1, parties=6), model="logistic").split
    )
