"""The data sets that come with trustkit: what is in them, and that nobody changed it."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import trustkit.datasets as datasets
from trustkit.catalogue import DATASETS
from trustkit.datasets.surveys import ACS_FEATURES

PACKAGE = Path(datasets.__file__).parent
PROVENANCE = (PACKAGE / "PROVENANCE.md").read_text(encoding="utf-8")

# name: rows, columns, classes, held-out rows, first 16 digits of the SHA-256 of the bits of held_out
SHAPES = {
    "letter": (15_000, 16, 26, 3000, "5be86dcf0248979f"),
    "mnist": (10_000, 784, 10, 2000, "e2ddefa693469ba0"),
    "mfeat": (2_000, 649, 10, 400, "30b0cad4b00234e7"),
    "landsat": (6_435, 36, 6, 1288, "f224c3943fcbf8d8"),
    "digits": (1_797, 64, 10, 359, "bbfefe84f3f5155b"),
    "breast_cancer": (569, 30, 2, 113, "97c66f9ff28728f1"),
    "wine": (178, 13, 3, 36, "3eecb16491f9e75e"),
    "acs_employment": (16_000, 16, 2, 3200, "dfa55d1a24939579"),
    "cces": (58_079, 20, 2, 11616, "a1faf3d5fae79ac2"),
    "adult": (32_561, 107, 2, 6512, "95a038e8e70acb52"),
}


def shares(name: str, attribute: str, where: np.ndarray | None = None) -> dict[str, float]:
    """The share of the positive class by value of an attribute."""
    data = datasets.load(name)
    rows = np.ones(data.y.size, bool) if where is None else where
    codes, values = data.codes(attribute)
    return {value: float(data.y[rows & (codes == g)].mean()) for g, value in enumerate(values)}


def table_rows() -> Iterator[tuple[str, str, str, str]]:
    """Name, file, licence and checksum of each row of the tables in PROVENANCE.md."""
    for line in PROVENANCE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and re.fullmatch(r"`[0-9a-f]{64}`", cells[6]):
            yield cells[0], cells[1].strip("`"), cells[4], cells[6].strip("`")


@pytest.mark.parametrize("name", SHAPES)
def test_shape_classes_and_test_rows(name: str) -> None:
    """Rows, columns, classes and the very same test rows as ever."""
    data = datasets.load(name)
    rows, columns, classes, held, digest = SHAPES[name]
    assert data.name == name
    assert data.X.shape == (rows, columns)
    assert len(set(data.columns)) == columns
    assert np.isfinite(data.X).all()
    assert data.X.dtype == (np.float32 if name == "mnist" else np.float64)
    assert data.y.dtype == np.int64
    assert np.array_equal(np.unique(data.y), np.arange(classes))
    assert len(data.classes) == classes
    assert data.held_out.sum() == held
    assert hashlib.sha256(np.packbits(data.held_out).tobytes()).hexdigest()[:16] == digest
    assert not data.provenance.synthetic


@pytest.mark.parametrize("name", SHAPES)
def test_a_fifth_of_each_class_is_held_out(name: str) -> None:
    """Stratified: the nearest whole number to a fifth of every class."""
    data = datasets.load(name)
    every, held = np.bincount(data.y), np.bincount(data.y[data.held_out])
    assert np.abs(held - every / 5).max() <= 0.5


def test_every_bundled_set_is_listed_here() -> None:
    """A new data set without parameters has to be added to these tests."""
    homes = {name: entry.function.__module__.rpartition(".")[2] for name, entry in DATASETS.items()}
    assert {name for name, home in homes.items() if home in ("bundled", "surveys")} == set(SHAPES)


def test_provenance_has_every_file_with_its_checksum() -> None:
    """The table, the files and what the loaders report are one."""
    found = {}
    for name, file, licence, sha256 in table_rows():
        provenance = datasets.load(name).provenance
        assert (provenance.sha256, provenance.licence) == (sha256, licence)
        if not file.startswith("load_"):
            found[file] = sha256
    on_disk = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (PACKAGE / "files").iterdir()}
    assert found == on_disk
    assert {name for name, *_ in table_rows()} == set(SHAPES)


def test_files_are_small_and_reproducible() -> None:
    """At most 6 MB together; no time stamp in a gzip header (its bytes 4 to 7)."""
    files = list((PACKAGE / "files").iterdir())
    assert sum(path.stat().st_size for path in files) <= 6_000_000
    assert all(path.read_bytes()[4:8] == bytes(4) for path in files if path.suffix == ".gz")


def test_letter_is_libsvms_first_row() -> None:
    """LIBSVM's letter.scale starts "26 1:-0.733333 2:-0.466667 3:-0.466667 4:-0.6 …"; a code c becomes c / 7.5 − 1."""
    data = datasets.load("letter")
    assert data.classes[data.y[0]] == "Z"
    assert data.X[0].tolist() == [2, 4, 4, 3, 2, 7, 8, 2, 9, 11, 7, 7, 1, 8, 5, 6]
    assert data.scaled().X[0, :4] == pytest.approx([-0.733333, -0.466667, -0.466667, -0.6], abs=1e-6)
    assert (data.X.min(), data.X.max()) == (0, 15)


