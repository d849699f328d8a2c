"""Parties' files become one data set: aligned by id whatever their order, and everything that does not fit is said."""

from __future__ import annotations

import bz2
from pathlib import Path

import numpy as np
import pytest

from trustkit.data import FederatedDataset
from trustkit.datasets import partyfile
from trustkit.datasets.parties import read_parties
from trustkit.split import by_views

BANK = "id,income,y\n7,1.5,no\n8,2,yes\n9,3e2,no\n10,-4,yes\n"
SHOP = "spent,id,visits\n40,10,4\n20,8,2\n30,9,3\n10,7,1\n"
CLINIC = "id,y,age\n10,yes,60\n9,no,50\n8,yes,40\n7,no,30\n"


def written(folder: Path, **texts: str) -> list[Path]:
    """Write files called by their names, and return them in that order."""
    files = [folder / f"{name}.csv" for name in texts]
    for file, text in zip(files, texts.values(), strict=True):
        file.write_text(text, encoding="utf-8")
    return files


def test_rows_are_aligned_by_id(tmp_path: Path) -> None:
    """In the order of the party that has the label, which comes first; labels at two parties are compared."""
    data = read_parties(written(tmp_path, shop=SHOP, bank=BANK, clinic=CLINIC), test_size=0, shared_labels=True)
    assert data.columns == ("income", "spent", "visits", "age")
    assert data.X.tolist() == [[1.5, 10, 1, 30], [2, 20, 2, 40], [300, 30, 3, 50], [-4, 40, 4, 60]]
    assert (data.y.tolist(), data.classes) == ([0, 1, 0, 1], ("no", "yes"))
    assert data.notes["views"] == ("bank", "shop", "shop", "clinic")
    assert data.notes["parties"] == ("bank", "shop", "clinic")
    assert data.notes["labels_at"] == ("bank", "clinic")
    assert data.notes["ids"].tolist() == ["7", "8", "9", "10"]
    assert data.notes["labels"] == {"no": 0, "yes": 1}
    assert not data.held_out.any()
    assert data.name == "shop"
    assert (len(data.provenance.sha256), data.provenance.synthetic) == (64, False)
    assert not data.X.flags.writeable


def test_a_label_at_two_parties_is_refused_unless_it_is_meant(tmp_path: Path) -> None:
    """Whoever holds it knows it: no algorithm hides it from them."""
    with pytest.raises(ValueError, match="one party must have the label, got it at bank, clinic: take it out of"):
        read_parties(written(tmp_path, shop=SHOP, bank=BANK, clinic=CLINIC), test_size=0)


def test_the_parties_come_back_as_a_split(tmp_path: Path) -> None:
    """By their views: each party has its own columns, the first the label."""
    data = read_parties(written(tmp_path, shop=SHOP, bank=BANK, clinic=CLINIC), test_size=0, shared_labels=True)
    fed = FederatedDataset(data, by_views(data))
    assert fed.partition.achieved["names"] == ["bank", "shop", "clinic"]
    assert fed[1].X.tolist() == [[10, 1], [20, 2], [30, 3], [40, 4]]
    assert (fed[0].y is None, fed[1].y is None) == (False, True)


