"""A value in a message: as Python writes it, but never longer than a line."""

from __future__ import annotations

import reprlib

__all__ = ["shown"]

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxarray = 10
_SHORT.maxlevel = 3
_LONGEST = 200


def shown(value: object) -> str:
    """Write a value that somebody gave.

    Parameters
    ----------
    value : object
        Any.

    Returns
    -------
    str
        Its ``repr``; of a long text, list or mapping the beginning, and "..." for what is left out.

    Examples
    --------
    >>> shown("much"), shown([1, 2]), len(shown("x" * 100_000)), shown(list(range(50)))
    ("'much'", '[1, 2]', 80, '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]')
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
