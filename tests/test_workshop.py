"""The workshop's checks decide by what there is, say what is missing, and can be done: every solution is played."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trustkit as tk
from tests.generate_notebooks import BOOK, SOLUTIONS
from trustkit import use
from trustkit.lesson import HIDABLE
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.trust import PILLARS
from trustkit.workshop import EPISODES, EXERCISES, Checking, Episode, Found, check, episode_of, recorded
from trustkit.workshop.episodes import COLUMNS, PLAIN, PRIVATE
from trustkit.workshop.exercises import REASONS
from trustkit.workshop.judging import Page, amount, held_share, seen_of
from trustkit.workshop.recording import FOLDER, file_of, write_recordings

ALIKE = episode_of("04").start


@dataclass
class Sheet:
    """A result as a page keeps it."""

    record: tk.RunRecord

    @property
    def facts(self) -> tk.FactSheet:
        """Folded anew."""
        return tk.facts_of(self.record)


@dataclass
class Weights:
    """What a page knows of weights."""

    weights: tuple[tuple[str, float], ...] = ()


@dataclass
class Stand:
    """What a page shows of itself; the real one is tried in tests/widgets/test_workshop_page.py."""

    experiment: tk.Experiment | None
    outcome: Sheet | None = None
    baseline: Sheet | None = None
    profile: str = "paper"
    setting: Weights = field(default_factory=Weights)

    def report(self, outcome: Any = None) -> tk.TrustReport | None:
        """Assess the result."""
        shown = outcome or self.outcome
        return None if shown is None else tk.assess(shown.facts, self.profile, dict(self.setting.weights))


# Episodes


def test_episodes_begin_with_what_their_exercise_does_not_meet() -> None:
    """Otherwise there is nothing to do."""
    for number in ("01", "02", "03", "04"):
        start = episode_of(number).start
        assert start is not None
        kept = recorded(number).get(start, start)
        assert check(number, kept).met is not True, number


def test_lessons_hide_what_can_be_hidden_and_fit_a_link() -> None:
    """Names are checked where a lesson is made; what the exercise needs is left."""
    needed = {"01": {"selection", "pin"}, "02": {"alpha", "beta", "split-view"}, "03": {"epsilon", "pin"},
              "04": {"alpha", "fairness-view"}, "05": {"tiles"}}  # fmt: skip
    for number, controls in needed.items():
        hidden = set(episode_of(number).lesson.hidden)
        assert hidden <= set(HIDABLE)
        assert not hidden & controls
        assert episode_of(number).lesson.task


def test_an_unknown_episode_is_refused() -> None:
    """With those there are."""
    with pytest.raises(KeyError, match=r"there is no episode '07'; there are 00, 01, 02, 03, 04, 05, 06"):
        episode_of("07")
    with pytest.raises(KeyError, match="no episode"):
        recorded("first")


# Recorded runs


def test_recorded_runs_are_those_that_episodes_need() -> None:
    """One file each, none too many, complete, small."""
    wanted = {file_of(experiment) for episode in EPISODES.values() for experiment in episode.kept}
    assert set(FOLDER.iterdir()) == wanted
    assert sum(file.stat().st_size for file in wanted) < 400_000
    for number in EPISODES:
        assert all(record.complete for record in recorded(number).values())


@pytest.mark.parametrize("experiment", [PLAIN, PRIVATE, ALIKE], ids=["plain", "private", "alike"])
def test_a_recorded_run_is_what_its_experiment_gives(experiment: tk.Experiment) -> None:
    """Played anew; if the engine has changed: ``python -c "from trustkit.workshop import *; write_recordings()"``."""
    kept = next(found[experiment] for number in EPISODES if experiment in (found := recorded(number)))
    fresh = tk.run(experiment)
    np.testing.assert_array_equal(kept.selected, fresh.selected)
    np.testing.assert_allclose(kept.accuracy, fresh.accuracy, atol=0.01)


def test_recordings_are_written_and_stale_ones_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own, of one short run."""
    from trustkit.workshop import recording

    short = tk.Experiment("wine", use("iid", parties=2), model="logistic", rounds=1)
    monkeypatch.setattr(recording, "EPISODES", {"01": Episode("01", "", 0, 1, "", kept=(short,))})
    (tmp_path / "stale.npz").write_bytes(b"")
    assert write_recordings(tmp_path) == [file_of(short, tmp_path)]
    assert [file.name for file in tmp_path.iterdir()] == [file_of(short).name]


