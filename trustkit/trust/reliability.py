"""The pillar of robustness, of what a federation is made of: its code, its machines, its clients and their data."""

from __future__ import annotations

import math

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import complement, identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["client_reputation", "data_quality", "system_reliability", "testing_coverage"]

_RATES = ("dropout_rate", "error_rate", "timeout_rate")


@metric(
    "system_robustness", "Testing Coverage", inputs=("robustness/test_coverage",), range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server", table=FURTHER,
)  # fmt: skip
def testing_coverage(facts: FactSheet) -> float | None:
    """Say how much of the federation's code is run by tests.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/test_coverage``.

    Returns
    -------
    float or None
        In [0, 1]; None if not stated.

    Notes
    -----
    Lines that tests run / all lines.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.2, Testing Coverage.

    Deviations
    ----------
    The paper also names reviews and acceptance tests, which no number covers: they belong to Algorithmic Auditing.

    Examples
    --------
    >>> testing_coverage(FactSheet({"robustness/test_coverage": 0.97}))
    0.97
    """
    value = facts.get("robustness", "test_coverage")
    return None if value is None else float(value)


@metric(
    "system_robustness", "System Reliability", inputs=("system/dropout_rate", "system/error_rate",
    "system/timeout_rate", "system/faults"), range=Interval(0, 1), better="lower", normalise=complement,
    when="During-training", who="Server", table=FURTHER,
)  # fmt: skip
def system_reliability(facts: FactSheet) -> float | None:
    """Say how often clients left, failed or were late.

    Parameters
    ----------
    facts : FactSheet
        Reads ``system/dropout_rate``, ``system/error_rate`` and ``system/timeout_rate``.

    Returns
    -------
    float or None
        In [0, 1]: 0 if everything that was asked for arrived; NaN if nobody was asked; None if a rate is not stated.

    Notes
    -----
    (dropout + error + timeout) / 3, over the rates that are defined.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.2, System Reliability.

    Deviations
    ----------
    The paper names the rates and gives no score. Ours counts all three by client and round, each among those whom it
    could still befall.

    Examples
    --------
    >>> facts = {"system/dropout_rate": 0.25, "system/error_rate": 0.0, "system/timeout_rate": 0.5}
    >>> system_reliability(FactSheet(facts))
    0.25
    """
    rates = [facts.get("system", name) for name in _RATES]
    if None in rates:
        return None
    defined = [rate for rate in rates if not math.isnan(rate)]
    return sum(defined) / len(defined) if defined else math.nan


@metric(
    "client_reliability", "Client Reputation", inputs=("participants/reputation_mean",), range=Interval(0, 1),
    better="higher", normalise=identity, when="During-training", who="Server", table=FURTHER,
)  # fmt: skip
def client_reputation(facts: FactSheet) -> float | None:
    """Say how far the clients are to be relied on, by what their updates did.

    Parameters
    ----------
    facts : FactSheet
        Reads ``participants/reputation_mean``.

    Returns
    -------
    float or None
        In [0, 1]: 0.5 where nothing is known yet; None if not measured.

    Notes
    -----
    Mean over clients of belief + uncertainty / 2, by subjective logic over good and bad updates.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.2, Client Reputation; Kang et al. (2020), "Reliable
    federated learning for mobile networks".

    Deviations
    ----------
    The paper finds no way to measure it in a simulation, and calls a client malicious below a threshold; ours takes the
    mean, which no threshold cuts.

    Examples
    --------
    >>> client_reputation(FactSheet({"participants/reputation_mean": 0.8}))
    0.8
    """
    value = facts.get("participants", "reputation_mean")
    return None if value is None else float(value)


@metric(
    "client_reliability", "Data Quality", inputs=("robustness/data_quality",), range=Interval(0, 1), better="higher",
    normalise=identity, when="During-training", who="Server", table=FURTHER,
)  # fmt: skip
def data_quality(facts: FactSheet) -> float | None:
    """Say how often a client's update improves the global model.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/data_quality``.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    Updates with which the global model is better on held-out rows than before / all updates, over clients and rounds.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.2, Data Quality; Pejó and Biczók (2020), "Quality inference
    in federated learning with secure aggregation".

    Deviations
    ----------
    The paper leaves it out for its cost and gives no score. Near the optimum few updates improve anything, so compare
    runs of the same length.

    Examples
    --------
    >>> data_quality(FactSheet({"robustness/data_quality": 0.6}))
    0.6
    """
    value = facts.get("robustness", "data_quality")
    return None if value is None else float(value)
