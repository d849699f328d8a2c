"""The profile "calibrated": normalisers that keep telling projects apart, each with its reason in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trustkit.trust.curves import Linear, Log, Reciprocal, Saturating

__all__ = ["NORMALISERS", "REASONS"]

NORMALISERS: Mapping[str, Callable[[float], float]] = {
    "certified_robustness": Saturating(half=1.0),
    "federation_scale": Log(zero=1, one=10_000),
    "selection_variation": Reciprocal(half=1.0),
    "accuracy_variation": Reciprocal(half=1.0),
    "class_imbalance": Reciprocal(half=1.0),
    "algorithmic_transparency": Linear(zero=1, one=5),
    "model_size": Log(zero=1_000_000_000, one=10),
    "feature_importance": Saturating(half=1.0),
}
"""By metric, where it departs from the metric's own normaliser."""

REASONS: Mapping[str, str] = {
    "certified_robustness": "r / (1 + r) rises with every gain in the certified radius, where steps of 0.2 hide small "
    "gains and a cap hides large ones.",
    "federation_scale": "More clients make a federation less dependent on each, as the paper's text says, and each "
    "factor of ten counts the same up to 10,000.",
    "selection_variation": "1 / (1 + CV) is 1 for even selection and never reaches 0, so a selection that is uneven "
    "beyond CV = 1 still ranks above a worse one.",
    "accuracy_variation": "1 / (1 + CV) does not end at CV = 1, which a few clients that are served very badly reach.",
    "class_imbalance": "1 / (1 + CV) scores balance and does not saturate: sixty classes of unequal size pass CV = 1 "
    "easily, and would all score 0.",
    "algorithmic_transparency": "(x − 1) / 4 uses the whole scale: an opaque network scores 0, a decision tree 1.",
    "model_size": "Fewer parameters are easier to explain, and each factor of ten counts the same up to a "
    "billion, where the table's steps end at half a million.",
    "feature_importance": "CV / (1 + CV) rises with concentration and does not saturate where a few of many features "
    "carry the decision.",
    "client_selector": "Kept: selection by criteria scores 1 and random selection 0, as the paper defines it and "
    "against what its own figures assume.",
    "global_privacy_risk": "Kept: the risk follows from ε composed over all rounds, not from the one configured, since "
    "an adversary sees all rounds.",
    "aggregation_algorithm": "Kept: the listed values are accuracies within 0.03 of each other, and stretching them "
    "would turn noise into a ranking.",
    "entropy": "Kept: it is a share of its maximum already.",
    "performance": "Kept: accuracy is a share already, and its meaning should not depend on a profile.",
}
"""By metric, why it is scored so, in one sentence."""
