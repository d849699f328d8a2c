"""`facts_of` folds a run into a fact sheet: what was configured, what was counted, what the final model measures."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from trustkit import metrics
from trustkit.catalogue import ALGORITHMS, SPLITS
from trustkit.conduct import CLEVER_RADIUS, conduct_of, energy_facts, insight_of, log_facts
from trustkit.data import Dataset
from trustkit.experiment import Experiment
from trustkit.findings import THRESHOLD, fairness_of
from trustkit.horizontal.summing import MINIMUM, word_sum
from trustkit.preset import scaled_down
from trustkit.records import RunRecord
from trustkit.rounds import Built, build, data_of
from trustkit.trust import FactSheet
from trustkit.trust.energy import Energy
from trustkit.trust.events import EventLog
from trustkit.trust.factsheet import client_id
from trustkit.trust.fields import LIMIT

__all__ = ["CLEVER_RADIUS", "facts_of", "log_of"]

_SECRET = secrets.token_hex(16)
"""Keys the clients' ids; made anew in every process, so ids of two projects cannot be matched."""

_STORED = "test rows by client, protected group, label and prediction, which only the run's own file (run.npz) holds"


def log_of(experiment: Experiment, path: str | os.PathLike[str] | None = None, after: int | None = None) -> EventLog:
    """Open an event log for a run: an observer of its rounds that names clients as the fact sheet does.

    Parameters
    ----------
    experiment : Experiment
        What will be played.
    path : path-like, optional
        A file of JSON lines, written anew; by default the log is in memory only.
    after : int, optional
        The round that a begun run goes on after: the file's chain goes on too, with an event that says so. Clients have
        other ids from there on, since the key that hides them is never written.

    Returns
    -------
    EventLog
        For ``run(experiment, observers=[log])``, then ``facts_of(record, log=log)``.

    Raises
    ------
    ValueError
        If a log is to go on whose chain is broken.

    Examples
    --------
    >>> from trustkit.preset import presets
    >>> [event.kind for event in log_of(presets()["start"])]
    ['log_opened']
    """
    private = None if experiment.privacy is None else experiment.privacy.name
    about = {"experiment": experiment.key, "rounds": experiment.rounds, "privacy": private}
    rule = ALGORITHMS[experiment.algorithm.name].title
    if after is None or path is None:
        return EventLog(_SECRET, path, rule=rule, about=about)
    log = EventLog.load(path, _SECRET, rule=rule) if os.path.exists(path) else EventLog(_SECRET, path, rule, about)
    log.append("run_resumed", after_round=after)
    return log


def facts_of(
    record: RunRecord, *, look_at: int | None = None, log: EventLog | None = None, energy: Energy | None = None,
    examined: Mapping[str, Any] | None = None, **stated: Any,
) -> FactSheet:  # fmt: skip
    """Fill a fact sheet from a run.

    Parameters
    ----------
    record : RunRecord
        At least one round; its last one holds the model.
    look_at : int, optional
        At least 1: held-out rows on which CLEVER is measured, and a sixth of those on which Shapley values are. By
        default 8, or 2 of images above 256 pixels, whose gradients cost more; the sheet says how many.
    log : EventLog, optional
        Of this run; the sheet keeps its last digest, so that a log that was cut off is found out.
    energy : Energy, optional
        Of the training, as `trustkit.trust.energy.EnergyMeter` takes it; emissions follow.
    examined : mapping, optional
        What `trustkit.examine` found: facts by ``section/name``.
    **stated
        What a run cannot know, by name: ``project="…"``, ``purpose="…"``, ``background="…"``, or any fact of the
        template as ``section__name``.

    Returns
    -------
    FactSheet
        Aggregates only. What is not known stays out; what is not defined is NaN.

    Raises
    ------
    KeyError
        If a stated fact is not in the template.
    TypeError, ValueError
        If a stated fact does not fit its place, no row is to be looked at, or the run has no finished round yet.
    """
    if look_at is not None and look_at < 1:
        raise ValueError(f"look_at must be at least 1 row, got {look_at!r}")
    named = {name: stated.pop(name, None) for name in ("project", "purpose", "background")}
    FactSheet().with_facts(**stated)  # refuses what does not fit before anything is measured
    built, data = build(record.experiment), data_of(record.experiment)
    facts = {
        **_project(record, data, named),
        **_participants(record, built),
        **_data(built, data),
        **_configuration(record, built),
        **_privacy(record, built),
        **conduct_of(record, built),
        **_performance(record),
        **_fairness(record, data),
        **insight_of(record, built, look_at or (2 if data.image is not None and data.X.shape[1] > 256 else 8)),
        **_system(record, built),
        **energy_facts(energy, record, stated),
        **({} if log is None else {"log/head": log.head, "log/events": len(log), **log_facts(record, log)}),
    }
    known = {key: value for key, value in facts.items() if _fits(value, len(data.y))}
    return FactSheet({**known, **(examined or {})}).with_facts(**stated)


