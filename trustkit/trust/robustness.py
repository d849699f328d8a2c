"""The pillar of robustness: can small changes fool the model, how good is it, how large is the federation?"""

from __future__ import annotations

import math

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import clever_steps, identity, scale_steps
from trustkit.trust.taxonomy import metric

__all__ = ["certified_robustness", "federation_scale", "performance", "personalization"]


@metric(
    "resilience_to_attacks", "Certified Robustness", inputs=("robustness/clever",), range=Interval(0, math.inf),
    unit="scaled features", better="higher", normalise=clever_steps, when="Post-training", who="Server",
)  # fmt: skip
def certified_robustness(facts: FactSheet) -> float | None:
    """Estimate the smallest change of an input that changes the prediction (CLEVER).

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/clever``.

    Returns
    -------
    float or None
        At least 0, in units of the scaled features; None if not measured.

    Notes
    -----
    Mean over test rows of min over classes j of min((f_c − f_j)(x) / L_j, radius), with L_j a local Lipschitz constant
    estimated from extreme values.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Certified Robustness.

    Deviations
    ----------
    The score follows Table 3 (0.05 for each 0.2, 1 from 4.0 on); the authors' code, and the 0.48 and 0.19 in the
    paper's figures, take min(1, CLEVER) instead: profile "paper-figures". The code measures one row; ours the mean of
    many. With a search radius R no value exceeds R, so that R below 4.0 caps the score; the code takes R = 2.

    Examples
    --------
    >>> certified_robustness(FactSheet({"robustness/clever": 0.48}))
    0.48
    """
    value = facts.get("robustness", "clever")
    return None if value is None else float(value)


@metric(
    "algorithm_robustness", "Performance", inputs=("performance/test_acc_avg",), range=Interval(0, 1),
    better="higher", normalise=identity, when="During-training", who="Clients",
)  # fmt: skip
def performance(facts: FactSheet) -> float | None:
    """Return the global model's test accuracy, averaged over the clients.

    Parameters
    ----------
    facts : FactSheet
        Reads ``performance/test_acc_avg``.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    (1/K) Σ_k accuracy on client k's test rows.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Performance.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> performance(FactSheet({"performance/test_acc_avg": 0.93}))
    0.93
    """
    value = facts.get("performance", "test_acc_avg")
    return None if value is None else float(value)


@metric(
    "algorithm_robustness", "Personalization", inputs=("configuration/personalization",), range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def personalization(facts: FactSheet) -> float | None:
    """Say whether the model is adapted to single clients.

    Parameters
    ----------
    facts : FactSheet
        Reads ``configuration/personalization``.

    Returns
    -------
    float or None
        1 or 0; None if not stated.

    Notes
    -----
    1 if a personalised method is in use, else 0.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Personalization.

    Deviations
    ----------
    The authors' code looks for personalised layers only and misses pFedMe and Ditto; ours takes what the fact sheet
    states.

    Examples
    --------
    >>> personalization(FactSheet({"configuration/personalization": False}))
    0.0
    """
    used = facts.get("configuration", "personalization")
    return None if used is None else float(used)


@metric(
    "client_reliability", "Federation Scale", inputs=("participants/client_num",), range=Interval(1, math.inf),
    unit="clients", better="higher", normalise=scale_steps, when="Pre-training", who="Server",
)  # fmt: skip
def federation_scale(facts: FactSheet) -> float | None:
    """Return the number of clients.

    Parameters
    ----------
    facts : FactSheet
        Reads ``participants/client_num``.

    Returns
    -------
    float or None
        At least 1 client; None if not stated.

    Notes
    -----
    n; the score is 0.2 · max(1, ⌊log₁₀ n⌋), at most 1.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Federation Scale.

    Deviations
    ----------
    Table 3 read literally gives 0 for 10 clients and 0.2 for 100, while the text prints 0.2 for 10 and for 50 and 0.4
    for 100; ours follows the text, whose five experiments one rule fits. The authors' code lets the score fall with n;
    the text says that more clients are more reliable.

    Examples
    --------
    >>> federation_scale(FactSheet({"participants/client_num": 50}))
    50.0
    """
    clients = facts.get("participants", "client_num")
    return None if clients is None else float(clients)
