"""Membership inference: can a model's losses tell the rows it was trained on from others?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trustkit.rng import stream

__all__ = ["EmpiricalEpsilon", "empirical_epsilon", "membership_auc", "tpr_at_fpr"]

_FEWEST = 10  # rows of either kind, below which no bound is worth its name


class EmpiricalEpsilon(NamedTuple):
    """What an attack shows of a run's ε, in nats: the best ratio seen, and what is shown with confidence."""

    estimate: float
    lower: float

    def refutes(self, claimed: float) -> bool:
        """Say whether the run leaks more than its claimed ε allows, at the confidence of ``lower``.

        Parameters
        ----------
        claimed : float
            The ε that an accountant states, at the same δ.

        Returns
        -------
        bool
            Whether the lower bound exceeds it. False proves nothing: a better attack may show more.

        Examples
        --------
        >>> EmpiricalEpsilon(2.0, 1.5).refutes(1.0)
        True
        """
        return self.lower > claimed


def _losses(members: Any, others: Any, fewest: int = 0) -> tuple[np.ndarray, np.ndarray]:
    found = []
    for what, values in (("members", members), ("others", others)):
        losses = np.asarray(values, float)
        if losses.ndim != 1:
            raise ValueError(f"{what} must be a vector of losses, got shape {losses.shape}")
        if np.isnan(losses).any():
            raise ValueError(f"{what} must be numbers, got NaN")
        if losses.size < fewest:
            raise ValueError(f"{what} must have at least {fewest} losses, got {losses.size}")
        found.append(np.sort(losses))
    return found[0], found[1]


def membership_auc(members: Any, others: Any) -> float:
    """Return how well losses tell training rows from others.

    Parameters
    ----------
    members : (n,) float array
        Losses of rows that the model was trained on.
    others : (k,) float array
        Losses of rows that it has not seen, from the same distribution.

    Returns
    -------
    float
        The area under the curve, in [0, 1]: 1/2 is guessing, 1 gives every member away; NaN without rows of either
        kind.

    Raises
    ------
    ValueError
        If an input is no vector or has NaN.

    Notes
    -----
    P(loss of a member < loss of another) + P(equal) / 2: a member is guessed where the loss is small.

    Source
    ------
    Yeom et al. (2018), "Privacy risk in machine learning", section 3.2 (the attack by threshold); FederatedTrust
    (Sánchez Sánchez et al. 2024), "Information Leakage Risk".

    Deviations
    ----------
    FederatedTrust names mutual information and no membership attack.

    Examples
    --------
    >>> membership_auc([0.1, 0.2, 0.9], [0.5, 0.9])
    0.75
    """
    inside, outside = _losses(members, others)
    if not (inside.size and outside.size):
        return float("nan")
    below, upto = (np.searchsorted(inside, outside, side) for side in ("left", "right"))
    return float((below + upto).mean() / (2 * inside.size))


def tpr_at_fpr(members: Any, others: Any, fpr: float = 0.01) -> float:
    """Return the share of training rows found when hardly any other row may be taken for one.

    Parameters
    ----------
    members : (n,) float array
        Losses of rows that the model was trained on.
    others : (k,) float array
        Losses of rows that it has not seen, from the same distribution.
    fpr : float
        In [0, 1]: which share of the others may be taken for members at most; below 1/k it is none.

    Returns
    -------
    float
        In [0, 1]; about ``fpr`` is guessing; NaN without rows of either kind.

    Raises
    ------
    ValueError
        If the rate is out of range, or an input is no vector or has NaN.

    Notes
    -----
    max over thresholds t with P(other's loss ≤ t) ≤ fpr of P(member's loss ≤ t), without interpolation.

    Source
    ------
    Carlini et al. (2022), "Membership inference attacks from first principles", section 3.

    Deviations
    ----------
    The attack is one threshold for all rows, cheaper and weaker than theirs.

    Examples
    --------
    >>> tpr_at_fpr([0.1, 0.2, 0.6, 0.9], [0.5, 0.7], fpr=0.0)
    0.5
    """
    if not 0 <= fpr <= 1:
        raise ValueError(f"fpr must be between 0 and 1, got {fpr!r}")
    inside, outside = _losses(members, others)
    if not (inside.size and outside.size):
        return float("nan")
    allowed = int(round(fpr * outside.size, 9))
    if allowed >= outside.size:
        return 1.0
    return float(np.searchsorted(inside, outside[allowed], "left") / inside.size)


def _upper(count: np.ndarray, size: int, risk: float) -> np.ndarray:
    """Return Clopper and Pearson's upper ends for rates of ``count`` in ``size``."""
    from scipy.special import betaincinv

    full = count >= size
    return np.where(full, 1.0, betaincinv(np.where(full, 1, count + 1), np.where(full, 1, size - count), 1 - risk))


