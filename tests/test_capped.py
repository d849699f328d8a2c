"""Caps on work: what is above is cut with a note or refused in a sentence; what is below stays as it is."""

from __future__ import annotations

import json

import pytest

import trustkit as tk
from trustkit import Experiment, use
from trustkit.capped import Caps, above, capped
from trustkit.rounds import data_of

SMALL = Caps(clients=8, rounds=3, rows=2000)


def test_numbers_are_cut_and_noted() -> None:
    """Rounds, parties and made-up rows; a state's rows count as often as there are states."""
    experiment = Experiment("wine", use("iid", parties=10), model="logistic", rounds=20)
    cut, notes = capped(experiment, SMALL)
    assert (cut.rounds, cut.split.args["parties"]) == (3, 8)
    assert notes == ("rounds 20 → 3", "split parties 10 → 8")
    assert above(cut, SMALL) == ""
    assert capped(cut, SMALL) == (cut, ())
    made_up = Experiment(use("acs_synthetic", states=10, rows=500), use("iid", parties=2), model="logistic")
    cut, notes = capped(made_up, Caps(rows=2000))
    assert notes == ("data rows 500 → 200",)
    assert above(cut, Caps(rows=2000)) == ""


def test_across_columns_too() -> None:
    """The number of parties, and passes over the data."""
    columns = Experiment("letter", use("uniform", parties=16), "splitnn", rounds=50)
    notes = ("rounds 50 → 3", "split parties 16 → 8", "data: 2,000 of 15,000 rows")
    assert capped(columns, SMALL)[1] == notes


def test_of_a_long_table_a_part_is_drawn() -> None:
    """With the rule and what came in the note; its natural clients are still there; what is short stays whole."""
    cces = Experiment("cces", use("by_group", group="state"), model="logistic", rounds=2)
    cut, notes = capped(cces, Caps())
    assert notes == ("data: 20,000 of 58,079 rows",)
    assert cut == cces.change(data=use("sampled", of="cces", rows=20_000))
    assert above(cut, Caps()) == ""
    assert capped(cut, Caps()) == (cut, ())
    assert capped(cut, Caps(rows=5000))[1] == ("data rows 20,000 → 5,000",)
    record = tk.run(cut)
    assert record.last.accuracy.size == 51
    assert capped(Experiment("adult", "iid", model="logistic"), Caps(rows=32_561))[1] == ()


def test_a_part_keeps_the_arguments_of_the_whole() -> None:
    """Those that are not the defaults; a data set that is made of another is cut as one."""
    noisy = use("noisy_features", of="adult", sigma=2.0, rule="iid")
    cut, notes = capped(Experiment(noisy, use("by_group", group="client"), model="logistic"), Caps())
    assert notes == ("data: 20,000 of 32,561 rows",)
    assert cut.data.args["of"] == "noisy_features"
    assert json.loads(cut.data.args["options"]) == {"of": "adult", "sigma": 2.0, "rule": "iid"}
    assert len(set(data_of(cut).groups["client"].tolist())) == 10
    default = capped(Experiment("feda4fair", use("by_group", group="client"), model="logistic"), Caps())
    assert default[1] == ("data rows 1,200 → 392",)
    assert len(data_of(default[0]).y) <= 20_000


@pytest.mark.parametrize(
    ("experiment", "sentence"),
    [
        (Experiment("wine", "iid", model="logistic", rounds=101), "rounds must be at most 100 on a public page, got"),
        (
            Experiment("cces", use("iid", parties=5), model="logistic"),
            "a data set must have at most 20,000 rows on a public page, got cces of 58,079",
        ),
        (
            Experiment(use("csv", path="/etc/passwd", target="x"), "iid", model="logistic"),
            "a public page reads no files",
        ),
        (
            Experiment(use("sampled", of="csv", options='{"path": "/etc/passwd"}'), "iid", model="logistic"),
            "a public page reads no files",
        ),
        (
            Experiment(use("sampled", of="acs_synthetic", options='{"rows": 90000}'), "iid", model="logistic"),
            "the data set that sampled is made of must have at most 20,000 rows on a public page, got more",
        ),
    ],
)
def test_what_is_above_is_refused(experiment: Experiment, sentence: str) -> None:
    """In one sentence with the rule and what came; what can be cut is refused where nobody cut it."""
    assert above(experiment, Caps()).startswith(sentence)
    if experiment.data.name in ("csv", "sampled"):
        assert capped(experiment, Caps()) == (experiment, ())


def test_every_preset_can_be_played_within_the_caps() -> None:
    """Whole or cut; nothing that a menu offers is refused."""
    cut = {name: capped(preset, Caps()) for name, preset in tk.presets().items()}
    assert {name: above(experiment, Caps()) for name, (experiment, _) in cut.items()} == dict.fromkeys(cut, "")
    assert {name: notes for name, (_, notes) in cut.items() if notes} == {
        "start/states": ("data: 20,000 of 58,079 rows",),
        "vertibench/letter-cvfl-alpha-1": ("rounds 200 → 100",),
    }
