"""Gaps between groups: the golden cases, fairlearn where it defines the value, and laws."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import jsonfile, metrics
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.partition import Partition

CASES: dict[str, Any] = jsonfile.read(Path(__file__).parents[1] / "golden" / "fairness.json")["cases"]
LABELS = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from("abc")), min_size=1, max_size=40)


def _columns(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    case = CASES[name]
    group = case["sensitive"]
    if isinstance(group, dict):  # an intersection: the pairs that occur
        group = ["|".join(map(str, pair)) for pair in zip(*group.values(), strict=True)]
    return np.array(case["y_pred"]), np.array(case["y_true"]), np.array(group, dtype=object if None in group else None)


def _same(got: float, want: float | None) -> bool:
    return math.isnan(got) if want is None else got == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_golden_gaps(name: str) -> None:
    """Every golden case, whose null (fewer than two groups with a value) is NaN here."""
    pred, y, group = _columns(name)
    want = CASES[name]["reference"]
    assert _same(metrics.demographic_disparity(pred, group), want["dd"])
    assert _same(metrics.equal_opportunity_difference(pred, y, group), want["eod_tpr_gap"])
    assert _same(metrics.equalized_odds_difference(pred, y, group), want["equalized_odds"])
    card = metrics.equal_opportunity_difference(pred, y, group, definition="card_recipe")
    assert _same(card, want["accuracy_gap"])


@pytest.mark.parametrize("name", CASES)
def test_golden_f1_gap_is_the_largest_discrimination_index_between_two_groups(name: str) -> None:
    """max − min of the groups' F1 scores is the largest index over ordered pairs of groups."""
    pred, y, group = _columns(name)
    indices = [math.nan]
    known = sorted({value for value in group.tolist() if value is not None})
    for one, other in itertools.permutations(known, 2):
        rows = np.isin(group, [one, other])
        indices.append(metrics.discrimination_index(pred[rows], y[rows], group[rows] == one))
    assert _same(float(np.fmax.reduce(indices)), CASES[name]["reference"]["f1_gap"])


@pytest.mark.parametrize("name", CASES)
def test_golden_rates_by_group(name: str) -> None:
    """Selection, true and false positive rate and size of every group, from counts."""
    pred, y, group = _columns(name)
    rates = metrics.rates_from_counts(metrics.group_counts(pred, y, group))
    want = [CASES[name]["reference"]["groups"][key] for key in sorted(CASES[name]["reference"]["groups"])]
    for key, got in (("sr", rates.selection), ("tpr", rates.tpr), ("fpr", rates.fpr), ("n", rates.size)):
        expected = np.array([np.nan if row[key] is None else row[key] for row in want], dtype=float)
        np.testing.assert_allclose(got, expected, atol=1e-12)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(LABELS)
