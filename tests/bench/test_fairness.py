"""One pass over as many rows as FeDa4Fair's device set: 740,932 rows, 111 clients, sex, race and both crossed.

The long mode, ``TRUSTKIT_BENCH=1 pytest tests/bench/test_fairness.py -s``, holds the time; the short one holds that the
numbers are those of pandas, at any speed. Seconds are of one thread's processor time.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pandas as pd
import pytest

from trustkit.metrics.counting import count_clients
from trustkit.metrics.gaps import Rate, gaps_from_counts
from trustkit.rng import stream

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"
CLIENTS = 111
ROWS = 740_932 if FULL else 20_000
RATES: tuple[Rate, ...] = ("selection", "tpr", "fpr", "odds", "accuracy", "f1")


@pytest.mark.parametrize("kind", ["text", "codes", "objects"])
def test_all_clients_groups_and_attributes_in_one_pass(kind: str) -> None:
    """Groups as text, as numbers with a decimal point, and as objects with missing values."""
    draw = stream(0, "bench", "fairness")
    owner = np.sort(draw.integers(0, CLIENTS, ROWS))
    pred, y = draw.integers(0, 2, (2, ROWS))
    sex, race = draw.integers(1, 3, ROWS), draw.choice([1, 2, 3, 4, 5], ROWS, p=[0.8, 0.1, 0.05, 0.01, 0.04])
    groups = {"sex": sex, "race": race}
    if kind == "codes":
        groups = {name: values.astype(float) for name, values in groups.items()}
    if kind != "codes":
        groups = {name: np.array(["", "White", "Black", "Asian", "native", "other"])[v] for name, v in groups.items()}
    if kind == "objects":
        groups = {name: values.astype(object) for name, values in groups.items()}
        groups["race"][::1000] = None
    began = time.process_time()
    counted = count_clients(pred, y, owner, groups, intersections=[("sex", "race")])
    found = {name: {rate: gaps_from_counts(each.counts, rate) for rate in RATES} for name, each in counted.items()}
    pooled = {name: gaps_from_counts(each.counts.sum(axis=0)) for name, each in counted.items()}
    spent = time.process_time() - began
    print(f"{kind}: {ROWS:,} rows, {CLIENTS} clients, {len(counted)} attributes, 6 rates: {1000 * spent:.0f} ms")
    table = pd.DataFrame({"owner": owner, "pred": pred, "y": y, **groups})
    for name in groups:
        rates = table.groupby(["owner", name])["pred"].mean().unstack()
        want = rates.max(axis=1) - rates.min(axis=1)
        np.testing.assert_allclose(found[name]["selection"].gap, want.to_numpy(float), atol=1e-12)
        rates = table[table.y == 1].groupby(["owner", name])["pred"].mean().unstack()
        np.testing.assert_allclose(found[name]["tpr"].gap, rates.max(axis=1) - rates.min(axis=1), atol=1e-12)
        once = table.groupby(name)["pred"].mean()
        assert float(pooled[name].gap) == pytest.approx(once.max() - once.min())
    if FULL:
        assert spent <= 1.0
