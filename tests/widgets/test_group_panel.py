"""Bias on purpose and strategies compared: settings that follow, previews of real splits, real runs through the lab."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from trustkit.widgets import Lab, Setting
from trustkit.widgets.groups import GroupPanel
from trustkit.widgets.injecting import biased, plain
from trustkit.widgets.player import measure
from trustkit.widgets.strategies import MOST_RUNS

import trustkit as tk
from tests.widgets.labs import COLUMNS, PATIENCE, PLAIN, Gate, same, setting_of, tree
from tests.widgets.test_fairness_panel import ANSWERS, label, parts, text
from trustkit import use
from trustkit.comparison import THRESHOLDS, adjust_thresholds, lineup
from trustkit.injected import injected_of
from trustkit.metrics.clients import masking_gap
from trustkit.metrics.gaps import gaps_from_counts


@pytest.fixture
def lab() -> Any:
    """With a short run on real answers."""
    return Lab(setting_of(ANSWERS), measure(tk.run(ANSWERS)))


def everything(lab: Any) -> dict[str, Any]:
    """The panel's parts, the menu of strategies among them."""
    box = GroupPanel(lab)
    return parts(box) | {"strategies": next(item for item in tree(box) if hasattr(item, "rows")),
                         "seeds": next(item for item in tree(box) if getattr(item, "description", "") == "seeds"),
                         "map": parts(box)["groups"], "shown": parts(box)["strategies"]}  # fmt: skip