def test_mnist_pixels_and_test_rows() -> None:
    """Each digit has 800 training and 200 test images; pixels run from 0 to 1 and are not scaled again."""
    data = datasets.load("mnist")
    assert np.bincount(data.y[~data.held_out]).tolist() == [800] * 10
    assert np.bincount(data.y[data.held_out]).tolist() == [200] * 10
    assert data.held_out[-2000:].all()
    assert (data.X.min(), data.X.max()) == (0, 1)
    assert data.image == (1, 28, 28)
    assert data.scaled() is data
    # MNIST's own mean and standard deviation are 0.1307 and 0.3081
    assert data.X.mean() == pytest.approx(0.1307, abs=0.002)
    assert data.X.std() == pytest.approx(0.3081, abs=0.002)


def test_digits_are_images() -> None:
    """scikit-learn's digits divided by 16."""
    from sklearn.datasets import load_digits

    data = datasets.load("digits")
    assert data.image == (1, 8, 8)
    assert data.scaling == "none"
    assert np.array_equal(data.X * 16, load_digits().data)


def test_mfeat_has_six_views() -> None:
    """The natural parties: 76, 216, 64, 240, 47 and 6 columns, and pix in whole steps from 0 to 6."""
    data = datasets.load("mfeat")
    views = np.array(data.notes["views"])
    found = {view: int((views == view).sum()) for view in dict.fromkeys(data.notes["views"])}
    assert found == {"fou": 76, "fac": 216, "kar": 64, "pix": 240, "zer": 47, "mor": 6}
    assert data.columns[76] == "fac.0"
    pixels = data.X[:, views == "pix"]
    assert np.array_equal(np.unique(pixels), np.arange(7))


def test_acs_employment_codes_and_clients() -> None:
    """folktables' 16 features; 4,000 persons in each of four years; FeDa4Fair's recodings of RAC1P."""
    data = datasets.load("acs_employment")
    assert data.columns == ACS_FEATURES
    years, sizes = np.unique(data.groups["year"], return_counts=True)
    assert dict(zip(years.tolist(), sizes.tolist(), strict=True)) == dict.fromkeys(
        ["2015", "2016", "2017", "2018"], 4000
    )
    raw = data.X[:, data.columns.index("RAC1P")].astype(int)
    expected = {1: "White", 2: "Black", 3: "American Indian or Alaska Native", 5: "American Indian or Alaska Native",
                6: "Asian", 7: "other", 8: "other", 9: "other"}  # fmt: skip
    for code in np.unique(raw):
        assert set(data.sensitive["race5"][raw == code].tolist()) == {expected[int(code)]}
        assert set(data.sensitive["race"][raw == code].tolist()) == {"White" if code == 1 else "not White"}
    assert np.array_equal(data.sensitive["sex"] == "female", data.X[:, data.columns.index("SEX")] == 2)


def test_acs_employment_rates() -> None:
    """The whole of Massachusetts: men .515–.526, women .478–.488 by year; a sample of 4,000 is within 0.02 of that."""
    data = datasets.load("acs_employment")
    for year in ("2015", "2016", "2017", "2018"):
        found = shares("acs_employment", "sex", data.groups["year"] == year)
        assert 0.495 < found["male"] < 0.546
        assert 0.458 < found["female"] < 0.508
    pooled = shares("acs_employment", "sex")
    assert 0.515 <= pooled["male"] <= 0.526
    assert 0.478 <= pooled["female"] <= 0.488
    assert shares("acs_employment", "race5")["Black"] < shares("acs_employment", "race5")["White"]


def test_cces_has_51_states_and_says_what_it_dropped() -> None:
    """64,600 persons less 6,521 without an answer; 54.9 % with 50,000 USD or more; no politics among the features."""
    data = datasets.load("cces")
    states, sizes = np.unique(data.groups["state"], return_counts=True)
    assert (states.size, sizes.min(), sizes.max()) == (51, 92, 5416)
    assert data.notes["dropped_rows"] == data.notes["missing"]["income"] == 6521
    assert data.y.mean() == pytest.approx(0.549, abs=5e-4)
    assert data.classes[data.positive] == "50,000 USD or more"
    assert not any(word in column for column in data.columns for word in ("vote", "pid", "ideo", "state", "income"))
    assert list(data.sensitive) == ["sex", "race", "race8"]
    assert len(data.codes("race8")[1]) == 8


def test_adult_known_counts() -> None:
    """UCI Adult's training part: 24.08 % above 50,000, men .3057, women .1095; "?" stays a value."""
    data = datasets.load("adult")
    assert np.bincount(data.y).tolist() == [24_720, 7_841]
    assert data.classes[data.positive] == ">50K"
    found = shares("adult", "sex")
    assert found["Male"] == pytest.approx(0.3057, abs=1e-4)
    assert found["Female"] == pytest.approx(0.1095, abs=1e-4)
    assert int((data.groups["workclass"] == "?").sum()) == 1836
    assert int(data.X[:, data.columns.index("occupation=?")].sum()) == 1843
    assert len(data.codes("race5")[1]) == 5
    assert "fnlwgt" not in data.columns


def test_importing_is_light() -> None:
    """Heavy libraries are imported by the loaders that need them, not before; these three need none."""
    code = (
        "import sys, trustkit.datasets as d; [d.load(n) for n in ('letter', 'acs_employment', 'mfeat')]; "
        "print([m for m in ('pandas', 'sklearn', 'torch', 'scipy.stats') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
