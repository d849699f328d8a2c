"""One run whose clients are spread over Dask's workers: each keeps its clients' rows, and models and sums travel."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from trustkit.experiment import Experiment
from trustkit.horizontal.aggregate import median, trimmed_mean, weighted_mean
from trustkit.horizontal.models import Dense
from trustkit.horizontal.selectors import choose
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import Round, Seen, State, Tick
from trustkit.rounds import build
from trustkit.scale.scheduler import DaskWorkers
from trustkit.scale.shard import columns_of, merged, seen_by, shard_of, sum_of, trained_by

__all__ = ["Sharded", "play_sharded"]

_BLOCK = 32_000_000
"""In bytes: columns of all clients that one worker merges at a time."""
_PATIENCE = 1.0
"""Seconds between two looks whether all workers are there."""


def _never() -> None:
    """Do nothing."""


def play_sharded(
    experiment: Experiment, team: DaskWorkers, after: Round | None = None, tick: Tick = _never
) -> Iterator[Round]:
    """Play an experiment round by round, its clients spread over workers.

    Parameters
    ----------
    experiment : Experiment
        FedAvg, FedProx, FedMedian or the trimmed mean, on a dense model, without privacy, attack, faults or secure
        sums; clients chosen at random, by size or fairly.
    team : DaskWorkers
        From `trustkit.scale.dask`. Those that it has now get the clients' rows, in shares of about as many rows.
    after : Round, optional
        The round to go on from.
    tick : callable, optional
        Called before each round; it may raise `Stopped`.

    Returns
    -------
    iterator of Round
        What `trustkit.play` gives, but for the order in which numbers are added up: in double precision equal to
        within 1e-9, in the models' single precision to within rounding. Medians are the same bits if the models are.

    Raises
    ------
    ValueError
        If the experiment is of another kind, or there is no worker.
    ConnectionError
        In a round, if a worker has gone with its clients' rows; what came before is intact.

    Notes
    -----
    Rows go to workers once. In a round a worker gets the model (P,) and the numbers of its chosen clients, and sends a
    weighted sum (P,); for a rule by columns it keeps its clients' models, and blocks of their columns go to the worker
    that merges them. What is measured, two numbers a client and counts by group, comes back each round. All rows are
    loaded here first, to cut them.
    """
    if after is not None and after.state is None:
        raise ValueError(f"after must be a round with its state, got round {after.index} of a stored run, which keeps "
                         "only the last one")  # fmt: skip
    trainer = build(experiment).trainer
    sharded = Sharded(trainer, team)

    def rounds() -> Iterator[Round]:
        state, done = (trainer.start(), 0) if after is None else (after.state, after.index)
        for index in range(done + 1, experiment.rounds + 1):
            began = time.perf_counter()
            state, seen = sharded.step(state, index, tick)
            yield Round(index, state, seen, time.perf_counter() - began)

    return rounds()


class Sharded:
    """A trainer whose rounds are played by workers that have the rows.

    Parameters
    ----------
    trainer : RowTrainer
        See `play_sharded` for which.
    team : DaskWorkers
        With at least one worker.
    """

    def __init__(self, trainer: Any, team: DaskWorkers) -> None:
        _fits(trainer)
        self.trainer: RowTrainer = trainer
        self._rule, self._share = _rule(trainer.aggregate)
        self._client, self._addresses = team.client, tuple(sorted(team.client.nthreads()))
        if not self._addresses:
            raise ValueError("the scheduler must have at least one worker, got none")
        self._bounds = _bounds(trainer.train.offsets, len(self._addresses))
        self._shards = [
            self._client.scatter([shard_of(trainer, first, end)], workers=[address], hash=False)[0]
            for address, first, end in zip(self._addresses, self._bounds, self._bounds[1:], strict=False)
        ]

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play a round.

        Parameters
        ----------
        state : mapping
            The state before; not changed.
        index : int
            The round, from 1.
        tick : callable
            Called once, before it.

        Returns
        -------
        state, seen
            The state after, and what was seen.
        """
        tick()
        trainer, counts = self.trainer, state["participations"].copy()
        chosen = choose(trainer.selector, trainer.seed, index, trainer.train.sizes, trainer.share, state)
        counts[chosen] += 1
        params = np.asarray(self._merged(state["params"], index, chosen), state["params"].dtype)
        return {**state, "participations": counts, "params": params}, self._look(params, chosen)

    def _merged(self, params: np.ndarray, index: int, chosen: np.ndarray) -> np.ndarray:
        """Let the workers train their clients, and make one model (P,) of what they send."""
        parts = np.split(chosen, np.searchsorted(chosen, self._bounds[1:-1]))
        at = [place for place, part in enumerate(parts) if part.size]
        if self._rule == "mean":
            weights = self.trainer.train.sizes / self.trainer.train.sizes[chosen].sum()
            sums = [self._ask(place, sum_of, self._shards[place], params, index, parts[place], weights[parts[place]])
                    for place in at]  # fmt: skip
            return np.asarray(np.sum(self._gather(sums), axis=0))
        stacks = [self._ask(place, trained_by, self._shards[place], params, index, parts[place]) for place in at]
        width = max(1, _BLOCK // (chosen.size * params.itemsize))
        blocks = []
        for start in range(0, params.size, width):
            end = min(start + width, params.size)
            columns = [self._ask(place, columns_of, stack, start, end) for place, stack in zip(at, stacks, strict=True)]
            place = at[start // width % len(at)]
            blocks.append(self._ask(place, merged, self._rule, self._share, columns))
        return np.concatenate(self._gather(blocks))

    def _ask(self, place: int, function: Any, *args: Any) -> Any:
        """Ask the worker of a shard for a call; its result stays there until it is gathered."""
        return self._client.submit(function, *args, workers=[self._addresses[place]], pure=False)

    def _gather(self, asked: Sequence[Any]) -> list[Any]:
        """Wait for results; a worker that has gone took its rows along, and would be waited for in vain."""
        ended: SimpleQueue[Any] = SimpleQueue()
        for each in asked:
            each.add_done_callback(ended.put)
        left = len(asked)
        while left and self._there(asked):
            with suppress(Empty):
                ended.get(timeout=_PATIENCE)
                left -= 1
        if not self._there(asked):
            raise ConnectionError("a worker that had clients' rows has gone; the rounds before are intact, and "
                                  "play_sharded goes on after the last of them")  # fmt: skip
        found: list[Any] = self._client.gather(list(asked))
        return found

    def _there(self, asked: Sequence[Any]) -> bool:
        """Say whether all workers are there, and what they were asked for as well."""
        return set(self._addresses) <= set(self._client.nthreads()) and not any(each.cancelled() for each in asked)

    def _look(self, params: np.ndarray, chosen: np.ndarray) -> Seen:
        """Let every worker evaluate its clients."""
        asked = [self._ask(place, seen_by, shard, params) for place, shard in enumerate(self._shards)]
        accuracy, loss, groups = zip(*self._gather(asked), strict=True)
        selected = np.zeros(self.trainer.train.sizes.size, bool)
        selected[chosen] = True
        traffic = selected * float(params.nbytes)
        counted = {name: np.concatenate([each[name] for each in groups]) for name in self.trainer.codes}
        return Seen(
            selected, np.concatenate(accuracy), np.concatenate(loss), traffic, traffic.copy(), math.inf, counted
        )


def _bounds(offsets: np.ndarray, shards: int) -> np.ndarray:
    """Return where shards begin and end among the clients (shards + 1,), with about as many rows in each."""
    wanted = offsets[-1] * np.arange(1, shards) / shards
    return np.concatenate([[0], np.searchsorted(offsets, wanted), [offsets.size - 1]])


def _rule(aggregate: Any) -> tuple[str, float]:
    """Name a rule that sums or columns are enough for."""
    if aggregate is weighted_mean:
        return "mean", 0.0
    if aggregate is median:
        return "median", 0.0
    if isinstance(aggregate, partial) and aggregate.func is trimmed_mean:
        return "trimmed_mean", float(aggregate.keywords["share"])
    raise ValueError("algorithm must be fedavg, fedprox, fedmedian or trimmed_mean to be spread over workers, got one "
                     "whose server compares whole models")  # fmt: skip


def _fits(trainer: Any) -> None:
    """Refuse what workers cannot do on their own."""
    if type(trainer) is not RowTrainer:
        raise ValueError("algorithm must be fedavg, fedprox, fedmedian or trimmed_mean to be spread over workers, got "
                         f"a {type(trainer).__name__}")  # fmt: skip
    if not isinstance(trainer.model, Dense):
        raise ValueError(
            f"model must be logistic or mlp to be spread over workers, got a {type(trainer.model).__name__}"
        )
    asked = {"privacy": trainer.ledger, "attack": trainer.tamper or trainer.relabel, "faults": trainer.faults,
             "secure": trainer.secure or None}  # fmt: skip
    for name, value in asked.items():
        if value is not None:
            raise ValueError(f"{name} must stay unset where clients are spread over workers")
    if trainer.selector not in ("random", "size", "fair"):
        raise ValueError("selector must be random, size or fair where clients are spread over workers, "
                         f"got {trainer.selector!r}")  # fmt: skip
