"""What a run gives away of the rows behind it: to who sees the model, or an update."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from trustkit import metrics
from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.horizontal import loop, stacked
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Cohort
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State
from trustkit.rng import stream

__all__ = ["FPR", "leakage", "membership", "steps_kept"]

FPR = 0.01
"""Share of strangers that may be taken for members."""

_STEPS, _NUMBERS = 300, 5 * 10**7  # steps that the estimate is taken from, and how many numbers all may have
_PROTECTED = {"example": "row", "client": "client"}
_DIMENSIONS, _RIDGE = 3, 1e-2  # directions that are kept, and how strongly the regression is kept small


@measure("membership", cost="predictions")
def membership(subject: Subject, tell: Tell) -> Found:
    """Guess from the final model's losses which rows it was trained on.

    Parameters
    ----------
    subject : Subject
        Any run.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        privacy/membership_auc, membership_tpr, membership_fpr; empirical_epsilon with at least 10 rows of either kind.

    Raises
    ------
    NotMeasured
        If there are no training rows, no held-out ones, or a loss is not defined.

    Notes
    -----
    ε is the lower bound at 95 % of `trustkit.metrics.empirical_epsilon`, at the run's δ or 1e-5. It refutes a claimed ε
    if it is larger; if not, that proves nothing.

    Source
    ------
    Yeom et al. (2018); Carlini et al. (2022), section 3; see `trustkit.metrics.membership_auc`.

    Deviations
    ----------
    Of clients with models of their own, the common model is attacked.
    """
    inside, outside = (_losses(subject, part) for part in ("train", "test"))
    if np.isnan(inside).any() or np.isnan(outside).any():
        raise NotMeasured("the model's losses are not defined")
    facts = {
        "privacy/membership_auc": metrics.membership_auc(inside, outside),
        "privacy/membership_tpr": metrics.tpr_at_fpr(inside, outside, FPR),
        "privacy/membership_fpr": FPR,
    }
    if min(inside.size, outside.size) < 10:
        return Found(facts, "too few rows for a bound of ε")
    delta, claimed = subject.trainer.facts.get("delta", 1e-5), float(subject.record.last.epsilon)
    shown = metrics.empirical_epsilon(inside, outside, delta=delta, seed=subject.seed)
    says = f"{'refutes' if shown.refutes(claimed) else 'does not refute'} the claimed ε = {claimed:.3g}"
    if math.isinf(claimed):
        says = "refutes nothing, as no ε is claimed"
    words = f"the attack shows ε ≥ {shown.lower:.2g} at 95 %, which {says}"
    return Found({**facts, "privacy/empirical_epsilon": shown.lower}, words)


def _losses(subject: Subject, part: Any) -> np.ndarray:
    """Return the cross-entropy of rows of either kind, each by itself; of numbers the squared error."""
    rows = subject.sample(part, 5 * subject.rows, "membership")
    logits, y = subject.logits(subject.data.X[rows]).astype(float), subject.data.y[rows]
    if not subject.data.classes:
        return np.asarray((logits[:, 0] - y) ** 2)
    peak = logits.max(axis=1)
    return np.asarray(np.log(np.exp(logits - peak[:, None]).sum(axis=1)) + peak - logits[np.arange(y.size), y])


@measure("leakage", cost="gradients", axes=("rows",))
def leakage(subject: Subject, tell: Tell) -> Found:
    """Bound and estimate how much an update tells of the batch behind it, early, midway and late.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        privacy/leakage_bound (nats a round, only with noise), leakage_by_round and leakage_estimate (nats), and
        leakage_share.

    Raises
    ------
    NotMeasured
        If the model is too large for 50 updates to be kept, or an update is not finite.

    Notes
    -----
    The bound is `trustkit.metrics.gaussian_leakage_bound` for what is protected, a row or a client, over its releases
    in a round. The estimate is `trustkit.metrics.leakage_estimate` of up to 300 single steps from a round's model, with
    the run's batch size, clipping and noise of rows: a batch's mean row, or its class shares, against the step; the
    larger of the two. Both sides are projected on three directions, in which ridge regression on as many other steps
    tells the one from the other; a projection can lose information, not add any. The share is min(1, I / H(X)) with X
    one of these n batches, each as likely as any other: H(X) = log n.
    Models looked at are that before the first round, that before the middle one and the final one, of a convolutional
    network the final one only; the same batches serve all, and the largest estimate counts.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Information Leakage Risk"; Liu et al. (2021), "Quantitative metric
    for privacy leakage in federated learning" (H-MINE).

    Deviations
    ----------
    H-MINE trains networks in every round; see `trustkit.metrics.leakage_estimate`. Noise on the mean of clients comes
    after an update and does not enter the estimate: it is what the server sees.
    """
    trainer = subject.by_rows
    facts = _bound(trainer)
    count = steps_kept(trainer.model.parameters)
    if not count:
        raise NotMeasured(f"a model of {trainer.model.parameters:,} parameters is too large to keep its updates")
    found = {done: _estimate(subject, state, part, count) for done, state, part in _states(subject, tell)}
    most, whole = max(found.values()), math.log(count)
    shares = {"privacy/leakage_estimate": most, "privacy/leakage_share": min(1.0, most / whole)}
    words = f"estimated from {count} steps, whose batches have log {count} = {whole:.1f} nats, after "
    words += " and ".join(map(str, found)) + " rounds"
    protected = "" if trainer.ledger is None else f"; the bound is for one {_PROTECTED[trainer.ledger.privacy.level]}"
    return Found(
        {**facts, "privacy/leakage_by_round": list(found.values()), **shares}, words + protected + subject.outside
    )


def steps_kept(parameters: int) -> int:
    """Return how many steps leakage is estimated from; as many again tell where to look.

    Parameters
    ----------
    parameters : int
        Of the model.

    Returns
    -------
    int
        At most 300, fewer for a large model; 0 where that leaves fewer than 50.

    Examples
    --------
    >>> steps_kept(8_000), steps_kept(500_000), steps_kept(600_000)
    (300, 50, 0)
    """
    count = min(_STEPS, _NUMBERS // (2 * parameters))
    return count if count >= 50 else 0


def _estimate(subject: Subject, state: State, tell: Tell, count: int) -> float:
    """Return what steps from a state's model tell of their batches, in nats."""
    *sides, updates = _updates(subject, state, tell, 2 * count)
    if not np.isfinite(updates).all():
        raise NotMeasured("an update is not finite")
    return max(metrics.leakage_estimate(*_aligned(side, updates, count), seed=subject.seed) for side in sides)


