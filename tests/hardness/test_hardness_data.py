"""Features of 1e9 and of 1e300, columns without variance, ε of 1e-6 and 1e6: each has an answer that is stated."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import trustkit as tk
from tests.horizontal.naive_loop import never
from trustkit import store
from trustkit.catalogue import ALGORITHMS, PRIVACY, SPLITS, use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.experiment import Experiment
from trustkit.horizontal import Dense, RowTrainer
from trustkit.horizontal.accountant import epsilon_of, noise_for
from trustkit.horizontal.arrived import Diverged
from trustkit.partition import Partition
from trustkit.records import Seen, Trainer

ROWS = [name for name, entry in ALGORITHMS.items() if entry.axis == "rows"]
COLUMNS = [name for name, entry in ALGORITHMS.items() if entry.axis == "columns"]
SCALES = (1e-300, 1e-9, 1.0, 1e9, 1e30, 1e160, 1e300)
QUICK = {"key_bits": 512, "depth": 1, "bins": 2, "trees": 1}


def table(scale: float = 1.0, rows: int = 60, constant: bool = True, dtype: type = np.float64) -> Dataset:
    """Make a small table of two classes; its last column has no variance, and the one before none among test rows."""
    rng = np.random.default_rng(6)
    X = rng.standard_normal((rows, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
    held_out = np.arange(rows) % 4 == 0
    if constant:
        X[:, 5] = 7.0
        X[held_out, 4] = 0.0
    group = np.array(["u", "v"])[np.arange(rows) % 2]
    return Dataset("table", (X * scale).astype(dtype), y, tuple("abcdef"), ("no", "yes"), Provenance("made", "none"),
                   sensitive={"group": group}, held_out=held_out)  # fmt: skip


def by_columns(data: Dataset) -> FederatedDataset:
    """Give three parties two columns each."""
    return FederatedDataset(data, Partition("columns", np.array([0, 0, 1, 1, 2, 2]), 3))


def vertical(name: str, data: Dataset) -> Trainer:
    """Bind an algorithm over columns, quick where encryption would take minutes."""
    known = {parameter.name for parameter in ALGORITHMS[name].parameters}
    args = {key: value for key, value in QUICK.items() if key in known} if "key_bits" in known else {}
    bound: Trainer = ALGORITHMS.call(use(name, **args), by_columns(data), None, None, 1.0, 1, seed=0)
    return bound


def one_round(trainer: Trainer) -> Seen:
    """Play a round."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return trainer.step(trainer.start(), 1, never)[1]


@pytest.mark.parametrize("scaling", ["standard", "minmax"])
@pytest.mark.parametrize("scale", SCALES)
def test_scaling_answers_at_any_size(scale: float, scaling: Any) -> None:
    """A factor on all features changes no scaled feature; the column without variance becomes 0, never 0/0."""
    plain = replace(table(), scaling=scaling).scaled().X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = replace(table(scale), scaling=scaling).scaled().X
    assert np.isfinite(found).all()
    assert (found[:, 5] == 0).all()
    if scale > 1e-200:  # below, digits are lost before they get here
        assert np.allclose(found, plain, atol=1e-9)


@pytest.mark.parametrize("scale", [1e9, 1e30, 1e37])
def test_scaling_of_float32_answers_too(scale: float) -> None:
    """Squares of 1e20 have no float32."""
    found = table(scale, dtype=np.float32).scaled().X
    assert np.isfinite(found).all()
    assert np.allclose(found, table().scaled().X, atol=1e-4)


@pytest.mark.parametrize("name", ROWS)
def test_features_of_1e9_train_as_others_once_they_are_scaled(name: str) -> None:
    """Every strategy: the same accuracy as on the plain table, a number, and no warning of divergence."""
    found = []
    for scale in (1.0, 1e9):
        data = table(scale).scaled()
        fed = FederatedDataset(data, Partition("rows", np.arange(60) % 7, 7))
        trainer: RowTrainer = ALGORITHMS[name].function(fed, Dense((6, 4, 2)), None, 1.0, 2, batch=8, seed=2)
        with warnings.catch_warnings():
            warnings.simplefilter("error", Diverged)
            state, seen = trainer.step(trainer.start(), 1, never)
        assert np.isfinite(state["params"]).all()
        found.append(seen.accuracy)
    assert np.allclose(found[0], found[1], atol=0.51, equal_nan=True)
    assert np.array_equal(np.isnan(found[0]), np.isnan(found[1]))


@pytest.mark.parametrize("name", COLUMNS)
def test_vertical_algorithms_on_large_features_and_constant_columns(name: str) -> None:
    """Every algorithm: 1e9-scale features, scaled; a party whose one column says nothing does no harm."""
    seen = one_round(vertical(name, table(1e9).scaled()))
    assert np.isfinite(seen.accuracy).all()
    assert np.isfinite(seen.loss).all()


