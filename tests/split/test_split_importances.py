"""Importance for any model and for trees: the closed form of linear models, shap's explainers, what is refused."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from trustkit.data import Dataset, Provenance
from trustkit.metrics import linear_importance
from trustkit.rng import stream
from trustkit.split import importances
from trustkit.split.importances import column_importance, shapley_importance

RNG = stream(0, "test", "importances")
X, W = RNG.normal(size=(60, 5)), RNG.normal(size=(5, 3))


def drawn(size: int, what: str, seed: int = 0) -> np.ndarray:
    """Return the rows that are drawn at the address of the background, or of what is explained."""
    return X[stream(seed, "importance", what).choice(60, size, replace=False)]


def table(task: str, columns: int = 6, rows: int = 120, form: Any = np.asarray) -> Dataset:
    """Make a table whose target follows from its first two columns; training rows after the first quarter."""
    made = RNG.integers(0, 4, (rows, columns)).astype(float)
    score = 2 * made[:, 0] + made[:, 1]
    classes: tuple[str, ...] = {"regression": (), "binary": ("a", "b"), "multiclass": ("a", "b", "c")}[task]
    y = np.searchsorted(np.quantile(score, np.arange(1, len(classes)) / len(classes)), score) if classes else score
    names = tuple(f"c{j}" for j in range(columns))
    held_out = np.arange(rows) < rows // 4
    return Dataset(task, form(made), y, names, classes, Provenance("made up", "none"), held_out=held_out)


@pytest.mark.parametrize("seed", [0, 3])
def test_a_linear_model_has_the_closed_form(seed: int) -> None:
    """With the same rows and the same background; one output and several, and a background of all rows."""
    known, explained = drawn(20, "background", seed), drawn(15, "rows", seed)
    one = shapley_importance(lambda rows: rows @ W[:, 0] + 4, X, 20, 15, seed)
    np.testing.assert_allclose(one, linear_importance(W[:, 0], explained, known), atol=1e-6)
    three = shapley_importance(lambda rows: rows @ W, X, 20, 15, seed)
    np.testing.assert_allclose(three, linear_importance(W, explained, known), atol=1e-6)
    every = shapley_importance(lambda rows: rows @ W, X, 1000, 1000, seed)
    np.testing.assert_allclose(every, linear_importance(W, X, X), atol=1e-6)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run shap's loops as Python: to compile them takes far longer than these few rows do."""
    import shap

    module = sys.modules[shap.utils.MaskedModel.__module__]
    for name, loop in list(vars(module).items()):
        if hasattr(loop, "py_func"):
            monkeypatch.setattr(module, name, loop.py_func)


@pytest.mark.usefixtures("uncompiled")
def test_shap_itself_says_the_same() -> None:
    """Its explainer on the same rows: a linear model exactly, one output alone and several; interactions nearly."""
    one = shapley_importance(lambda rows: rows @ W[:, 0], X, 20, 15, by="shap")
    np.testing.assert_allclose(one, shapley_importance(lambda rows: rows @ W[:, 0], X, 20, 15), atol=1e-6)
    several = shapley_importance(lambda rows: rows @ W, X, 20, 15, output="predicted", by="shap")
    ours = shapley_importance(lambda rows: rows @ W, X, 20, 15, output="predicted")
    np.testing.assert_allclose(several, ours, atol=1e-6)
    np.testing.assert_allclose(
        shapley_importance(curved, X, 20, 15, by="shap"), shapley_importance(curved, X, 20, 15), rtol=0.03
    )


def test_the_predicted_output_alone() -> None:
    """|w_jc (x_j − b̄_j)| with c the largest output of each row."""
    known, explained = drawn(20, "background"), drawn(15, "rows")
    chosen = W[:, (explained @ W).argmax(axis=1)].T
    want = np.abs(chosen * (explained - known.mean(axis=0))).mean(axis=0)
    got = shapley_importance(lambda rows: rows @ W, X, 20, 15, output="predicted")
    np.testing.assert_allclose(got, want, atol=1e-6)


def curved(rows: np.ndarray) -> np.ndarray:
    """Return probabilities of a model in which all columns interact."""
    return np.asarray(1 / (1 + np.exp(-(rows @ W[:, 0] + rows[:, 0] * rows[:, 1]))))


def test_a_model_with_interactions_is_near_the_exact_values() -> None:
    """shap's KernelExplainer, which tries all 2^5 sets of 5 columns; the sampled orders come near, and repeat."""
    import shap

    known, explained = drawn(20, "background"), drawn(15, "rows")
    exact = np.abs(shap.KernelExplainer(curved, known).shap_values(explained, silent=True)).mean(axis=0)
    got = shapley_importance(curved, X, 20, 15)
    np.testing.assert_allclose(got, exact, rtol=0.03)
    np.testing.assert_array_equal(got, shapley_importance(curved, X, 20, 15))
    assert (got != shapley_importance(curved, X, 20, 15, seed=1)).all()


def test_pairs_of_columns_are_attributed_exactly() -> None:
    """An order and its reverse: a product is shared evenly, (x₀x₁ − E) split by hand over both orders."""
    known, explained = drawn(20, "background"), drawn(15, "rows")
    a, b = explained[:, 0], explained[:, 1]
    mean = known.mean(axis=0)
    none, first, second = (known[:, 0] * known[:, 1]).mean(), a * mean[1], b * mean[0]
    want = [
        np.abs((first - none + a * b - second) / 2).mean(),
        np.abs((second - none + a * b - first) / 2).mean(),
        0,
        0,
        0,
    ]
    np.testing.assert_allclose(shapley_importance(lambda rows: rows[:, 0] * rows[:, 1], X, 20, 15), want, atol=1e-12)


