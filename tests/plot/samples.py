"""Things to draw: made-up runs, tables and clients, small and large."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trustkit import plot
from trustkit.catalogue import use
from trustkit.data import Dataset, FederatedDataset, Partition, Provenance
from trustkit.experiment import Experiment
from trustkit.frontier import Front, Point
from trustkit.frontier.points import COSTS, measures_of
from trustkit.records import Round, RunRecord, Seen
from trustkit.rng import stream
from trustkit.trust import FactSheet, assess
from trustkit.trust.profiles import PROFILES

__all__ = ["clients", "columns", "fill", "front", "record", "rows", "svg", "table", "texts", "upright", "xy"]

SVG = "{http://www.w3.org/2000/svg}"


def svg(figure: Figure, label: str = "a picture") -> ET.Element:
    """Write a figure as SVG and read it as XML."""
    return ET.fromstring(plot.to_svg(figure, label))


def texts(figure: Figure) -> list[str]:
    """List the texts that a reader of the picture sees."""
    return ["".join(node.itertext()) for node in svg(figure).iter(f"{SVG}text")]


def fill(node: ET.Element) -> str:
    """Return the fill that a text says it has; empty where it says nothing, which is black."""
    said = re.search(r"(?:^|[; ])fill: ?([^;]+)", node.get("style", ""))
    return node.get("fill", said.group(1) if said else "")


def xy(line: Line2D) -> np.ndarray:
    """Return the points of a line, (n, 2)."""
    return np.asarray(line.get_xydata(), float)


def record(accuracy: Sequence[Sequence[float]] | np.ndarray, rounds: int) -> RunRecord:
    """Make a run of ``rounds`` rounds of which as many are played as there are rows of accuracies."""
    played = []
    for index, row in enumerate(np.asarray(accuracy, float), 1):
        none = np.zeros(row.size)
        played.append(Round(index, None, Seen(np.ones(row.size, bool), row, none, none, none), 0.1))
    return RunRecord(SimpleNamespace(rounds=rounds), played)


def front(count: int, seeds: int = 1) -> Front:
    """Make a search of made-up points, by trust and bytes; the last point of several has no score."""
    start = Experiment("breast_cancer", use("iid", parties=4), "fedavg", "logistic", rounds=2)
    profile, points = PROFILES["paper"], []
    for k in range(count):
        draw = stream(k, "samples", "front")
        each = [{name: float(draw.random()) * (1e6 if name in COSTS else 1) for name in measures_of(profile)}
                for _ in range(seeds)]  # fmt: skip
        if 0 < k == count - 1:
            each[0]["trust"] = np.nan
        points.append(Point(start, assess(FactSheet()), tuple(each), ("changed",) * (k > 0), 1.0, 0.0))
    return Front(tuple(points), ("trust", "bytes"), profile)


def table(n: int, m: int, classes: Sequence[str], name: str = "made up") -> Dataset:
    """Make a table of random numbers; an empty list of classes makes the target a number."""
    draw = stream(0, "samples", n, m, len(classes))
    X = draw.normal(size=(n, m)) + draw.normal(size=(n, 1))
    y: Any = draw.integers(len(classes), size=n) if classes else draw.normal(size=n)
    return Dataset(
        name, X, y, tuple(f"x{j}" for j in range(m)), tuple(classes), Provenance("made up", "none", "", True)
    )


def rows(parties: int, classes: Sequence[str], n: int = 300, owner: Any = None) -> FederatedDataset:
    """Deal rows out in turn, or to the owners given."""
    owners = np.arange(n) % parties if owner is None else np.asarray(owner)
    return FederatedDataset(table(n, 2, classes), Partition("rows", owners, parties))


def columns(sizes: Sequence[int], nobody: int = 0) -> FederatedDataset:
    """Give each party as many columns, in turn as far as they go; the last ones belong to nobody."""
    seats = [k for turn in range(max(sizes)) for k, size in enumerate(sizes) if turn < size]
    owner = np.array([*seats, *[-1] * nobody])
    return FederatedDataset(table(60, owner.size, ("no", "yes")), Partition("columns", owner, len(sizes)))


def clients(count: int, seed: int = 0, undefined: Sequence[int] = ()) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Make disparities, true-positive-rate gaps and names of clients."""
    draw = stream(seed, "samples", "clients", count)
    gaps, chances = draw.random(count) * 0.3, draw.random(count) * 0.3
    gaps[list(undefined)] = np.nan
    chances[list(undefined)] = np.nan
    return gaps, chances, [f"client {k + 1}" for k in range(count)]


def upright(figure: Figure) -> list[float]:
    """Return where the upright borders of a matrix are, in cells."""
    lines = next(kind for kind in figure.axes[0].collections if isinstance(kind, LineCollection))
    return [float(segment[0][0]) for segment in lines.get_segments() if segment[0][0] == segment[1][0]]
