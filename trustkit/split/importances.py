"""Importance of columns as Shapley values: for any model, or for boosted trees that are fitted for the purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np

from trustkit.data import Dataset
from trustkit.rng import stream

__all__ = ["column_importance", "shapley_importance"]

Output = Literal["mean", "predicted"]
Means = Literal["orders", "shap"]

FITTED = 3000  # at most so many training rows teach the trees
EVALUATIONS = 500  # sets of known columns that are tried for a row, unless two orders of the columns take more
CELLS = 10_000_000  # numbers that a model is given at a time
_SEEN: WeakKeyDictionary[Dataset, dict[tuple[int, int], np.ndarray]] = WeakKeyDictionary()


def _drawn(size: int, wanted: int, seed: int, what: str) -> np.ndarray:
    """Draw rows without replacement; all of them if there are not more."""
    return np.asarray(stream(seed, "importance", what).choice(size, min(wanted, size), replace=False))


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)


def _at_least_one(**numbers: int) -> None:
    for what, value in numbers.items():
        if value < 1:
            raise ValueError(f"{what} must be at least 1, got {value}")


def shapley_importance(
    predict: Callable[[np.ndarray], Any],
    X: Any,
    background: int = 100,
    rows: int = 100,
    seed: int = 0,
    output: Output = "mean",
    by: Means = "orders",
) -> np.ndarray:
    """Return the mean absolute Shapley value of each column for a model's output.

    Parameters
    ----------
    predict : callable
        From rows (n, m) to probabilities or margins, (n,) or (n, C) floats.
    X : (n, m) float array or SciPy sparse array
        Rows that the model takes, n ≥ 1; it is given dense ones.
    background : int
        Rows of X, drawn without replacement, that stand for "column not known"; at least 1, of fewer rows all.
    rows : int
        Rows of X, drawn likewise, that are explained; at least 1, of fewer rows all.
    seed : int
        The draws follow from it.
    output : {"mean", "predicted"}
        Of several outputs, the mean of their absolute Shapley values, or those of each row's largest output alone.
    by : {"orders", "shap"}
        By orders of the columns drawn here, or by shap's ``PermutationExplainer`` on the same rows. The latter compiles
        for some seconds when it is first used, and seeds NumPy's global generator.

    Returns
    -------
    (m,) float array
        At least 0, in units of the output.

    Raises
    ------
    ValueError
        If X is no table, a number is too small, or the model returns labels or another number of rows.

    Notes
    -----
    Mean over the explained rows of |φ_j|. With v(S) the mean output over the background where the columns in S have the
    values of the row, φ_j is the mean of v(S ∪ j) − v(S) over random orders of the columns, S being those before j. For
    each row as many orders, each with its reverse, are drawn as 500 sets S allow, and at least one. Exact for a sum of
    functions of one column each, and of two columns each.

    Source
    ------
    VertiBench (Wu et al. 2023), section 5; Lundberg and Lee 2017, the estimator of shap's ``PermutationExplainer``.

    Deviations
    ----------
    The authors' package explains whatever the model returns, in its own examples hard labels, whose Shapley values jump
    at the border between classes; here labels are refused. Its background is always 100 rows. shap's explainer draws
    from NumPy's global generator; here the seed alone decides.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [2.0, 1.0]])
    >>> shapley_importance(lambda X: X @ [1.0, -3.0], X).round(9)
    array([1. , 1.5])
    """
    _at_least_one(background=background, rows=rows)
    if output not in get_args(Output):
        raise ValueError(f"output must be 'mean' or 'predicted', got {output!r}")
    if by not in get_args(Means):
        raise ValueError(f"by must be 'orders' or 'shap', got {by!r}")
    X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X, dtype=float)
    if X.ndim != 2 or not min(X.shape):
        raise ValueError(f"X must be a table with at least one row and one column, got shape {X.shape}")
    known, explained = (
        _dense(X[_drawn(X.shape[0], size, seed, what)]) for size, what in ((background, "background"), (rows, "rows"))
    )
    scores = np.asarray(predict(explained))
    if scores.dtype.kind != "f":
        raise ValueError(f"predict must return probabilities or margins, not labels, got {scores.dtype}")
    if scores.ndim not in (1, 2) or len(scores) != len(explained):
        raise ValueError(f"predict must return one line for each of {len(explained)} rows, got shape {scores.shape}")
    n, m = explained.shape
    outputs = scores.reshape(n, -1).shape[1]
    chosen = scores.argmax(axis=1) if scores.ndim == 2 else np.zeros(n, int)
    if by == "shap":
        return _by_shap(predict, explained, known, seed, chosen if output == "predicted" else None)
    every = np.tile(np.arange(m), (max(1, EVALUATIONS // (2 * m + 1)), n, 1))
    orders = stream(seed, "importance", "orders").permuted(every, axis=2)
    total, step = np.zeros(m), max(1, CELLS // known.size)
    for start in range(0, n, step):
        some = slice(start, start + step)
        values = np.abs(_over_orders(predict, explained[some], known, outputs, orders[:, some]))
        single = np.take_along_axis(values, chosen[some, None, None], axis=2)[..., 0]
        total += (values.mean(axis=2) if output == "mean" else single).sum(axis=0)
    return np.asarray(total / n)


def _by_shap(
    predict: Callable[[np.ndarray], Any], X: np.ndarray, known: np.ndarray, seed: int, chosen: np.ndarray | None
) -> np.ndarray:
    """Return the mean absolute values (m,) of shap's explainer, of all outputs or of a chosen one for each row."""
    import shap

    # a masker of shap's own gives the same values, and compiles for twice as long
    explainer = shap.explainers.Permutation(
        predict, lambda there, row: np.where(there, row, known), seed=abs(seed) % 2**32
    )
    evaluations = max(EVALUATIONS, 2 * X.shape[1] + 1)
    values = np.abs(explainer(X, max_evals=evaluations, silent=True).values).reshape(*X.shape, -1)
    if chosen is not None:
        values = np.take_along_axis(values, chosen[:, None, None], axis=2)
    return np.asarray(values.mean(axis=(0, 2)))