def test_a_file_of_another_run_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name of both."""
    from trustkit.workshop import recording

    other = file_of(PRIVATE).read_bytes()
    monkeypatch.setattr(recording, "file_of", lambda _: tmp_path / "swapped.npz")
    (tmp_path / "swapped.npz").write_bytes(other)
    with pytest.raises(ValueError, match=rf"swapped\.npz must hold {PLAIN.key[:12]}, got {PRIVATE.key}"):
        recorded("01")


# Checks


def test_every_exercise_is_open_when_nothing_is_handed_in() -> None:
    """It says so, and offers a hint; a missing folder is missed."""
    for number, exercise in EXERCISES.items():
        found = check(number)
        assert found.met is (False if number == "06" else None), number
        assert "othing" in repr(found) or "missing" in repr(found), repr(found)
        assert f"Exercise {number}, {exercise.title}." in repr(found)
        assert "hints=1 in the call shows one hint" in repr(found)
        assert len(exercise.hints) >= 2


def test_a_verdict_says_number_line_and_what_is_missing() -> None:
    """Too little and too much, by how much; what else has changed, by name."""
    far = tk.run(PLAIN.change(participation=0.3, rounds=2))
    said = repr(check("01", far))
    assert "Not yet: 1 of 3 conditions is met." in said
    assert "✗ not reached    share selected each round at most 0.25: it is 0.300, 0.050 too much" in said
    assert "✗ not reached    nothing else changed than participation: rounds: 20 → 2" in said
    slow = check("03", tk.run(PLAIN.change(privacy=use("gaussian", epsilon=0.5))))
    assert [each.met for each in slow.found] == [False, True, True]
    assert slow.found[0].now == "it is 0.722, 0.021 too little"


def test_an_experiment_alone_decides_what_needs_no_run() -> None:
    """The rest is not known, and is not missed."""
    found = check("01", PLAIN.change(participation=0.25))
    assert [each.met for each in found.found] == [True, None, True]
    assert found.said == "Not decided yet: nothing has been trained, press Run."
    assert found.met is None


def test_the_other_axis_is_no_answer() -> None:
    """Letters are no survey."""
    assert check("04", COLUMNS).found[-1] == Found("nothing else changed than split", False,
                                                   "rows were divided, now columns are")  # fmt: skip


def test_importance_is_read_as_measured() -> None:
    """Not the share that was drawn, 0.574 but for SHAP's version; another split says which one does."""
    held = held_share(COLUMNS)
    assert held is not None
    achieved = tk.build(COLUMNS).fed.partition.achieved
    assert held == max(achieved["importance"]) != max(achieved["shares"])
    other = COLUMNS.change(split=use("correlation", parties=4, beta=0.3))
    assert check("02", other).found[0].now == "this split does not measure it, take the split by both (α, β)"
    assert held == pytest.approx(0.574, abs=0.002)
    assert check("02", COLUMNS).found[0].now == f"it is {held:.3f}, {0.6 - held:.3f} too little"


def test_predictions_stand_beside_what_came_and_decide_nothing() -> None:
    """In words; before there is a result it is not known yet."""
    record = recorded("01")[PLAIN]
    told = check("01", record, predicted={"accuracy": 0.7, "epsilon": 3.0})
    assert told.met is check("01", record).met
    assert told.predictions[0].startswith("you predicted mean accuracy 0.700; it is 0.77")
    assert told.predictions[1] == "you predicted ε spent 3; it is ∞, ∞ away"
    assert "You predicted mean accuracy" in repr(told)
    open_yet = check("01", PLAIN, predicted={"accuracy": 0.7}).predictions
    assert open_yet == ("you predicted mean accuracy 0.700; nothing has been trained, press Run",)
    with pytest.raises(KeyError, match="no quantity 'luck'"):
        check("01", record, predicted={"luck": 1.0})


