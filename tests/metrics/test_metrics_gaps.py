"""Gaps, ratios and pairs from counts: every column of the golden cases, fairlearn, hand-made counts, one pass."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import jsonfile
from trustkit.metrics.coding import group_codes, intersection
from trustkit.metrics.counting import count_clients
from trustkit.metrics.fairness import demographic_disparity, equal_opportunity_difference, equalized_odds_difference
from trustkit.metrics.gaps import Rate, gaps_from_counts, group_rate, why_undefined
from trustkit.metrics.groups import group_counts
from trustkit.metrics.pairs import (
    Pair,
    demographic_parity_ratio,
    equal_opportunity_ratio,
    equalized_odds_ratio,
    worse_off,
)

CASES: dict[str, Any] = jsonfile.read(Path(__file__).parents[1] / "golden" / "fairness.json")["cases"]
nan = math.nan

Column = tuple[np.ndarray, np.ndarray, Any]


def _columns(name: str) -> Column:
    """Return predictions, labels and groups of a case; several attributes are crossed."""
    case = CASES[name]
    group = case["sensitive"]
    crossed = intersection(*group.values()) if isinstance(group, dict) else np.array(group)
    return np.array(case["y_pred"]), np.array(case["y_true"]), crossed


def _same(got: float, want: Any) -> bool:
    return math.isnan(got) if want in (None, "nan") else got == pytest.approx(want, abs=1e-12)


def _defined(name: str) -> bool:
    """Whether every group of a case has rows of both labels, and there are two groups: fairlearn puts in nothing."""
    groups = CASES[name]["reference"]["groups"].values()
    return len(groups) > 1 and all(row["tpr"] is not None and row["fpr"] is not None for row in groups)


def test_there_are_nineteen_cases() -> None:
    """As many as the file is said to have; eleven of them are defined everywhere, so that fairlearn decides."""
    assert len(CASES) == 19
    assert sum(map(_defined, CASES)) == 14


@pytest.mark.parametrize("name", CASES)
def test_every_column_of_a_golden_case(name: str) -> None:
    """The hand reference (null is NaN), its pair, and all of fairlearn's numbers where it makes none up."""
    pred, y, group = _columns(name)
    counts = group_counts(pred, y, group)
    case, reference = CASES[name], CASES[name]["reference"]
    wanted: dict[Rate, str] = {
        "selection": "dd", "tpr": "eod_tpr_gap", "fpr": "fpr_gap", "odds": "equalized_odds",
        "accuracy": "accuracy_gap", "f1": "f1_gap",
    }  # fmt: skip
    for rate, column in wanted.items():
        assert _same(float(gaps_from_counts(counts, rate).gap), reference[column]), column
        assert bool(why_undefined(counts, rate)) == (reference[column] is None), column
    pair = worse_off(pred, group)
    assert [pair.better.replace(" & ", "|"), pair.worse.replace(" & ", "|")] == (
        reference["value_bias_pair"] or ["", ""]
    )
    card = case["card_recipe"]
    if name != "single_group":
        assert _same(demographic_disparity(pred, group), card["compute_dd"]["value"])
        text = card["compute_eod_as_printed(accuracy_gap)"]["value"]
        assert _same(equal_opportunity_difference(pred, y, group, definition="card_recipe"), text)
    if not _defined(name) or name == "nan_sensitive":
        return
    theirs = {column: value["value"] for column, value in case["fairlearn"].items()}
    assert _same(demographic_disparity(pred, group), theirs["demographic_parity_difference"])
    to_overall = demographic_disparity(pred, group, method="to_overall")
    assert _same(to_overall, theirs["demographic_parity_difference_to_overall"])
    assert _same(demographic_parity_ratio(pred, group), theirs["demographic_parity_ratio"])
    assert _same(equalized_odds_difference(pred, y, group), theirs["equalized_odds_difference"])
    mean = equalized_odds_difference(pred, y, group, agg="mean")
    assert _same(mean, theirs["equalized_odds_difference_agg_mean"])
    assert _same(equalized_odds_ratio(pred, y, group), theirs["equalized_odds_ratio"])
    assert _same(equal_opportunity_difference(pred, y, group), theirs["equal_opportunity_difference"])


