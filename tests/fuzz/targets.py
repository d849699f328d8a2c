"""Every reader of trustkit, with what it may raise: what its docstring says, and nothing else."""

from __future__ import annotations

import base64
import builtins
import hashlib
import inspect
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import Experiment, jsonfile, replay, sharelink, store
from trustkit.commands import sweep
from trustkit.data import Dataset
from trustkit.datasets import (
    read_csv,
    read_feda4fair,
    read_folktables,
    read_joined,
    read_leaf,
    read_libsvm,
    read_movielens,
    read_nbaiot,
    read_nuswide,
    read_parties,
    read_table,
    read_uci,
    read_vehicle,
)  # fmt: skip
from trustkit.partition import Partition
from trustkit.trust import chain, federatedscope, layout, profilefile, stated, targets
from trustkit.trust.factsheet import FactSheet

__all__ = ["TARGETS", "Target", "documented"]


@dataclass(frozen=True)
class Target:
    """A reader of a folder, and the function whose docstring lists the errors; `sealed` sets checksums right first."""

    read: Callable[[Path], Any]
    function: Callable[..., Any]
    sealed: bool = False


def documented(function: Callable[..., Any]) -> tuple[type[BaseException], ...]:
    """Return the errors in a docstring's section Raises.

    Parameters
    ----------
    function : callable
        With a numpydoc docstring.

    Returns
    -------
    tuple of type
        At least one.
    """
    text = inspect.getdoc(function) or ""
    section = text.partition("Raises\n------\n")[2].partition("\n\n")[0]
    names = [name for line in section.splitlines() if re.match(r"[A-Z]", line) for name in line.split(", ")]
    assert names, f"{function} says nothing of what it raises"
    return tuple(getattr(builtins, name) for name in names)


def _sole(folder: Path) -> Path:
    return next(file for file in sorted(folder.iterdir()))


def _token(folder: Path, version: int = sharelink.VERSION) -> sharelink.Opened:
    """Pack mutated content as a link does."""
    raw = base64.urlsafe_b64encode(zlib.compress((folder / "token").read_bytes(), 9)).decode().rstrip("=")
    return sharelink.decode(f"{version}.{raw}")


