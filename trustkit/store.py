"""Runs on disk: one ``.npz`` file holds the experiment, its table and the newest state; a run can go on from it."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile
from trustkit.experiment import Experiment
from trustkit.records import Round, RunRecord, Seen

__all__ = ["load", "save"]

_FORMAT = "trustkit-run-1"
_TABLES = tuple(part.name for part in fields(Seen) if part.name not in ("groups", "epsilon"))
_Arrays = dict[str, np.ndarray]
_DAMAGE = (
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    ValueError,
    OSError,
    EOFError,
    zipfile.BadZipFile,
    RuntimeError,  # "encrypted", "compression method not supported"
    zlib.error,
)


def save(record: RunRecord, path: str | os.PathLike[str]) -> Path:
    """Write a run.

    Parameters
    ----------
    record : RunRecord
        With at least one round.
    path : path-like
        The file; ``.npz`` is usual.

    Returns
    -------
    pathlib.Path
        The written file: whole or not at all.

    Raises
    ------
    ValueError
        If the run has no round.
    """
    last = record.last
    arrays: dict[str, Any] = {f"table/{name}": record.stack(name) for name in (*_TABLES, "seconds", "epsilon", "index")}
    arrays |= {f"groups/{name}": np.stack([played.groups[name] for played in record]) for name in last.groups}
    arrays |= {f"state/{name}": value for name, value in last.state.items()}
    content = {"format": _FORMAT, "experiment": record.experiment.to_dict(), "arrays": sorted(arrays)}
    head = jsonfile.dumps(content, indent=None)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, head=np.frombuffer(head.encode(), np.uint8), **arrays)
    return jsonfile.write_bytes(path, buffer.getvalue())


def load(path: str | os.PathLike[str]) -> RunRecord:
    """Read what `save` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    RunRecord
        Its last round has the state, so ``play(record.experiment, after=record.last)`` goes on bit for bit;
        the rounds before it have only their table.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not a trustkit run.
    """
    try:
        experiment, parts = _parts(path)
        rounds = _rounds(parts["table"], parts["groups"], parts["state"])
    except FileNotFoundError:
        raise
    except _DAMAGE as error:
        raise ValueError(f"{path} must be a trustkit run (format {_FORMAT}), got: {error}") from None
    return RunRecord(Experiment.from_dict(experiment), rounds)


def _parts(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, dict[str, np.ndarray]]]:
    """Read the experiment's plain values and the arrays by kind and name."""
    with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    head = jsonfile.loads(arrays.pop("head").tobytes().decode())
    if head["format"] != _FORMAT:
        raise ValueError(f"format {head['format']}")
    listed = head.get("arrays", sorted(arrays))
    if listed != sorted(arrays):
        raise ValueError(f"only {len(arrays)} of {len(listed)} arrays")
    parts: dict[str, dict[str, np.ndarray]] = {"table": {}, "groups": {}, "state": {}}
    for name, value in arrays.items():
        kind, _, inner = name.partition("/")
        parts[kind][inner] = value
    return head["experiment"], parts


def _rounds(table: _Arrays, groups: _Arrays, state: _Arrays) -> list[Round]:
    """Cut the table into rounds; only the last has its state."""
    final, rounds = len(table["index"]) - 1, []
    for t in range(final + 1):
        seen = Seen(**{name: table[name][t] for name in _TABLES}, epsilon=float(table["epsilon"][t]),
                    groups={name: value[t] for name, value in groups.items()})  # fmt: skip
        rounds.append(Round(int(table["index"][t]), state if t == final else None, seen, float(table["seconds"][t])))
    return rounds
