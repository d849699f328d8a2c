"""Data sets: those that come with trustkit, a user's own tables, and a catalogue of both.

>>> load("letter")
Dataset('letter', 15,000 rows × 16 columns, multiclass)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from trustkit.catalogue import DATASETS, Entry
from trustkit.data import Dataset
from trustkit.datasets.bundled import breast_cancer, digits, landsat, letter, mfeat, mnist, wine
from trustkit.datasets.csvfile import read_csv
from trustkit.datasets.feda4fair_files import read_feda4fair
from trustkit.datasets.feda4fair_settings import feda4fair, select
from trustkit.datasets.folktables import read_folktables
from trustkit.datasets.frame import from_frame
from trustkit.datasets.joined import read_joined, read_movielens
from trustkit.datasets.leaf import read_leaf
from trustkit.datasets.libsvm import read_libsvm, read_vehicle
from trustkit.datasets.nbaiot import read_nbaiot
from trustkit.datasets.nuswide import read_nuswide
from trustkit.datasets.ondisk import frozen
from trustkit.datasets.parties import read_parties
from trustkit.datasets.redrawn import redrawn
from trustkit.datasets.sampled import sampled
from trustkit.datasets.standins import covtype_synthetic, msd_synthetic, radar_synthetic
from trustkit.datasets.standins_acs import acs_synthetic, write_psam
from trustkit.datasets.standins_wide import epsilon_synthetic, gisette_synthetic, realsim_synthetic
from trustkit.datasets.surveys import acs_employment, adult, cces
from trustkit.datasets.synthetic import nbaiot_synthetic
from trustkit.datasets.tables import read_table
from trustkit.datasets.uci import read_uci
from trustkit.datasets.writers import mnist_writers

__all__ = [
    "acs_employment", "acs_synthetic", "add", "adult", "breast_cancer", "cces", "covtype_synthetic", "digits",
    "epsilon_synthetic", "feda4fair", "from_frame", "gisette_synthetic", "is_own", "landsat", "letter", "load", "mfeat",
    "mnist", "mnist_writers", "msd_synthetic", "names", "nbaiot_synthetic", "radar_synthetic", "read_csv",
    "read_feda4fair", "read_folktables", "read_joined", "read_leaf", "read_libsvm", "read_movielens", "read_nbaiot",
    "read_nuswide", "read_parties", "read_table", "read_uci", "read_vehicle", "realsim_synthetic", "redrawn", "sampled",
    "select", "wine", "write_psam",
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
    return _once(entry.function) if not entry.parameters else frozen(entry.function(**given))


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


def is_own(name: str) -> bool:
    """Tell whether a name is that of a data set that `add` entered.

    Parameters
    ----------
    name : str
        Any.

    Returns
    -------
    bool
        False for those that come with trustkit.

    Examples
    --------
    >>> is_own("wine")
    False
    """
    return name in _OWN


@lru_cache(maxsize=32)
def _once(function: Callable[[], Dataset]) -> Dataset:
    return frozen(function())
