"""The nouns of data: a `Dataset`, and with a `Partition` of its rows or columns a `FederatedDataset`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from trustkit.partition import Partition, numbered

__all__ = ["DENSE_LIMIT", "Dataset", "FederatedDataset", "Matrix", "Partition", "Party", "Provenance", "Stacked"]

DENSE_LIMIT = 2_000_000_000
"""In bytes: `Dataset.dense` makes no larger array."""

Matrix: TypeAlias = Any
"""A table of floats: an (n, m) array, or a `scipy.sparse.csr_array` of that shape. Training sees arrays only."""


@dataclass(frozen=True)
class Provenance:
    """Where data come from; whatever shows a number from synthetic data has to say so."""

    source: str
    licence: str
    sha256: str = ""
    synthetic: bool = False
    stands_in_for: str = ""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with a target.

    Parameters
    ----------
    name : str
        How it is called.
    X : (n, m) float array or scipy.sparse.csr_array
        Features, as they came (unscaled). Any other sparse matrix of SciPy is converted to a ``csr_array``.
    y : (n,) int array
        Class numbers 0 … C−1; for a regression a float array.
    columns : (m,) tuple of str
        The features' names.
    classes : (C,) tuple of str
        The classes' names; empty for a regression.
    provenance : Provenance
        Source, licence, checksum, and whether it is synthetic.
    sensitive : mapping of str to (n,) array
        Protected attributes by name: labels, used for measurement.
    groups : mapping of str to (n,) array
        Natural clients by name (state, year, writer).
    held_out : (n,) bool array, optional
        True where a row is for testing only.
    scaling : {"standard", "minmax", "none"}
        What `scaled` does to the features.
    image : (channels, height, width), optional
        The shape of a row that is an image.
    positive : int
        The class that fairness measures call the favourable one.
    notes : mapping
        What loading did: rows with missing values, one-hot encodings, …
    """

    name: str
    X: Matrix
    y: np.ndarray
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    provenance: Provenance
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)
    held_out: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    scaling: Literal["standard", "minmax", "none"] = "standard"
    image: tuple[int, int, int] | None = None
    positive: int = 1
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if hasattr(self.X, "tocsr"):
            object.__setattr__(self, "X", _csr(self.X))
        if np.ndim(self.X) != 2:
            raise ValueError(f"X must be a table of n rows and m columns, got shape {np.shape(self.X)}")
        n, m = self.X.shape
        if self.held_out.size == 0 and n:
            object.__setattr__(self, "held_out", np.zeros(n, bool))
        if len(self.columns) != m:
            raise ValueError(f"columns must name the {m} features of X, got {len(self.columns)} names")
        vectors = {"y": self.y, "held_out": self.held_out, **self.sensitive, **self.groups}
        for what, vector in vectors.items():
            if np.shape(vector) != (n,):
                raise ValueError(f"{what} must have one value for each of the {n} rows, got shape {np.shape(vector)}")
        if self.held_out.dtype != bool:
            raise TypeError(f"held_out must be true or false for each row, got an array of {self.held_out.dtype}")

    @property
    def task(self) -> Literal["binary", "multiclass", "regression"]:
        """What is predicted."""
        return "regression" if not self.classes else "binary" if len(self.classes) == 2 else "multiclass"

    @property
    def sparse(self) -> bool:
        """Whether X is a `scipy.sparse.csr_array`."""
        return hasattr(self.X, "indptr")

    def __repr__(self) -> str:
        label = "synthetic, " if self.provenance.synthetic else ""
        label += f"sparse with {self.X.nnz / max(1, np.prod(self.X.shape)):.2%} filled, " if self.sparse else ""
        return f"Dataset({self.name!r}, {label}{self.X.shape[0]:,} rows × {self.X.shape[1]} columns, {self.task})"

    def codes(self, attribute: str) -> tuple[np.ndarray, tuple[str, ...]]:
        """Number the values of a protected attribute.

        Parameters
        ----------
        attribute : str
            A key of `sensitive`.

        Returns
        -------
        codes : (n,) int array
            0 … G−1 by row; −1 where the attribute is missing (None, NaN, or "missing" as loaders write it): no group.
        values : tuple of str
            The G values, sorted.

        Raises
        ------
        KeyError
            If there is no such attribute; the message lists those there are.
        """
        if attribute not in self.sensitive:
            known = ", ".join(self.sensitive) or "none"
            raise KeyError(f"{self.name} has no protected attribute {attribute!r}; known are {known}")
        return numbered(self.sensitive[attribute])

    def scaled(self) -> Dataset:
        """Scale the features by what the training rows say.

        Returns
        -------
        Dataset
            "standard": mean 0 and standard deviation 1; "minmax": onto [−1, 1]; "none": unchanged. Statistics are taken
            over all training rows at once, as a simulation can (a real federation would agree on them by secure
            aggregation); columns that are constant there become 0. A sparse X stays sparse: either scaling would fill
            in its zeros, so for both a column is divided by the largest absolute value of its training rows.
        """
        if self.scaling == "none":
            return self
        train = self.X[~self.held_out]
        if self.sparse:
            return dataclasses.replace(self, X=_divided(self.X, train), scaling="none")
        low, high = train.min(0), train.max(0)
        large = np.maximum(-low, high)
        if (beyond := large > 1e-3 * np.sqrt(np.finfo(np.result_type(large, np.float32)).max)).any():
            return dataclasses.replace(self, X=self.X / np.where(beyond, large, 1)).scaled()  # else no square is finite
        if self.scaling == "standard":
            centre, width = train.mean(0), train.std(0)
        else:
            centre, width = (low + high) / 2, (high - low) / 2
        varies = (high > low) & (width > 0)  # rounding gives a constant column a deviation of 1e-17
        X = np.where(varies, (self.X - centre) / np.where(varies, width, 1.0), 0.0)
        return dataclasses.replace(self, X=X, scaling="none")

    def dense(self) -> Dataset:
        """Fill in the zeros of a sparse X.

        Returns
        -------
        Dataset
            The same with X as an array; itself if it is dense.

        Raises
        ------
        ValueError
            If the array would be larger than `DENSE_LIMIT`; the message has rows, columns and bytes.
        """
        if not self.sparse:
            return self
        n, m = self.X.shape
        if (size := n * m * self.X.dtype.itemsize) > DENSE_LIMIT:
            got = f"{n:,} rows × {m:,} columns = {size:,} bytes"
            raise ValueError(f"{self.name} must take at most {DENSE_LIMIT:,} bytes as a dense array, got {got}")
        return dataclasses.replace(self, X=self.X.toarray())


