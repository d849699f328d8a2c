"""Gaps of a run by attribute, value and intersection: by hand, and against predictions made anew."""

from __future__ import annotations

import numpy as np
import pytest

import trustkit as tk
from trustkit import use
from trustkit.disparities import COMPARED, OTHERS, Disparities, disparities_of
from trustkit.metrics import demographic_disparity, equal_opportunity_difference
from trustkit.metrics.clients import masking_gap
from trustkit.rounds import build, data_of

RUN = tk.Experiment("acs_employment", use("iid", parties=4), use("fedavg", batch=64), "logistic", rounds=2, seed=1)

# Two clients, groups a and b, ten rows a group and label row; cell [label][prediction].
COUNTS = np.array([
    [[[4, 1], [1, 4]], [[5, 0], [3, 2]]],
    [[[5, 0], [0, 5]], [[3, 2], [0, 5]]],
])  # fmt: skip


@pytest.fixture(scope="module")
def record() -> tk.RunRecord:
    """A short run on real answers."""
    return tk.run(RUN)


def of(compared: str, counts: np.ndarray = COUNTS, line: float = 0.09, min_group: int = 0) -> Disparities:
    """Compare made-up counts."""
    values = tuple("abc"[: counts.shape[1]])
    names = tuple(f"client {k + 1}" for k in range(len(counts)))
    return Disparities("g", "", COMPARED[compared], line, values, names, counts, min_group)


def test_by_hand() -> None:
    """Client 1 selects 5 and 2 of 10, client 2 selects 5 and 7 of 10: together 10 and 9 of 20."""
    found = of("demographic_disparity")
    assert found.gap == pytest.approx([0.3, 0.2])
    assert found.pooled == pytest.approx(0.05)
    assert found.masking == pytest.approx(0.25) == masking_gap(COUNTS)
    assert found.order.tolist() == [0, 1]
    assert found.worse.tolist() == [1, 0]
    assert found.pooled_worse == 1
    assert found.over.tolist() == [True, True]
    assert found.rates == pytest.approx(np.array([[0.5, 0.2], [0.5, 0.7], [0.5, 0.45]]))
    assert found.sizes.tolist() == [[10, 10], [10, 10]]
    assert found.small.all()


def test_odds_show_the_rate_that_differs_more() -> None:
    """Client 1 by true positives (.8 and .4), client 2 by false ones (0 and .4), all rows by true ones (.9 and .7)."""
    found = of("equalized_odds")
    assert found.gap == pytest.approx([0.4, 0.4])
    assert found.rates == pytest.approx(np.array([[0.8, 0.4], [0.0, 0.4], [0.9, 0.7]]))
    assert found.worse.tolist() == [1, 0]
    assert found.sizes.tolist() == [[5, 5], [5, 5]]


def test_a_ratio_is_worst_where_it_is_smallest() -> None:
    """.2/.5 and .5/.7; together .45/.5. Below the line counts, and masking is what the pooled ratio has more."""
    found = of("parity_ratio", line=0.8)
    assert found.gap == pytest.approx([0.4, 5 / 7])
    assert (found.pooled, found.worst) == pytest.approx((0.9, 0.4))
    assert found.masking == pytest.approx(0.5)
    assert found.over.tolist() == [True, True]
    assert of("parity_ratio", line=0.5).over.tolist() == [True, False]


def test_undefined_says_why() -> None:
    """One group only, nobody selected, no favourable labels; they stand last and are no zeros."""
    counts = np.zeros((3, 2, 2, 2), int)
    counts[0, 0] = [[2, 2], [2, 2]]
    counts[1] = [[4, 0], [0, 0]]
    counts[2] = [[2, 2], [2, 2]]
    ratio, chance = of("parity_ratio", counts), of("equal_opportunity", counts)
    assert ratio.reasons == ("one group only", "nobody is selected", "")
    assert chance.reasons[1] == "fewer than two groups have a row whose label is favourable"
    assert ratio.order.tolist() == [2, 0, 1]
    assert (ratio.undefined, ratio.gap[2]) == (2, 1.0)
    assert ratio.worse.tolist() == [-1, -1, -1]
    nobody = of("demographic_disparity", np.zeros((1, 2, 2, 2), int))
    assert np.isnan([nobody.worst, nobody.pooled, nobody.masking]).all()


def test_small_groups_can_be_left_out() -> None:
    """A third group of one row makes the gap 1; without it, it is as before, and the dagger goes by what is left."""
    lone = np.zeros((2, 1, 2, 2), int)
    lone[:, 0, 0, 1] = 1
    counts = np.concatenate([COUNTS * 4, lone], axis=1)
    assert of("demographic_disparity", counts).gap[0] == pytest.approx(0.8)
    found = of("demographic_disparity", counts, min_group=10)
    assert found.gap == pytest.approx([0.3, 0.2])
    assert not found.small.any()
    assert of("demographic_disparity", counts).small.all()


def test_one_value_against_all_others(record: tk.RunRecord) -> None:
    """The measure of a two-valued attribute."""
    found = disparities_of(record, "race5", value="Black")
    assert found is not None
    assert found.values == (OTHERS, "Black")
    built = tk.build(RUN)
    test = built.fed.stacked("test")
    pred = built.trainer.predict(record.last.state, test.X).argmax(1)
    black = built.fed.data.sensitive["race5"][test.rows] == "Black"
    assert found.pooled == pytest.approx(demographic_disparity(pred, black))


