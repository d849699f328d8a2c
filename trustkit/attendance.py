"""What became of each client in each round, read off a run: asked, there, lost on the way, left out by the rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trustkit.catalogue import ALGORITHMS
from trustkit.data import FederatedDataset
from trustkit.findings import client_names
from trustkit.horizontal.afa import blocked
from trustkit.horizontal.faults import DELIVERED, DROPPED, FAILED, LATE, UNSELECTED
from trustkit.records import Round, RunRecord, State
from trustkit.rounds import data_of, partition_of

__all__ = [
    "BLOCKED", "DIVERGED", "LEFT_OUT", "LOST", "UNRECORDED", "WORDS", "Attendance", "ClientLine", "attendance_of",
    "client_lines", "members_of",
]  # fmt: skip

LEFT_OUT, BLOCKED, UNRECORDED, DIVERGED = 4, 5, 6, 7
"""Beside the outcomes of `trustkit.horizontal.faults`: the rule did not use a client's model, the rule asks it no more,
it was asked and what became of it is not recorded, and: the model it sent had NaN or infinity in it."""

LOST = (DROPPED, FAILED, LATE, LEFT_OUT, DIVERGED)
"""Asked, and without a part in the new model."""

WORDS: Mapping[int, str] = {
    DELIVERED: "took part", UNSELECTED: "not asked", DROPPED: "left", FAILED: "failed", LATE: "too late",
    LEFT_OUT: "left out by the rule", BLOCKED: "blocked by the rule", UNRECORDED: "asked, outcome not recorded",
    DIVERGED: "sent no finite model",
}  # fmt: skip
"""What each code says."""

_CHOOSE = ("krum", "multi_krum", "bulyan")


@dataclass(frozen=True, eq=False)
class Attendance:
    """What became of each client in each round.

    Parameters
    ----------
    rounds : (T,) int array
        Numbers of the rounds that were played.
    codes : (T, K) int array
        Keys of `WORDS`.
    silent : bool
        Whether the rule takes the models of some clients only and does not tell of which, as Krum does.
    """

    rounds: np.ndarray
    codes: np.ndarray
    silent: bool = False

    def count(self, *codes: int) -> int:
        """Return how many times clients met any of these fates.

        Parameters
        ----------
        *codes : int
            Keys of `WORDS`.

        Returns
        -------
        int
            Over all rounds and clients.
        """
        return int(np.isin(self.codes, codes).sum())

    @property
    def asked(self) -> np.ndarray:
        """(K,) int: in how many rounds each client was asked."""
        return np.asarray((~np.isin(self.codes, (UNSELECTED, BLOCKED))).sum(axis=0))

    @property
    def took_part(self) -> np.ndarray:
        """(K,) int: in how many rounds each client's update is known to have been used."""
        return np.asarray((self.codes == DELIVERED).sum(axis=0))

    def newest(self) -> Attendance:
        """Return the last round alone.

        Returns
        -------
        Attendance
            One round, or none where none was played.
        """
        return Attendance(self.rounds[-1:], self.codes[-1:], self.silent)


def attendance_of(record: RunRecord) -> Attendance:
    """Read off a run what became of each client in each round.

    Parameters
    ----------
    record : RunRecord
        A run, possibly without a round; across columns the clients are parties.

    Returns
    -------
    Attendance
        Who was asked is in every run. Who left, failed or was late, whom AFA left out or blocked, and who sent a model
        that was not finite, is in the states of the rounds; of a run that was stored only the last state is kept, and
        the rounds before it are `UNRECORDED` then, or no more is said of them than who was asked. A rule that picks
        clients without telling of it makes the attendance ``silent``.

    Examples
    --------
    >>> from trustkit import Experiment, run, use
    >>> asked = Experiment("wine", use("iid", parties=4), "fedavg", "logistic", rounds=3, participation=0.5)
    >>> found = attendance_of(run(asked))
    >>> found.codes.shape, found.asked.sum().item(), found.count(UNRECORDED)
    ((3, 4), 6, 0)
    """
    if not len(record):
        return Attendance(np.zeros(0, int), np.zeros((0, 0), int))
    used = record.experiment.algorithm
    confidence = ALGORITHMS.complete(used).args["confidence"] if used.name == "afa" else None
    played = list(record)
    followed = any("outcome" in (each.state or {}) for each in played)
    rows, before = [], None
    for each in played:
        row = _arrived(each, followed)
        if confidence is not None:
            row = _judged(each, row, _verdicts(before, each), confidence)
        rows.append(_finite(before, each, row))
        before = each
    return Attendance(record.index, np.array(rows), used.name in _CHOOSE)


