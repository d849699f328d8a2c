"""What the aggregation rule does for the model: the run is played again by FedAvg, with all else as it was."""

from __future__ import annotations

import numpy as np

from trustkit.catalogue import ALGORITHMS, use
from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.experiment import Experiment
from trustkit.horizontal.trainer import RowTrainer
from trustkit.rounds import build

__all__ = ["aggregation", "twin_of"]

_PLAIN = "fedavg"


@measure("aggregation", cost="trainings", axes=("rows",))
def aggregation(subject: Subject, tell: Tell) -> Found:
    """Play the run again by FedAvg, and compare the accuracies.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        performance/against_fedavg.

    Raises
    ------
    NotMeasured
        If the run is by FedAvg itself, or the twin has no accuracy above 0.

    Notes
    -----
    min(1, a / a₀) with a and a₀ the mean over clients of the test accuracy after the last round, of the run and of its
    twin: same data, split, model, privacy, attack, faults, rounds and seed, and of the algorithm's own numbers those
    that FedAvg has too. Clients that are undefined in either are left out of both. Personal models are compared with
    the twin's global one.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.6, Aggregation Algorithm, which ranks rules by their
    accuracy in a published benchmark.

    Deviations
    ----------
    The benchmark is the run itself: the paper's has no robust rule. With the rates that suit the rule, FedAvg is not
    always at its best.
    """
    experiment, rounds = subject.built.experiment, subject.rounds
    if experiment.algorithm.name == _PLAIN:
        raise NotMeasured("the run is by FedAvg itself")
    trainer = build(twin_of(experiment)).trainer
    if not isinstance(trainer, RowTrainer):
        raise NotMeasured("not for columns")
    *_, (_, seen) = subject.play(trainer, trainer.start(), 1, rounds, tell)
    both = np.array([subject.record.last.accuracy, seen.accuracy])
    known = np.isfinite(both).all(axis=0)
    run, twin = both[:, known].mean(axis=1) if known.any() else (0.0, 0.0)
    if twin == 0:
        raise NotMeasured("there is no accuracy to compare with")
    about = f"accuracy {run:.3f}, {twin:.3f} by FedAvg with all else equal"
    return Found({"performance/against_fedavg": float(min(1.0, run / twin))}, about)


def twin_of(experiment: Experiment) -> Experiment:
    """Return the same experiment by FedAvg.

    Parameters
    ----------
    experiment : Experiment
        Over rows.

    Returns
    -------
    Experiment
        Whose algorithm has the numbers that FedAvg has too.

    Examples
    --------
    >>> from trustkit.preset import presets
    >>> twin_of(presets()["start"].change(algorithm=use("krum", lr=0.3, share=0.1))).algorithm.args["lr"]
    0.3
    """
    known = {each.name for each in ALGORITHMS[_PLAIN].parameters}
    args = {name: value for name, value in experiment.algorithm.args.items() if name in known}
    return experiment.change(algorithm=use(_PLAIN, **args))
