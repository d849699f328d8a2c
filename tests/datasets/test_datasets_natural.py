"""The embedded surveys as natural federations: every client can be trained at, and fairness be measured at most."""

from __future__ import annotations

import numpy as np
import pytest

from trustkit.data import FederatedDataset
from trustkit.datasets import load
from trustkit.metrics.clients import by_client
from trustkit.metrics.fairness import demographic_disparity, equal_opportunity_difference
from trustkit.split.rows import by_group

# data set, natural clients, how many, clients of whose test rows all are of one sex, or of one race
NATURAL = [
    ("cces", "state", 51, 0, 1),
    ("acs_employment", "year", 4, 0, 0),
    ("adult", "occupation", 15, 1, 1),
    ("adult", "workclass", 9, 1, 2),
]


@pytest.mark.parametrize(("name", "group", "clients", "one_sex", "one_race"), NATURAL)
def test_fairness_of_every_client(name: str, group: str, clients: int, one_sex: int, one_race: int) -> None:
    """A gap in [0, 1] by sex and by race, NaN (never 0) where a client's test rows are of one group."""
    data = load(name)
    fed = FederatedDataset(data, by_group(data, group=group))
    assert len(fed) == clients
    assert all((~party.held_out).any() for party in fed)
    rule = np.linspace(-1, 1, data.X.shape[1])
    centre = np.median(data.X @ rule)
    for attribute, alone in (("sex", one_sex), ("race", one_race)):
        assert len(data.codes(attribute)[1]) == 2
        gaps = by_client(demographic_disparity, fed, lambda X: (X @ rule > centre).astype(int), attribute=attribute)
        assert np.isnan(gaps).sum() == alone
        known = gaps[~np.isnan(gaps)]
        assert ((known >= 0) & (known <= 1)).all()
        assert known.max() > 0
        for k, party in enumerate(fed):
            groups = np.unique(party.sensitive[attribute][party.held_out])
            assert np.isnan(gaps[k]) == (groups.size < 2), k


def test_the_finer_races_are_there_too() -> None:
    """Values that a verdict by value can name."""
    assert {name: [a for a in load(name).sensitive if a.startswith("race")] for name, *_ in NATURAL} == {
        "cces": ["race", "race8"], "acs_employment": ["race", "race5"], "adult": ["race", "race5"]}  # fmt: skip


def test_opportunity_at_the_states() -> None:
    """A state whose test rows of one race have no high income has no gap to show."""
    data = load("cces")
    fed = FederatedDataset(data, by_group(data, group="state"))
    gaps = by_client(equal_opportunity_difference, fed, lambda X: (X[:, 0] > 45).astype(int), attribute="race")
    for k, party in enumerate(fed):
        test = party.held_out
        good = party.y[test] == data.positive if party.y is not None else np.zeros(0, bool)
        assert np.isnan(gaps[k]) == (np.unique(party.sensitive["race"][test][good]).size < 2)
