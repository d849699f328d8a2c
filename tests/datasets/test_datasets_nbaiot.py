"""N-BaIoT's folder in its published and its flat layout, from a few rows that say which file and line they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from trustkit.datasets import load, read_nbaiot
from trustkit.datasets.synthetic import NBAIOT_ATTACKS, NBAIOT_COLUMNS, NBAIOT_DEVICES

HEAD = ",".join(NBAIOT_COLUMNS)
DEVICES = ("Danmini_Doorbell", "Ennio_Doorbell")
ROWS = 20


def _lines(start: int, rows: int = ROWS) -> str:
    return HEAD + "\n" + "".join(",".join([str(start + i)] * 115) + "\n" for i in range(rows))


def _attacks(device: str) -> list[str]:
    return [name for name in NBAIOT_ATTACKS if NBAIOT_DEVICES[device].mirai or name.startswith("gafgyt")]


def _folder(root: Path, flat: bool = False) -> Path:
    """Write device d's traffic t with first cells 100,000 d + 1,000 t + row; t = 0 is benign."""
    for d, device in enumerate(DEVICES):
        for t, traffic in enumerate(["benign", *_attacks(device)]):
            botnet, _, attack = traffic.partition(".")
            nested = f"{device}/{botnet}_attacks/{attack}.csv" if attack else f"{device}/benign_traffic.csv"
            file = root / (f"{list(NBAIOT_DEVICES).index(device) + 1}.{traffic}.csv" if flat else nested)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_lines(100_000 * d + 1000 * t))
    return root


@pytest.mark.parametrize("flat", [False, True])
def test_every_row(tmp_path: Path, flat: bool) -> None:
    """2 × 20 benign rows, 10 and 5 attacks of 20; a cell tells its device and traffic."""
    data = read_nbaiot(_folder(tmp_path, flat), rows=0)
    assert data.X.shape == (20 * (11 + 6), 115)
    assert data.columns == NBAIOT_COLUMNS
    assert (data.name, data.classes) == ("nbaiot", ("benign", "attack"))
    for value, y, device, traffic in zip(data.X[:, 0], data.y, *data.groups.values(), strict=True):
        d, t = int(value // 100_000), int(value % 100_000 // 1000)
        assert device == DEVICES[d]
        assert y == (t > 0)
        # files are read in the order of their names, which is that of the attacks
        assert traffic == ["benign", *_attacks(DEVICES[d])][t]
    assert len(np.unique(data.X[:, 0])) == len(data.X)
    assert data.held_out.sum() == 2 * 4 + 40 + 20  # a fifth of each device's benign rows and attacks
    assert not data.provenance.synthetic
    assert not data.X.flags.writeable


def test_balanced_in_each_device(tmp_path: Path) -> None:
    """60 rows, half of them benign: 15 benign and 15 attacks in each device, the attacks as equal as can be."""
    data = load("nbaiot", path=str(_folder(tmp_path)), rows=60, benign=0.5)
    for device in DEVICES:
        own = data.groups["device"] == device
        counts = Counter(data.groups["traffic"][own].tolist())
        assert counts.pop("benign") == 15
        assert sum(counts.values()) == 15
        assert max(counts.values()) - min(counts.values()) <= 1
    assert len(np.unique(data.X[:, 0])) == 60
    again = read_nbaiot(tmp_path, rows=60, benign=0.5)
    other = read_nbaiot(tmp_path, rows=60, benign=0.5, seed=1)
    assert again.X.tolist() == data.X.tolist()
    assert other.X.tolist() != data.X.tolist()


def test_in_proportion(tmp_path: Path) -> None:
    """Without a share, 34 rows of 340 are a tenth of every file: 2 of 20."""
    data = read_nbaiot(_folder(tmp_path), rows=34)
    assert set(Counter(zip(*data.groups.values(), strict=True)).values()) == {2}
    assert data.notes["rows_there"]["Danmini_Doorbell/gafgyt.tcp"] == 20


def test_rows_from_several_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a kilobyte at a time finds the same rows; empty lines are no rows."""
    folder = _folder(tmp_path)
    whole = read_nbaiot(folder, rows=68)
    file = folder / DEVICES[0] / "benign_traffic.csv"
    file.write_text(file.read_text().replace("\n", "\r\n\n"))
    monkeypatch.setattr("trustkit.datasets.lines.PIECE", 1000)
    assert read_nbaiot(folder, rows=68).X.tolist() == whole.X.tolist()


def test_no_folder(tmp_path: Path) -> None:
    """Nothing, or a folder without such files."""
    for path in ("", str(tmp_path)):
        with pytest.raises(ValueError, match=r"^path must be the folder of N-BaIoT, with benign_traffic.csv of each"):
            read_nbaiot(path)


def test_packed_attacks(tmp_path: Path) -> None:
    """As they are published: to be unpacked first."""
    (tmp_path / "Danmini_Doorbell").mkdir()
    (tmp_path / "Danmini_Doorbell" / "benign_traffic.csv").write_text(_lines(0))
    (tmp_path / "Danmini_Doorbell" / "gafgyt_attacks.rar").write_bytes(b"Rar!")
    with pytest.raises(ValueError, match=r"^Danmini_Doorbell in .* must have benign traffic and unpacked attacks, "
                                         r"got benign$"):  # fmt: skip
        read_nbaiot(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD.replace("MI_dir_L5_weight", "weight") + "\n1",
            "must begin with N-BaIoT's header of 115 names, got 'weigh",
        ),
        ("", "must begin with N-BaIoT's header of 115 names, got ''"),
        (_lines(0, 1) + ",".join(["x"] * 115), r"line 3 of .*benign_traffic.csv must hold 115 finite numbers"),
        (_lines(0, 2) + "1,2", r"line 4 of .*benign_traffic.csv must hold 115 finite numbers"),
        (_lines(0, 1) + ",".join(["nan"] * 115), r"line 3 of .*benign_traffic.csv must hold 115 finite numbers"),
    ],
)
def test_a_broken_file(tmp_path: Path, text: str, message: str) -> None:
    """The header, or the number of the line."""
    file = _folder(tmp_path) / DEVICES[0] / "benign_traffic.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_nbaiot(tmp_path, rows=0)


def test_other_refusals(tmp_path: Path) -> None:
    """More rows than a file has, a share of all rows, numbers out of range."""
    folder = _folder(tmp_path)
    with pytest.raises(ValueError, match=r"^rows must be so few that .*benign_traffic.csv has enough, got 100: "
                                         r"it has 20 of the 25 wanted$"):  # fmt: skip
        read_nbaiot(folder, rows=100, benign=0.5)
    with pytest.raises(ValueError, match=r"^rows must be at least 0, and given where benign is, got 0$"):
        read_nbaiot(folder, rows=0, benign=0.5)
    with pytest.raises(ValueError, match=r"^benign must be between 0 and 1, got 1"):
        read_nbaiot(folder, rows=10, benign=1.0)
    with pytest.raises(ValueError, match=r"^test_size must be at least 0 and below 1, got 1"):
        read_nbaiot(folder, test_size=1)
