"""How much a federation keeps when clients poison its training: the run is played again with attackers in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from trustkit import metrics
from trustkit.catalogue import ATTACKS, use
from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.horizontal import loop, stacked
from trustkit.horizontal.adversary import Attack, flip, sends
from trustkit.horizontal.faults import DELIVERED
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort, cohort
from trustkit.records import State
from trustkit.rng import stream

__all__ = ["poisoning", "replacement"]

_ATTACKS: dict[str, dict[str, Any]] = {
    "label_flip": {}, "sign_flip": {}, "model_replacement": {"goal": "flip"}, "backdoor": {},
}  # fmt: skip
_EPOCHS = 10  # passes of the client that replaces the model over its own rows


@measure("poisoning", cost="trainings", axes=("rows",))
def poisoning(subject: Subject, tell: Tell) -> Found:
    """Play the run again under four attacks, and compare its accuracy with the clean one.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        robustness/label_flip, sign_flip, model_replacement, backdoor, poisoning_defence, attackers_share.

    Notes
    -----
    Seed, rounds, clients and batches are the run's. The first three are min(1, accuracy under attack / clean), means
    over clients; the backdoor's is 1 − the share of stamped held-out rows of other classes that go to its target. The
    defence is the mean of the four. Model replacement trains on flipped labels here, in every round. The share of
    attackers is that of those who attack: the share that was asked for, rounded to whole clients, at least one.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Poisoning Defense" and equations 3 to 5.

    Deviations
    ----------
    The paper asks for representative attacks and names no set of them.
    """
    course, parties, many = subject.clean_course(tell), len(subject.built.fed), 0
    kept, remark = {}, ""
    for place, (name, args) in enumerate(_ATTACKS.items()):
        chosen = use(name, share=subject.share, **args)
        attack: Attack = ATTACKS.call(chosen, subject.data, parties, seed=subject.seed)
        many = len(attack.clients)  # share and seed are the same in all four
        trainer = replace(subject.clean, relabel=attack.relabel, tamper=attack.tamper)
        span = place / len(_ATTACKS), (place + 1) / len(_ATTACKS)
        *_, (state, seen) = subject.play(trainer, trainer.start(), 1, subject.rounds, tell, span)
        if name == "backdoor":
            succeeds = _success(subject, attack, state)
            usual = _success(subject, attack, subject.clean_state(subject.rounds, tell))
            kept[name] = 1 - succeeds
            remark = f"the backdoor's pattern sends {succeeds:.0%} of rows to its class, {usual:.0%} in the clean model"
        else:
            kept[name] = _kept(seen.accuracy, course[-1].accuracy)
    known = [value for value in kept.values() if value == value]
    facts = {f"robustness/{name}": value for name, value in kept.items()}
    facts["robustness/poisoning_defence"] = float(np.mean(known)) if known else float("nan")
    who = f"{many} of {parties} clients attack, {subject.share:.3g} of them were asked for"
    return Found({**facts, "robustness/attackers_share": many / parties}, f"{who}; {remark}")


@measure("replacement", cost="trainings", axes=("rows",))
def replacement(subject: Subject, tell: Tell) -> Found:
    """Let one client replace the global model in one late round, and watch whether the rest repair it.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        robustness/replacement_global: accuracy kept right after, replacement_persistent: after the rounds that follow.

    Raises
    ------
    NotMeasured
        If nobody took part in the round.

    Notes
    -----
    A fifth of the rounds, at least one, follow the round in question. Its attacker trains the global model w on its own
    rows with flipped labels for ten passes, x, and sends N(x − w) + w for N clients in the round. Either number is
    min(1, accuracy / clean accuracy of the same round). A run of one round has no second number.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equations 3 to 5, and "Model Replacement": global and persistent
    degradation.

    Deviations
    ----------
    The paper gives no number; it asks for a new training where quality falls.
    """
    last = subject.rounds
    at = max(1, last - max(1, last // 5))
    course = subject.clean_course(tell)
    present = np.flatnonzero(course[at - 1].selected)
    if subject.clean.faults is not None:  # who was asked did not always deliver
        present = np.flatnonzero(subject.clean_state(at, tell)["outcome"] == DELIVERED)
    if not present.size:
        raise NotMeasured(f"nobody took part in round {at}")
    client = int(stream(subject.seed, "examine", "replacement").choice(present))
    before = subject.clean_state(at - 1, tell)
    own = _flipped(subject, before["params"], client, at, tell)

    def enlarged(w: np.ndarray, trained: np.ndarray, plan: Cohort, place: int) -> np.ndarray:
        return np.asarray(w + len(plan.clients) * (own - w), w.dtype)

    trainer = replace(subject.clean, tamper=sends(np.array([client]), enlarged))
    ((state, seen),) = subject.play(trainer, before, at, at, tell)
    facts = {"robustness/replacement_global": _kept(seen.accuracy, course[at - 1].accuracy)}
    later = [seen.accuracy for _, seen in subject.play(subject.clean, state, at + 1, last, tell)]
    if later:
        facts["robustness/replacement_persistent"] = _kept(later[-1], course[-1].accuracy)
    return Found(facts, f"the model was replaced in round {at} of {last}")


def _kept(attacked: np.ndarray, clean: np.ndarray) -> float:
    """Return the share of the clean accuracy that is left, at most 1."""
    return float(np.minimum(1.0, metrics.poisoning_defence(attacked, clean)))  # NaN stays NaN


def _success(subject: Subject, attack: Attack, state: State) -> float:
    """Return the share of stamped held-out rows of other classes that a model sends to a backdoor's target."""
    rows = subject.sample("test", subject.rows, "backdoor")
    if attack.trigger is None:
        raise TypeError("a backdoor must have a trigger")
    with np.errstate(over="ignore", invalid="ignore"):
        scores = subject.clean.logits(state, attack.trigger.stamp(subject.data.X[rows]))
    return metrics.backdoor_success_rate(scores.argmax(axis=1), subject.data.y[rows], attack.trigger.target)


def _flipped(subject: Subject, params: np.ndarray, client: int, index: int, tell: Tell) -> np.ndarray:
    """Return what a client makes of the parameters on its own rows with flipped labels."""
    trainer, who = subject.clean, np.array([client])
    rows = trainer.train
    X, y = flip(who, len(subject.data.classes), None, None)(np.asarray(rows.X), rows.y, rows.offsets)
    local = replace(trainer.local, epochs=_EPOCHS, mu=0.0, clip=None, noise=0.0, sampling="fixed")
    plan = cohort(trainer.seed, index, who, rows.offsets, local)
    models = params.reshape(-1, trainer.model.parameters)  # a mixture is several models one after the other

    def tick() -> None:
        tell(0.0)

    if isinstance(trainer.model, Dense):
        return np.concatenate([stacked.train(trainer.model, one, X, y, plan, local, tick)[0] for one in models])
    return np.concatenate([loop.train(trainer.model, one, X, y, plan, local, tick)[0] for one in models])