def rows(html: str) -> list[list[str]]:
    """The table's rows as text."""
    found = re.findall(r"<tr>(.*?)</tr>", html.split("<tbody>")[1], flags=re.DOTALL)
    return [[text(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in found]


def test_bias_keeps_how_clients_are_made() -> None:
    """There and back; a rule that the biased split does not know gives way to equal shares."""
    skewed = Setting(rows_split="dirichlet", skew=2.0)
    there = biased(skewed)
    args = there.experiment().split.args
    assert {key: args[key] for key in ("rule", "parties", "alpha")} == {"rule": "dirichlet", "parties": 10, "alpha": 2}
    assert plain(there) == skewed
    assert plain(skewed) == skewed
    assert biased(there) == there
    assert biased(Setting(rows_split="shards")).further("split")["rule"] == "iid"
    natural = Setting(rows_split="by_group", more=(("split__group", "year"),))
    assert biased(natural).further("split") == {"rule": "by_group", "group": "year"}
    assert plain(biased(natural)) == natural


def test_a_preview_before_anything_is_trained(lab: Any) -> None:
    """As it came; then asked, achieved and rows dropped of the split to come; undo takes it back."""
    panel = everything(lab)
    assert "as the rows came" in text(panel["injected"].value)
    before = lab.setting
    panel["drop rows on purpose"].value = True
    assert {key: lab.experiment.split.args[key] for key in ("rule", "parties", "gap")} == {
        "rule": "iid", "parties": 5, "gap": 0.2,
    }  # fmt: skip
    found = injected_of(lab.experiment)
    said = text(panel["injected"].value)
    assert f"asked 0.20 at 3 of 5 clients, achieved {found.achieved[:3].min():.3f} to" in said
    assert f"{found.dropped.sum():,} of {found.rows.sum():,} training rows dropped" in said
    assert lab.state == "stale"
    lab.undo()
    assert lab.setting == before
    assert not panel["drop rows on purpose"].value
    lab.redo()
    panel["drop rows on purpose"].value = False
    assert lab.setting == before


def test_sliders_move_the_split_and_a_drag_is_one_step(lab: Any) -> None:
    """Gap, share and the bound of the others."""
    panel = everything(lab)
    panel["drop rows on purpose"].value = True
    for gap in (0.21, 0.25, 0.3):
        panel["gap of the labels"].value = gap
    panel["gap of the labels"].released += 1
    panel["of the clients"].value = 1.0
    panel["of the clients"].released += 1
    assert "asked 0.30 at 5 of 5 clients" in label(panel["injected"])
    panel["of the clients"].value = 0.2
    panel["others at most"].value = 0.02
    args = lab.experiment.split.args
    assert (args["gap"], args["share"], args["rest"]) == (0.3, 0.2, 0.02)
    assert "asked 0.30 at 1 of 5 clients" in label(panel["injected"])
    for _ in range(3):
        lab.undo()
    assert (panel["gap of the labels"].value, panel["of the clients"].value) == (0.3, 0.5)
    lab.undo()
    assert panel["gap of the labels"].value == 0.2


def test_against_whom(lab: Any) -> None:
    """An attribute, one of its values, or one attribute after the other."""
    panel = everything(lab)
    panel["drop rows on purpose"].value = True
    panel["attribute"].value = "race"
    panel["worst off"].value = "White"
    assert {k: lab.experiment.split.args[k] for k in ("attribute", "value")} == {"attribute": "race", "value": "White"}
    assert set(injected_of(lab.experiment, "race").worse[:3]) == {"White"}
    panel["attribute"].value = "sex,race"
    assert lab.experiment.split.args["value"] == ""
    assert [value for _, value in panel["worst off"].options] == [""]
    assert "by sex and race" in text(panel["injected"].value)


def test_a_gap_that_labels_do_not_allow_is_not_offered(lab: Any) -> None:
    """The slider ends at what every biased client can be given; more clients may allow less."""
    lab.go(setting_of(ANSWERS.change(split=use("dirichlet", parties=10, alpha=1.0), seed=42)))
    panel = everything(lab)
    panel["drop rows on purpose"].value = True
    assert lab.error is None
    slider = panel["gap of the labels"]
    assert slider.value == max(slider.stops) == lab.experiment.split.args["gap"] < 0.2
    assert f"up to {slider.value:.2f}" in slider.hint
    lab.change(more={**dict(lab.setting.more), "split__gap": 0.5})
    assert lab.experiment is None
    assert "can reach a gap of at most" in panel["injected"].value
    assert 'role="alert"' in panel["injected"].value
    assert slider.value == 0.5
    slider.value = slider.stops[0]
    assert lab.error is None
    assert "asked 0.00" in text(panel["injected"].value)


def test_no_attribute_no_bias() -> None:
    """And across columns the panel hides."""
    lab = Lab(setting_of(PLAIN))
    box = GroupPanel(lab)
    assert "names no protected attribute" in parts(box)["injected"].value
    assert parts(box)["Compare strategies"].disabled
    lab.go(setting_of(COLUMNS))
    assert box.layout.display == "none"
    lab.undo()
    assert box.layout.display == ""


def test_compare_plays_real_runs(lab: Any) -> None:
    """As the library plays them; gaps, masking gap and bytes beside it; thresholds are no run of their own."""
    panel = everything(lab)
    panel["strategies"].value = ("fedavg", "ditto", THRESHOLDS)
    assert "1 of 2 runs are there; Compare strategies plays the rest" in text(panel["shown"].value)
    panel["Compare strategies"].click()
    wanted = lineup(ANSWERS, ("fedavg", "ditto", THRESHOLDS), range(3, 4), "sex")
    records = {name: tk.run(wanted[name, 3]) for name in ("fedavg", "ditto")}
    for name, record in records.items():
        assert same(lab.results.of(wanted[name, 3]).record, record)
    table = {row[0]: row[1:] for row in rows(panel["shown"].value)}
    assert len(table) == 3
    counts = records["ditto"].groups["sex"]
    gaps, chances = (gaps_from_counts(counts, rate).gap for rate in ("selection", "tpr"))
    sizes = counts.sum((1, 2, 3))
    accuracy = float(records["ditto"].last.accuracy @ sizes / sizes.sum())
    wants = [accuracy, records["ditto"].last.accuracy.min(), gaps_from_counts(counts.sum(0)).gap, gaps.max(),
             chances.max(), masking_gap(counts)]  # fmt: skip
    assert table["Ditto"][:6] == [f"{float(value):.3f}" for value in wants]
    assert table["Ditto"][6] == f"{(gaps > 0.09).mean():.0%}"
    after = adjust_thresholds(records["fedavg"], "sex").groups["sex"]
    assert table["Thresholds by group"][3] == f"{gaps_from_counts(after).gap.max():.3f}"
    assert lab.state == "idle"
    assert lab.outcome.record.experiment == ANSWERS
    played = lab.progress
    panel["Compare strategies"].click()
    assert lab.progress is played


def test_seeds_make_bands(lab: Any) -> None:
    """Two seeds: twice the runs, a range beside each mean."""
    panel = everything(lab)
    panel["strategies"].value = ("fedavg", "fedprox")
    panel["seeds"].value = 2
    panel["Compare strategies"].click()
    seen = [tk.run(each).last.accuracy.mean() for each in lineup(ANSWERS, ("fedavg",), range(3, 5), "sex").values()]
    assert len(lab.results) == 4
    first = rows(panel["shown"].value)[0][1].split()
    assert first[1] == f"{min(seen):.3f}–{max(seen):.3f}"
    panel["seeds"].value = 10
    panel["strategies"].value = tuple(name for _, name in panel["strategies"].options[:5])
    assert f"at most {MOST_RUNS} runs are kept" in panel["shown"].value
    assert panel["Compare strategies"].disabled


def test_what_cannot_be_played_is_said_and_the_rest_is_played(lab: Any) -> None:
    """A median has no secure sums."""
    lab.go(setting_of(ANSWERS.change(secure=True)))
    panel = everything(lab)
    panel["strategies"].value = ("fedavg", "fedprox", "fedmedian")
    panel["Compare strategies"].click()
    assert "FedMedian: fedmedian must run without secure sums" in text(panel["shown"].value)
    assert [row[0] for row in rows(panel["shown"].value)] == ["FedAvg", "FedProx"]
    panel["strategies"].value = ()
    assert "Choose at least one strategy" in panel["shown"].value
    assert panel["Compare strategies"].disabled


def test_a_comparison_can_be_stopped_and_goes_on() -> None:
    """In the middle of the second run: the first is whole, the second kept as far as it came."""

    async def test() -> None:
        gate = Gate()
        lab = gate.lab(ANSWERS)
        panel = everything(lab)
        panel["strategies"].value = ("fedavg", "fedprox")
        panel["Compare strategies"].click()
        await asyncio.to_thread(gate.arrive)
        assert panel["Compare strategies"].disabled
        gate.open(2)
        await until(lambda: "FedProx, seed 3: round 0 of 2" in text(panel["shown"].value))
        gate.open(1)
        await until(lambda: "FedProx, seed 3: round 1 of 2" in text(panel["shown"].value))
        panel["Stop strategies"].click()
        gate.open(1)
        await until(lambda: panel["Stop strategies"].disabled)
        assert "1 of 2 runs are there; Compare strategies plays the rest" in text(panel["shown"].value)
        gate.open(20)
        panel["Compare strategies"].click()
        await until(lambda: "all runs are there" in text(panel["shown"].value) and panel["Stop strategies"].disabled)
        for experiment in lineup(ANSWERS, ("fedavg", "fedprox"), range(3, 4), "sex").values():
            assert same(lab.results.of(experiment).record, tk.run(experiment))

    asyncio.run(test())


@pytest.mark.parametrize("act", ["run", "move"])
def test_who_moves_on_ends_the_comparison(act: str) -> None:
    """Another Run, or other controls: what is going on ends, the rest is left out."""

    async def test() -> None:
        gate = Gate()
        lab = gate.lab(ANSWERS)
        panel = everything(lab)
        panel["strategies"].value = ("fedavg", "fedprox", "ditto")
        panel["Compare strategies"].click()
        await asyncio.to_thread(gate.arrive)
        lab.change(seed=9)
        if act == "run":
            lab.run()
        gate.open(40)
        await until(lambda: panel["Stop strategies"].disabled and lab.state != "running")
        assert len(lab.results) == 1

    asyncio.run(test())


async def until(holds: Callable[[], bool]) -> None:
    """Give the loop time until something holds."""

    async def wait() -> None:
        while not holds():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), PATIENCE)
