"""Files as the UCI repository gives them: a table of layouts, and one function that reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_args

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.labels import Task, numbered
from trustkit.datasets.lines import Rows, read_rows
from trustkit.datasets.ondisk import AnyPath, existing, frozen, owned
from trustkit.datasets.packed import start_of
from trustkit.datasets.places import within
from trustkit.datasets.rows import hold_out

__all__ = ["LAYOUTS", "Layout", "Name", "read_uci"]

Name = Literal["covtype", "year_prediction_msd", "gisette", "letter", "radar"]


@dataclass(frozen=True)
class Layout:
    """How a file is laid out.

    Parameters
    ----------
    source : str
        What the repository calls it, and who gave it.
    columns : (m,) tuple of str
        The features' names.
    label : {"first", "last", "file"}
        The cell that is the label, or "file" for a file of labels beside the file of numbers.
    task : {"classification", "regression"}
        What the label is.
    header : bool
        Whether the first line is ``label`` and the columns' names.
    train : int, optional
        How many rows, from the first on, are meant for training.
    views : mapping of str to int
        Natural parties, and how many columns each has, in order.
    """

    source: str
    columns: tuple[str, ...]
    label: Literal["first", "last", "file"]
    task: Task = "classification"
    header: bool = False
    train: int | None = None
    views: Mapping[str, int] = field(default_factory=dict)


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}{j}" for j in range(1, count + 1))


_COVTYPE = (
    "Elevation Aspect Slope Horizontal_Distance_To_Hydrology Vertical_Distance_To_Hydrology "
    "Horizontal_Distance_To_Roadways Hillshade_9am Hillshade_Noon Hillshade_3pm Horizontal_Distance_To_Fire_Points"
)
_LETTER = "x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br x-ege xegvy y-ege yegvx"

LAYOUTS: dict[str, Layout] = {
    "covtype": Layout(
        "UCI Covertype (Blackard 1998)",
        (*_COVTYPE.split(), *_numbered("Wilderness_Area", 4), *_numbered("Soil_Type", 40)),
        "last",
    ),
    "year_prediction_msd": Layout(
        "UCI YearPredictionMSD (Bertin-Mahieux 2011)", _numbered("x", 90), "first", "regression", train=463_715
    ),
    "gisette": Layout("UCI Gisette (Guyon et al. 2004)", _numbered("x", 5000), "file"),
    "letter": Layout("UCI Letter Recognition (Slate 1991), in UCI's order", tuple(_LETTER.split()), "first"),
    "radar": Layout(
        "UCI Crop mapping using fused optical-radar data set (Khosravi 2020)",
        _numbered("f", 174),
        "first",
        header=True,
        views={"radar": 98, "optical": 76},
    ),
}
"""The layouts that `read_uci` knows, by name."""


@DATASETS.enter("uci", title="A file of the UCI repository")
def read_uci(
    name: Annotated[Name, "which layout"] = "covtype",
    path: Annotated[AnyPath, "the file; of gisette its folder"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows, where the source names none"] = 0.2,
    precision: Annotated[Literal["float64", "float32"], "of the features"] = "float64",
    seed: int = 0,
) -> Dataset:
    """Make a data set of a file as it comes from the UCI repository, packed or not.

    Parameters
    ----------
    name : {"covtype", "year_prediction_msd", "gisette", "letter", "radar"}
        Which layout the file has; see Notes.
    path : str or path-like
        The file; of gisette the folder, or the file of training rows in it.
    test_size : float
        The share of test rows, 0 ≤ test_size < 1, where the source does not say which rows are for testing.
    precision : {"float64", "float32"}
        Of X.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        Scaled by "minmax", as VertiBench does. ``notes``: "labels" (class number by label), "phantom_column" (whether
        lines end in a delimiter), and of radar "views" (174,): radar for f1 … f98, optical for f99 … f174.

    Raises
    ------
    ValueError
        If the name is unknown, there is no such file, it has another layout, or labels and rows differ in number; the
        message has the file and, of a cell, its line.

    Notes
    -----
    - covtype: ``covtype.data``, 54 whole numbers, then the class 1 … 7.
    - year_prediction_msd: ``YearPredictionMSD.txt``, the year, then 90 numbers; a regression. The first 463,715 rows
      are for training; of an excerpt that has no more rows than that, test rows are chosen by ``test_size``.
    - gisette: ``gisette_train.data`` (5,000 whole numbers) and ``gisette_train.labels`` (−1 or 1). If
      ``gisette_valid.data`` lies beside them its rows are held out; its labels are in the same folder or the one above.
    - letter: ``letter-recognition.data``, the letter, then 16 whole numbers: all 20,000 rows in UCI's order. The 15,000
      rows of VertiBench are the first of LIBSVM's order, which is another: take them from LIBSVM's ``letter.scale`` by
      `read_libsvm`, or ``load("letter")``, not from this file.
    - radar: ``WinnipegDataset.txt``, the header ``label,f1,…,f174``, the class 1 … 7 first.

    Source
    ------
    VertiBench (Wu et al. 2023), Table 2.
    """
    if name not in LAYOUTS:
        raise ValueError(f"name must be one of {', '.join(get_args(Name))}, got {name!r}")
    hold_out(np.zeros(0), test_size, "check")
    if precision not in ("float64", "float32"):
        raise ValueError(f"precision must be float64 or float32, got {precision!r}")
    layout, dtype = LAYOUTS[name], np.dtype(precision).type
    parts, files = _beside(layout, path, dtype) if layout.label == "file" else _alone(layout, path, dtype)
    y, classes, mapping = numbered(np.concatenate([part.labels for part in parts]), layout.task)
    train = len(parts[0].labels) if len(parts) > 1 else layout.train
    if train is not None and len(y) > train:
        held_out = np.arange(len(y)) >= train
    else:
        held_out = hold_out(y if classes else np.zeros(len(y)), test_size, name, seed)
    views = tuple(view for view, count in layout.views.items() for _ in range(count))
    return frozen(
        Dataset(
            name=name,
            X=parts[0].X if len(parts) == 1 else np.concatenate([part.X for part in parts]),
            y=y,
            columns=layout.columns,
            classes=classes,
            provenance=owned(*files, source=layout.source, licence="CC BY 4.0"),
            held_out=held_out,
            scaling="minmax",
            notes={"labels": mapping, "phantom_column": parts[0].phantom} | ({"views": views} if views else {}),
        )
    )


def _alone(layout: Layout, path: AnyPath, dtype: type) -> tuple[list[Rows], list[Path]]:
    """Read a file that has the labels in its lines."""
    file = existing(path, f"a file of {layout.source}")
    if layout.header:
        names = start_of(file, 1 << 16).split("\n")[0].replace('"', "").strip().split(",")
        if names != ["label", *layout.columns]:
            wanted = f"label,{layout.columns[0]},…,{layout.columns[-1]}"
            raise ValueError(f"{file} must begin with the header {wanted}, got {','.join(names)[:40]!r}")
    side: Literal["first", "last"] = "first" if layout.label == "first" else "last"
    return [read_rows(file, side, dtype, int(layout.header), len(layout.columns))], [file]


def _beside(layout: Layout, path: AnyPath, dtype: type) -> tuple[list[Rows], list[Path]]:
    """Read files of numbers with files of labels beside them: those for training, and for validation if there are."""
    given = Path(os.fspath(path))
    folder = given.parent if given.suffix == ".data" else given
    parts, files = [], []
    for part in ("train", "valid"):
        data = folder / f"gisette_{part}.data"
        if part == "valid" and not data.is_file():
            break
        labels = folder / f"gisette_{part}.labels"
        labels = labels if labels.is_file() or part == "train" else folder.parent / labels.name
        data, labels = existing(data, f"a file of {layout.source}"), existing(labels, "the labels beside the numbers")
        within(folder if labels.parent == folder else folder.parent, [data, labels])
        rows, beside = read_rows(data, "none", dtype, 0, len(layout.columns)), read_rows(labels, "first", width=0)
        if len(beside.labels) != len(rows.X):
            raise ValueError(f"{labels} must have one label for each of the {len(rows.X)} rows of {data.name}, "
                             f"got {len(beside.labels)}")  # fmt: skip
        parts.append(Rows(beside.labels, rows.X, rows.phantom))
        files += [data, labels]
    return parts, files
