"""LEAF's folders of JSON files, above all FEMNIST: handwritten digits and letters with their writers."""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from trustkit import jsonfile
from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.ondisk import AnyPath, checksum, frozen
from trustkit.datasets.packed import room_for
from trustkit.datasets.places import within
from trustkit.datasets.rows import hold_out
from trustkit.rng import stream

__all__ = ["FEMNIST", "read_leaf"]

FEMNIST = tuple(string.digits + string.ascii_uppercase + string.ascii_lowercase)
"""The 62 classes of FEMNIST in its order."""

MOST_CLASSES = 100_000
"""Larger numbers are no classes: there would be as many names."""

_SIDE = 28
_HELD = 7.0  # times its size that a file takes while it is read: measured 5.7, more for short numbers
_Rows = tuple[np.ndarray, np.ndarray]


@DATASETS.enter("leaf", title="FEMNIST or another table in LEAF's JSON files")
def read_leaf(
    path: Annotated[AnyPath, "the folder with train and test, or with all_data"] = "",
    writers: Annotated[int, Interval(0, 100_000), "how many users, chosen at random; 0 for all"] = 0,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows, without a test folder"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Make a data set of LEAF's JSON files, with their users as natural clients.

    Parameters
    ----------
    path : str or path-like
        The folder: with ``train`` and ``test`` in it, or with ``all_data``, or with the ``.json`` files themselves; or
        a folder whose ``data`` is one of these.
    writers : int
        0 for all users, else how many of those with training rows. They are chosen by the seed and their names alone,
        so that a larger choice holds the smaller one.
    test_size : float
        The share of each user's rows that is held out, 0 ≤ test_size < 1, where there is no folder of test rows.
    seed : int
        Of both choices.

    Returns
    -------
    Dataset
        float32 rows as they came, natural clients: writer. Rows of 784 numbers are FEMNIST's: images of 28 × 28 pixels
        from 0 (ink) to 1 (paper) in 62 classes, 0 … 9, A … Z, a … z. Of other rows the classes are numbers.

    Raises
    ------
    ValueError
        If there is no such folder or no JSON file in it, a file is not of this layout, sizes differ, a cell is no
        finite number, a class no whole number from 0 on, or fewer users are there than asked for.

    Source
    ------
    LEAF (Caldas et al. 2018): layout; FederatedTrust (Sánchez Sánchez et al. 2024), section 5.1: its use of FEMNIST.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> user = {"x": [[0.0, 1.0], [1.0, 0.0]], "y": [0, 1]}
    >>> made = {"users": ["ann", "bob"], "num_samples": [2, 2], "user_data": {"ann": user, "bob": user}}
    >>> _ = jsonfile.write_text(folder / "all.json", jsonfile.dumps(made))
    >>> read_leaf(folder, test_size=0.5)
    Dataset('leaf', 4 rows × 2 columns, binary)
    """
    folder = Path(os.fspath(path))
    parts = _parts(folder) if os.fspath(path) else {}
    if not parts:
        raise ValueError(f"path must be a folder of LEAF's JSON files, got {str(path)!r}")
    if writers < 0:
        raise ValueError(f"writers must be at least 0, got {writers}")
    hold_out(np.zeros(0), test_size, "check")
    room_for(max((file for part in parts.values() for file in part), key=os.path.getsize), held=_HELD)
    found = _chosen(parts["train"], writers, seed)
    tests = dict(_users(parts["test"], lambda user: not writers or user in found)) if "test" in parts else {}
    rows = [(user, X, y, held) for held, part in ((False, found), (True, tests)) for user, (X, y) in part.items()]
    widths = {X.shape[1] for _, X, _, _ in rows}
    if len(widths) != 1:
        raise ValueError(f"rows in {folder} must be equally long, got {', '.join(map(str, sorted(widths)))} numbers")
    X, y = (np.concatenate([row[place] for row in rows]) for place in (1, 2))
    owner = np.repeat([row[0] for row in rows], [len(row[2]) for row in rows])
    held_out = np.repeat([row[3] for row in rows], [len(row[2]) for row in rows])
    femnist = widths == {_SIDE**2}
    if femnist and y.max() >= len(FEMNIST):
        raise ValueError(f"classes of images in {folder} must be below {len(FEMNIST)}, got {y.max()}")
    files = [file for part in parts.values() for file in part]
    return frozen(
        Dataset(
            name="femnist" if femnist else "leaf",
            X=X,
            y=y,
            columns=tuple(f"pixel {i},{j}" for i in range(_SIDE) for j in range(_SIDE)) if femnist
            else tuple(f"x{j}" for j in range(X.shape[1])),
            classes=FEMNIST if femnist else tuple(map(str, range(max(2, int(y.max()) + 1)))),
            provenance=Provenance(f"LEAF (Caldas et al. 2018): {folder}", "the user's own", checksum(*files)),
            groups={"writer": owner},
            held_out=held_out if tests
            else hold_out(np.unique(owner, return_inverse=True)[1], test_size, "leaf", seed),
            scaling="none" if femnist else "standard",
            image=(1, _SIDE, _SIDE) if femnist else None,
        )
    )  # fmt: skip


def _parts(folder: Path) -> dict[str, list[Path]]:
    """Return the files of training rows and, if they lie apart, of test rows."""
    for root in (folder, folder / "data"):
        places = ("train", "test", "all_data", "")
        found = {part: within(folder, sorted((root / part).glob("*.json"))) for part in places}
        if found["train"]:
            return {part: found[part] for part in ("train", "test") if found[part]}
        if files := found["all_data"] or found[""]:
            return {"train": files}
    return {}


def _chosen(files: list[Path], most: int, seed: int) -> dict[str, _Rows]:
    """Return the rows of all users, or of as many as wanted: those whose draws are smallest, whatever file has them."""
    found: dict[str, _Rows] = {}
    draws: dict[str, float] = {}

    def wanted(user: str) -> bool:
        draws[user] = float(stream(seed, "leaf", "user", user).random())
        return not most or len(found) < most or draws[user] < max(draws[name] for name in found)

    for user, rows in _users(files, wanted):
        if user in found:
            raise ValueError(f"a user must be in one file of {files[0].parent}, got {user!r} twice")
        found[user] = rows
        if most and len(found) > most:
            del found[max(found, key=draws.__getitem__)]
    if len(found) < most or not found:
        raise ValueError(f"writers must be at most the {len(found)} users in {files[0].parent}, got {most}")
    return dict(sorted(found.items()))


def _users(files: list[Path], wanted: Callable[[str], bool]) -> Iterator[tuple[str, _Rows]]:
    """Yield the checked rows of the users that are wanted."""
    for file in files:
        content = jsonfile.read(file)
        known = isinstance(content, dict) and {"users", "num_samples", "user_data"} <= content.keys()
        if not known or not isinstance(content["user_data"], dict):
            raise ValueError(f"{file} must have users, num_samples and user_data, as LEAF's files do")
        users, sizes = content["users"], content["num_samples"]
        if not isinstance(users, list) or not isinstance(sizes, list) or not all(isinstance(u, str) for u in users):
            raise ValueError(f"{file} must list users by name and num_samples, got something else")
        if len(users) != len(sizes):
            raise ValueError(f"{file} must have one size for each of its {len(users)} users, got {len(sizes)}")
        for user, size in zip(users, sizes, strict=True):
            if wanted(user):
                yield user, _rows(file, user, size, content["user_data"].get(user))


def _rows(file: Path, user: str, size: int, content: Any) -> _Rows:
    """Return a user's rows (n, m) and classes (n,)."""
    where = f"{file} of user {user!r:.60}"
    if not isinstance(content, dict) or not all(isinstance(content.get(part), list) for part in "xy"):
        raise ValueError(f"user_data in {where} must have x and y")
    if not len(content["x"]) == len(content["y"]) == size > 0:
        raise ValueError(f"{where} must have {size!r:.20} rows and classes as in num_samples, and at least 1, "
                         f"got {len(content['x'])} and {len(content['y'])}")  # fmt: skip
    try:
        with np.errstate(over="ignore"):  # what is infinite in float32 is refused below
            X, y = np.array(content["x"], np.float32), np.array(content["y"], float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"x and y in {where} must be numbers, in equally long rows") from None
    if X.ndim != 2 or y.ndim != 1:
        raise ValueError(
            f"x and y in {where} must be rows of numbers and one class a row, got {X.ndim} and {y.ndim} dimensions"
        )
    if not np.isfinite(X).all():
        raise ValueError(f"x in {where} must be finite, got {X[~np.isfinite(X)][0]}")
    if not (np.isfinite(y) & (y >= 0) & (y == np.rint(y)) & (y < MOST_CLASSES)).all():
        raise ValueError(f"y in {where} must be classes 0, 1, 2 … {MOST_CLASSES - 1:,}")
    return X, y.astype(np.int64)
