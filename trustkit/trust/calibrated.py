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
    "aggregation_algorithm": "The listed values are kept, as they are accuracies within 0.03 of each other that "
    "stretching would turn into a ranking of noise, and a rule without one has FedAvg's, times the share of FedAvg's "
    "accuracy that it reaches in the same run, so that nobody's score falls for want of a benchmark.",
    "entropy": "Kept: it is a share of its maximum already.",
    "performance": "Kept: accuracy is a share already, and its meaning should not depend on a profile.",
    "differential_privacy": "Kept: it says whether there is a mechanism at all, and its strength is scored by ε.",
    "personalization": "Kept: the paper takes it as a yes or no, and what it gains shows in the accuracy.",
    "project_specs": "Kept: a share of what should be stated is between the paper's 0 and 1 already.",
    "participants": "Kept: a share of what should be stated, as for the project.",
    "data": "Kept: a share of what should be stated, as for the project.",
    "configuration": "Kept: a share of what should be stated, as for the project.",
    "system": "Kept: a share of what should be stated, as for the project.",
    "performance_results": "A share of what should be stated, as the authors' code takes it.",
    "fairness_results": "A share of what should be stated, as the authors' code takes it.",
    "encryption": "Transport encryption counts half, since the server still sees every single update.",
    "anonymization": "1 − 1/k is the chance that a guess among k equal rows is wrong, halved where a group gives its "
    "sensitive value away.",
    "information_leakage": "1 − I/H(X) is the share of the rows' information that updates do not carry.",
    "membership_inference": "An area of 0.5 is guessing and scores 1, an area of 1 finds everybody and scores 0, "
    "with a straight line between.",
    "membership_exposure": "What guessing finds at the same rate of false alarms is taken off, so that 1 means nobody "
    "is found.",
    "privacy_claim": "A claim that an attack refutes is worth nothing, whatever ε it names.",
    "poisoning_defence": "The share of the accuracy that is kept scores a rule by what it achieves, where a list of "
    "names would score its reputation.",
    "replacement_attack": "The share of the accuracy that is kept, as under any other attack.",
    "fgsm_robustness": "The share of the accuracy that is kept does not punish a weak model twice.",
    "pgd_robustness": "The share of the accuracy that is kept does not punish a weak model twice.",
    "testing_coverage": "Coverage is a share already.",
    "system_reliability": "1 − the mean of three rates lets no kind of failure hide behind another.",
    "client_reputation": "The mean is a share already, and no threshold decides who counts.",
    "data_quality": "The share of improving updates needs no scale that depends on the task.",
    "contribution_fairness": "1 − Gini is 1 where all contribute alike, and a Gini index is a share already.",
    "discrimination_index": "1 − |Φ| treats a group that is served better like one that is served worse, as equation 7 "
    "asks for a value close to 0.",
    "simplification": "Fidelity is a share already: how often the simple model decides like the one it explains.",
    "visualization": "A dashboard is there or not.",
    "algorithmic_auditing": "Each of the five stages counts the same, as none can stand for another.",
    "client_registry": "The share of rounds that are complete is 1 exactly if nothing is missing.",
    "co_versioning": "The share of rounds that are mapped is 1 exactly if every version can be traced.",
    "replacement_trigger": "A trigger is laid down or not.",
    "model_replacement": "Global and persistent degradation count the same, as the paper asks for both.",
    "decentralisation": "Without a server nobody has to be trusted with all updates, and no single failure ends the "
    "training.",
}
"""By metric, why it is scored so, in one sentence."""