def test_hints_come_one_after_the_other() -> None:
    """And end; a verdict that is reached needs none."""
    hints = EXERCISES["03"].hints
    assert [check("03", hints=n).hints for n in range(5)] == [hints[:n] for n in range(5)]
    assert "hints=3 in the call shows the next hint" in repr(check("03", hints=2))
    assert "in the call" not in repr(check("03", hints=9))
    assert "in the call" not in repr(check("03b", "b"))


@pytest.mark.parametrize(
    ("made", "error", "said"),
    [
        (lambda: check("09"), KeyError, "there is no exercise '09'; there are 00, 01, 02, 03, 03b, 04, 05, 06"),
        (lambda: check("01", hints=-1), ValueError, "hints must be a whole number from 0, got -1"),
        (lambda: check("01", hints=True), ValueError, "hints must be a whole number from 0, got True"),
        (lambda: check("01", 3), TypeError, "what is checked must be a Lab, an Experiment or a RunRecord, got int"),
        (lambda: check("05", 3), TypeError, "weights must be a Lab, one mapping or two, got int"),
        (lambda: check("05", {"luck": 1.0}), KeyError, "luck"),
        (lambda: check("05", {"privacy": -1.0}), ValueError, "privacy"),
    ],
)
def test_what_cannot_be_checked_is_said(made: Any, error: type[Exception], said: str) -> None:
    """In one sentence with thing, rule and value."""
    with pytest.raises(error) as raised:
        made()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("states", "met", "said"),
    [
        ([True, True], True, "Done."),
        ([True, False], False, "Not yet: 1 of 2 conditions is met."),
        ([None, False], False, "Not yet: 0 of 2 conditions are met."),
        ([True, None], None, "Not decided yet: later."),
    ],
)
def test_a_verdict_in_a_sentence(states: list[bool | None], met: bool | None, said: str) -> None:
    """All have to be met; one that is missed decides; one that is not known keeps it open."""
    found = Checking("01", "x", tuple(Found("y", each, "later") for each in states))
    assert (found.met, found.said) == (met, said)


def test_numbers_are_written_for_reading() -> None:
    """Whole ones as such; small differences are not rounded to nothing."""
    assert [amount(x) for x in (3.0, 0.25, -0.12345, 0.0003, -math.inf)] == ["3", "0.250", "-0.123", "0.0003", "-∞"]


# Answers that are no run


def test_the_room_has_one_code() -> None:
    """Blanks and small letters do not matter; another code is another version; half a code decides nothing."""
    from trustkit.workshop import room_code

    assert check("00", f" {room_code().lower()} ").met
    assert check("00", "AAAAAA").met is False
    assert "another version" in repr(check("00", "AAAAAA"))
    assert check("00", "ABC").met is None


def test_the_reason_of_exercise_3b_is_what_the_formula_gives() -> None:
    """Each letter is answered, with numbers that are right."""
    assert [check("03b", letter).met for letter in "abcd"] == [False, True, False, False]
    assert check("03b", "e").met is None
    assert 1 - global_privacy_risk(20.0, 50) == pytest.approx(49 * math.exp(-20), rel=1e-3)
    assert f"{49 * math.exp(-20):.0e}" == "1e-07"
    assert "is 1e-7" in REASONS["b"]
    assert 1 - global_privacy_risk(10.0, 50) < 0.0025


def test_weights_turn_an_order_or_do_not() -> None:
    """One set against equal weights, or two against each other; all the numbers are said."""
    assert check("05", {"privacy": 0}).met
    assert check("05", {"privacy": 2}).met is False
    assert check("05", [{"privacy": 2}, {"privacy": 0, "fairness": 2}]).met
    said = check("05", [{"privacy": 2}, {"privacy": 3}]).found[0]
    assert said.now.startswith("with privacy 2: 0.7")
    assert said.met is False
    with pytest.raises(ValueError, match="weight"):
        check("05", dict.fromkeys(PILLARS, 0))


