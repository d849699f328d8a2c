"""FeDa4Fair's released client files: leftover columns, labels as text, recodings, order; real ones where present."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.released import released
from trustkit.datasets import load, read_feda4fair
from trustkit.datasets.acs import TASKS

COLUMNS = (*TASKS["ACSIncome"].features, "PINCP")
FEATURES = ("AGEP", "COW", "SCHL", "OCCP", "POBP", "RELP", "WKHP")


def frame(rows: int = 8, races: int = 2, start: int = 0) -> pd.DataFrame:
    """A client as it was released: floats, and labels that become True and False in a file."""
    at = np.arange(start, start + rows)
    codes = {"AGEP": 20 + at, "COW": 1 + at % 8, "SCHL": 1 + at % 24, "MAR": 1 + at % 2, "OCCP": 10 + at, "POBP": at,
             "RELP": at % 18, "WKHP": 40 - at, "SEX": 1 + at % 2, "RAC1P": 1 + at % races}  # fmt: skip
    return pd.DataFrame({name: column.astype(float) for name, column in codes.items()}).assign(PINCP=at % 3 == 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three clients, two of them with leftover row numbers, and files that are no clients."""
    frame().to_csv(tmp_path / "AL_2.csv", index=False)
    frame(start=8).rename_axis("").reset_index(names="Unnamed: 0").to_csv(tmp_path / "AL_10.csv", index=False)
    late = frame(start=16).assign(__index_level_0__=[5, 9, 2, 7, 1, 8, 3, 4])
    late.to_csv(tmp_path / "AK_0.csv")  # its index has no name: "Unnamed: 0" when it is read
    (tmp_path / "model_perf_DP.csv").write_text("model,accuracy\nLogisticRegression,0.77\n")
    (tmp_path / "datasheet.md").write_text("# Datasheet\n")
    return tmp_path


def test_clients_come_in_the_order_of_their_files(folder: Path) -> None:
    """By state and number, AL_2 before AL_10; rows as they are; text becomes labels."""
    data = read_feda4fair(folder)
    assert list(dict.fromkeys(data.groups["client"].tolist())) == ["AK_0", "AL_2", "AL_10"]
    expected = pd.concat([frame(start=16), frame(), frame(start=8)])
    assert data.columns == FEATURES
    assert np.array_equal(data.X, expected[list(FEATURES)].to_numpy())
    assert np.array_equal(data.y, expected.PINCP.to_numpy(int))
    assert data.sensitive["SEX"].tolist() == [{1: "1 male", 2: "2 female"}[code] for code in expected.SEX]
    assert data.sensitive["RAC1P"].tolist() == [{1: "1 White", 2: "2 not White"}[code] for code in expected.RAC1P]
    assert (data.notes["clients"], data.notes["rows_read"], data.notes["RAC1P"], data.notes["MAR"]) == (3, 24, 2, 2)
    assert np.array_equal(load("feda4fair_files", path=str(folder)).X, data.X)
    assert data.name == folder.name
    assert not data.provenance.synthetic


def test_leftover_columns_are_reported_and_left_out(folder: Path) -> None:
    """Or kept, where they stood, with 0 for clients without one."""
    assert read_feda4fair(folder).notes["index_columns"] == {"Unnamed: 0": 2, "__index_level_0__": 1}
    kept = read_feda4fair(folder, keep_index=True)
    assert kept.columns == ("Unnamed: 0", *FEATURES, "__index_level_0__")
    assert kept.X[:, 0].tolist() == [*range(8), *[0] * 8, *range(8)]
    assert kept.X[:, -1].tolist() == [5, 9, 2, 7, 1, 8, 3, 4, *[0] * 16]
    assert kept.notes["index_columns"] == {"Unnamed: 0": 2, "__index_level_0__": 1}


