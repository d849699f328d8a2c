"""What arrives at the server: a round's models, tampered with by malicious clients, and whether they are numbers."""

from __future__ import annotations

import warnings

import numpy as np

from trustkit.horizontal.plan import Cohort, Tamper
from trustkit.records import State

__all__ = ["Diverged", "arrived"]

_NAMED = 8
"""So many clients are named in a message."""


class Diverged(RuntimeWarning):
    """Some client sent a model with NaN or infinity in it, as training at too large a step size does."""


def arrived(
    trained: np.ndarray, state: State, plan: Cohort, tamper: Tamper | None
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return what clients send, and say so and count them if some of it is no number.

    Parameters
    ----------
    trained : (m, P) float array
        What the clients of a round made.
    state : mapping
        Before the round: params (P,), what they received; participations (K,).
    plan : Cohort
        Who they are, in which round.
    tamper : callable, optional
        What malicious clients do to theirs.

    Returns
    -------
    sent : (m, P) float array
        One row a client. Nothing is left out here: a mean of such rows is not finite either, and then neither are the
        scores of the model, so that accuracy and loss are NaN, which is not defined; robust rules leave such rows out.
    counted : dict
        Nothing, or diverged (K,): in how many rounds each client has sent such a row, of those that could be finite.

    Warns
    -----
    Diverged
        Once a round in which a model that was finite led to one that is not; the message has round and clients.

    Examples
    --------
    >>> import types
    >>> plan = types.SimpleNamespace(index=3, clients=np.array([2, 5]))
    >>> before = {"params": np.zeros(1), "participations": np.zeros(6, int)}
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     _, counted = arrived(np.array([[0.0], [np.nan]]), before, plan, None)
    >>> str(seen[0].message)[:58]
    'round 3: client 5 sent a model that is not finite; a mean '
    >>> counted["diverged"].tolist()
    [0, 0, 0, 0, 0, 1]
    """
    params = state["params"]
    sent = trained if tamper is None else tamper(params, trained, plan)
    with np.errstate(invalid="ignore", over="ignore"):
        total = sent.sum(dtype=float)
    if np.isfinite(total) or not np.isfinite(params).all():
        return sent, {}
    lost = plan.clients[~np.isfinite(sent).all(axis=1)]
    if lost.size == 0:  # finite rows whose sum is too large
        return sent, {}
    counts = np.array(state["diverged"]) if "diverged" in state else np.zeros_like(state["participations"])
    counts[lost] += 1
    who = ", ".join(map(str, lost[:_NAMED].tolist())) + (f" and {lost.size - _NAMED} more" * (lost.size > _NAMED))
    many = "clients {} sent models that are" if lost.size > 1 else "client {} sent a model that is"
    warnings.warn(
        f"round {plan.index}: {many.format(who)} not finite; a mean of models is then not defined either, while "
        "robust rules (median, trimmed mean, Krum, AFA …) leave them out; a smaller step size may help",
        Diverged, stacklevel=2,
    )  # fmt: skip
    return sent, {"diverged": counts}