def _arrived(played: Round, followed: bool) -> np.ndarray:
    """Return what became of each client on the way to the server (K,)."""
    state: State = played.state or {}
    if "outcome" in state:
        return np.array(state["outcome"])
    asked = UNRECORDED if followed else DELIVERED
    return np.where(played.selected, asked, UNSELECTED)


def _finite(before: Round | None, played: Round, row: np.ndarray) -> np.ndarray:
    """Return the row with those who sent a model that was no number, where the round before tells how many had."""
    known = played.index == 1 or (before is not None and before.state is not None and before.index == played.index - 1)
    if not known or "diverged" not in (played.state or {}):
        return row
    earlier = 0 if before is None else before.state.get("diverged", 0)
    return np.where((played.state["diverged"] > earlier) & np.isin(row, (DELIVERED, LEFT_OUT)), DIVERGED, row)


def _verdicts(before: Round | None, played: Round) -> tuple[np.ndarray, np.ndarray] | None:
    """Return how often each client was found good and bad before a round; None if that is not known."""
    if played.index == 1:
        return np.zeros(played.selected.size, int), np.zeros(played.selected.size, int)
    if before is None or before.state is None or before.index != played.index - 1:
        return None
    return before.state["good"], before.state["bad"]


def _judged(
    played: Round, row: np.ndarray, verdicts: tuple[np.ndarray, np.ndarray] | None, confidence: float
) -> np.ndarray:
    """Return the row with the verdicts of AFA on those who delivered."""
    if verdicts is None or played.state is None:
        return np.where(row == DELIVERED, UNRECORDED, row)
    row = np.where((row == DELIVERED) & (played.state["bad"] > verdicts[1]), LEFT_OUT, row)
    return np.where((row == UNSELECTED) & blocked(*verdicts, confidence), BLOCKED, row)


def members_of(record: RunRecord) -> tuple[str, ...]:
    """Return how those are called who take part in a run: its clients, or across columns its parties.

    Parameters
    ----------
    record : RunRecord
        A run, possibly without a round.

    Returns
    -------
    tuple of str
        K names: those that the split gives, else "client 1" … or "party 1" ….

    Examples
    --------
    >>> from trustkit import Experiment, use
    >>> members_of(RunRecord(Experiment("wine", use("uniform", parties=2), "solo_trees")))
    ('party 1', 'party 2')
    """
    if record.experiment.axis == "rows":
        return client_names(record)
    partition = partition_of(record.experiment)
    names = partition.achieved.get("names")
    return tuple(map(str, names)) if names else tuple(f"party {k + 1}" for k in range(partition.parties))


@dataclass(frozen=True)
class ClientLine:
    """What a run says of one client: its rows, how often it was there, and how good its model is after the last round.

    Parameters
    ----------
    name : str
        As `trustkit.findings.client_names`.
    train_rows, test_rows : int
        What it holds.
    asked, took_part : int
        In how many rounds.
    unrecorded : int
        In how many rounds it was asked and what became of it is not recorded.
    accuracy, loss : float
        On its test rows; NaN without any.
    """

    name: str
    train_rows: int
    test_rows: int
    asked: int
    took_part: int
    unrecorded: int
    accuracy: float
    loss: float


def client_lines(record: RunRecord) -> tuple[ClientLine, ...]:
    """Return what a run says of each client.

    Parameters
    ----------
    record : RunRecord
        Across rows, at least one round.

    Returns
    -------
    tuple of ClientLine
        K, in the clients' order.

    Raises
    ------
    ValueError
        Across columns, where the parties share one model, or without a round.

    Examples
    --------
    >>> from trustkit import Experiment, run, use
    >>> record = run(Experiment("wine", use("iid", parties=4), "fedavg", "logistic", rounds=2))
    >>> lines = client_lines(record)
    >>> lines[0].name, sum(line.train_rows for line in lines), lines[0].took_part
    ('client 1', 142, 2)
    """
    if record.experiment.axis != "rows":
        raise ValueError("client_lines needs a run across rows, got one across columns, whose parties share one model")
    fed, last = FederatedDataset(data_of(record.experiment), partition_of(record.experiment)), record.last
    found = attendance_of(record)
    lost = (found.codes == UNRECORDED).sum(axis=0)
    owner, held_out = fed.partition.owner, fed.data.held_out
    train, test = (np.bincount(owner[(owner >= 0) & part], minlength=len(fed)) for part in (~held_out, held_out))
    columns = (train, test, found.asked, found.took_part, lost, last.accuracy, last.loss)
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(ClientLine(name, *each) for name, each in zip(client_names(record), numbers, strict=True))