@pytest.mark.parametrize("name", CASES)
def test_rates_by_group_are_those_of_the_file(name: str) -> None:
    """Accuracy and F1 too; a combination that nobody has is not in the file, and has no rate here."""
    pred, y, group = _columns(name)
    counts = group_counts(pred, y, group)
    present = counts.sum(axis=(1, 2)) > 0
    rows = CASES[name]["reference"]["groups"]
    for rate, key in (("selection", "sr"), ("tpr", "tpr"), ("fpr", "fpr"), ("accuracy", "acc"), ("f1", "f1")):
        want = [nan if rows[each][key] is None else rows[each][key] for each in sorted(rows)]
        found = group_rate(counts, rate)  # type: ignore[arg-type]
        np.testing.assert_allclose(found[present], want, atol=1e-12)
        assert np.isnan(found[~present]).all()


ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from("abc")), min_size=1, max_size=30)


@settings(derandomize=True, max_examples=10, deadline=None)
@given(ROWS)
def test_fairlearns_ratios_where_every_rate_is_defined(rows: list[tuple[bool, bool, str]]) -> None:
    """Two groups with both labels, favourable predictions of both: nothing is 0/0, so the numbers are the same."""
    from fairlearn import metrics as fl

    every = [(p, y, g) for g in "ab" for y in (True, False) for p in (True, False)]
    pred, y, group = (np.array(column) for column in zip(*every, *(row for row in rows if row[2] != "c"), strict=True))
    ours = [
        demographic_parity_ratio(pred, group), equal_opportunity_ratio(pred, y, group),
        equalized_odds_ratio(pred, y, group), equalized_odds_difference(pred, y, group, agg="mean"),
        demographic_disparity(pred, group, method="to_overall"),
    ]  # fmt: skip
    theirs = [
        fl.demographic_parity_ratio(y, pred, sensitive_features=group),
        fl.equal_opportunity_ratio(y, pred, sensitive_features=group),
        fl.equalized_odds_ratio(y, pred, sensitive_features=group),
        fl.equalized_odds_difference(y, pred, sensitive_features=group, agg="mean"),
        fl.demographic_parity_difference(y, pred, sensitive_features=group, method="to_overall"),
    ]
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_who_is_worse_off_by_hand() -> None:
    """Rates 1/2, 1/4 and 3/4: c is best, b worst, by 1/2; labels decide for other rates."""
    pred, group = [1, 0, 1, 0, 0, 0, 1, 1, 1, 0], list("aabbbbcccc")
    assert worse_off(pred, group) == Pair("c", "b", 0.5, "")
    y = [1, 1, 0, 1, 1, 1, 1, 1, 1, 1]  # true positive rates: a 1/2, b 0, c 3/4; of false ones only b's is defined
    assert worse_off(pred, group, y, rate="tpr") == Pair("c", "b", 0.75, "")
    assert worse_off(pred, group, y, rate="odds") == Pair("c", "b", 0.75, "")
    nobody = worse_off(pred, group, y, rate="fpr")
    assert (nobody.better, nobody.worse, nobody.reason) == (
        "", "", "fewer than two groups have a row whose label is unfavourable",
    )  # fmt: skip
    assert math.isnan(nobody.gap)
    with pytest.raises(ValueError, match="y must be given for the rate 'tpr', got None"):
        worse_off(pred, group, rate="tpr")


def test_odds_take_the_larger_gap_with_its_pair() -> None:
    """True positive rates 1 and 1/2, false ones 0 and 1: the second gap is larger, and its worse group is the first."""
    counts = np.array([[[2, 0], [0, 2]], [[0, 2], [1, 1]]])
    found = gaps_from_counts(counts, "odds")
    assert (float(found.gap), int(found.better), int(found.worse)) == (1.0, 1, 0)
    assert float(found.ratio) == 0.0
    assert (float(gaps_from_counts(counts, "tpr").gap), int(gaps_from_counts(counts, "tpr").worse)) == (0.5, 1)


