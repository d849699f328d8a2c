"""One function that writes anything: what a thing can become is told by the file's suffix."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trustkit import jsonfile

__all__ = ["write"]

_METHODS = {".json": "to_json", ".md": "to_markdown", ".csv": "to_csv", ".html": "to_html", ".toml": "to_toml"}
_STAMPS = {".png": "Software", ".svg": "Date", ".pdf": "CreationDate"}
"""What a figure's file would say of its making: left out."""


def _figure(thing: Any, suffix: str) -> bytes:
    buffer = io.BytesIO()
    thing.savefig(buffer, format=suffix[1:], dpi=192, metadata={_STAMPS[suffix]: None})
    return buffer.getvalue()


def _text(thing: Any, suffix: str) -> str | None:
    method: Callable[[], str] | None = getattr(thing, _METHODS.get(suffix, ""), None)
    if method is not None:
        return method()
    if suffix == ".json" and hasattr(thing, "to_dict"):
        return jsonfile.dumps(thing.to_dict())
    if suffix == ".csv" and hasattr(thing, "frame"):
        return str(thing.frame().to_csv(index=False))
    return None


def write(thing: Any, path: str | os.PathLike[str]) -> Path:
    """Write a report, fact sheet, experiment, partition, run table or figure to a file.

    Parameters
    ----------
    thing : object
        A `TrustReport` (json, md, csv, html), `FactSheet` (json, csv), `Experiment` (json, toml), `Partition` (json,
        csv), `RunRecord` (csv) or matplotlib figure (png, svg, pdf).
    path : path-like
        Where to; the suffix tells the format.

    Returns
    -------
    pathlib.Path
        The written file: whole or not at all.

    Raises
    ------
    ValueError
        If this thing has no such format.
    """
    suffix = Path(path).suffix.lower()
    if hasattr(thing, "savefig") and suffix in _STAMPS:
        return jsonfile.write_bytes(path, _figure(thing, suffix))
    if suffix == ".json" and hasattr(thing, "save") and hasattr(thing, "load"):  # it has a file format of its own
        return Path(thing.save(path))
    text = _text(thing, suffix)
    if text is None:
        raise ValueError(
            f"{type(thing).__name__} has no format {suffix or '(no suffix)'}, asked for by {os.fspath(path)}"
        )
    return jsonfile.write_text(path, text)
