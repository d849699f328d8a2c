"""Data sets: those that come with trustkit, a user's own tables, and a catalogue of both.

>>> load("letter")
Dataset('letter', 15,000 rows × 16 columns, multiclass)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from trustkit.catalogue import DATASETS, Entry
from trustkit.data import Dataset
from trustkit.datasets.bundled import breast_cancer, digits, letter, mfeat, mnist, wine
from trustkit.datasets.csvfile import read_csv
from trustkit.datasets.frame import from_frame
from trustkit.datasets.surveys import acs_employment, adult, cces
from trustkit.datasets.synthetic import nbaiot_synthetic

__all__ = [
    "acs_employment", "add", "adult", "breast_cancer", "cces", "digits", "from_frame",
    "letter", "load", "mfeat", "mnist", "names", "nbaiot_synthetic", "read_csv", "wine",
]  # fmt: skip

_OWN: set[str] = set()


def names() -> tuple[str, ...]:
    """List the data sets that `load` knows.

    Returns
    -------
    tuple of str
        The names in the catalogue, those of this process's own data sets last.

    Examples
    --------
    >>> names()[:3]
    ('letter', 'mnist', 'mfeat')
    """
    return tuple(DATASETS)


def load(name: str, /, **args: Any) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `names`.
    **args
        Arguments of an entry that takes some, for example ``load("csv", path="pay.csv", target="paid")``.

    Returns
    -------
    Dataset
        Its arrays are read-only. An entry without parameters is loaded once and then remembered: the same object
        comes again.

    Raises
    ------
    KeyError
        If the name is unknown; the message lists the known ones.
    TypeError, ValueError
        If an argument is unknown or does not fit.

    Examples
    --------
    >>> load("wine") is load("wine")
    True
    """
    entry = DATASETS[name]
    given = entry.arguments(args)
    return _once(entry.function) if not entry.parameters else _frozen(entry.function(**given))


def add(dataset: Dataset) -> None:
    """Enter a data set of one's own in the catalogue, under its name and for this process.

    Parameters
    ----------
    dataset : Dataset
        For example what `from_frame` made. One that was added under the same name before is replaced.

    Raises
    ------
    ValueError
        If the name belongs to a data set that is not one's own.

    Examples
    --------
    ``add(from_frame(df, target="paid", name="my people"))`` makes ``load("my people")`` work, in an `Experiment` too.

    >>> add(load("wine"))
    Traceback (most recent call last):
    ValueError: name must differ from the data sets that come with trustkit, got 'wine'
    """
    if dataset.name in DATASETS and dataset.name not in _OWN:
        raise ValueError(f"name must differ from the data sets that come with trustkit, got {dataset.name!r}")

    def own() -> Dataset:
        return dataset

    own.__doc__ = f"{dataset.provenance.source}: a data set of your own."
    DATASETS.replace(Entry(dataset.name, own, dataset.name))
    _OWN.add(dataset.name)


@lru_cache(maxsize=32)
def _once(function: Callable[[], Dataset]) -> Dataset:
    return _frozen(function())


def _frozen(dataset: Dataset) -> Dataset:
    """Return the data set with read-only views of its arrays; the arrays, which may be the user's, stay as they are."""

    def view(array: np.ndarray) -> np.ndarray:
        seen = array.view()
        seen.setflags(write=False)
        return seen

    def views(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: view(array) for name, array in arrays.items()}

    return dataclasses.replace(
        dataset,
        X=view(dataset.X),
        y=view(dataset.y),
        held_out=view(dataset.held_out),
        sensitive=views(dataset.sensitive),
        groups=views(dataset.groups),
    )
