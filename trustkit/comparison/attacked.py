"""An attacked experiment, its clean twin and its defended one; who attacks, and what a backdoor achieves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trustkit.catalogue import ALGORITHMS, use
from trustkit.experiment import Experiment
from trustkit.horizontal.adversary import attackers
from trustkit.metrics.defence import backdoor_success_rate
from trustkit.records import RunRecord
from trustkit.rounds import build, partition_of

__all__ = ["DEFENCES", "attackers_of", "backdoor_success", "twins"]

DEFENCES: Mapping[str, str] = {
    "fedmedian": "medians",
    "trimmed_mean": "without extremes",
    "krum": "the nearest model",
    "multi_krum": "the nearest models",
    "bulyan": "Krum, then medians",
    "afa": "without odd directions",
    "rfout_1d": "without outliers",
}
"""Rules that withstand attackers, with what they merge of the clients' models."""

_SHARED = ("lr", "epochs", "batch", "selector")
"""Arguments of the training that a defence takes over."""

_ROWS = 1000


def twins(experiment: Experiment, defence: str) -> dict[str, Experiment]:
    """Return an attacked experiment with its clean twin and its defended one.

    Parameters
    ----------
    experiment : Experiment
        With an attack.
    defence : str
        An algorithm across rows. A rule that has to be told the share of attackers is told what the attack has, up to
        the most that it takes.

    Returns
    -------
    dict of str to Experiment
        By "clean", "attacked" and "defended"; without the last if the experiment trains by that rule already.

    Raises
    ------
    KeyError
        If there is no such algorithm.

    Examples
    --------
    >>> from trustkit import Experiment, use
    >>> flipped = Experiment("digits", use("iid", parties=5), "fedavg", "logistic", attack="label_flip")
    >>> {name: str(each.algorithm.name) for name, each in twins(flipped, "krum").items()}
    {'clean': 'fedavg', 'attacked': 'fedavg', 'defended': 'krum'}
    """
    trio = {"clean": experiment.change(attack=None), "attacked": experiment}
    if defence != experiment.algorithm.name:
        takes = {parameter.name: parameter for parameter in ALGORITHMS[defence].parameters}
        given = {name: value for name, value in experiment.algorithm.args.items() if name in _SHARED and name in takes}
        asked = experiment.attack.args.get("share") if experiment.attack else None
        if defence in DEFENCES and asked is not None and "share" in takes:
            interval = takes["share"].interval
            given["share"] = asked if interval is None else min(asked, interval.high)
        trio["defended"] = experiment.change(algorithm=use(defence, **given))
    return trio


def attackers_of(experiment: Experiment) -> np.ndarray | None:
    """Return who attacks in an experiment, without building it.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    (a,) int array or None
        Clients; ``None`` if there is no attack, or one that has no share.
    """
    share = experiment.attack.args.get("share") if experiment.attack else None
    return None if share is None else attackers(partition_of(experiment).parties, share, experiment.seed)


def backdoor_success(record: RunRecord, attacked: Experiment) -> float | None:
    """Measure how often an attack's pattern leads a run's model to its class.

    Parameters
    ----------
    record : RunRecord
        Any run on the same data, with the state of its last round.
    attacked : Experiment
        Says the attack.

    Returns
    -------
    float or None
        In [0, 1]: the share of held-out rows of other classes, 1,000 evenly spread ones at most; ``None`` if the attack
        has no pattern, NaN if no row is of another class.

    Notes
    -----
    See `trustkit.metrics.backdoor_success_rate`.
    """
    attack, built = build(attacked).attack, build(record.experiment)
    if attack is None or attack.trigger is None or record.last.state is None:
        return None
    test = built.fed.stacked("test")
    rows = slice(None, None, max(1, len(test.y) // _ROWS))
    with np.errstate(over="ignore", invalid="ignore"):
        scores = built.trainer.logits(record.last.state, attack.trigger.stamp(np.asarray(test.X[rows])))
    return backdoor_success_rate(scores.argmax(axis=1), test.y[rows], attack.trigger.target)
