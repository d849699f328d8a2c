"""The doctor's checks do what they say: each is shown something that is wrong."""

from __future__ import annotations

import dataclasses
import importlib.metadata
from pathlib import Path

import pytest

from trustkit import datasets, doctor, serve


def test_the_doctor_compares_each_checksum_with_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is another data set's, or none, is not as recorded."""
    real = datasets.load
    for other in (real("digits").provenance.sha256, ""):
        wine = dataclasses.replace(real("wine"), provenance=dataclasses.replace(real("wine").provenance, sha256=other))
        monkeypatch.setattr(datasets, "load", lambda name, wine=wine: wine if name == "wine" else real(name))
        with pytest.raises(RuntimeError, match=r"checksums must be those of PROVENANCE\.md, but not of wine$"):
            doctor._data()


@pytest.mark.parametrize("found", [(), ("xgboost", "xgboost-cpu")])
def test_boosted_trees_come_from_one_package(found: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of them overwrite each other's files; none is too few."""
    monkeypatch.setattr(doctor, "_has", lambda name: name in found)
    with pytest.raises(RuntimeError, match="exactly one of xgboost and xgboost-cpu must be installed, got "):
        doctor._boosting()


def test_a_missing_notebook_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without it the app cannot be served."""
    monkeypatch.setattr(serve, "NOTEBOOKS", tmp_path)
    with pytest.raises(RuntimeError, match="the app's notebook must lie in "):
        doctor._server()


def test_a_check_that_fails_does_not_end_the_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a verdict like the others, in their order."""

    def broken() -> str:
        raise OSError("no disk")

    monkeypatch.setattr(doctor, "_data", broken)
    for slow in ("_training", "_privacy", "_app"):
        monkeypatch.setattr(doctor, slow, lambda: "skipped")
    verdicts = {name: (verdict, fine) for name, verdict, fine in doctor.examine()}
    assert verdicts["data"] == ("OSError: no disk", False)
    assert list(verdicts)[:4] == ["Python", "libraries", "boosted trees", "data"]
    assert all(fine for name, (_, fine) in verdicts.items() if name != "data")
    assert importlib.metadata.version("numpy") in verdicts["libraries"][0]
