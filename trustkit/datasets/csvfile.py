"""A CSV file of the user's own, also as an entry of the catalogue, so that an experiment can name one."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Literal

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.frame import from_frame
from trustkit.datasets.listed import said
from trustkit.datasets.ondisk import UNREADABLE, AnyPath, checksum, existing, no_page, stem
from trustkit.datasets.packed import is_zip, opened, room_for, sole_member

__all__ = ["read_csv"]


@DATASETS.enter("csv", title="A CSV file of your own")
def read_csv(
    path: Annotated[AnyPath, "the file"] = "",
    target: Annotated[str, "the column to predict"] = "",
    sensitive: Annotated[tuple[str, ...], "protected attributes"] = (),
    client: Annotated[str, "the column of natural clients, if any"] = "",
    name: Annotated[str, "what the data set is called, by default as the file"] = "",
    positive: Annotated[str, "the favourable class"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    missing: Annotated[Literal["category", "drop"], "what becomes of missing values"] = "category",
    keep_sensitive: Annotated[bool, "protected attributes are features too"] = True,
    seed: int = 0,
) -> Dataset:
    """Make a data set of a CSV file; for the rules see `from_frame`.

    Parameters
    ----------
    path : str or path-like
        The file, packed (gzip, bzip2, xz, or alone in a ZIP archive) or not; its first line names the columns. Empty
        cells, "NA", "NaN", "null" and the like are missing values.
    target : str
        The column to predict.
    sensitive : tuple of str
        Protected attributes.
    client : str
        The column of natural clients; empty for none.
    name : str
        What the data set is called; by default the file's name without its ending.
    positive : str
        The favourable class; empty for the default of `from_frame`.
    test_size : float
        The share of test rows, from 0 to 0.9.
    missing : {"category", "drop"}
        What becomes of a row with a missing value.
    keep_sensitive : bool
        Whether protected attributes are features too.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        Its provenance names the file and has the file's SHA-256.

    Raises
    ------
    KeyError, TypeError, ValueError
        As `from_frame`; also if there is no such file, or it is no table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "pay.csv"
    >>> _ = file.write_text("age,paid\\n20,no\\n30,yes\\n")
    >>> read_csv(file, target="paid", test_size=0)
    Dataset('pay', 2 rows × 1 columns, binary)
    """
    import pandas as pd

    file = existing(path, "a CSV file")
    no_page(file)
    room_for(file)
    try:
        with sole_member(file) if is_zip(file) else opened(file) as stream:
            frame = pd.read_csv(stream, skipinitialspace=True)
    except (ValueError, *UNREADABLE) as error:
        raise ValueError(f"{file} must be a table of comma-separated values, got: {said(error)}") from None
    called = name or stem(file)
    data = from_frame(
        frame, target, sensitive, client, called, positive or None, test_size, missing, keep_sensitive, seed
    )
    return dataclasses.replace(data, provenance=Provenance(str(path), "the user's own", checksum(file)))
