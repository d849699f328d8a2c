"""How well a model stood an attack, from what it predicted and how accurate it was."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["attack_success_rate", "backdoor_success_rate", "poisoning_defence"]


def attack_success_rate(clean: Any, attacked: Any, y: Any) -> float:
    """Return the share of rightly classified rows that an attack makes wrong.

    Parameters
    ----------
    clean, attacked : (n,) int array
        The classes predicted for the rows before and after.
    y : (n,) int array
        Their true classes.

    Returns
    -------
    float
        In [0, 1]; NaN if no row was right before.

    Raises
    ------
    ValueError
        If the lengths differ.

    Notes
    -----
    #{clean = y, attacked ≠ y} / #{clean = y}.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Empirical Robustness"; the usual definition for untargeted attacks.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> attack_success_rate([0, 1, 1, 1], [0, 0, 0, 1], [0, 1, 0, 1])
    0.3333333333333333
    """
    before, after, truth = np.asarray(clean), np.asarray(attacked), np.asarray(y)
    if not before.shape == after.shape == truth.shape or truth.ndim != 1:
        raise ValueError(
            f"clean, attacked and y must be vectors of one length, got shapes {before.shape}, {after.shape} "
            f"and {truth.shape}"
        )
    right = before == truth
    return float((after[right] != truth[right]).mean()) if right.any() else float("nan")


def backdoor_success_rate(triggered: Any, y: Any, target: int) -> float:
    """Return the share of rows of other classes that a trigger sends to its target.

    Parameters
    ----------
    triggered : (n,) int array
        The classes predicted for test rows that carry the trigger.
    y : (n,) int array
        Their true classes.
    target : int
        The class that the backdoor aims at.

    Returns
    -------
    float
        In [0, 1]; NaN if all rows are of the target class.

    Raises
    ------
    ValueError
        If the lengths differ.

    Notes
    -----
    #{triggered = target, y ≠ target} / #{y ≠ target}. A clean model has a rate too: its plain errors.

    Source
    ------
    Bagdasaryan et al. (2020), "How to backdoor federated learning"; FederatedTrust (Sánchez Sánchez et al. 2024),
    "Resilience to Attacks".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> backdoor_success_rate([0, 0, 1, 0], [1, 0, 1, 2], target=0)
    0.6666666666666666
    """
    predicted, truth = np.asarray(triggered), np.asarray(y)
    if predicted.shape != truth.shape or truth.ndim != 1:
        raise ValueError(
            f"triggered and y must be vectors of one length, got shapes {predicted.shape} and {truth.shape}"
        )
    others = truth != target
    return float((predicted[others] == target).mean()) if others.any() else float("nan")


def poisoning_defence(attacked: Any, clean: Any) -> float:
    """Return how much of its accuracy a federation keeps when some clients poison the training.

    Parameters
    ----------
    attacked : (A,) float array or float
        Accuracies in [0, 1] of runs under attack, one an attack or one a client; NaN is left out together with its
        partner in ``clean``.
    clean : (A,) float array or float
        Accuracies in [0, 1] of the same runs without an attack; one number serves all.

    Returns
    -------
    float
        At least 0: 1 if nothing is lost; above 1 if the attack happened to help; NaN if nothing is left or the clean
        accuracy is 0.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1], or if the shapes do not fit.

    Notes
    -----
    mean(attacked) / mean(clean). A model that guesses keeps much of a low accuracy, so read it beside the accuracy.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Poisoning Defense".

    Deviations
    ----------
    The paper asks whether a defence is in use and then to test it against representative attacks, without a formula;
    its authors' code leaves the metric out.

    Examples
    --------
    >>> poisoning_defence([0.75, 0.25], 1.0)
    0.5
    """
    under, free = np.atleast_1d(np.asarray(attacked, float)), np.atleast_1d(np.asarray(clean, float))
    if under.ndim != 1 or free.ndim != 1 or (free.size not in (1, under.size)):
        raise ValueError(
            f"clean must be one number or as many as attacked, got shapes {under.shape} attacked and {free.shape} clean"
        )
    for what, values in (("attacked", under), ("clean", free)):
        if ((values < 0) | (values > 1)).any():
            raise ValueError(f"{what} must lie in 0 … 1, got {np.nanmin(values):g} … {np.nanmax(values):g}")
    under, free = np.broadcast_arrays(under, free)
    known = ~np.isnan(under) & ~np.isnan(free)
    if not known.any() or not free[known].mean() > 0:
        return float("nan")
    return float(under[known].mean() / free[known].mean())
