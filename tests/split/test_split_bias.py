"""Bias on purpose: gaps are met within a row, what cannot be is refused first, and nothing else is touched."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import datasets
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.metrics.clients import disparity_interval
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.split.bias import inject_bias
from trustkit.split.closedforms import OutOfReachError, drop_share, flip_share, lowered, solve
from trustkit.split.injection import Target
from trustkit.split.reach import reachable_gap
from trustkit.split.rows import by_group
from trustkit.split.targeted import biased

INJECT: Any = inject_bias


def table(clients: int = 3, each: int = 400, classes: int = 2, seed: int = 0) -> tuple[Dataset, Partition]:
    """Return clients with two attributes, about 45 % favourable labels, a fifth held out."""
    n, rng = clients * each, stream(seed, "bias")
    data = Dataset(
        name="small", X=np.zeros((n, 1)), y=np.minimum(rng.integers(0, 20, n) // 11, classes - 1), columns=("x",),
        classes=tuple("abc"[:classes]), provenance=Provenance("made up", "none", synthetic=True),
        sensitive={"sex": np.array(["f", "m"])[rng.integers(0, 2, n)], "race": rng.integers(1, 5, n)},
        held_out=rng.random(n) < 0.2, groups={"place": rng.integers(0, clients, n)},
    )  # fmt: skip
    return data, Partition("rows", rng.integers(0, clients, n), clients, achieved={"names": ["x"] * clients})


def gap(data: Dataset, owner: np.ndarray, client: int, attribute: str, value: Any = None, test: bool = False) -> float:
    """Return the gap of a client's labels, by its definition."""
    mine = (owner == client) & (data.held_out == test)
    values = data.sensitive[attribute][mine]
    rates = {each: float(np.mean(data.y[mine][values == each] == data.positive)) for each in np.unique(values)}
    return max(rates.values()) - (min(rates.values()) if value is None else rates[value])


def test_the_closed_forms_by_hand() -> None:
    """From 0.40 to 0.25: of 100 rows with 40 favourable drop 20 (20/80), or flip 15 (25/100)."""
    assert drop_share(0.40, 0.25) == pytest.approx(0.5)
    assert flip_share(0.40, 0.25) == pytest.approx(0.375)
    assert lowered(100, 40, 0.25) == (20, 0)
    assert lowered(100, 40, 0.25, by_dropping=0.0) == (0, 15)
    # half of the way is 0.325: d = 0.075/(0.4 · 0.675) = 0.2778, 11 rows, 29/89; then f = 1 − 0.25 · 89/29, 7 labels
    assert lowered(100, 40, 0.25, by_dropping=0.5) == (11, 7)
    assert lowered(100, 40, 0.40) == lowered(100, 40, 0.7) == (0, 0)
    assert lowered(10, 10, 0.5, by_dropping=0.5) == (0, 5)


@given(st.integers(1, 300), st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_a_rate_is_lowered_to_half_a_row(n: int, share: float, wanted: float, mix: float, below: bool) -> None:
    """Counts stay within the favourable rows; the rate is nearest to what is wanted, or the first not above it."""
    k = round(share * n)
    if k == n and mix == 1 and wanted < 1:
        if wanted < 1 - 1e-12:
            with pytest.raises(ValueError, match="all rows are favourable"):
                lowered(n, k, wanted, mix)
        return
    dropped, flipped = lowered(n, k, wanted, mix, below)
    assert min(dropped, flipped) >= 0
    assert dropped + flipped <= k
    rate = (k - dropped - flipped) / (n - dropped)
    assert 0 <= rate <= k / n
    if below:
        assert rate <= max(wanted, 0) + 1e-9
    if wanted < k / n and mix in (0.0, 1.0):
        assert abs(rate - wanted) <= (1 if below else 0.5) / (n - dropped) + 1e-9


tables = st.lists(st.tuples(st.integers(0, 60), st.floats(0, 0.99)), min_size=2, max_size=5)


@given(tables, st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]), st.booleans(), st.booleans())
@settings(max_examples=200)
def test_a_solved_gap_is_met(groups: Any, wanted: float, mix: float, at_most: bool, named: bool) -> None:
    """Within a row of a group that was changed or compared; or what stands in the way is that no rate is so large."""
    size = np.array([n for n, _ in groups])
    good = np.array([int(share * n) for n, share in groups])
    there = np.flatnonzero(size)
    if there.size < 2:
        return
    low = int(there[0]) if named else None
    worst = int(there[np.argmin(good[there] / size[there])]) if low is None else low
    others = np.setdiff1d(there, [worst])
    most = float((good[others] / size[others]).max())
    if most < wanted - 1e-9 and not at_most:
        with pytest.raises(OutOfReachError) as caught:
            solve(size, good, wanted, low, at_most, mix)
        assert not caught.value.least
        assert caught.value.end == pytest.approx(most)
        return
    dropped, flipped = solve(size, good, wanted, low, at_most, mix)
    assert (dropped + flipped <= good).all()
    left, rest = size - dropped, good - dropped - flipped
    assert (left[there] > 0).all()
    rates = rest[there] / left[there]
    reached = rates.max() - (rest[worst] / left[worst] if named else rates.min())
    tick = 1 / left[there].min() + 1e-9
    if at_most:
        assert reached <= max(wanted, tick) + 1e-9
    else:
        assert abs(reached - wanted) <= tick


