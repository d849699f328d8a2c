"""A model on the wire: one flat vector as Flower's ArrayRecord, and what a message weighs."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["arrays_in", "bytes_of", "finite", "params_of", "recorded"]

_NAME = "params"


def recorded(params: np.ndarray) -> Any:
    """Put a vector into a record.

    Parameters
    ----------
    params : (P,) array
        A model, or masked words.

    Returns
    -------
    flwr.app.ArrayRecord
        With one array.
    """
    from flwr.app import Array, ArrayRecord

    return ArrayRecord({_NAME: Array(np.ascontiguousarray(params))})


def params_of(message: Any) -> np.ndarray:
    """Take the vector out of a message.

    Parameters
    ----------
    message : flwr.app.Message
        With a record ``arrays`` that `recorded` made.

    Returns
    -------
    (P,) array
        The vector.
    """
    return np.asarray(message.content["arrays"][_NAME].numpy())


def arrays_in(message: Any) -> dict[str, np.ndarray]:
    """List the arrays of a message, whatever their records are called.

    Parameters
    ----------
    message : flwr.app.Message
        With content.

    Returns
    -------
    dict of str to array
        By "record/array".
    """
    records = message.content.array_records.items()
    return {f"{name}/{key}": array.numpy() for name, record in records for key, array in record.items()}


def finite(message: Any) -> bool:
    """Say whether all numbers of a message's arrays are finite.

    Parameters
    ----------
    message : flwr.app.Message
        With content.

    Returns
    -------
    bool
        Whether there is neither NaN nor infinity in it.
    """
    return all(np.isfinite(array).all() for array in arrays_in(message).values() if array.dtype.kind == "f")


def bytes_of(message: Any) -> float:
    """Weigh a message's content.

    Parameters
    ----------
    message : flwr.app.Message
        Any; one that reports an error weighs nothing.

    Returns
    -------
    float
        Bytes of its arrays, numbers and texts as Flower counts them, without what transport adds.
    """
    if not message.has_content():
        return 0.0
    return float(sum(record.count_bytes() for record in message.content.values()))
