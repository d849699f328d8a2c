"""One function writes anything: the suffix tells the format, and a file is whole or not there."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.test_rounds import EXPERIMENT
from trustkit import export, jsonfile
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.partition import Partition
from trustkit.rounds import run
from trustkit.trust import FactSheet, assess

PARTITION = Partition("rows", np.array([0, 1, -1]), 2, use("iid", parties=2), {"icor": float("nan"), "beta": None})


def _figure() -> Figure:
    figure = Figure(figsize=(2, 1))
    figure.add_subplot().plot([0, 1], [0, 1])
    return figure


def test_json_can_be_read_by_what_it_was_made_of(tmp_path: Path) -> None:
    """Partition and fact sheet by their own `load`; NaN and None stay apart."""
    assert Partition.load(export.write(PARTITION, tmp_path / "split.json")) == PARTITION
    sheet = FactSheet({"data/rows": 100})
    assert FactSheet.load(export.write(sheet, tmp_path / "facts.json")) == sheet
    content = jsonfile.read(export.write(EXPERIMENT, tmp_path / "experiment.json"))
    assert Experiment.from_dict(content) == EXPERIMENT


def test_toml(tmp_path: Path) -> None:
    """An experiment reads back equal."""
    text = export.write(EXPERIMENT, tmp_path / "experiment.toml").read_text(encoding="utf-8")
    assert Experiment.from_toml(text) == EXPERIMENT


def test_csv(tmp_path: Path) -> None:
    """A line of names, then one line for each row of the table."""
    with export.write(PARTITION, tmp_path / "split.csv").open() as file:
        assert list(csv.reader(file)) == [["index", "party"], ["0", "0"], ["1", "1"], ["2", "-1"]]
    record = run(EXPERIMENT)
    with export.write(record, tmp_path / "run.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == EXPERIMENT.rounds * 4
    assert [float(line["accuracy"]) for line in lines[:4]] == record.accuracy[0].tolist()
    assert {line["epsilon"] for line in lines} == {"inf"}


@pytest.mark.parametrize("suffix", [".json", ".md", ".csv", ".html"])
def test_a_report_in_every_format(suffix: str, tmp_path: Path) -> None:
    """Each names the pillars."""
    report = assess(FactSheet({"data/rows": 100}))
    text = export.write(report, tmp_path / f"trust{suffix}").read_text(encoding="utf-8")
    assert "robustness" in text.lower()


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_figures(suffix: str, start: bytes, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """In the format that the suffix names, in capitals too, without a date and without a warning."""
    content = export.write(_figure(), tmp_path / f"a{suffix.upper()}").read_bytes()
    assert content.startswith(start)
    assert b"CreationDate" not in content
    assert b"<dc:date>" not in content
    assert [str(each.message) for each in recwarn] == []


@pytest.mark.parametrize(
    ("thing", "name", "text"),
    [
        (PARTITION, "split.toml", "Partition has no format .toml, asked for by "),
        (PARTITION, "split.pickle", "Partition has no format .pickle, asked for by "),
        (PARTITION, "split", "Partition has no format (no suffix), asked for by "),
        (EXPERIMENT, "experiment.png", "Experiment has no format .png, asked for by "),
        (Figure(), "figure.json", "Figure has no format .json, asked for by "),
        (object(), "thing.json", "object has no format .json, asked for by "),
    ],
)
def test_what_a_thing_cannot_become_is_refused(thing: Any, name: str, text: str, tmp_path: Path) -> None:
    """And nothing is written, not even the folder."""
    file = tmp_path / "new" / name
    with pytest.raises(ValueError) as caught:
        export.write(thing, file)
    assert str(caught.value) == f"{text}{file}"
    assert not list(tmp_path.iterdir())


def test_a_failing_export_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is half written, and nothing lies beside it."""
    file = export.write(PARTITION, tmp_path / "split.csv")
    old = file.read_bytes()

    def broken(_: Partition) -> None:
        raise MemoryError

    monkeypatch.setattr(Partition, "frame", broken)
    with pytest.raises(MemoryError):
        export.write(PARTITION, file)
    assert file.read_bytes() == old
    assert [path.name for path in tmp_path.iterdir()] == ["split.csv"]
