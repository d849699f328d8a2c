"""The one state that all panels share: undo and redo, kept results, a baseline, weights, and what goes wrong."""

from __future__ import annotations

from typing import Any

import pytest
from trustkit.widgets import Lab, Setting
from trustkit.widgets.app import _problem
from trustkit.widgets.player import Player, measure
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, SMALL, heard, same, setting_of
from trustkit import use


def lab_on(experiment: tk.Experiment = SMALL) -> Any:
    """Open a lab on a whole run."""
    return Lab(setting_of(experiment), measure(tk.run(experiment)))


def never(*args: Any) -> Any:
    """Stand in for training where there must be none."""
    raise AssertionError("this must not train")


def test_undo_redo_and_reset() -> None:
    """One step a change; an undo can be taken back until something else is changed; reset can be undone as well."""
    lab = lab_on()
    start = lab.setting
    lab.change(skew=0.5)
    lab.change(rounds=3)
    lab.change(rounds=3)  # no change
    lab.undo()
    assert (lab.setting.skew, lab.setting.rounds) == (0.5, 4)
    lab.redo()
    lab.redo()  # nothing left
    assert (lab.setting.skew, lab.setting.rounds) == (0.5, 3)
    lab.undo()
    lab.undo()
    lab.undo()  # nothing left
    assert lab.setting == start
    lab.change(seed=9)
    lab.redo()  # what was undone is gone
    assert lab.setting == start.change(seed=9)
    lab.reset()
    assert lab.setting == start
    lab.undo()
    assert lab.setting.seed == 9


def test_a_drag_is_one_step_back() -> None:
    """What a slider passed while it was held is no step of its own; another slider, or the same one later, is."""
    lab = lab_on()
    start = lab.setting
    for skew in (0.5, 0.3, 0.3, 0.2):
        lab.change("alpha", skew=skew)
    lab.let_go()
    lab.change("alpha", skew=0.1)
    lab.change("rounds", rounds=3)
    lab.undo()
    assert (lab.setting.skew, lab.setting.rounds) == (0.1, start.rounds)
    lab.undo()
    assert lab.setting.skew == 0.2
    lab.undo()
    assert lab.setting == start
    lab.change("alpha", skew=0.5)  # an undo ends a drag
    lab.undo()
    assert lab.setting == start


def test_opens_idle_and_grows_stale() -> None:
    """The states before any training, and what is told on the way."""
    lab = lab_on()
    assert lab.state == "idle"
    with heard(lab) as topics:
        lab.change(seed=5)
    assert (lab.state, topics) == ("stale", ["setting"])
    assert lab.outcome.record.experiment == SMALL  # the old picture stays, marked
    lab.undo()
    assert lab.state == "idle"
    assert Lab(setting_of(SMALL)).state == "stale"


def test_a_run_is_that_of_the_library_bit_for_bit() -> None:
    """And ends idle, with a report."""
    for experiment in (SMALL, COLUMNS):
        lab = Lab(setting_of(experiment))
        with heard(lab) as topics:
            lab.run(wait=True)
        assert topics == ["started", "progress", "outcome"]
        assert (lab.state, lab.error) == ("idle", None)
        assert same(lab.outcome.record, tk.run(experiment))
        assert lab.report().score == tk.assess(tk.facts_of(tk.run(experiment))).score


def test_kept_results_are_shown_without_training() -> None:
    """By what the experiment is, not by how one came to it."""
    lab = lab_on()
    old = lab.outcome
    lab.change(seed=2)
    lab.run(wait=True)
    new = lab.outcome
    lab.player.work = never
    with heard(lab) as topics:
        lab.undo()
    assert (lab.state, topics) == ("idle", ["setting", "outcome"])
    assert lab.outcome is old
    lab.change(seed=2, more=(("algorithm__batch", 64), ("algorithm__lr", 0.1)))  # its default, said aloud
    assert lab.outcome is new
    assert lab.state == "idle"


def test_only_so_many_results_are_kept() -> None:
    """The oldest go first."""
    lab = Lab(setting_of(PLAIN.change(rounds=1)))
    for seed in range(34):
        lab.change(seed=seed)
        lab.run(wait=True)
    assert lab.state == "idle"
    lab.change(seed=2)
    assert lab.state == "idle"
    lab.change(seed=1)
    assert lab.state == "stale"


def test_step_by_step_is_the_whole_run() -> None:
    """One more round each time; a whole run starts over."""
    lab = Lab(setting_of(SMALL))
    for done in (1, 2, 3):
        lab.step(wait=True)
        assert (len(lab.outcome.record), lab.state) == (done, "stopped")
    lab.run(wait=True)
    assert lab.state == "idle"
    assert same(lab.outcome.record, tk.run(SMALL))
    lab.step(wait=True)
    assert (len(lab.outcome.record), lab.state) == (1, "stopped")


