"""What the long fuzzing found once, and must not find again: each in the shape of what was found, made by hand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fuzz.seeds import SEEDS
from trustkit.commands.sweep import read_grid
from trustkit.datasets import read_folktables, read_libsvm, read_nuswide, read_parties, read_table
from trustkit.experiment import Experiment
from trustkit.trust import profilefile, targets
from trustkit.trust.stated import read_stated
from trustkit.uses import Use

DEEP = r"it must be nested at most 32 deep$"


def lay(folder: Path, target: str) -> Path:
    """Write a valid folder."""
    for path, content in SEEDS[target]().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


TEXTS = {
    "key": ".".join("a" * 40_000) + " = 1\n",
    "lists": "a = " + "[" * 40 + "]" * 40 + "\n",
    "tables": "a = " + "{b = " * 40 + "1" + "}" * 40 + "\n",
    "heading": f"[{'.'.join('a' * 40_000)}]\n",
}


READERS = {"profile": profilefile.load, "targets": targets.load, "stated": read_stated, "grid": read_grid}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_deep_toml_is_refused(read: Callable[[Path], object], text: str, tmp_path: Path) -> None:
    """In words and at once, where a key of 40,000 parts took a gigabyte."""
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(ValueError, match=DEEP):
        read(tmp_path / "a.toml")
    with pytest.raises(ValueError, match=DEEP):
        Experiment.from_toml(text)


@pytest.mark.parametrize("build", [
    lambda long: Experiment(long, "iid", "fedavg"), lambda long: Experiment("wine", "iid", "fedavg", rounds=long),
    lambda long: Use.from_dict({long: 1}), lambda long: Experiment("wine", Use("dirichlet", {"alpha": long}), "fedavg"),
    lambda long: Experiment.from_dict({long: 1}),
])  # fmt: skip
def test_a_long_value_is_told_in_short(build: Callable[[Any], object]) -> None:
    """Whatever is wrong with it."""
    with pytest.raises((KeyError, TypeError, ValueError)) as refused:
        build("x" * 50_000)
    assert 20 < len(str(refused.value)) < 1500


def test_a_long_label_is_refused(tmp_path: Path) -> None:
    """Labels stand side by side in memory, each with the room of the longest."""
    (tmp_path / "a.svm").write_bytes(b"1 1:2\n" * 500 + b"x" * 40_000 + b" 1:2\n")
    with pytest.raises(ValueError, match=r"a\.svm must have labels of at most 200 bytes, got one of 40,000$"):
        read_libsvm(tmp_path / "a.svm")
    (tmp_path / "b.svm").write_bytes(b"1 2 3\n" * 500 + b"x" * 40_000 + b" 2 3\n")
    with pytest.raises(ValueError, match=r"b\.svm must have labels of at most 200 bytes, got one of 40,000$"):
        read_libsvm(tmp_path / "b.svm")


def test_a_number_must_fit_into_its_precision(tmp_path: Path) -> None:
    """1e39 is a number, and infinite as float32."""
    (tmp_path / "a.svm").write_text("1 1:2 2:1e39\n0 1:3 2:4\n" * 5)
    with pytest.raises(ValueError, match=r"a\.svm must hold numbers of at most 3\.4e\+38, got 1e\+39$"):
        read_libsvm(tmp_path / "a.svm", precision="float32")
    assert read_libsvm(tmp_path / "a.svm", precision="float64", scaling="none").X.max() == 1e39
    folder = lay(tmp_path / "n", "nuswide")
    file = next(folder.glob("Low_Level_Features/Train*_CORR.dat"))
    first, _, rest = file.read_text().partition("\n")
    file.write_text(" ".join(["1e39", *first.split()[1:]]) + "\n" + rest)
    with pytest.raises(ValueError, match=r"must hold numbers of at most 3\.4e\+38, got 1e\+39$"):
        read_nuswide(folder, "sky")


def test_an_infinite_code_of_the_census_is_refused(tmp_path: Path) -> None:
    """A blank is one that is missing; inf is none."""
    folder = lay(tmp_path, "folktables")
    file = next(folder.rglob("psam_p*.csv"))
    head, *rows = file.read_text().splitlines()
    at, cells = head.split(",").index("AGEP"), rows[0].split(",")
    file.write_text("\n".join([head, ",".join([*cells[:at], "inf", *cells[at + 1 :]]), *rows[1:]]) + "\n")
    with pytest.raises(ValueError, match=r"must hold finite codes or blanks, got an infinite one in AGEP$"):
        read_folktables(folder)


@pytest.mark.parametrize(("party", "old", "new", "words"), [
    (1, b"2.59", b"1e400", "must hold finite numbers(, got inf| and texts)"),
    (0, b",class_0,", b",class_9,", "must have a label that the manifest names in each row, or a finite number"),
    (0, b",train,", b",trjin,", "must say train or test of each row, got 'trjin'"),
])  # fmt: skip
def test_what_parties_were_handed_is_checked(party: int, old: bytes, new: bytes, words: str, tmp_path: Path) -> None:
    """Also where the checksums are right."""
    folder = lay(tmp_path, "parties, manifest") / "p"
    file, place = folder / f"party_{party}.csv", folder / "manifest.json"
    content = file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new, 1))
    manifest = json.loads(place.read_text())
    manifest["parties"][party]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    place.write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=words):
        read_parties(folder)


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_columns_of_one_name_are_refused(form: str, tmp_path: Path) -> None:
    """Nobody could say which of them is meant."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    table = pa.table([pa.array(["a", "b"] * 5), pa.array(["c", "d"] * 5), pa.array(np.arange(10))], ["x", "x", "y"])
    write = {"arrow": feather.write_feather, "parquet": parquet.write_table}[form]
    write(table, tmp_path / f"a.{form}")
    with pytest.raises(ValueError, match=r"columns of (different names, got twice: x|one name, x)$"):
        read_table(tmp_path / f"a.{form}", "y")
