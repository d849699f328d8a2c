"""A part of another data set, drawn at random: for machines, and for rooms, that the whole is too large for."""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.ondisk import frozen
from trustkit.rng import stream

__all__ = ["options_of", "sampled"]

_ITSELF = "sampled"


@DATASETS.enter(_ITSELF, title="A part of another data set, drawn at random")
def sampled(
    of: Annotated[str, "the name of a data set"] = "cces",
    rows: Annotated[int, Interval(2, 10_000_000), "how many rows, training and test rows together"] = 20_000,
    options: Annotated[str, 'its arguments as JSON, as {"setting": "value-silo"}; empty for none'] = "",
    draw: Annotated[int, Interval(0, 1_000_000), "which draw"] = 0,
) -> Dataset:
    """A part of another data set: rows drawn at random, training and test rows in the proportion of the whole.

    Parameters
    ----------
    of : str
        The name of a data set of the catalogue.
    rows : int
        How many rows n', in [2, 10,000,000]; a data set that has no more is returned whole.
    options : str
        Its arguments as the text of a JSON object; empty for its defaults.
    draw : int
        0 to 1,000,000: which draw; two draws of the same number are the same.

    Returns
    -------
    Dataset
        n' rows in their old order, round(n' · h ÷ n) of them test rows, where h of the n rows were. ``notes`` has
        "sampled" (of, rows, whole, draw). Its name says how many of how many rows it has.

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such data set or argument.

    Notes
    -----
    Each row has the same chance, so a class or a natural client that is rare may have few rows, or none.

    Examples
    --------
    >>> data = sampled("letter", rows=500)
    >>> data
    Dataset('letter, 500 of 15,000 rows', 500 rows × 16 columns, multiclass)
    >>> int(data.held_out.sum())
    100
    """
    if of == _ITSELF:
        raise ValueError(f"of must be a data set that is there, got {of!r}")
    data = _loaded(of, tuple(options_of(options).items()))
    n = data.y.size
    if n <= rows:
        return data
    rng = stream(draw, _ITSELF, of)
    held = np.flatnonzero(data.held_out)
    tests = round(rows * held.size / n)
    parts = [(held, tests), (np.flatnonzero(~data.held_out), rows - tests)]
    kept = np.sort(np.concatenate([rng.choice(part, size, replace=False) for part, size in parts]))
    return frozen(_of_rows(data, kept, {"of": of, "rows": rows, "whole": int(n), "draw": draw}))


def options_of(text: str) -> dict[str, Any]:
    """Read the arguments of another data set.

    Parameters
    ----------
    text : str
        A JSON object, or empty.

    Returns
    -------
    dict
        By name; lists as tuples.

    Raises
    ------
    ValueError
        If it is no JSON object.

    Examples
    --------
    >>> options_of('{"rows": 100, "one_hot": ["SEX"]}')
    {'rows': 100, 'one_hot': ('SEX',)}
    """
    try:
        found = json.loads(text) if text.strip() else {}
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"options must be a JSON object, got {text[:80]!r}: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"options must be a JSON object, got {text[:80]!r}")
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def _of_rows(data: Dataset, rows: np.ndarray, told: dict[str, Any]) -> Dataset:
    return dataclasses.replace(
        data,
        name=f"{data.name}, {rows.size:,} of {data.y.size:,} rows",
        X=data.X[rows],
        y=data.y[rows],
        held_out=data.held_out[rows],
        sensitive={key: each[rows] for key, each in data.sensitive.items()},
        groups={key: each[rows] for key, each in data.groups.items()},
        notes={**data.notes, _ITSELF: told},
    )


@lru_cache(maxsize=2)
def _loaded(of: str, given: tuple[tuple[str, Any], ...]) -> Dataset:
    """Load a data set once for several draws; what is remembered anyway is not kept twice."""
    from trustkit.datasets import load  # this package has loaded us

    return load(of, **dict(given))
