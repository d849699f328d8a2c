"""A setting is one position of all controls; an experiment follows from it, and leads back to it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from trustkit.widgets import Setting, controls
from trustkit.widgets.setting import choices

import trustkit as tk
from trustkit import use
from trustkit.catalogue import ALGORITHMS, DATASETS, MODELS, PRIVACY, SPLITS, Interval
from trustkit.preset import PRESETS

ODD = {
    "sizes of parties": tk.Experiment("letter", use("correlation", parties=[4, 4, 8], beta=0.123), "splitnn", rounds=7),
    "α of each party": tk.Experiment("letter", use("importance", parties=2, alpha=[0.3, 4.0], allow_empty=True),
                                     use("splitnn", lr=0.002, top=[9])),
    "noise, not ε": tk.Experiment("acs_employment", "iid", "fedavg", "logistic",
                                  use("gaussian", epsilon=None, noise=1.5, level="client", clip=0.5)),
    "further arguments": tk.Experiment(use("nbaiot_synthetic", benign=0.3), use("by_group", group="device"),
                                       use("fedprox", mu=0.1, batch=7), use("mlp", hidden=[5, 6]),
                                       use("gaussian", epsilon=3.3, delta=1e-4), participation=1 / 3, seed=-4),
}  # fmt: skip


@pytest.mark.parametrize("name", [*PRESETS, *ODD])
def test_there_and_back(name: str) -> None:
    """Every preset, and what no slider can be moved to; and the key with it, so a kept result is found again."""
    experiment = ODD[name] if name in ODD else PRESETS[name].make()
    there = Setting.of(experiment)
    assert there.experiment() == experiment
    assert there.experiment().key == experiment.key
    assert Setting.of(there.experiment()) == there


def _interval(catalogue: Any, name: str, parameter: str) -> Interval:
    found = next(p.interval for p in catalogue[name].parameters if p.name == parameter)
    assert isinstance(found, Interval)
    return found


def test_stops_lie_inside_the_ranges_of_the_catalogues() -> None:
    """And they reach far enough: the ends of α and β are there; the last ε is none at all."""
    for name, parameter, stops in (
        ("dirichlet", "alpha", controls.ALPHAS), ("quantity", "alpha", controls.ALPHAS),
        ("importance", "alpha", controls.ALPHAS), ("correlation", "beta", controls.BETAS),
        ("dirichlet", "parties", controls.CLIENTS), ("correlation", "parties", controls.CLIENTS),
    ):  # fmt: skip
        interval = _interval(SPLITS, name, parameter)
        assert all(stop in interval for stop in stops), name
    assert (controls.BETAS[0], controls.BETAS[-1]) == (0, 1)
    dirichlet = _interval(SPLITS, "dirichlet", "alpha")
    assert (controls.ALPHAS[0], controls.ALPHAS[-1]) == (dirichlet.low, dirichlet.high)
    *bounded, last = controls.EPSILONS
    assert all(stop in _interval(PRIVACY, "gaussian", "epsilon") for stop in bounded)
    assert last == math.inf
    assert (controls.SELECTIONS[0], controls.SELECTIONS[-1]) == (0.05, 1.0)
    assert all(list(stops) == sorted(set(stops)) for stops in (
        controls.ALPHAS, controls.BETAS, controls.EPSILONS, controls.CLIENTS, controls.SELECTIONS, controls.ROUNDS
    ))  # fmt: skip


MORE = (("algorithm__lr", 0.3), ("data__benign", 0.4), ("model__hidden", (3,)), ("privacy__delta", 1e-4),
        ("privacy__noise", 1.0), ("split__min_rows", 2))  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "dropped"),
    [
        ({"data": "adult"}, ["data__benign", "split__min_rows"]),
        ({"rows_split": "iid"}, ["split__min_rows"]),
        ({"strategy": "fedprox"}, ["algorithm__lr"]),
        ({"model": "mlp"}, ["model__hidden"]),
        ({"level": "client"}, ["privacy__delta", "privacy__noise"]),
        ({"epsilon": 4.0}, ["privacy__noise"]),
        ({"skew": 2.0, "clients": 3, "selection": 0.1, "rounds": 9, "seed": 3, "beta": 0.2}, []),
        ({"weights": (("privacy", 2.0),)}, []),
        ({"table": "wine", "columns_split": "uniform", "joint": "other"}, []),
        ({"data": "acs_employment", "model": "logistic", "axis": "rows"}, []),
    ],
)
def test_a_menu_drops_what_its_old_entry_was_given(changes: dict[str, Any], dropped: list[str]) -> None:
    """Of the right part only, and only if it moved; sliders drop nothing."""
    before = Setting(more=MORE)
    after = before.change(**changes)
    assert [name for name, _ in before.more if name not in dict(after.more)] == dropped
    assert dict(after.more).items() <= dict(before.more).items()
    assert before.more == MORE


def test_a_menu_of_the_other_axis_drops_what_waits_there() -> None:
    """And nothing of the axis in view."""
    after = Setting(more=MORE, aside=MORE).change(table="wine", joint="other")
    assert after.more == MORE
    assert [name for name, _ in MORE if name not in dict(after.aside)] == [
        "algorithm__lr", "data__benign", "split__min_rows",
    ]  # fmt: skip


def test_both_axes_keep_their_values() -> None:
    """Across columns and back is where one was, further arguments and all; what was moved there is still moved."""
    rows = Setting.of(PRESETS["start"].make()).change(skew=0.3, clients=7)
    columns = rows.change(axis="columns")
    assert columns.experiment().axis == "columns"
    assert columns.more == ()
    moved = columns.change(alpha=5.0, parties=3, epochs=2, more=(("algorithm__lr", 0.004),))
    back = moved.change(axis="rows")
    assert back.experiment() == rows.experiment()
    assert back.change(axis="columns").experiment() == moved.experiment()


def test_epsilon_off_is_no_mechanism() -> None:
    """Infinity is not a budget that is handed to one; a number switches it on."""
    assert Setting(epsilon=math.inf).experiment().privacy is None
    private = Setting(epsilon=2.0, level="client").experiment().privacy
    assert private is not None
    assert (private.args["epsilon"], private.args["level"]) == (2.0, "client")


def test_choices_are_those_of_the_catalogues() -> None:
    """By axis, with their titles, in their order."""
    for axis in ("rows", "columns"):
        splits, algorithms = choices(axis)
        assert splits == [(entry.title, name) for name, entry in SPLITS.items() if entry.axis == axis]
        assert algorithms == [(entry.title, name) for name, entry in ALGORITHMS.items() if entry.axis == axis]
        assert splits
        assert algorithms


def test_takes_is_read_off_the_split() -> None:
    """A slider is for what the split has; a split that nobody knows takes nothing."""
    assert [Setting(rows_split="quantity").takes(name) for name in ("alpha", "beta", "parties")] == [True, False, True]
    assert [Setting(rows_split="by_group").takes(name) for name in ("alpha", "beta", "parties")] == [False] * 3
    assert Setting(axis="columns").takes("beta")
    assert not Setting(rows_split="nowhere").takes("alpha")


@pytest.mark.parametrize(
    "changes", [{"colour": 1}, {"data": "acs_employment", "colour": 1}], ids=["alone", "with another"]
)
def test_an_unknown_control_is_refused(changes: dict[str, Any]) -> None:
    """With its name."""
    with pytest.raises(TypeError, match="colour"):
        Setting().change(**changes)


def test_defaults_are_an_experiment_on_both_axes() -> None:
    """Nothing has to be set; the names exist."""
    usual = Setting()
    assert usual.experiment().axis == "rows"
    assert usual.change(axis="columns").experiment().axis == "columns"
    assert usual.data in DATASETS
    assert usual.table in DATASETS
    assert usual.model in MODELS