def _again(folder: Path) -> Path:
    """Write right checksums into a manifest, so that what is behind them is reached."""
    place = folder / "p" / "manifest.json"
    try:
        manifest = json.loads(place.read_bytes())
        for party in manifest["parties"]:
            file = place.parent / Path(party["file"]).name
            party["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
        place.write_text(json.dumps(manifest))
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        pass
    return folder / "p"


def _toml(folder: Path) -> Experiment:
    try:
        text = (folder / "e.toml").read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("not UTF-8") from error
    return Experiment.from_toml(text)


def _plain(folder: Path) -> Experiment:
    content = jsonfile.read(folder / "e.json")
    if not isinstance(content, dict):
        raise ValueError("no mapping")
    return Experiment.from_dict(content)


def _uci(name: Any, file: str) -> Callable[[Path], Dataset]:
    return lambda folder: read_uci(name, folder / file)


def _text(folder: Path) -> str:
    return (folder / "token").read_bytes().decode("latin-1")


_TABLE = Target(lambda f: read_table(_sole(f), target="paid", sensitive=("sex",)), read_table)
_NPZ = Target(lambda f: read_table(f / "table.npz"), read_table)
_LIBSVM = Target(lambda f: read_libsvm(f / "own.svm"), read_libsvm)
_PARTIES = Target(lambda f: read_parties(_again(f)), read_parties, sealed=True)
_SHEET = Target(lambda f: FactSheet.load(_sole(f)), FactSheet.load)

TARGETS: dict[str, Target] = {
    "csv": Target(lambda f: read_csv(f / "people.csv", "paid", ("sex",)), read_csv),
    "csv, packed": Target(lambda f: read_csv(f / "people.csv", "paid", ("sex",), "town"), read_csv),
    "table": Target(lambda f: read_table(_sole(f), "paid", sensitive=("sex",), client="town"), read_table),
    "blanks": Target(lambda f: read_table(_sole(f)), read_table),
    "parquet": _TABLE,
    "arrow": _TABLE,
    "arrow stream": _TABLE,
    "npz": _NPZ,
    "npz columns": Target(lambda f: read_table(f / "table.npz", id="a"), read_table),
    "hugging face": Target(lambda f: read_table(f, target="paid"), read_table),
    "libsvm": _LIBSVM,
    "libsvm, two files": Target(lambda f: read_libsvm(f / "own.svm", f / "own.t"), read_libsvm),
    "libsvm, listed": _LIBSVM,
    "vehicle": Target(lambda f: read_vehicle(f / "combined"), read_vehicle),
    "covtype": Target(_uci("covtype", "covtype.data"), read_uci),
    "letter": Target(_uci("letter", "letter"), read_uci),
    "msd": Target(_uci("year_prediction_msd", "msd.txt"), read_uci),
    "radar": Target(_uci("radar", "radar.txt"), read_uci),
    "gisette": Target(_uci("gisette", "."), read_uci),
    "leaf": Target(lambda f: read_leaf(f), read_leaf),
    "leaf, one folder": Target(lambda f: read_leaf(f, writers=3), read_leaf),
    "nbaiot": Target(lambda f: read_nbaiot(f, rows=0), read_nbaiot),
    "folktables": Target(lambda f: read_folktables(f, "ACSEmployment"), read_folktables),
    "feda4fair": Target(lambda f: read_feda4fair(f), read_feda4fair),
    "parties": Target(lambda f: read_parties(f), read_parties),
    "parties, released": Target(lambda f: read_parties(f), read_parties),
    "parties, manifest": _PARTIES,
    "parties, npz": _PARTIES,
    "parties, parquet": _PARTIES,
    "joined": Target(lambda f: read_joined([f / "seen.csv", f / "films.csv"], "film", "liked"), read_joined),
    "movielens": Target(lambda f: read_movielens(f), read_movielens),
    "nuswide": Target(lambda f: read_nuswide(f, "sky"), read_nuswide),
    "experiment toml": Target(_toml, Experiment.from_toml),
    "experiment json": Target(_plain, Experiment.from_dict),
    "link": Target(lambda f: sharelink.decode(_text(f)), sharelink.decode),
    "link content": Target(_token, sharelink.decode),
    "link content, first version": Target(lambda f: _token(f, 1), sharelink.decode),
    "grid": Target(lambda f: sweep.read_grid(str(f / "sweep.toml")), sweep.read_grid),
    "profile": Target(lambda f: profilefile.load(f / "mine.toml"), profilefile.load),
    "stated": Target(lambda f: stated.read_stated(f / "own.toml"), stated.read_stated),
    "targets": Target(lambda f: targets.load(f / "least.toml"), targets.load),
    "factsheet": _SHEET,
    "prototype": _SHEET,
    "nebula": Target(lambda f: layout.read(f / "sheet.json"), layout.read),
    "federatedscope": Target(federatedscope.read_federatedscope, federatedscope.read_federatedscope),
    "run": Target(lambda f: store.load(f / "run.npz"), store.load),
    "partition": Target(lambda f: Partition.load(f / "split.json"), Partition.load),
    "events": Target(lambda f: chain.read(f / "events.jsonl"), chain.read),
    "report": Target(lambda f: replay._report(f / "report.json"), replay.replay),
}
"""By the name that `tests.fuzz.seeds.SEEDS` has for a valid folder."""


def sound(found: Any) -> str:
    """Say what is wrong with what a reader returned.

    Parameters
    ----------
    found : object
        A data set is looked at.

    Returns
    -------
    str
        Empty if nothing is.
    """
    if not isinstance(found, Dataset):
        return ""
    values = found.X.data if found.sparse else found.X
    if not np.isfinite(values).all():
        return "a feature that is not finite"
    if found.classes and not ((found.y >= 0) & (found.y < len(found.classes))).all():
        return "a class that is none"
    if not found.classes and not np.isfinite(found.y).all():
        return "a target that is not finite"
    return "" if (~found.held_out).any() else "no row for training"
