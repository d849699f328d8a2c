"""What a run leaves behind: one `Round` after another, and the `RunRecord` that stacks them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Observer", "Progress", "Round", "RunRecord", "Seen", "State", "Stopped", "Tick", "Trainer", "watch"]

State = Mapping[str, np.ndarray]
"""What training carries from round to round: named arrays, never changed in place."""

Tick = Callable[[], None]
"""Called between the steps inside a round; it may raise `Stopped`."""

Progress = Callable[[str, float], None]
"""Told what is being done, and how much of it is done (0 … 1); it may raise `Stopped` to end it."""


class Stopped(Exception):  # noqa: N818 (it is no error)
    """Raised by a ``tick`` or a ``progress`` to leave what is going on; what was finished before it is intact."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What a training step saw, beside the new state.

    Parameters
    ----------
    selected : (K,) bool array
        Who trained.
    accuracy, loss : (K,) float array
        On each client's test rows with the new model; NaN where a client has none. Vertical: (1,), the joint model;
        for a regression accuracy is NaN and loss the mean squared error.
    bytes_up, bytes_down : (K,) float array
        What each party sent and received in this round.
    epsilon : float
        Composed over all rounds so far, of the party that gave most; infinity without a mechanism.
    groups : mapping of str to (K, G, 2, 2) int array
        For each protected attribute the test rows by client, group, label is favourable, prediction is favourable.
    traffic : mapping of str to (2, K) float array
        Bytes by kind of message, where an algorithm tells kinds apart: what each party sent, and what it received.
    """

    selected: np.ndarray
    accuracy: np.ndarray
    loss: np.ndarray
    bytes_up: np.ndarray
    bytes_down: np.ndarray
    epsilon: float = math.inf
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)
    traffic: Mapping[str, np.ndarray] = field(default_factory=dict)


class Trainer(Protocol):
    """A learning algorithm bound to its data: what `play` drives, and what measurements look through.

    ``facts`` holds what is known of it: parameters (count), tensors (count), model_bytes, and with a privacy mechanism
    mechanism, level, epsilon, delta, noise_multiplier, clip, assumption.
    """

    @property
    def facts(self) -> Mapping[str, Any]:
        """What is known of the algorithm."""

    def start(self) -> State:
        """Return the state before the first round."""

    def step(self, state: State, index: int, tick: Tick) -> tuple[State, Seen]:
        """Play round ``index`` (from 1): a pure function of its arguments, calling ``tick`` between its steps."""

    def predict(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return class probabilities (n, C) for rows (n, m)."""

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores (n, C) for rows (n, m)."""

    def gradient(self, state: State, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return (n, m): the gradient by each row of its logits weighted by ``weights`` (n, C)."""


@dataclass(frozen=True, eq=False)
class Round:
    """One finished round: its number from 1, the state after it, what was seen, and the seconds it took."""

    index: int
    state: Any
    seen: Seen
    seconds: float

    def __getattr__(self, name: str) -> Any:
        if name in Seen.__dataclass_fields__:
            return getattr(self.seen, name)
        raise AttributeError(f"a round has no {name!r}")


Observer = Callable[[Round], Any]


def watch(rounds: Iterable[Round], *observers: Observer) -> Iterator[Round]:
    """Pass rounds on, showing each to the observers in order.

    Parameters
    ----------
    rounds : iterable of Round
        For example ``play(experiment)``.
    *observers : callable
        Called with each round: a progress bar, a recorder, a chart.

    Yields
    ------
    Round
        The same rounds.
    """
    for played in rounds:
        for observer in observers:
            observer(played)
        yield played


