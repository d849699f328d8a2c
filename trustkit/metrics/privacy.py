"""Privacy measures that follow from the privacy loss alone."""

from __future__ import annotations

import math

__all__ = ["global_privacy_risk"]


def global_privacy_risk(epsilon: float, clients: int) -> float:
    """Return the largest chance that an adversary names the right one among equally likely clients.

    Parameters
    ----------
    epsilon : float
        Privacy loss ε between any two candidates, composed over all rounds, at least 0; infinity where nothing
        protects.
    clients : int
        How many clients could be the target, n, at least 1.

    Returns
    -------
    float
        In [1/n, 1]: 1/n is guessing (ε = 0), 1 is certainty (ε = ∞); NaN for ε = NaN.

    Raises
    ------
    ValueError
        If ε is negative, or if there is no client.

    Notes
    -----
    1 / (1 + (n − 1) e^−ε): a uniform prior, and an output at most e^ε times likelier under the true candidate than
    under each of the others, which pure ε-differential privacy grants.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Global Privacy Risk", Table 2; the formula is in the authors' code.

    Deviations
    ----------
    The authors' code takes the configured ε; ours takes the one composed over the rounds, when the caller has it. Both
    leave δ out. Where ε is for adding or removing one client, putting one in another's place costs up to 2ε, so the
    formula is then an index rather than a bound. The paper's text prints a score of 0.2 for n = 9, ε = 4, where the
    formula gives 0.128.

    Examples
    --------
    >>> round(global_privacy_risk(6.0, 100), 6)
    0.802957
    >>> global_privacy_risk(float("inf"), 100)
    1.0
    """
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}")
    if clients < 1:
        raise ValueError(f"clients must be at least 1, got {clients!r}")
    return 1.0 / (1.0 + (clients - 1) * math.exp(-epsilon))
