"""TOML that somebody gives: read as `tomllib` reads it, unless it is nested so deeply that it was made to do harm."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

__all__ = ["DEEPEST", "loads"]

DEEPEST = 32
"""So deep may tables and lists lie in one another, and so many parts may a key have."""

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST}}}")
"""Begins at words and never goes back, so that no text takes it long."""
_DEEP = f"it must be nested at most {DEEPEST} deep"


def loads(text: str) -> dict[str, Any]:
    """Read TOML.

    Parameters
    ----------
    text : str
        Of a file or a link.

    Returns
    -------
    dict
        As it stands.

    Raises
    ------
    ValueError
        If it is not TOML, or nested more than 32 deep; keys of thousands of parts would take gigabytes.

    Examples
    --------
    >>> loads("a.b = 1")
    {'a': {'b': 1}}
    >>> loads(".".join("a" * 99) + " = 1")
    Traceback (most recent call last):
    ValueError: it must be nested at most 32 deep
    """
    if _LONG_KEY.search(text):
        raise ValueError(_DEEP)
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    level: list[Any] = [content]
    for _ in range(DEEPEST + 1):
        level = [inner for each in level for inner in _inside(each)]
    if level:
        raise ValueError(_DEEP)
    return content


def _inside(value: Any) -> Iterator[Any]:
    """What lies in a table or a list; nothing in anything else."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value