def _logs(first: np.ndarray, second: np.ndarray, delta: float) -> np.ndarray:
    """Return log((1 − δ − second) / first), at least 0; infinite where only ``first`` is 0."""
    above = np.maximum(1 - delta - second, 0.0)
    ratio = np.divide(above, first, out=np.where(above > 0, np.inf, 0.0), where=first > 0)
    return np.asarray(np.log(np.maximum(ratio, 1.0)))


def _rates(inside: np.ndarray, outside: np.ndarray, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return false positives and false negatives (counts) of sorted losses at every threshold."""
    positives = np.searchsorted(outside, thresholds, "right")
    return positives, inside.size - np.searchsorted(inside, thresholds, "right")


def empirical_epsilon(
    members: Any, others: Any, *, delta: float = 1e-5, confidence: float = 0.95, seed: int = 0
) -> EmpiricalEpsilon:
    """Bound a run's ε from below by what an attack on its losses achieves.

    Parameters
    ----------
    members : (n,) float array
        Losses of rows that the model was trained on, at least 10.
    others : (k,) float array
        Losses of rows that it has not seen, from the same distribution, at least 10.
    delta : float
        In [0, 1): δ of the claim that is put to the test.
    confidence : float
        In (0, 1): of the lower bound.
    seed : int
        Which half of the rows chooses the threshold follows from it.

    Returns
    -------
    EmpiricalEpsilon
        estimate: the largest ratio over all thresholds of all rows, an estimate that leans upwards and may be infinite;
        lower: the bound, at least 0, that the chosen threshold shows on the other half of the rows.

    Raises
    ------
    ValueError
        If a number is out of range, there are too few rows, or an input is no vector or has NaN.

    Notes
    -----
    (ε, δ)-differential privacy means FPR ≥ (1 − δ − FNR) e^−ε and FNR ≥ (1 − δ − FPR) e^−ε for every test, so
    ε ≥ log((1 − δ − FNR) / FPR) and ε ≥ log((1 − δ − FPR) / FNR). The bound puts Clopper and Pearson's upper ends in
    the place of both rates, each at half of the risk 1 − confidence. It holds for rows that were drawn independently
    of each other to be trained on or not, and whose losses depend little on the other rows; with n rows it cannot
    exceed about log(n / 7.4) at 95 %.

    Source
    ------
    Kairouz, Oh and Viswanath (2015), "The composition theorem for differential privacy", Theorem 2.1; Nasr et al.
    (2021), "Adversary instantiation: lower bounds for differentially private machine learning", for the intervals.

    Deviations
    ----------
    Nasr et al. train many models and attack one row; ours attacks many rows of one model, which needs one training
    and assumes that rows do not influence each other. The threshold and the side are chosen on one half and tested on
    the other, so that the choice costs no confidence.

    Examples
    --------
    >>> found = empirical_epsilon(np.arange(1000.0), np.arange(1000.0))
    >>> found.lower, found.refutes(1.0)
    (0.0, False)
    """
    if not 0 <= delta < 1:
        raise ValueError(f"delta must be at least 0 and below 1, got {delta!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    inside, outside = _losses(members, others, _FEWEST)
    fp, fn = _rates(inside, outside, np.unique(np.concatenate([inside, outside])))
    by_all = [_logs(fp / outside.size, fn / inside.size, delta), _logs(fn / inside.size, fp / outside.size, delta)]
    rng, risk = stream(seed, "membership"), (1 - confidence) / 2
    (choose_in, test_in), (choose_out, test_out) = (_halves(losses, rng) for losses in (inside, outside))
    thresholds = np.unique(np.concatenate([choose_in, choose_out]))
    chosen = _shown(choose_in, choose_out, thresholds, delta, risk)
    side, place = np.unravel_index(int(chosen.argmax()), chosen.shape)
    lower = _shown(test_in, test_out, thresholds[place : place + 1], delta, risk)[side, 0]
    return EmpiricalEpsilon(float(max(values.max() for values in by_all)), float(lower))


def _halves(losses: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Deal sorted losses into two sorted halves at random."""
    first = np.zeros(losses.size, bool)
    first[rng.permutation(losses.size)[: losses.size // 2]] = True
    return losses[first], losses[~first]


def _shown(inside: np.ndarray, outside: np.ndarray, thresholds: np.ndarray, delta: float, risk: float) -> np.ndarray:
    """Return the bounds (2, thresholds) that upper ends of the two rates show."""
    fp, fn = _rates(inside, outside, thresholds)
    positives, negatives = _upper(fp, outside.size, risk), _upper(fn, inside.size, risk)
    return np.stack([_logs(positives, negatives, delta), _logs(negatives, positives, delta)])
