"""The pillar of robustness, under attack: what is left of the accuracy, of a federation and of a model."""

from __future__ import annotations

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["fgsm_robustness", "pgd_robustness", "poisoning_defence", "replacement_attack"]


@metric(
    "resilience_to_attacks", "Poisoning Defence", inputs=("robustness/poisoning_defence", "robustness/label_flip",
    "robustness/sign_flip", "robustness/model_replacement", "robustness/backdoor", "robustness/attackers_share"),
    range=Interval(0, 1), better="higher", normalise=identity, when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def poisoning_defence(facts: FactSheet) -> float | None:
    """Say how much the federation keeps when some of its clients poison the training.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/poisoning_defence``; what each attack leaves stands beside it.

    Returns
    -------
    float or None
        In [0, 1]: 1 if the attacks change nothing; None if not measured.

    Notes
    -----
    Mean over attacks of accuracy under attack / accuracy without, at most 1: label flip, sign flip, model replacement;
    for a backdoor, 1 − its success rate.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.2, Poisoning Defence.

    Deviations
    ----------
    The paper asks whether a defence is in use; ours lets the attacks happen, so that a rule is scored by what it
    achieves and not by its name. Other attacks, and more attackers, may do worse.

    Examples
    --------
    >>> poisoning_defence(FactSheet({"robustness/poisoning_defence": 0.7}))
    0.7
    """
    value = facts.get("robustness", "poisoning_defence")
    return None if value is None else float(value)


@metric(
    "resilience_to_attacks", "Robustness to Replacement", inputs=("robustness/model_replacement",
    "robustness/attackers_share"), range=Interval(0, 1), better="higher", normalise=identity, when="Post-training",
    who="Server", table=FURTHER,
)  # fmt: skip
def replacement_attack(facts: FactSheet) -> float | None:
    """Say how much accuracy is left when attackers replace the global model by theirs.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/model_replacement``.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    Accuracy / accuracy without the attack, at most 1, where attackers send N (x − w) + w for a model x of theirs.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.2, Empirical Robustness, equations 3 to 5.

    Deviations
    ----------
    The paper shows the attack and gives no score. It counts within Poisoning Defence as well, as one of several.

    Examples
    --------
    >>> replacement_attack(FactSheet({"robustness/model_replacement": 0.4}))
    0.4
    """
    value = facts.get("robustness", "model_replacement")
    return None if value is None else float(value)


@metric(
    "resilience_to_attacks", "Robustness to FGSM", inputs=("robustness/fgsm", "robustness/attack_radius"),
    range=Interval(0, 1), better="higher", normalise=identity, when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def fgsm_robustness(facts: FactSheet) -> float | None:
    """Say how much accuracy is left on rows that are changed by one step against the model.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/fgsm``; ``robustness/attack_radius`` is how far a feature is changed.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    Accuracy on the changed rows / accuracy on the rows as they are, at most 1.

    Source
    ------
    Goodfellow, Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples"; FederatedTrust (Sánchez
    Sánchez et al. 2024), section 3.2, Empirical Robustness.

    Deviations
    ----------
    The paper leaves the attack open. Scores are comparable at one radius only.

    Examples
    --------
    >>> fgsm_robustness(FactSheet({"robustness/fgsm": 0.8, "robustness/attack_radius": 0.1}))
    0.8
    """
    value = facts.get("robustness", "fgsm")
    return None if value is None else float(value)


@metric(
    "resilience_to_attacks", "Robustness to PGD", inputs=("robustness/pgd", "robustness/attack_radius"),
    range=Interval(0, 1), better="higher", normalise=identity, when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def pgd_robustness(facts: FactSheet) -> float | None:
    """Say how much accuracy is left on rows that are changed by many steps against the model.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/pgd``; ``robustness/attack_radius`` is how far a feature is changed.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    Accuracy on the changed rows / accuracy on the rows as they are, at most 1.

    Source
    ------
    Madry et al. (2018), "Towards deep learning models resistant to adversarial attacks"; FederatedTrust (Sánchez
    Sánchez et al. 2024), section 3.2, Empirical Robustness.

    Deviations
    ----------
    The paper leaves the attack open. An attack bounds the worst case from above only; scores are comparable at one
    radius only.

    Examples
    --------
    >>> pgd_robustness(FactSheet({"robustness/pgd": 0.6, "robustness/attack_radius": 0.1}))
    0.6
    """
    value = facts.get("robustness", "pgd")
    return None if value is None else float(value)
