"""`play` turns an `Experiment` into rounds, one at a time.

Only `build` reads an experiment; everything below takes plain arguments. ``for r in play(experiment)`` is the whole
control interface: stop by not asking for more, resume with ``play(experiment, after=r)``, checkpoint by keeping ``r``.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from trustkit import datasets, memory
from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PRIVACY, SPLITS, Catalogue, Entry, Use
from trustkit.data import Dataset, FederatedDataset
from trustkit.datasets.ondisk import Stamp, stamps
from trustkit.devices import device_named
from trustkit.experiment import Experiment
from trustkit.horizontal.adversary import Attack
from trustkit.horizontal.binding import equip, moved
from trustkit.horizontal.trainer import RowTrainer
from trustkit.partition import Partition
from trustkit.records import Observer, Progress, Round, RunRecord, Tick, Trainer, watch
from trustkit.vertical.defences.randomised_labels import LabelFlips, flipped, marked
from trustkit.vertical.placed import placed

__all__ = ["Built", "build", "data_of", "grid", "partition_of", "play", "run"]


@dataclass(frozen=True, eq=False)
class Built:
    """An experiment made real: the scaled data cut by the partition, the trainer bound to them, and who attacks it."""

    experiment: Experiment
    fed: FederatedDataset
    trainer: Trainer
    attack: Attack | None = None


Source = tuple[Use, Entry, tuple[Stamp, ...]]
"""A use, what its name means now, and its files as they are: what is entered or written anew is in no cache."""


@lru_cache(maxsize=16)
def _data(source: Source) -> tuple[Dataset, Dataset]:
    wanted = source[0]
    data = datasets.load(wanted.name, **wanted.args)
    return data, data.scaled()


@lru_cache(maxsize=2)
def _trained_on(source: Source) -> Dataset:
    """Return the scaled data as an array: training multiplies arrays. Few are kept, since they may be large."""
    return _data(source)[1].dense()


class _Told:
    """Somebody to tell how far a search is; equal to any other, so that a cache does not ask who wanted the result."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Told)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=64)
def _partition(data: Source, split: Source, seed: int, told: _Told) -> Partition:
    more = {"progress": told.progress} if split[1].tells else {}
    partition: Partition = SPLITS.call(split[0], _data(data)[0], seed=seed, **more)
    return partition


_STAMPED: dict[Use, tuple[Stamp, ...]] = {}
"""Files as they were last seen: of one that is gone since, what was read of it still stands."""


def _source(catalogue: Catalogue, wanted: Use) -> Source:
    now = stamps(wanted.args.values())
    if now:
        _STAMPED[wanted] = now
    return wanted, catalogue[wanted.name], now or _STAMPED.get(wanted, ())


@lru_cache(maxsize=64)
def _search_of(data: Source, split: Source, seed: int) -> threading.Lock:
    """One lock a split, so that two who want the same search once, and nobody waits for another's."""
    return threading.Lock()


def data_of(experiment: Experiment) -> Dataset:
    """Return the data set that an experiment names, as it came (unscaled), cached.

    Parameters
    ----------
    experiment : Experiment
        Only its data matter.

    Returns
    -------
    Dataset
        Read only.
    """
    return _data(_source(DATASETS, experiment.data))[0]


def partition_of(experiment: Experiment, progress: Progress | None = None) -> Partition:
    """Return the partition that an experiment names, cached.

    Parameters
    ----------
    experiment : Experiment
        Only data, split and seed matter.
    progress : callable, optional
        Told what a search does and how much of it is done, 0 … 1; what it raises ends the search.

    Returns
    -------
    Partition
        Over rows or columns.
    """
    data, split = _source(DATASETS, experiment.data), _source(SPLITS, experiment.split)
    with _search_of(data, split, experiment.seed):
        return _partition(data, split, experiment.seed, _Told(progress))


@lru_cache(maxsize=16)
def _built(experiment: Experiment, sources: tuple[Source, ...]) -> Built:
    fed = FederatedDataset(_trained_on(sources[0]), partition_of(experiment))
    model = None if experiment.model is None else MODELS.call(experiment.model, fed.data)
    privacy = None if experiment.privacy is None else PRIVACY.call(experiment.privacy)
    told, name = fed, experiment.algorithm.name
    if flips := privacy if isinstance(privacy, LabelFlips) else None:
        told, privacy = flipped(fed, flips, name, experiment.seed), None
    trainer = ALGORITHMS.call(
        experiment.algorithm, told, model, privacy, experiment.participation, experiment.rounds, seed=experiment.seed
    )
    trainer = trainer if flips is None else marked(trainer, flips, name)
    against, faulty, seed = experiment.attack, experiment.faults, experiment.seed
    attack = None if against is None else ATTACKS.call(against, fed.data, len(fed), seed=seed)
    faults = None if faulty is None else FAULTS.call(faulty)
    if attack is not None or faults is not None or experiment.secure:
        trainer = equip(trainer, name, attack=attack, faults=faults, secure=experiment.secure)
    return Built(experiment, fed, trainer, attack)


