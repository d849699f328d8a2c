"""The numbers a person asks first, against fairlearn and against counts small enough to check by eye."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, demographic_parity_difference, selection_rate

from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.findings import SMALL, THRESHOLD, client_names, fairness_of, headline_of, quality_of
from trustkit.records import Round, RunRecord, Seen
from trustkit.rounds import build, data_of, partition_of, play, run

SURVEY = Experiment("acs_employment", use("dirichlet", parties=8, alpha=0.3), use("fedavg", lr=0.1),
                    use("mlp", hidden=[16]), rounds=3, seed=1)  # fmt: skip
COLUMNS = Experiment("acs_employment", use("importance", parties=3), use("splitnn", local=[4], top=[4]), rounds=1)


@pytest.fixture(scope="module")
def record() -> RunRecord:
    """Return a run over eight clients of very different labels."""
    return run(SURVEY)


def predicted(record: RunRecord) -> pd.DataFrame:
    """Predict the held-out rows anew with the last state: client, truth, prediction, and the protected attributes."""
    data, owner = data_of(record.experiment), partition_of(record.experiment).owner
    trainer, test = build(record.experiment).trainer, data.held_out
    if partition_of(record.experiment).axis == "columns":
        owner = np.zeros(len(data.y), int)
    probabilities = trainer.predict(record.last.state, data.scaled().X[test])
    table = {"client": owner[test], "y": (data.y == data.positive)[test], "p": probabilities.argmax(1) == data.positive}
    return pd.DataFrame(table | {name: values[test] for name, values in data.sensitive.items()})


def gap_of(rows: pd.DataFrame, attribute: str) -> pd.Series[float]:
    """Return fairlearn's gap in selection rates by client; NaN for fewer than two groups, where fairlearn says 0."""
    frame = MetricFrame(metrics=selection_rate, y_true=rows.y, y_pred=rows.p, sensitive_features=rows[attribute],
                        control_features=rows.client)  # fmt: skip
    gap: pd.Series[float] = frame.difference().where(rows.groupby("client")[attribute].nunique() > 1)
    return gap.reindex(range(8))


@pytest.mark.parametrize("attribute", ["sex", "race", "race5"])
def test_fairness_by_client_is_fairlearns(attribute: str, record: RunRecord) -> None:
    """Demographic disparity, the gap in true positive rates, and both for the pool, on predictions made anew."""
    rows, gaps = predicted(record), fairness_of(record, attribute)
    assert gaps is not None
    expected = gap_of(rows, attribute)
    np.testing.assert_allclose(gaps.disparity, expected, atol=1e-9)
    # the true positive rate is the selection rate of those with a favourable label
    np.testing.assert_allclose(gaps.opportunity, gap_of(rows[rows.y], attribute), atol=1e-9)
    pooled = demographic_parity_difference(rows.y, rows.p, sensitive_features=rows[attribute])
    assert gaps.pooled == pytest.approx(pooled)
    assert gaps.masking == pytest.approx(expected.max() - pooled)
    assert gaps.worst == pytest.approx(expected.max())
    assert gaps.over == sum(expected > 0.09)
    assert gaps.undefined == sum(expected.isna())
    assert gaps.groups == tuple(sorted(set(rows[attribute])))
    sizes = rows.groupby(["client", attribute]).size().unstack(fill_value=0)
    assert gaps.small.tolist() == ((sizes > 0) & (sizes < 30)).any(axis=1).reindex(range(8), fill_value=False).tolist()


def test_the_joint_model_across_columns_is_fairlearns() -> None:
    """One line, which is its own pool."""
    joint = run(COLUMNS)
    rows, gaps = predicted(joint), fairness_of(joint, "sex")
    assert gaps is not None
    expected = demographic_parity_difference(rows.y, rows.p, sensitive_features=rows.sex)
    assert gaps.disparity.tolist() == [pytest.approx(expected)]
    assert gaps.pooled == pytest.approx(expected)
    assert gaps.masking == 0
    assert gaps.names == client_names(joint) == ("joint model",)


THREE = Experiment("acs_employment", use("iid", parties=3), model="logistic", rounds=1)


def made(counts: Sequence[object], accuracy: Sequence[float] = (0.5, 0.75, math.nan)) -> RunRecord:
    """Return a run whose last round has these counts by client, sex, label and prediction; one of its own before it."""
    ones = np.array([1.0, 2.0, 3.0])
    seen = Seen(np.ones(3, bool), np.array(accuracy), np.zeros(3), ones, 10 * ones, 2.5, {"sex": np.array(counts)})
    early = replace(seen, accuracy=np.full(3, 0.25), epsilon=1.5, groups={"sex": np.full((3, 2, 2, 2), 7)})
    return RunRecord(THREE, [Round(1, {}, early, 0.1), Round(2, {}, seen, 0.1)])


def test_what_is_not_defined_is_nan() -> None:
    """Client 1: 10 of 40 against 20 of 40. Client 2 has no men, client 3 no rows; both are undefined, not 0."""
    gaps = fairness_of(made([
        [[[20, 5], [10, 5]], [[10, 10], [10, 10]]],
        [[[20, 20], [20, 20]], [[0, 0], [0, 0]]],
        [[[0, 0], [0, 0]], [[0, 0], [0, 0]]],
    ]))  # fmt: skip
    assert gaps is not None
    assert gaps.disparity.tolist() == [0.25, pytest.approx(math.nan, nan_ok=True), pytest.approx(math.nan, nan_ok=True)]
    assert gaps.opportunity[0] == pytest.approx(10 / 20 - 5 / 15)
    assert np.isnan(gaps.opportunity).tolist() == np.isnan(gaps.low).tolist() == np.isnan(gaps.high).tolist()
    assert (gaps.undefined, gaps.over, gaps.worst) == (2, 1, 0.25)
    assert gaps.pooled == pytest.approx(abs((10 + 40) / (40 + 80) - 20 / 40))
    assert gaps.small.tolist() == [False, False, False]  # a group without a row is absent, not small
    assert 0 <= gaps.low[0] < 0.25 < gaps.high[0] <= 1