def _over_orders(
    predict: Callable[[np.ndarray], Any], X: np.ndarray, known: np.ndarray, outputs: int, orders: np.ndarray
) -> np.ndarray:
    """Return the mean gain (n, m, C) of each column over orders (pairs, n, m) of the columns and their reverses."""
    n, m = X.shape
    each = np.arange(n)

    def mean_output(table: np.ndarray) -> np.ndarray:
        scores = np.asarray(predict(table.reshape(-1, m)), dtype=float)
        return np.asarray(scores.reshape(n, -1, outputs).mean(axis=1))

    values = np.zeros((n, m, outputs))
    nothing = np.broadcast_to(known, (n, *known.shape))
    none, full = mean_output(nothing), mean_output(np.broadcast_to(X[:, None], nothing.shape))
    for order in (*orders, *orders[..., ::-1]):
        table, before = nothing.copy(), none
        for place in range(m):
            column = order[:, place]
            table[each, :, column] = X[each, column, None]
            after = full if place == m - 1 else mean_output(table)
            values[each, column] += after - before
            before = after
    return np.asarray(values / (2 * len(orders)))


def column_importance(data: Dataset, seed: int = 0, rows: int = 200) -> np.ndarray:
    """Return how much each column moves the predictions of boosted trees for the data set's target.

    Parameters
    ----------
    data : Dataset
        Classes or a regression; X dense or sparse, NaN where a value is missing, without infinite values.
    seed : int
        The rows that are drawn follow from it.
    rows : int
        Training rows that are explained, drawn without replacement; at least 1, of fewer rows all.

    Returns
    -------
    (m,) float array
        At least 0, in units of the margin (log odds; for a regression, of the target). Read-only, and remembered as
        long as the data set lives.

    Raises
    ------
    ValueError
        If there is no training row, an infinite value or a target that is not a number, or `rows` is less than 1.

    Notes
    -----
    Mean over the explained rows, and over the classes, of |φ_j|. The model is XGBoost: 50 trees a class of depth 6,
    learning rate 0.1, 32 bins, fitted to at most 3,000 training rows. φ are the exact Shapley values of its margins
    where a column that is not known follows the paths of the rows that the trees were fitted to, so that no background
    is drawn. In a sparse table an entry that is not there counts as missing, as XGBoost has it.

    Source
    ------
    VertiBench (Wu et al. 2023), section 5 and Appendix F (the model); Lundberg et al. 2020 (TreeSHAP).

    Deviations
    ----------
    The authors sample permutations over 100 background rows; Shapley values of trees have an exact formula.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> X = np.column_stack([np.arange(30.0) % 2, np.arange(30.0) % 7])
    >>> data = Dataset("made up", X, X[:, 1] ** 2, ("a", "b"), (), Provenance("made up", "none"))
    >>> importance = column_importance(data)
    >>> bool(importance[1] > 10 * importance[0])
    True
    """
    _at_least_one(rows=rows)
    seen = _SEEN.setdefault(data, {})
    if (seed, rows) not in seen:
        importance = _of_trees(data, seed, rows)
        importance.setflags(write=False)
        seen[seed, rows] = importance
    return seen[seed, rows]


def _of_trees(data: Dataset, seed: int, rows: int) -> np.ndarray:
    """Fit the trees and return the mean absolute Shapley value of each column."""
    train = np.flatnonzero(~data.held_out)
    if not train.size:
        raise ValueError(f"{data.name} must have a training row to measure importance, got held-out rows only")
    fitted, explained = (
        train[_drawn(train.size, wanted, seed, what)] for wanted, what in ((FITTED, "fit"), (rows, "trees"))
    )
    X, y = data.X[fitted], data.y[fitted]
    if np.isinf(X.data if hasattr(X, "tocsr") else X).any():
        raise ValueError(f"{data.name} must hold no infinite values to measure importance, got some")
    if not np.isfinite(y).all():
        raise ValueError(
            f"the target of {data.name} must be finite to measure importance, got a missing or infinite one"
        )
    import xgboost

    C = len(data.classes)
    goal: dict[str, Any] = {"objective": "reg:squarederror"}
    if C == 2:
        goal = {"objective": "binary:logistic"}
    elif C > 2:
        goal = {"objective": "multi:softprob", "num_class": C}
    settings = goal | {
        "max_depth": 6,
        "learning_rate": 0.1,
        "tree_method": "hist",
        "max_bin": 32,
        "nthread": 1,
        "seed": 0,
    }
    trees = xgboost.train(settings, xgboost.DMatrix(X, label=y, nthread=1), num_boost_round=50)
    # the last column is what all rows share
    values = trees.predict(xgboost.DMatrix(data.X[explained], nthread=1), pred_contribs=True)[..., :-1]
    return np.asarray(np.abs(values).reshape(len(explained), -1, X.shape[1]).mean(axis=(0, 1)), dtype=float)