def satellite(folder: Path, parties: int = 16, rows: tuple[int, int] = (6, 2), columns: int = 3) -> None:
    """Write the layout {name}_party{k}_{train|test}.csv: header id,y,x0…; ids begin again in the test files at 100."""
    folder.mkdir()
    for k in range(parties):
        for part, first, count in (("train", 0, rows[0]), ("test", 100, rows[1])):
            lines = [f"id,y,{','.join(f'x{j}' for j in range(columns))}"]
            for i in range(count):
                lines.append(f"{first + i},{i % 4}.0,{','.join(str(k + 10 * i + j) for j in range(columns))}")
            (folder / f"sat_party{k}_{part}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_folder_in_the_layout_of_satellite(tmp_path: Path) -> None:
    """Sixteen parties in the order of their numbers, labels with each, test rows by file; equal names are prefixed."""
    satellite(tmp_path / "sat")
    data = read_parties(tmp_path / "sat")
    assert (data.name, data.X.shape) == ("sat", (8, 48))
    assert data.notes["parties"] == tuple(f"party{k}" for k in range(16))
    assert data.notes["labels_at"] == data.notes["parties"]
    assert data.columns[:4] == ("party0.x0", "party0.x1", "party0.x2", "party1.x0")
    assert data.columns[-1] == "party15.x2"
    assert data.held_out.tolist() == [False] * 6 + [True] * 2
    assert (data.y.tolist(), data.classes) == ([0, 1, 2, 3, 0, 1, 0, 1], ("0", "1", "2", "3"))
    assert data.X[1, 31] == 10 + 10 + 1, "row 1, party 10, x1"
    assert by_views(data).sizes.tolist() == [3] * 16


def test_packed_files_and_no_ids(tmp_path: Path) -> None:
    """Row i is then the same everywhere; a folder's files count in the order of the numbers in their names."""
    for k in (2, 10):
        text = f"x{k},target\n{k},1\n{k + 1},2\n" if k == 10 else f"x{k}\n{k}\n{k + 1}\n"
        (tmp_path / f"p{k}.csv.bz2").write_bytes(bz2.compress(text.encode()))
    data = read_parties(tmp_path, id=None, test_size=0)
    assert data.notes["parties"] == ("p10", "p2")
    assert data.X.tolist() == [[10, 2], [11, 3]]
    assert data.notes["ids"].tolist() == [0, 1]
    assert data.name == tmp_path.name


def test_test_rows(tmp_path: Path) -> None:
    """By a column "split" if one is there, else a share of every class, decided by the seed."""
    rows = range(40)
    bank = "id,y,a\n" + "".join(f"{i},{i % 2},{i}\n" for i in rows)
    shop = "id,split,b\n" + "".join(f"{i},{'test' if i < 3 else 'train'},{i}\n" for i in reversed(rows))
    said = read_parties(written(tmp_path, bank=bank, shop=shop))
    assert np.flatnonzero(said.held_out).tolist() == [0, 1, 2]
    drawn = [read_parties(written(tmp_path, bank=bank, shop="id,b\n" + "".join(f"{i},0\n" for i in rows)), seed=s)
             for s in (0, 0, 1)]  # fmt: skip
    assert [np.bincount(data.y[data.held_out]).tolist() for data in drawn] == [[4, 4]] * 3
    assert np.array_equal(drawn[0].held_out, drawn[1].held_out)
    assert not np.array_equal(drawn[0].held_out, drawn[2].held_out)


def test_a_regression_and_a_label_by_name(tmp_path: Path) -> None:
    """More than twenty different numbers are not classes."""
    bank = "id,pay\n" + "".join(f"{i},{i / 7}\n" for i in range(30))
    shop = "id,y\n" + "".join(f"{i},{i}\n" for i in range(30))
    data = read_parties(written(tmp_path, shop=shop, bank=bank), label="pay", name="pay")
    assert (data.task, data.name, data.columns) == ("regression", "pay", ("y",))
    assert data.y.tolist() == [i / 7 for i in range(30)]


def test_large_files_are_kept_as_float32(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a stated size on."""
    files = written(tmp_path, bank=BANK, shop=SHOP)
    assert read_parties(files).X.dtype == np.float64
    monkeypatch.setattr(partyfile, "LARGE", 1)
    assert read_parties(files).X.dtype == np.float32


def test_pieces_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows are read at a time; a complaint counts rows from the beginning. Quotes, blanks, a byte mark."""
    files = written(tmp_path, bank="\ufeff" + BANK.replace("yes", '"yes"').replace("3e2", " 3e2 "), shop=SHOP + "\n")
    whole = read_parties(files, test_size=0)
    monkeypatch.setattr(partyfile, "PIECE", 3)
    assert np.array_equal(read_parties(files, test_size=0).X, whole.X)
    assert whole.X[2].tolist() == [300, 30, 3]
    with pytest.raises(ValueError, match=r"column 'visits' must hold finite numbers, got 'x' in row 4$"):
        read_parties(written(tmp_path, bank=BANK, shop=SHOP.replace("7,1", "7,x")))
    (tmp_path / "shop.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"shop\.csv must be a table of comma-separated values, got: 'utf-8' codec"):
        read_parties(files)


REFUSED = {
    r"shop\.csv: ids must differ, got '8' more than once": ("shop", {"30,9,": "30,8,"}),
    r"shop\.csv must have the ids of .*bank\.csv, got 3 rows without '9'$": ("shop", {"30,9,3\n": ""}),
    r"bank\.csv must have the ids of .*shop\.csv, got 4 rows without '11'$": ("shop", {"10,7,1\n": "10,7,1\n5,11,1\n"}),
    r"clinic\.csv: the label must be that of .*bank\.csv, got no for row id 8 instead of yes": (
        "clinic",
        {"8,yes": "8,no"},
    ),
    r"shop\.csv: column 'spent' must hold finite numbers, got 'much' in row 2$": ("shop", {"20,8": "much,8"}),
    r"shop\.csv: column 'visits' must hold finite numbers, got nothing in row 3$": ("shop", {"9,3": "9,"}),
    r"shop\.csv: column 'visits' must hold finite numbers, got 'inf' in row 3$": ("shop", {"9,3": "9,inf"}),
    r"shop\.csv: column 'id' must have a value in every row, got none in row 3$": ("shop", {",9,": ",,"}),
    r"bank\.csv: column 'y' must have a value in every row, got none in row 1$": ("bank", {"1.5,no": "1.5,"}),
    r"shop\.csv must have the column 'id' of row ids, got spent, number, visits$": ("shop", {",id,": ",number,"}),
    r"shop\.csv: columns must have different names, got id more than once$": ("shop", {"visits": "id"}),
    r"shop\.csv: every column must have a name, got none for column 3$": ("shop", {"visits": ""}),
    r"shop\.csv: row 2 must have 3 cells, got 2$": ("shop", {"20,8,2": "20,8"}),
    r"shop\.csv must have a row, got none$": ("shop", {SHOP[16:]: ""}),
    r"shop\.csv must be a table of comma-separated values, got an empty file$": ("shop", {SHOP: ""}),
    r"shop\.csv: column 'split' must hold 'train' or 'test', got '1'$": ("shop", {"visits": "split"}),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_fit_is_said(message: str, tmp_path: Path) -> None:
    """One sentence that names the file and the value."""
    which, changes = REFUSED[message]
    texts = {"bank": BANK, "shop": SHOP, "clinic": CLINIC}
    for old, new in changes.items():
        assert old in texts[which]
        texts[which] = texts[which].replace(old, new, 1)
    with pytest.raises(ValueError, match=message) as caught:
        read_parties(written(tmp_path, **texts))
    assert "\n" not in str(caught.value)


def test_rows_without_ids_must_be_equally_many(tmp_path: Path) -> None:
    """There is nothing else by which they could be aligned."""
    files = written(tmp_path, a="x,y\n1,0\n2,1\n3,0\n", b="z\n1\n2\n")
    with pytest.raises(ValueError, match=r"b\.csv must have the 3 rows of .*a\.csv, got 2$"):
        read_parties(files, id=None)


def test_somebody_must_have_the_label(tmp_path: Path) -> None:
    """By the usual names, or by the one that was given."""
    files = written(tmp_path, a="id,x\n1,0\n2,1\n", b="id,z\n1,1\n2,3\n")
    with pytest.raises(
        ValueError, match=r"^one party must have the label, a column 'y' or 'label' or 'target', got none in a, b$"
    ):
        read_parties(files)
    with pytest.raises(ValueError, match=r"^one party must have the label, a column 'paid', got none in a, b$"):
        read_parties(files, label="paid")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """Said at once, whatever size the others have."""
    files = written(tmp_path, a="id,x\n")
    with pytest.raises(ValueError, match=r"^paths must be a CSV file of a party, got '.*b\.csv'$"):
        read_parties([*files, tmp_path / "b.csv"])
    with pytest.raises(
        ValueError, match=r"^paths must be a folder of parties or a list of their files, got 'nowhere'$"
    ):
        read_parties("nowhere")
    with pytest.raises(ValueError, match=r"^there must be the CSV files of 2 parties or more, got 1 at "):
        read_parties(tmp_path)
    (tmp_path / "deep").mkdir()
    written(tmp_path / "deep", a="id,x\n")
    with pytest.raises(
        ValueError, match=r"^the files of parties must have different names, got .*a\.csv beside .*a\.csv$"
    ):
        read_parties([*files, tmp_path / "deep" / "a.csv"])


def test_a_folder_in_the_layout_of_satellite_must_be_whole(tmp_path: Path) -> None:
    """Every party has the same parts, with the same columns, of one data set."""
    satellite(tmp_path / "sat", parties=3)
    (tmp_path / "sat" / "sat_party1_test.csv").rename(tmp_path / "kept")
    with pytest.raises(ValueError, match=r"sat must hold sat_party1_test\.csv, as of other parties$"):
        read_parties(tmp_path / "sat")
    (tmp_path / "sat" / "sat_party1_test.csv").write_text("id,y,x0\n100,0,1\n101,1,1\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"sat_party1_test\.csv must have the columns of .*sat_party1_train\.csv, got others$"
    ):
        read_parties(tmp_path / "sat")
    (tmp_path / "kept").rename(tmp_path / "sat" / "sat_party1_test.csv")
    (tmp_path / "sat" / "sun_party1_test.csv").write_text("id\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"sat must hold one data set, got the parties of sat, sun$"):
        read_parties(tmp_path / "sat")


def test_a_party_that_holds_the_label_as_a_feature_is_refused(tmp_path: Path) -> None:
    """The shop's column says which class a row has, under other numbers."""
    (tmp_path / "bank.csv").write_text("id,y,income\n" + "".join(f"{k},{k % 3},{k}\n" for k in range(30)))
    (tmp_path / "shop.csv").write_text("id,kind\n" + "".join(f"{k},{7 - k % 3}\n" for k in range(30)))
    with pytest.raises(ValueError, match=r"^features must not tell the target, got 'kind', which has the values of"):
        read_parties(tmp_path)
