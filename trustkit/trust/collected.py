"""Values of another layout, put where they belong in our template."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from trustkit.trust.fields import field_of

__all__ = ["Convert", "collect", "filled", "seconds", "size", "steps"]

Convert = Callable[[Any], Any]
"""Turns another layout's value into ours."""


def seconds(minutes: float) -> float:
    """Return minutes as seconds.

    Parameters
    ----------
    minutes : float
        Any.

    Returns
    -------
    float
        60 times as many.
    """
    return 60 * float(minutes)


def size(text: str | float) -> float:
    """Read a size as FederatedScope prints it.

    Parameters
    ----------
    text : str or float
        Bytes, or a number with K, M, G or T, each 1,024 of the one before: 736,152 bytes of 11 parties print as 65.35K.

    Returns
    -------
    float
        Bytes.

    Raises
    ------
    ValueError
        If it is no size.

    Examples
    --------
    >>> size("65.35K"), size(12)
    (66918.4, 12.0)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", str(text), re.IGNORECASE)
    if found is None:
        raise ValueError(f"a size must be a number with K, M, G or T, got {text!r:.40}")
    return float(found[1]) * 1024.0 ** " KMGT".index(found[2].upper() or " ")


def steps(value: Any) -> str:
    """Return a list of transformations as text.

    Parameters
    ----------
    value : object
        Text, or a list of pairs of a name and its arguments.

    Returns
    -------
    str
        One after the other.

    Examples
    --------
    >>> steps([["ToTensor", {}], ["Normalize", {"mean": [0.1]}]])
    'ToTensor, Normalize(mean=[0.1])'
    """
    if not isinstance(value, list):
        return str(value)
    return ", ".join(_step(step) for step in value)


def _step(step: Any) -> str:
    if not isinstance(step, list) or not step:
        return str(step)
    args = step[1] if len(step) > 1 and isinstance(step[1], Mapping) else {}
    return str(step[0]) + (f"({', '.join(f'{name}={value}' for name, value in args.items())})" if args else "")


def collect(found: Mapping[str, Any], names: Mapping[str, str], convert: Mapping[str, Convert]) -> dict[str, Any]:
    """Put another layout's values where they belong; what is not filled in there stays unknown.

    Parameters
    ----------
    found : mapping of str to object
        Values by their own path. None, empty text and lists, and NaN are not filled in.
    names : mapping of str to str
        The template's path by theirs.
    convert : mapping of str to callable
        What turns a value into ours, by their path.

    Returns
    -------
    dict
        Checked values by the template's path.

    Raises
    ------
    TypeError, ValueError
        If a value does not fit its field.

    Examples
    --------
    >>> collect({"minutes": 2, "rows": math.nan}, {"minutes": "system/training_seconds"}, {"minutes": seconds})
    {'system/training_seconds': 120.0}
    """
    facts = {}
    for theirs, value in found.items():
        if theirs not in names or not filled(value):
            continue
        field = field_of(names[theirs])
        value = convert[theirs](value) if theirs in convert else value
        whole = field.kind == "count" and isinstance(value, float) and value.is_integer()
        facts[field.path] = field.check(int(value) if whole else value)
    return facts


def filled(value: Any) -> bool:
    """Say whether a field of another layout holds something.

    Parameters
    ----------
    value : object
        What it holds.

    Returns
    -------
    bool
        False for None, NaN, and empty text and lists.
    """
    missing = isinstance(value, float) and math.isnan(value)
    return not missing and (isinstance(value, (bool, int, float)) or bool(value))
