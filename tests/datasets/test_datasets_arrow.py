"""Arrow's files, streams and folders through `read_table`: the same rows as from the data frame itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustkit.datasets import from_frame, read_table

pa = pytest.importorskip("pyarrow")


def frame(rows: int = 30) -> pd.DataFrame:
    """Numbers, text, a gap, two classes."""
    at = np.arange(rows)
    return pd.DataFrame({
        "age": np.where(at == 4, np.nan, 20.0 + at), "town": np.array(["Ulm", "Bonn", "Köln"])[at % 3],
        "sex": pd.Categorical(np.array(["f", "m"])[at // 3 % 2]), "paid": (at % 4 == 0).astype(np.int64),
    })  # fmt: skip


def write(table: Any, file: Path, stream: bool = False) -> Path:
    """Write an IPC file or stream."""
    with (
        pa.OSFile(str(file), "wb") as sink,
        (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    return file


def described(table: Any, names: list[str]) -> Any:
    """Add Hugging Face's description, in which ``paid`` is a class label."""
    features = {"age": {"dtype": "float64", "_type": "Value"}, "paid": {"names": names, "_type": "ClassLabel"}}
    return table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})


@pytest.mark.parametrize("kind", ["file", "stream", "feather"])
def test_arrow_is_the_frame(tmp_path: Path, kind: str) -> None:
    """Whatever the file is called."""
    file = tmp_path / "people.dat"
    if kind == "feather":
        frame().to_feather(file)
    else:
        write(pa.Table.from_pandas(frame()), file, kind == "stream")
    data = read_table(file, target="paid", sensitive=("sex",))
    expected = from_frame(frame(), "paid", ("sex",), name="people")
    assert data.columns == expected.columns
    assert np.array_equal(data.X, expected.X)
    assert np.array_equal(data.y, expected.y)
    assert np.array_equal(data.held_out, expected.held_out)
    assert data.sensitive["sex"].tolist() == expected.sensitive["sex"].tolist()


@pytest.mark.parametrize("kind", ["arrow", "parquet", "feather"])
def test_a_folder_of_parts(tmp_path: Path, kind: str) -> None:
    """In the order of their names; the data set is called as the folder."""
    folder = tmp_path / "people"
    folder.mkdir()
    for k, rows in enumerate((slice(0, 12), slice(12, 30))):
        part, file = frame()[rows].reset_index(drop=True), folder / f"data-0000{k}-of-00002.{kind}"
        if kind == "arrow":
            write(pa.Table.from_pandas(part), file, stream=True)
        else:
            getattr(part, f"to_{kind}")(file)
    data = read_table(folder, target="paid", test_size=0)
    assert data.name == "people"
    assert np.array_equal(data.X, from_frame(frame(), "paid", test_size=0).X)
    other = folder / f"data-00002-of-00002.{kind}"
    getattr(frame().drop(columns="town"), "to_parquet" if kind == "parquet" else "to_feather")(other)
    with pytest.raises(
        ValueError, match=r"00002\.\w+ must have the columns of data-00000-of-00002\.\w+, got age, sex, p"
    ):
        read_table(folder, target="paid")


def test_a_saved_data_set_of_hugging_face(tmp_path: Path) -> None:
    """The files that state.json lists, not the caches beside them; class labels by name, −1 for a label not known."""
    table = pa.Table.from_pandas(frame().assign(paid=[-1, *frame().paid[1:]]), preserve_index=False)
    write(described(table, ["late", "in time"]), tmp_path / "data-00000-of-00001.arrow", stream=True)
    write(table, tmp_path / "cache-8d2f.arrow", stream=True)
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_fingerprint": "0", "_split": None}
    (tmp_path / "state.json").write_text(json.dumps(state))
    (tmp_path / "dataset_info.json").write_text("{}")
    data = read_table(tmp_path, target="paid", test_size=0, name="saved", positive="in time")
    assert data.classes == ("in time", "late")
    assert data.positive == 0
    assert (data.y == 0).sum() == (frame().paid[1:] == 1).sum()
    assert data.notes["dropped_rows"] == 1
    (tmp_path / "state.json").write_text('{"_data_files": [{"filename": "gone.arrow"}]}')
    with pytest.raises(ValueError, match=r"^a part must be an Arrow file, got .*gone\.arrow'$"):
        read_table(tmp_path, target="paid")
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(ValueError, match=r"state\.json must list a data set's files, got none$"):
        read_table(tmp_path, target="paid")


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence each."""
    with pytest.raises(
        ValueError, match=r"^path must be a folder with \.arrow, \.parquet or \.feather files in it, got"
    ):
        read_table(tmp_path, target="paid")
    for part in ("train", "test"):
        (tmp_path / "both" / part).mkdir(parents=True)
    (tmp_path / "both" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    with pytest.raises(ValueError, match=r"^path must be one data set of .*both, got the folder of all: test, train$"):
        read_table(tmp_path / "both", target="paid")
    whole = write(pa.Table.from_pandas(frame()), tmp_path / "whole.arrow").read_bytes()
    (tmp_path / "cut.arrow").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"cut\.arrow must be an Arrow file or stream, got: "):
        read_table(tmp_path / "cut.arrow", target="paid")
    write(pa.table({"inner": [[1], [2]], "paid": [0, 1]}), tmp_path / "lists.arrow")
    with pytest.raises(TypeError, match=r"^column 'inner' must hold text, numbers or booleans, got "):
        read_table(tmp_path / "lists.arrow", target="paid", test_size=0)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"^reading Arrow needs pyarrow, got none: pip install 'trustkit\[parquet\]'$"):
        read_table(tmp_path / "whole.arrow", target="paid")
