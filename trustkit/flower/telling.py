"""What a Flower run tells: facts of its strategy, its rounds and its masked counts; aggregates only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit import metrics
from trustkit.conduct import log_facts
from trustkit.horizontal.faults import rates
from trustkit.horizontal.summing import MINIMUM
from trustkit.horizontal.unreliable import outcomes_of
from trustkit.records import RunRecord
from trustkit.trust.events import EventLog
from trustkit.trust.factsheet import client_id as id_of

__all__ = ["MINIMUM", "Counts", "Told", "class_facts", "facts_of_course", "id_of", "rule_of", "spent_by"]

_FEDOPT = ("FedAdam", "FedYogi", "FedAdagrad")
"""Flower's names for what the paper's Table 3 calls FedOpt."""

_SEES = (
    "none: the server sees every client's update, as far as no mod of the clients hides it; rows by class reach it as "
    "a masked sum only"
)
_NO_ACCOUNT = (
    "noise is added, but the strategy has no accountant, so ε is not known; it must average with equal weights for the "
    "clipping norm to bound what a client changes"
)


@dataclass(frozen=True, eq=False)
class Counts:
    """What came of asking for label counts.

    Parameters
    ----------
    classes : int
        How many there are, C.
    asked, answered : int
        SuperNodes that were asked for a key, and that gave one.
    total : (2C + 1,) int array or None
        Rows by class, clients by class, clients with rows; ``None`` where there was no sum.
    """

    classes: int
    asked: int
    answered: int
    total: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Told:
    """What is known of a run beside its rounds: strategy, rounds asked for, configuration, model, counts."""

    strategy: Any
    rounds: int
    config: Mapping[str, Any]
    model: Any
    counts: Counts | None


def _chain(strategy: Any) -> list[Any]:
    """List a strategy and what it wraps, the innermost last."""
    found = [strategy]
    while (inner := getattr(found[-1], "strategy", None)) is not None and inner not in found:
        found.append(inner)
    return found


def rule_of(strategy: Any) -> str:
    """Name the rule that combines the clients' models.

    Parameters
    ----------
    strategy : object
        A strategy of Flower, wrapped or not.

    Returns
    -------
    str
        The innermost strategy's class, as FedAvg; FedOpt for FedAdam, FedYogi and FedAdagrad; of an experiment its
        algorithm's title.

    Examples
    --------
    >>> class FedMedian: ...
    >>> class Wrapped:
    ...     strategy = FedMedian()
    >>> rule_of(Wrapped())
    'FedMedian'
    """
    inner = _chain(strategy)[-1]
    federation = getattr(inner, "federation", None)
    if federation is not None:
        from trustkit.catalogue import ALGORITHMS

        return ALGORITHMS[federation.experiment.algorithm.name].title
    name = type(inner).__name__
    return "FedOpt" if name in _FEDOPT else name


def spent_by(strategy: Any) -> tuple[float, float] | None:
    """Return what an accountant of Flower says was spent.

    Parameters
    ----------
    strategy : object
        A strategy of Flower, wrapped or not.

    Returns
    -------
    epsilon, delta : float
        Composed over all rounds so far; ``None`` without an accountant.
    """
    for each in _chain(strategy):
        spent = each.privacy_spent() if hasattr(each, "privacy_spent") else None
        if spent is not None:
            return float(spent.epsilon), float(spent.delta)
    return None


def facts_of_course(record: RunRecord, outcomes: np.ndarray, log: EventLog, key: str, told: Told) -> dict[str, Any]:
    """Fold a run into facts.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    outcomes : (K, 4) int array
        In how many rounds each client delivered, left, failed and was late.
    log : EventLog
        Of the run.
    key : str
        Hides who a client is.
    told : Told
        What else is known.

    Returns
    -------
    dict
        Facts by ``section/name``; what is not known stays out.
    """
    found = {
        **_participants(record, key, told.strategy),
        **_configuration(told),
        **_privacy(told.strategy),
        **_performance(record),
        **_trouble(outcomes),
        **({} if told.counts is None else class_facts(told.counts)),
        "log/head": log.head, "log/events": len(log), **log_facts(record, log),
    }  # fmt: skip
    return {name: value for name, value in found.items() if value is not None}


def _participants(record: RunRecord, key: str, strategy: Any) -> dict[str, Any]:
    selected = record.selected
    clients, share = selected.shape[1], float(selected.mean())
    inner = _chain(strategy)[-1]
    random = type(inner).__module__.startswith("flwr.") or hasattr(inner, "federation")
    chosen = getattr(getattr(inner, "trainer", None), "facts", {}).get("client_selector", "random" if random else None)
    return {
        "participants/client_num": clients,
        "participants/sample_client_rate": share,
        "participants/client_selector": "all" if share == 1 else chosen,
        "participants/ids": sorted(id_of(key, k) for k in range(clients)) if clients <= 4096 else None,
        "participants/minimum_group": MINIMUM,
        "fairness/selection_cv": metrics.coefficient_of_variation(selected.mean(0)),
    }


def _configuration(told: Told) -> dict[str, Any]:
    config = {name.replace("_", "-"): value for name, value in told.config.items()}
    arrays = [] if told.model is None else [array.numpy() for array in told.model.values()]
    rate, epochs, batch = (config.get(name) for name in ("lr", "local-epochs", "batch-size"))
    return {
        "configuration/aggregation_algorithm": rule_of(told.strategy),
        "configuration/topology": "server",
        "configuration/total_round_num": told.rounds,
        "configuration/learning_rate": config.get("learning-rate", rate),
        "configuration/local_update_steps": epochs,
        "configuration/batch_size": batch,
        "explainability/trainable_param_num": sum(array.size for array in arrays) or None,
        "explainability/tensors": len(arrays) or None,
        "system/model_bytes": float(sum(array.nbytes for array in arrays)) or None,
    }


def _privacy(strategy: Any) -> dict[str, Any]:
    """State the noise of Flower's strategies; without one nothing is said, since clients may add their own."""
    noisy = next((each for each in _chain(strategy) if hasattr(each, "noise_multiplier")), None)
    if noisy is None:
        return {"privacy/aggregation_protection": _SEES}
    spent = spent_by(strategy)
    return {
        "privacy/aggregation_protection": _SEES,
        "privacy/differential_privacy": bool(noisy.noise_multiplier > 0),
        "privacy/mechanism": f"Gaussian, by Flower's {type(noisy).__name__}",
        "privacy/level": "client",
        "privacy/noise_multiplier": float(noisy.noise_multiplier),
        "privacy/clip": float(getattr(noisy, "clipping_norm", math.nan)),
        "privacy/epsilon": None if spent is None else spent[0],
        "privacy/delta": None if spent is None else spent[1],
        "privacy/assumption": _NO_ACCOUNT if spent is None else "as Flower's accountant states: of models, not metrics",
    }