class RunRecord:
    """The table of a run, one row a round; it is itself an observer.

    Parameters
    ----------
    experiment : Experiment
        What was played.
    rounds : iterable of Round
        Rounds already played.
    """

    def __init__(self, experiment: Any, rounds: Iterable[Round] = ()) -> None:
        self.experiment = experiment
        self._rounds: list[Round] = list(rounds)

    def __call__(self, played: Round) -> None:
        """Append a round."""
        self._rounds.append(played)

    def let_go(self) -> None:
        """Let go of the states of all rounds but the newest: each has the memory of all models.

        The table stays, and so does what a run goes on from; this is what `trustkit.store.load` gives.
        """
        for at in range(len(self._rounds) - 2, -1, -1):
            if self._rounds[at].state is None:
                break  # so have all before it
            self._rounds[at] = replace(self._rounds[at], state=None)

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    def __repr__(self) -> str:
        return f"RunRecord({len(self)} of {self.experiment.rounds} rounds, {self.experiment.key[:8]})"

    @property
    def complete(self) -> bool:
        """Whether all rounds asked for were played."""
        return bool(len(self) >= self.experiment.rounds)

    @property
    def last(self) -> Round:
        """The newest round."""
        if not self._rounds:
            raise ValueError("the run has no finished round yet")
        return self._rounds[-1]

    def stack(self, name: str) -> np.ndarray:
        """Stack one quantity over the rounds.

        Parameters
        ----------
        name : str
            selected, accuracy, loss, bytes_up or bytes_down give (T, K); index, seconds or epsilon give (T,).

        Returns
        -------
        (T, …) array
            One row a round.
        """
        return np.array([getattr(played, name) for played in self._rounds])

    @property
    def index(self) -> np.ndarray:
        """(T,) round numbers from 1."""
        return self.stack("index")

    @property
    def selected(self) -> np.ndarray:
        """(T, K) bool: who trained."""
        return self.stack("selected")

    @property
    def accuracy(self) -> np.ndarray:
        """(T, K) in [0, 1]: accuracy on each client's test rows."""
        return self.stack("accuracy")

    @property
    def loss(self) -> np.ndarray:
        """(T, K) mean cross-entropy in nats on each client's test rows."""
        return self.stack("loss")

    @property
    def bytes_up(self) -> np.ndarray:
        """(T, K) bytes sent by each party."""
        return self.stack("bytes_up")

    @property
    def bytes_down(self) -> np.ndarray:
        """(T, K) bytes received by each party."""
        return self.stack("bytes_down")

    @property
    def seconds(self) -> np.ndarray:
        """(T,) seconds that each round took to simulate."""
        return self.stack("seconds")

    @property
    def epsilon(self) -> np.ndarray:
        """(T,) privacy loss composed up to each round; infinity without a mechanism."""
        return self.stack("epsilon")

    @property
    def diverged(self) -> np.ndarray:
        """(K,) rounds in which each client sent a model with NaN or infinity in it, of those that could be finite."""
        state = self.last.state or {}
        return np.asarray(state.get("diverged", np.zeros(self.last.selected.size, int)))

    @property
    def groups(self) -> dict[str, np.ndarray]:
        """Group counts of the last round by protected attribute, each (K, G, 2, 2)."""
        return dict(self.last.seen.groups)

    @property
    def traffic(self) -> dict[str, np.ndarray]:
        """Bytes by kind of message, each (T, 2, K): sent and received by each party; empty where kinds are not told."""
        silent = np.zeros((2, self.last.selected.size))
        kinds = dict.fromkeys(kind for played in self._rounds for kind in played.traffic)
        return {kind: np.stack([played.traffic.get(kind, silent) for played in self._rounds]) for kind in kinds}

    def frame(self) -> pd.DataFrame:
        """Return one line for each round and client.

        Returns
        -------
        pandas.DataFrame
            round, client, selected, accuracy, loss, bytes_up, bytes_down, epsilon. Across columns a client is a party,
            and every party's line has the joint model's accuracy and loss.
        """
        import pandas as pd

        lines = []
        for played in self._rounds:
            joint = played.accuracy.size == 1
            for k in range(played.selected.size):
                at = 0 if joint else k
                lines.append((played.index, k, bool(played.selected[k]), played.accuracy[at], played.loss[at],
                              played.bytes_up[k], played.bytes_down[k], played.epsilon))  # fmt: skip
        names = ["round", "client", "selected", "accuracy", "loss", "bytes_up", "bytes_down", "epsilon"]
        return pd.DataFrame(lines, columns=names)
