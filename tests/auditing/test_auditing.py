"""The audit: FeDa4Fair's protocol written out by hand, verdicts from gaps, other test rows, repeats, workers."""

from __future__ import annotations

import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustkit import jsonfile
from trustkit.auditing import Audit, audit, datasheet
from trustkit.auditing.protocol import Division, Job, _divided
from trustkit.auditing.verdicts import choices, share_alike
from trustkit.data import FederatedDataset
from trustkit.datasets import load
from trustkit.metrics import chance_gap
from trustkit.metrics.coding import group_codes
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream

nan = math.nan
QUICK = ("logistic", "tree")


@cache
def people() -> pd.DataFrame:
    """Make 1,200 persons at three clients: A is hard on women, B on the short, at C nobody differs."""
    draw = stream(0, "test", "audit")
    n = 1200
    table = pd.DataFrame({
        "place": np.repeat(["A", "B", "C"], n // 3),
        "sex": draw.choice(["f", "m"], n),
        "height": draw.choice(["short", "tall"], n),
        "skill": draw.normal(size=n).round(3),
        "colour": draw.choice(["red", "blue"], n),
    })  # fmt: skip
    harm = 2.0 * ((table.place == "A") & (table.sex == "f")) + 2.0 * ((table.place == "B") & (table.height == "short"))
    table["told"] = harm.round(3) + draw.normal(0, 0.1, n).round(3)  # a feature that carries the attribute
    table["paid"] = np.where(table.skill - harm + draw.normal(0, 0.5, n) > -0.5, "yes", "no")
    return table


@cache
def found() -> Audit:
    """Audit them once, with everything."""
    return audit(people(), QUICK, ["sex", "height"], target="paid", client="place", threshold=0.25, repeats=3,
                 again=True)  # fmt: skip


def test_the_protocol_by_hand() -> None:
    """Division, features, models, rates and gaps written out with scikit-learn and pandas for one client."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    rows = people()[people().place == "A"].reset_index(drop=True)
    train, test = train_test_split(rows, test_size=0.2, random_state=42, stratify=rows[["sex", "height"]])

    def features(part: pd.DataFrame) -> np.ndarray:
        both = [part.skill, *((part.colour == value).astype(float) for value in ("blue", "red")), part.told]
        return np.column_stack(both)

    model = LogisticRegression(max_iter=5000).fit(features(train), train.paid == "yes")
    pred = pd.Series(model.predict(features(test)), index=test.index)
    rates = {name: pred.groupby(test[name]).mean() for name in ("sex", "height")}
    line = found().frame().iloc[0]
    assert line["test_rows"] == len(test) == 80
    assert line["logistic accuracy"] == pytest.approx((pred == (test.paid == "yes")).mean())
    for name, rate in rates.items():
        assert line[f"logistic DD({name})"] == pytest.approx(rate.max() - rate.min())
        assert line[f"logistic DD({name}) worse"] == rate.idxmin()
        assert line[f"{name} smallest group"] == test[name].value_counts().min()


def test_verdicts_name_what_was_put_in() -> None:
    """Sex at A, height at B, neither at C; their strength is the smaller of the models' gaps."""
    first = found()
    verdicts = {verdict.client: verdict for verdict in first.verdicts()}
    assert [verdicts[client].verdict for client in "AB"] == ["sex", "height"]
    assert verdicts["C"].verdict in ("below threshold", "undecided")
    for number, (client, name) in enumerate((("A", "sex"), ("B", "height"))):
        assert verdicts[client].strength == pytest.approx(first.gaps(name).gap[0, number].min())
        assert verdicts[client].stability == 1.0
        assert verdicts[client].reason == ""
    assert first.tally() == dict.fromkeys(("sex", "height", verdicts["C"].verdict), 1)
    assert first.clients_by_verdict()["sex"] == ("A",)


def test_values_are_named_too() -> None:
    """At level "value" the models agree on who is worse off; the division is another one, as it is not stratified."""
    values = audit(people(), QUICK, ["sex", "height"], target="paid", client="place", level="value")
    assert [verdict.verdict for verdict in values.verdicts()][:2] == ["sex=f", "height=short"]
    assert values.facts["stratified_clients"] == 0
    assert found().facts["stratified_clients"] == 3


GAPS = [
    # logistic and boosted gaps of two attributes → choice, strength
    ([[0.2, 0.1], [0.3, 0.1]], 0, 0.2),
    ([[0.1, 0.2], [0.1, 0.4]], 1, 0.2),
    ([[0.2, 0.1], [0.1, 0.2]], -1, 0.2),
    ([[0.2, 0.2], [0.3, 0.1]], -1, 0.2),  # a tie goes to the last: the first is not larger for both
    ([[0.2, 0.2], [0.1, 0.1]], 1, 0.1),
    ([[nan, 0.1], [0.3, 0.1]], 1, 0.1),  # what one model cannot measure is left out
    ([[nan, nan], [0.3, 0.1]], -2, nan),
]


@pytest.mark.parametrize(("gaps", "choice", "strength"), GAPS)
def test_the_rule_of_the_paper(gaps: list[list[float]], choice: int, strength: float) -> None:
    """The same attribute for both models; the minimum of the maxima."""
    got = choices(np.array(gaps), np.zeros((2, 2), int), "attribute")
    assert int(got[0]) == choice
    assert float(got[1]) == pytest.approx(strength, nan_ok=True)


def test_values_have_to_agree() -> None:
    """One attribute, values 1 and 3 worse off: undecided; the same value: that one."""
    gaps = np.array([[0.5], [0.4]])
    assert [int(each) for each in choices(gaps, np.array([[1], [3]]), "attribute")[:1]] == [0]
    assert int(choices(gaps, np.array([[1], [3]]), "value")[0]) == -1
    assert int(choices(gaps, np.array([[3], [3]]), "value")[0]) == 3


def test_stability_is_the_share_of_the_same_verdict() -> None:
    """Four divisions of two clients by hand: a strength below the line is another verdict."""
    choice = np.array([[0, 1], [0, 1], [1, 1], [0, -1]])
    strength = np.array([[0.2, 0.05], [0.05, 0.2], [0.2, 0.01], [0.2, 0.2]])
    assert share_alike(choice, strength, 0.09).tolist() == [0.5, 0.5]


def test_other_test_rows_have_none_in_common_with_the_first() -> None:
    """As many, from the first training rows; everything else is trained on; all strata have their share."""
    n = 103
    job = Job(np.zeros((n, 1)), np.arange(n) % 2 == 0, {"g": group_codes(np.arange(n) % 3)}, None)
    first = _divided(job, Division(42, 0.2, True))
    again = _divided(job, Division(42, 0.2, True, apart=True))
    assert not set(first[1]) & set(again[1])
    assert len(first[1]) == len(again[1]) == 21
    for train, test, stratified in (first, again):
        assert sorted([*train, *test]) == list(range(n))
        assert stratified
        assert np.bincount(test % 3).tolist() == [7, 7, 7]


def test_what_was_selected_is_measured_once_more() -> None:
    """``again`` has the first division's verdicts beside others, and the mean strength of those selected."""
    first = found()
    other = first.again
    assert other is not None
    assert other.again is None
    table = first.frame()
    assert table["strength_again"].tolist() == [verdict.strength for verdict in other.verdicts()]
    assert table["confirmed"].tolist()[:2] == [True, True]
    selected = first.summary()["selected"]
    assert selected["clients"] == 2
    assert selected["strength"] == pytest.approx(table["strength"][:2].mean())
    assert selected["strength_again"] == pytest.approx(table["strength_again"][:2].mean())


def test_the_first_of_several_divisions_is_the_protocols() -> None:
    """And number r has the seed + r: an audit of its own gives the same."""
    alone = audit(people(), QUICK, ["sex", "height"], target="paid", client="place")
    shifted = audit(people(), QUICK, ["sex", "height"], target="paid", client="place", seed=44)
    for name in ("sex", "height"):
        np.testing.assert_array_equal(alone.counts[name][0], found().counts[name][0])
        np.testing.assert_array_equal(shifted.counts[name][0], found().counts[name][2])
    assert alone.verdicts()[0].stability is None
    assert "stability" not in alone.frame()


@pytest.mark.parametrize("workers", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_workers_change_nothing(workers: Any) -> None:
    """Threads and processes."""
    with workers(2) as executor:
        shared = audit(people(), QUICK, ["sex", "height"], target="paid", client="place", executor=executor)
    for name in ("sex", "height"):
        np.testing.assert_array_equal(shared.counts[name][0], found().counts[name][0])


def test_models_of_ones_own() -> None:
    """Named or not; three may disagree where two agree."""
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    mine = audit(people(), {"bayes": GaussianNB(), "tree": "tree", "nobody": DummyClassifier()}, ["sex"],
                 target="paid", client="place")  # fmt: skip
    assert mine.models == ("bayes", "tree", "nobody")
    assert [verdict.verdict for verdict in mine.verdicts()] == ["below threshold"] * 3
    assert mine.gaps("sex").gap[0, :, 2].tolist() == [0, 0, 0]
    assert audit(people(), ["tree", GaussianNB()], ["sex"], target="paid", client="place").models[1] == "GaussianNB"


def test_attributes_can_be_crossed() -> None:
    """Every pair of values is a group, nobody's columns become features; a verdict may name a pair."""
    mine = audit(people(), QUICK, ["sex & height", "sex"], target="paid", client="place", level="value")
    assert mine.attributes["sex & height"] == ("f & short", "f & tall", "m & short", "m & tall")
    pairs = mine.composition["sex & height"].sum(axis=(0, 2))
    assert pairs.tolist() == people().groupby(["sex", "height"]).size().tolist()
    assert {"sex", "height"} <= set(mine.facts["left_out"])
    assert mine.verdicts()[1].verdict.startswith("sex & height=")
    with pytest.raises(KeyError, match="attributes must be a column's name or index, got 'age'"):
        audit(people(), QUICK, ["sex & age"], target="paid", client="place")


@pytest.mark.parametrize("measure", ["equal_opportunity", "equalized_odds", "accuracy_gap"])
def test_other_measures(measure: str) -> None:
    """The same counts, other gaps of them: fairlearn's, as every group here has rows of both labels."""
    mine = audit(people(), QUICK, ["sex"], target="paid", client="place", measure=measure)
    from fairlearn import metrics as fl
    from sklearn.metrics import accuracy_score

    theirs = {
        "equal_opportunity": fl.equal_opportunity_difference,
        "equalized_odds": fl.equalized_odds_difference,
        "accuracy_gap": lambda y, pred, sensitive_features: fl.MetricFrame(
            metrics=accuracy_score, y_true=y, y_pred=pred, sensitive_features=sensitive_features
        ).difference(),
    }
    for k in range(3):
        cells = mine.counts["sex"][0, k, 0]
        group, y, pred = (np.repeat(at.ravel(), cells.ravel()) for at in np.indices(cells.shape))
        want = theirs[measure](y, pred, sensitive_features=group)
        assert mine.gaps("sex").gap[0, k, 0] == pytest.approx(want)


def test_intervals_hold_the_gap_or_the_divisions() -> None:
    """By resampling with few divisions; with twenty the quantiles over them."""
    low, high = found().interval("sex")
    gap = found().gaps("sex").gap[0]
    assert ((low[0] <= gap[0]) & (gap[0] <= high[0])).all()
    many = audit(people(), QUICK, ["sex"], target="paid", client="place", repeats=20)
    ends = many.interval("sex", 0.5)
    np.testing.assert_allclose(ends, np.quantile(many.gaps("sex").gap, [0.25, 0.75], axis=0))


def test_data_sets_and_federations() -> None:
    """Natural clients by name, a partition of the rows, and the data's own test rows."""
    data = load("acs_employment")
    by_year = audit(data, QUICK, ["sex", "race"])
    owner = group_codes(data.groups["year"]).codes
    fed = FederatedDataset(data, Partition("rows", owner, 4))
    same = audit(fed, QUICK, ["sex", "race"])
    np.testing.assert_array_equal(by_year.counts["race"], same.counts["race"])
    assert same.clients == ("client 1", "client 2", "client 3", "client 4")
    assert by_year.facts["left_out"] == {"SEX": "protected attribute", "RAC1P": "tells race"}
    held = audit(fed, QUICK, ["sex", "race"], division="held_out")
    assert held.test_rows[0].tolist() == np.bincount(owner[data.held_out]).tolist()
    label = data.y[data.held_out & (owner == 2)] == data.positive
    assert held.counts["sex"][0, 2, 0].sum(axis=(0, 2)).tolist() == [int((~label).sum()), int(label.sum())]


def test_a_client_that_cannot_be_measured_says_why() -> None:
    """One row, one label, one group, few rows of a group: n/a with a reason, and never 0."""
    table = people().copy()
    table.loc[:0, "place"] = "one row"
    table.loc[1:40, ["place", "paid"]] = ["one label", "yes"]
    table.loc[41:80, ["place", "sex"]] = ["one sex", "f"]
    table.loc[81:84, "place"] = "four rows"
    mine = audit(table, QUICK, ["sex"], target="paid", client="place", min_group=2)
    verdicts = {verdict.client: verdict for verdict in mine.verdicts()}
    assert verdicts["one row"].reason == "1 row, too few to divide"
    assert verdicts["one label"].reason == "all training labels are the same"
    assert verdicts["one sex"].reason == "sex: one group only"
    assert verdicts["four rows"].verdict == "not measurable"
    assert all(math.isnan(verdicts[name].strength) for name in ("one row", "one label", "one sex", "four rows"))
    line: Any = mine.frame().set_index("client").loc["one row"]
    assert math.isnan(line["logistic DD(sex)"])
    assert line["logistic DD(sex) worse"] == ""
    assert mine.summary()["logistic"]["sex"]["undefined"] == 4
    assert "not measurable, 4 clients" in mine.to_markdown()


def test_thousands_of_clients_of_one_row() -> None:
    """All not measurable, in no time."""
    n = 20_000
    table = pd.DataFrame({"id": np.arange(n), "g": np.arange(n) % 2, "x": np.arange(n) % 7, "y": np.arange(n) % 3 > 0})
    mine = audit(table, QUICK, ["g"], target="y", client="id")
    assert mine.tally() == {"not measurable": n}
    assert {verdict.reason for verdict in mine.verdicts()} == {"1 row, too few to divide"}
    assert np.isnan(mine.gaps("g").gap).all()


def test_a_stratum_of_one_row_does_not_stop_the_audit() -> None:
    """The division is then not stratified."""
    table = people()[people().place == "A"].copy()
    table.loc[0, "sex"] = "x"
    mine = audit(table, QUICK, ["sex", "height"], target="paid", client="place")
    assert mine.facts["stratified_clients"] == 0
    assert mine.tally() != {"not measurable": 1}


def test_missing_attributes_are_in_no_group() -> None:
    """They are counted, and their rows are trained on; a client whose attribute is all missing is not measurable."""
    table = people().copy()
    table.loc[table.index[:50], "sex"] = None
    table.loc[table.place == "B", "sex"] = np.nan
    mine = audit(table, QUICK, ["sex"], target="paid", client="place")
    assert mine.attributes["sex"] == ("f", "m")
    assert mine.missing["sex"].tolist() == [50, 400, 0]
    assert mine.verdicts()[1].reason == "sex: no rows"
    assert mine.accuracy[0, 1].min() > 0.5
    assert mine.composition["sex"].sum(axis=(1, 2)).tolist() == [350, 0, 400]


def test_classes_against_all_others() -> None:
    """Of three classes the favourable one has to be named."""
    table = people().assign(paid=np.array(["no", "some", "much"])[np.arange(1200) * 7 % 3])
    with pytest.raises(ValueError, match=r"favourable class of 3, .*, got none; known are much, no, some"):
        audit(table, QUICK, ["sex"], target="paid", client="place")
    mine = audit(table, QUICK, ["sex"], target="paid", client="place", positive="much")
    assert mine.facts["positive"] == "much"
    assert mine.composition["sex"][..., 1].sum() == 400


def test_everything_can_be_written() -> None:
    """JSON that reads back, with NaN kept apart, and one line a client."""
    first = found()
    back = jsonfile.loads(jsonfile.dumps(first.to_dict()))
    assert back["clients"][0]["verdict"] == "sex"
    assert np.array(back["counts"]["sex"]).tolist() == first.counts["sex"].tolist()
    assert back["again"]["clients"][1]["verdict"] == "height"
    assert len(first.frame()) == 3
    assert repr(first).startswith("Audit('my table', 3 clients: 1 sex, 1 height, 1 ")


def test_the_datasheet_says_what_is_known_and_what_is_not() -> None:
    """Groups and findings from the audit; one's own answers come first; the rest is not stated."""
    text = datasheet(found(), {"purpose": "To test."})
    assert "**What the data were made for.** To test." in text
    assert "**Who paid for it.** not stated" in text
    rows = people().sex.value_counts()
    assert f"| f | {rows['f']:,} |" in text
    assert "- sex: all models find it worst, by more than the threshold, 1 client: A" in text
    assert "synthetic" not in text
    with pytest.raises(KeyError, match="a datasheet has no question 'colour'; known are purpose, makers"):
        datasheet(found(), {"colour": "red"})


def test_it_can_be_stopped() -> None:
    """What progress raises comes out; it is told the client and the share."""
    seen = []

    def tell(stage: str, part: float) -> None:
        seen.append((stage, part))
        if part > 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        audit(people(), QUICK, ["sex"], target="paid", client="place", progress=tell)
    assert [stage for stage, _ in seen] == ["A", "B"]
    assert [part for _, part in seen] == pytest.approx([1 / 3, 2 / 3])


def test_what_chance_alone_would_give() -> None:
    """Beside every gap, as the metric has it; not for odds, which are two rates."""
    seen, frame = found(), found().frame()
    expected, p = chance_gap(seen.counts["sex"][0], draws=400, seed=42)
    np.testing.assert_array_equal(frame["tree DD(sex) by chance"], expected[:, 1])
    np.testing.assert_array_equal(frame["tree DD(sex) p"], p[:, 1])
    assert seen.summary()["tree"]["sex"]["by_chance"] == pytest.approx(expected[:, 1].mean())
    assert p[0].max() < 0.05 < p[2].min()  # A is hard on women, at C nobody differs
    odds = audit(people(), QUICK, ["sex"], target="paid", client="place", measure="equalized_odds")
    assert np.isnan(odds.chance("sex")).all()
    assert not [column for column in odds.frame() if str(column).endswith(("by chance", " p"))]
    with pytest.raises(KeyError, match="there is no attribute 'age'; known are sex, height"):
        seen.chance("age")
