"""Strategies side by side: the same numbers wherever and however often they are played, measured and written down."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trustkit as tk
from trustkit.catalogue import use
from trustkit.comparison import (
    MEASURES,
    STRATEGIES,
    THRESHOLDS,
    Comparison,
    Outcome,
    adjust_thresholds,
    compare_strategies,
    lineup,
)  # fmt: skip
from trustkit.horizontal import afl, fairfed, fedfb, gifair, puffle, qfedavg, reweighing  # noqa: F401 (entries)
from trustkit.metrics.clients import masking_gap
from trustkit.metrics.groups import disparity_from_counts, opportunity_from_counts
from trustkit.records import Stopped
from trustkit.rounds import data_of, partition_of

BASE = tk.Experiment("acs_employment", use("iid", parties=3), use("fedavg", lr=0.3, batch=256), "logistic", rounds=2)
FEW = ("fedavg", "reweighing", "thresholds")


@pytest.fixture(scope="module")
def found() -> Comparison:
    """Compare three strategies over two seeds."""
    return compare_strategies(BASE, FEW, range(2))


def same(a: Comparison, b: Comparison) -> bool:
    """Say whether two comparisons have the same numbers to the bit."""
    return a.frame().equals(b.frame())


def test_the_numbers_are_those_of_single_runs(found: Comparison) -> None:
    """A strategy's measures are computed anew from its own run, or from thresholds on FedAvg's run."""
    single = tk.run(BASE.change(algorithm=use("reweighing", lr=0.3, batch=256, attribute="sex"), seed=1))
    counts, values = single.groups["sex"], {name: each[1] for name, each in found.values("reweighing").items()}
    rows = counts.sum(axis=(1, 2, 3))
    pooled = counts.sum(axis=0)
    assert values["accuracy"] == pytest.approx(single.last.accuracy @ rows / rows.sum())
    assert values["worst_accuracy"] == single.last.accuracy.min()
    assert values["pooled_dd"] == disparity_from_counts(pooled)
    assert values["client_dd"] == disparity_from_counts(counts).mean()
    assert values["worst_eod"] == opportunity_from_counts(counts).max()
    assert values["masking_gap"] == masking_gap(counts)
    assert values["over"] == np.mean(disparity_from_counts(counts) > 0.09)
    assert values["megabytes"] == 2 * 2 * 3 * 34 * 4 / 1e6  # both ways, 2 rounds, 3 clients, (16 + 1)·2 numbers
    adjusted = adjust_thresholds(tk.run(BASE), "sex")
    first = found.values("thresholds")
    assert first["pooled_dd"][0] == disparity_from_counts(adjusted.groups["sex"].sum(axis=0))
    assert first["worst_accuracy"][0] == adjusted.accuracy.min()


def test_a_lineup_differs_in_the_algorithm_and_the_seed_alone() -> None:
    """Step size, passes, batch and selector are carried over, the attribute is told; another seed is another split."""
    base = BASE.change(algorithm=use("fedprox", lr=0.3, batch=16, mu=0.5), seed=3)
    lined = lineup(base, ("fedprox", "fedavg", "fairfed", THRESHOLDS), (3, 4), "race")
    assert [seed for _, seed in lined] == [3] * 4 + [4] * 4
    assert lined["fedprox", 3] == lined[THRESHOLDS, 3] == base
    assert lined["fairfed", 4].change(algorithm=base.algorithm, seed=3) == base
    args = lined["fairfed", 3].algorithm.args
    assert (args["lr"], args["batch"], args["attribute"]) == (0.3, 16, "race")
    assert not np.array_equal(partition_of(lined["fedavg", 3]).owner, partition_of(lined["fedavg", 4]).owner)
    assert list(lineup(base, {"mine": use("ditto", lr=0.1)}, [0])) == [("mine", 0)]
    with pytest.raises(ValueError, match="seeds must be at least one and differ"):
        lineup(base, ["fedavg"], [1, 1])
    with pytest.raises(ValueError, match="strategies must be at least one, got none"):
        lineup(base, [])


def test_bands_are_mean_and_ends_over_seeds(found: Comparison) -> None:
    """Of two values the mean lies in the middle."""
    values = found.values("fedavg")["accuracy"]
    band = found.bands("fedavg")["accuracy"]
    assert band.low == values.min() < band.high == values.max()
    assert band.mean == pytest.approx((band.low + band.high) / 2)


def test_workers_and_files_change_no_number(found: Comparison, tmp_path: Path) -> None:
    """Played in threads and kept; then read back without playing at all."""
    with ThreadPoolExecutor(2) as pool:
        assert same(compare_strategies(BASE, FEW, range(2), folder=tmp_path, executor=pool), found)
    assert len(list(tmp_path.iterdir())) == 4  # thresholds share the runs of FedAvg


def test_a_comparison_goes_on_where_it_was_ended(
    found: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended in its third run: two files, whole; the next time only two runs are played."""
    told: list[tuple[str, float]] = []

    def end(stage: str, done: float) -> None:
        told.append((stage, done))
        if done > 0.6:
            raise Stopped

    with pytest.raises(Stopped):
        compare_strategies(BASE, FEW, range(2), folder=tmp_path, progress=end)
    assert told[0] == ("fedavg, seed 0", 0.125)
    assert [done for _, done in told] == sorted(done for _, done in told)
    assert len(list(tmp_path.glob("*.npz"))) == 2
    played: list[tk.Experiment] = []

    def counted(experiment: tk.Experiment) -> Any:
        played.append(experiment)
        return tk.play(experiment)

    monkeypatch.setattr("trustkit.comparison.kept.play", counted)
    told.clear()
    again = compare_strategies(BASE, FEW, range(2), folder=tmp_path, progress=lambda *each: told.append(each))
    assert same(again, found)
    assert len(played) == 2
    assert told[-1] == ("compared", 1.0)


