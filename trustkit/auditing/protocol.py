"""One client at a time: divide its rows, fit every model, count the test rows by group, label and prediction."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from trustkit.metrics.coding import Coded
from trustkit.metrics.counting import count_clients
from trustkit.threads import one_blas_thread

__all__ = ["MODELS", "Division", "Estimator", "Found", "Job", "estimators", "examined", "quiet"]


class Estimator(Protocol):
    """What is fitted: anything with scikit-learn's ``fit`` and ``predict`` that can be cloned."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        """Fit to features (n, m) and labels (n,) of 0 and 1."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return labels (n,) of 0 and 1."""


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=5000)


def _xgboost() -> Any:
    try:
        from xgboost import XGBClassifier
    except ImportError:
        raise ValueError(
            "the model 'xgboost' needs xgboost, got an installation without: pip install xgboost"
        ) from None
    return XGBClassifier(eval_metric="logloss", n_jobs=1)


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=20, random_state=0)


MODELS: Mapping[str, Callable[[], Any]] = {"logistic": _logistic, "xgboost": _xgboost, "tree": _tree}
"""Models by name; the first two are the paper's, with its settings."""


class Division(NamedTuple):
    """How rows are divided: ``seed``, ``test_size``, whether ``stratified``; ``apart``: other test rows than that."""

    seed: int
    test_size: float
    stratified: bool
    apart: bool = False


@dataclass(frozen=True, eq=False)
class Job:
    """What one client has: features (n, m), labels (n,) bool, groups, and its own division (n,) bool if it has one."""

    X: np.ndarray
    y: np.ndarray
    attributes: Mapping[str, Coded]
    held_out: np.ndarray | None


class Found(NamedTuple):
    """What was found at one client: counts by attribute (M, G, 2, 2), accuracy (M,), test rows, stratified, why not."""

    counts: dict[str, np.ndarray]
    accuracy: np.ndarray
    test_rows: int
    stratified: bool
    reason: str


def estimators(models: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return unfitted models by name.

    Parameters
    ----------
    models : sequence or mapping
        Names from `MODELS` and estimators, or estimators by name; two or more.

    Returns
    -------
    dict of str to estimator
        In order. An estimator without a name is called as its class.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a name is unknown, something has no ``fit`` and ``predict``, fewer than two are given, or names occur twice.
    """
    if isinstance(models, str):
        raise TypeError(f"models must be a list of two or more, got {models!r}")
    named = list(models.items()) if isinstance(models, Mapping) else [(_called(each), each) for each in models]
    if len(named) < 2:
        raise ValueError(f"models must be at least 2, since one alone decides nothing, got {len(named)}")
    if twice := sorted({name for name, _ in named if [n for n, _ in named].count(name) > 1}):
        raise ValueError(f"models must have different names, got {', '.join(twice)} more than once")
    return {name: _made(each) for name, each in named}


def _called(model: Any) -> str:
    return model if isinstance(model, str) else type(model).__name__


def _made(model: Any) -> Any:
    if isinstance(model, str):
        if model not in MODELS:
            raise KeyError(f"there is no model {model!r}; known are {', '.join(MODELS)}, or an estimator of your own")
        return MODELS[model]()
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise TypeError(f"a model must be a name or an estimator with fit and predict, got {model!r}")
    return model


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Pass over the warnings of models that stop before they converge, and let matrix products use one thread.

    Yields
    ------
    None
        Meanwhile. Both belong to the whole process: only its main thread changes them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def examined(job: Job, models: Mapping[str, Any], divisions: Sequence[Division]) -> list[Found]:
    """Fit the models on each division of a client's rows and count its test rows.

    Parameters
    ----------
    job : Job
        The client.
    models : mapping of str to estimator
        Not fitted; each is cloned.
    divisions : sequence of Division
        How to divide, one after the other.

    Returns
    -------
    list of Found
        One a division.

    Raises
    ------
    ValueError
        If a model cannot be fitted for another reason than one class only.
    """
    with quiet():
        return [_examined(job, models, division) for division in divisions]


def _examined(job: Job, models: Mapping[str, Any], division: Division) -> Found:
    from sklearn.base import clone

    n = len(job.y)
    if n < 2 or (job.held_out is None and np.ceil(division.test_size * n) >= n):
        return _nothing(job, models, f"{n} row{'s' * (n != 1)}, too few to divide")
    train, test, stratified = _divided(job, division)
    if not train.size or not test.size:
        return _nothing(job, models, f"{train.size} training and {test.size} test rows")
    if job.y[train].all() or not job.y[train].any():
        return _nothing(job, models, "all training labels are the same")
    zero = np.zeros(test.size, int)
    groups = {name: Coded(each.codes[test], each.values) for name, each in job.attributes.items()}
    right, counts = [], dict[str, list[np.ndarray]]()
    for name, model in models.items():
        try:
            fitted = clone(model, safe=False).fit(job.X[train], job.y[train].astype(int))
            pred = np.asarray(fitted.predict(job.X[test])).astype(bool)
        except ValueError as error:
            raise ValueError(f"the model {name!r} must be able to fit every client, got: {error}") from error
        right.append(float((pred == job.y[test]).mean()))
        for attribute, counted in count_clients(pred, job.y[test], zero, groups, clients=1).items():
            counts.setdefault(attribute, []).append(counted.counts[0])
    stacked = {attribute: np.stack(each) for attribute, each in counts.items()}
    return Found(stacked, np.array(right), test.size, stratified, "")


def _nothing(job: Job, models: Mapping[str, Any], reason: str) -> Found:
    """Say that a client cannot be measured: no counts, no accuracy."""
    counts = {name: np.zeros((len(models), len(each.values), 2, 2), int) for name, each in job.attributes.items()}
    return Found(counts, np.full(len(models), np.nan), 0, False, reason)


def _divided(job: Job, division: Division) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return training and test rows, and whether all groups have their share of both."""
    n = len(job.y)
    if job.held_out is not None:
        return np.flatnonzero(~job.held_out), np.flatnonzero(job.held_out), False
    strata = np.zeros(n, int)
    if division.stratified:
        for each in job.attributes.values():  # as text the pairs of values have this order
            strata = strata * (len(each.values) + 1) + each.codes + 1
    rows = np.arange(n)
    train, test, stratified = _drawn(rows, strata, division.test_size, division)
    if division.apart and train.size > test.size:
        _, other, stratified = _drawn(train, strata, int(test.size), division)
        train, test = np.setdiff1d(rows, other), other
    return train, test, stratified


def _drawn(
    rows: np.ndarray, strata: np.ndarray, test_size: float | int, division: Division
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Draw test rows; without strata where one of them has a single row, or where they are more than the test rows."""
    from sklearn.model_selection import train_test_split

    sizes = np.unique(strata[rows], return_counts=True)[1]
    share = test_size if isinstance(test_size, int) else int(np.ceil(test_size * rows.size))
    fits = division.stratified and sizes.min() > 1 and sizes.size <= min(share, rows.size - share)
    train, test = train_test_split(
        rows, test_size=test_size, random_state=division.seed, stratify=strata[rows] if fits else None
    )
    return train, test, bool(fits)
