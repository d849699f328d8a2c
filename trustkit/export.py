"""One function that writes anything: what a thing can become is told by the file's suffix."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trustkit import jsonfile

__all__ = ["DOTS", "figure_bytes", "write"]

_METHODS = {".json": "to_json", ".md": "to_markdown", ".csv": "to_csv", ".html": "to_html", ".toml": "to_toml"}
_STAMPS = {".png": "Software", ".svg": "Date", ".pdf": "CreationDate"}
"""What a figure's file would say of its making: left out."""


DOTS = 192
"""Of an inch: the resolution of a figure's PNG."""


def figure_bytes(figure: Any, suffix: str, dots: int = DOTS) -> bytes:
    """Return a figure as a file's content: on white, text as text, without a date.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any; those of `trustkit.plot` are drawn with trustkit's settings, others with their own.
    suffix : {".png", ".svg", ".pdf"}
        The format.
    dots : int
        Dots an inch of a PNG, at least 150.

    Returns
    -------
    bytes
        The same for the same figure.

    Raises
    ------
    ValueError
        If the format is another, or the resolution lower.
    """
    from matplotlib import rc_context

    from trustkit.plot import style

    if suffix not in _STAMPS:
        raise ValueError(f"a figure's format must be of {', '.join(_STAMPS)}, got {suffix!r}")
    if dots < 150:
        raise ValueError(f"dots must be at least 150 an inch, got {dots}")
    buffer, own, opacity = io.BytesIO(), isinstance(figure, style.Picture), figure.patch.get_alpha()
    if own:
        figure.patch.set_alpha(1)  # black words on nothing cannot be read on every background
    try:
        with style.looks() if own else rc_context({"svg.fonttype": "none", "svg.hashsalt": "trustkit"}):
            figure.savefig(buffer, format=suffix[1:], dpi=dots, metadata={_STAMPS[suffix]: None},
                           facecolor="white" if own else "auto")  # fmt: skip
    finally:
        figure.patch.set_alpha(opacity)
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
        csv), `RunRecord` (csv) or matplotlib figure (png of 192 dots an inch, svg with text as text, pdf; one of
        `trustkit.plot` also csv: the numbers that it shows).
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
        return jsonfile.write_bytes(path, figure_bytes(thing, suffix))
    if hasattr(thing, "savefig") and suffix == ".csv":
        from trustkit.plot import to_csv

        return jsonfile.write_text(path, to_csv(thing))
    if suffix == ".json" and hasattr(thing, "save") and hasattr(thing, "load"):  # it has a file format of its own
        return Path(thing.save(path))
    text = _text(thing, suffix)
    if text is None:
        raise ValueError(
            f"{type(thing).__name__} has no format {suffix or '(no suffix)'}, asked for by {os.fspath(path)}"
        )
    return jsonfile.write_text(path, text)
