"""The pillar of fairness: who is selected, who contributes, who is served well, and which classes are there?"""

from __future__ import annotations

import math

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import complement, one_minus_cv
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["accuracy_variation", "class_imbalance", "contribution_fairness", "discrimination_index",
           "selection_variation"]  # fmt: skip


@metric(
    "selection_fairness", "Participation Variation", inputs=("fairness/selection_cv",), range=Interval(0, math.inf),
    better="lower", normalise=one_minus_cv, when="Post-training", who="Server",
)  # fmt: skip
def selection_variation(facts: FactSheet) -> float | None:
    """Say how unevenly the clients were selected.

    Parameters
    ----------
    facts : FactSheet
        Reads ``fairness/selection_cv``.

    Returns
    -------
    float or None
        At least 0; NaN if nobody was ever selected; None if not measured.

    Notes
    -----
    σ / μ of the clients' participation rates. Choosing a share q at random for T rounds gives about √((1 − q) / (q T)).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 6 and Tables 2 and 3, Participation Variation.

    Deviations
    ----------
    The paper writes the range as [0, 1]; a coefficient of variation can be larger, and scores 0 from 1 on. The score of
    0.08 in the paper's experiment 1 does not follow from its configuration (about 0.55 would).

    Examples
    --------
    >>> selection_variation(FactSheet({"fairness/selection_cv": 0.17}))
    0.17
    """
    value = facts.get("fairness", "selection_cv")
    return None if value is None else float(value)


@metric(
    "performance_fairness", "Accuracy Variation", inputs=("fairness/test_acc_cv",), range=Interval(0, math.inf),
    better="lower", normalise=one_minus_cv, when="During-training", who="Clients",
)  # fmt: skip
def accuracy_variation(facts: FactSheet) -> float | None:
    """Say how unevenly accurate the model is over the clients.

    Parameters
    ----------
    facts : FactSheet
        Reads ``fairness/test_acc_cv``.

    Returns
    -------
    float or None
        At least 0; NaN if no row is classified rightly anywhere; None if not measured.

    Notes
    -----
    σ / μ of the clients' test accuracies.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Accuracy Variation.

    Deviations
    ----------
    The authors' code scores 1 where accuracy is 0 everywhere; ours is undefined there.

    Examples
    --------
    >>> accuracy_variation(FactSheet({"fairness/test_acc_cv": 0.5}))
    0.5
    """
    value = facts.get("fairness", "test_acc_cv")
    return None if value is None else float(value)


@metric(
    "class_distribution", "Class Imbalance", inputs=("fairness/class_imbalance",), range=Interval(0, math.inf),
    better="lower", normalise=one_minus_cv, when="Pre-training", who="Clients",
)  # fmt: skip
def class_imbalance(facts: FactSheet) -> float | None:
    """Say how unequal the classes are in the merged training data.

    Parameters
    ----------
    facts : FactSheet
        Reads ``fairness/class_imbalance``.

    Returns
    -------
    float or None
        At least 0; None if not measured.

    Notes
    -----
    σ / μ of the numbers of training rows by class, summed over the clients.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.3 and Tables 2 and 3, Class Imbalance.

    Deviations
    ----------
    Table 2 speaks of an average over clients and Table 3 of a balance ratio; the text of section 3.3, and the authors'
    code, take the variation of the merged counts, as we do. For many classes it saturates: 62 letters and digits
    score 0.

    Examples
    --------
    >>> class_imbalance(FactSheet({"fairness/class_imbalance": 0.6}))
    0.6
    """
    value = facts.get("fairness", "class_imbalance")
    return None if value is None else float(value)


@metric(
    "performance_fairness", "Contribution Fairness", inputs=("fairness/contribution_gini",), range=Interval(0, 1),
    better="lower", normalise=complement, when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def contribution_fairness(facts: FactSheet) -> float | None:
    """Say how unequally the clients contribute to a model that they all get.

    Parameters
    ----------
    facts : FactSheet
        Reads ``fairness/contribution_gini``.

    Returns
    -------
    float or None
        In [0, 1]: 0 if all contribute the same; NaN if nobody contributes; None if not measured.

    Notes
    -----
    Gini index of the clients' Shapley values.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.3: performance fairness asks that each client's reward be
    proportional to its contribution; Shapley (1953), and Fan et al. (2022) for completed federated Shapley values.

    Deviations
    ----------
    The paper has no metric for it. Where all get the same model, rewards are proportional exactly if contributions are
    equal.

    Examples
    --------
    >>> contribution_fairness(FactSheet({"fairness/contribution_gini": 0.3}))
    0.3
    """
    value = facts.get("fairness", "contribution_gini")
    return None if value is None else float(value)


@metric(
    "group_fairness", "Discrimination Index", inputs=("fairness/discrimination_index", "fairness/attribute"),
    range=Interval(0, 1), better="lower", normalise=complement, when="Post-training", who="Clients", table=FURTHER,
)  # fmt: skip
def discrimination_index(facts: FactSheet) -> float | None:
    """Say how much worse, or better, a protected group is served than the rest.

    Parameters
    ----------
    facts : FactSheet
        Reads ``fairness/discrimination_index``; ``fairness/attribute`` names what the groups differ in.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    |Φ| with Φ = F1 of the group − F1 of the rest, for the group where it is largest in size.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.3, equation 7, Discrimination Index.

    Deviations
    ----------
    The paper leaves it out, as the attribute is sensitive; ours is measured on the clients' test rows, of which no more
    than sums leave a client. The sign is in the fact; the score takes the size.

    Examples
    --------
    >>> discrimination_index(FactSheet({"fairness/discrimination_index": -0.2}))
    0.2
    """
    value = facts.get("fairness", "discrimination_index")
    return None if value is None else abs(float(value))
