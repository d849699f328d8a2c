"""The event log: what happened in a training, chained so that nobody can change, remove or reorder it unseen."""

from __future__ import annotations

import hashlib
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile
from trustkit.records import Round, State
from trustkit.trust.chain import START, Event, read
from trustkit.trust.claims import Claim
from trustkit.trust.factsheet import client_id

__all__ = ["EventLog", "digest_of"]

_ID = re.compile(r"[0-9a-f]{16}")


class EventLog:
    """A chain of events; as an observer of rounds it logs what happened in each.

    Parameters
    ----------
    key : str or bytes
        The federation's secret, not empty: clients appear as keyed ids.
    path : path-like, optional
        A file of JSON lines, written anew, whole or not at all, with every round and every appended event; by default
        the log is in memory only.
    rule : str
        The aggregation rule.
    about : mapping of str to object
        What the opening event says of the run.
    clock : callable
        Returns the seconds since 1970.

    Raises
    ------
    TypeError, ValueError
        If the key is empty or a fact is no aggregate.

    Notes
    -----
    A round gives round_started (its time reckoned back by the seconds that the round took), clients_selected (keyed
    ids), updates_aggregated (rule, how many), privacy_spent (composed ε, where there is a bound) and round_finished
    (digest of the model, bytes sent and received by all together). Where clients can leave, fail or be late,
    updates_aggregated names those whose update was merged and clients_lost the others, by what became of them.
    What concerns one client only is not logged: no accuracy, no counts. The chain is not signed: whoever can rewrite
    both the log and its head can forge it, so the head belongs into the fact sheet, and that into other hands.

    Examples
    --------
    >>> log = EventLog("secret")
    >>> log.append("target_set", accuracy=0.8).index
    2
    >>> from trustkit.trust.chain import verify
    >>> verify(log).sound, verify(log, events=3).reason
    (True, 'the log ends: 1 of 3 events are missing')
    """

    def __init__(
        self,
        key: str | bytes,
        path: str | os.PathLike[str] | None = None,
        rule: str = "",
        about: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        client_id(key, 0)  # refuses an empty key
        self._key, self._rule, self._clock = key, rule, clock
        self._path = None if path is None else Path(path)
        self._events: list[Event] = []
        self._lines: list[str] = []
        self.append("log_opened", **(about or {}))

    @classmethod
    def load(cls, path: str | os.PathLike[str], key: str | bytes, rule: str = "") -> EventLog:
        """Read a log from its file, to go on with it.

        Parameters
        ----------
        path : path-like
            The file; what follows is written to it.
        key : str or bytes
            The federation's secret.
        rule : str
            The aggregation rule.

        Returns
        -------
        EventLog
            With the events of the file.

        Raises
        ------
        ValueError
            If the chain is broken.
        """
        events = read(path)
        log = cls(key, rule=rule)
        log._path, log._events, log._lines = Path(path), events, [event.to_json() + "\n" for event in events]
        return log

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __repr__(self) -> str:
        return f"EventLog({len(self)} events, head {self.head[:8]})"

    @property
    def head(self) -> str:
        """The digest of the last event."""
        return self._events[-1].digest

    def append(self, kind: str, **facts: Any) -> Event:
        """Log an event.

        Parameters
        ----------
        kind : str
            What happened, for example "client_joined".
        **facts
            Numbers, flags, texts, or lists of keyed client ids.

        Returns
        -------
        Event
            The last of the chain.

        Raises
        ------
        TypeError
            If a fact is anything else: a log holds aggregates only.
        """
        event = self._add(self._clock(), kind, facts)
        self._write()
        return event

    def claim(self, claim: Claim) -> Event:
        """Log that an actor made a claim.

        Parameters
        ----------
        claim : Claim
            Its words, and the digest of all of it.

        Returns
        -------
        Event
            The last of the chain.
        """
        whole = hashlib.sha256(jsonfile.canonical(claim.to_dict()).encode()).hexdigest()
        return self.append("claim_made", role=claim.role, who=claim.who, when=claim.when, text=claim.text, claim=whole)

    def __call__(self, played: Round) -> None:
        """Log a finished round."""
        now = self._clock()
        who, number = self._ids(played.selected), {"round": int(played.index)}
        outcome = None if played.state is None else played.state.get("outcome")
        self._add(now - played.seconds, "round_started", number)
        self._add(now - played.seconds, "clients_selected", {**number, "clients": who})
        if outcome is None:
            self._add(now, "updates_aggregated", {**number, "rule": self._rule, "updates": len(who)})
        else:
            there, *gone = (self._ids(outcome == code) for code in range(4))
            lost = dict(zip(("dropped", "failed", "late"), gone, strict=True))
            if not played.state.get("summed", (True,))[0]:
                lost["not_summed"], there = there, []
            self._add(now, "clients_lost", {**number, **lost})
            merged = {"rule": self._rule, "updates": len(there), "clients": there}
            self._add(now, "updates_aggregated", {**number, **merged})
        if math.isfinite(played.epsilon):
            self._add(now, "privacy_spent", {**number, "epsilon": float(played.epsilon)})
        model = None if played.state is None else digest_of(played.state)
        traffic = {"bytes_up": float(played.bytes_up.sum()), "bytes_down": float(played.bytes_down.sum())}
        self._add(now, "round_finished", {**number, "model": model, "seconds": float(played.seconds), **traffic})
        self._write()

    def to_jsonl(self) -> str:
        """Return the log as JSON lines.

        Returns
        -------
        str
            One event a line.
        """
        return "".join(self._lines)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the log to a file.

        Parameters
        ----------
        path : path-like
            Where to.

        Returns
        -------
        pathlib.Path
            The file: JSON lines.
        """
        return jsonfile.write_text(path, self.to_jsonl())

    def _ids(self, which: np.ndarray) -> list[str]:
        """Return the keyed ids in their own order, which says nothing of the clients'."""
        return sorted(client_id(self._key, int(k)) for k in np.flatnonzero(which))

    def _add(self, at: float, kind: str, facts: Mapping[str, Any]) -> Event:
        for name, value in facts.items():
            if not (value is None or isinstance(value, (str, bool, int, float)) or _are_ids(value)):
                raise TypeError(f"{name} must be a number, a flag, a text or a list of keyed ids, got {value!r:.60}")
        stamp = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
        previous = self._events[-1].digest if self._events else START
        event = Event(len(self) + 1, stamp, kind, dict(facts), previous).sealed()
        self._events.append(event)
        self._lines.append(event.to_json() + "\n")
        return event

    def _write(self) -> None:
        if self._path is not None:
            self.save(self._path)


def digest_of(state: State) -> str:
    """Return the digest of a model.

    Parameters
    ----------
    state : mapping of str to array
        What training carries from round to round.

    Returns
    -------
    str
        64 hexadecimal digits: the SHA-256 of names, types, shapes and bytes, in the order of the names.

    Examples
    --------
    >>> digest_of({"a": np.zeros(2), "b": np.ones(1)}) == digest_of({"b": np.ones(1), "a": np.zeros(2)})
    True
    """
    whole = hashlib.sha256()
    for name in sorted(state):
        array = np.ascontiguousarray(state[name])
        whole.update(f"{name}\0{array.dtype.str}\0{np.shape(state[name])}\0".encode())
        whole.update(array.data.cast("B") if array.size else b"")
    return whole.hexdigest()


def _are_ids(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(v, str) and _ID.fullmatch(v) for v in value)
