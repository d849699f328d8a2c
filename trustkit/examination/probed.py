"""What the final model does: under changed rows, for each protected group, and in the words of a small tree."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trustkit import metrics
from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.findings import SMALL
from trustkit.metrics.fairness import discrimination_from_counts
from trustkit.rounds import data_of

__all__ = ["coverage", "discrimination", "gradient_attacks", "surrogate"]

LEAVES = 16
"""A tree of so many leaves is read in a minute."""

_STEPS = 10


@measure("gradient_attacks", cost="gradients")
def gradient_attacks(subject: Subject, tell: Tell) -> Found:
    """Change held-out rows by little along the model's own gradients, in one step and in ten.

    Parameters
    ----------
    subject : Subject
        Any run.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        robustness/fgsm, robustness/pgd: accuracy under attack / clean; robustness/attack_radius.

    Raises
    ------
    NotMeasured
        If there are no held-out rows, answers are numbers, or the model has no gradients.

    Notes
    -----
    No scaled feature changes by more than the radius, by default 0.1, nor leaves the range of the training rows. 0.1 is
    a tenth of a standard deviation of a table's column, or a twentieth of the range of what is scaled to [−1, 1]:
    below what one measures or sees, so that a model which gives way is not robust in any use.

    Source
    ------
    Goodfellow, Shlens and Szegedy (2015); Madry et al. (2018); FederatedTrust (Sánchez Sánchez et al. 2024), "Empirical
    Robustness".

    Deviations
    ----------
    See `trustkit.metrics.empirical_robustness`.
    """
    rows = subject.sample("test", subject.rows, "gradients")
    X, y = subject.data.X[rows], subject.data.y[rows]
    if not subject.data.classes:
        raise NotMeasured("answers are numbers: there is no border between classes to cross")
    if not np.isfinite(subject.gradient(X[:1], np.ones((1, len(subject.data.classes))))).all():
        raise NotMeasured("the model has no gradients to follow")
    train = subject.data.X[~subject.data.held_out]
    low, high = train.min(axis=0), train.max(axis=0)
    low, high = np.minimum(low, X.min(axis=0)), np.maximum(high, X.max(axis=0))
    facts = {"robustness/attack_radius": subject.radius}
    attacks: tuple[Literal["fgsm", "pgd"], ...] = ("fgsm", "pgd")
    for place, attack in enumerate(attacks):
        tell(place / 2)
        found = metrics.empirical_robustness(
            subject.logits, subject.gradient, X, y, epsilon=subject.radius, attack=attack, steps=_STEPS, low=low,
            high=high,
        )  # fmt: skip
        facts[f"robustness/{attack}"] = found.robust / found.clean if found.clean > 0 else float("nan")
    return Found(facts, f"{rows.size} held-out rows, each scaled feature changed by at most {subject.radius:g}")


@measure("discrimination", cost="counts")
def discrimination(subject: Subject, tell: Tell) -> Found:
    """Compare the F1 score of each protected group with that of everybody else.

    Parameters
    ----------
    subject : Subject
        A run on data with protected attributes.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        fairness/discrimination_index: of all test rows together, the index that is largest in size.

    Raises
    ------
    NotMeasured
        If the data have no protected attribute, or no group with 30 test rows and an F1 score.

    Notes
    -----
    Φ = F1(group) − F1(rest), see `trustkit.metrics.discrimination_index`, over the last round's predictions. Groups
    with fewer than 30 test rows are left out. The remark names the group, and the worst client.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equation 7.

    Deviations
    ----------
    The paper has one protected group; of several, ours takes the one that is treated most differently.
    """
    if not subject.record.groups:
        raise NotMeasured("the data name no protected attribute")
    index, words = float("nan"), ""
    for attribute, counts in subject.record.groups.items():
        pooled, by_client = (discrimination_from_counts(c, SMALL) for c in (counts.sum(axis=0), counts))
        if np.isnan(pooled).all():
            continue
        at = int(np.nanargmax(np.abs(pooled)))
        if not abs(index) >= abs(pooled[at]):
            index = float(pooled[at])
            name = data_of(subject.record.experiment).codes(attribute)[1][at]
            words = f"{attribute} {name}: {index:+.2f}"
            own = by_client[:, at][~np.isnan(by_client[:, at])]
            if own.size > 1:
                words += f"; by client {own.min():+.2f} to {own.max():+.2f}"
    if not words:
        raise NotMeasured(f"no group has {SMALL} test rows and an F1 score")
    return Found({"fairness/discrimination_index": index}, words)


@measure("surrogate", cost="predictions")
def surrogate(subject: Subject, tell: Tell) -> Found:
    """Distil the model into a small decision tree, and count on how many held-out rows both say the same.

    Parameters
    ----------
    subject : Subject
        Any run.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        explainability/surrogate_fidelity, explainability/surrogate_leaves.

    Raises
    ------
    NotMeasured
        If there are no training rows or no held-out ones, or answers are numbers.

    Notes
    -----
    A classification tree of at most 16 leaves (scikit-learn) is fitted to the model's answers on training rows. The
    remark says how often the commonest answer alone would be right.

    Source
    ------
    Craven and Shavlik (1996), "Extracting tree-structured representations of trained networks"; FederatedTrust (Sánchez
    Sánchez et al. 2024), "Simplification".

    Deviations
    ----------
    The paper asks whether a method is in use; ours measures how well one works.
    """
    if not subject.data.classes:
        raise NotMeasured("answers are numbers, of which hardly two are the same")
    train = subject.sample("train", 5 * subject.rows, "surrogate")
    test = subject.sample("test", subject.rows, "surrogate")
    from sklearn.tree import DecisionTreeClassifier

    answers, checked = (subject.logits(subject.data.X[rows]).argmax(axis=1) for rows in (train, test))
    tell(0.5)
    tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=subject.seed % 2**32)
    tree.fit(subject.data.X[train], answers)
    said = tree.predict(subject.data.X[test])
    facts = {
        "explainability/surrogate_fidelity": float((said == checked).mean()),
        "explainability/surrogate_leaves": int(tree.get_n_leaves()),
    }
    commonest = (np.bincount(answers).argmax() == checked).mean()
    return Found(facts, f"the commonest answer alone agrees on {commonest:.0%}")


@measure("coverage", cost="counts")
def coverage(subject: Subject, tell: Tell) -> Found:
    """State which share of the federation's code its tests run.

    Parameters
    ----------
    subject : Subject
        With a share of coverage.
    tell : callable
        Not called: nothing is measured here.

    Returns
    -------
    Found
        robustness/test_coverage.

    Raises
    ------
    NotMeasured
        If nobody stated it.

    Notes
    -----
    Of a report in the format of Cobertura: lines covered / lines valid.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), "Testing Coverage".

    Deviations
    ----------
    The paper names five kinds of tests and no number.
    """
    if subject.coverage is None:
        raise NotMeasured("no coverage was given: a share, or the path of a coverage.xml")
    return Found({"robustness/test_coverage": subject.coverage})