def test_a_file_of_another_run_is_not_taken(tmp_path: Path) -> None:
    """One sentence names the file."""
    (tmp_path / f"{BASE.key}.npz").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"must be a trustkit run"):
        compare_strategies(BASE, ["fedavg"], [0], folder=tmp_path)
    tk.store.save(tk.run(BASE.change(rounds=1)), tmp_path / f"{BASE.key}.npz")
    with pytest.raises(ValueError, match=r"must be the finished run of its experiment, got another$"):
        compare_strategies(BASE, ["fedavg"], [0], folder=tmp_path)


def test_strategies_take_what_they_do_not_say(found: Comparison) -> None:
    """Step size and batches of the base, and the attribute; what is said stays, and labels tell variants apart."""
    wanted = {"gentle": use("puffle", weight=0.1), "strong": use("puffle", weight=0.9, lr=0.2)}
    both = compare_strategies(BASE, wanted, [3], attribute="race")
    assert list(both.outcomes) == ["gentle", "strong"]
    assert both.attribute == "race"
    strong = tk.run(BASE.change(algorithm=use("puffle", weight=0.9, lr=0.2, batch=256, attribute="race"), seed=3))
    assert np.array_equal(both.outcomes["strong"][0].groups["race"], strong.groups["race"])


def test_a_strategy_that_is_refused_says_why() -> None:
    """A value of several must be named; the others are there, and its numbers are not."""
    both = compare_strategies(BASE, ["fedavg", "fairfed"], [0], attribute="race5")
    assert list(both.refused) == ["fairfed"]
    assert both.refused["fairfed"].startswith("group must be one of ")
    assert np.isnan(both.bands("fairfed")["accuracy"].mean)
    text = both.to_markdown()
    assert "fairfed was refused: group must be one of" in text
    assert len([line for line in text.splitlines() if line.startswith("|")]) == 3


def test_the_table_has_a_column_for_each_measure(found: Comparison) -> None:
    """Mean and ends, three digits each, and a line that says what gaps are about."""
    lines = found.to_markdown().splitlines()
    assert lines[0].count("|") == len(MEASURES) + 2
    band = found.bands("fedavg")["accuracy"]
    assert f"{band.mean:.3f} ({band.low:.3f}–{band.high:.3f})" in lines[2]
    assert lines[-1] == (
        "Gaps between the groups of sex, measured on test rows; mean over 2 seeds, smallest and largest in brackets."
    )
    frame = found.frame()
    assert frame.shape == (6, len(MEASURES) + 3)
    assert frame["strategy"].tolist() == [name for name in FEW for _ in range(2)]


def test_an_undefined_gap_is_not_a_number() -> None:
    """One group only: no disparity, and n/a in the table."""
    alone = Outcome(np.array([0.5]), {"sex": np.array([[[[1, 1], [1, 1]], [[0, 0], [0, 0]]]])}, 1.0)
    comparison = Comparison(BASE, "sex", (0,), {"one": (alone,)})
    values = comparison.values("one")
    assert values["accuracy"][0] == 0.5
    assert all(np.isnan(values[name][0]) for name in ("pooled_dd", "client_dd", "worst_dd", "masking_gap", "over"))
    assert "n/a" in comparison.to_markdown()


def test_all_usual_strategies_play() -> None:
    """One round each, and none is refused."""
    found = compare_strategies(BASE.change(rounds=1), seeds=[0])
    assert tuple(found.outcomes) == STRATEGIES
    assert not found.refused
    assert found.frame()[list(MEASURES)].notna().all().all()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"seeds": []}, r"^seeds must be at least one and differ, got none$"),
        ({"seeds": [1, 1]}, r"^seeds must be at least one and differ, got 1, 1$"),
        ({"strategies": []}, r"^strategies must be at least one, got none$"),
        ({"strategies": ["fedavg", "fedavg"]}, r"^strategies must differ by name or by label, got 'fedavg' twice$"),
        ({"strategies": [use("thresholds", goal="odds")]}, r"^thresholds takes a goal, 'parity' or 'opportunity', got"),
        ({"attribute": "age"}, r"^attribute must be one of sex, race, race5, got 'age'$"),
    ],
)
def test_what_makes_no_comparison_is_refused(more: dict[str, Any], message: str) -> None:
    """Before anything is played."""
    with pytest.raises(ValueError, match=message):
        compare_strategies(BASE, **{"strategies": FEW, **more})


def test_data_without_groups_and_columns_are_refused() -> None:
    """So is what names no strategy."""
    with pytest.raises(ValueError, match=r"^data must have a protected attribute to be compared by, got wine without$"):
        compare_strategies(BASE.change(data="wine"))
    columns = tk.Experiment("wine", use("uniform", parties=2), "splitnn", rounds=1)
    with pytest.raises(ValueError, match=r"^clients must hold rows to be compared, got a split of columns$"):
        compare_strategies(columns)
    with pytest.raises(TypeError, match=r"^a strategy must be a name or a use, got 3$"):
        compare_strategies(BASE, [3])  # type: ignore[list-item]
    assert data_of(BASE).sensitive
