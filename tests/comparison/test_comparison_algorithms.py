"""Algorithms over columns side by side: what is played, what is shared, what is refused, and what comes of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trustkit as tk
from trustkit import use
from trustkit.catalogue import ALGORITHMS
from trustkit.comparison import ALONG, FAMILIES, YARDSTICKS, Crossing, compare_algorithms, crossed, run_of
from trustkit.findings import quality_of
from trustkit.rounds import build, run

BASE = tk.Experiment("wine", use("importance", parties=3), use("fedtree", depth=2, bins=8, lr=0.3), rounds=2, seed=3)


def test_a_family_shares_what_its_members_have_in_common() -> None:
    """The experiment's own algorithm as it is, relatives with its arguments, all others with their defaults."""
    found = crossed(BASE, ["fedtree", "secureboost", "pooled_trees", "splitnn"])
    assert list(found) == [(name, None) for name in ("fedtree", "secureboost", "pooled_trees", "splitnn")]
    assert found["fedtree", None] == BASE
    for name in ("secureboost", "pooled_trees"):
        args = found[name, None].algorithm.args
        assert (args["depth"], args["bins"], args["lr"]) == (2, 8, 0.3)
    assert "engine" not in found["pooled_trees", None].algorithm.args
    assert found["splitnn", None].algorithm == use("splitnn", **ALGORITHMS["splitnn"].arguments({}))
    given = crossed(BASE, [use("pooled_trees", depth=5)])["pooled_trees", None]
    assert given.algorithm.args["depth"] == 5
    assert all((each.data, each.split, each.rounds, each.seed) == (BASE.data, BASE.split, 2, 3)
               for each in found.values())  # fmt: skip


def test_families_and_yardsticks_are_of_the_catalogue() -> None:
    """Every algorithm over columns that says it is no federation is a yardstick, and nothing else is."""
    over = {name for name, entry in ALGORITHMS.items() if entry.axis == "columns"}
    assert set().union(*FAMILIES) <= over
    assert sum(map(len, FAMILIES)) == len(set().union(*FAMILIES))
    quick = [name for name in over if "key_bits" not in {each.name for each in ALGORITHMS[name].parameters}]
    base = BASE.change(algorithm="splitnn")
    alone = [name for name in quick if not build(base.change(algorithm=name)).trainer.facts.get("federated", True)]
    assert set(alone) == set(YARDSTICKS)


def test_splits_vary_along_alpha_or_beta() -> None:
    """The split's own parameter if it has one, else by importance or correlation to as many parties."""
    found = crossed(BASE, ["fedtree", "solo_trees"], along="alpha")
    assert list(found)[:3] == [("fedtree", 0.1), ("solo_trees", 0.1), ("fedtree", 1.0)]
    assert {each.split.args["alpha"] for each in found.values()} == set(ALONG["alpha"])
    assert {each.split.name for each in found.values()} == {"importance"}
    other = crossed(BASE, ["fedtree"], along="beta", values=[0.5])["fedtree", 0.5]
    assert (other.split.name, other.split.args["beta"], other.split.args["parties"]) == ("correlation", 0.5, 3)
    both = BASE.change(split=use("joint", parties=3, alpha=2.0, beta=0.1))
    split = crossed(both, ["fedtree"], along="beta", values=[0.9])["fedtree", 0.9].split
    assert (split.name, split.args["alpha"], split.args["beta"]) == ("joint", 2.0, 0.9)
    natural = tk.Experiment("mfeat", "by_views", "fedtree", rounds=1)
    assert crossed(natural, ["fedtree"], along="alpha", values=[1])["fedtree", 1.0].split.args["parties"] == 6