def test_weights_of_a_page_are_those_that_are_checked() -> None:
    """Held against equal ones; without a baseline there is nothing to compare."""
    runs = recorded("05")
    page = Stand(PRIVATE, Sheet(runs[PRIVATE]))
    assert isinstance(page, Page)
    assert check("05", page).found[0].now.startswith("two results are compared")
    page.baseline = Sheet(runs[PLAIN])
    assert check("05", page).met is False
    page.setting = Weights((("privacy", 0.0),))
    assert check("05", page).met


def test_a_page_is_read_like_a_record() -> None:
    """Its experiment, its result and its score."""
    record = recorded("01")[PLAIN]
    seen = seen_of(Stand(PLAIN, Sheet(record)))
    assert seen.record is record
    assert seen.report is not None
    assert seen.report.score == tk.assess(tk.facts_of(record)).score
    assert seen_of(Stand(None)).record is None


def test_a_report_is_handed_in_with_its_facts(tmp_path: Path) -> None:
    """Files are named that are missing; a score that does not follow, a damaged file, an empty ticket are found."""
    facts = tk.facts_of(recorded("05")[PRIVATE])
    report = tk.assess(facts, weights={"privacy": 2})
    tk.export.write(report, tmp_path / "report.html")
    tk.export.write(facts, tmp_path / "factsheet.json")
    (tmp_path / "ticket.txt").write_text("too short")
    assert check("06", tmp_path).found[0].now == "report.json is missing"
    tk.export.write(report, tmp_path / "report.json")
    assert [each.met for each in check("06", tmp_path).found] == [True, True, False]
    assert check("06", str(tmp_path)).found[2].now == "it has 9 characters"
    (tmp_path / "ticket.txt").write_text("Who is harmed when it is wrong?")
    assert check("06", tmp_path).met
    content = json.loads((tmp_path / "report.json").read_text())
    (tmp_path / "report.json").write_text(json.dumps({**content, "score": 0.99}))
    assert check("06", tmp_path).found[1].met is False
    (tmp_path / "report.json").write_text("{}")
    assert check("06", tmp_path).found[1].met is None


# Solutions


def played(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, dict[str, Any]]:
    """Run a notebook's cells here, one after the other; return what verdicts it showed, and its names."""
    monkeypatch.setenv("TRUSTKIT_FAST", "1")
    names: dict[str, Any] = {"display": lambda *_: None}
    verdicts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        tree = ast.parse("".join(cell["source"])) if cell["cell_type"] == "code" else ast.Module([], [])
        for node in tree.body:
            if isinstance(node, ast.Expr):
                value = eval(compile(ast.Expression(node.value), notebook.name, "eval"), names)
                verdicts += [value] if isinstance(value, Checking) else []
            else:
                exec(compile(ast.Module([node], []), notebook.name, "exec"), names)
    return "\n".join(f"{each.number} {each.met}" for each in verdicts), names


DONE = {
    "00": "00 True\n01 None", "01": "01 True", "02": "02 True", "03": "03 True\n03b True", "04": "04 True",
    "05": "05 True\n05 False", "06": "06 True",
}  # fmt: skip
"""What a solution's checks say: the preflight shows a hint of the next one, and episode 5 a page before it is moved."""


@pytest.mark.parametrize("number", DONE)
def test_a_solution_solves_its_exercises(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The very cells that are shipped, in the real library, on the real page."""
    said, _ = played(SOLUTIONS / f"{episode_of(number).notebook}.ipynb", monkeypatch)
    assert said == DONE[number]


def test_the_learners_notebook_does_not_solve_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a hand on it no exercise is done."""
    for number in ("01", "04", "05", "06"):
        said, _ = played(BOOK / f"{episode_of(number).notebook}.ipynb", monkeypatch)
        assert "True" not in said
