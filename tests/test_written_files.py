"""What run, report and log write tells of nobody: no name of a client, no value of a row, no label counts."""

from __future__ import annotations

import io
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.test_replay import SMALL, TOML, leave
from trustkit import cli, store
from trustkit.catalogue import use
from trustkit.data import Dataset
from trustkit.experiment import Experiment
from trustkit.replay import EXPERIMENT, FACTS, LOG, REPORT, replay
from trustkit.rounds import build, data_of, partition_of
from trustkit.trust import FactSheet


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run."""
    folder = tmp_path_factory.mktemp("kept")
    leave(folder, SMALL, purpose="teaching")
    return folder


def texts(folder: Path) -> dict[str, str]:
    """Return what every file says; arrays of a run as their numbers."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".npz":
            with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
                for name in arrays.files:
                    whole = bytes(arrays[name]).decode() if name == "head" else _spelt(arrays[name])
                    found[f"{file.name}/{name}"] = whole
        elif file.is_file():
            found[file.name] = file.read_text(encoding="utf-8")
    return found


def _spelt(array: np.ndarray) -> str:
    return " ".join(repr(value) for value in array.ravel().tolist())


def _digits(value: float) -> int:
    """Count the digits that tell a value from others."""
    return len(repr(abs(value)).partition("e")[0].replace(".", "").strip("0"))


CHANCE = r"\d{4}-\d\d-\d\dT[\d:.]+(?:[+-]\d\d:\d\d|Z)?|\b(?=\d*[a-f])[0-9a-f]{16,}\b"
"""Times and digests: their digits are any digits."""