@given(st.integers(0, 2**32), st.sampled_from(["drop", "flip", "drop_then_flip"]), st.floats(0, 0.35))
@settings(max_examples=25)
def test_every_client_gets_its_own_gap(seed: int, operation: Any, wanted: float) -> None:
    """Sex for one, race 4 for another, little for the third; measured anew by definition, and rows add up."""
    data, part = table(seed=seed % 7)
    targets = [Target(0, "sex", wanted), Target([1], "race", wanted, value=4), Target(2, "race", 0.03, at_most=True)]
    done = inject_bias(data, part, targets, operation=operation, seed=seed)
    owner = done.partition.owner
    for each, (attribute, value) in zip(done.targets, [("sex", None), ("race", 4), ("race", None)], strict=True):
        assert each.achieved == pytest.approx(gap(done.data, owner, each.client, attribute, value), abs=1e-12)
        assert each.before == pytest.approx(gap(data, part.owner, each.client, attribute, value), abs=1e-12)
        assert each.low <= each.achieved <= each.high
        if each.at_most:
            assert each.achieved <= 0.03
        else:
            assert abs(each.achieved - wanted) <= each.rounding
    if done.targets[1].achieved > 0:
        assert done.targets[1].worst == "4"
        assert gap(done.data, owner, 1, "race") == pytest.approx(done.targets[1].achieved, abs=1 / 20)
    assert set(owner[owner != part.owner]) <= {-1}
    lost = (owner < 0) & (part.owner >= 0)
    changed = done.data.y != data.y
    assert not (lost | changed)[data.held_out].any()
    assert (data.y[lost | changed] == data.positive).all()
    frame = done.frame()
    assert (int(lost.sum()), int(changed.sum())) == (int(frame.dropped.sum()), int(frame.flipped.sum()))
    assert done.partition.achieved["unused"] == int(lost.sum())
    assert done.partition.achieved["counts"] == np.bincount(owner[~data.held_out & ~lost], minlength=3).tolist()
    assert not (operation == "drop" and changed.any())
    assert not (operation == "flip" and lost.any())


def test_the_same_seed_and_wider_gaps() -> None:
    """The seed decides which rows go; a wider gap takes the rows of a narrower one and some more."""
    data, part = table()
    one, again, other = (inject_bias(data, part, Target(0, "sex", 0.2), seed=seed) for seed in (1, 1, 2))
    assert one.partition == again.partition
    assert one.partition != other.partition
    lost = [inject_bias(data, part, Target(0, "sex", g, value="f"), seed=1).left_out for g in (0.1, 0.2, 0.3, 0.4)]
    assert all((few <= many).all() for few, many in itertools.pairwise(lost))
    assert lost[0].sum() < lost[-1].sum()


