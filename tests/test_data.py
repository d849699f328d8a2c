"""Data sets and who holds what of them: every row once, nothing that a test row says is learnt from."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from tests.strategies import datasets, partitions
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.partition import Partition


def _table(**changes: Any) -> Dataset:
    fields: dict[str, Any] = {
        "name": "toy", "X": np.arange(8.0).reshape(4, 2), "y": np.array([0, 1, 0, 1]), "columns": ("a", "b"),
        "classes": ("no", "yes"), "provenance": Provenance("made up", "none", synthetic=True),
        "sensitive": {"sex": np.array(["m", "f", "f", "m"])},
    }  # fmt: skip
    return Dataset(**{**fields, **changes})


@st.composite
def _federated(draw: st.DrawFn, axis: str) -> FederatedDataset:
    data = draw(datasets())
    return FederatedDataset(data, draw(partitions(size=data.X.shape[0 if axis == "rows" else 1], axis=axis)))


@given(_federated("rows"))
def test_parties_hold_every_owned_row_once(fed: FederatedDataset) -> None:
    """With its label, its attribute, its flag, and all columns."""
    data, owner = fed.data, fed.partition.owner
    rows = np.concatenate([fed.partition.members(k) for k in range(len(fed))])
    assert sorted(rows) == np.flatnonzero(owner >= 0).tolist()
    for name, whole in (("X", data.X), ("y", data.y), ("held_out", data.held_out)):
        assert np.array_equal(np.concatenate([getattr(party, name) for party in fed]), whole[rows])
    held = np.concatenate([party.sensitive["group"] for party in fed])
    assert np.array_equal(held, data.sensitive["group"][rows])
    assert [party.id for party in fed] == list(range(len(fed)))


@given(_federated("columns"))
def test_parties_hold_every_owned_column_once(fed: FederatedDataset) -> None:
    """All rows of it; only party 0 has labels and attributes."""
    columns = np.concatenate([fed.partition.members(k) for k in range(len(fed))])
    assert np.array_equal(np.concatenate([party.X for party in fed], axis=1), fed.data.X[:, columns])
    assert [party.y is not None for party in fed] == [k == 0 for k in range(len(fed))]
    assert [bool(party.sensitive) for party in fed] == [k == 0 for k in range(len(fed))]
    assert all(np.array_equal(party.held_out, fed.data.held_out) for party in fed)


@given(_federated("rows"), st.sampled_from(["train", "test"]))
def test_stacked_rows_lie_between_their_offsets(fed: FederatedDataset, part: Literal["train", "test"]) -> None:
    """Client k's block is exactly what party k has of that part, in its order."""
    block = fed.stacked(part)
    assert block.offsets[0] == 0
    assert block.offsets[-1] == block.X.shape[0] == block.rows.size
    assert block.sizes.tolist() == np.diff(block.offsets).tolist()
    for k, party in enumerate(fed):
        own, wanted = slice(block.offsets[k], block.offsets[k + 1]), party.held_out == (part == "test")
        assert np.array_equal(block.X[own], party.X[wanted])
        assert np.array_equal(block.y[own], party.y[wanted])  # type: ignore[index]
        assert (fed.partition.owner[block.rows[own]] == k).all()


@given(_federated("rows"))
def test_training_and_test_rows_share_nothing(fed: FederatedDataset) -> None:
    """Together they are all owned rows."""
    train, test = fed.stacked("train").rows, fed.stacked("test").rows
    assert sorted([*train, *test]) == np.flatnonzero(fed.partition.owner >= 0).tolist()


@given(datasets())
def test_scaling_agrees_with_scikit_learn(data: Dataset) -> None:
    """StandardScaler, or MinMaxScaler onto [−1, 1], fitted on the training rows; constant columns become 0."""
    scaled = data.scaled()
    if data.scaling == "none":
        assert scaled is data
        return
    train = data.X[~data.held_out]
    oracle = StandardScaler() if data.scaling == "standard" else MinMaxScaler((-1, 1))
    expected = oracle.fit(train).transform(data.X)
    constant = (train == train[0]).all(0)
    assert np.allclose(scaled.X[:, ~constant], expected[:, ~constant], rtol=1e-9, atol=1e-9)
    assert not scaled.X[:, constant].any()
    assert scaled.scaled() is scaled


