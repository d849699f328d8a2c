"""The pillar of privacy, measured: what updates tell of rows, and what an attack finds out in the end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trustkit.catalogue import Interval
from trustkit.trust.curves import Linear
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import complement, identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["information_leakage", "membership_exposure", "membership_inference", "privacy_claim"]


@metric(
    "information", "Information Leakage Risk", inputs=("privacy/leakage_share", "privacy/leakage_estimate",
    "privacy/leakage_by_round", "privacy/leakage_bound", "privacy/label_exposure", "privacy/feature_exposure"),
    range=Interval(0, 1), better="lower", normalise=complement, when="During-training", who="Clients", table=FURTHER,
)  # fmt: skip
def information_leakage(facts: FactSheet) -> float | None:
    """Say how much of what the rows hold can be read off the updates.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/leakage_share``; the estimate and the bound in nats stand beside it, or across columns what
        attacks find of labels and of columns.

    Returns
    -------
    float or None
        In [0, 1]: 0 if updates tell nothing, 1 if they tell everything; None if not measured.

    Notes
    -----
    min(1, I / H(X)): an estimate of the mutual information of updates and rows, over the entropy of the rows. Across
    columns the larger of two shares: of labels and of columns that attacks on messages find above what takes no run.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.1, Information Leakage Risk; Liu et al. (2021),
    "Quantitative metric for privacy leakage in federated learning" (H-MINE).

    Deviations
    ----------
    The paper gives no score and leaves the metric out of its prototype, as networks would have to be trained in every
    round. Ours fits a convex critic to the first, the middle and the last, once the run is over. It estimates a lower
    bound: what the critic cannot see is missing. So does an attack: what is not found is not safe.

    Examples
    --------
    >>> information_leakage(FactSheet({"privacy/leakage_share": 0.1}))
    0.1
    """
    value = facts.get("privacy", "leakage_share")
    return None if value is None else float(value)


@metric(
    "information", "Membership Inference", inputs=("privacy/membership_auc",), range=Interval(0, 1), better="lower",
    normalise=Linear(zero=1, one=0.5), when="Post-training", who="Clients", table=FURTHER,
)  # fmt: skip
def membership_inference(facts: FactSheet) -> float | None:
    """Say how well an attack on the losses tells training rows from others.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/membership_auc``.

    Returns
    -------
    float or None
        In [0, 1]: 0.5 is guessing, 1 finds every member; None if not measured.

    Notes
    -----
    Area under the curve of the attack that takes rows with a low loss for members; the score is 1 up to 0.5 and falls
    straight to 0 at 1.

    Source
    ------
    Yeom et al. (2018), "Privacy risk in machine learning"; a measure of what FederatedTrust (Sánchez Sánchez et al.
    2024), section 3.1, calls information leakage.

    Deviations
    ----------
    The paper has no attack on membership. Below 0.5 the attack is worse than guessing, which scores no more than 1.

    Examples
    --------
    >>> membership_inference(FactSheet({"privacy/membership_auc": 0.6}))
    0.6
    """
    value = facts.get("privacy", "membership_auc")
    return None if value is None else float(value)


@metric(
    "information", "Membership Exposure", inputs=("privacy/membership_tpr", "privacy/membership_fpr"),
    range=Interval(0, 1), better="lower", normalise=complement, when="Post-training", who="Clients", table=FURTHER,
)  # fmt: skip
def membership_exposure(facts: FactSheet) -> float | None:
    """Say how many training rows an attack finds for sure, with hardly a false alarm.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/membership_tpr`` and the ``privacy/membership_fpr`` that it holds at.

    Returns
    -------
    float or None
        In [0, 1]: 0 if the attack is as good as guessing; NaN if every stranger is taken for a member; None if not
        measured.

    Notes
    -----
    max(0, TPR − FPR) / (1 − FPR), at a low false-positive rate FPR.

    Source
    ------
    Carlini et al. (2022), "Membership inference attacks from first principles", for the rate; a measure of what
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.1, calls information leakage.

    Deviations
    ----------
    An area averages over rows that are safe; few rows that are found for sure are a breach already. What guessing finds
    at that rate is taken off.

    Examples
    --------
    >>> membership_exposure(FactSheet({"privacy/membership_tpr": 0.505, "privacy/membership_fpr": 0.01}))
    0.5
    """
    found, alarms = facts.get("privacy", "membership_tpr"), facts.get("privacy", "membership_fpr")
    if found is None or alarms is None:
        return None
    if math.isnan(found) or math.isnan(alarms) or alarms >= 1:
        return math.nan
    return float(max(0.0, found - alarms) / (1 - alarms))


def _verdict(inputs: Mapping[str, Any]) -> str:
    shown, claimed = inputs.get("privacy/empirical_epsilon"), inputs.get("privacy/epsilon")
    if shown is None or claimed is None or not math.isfinite(claimed):
        return ""
    if shown > claimed:
        return f"Refuted: an attack shows ε ≥ {shown:.3g}, and {claimed:.3g} is claimed."
    return f"Not refuted: the attack shows ε ≥ {shown:.3g}, below the {claimed:.3g} that is claimed; it proves no more."


@metric(
    "information", "Privacy Claim", inputs=("privacy/empirical_epsilon", "privacy/epsilon",
    "privacy/differential_privacy"), range=Interval(0, 1), better="higher", normalise=identity, when="Post-training",
    who="Clients", table=FURTHER, remark=_verdict,
)  # fmt: skip
def privacy_claim(facts: FactSheet) -> float | None:
    """Say whether an attack refutes the privacy loss that is claimed.

    Parameters
    ----------
    facts : FactSheet
        Reads ``privacy/empirical_epsilon``, ``privacy/epsilon`` and ``privacy/differential_privacy``.

    Returns
    -------
    float or None
        1 if the claim stands, 0 if it is refuted; NaN where no finite ε is claimed; None if not measured.

    Notes
    -----
    1 if the lower bound on ε that an attack shows is at most the ε composed over all rounds, else 0.

    Source
    ------
    Nasr et al. (2021), "Adversary instantiation: lower bounds for differentially private machine learning"; the claim
    is equation 2 of FederatedTrust (Sánchez Sánchez et al. 2024).

    Deviations
    ----------
    The paper takes ε as stated. An attack that fails proves nothing: 1 means not refuted.

    Examples
    --------
    >>> privacy_claim(FactSheet({"privacy/empirical_epsilon": 2.0, "privacy/epsilon": 1.0}))
    0.0
    """
    shown, claimed = facts.get("privacy", "empirical_epsilon"), facts.get("privacy", "epsilon")
    if facts.get("privacy", "differential_privacy") is False or claimed == math.inf:
        return math.nan
    if shown is None or claimed is None:
        return None
    return math.nan if math.isnan(shown) or math.isnan(claimed) else float(shown <= claimed)