def test_fairlearn_agrees_where_every_rate_is_defined(rows: list[tuple[bool, bool, str]]) -> None:
    """Two groups or more, each with both labels: the same three numbers as fairlearn."""
    from fairlearn import metrics as fl

    both = [(y, g) for g in "ab" for y in (True, False)] + [(y, g) for _, y, g in rows if g in "ab"]
    y, group = np.array([row[0] for row in both]), np.array([row[1] for row in both])
    pred = np.resize([row[0] for row in rows], y.size)
    ours = (
        metrics.demographic_disparity(pred, group),
        metrics.equal_opportunity_difference(pred, y, group),
        metrics.equalized_odds_difference(pred, y, group),
    )
    theirs = (
        fl.demographic_parity_difference(y, pred, sensitive_features=group),
        fl.equal_opportunity_difference(y, pred, sensitive_features=group),
        fl.equalized_odds_difference(y, pred, sensitive_features=group),
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(LABELS, st.permutations(range(40)))
def test_gaps_do_not_depend_on_order_or_names(rows: list[tuple[bool, bool, str]], order: list[int]) -> None:
    """Shuffling rows and renaming groups changes nothing; every gap lies in [0, 1] or is NaN."""
    pred, y, group = (np.array(column) for column in zip(*rows, strict=True))
    at = [i for i in order if i < len(rows)]
    renamed = np.array([{"a": 3.0, "b": 1.0, "c": 2.0}[g] for g in group])
    gap = metrics.equalized_odds_difference(pred, y, group)
    assert gap == pytest.approx(metrics.equalized_odds_difference(pred[at], y[at], renamed[at]), nan_ok=True)
    assert math.isnan(gap) or 0 <= gap <= 1


def test_small_groups_are_left_out() -> None:
    """Three groups of 3, 3 and 1 rows with rates 1/3, 2/3 and 1: the single row counts only without a minimum."""
    pred, group = [1, 0, 0, 1, 1, 0, 1], list("aaabbbc")
    assert metrics.demographic_disparity(pred, group) == pytest.approx(2 / 3)
    assert metrics.demographic_disparity(pred, group, min_group=2) == pytest.approx(1 / 3)
    assert math.isnan(metrics.demographic_disparity(pred, group, min_group=4))


def test_opportunity_minimum_counts_favourable_labels() -> None:
    """Group b has four rows, one of them with a favourable label: too few for a rate over two."""
    pred, y, group = [1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], list("aabbbb")
    assert metrics.equal_opportunity_difference(pred, y, group) == 0.5
    assert math.isnan(metrics.equal_opportunity_difference(pred, y, group, min_group=2))


def test_discrimination_index_is_signed() -> None:
    """F1 2/3 (tp 1, fn 1) for members and 1 for the rest: −1/3, and +1/3 the other way round."""
    pred, y, member = [1, 0, 1, 1], [1, 1, 1, 1], np.array([1, 1, 0, 0])
    assert metrics.discrimination_index(pred, y, member) == pytest.approx(-1 / 3)
    assert metrics.discrimination_index(pred, y, 1 - member) == pytest.approx(1 / 3)
    assert math.isnan(metrics.discrimination_index(pred, y, [1, 1, 1, 1]))


def test_empty_input_is_undefined() -> None:
    """No rows, no groups, no value."""
    assert math.isnan(metrics.demographic_disparity([], []))


def test_what_is_no_hard_label_is_refused() -> None:
    """Probabilities, wrong lengths and unknown definitions are named in the message."""
    with pytest.raises(ValueError, match="pred must hold hard labels 0 and 1"):
        metrics.demographic_disparity([0.3, 0.7], ["a", "b"])
    with pytest.raises(ValueError, match="one value for each of the 2 rows"):
        metrics.demographic_disparity([0, 1], ["a"])
    with pytest.raises(ValueError, match="pred and y must have one length, got 1 and 2"):
        metrics.equalized_odds_difference([1], [1, 0], ["a"])
    with pytest.raises(ValueError, match="definition must be 'text' or 'card_recipe', got 'card'"):
        metrics.equal_opportunity_difference([1], [1], ["a"], definition="card")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pred, y and member must have one length"):
        metrics.discrimination_index([1], [1], [1, 0])


def test_by_client_measures_each_client_on_its_own_rows() -> None:
    """The golden pair of clients: 1.0 at each, though 0 together; a third without rows is undefined."""
    (p1, y1, g1), (p2, y2, g2) = _columns("client_vs_global_1"), _columns("client_vs_global_2")
    pred, y, group = np.concatenate([p1, p2]), np.concatenate([y1, y2]), np.concatenate([g1, g2])
    made = Provenance("made up", "CC0", synthetic=True)
    data = Dataset("toy", pred[:, None].astype(float), y, ("a",), ("no", "yes"), made, {"sex": group}, {},
                   np.ones(y.size, bool))  # fmt: skip
    fed = FederatedDataset(data, Partition("rows", np.repeat([0, 1], [y1.size, y2.size]), 3))

    def predict(X: np.ndarray) -> np.ndarray:
        return np.asarray(X[:, 0])

    for measure in (metrics.demographic_disparity, metrics.equal_opportunity_difference):
        got = metrics.by_client(measure, fed, predict, attribute="sex")
        np.testing.assert_array_equal(got, [1.0, 1.0, np.nan])
    assert metrics.demographic_disparity(pred, group) == 0
    with pytest.raises(KeyError, match="no protected attribute 'age'"):
        metrics.by_client(metrics.demographic_disparity, fed, predict, attribute="age")
    columns = FederatedDataset(data, Partition("columns", np.array([0]), 1))
    with pytest.raises(ValueError, match="clients must hold rows"):
        metrics.by_client(metrics.demographic_disparity, columns, predict, attribute="sex")
