"""What an ensemble of parties' own models is made of, how large it grows, and whether it can be kept."""

from __future__ import annotations

from typing import Any

from trustkit import memory
from trustkit.vertical.assisting.learners import LocalLearners
from trustkit.vertical.table import ColumnTable

__all__ = ["assisted_facts", "learners_of"]


def learners_of(
    name: str, table: ColumnTable, rounds: int, local: tuple[int, ...], *, softmax: bool = False,
    **fit: Any,
) -> LocalLearners:  # fmt: skip
    """Return the networks of an assisted algorithm, after checking that they can be kept.

    Parameters
    ----------
    name : str
        What a message calls the algorithm.
    table : ColumnTable
        The data.
    rounds : int
        How many models each party will have.
    local : tuple of int
        Widths of the layers.
    softmax : bool
        Whether outputs are positive and add up to 1.
    **fit
        lr, weight_decay, batch, epochs.

    Returns
    -------
    LocalLearners
        One network a party.

    Raises
    ------
    ValueError
        If the models of all rounds will not fit into memory.
    """
    width = 1 if table.classes == 2 and not softmax else table.outputs
    learners = LocalLearners(table.columns, tuple(local), width, softmax, **fit)
    rows = table.y.size + table.y_test.size
    held = 4 * (rounds * sum(learners.sizes) + (table.parties + 8) * rows * width)
    memory.fits(f"{name} with {rounds} rounds of {table.parties} models", held)
    return learners


def assisted_facts(table: ColumnTable, learners: LocalLearners, rounds: int) -> dict[str, Any]:
    """Return what is known of an ensemble before it is trained.

    Parameters
    ----------
    table : ColumnTable
        Its data.
    learners : LocalLearners
        Its parts.
    rounds : int
        How many rounds it grows for.

    Returns
    -------
    dict
        parameters, tensors and model_bytes after the last round; models, how many that are; evaluation_bytes, what the
        test rows' outputs of one round would send.
    """
    each, parties = sum(learners.sizes), table.parties
    return {
        "parameters": rounds * each, "tensors": rounds * parties * len(learners.shapes(0)),
        "model_bytes": 4 * rounds * each, "models": rounds * parties,
        "evaluation_bytes": (parties - 1) * learners.outputs * 4 * table.y_test.size,
    }  # fmt: skip
