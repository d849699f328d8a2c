"""Runs on disk: one ``.npz`` file holds the experiment, its table and the newest state; a run can go on from it.

The file belongs to whoever simulates, and tells more than a fact sheet: beside the model it has accuracy and loss by
client, and, where the data name protected attributes, counts of **test rows by client, group, label and prediction**.
Added up over groups and predictions they are a client's label counts among test rows. They are kept because fairness
by client, its intervals and the gaps between groups are drawn from them without the data. Training rows are not
counted, and no row is in the file. Hand on the fact sheet and the report, not this file, where test labels are secret.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from trustkit import jsonfile
from trustkit.datasets.packed import arrays_in
from trustkit.experiment import Experiment
from trustkit.records import Round, RunRecord, Seen

__all__ = ["dumps", "load", "loads", "save"]

_FORMAT = "trustkit-run-1"
_TABLES = tuple(part.name for part in fields(Seen) if part.name not in ("groups", "traffic", "epsilon"))
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
_ZIP = b"PK\x03\x04"


class _Foreign(ValueError):  # noqa: N818 (its text is a part of the sentence)
    """What a file is that is whole, and no run of ours."""


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
        The written file: whole or not at all. For protected attributes it holds counts of test rows by client.

    Raises
    ------
    ValueError
        If the run has no round.
    """
    return jsonfile.write_bytes(path, dumps(record))


def dumps(record: RunRecord) -> bytes:
    """Return what `save` writes.

    Parameters
    ----------
    record : RunRecord
        With at least one round.

    Returns
    -------
    bytes
        The content of the file.

    Raises
    ------
    ValueError
        If the run has no round.
    """
    last = record.last
    arrays: dict[str, Any] = {f"table/{name}": record.stack(name) for name in (*_TABLES, "seconds", "epsilon", "index")}
    arrays |= {f"groups/{name}": np.stack([played.groups[name] for played in record]) for name in last.groups}
    arrays |= {f"traffic/{kind}": sizes for kind, sizes in record.traffic.items()}
    arrays |= {f"state/{name}": value for name, value in last.state.items()}
    content = {"format": _FORMAT, "experiment": record.experiment.to_dict(), "arrays": sorted(arrays)}
    head = jsonfile.dumps(content, indent=None)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, head=np.frombuffer(head.encode(), np.uint8), **arrays)
    return buffer.getvalue()


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
        with open(path, "rb") as raw:
            experiment, rounds = _read(raw)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except _DAMAGE as error:
        raise _refusal(os.fspath(path), error) from None
    return RunRecord(Experiment.from_dict(experiment), rounds)


def loads(content: bytes) -> RunRecord:
    """Read what `dumps` returned.

    Parameters
    ----------
    content : bytes
        The content of a file.

    Returns
    -------
    RunRecord
        As from `load`.

    Raises
    ------
    ValueError
        If it is not a trustkit run.
    """
    try:
        experiment, rounds = _read(io.BytesIO(content))
    except _DAMAGE as error:
        raise _refusal("the content", error) from None
    return RunRecord(Experiment.from_dict(experiment), rounds)


def _refusal(what: str, error: BaseException) -> ValueError:
    words = str(error) if isinstance(error, _Foreign) else "a damaged file"
    return ValueError(f"{what} must be a trustkit run (format {_FORMAT}), got: {words}")


def _read(raw: BinaryIO) -> tuple[dict[str, Any], list[Round]]:
    """Read the experiment's plain values and the rounds."""
    experiment, parts = _parts(raw)
    return experiment, _rounds(parts)


def _parts(raw: BinaryIO) -> tuple[dict[str, Any], dict[str, dict[str, np.ndarray]]]:
    """Read the experiment's plain values and the arrays by kind and name."""
    start = raw.read(len(_ZIP))
    if start != _ZIP:
        raise _Foreign("an empty file" if not start else "a file that is no .npz archive")
    raw.seek(0)
    arrays = arrays_in(raw, "it")
    if "head" not in arrays:
        raise _Foreign("an .npz archive of other arrays")
    head = jsonfile.loads(arrays.pop("head").tobytes().decode())
    if head["format"] != _FORMAT:
        raise _Foreign(f"format {head['format']}")
    listed = head.get("arrays", sorted(arrays))
    if listed != sorted(arrays):
        raise _Foreign(f"only {len(arrays)} of {len(listed)} arrays")
    parts: dict[str, dict[str, np.ndarray]] = {"table": {}, "groups": {}, "traffic": {}, "state": {}}
    for name, value in arrays.items():
        kind, _, inner = name.partition("/")
        parts[kind][inner] = value
    return head["experiment"], parts


def _rounds(parts: dict[str, dict[str, np.ndarray]]) -> list[Round]:
    """Cut the table into rounds; only the last has its state."""
    table, state = parts["table"], parts["state"]
    final, rounds = len(table["index"]) - 1, []
    for t in range(final + 1):
        seen = Seen(**{name: table[name][t] for name in _TABLES}, epsilon=float(table["epsilon"][t]),
                    groups={name: value[t] for name, value in parts["groups"].items()},
                    traffic={kind: value[t] for kind, value in parts["traffic"].items()})  # fmt: skip
        rounds.append(Round(int(table["index"][t]), state if t == final else None, seen, float(table["seconds"][t])))
    return rounds