def test_clean_and_biased_test_labels_are_both_kept() -> None:
    """The test rows are those from before, with their labels; the biased ones lie as far apart as the training rows."""
    data, part = table(2, 4000)
    done = inject_bias(data, part, Target(0, "sex", 0.3), operation="drop_then_flip", seed=3)
    assert np.array_equal(done.clean, data.y)
    assert np.array_equal(done.fed.stacked("test").y, FederatedDataset(data, part).stacked("test").y)
    again = done.biased_test()
    assert gap(again.data, again.partition.owner, 0, "sex", test=True) == pytest.approx(0.3, abs=0.08)
    assert gap(done.data, done.partition.owner, 0, "sex", test=True) < 0.1
    steps = done.frame().iloc[0]
    rows = part.members(0)
    group = rows[data.held_out[rows] & (data.sensitive["sex"][rows] == steps.group) & (data.y[rows] == data.positive)]
    assert steps.test_dropped == round(group.size * steps.dropped / steps.favourable)
    assert (done.left_out & data.held_out).sum() == steps.test_dropped
    assert (done.biased != done.clean)[data.held_out].sum() == steps.test_flipped > 0


def test_the_table_says_what_was_done() -> None:
    """r = 0.40 to 0.25 by dropping half of the favourable; Newcombe's interval is that of the measures' room."""
    y = np.concatenate([np.repeat([1, 0], [40, 60]), np.repeat([1, 0], [45, 55])])
    sex = np.repeat(["f", "m"], 100)
    data = Dataset("hand", np.zeros((200, 1)), y, ("x",), ("no", "yes"), Provenance("made up", "none"), {"sex": sex})
    done = inject_bias(data, Partition("rows", np.zeros(200, int), 1), Target(0, "sex", 0.2))
    line, result = done.frame().iloc[0], done.gaps().iloc[0]
    assert (line.group, line.rows, line.favourable, line.dropped, line.flipped) == ("f", 100, 40, 20, 0)
    assert (line.drop_share, line.rate_before, line.rate_after) == (0.5, 0.4, 0.25)
    assert (result.asked, result.achieved, result.best, result.worst) == (0.2, pytest.approx(0.2), "m", "f")
    low, high = disparity_interval(np.array([[[55, 45], [0, 0]], [[60, 20], [0, 0]]]))
    assert (result.low, result.high) == (pytest.approx(float(low)), pytest.approx(float(high)))
    assert result.rounding == 1 / 80
    assert done.data.notes["bias"]["dropped"] == 20
    assert "on purpose" in done.data.provenance.source


def test_several_targets_of_one_client_hold_together() -> None:
    """Each is met after the other has been; crossed attributes are one target."""
    data, part = table(2, 4000)
    done = inject_bias(
        data, part, [Target(0, "sex", 0.2), Target(0, "race", 0.1, value=4), Target(1, "sex & race", 0.3)]
    )
    owner = done.partition.owner
    assert gap(done.data, owner, 0, "sex") == pytest.approx(0.2, abs=0.002)
    assert gap(done.data, owner, 0, "race", 4) == pytest.approx(0.1, abs=0.003)
    crossed = np.array([f"{s} & {r}" for s, r in zip(data.sensitive["sex"], data.sensitive["race"], strict=True)])
    mine = (owner == 1) & ~data.held_out
    rates = [np.mean(done.data.y[mine & (crossed == each)]) for each in np.unique(crossed)]
    assert max(rates) - min(rates) == pytest.approx(0.3, abs=0.003)


def test_missing_attributes_are_left_alone() -> None:
    """A row without the attribute belongs to no group and is never touched."""
    data, part = table()
    sex = data.sensitive["sex"].astype(object)
    lacks = np.arange(sex.size) % 3 == 0
    sex[lacks] = None
    data = Dataset(**{**vars(data), "sensitive": {"sex": sex}})
    done = inject_bias(data, part, Target(0, "sex", 0.3), operation="drop")
    assert done.left_out.any()
    assert not (done.left_out & lacks).any()


def test_several_classes_can_be_dropped() -> None:
    """The favourable one against the rest; flipping would not know to which class."""
    data, part = table(classes=3)
    data = Dataset(**{**vars(data), "y": np.arange(data.y.size) % 3})
    done = inject_bias(data, part, Target(range(3), "sex", 0.2))
    assert all(abs(each.achieved - 0.2) <= each.rounding for each in done.targets)
    with pytest.raises(ValueError, match=r"^flipping needs 2 classes, got the 3 of small; drop rows instead$"):
        inject_bias(data, part, Target(0, "sex", 0.2), operation="flip")