@pytest.mark.parametrize("name", COLUMNS)
def test_vertical_algorithms_on_unscaled_features_say_what_they_know(name: str) -> None:
    """Features of 1e9 as they are: accuracy and loss are numbers, both are not defined, or they are refused."""
    if name == "blindfl":  # fixed-point numbers have no room for them
        with pytest.raises(ValueError, match=r"^features must be between -4096 and 4096 for blindfl, got 7e\+09$"):
            one_round(vertical(name, replace(table(1e9), scaling="none")))
        return
    with np.errstate(all="ignore"):
        seen = one_round(vertical(name, replace(table(1e9), scaling="none")))
    assert 0 <= float(seen.accuracy[0]) <= 1 or math.isnan(seen.accuracy[0])
    if math.isnan(seen.accuracy[0]):
        assert math.isnan(seen.loss[0])


def test_features_beyond_float32_are_refused_by_name() -> None:
    """Across rows and across columns, before any training."""
    data = replace(table(1e39), scaling="none")
    fed = FederatedDataset(data, Partition("rows", np.arange(60) % 4, 4))
    with pytest.raises(ValueError, match=r"^features must be finite numbers in float32, got .*e\+\d+ in column 'a'$"):
        ALGORITHMS["fedavg"].function(fed, Dense((6, 2)), None, 1.0, 1)
    with pytest.raises(
        ValueError, match=r"^features must be finite numbers, got \d+ values that are not in column 'a'"
    ):
        vertical("splitnn", data)


@pytest.mark.parametrize("name", [name for name, entry in SPLITS.items() if entry.axis == "columns"])
def test_splits_of_columns_without_variance(name: str) -> None:
    """A constant column correlates with nothing; it is dealt all the same, and what is achieved is a number."""
    wanted = {"parties": 2} if "parties" in {p.name for p in SPLITS[name].parameters} else {}
    data = replace(table(), notes={"views": ("one",) * 3 + ("two",) * 3})
    made = SPLITS.call(use(name, **wanted), data, seed=0)
    assert (made.owner >= 0).all()
    for key in ("beta", "icor"):
        value = made.achieved.get(key)
        assert value is None or isinstance(value, dict) or np.isfinite(np.asarray(value, float)).all()


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
@pytest.mark.parametrize("name", [name for name, entry in PRIVACY.items()])
def test_epsilon_out_of_its_range_is_refused_and_within_it_is_held(name: str, epsilon: float) -> None:
    """Each mechanism states its range; what it takes gives a finite noise."""
    entry = PRIVACY[name]
    interval = next(p.interval for p in entry.parameters if p.name == "epsilon")
    wanted = use(name, epsilon=epsilon)
    if interval is None or epsilon in interval:
        assert PRIVACY.call(wanted) is not None
        return
    with pytest.raises(ValueError, match=r"epsilon must be between [0-9.]+ and [0-9,.e+]+, got"):
        PRIVACY.call(wanted)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_the_accountant_answers_or_refuses_at_any_epsilon(epsilon: float) -> None:
    """What it finds is finite, positive and keeps ε."""
    for rate in (0.01, 1.0) if epsilon == 1 else (1.0,):
        noise = noise_for(epsilon, rate, 10, 1e-5)
        assert 0 < noise < math.inf
        assert epsilon_of(noise, rate, 10, 1e-5) <= epsilon * (1 + 1e-6)


def test_a_run_that_diverged_is_reported_as_not_defined() -> None:
    """From the experiment to the trust report: accuracy is NaN, no pillar takes it for 0, and files keep it."""
    tk.datasets.add(replace(table(1e30), name="large, unscaled", scaling="none"))
    model = use("mlp", hidden=[8])
    wanted = Experiment("large, unscaled", use("iid", parties=3), use("fedavg", lr=10.0), model, rounds=2)
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        record = tk.run(wanted)
        report = tk.assess(tk.facts_of(record))
    (said,) = [str(each.message) for each in caught if each.category is Diverged]
    assert re.match(r"round [12]: clients 0, 1, 2 sent models that are not finite; ", said)
    assert np.isnan(record.last.accuracy).all()
    again = store.loads(store.dumps(record))
    assert np.isnan(again.last.accuracy).all()
    assert np.array_equal(again.diverged, [1, 1, 1])
    assert np.array_equal(record.diverged, [1, 1, 1])
    assert tk.facts_of(record).get("system", "diverged_clients") == 3
    assert not np.isfinite(again.last.state["params"]).all()
    lines = report.frame().set_index("metric")
    assert (
        lines.loc[lines.raw.map(lambda v: isinstance(v, float) and math.isnan(v)), "status"].isin(["undefined"]).all()
    )
