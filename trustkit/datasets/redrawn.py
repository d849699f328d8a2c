"""A data set with another draw of its test rows, as repeated runs want it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.ondisk import AnyPath, frozen
from trustkit.datasets.rows import hold_out

__all__ = ["redrawn"]

_ITSELF = "redrawn"


@DATASETS.enter(_ITSELF, title="Another draw of the test rows")
def redrawn(
    of: Annotated[str, "the name of a data set"] = "letter",
    draw: Annotated[int, Interval(0, 1_000_000), "which draw"] = 0,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    scaling: Annotated[Literal["own", "standard", "minmax", "none"], "what training does to the features"] = "own",
    layout: Annotated[str, "of a file: which layout it has, or what it is called"] = "",
    path: Annotated[AnyPath, "of a data set that is a file: the file"] = "",
) -> Dataset:
    """Any data set with its test rows drawn anew, whatever class they are of.

    Parameters
    ----------
    of : str
        The name of a data set of the catalogue.
    draw : int
        0 to 1,000,000: which draw; two draws of the same number are the same.
    test_size : float
        The share of test rows, from 0 to 0.9.
    scaling : {"own", "standard", "minmax", "none"}
        What training does to the features; "own" is what the data set says.
    layout : str
        Where ``of`` is "uci": the name of the file's layout; else what the data set is to be called. Empty: as it is.
    path : str or path-like
        Where ``of`` reads a file, the file. Else empty.

    Returns
    -------
    Dataset
        The same rows in the same order, under the same name and provenance; round(test_size · n) of them are held out.

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such data set, or it cannot be read.

    Notes
    -----
    Data sets of this package have the same test rows for everybody, a fifth of each class. Here the draw is simple, so
    that a class may have more or fewer. What was measured under several draws spreads by the rows, too.

    Source
    ------
    VertiBench (Wu et al. 2023), section 6.1: five runs, "using seeds ranging from 0 to 4 to randomly split the
    datasets".

    Examples
    --------
    >>> first, again, second = redrawn(draw=1), redrawn(draw=1), redrawn(draw=2)
    >>> int(first.held_out.sum()), bool((first.held_out == again.held_out).all())
    (3000, True)
    >>> bool((first.held_out == second.held_out).all())
    False
    """
    if of == _ITSELF:
        raise ValueError(f"of must be a data set that is there, got {of!r}")
    words = {"path": str(path), "name": layout}
    entry = DATASETS[of]
    given = entry.arguments({key: value for key, value in words.items() if value})
    data = _loaded(entry.function, tuple(given.items()))
    held = hold_out(np.zeros(data.y.size), test_size, data.name, draw)
    how = data.scaling if scaling == "own" else scaling
    return frozen(dataclasses.replace(data, held_out=held, scaling=how))


@lru_cache(maxsize=2)
def _loaded(function: Callable[..., Dataset], given: tuple[tuple[str, Any], ...]) -> Dataset:
    """Load a data set once for several draws."""
    return function(**dict(given))
