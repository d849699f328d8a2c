"""The attack panel: three real runs through the lab, compared; what is kept, who attacks, and what cannot be played."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import ipywidgets as w
import numpy as np
import pytest
from trustkit.widgets import Lab
from trustkit.widgets.attack import SHARES, AttackPanel
from trustkit.widgets.attacked import Trio
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, PATIENCE, SMALL, Gate, heard, same, setting_of, tree
from trustkit import use
from trustkit.catalogue import ALGORITHMS, ATTACKS
from trustkit.comparison import DEFENCES, attackers_of, twins

FLIP = SMALL.change(split=use("iid", parties=5), attack=use("label_flip", share=0.4))
DOOR = SMALL.change(attack=use("backdoor", share=0.5, value=4.0))


def parts(panel: w.VBox) -> dict[str, Any]:
    """The panel's widgets by what they are called, its views by name."""
    found = {item.description: item for item in tree(panel) if isinstance(item, (w.Dropdown, w.Button))}
    found |= {item.name: item for item in tree(panel) if isinstance(item, View)}
    return {**found, "share": next(item for item in tree(panel) if isinstance(item, Slider))}


def cells(html: str) -> list[list[str]]:
    """The table's rows as text."""
    rows = re.findall(r"<tr>(.*?)</tr>", html.split("<tbody>")[1], flags=re.DOTALL)
    return [[re.sub("<[^>]*>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_defences_are_algorithms_over_rows() -> None:
    """And the menu offers all of these, the others said to defend nothing."""
    rows = {name for name, entry in ALGORITHMS.items() if entry.axis == "rows"}
    assert set(DEFENCES) < rows
    menu = parts(AttackPanel(Lab(setting_of(FLIP))))["defence"]
    assert {name for _, name in menu.options} == rows
    assert [name for text, name in menu.options if "no defence" not in text] == list(DEFENCES)


def test_compare_plays_three_real_runs() -> None:
    """The same as the library plays; the table says what is kept; nothing is played twice."""
    lab = Lab(setting_of(FLIP))
    panel = parts(AttackPanel(lab))
    assert "press Compare" in panel["attacked"].value
    panel["Compare"].click()
    trio = twins(FLIP, "fedmedian")
    records = {name: tk.run(experiment) for name, experiment in trio.items()}
    for name, experiment in trio.items():
        assert same(lab.results.of(experiment).record, records[name])
    means = {name: record.last.accuracy.mean() for name, record in records.items()}
    facts = {name: lab.results.of(experiment).facts for name, experiment in trio.items()}
    robust = {name: f"{tk.assess(each).pillars['robustness']:.2f}" for name, each in facts.items()}
    assert cells(panel["attacked"].value) == [
        ["clean  FedAvg", f"{means['clean']:.3f}", "", robust["clean"]],
        [
            "attacked  FedAvg",
            f"{means['attacked']:.3f}",
            f"{min(1, means['attacked'] / means['clean']):.0%}",
            robust["attacked"],
        ],
        [
            "defended  FedMedian",
            f"{means['defended']:.3f}",
            f"{min(1, means['defended'] / means['clean']):.0%}",
            robust["defended"],
        ],
    ]
    assert means["attacked"] < means["clean"]
    before = panel["attacked"].value
    lab.change(weights=(("certified_robustness", 0.0),))
    assert panel["attacked"].value != before
    lab.undo()
    assert panel["attacked"].value == before
    assert panel["attacked"].value.count("<svg") == 2
    assert "all runs are there" in panel["attacked"].value
    assert lab.outcome.record.experiment == FLIP
    assert lab.state == "idle"
    assert not panel["Compare"].disabled
    assert panel["Stop comparison"].disabled
    played = lab.progress
    panel["Compare"].click()
    assert lab.progress is played


def test_another_defence_is_one_more_run() -> None:
    """The other two are there."""
    lab = Lab(setting_of(FLIP))
    panel = parts(AttackPanel(lab))
    panel["Compare"].click()
    panel["defence"].value = "trimmed_mean"
    assert "8 of 12 rounds are there" in panel["attacked"].value
    count = len(lab.results)
    panel["Compare"].click()
    assert len(lab.results) == count + 1
    assert lab.progress.experiment == twins(FLIP, "trimmed_mean")["defended"]
    panel["defence"].value = "fedavg"
    assert "The training is this rule already." in panel["attacked"].value


def test_a_backdoor_is_measured_on_rows_that_carry_its_pattern() -> None:
    """By hand: stamp every held-out row of another class, count those that go to class 0; in all three models."""
    lab = Lab(setting_of(DOOR))
    panel = parts(AttackPanel(lab))
    panel["Compare"].click()
    fed = tk.build(DOOR).fed
    test = fed.stacked("test")
    stamped = test.X[test.y != 0].copy()
    stamped[:, -3:] = 4.0
    for row, experiment in zip(cells(panel["attacked"].value), twins(DOOR, "fedmedian").values(), strict=True):
        record = lab.results.of(experiment).record
        found = tk.build(experiment).trainer.predict(record.last.state, stamped).argmax(axis=1)
        assert row[3] == f"{np.mean(found == 0):.0%}"


def test_choices_move_the_setting_and_can_be_undone() -> None:
    """A drag is one step; following a setting moves nothing; undo puts the controls back."""
    lab = Lab(setting_of(SMALL))
    box = AttackPanel(lab)
    panel, menu = parts(box), next(item for item in tree(box) if isinstance(item, w.Dropdown))
    assert panel["Compare"].disabled
    assert "Choose an attack" in tree(box)[1].value
    box = panel["share"]
    assert box.layout.display == "none"
    assert [name for _, name in menu.options] == ["", *ATTACKS]
    menu.value = "label_flip"
    assert lab.experiment.attack == use("label_flip", share=0.2, source=None, target=None)
    assert (box.layout.display, box.value, box.hint) == ("", 0.2, "1 of 4 clients")
    for share in (0.25, 0.4, 0.5):
        box.value = share
    box.released += 1
    assert lab.experiment.attack.args["share"] == 0.5
    assert box.hint == "2 of 4 clients"
    lab.undo()
    assert (lab.experiment.attack.args["share"], box.value) == (0.2, 0.2)
    lab.undo()
    assert lab.experiment == SMALL
    with heard(lab) as topics:
        lab.go(setting_of(FLIP.change(attack__share=0.62)))
    assert topics == ["setting"]
    assert box.value == 0.62
    assert set(SHARES) < set(box.stops)


def test_words_say_who_attacks_and_that_a_federation_is_small() -> None:
    """Asked and achieved differ where a share is no whole client."""
    lab = Lab(setting_of(FLIP.change(attack__share=0.25)))
    view = next(item for item in tree(AttackPanel(lab)) if isinstance(item, View) and item.name == "attack")
    who = attackers_of(lab.experiment)
    assert who is not None
    assert f"client {who[0] + 1} attacks; asked 25%, achieved 1 of 5 clients" in view.value
    assert "A simulation" in view.value
    assert "† A small federation: in a round of 5 one attacker is 20% of the clients" in view.value
    lab.go(setting_of(FLIP.change(split__parties=20)))
    assert "small federation" not in view.value
    assert "achieved 8 of 20 clients" in view.value


def test_what_cannot_be_played_is_said_and_the_rest_is_played() -> None:
    """Secure sums and a median cannot be had together; Krum needs more clients for so many attackers."""
    lab = Lab(setting_of(FLIP.change(secure=True)))
    panel = parts(AttackPanel(lab))
    panel["Compare"].click()
    assert "defended: fedmedian must run without secure sums" in panel["attacked"].value
    assert [row[1] for row in cells(panel["attacked"].value)][2] == "–"
    assert lab.results.of(FLIP.change(secure=True)).record.complete
    assert lab.state == "idle"
    lab.go(setting_of(FLIP))
    panel["defence"].value = "krum"
    panel["Compare"].click()
    assert "Krum must have at least 2f + 3 clients" in panel["attacked"].value


def test_across_columns_it_hides() -> None:
    """And comes back with its attack; a setting that cannot be is said above, and nothing can be compared."""
    lab = Lab(setting_of(FLIP))
    panel = AttackPanel(lab)
    lab.go(setting_of(COLUMNS))
    assert panel.layout.display == "none"
    assert parts(panel)["Compare"].disabled
    lab.undo()
    assert panel.layout.display == ""
    lab.change(data="nowhere")
    assert parts(panel)["Compare"].disabled
    assert "red card" in tree(panel)[1].value
    assert parts(panel)["attacked"].value == ""


def test_a_comparison_can_be_stopped_and_goes_on() -> None:
    """In the middle of the second run: the first is whole, the second kept as far as it came, the third not begun."""

    async def test() -> None:
        gate = Gate()
        lab = gate.lab(FLIP)
        panel = parts(AttackPanel(lab))
        panel["Compare"].click()
        await asyncio.to_thread(gate.arrive)
        assert panel["Compare"].disabled
        assert not panel["Stop comparison"].disabled
        assert "1 of 3: clean, round 0 of 4" in panel["attacked"].value
        gate.open(4)
        await asyncio.wait_for(_until(lambda: "2 of 3: attacked" in panel["attacked"].value), PATIENCE)
        gate.open(1)
        await asyncio.wait_for(_until(lambda: "attacked, round 1 of 4" in panel["attacked"].value), PATIENCE)
        panel["Stop comparison"].click()
        gate.open(1)
        await asyncio.wait_for(_until(lambda: panel["Stop comparison"].disabled), PATIENCE)
        assert "5 of 12 rounds are there; Compare plays the rest" in panel["attacked"].value
        gate.open(20)
        panel["Compare"].click()
        await asyncio.wait_for(_until(lambda: "all runs are there" in panel["attacked"].value), PATIENCE)
        await asyncio.wait_for(_until(lambda: panel["Stop comparison"].disabled), PATIENCE)
        for experiment in twins(FLIP, "fedmedian").values():
            assert same(lab.results.of(experiment).record, tk.run(experiment))

    asyncio.run(test())


@pytest.mark.parametrize("act", ["run", "move"])
def test_who_moves_on_ends_the_comparison(act: str) -> None:
    """Another Run, or other controls: what is going on ends, the rest is left out."""

    async def test() -> None:
        gate = Gate()
        lab = gate.lab(FLIP)
        playing = Trio(lab).playing
        playing.start()
        await asyncio.to_thread(gate.arrive)
        lab.change(seed=3)
        if act == "run":
            lab.run()
        gate.open(40)
        await asyncio.wait_for(_until(lambda: not playing.busy and lab.state != "running"), PATIENCE)
        assert len(lab.results) == 1
        only = FLIP.change(seed=3) if act == "run" else FLIP.change(attack=None)
        assert lab.results.of(only).record.complete

    asyncio.run(test())


async def _until(holds: Any) -> None:
    while not holds():
        await asyncio.sleep(0.01)