def test_attributes_are_crossed_with_predictions_of_the_model(record: tk.RunRecord) -> None:
    """Against labels glued together; the sums over one attribute are the other one's counts."""
    found = disparities_of(record, "sex & race", compared="equal_opportunity")
    assert found is not None
    assert found.values == ("female & White", "female & not White", "male & White", "male & not White")
    assert np.array_equal(found.counts.reshape(4, 2, 2, 2, 2).sum(2), record.groups["sex"])
    assert np.array_equal(found.counts.reshape(4, 2, 2, 2, 2).sum(1), record.groups["race"])
    built = tk.build(RUN)
    test = built.fed.stacked("test")
    pred = built.trainer.predict(record.last.state, test.X).argmax(1)
    glued = np.char.add(*(built.fed.data.sensitive[name][test.rows].astype(str) for name in ("sex", "race")))
    for k in range(4):
        rows = slice(test.offsets[k], test.offsets[k + 1])
        assert found.gap[k] == pytest.approx(equal_opportunity_difference(pred[rows], test.y[rows], glued[rows]))


def test_clients_with_models_of_their_own_are_crossed_by_these() -> None:
    """Sums are the counts that the run itself took."""
    record = tk.run(RUN.change(algorithm=use("ditto", batch=64)))
    found = disparities_of(record, "sex & race")
    assert found is not None
    assert np.array_equal(found.counts.reshape(4, 2, 2, 2, 2).sum(2), record.groups["sex"])


def test_a_name_may_hold_the_sign_of_a_cross() -> None:
    """Then it is taken apart where both sides are attributes."""
    from trustkit.disparities import _parts

    known = ("a", "b & c", "c")
    assert _parts("b & c", known) == ["b & c"]
    assert _parts("a & b & c", known) == ["a", "b & c"]
    assert _parts("b & c & a", known) == ["b & c", "a"]
    assert _parts("a & b", known) == []


def test_no_attribute_is_none() -> None:
    """Nothing is to be compared there."""
    assert disparities_of(tk.run(tk.Experiment("digits", "iid", "fedavg", "logistic", rounds=1))) is None


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"attribute": "age"}, KeyError, "there is no protected attribute 'age'; known are sex, race, race5"),
        ({"attribute": "sex & age"}, KeyError, "there is no protected attribute 'age'; known are sex, race, race5"),
        ({"value": "old"}, KeyError, "sex has no value 'old'; known are female, male"),
        ({"compared": "DD"}, KeyError, "there is no measure 'DD'; known are demographic_disparity, equal_opportunity"),
        ({"line": 1.5}, ValueError, "line must be between 0 and 1, got 1.5"),
        ({"min_group": -1}, ValueError, "min_group must be at least 0, got -1"),
    ],
)
def test_bad_input(record: tk.RunRecord, wrong: dict[str, object], kind: type[Exception], message: str) -> None:
    """One sentence."""
    with pytest.raises(kind, match=message):
        disparities_of(record, **wrong)  # type: ignore[arg-type]


def test_attributes_cannot_be_crossed_over_columns_or_without_a_state(record: tk.RunRecord) -> None:
    """Both say so."""
    columns = tk.run(tk.Experiment("acs_employment", use("correlation", parties=2), use("splitnn"), rounds=1))
    with pytest.raises(ValueError, match="attributes can be crossed on a run over rows, got one over columns"):
        disparities_of(columns, "sex & race")
    last = record.last
    bare = tk.RunRecord(RUN, [tk.Round(last.index, None, last.seen, last.seconds)])
    with pytest.raises(ValueError, match="attributes can be crossed on a run with its last state, got one without"):
        disparities_of(bare, "sex & race")


def _gaps_in_sex(share: float) -> tk.Experiment:
    """The same clients; of some rows the sex is missing, and none have been asked for a second attribute."""
    import dataclasses

    data = tk.datasets.load("acs_employment")
    gone = np.arange(data.y.size) % 10 < 10 * share
    sex = np.where(gone, "missing", data.sensitive["sex"])
    name = f"people without {share:.0%} of sex"
    tk.datasets.add(dataclasses.replace(data, name=name, sensitive={"sex": sex, "race": data.sensitive["race"]}))
    return RUN.change(data=use(name))


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_rows_without_the_attribute_are_in_no_group_and_counted(axis: str) -> None:
    """A third of sex is missing: no third group, gaps of the known rows, and how many were left out."""
    exp = _gaps_in_sex(0.3)
    if axis == "columns":
        exp = tk.Experiment(exp.data, use("correlation", parties=2), use("splitnn"), rounds=1)
    ran, data = tk.run(exp), data_of(exp)
    found, race = disparities_of(ran, "sex"), disparities_of(ran, "race")
    assert found is not None
    assert race is not None
    assert found.values == ("female", "male")
    total = race.counts.sum(axis=(1, 2, 3))
    np.testing.assert_array_equal(found.counts.sum(axis=(1, 2, 3)) + found.missing, total)
    assert found.missing.sum() == ((data.sensitive["sex"] == "missing") & data.held_out).sum()
    assert race.missing.sum() == 0
    if axis == "rows":
        assert build(exp).trainer.facts["test_rows_without_attribute"] == {"sex": found.missing.sum()}
        crossed = disparities_of(ran, "sex & race")
        assert crossed is not None
        assert len(crossed.values) == 2 * len(race.values)
        np.testing.assert_array_equal(crossed.missing, found.missing)


def test_an_attribute_that_nobody_has_gives_no_number() -> None:
    """n/a, not 0; what needs groups refuses in a sentence."""
    exp = _gaps_in_sex(1.0)
    found = disparities_of(tk.run(exp), "sex")
    assert found is not None
    assert found.values == ()
    assert np.isnan([*found.gap, found.pooled, found.worst, *found.interval[0]]).all()
    with pytest.raises(ValueError, match="sex must have at least two values, got none"):
        tk.run(exp.change(algorithm="fairfed"))