def _selected(*pairs: tuple[int, int]) -> np.ndarray:
    """Counts of groups with so many favourable predictions of so many rows, labels all 0."""
    return np.array([[[n - k, k], [0, 0]] for k, n in pairs])


@pytest.mark.parametrize(
    ("counts", "rate", "least", "reason"),
    [
        (_selected((0, 0), (0, 0)), "selection", 0, "no rows"),
        (_selected((1, 2), (0, 0)), "selection", 0, "one group only"),
        (_selected((1, 2), (1, 2)), "tpr", 0, "fewer than two groups have a row whose label is favourable"),
        (_selected((0, 2), (0, 2)), "f1", 0, "fewer than two groups have a favourable label or prediction"),
        (_selected((1, 9), (1, 2)), "selection", 5, "fewer than two groups have 5 or more such rows"),
        (_selected((1, 9), (1, 2)), "selection", 2, ""),
        (_selected((1, 9), (1, 2)), "odds", 0, ""),
    ],
)
def test_the_reason_why_there_is_no_gap(counts: np.ndarray, rate: Rate, least: int, reason: str) -> None:
    """Never a silent 0: NaN, nobody better or worse off, and why."""
    found = gaps_from_counts(counts, rate, least)
    assert str(why_undefined(counts, rate, least)) == reason
    assert math.isnan(float(found.gap)) == bool(reason)
    assert (int(found.worse) < 0) == bool(reason)


def test_no_groups_at_all() -> None:
    """An attribute without values."""
    found = gaps_from_counts(np.zeros((3, 0, 2, 2), int))
    assert np.isnan(found.gap).all()
    assert found.worse.tolist() == [-1] * 3


def test_bad_counts_are_refused() -> None:
    """Shape, rate and minimum."""
    with pytest.raises(ValueError, match=r"counts must be \(…, G, 2, 2\), got shape \(2, 3\)"):
        gaps_from_counts(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="rate must be one of selection, tpr, fpr, odds, accuracy, f1, got 'ppv'"):
        gaps_from_counts(_selected((1, 2)), "ppv")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"rate must be one of selection, .*, got 'odds'"):
        group_rate(_selected((1, 2)), "odds")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="min_group must be at least 0, got -1"):
        gaps_from_counts(_selected((1, 2)), min_group=-1)
    with pytest.raises(ValueError, match="method must be 'between_groups' or 'to_overall', got 'x'"):
        demographic_disparity([1], ["a"], method="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="agg must be 'worst_case' or 'mean', got 'x'"):
        equalized_odds_difference([1], [1], ["a"], agg="x")  # type: ignore[arg-type]


def test_intersections_of_the_golden_file_by_hand() -> None:
    """Crossed by name in one pass as by the function itself; the empty cell has no rows and no rate."""
    case = CASES["intersection_empty_cell"]
    found = count_clients(case["y_pred"], case["y_true"], np.zeros(9, int), case["sensitive"],
                          intersections=[("SEX", "RACE")])  # fmt: skip
    assert found["SEX & RACE"].values == ("1 & 1", "1 & 2", "2 & 1", "2 & 2")
    assert found["SEX & RACE"].counts[0].sum(axis=(1, 2)).tolist() == [3, 3, 3, 0]
    assert float(gaps_from_counts(found["SEX & RACE"].counts).gap[0]) == pytest.approx(2 / 3)
    assert float(gaps_from_counts(found["SEX"].counts).gap[0]) == pytest.approx(0.0)
    with pytest.raises(KeyError, match="there is no attribute 'AGE'; known are SEX, RACE"):
        count_clients([1], [1], [0], {"SEX": [1], "RACE": [1]}, intersections=[("SEX", "AGE")])
    with pytest.raises(ValueError, match="an intersection must be of at least 1 attribute, got none"):
        intersection()
    with pytest.raises(ValueError, match="attributes must have one length, got 2, 1"):
        intersection(["a", "b"], ["a"])


@settings(derandomize=True, max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.booleans(), st.booleans(), st.sampled_from(["a", "b", None]), st.integers(-1, 3)), max_size=40
    )
)
def test_one_pass_is_one_client_after_the_other(rows: list[tuple[bool, bool, str | None, int]]) -> None:
    """Counts of each client equal those of its own rows; what has no owner or no group is in none, and is said."""
    pred, y, group, owner = (np.array([row[i] for row in rows]) for i in range(4))
    found = count_clients(pred, y, owner.astype(int), {"g": group}, clients=4)["g"]
    for k in range(4):
        own = owner == k
        known = own & np.array([each is not None for each in group], bool)
        for g, value in enumerate(found.values):
            want = [[int((known & (group == value) & (y == a) & (pred == b)).sum()) for b in (0, 1)] for a in (0, 1)]
            assert found.counts[k, g].tolist() == want
        assert found.missing[k] == own.sum() - known.sum()


