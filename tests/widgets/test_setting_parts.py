"""A setting carries attack, faults and secure sums from an experiment and back."""

from __future__ import annotations

import pytest
from trustkit.widgets import Setting

from trustkit import Experiment, use

PLAIN = Experiment("breast_cancer", use("iid", parties=6), use("fedavg", batch=64), "logistic", rounds=2)
WITH = [
    PLAIN.change(attack=use("label_flip", share=0.4, target=1)),
    PLAIN.change(attack="backdoor", faults=use("mixed", dropout=0.3, wait=2.0)),
    PLAIN.change(faults="dropout", secure=True),
]


@pytest.mark.parametrize("experiment", [PLAIN, *WITH])
def test_an_experiment_goes_through_a_setting(experiment: Experiment) -> None:
    """Parts and their arguments; across columns they wait for the way back."""
    setting = Setting.of(experiment)
    assert setting.experiment() == experiment
    away = setting.change(axis="columns", table="wine", columns_split="importance")
    assert away.experiment().attack is None
    assert not away.experiment().secure
    assert away.change(axis="rows").experiment() == experiment


def test_another_menu_entry_drops_what_the_old_one_took() -> None:
    """The arguments of one attack are not those of another; empty is none."""
    setting = Setting.of(WITH[0])
    assert setting.further("attack") == {"share": 0.4, "target": 1}
    other = setting.change(attack="sign_flip")
    assert other.further("attack") == {}
    assert other.experiment().attack == use("sign_flip", share=0.2, scale=1.0)
    assert setting.change(attack="").experiment() == PLAIN
    assert Setting.of(WITH[1]).change(faults="dropout").experiment().faults == use("dropout", chance=0.1)


COLUMNS = Experiment("wine", use("importance", parties=3), "splitnn", rounds=2)


@pytest.mark.parametrize(
    "experiment",
    [
        COLUMNS,
        COLUMNS.change(privacy=use("column_noise", epsilon=3.0, protects="both")),
        COLUMNS.change(privacy=use("column_noise", epsilon=None, noise=2.0, clip=None)),
        COLUMNS.change(privacy=use("randomised_labels", epsilon=1.0)),
    ],
)
def test_privacy_across_columns_goes_through_a_setting(experiment: Experiment) -> None:
    """Mechanism and all its numbers, ε too; across rows it waits for the way back, and another one starts anew."""
    setting = Setting.of(experiment)
    assert setting.experiment() == experiment
    rows = setting.change(axis="rows")
    assert rows.experiment().privacy is None
    assert rows.change(axis="columns").experiment() == experiment
    assert setting.change(guard="").experiment() == COLUMNS
    other = setting.change(guard="").change(guard="randomised_labels")
    assert other.experiment().privacy == use("randomised_labels", epsilon=2.0)
