"""What the commands of ``trustkit bench`` share: a list with commas, and a line of progress."""

from __future__ import annotations

import sys
from collections.abc import Iterable

__all__ = ["named", "show"]


def named(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Cut a list at its commas.

    Parameters
    ----------
    text : str
        Names; empty for all.
    known : iterable of str
        All there are.

    Returns
    -------
    tuple of str
        In the order given.

    Examples
    --------
    >>> named("rows, columns", ()), named("", ["rows"])
    (('rows', 'columns'), ('rows',))
    """
    return tuple(word.strip() for word in text.split(",") if word.strip()) or tuple(known)


def show(stage: str, fraction: float) -> None:
    """Write over the line of progress on standard error; at its end go to the next line.

    Parameters
    ----------
    stage : str
        What is done.
    fraction : float
        How much of it is done, 0 … 1.
    """
    print(f"\r{fraction:4.0%} {stage:70}", end="\n" if fraction == 1 else "", file=sys.stderr, flush=True)
