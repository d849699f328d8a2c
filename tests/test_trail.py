"""How trust grew: what the sheet of a run would have been after fewer rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import trustkit as tk
from trustkit import use
from trustkit.trail import trail_of

FOLLOWED = (
    "performance/test_acc_avg", "performance/test_loss_avg", "performance/worst_tenth_accuracy",
    "performance/rounds_played", "fairness/test_acc_cv", "fairness/selection_cv", "privacy/epsilon",
    "system/training_seconds", "system/upload_bytes", "system/download_bytes",
)  # fmt: skip
NOISY = tk.Experiment(
    "breast_cancer", use("iid", parties=5), use("fedavg", batch=64), "logistic", use("gaussian", epsilon=4.0), rounds=4,
    participation=0.4, seed=3,
)  # fmt: skip
JOINT = tk.Experiment("wine", use("correlation", parties=3), use("splitnn", local=[4], top=[4]), rounds=3)


@pytest.mark.parametrize("experiment", [NOISY, NOISY.change(privacy=None), JOINT], ids=["private", "plain", "columns"])
def test_every_sheet_is_that_of_the_run_so_far(experiment: tk.Experiment) -> None:
    """Oracle: `facts_of` on the first rounds alone; what is followed is equal, all else is that of the whole run."""
    record = tk.run(experiment)
    facts = tk.facts_of(record, look_at=1)
    trail = trail_of(record, facts)
    assert trail.rounds == tuple(range(1, experiment.rounds + 1))
    assert trail.sheets[-1] == facts
    for count, sheet in zip(trail.rounds, trail.sheets, strict=True):
        alone = (
            tk.facts_of(tk.RunRecord(experiment, list(record)[:count]), look_at=1).values if count < 4 else facts.values
        )
        for path, value in sheet.values.items():
            wanted = alone[path] if path in FOLLOWED else facts.values[path]
            assert value == wanted or (value != value and wanted != wanted), path
        assert set(sheet.values) == set(facts.values)


def test_scores_of_the_last_round_are_those_of_the_report() -> None:
    """Under any profile and weights; earlier rounds differ where accuracy and selection do."""
    record = tk.run(NOISY)
    facts = tk.facts_of(record, look_at=1)
    trail = trail_of(record, facts)
    for profile in ("paper", "nebula-1.0"):
        weights = {"privacy": 2.0, "performance": 3.0}
        found = trail.reports(profile, weights)
        assert found[-1].to_dict() == tk.assess(facts, profile, weights).to_dict()
    first, *_, last = trail.reports()
    assert first["performance"].raw == np.nanmean(record.accuracy[0])
    assert first["selection_variation"].raw == pytest.approx(math.sqrt(1.5))  # 2 of 5: √((1 − 0.4) / 0.4)
    risk: list[Any] = [report["global_privacy_risk"].raw for report in (first, last)]
    assert risk[0] < risk[1]  # ε is spent round by round
    assert first["certified_robustness"].raw == last["certified_robustness"].raw


def test_a_fact_that_is_not_known_stays_unknown() -> None:
    """A sheet that does not state the accuracy is not told it."""
    record = tk.run(JOINT)
    (sheet, *_) = trail_of(record, tk.FactSheet({"fairness/selection_cv": 0.5, "project/purpose": "a test"})).sheets
    assert dict(sheet.values) == {"fairness/selection_cv": 0.0, "project/purpose": "a test"}


@pytest.mark.parametrize(
    ("most", "rounds"), [(1, (4,)), (2, (1, 4)), (3, (1, 2, 4)), (4, (1, 2, 3, 4)), (99, (1, 2, 3, 4))]
)
def test_of_a_long_run_some_rounds_are_followed(most: int, rounds: tuple[int, ...]) -> None:
    """Evenly spread, with the first and the last."""
    assert trail_of(tk.run(NOISY), tk.FactSheet(), most).rounds == rounds


def test_what_cannot_be_followed_is_said() -> None:
    """No round, or none to follow."""
    with pytest.raises(ValueError, match="the run has no finished round yet"):
        trail_of(tk.RunRecord(NOISY), tk.FactSheet())
    with pytest.raises(ValueError, match="most must be at least 1 round, got 0"):
        trail_of(tk.run(JOINT), tk.FactSheet(), 0)
