"""Numbers of two results: signs and directions by hand, and read off real runs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import trustkit as tk
from trustkit import use
from trustkit.quantities import QUANTITIES, Seen
from trustkit.sidebyside import MEASURES, SHORT, SHOWN, Delta, Measured, deltas_of, measured, rule_of

SMALL = tk.Experiment("acs_employment", use("iid", parties=3), model="logistic", rounds=1, seed=1)


def _seen(experiment: tk.Experiment) -> Seen:
    record = tk.run(experiment)
    return Seen(experiment, record, tk.assess(tk.facts_of(record)))


@pytest.mark.parametrize(
    ("name", "here", "there", "difference", "moved", "better"),
    [
        ("accuracy", 0.8, 0.7, 0.1, True, True),
        ("accuracy", 0.6, 0.7, -0.1, True, False),
        ("epsilon", 6.0, 8.0, -2.0, True, True),
        ("epsilon", 6.0, math.inf, -math.inf, True, True),
        ("epsilon", math.inf, 6.0, math.inf, True, False),
        ("epsilon", math.inf, math.inf, math.nan, False, None),
        ("trust", 0.5, 0.5 + 1e-12, -1e-12, False, None),
        ("rounds", 5.0, 3.0, 2.0, True, None),
        ("fairness.parity_ratio", 0.9, 0.8, 0.1, True, True),
        ("fairness.pooled", math.nan, 0.1, math.nan, None, None),
        ("rmse", None, 3.0, math.nan, None, None),
    ],
)
def test_direction(
    name: str, here: float | None, there: float | None, difference: float, moved: bool | None, better: bool | None
) -> None:
    """Less ε is better, more accuracy is; of what has no direction, of equal and of undefined numbers nothing is."""
    delta = Delta(name, here, there)
    assert delta.difference == pytest.approx(difference, nan_ok=True)
    assert (delta.moved, delta.better) == (moved, better)
    assert delta.title == QUANTITIES[name].title


@pytest.mark.parametrize(
    ("name", "rule", "values", "scaled"),
    [
        ("trust", "itself", (0.6, 0.0, None, math.nan), (0.6, 0.0, None, math.nan)),
        ("accuracy", "itself", (1.0, 0.25), (1.0, 0.25)),
        ("fairness.parity_ratio", "itself", (0.8,), (0.8,)),
        ("fairness.demographic_disparity", "rest", (0.1, 0.0, math.nan), (0.9, 1.0, math.nan)),
        ("fairness.masking_gap", "rest", (-0.1, 0.3), (1.0, 0.7)),
        ("epsilon", "share", (4.0, 8.0, math.inf), (1.0, 0.5, 0.0)),
        ("epsilon", "share", (math.inf, math.inf), (0.0, 0.0)),
        ("fairness.clients_over", "share", (0.0, 3.0, 0.0), (1.0, 0.0, 1.0)),
        ("rmse", "share", (None, 2.0, 8.0), (None, 1.0, 0.25)),
        ("megabytes", "share", (math.nan, None), (math.nan, None)),
        ("seconds", "share", (2.0, 1.0), (0.5, 1.0)),
    ],
)
def test_one_scale(
    name: str, rule: str, values: tuple[float | None, ...], scaled: tuple[float | None, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """By hand: more is better in all of them; undefined and unknown stay as they are, an infinite ε is the worst."""
    given = iter(values)
    told = {**MEASURES, name: replace(MEASURES[name], read=lambda _: next(given))}
    monkeypatch.setattr("trustkit.sidebyside.MEASURES", told)
    (found,) = measured([Seen()] * len(values), [name])
    assert (found.rule, found.title) == (rule, MEASURES[name].title)
    for here, there in zip(found.scaled, scaled, strict=True):
        assert here is there is None or here == pytest.approx(there, nan_ok=True)
    assert list(map(str, found.values)) == list(map(str, values))


def test_every_measure_has_a_rule_and_a_short_name() -> None:
    """Which fits over a small picture; a rule of 0 to 1 is only for what lies there."""
    assert set(SHORT) == set(MEASURES)
    assert set(SHOWN) <= set(MEASURES)
    assert max(map(len, SHORT.values())) <= 23
    assert {rule_of(name) for name in MEASURES} == {"itself", "rest", "share"}
    assert all(MEASURES[name].higher is not None for name in MEASURES)
    with pytest.raises(KeyError, match="there is no measure 'rounds'; known are "):
        rule_of("rounds")
    with pytest.raises(KeyError, match="there is no measure 'rounds'"):
        measured([], ["rounds"])


def test_measures_of_real_runs() -> None:
    """What no run has is left out; the values are the quantities' own, time is the rounds' sum."""
    one, two = _seen(SMALL), _seen(SMALL.change(rounds=2))
    found = {each.name: each for each in measured([one, two], list(MEASURES))}
    assert "rmse" not in found
    for name, each in found.items():
        assert each.values == tuple(MEASURES[name].read(seen) for seen in (one, two))
        assert all(place is None or math.isnan(place) or 0 <= place <= 1 for place in each.scaled)
    assert two.record is not None
    assert found["seconds"].values[1] == pytest.approx(sum(played.seconds for played in two.record))
    assert found["megabytes"].scaled == pytest.approx((1.0, 0.5))
    assert not Measured("epsilon", (1.0,), (1.0,)).higher


def test_of_real_runs() -> None:
    """Every number is the quantity's own; what neither has is left out."""
    one, two = _seen(SMALL), _seen(SMALL.change(rounds=2))
    found = deltas_of(two, one)
    assert "rmse" not in [delta.name for delta in found]
    assert [delta.name for delta in found] == [name for name in SHOWN if name != "rmse"]
    for delta in found:
        assert delta.here == QUANTITIES[delta.name].read(two)
        assert delta.there == QUANTITIES[delta.name].read(one)
    traffic = next(delta for delta in found if delta.name == "megabytes")
    assert traffic.here == pytest.approx(2 * (traffic.there or 0))
    assert traffic.better is False
    with pytest.raises(KeyError):
        deltas_of(two, one, ["nothing"])