def _csr(X: Matrix) -> Matrix:
    """Return a `csr_array` with sorted indices, each once; what needs no change is not copied."""
    from scipy.sparse import csr_array

    made = csr_array(X)
    if not made.has_canonical_format:
        made = made.copy()  # the user's own stays as it is
        made.sum_duplicates()
    return made


def _divided(X: Matrix, train: Matrix) -> Matrix:
    """Divide columns by the largest absolute value in the training rows; one that is constant there becomes empty."""
    low, high = train.min(axis=0).toarray(), train.max(axis=0).toarray()
    factor = np.zeros(high.size, np.result_type(X.dtype, np.float32))
    np.divide(1.0, np.maximum(-low, high), out=factor, where=high != low)
    made: Matrix = X.astype(factor.dtype)
    made.data *= factor[made.indices]
    made.eliminate_zeros()
    return made


@dataclass(frozen=True, eq=False)
class Party:
    """What one party holds: its rows (all columns) or its columns (all rows)."""

    id: int
    X: Matrix
    y: np.ndarray | None
    sensitive: Mapping[str, np.ndarray]
    held_out: np.ndarray


@dataclass(frozen=True, eq=False)
class Stacked:
    """All clients' rows in one block, sorted by client: client k owns rows ``offsets[k]:offsets[k + 1]``."""

    X: Matrix
    y: np.ndarray
    offsets: np.ndarray
    rows: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """(K,) int: rows of each client."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class FederatedDataset:
    """A data set and who holds what (a `Partition` of its rows or columns); the only place where data are cut."""

    data: Dataset
    partition: Partition

    def __post_init__(self) -> None:
        size = self.data.X.shape[0 if self.partition.axis == "rows" else 1]
        if self.partition.owner.size != size:
            raise ValueError(
                f"the partition must cover the {size} {self.partition.axis} of {self.data.name}, "
                f"got {self.partition.owner.size}"
            )

    def __len__(self) -> int:
        return self.partition.parties

    def __iter__(self) -> Iterator[Party]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: int) -> Party:
        if not 0 <= k < len(self):
            raise IndexError(f"party must be between 0 and {len(self) - 1}, got {k}")
        data, own = self.data, self.partition.members(k)
        if self.partition.axis == "columns":
            label = data.y if k == 0 else None
            return Party(k, data.X[:, own], label, data.sensitive if k == 0 else {}, data.held_out)
        sensitive = {name: values[own] for name, values in data.sensitive.items()}
        return Party(k, data.X[own], data.y[own], sensitive, data.held_out[own])

    def stacked(self, part: Literal["train", "test"]) -> Stacked:
        """Return the training or the test rows of all clients in one block.

        Parameters
        ----------
        part : {"train", "test"}
            Test rows are those that are held out.

        Returns
        -------
        Stacked
            X (N, m), y (N,), offsets (K + 1,), rows (N,): indices into the data set.

        Raises
        ------
        ValueError
            If the partition is over columns, or the part is neither.
        """
        if part not in ("train", "test"):
            raise ValueError(f"part must be 'train' or 'test', got {part!r}")
        if self.partition.axis != "rows":
            raise ValueError("only a partition over rows can be stacked by client, got one over columns")
        owner = self.partition.owner
        wanted = (owner >= 0) & (self.data.held_out == (part == "test"))
        rows = np.flatnonzero(wanted)
        rows = rows[np.argsort(owner[rows], kind="stable")]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owner[rows], minlength=len(self)))])
        return Stacked(self.data.X[rows], self.data.y[rows], offsets, rows)
