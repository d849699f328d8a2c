"""Clients that are kept: the authors' rule written out, on an audit of all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.released import released
from trustkit.auditing import Selected, audit, select_clients
from trustkit.data import Dataset
from trustkit.datasets import feda4fair, load, read_feda4fair

QUICK = {"tree": "tree", "bayes": GaussianNB()}
"""Both are fitted in a few milliseconds; the pieces are hundreds."""


@cache
def kept() -> Selected:
    """Select among all pieces of generated states."""
    return select_clients(feda4fair("attribute-device", rows=360, clients="all"), models=QUICK)


def first_state(every: Dataset) -> Dataset:
    """Return the rows of Alabama's pieces."""
    return rows_of(every, np.char.startswith(every.groups["client"].astype(str), "AL_"))


def rows_of(every: Dataset, rows: np.ndarray) -> Dataset:
    """Return some rows."""
    return replace(every, X=every.X[rows], y=every.y[rows], held_out=every.held_out[rows],
                   sensitive={name: values[rows] for name, values in every.sensitive.items()},
                   groups={name: values[rows] for name, values in every.groups.items()})  # fmt: skip


def test_the_rule_by_hand() -> None:
    """SEX above 0.09, RAC1P between 0.12 and 0.175; the rows of the others are gone."""
    every = feda4fair("attribute-device", rows=360, clients="all")
    some = audit(first_state(every), QUICK, ["SEX", "RAC1P"], client="client")
    assert some.verdicts() == tuple(each for each in kept().audit.verdicts() if each.client.startswith("AL_"))
    want = sorted(
        each.client
        for each in kept().audit.verdicts()
        if (each.verdict == "SEX" and each.strength > 0.09)
        or (each.verdict == "RAC1P" and 0.12 < each.strength < 0.175)
    )
    assert sorted(set(kept().data.groups["client"].tolist())) == want
    assert kept().data.notes["clients"] == len(want) > 5
    assert set(want).isdisjoint(kept().data.notes["unselected"])
    assert len(want) + len(kept().data.notes["unselected"]) == 306 == len(kept().audit.clients)
    rows = np.isin(every.groups["client"], want)
    np.testing.assert_array_equal(kept().data.X, every.X[rows])
    told = kept().data.notes["selected_by"]
    assert (told["level"], told["attributes"], told["threshold"]) == ("attribute", ("SEX", "RAC1P"), 0.09)
    assert told["bounds"] == {"SEX": (0.09, 1.0), "RAC1P": (0.12, 0.175)}


def test_other_rows_say_less() -> None:
    """What was picked for being extreme is less so on rows that did not pick it."""
    told = kept().audit.summary()["selected"]
    assert told["strength_again"] < told["strength"] - 0.02


def test_by_value_any_strength_above_the_threshold() -> None:
    """The level follows from the setting; without bounds strength has no upper end."""
    every = feda4fair("value-device", rows=240, clients="all")
    found = select_clients(every, models=QUICK, again=False)
    strong = {each.client for each in found.audit.verdicts() if each.verdict.startswith("RAC1P=")}
    assert found.audit.level == "value"
    assert set(found.audit.attributes) == {"RAC1P"}
    assert set(found.data.groups["client"].tolist()) == strong
    few = select_clients(every, models=QUICK, again=False, threshold=0.9)
    assert set(few.data.groups["client"].tolist()) == {
        each.client for each in found.audit.verdicts() if each.client in strong and each.strength > 0.9
    }


def test_the_authors_devices_pass_their_own_rule() -> None:
    """A state from which nothing was dropped: its piece that was released is kept, by the paper's two models."""
    every = read_feda4fair(released("cross_device_attribute_final.parquet"))
    names = np.char.partition(every.groups["client"].astype(str), "_")[:, 0]
    rows = np.isin(names, ["RI"])
    assert select_clients(rows_of(every, rows), again=False).data.notes["unselected"] == ()


def test_bad_input() -> None:
    """One sentence."""
    with pytest.raises(KeyError, match="acs_employment must have natural clients 'client', got year"):
        select_clients(load("acs_employment"))
    every = feda4fair("attribute-device", rows=120, clients="all")
    with pytest.raises(KeyError, match="has no protected attribute 'AGE'; known are SEX, RAC1P, MAR"):
        select_clients(every, ["AGE"])
    with pytest.raises(ValueError, match="some client must be over its threshold, got none of 306"):
        select_clients(every, models=QUICK, again=False, threshold=1.0, bounds={})