def test_classes_are_counted_against_all_others() -> None:
    """One against the rest where the favourable class is named, refused where it is not."""
    pred, y = ["low", "high", "mid"], ["high", "high", "low"]
    found = count_clients(pred, y, [0, 0, 0], {"g": list("aab")}, positive="high")["g"]
    assert found.counts[0].tolist() == [[[0, 0], [1, 1]], [[1, 0], [0, 0]]]
    with pytest.raises(ValueError, match="y must hold hard labels 0 and 1, got"):
        count_clients([0, 1, 2], [0, 1, 2], [0, 0, 0], {"g": list("aab")})


def test_bad_rows_are_refused() -> None:
    """Lengths, owners, and more counts than memory should hold."""
    with pytest.raises(ValueError, match="pred, y and owner must have one length, got 1, 2, 1"):
        count_clients([1], [1, 0], [0], {})
    with pytest.raises(ValueError, match="owner must hold whole numbers in −1 … 1, got 0 … 2"):
        count_clients([1, 0], [1, 0], [0, 2], {}, clients=2)
    with pytest.raises(ValueError, match="owner must hold whole numbers"):
        count_clients([1, 0], [1, 0], [0.0, 1.0], {})
    with pytest.raises(ValueError, match="sensitive must have one value for each of the 2 rows"):
        count_clients([1, 0], [1, 0], [0, 0], {"g": ["a"]})
    with pytest.raises(ValueError, match="clients × groups must be at most 67,108,864, got 100,000,000 × 2"):
        count_clients([1, 0], [1, 0], [0, 0], {"g": ["a", "b"]}, clients=100_000_000)


def test_a_million_clients_of_one_row() -> None:
    """One row is one group: a million times not defined, none of them 0."""
    n = 1_000_000
    found = count_clients(np.ones(n, int), np.ones(n, int), np.arange(n), {"g": np.arange(n) % 2})["g"]
    assert np.isnan(gaps_from_counts(found.counts).gap).all()
    assert set(why_undefined(found.counts[:5]).tolist()) == {"one group only"}
    assert math.isnan(float(gaps_from_counts(found.counts[:, :1].sum(axis=0)).gap))
    assert float(gaps_from_counts(found.counts.sum(axis=0)).gap) == 0


@pytest.mark.parametrize("kind", [str, float, object, int])
def test_many_rows_are_coded_as_sorting_does(kind: type) -> None:
    """A rare value that a sample misses, missing values, and more values than are looked for one by one."""
    few: Any = np.array([7, 3, 3, 5])[np.arange(9000) % 4].astype(kind)
    few[1001] = 1
    many: Any = (np.arange(9000) * 7 % 311).astype(kind)
    for column in (few, many):
        values, codes = np.unique(column.astype(str) if kind is object else column, return_inverse=True)
        found = group_codes(column)
        np.testing.assert_array_equal(found.codes, codes)
        assert found.values == tuple(map(str, values.tolist()))


def test_missing_groups_are_coded_minus_one() -> None:
    """None and NaN, in text, numbers and mixtures."""
    assert group_codes(np.array(["b", None, "a", nan], object)).codes.tolist() == [1, -1, 0, -1]
    assert group_codes([2.0, nan, 1.0]).codes.tolist() == [1, -1, 0]
    assert group_codes([]).values == ()
    with pytest.raises(ValueError, match=r"sensitive must have one value for each row, got shape \(1, 2\)"):
        group_codes([[1, 2]])
