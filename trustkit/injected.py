"""What a split that is biased on purpose did to each client: gaps of the labels before and after, and rows dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.catalogue import SPLITS, Use, use
from trustkit.data import Dataset, FederatedDataset
from trustkit.experiment import Experiment
from trustkit.findings import client_names
from trustkit.metrics.clients import disparity_interval
from trustkit.metrics.counting import count_clients
from trustkit.metrics.gaps import gaps_from_counts
from trustkit.partition import Partition
from trustkit.records import RunRecord
from trustkit.rounds import data_of, partition_of
from trustkit.split.reach import reachable_gap
from trustkit.split.tables import attribute_codes
from trustkit.split.targeted import biased

__all__ = ["BIASED", "Injected", "injected_of", "reachable", "rule_of"]

BIASED = biased.__name__
"""The split that drops rows on purpose."""

_RULES = ("iid", "dirichlet", "quantity", "by_group")
_PASSED = ("parties", "alpha", "group")


@dataclass(frozen=True, eq=False)
class Injected:
    """Gaps of the labels of K clients' training rows; all arrays are (K,), NaN where undefined.

    Parameters
    ----------
    names : tuple of str
        The clients.
    attributes : tuple of str
        Which attribute's gap is meant at each client.
    asked : float array
        What gap was asked for; NaN where nothing was.
    at_most : bool array
        Whether a smaller gap would do.
    before, achieved, low, high : float array
        The gap as the rows came, the gap now, and a 95 % interval for it (Newcombe's).
    worse : tuple of str
        Who is the worst off now; empty without a gap.
    rows, dropped : int array
        Training rows as they came, and how many of them were dropped.
    """

    names: tuple[str, ...]
    attributes: tuple[str, ...]
    asked: np.ndarray
    at_most: np.ndarray
    before: np.ndarray
    achieved: np.ndarray
    low: np.ndarray
    high: np.ndarray
    worse: tuple[str, ...]
    rows: np.ndarray
    dropped: np.ndarray


def rule_of(experiment: Experiment) -> Use:
    """Return the split that makes an experiment's clients, before any bias.

    Parameters
    ----------
    experiment : Experiment
        Over rows.

    Returns
    -------
    Use
        The split itself, unless it is the biased one.
    """
    split = experiment.split
    if split.name != BIASED:
        return split
    rule = str(split.args["rule"])
    known = {parameter.name for parameter in SPLITS[rule].parameters}
    return use(rule, **{name: split.args[name] for name in _PASSED if name in known})


def reachable(experiment: Experiment, attribute: str, value: str = "") -> np.ndarray:
    """Return the largest gap of the labels that each client can be given.

    Parameters
    ----------
    experiment : Experiment
        Over rows, biased or not.
    attribute : str
        A protected attribute, or several crossed.
    value : str
        Who shall be the worst off; empty for the one that is.

    Returns
    -------
    (K,) float array
        In [0, 1]; NaN where a client lacks the groups. See `trustkit.split.reach.reachable_gap`.

    Raises
    ------
    KeyError, ValueError
        If there is no such attribute or value.
    """
    plain = experiment.change(split=rule_of(experiment))
    return reachable_gap(data_of(plain), partition_of(plain), attribute, value or None)


def injected_of(experiment: Experiment, attribute: str = "") -> Injected:
    """Say what bias a split put into each client's training rows.

    Parameters
    ----------
    experiment : Experiment
        Over rows; nothing is trained. The split is the biased one, or the data are "flipped_labels" divided by the
        clients that they were changed by; with any other nothing was asked for and nothing dropped.
    attribute : str
        Whose gap is shown where none was asked for; by default the data set's first.

    Returns
    -------
    Injected
        Client by client.

    Raises
    ------
    ValueError
        If the data name no protected attribute, or what is asked for cannot be had.
    KeyError
        If there is no such attribute.
    """
    data, split = data_of(experiment), partition_of(experiment)
    if not data.sensitive:
        raise ValueError(f"data must have a protected attribute, got {experiment.data.name} without one")
    plain = split if experiment.split.name != BIASED else partition_of(experiment.change(split=rule_of(experiment)))
    first = attribute or next(iter(data.sensitive))
    attributes = [first] * split.parties
    asked, at_most = np.full(split.parties, np.nan), np.zeros(split.parties, bool)
    done, gone = _done(experiment, data, split)
    for each in done:
        k = each["client"]
        if np.isnan(asked[k]) or each["attribute"] == first:  # of several of one client the one that is looked at
            attributes[k], asked[k], at_most[k] = each["attribute"], each["asked"], each["at_most"]
    before, _, _, _ = _label_gaps(FederatedDataset(data, plain), attributes)
    now, low, high, worse = _label_gaps(FederatedDataset(data, split), attributes)
    for each in done:  # where a value is named, its gap is not the largest one
        k = each["client"]
        if attributes[k] == each["attribute"]:
            before[k], now[k], low[k], high[k] = (each[name] for name in ("before", "achieved", "low", "high"))
            worse[k] = each["worst"]
    rows = [_training(data.held_out, each) for each in (plain, split)]
    rows[0] = rows[0] + gone
    names = client_names(RunRecord(experiment))
    return Injected(names, tuple(attributes), asked, at_most, before, now, low, high, tuple(worse), rows[0],
                    rows[0] - rows[1])  # fmt: skip


def _done(experiment: Experiment, data: Dataset, split: Partition) -> tuple[Sequence[Mapping[str, Any]], np.ndarray]:
    """Return what was done to the clients, a line for each target, and what their data had lost before any split."""
    group = experiment.split.args.get("group")
    if "altered" in data.notes and experiment.split.name == "by_group" and group in ("", "client"):
        lost = data.notes.get("dropped_by_client", [0] * split.parties)
        return data.notes.get("gaps", ()), np.array(lost)
    return split.achieved.get("gaps", ()), np.zeros(split.parties, int)


def _training(held_out: np.ndarray, partition: Partition) -> np.ndarray:
    """Count the training rows of each client (K,)."""
    owner = np.where(held_out, -1, partition.owner)
    return np.bincount(owner[owner >= 0], minlength=partition.parties)


def _label_gaps(fed: FederatedDataset, attributes: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Return each client's gap of the labels, its interval and who is the worst off, by the attribute it is given."""
    data, K = fed.data, len(fed)
    owner = np.where(data.held_out, -1, fed.partition.owner)
    favourable = data.y == data.positive
    gap, low, high = (np.full(K, np.nan) for _ in range(3))
    worse = [""] * K
    for name in dict.fromkeys(attributes):
        coded = attribute_codes(data, name)
        counts = count_clients(favourable, favourable, owner, {"": coded}, clients=K)[""].counts
        found, ends = gaps_from_counts(counts), disparity_interval(counts)
        mine = np.flatnonzero([each == name for each in attributes])
        gap[mine], low[mine], high[mine] = found.gap[mine], ends[0][mine], ends[1][mine]
        for k in mine:
            worse[k] = coded.values[found.worse[k]] if found.worse[k] >= 0 else ""
    return gap, low, high, worse
