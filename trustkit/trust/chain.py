"""A chain of events: each names the digest of the one before, so that a change, a gap or another order is found."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from trustkit import jsonfile

__all__ = ["START", "Chain", "Event", "Verification", "read", "verify"]

START = "0" * 64
"""What the first event names as the digest before it."""

_PARTS = ("index", "at", "kind", "facts", "previous", "digest")


class Chain(Protocol):
    """What has events to check: an `EventLog`."""

    def to_jsonl(self) -> str:
        """Return one event a line, as JSON."""


@dataclass(frozen=True)
class Event:
    """One line of the log: its number from 1, UTC time, kind, facts, and the digests of the event before and of it."""

    index: int
    at: str
    kind: str
    facts: Mapping[str, Any]
    previous: str
    digest: str = ""

    def sealed(self) -> Event:
        """Return the event with its digest.

        Returns
        -------
        Event
            ``digest`` is the SHA-256 of the canonical JSON of all other parts, the previous digest among them.
        """
        content = {name: getattr(self, name) for name in _PARTS[:-1]}
        return replace(self, digest=hashlib.sha256(jsonfile.canonical(content).encode()).hexdigest())

    def to_json(self) -> str:
        """Return the event as one line of JSON.

        Returns
        -------
        str
            Without an end of line.
        """
        return jsonfile.dumps({name: getattr(self, name) for name in _PARTS}, indent=None)


@dataclass(frozen=True)
class Verification:
    """What `verify` found: whether the chain is whole, else at which event it breaks and why; events and last digest.

    ``at`` counts from 1; where events are missing at the end it is the first missing one.
    """

    sound: bool
    at: int | None
    reason: str
    events: int
    head: str


def verify(
    log: Chain | str | os.PathLike[str] | Iterable[str], head: str | None = None, events: int | None = None
) -> Verification:
    """Check a log's chain from the first event to the last.

    Parameters
    ----------
    log : EventLog, path-like or iterable of str
        A log, its file, or its lines.
    head : str, optional
        The digest that the last event must have: ``log/head`` of the fact sheet. Without it a log cut off at its end
        looks whole.
    events : int, optional
        How many events there must be: ``log/events`` of the fact sheet.

    Returns
    -------
    Verification
        Whether it is whole, else the first event that does not fit, and why.

    Raises
    ------
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> line = Event(1, "2026-01-01T00:00:00.000+00:00", "opened", {}, START).sealed().to_json()
    >>> verify([line]).sound
    True
    >>> found = verify([line.replace("opened", "closed")])
    >>> found.sound, found.at, found.reason
    (False, 1, 'the digest is not that of its content')
    """
    previous, count = START, 0
    for count, line in enumerate(_lines(log), 1):
        event = _event(line)
        reason = _fault(event, count, previous)
        if event is None or reason:
            return Verification(False, count, reason, count - 1, previous)
        previous = event.digest
    at, reason = _end(count, previous, head, events)
    return Verification(not reason, at, reason, count, previous)


def _end(count: int, last: str, head: str | None, events: int | None) -> tuple[int | None, str]:
    """Say what is wrong with the end of a log whose chain holds; nothing if nothing is."""
    if count == 0:
        return 1, "there is no event"
    if events is not None and count < events:
        return count + 1, f"the log ends: {events - count} of {events} events are missing"
    if events is not None and count > events:
        return events + 1, f"there should be no event: there were {events}"
    if head is not None and last != head:
        return count, "the digest is not the head: the log was cut off or written anew"
    return None, ""


def read(path: str | os.PathLike[str]) -> list[Event]:
    """Read a log's events from its file.

    Parameters
    ----------
    path : path-like
        JSON lines.

    Returns
    -------
    list of Event
        In their order.

    Raises
    ------
    ValueError
        If the chain is broken.
    """
    found = verify(path)
    if not found.sound:
        raise ValueError(f"{path} must be an unbroken event log, but at event {found.at} {found.reason}")
    return [event for event in map(_event, _lines(path)) if event is not None]


def _lines(log: Any) -> list[str]:
    if isinstance(log, (str, os.PathLike)):
        text = Path(log).read_text(encoding="utf-8", errors="replace")
    elif hasattr(log, "to_jsonl"):
        text = log.to_jsonl()
    else:
        return [line.removesuffix("\n") for line in log]
    return text.removesuffix("\n").split("\n") if text else []


def _event(line: str) -> Event | None:
    """Read one line; None if it is no event."""
    try:
        content = jsonfile.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or set(content) != set(_PARTS) or not isinstance(content["facts"], dict):
        return None
    return Event(**content)


def _fault(event: Event | None, number: int, previous: str) -> str:
    """Say what is wrong with an event in its place; nothing if nothing is."""
    if event is None:
        return "the line is no event"
    if event.digest != event.sealed().digest:
        return "the digest is not that of its content"
    if event.index != number or event.previous != previous:
        return f"the order is broken: event {event.index} is there, which does not follow the one before"
    return ""
