"""Counts that reach a server as sums only: the client's half, for any ClientApp of Flower."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from trustkit.flower.masks import masked, new_keys

__all__ = ["COUNT", "HELLO", "add_counts", "answer", "greet", "hidden", "vector_of"]

HELLO, COUNT = "trustkit_hello", "trustkit_count"
"""The two questions that a server asks: for a public key, and for masked counts."""

_STATE = "trustkit.masks"


def add_counts(app: Any, labels: Callable[[Any], np.ndarray], classes: int) -> None:
    """Let a ClientApp tell how many rows it has of each class, in the sum of all clients only.

    Parameters
    ----------
    app : flwr.clientapp.ClientApp
        Of the message API, before it is used.
    labels : callable
        From Flower's ``Context`` to the client's training labels (n,), whole numbers 0 … C−1.
    classes : int
        How many classes there are, C.

    Raises
    ------
    ValueError
        If there is no class.

    Notes
    -----
    The server learns, for each class, how many rows all clients have together and how many clients have any; the label
    counts of no client. That holds against a server that follows the protocol and looks at everything, even together
    with some clients, as long as two are honest; not against one that passes on keys of its own, since nobody checks
    whose they are. A client answers once in a run, and only with two others or more.
    """
    if classes < 1:
        raise ValueError(f"classes must be at least 1, got {classes}")

    @app.query(HELLO)  # type: ignore[untyped-decorator]
    def hello(message: Any, context: Any) -> Any:
        return greet(message, context, {})

    @app.query(COUNT)  # type: ignore[untyped-decorator]
    def count(message: Any, context: Any) -> Any:
        return answer(message, context, vector_of(np.bincount(np.asarray(labels(context)), minlength=classes), classes))


def vector_of(counts: np.ndarray, classes: int) -> np.ndarray:
    """Return what a client adds to the sum.

    Parameters
    ----------
    counts : (C,) int array
        Its training rows by class.
    classes : int
        How many there are, C.

    Returns
    -------
    (2C + 1,) int array
        The counts, which of them are above 0, and whether it has any row.

    Raises
    ------
    ValueError
        If there are more classes.

    Examples
    --------
    >>> vector_of(np.array([3, 0]), 2).tolist()
    [3, 0, 1, 0, 1]
    """
    if len(counts) != classes:
        raise ValueError(f"labels must be below the {classes} classes, got {len(counts) - 1}")
    return np.concatenate([counts, counts > 0, [counts.sum() > 0]]).astype(np.int64)


def greet(message: Any, context: Any, told: Mapping[str, Any]) -> Any:
    """Answer a server's first question: a public key, made once in a run.

    Parameters
    ----------
    message : flwr.app.Message
        The question.
    context : flwr.app.Context
        Of the client; it keeps the keys.
    told : mapping
        What else the answer has.

    Returns
    -------
    flwr.app.Message
        The answer.
    """
    from flwr.app import ConfigRecord, Message, RecordDict

    if _STATE not in context.state:
        private, public = new_keys()
        context.state[_STATE] = ConfigRecord({"private": private, "public": public, "told": ["hello"]})
    public = context.state[_STATE]["public"]
    return Message(RecordDict({"hello": ConfigRecord({"public": public, **told})}), reply_to=message)


def answer(message: Any, context: Any, values: np.ndarray, fraction: int = 0) -> Any:
    """Answer with masked numbers, once for each purpose.

    Parameters
    ----------
    message : flwr.app.Message
        With ``keys``, the public keys of all who answer, and ``purpose``.
    context : flwr.app.Context
        Of the client; it has the keys.
    values : (n,) int or float array
        What to add.
    fraction : int
        Binary digits after the point.

    Returns
    -------
    flwr.app.Message
        The answer.

    Raises
    ------
    ValueError
        If the purpose was served before, no key was made, or the keys do not do; see `trustkit.flower.masks.masked`.
    """
    from flwr.app import Array, ArrayRecord, Message, RecordDict

    asked = message.content["count"]
    words = hidden(context, values, [bytes(key) for key in asked["keys"]], str(asked["purpose"]), fraction)
    return Message(RecordDict({"words": ArrayRecord({"words": Array(words)})}), reply_to=message)


def hidden(context: Any, values: np.ndarray, keys: list[bytes], purpose: str, fraction: int = 0) -> np.ndarray:
    """Mask numbers with the client's keys, and remember the purpose.

    Parameters
    ----------
    context : flwr.app.Context
        Of the client; it has the keys.
    values : (n,) int or float array
        What to add.
    keys : list of bytes
        The public keys of all who take part.
    purpose : str
        What is added up.
    fraction : int
        Binary digits after the point.

    Returns
    -------
    (n,) uint64 array
        See `trustkit.flower.masks.masked`.

    Raises
    ------
    ValueError
        If the purpose was served before, no key was made, or the keys do not do.
    """
    if _STATE not in context.state:
        raise ValueError("a client must have been asked for its key before it is asked for counts")
    kept = context.state[_STATE]
    if purpose in kept["told"]:
        raise ValueError(f"a client answers once in a run, and has told its {purpose} before")
    words = masked(values, kept["private"], kept["public"], keys, purpose, fraction)
    kept["told"] = [*kept["told"], purpose]
    return words
