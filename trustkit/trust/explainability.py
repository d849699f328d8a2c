"""The pillar of explainability: can the model be read, how large is it, do few features carry its decisions?"""

from __future__ import annotations

import math
import re

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import capped, fifth, identity, size_steps
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["TRANSPARENCY", "algorithmic_transparency", "feature_importance", "model_size", "simplification",
           "visualization"]  # fmt: skip

TRANSPARENCY: dict[str, float] = {
    "random forest": 4, "k-nearest neighbors": 3, "support vector machine": 2, "gaussian process classifier": 3,
    "decision tree": 5, "multilayer perceptron": 1, "adaboost": 3, "gaussian nb": 3.5,
    "quadratic discriminant analysis": 3, "logistic regression": 4, "linear regression": 3.5, "sequential": 1,
    "convolutional neural network": 1,
}  # fmt: skip
"""The expert's marks of Table 3, from 1 (opaque) to 5, by family of models."""

_SHORT = {
    "rf": "random forest", "knn": "k-nearest neighbors", "svm": "support vector machine",
    "svc": "support vector machine", "gp": "gaussian process classifier", "tree": "decision tree",
    "mlp": "multilayer perceptron", "qda": "quadratic discriminant analysis", "logistic": "logistic regression",
    "logreg": "logistic regression", "lr": "logistic regression", "softmax": "logistic regression",
    "linear": "linear regression", "cnn": "convolutional neural network", "convnet": "convolutional neural network",
    "convnet2": "convolutional neural network", "lenet": "convolutional neural network",
}  # fmt: skip


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


_MARKS = {_plain(family): float(mark) for family, mark in TRANSPARENCY.items()}
_MARKS |= {_plain(short): float(TRANSPARENCY[family]) for short, family in _SHORT.items()}


@metric(
    "interpretability", "Algorithmic Transparency", inputs=("configuration/training_model",), range=Interval(1, 5),
    better="higher", normalise=fifth, when="Pre-training", who="Server",
)  # fmt: skip
def algorithmic_transparency(facts: FactSheet) -> float | None:
    """Return an expert's mark for how readable the family of models is.

    Parameters
    ----------
    facts : FactSheet
        Reads ``configuration/training_model``: a family of `TRANSPARENCY` or a short name (mlp, cnn, logistic, …).

    Returns
    -------
    float or None
        From 1 (opaque) to 5; None if the model is not stated, or has no mark.

    Notes
    -----
    The mark of the family in Table 3; the score is mark / 5.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Algorithmic Transparency.

    Deviations
    ----------
    Table 3 prints 12 marks for 13 families: its "3,4" is read as two, as in the authors' code. The scores printed
    beside it (0, 0.2, 0.4, 0.5, … 1) belong to no rule; the code takes (x − 1) / 4, but only x / 5 (0.2 for a network)
    fits the paper's figures. A family that is not listed is missing, not 0.

    Examples
    --------
    >>> algorithmic_transparency(FactSheet({"configuration/training_model": "mlp"}))
    1.0
    """
    model = facts.get("configuration", "training_model")
    return None if model is None else _MARKS.get(_plain(model))


@metric(
    "interpretability", "Model Size", inputs=("explainability/trainable_param_num",), range=Interval(0, math.inf),
    unit="parameters", better="lower", normalise=size_steps, when="Post-training", who="Server",
)  # fmt: skip
def model_size(facts: FactSheet) -> float | None:
    """Return the number of trainable parameters.

    Parameters
    ----------
    facts : FactSheet
        Reads ``explainability/trainable_param_num``.

    Returns
    -------
    float or None
        At least 0 parameters; None if not stated.

    Notes
    -----
    P; the score is 1 below 10 and 0.1 less from each of 10, 50, 100, 500, …, 500,000 on.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.4 and Tables 2 and 3, Model Size.

    Deviations
    ----------
    Table 3 lets the score rise with size, the text says that a larger model is harder to explain: ours keeps the
    table's steps and the text's direction. The authors' code counts parameter arrays instead of parameters. The 0.9
    and 0.7 in the paper's figures follow from neither.

    Examples
    --------
    >>> model_size(FactSheet({"explainability/trainable_param_num": 8452}))
    8452.0
    """
    count = facts.get("explainability", "trainable_param_num")
    return None if count is None else float(count)


@metric(
    "post_hoc_methods", "Feature Importance", inputs=("explainability/feature_importance_cv",),
    range=Interval(0, math.inf), better="higher", normalise=capped, when="Post-training", who="Server",
)  # fmt: skip
def feature_importance(facts: FactSheet) -> float | None:
    """Say how much the importance of the features varies: decisions that rest on few are easier to explain.

    Parameters
    ----------
    facts : FactSheet
        Reads ``explainability/feature_importance_cv``.

    Returns
    -------
    float or None
        At least 0; NaN if no feature matters; None if not measured.

    Notes
    -----
    σ / μ over the features of mean |SHAP value|; the score is min(1, CV).

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), Tables 2 and 3, Feature Importance.

    Deviations
    ----------
    The authors' code takes the variation over classes, or over rows, depending on the version of shap; ours is over
    features, as the name says. The paper writes the range as [0, 1]; a coefficient of variation can be larger.

    Examples
    --------
    >>> feature_importance(FactSheet({"explainability/feature_importance_cv": 0.67}))
    0.67
    """
    value = facts.get("explainability", "feature_importance_cv")
    return None if value is None else float(value)


@metric(
    "post_hoc_methods", "Simplification", inputs=("explainability/surrogate_fidelity",
    "explainability/surrogate_leaves"), range=Interval(0, 1), better="higher", normalise=identity,
    when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def simplification(facts: FactSheet) -> float | None:
    """Say how often a small tree that was distilled from the model decides as the model does.

    Parameters
    ----------
    facts : FactSheet
        Reads ``explainability/surrogate_fidelity``; ``explainability/surrogate_leaves`` is the tree's size.

    Returns
    -------
    float or None
        In [0, 1]; None if not measured.

    Notes
    -----
    Held-out rows on which the tree and the model agree / all held-out rows.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.4, Simplification; Craven and Shavlik (1996), "Extracting
    tree-structured representations of trained networks", for fidelity.

    Deviations
    ----------
    The paper asks whether the model was simplified; ours measures how much of it a reader of the tree understands. Read
    it beside the tree's size: a large tree agrees more and explains less.

    Examples
    --------
    >>> simplification(FactSheet({"explainability/surrogate_fidelity": 0.9}))
    0.9
    """
    value = facts.get("explainability", "surrogate_fidelity")
    return None if value is None else float(value)


@metric(
    "post_hoc_methods", "Visualization", inputs=("explainability/visualization",), range=Interval(0, 1),
    better="higher", normalise=identity, when="During-training", who="Server", table=FURTHER,
)  # fmt: skip
def visualization(facts: FactSheet) -> float | None:
    """Say whether a dashboard shows who took part when, and how the model stands.

    Parameters
    ----------
    facts : FactSheet
        Reads ``explainability/visualization``.

    Returns
    -------
    float or None
        1 or 0; None if not stated.

    Notes
    -----
    1 if the training's course is shown, else 0.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.4, Visualization.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> visualization(FactSheet({"explainability/visualization": True}))
    1.0
    """
    shown = facts.get("explainability", "visualization")
    return None if shown is None else float(shown)
