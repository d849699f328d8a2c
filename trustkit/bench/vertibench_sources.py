"""Where VertiBench's seven data sets come from: letter is here, the others are files of the user's or stand-ins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trustkit.catalogue import Use, use

__all__ = ["FILES", "NOT_THERE", "Source", "source_of"]

NOT_THERE = "no file of it was given"

_PACKED = ("", ".bz2", ".gz", ".xz")

FILES: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "covtype": (("covtype.data", "uci", "covtype"), ("covtype", "libsvm", "minmax"),
                ("covtype.scale", "libsvm", "none")),
    "msd": (("YearPredictionMSD", "libsvm", "minmax"), ("YearPredictionMSD.txt", "uci", "year_prediction_msd")),
    "gisette": (("gisette_scale", "libsvm", "none"), ("gisette_train.data", "uci", "gisette")),
    "realsim": (("real-sim", "libsvm", "none"),),
    "epsilon": (("epsilon_normalized", "libsvm", "none"),),
    "radar": (("WinnipegDataset.txt", "uci", "radar"),),
}  # fmt: skip
"""Names that a file may have, packed or not; how it is read; UCI's layout, or the scaling of a file of LIBSVM's."""

_STAND_INS: Mapping[str, dict[str, int]] = {
    "covtype": {"rows": 1000}, "msd": {"rows": 1000}, "gisette": {"rows": 500, "columns": 1000},
    "realsim": {"rows": 400}, "epsilon": {"rows": 1000, "columns": 500}, "radar": {"rows": 1000},
}  # fmt: skip
"""How large, where the quick mode plays on them."""


@dataclass(frozen=True)
class Source:
    """What is loaded for a seed, and whether the rows are generated."""

    data: Use
    synthetic: bool = False


def source_of(name: str, seed: int, quick: bool, folder: str | os.PathLike[str] | None = None) -> Source | None:
    """Return what a data set of Table 2 is loaded from.

    Parameters
    ----------
    name : str
        One of the seven.
    seed : int
        Which rows are held out: a fifth, drawn for each seed; a stand-in has its own.
    quick : bool
        Whether a stand-in is taken where there is no file.
    folder : path-like, optional
        Where the user's files are.

    Returns
    -------
    Source or None
        ``None``: neither here nor there.

    Examples
    --------
    >>> dict(source_of("letter", 3, False).data.args)
    {'draw': 3, 'of': 'letter'}
    >>> source_of("covtype", 3, False) is None, source_of("covtype", 3, True).synthetic
    (True, True)
    """
    if name == "letter":
        return Source(use("redrawn", of="letter", draw=seed))
    if folder is not None and (found := _file(name, Path(folder))):
        path, reader, word = found
        if reader == "uci":
            return Source(use("redrawn", of="uci", draw=seed, layout=word, path=str(path)))
        return Source(use("redrawn", of="libsvm", draw=seed, layout=name, path=str(path), scaling=word))
    return Source(use(f"{name}_synthetic", **_STAND_INS[name]), True) if quick else None


def _file(name: str, folder: Path) -> tuple[Path, str, str] | None:
    """Look for a file by the names it is known by, in the folder and one of the data set's name in it."""
    for stem, reader, word in FILES[name]:
        for place in (folder, folder / name):
            for end in _PACKED:
                path = place / f"{stem}{end}"
                if path.is_file():
                    return path, reader, word
    return None
