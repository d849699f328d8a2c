"""Person files of the census, written by trustkit and read back: checked against pandas, year by year, line by line."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustkit.datasets import load, read_folktables, write_psam
from trustkit.datasets.acs import TASKS
from trustkit.split.rows import by_group

HEADER = "ST,AGEP,COW,SCHL,MAR,OCCP,POBP,RELP,WKHP,SEX,RAC1P,PINCP,PWGTP"
RICH, POOR = "6,40,1,21,1,430,6,0,40,1,1,90000,12", "6,30,,16,5,4110,303,2,20,2,8,20000,9"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three states of 2018 and two of 2022."""
    folder = tmp_path_factory.mktemp("acs")
    write_psam(folder, states=("AL", "CA", "PR"), rows=400)
    write_psam(folder, states=("AL", "CA"), rows=400, year=2022)
    return folder


def write(folder: Path, *lines: str, header: str = HEADER, name: str = "psam_p06.csv") -> Path:
    """Write a file by hand."""
    file = folder / name
    file.write_text("\n".join([header, *lines]) + "\n")
    return file


def by_pandas(file: Path, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows of a task as folktables has them, features and target."""
    frame = pd.read_csv(file)
    if task == "ACSIncome":
        frame = frame[(frame.AGEP > 16) & (frame.PINCP > 100) & (frame.WKHP > 0) & (frame.PWGTP >= 1)]
    target = frame.PINCP > 50_000 if task == "ACSIncome" else frame.ESR == 1
    return frame[list(TASKS[task].features)].fillna(0.0), target.to_numpy(int)


@pytest.mark.parametrize("task", TASKS)
def test_rows_are_those_of_pandas(tree: Path, task: Any) -> None:
    """Features, target and state, in the order of the files; what was read, kept and filled is counted."""
    data = read_folktables(tree, task, year=2018)
    files = [tree / "2018" / "1-Year" / f"psam_p{code}.csv" for code in ("01", "06", "72")]
    found = [by_pandas(file, task) for file in files]
    frames = [frame for frame, _ in found]
    expected = pd.concat(frames)
    assert np.array_equal(data.X, expected.to_numpy(float))
    assert np.array_equal(data.y, np.concatenate([target for _, target in found]))
    states = np.repeat(["AL", "CA", "PR"], [len(frame) for frame in frames])
    assert data.groups["state"].tolist() == states.tolist()
    raw = pd.concat(map(pd.read_csv, files))
    kept = raw if task == "ACSEmployment" else raw[(raw.AGEP > 16) & (raw.PINCP > 100) & (raw.WKHP > 0)]
    gaps = kept[list(TASKS[task].features)].isna().sum()
    assert data.notes["filled"] == {name: count for name, count in gaps.items() if count}
    assert (data.notes["rows_read"], data.notes["rows_kept"]) == (1200, len(expected))
    assert data.notes["filtered"] == 1200 - len(expected)
    assert (data.notes["files"], data.notes["year"], data.notes["changes"]) == (3, 2018, ())
    assert not data.provenance.synthetic
    assert len(by_group(data, group="state").achieved["names"]) == 3


def test_children_fall_out_of_the_one_task_and_not_of_the_other(tree: Path) -> None:
    """The filter of ACSIncome leaves about half; ACSEmployment keeps everybody, from birth on."""
    income, employment = (read_folktables(tree, task, year=2018) for task in ("ACSIncome", "ACSEmployment"))
    assert 0.45 < len(income.y) / 1200 < 0.6
    assert income.X[:, 0].min() >= 17
    assert employment.X[:, 0].min() == 0


def test_states_in_the_order_wanted(tree: Path) -> None:
    """And only those files are read."""
    data = read_folktables(tree, states=("PR", "AL"), year=2018)
    assert data.notes["rows_read"] == 800
    assert list(dict.fromkeys(data.groups["state"].tolist())) == ["PR", "AL"]


def test_relshipp_of_later_years(tree: Path) -> None:
    """The same persons written with the codes of 2022; of 0 … 17 only roomers (11) come back as something else (15)."""
    old, new = (read_folktables(tree, "ACSEmployment", ("AL", "CA"), year=year) for year in (2018, 2022))
    assert new.notes["changes"] == ("RELSHIPP (from 2019) mapped to RELP",)
    relp = old.X[:, old.columns.index("RELP")]
    assert np.array_equal(new.X[:, new.columns.index("RELP")], np.where(relp == 11, 15, relp))
    other = [j for j, name in enumerate(old.columns) if name != "RELP"]
    assert np.array_equal(old.X[:, other], new.X[:, other])


def test_a_file_a_folder_a_year_or_the_whole_tree(tree: Path) -> None:
    """All are the same rows; also by name, from a catalogue."""
    folder = tree / "2018" / "1-Year"
    whole = read_folktables(tree, year=2018)
    for data in (read_folktables(folder), read_folktables(tree / "2018"), load("folktables", path=str(folder))):
        assert np.array_equal(data.X, whole.X)
        assert np.array_equal(data.held_out, whole.held_out)
        assert data.notes["year"] == 2018
    one = read_folktables(folder / "psam_p06.csv")
    assert np.array_equal(one.X, whole.X[whole.groups["state"] == "CA"])


def test_older_names_packed_files_and_files_without_a_state(tmp_path: Path) -> None:
    """ss15pca.csv; gzip; ST or STATE wins over the name, and the name serves where there is neither."""
    write(tmp_path, RICH, POOR, name="ss15pca.csv")
    assert read_folktables(tmp_path, test_size=0).groups["state"].tolist() == ["CA", "CA"]
    (tmp_path / "ss15pca.csv").unlink()
    (tmp_path / "psam_p06.csv.gz").write_bytes(gzip.compress(f"{HEADER}\n{RICH}\n{POOR}\n".encode()))
    assert read_folktables(tmp_path, test_size=0).y.tolist() == [1, 0]
    lines = [line.split(",", 1)[1] for line in (RICH, POOR)]
    file = write(tmp_path, *lines, header=HEADER.split(",", 1)[1], name="ss14pny.csv")
    assert read_folktables(file, test_size=0).groups["state"].tolist() == ["NY", "NY"]
    file = write(
        tmp_path, *(f"11{line[1:]}" for line in (RICH, POOR)), header=HEADER.replace("ST", "STATE"), name="a.csv"
    )
    assert read_folktables(file, test_size=0).groups["state"].tolist() == ["DC", "DC"]


def test_a_file_of_several_states(tmp_path: Path) -> None:
    """psam_pusa.csv has half of the country; rows of one state can be asked for."""
    write(tmp_path, RICH, POOR, f"8{RICH[1:]}", f"8{POOR[1:]}", name="psam_pusa.csv")
    assert read_folktables(tmp_path, test_size=0).groups["state"].tolist() == ["CA", "CA", "CO", "CO"]
    assert read_folktables(tmp_path, states=("CO",), test_size=0).groups["state"].tolist() == ["CO", "CO"]


def test_weights_that_are_not_there_count_as_one(tmp_path: Path) -> None:
    """And that is said."""
    file = write(tmp_path, *(line.rsplit(",", 1)[0] for line in (RICH, POOR)), header=HEADER.rsplit(",", 1)[0])
    data = read_folktables(file, test_size=0)
    assert data.notes["changes"] == ("PWGTP absent: every weight taken as 1",)
    assert data.notes["filled"] == {"COW": 1}
    assert data.X[1].tolist() == [30, 0, 16, 5, 4110, 303, 2, 20, 2, 8]


def test_columns_that_no_task_needs_are_not_read(tmp_path: Path) -> None:
    """A file may have 286 columns, some of them text."""
    file = write(tmp_path, f"{RICH},x", f"{POOR},y", header=f"{HEADER},SERIALNO")
    assert read_folktables(file, test_size=0).X.shape == (2, 10)


BAD = [
    ([RICH, POOR], HEADER.replace("SEX", "GENDER"), r"must have the columns of ACSIncome, got none called SEX$"),
    ([RICH, POOR.replace(",20,", ",many,")], HEADER, r"must be a table of persons in the census's codes, got: .*many"),
    ([RICH, POOR.replace("6,30", "3,30")], HEADER, r"^ST in .* must be a state's FIPS code, got 3$"),
    ([RICH, POOR.replace(",2,8,", ",2,10,")], HEADER, r"^RAC1P in .* must be between 1 and 9, got 10$"),
    ([RICH, POOR.replace(",2,8,", ",,8,")], HEADER, r"^SEX in .* must be between 1 and 2, got 0$"),
    ([RICH, POOR], HEADER.replace("RELP", "RELSHIPP"),
     r"^RELSHIPP in .* must be between 20 and 38, got 0$"),
    ([RICH], HEADER, r"must have rows of both classes of ACSIncome, got 1 of 1 rows in the task$"),
    ([], HEADER, r"must have rows of both classes of ACSIncome, got 0 of 0 rows in the task$"),
    (["<p>Forbidden</p>"], "<!DOCTYPE html>", r"must be a table of persons, got an HTML page$"),
    (["x"], "PK\x03\x04", r"must be a table of persons, got a ZIP archive; unpack it first$"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "header", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_file_is_refused(tmp_path: Path, lines: list[str], header: str, message: str) -> None:
    """In one sentence that names the file and the cell."""
    file = write(tmp_path, *lines, header=header)
    with pytest.raises(ValueError, match=message) as caught:
        read_folktables(file)
    assert "\n" not in str(caught.value)


def test_a_bad_argument_is_refused(tree: Path, tmp_path: Path) -> None:
    """Before any file is read."""
    for path in ("", tmp_path, tmp_path / "psam_p06.csv"):
        with pytest.raises(ValueError, match=r"^path must be a person file of the ACS \(psam_pXX.csv\) or a folder of"):
            read_folktables(path)
    with pytest.raises(ValueError, match=r"^year must be one of 2018, 2022, got none$"):
        read_folktables(tree)
    with pytest.raises(ValueError, match=r"^year must be one of 2018, 2022, got 2015$"):
        read_folktables(tree, year=2015)
    with pytest.raises(ValueError, match=r"^year must be that of the files in .*1-Year, got 2022$"):
        read_folktables(tree / "2018" / "1-Year", year=2022)
    with pytest.raises(KeyError, match=r"states must be two letters of AL, AK, .*, DC, got 'Texas'"):
        read_folktables(tree, states=("Texas",), year=2018)
    with pytest.raises(KeyError, match=r"states must be among the files in .*, got 'TX', of which there is no row"):
        read_folktables(tree, states=("AL", "TX"), year=2018)
    with pytest.raises(ValueError, match=r"^task must be one of ACSIncome, ACSEmployment, got 'ACSMobility'$"):
        read_folktables(tree, "ACSMobility", year=2018)  # type: ignore[arg-type]
    file = write(
        tmp_path, *(line.split(",", 1)[1] for line in (RICH, POOR)), header=HEADER.split(",", 1)[1], name="a.csv"
    )
    with pytest.raises(ValueError, match=r"a\.csv must have a column ST or a state's code in its name, got neither$"):
        read_folktables(file)
