"""Learning curves of algorithms over columns, what crosses each border, and quality along a series of splits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.plot.samples import texts, xy
from trustkit import plot
from trustkit.catalogue import use
from trustkit.comparison import Crossing, crossed
from trustkit.experiment import Experiment
from trustkit.plot.curves import COLOURS, ends_by
from trustkit.plot.traffic import MOST_PARTIES
from trustkit.records import Round, RunRecord, Seen
from trustkit.rng import stream

nan = float("nan")


def joint(
    values: Any, rounds: int = 5, parties: int = 3, kinds: tuple[str, ...] = ("embedding", "gradient"),
    numbers: bool = False, draw: int = 0, scale: float = 1e4, experiment: Any = None,
) -> RunRecord:  # fmt: skip
    """Make a run of one joint model; ``numbers`` makes the values squared errors of a regression."""
    rng, played = stream(draw, "samples", "joint", parties), []
    for index, value in enumerate(values, 1):
        told = {kind: np.floor(scale * rng.random((2, parties))) for kind in kinds}
        sides = np.sum([np.zeros((2, parties)), *told.values()], axis=0)
        of = (np.full(1, nan), np.array([value])) if numbers else (np.array([value]), np.array([0.5]))
        seen = Seen(np.ones(parties, bool), *of, sides[0], sides[1], traffic=told)
        played.append(Round(index, None, seen, 0.1))
    return RunRecord(experiment or SimpleNamespace(rounds=rounds), played)


def crossing(*names: str, along: Any = "alpha", values: tuple[float, ...] = (0.1, 1, 10), whole: int = 9) -> Crossing:
    """Make runs of algorithms times splits; all but the first ``whole`` are not whole."""
    base = Experiment("wine", use("joint", parties=3), "splitnn", rounds=2)
    wanted = crossed(base, names, along, values)
    records = {place: joint([0.5, 1 / (2 + at)] if at < whole else [0.5], 2, draw=at, experiment=each)
               for at, (place, each) in enumerate(wanted.items())}  # fmt: skip
    return Crossing(wanted, records, {}, along)


RUNS = {"SplitNN": joint([0.2, 0.6, 0.9]), "GAL": joint([0.5, 0.55], draw=1), "alone": joint([0.4, 0.3], kinds=())}


def test_curves_are_the_runs_values_by_round_or_by_bytes() -> None:
    """Yardsticks are grey; by bytes, x is the sum over parties so far, and what sends nothing is level."""
    figure = plot.quality_curves(RUNS, ["alone"])
    axes = figure.axes[0]
    lines = [line for line in axes.get_lines() if line.get_linestyle() != "None"]
    np.testing.assert_array_equal(xy(lines[0]), [(1, 0.2), (2, 0.6), (3, 0.9)])
    assert [line.get_color() for line in lines] == [COLOURS[0], COLOURS[1], plot.style.BASE]
    assert axes.get_ylim() == (0, 1)
    figure = plot.quality_curves(RUNS, ["alone"], "bytes")
    lines = [line for line in figure.axes[0].get_lines() if line.get_linestyle() != "None"]
    sent = np.cumsum(RUNS["SplitNN"].bytes_up.sum(axis=1))
    np.testing.assert_array_equal(xy(lines[0]), np.column_stack([sent, [0.2, 0.6, 0.9]]))
    low, high = figure.axes[0].get_xlim()
    np.testing.assert_array_equal(xy(lines[2]), [(low, 0.3), (high, 0.3)])
    assert low <= sent[0] < sent[-1] <= high
    assert {"sent by all parties so far", "accuracy →"} <= set(texts(figure))


def test_the_legend_is_sorted_by_what_was_reached() -> None:
    """Accuracy: the largest first; RMSE: the smallest; what has no value yet comes last."""
    seen = texts(plot.quality_curves({"new": joint([]), **RUNS}, ["alone"]))
    assert [each for each in seen if each.split("  ")[-1] in ("new", *RUNS)] == [
        "0.900  SplitNN", "0.550  GAL", "0.300  alone", "–  new",
    ]  # fmt: skip
    numbers = {"a": joint([9.0, 4.0], numbers=True), "b": joint([16.0, 1.0], numbers=True)}
    figure = plot.quality_curves(numbers)
    assert [each for each in texts(figure) if "  " in each] == ["1  b", "2  a"]
    assert figure.axes[0].get_ylabel() == "RMSE ←"
    assert figure.axes[0].get_ylim()[0] == 0
    assert figure.axes[0].get_ylim()[1] > 4
    assert ends_by({}) == []


def test_curves_run_along_rounds_or_bytes_only() -> None:
    """Nothing else is known."""
    with pytest.raises(ValueError, match=r"^curves run by round or by bytes, got 'time'$"):
        plot.quality_curves(RUNS, by="time")  # type: ignore[arg-type]


def test_bars_are_what_each_party_sent_and_received() -> None:
    """Sent to the right, received to the left, one on the other; the legend has the sums over parties."""
    record = joint([0.1, 0.2], parties=3)
    figure = plot.traffic_bars(record)
    up, down = record.bytes_up.sum(axis=0), record.bytes_down.sum(axis=0)
    bars: Any = figure.axes[0].patches
    patches = np.array([(bar.get_x(), bar.get_width()) for bar in bars]).reshape(2, 2, 3, 2)
    np.testing.assert_allclose(patches[0, :, :, 1].sum(axis=0), up)
    np.testing.assert_allclose(patches[1, :, :, 1].sum(axis=0), down)
    np.testing.assert_allclose((patches[0, :, :, 0] + patches[0, :, :, 1]).max(axis=0), up)
    np.testing.assert_allclose(patches[1, :, :, 0].min(axis=0), -down)
    kinds = {kind: sides[:, 0].sum() for kind, sides in record.traffic.items()}
    seen = texts(figure)
    assert {f"{kind} {size / 1e3:.3g} kB" for kind, size in kinds.items()} <= set(seen)
    assert [each for each in seen if each.startswith("party")] == ["party 0", "party 1", "party 2"]


def test_of_many_parties_those_with_most_traffic_are_shown() -> None:
    """In their own order, with their own numbers."""
    record = joint([0.1], parties=40)
    figure = plot.traffic_bars(record)
    whole = (record.bytes_up + record.bytes_down)[0]
    shown = [int(each.removeprefix("party ")) for each in texts(figure) if each.startswith("party")]
    assert shown == sorted(np.argsort(-whole)[:MOST_PARTIES].tolist())
    assert len(shown) == MOST_PARTIES


def test_kinds_may_be_unknown_and_nothing_may_be_sent() -> None:
    """Then all is one kind; bars of no length need no scale."""
    record = RunRecord(SimpleNamespace(rounds=1), [
        Round(1, None, Seen(np.ones(2, bool), np.ones(1), np.ones(1), np.array([5.0, 7.0]), np.array([7.0, 5.0])), 0.1)
    ])  # fmt: skip
    assert "messages 12 B" in texts(plot.traffic_bars(record))
    assert texts(plot.traffic_bars(joint([0.1], kinds=())))


def test_lines_by_split_are_the_qualities() -> None:
    """One line an algorithm; a run that is not whole leaves a gap; a single split is refused."""
    found = crossing("splitnn", "solo", whole=5)
    figure = plot.quality_by_split(found)
    lines = figure.axes[0].get_lines()
    for line, values in zip(lines, found.qualities(), strict=True):
        np.testing.assert_array_equal(xy(line)[:, 1], values)
    assert np.isnan(found.qualities()).sum() == 1
    assert {"α 0.1", "α 1", "α 10", "SplitNN", "One party alone"} <= set(texts(figure))
    with pytest.raises(ValueError, match=r"^splits must be varied along alpha or beta, got a single split$"):
        plot.quality_by_split(crossing("splitnn", along="", values=()))