@pytest.mark.parametrize(
    ("change", "given", "message"),
    [
        ({}, {"algorithms": []}, r"^algorithms must be at least one, got none$"),
        ({}, {"algorithms": ["gal", "gal"]}, r"^algorithms must each be named once, got 'gal' twice$"),
        ({}, {"algorithms": ["fedavg"]}, r"^algorithms must be over columns, got 'fedavg' over rows$"),
        ({}, {"algorithms": ["gal"], "along": "gamma"}, r"^splits are varied along alpha, beta, got 'gamma'$"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(change: dict[str, Any], given: dict[str, Any], message: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        crossed(BASE.change(**change), **given)


def test_rows_are_refused_and_unknown_names_are_listed() -> None:
    """It is about columns."""
    rows = tk.Experiment("wine", use("iid", parties=3), "fedavg", "logistic")
    with pytest.raises(ValueError, match=r"^algorithms are compared over columns, got an experiment over rows$"):
        crossed(rows, ["gal"])
    with pytest.raises(KeyError, match="known are"):
        crossed(BASE, ["nothing"])


def test_runs_are_played_kept_and_gone_on_with(tmp_path: Path) -> None:
    """Numbers are those of the runs; a second call plays nothing; what is refused is in it with the reason."""
    names, told = ["fedtree", "solo_trees", "pooled_trees"], []
    found = compare_algorithms(BASE, names, "alpha", [1, 100], tmp_path, lambda words, done: told.append(done))
    assert told[-1] == 1.0
    assert told == sorted(told)
    assert len(list(tmp_path.glob("*.npz"))) == len({each.key for each in found.experiments.values()})
    record = run(found.experiments["fedtree", 1.0])
    assert found.runs()["fedtree", 1.0].quality == record.last.accuracy[0]
    assert found.qualities()[0, 0] == record.last.accuracy[0]
    one = run_of(record)
    assert one.sent == record.bytes_up.sum() == record.bytes_down.sum()
    assert one.most_in == record.bytes_down.sum(axis=0).max()
    assert one.most_out == record.bytes_up.sum(axis=0).max()
    assert one.rounds == 2
    frame = found.frame()
    assert list(frame.columns) == ["algorithm", "alpha", "accuracy", "sent", "most_in", "most_out", "seconds",
                                   "rounds", "refused"]  # fmt: skip
    assert frame["sent"].tolist()[1:3] == [0, 0]
    times = [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())]
    again = compare_algorithms(BASE, names, "alpha", [1, 100], tmp_path)
    np.testing.assert_array_equal(again.qualities(), found.qualities())
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())] == times
    assert set(found.titled(1.0)) == {ALGORITHMS[name].title for name in names}


def test_a_refusal_is_a_line_of_its_own() -> None:
    """Here trees that know no noise on what is sent."""
    noisy = BASE.change(algorithm="splitnn", privacy=use("column_noise", epsilon=3.0))
    found = compare_algorithms(noisy, ["splitnn", "fedtree"])
    assert list(found.refused) == [("fedtree", None)]
    frame = found.frame()
    assert frame["refused"].tolist() == ["", found.refused["fedtree", None]]
    assert np.isnan(frame["accuracy"][1])
    assert np.isnan(found.qualities()[1, 0])
    assert found.to_markdown().splitlines()[2:] == [f"| SplitNN | {found.qualities()[0, 0]:.3f} |", "| FedTree | n/a |"]


def test_yardsticks_have_no_privacy_mechanism() -> None:
    """They send nothing, so that a comparison under noise keeps what it is measured against."""
    noisy = BASE.change(algorithm="splitnn", privacy=use("column_noise"))
    found = crossed(noisy, ["splitnn", *YARDSTICKS])
    assert found["splitnn", None].privacy is not None
    assert all(found[name, None].privacy is None for name in YARDSTICKS)
    varied = crossed(noisy, ["solo"], "alpha", [1.0])
    assert varied["solo", 1.0].privacy is None
    assert varied["solo", 1.0].split.args["alpha"] == 1.0


def test_of_a_regression_it_is_the_root_of_the_mean_squared_error() -> None:
    """In the target's unit, by hand from the joint model's numbers."""
    base = tk.Experiment(use("msd_synthetic", rows=120), use("uniform", parties=2), "fedtree", rounds=1)
    found = compare_algorithms(base, ["fedtree"])
    built, record = build(base), found.records["fedtree", None]
    test = built.fed.data.X[built.fed.data.held_out]
    errors = built.trainer.logits(record.last.state, test)[:, 0] - built.fed.data.y[built.fed.data.held_out]
    assert found.measure == "RMSE"
    assert math.isclose(found.qualities()[0, 0], math.sqrt(np.mean(errors**2)), rel_tol=1e-6)
    assert "RMSE" in found.frame().columns
    assert quality_of(record).higher is False
    assert quality_of(record).last == found.qualities()[0, 0]


def test_nothing_played_is_a_table_without_numbers() -> None:
    """The measure is then not known to be another than accuracy."""
    wanted = crossed(BASE, ["fedtree"])
    empty = Crossing(wanted, {}, {})
    assert (empty.measure, empty.runs(), empty.titled()) == ("accuracy", {}, {})
    assert np.isnan(empty.frame()["accuracy"]).all()
