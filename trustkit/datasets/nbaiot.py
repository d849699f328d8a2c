"""N-BaIoT's files of IoT traffic, as published: nine devices, everyday traffic and ten attacks, 115 columns."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np

from trustkit import memory
from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.lines import floats, pieces
from trustkit.datasets.ondisk import AnyPath, checksum, frozen
from trustkit.datasets.places import within
from trustkit.datasets.rows import hold_out
from trustkit.datasets.synthetic import NBAIOT_COLUMNS, NBAIOT_DEVICES
from trustkit.rng import stream

__all__ = ["read_nbaiot"]

_BOTNETS = ("gafgyt", "mirai")
_FLAT = re.compile(r"([1-9])\.(benign|(?:gafgyt|mirai)\.\w+)\.csv")


class _Capture(NamedTuple):
    """A device and what it was doing: benign, or an attack as gafgyt.combo."""

    device: str
    traffic: str


@DATASETS.enter("nbaiot", title="N-BaIoT, from its folder")
def read_nbaiot(
    path: Annotated[AnyPath, "the folder"] = "",
    rows: Annotated[int, Interval(0, 10_000_000), "rows of all devices together; 0 for all there are"] = 36_000,
    benign: Annotated[float | None, Interval(0.01, 0.99), "share of benign rows of each device"] = None,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Make a data set of N-BaIoT's CSV files, which tell a device's everyday traffic from attacks.

    Parameters
    ----------
    path : str or path-like
        The folder: with one folder a device, that has ``benign_traffic.csv`` and the unpacked ``gafgyt_attacks`` and
        ``mirai_attacks``; or with files ``1.benign.csv``, ``1.gafgyt.combo.csv`` … ``9.mirai.udpplain.csv``.
    rows : int
        How many, drawn at random without replacement; 0 for all 7 million, which take 6.5 GB.
    benign : float, optional
        The share of benign rows of each device, from 0.01 to 0.99; devices then have equally many rows, and a device's
        attacks share the rest equally. 0.5 balances the classes of every client. By default each file gives as it has.
    test_size : float
        The share of each device's benign and attack rows that is held out, 0 ≤ test_size < 1.
    seed : int
        Of both choices.

    Returns
    -------
    Dataset
        115 columns; classes benign and attack; natural clients: device, and traffic (benign or the attack).

    Raises
    ------
    ValueError
        If there is no such folder, a device lacks benign traffic or (unpacked) attacks, a header is another, a line
        does not hold 115 finite numbers, or a file has fewer rows than are wanted of it.

    Source
    ------
    N-BaIoT (Meidan et al. 2018); FederatedTrust (Sánchez Sánchez et al. 2024), section 6.2: its use.

    Deviations
    ----------
    The paper says neither which rows it took nor how it balanced them; here rows are left out, none is repeated.
    """
    folder = Path(os.fspath(path))
    found = (_nested(folder) or _flat(folder)) if os.fspath(path) else {}
    if not found:
        raise ValueError(
            f"path must be the folder of N-BaIoT, with benign_traffic.csv of each device, got {str(path)!r}"
        )
    if rows < 0 or (not rows and benign is not None):
        raise ValueError(f"rows must be at least 0, and given where benign is, got {rows}")
    if benign is not None and not 0 < benign < 1:
        raise ValueError(f"benign must be between 0 and 1, got {benign}")
    hold_out(np.zeros(0), test_size, "check")
    for name in dict.fromkeys(each.device for each in found):
        kinds = [each.traffic for each in found if each.device == name]
        if "benign" not in kinds or len(kinds) < 2:
            raise ValueError(
                f"{name} in {folder} must have benign traffic and unpacked attacks, got {', '.join(kinds)}"
            )
    there = {capture: _length(file) for capture, file in found.items()}
    wanted = _quotas(there, rows, benign)
    for capture, count in wanted.items():
        if count > there[capture]:
            raise ValueError(f"rows must be so few that {found[capture]} has enough, got {rows}: "
                             f"it has {there[capture]} of the {count} wanted")  # fmt: skip
    memory.fits(f"{sum(wanted.values()):,} rows of N-BaIoT", 2 * 8 * len(NBAIOT_COLUMNS) * sum(wanted.values()))
    X = np.concatenate([_drawn(found[each], there[each], count, stream(seed, "nbaiot", "rows", *each))
                        for each, count in wanted.items()])  # fmt: skip
    device, traffic = (np.repeat([each[field] for each in wanted], list(wanted.values())) for field in (0, 1))
    y = (traffic != "benign").astype(np.int64)
    return frozen(
        Dataset(
            name="nbaiot",
            X=X,
            y=y,
            columns=NBAIOT_COLUMNS,
            classes=("benign", "attack"),
            provenance=Provenance(f"N-BaIoT (Meidan et al. 2018): {folder}", "CC BY 4.0", checksum(*found.values())),
            groups={"device": device, "traffic": traffic},
            held_out=hold_out(2 * np.unique(device, return_inverse=True)[1] + y, test_size, "nbaiot", seed),
            notes={"rows_there": {f"{each.device}/{each.traffic}": count for each, count in there.items()}},
        )
    )


