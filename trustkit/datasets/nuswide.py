"""NUS-WIDE: pictures from the web, described by five image features and by tags: natural vertical parties."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from trustkit.catalogue import DATASETS
from trustkit.data import Dataset
from trustkit.datasets.lines import Rows, read_rows
from trustkit.datasets.ondisk import AnyPath, existing, frozen, owned
from trustkit.datasets.places import kind_of, within

__all__ = ["VIEWS", "read_nuswide"]

VIEWS = {"CH": 64, "CORR": 144, "EDH": 73, "WT": 128, "CM55": 225}
"""The image features and how many columns each has: colour histogram, colour correlogram, edge direction histogram,
wavelet texture, block-wise colour moments."""

TAGS = "Tags1k"
_FEATURES = ("Low_Level_Features", "")
_TAGS = ("NUS_WID_Tags", "")
_LABELS = ("Groundtruth/TrainTestLabels", "TrainTestLabels", "")
_PARTS = ("Train", "Test")


@DATASETS.enter("nuswide", title="NUS-WIDE, from its folder")
def read_nuswide(
    path: Annotated[AnyPath, "the folder"] = "",
    concept: Annotated[str, "what is in the picture or not, as sky"] = "",
    tags: Annotated[bool, "the 1,000 tags are a party too"] = False,
    precision: Annotated[Literal["float32", "float64"], "of the features"] = "float32",
) -> Dataset:
    """Make a data set of NUS-WIDE's text files: is a concept in the picture, by five image features and by tags.

    Parameters
    ----------
    path : str or path-like
        The folder: with ``Low_Level_Features``, ``Groundtruth/TrainTestLabels`` and ``NUS_WID_Tags`` in it, or with all
        files in one place. Per part (Train, Test): ``Train_Normalized_CH.dat`` … and ``Labels_sky_Train.txt``.
    concept : str
        One of the concepts for which there are labels.
    tags : bool
        Whether ``Train_Tags1k.dat`` and ``Test_Tags1k.dat`` are read too.
    precision : {"float32", "float64"}
        Of X. All 269,648 rows take 0.7 GB in float32, with tags 1.8 GB; reading needs twice that.

    Returns
    -------
    Dataset
        634 columns, with tags 1,634, called ``view.number``; ``notes["views"]`` names each column's view: CH, CORR,
        EDH, WT, CM55 and Tags1k. Classes are "other" and the concept; test rows are held out.
        ``notes["phantom_column"]`` lists the views whose lines end in a blank: no column of theirs is lost or added.

    Raises
    ------
    ValueError
        If there is no such folder or file, no such concept (the message lists those there are), a line has another
        number of cells, or two files differ in their rows.

    Source
    ------
    VertiBench (Wu et al. 2023), Table 2; data by Chua et al. (2009).

    Deviations
    ----------
    The paper trains on the 161,789 training rows of one concept; here the test rows are there too, and held out.
    """
    folder = Path(os.fspath(path))
    if not os.fspath(path) or kind_of(folder) != "folder":
        raise ValueError(f"path must be the folder of NUS-WIDE, got {str(path)!r}")
    if precision not in ("float32", "float64"):
        raise ValueError(f"precision must be float32 or float64, got {precision!r}")
    labels = [_labels(folder, concept, part) for part in _PARTS]
    files = {view: [_file(folder, _FEATURES, f"{part}_Normalized_{view}.dat") for part in _PARTS] for view in VIEWS}
    if tags:
        files[TAGS] = [_file(folder, _TAGS, f"{part}_{TAGS}.dat") for part in _PARTS]
    y = [_flags(file, concept) for file in labels]
    widths = VIEWS | ({TAGS: 1000} if tags else {})
    X = np.empty((sum(map(len, y)), sum(widths.values())), precision)
    left, phantom = 0, []
    for view, width in widths.items():
        top = 0
        for file, known, beside in zip(files[view], y, labels, strict=True):
            rows = _checked(read_rows(file, dtype=X.dtype.type, width=width), file, len(known), beside)
            X[top : top + len(known), left : left + width] = rows.X
            top += len(known)
            phantom += [view] if rows.phantom else []
        left += width
    return frozen(
        Dataset(
            name="nuswide",
            X=X,
            y=np.concatenate(y),
            columns=tuple(f"{view}.{j}" for view, width in widths.items() for j in range(width)),
            classes=("other", concept),
            provenance=owned(
                *labels, *(file for pair in files.values() for file in pair), source="NUS-WIDE (Chua et al. 2009)"
            ),
            held_out=np.arange(len(X)) >= len(y[0]),
            notes={
                "views": tuple(view for view, width in widths.items() for _ in range(width)),
                "phantom_column": tuple(dict.fromkeys(phantom)),
            },
        )
    )


def _file(folder: Path, places: tuple[str, ...], name: str) -> Path:
    found = next((file for place in places if kind_of(file := folder / place / name) == "file"), folder / name)
    return within(folder, [existing(found, "the folder of NUS-WIDE with all its files")])[0]


def _labels(folder: Path, concept: str, part: str) -> Path:
    name = f"Labels_{concept}_{part}.txt"
    found = next((file for place in _LABELS if kind_of(file := folder / place / name) == "file"), None)
    if found is not None:
        return within(folder, [found])[0]
    there = {file.name for place in _LABELS for file in (folder / place).glob(f"Labels_*_{part}.txt")}
    known = sorted(each.removeprefix("Labels_").removesuffix(f"_{part}.txt") for each in there)
    raise ValueError(f"concept must be one with a file Labels_…_{part}.txt, got {concept!r}; "
                     f"there are {', '.join(known) or 'none'}")  # fmt: skip


def _flags(file: Path, concept: str) -> np.ndarray:
    """Return 1 where the concept is in the picture."""
    flags = read_rows(file, width=1).X[:, 0]
    if not np.isin(flags, (0, 1)).all():
        raise ValueError(f"{file} must say 0 or 1 for {concept}, got {flags[~np.isin(flags, (0, 1))][0]:g}")
    return flags.astype(np.int64)


def _checked(rows: Rows, file: Path, known: int, labels: Path) -> Rows:
    if len(rows.X) != known:
        raise ValueError(f"{file} must have the {known} rows of {labels.name}, got {len(rows.X)}")
    return rows
