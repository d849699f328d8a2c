"""The pillar of privacy: which protection is in use, and what could an adversary still say about the clients?"""

from __future__ import annotations

import math

from trustkit.catalogue import Interval
from trustkit.metrics.privacy import global_privacy_risk as risk
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import complement, identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["DIVERSE", "anonymization", "differential_privacy", "encryption", "entropy", "global_privacy_risk"]

DIVERSE = 2.0
"""Sensitive values that a group of rows should have: with one it gives the value away, and a yes or no has two."""


@metric(
    "technique", "Differential Privacy", inputs=("privacy/differential_privacy",), range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def differential_privacy(facts: FactSheet) -> float | None:
    """Say whether noise of a differentially private mechanism is added.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/differential_privacy``.

    Returns
    -------
    float or None
        1 for global or local differential privacy, 0 for none; None if not stated.

    Notes
    -----
    1 if in use, else 0.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Differential Privacy.

    Deviations
    ----------
    The authors' code knows one mechanism only (NbAFL); ours takes what the fact sheet states.

    Examples
    --------
    >>> differential_privacy(FactSheet({"privacy/differential_privacy": True}))
    1.0
    """
    used = facts.get("privacy", "differential_privacy")
    return None if used is None else float(used)


@metric(
    "uncertainty", "Entropy", inputs=("privacy/client_entropy",), range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def entropy(facts: FactSheet) -> float | None:
    """Say how uncertain it is which client a row belongs to.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/client_entropy``.

    Returns
    -------
    float or None
        In [0, 1]: 0 if one client has everything, 1 if all have the same; None if not stated.

    Notes
    -----
    −Σ p_k log₂ p_k / log₂ K, where p_k is client k's share of all training rows: the chance that a row drawn at random
    is its.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 1 and Table 2, Entropy.

    Deviations
    ----------
    The paper defines an entropy over which client is the adversary's target; the authors' code averages the clients'
    label entropies, scaled by their two extremes. Ours keeps the paper's definition, with the share of rows as the
    adversary's estimate, and divides by log₂ K because Table 2 asks for [0, 1]. The 0.93 in the paper's figures follows
    from no rule in print.

    Examples
    --------
    >>> entropy(FactSheet({"privacy/client_entropy": 0.93}))
    0.93
    """
    value = facts.get("privacy", "client_entropy")
    return None if value is None else float(value)


@metric(
    "indistinguishability", "Global Privacy Risk",
    inputs=("privacy/differential_privacy", "privacy/epsilon", "participants/client_num"), range=Interval(0, 1),
    better="lower", normalise=complement, when="Pre-training", who="Server",
)  # fmt: skip
def global_privacy_risk(facts: FactSheet) -> float | None:
    """Say how likely an adversary singles out the right client, by the paper's formula for ε.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/differential_privacy``, ``privacy/epsilon`` and ``participants/client_num``.

    Returns
    -------
    float or None
        In [0, 1]; 1 without a mechanism; None if the mechanism, its ε or the number of clients is not stated.

    Notes
    -----
    1 / (1 + (n − 1) e^−ε) for n clients and privacy loss ε; 1 without differential privacy.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 2 and Table 2, Global Privacy Risk; formula from the authors'
    code.

    Deviations
    ----------
    ε is the loss composed over all rounds, where the authors' code takes the configured one. The formula takes ε as
    protecting a client from being told from another. At level "example" it protects one row, and at level "client" one
    client from being added or removed, and δ is left out: an index for comparing runs, no bound for a
    client. The paper's text prints a score of 0.2 in experiment 5 (n = 9, ε = 4), where the formula gives 0.13.

    Examples
    --------
    >>> facts = {"privacy/differential_privacy": True, "privacy/epsilon": 6.0, "participants/client_num": 100}
    >>> round(global_privacy_risk(FactSheet(facts)), 4)
    0.803
    """
    used, epsilon = facts.get("privacy", "differential_privacy"), facts.get("privacy", "epsilon")
    clients = facts.get("participants", "client_num")
    if used is False:
        return 1.0
    if used is None or epsilon is None or clients is None:
        return None
    return risk(epsilon, clients)


@metric(
    "technique", "Encryption", inputs=("privacy/encryption", "privacy/aggregation_protection"), range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server", table=FURTHER,
)  # fmt: skip
def encryption(facts: FactSheet) -> float | None:
    """Say how far encryption hides single updates.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/encryption``; ``privacy/aggregation_protection`` says how.

    Returns
    -------
    float or None
        0 for none, 0.5 for encrypted transport only, 1 for secure aggregation or homomorphic encryption; None if not
        stated.

    Notes
    -----
    0 if updates are sent in clear, 0.5 if only the way to the server is encrypted, 1 if the server too sees nothing but
    their sum.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.1, Encryption.

    Deviations
    ----------
    The paper names schemes and gives no score. The grades are ours: encrypted transport keeps third parties out, secure
    aggregation and homomorphic encryption also an honest-but-curious server.

    Examples
    --------
    >>> encryption(FactSheet({"privacy/encryption": 0.5}))
    0.5
    """
    value = facts.get("privacy", "encryption")
    return None if value is None else float(value)


@metric(
    "technique", "Anonymization", inputs=("privacy/k_anonymity", "privacy/l_diversity", "privacy/quasi_identifiers"),
    range=Interval(0, 1), better="higher", normalise=identity, when="Pre-training", who="Clients", table=FURTHER,
)  # fmt: skip
def anonymization(facts: FactSheet) -> float | None:
    """Say how well the clients' rows hide among each other.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/k_anonymity`` and ``privacy/l_diversity``, each the smallest over the clients.

    Returns
    -------
    float or None
        In [0, 1]: 0 if somebody's row stands alone; None if k or l is not measured.

    Notes
    -----
    (1 − 1/k) · min(1, l/2): k rows at least look the same, and have l different sensitive values at least.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.1, Anonymization; k from Samarati and Sweeney (1998), l from
    Machanavajjhala et al. (2007).

    Deviations
    ----------
    The paper gives no score. 1/k is the chance to pick the right one of k rows. Rows do not leave a client in federated
    learning: the score tells what would happen if a table leaked.

    Examples
    --------
    >>> anonymization(FactSheet({"privacy/k_anonymity": 5.0, "privacy/l_diversity": 2.0}))
    0.8
    """
    k, values = facts.get("privacy", "k_anonymity"), facts.get("privacy", "l_diversity")
    return None if k is None or values is None else (1 - 1 / k) * _enough(values)


def _enough(values: float) -> float:
    return values if math.isnan(values) else min(1.0, values / DIVERSE)