def _states(subject: Subject, tell: Tell) -> Iterator[tuple[int, State, Tell]]:
    """Yield how many rounds went before, none, half of them or all, the state then, and whom to tell of the work."""
    trainer, last = subject.by_rows, subject.rounds
    early = sorted({0, last // 2}) if isinstance(trainer.model, Dense) else []
    state, done = trainer.start(), 0
    for place, index in enumerate(early):
        so_far = _at(tell, place / (len(early) + 1))
        for after, _ in subject.play(trainer, state, done + 1, index, so_far):
            state = after
        yield (done := index), state, so_far
    yield last, subject.state, _at(tell, len(early) / (len(early) + 1))


def _at(tell: Tell, done: float) -> Tell:
    """Return who tells that so much is done, whatever a part of the work says."""
    return lambda part: tell(done)


def _aligned(given: np.ndarray, sent: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the last samples of both sides in the directions in which the first ones predict each other best."""
    x, z = (side[:count] - side[:count].mean(axis=0) for side in (given, sent))
    left, sizes, right = np.linalg.svd(z, full_matrices=False)
    if not sizes[0] > 0:
        return given[count:], sent[count:]
    slopes = right.T @ ((sizes / (sizes**2 + _RIDGE * sizes[0] ** 2))[:, None] * (left.T @ x))
    kept = np.linalg.svd(z @ slopes, full_matrices=False)[2][:_DIMENSIONS].T
    return given[count:] @ kept, sent[count:] @ slopes @ kept


def _bound(trainer: RowTrainer) -> dict[str, float]:
    """Return what noise allows at most, in a round; nothing without noise."""
    ledger = trainer.ledger
    if ledger is None or not ledger.noise > 0:
        return {}
    clip, P = ledger.privacy.clip, trainer.facts["parameters"]
    releases = int(ledger.per_round.max())
    return {"privacy/leakage_bound": metrics.gaussian_leakage_bound(P, clip, ledger.noise * clip, releases)}


def _updates(subject: Subject, state: State, tell: Tell, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean row (n, m) and class shares (n, C) of some batches of single clients, and their steps (n, P)."""
    trainer, rng = subject.by_rows, stream(subject.seed, "examine", "leakage")
    X, y, offsets = np.asarray(trainer.train.X), trainer.train.y, trainer.train.offsets
    sizes = trainer.train.sizes
    width = int(min(trainer.local.batch, sizes.max()))
    batches = np.full((count, width), -1)
    for batch, client in zip(batches, rng.choice(sizes.size, count, p=sizes / sizes.sum()), strict=True):
        own = rng.choice(int(sizes[client]), min(width, int(sizes[client])), replace=False)
        batch[: own.size] = offsets[client] + own
    used, once = batches >= 0, np.ones(count, int)
    plan = Cohort(subject.seed, 0, np.arange(count), once, batches[None], used.sum(axis=1)[None].astype(float))
    params, local = state["params"][: trainer.model.parameters], replace(trainer.local, mu=0.0)

    def tick() -> None:
        tell(0.0)

    if isinstance(trainer.model, Dense):
        after = stacked.train(trainer.model, params, X, y, plan, local, tick)
    else:
        after = loop.train(trainer.model, params, X, y, plan, local, tick)
    shares = used / used.sum(axis=1, keepdims=True)
    labels, pairs = np.eye(len(subject.data.classes))[y], list(zip(shares, batches, strict=True))
    mean, classes = (np.array([share @ rows[batch] for share, batch in pairs], float) for rows in (X, labels))
    return mean, classes, np.asarray(after - params, float)