@pytest.mark.parametrize(("races", "values"), [(2, 2), (5, 5), (9, 9)])
def test_the_recoding_is_found(tmp_path: Path, races: int, values: int) -> None:
    """By the largest code."""
    frame(18, races).to_csv(tmp_path / "WY.csv", index=False)
    data = read_feda4fair(tmp_path / "WY.csv")
    assert data.notes["RAC1P"] == values
    assert len(data.codes("RAC1P")[1]) == values
    assert data.groups["client"].tolist() == ["WY"] * 18
    assert data.name == "WY"


def test_one_table_with_a_column_of_clients(tmp_path: Path) -> None:
    """In Parquet, with whole numbers for labels; without the column it is one client."""
    table = pd.concat([frame().assign(client="B_1"), frame(start=8).assign(client="A_0")], ignore_index=True)
    table["PINCP"] = table.PINCP.astype(np.int32)
    table["client"] = table.client.astype("category")
    table.to_parquet(tmp_path / "all.parquet")
    data = read_feda4fair(tmp_path / "all.parquet", keep_sensitive=True, one_hot=("SEX",))
    assert data.groups["client"].tolist() == ["B_1"] * 8 + ["A_0"] * 8
    assert data.columns[-3:] == ("SEX=1", "SEX=2", "RAC1P")
    assert data.y.tolist() == table.PINCP.tolist()
    table.drop(columns="client").to_parquet(tmp_path / "one.parquet")
    assert set(read_feda4fair(tmp_path / "one.parquet").groups["client"].tolist()) == {"one"}


BAD = [
    (lambda table: table.drop(columns=["SEX", "PINCP"]), r"must have the columns of .*, got none called SEX, PINCP$"),
    (lambda table: table.assign(PINCP=52_000), r"^PINCP in .*WY_0\.csv must be True or False, got 52000$"),
    (lambda table: table.assign(PINCP="yes"), r"^PINCP in .* must be True or False, got yes$"),
    (lambda table: table.assign(SEX=3), r"^SEX in .* must be between 1 and 2, got 3$"),
    (lambda table: table.assign(RAC1P=np.nan), r"^RAC1P in .* must be between 1 and 9, got nan$"),
    (lambda table: table.assign(AGEP=np.nan), r"^AGEP in .* must be known in every row, got nan$"),
    (lambda table: table.assign(COW="private"), r"^COW in .* must be numbers, got (str|object)$"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_file_is_refused(tmp_path: Path, change: object, message: str) -> None:
    """In one sentence that names the file and the cell."""
    change(frame()).to_csv(tmp_path / "WY_0.csv", index=False)  # type: ignore[operator]
    with pytest.raises(ValueError, match=message):
        read_feda4fair(tmp_path)


def test_a_bad_path_is_refused(tmp_path: Path) -> None:
    """No file, no client in a folder, a web page that was saved as a table."""
    for path in ("", tmp_path, tmp_path / "WY_0.csv"):
        with pytest.raises(
            ValueError, match=r"^path must be a folder of FeDa4Fair's clients \(STATE_0\.csv\) or a file"
        ):
            read_feda4fair(path)
    (tmp_path / "WY_0.csv").write_text("\n<!DOCTYPE html><html>404</html>")
    with pytest.raises(ValueError, match=r"WY_0\.csv must be a table, got an HTML page$"):
        read_feda4fair(tmp_path)


@pytest.mark.parametrize(
    ("name", "clients", "rows", "races"),
    [("cross_device_attribute", 111, 740_932, 2), ("cross_silo_value", 47, 1_130_719, 5)],
)
def test_the_releases_have_their_rows(name: str, clients: int, rows: int, races: int) -> None:
    """Clients and rows as counted; five values or two; a client's rows are those of pandas."""
    file = released(f"{name}_final.parquet")
    data = read_feda4fair(file)
    assert (data.notes["clients"], data.notes["rows_read"], data.notes["RAC1P"]) == (clients, rows, races)
    assert data.X.shape == (rows, 7)
    table = pd.read_parquet(file)
    assert np.array_equal(data.X, table[list(FEATURES)].to_numpy(float))
    assert np.array_equal(data.y, table.PINCP.to_numpy())