def test_the_grid_takes_the_first_share_that_will_do() -> None:
    """Shares do not accumulate: int(share · favourable) rows of what there was; here the gap of the labels."""
    data, part = table(1, 1000)
    done = inject_bias(data, part, Target(0, "sex", 0.2, value="f"), method="grid")
    line = done.steps[0]
    mine = (part.owner == 0) & ~data.held_out
    f, m = (mine & (data.sensitive["sex"] == each) for each in "fm")
    n, k, r = int(f.sum()), int(data.y[f].sum()), float(data.y[m].mean())
    gaps = [r - (k - int(d * k)) / (n - int(d * k)) for d in (x / 10 for x in range(1, 10))]
    assert (line.rows, line.favourable) == (n, k)
    assert line.dropped == int(((1 + int(np.argmax(np.array(gaps) >= 0.2))) / 10) * k)
    assert done.targets[0].achieved >= 0.2
    assert done.targets[0].measured == pytest.approx(done.targets[0].achieved)
    level = inject_bias(*table(1, 100), Target(0, "race", 0.9, at_most=True), method="grid")
    assert level.targets[0].achieved <= 0.9


def test_bisection_meets_what_a_model_says() -> None:
    """A measure of its own (here half of the labels' gap): the nearest number of rows, in a dozen calls."""
    data, part = table(1, 2000)
    calls: list[int] = []

    def measure(client: int, rows: np.ndarray, y: np.ndarray) -> float:
        calls.append(rows.size)
        of = data.sensitive["sex"][rows]
        return abs(float(y[rows][of == "f"].mean() - y[rows][of == "m"].mean())) / 2

    for operation in ("drop", "flip", "drop_then_flip"):
        calls.clear()
        done = INJECT(data, part, Target(0, "sex", 0.1), operation=operation, method="bisect", measure=measure)
        assert done.targets[0].measured == pytest.approx(0.1, abs=1 / 700)
        assert done.targets[0].achieved == pytest.approx(0.2, abs=2 / 700)
        assert len(calls) < 14
    few = INJECT(data, part, Target(0, "race", 0.01, at_most=True), method="grid", measure=lambda *_: 0.0)
    assert not few.steps
    biased_first = inject_bias(data, part, Target(0, "sex", 0.4)).fed
    back = INJECT(biased_first.data, biased_first.partition, Target(0, "sex", 0.1), method="bisect", measure=measure)
    assert back.targets[0].measured == pytest.approx(0.1, abs=1 / 300)


def test_a_stop_goes_through() -> None:
    """What progress raises ends it."""

    def stop(stage: str, share: float) -> None:
        raise Stopped(f"{stage} {share}")

    with pytest.raises(Stopped, match=r"^injecting bias 0.0$"):
        inject_bias(*table(), Target(0, "sex", 0.2), progress=stop)


def test_the_result_can_be_run() -> None:
    """As a data set of its own, its clients by group are those of the injection: dropped rows gone, labels flipped."""
    data, part = table()
    done = inject_bias(data, part, Target(range(3), "sex", 0.25), operation="drop_then_flip")
    alone = done.standalone("small, biased")
    fed = FederatedDataset(alone, by_group(alone, "client"))
    assert fed.partition.sizes.tolist() == done.partition.sizes.tolist()
    for k in range(3):
        assert gap(alone, fed.partition.owner, k, "sex") == pytest.approx(done.targets[k].achieved)


