"""What each client's updates did for the global model: the run is played again, and what clients send is watched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from trustkit import metrics
from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.horizontal.plan import Cohort
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State

__all__ = ["contributions", "data_quality"]

EXACT = 8
"""Up to so many clients with training rows, all of them train in every round that is looked at."""

COMPLETED = 12
"""Up to so many, gaps are filled in; beyond, a client that was not in a round gets nothing from it."""


class _Move(NamedTuple):
    """A round as the server sees it: the state before, and what its clients sent."""

    number: int
    before: State
    clients: np.ndarray
    sent: np.ndarray


@measure("data_quality", cost="trainings", axes=("rows",))
def data_quality(subject: Subject, tell: Tell) -> Found:
    """Count the client-rounds whose update by itself lowers the server's held-out loss.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        robustness/data_quality.

    Raises
    ------
    NotMeasured
        If nobody took part in any round.

    Notes
    -----
    #{(t, k): L(x_tk) < L(w_t)} / #{(t, k): k took part in t}, with L the mean cross-entropy on held-out rows.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Data Quality", after Pejó and Biczók (2020).

    Deviations
    ----------
    See `trustkit.metrics.data_quality`, which counts by client.
    """
    loss = _loss(subject)
    gains = np.full((subject.rounds, len(subject.built.fed)), np.nan)
    for move in _moves(subject, tell):
        start = loss(move.before, move.before["params"])
        gains[move.number - 1, move.clients] = [start - loss(move.before, params) for params in move.sent]
    known = gains[~np.isnan(gains)]
    if not known.size:
        raise NotMeasured("no client sent an update that can be evaluated")
    worst = np.nanmin(metrics.data_quality(gains))
    words = f"{worst:.0%} of the worst client's updates do"
    return Found({"robustness/data_quality": float((known > 0).mean())}, words + subject.outside)


@measure("contributions", cost="trainings", axes=("rows",))
def contributions(subject: Subject, tell: Tell) -> Found:
    """Share out the fall of the server's held-out loss among the clients, by Shapley values.

    Parameters
    ----------
    subject : Subject
        A run over rows.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        fairness/contributions (nats, from the smallest to the largest, so that their order does not say whose they
        are), fairness/contribution_gini.

    Raises
    ------
    NotMeasured
        If no round brought all clients together although there are few.

    Notes
    -----
    A round's utility of a coalition S is L(w) − L(Σ_S n_k x_k / Σ_S n_k), with L the mean cross-entropy on held-out
    rows. Up to 8 clients, all train in every round that is looked at, whoever was selected, and the values are exact.
    Up to 12 (9 with large images), all train in the first round, and low rank fills in what was not seen in the others
    (completed federated Shapley). Beyond, a round is shared out among those who were in it (federated Shapley), exactly
    for up to 8 of them and else over sampled orders. Of very many coalitions, only those of evenly spaced rounds are
    evaluated. The Gini coefficient takes negative values as 0.

    Source
    ------
    Fan et al. (2022), "Improving fairness for data valuation in horizontal federated learning"; Wang et al. (2020), "A
    principled approach to data valuation for federated learning", Definition 2; both named by FederatedTrust (Sánchez
    Sánchez et al. 2024), section 2.

    Deviations
    ----------
    Loss instead of accuracy, which moves in steps. The server's mean stands for any other merge.
    """
    values, how = _values(subject, tell)
    players = subject.by_rows.train.sizes > 0
    gini = metrics.gini(np.maximum(values[players], 0))
    facts = {"fairness/contributions": np.sort(values), "fairness/contribution_gini": gini}
    return Found(facts, how + subject.outside)


def _values(subject: Subject, tell: Tell) -> tuple[np.ndarray, str]:
    """Return every client's value (K,), 0 without training rows, and how it was found."""
    players = np.flatnonzero(subject.by_rows.train.sizes)
    most = _most(subject)
    if players.size <= COMPLETED and 2**players.size <= most:
        shares, how = _completed(subject, tell, players, most)
    else:
        shares, how = _by_round(subject, tell, players, most)
    values = np.zeros(len(subject.built.fed))
    values[players] = shares
    return values, how


def _most(subject: Subject) -> int:
    """Return how many coalitions may be evaluated: fewer of large images, whose evaluation costs more."""
    return 800 if subject.data.image is not None and subject.data.X.shape[1] > 256 else 8_000


