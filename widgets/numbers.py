"""How numbers are written on the page, in its language; the decimal sign is a point in all of them, as in files."""

from __future__ import annotations

import math

from trustkit.widgets.strings import language, say

from trustkit.records import RunRecord
from trustkit.rounds import data_of

__all__ = ["amount", "bytes_text", "count", "percent", "synthetic"]


def synthetic(record: RunRecord) -> bool:
    """Tell whether a run's rows are made up.

    Parameters
    ----------
    record : RunRecord
        A run.

    Returns
    -------
    bool
        Then every number from it has to say so.
    """
    return data_of(record.experiment).provenance.synthetic


def amount(value: float | None, digits: int = 2) -> str:
    """Write a number; n/a where it is not defined, ∞ where it is infinite, a dash where it is not known.

    Parameters
    ----------
    value : float or None
        The number.
    digits : int
        After the point.

    Returns
    -------
    str
        Text.
    """
    if value is None:
        return "–"
    if math.isnan(value):
        return say("page.undefined")
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:z.{digits}f}"


def count(value: float) -> str:
    """Write a whole number.

    Parameters
    ----------
    value : float
        It is rounded.

    Returns
    -------
    str
        Thousands are set apart: by a comma, in German by a narrow space, since a comma would be read as a decimal one.
    """
    return f"{value:,.0f}" if language() == "en" else f"{value:,.0f}".replace(",", "\u202f")


def percent(share: float, digits: int = 0) -> str:
    """Write a share.

    Parameters
    ----------
    share : float
        1 is all.
    digits : int
        After the point.

    Returns
    -------
    str
        In per cent; in German with a narrow space before the sign.
    """
    return f"{share:.{digits}%}" if language() == "en" else f"{100 * share:.{digits}f}\u202f%"


def bytes_text(count: float) -> str:
    """Write a number of bytes.

    Parameters
    ----------
    count : float
        Bytes.

    Returns
    -------
    str
        With a decimal unit.
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return ""