def test_reachable_by_definition() -> None:
    """The largest rate of the others: asking for it works, asking for more names it."""
    data, part = table()
    most = reachable_gap(data, part, "race", 4)
    for k in range(3):
        mine = (part.owner == k) & ~data.held_out
        rates = [np.mean(data.y[mine & (data.sensitive["race"] == v)]) for v in (1, 2, 3)]
        assert most[k] == pytest.approx(max(rates))
        inject_bias(data, part, Target(k, "race", float(most[k]), value=4))
        said = rf"^client {k} can reach a gap of at most {most[k]:.3g} for race, since \d+ of its \d+ training rows of "
        with pytest.raises(ValueError, match=said):
            inject_bias(data, part, Target(k, "race", float(most[k]) + 1e-6, value=4))
    alone = Partition("rows", np.where(data.sensitive["sex"] == "f", 0, 1), 2)
    assert np.isnan(reachable_gap(data, alone, "sex")).all()
    with pytest.raises(ValueError, match=r"^race must be one of 1, 2, 3, 4, got '9'$"):
        reachable_gap(data, part, "race", 9)


def _apart(second: np.ndarray) -> Partition:
    return Partition("rows", second.astype(int), 2)


def _favourable_only() -> tuple[Dataset, Partition]:
    data, part = table()
    return Dataset(**{**vars(data), "y": np.where(data.sensitive["sex"] == "f", 1, data.y)}), part


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d, p: INJECT(d, p, []), ValueError, r"^targets must be at least 1, got none$"),
        (lambda d, p: INJECT(d, p, Target(3, "sex", 0.2)), ValueError, r"must be between 0 and 2, got 3$"),
        (lambda d, p: INJECT(d, p, Target(0, "age", 0.2)), KeyError, r"no protected attribute 'age'; known are sex, "),
        (lambda d, p: INJECT(d, p, Target(0, "race", 0.2, 9)), ValueError, r"^race must be one of 1, 2.*got '9'$"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 1.5)), ValueError, r"must be between 0 and 1, got 1.5 \(sex\)$"),
        (lambda d, p: INJECT(d, p, Target((), "sex", 0.5)), ValueError, r"for at least 1 client, got none \(sex\)$"),
        (lambda d, p: INJECT(d, p, [Target(0, "sex", 0.1)] * 2), ValueError, r"^client 0 must have one target for sex"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.9)), ValueError, r"^client 0 can reach .* since .* sex .* 0.9$"),
        (lambda d, p: INJECT(*_favourable_only(), Target(0, "sex", 0.1, value="f")), ValueError,
         r"^client 0 can reach a gap of at most .* since (\d+) of its \1 training rows of sex f are favourable, got"),
        (lambda d, p: INJECT(*_favourable_only(), Target(0, "sex", 0.1)), ValueError,
         r"^client 0 can reach a gap of at least 0\.\d+ for sex, since (\d+) of its \1 training rows of sex f are fav"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), operation="swap"), ValueError, r"^operation must be one of"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), method="guess"), ValueError, r"^method must be one of exact"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), method="bisect"), ValueError, r"^bisect needs a measure"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), measure=max), ValueError, r"^exact sets .* takes no measure"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), by_dropping=2), ValueError, r"^by_dropping must be between"),
        (lambda d, p: INJECT(d, p, [Target(0, "sex", 0.1), Target(0, "race", 0.1)], method="grid"), ValueError,
         r"^a search takes one target a client, got several for client 0$"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), method="bisect", measure=lambda *_: np.nan), ValueError,
         r"^the measure must give a gap for client 0, got NaN with \d+ rows$"),
        (lambda d, p: INJECT(d, p, Target(0, "sex", 0.1), method="bisect", measure=lambda *_: 0.05), ValueError,
         r"^client 0 must reach a gap of 0.1 for sex .* got 0.05 at the most$"),
        (lambda d, p: INJECT(d, _apart(d.sensitive["sex"] == "f"), Target(1, "sex", 0.1)),
         ValueError, r"^client 1 must have training rows of at least 2 values of sex, got 1$"),
        (lambda d, p: INJECT(d, _apart(d.sensitive["race"] == 4), Target(0, "race", 0.1, 4)),
         ValueError, r"^client 0 must have training rows of race 4, got none$"),
        (lambda d, p: INJECT(d, Partition("columns", np.array([0]), 1), Target(0, "sex", 0.1)), ValueError,
         r"^bias needs clients that hold the 1200 rows of small, got a partition of 1 columns$"),
        (lambda d, p: INJECT(Dataset(**{**vars(d), "classes": ()}), p, Target(0, "sex", 0.1)), ValueError,
         r"small has a number as its target \(a regression\)$"),
        (lambda d, p: drop_share(1.0, 0.5), ValueError, r"^rate must be strictly between 0 and 1, got 1.0$"),
        (lambda d, p: drop_share(0.4, 0.5), ValueError, r"^wanted must be between 0 and the rate 0.4, got 0.5$"),
        (lambda d, p: flip_share(0.0, 0.0), ValueError, r"^rate must be above 0 and at most 1, got 0.0$"),
        (lambda d, p: flip_share(0.4, 0.5), ValueError, r"^wanted must be between 0 and the rate 0.4, got 0.5$"),
    ],
)  # fmt: skip
def test_errors_name_the_thing(call: Any, error: type[Exception], message: str) -> None:
    """The client, the group, the rule and the value; before anything is done."""
    with pytest.raises(error, match=message):
        call(*table())


