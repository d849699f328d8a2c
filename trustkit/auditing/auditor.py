"""`audit`: are the clients of a federated data set biased, and against whom?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, get_args

import numpy as np

from trustkit import memory
from trustkit.auditing.protocol import Division, Found, Job, estimators, examined, quiet
from trustkit.auditing.result import Audit
from trustkit.auditing.table import Table, table_of
from trustkit.auditing.tables import MEASURES
from trustkit.auditing.verdicts import Level
from trustkit.metrics.coding import Coded
from trustkit.metrics.counting import count_clients
from trustkit.records import Progress

__all__ = ["audit"]


@dataclass(frozen=True)
class _Rules:
    level: Level
    measure: str
    threshold: float
    min_group: int
    repeats: int
    test_size: float
    seed: int


def audit(
    data: Any, models: Sequence[Any] | Mapping[str, Any] = ("logistic", "xgboost"),
    attributes: Sequence[str] | None = None, threshold: float = 0.09, *, level: Level = "attribute", target: str = "",
    client: str = "", positive: Any = None, leave_out: Sequence[str] = (), measure: str = "demographic_disparity",
    min_group: int = 0, repeats: int = 1, again: bool = False, division: Literal["protocol", "held_out"] = "protocol",
    test_size: float = 0.2, seed: int = 42, keep_index: bool = False, executor: Executor | None = None,
    progress: Progress | None = None,
) -> Audit:  # fmt: skip
    """Fit models at every client and say which protected attribute, or value, all of them treat worst.

    Parameters
    ----------
    data : path-like, pandas.DataFrame, Dataset or FederatedDataset
        A table needs `target`, `attributes` and, unless all rows are one client's, `client`.
    models : sequence or mapping
        Two or more: "logistic", "xgboost", "tree", estimators with scikit-learn's ``fit`` and ``predict``, or
        estimators by name.
    attributes : sequence of str, optional
        Protected attributes, columns of a table, or several crossed, as "sex & race"; by default all that a data set
        names. Order matters for ties.
    threshold : float
        In [0, 1]: a gap above it counts.
    level : {"attribute", "value"}
        Whether models have to agree on the attribute with the largest gap, or also on the value that is worse off.
    target : str
        The column to predict, of a table.
    client : str
        The column of a table that names the clients, or the natural clients of a data set that has several kinds.
    positive : object, optional
        The favourable class, against all others; of more than two classes it has to be named.
    leave_out : sequence of str
        Columns that are no features, beside the protected attributes.
    measure : {"demographic_disparity", "equal_opportunity", "equalized_odds", "accuracy_gap"}
        What is compared between groups.
    min_group : int
        Groups with fewer test rows than this are left out, at least 0.
    repeats : int
        Divisions of the rows, at least 1; the first is the protocol's, number r has the seed ``seed + r``.
    again : bool
        Whether to measure once more on test rows that were not among the first ones.
    division : {"protocol", "held_out"}
        Divide each client's rows anew, or take the test rows that a data set has: those a federated run is tested on.
    test_size : float
        Share of test rows, strictly between 0 and 1.
    seed : int
        Of the divisions, at least 0.
    keep_index : bool
        Whether columns of leftover row numbers ("Unnamed: 0", "__index_level_0__") stay features.
    executor : concurrent.futures.Executor, optional
        Threads or processes to share out the clients; the result is the same.
    progress : callable, optional
        Told the client and how much is done, 0 … 1; what it raises ends the audit.

    Returns
    -------
    Audit
        Verdicts, table, counts; a client that cannot be measured has its reason.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing, unknown or out of range, before any model is fitted.

    Notes
    -----
    At each client: 20 % of the rows for testing, at level "attribute" with every combination of attributes in its
    share, at level "value" just at random; protected attributes are no features, all others are used as they come,
    unscaled. With g_ma the gap of model m between the values of attribute a, every model names the attribute with its
    largest gap. If all name the same, a, the strength is min over m of g_ma, and the client is called biased against a
    where strength > threshold; if not, it is undecided.

    Clients picked because a gap came out large are too strong on average on the rows they were picked by. With
    ``again=True`` test rows are drawn from the first division's training rows, and all others are trained on, so that
    the two sets of test rows have none in common: ``strength_again`` was seen by no selection.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025): two models, the same attribute or value, minimum of the maxima above 0.09.

    Deviations
    ----------
    Where a combination of attributes has a single row the division is not stratified, instead of failing. A gap without
    two groups is NaN with a reason, not 0. Leftover row numbers are no features. Repeats, other test rows, intervals,
    other models and measures are ours.

    On the authors' own client files all numbers are theirs to 4 decimals wherever leftover row numbers were no feature
    in their runs. Where they were, the files that this was tested on lack the column; put back from its seed, it gives
    all but 7 of 111 devices and 6 of 47 silos, whose silos' order before the shuffle cannot be told, to 4 decimals.

    Examples
    --------
    >>> from trustkit import datasets
    >>> found = audit(datasets.load("acs_employment"), attributes=["sex", "race"], models=["logistic", "tree"])
    >>> [verdict.client for verdict in found.verdicts()], len(found.frame())
    (['2015', '2016', '2017', '2018'], 4)
    """
    rules = _Rules(level, measure, threshold, min_group, repeats, test_size, seed)
    _check(rules, division)
    fitted = estimators(models)
    table = table_of(data, attributes, target, client, positive, leave_out, keep_index)
    most = int(np.bincount(table.owner[table.owner >= 0]).max(initial=0))
    memory.fits(f"models of {most:,} rows × {table.X.shape[1]:,} columns", 24 * most * table.X.shape[1])
    for name, coded in table.attributes.items():
        if len(coded.values) < 2:
            got = coded.values[0] if coded.values else "no value"
            raise ValueError(f"the attribute {name!r} must have two values or more, got {got} only")
    if division == "held_out" and not table.held_out.any():
        raise ValueError(f"{table.name} must have test rows for division 'held_out', got none")
    if division == "held_out" and (repeats > 1 or again):
        raise ValueError("division 'held_out' has one set of test rows, got repeats or again")
    divisions = [Division(seed + r, test_size, level == "attribute") for r in range(repeats)]
    if again:
        divisions.append(Division(seed, test_size, level == "attribute", apart=True))
    found = _all(table, fitted, divisions, division == "held_out", executor, progress)
    other = None
    if again:
        last = {k: each[repeats:] for k, each in found.items()}
        other = _gathered(table, list(fitted), rules, last, 1, division)
    first = {k: each[:repeats] for k, each in found.items()}
    audited = _gathered(table, list(fitted), rules, first, repeats, division)
    return dataclasses.replace(audited, again=other)


def _check(rules: _Rules, division: str) -> None:
    for what, got, known in (
        ("level", rules.level, get_args(Level)),
        ("measure", rules.measure, tuple(MEASURES)),
        ("division", division, ("protocol", "held_out")),
    ):
        if got not in known:
            raise ValueError(f"{what} must be one of {', '.join(known)}, got {got!r}")
    for what, real in (("threshold", rules.threshold), ("test_size", rules.test_size)):
        if isinstance(real, bool) or not isinstance(real, (int, float, np.number)):
            raise TypeError(f"{what} must be a number, got {real!r}")
    if not 0 <= rules.threshold <= 1:
        raise ValueError(f"threshold must be between 0 and 1, got {rules.threshold!r}")
    if not 0 < rules.test_size < 1:
        raise ValueError(f"test_size must be strictly between 0 and 1, got {rules.test_size!r}")
    for what, number, least in (
        ("repeats", rules.repeats, 1),
        ("min_group", rules.min_group, 0),
        ("seed", rules.seed, 0),
    ):
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"{what} must be a whole number, got {number!r}")
        if number < least:
            raise ValueError(f"{what} must be at least {least}, got {number!r}")


def _jobs(table: Table, clients: np.ndarray, held_out: bool) -> Iterator[Job]:
    """Yield what each of the clients has, in the order of its rows."""
    order = np.argsort(table.owner, kind="stable")
    owner = table.owner[order]
    for start, end in zip(np.searchsorted(owner, clients), np.searchsorted(owner, clients, "right"), strict=True):
        own = order[start:end]
        groups = {name: Coded(each.codes[own], each.values) for name, each in table.attributes.items()}
        yield Job(table.X[own], table.y[own], groups, table.held_out[own] if held_out else None)


def _sizes(table: Table) -> np.ndarray:
    """Return (K,): rows of each client."""
    return np.bincount(table.owner[table.owner >= 0], minlength=len(table.clients))


def _all(
    table: Table, models: Mapping[str, Any], divisions: Sequence[Division], held_out: bool, executor: Executor | None,
    progress: Progress | None,
) -> dict[int, list[Found]]:  # fmt: skip
    """Examine every client of two rows or more; in the order of the clients, however many work at it."""
    clients = np.flatnonzero(_sizes(table) > 1)
    jobs, found = _jobs(table, clients, held_out), {}
    with quiet():
        work = map if executor is None else executor.map
        for k, each in zip(clients.tolist(), work(examined, jobs, repeat(models), repeat(divisions)), strict=True):
            found[k] = each
            if progress is not None:
                progress(table.clients[k], len(found) / clients.size)
    return found


def _gathered(
    table: Table, models: list[str], rules: _Rules, found: Mapping[int, list[Found]], repeats: int, division: str
) -> Audit:
    """Stack what was found: divisions first, then clients."""
    clients, held, rows = len(table.clients), table.owner >= 0, _sizes(table)
    counted = count_clients(table.y, table.y, table.owner, table.attributes, clients=clients)
    accuracy = np.full((repeats, clients, len(models)), np.nan)
    test_rows = np.zeros((repeats, clients), int)
    counts = {
        name: np.zeros((repeats, clients, len(models), len(each.values), 2, 2), int)
        for name, each in table.attributes.items()
    }
    reasons = ["1 row, too few to divide" if n == 1 else "no rows" if n == 0 else "" for n in rows.tolist()]
    for k, divided in found.items():
        reasons[k] = divided[0].reason
        for r, each in enumerate(divided):
            accuracy[r, k], test_rows[r, k] = each.accuracy, each.test_rows
            for name, cells in each.counts.items():
                counts[name][r, k] = cells
    facts = table.facts | {
        "seed": rules.seed, "test_size": rules.test_size, "repeats": repeats, "division": division,
        "stratified_clients": sum(each[0].stratified for each in found.values()),
        "unowned_rows": int((~held).sum()), "source": table.provenance.source, "licence": table.provenance.licence,
        "checksum": table.provenance.sha256, "synthetic": table.provenance.synthetic,
        "stands_in_for": table.provenance.stands_in_for,
    }  # fmt: skip
    return Audit(
        name=table.name,
        level=rules.level,
        measure=rules.measure,
        threshold=rules.threshold,
        min_group=rules.min_group,
        models=tuple(models),
        attributes={name: coded.values for name, coded in table.attributes.items()},
        clients=table.clients,
        composition={name: np.stack([each.counts[:, :, 0, 0], each.counts[:, :, 1, 1]], axis=-1)
                     for name, each in counted.items()},
        missing={name: each.missing for name, each in counted.items()},
        rows=rows,
        test_rows=test_rows,
        counts=counts,
        accuracy=accuracy,
        reasons=tuple(reasons),
        facts=facts,
    )  # fmt: skip