def _fits(value: Any, rows: int) -> bool:
    """Whether a value is known, and no list that a sheet refuses: a very long one, or one as long as the data."""
    if isinstance(value, (list, np.ndarray)):
        return len(value) <= LIMIT and len(value) != rows
    return value is not None


def _project(record: RunRecord, data: Dataset, named: Mapping[str, Any]) -> dict[str, Any]:
    overview = f"{ALGORITHMS[record.experiment.algorithm.name].title} on {data.name}, simulated on one machine"
    return {
        "project/overview": named["project"] or overview,
        "project/purpose": named["purpose"],
        "project/background": named["background"],
        "project/experiment": record.experiment.key,
    }


def _participants(record: RunRecord, built: Built) -> dict[str, Any]:
    experiment, parties = record.experiment, len(built.fed)
    return {
        "participants/client_num": parties,
        "participants/sample_client_rate": experiment.participation,
        "participants/client_selector": built.trainer.facts.get("client_selector", "all"),
        "participants/ids": sorted(client_id(_SECRET, k) for k in range(parties)),  # not in the order of the clients
    }


def _data(built: Built, data: Dataset) -> dict[str, Any]:
    source = data.provenance
    scaled = {"standard": "standardised by the training rows", "minmax": "scaled to [-1, 1] by the training rows",
              "none": "as it came"}[data.scaling]  # fmt: skip
    split = built.experiment.split
    facts: dict[str, Any] = {
        "data/provenance": f"{source.source} ({source.licence})",
        "data/preprocessing": scaled,
        "data/synthetic": source.synthetic,
        "data/stands_in_for": source.stands_in_for or None,
        "data/scaled_down": scaled_down(built.experiment) or None,
        "data/split": f"{SPLITS[split.name].title}: {', '.join(f'{k}={v}' for k, v in split.args.items())}",
        "data/rows": len(data.y),
        "data/features": data.X.shape[1],
    }
    if data.classes:
        counts = _label_counts(built)
        facts |= _class_counts(counts, bool(data.sensitive))
        facts["data/avg_entropy"] = _mean_entropy(counts)
        facts["privacy/client_entropy"] = _client_entropy(counts.sum(1))
    return facts


def _class_counts(counts: np.ndarray, grouped: bool) -> dict[str, Any]:
    """State the classes' rows and how they vary, unless that would tell the label counts of one or two clients.

    Where a class has one or two holders, its sum is theirs: the counts stay out. So does their variation where two
    classes are left, as it gives both counts away; over more classes it gives none.
    """
    total, withheld, facts = _hidden_sum(counts), [_STORED] * grouped, dict[str, Any]()
    if total is None:
        withheld.insert(0, f"class counts, which fewer than {MINIMUM} clients would add up to")
    else:
        holders = word_sum(counts[counts.sum(1) > 0] > 0)
        few, there = int(((holders > 0) & (holders < MINIMUM)).sum()), int((total > 0).sum())
        if few:
            withheld.insert(0, f"class counts, as fewer than {MINIMUM} clients have rows of {few} of {there} classes")
        else:
            facts["data/class_counts"] = total
        if not few or there > 2:
            facts["fairness/class_imbalance"] = metrics.coefficient_of_variation(total)
    return {**facts, "data/withheld": "; ".join(withheld) or None}


def _hidden_sum(counts: np.ndarray) -> np.ndarray | None:
    """Add up the clients' label counts (K, C) as secure aggregation would; None where too few hold rows to hide in."""
    held = counts[counts.sum(1) > 0]
    return word_sum(held) if len(held) >= MINIMUM else None


