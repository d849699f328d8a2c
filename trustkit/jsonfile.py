"""Strict JSON in which ``None`` (not known), ``NaN`` (not defined) and infinity stay three different things.

Files are written by `trustkit.whole`, whole or not at all, so nobody ever reads half a file.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from trustkit.whole import write_bytes

__all__ = ["canonical", "dumps", "loads", "read", "write_bytes", "write_text"]

_MARK = "$float"
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def _plain(value: Any) -> Any:
    """Turn arrays, NumPy scalars, tuples and mappings into what JSON knows."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return {_MARK: "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"JSON holds numbers, text, lists and mappings, got {type(value).__name__}")


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    plain = {str(key): _plain(item) for key, item in value.items()}
    if len(plain) != len(value):
        raise ValueError(f"keys must differ as text, got {', '.join(map(repr, value))}")
    if set(plain) == {_MARK}:
        raise ValueError(f"a mapping must not have the one key {_MARK!r}, which stands for NaN and infinity")
    return plain


def _restore(item: dict[str, Any]) -> Any:
    word = item.get(_MARK) if len(item) == 1 else None
    return _SPECIAL.get(word, item) if isinstance(word, str) else item


def dumps(value: Any, indent: int | None = 1) -> str:
    """Write a value as strict JSON text.

    Parameters
    ----------
    value : object
        Mappings, sequences, NumPy arrays and scalars, text, numbers, ``None``.
    indent : int, optional
        Spaces per level; ``None`` for one line.

    Returns
    -------
    str
        JSON without the non-standard tokens ``NaN`` and ``Infinity``; floats come back bit for bit.

    Raises
    ------
    TypeError
        If the value holds anything else.
    ValueError
        If two keys of a mapping are the same as text, or its one key is ``$float``.

    Examples
    --------
    >>> dumps({"a": float("nan"), "b": None}, indent=None)
    '{"a": {"$float": "nan"}, "b": null}'
    """
    return json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


def canonical(value: Any) -> str:
    """Write a value as JSON with sorted keys and no spaces, for hashing.

    Parameters
    ----------
    value : object
        As for `dumps`.

    Returns
    -------
    str
        The same text for equal values, whatever the order of their keys.

    Examples
    --------
    >>> canonical({"b": 1, "a": 2})
    '{"a":2,"b":1}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def loads(text: str) -> Any:
    """Read what `dumps` wrote.

    Parameters
    ----------
    text : str
        JSON text.

    Returns
    -------
    object
        Dictionaries, lists, text, numbers (with NaN and infinity restored), ``None``.

    Raises
    ------
    ValueError
        If the text is not JSON, or is nested too deeply to be read.

    Examples
    --------
    >>> loads('{"x": {"$float": "inf"}}')
    {'x': inf}
    """
    try:
        return json.loads(text, object_hook=_restore)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file written by `dumps`.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    object
        Its content.

    Raises
    ------
    ValueError
        If the file is not JSON, or is nested too deeply to be read; the message names it.
    """
    try:
        return loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:  # not JSON, or not even UTF-8
        raise ValueError(f"{path} must be a JSON file, got: {error}") from None


def write_text(path: str | os.PathLike[str], content: str) -> Path:
    """Write a text file in one step, as UTF-8.

    Parameters
    ----------
    path : path-like
        Where to; missing folders are made.
    content : str
        What to write.

    Returns
    -------
    pathlib.Path
        The written file.
    """
    return write_bytes(path, content.encode("utf-8"))
