"""Algorithms across columns in the panel: real runs, their bytes, attacks on them; live, stopped, and gone on with."""

from __future__ import annotations

import asyncio
import html
import math
import re
from typing import Any

import pytest
from trustkit.widgets import Lab, TrainPanel, VerticalPanel
from trustkit.widgets.crossed import MOST_RUNS, Crossed
from trustkit.widgets.numbers import amount, bytes_text
from trustkit.widgets.player import measure
from trustkit.widgets.tiles import tiles
from trustkit.widgets.view import View
from trustkit.widgets.words import sentence

import trustkit as tk
from tests.widgets.labs import COLUMNS, SMALL, Gate, hear, setting_of, tree
from trustkit import use
from trustkit.catalogue import ALGORITHMS
from trustkit.comparison import ALONG, YARDSTICKS, crossed
from trustkit.exposure import Exposure, exposure_of
from trustkit.rounds import run

BASE = tk.Experiment("wine", use("importance", parties=3), use("fedtree", depth=2, bins=8), rounds=2, seed=1)
NAMES = ("fedtree", "pooled_trees")


def parts(box: Any) -> dict[str, Any]:
    """Return the panel's views by name and its controls by what they are called."""
    found = {item.name: item for item in tree(box) if isinstance(item, View)}
    return found | {item.description: item for item in tree(box) if getattr(item, "description", "")}


def cells(text: str, name: str) -> list[list[str]]:
    """Return the rows of a table, as words; what is only heard is left out."""
    inner = text.split(f'aria-label="{name}"', 1)[1].split("</table>", 1)[0].split("<tbody>", 1)[1]
    inner = re.sub(r'<span class="tk-unseen">.*?</span>', "", inner)
    rows = re.findall(r"<tr>(.*?)</tr>", inner)
    split = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in rows]
    return [[html.unescape(re.sub(r"<[^>]+>", " ", cell)).strip() for cell in row] for row in split]


def panel(experiment: tk.Experiment = BASE, names: tuple[str, ...] = NAMES) -> tuple[Any, dict[str, Any]]:
    """Return a lab and the parts of a panel on it, with some algorithms chosen."""
    lab = Lab(setting_of(experiment))
    found = parts(VerticalPanel(lab))
    found["algorithms"].value = names
    return lab, found


def test_it_is_hidden_across_rows_and_filled_when_it_is_shown() -> None:
    """Nothing is made for a page that never shows it."""
    lab = Lab(setting_of(SMALL))
    box = VerticalPanel(lab)
    assert (box.layout.display, box.children) == ("none", ())
    lab.change(axis="columns")
    assert box.layout.display == ""
    assert len(box.children) == 4
    kept = box.children
    lab.change(axis="rows")
    assert box.layout.display == "none"
    lab.change(axis="columns")
    assert box.children is kept or list(box.children) == list(kept)


def test_every_algorithm_is_offered_yardsticks_last() -> None:
    """By their titles; what is new in the catalogue is in the menu."""
    _, found = panel()
    offered = [name for _, name in found["algorithms"].options]
    assert set(offered) == {name for name, entry in ALGORITHMS.items() if entry.axis == "columns"}
    assert set(offered[-len(YARDSTICKS) :]) == set(YARDSTICKS)
    assert offered[:3] == ["splitnn", "gal", "fedtree"]


def test_the_numbers_are_those_of_the_runs() -> None:
    """Accuracy, bytes of all and of the busiest party; a yardstick says so and sends nothing; pictures have names."""
    lab, found = panel()
    assert "Nothing compared yet" in found["crossed"].value
    assert found["leaks"].value == ""
    found["Compare algorithms"].click()
    assert "all runs are there" in found["crossed"].value
    rows = {row[0]: row[1:] for row in cells(found["crossed"].value, "runs compared")}
    for (name, _), experiment in crossed(BASE, NAMES).items():
        record = run(experiment)
        title = ALGORITHMS[name].title
        row = next(cells_ for head, cells_ in rows.items() if head.startswith(title))
        up, down = record.bytes_up.sum(axis=0), record.bytes_down.sum(axis=0)
        assert row[0].split()[0] == amount(float(record.last.accuracy[0]), 3)
        assert row[1:4] == [bytes_text(up.sum()), bytes_text(down.max()), bytes_text(up.max())]
        assert row[-1] == "2"
        assert lab.results.of(experiment) is not None
    assert any("no federation: a yardstick" in head for head in rows)
    labels = re.findall(r'<svg role="img" aria-label="([^"]+)"', found["crossed"].value)
    assert labels[0].startswith("accuracy by round: FedTree 0.")
    assert labels[1].startswith("Bytes of FedTree: party 0 sent ")
    assert not found["Compare algorithms"].disabled
    assert found["Stop algorithms"].disabled
    played = lab.progress
    found["Compare algorithms"].click()
    assert lab.progress is played