def build(experiment: Experiment, device: str | None = None) -> Built:
    """Load the data, split them and bind the algorithm; cached by the experiment.

    Parameters
    ----------
    experiment : Experiment
        What to build.
    device : str, optional
        Where clients train, as PyTorch names it: "cuda", or "cpu" for the same engine on the processor. By default
        the engines written for a processor, whose results it equals but for the order of sums.

    Returns
    -------
    Built
        Experiment, federated data, trainer, attack.

    Raises
    ------
    ValueError
        If the data do not allow it, for example more parties than columns, or a sparse table too large to be an array;
        or the algorithm does not allow secure sums, which a median or Krum cannot be made of, or no such device.
    """
    named = ((DATASETS, experiment.data), (SPLITS, experiment.split), (ALGORITHMS, experiment.algorithm),
             (MODELS, experiment.model), (PRIVACY, experiment.privacy), (ATTACKS, experiment.attack),
             (FAULTS, experiment.faults))  # fmt: skip
    built = _built(experiment, tuple(_source(catalogue, wanted) for catalogue, wanted in named if wanted is not None))
    name = experiment.algorithm.name
    return built if device is None else replace(built, trainer=_moved(built.trainer, name, device))


def _moved(trainer: Trainer, name: str, device: str) -> Trainer:
    if isinstance(trainer, RowTrainer):
        return moved(trainer, name, device)
    if (found := placed(trainer, str(device_named(device)))) is not None:
        return found
    raise ValueError(f"device must be none with {name} as it is set, which trains on the processor, got {device!r}")


def _never() -> None:
    """Do nothing: the tick of whoever does not want to stop inside a round."""


def play(
    experiment: Experiment, after: Round | None = None, tick: Tick = _never, device: str | None = None
) -> Iterator[Round]:
    """Play an experiment round by round.

    Parameters
    ----------
    experiment : Experiment
        What to play.
    after : Round, optional
        The round to go on from; what follows is bit for bit what the whole run gives.
    tick : callable, optional
        Called between the steps inside a round; it may raise `Stopped` to leave it.
    device : str, optional
        As for `build`.

    Returns
    -------
    iterator of Round
        Rounds 1 … ``experiment.rounds``, computed when asked for; the experiment is built, and so checked, at once.

    Raises
    ------
    ValueError
        If the experiment cannot be built, or the round to go on from has lost its state.
    """
    if after is not None and after.state is None:
        raise ValueError(f"after must be a round with its state, got round {after.index} of a stored run, which keeps "
                         "only the last one")  # fmt: skip
    trainer = build(experiment, device).trainer

    def rounds() -> Iterator[Round]:
        state, done = (trainer.start(), 0) if after is None else (after.state, after.index)
        for index in range(done + 1, experiment.rounds + 1):
            began = time.perf_counter()
            state, seen = trainer.step(state, index, tick)
            yield Round(index, state, seen, time.perf_counter() - began)

    return rounds()


def run(
    experiment: Experiment, progress: bool = False, observers: Iterable[Observer] = (), begun: RunRecord | None = None,
    device: str | None = None, lean: bool = False,
) -> RunRecord:  # fmt: skip
    """Play an experiment to its end.

    Parameters
    ----------
    experiment : Experiment
        What to play.
    progress : bool
        Whether to show a progress bar.
    observers : iterable of callable
        Each is called with every round played now.
    begun : RunRecord, optional
        A run of the same experiment to go on with; what follows is bit for bit what the whole run gives.
    device : str, optional
        As for `build`.
    lean : bool
        Whether only the newest round keeps its state, so that long runs of large models fit into memory.

    Returns
    -------
    RunRecord
        The table of all rounds.

    Raises
    ------
    ValueError
        If what was begun is another experiment, the experiment cannot be built, or its rounds will not fit into memory.
    """
    if begun is not None and begun.experiment.key != experiment.key:
        raise ValueError(f"begun must be a run of experiment {experiment.key[:8]}, got {begun.experiment.key[:8]}")
    record = RunRecord(experiment, begun or ())
    rounds = play(experiment, after=record.last if len(record) else None, device=device)
    left = experiment.rounds - len(record)
    memory.keeps(build(experiment, device).trainer.start(), min(left, 2) if lean else left)
    if progress:
        from tqdm.auto import tqdm

        rounds = iter(tqdm(rounds, total=experiment.rounds, initial=len(record), unit="round"))
    for _ in watch(rounds, record, *observers):
        if lean:
            record.let_go()
    return record


def grid(experiment: Experiment, **choices: Iterable[Any]) -> list[Experiment]:
    """Vary an experiment over all combinations of values.

    Parameters
    ----------
    experiment : Experiment
        The one to vary.
    **choices
        Values by name, as in `Experiment.change`: ``seed=range(5), split__alpha=[0.1, 1]``.

    Returns
    -------
    list of Experiment
        The last name varies fastest.
    """
    combinations = itertools.product(*(list(values) for values in choices.values()))
    return [experiment.change(**dict(zip(choices, values, strict=True))) for values in combinations]
