"""Fact sheets of unusual runs: synthetic, stopped, stored, tiny; and what people state themselves."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from tests.test_facts import EXPERIMENTS, SURVEY
from trustkit import facts as room
from trustkit import store
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.preset import PRESETS
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import play, run
from trustkit.trust import assess
from trustkit.trust.taxonomy import METRICS


@pytest.fixture(scope="module")
def record() -> RunRecord:
    """Return a run without anything unusual."""
    return run(SURVEY)


def test_synthetic_data_and_presets_say_so() -> None:
    """In the facts, and once in the report: what is made up, what it stands in for, what is smaller."""
    experiment = PRESETS["paper/experiment-4"].make()
    facts = facts_of(RunRecord(experiment, [next(play(experiment))]))
    assert facts.get("data", "synthetic") is True
    assert facts.get("data", "stands_in_for") == "N-BaIoT (Meidan et al. 2018)"
    words = facts.get("data", "scaled_down")
    assert f"scaled down: {words}" == PRESETS["paper/experiment-4"].caveat
    text = assess(facts).to_text()
    assert text.lower().count("scaled down") == 1
    assert "synthetic data, which stand in for N-BaIoT" in text
    other = experiment.change(rounds=1, seed=5)
    assert ("data", "scaled_down") not in facts_of(run(other))
    assert facts_of(run(other)).get("data", "synthetic") is True


def test_all_twenty_metrics_have_evidence_in_the_run_the_app_opens_on() -> None:
    """Nothing is missing or undefined; the score is in the middle, not a sum of blanks."""
    report = assess(facts_of(run(PRESETS["start"].make())))
    assert len(METRICS) == 20
    assert [line.status for line in report.metrics] == ["ok"] * 20
    assert (report.missing, report.undefined) == ((), ())


def test_people_state_what_a_run_cannot_know(record: RunRecord) -> None:
    """By short names, or by the place in the template; what is stated replaces what was found."""
    bare = facts_of(record)
    facts = facts_of(record, project="jobs", purpose="teaching", background="a survey",
                     participants__organisations=["a", "b"], data__preprocessing="checked")  # fmt: skip
    changed = {path for path in facts.values if facts.values[path] != bare.values.get(path)}
    assert changed == {"project/overview", "project/purpose", "project/background", "participants/organisations",
                       "data/preprocessing"}  # fmt: skip
    assert facts.get("project", "overview") == "jobs"
    assert facts.get("participants", "organisations") == ("a", "b")
    assert assess(facts)["project_specs"].raw == 1
    assert assess(bare)["project_specs"].raw == pytest.approx(1 / 3)


def test_what_cannot_be_stated_is_refused_before_anything_is_measured(
    record: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong name with the right one beside it, a wrong type, no row to look at, no round."""

    def never(*_: object) -> None:
        raise AssertionError("measured before it was checked")

    monkeypatch.setattr(room, "build", never)
    with pytest.raises(KeyError, match="no fact 'data/provenence'; did you mean 'data/provenance'"):
        facts_of(record, data__provenence="x")
    with pytest.raises(KeyError, match="no fact 'colour'"):
        facts_of(record, colour="x")
    with pytest.raises(TypeError, match="data/synthetic must be true or false, got 'no'"):
        facts_of(record, data__synthetic="no")
    with pytest.raises(ValueError, match="look_at must be at least 1 row, got 0"):
        facts_of(record, look_at=0)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="no finished round"):
        facts_of(RunRecord(SURVEY))


def test_a_stopped_run_states_what_was_done() -> None:
    """Two of four rounds: what was asked, what was played, ε spent so far, traffic so far."""
    experiment = EXPERIMENTS["private"]
    part = RunRecord(experiment, itertools.islice(play(experiment), 2))
    facts, whole = facts_of(part), facts_of(run(experiment))
    assert (facts.get("configuration", "total_round_num"), facts.get("performance", "rounds_played")) == (4, 2)
    assert 0 < facts.get("privacy", "epsilon") < whole.get("privacy", "epsilon")
    assert facts.get("privacy", "noise_multiplier") == whole.get("privacy", "noise_multiplier")
    assert facts.get("system", "upload_bytes") == whole.get("system", "upload_bytes") / 2
    assert facts.get("fairness", "selection_cv") == pytest.approx(
        np.std(part.selected.sum(0)) / np.mean(part.selected.sum(0))
    )


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_a_stored_run_has_the_same_facts(kind: str, tmp_path: Path) -> None:
    """Also where only the last round came with a state, which is how a run is stored."""
    played = run(EXPERIMENTS[kind])
    assert facts_of(store.load(store.save(played, tmp_path / "run.npz"))) == facts_of(played)


def test_a_round_without_its_state_leaves_the_model_unmeasured(record: RunRecord, tmp_path: Path) -> None:
    """What looks at the model is not known; the rest is."""
    back = store.load(store.save(record, tmp_path / "run.npz"))
    bare = facts_of(RunRecord(SURVEY, list(back)[:-1]))
    assert assess(bare).missing == ("certified_robustness", "feature_importance")
    assert bare.get("explainability", "trainable_param_num") == 34
    assert bare.get("performance", "rounds_played") == 3


@pytest.mark.parametrize(("rows", "columns"), [(20, 20), (20, 4200)])
def test_small_and_wide_tables_have_facts(rows: int, columns: int, tmp_path: Path) -> None:
    """A list that is very long, or as long as the data, stays out; what it sums up to is stated."""
    table = stream(0, "wide").integers(0, 9, (rows, columns))
    lines = [",".join([*(f"x{i}" for i in range(columns)), "label"])]
    lines += [",".join([*map(str, row), "yes" if i % 2 else "no"]) for i, row in enumerate(table)]
    (tmp_path / "own.csv").write_text("\n".join(lines), encoding="utf-8")
    own = use("csv", path=str(tmp_path / "own.csv"), target="label")
    facts = facts_of(run(Experiment(own, use("iid", parties=2), model="logistic", rounds=1)))
    assert ("explainability", "feature_importance") not in facts
    assert facts.get("explainability", "feature_importance_cv") > 0
    assert "own.csv" in facts.get("data", "provenance")


def test_without_test_rows_nothing_is_claimed(tmp_path: Path) -> None:
    """Accuracy is undefined, CLEVER and importance are missing; the run can be scored."""
    lines = ["a,b,label", *(f"{i % 5},{i % 3},{'yes' if i % 2 else 'no'}" for i in range(40))]
    (tmp_path / "own.csv").write_text("\n".join(lines), encoding="utf-8")
    own = use("csv", path=str(tmp_path / "own.csv"), target="label", test_size=0.0)
    report = assess(facts_of(run(Experiment(own, use("iid", parties=4), model="logistic", rounds=1))))
    assert report.missing == ("certified_robustness", "feature_importance")
    assert set(report.undefined) >= {"performance", "accuracy_variation"}
    assert report.score is not None