def _nested(folder: Path) -> dict[_Capture, Path]:
    """Find the files of the published layout, one folder a device."""
    found: dict[_Capture, Path] = {}
    for file in within(folder, sorted(folder.glob("*/benign_traffic.csv"))):
        device = file.parent.name
        found[_Capture(device, "benign")] = file
        for botnet in _BOTNETS:
            for attack in within(folder, sorted((file.parent / f"{botnet}_attacks").glob("*.csv"))):
                found[_Capture(device, f"{botnet}.{attack.stem}")] = attack
    return found


def _flat(folder: Path) -> dict[_Capture, Path]:
    """Find the files of the flat layout, devices numbered in N-BaIoT's order."""
    files = within(folder, sorted(folder.glob("*.csv")))
    named = [(match, file) for file in files if (match := _FLAT.fullmatch(file.name))]
    return {_Capture(list(NBAIOT_DEVICES)[int(match[1]) - 1], match[2]): file for match, file in named}


def _length(file: Path) -> int:
    """Check a file's header, and count the rows below."""
    count, first = -1, b""
    for _, lines in pieces(file):
        there = [line for line in lines if line.strip()]
        first = first or next(iter(there), b"")
        count += len(there)
    names = tuple(first.decode(errors="replace").replace('"', "").strip().split(","))
    if names != NBAIOT_COLUMNS:
        raise ValueError(f"{file} must begin with N-BaIoT's header of 115 names, got {','.join(names)[:40]!r}")
    return count


def _quotas(there: Mapping[_Capture, int], rows: int, benign: float | None) -> dict[_Capture, int]:
    """Say how many rows each file gives."""
    if benign is None:
        total = sum(there.values())
        return {capture: count if not rows else round(rows * count / total) for capture, count in there.items()}
    devices = list(dict.fromkeys(each.device for each in there))
    wanted: dict[_Capture, int] = {}
    for d, device in enumerate(devices):
        here = rows // len(devices) + (d < rows % len(devices))
        attacks = [each for each in there if each.device == device and each.traffic != "benign"]
        quiet = round(benign * here)
        each, odd = divmod(here - quiet, len(attacks))
        wanted |= {_Capture(device, "benign"): quiet} | {attack: each + (a < odd) for a, attack in enumerate(attacks)}
    return {capture: wanted[capture] for capture in there}


def _drawn(file: Path, there: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Read so many rows, drawn at random, in the file's order (count, 115)."""
    chosen = np.sort(rng.permutation(there)[:count])
    blocks, seen = [np.zeros((0, len(NBAIOT_COLUMNS)))], -1
    for number, lines in pieces(file):
        held = [(n, line) for n, line in enumerate(lines, number) if line.strip()]
        low, high = np.searchsorted(chosen, (seen, seen + len(held)))
        picked = [held[k - seen] for k in chosen[low:high]]
        seen += len(held)
        numbers = floats(b"\n".join(line for _, line in picked).replace(b",", b" "), len(picked) * len(NBAIOT_COLUMNS))
        if numbers is None or any(line.count(b",") != len(NBAIOT_COLUMNS) - 1 for _, line in picked):
            raise ValueError(_complaint(file, picked))
        blocks.append(numbers.reshape(len(picked), len(NBAIOT_COLUMNS)))
    return np.concatenate(blocks)


def _complaint(file: Path, picked: list[tuple[int, bytes]]) -> str:
    """Say which is the first line that does not fit."""
    width = len(NBAIOT_COLUMNS)
    number = next(n for n, line in picked
                  if line.count(b",") != width - 1 or floats(line.replace(b",", b" "), width) is None)  # fmt: skip
    return f"line {number} of {file} must hold {width} finite numbers"
