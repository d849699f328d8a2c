"""Tables that several parties have of the same things, joined by a key: each table is a natural party."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.frame import from_frame
from trustkit.datasets.labels import Task
from trustkit.datasets.listed import listed
from trustkit.datasets.ondisk import AnyPath, existing, frozen, owned, stem
from trustkit.datasets.places import within
from trustkit.datasets.rows import coded
from trustkit.datasets.sniff import Delimiter
from trustkit.datasets.tablefile import column_named, frame_of
from trustkit.shown import shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_joined", "read_movielens"]

GENRES = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
    "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip


@DATASETS.enter("joined", title="Tables of several parties, joined by a key")
def read_joined(
    paths: Annotated[tuple[str, ...] | Sequence[AnyPath], "the files, that with the target among them"] = (),
    on: Annotated[tuple[str, ...] | str, "the key: one name, or one for each file"] = (),
    target: Annotated[str, "the column to predict"] = "",
    leave_out: Annotated[tuple[str, ...] | str, "columns that are not read"] = (),
    task: Annotated[Task, "what the target is"] = "auto",
    name: Annotated[str, "what the data set is called, by default as the files"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    missing: Annotated[Literal["category", "drop"], "what becomes of missing values"] = "category",
    seed: int = 0,
) -> Dataset:
    """Join tables by a key, as MovieLens and IMDB by the film, or songs of two collections by their number.

    Parameters
    ----------
    paths : sequence of str or path-like
        Two files or more, of any kind that `read_table` knows. The rows are those of the first; in each of the others a
        key must not occur twice, so that a row of the first meets one row or none.
    on : str or sequence of str
        The key's column: one name for all files, or one for each. It is no feature, and is compared as text.
    target : str
        The column to predict; it must be in one table only.
    leave_out : sequence of str
        Columns that are not read, in whichever table they are.
    task : {"auto", "classification", "regression"}
        What the target is, as in `from_frame`.
    name : str
        What the data set is called; by default the files' names with a ``+`` between.
    test_size : float
        The share of test rows, from 0 to 0.9.
    missing : {"category", "drop"}
        What becomes of a row with a missing value, as in `from_frame`.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        The rows whose key is in all tables, in the order of the first (an inner join). A column's name that is in two
        tables is preceded by the table's, as ``imdb.year``. ``notes``, beside those of `from_frame`: "views" (m,), the
        table that each feature comes from; "unmatched", by table: of the first the rows that have no partner, of the
        others the keys that no row asks for.

    Raises
    ------
    KeyError
        If a table lacks the key, or no table has the target.
    ValueError
        If there are fewer than two files, a key occurs twice in a table other than the first, no key is in all tables,
        or two tables have the target.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "seen.csv").write_text("film,age,liked\\na,20,no\\nb,30,yes\\na,40,yes\\n")
    >>> _ = (folder / "films.csv").write_text("film,year\\na,1990\\nb,1999\\nc,2001\\n")
    >>> data = read_joined([folder / "seen.csv", folder / "films.csv"], on="film", target="liked", test_size=0)
    >>> data.columns, data.notes["views"], data.notes["unmatched"]
    (('age', 'year'), ('seen', 'films'), {'seen': 0, 'films': 1})
    """
    files = [existing(path, "a table", "paths") for path in paths]
    if len(files) < 2:
        raise ValueError(f"paths must be two files or more, got {len(files)}")
    names = [stem(file) for file in files]
    if len(set(names)) < len(names):
        raise ValueError(f"the files must have different names, got {', '.join(names)}")
    keys = (on,) * len(files) if isinstance(on, str) else tuple(on) * (len(files) if len(on) == 1 else 1)
    if len(keys) != len(files):
        raise ValueError(f"on must be one key, or one for each of the {len(files)} files, got {len(keys)}")
    unused = set((leave_out,) if isinstance(leave_out, str) else leave_out)
    parts = {}
    for each, file, key in zip(names, files, keys, strict=True):
        table, _ = frame_of(file)
        known = column_named(list(table.columns), key, f"on, in {file.name},")
        table.index = _text(table[known])
        parts[each] = table.drop(columns=[column for column in table if column == known or column in unused])
    first = parts.pop(names[0])
    others = {each: (first.index, part) for each, part in parts.items()}
    frame, owner, unmatched = _join(names[0], first, others, target)
    data = from_frame(frame, target, (), None, name or "+".join(names), None, test_size, missing, True, seed, task)
    return _with_views(data, owner, unmatched, owned(*files))


@DATASETS.enter("movielens", title="MovieLens 100K, from its folder")
def read_movielens(
    path: Annotated[AnyPath, "the folder"] = "",
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """Make a data set of MovieLens 100K: a rating from 1 to 5, by who gives it and what it is given to.

    Parameters
    ----------
    path : str or path-like
        The folder with ``u.data``, ``u.user`` and ``u.item``.
    test_size : float
        The share of test rows, from 0 to 0.9.
    seed : int
        Of the choice of test rows.

    Returns
    -------
    Dataset
        A row a rating, in the order of ``u.data``. ``notes["views"]``: users (age, sex, occupation) and films (year of
        release, 19 genres). The numbers of user and film, names, addresses and postcodes are no features.

    Raises
    ------
    ValueError
        If a file is not there or has another number of cells in a line, or no rating meets both its user and its film.
    """
    import pandas as pd

    folder = Path(os.fspath(path))
    what = "the folder of MovieLens 100K with u.data, u.user and u.item"
    files = within(folder, [existing(folder / file, what) for file in ("u.data", "u.user", "u.item")])
    ratings = _cells(files[0], "\t", ("user", "film", "rating", "time"))
    users = _cells(files[1], "|", ("user", "age", "sex", "occupation", "postcode"))
    films = _cells(files[2], "|", ("film", "title", "released", "video", "address", *GENRES))
    films["year"] = pd.to_numeric(films["released"].astype(str).str[-4:], errors="coerce")
    users.index, films.index = _text(users["user"]), _text(films["film"])
    others = {
        "users": (pd.Index(_text(ratings["user"])), users[["age", "sex", "occupation"]]),
        "films": (pd.Index(_text(ratings["film"])), films[["year", *GENRES]]),
    }
    frame, owner, unmatched = _join("ratings", ratings[["rating"]], others, "rating")
    data = from_frame(frame, "rating", name="movielens", test_size=test_size, seed=seed, task="classification")
    source, licence = "MovieLens 100K (Harper and Konstan 2015)", "GroupLens: no redistribution"
    return _with_views(data, owner, unmatched, owned(*files, source=source, licence=licence))


def _cells(file: Path, delimiter: Delimiter, names: tuple[str, ...]) -> pd.DataFrame:
    """Read a file without a header whose columns are known."""
    frame, _ = frame_of(file, "no", delimiter)
    if frame.shape[1] != len(names):
        raise ValueError(f"{file} must have {len(names)} cells in every line, got {frame.shape[1]}")
    return frame.set_axis(list(names), axis=1)


def _text(column: pd.Series[Any]) -> pd.Index:
    """Return keys as text, None where there is none."""
    import pandas as pd

    codes, values = coded(column)
    return pd.Index(np.where(column.isna(), None, values[codes].astype(object)), dtype=object)


def _join(
    name: str, first: pd.DataFrame, others: Mapping[str, tuple[pd.Index, pd.DataFrame]], target: str
) -> tuple[pd.DataFrame, dict[str, str], dict[str, int]]:
    """Join tables, each by the keys that the rows of the first have and by its own index.

    Returns the joined table, the table that each of its columns comes from, and how much is not matched, by table.
    """
    import pandas as pd

    parts = {name: first, **{each: part for each, (_, part) in others.items()}}
    holders = [each for each, part in parts.items() if target in part.columns]
    if len(holders) != 1:
        known = listed([str(column) for part in parts.values() for column in part.columns])
        error = ValueError if holders else KeyError
        raise error(f"target must be a column of one table, got {target!r} in {' and '.join(holders) or 'none'}; "
                    f"known are {known}")  # fmt: skip
    met, unmatched, places = np.ones(len(first), bool), {name: 0}, {}
    for each, (keys, part) in others.items():
        parts[each] = part[part.index.notna()]
        if (twice := parts[each].index.duplicated()).any():
            raise ValueError(f"a key must not occur twice in {each}, got {shown(parts[each].index[twice][0])}")
        places[each] = np.where(keys.isna(), -1, parts[each].index.get_indexer(keys))
        unmatched[each] = len(part) - np.unique(places[each][places[each] >= 0]).size
        met &= places[each] >= 0
    unmatched[name] = int((~met).sum())
    if not met.any():
        raise ValueError(f"{' and '.join(parts)} must have a key in common, got none")
    tables = {each: part.iloc[places[each][met]] if each in places else part[met] for each, part in parts.items()}
    columns = [(each, str(column)) for each, part in tables.items() for column in part.columns]
    uses = Counter(column for _, column in columns)
    owner = {f"{each}.{column}" if uses[column] > 1 else column: each for each, column in columns}
    frame = pd.concat([part.reset_index(drop=True) for part in tables.values()], axis=1)
    return frame.set_axis(list(owner), axis=1), owner, unmatched


def _with_views(data: Dataset, owner: Mapping[str, str], unmatched: dict[str, int], provenance: Provenance) -> Dataset:
    views = tuple(owner[column] for column in data.notes["origin"])
    notes = {**data.notes, "views": views, "unmatched": unmatched}
    return frozen(dataclasses.replace(data, provenance=provenance, notes=notes))
