"""What a biased split did: against the injection itself, and against rows counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

import trustkit as tk
from trustkit import use
from trustkit.injected import injected_of, reachable, rule_of
from trustkit.rounds import data_of, partition_of

PLAIN = tk.Experiment("acs_employment", use("iid", parties=6), "fedavg", "logistic", rounds=1, seed=2)


def biased(**args: object) -> tk.Experiment:
    """The same clients with bias."""
    return PLAIN.change(split=use("biased", parties=6, **args))


def test_rates_and_rows_by_hand() -> None:
    """The first half has the gap, the others are as they came; dropped rows are those that are nobody's."""
    found = injected_of(biased(gap=0.25, attribute="sex"), "sex")
    data, split = data_of(PLAIN), partition_of(biased(gap=0.25, attribute="sex"))
    before = partition_of(PLAIN)
    for k in range(6):
        for partition, gap in ((before, found.before), (split, found.achieved)):
            rows = (partition.owner == k) & ~data.held_out
            rates = [(data.y[rows & (data.sensitive["sex"] == s)] == data.positive).mean() for s in ("female", "male")]
            assert gap[k] == pytest.approx(abs(rates[0] - rates[1]))
    assert found.asked[:3].tolist() == [0.25] * 3
    assert np.isnan(found.asked[3:]).all()
    assert found.achieved[:3] == pytest.approx([0.25] * 3, abs=1 / 500)
    assert found.dropped.sum() == (split.owner < 0).sum() == (before.owner >= 0).sum() - (split.owner >= 0).sum()
    assert found.dropped[3:].tolist() == [0] * 3
    assert ((found.low <= found.achieved) & (found.achieved <= found.high)).all()


def test_another_split_is_as_it_came() -> None:
    """Nothing asked, nothing dropped."""
    found = injected_of(PLAIN, "race")
    assert np.isnan(found.asked).all()
    assert found.dropped.sum() == 0
    assert np.array_equal(found.before, found.achieved)
    assert set(found.attributes) == {"race"}


def test_a_named_value_is_the_worst_off() -> None:
    """Its gap is asked for, whoever came out lowest before."""
    found = injected_of(biased(gap=0.3, attribute="sex", value="male", share=1.0), "sex")
    assert set(found.worse) == {"male"}
    assert found.achieved == pytest.approx([0.3] * 6, abs=1 / 500)


def test_attributes_in_turn_and_a_bound_for_the_rest() -> None:
    """Five of six are biased: two by the first attribute, three by the second; the last has at most so large a gap."""
    found = injected_of(biased(gap=0.2, attribute="sex,race", share=0.7, rest=0.05))
    assert found.attributes == ("sex", "sex", "race", "race", "race", "sex")
    assert found.at_most.tolist() == [False] * 5 + [True]
    assert found.asked[-1] == 0.05


def test_the_rule_makes_the_same_clients() -> None:
    """So that before and after differ in what was dropped alone."""
    assert rule_of(PLAIN) == PLAIN.split
    assert rule_of(biased()) == use("iid", parties=6)
    skewed = biased(rule="dirichlet", alpha=2.0)
    assert rule_of(skewed) == use("dirichlet", parties=6, alpha=2.0)
    natural = PLAIN.change(split=use("biased", rule="by_group", group="year"))
    assert rule_of(natural) == use("by_group", group="year")
    before, after = partition_of(PLAIN.change(split=rule_of(skewed))), partition_of(skewed.change(split__gap=0.0))
    kept = after.owner >= 0
    assert np.array_equal(before.owner[kept], after.owner[kept])


def test_what_can_be_reached_can_be_asked_for() -> None:
    """At the bound it goes, above it does not."""
    most = reachable(biased(gap=0.1), "sex", "female")[:3].min()
    injected_of(biased(gap=float(np.floor(most * 100) / 100), attribute="sex", value="female"))
    with pytest.raises(ValueError, match=r"can reach a gap of at most 0\.\d+ for sex"):
        injected_of(biased(gap=float(np.ceil(most * 100) / 100) + 0.01, attribute="sex", value="female"))


def test_data_without_an_attribute_are_refused() -> None:
    """With the name of the data."""
    with pytest.raises(ValueError, match="data must have a protected attribute, got digits without one"):
        injected_of(tk.Experiment("digits", "iid", "fedavg", "logistic"))