def _client_entropy(sizes: np.ndarray) -> float:
    """Evenness of whose a training row is; NaN where that is no question: one client, or rows that all parties hold."""
    return metrics.entropy(sizes, base=len(sizes)) if len(sizes) > 1 else math.nan


def _label_counts(built: Built) -> np.ndarray:
    """(K, C) training rows by client and class; across columns (1, C), as all parties see the same rows."""
    data, partition = built.fed.data, built.fed.partition
    owner, clients = (partition.owner, partition.parties) if partition.axis == "rows" else (np.zeros_like(data.y), 1)
    return metrics.label_distribution(data.y, np.where(data.held_out, -1, owner), clients, len(data.classes))


def _mean_entropy(counts: np.ndarray) -> float:
    """Mean over clients of the label entropy, scaled by the smallest and the largest; NaN where they are equal."""
    held = counts[counts.sum(1) > 0]
    values = np.array([metrics.entropy(row / row.sum()) for row in held])
    spread = np.ptp(values) if values.size else 0.0
    return float(((values - values.min()) / spread).mean()) if spread > 0 else math.nan


def _configuration(record: RunRecord, built: Built) -> dict[str, Any]:
    experiment, args = record.experiment, record.experiment.algorithm.args
    return {
        "configuration/aggregation_algorithm": ALGORITHMS[experiment.algorithm.name].title,
        "configuration/training_model": experiment.model.name if experiment.model else "mlp",
        "configuration/personalization": built.trainer.facts.get("personalization", False),
        "configuration/total_round_num": experiment.rounds,
        "configuration/learning_rate": args.get("lr"),
        "configuration/local_update_steps": args.get("epochs", 1),
        "configuration/batch_size": args.get("batch"),
        "configuration/seed": experiment.seed,
    }


def _privacy(record: RunRecord, built: Built) -> dict[str, Any]:
    known: Mapping[str, Any] = built.trainer.facts
    if record.experiment.privacy is None:
        return {"privacy/differential_privacy": False, "privacy/epsilon": math.inf}
    epsilon = float(record.last.epsilon)
    return {
        "privacy/differential_privacy": math.isfinite(epsilon),  # clipping without noise protects nobody
        "privacy/epsilon": epsilon,
        "privacy/configured_epsilon": record.experiment.privacy.args.get("epsilon"),
        **{f"privacy/{name}": known.get(name)
           for name in ("mechanism", "level", "delta", "noise_multiplier", "clip", "assumption")},
    }  # fmt: skip


def _performance(record: RunRecord) -> dict[str, Any]:
    accuracy, loss = (values[np.isfinite(values)] for values in (record.last.accuracy, record.last.loss))
    return {
        "performance/test_acc_avg": float(accuracy.mean()) if accuracy.size else math.nan,
        "performance/test_loss_avg": float(loss.mean()) if loss.size else math.nan,
        "performance/worst_tenth_accuracy": metrics.worst_share_mean(accuracy) if accuracy.size else math.nan,
        "performance/rounds_played": len(record),
        "fairness/test_acc_cv": metrics.coefficient_of_variation(accuracy) if accuracy.size > 1 else math.nan,
    }


def _fairness(record: RunRecord, data: Dataset) -> dict[str, Any]:
    facts: dict[str, Any] = {"fairness/selection_cv": metrics.coefficient_of_variation(record.selected.mean(0))}
    gaps = fairness_of(record)
    if gaps is not None:
        facts |= {
            "fairness/attribute": gaps.attribute,
            "fairness/worst_disparity": gaps.worst,
            "fairness/pooled_disparity": gaps.pooled,
            "fairness/share_over": metrics.share_over(gaps.disparity, THRESHOLD),
        }
    return facts


def _system(record: RunRecord, built: Built) -> dict[str, Any]:
    return {
        "system/training_seconds": float(record.seconds.sum()),
        "system/model_bytes": float(built.trainer.facts["model_bytes"]),
        "system/upload_bytes": float(record.bytes_up.sum(0).mean()),
        "system/download_bytes": float(record.bytes_down.sum(0).mean()),
    }
