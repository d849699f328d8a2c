"""What goes into a message of one line: names, however many and however long, and other libraries' words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["listed", "repeated", "said"]

MOST, LONGEST = 20, 40
"""How many names a message lists, and how many characters of each."""


def listed(names: Sequence[str]) -> str:
    """List names for a message.

    Parameters
    ----------
    names : sequence of str
        Any.

    Returns
    -------
    str
        The first 20, each cut off after 40 characters, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"]), listed([str(n) for n in range(50)])[-14:]
    ('a, b', '19 and 30 more')
    """
    shown = (name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names[:MOST])
    text = " ".join(", ".join(shown).split())
    return text + (f" and {len(names) - MOST:,} more" if len(names) > MOST else "")


def repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once.

    Parameters
    ----------
    names : sequence of str
        Any.

    Returns
    -------
    list of str
        Sorted, each once.

    Examples
    --------
    >>> repeated(["b", "a", "b", "c", "a"])
    ['a', 'b']
    """
    return sorted(name for name, count in Counter(names).items() if count > 1)


def said(error: BaseException | str) -> str:
    """Return what another library says of a file, in one line of at most 300 characters.

    Parameters
    ----------
    error : BaseException or str
        What it raised.

    Returns
    -------
    str
        Its words, or its name where it has none.

    Examples
    --------
    >>> said(ValueError("expected 3 cells,\\n got 4"))
    'expected 3 cells, got 4'
    """
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 300 else f"{words[:299]}…"