def test_targets_that_exclude_each_other() -> None:
    """A clear sentence after a bounded number of turns: both attributes are the same column, asked for two gaps."""
    data, part = table()
    data = Dataset(**{**vars(data), "sensitive": {"sex": data.sensitive["sex"], "same": data.sensitive["sex"]}})
    said = r"^client 0 must be able to meet its targets for sex and same together, .*, got a gap of .* instead of 0.2$"
    with pytest.raises(ValueError, match=said):
        inject_bias(data, part, [Target(0, "sex", 0.2), Target(0, "same", 0.1)], operation="flip")


@pytest.mark.parametrize("rule", ["iid", "dirichlet", "quantity"])
def test_a_biased_split(rule: Any) -> None:
    """The first half has the gap, one attribute after the other; the rest has little; nobody else's rows move."""
    data, _ = table(1, 8000)
    made = biased(data, rule, parties=5, alpha=5.0, attribute="sex, race", gap=0.2, share=0.6, rest=0.05, seed=2)
    lines = made.achieved["gaps"]
    assert [(each["client"], each["attribute"]) for each in lines] == [
        (0, "sex"), (1, "race"), (2, "race"), (3, "sex"), (3, "race"), (4, "sex"), (4, "race"),
    ]  # fmt: skip
    for each in lines:
        found = gap(data, made.owner, each["client"], each["attribute"])
        assert found == pytest.approx(each["achieved"], abs=1e-12)
        assert found <= 0.05 if each["at_most"] else abs(found - 0.2) <= each["rounding"]
    assert made.achieved["unused"] == (made.owner < 0).sum() > 0
    assert (made.owner[data.held_out] >= 0).all()
    assert made.achieved["counts"] == np.bincount(made.owner[(made.owner >= 0) & ~data.held_out]).tolist()
    assert biased(data, rule, parties=5, alpha=5.0, share=0).achieved["unused"] == 0


def test_a_biased_split_of_real_clients() -> None:
    """Natural clients keep their names, and the value that is to be worst off is."""
    data = datasets.load("adult")
    made = biased(data, "by_group", attribute="sex", value=str(data.codes("sex")[1][0]), gap=0.1, share=0.1)
    assert len(made.achieved["names"]) == made.parties
    for each in made.achieved["gaps"]:
        assert abs(each["achieved"] - 0.1) <= each["rounding"]
        assert each["worst"] == data.codes("sex")[1][0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gap": 2.0}, r"^biased: gap must be between 0 and 1, got 2.0$"),
        ({"attribute": "sex,race", "value": "f"}, r"^biased: value must be empty with 2 attributes, got 'f'$"),
        ({"rule": "shards"}, r"^biased: rule must be one of iid, dirichlet, quantity, by_group, got 'shards'$"),
        ({"parties": 5000}, r"^biased: parties must be between 2 and 100, got 5000$"),
    ],
)
def test_a_biased_split_refuses(settings: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        biased(table()[0], **settings)


def test_a_biased_split_needs_an_attribute() -> None:
    """Without one there is no gap."""
    data, _ = table()
    with pytest.raises(ValueError, match=r"^biased needs a protected attribute, got small, which has none$"):
        biased(Dataset(**{**vars(data), "sensitive": {}}))