def told(said: dict[str, str], names: list[str], data: Dataset, counts: np.ndarray) -> Iterator[str]:
    """Complain of a client's name; a value of a row, if it has many digits, or two side by side; label counts."""
    fine = {v for v in np.unique(data.X).tolist() if _digits(v) >= 7}
    beside = {pair for row in data.X.tolist() for pair in itertools.pairwise(row) if min(map(_digits, pair)) >= 3}
    several = [tuple(row) for row in counts.tolist() if sum(row) > 9]
    for file, text in said.items():
        yield from (f"{file} names client {name}" for name in names if re.search(rf"\b{re.escape(name)}\b", text))
        told_apart = re.sub(CHANCE, " -1 ", text)
        tokens = [float(token) for token in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", told_apart)]
        yield from (f"{file} holds the value {value} of a row" for value in set(tokens) & fine)
        yield from (f"{file} holds {pair} of a row" for pair in set(itertools.pairwise(tokens)) & beside)
        for row in several:
            runs = zip(*(tokens[i:] for i in range(len(row))), strict=False)
            if row in runs:
                yield f"{file} holds the label counts {row} of a client"


def counted(experiment: Experiment) -> np.ndarray:
    """Count training rows, and all rows, by client and class."""
    data, owner, clients = data_of(experiment), partition_of(experiment).owner, partition_of(experiment).parties
    parts = [np.ones_like(data.y, bool), ~data.held_out, data.held_out]
    return np.array([[int(((owner == k) & (data.y == c) & part).sum()) for c in range(len(data.classes))]
                     for part in parts for k in range(clients)])  # fmt: skip


def test_files_hold_no_rows_and_no_label_counts(kept: Path) -> None:
    """Everything that run, report and log write: values as they came and as they were scaled, counts by client."""
    said = texts(kept)
    assert {REPORT, "report.html", "report.md", "report.csv", FACTS, EXPERIMENT, LOG, "modelcard.md",
            "run.npz/table/accuracy", "run.npz/state/params", "run.npz/head"} <= set(said)  # fmt: skip
    counts = counted(SMALL)
    assert not list(told(said, [], data_of(SMALL), counts))
    assert not list(told(said, [], build(SMALL).fed.data, counts))


def test_files_hold_no_names_of_clients(tmp_path: Path) -> None:
    """Of natural clients, the states of a survey; ids are keyed and differ from those of another key."""
    states = Experiment("cces", use("by_group", group="state"), use("fedavg", lr=0.02), "logistic", rounds=1)
    names = [str(name) for name in partition_of(states).achieved["names"]]
    assert len(names) == 51
    leave(tmp_path, states)
    said = texts(tmp_path)
    rest = {name: text for name, text in said.items() if not name.startswith("run.npz/groups/")}
    assert not list(told(said, names, data_of(states), counted(states)[:0]))
    assert not list(told(rest, [], data_of(states), counted(states)))


def test_label_counts_are_where_it_is_said_and_nowhere_else(tmp_path: Path) -> None:
    """The one exception: a run's own file counts test rows of data with protected attributes, and everybody says so."""
    survey = Experiment("acs_employment", use("dirichlet", parties=6, alpha=1.0), use("fedavg", lr=0.02), "logistic",
                        rounds=2, seed=3)  # fmt: skip
    leave(tmp_path, survey)
    data, partition = data_of(survey), partition_of(survey)
    assert len(data.sensitive) >= 1
    said = texts(tmp_path)
    excepted = {f"run.npz/groups/{attribute}" for attribute in data.sensitive}
    assert {name for name in said if name.startswith("run.npz/groups/")} == excepted
    rest = {name: text for name, text in said.items() if name not in excepted}
    assert not list(told(rest, [], data, counted(survey)))
    with np.load(tmp_path / "run.npz", allow_pickle=False) as arrays:
        for attribute, values in data.sensitive.items():
            kept, known = arrays[f"groups/{attribute}"], np.isin(values, data.codes(attribute)[1])
            by_label = kept[-1].sum(axis=(1, 3))  # client, label is favourable: no more than test rows
            wanted = [[int(((partition.owner == k) & data.held_out & known & ((data.y == data.positive) == side)).sum())
                       for side in (False, True)] for k in range(6)]  # fmt: skip
            assert by_label.tolist() == wanted
    words = "test rows by client, protected group, label and prediction"
    assert words in FactSheet.load(tmp_path / FACTS).get("data", "withheld")
    assert "test rows by client, group, label and prediction" in " ".join((store.__doc__ or "").split())
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    limits = " ".join(readme.partition("## What it does not do")[2].split())
    assert "test rows by client, group, label and prediction" in limits


def test_the_search_finds_what_it_looks_for(kept: Path) -> None:
    """Planted in a file: a name, a value, and counts."""
    data, counts = data_of(SMALL), counted(SMALL)
    row, first, scaled = tuple(counts[0].tolist()), data.X[0, :2].tolist(), build(SMALL).fed.data
    planted = {"a": "of Alaska", "b": f"[1, {first}]", "c": f'{{"counts": {list(row)}}}'}
    assert list(told(planted, ["Alaska", "Ohio"], data, counts)) == [
        "a names client Alaska", f"b holds {tuple(first)} of a row", f"c holds the label counts {row} of a client",
    ]  # fmt: skip
    value = float(scaled.X[0, 0])
    assert list(told({"d": f"w = {value}."}, [], scaled, counts)) == [f"d holds the value {value} of a row"]


def test_what_the_command_line_writes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither rows nor label counts, in what `trustkit run` writes; and it can be replayed."""
    (tmp_path / "small.toml").write_text(TOML, encoding="utf-8")
    words = ["trustkit", "run", str(tmp_path / "small.toml"), "--out", str(tmp_path / "out"), "--quiet"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    (written,) = (tmp_path / "out").iterdir()
    said = texts(written)
    assert {REPORT, FACTS, EXPERIMENT, "run.npz/table/loss"} <= set(said)
    for data in (data_of(SMALL), build(SMALL).fed.data):
        assert not list(told(said, [], data, counted(SMALL)))
    assert replay(written, relative=0, absolute=0).holds