def test_rows_are_explained_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is never given more numbers than the limit, if one row's background fits; it changes no result."""
    whole = shapley_importance(curved, X, 20, 15)
    monkeypatch.setattr(importances, "CELLS", 250)
    given: list[int] = []

    def predict(rows: np.ndarray) -> np.ndarray:
        given.append(rows.size)
        return curved(rows)

    np.testing.assert_allclose(shapley_importance(predict, X, 20, 15), whole, atol=1e-15)
    assert max(given) == 200  # two rows at a time


def test_a_sparse_table_is_explained_as_a_dense_one() -> None:
    """The model is given dense rows."""
    thin = np.where(X > 0, X, 0.0)
    np.testing.assert_array_equal(shapley_importance(curved, sparse.csr_array(thin)), shapley_importance(curved, thin))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_trees_are_explained_as_shap_does(task: str) -> None:
    """shap's TreeExplainer on the same model of the same rows."""
    import shap
    import xgboost

    data = table(task)
    goal = {"binary": "binary:logistic", "multiclass": "multi:softprob", "regression": "reg:squarederror"}[task]
    more = {"num_class": 3} if task == "multiclass" else {}
    settings = {"objective": goal, "max_depth": 6, "learning_rate": 0.1, "max_bin": 32, "nthread": 1, **more}
    train = ~data.held_out
    trees = xgboost.train(settings, xgboost.DMatrix(data.X[train], data.y[train], nthread=1), num_boost_round=50)
    values = np.abs(shap.TreeExplainer(trees).shap_values(data.X[train]))  # (90, 6), or (90, 6, 3)
    want = values.mean(axis=0) if values.ndim == 2 else values.mean(axis=(0, 2))
    got = column_importance(data, rows=1000)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
    assert got[0] > got[1] > 3 * got[2:].max()


def test_held_out_rows_do_not_count() -> None:
    """Whatever they hold."""
    data = table("binary")
    moved = data.X.copy()
    moved[data.held_out] = 99.0
    other = Dataset("other", moved, 1 - (1 - data.y) * ~data.held_out, data.columns, data.classes, data.provenance,
                    held_out=data.held_out)  # fmt: skip
    np.testing.assert_array_equal(column_importance(other), column_importance(data))


def test_rows_are_drawn_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that teach the trees and those that are explained, without repeating any."""
    data = table("multiclass")
    assert (column_importance(data, rows=20) != column_importance(data, seed=1, rows=20)).any()
    np.testing.assert_array_equal(column_importance(data, rows=90), column_importance(data, rows=5000))
    monkeypatch.setattr(importances, "FITTED", 30)
    few = table("multiclass")
    assert (column_importance(few, rows=90) != column_importance(few, seed=1, rows=90)).any()


def test_sparse_tables_and_missing_values() -> None:
    """An entry that is not there is missing: written as NaN into a dense table, it gives the same."""
    data = table("regression", form=sparse.csr_array)
    thin = column_importance(data)
    dense = data.X.toarray()
    dense[dense == 0] = np.nan
    full = Dataset("full", dense, data.y, data.columns, (), data.provenance, held_out=data.held_out)
    np.testing.assert_allclose(column_importance(full), thin, rtol=1e-6)


def test_it_is_remembered_while_the_data_live() -> None:
    """Once for each seed and number of rows, and nobody can change it."""
    data = table("binary")
    found = column_importance(data, seed=2, rows=30)
    assert column_importance(data, 2, 30) is found
    assert column_importance(data, 2, 31) is not found
    assert not found.flags.writeable
    gc.collect()  # what earlier tests left
    before = len(importances._SEEN)
    del data
    gc.collect()
    assert len(importances._SEEN) == before - 1


def held_out() -> Dataset:
    """Make a table without training rows."""
    data = table("binary")
    return Dataset("tested", data.X, data.y, data.columns, data.classes, data.provenance, held_out=np.ones(120, bool))


def holding(X: Any = 0.0, y: Any = 0.0) -> Dataset:
    """Make a regression that has a number added to all features or to its target."""
    data = table("regression")
    return Dataset("odd", data.X + X, data.y + y, data.columns, (), data.provenance)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: shapley_importance(lambda rows: (rows @ W).argmax(1), X),
            "probabilities or margins, not labels, got int",
        ),
        (lambda: shapley_importance(lambda rows: np.array(["a"] * len(rows)), X), "not labels, got <U1"),
        (lambda: shapley_importance(lambda rows: rows[0, :1], X), r"for each of 60 rows, got shape \(1,\)"),
        (lambda: shapley_importance(lambda rows: rows[:, 0], X[0]), r"X must be a table .* got shape \(5,\)"),
        (lambda: shapley_importance(lambda rows: rows[:, 0], X[:0]), r"at least one row .* got shape \(0, 5\)"),
        (lambda: shapley_importance(lambda rows: rows[:, 0], X, rows=0), "rows must be at least 1, got 0"),
        (lambda: shapley_importance(lambda rows: rows[:, 0], X, 0), "background must be at least 1, got 0"),
        (lambda: shapley_importance(curved, X, output="sum"), "must be 'mean' or 'predicted', got 'sum'"),  # type: ignore[arg-type]
        (lambda: shapley_importance(curved, X, by="lime"), "by must be 'orders' or 'shap', got 'lime'"),  # type: ignore[arg-type]
        (lambda: column_importance(held_out()), "tested must have a training row .* got held-out rows only"),
        (lambda: column_importance(holding(X=np.inf)), "odd must hold no infinite values"),
        (lambda: column_importance(holding(y=np.nan)), "the target of odd must be finite"),
        (lambda: column_importance(table("binary"), rows=0), "rows must be at least 1, got 0"),
    ],
)
def test_errors_name_the_thing(call: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call()