def test_it_opens_on_a_result_that_is_there() -> None:
    """With its curve, its bytes and its line, and with what is not there yet to be played."""
    found = parts(VerticalPanel(Lab(setting_of(COLUMNS), measure(run(COLUMNS)))))
    assert found["crossed"].value.count("<svg") == 2
    assert "1 of 5 runs are there" in found["crossed"].value
    assert [row[0] for row in cells(found["crossed"].value, "runs compared")] == ["SplitNN"]


def test_curves_run_along_bytes_and_bytes_are_of_a_run() -> None:
    """Two menus that train nothing."""
    lab, found = panel(names=("fedtree", "solo_trees", "splitnn"))
    found["Compare algorithms"].click()
    played = lab.progress
    found["curves"].value = "bytes"
    assert 'aria-label="accuracy by bytes sent: ' in found["crossed"].value
    assert [name for _, name in found["bytes of"].options] == ["fedtree", "splitnn"]
    found["bytes of"].value = "splitnn"
    assert "Bytes by party: SplitNN" in found["crossed"].value
    assert lab.progress is played


def test_a_series_of_splits_is_algorithms_times_values() -> None:
    """A table and a picture of all, numbers and curves of the one that is shown; runs that are there are not played."""
    lab, found = panel()
    found["Compare algorithms"].click()
    count = len(lab.results)
    found["splits"].value = "alpha"
    assert found["shown at"].layout.display == ""
    assert re.search(r"\d of 8 runs are there", found["crossed"].value)
    found["Compare algorithms"].click()
    assert len(lab.results) == len({each.key for each in crossed(BASE, NAMES, "alpha").values()})
    assert count < len(lab.results)
    wanted = crossed(BASE, NAMES, "alpha")
    table = cells(found["crossed"].value, "algorithms by split")
    assert table[0] == ["FedTree", *(amount(float(run(wanted["fedtree", value]).last.accuracy[0]), 3)
                                     for value in ALONG["alpha"])]  # fmt: skip
    assert "accuracy at α 0.1, α 1, α 10, α 100: FedTree" in found["crossed"].value
    assert "<h3>At α 0.1</h3>" in found["crossed"].value
    found["shown at"].value = 100.0
    assert "<h3>At α 100</h3>" in found["crossed"].value


def test_too_many_runs_and_none_are_said() -> None:
    """Instead of a button that does nothing."""
    _, found = panel()
    found["splits"].value = "beta"
    found["algorithms"].value = [name for _, name in found["algorithms"].options]
    assert f"at most {MOST_RUNS} runs are kept" in found["crossed"].value
    assert found["Compare algorithms"].disabled
    found["algorithms"].value = ()
    assert "Choose at least one algorithm." in found["crossed"].value
    assert found["Compare algorithms"].disabled


def test_attacks_are_those_of_the_library() -> None:
    """Each run's worst attack with what would be found without the run; what hears nothing is n/a, never 0."""
    lab, found = panel(names=("fedtree", "solo_trees"))
    found["Compare algorithms"].click()
    assert "Not attacked yet" in found["leaks"].value
    found["privacy attacks"].value = True
    found["Compare algorithms"].click()
    wanted = crossed(BASE, ("fedtree", "solo_trees"))
    told = exposure_of(lab.results.of(wanted["fedtree", None]).record)
    rows = cells(found["leaks"].value, "attacks compared")
    worst = told.worst("labels")
    assert worst is not None
    assert rows[0][1].startswith(f"{worst.measure} {amount(worst.mean)}, without the run {amount(worst.without)}")
    assert worst.attack in rows[0][1]
    assert rows[1][1] == rows[1][2] == "n/a"
    assert "Attacks are lower bounds" in found["leaks"].value
    assert 'aria-label="What attacks find, 0 to 1, against quality: FedTree labels ' in found["leaks"].value


