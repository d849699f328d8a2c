"""What a server asks its SuperNodes: who is there, and sums of masked counts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.flower.counting import COUNT, HELLO
from trustkit.flower.masks import unmasked
from trustkit.flower.wire import arrays_in, recorded

__all__ = ["Seat", "ask", "called", "counted", "greeted", "present"]

_PAUSE = 0.5
"""Seconds between two looks at who is there."""


@dataclass(frozen=True)
class Seat:
    """Which client a SuperNode is, how many training rows it says to have, and its public key."""

    client: int
    rows: int
    public: bytes


def present(grid: Any, wanted: int, wait: float) -> list[int]:
    """Wait for SuperNodes.

    Parameters
    ----------
    grid : flwr.serverapp.Grid
        The way to them.
    wanted : int
        How many are to be there.
    wait : float
        Seconds to wait at most.

    Returns
    -------
    list of int
        Their node ids, sorted; fewer than wanted if time was up.
    """
    until = time.monotonic() + wait
    while len(nodes := sorted(grid.get_node_ids())) < wanted and time.monotonic() < until:
        time.sleep(_PAUSE)
    return nodes


def ask(grid: Any, kind: str, contents: Mapping[int, Any], timeout: float | None) -> dict[int, Any]:
    """Ask SuperNodes, and wait for all answers or until time is up.

    Parameters
    ----------
    grid : flwr.serverapp.Grid
        The way to them.
    kind : str
        The message's type, as ``query.trustkit_hello``.
    contents : mapping of int to flwr.app.RecordDict
        What goes to whom, by node id.
    timeout : float, optional
        Seconds; ``None`` for ever.

    Returns
    -------
    dict of int to flwr.app.Message
        Answers by node id, without errors and without whoever was silent.
    """
    from flwr.app import Message

    sent = [Message(content=content, message_type=kind, dst_node_id=node) for node, content in contents.items()]
    replies = grid.send_and_receive(sent, timeout=timeout)
    return {reply.metadata.src_node_id: reply for reply in replies if not reply.has_error()}


def greeted(grid: Any, nodes: list[int], timeout: float | None) -> dict[int, dict[str, Any]]:
    """Ask SuperNodes for their public keys.

    Parameters
    ----------
    grid : flwr.serverapp.Grid
        The way to them.
    nodes : list of int
        Node ids.
    timeout : float, optional
        Seconds.

    Returns
    -------
    dict
        What those that answered told, by node id: ``public``, and of trustkit's own clients ``client`` and ``rows``.
    """
    from flwr.app import ConfigRecord, RecordDict

    content = RecordDict({"hello": ConfigRecord({"asked": True})})
    replies = ask(grid, f"query.{HELLO}", dict.fromkeys(nodes, content), timeout)
    return {node: dict(reply.content["hello"]) for node, reply in replies.items() if "hello" in reply.content}


def called(grid: Any, parties: int, wait: float, timeout: float | None) -> dict[int, Seat]:
    """Find out which SuperNode is which client.

    Parameters
    ----------
    grid : flwr.serverapp.Grid
        The way to them.
    parties : int
        How many clients there are, K.
    wait : float
        Seconds to wait for all of them.
    timeout : float, optional
        Seconds to wait for answers.

    Returns
    -------
    dict of int to Seat
        By node id, all K of them.

    Raises
    ------
    ConnectionError
        If clients are missing; the message names them.
    ValueError
        If two SuperNodes say to be the same client.
    """
    nodes = present(grid, parties, wait)
    told = greeted(grid, nodes, timeout)
    seats = {node: Seat(int(each["client"]), int(each["rows"]), bytes(each["public"]))
             for node, each in told.items() if "client" in each}  # fmt: skip
    clients = sorted(seat.client for seat in seats.values())
    if twice := sorted({k for k in clients if clients.count(k) > 1}):
        raise ValueError(f"every SuperNode must be another client, got client {twice[0]} more than once")
    missing = sorted(set(range(parties)) - set(clients))
    if missing:
        raise ConnectionError(
            f"all {parties} clients must be there after {wait:g} s, got {len(clients)} of {len(nodes)} SuperNodes; "
            f"missing: {', '.join(map(str, missing[:20]))}"
        )
    return dict(sorted(seats.items(), key=lambda pair: pair[1].client))


def counted(
    grid: Any, keys: Mapping[int, bytes], purpose: str, timeout: float | None, params: np.ndarray | None = None
) -> np.ndarray | None:
    """Ask for masked numbers and add them up.

    Parameters
    ----------
    grid : flwr.serverapp.Grid
        The way to the SuperNodes.
    keys : mapping of int to bytes
        Public keys of all who take part, by node id.
    purpose : str
        What is added up.
    timeout : float, optional
        Seconds.
    params : (P,) array, optional
        A model to count with.

    Returns
    -------
    (n,) int64 array or None
        The sums; ``None`` if somebody did not answer, since without all masks there is no sum.
    """
    from flwr.app import ConfigRecord, RecordDict

    content = RecordDict({"count": ConfigRecord({"keys": list(keys.values()), "purpose": purpose})})
    if params is not None:
        content["arrays"] = recorded(params)
    replies = ask(grid, f"query.{COUNT}", dict.fromkeys(keys, content), timeout)
    if set(replies) != set(keys):
        return None
    return unmasked([next(iter(arrays_in(replies[node]).values())) for node in keys])