def test_nobody_has_a_disparity() -> None:
    """Then the worst client has none either, and nobody is over the line."""
    gaps = fairness_of(made([[[[5, 5], [5, 5]], [[0, 0], [0, 0]]]] * 3))
    assert gaps is not None
    assert math.isnan(gaps.worst)
    assert math.isnan(gaps.pooled)
    assert math.isnan(gaps.masking)
    assert (gaps.over, gaps.undefined) == (0, 3)


def test_groups_under_thirty_rows_are_small() -> None:
    """29 is, 30 is not; one small group is enough. A gap of exactly the threshold is not over it."""
    gaps = fairness_of(made([
        [[[29, 0], [0, 0]], [[100, 0], [0, 0]]],
        [[[30, 0], [0, 0]], [[30, 0], [0, 0]]],
        [[[91, 9], [0, 0]], [[100, 0], [0, 0]]],
    ]))  # fmt: skip
    assert gaps is not None
    assert (SMALL, THRESHOLD) == (30, 0.09)
    assert gaps.small.tolist() == [True, False, False]
    assert gaps.disparity.tolist() == [0, 0, 0.09]
    assert gaps.over == 0


def test_data_without_a_protected_attribute_have_no_fairness() -> None:
    """None is not known; a wrong name is refused with the right ones."""
    plain = Experiment("breast_cancer", use("iid", parties=2), model="logistic", rounds=1)
    assert fairness_of(run(plain)) is None
    with pytest.raises(KeyError, match="no protected attribute 'age'; known are sex, race"):
        fairness_of(made([[[[1, 1], [1, 1]]] * 2] * 3), "age")


def test_clients_have_their_own_names_or_numbers(record: RunRecord) -> None:
    """Natural clients keep theirs, in the order of the parties."""
    assert client_names(record)[:2] == ("client 1", "client 2")
    assert len(client_names(record)) == 8
    states = Experiment("cces", use("by_group", group="state"), model="logistic", rounds=1)
    names = client_names(RunRecord(states))
    assert (len(names), names[0], names[-1]) == (51, "Alabama", "Wyoming")
    owner, group = partition_of(states).owner, data_of(states).groups["state"]
    assert set(group[owner == 0]) == {"Alabama"}


def test_headline_is_read_off_the_record(record: RunRecord) -> None:
    """Mean and worst over the clients that have test rows; traffic of all rounds and parties."""
    head = headline_of(record)
    rows = predicted(record)
    right = (rows.y == rows.p).groupby(rows.client).mean()
    assert head.accuracy == pytest.approx(right.mean())
    assert head.worst_accuracy == pytest.approx(right.min())
    assert (head.rounds, head.epsilon) == (3, math.inf)
    parameters = 16 * 16 + 16 + 16 * 2 + 2
    assert head.bytes_up == head.bytes_down == 3 * 8 * 4 * parameters
    small = headline_of(made([[[[1, 1], [1, 1]]] * 2] * 3))
    assert (small.accuracy, small.worst_accuracy, small.epsilon) == (0.625, 0.5, 2.5)
    assert (small.bytes_up, small.bytes_down, small.rounds) == (12, 120, 2)


def test_headline_of_a_run_without_test_rows_is_not_zero() -> None:
    """It is undefined; and a run without a round has none."""
    blank = headline_of(made([[[[0, 0], [0, 0]]] * 2] * 3, (math.nan,) * 3))
    assert math.isnan(blank.accuracy)
    assert math.isnan(blank.worst_accuracy)
    with pytest.raises(ValueError, match="no finished round"):
        headline_of(RunRecord(THREE))


def test_the_first_round_has_a_headline() -> None:
    """A panel can ask as soon as one round is there."""
    assert headline_of(RunRecord(THREE, [next(play(THREE))])).rounds == 1


def test_quality_is_accuracy_or_the_root_of_the_mean_squared_error(record: RunRecord) -> None:
    """Clients without test rows count for nothing; a joint model of numbers has an RMSE; no round has no value."""
    told = quality_of(record)
    assert (told.name, told.higher) == ("accuracy", True)
    assert told.last == headline_of(record).accuracy
    nan, none = math.nan, np.zeros(2)
    some = [np.array([0.5, nan]), np.array([nan, nan])]
    rounds = [Round(k, None, Seen(np.ones(2, bool), each, none, none, none), 0.1) for k, each in enumerate(some, 1)]
    np.testing.assert_array_equal(quality_of(RunRecord(None, rounds)).by_round, [0.5, nan])
    numbers = Seen(np.ones(2, bool), np.full(1, nan), np.array([9.0]), none, none)
    found = quality_of(RunRecord(None, [Round(1, None, numbers, 0.1)]))
    assert (found.name, found.higher, found.last) == ("RMSE", False, 3.0)
    assert math.isnan(quality_of(RunRecord(None)).last)