def test_an_attack_that_fails_is_said_and_an_attack_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other runs are there all the same; what was not attacked is attacked the next time."""
    lab = Lab(setting_of(BASE))
    state, asked = Crossed(lab), []

    def attack(record: Any, progress: Any) -> Exposure:
        asked.append(record.experiment.algorithm.name)
        if len(asked) == 1:
            raise ValueError("nobody <listens>")
        state.stop()
        progress("half", 0.5)
        raise AssertionError("it was stopped")

    monkeypatch.setattr("trustkit.widgets.crossed.exposure_of", attack)
    state.names, state.attacks = NAMES, True
    state.start()
    assert asked == list(NAMES)
    found = state.crossing()
    assert found is not None
    assert str(state.exposure(found.records["fedtree", None])) == "nobody <listens>"
    assert state.exposure(found.records["pooled_trees", None]) is None
    assert state.attacked is None


def test_what_is_refused_is_said_in_the_librarys_words() -> None:
    """Here noise, which trees do not know; SplitNN trains on."""
    noisy = BASE.change(algorithm=use("splitnn", local=[4], top=[4]), privacy=use("column_noise", epsilon=3.0))
    _, found = panel(noisy, ("splitnn", "fedtree"))
    found["Compare algorithms"].click()
    assert found["crossed"].value.count('role="alert"') == 1
    assert "FedTree: " in found["crossed"].value
    (row,) = cells(found["crossed"].value, "runs compared")
    assert row[0].startswith("SplitNN")


def test_noise_says_its_claim_and_what_cannot_be_played_is_not_waited_for() -> None:
    """ε beside the numbers it is of, or that there is no guarantee; a yardstick sends nothing and stays without."""
    noisy = BASE.change(algorithm=use("splitnn", batch=64), privacy=use("column_noise", epsilon=8.0))
    _, found = panel(noisy, ("splitnn", "cvfl", "solo"))
    found["Compare algorithms"].click()
    text = html.unescape(found["crossed"].value)
    assert "one row's features at one party: ε 8.0" in text
    assert "C-VFL: cvfl trains without a privacy mechanism, got column_noise on features" in text
    assert "all runs are there that can be played" in text
    assert [row[0].split("  ")[0] for row in cells(text, "runs compared")][-1].startswith("One party alone")
    bare = noisy.change(privacy=use("column_noise", epsilon=None, noise=1.0, clip=None))
    _, found = panel(bare, ("splitnn",))
    found["Compare algorithms"].click()
    assert "one row's features at one party: no guarantee" in html.unescape(found["crossed"].value)


def test_encryption_says_what_it_will_take_before_it_starts() -> None:
    """By the algorithm's own estimate of a round, times the rounds that are left."""
    slow = BASE.change(algorithm=use("secureboost", depth=4, bins=16), rounds=20)
    lab, found = panel(slow, ("secureboost", "fedtree"))
    assert re.search(r"Real encryption takes its time: SecureBoost about \d+ min", found["crossed"].value)
    seconds = tk.build(slow).trainer.facts["estimated_seconds_a_round"] * slow.rounds
    assert f"about {seconds / 60:.0f} min" in found["crossed"].value
    lab.change(epochs=1, more=(("algorithm__key_bits", 512), ("algorithm__depth", 1), ("algorithm__bins", 2)))
    found["algorithms"].value = ("secureboost",)
    assert "Real encryption" not in found["crossed"].value
    found["Compare algorithms"].click()
    assert "Paillier, 512 bits" in found["crossed"].value


def test_a_simulated_run_says_so() -> None:
    """Trained in one place, its messages only counted."""
    _, found = panel(BASE.change(algorithm__engine="simulated"), ("fedtree",))
    found["Compare algorithms"].click()
    assert "simulated: trained centrally, messages counted" in found["crossed"].value


def test_numbers_have_an_error_and_no_accuracy() -> None:
    """A regression on made-up rows: RMSE here and on the whole page, marked as synthetic; nowhere a zero for n/a."""
    numbers = BASE.change(data=use("msd_synthetic", rows=150), split=use("uniform", parties=2))
    lab, found = panel(numbers, ("fedtree", "solo_trees"))
    found["Compare algorithms"].click()
    record = lab.results.of(numbers).record
    rmse = math.sqrt(record.last.loss[0])
    assert cells(found["crossed"].value, "runs compared")[0][1] == f"{rmse:.2f}"
    assert 'aria-label="RMSE by round: FedTree ' in found["crossed"].value
    assert "synthetic data" in found["vertical"].value
    assert f">{rmse:.2f}<" in tiles(lab)
    assert '<div class="tk-k">accuracy</div>' not in tiles(lab)
    assert re.search(rf"RMSE <span[^>]*>{rmse:.2f}", sentence(lab))
    curve = TrainPanel(lab).value
    assert f'aria-label="RMSE by round: {rmse:.3f} after round 2 of 2"' in curve


def test_following_a_run_that_is_played_elsewhere() -> None:
    """Run on the page is one of the runs: its rounds are in the picture while it trains, and Stop keeps them."""

    async def scenario() -> tuple[str, str, str]:
        gate = Gate()
        lab = gate.lab(BASE)
        found = parts(VerticalPanel(lab))
        found["algorithms"].value = NAMES
        found["Compare algorithms"].click()
        await asyncio.to_thread(gate.arrive)
        gate.open()
        await asyncio.to_thread(gate.arrive)
        await hear(lab, "progress", lambda: None)
        live = found["crossed"].value
        found["Stop algorithms"].click()
        await hear(lab, "outcome", lambda: gate.open(4))
        for _ in range(200):
            if not found["Compare algorithms"].disabled:
                break
            await asyncio.sleep(0.02)
        stopped = found["crossed"].value
        found["Compare algorithms"].click()
        gate.open(9)
        for _ in range(400):
            if "all runs are there" in found["crossed"].value:
                break
            await asyncio.sleep(0.02)
        return live, stopped, found["crossed"].value

    live, stopped, whole = asyncio.run(scenario())
    assert "FedTree: round 1 of 2" in live
    assert "FedTree 0." in live
    assert "0 of 2 runs are there; Compare algorithms plays the rest" in stopped
    assert "FedTree 0." in stopped
    assert "all runs are there" in whole