@given(datasets(), st.floats(-1e6, 1e6))
def test_scaling_learns_from_training_rows_only(data: Dataset, value: float) -> None:
    """Whatever stands in the test rows, the training rows come out the same."""
    other = np.where(data.held_out[:, None], value, data.X)
    changed = dataclasses.replace(data, X=other).scaled()
    assert np.array_equal(changed.X[~data.held_out], data.scaled().X[~data.held_out])


def test_a_constant_column_becomes_zero_in_spite_of_rounding() -> None:
    """The standard deviation of a thousand times 0.1 is computed as 1.4e−17."""
    X = np.full((1000, 2), 0.1)
    X[:, 1] = np.arange(1000)
    data = Dataset("c", X, np.zeros(1000, int), ("a", "b"), ("x", "y"), Provenance("made up", "none"))
    assert not data.scaled().X[:, 0].any()


def test_scaling_by_hand() -> None:
    """Training rows 0 and 4 of a column: mean 2, standard deviation 2, middle 2, half width 2."""
    data = _table(X=np.array([[0.0], [4.0], [10.0]]), y=np.zeros(3, int), columns=("a",), sensitive={},
                  held_out=np.array([False, False, True]))  # fmt: skip
    assert data.scaled().X.ravel().tolist() == [-1.0, 1.0, 4.0]
    assert dataclasses.replace(data, scaling="minmax").scaled().X.ravel().tolist() == [-1.0, 1.0, 4.0]


def _sparse(data: Dataset) -> Dataset:
    return dataclasses.replace(data, X=csr_array(data.X))


@given(_federated("rows") | _federated("columns"))
def test_a_sparse_table_is_cut_like_the_dense_one(fed: FederatedDataset) -> None:
    """Parties and stacked rows hold the same numbers, and hold them as sparse arrays."""
    sparse = FederatedDataset(_sparse(fed.data), fed.partition)
    pairs: list[tuple[Any, Any]] = [(a.X, b.X) for a, b in zip(sparse, fed, strict=True)]
    if fed.partition.axis == "rows":
        pairs += [(sparse.stacked(part).X, fed.stacked(part).X) for part in ("train", "test")]
    for ours, expected in pairs:
        assert isinstance(ours, csr_array)
        assert np.array_equal(ours.toarray(), expected)


@given(datasets())
def test_scaling_a_sparse_table_keeps_its_zeros(data: Dataset) -> None:
    """MaxAbsScaler fitted on the training rows, for either scaling; columns that are constant there become empty."""
    scaled = _sparse(data).scaled()
    assert scaled.sparse
    if data.scaling == "none":
        assert np.array_equal(scaled.dense().X, data.X)
        return
    train = data.X[~data.held_out]
    varies = (train != train[0]).any(0)
    expected = np.where(varies, MaxAbsScaler().fit(train).transform(data.X), 0.0)
    assert np.allclose(scaled.dense().X, expected, rtol=1e-12, atol=0)
    assert scaled.X.nnz == np.count_nonzero(expected)
    assert scaled.scaling == "none"


def test_scaling_a_sparse_table_by_hand() -> None:
    """Training rows −4 and 2: divided by 4; the column of sevens is constant, and the integers become floats."""
    data = _table(X=csr_array(np.array([[-4, 7], [2, 7], [8, 1], [0, 7]])), held_out=np.arange(4) == 2)
    assert data.scaled().dense().X.tolist() == [[-1.0, 0.0], [0.5, 0.0], [2.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, coo_array])
def test_any_sparse_matrix_becomes_a_csr_array(kind: Any) -> None:
    """With every entry once and in order; the user's own is left as it is."""
    given = kind((np.array([1.0, 2.0, 4.0]), (np.array([1, 0, 0]), np.array([1, 1, 1]))), (4, 2))
    if kind is not coo_array:
        given = kind((np.array([2.0, 4.0, 1.0]), np.array([1, 1, 1]), np.array([0, 2, 3, 3, 3])), (4, 2))
    data = _table(X=given)
    assert isinstance(data.X, csr_array)
    assert data.X.has_canonical_format
    assert data.X.nnz == 2
    assert given.nnz == 3
    assert data.dense().X.tolist() == [[0, 6], [0, 1], [0, 0], [0, 0]]
    assert repr(data) == "Dataset('toy', synthetic, sparse with 25.00% filled, 4 rows × 2 columns, binary)"


