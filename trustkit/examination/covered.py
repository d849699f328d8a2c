"""How much of the code tests run: a stated share, or what a coverage report says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

__all__ = ["coverage_share"]


def coverage_share(stated: float | str | os.PathLike[str]) -> float:
    """Return the share of the code that tests run.

    Parameters
    ----------
    stated : float or path-like
        The share, in [0, 1]; or a report in the format of Cobertura, which ``coverage xml`` and others write.

    Returns
    -------
    float
        In [0, 1]: of a report, lines covered / lines valid, or its line-rate where those are not counted.

    Raises
    ------
    TypeError
        If it is neither a number nor a path.
    ValueError
        If the share is out of range, or the file is no such report. A file that defines entities is refused: they can
        swell to any size, and no report needs them.

    Examples
    --------
    >>> coverage_share(0.9)
    0.9
    """
    if isinstance(stated, (str, os.PathLike)):
        return _read(Path(stated))
    if isinstance(stated, bool) or not isinstance(stated, (int, float)):
        raise TypeError(f"coverage must be a share or the path of a report, got {stated!r}")
    if not 0 <= stated <= 1:
        raise ValueError(f"coverage must be between 0 and 1, got {stated!r}")
    return float(stated)


def _read(path: Path) -> float:
    """Return the share that a report states in its outermost element; nothing outside the file is looked up."""
    elements: list[tuple[str, dict[str, str]]] = []

    def opened(name: str, attributes: dict[str, str]) -> None:
        if not elements:
            elements.append((name, attributes))

    def refused(*_: object) -> NoReturn:
        raise ValueError(f"{path} must be a coverage report without entities")

    parser = expat.ParserCreate()
    parser.StartElementHandler = opened
    parser.EntityDeclHandler = refused
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise ValueError(f"{path} must be a coverage report in XML, got: {error}") from None
    name, stated = elements[0]
    try:
        if name != "coverage":
            raise KeyError(name)
        valid = float(stated.get("lines-valid", 0))
        share = float(stated["lines-covered"]) / valid if valid > 0 else float(stated["line-rate"])
    except (KeyError, ValueError):
        raise ValueError(f"{path} must be a Cobertura report with the lines covered, got <{name}>") from None
    if not 0 <= share <= 1:
        raise ValueError(f"{path} must state a coverage between 0 and 1, got {share!r}")
    return share