def _performance(record: RunRecord) -> dict[str, Any]:
    """State what clients measured in the last round in which any did."""
    found: dict[str, Any] = {
        "performance/rounds_played": len(record),
        "system/training_seconds": float(record.seconds.sum()),
        "system/upload_bytes": float(record.bytes_up.sum(0).mean()),
        "system/download_bytes": float(record.bytes_down.sum(0).mean()),
        "system/total_upload_bytes": float(record.bytes_up.sum()),
        "system/total_download_bytes": float(record.bytes_down.sum()),
    }
    for name, values in (("acc", record.accuracy), ("loss", record.loss)):
        rows = [row[np.isfinite(row)] for row in values if np.isfinite(row).any()]
        if rows:
            found[f"performance/test_{name}_avg"] = float(rows[-1].mean())
        if rows and name == "acc":
            found["performance/worst_tenth_accuracy"] = metrics.worst_share_mean(rows[-1])
            found["fairness/test_acc_cv"] = (
                metrics.coefficient_of_variation(rows[-1]) if rows[-1].size > 1 else math.nan
            )
    return found


def _trouble(outcomes: np.ndarray) -> dict[str, Any]:
    """State how often clients left, failed and were late, if any ever did."""
    if not outcomes[:, 1:].any():
        return {}
    return {f"system/{name}_rate": rate for name, rate in rates(outcomes_of(outcomes)).items()}


def class_facts(counts: Counts) -> dict[str, Any]:
    """State the classes' rows, unless that would tell the label counts of one or two clients.

    Parameters
    ----------
    counts : Counts
        What came of asking.

    Returns
    -------
    dict
        Facts by ``section/name``; ``data/withheld`` says what stays out, and why.

    Examples
    --------
    >>> class_facts(Counts(2, 3, 3, np.array([4, 6, 3, 3, 3])))["data/class_counts"]
    [4, 6]
    >>> class_facts(Counts(2, 2, 2, None))["data/withheld"]
    'class counts, which need at least 3 SuperNodes that answer; 2 of 2 did'
    """
    if counts.total is None:
        enough = counts.answered >= MINIMUM
        few = f"which need at least {MINIMUM} SuperNodes that answer; {counts.answered} of {counts.asked} did"
        why = "since not every SuperNode that gave a key sent its words, and masks stay on" if enough else few
        return {"data/withheld": f"class counts, {why}"}
    rows, holders = np.split(counts.total[:-1], 2)
    scarce, there = int(((holders > 0) & (holders < MINIMUM)).sum()), int((rows > 0).sum())
    found: dict[str, Any] = {}
    if scarce:
        found["data/withheld"] = (
            f"class counts, as fewer than {MINIMUM} clients have rows of {scarce} of {there} classes"
        )
    else:
        found["data/class_counts"] = rows.tolist()
        found["participants/avg_dataset_size"] = float(rows.sum() / counts.answered)
    if not scarce or there > 2:
        found["fairness/class_imbalance"] = metrics.coefficient_of_variation(rows)
    return found
