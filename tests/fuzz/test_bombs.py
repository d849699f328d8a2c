"""Small files that would fill the memory, paths that lead out of a folder, pipes without an end: refused, in words."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import trustkit as tk
from tests.fuzz.seeds import SEEDS
from trustkit import store
from trustkit.datasets import (
    read_csv,
    read_feda4fair,
    read_folktables,
    read_leaf,
    read_libsvm,
    read_movielens,
    read_nbaiot,
    read_nuswide,
    read_parties,
    read_table,
    read_uci,
)  # fmt: skip
from trustkit.datasets.packed import FREE, RATIO, arrays_in, most_of, opened, start_of
from trustkit.trust.federatedscope import read_federatedscope

ROOT = Path(__file__).parents[2]
TOO_LARGE = rf"must unpack to at most {FREE:,} bytes \({RATIO} times its size, or {FREE:,}\), got more"
PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def lay(folder: Path, target: str) -> Path:
    """Write a valid folder."""
    for path, content in SEEDS[target]().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def bomb(kind: str) -> bytes:
    """Return 84 MB of a table, packed by part, in less than 700 kB."""
    part = PACKERS[kind](b"1,2,3,4,5,6,7,8,9,10\n" * 200_000)
    assert 20 * len(part) < FREE // 100
    return part * 20


def test_what_the_docs_say_is_the_limit() -> None:
    """64 MiB are free; beyond that a hundred times the file's size, which no table of text needs."""
    assert FREE == 64 * 2**20
    assert RATIO == 100
    assert [most_of(size) for size in (0, FREE // 100, 10**9)] == [FREE, FREE, 10**11]


@pytest.mark.parametrize(
    ("reader", "kind"),
    [("csv", "gzip"), ("table", "xz"), ("libsvm", "bzip2"), ("feda4fair", "gzip"),
     ("federatedscope", "gzip")],
)  # fmt: skip
def test_packed_bombs_are_refused(reader: str, kind: str, tmp_path: Path) -> None:
    """By readers of packed files, none of which takes a gigabyte for it."""
    file = tmp_path / {"feda4fair": "AL_0.csv"}.get(reader, "bomb")
    file.write_bytes(bomb(kind))
    if reader == "federatedscope":
        (tmp_path / "config.yaml").write_text("federate: {client_num: 2}\n")
        file.rename(tmp_path / "eval_results.raw.gz")
    read: dict[str, str] = {
        "csv": "read_csv(file, '1')", "table": "read_table(file)", "libsvm": "read_libsvm(file)",
        "feda4fair": "read_feda4fair(file)",
        "federatedscope": "read_federatedscope(file.parent)",
    }  # fmt: skip
    code = (
        "import sys; from pathlib import Path; from trustkit.datasets import *\n"
        "from trustkit.trust.federatedscope import read_federatedscope\n"
        "import pandas, resource; file = Path(sys.argv[1])\n"
        "try: read_csv(__file__, 'x')\n"
        "except Exception: pass\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"try: {read[reader]}; said = 'it was read'\n"
        "except (ValueError, KeyError) as error: said = str(error)\n"
        "print(said, '|', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, str(script), str(file)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said, _, kilobytes = done.stdout.rpartition("|")
    assert int(kilobytes) < 1 << 20
    assert "must unpack to at most" in said or "must have the columns of FeDa4Fair's clients" in said, said


@pytest.mark.parametrize("kind", sorted(PACKERS))
def test_the_message_of_a_bomb_has_the_limit(kind: str, tmp_path: Path) -> None:
    """And the file; its start can be looked at all the same."""
    file = tmp_path / "bomb.svm"
    file.write_bytes(bomb(kind))
    with opened(file) as stream:
        assert len(stream.read(1 << 20)) == 1 << 20
        with pytest.raises(ValueError, match=rf"bomb\.svm {TOO_LARGE}"):
            stream.read()
    assert start_of(file, 10) == "1,2,3,4,5,"


def test_what_is_packed_well_is_read(tmp_path: Path) -> None:
    """Ten times smaller is no bomb, however large the table."""
    lines = b"".join(b"%d,%d,%d\n" % (i, i * 7919 % 10007, i % 2) for i in range(50_000))
    file = tmp_path / "table.csv.gz"
    file.write_bytes(gzip.compress(b"a,b,y\n" + lines))
    assert read_csv(file, "y").X.shape == (50_000, 2)


def archive(file: Path, members: dict[str, bytes]) -> Path:
    """Write a ZIP archive."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return file


def array_of(array: np.ndarray) -> bytes:
    """Return an array as NumPy writes it."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def test_archives_of_too_much_are_refused(tmp_path: Path) -> None:
    """Zeros that pack a thousandfold, and a header that promises what does not follow."""
    zeros = archive(
        tmp_path / "zeros.npz", {"X.npy": array_of(np.zeros((9_000_000, 1))), "y.npy": array_of(np.zeros(1))}
    )
    assert zeros.stat().st_size < 200_000
    for read in (lambda: read_table(zeros), lambda: arrays_in(zeros)):
        with pytest.raises(ValueError, match=rf"zeros\.npz {TOO_LARGE}"):
            read()
    with pytest.raises(ValueError, match="must be a trustkit run"):
        store.load(zeros)
    head = array_of(np.zeros(4)).replace(b"(4,)", b"(400000000,)", 1)
    head = head.replace(b" " * 8 + b"\n", b"\n", 1)
    promise = archive(tmp_path / "promise.npz", {"X.npy": head, "y.npy": head})
    with pytest.raises(ValueError, match=r"promise\.npz must be an NPZ file of plain arrays, got: "):
        read_table(promise)
    objects = io.BytesIO()
    np.save(objects, np.array([{}]), allow_pickle=True)
    with pytest.raises(ValueError, match="an array of objects"):
        read_table(archive(tmp_path / "objects.npz", {"X.npy": objects.getvalue()}))


def test_a_zip_archive_leads_nowhere(tmp_path: Path) -> None:
    """Names in it are never places on the disk; a table is the one file in it, in bounds."""
    table = b"age,paid\n20,no\n30,yes\n"
    inside = tmp_path / "in"
    inside.mkdir()
    for number, name in enumerate(("../../evil.csv", "/etc/evil.csv", "people.csv")):
        data = read_csv(archive(inside / f"{number}.csv", {name: table}), "paid", test_size=0)
        assert data.X.tolist() == [[20.0], [30.0]]
    assert sorted(file.name for file in inside.iterdir()) == ["0.csv", "1.csv", "2.csv"]
    with pytest.raises(ValueError, match=r"must be an archive of one file, got 2"):
        read_csv(archive(inside / "two.csv", {"a": table, "b": table}), "paid")
    with pytest.raises(ValueError, match=TOO_LARGE):
        read_csv(archive(inside / "large.csv", {"a": b"a,b\n" + b"1,1\n" * 20_000_000}), "b")


def test_parquet_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    """A column of one value costs nothing on the disk and 8 bytes a row in memory."""
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "same.parquet"
    parquet.write_table(pa.table({"x": pa.array(np.zeros(9_000_000)), "y": pa.array(np.zeros(9_000_000))}), file)
    assert file.stat().st_size < 100_000
    with pytest.raises(ValueError, match=r"9,000,000 rows × 2 columns = 144,000,000 bytes, and it may take 67,108,864"):
        read_table(file)


def test_parquet_of_one_long_text_is_held_once(tmp_path: Path) -> None:
    """200,000 times the same kilobyte is one kilobyte on the disk, and in memory too."""
    import pyarrow as pa
    from pyarrow import parquet

    file, rows = tmp_path / "text.parquet", 200_000
    said = pa.DictionaryArray.from_arrays(pa.array(np.arange(rows) % 2), pa.array(["a" * 1000, "b" * 1000]))
    parquet.write_table(pa.table({"x": pa.array(np.arange(rows) % 7), "said": said.cast(pa.string())}), file)
    assert file.stat().st_size < 200_000
    code = (
        "import sys; from pathlib import Path; import pyarrow; from trustkit.datasets.arrowfile import parquet_frame\n"
        "said = parquet_frame(Path(sys.argv[1]))['said']\n"
        "print(pyarrow.default_memory_pool().max_memory(), said.dtype, len(set(map(id, said))), said.str.len().max())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)  # fmt: skip
    most, kind, texts, longest = done.stdout.split()
    assert 0 < int(most) < 50_000_000, "200 MB of text, were each held"
    assert (kind, texts, longest) == ("object", "2", "1000")


def test_parquet_of_one_long_list_is_refused(tmp_path: Path) -> None:
    """One row, whose list of nine million equal numbers costs nothing on the disk."""
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "list.parquet"
    long = pa.ListArray.from_arrays(pa.array([0, 9_000_000]), pa.array(np.zeros(9_000_000)))
    parquet.write_table(pa.table({"x": long, "y": pa.array([1.0])}), file)
    assert file.stat().st_size < 200_000
    with pytest.raises(ValueError, match=r"list\.parquet must be a Parquet file, got: .* and it may take 67,108,864"):
        read_table(file)


def test_one_wrong_index_asks_for_no_billion_columns(tmp_path: Path) -> None:
    """LIBSVM's indices are the number of columns; above 4,194,304 it has to be said."""
    file = tmp_path / "wide.svm"
    file.write_text("1 5:1\n-1 2000000000:1\n")
    with pytest.raises(ValueError, match=r"at most 4,194,304 columns unless columns says .*, got index 2,000,000,000"):
        read_libsvm(file)
    file.write_text("1 5:1\n-1 5000000:1\n")
    assert read_libsvm(file, columns=5_000_000, test_size=0).X.shape == (2, 5_000_000)


def test_yaml_that_names_itself_a_million_times_is_refused(tmp_path: Path) -> None:
    """Ten lines of ten references each would be 10 ** 10 values."""
    lines = ["a0: &a0 {x: 1}"] + [
        f"a{n}: &a{n} {{{', '.join(f'k{i}: *a{n - 1}' for i in range(10))}}}" for n in range(1, 10)
    ]
    (tmp_path / "config.yaml").write_text("\n".join(lines))
    with pytest.raises(ValueError, match=r"a configuration must hold at most 10,000 values, 20 deep"):
        read_federatedscope(tmp_path)


FOLDERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "parties": (read_parties, "shop.csv"),
    "leaf": (read_leaf, "train/a.json"),
    "nbaiot": (lambda folder: read_nbaiot(folder, rows=0), "Ennio_Doorbell/gafgyt_attacks/combo.csv"),
    "folktables": (read_folktables, "2018/1-Year/psam_p50.csv"),
    "feda4fair": (read_feda4fair, "AL_1.csv"),
    "movielens": (read_movielens, "u.item"),
    "nuswide": (lambda folder: read_nuswide(folder, "sky"), "Low_Level_Features/Test_Normalized_CH.dat"),
    "gisette": (lambda folder: read_uci("gisette", folder), "gisette_train.data"),
    "hugging face": (lambda folder: read_table(folder, "paid"), "data-00000-of-00001.arrow"),
}


@pytest.mark.parametrize("target", sorted(FOLDERS))
def test_links_out_of_a_folder_are_refused(target: str, tmp_path: Path) -> None:
    """A folder from elsewhere may hold a link to anything; a folder that is a link itself is the user's own doing."""
    read, inner = FOLDERS[target]
    folder = lay(tmp_path / "given", target)
    secret = (folder / inner).rename(tmp_path / "secret")
    (folder / inner).symlink_to(secret)
    with pytest.raises(ValueError, match=rf"must lie in .*, got a link to {secret}"):
        read(folder)
    (folder / inner).unlink()
    secret.rename(folder / inner)
    (tmp_path / "alias").symlink_to(folder)
    read(tmp_path / "alias")


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd", "a/../../secret.csv", "secret\0.csv", "", "a" * 5000, "link"]
)
def test_a_manifest_names_files_of_its_folder_only(name: str, tmp_path: Path) -> None:
    """Whatever it says, also by a link."""
    folder = lay(tmp_path, "parties, manifest") / "p"
    (tmp_path / "secret.csv").write_bytes((folder / "party_0.csv").read_bytes())
    (folder / "link").symlink_to(tmp_path / "secret.csv")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["parties"][0]["file"] = name
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=r"must hold the file that its manifest names|must lie in .*, got a link"):
        read_parties(folder)


def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    """Reading one may never end."""
    os.mkfifo(tmp_path / "pipe.csv")
    for place in (tmp_path / "pipe.csv", Path("/dev/zero"), tmp_path / ("a" * 5000)):
        for read in (lambda p: read_csv(p, "y"), read_table, read_libsvm):
            with pytest.raises(ValueError, match=r"must be an? |there is no file"):
                read(place)
    folder = lay(tmp_path / "leaf", "leaf")
    os.mkfifo(folder / "train" / "b.json")
    (folder / "train" / "c.json").mkdir()
    assert len(tk.datasets.read_leaf(folder).y) == 24