def test_a_loaded_run_goes_on(tmp_path: Any) -> None:
    """A stored run keeps the state of its last round only, and that is enough."""
    part = tk.RunRecord(SMALL, list(tk.run(SMALL))[:2])
    record = tk.store.load(tk.store.save(part, tmp_path / "part.npz"))
    lab = Lab(setting_of(SMALL), measure(record))
    assert lab.state == "stopped"
    lab.run(wait=True)
    assert same(lab.outcome.record, tk.run(SMALL))


def test_what_cannot_be_is_said_and_trains_nothing() -> None:
    """An impossible setting: failed, in words, in the panel of the problem; other controls work on."""
    lab = Lab(setting_of(COLUMNS), measure(tk.run(COLUMNS)), Player(never))
    view = View(lab, _problem, ("setting", "outcome"), "problem")
    assert view.value == ""
    lab.change(parties=14)
    assert (lab.state, lab.experiment) == ("failed", None)
    assert 'role="alert"' in view.value
    assert "between 2 and" in view.value
    assert "13" in view.value
    lab.run()
    lab.step()
    assert lab.state == "failed"
    assert lab.report() is not None
    with pytest.raises(ValueError, match="13"):
        lab.federated()
    lab.undo()
    assert (lab.state, view.value) == ("idle", "")


@pytest.mark.parametrize(
    "setting",
    [
        Setting(data="nowhere"),
        Setting(rows_split="nowhere"),
        Setting(more=(("algorithm__colour", 1),)),
        Setting.of(tk.Experiment(use("csv", path="/nowhere/at/all.csv", target="y"), "iid", "fedavg", "logistic")),
    ],
    ids=["data", "split", "argument", "file"],
)
def test_whatever_is_wrong_with_a_setting_is_kept(setting: Any) -> None:
    """A missing file as much as a wrong name: no exception leaves the lab, and it can be used again."""
    lab = lab_on(PLAIN)
    lab.go(setting)
    assert lab.state == "failed"
    assert str(lab.error)
    lab.undo()
    assert (lab.state, lab.error) == ("idle", None)


def test_a_failed_setting_survives_the_end_of_an_older_run() -> None:
    """The run ends well, the setting is still impossible."""
    lab = lab_on(COLUMNS)
    lab.player.start(COLUMNS)
    lab.change(parties=14)
    lab.player.wait()
    lab._finish()
    assert lab.state == "failed"
    assert "13" in str(lab.error)


def test_a_baseline_is_pinned_and_let_go() -> None:
    """Pinned, it stays while other results come; pinned again without a new result, it goes."""
    lab = lab_on(PLAIN)
    first = lab.outcome
    with heard(lab) as topics:
        lab.pin()
    assert (lab.baseline, topics) == (first, ["baseline"])
    lab.change(seed=2)
    lab.run(wait=True)
    assert lab.baseline is first
    lab.pin()
    assert lab.baseline is lab.outcome is not first
    lab.pin()
    assert lab.baseline is None
    empty = Lab(setting_of(PLAIN))
    empty.pin()
    assert empty.baseline is None


def test_weights_only_assess_anew() -> None:
    """No training, no other split, no stale mark: the same facts, weighed differently; and it can be undone."""
    lab = lab_on(PLAIN)
    lab.player.work = never
    before, federated = lab.report().score, lab.federated().partition
    with heard(lab) as topics:
        lab.change(weights=(("privacy", 4.0), ("robustness", 0.5)))
    assert (topics, lab.state) == (["weights"], "idle")
    assert lab.federated().partition is federated
    assert lab.report().score == tk.assess(lab.outcome.facts, weights={"privacy": 4.0, "robustness": 0.5}).score
    assert lab.report().score != before
    lab.undo()
    assert lab.report().score == before


def test_a_change_of_weights_and_more_is_told_as_both() -> None:
    """As a reset may be: the radar follows the weights even where no other result is there."""
    lab = lab_on(PLAIN)
    with heard(lab) as topics:
        lab.change(weights=(("privacy", 2.0),), seed=77)
    assert sorted(topics) == ["setting", "weights"]
    lab.reset()
    assert sorted(topics) == ["setting", "setting", "weights", "weights"]


def test_the_baseline_is_weighed_like_the_result() -> None:
    """Otherwise a weight would look like a change."""
    lab = lab_on(PLAIN)
    lab.pin()
    lab.change(weights=(("fairness", 3.0),))
    assert lab.report(lab.baseline).score == lab.report().score
