"""``trustkit audit TABLE --client … --out DIR``: a folder with everything, or one line why not and nothing written."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit import jsonfile
from trustkit.auditing import audit
from trustkit.commands.audit import investigate
from trustkit.rng import stream

QUICK = "logistic,tree"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a table of 300 persons in two states and go where it is."""
    monkeypatch.chdir(tmp_path)
    draw = stream(0, "test", "people")
    n = 300
    female, black = draw.integers(0, 2, (2, n))
    age = draw.integers(18, 70, n)
    y = (age + draw.normal(0, 8, n) - 12 * female > 40).astype(int)
    lines = [f"{'AB'[i % 2]},{'fm'[1 - female[i]]},{'wb'[black[i]]},{age[i]},{i % 7},{y[i]}" for i in range(n)]
    Path("people.csv").write_text("\n".join(["state,sex,race,age,shift,y", *lines]) + "\n", encoding="utf-8")
    return tmp_path


FILES = {"audit.csv", "audit.json", "datasheet.md"} | {
    f"{what}_{attribute}.{suffix}"
    for what in ("shares", "models", "worse_off")
    for attribute in ("sex", "race")
    for suffix in ("svg", "png")
}


def test_a_folder_with_everything(people: Path) -> None:
    """Table, numbers, datasheet, pictures; what is printed and what is in the files is what `audit` finds."""
    said = list(investigate("people.csv", Path("deep/out"), sensitive="sex, race", models=QUICK, target="y",
                            client="state", again=True))  # fmt: skip
    assert {file.name for file in Path("deep/out").iterdir()} == FILES
    want = audit("people.csv", QUICK.split(","), ["sex", "race"], target="y", client="state", again=True)
    assert said[0] == repr(want)
    assert said[-1] == "written to deep/out"
    summary = want.summary()
    assert any(f"sex: mean gap {summary['tree']['sex']['mean']:.4f}" in line for line in said)
    assert "  no features: sex (protected attribute), race (protected attribute)" in said
    lines = list(csv.DictReader(Path("deep/out/audit.csv").read_text(encoding="utf-8").splitlines()))
    assert [line["client"] for line in lines] == ["A", "B"]
    assert float(lines[1]["tree DD(race)"]) == pytest.approx(want.gaps("race").gap[0, 1, 1])
    read = jsonfile.read("deep/out/audit.json")
    np.testing.assert_array_equal(read["counts"]["sex"], want.counts["sex"])
    assert Path("deep/out/datasheet.md").read_text(encoding="utf-8") == want.to_markdown()
    assert Path("deep/out/models_sex.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in Path("deep/out/shares_race.svg").read_text(encoding="utf-8")
    assert not [file for file in Path("deep").iterdir() if file.name.startswith(".")]


def test_the_same_words_give_the_same_files(people: Path) -> None:
    """Byte for byte, the pictures too."""
    for out in ("one", "two"):
        list(investigate("people.csv", Path(out), sensitive="sex", models=QUICK, target="y", client="state"))
    for file in Path("one").iterdir():
        assert file.read_bytes() == (Path("two") / file.name).read_bytes(), file.name


def test_a_data_set_by_its_name(people: Path) -> None:
    """With its own clients and attributes; crossed attributes have files too."""
    said = list(investigate("acs_employment", Path("out"), sensitive="sex & race", models=QUICK, leave_out="MAR"))
    assert said[0].startswith("Audit('acs_employment', 4 clients:")
    assert Path("out/models_sex___race_0.svg").is_file()
    assert "MAR (asked for)" in said[-2]


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("people.csv", {}, "^--sensitive must name the protected attributes of a table, as sex,race, got none$"),
    ("people.csv", {"sensitive": "sex", "target": ""}, "^--target must name the column of a table that is predicted"),
    ("people.csv", {"sensitive": "age2"}, "attributes must be a column's name or index, got 'age2'"),
    ("people.csv", {"sensitive": "sex", "client": "st"}, "client must be a column's name or index, got 'st'"),
    ("people.csv", {"sensitive": "sex", "models": "tree"}, "models must be at least 2, .*, got 1"),
    ("people.csv", {"sensitive": "sex", "threshold": -1.0}, "threshold must be between 0 and 1, got -1.0"),
    ("nobody.csv", {"sensitive": "sex"}, "^there is no file 'nobody.csv', and no data set of that name$"),
    ("page.csv", {"sensitive": "sex"}, "page.csv must be a table, got an HTML page"),
    ("wine", {"target": ""}, "attributes must name at least one protected attribute of wine, got none"),
]


@pytest.mark.parametrize(("data", "options", "message"), REFUSED)
def test_bad_input_leaves_nothing_behind(people: Path, data: str, options: dict[str, Any], message: str) -> None:
    """One sentence, no folder."""
    Path("page.csv").write_text("<html><body>403</body></html>", encoding="utf-8")
    before = set(people.rglob("*"))
    with pytest.raises((KeyError, TypeError, ValueError)) as error:
        list(investigate(data, Path("out"), **({"target": "y", "models": QUICK} | options)))
    assert re.search(message, str(error.value))
    assert set(people.rglob("*")) == before


def test_a_folder_in_use_is_refused_before_any_work(people: Path) -> None:
    """Nothing in it is touched."""
    Path("used").mkdir()
    Path("used/mine").touch()
    with pytest.raises(ValueError, match="folder must be new or empty, got used, which has files"):
        list(investigate("nobody.csv", Path("used"), sensitive="sex"))


def test_a_picture_that_fails_leaves_nothing_behind(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is written whole or not at all."""
    from trustkit.plot import changed

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(changed, "value_changes", fail)
    before = set(people.rglob("*"))
    with pytest.raises(OSError, match="the disk is full"):
        list(investigate("people.csv", Path("out"), sensitive="sex", models=QUICK, target="y", client="state"))
    assert set(people.rglob("*")) == before


def test_what_numbers_rest_on_is_said(people: Path) -> None:
    """Missing values, groups of a few rows, clients without a gap."""
    lines = Path("people.csv").read_text(encoding="utf-8").splitlines()
    head, rows = lines[0], [line.split(",") for line in lines[1:]]
    for i, row in enumerate(rows):
        row[1] = "" if i % 10 == 0 else row[1]
        row[2] = "x" if i in (3, 5, 11, 13) else row[2]
        row[0] = "C" if i > 290 else row[0]
    Path("holes.csv").write_text("\n".join([head, *map(",".join, rows)]) + "\n", encoding="utf-8")
    said = list(investigate("holes.csv", Path("out"), sensitive="sex,race", models=QUICK, target="y", client="state"))
    assert "  sex is missing in 30 rows, which are in no group" in said
    assert any(re.match(r"  race: at \d clients a group has fewer than 10 test rows", line) for line in said)
    assert any(re.match(r"  n/a at 1 client: ", line) for line in said)
    assert any("by chance alone" in line for line in said)
    sheet = Path("out/datasheet.md").read_text(encoding="utf-8")
    assert "protected attributes: sex of 30 rows" in sheet
    assert "fewer than 10 test rows" in sheet