def test_a_dense_table_is_itself_and_a_large_one_is_refused() -> None:
    """20,000 rows × 20,000 columns of 8 bytes are 3.2 GB: said before any memory is asked for."""
    data = _table()
    assert data.dense() is data
    assert not data.sparse
    n = 20_000
    large = Dataset("large", csr_array((n, n)), np.zeros(n), ("x",) * n, (), Provenance("made up", "none"))
    with pytest.raises(ValueError, match=r"^large must take at most 2,000,000,000 bytes as a dense array, got 20,000 "
                                         r"rows × 20,000 columns = 3,200,000,000 bytes$"):  # fmt: skip
        large.dense()
    assert large.scaled().X.nnz == 0


def test_what_a_data_set_says() -> None:
    """The task follows from the classes, and synthetic data say so."""
    assert _table().task == "binary"
    assert _table(classes=("a", "b", "c")).task == "multiclass"
    assert _table(classes=()).task == "regression"
    assert repr(_table()) == "Dataset('toy', synthetic, 4 rows × 2 columns, binary)"
    assert "synthetic" not in repr(_table(provenance=Provenance("a register", "CC0")))
    assert _table().held_out.tolist() == [False] * 4


def test_codes_number_the_values_of_an_attribute() -> None:
    """Sorted; an unknown attribute lists the known."""
    codes, values = _table().codes("sex")
    assert (codes.tolist(), values) == ([1, 0, 0, 1], ("f", "m"))
    with pytest.raises(KeyError, match="toy has no protected attribute 'race'; known are sex"):
        _table().codes("race")
    with pytest.raises(KeyError, match="known are none"):
        _table(sensitive={}).codes("sex")


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"X": np.zeros(4)}, ValueError, "X must be a table of n rows and m columns, got shape (4,)"),
        ({"columns": ("a",)}, ValueError, "columns must name the 2 features of X, got 1 names"),
        ({"y": np.zeros(3)}, ValueError, "y must have one value for each of the 4 rows, got shape (3,)"),
        ({"sensitive": {"sex": np.zeros((4, 1))}}, ValueError,
         "sex must have one value for each of the 4 rows, got shape (4, 1)"),
        ({"groups": {"state": np.zeros(5)}}, ValueError,
         "state must have one value for each of the 4 rows, got shape (5,)"),
        ({"held_out": np.array([True])}, ValueError,
         "held_out must have one value for each of the 4 rows, got shape (1,)"),
        ({"held_out": np.array([0, 1, 0, 1])}, TypeError,
         "held_out must be true or false for each row, got an array of int64"),
    ],
)  # fmt: skip
def test_data_set_errors(changes: dict[str, Any], error: type[Exception], text: str) -> None:
    """The message names the thing, the rule and the value."""
    with pytest.raises(error) as caught:
        _table(**changes)
    assert str(caught.value) == text


def test_federated_errors() -> None:
    """A partition of something else; a party that is not there; a part that is none; stacking columns."""
    with pytest.raises(ValueError, match=r"^the partition must cover the 4 rows of toy, got 3$"):
        FederatedDataset(_table(), Partition("rows", np.zeros(3, int), 1))
    with pytest.raises(ValueError, match=r"^the partition must cover the 2 columns of toy, got 4$"):
        FederatedDataset(_table(), Partition("columns", np.zeros(4, int), 1))
    rows = FederatedDataset(_table(), Partition("rows", np.zeros(4, int), 2))
    for k in (-1, 2):
        with pytest.raises(IndexError, match=f"^party must be between 0 and 1, got {k}$"):
            rows[k]
    with pytest.raises(ValueError, match=r"^part must be 'train' or 'test', got 'tset'$"):
        rows.stacked("tset")  # type: ignore[arg-type]
    columns = FederatedDataset(_table(), Partition("columns", np.zeros(2, int), 2))
    with pytest.raises(ValueError, match=r"^only a partition over rows can be stacked .*, got one over columns$"):
        columns.stacked("train")