def _completed(subject: Subject, tell: Tell, players: np.ndarray, most: int) -> tuple[np.ndarray, str]:
    """Return each player's value, and how it was found: from all coalitions of a round, gaps filled in."""
    exact = players.size <= EXACT
    looked = _spaced(subject.rounds, most // 2 ** (players.size if exact else _largest(subject)))
    found = []
    for move in _moves(subject, tell, looked if exact else {1}):
        if move.number in looked:
            worth, places = _worth(subject, move.before), np.searchsorted(players, move.clients)
            weights, start = _weights(subject.by_rows)[move.clients], move.before["params"]
            found.append(metrics.round_utilities(worth, start, move.sent, weights, places, players.size))
    utilities = np.array(found).reshape(-1, 2**players.size)
    if np.isnan(utilities).all(axis=0).any():
        raise NotMeasured("no round brought all clients together")
    how = "completed" if np.isnan(utilities).any() else "exact"
    return (
        metrics.completed_shapley(utilities),
        f"{how} Shapley values of {players.size} clients over {len(utilities)} of {subject.rounds} rounds",
    )


def _by_round(subject: Subject, tell: Tell, players: np.ndarray, most: int) -> tuple[np.ndarray, str]:
    """Return each player's value, and how it was found: rounds shared out among those who were in them."""
    present = max(1, _largest(subject))
    looked = _spaced(subject.rounds, most // (2**present if present <= EXACT else 2 * present))
    orders = max(2, min(50, most // (len(looked) * present)))
    values = np.zeros(len(subject.built.fed))
    for move in _moves(subject, tell):
        if move.number in looked and len(move.clients):
            values[move.clients] += _shared(subject, move, orders)
    return values[players], f"federated Shapley values by round over {len(looked)} of {subject.rounds} rounds"


def _shared(subject: Subject, move: _Move, orders: int) -> np.ndarray:
    """Return what each client of a round brought: exactly for few clients, else from so many orders of them."""
    size, weights = len(move.clients), _weights(subject.by_rows)[move.clients]
    worth = _worth(subject, move.before)
    start = worth(move.before["params"])

    def gain(who: np.ndarray) -> float:
        return worth((weights[who] / weights[who].sum()) @ move.sent[who]) - start if who.any() else 0.0

    return metrics.shapley(gain, size, permutations=None if size <= EXACT else orders, seed=subject.seed + move.number)


def _largest(subject: Subject) -> int:
    """Return how many clients the fullest round has."""
    return int(max(np.count_nonzero(played.selected) for played in subject.record))


def _spaced(rounds: int, most: int) -> set[int]:
    """Return at most so many of the rounds, evenly spaced, the first among them."""
    return set(np.linspace(1, rounds, max(1, min(rounds, most))).round().astype(int).tolist())


def _weights(trainer: RowTrainer) -> np.ndarray:
    """Return what each client counts in the server's mean (K,)."""
    sizes = trainer.train.sizes
    return np.asarray(sizes if trainer.ledger is None else sizes > 0, float)


def _loss(subject: Subject) -> Callable[[State, np.ndarray], float]:
    """Return the mean cross-entropy on the server's held-out rows, of parameters in the place of a state's."""
    rows = subject.sample("test", subject.rows, "server")
    X, y = np.asarray(subject.data.X[rows], subject.by_rows.model.dtype), subject.data.y[rows]
    own = np.arange(y.size), y

    def loss(state: State, params: np.ndarray) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            logits = subject.by_rows.logits({**state, "params": params}, X)
            logits = logits - logits.max(axis=1, keepdims=True)
            return float((np.log(np.exp(logits).sum(axis=1)) - logits[own]).mean(dtype=float))

    return loss


def _worth(subject: Subject, before: State) -> Callable[[np.ndarray], float]:
    """Return how good parameters are: the loss with a minus."""
    loss, dtype = _loss(subject), before["params"].dtype
    return lambda params: -loss(before, np.asarray(params, dtype))


def _moves(subject: Subject, tell: Tell, everybody: Collection[int] = ()) -> Iterator[_Move]:
    """Play the run again, and yield what clients sent in each round: all of them in the rounds of ``everybody``."""
    trainer, sent = subject.by_rows, list[tuple[np.ndarray, np.ndarray]]()

    def watch(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        received = trained if trainer.tamper is None else trainer.tamper(params, trained, plan)
        sent.append((plan.clients, received))
        return received

    watched = replace(trainer, tamper=watch)
    together = watched
    if trainer.share < 1 or trainer.faults is not None:
        together = replace(watched, share=1.0, selector="random", faults=None, secure=False)
    state = trainer.start()
    for index in range(1, subject.rounds + 1):
        sent.clear()
        span = (index - 1) / subject.rounds, index / subject.rounds
        ((after, _),) = subject.play(watched, state, index, index, tell, span)
        if index in everybody and together is not watched:
            sent.clear()
            for _ in subject.play(together, state, index, index, tell, span):
                pass
        if sent:
            yield _Move(index, state, *sent[-1])
        state = after
