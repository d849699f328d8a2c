"""FederatedTrust's prototype of 2022: the taxonomy, rules and weights that its code has, over its fact sheets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from trustkit.trust.curves import Capped, Linear
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.layout import Filled, Listed, Risk, Sheet, Table, Value, read
from trustkit.trust.rules import Rule
from trustkit.trust.stairs import Map, Steps
from trustkit.trust.taxonomy import Notion
from trustkit.trust.tree import Taxonomy

__all__ = ["ALGORITHMS", "FAMILIES", "NOTIONS", "PILLARS", "PROTOTYPE", "WEIGHTS", "Marks", "falling", "fill", "read",
           "sheet_of"]  # fmt: skip

PILLARS: dict[str, str] = {
    "robustness": "Robustness", "privacy": "Privacy", "fairness": "Fairness", "explainability": "Explainability",
    "accountability": "Accountability", "architectural_soundness": "Architectural Soundness",
}  # fmt: skip
"""Names by id, in the order of the prototype's report."""

NOTIONS: dict[str, Notion] = {
    notion.id: notion
    for notion in (
        Notion("resilience_to_attacks", "robustness", "Resilience to attacks"),
        Notion("algorithm_robustness", "robustness", "Algorithm robustness"),
        Notion("client_reliability", "robustness", "Client reliability"),
        Notion("technique", "privacy", "Technique"),
        Notion("uncertainty", "privacy", "Uncertainty"),
        Notion("indistinguishability", "privacy", "Indistinguishability"),
        Notion("selection_fairness", "fairness", "Selection fairness"),
        Notion("performance_fairness", "fairness", "Performance fairness"),
        Notion("class_distribution", "fairness", "Class distribution"),
        Notion("interpretability", "explainability", "Interpretability"),
        Notion("post_hoc_methods", "explainability", "Post-hoc methods"),
        Notion("factsheet_completeness", "accountability", "FactSheet completeness"),
        Notion("client_management", "architectural_soundness", "Client management"),
        Notion("optimization", "architectural_soundness", "Optimization"),
    )
}

FAMILIES: dict[str, float] = {
    "RandomForest": 4, "KNN": 3, "SVC": 2, "GaussianProcess": 3, "DecisionTree": 5, "MLP": 1, "AdaBoost": 3,
    "GaussianNB": 3.5, "QDA": 3, "LogisticRegression": 4, "LinearRegression": 3.5, "Sequential": 1, "CNN": 1,
}  # fmt: skip
"""Marks for transparency, 1 to 5, by the prototype's names of families."""

ALGORITHMS: dict[str, float] = {
    "FedAvg": 0.8493, "FedOpt": 0.8492, "FedProx": 0.8477, "FedBN": 0.8548, "pFedMe": 0.8765, "Ditto": 0.8661,
    "FedEM": 0.8479,
}  # fmt: skip

WEIGHTS: dict[str, float] = {
    "robustness": 0.2, "privacy": 0.2, "fairness": 0.2, "explainability": 0.2, "accountability": 0.1,
    "architectural_soundness": 0.1,
    "resilience_to_attacks": 0.4, "algorithm_robustness": 0.4, "client_reliability": 0.2,
    "technique": 0.2, "uncertainty": 0.6, "indistinguishability": 0.2,
    "selection_fairness": 0.4, "performance_fairness": 0.4, "class_distribution": 0.2,
    "interpretability": 0.4, "post_hoc_methods": 0.6, "client_management": 0.4, "optimization": 0.6,
    "performance": 0.8, "personalization": 0.2, "algorithmic_transparency": 0.6, "model_size": 0.4,
    "project_specs": 0.1, "participants": 0.2, "data": 0.2, "configuration": 0.2, "accountability/performance": 0.1,
    "accountability/fairness": 0.1, "system": 0.1,
}  # fmt: skip
"""The weights that the prototype has, and leaves aside unless it is asked to use them."""

_SHORT = {
    "logistic": "LogisticRegression", "logreg": "LogisticRegression", "softmax": "LogisticRegression",
    "linear": "LinearRegression", "multilayerperceptron": "MLP", "convnet": "CNN", "convnet2": "CNN", "lenet": "CNN",
    "convolutionalneuralnetwork": "CNN", "svm": "SVC", "tree": "DecisionTree",
}  # fmt: skip
_SAME = (
    "project/overview", "project/purpose", "project/background", "data/provenance", "data/preprocessing",
    "data/avg_entropy", "participants/client_num", "participants/sample_client_rate", "participants/client_selector",
    "configuration/personalization", "configuration/total_round_num", "configuration/learning_rate",
    "configuration/local_update_steps", "performance/test_loss_avg", "performance/test_acc_avg",
)  # fmt: skip
_CUT = {
    "performance/test_feature_importance_cv": "explainability/feature_importance_cv",
    "performance/test_clever": "robustness/clever", "fairness/test_acc_cv": "fairness/test_acc_cv",
    "fairness/selection_cv": "fairness/selection_cv", "fairness/class_imbalance": "fairness/class_imbalance",
}  # fmt: skip


@dataclass(frozen=True)
class Marks(Linear):
    """Straight between two marks; what has no mark has no score, and then nothing above it has one."""

    undefined: ClassVar[float] = math.nan


def falling(edges: tuple[float, ...]) -> Steps:
    """Return the prototype's falling staircase: from 1 by equal steps, a value at an edge still above the step.

    Parameters
    ----------
    edges : tuple of float
        Ascending.

    Returns
    -------
    Steps
        1 − k / (edges + 1), where k edges lie below the value.

    Examples
    --------
    >>> stairs = falling((10, 25, 50, 100))
    >>> stairs(10), stairs(12), stairs(1000)
    (1.0, 0.8, 0.19999999999999996)
    """
    return Steps(edges, [1 - k / (len(edges) + 1) for k in range(len(edges) + 1)], closed="right")


def sheet_of(facts: FactSheet) -> Sheet:
    """Write a fact sheet in the prototype's layout.

    Parameters
    ----------
    facts : FactSheet
        Any.

    Returns
    -------
    Sheet
        ε is the configured one, the size of the model its number of arrays, CLEVER and variations end at 1, as the
        prototype fills them in. What is not stated stays so, where the prototype's template has NaN; what was read from
        a file of theirs is as it stands there, NaN included.

    Examples
    --------
    >>> sheet_of(FactSheet({"robustness/clever": 1.7})).get("performance", "test_clever")
    1.0
    """
    known = facts.values
    values: dict[str, Any] = {path: known.get(path) for path in _SAME}
    values |= {path: min(1.0, known[ours]) if ours in known else None for path, ours in _CUT.items()}
    seconds, model = known.get("system/training_seconds"), known.get("configuration/training_model")
    families = {name.lower(): name for name in FAMILIES} | _SHORT
    plain = "".join(letter for letter in (model or "").lower() if letter.isalnum())
    empty = known.get("project/imported_empty", ())
    theirs = str(known.get("project/imported_from", "")).startswith("FederatedTrust")
    written: dict[str, Any] = {
        **values,
        "configuration/optimization_algorithm": known.get("configuration/aggregation_algorithm"),
        "configuration/training_model": model if theirs else families.get(plain, model),
        "configuration/differential_privacy": known.get("privacy/differential_privacy"),
        "configuration/dp_epsilon": known.get("privacy/configured_epsilon", known.get("privacy/epsilon")),
        "configuration/trainable_param_num": known.get("explainability/tensors"),
        "system/avg_time_minutes": None if seconds is None else seconds / 60,
        "system/avg_model_size": known.get("system/model_bytes"),
        "system/avg_upload_bytes": known.get("system/upload_bytes"),
        "system/avg_download_bytes": known.get("system/download_bytes"),
    }  # fmt: skip
    return Sheet({**written, **{path: math.nan for path in empty if written.get(path) is None}})


_SIZES = tuple(10.0**k for k in range(1, 11))
_RANKS = sorted(ALGORITHMS.values())
_CONFIGURATION = ("optimization_algorithm", "training_model", "personalization", "differential_privacy", "dp_epsilon",
                  "trainable_param_num", "total_round_num", "learning_rate", "local_update_steps")  # fmt: skip


def fill(table: Table, changed: Mapping[str, Rule], algorithm: str, algorithms: Mapping[str, float]) -> Table:
    """Add the prototype's 22 rows to a table.

    Parameters
    ----------
    table : Table
        Empty.
    changed : mapping of str to Rule
        By metric id, where a successor has another rule.
    algorithm : str
        The field that names the aggregation algorithm.
    algorithms : mapping of str to float
        Values by that name.

    Returns
    -------
    Table
        The same table.
    """
    unit, fall = Capped(), Linear(zero=1, one=0)

    def row(place: str, name: str, function: Any, rule: Rule, better: Any, formula: str, **more: Any) -> None:
        table.add(place, name, function, changed.get(place.split("/")[2], rule), better, formula, **more)

    def value(place: str, name: str, path: str, formula: str, better: str = "higher", **more: Any) -> None:
        row(place, name, Value(path), unit if better == "higher" else fall, better, formula, **more)

    at = "robustness/"
    value(at + "resilience_to_attacks/certified_robustness", "Certified Robustness", "performance/test_clever",
          "CLEVER of the model, cut at 1.")  # fmt: skip
    value(at + "algorithm_robustness/performance", "Performance", "performance/test_acc_avg",
          "mean test accuracy of the clients.")  # fmt: skip
    value(at + "algorithm_robustness/personalization", "Personalization", "configuration/personalization",
          "1 if clients keep parts of the model, else 0.")  # fmt: skip
    row(at + "client_reliability/scale", "Federation Scale", Value("participants/client_num"), falling(_SIZES),
        "lower", "number of clients.", high=math.inf, unit="clients",
        deviations="The paper's text scores more clients higher; the code scores them lower.")  # fmt: skip
    at = "privacy/"
    value(at + "technique/differential_privacy", "Differential Privacy", "configuration/differential_privacy",
          "1 if a mechanism is in use, else 0.")  # fmt: skip
    value(at + "uncertainty/entropy", "Entropy", "data/avg_entropy",
          "mean over clients of the label entropy, scaled by its two extremes.")  # fmt: skip
    where = ("configuration/differential_privacy", "configuration/dp_epsilon", "participants/client_num")
    row(at + "indistinguishability/global_privacy_risk", "Global Privacy Risk", Risk(where), fall, "lower",
        "1 / (1 + (n − 1) e^−ε) for n clients and the configured ε; 1 without a mechanism.")  # fmt: skip
    for place, name, path, formula in (
        ("selection_fairness/selection_variation", "Selection Variation", "selection_cv", "participation rates"),
        ("performance_fairness/accuracy_variation", "Accuracy Variation", "test_acc_cv", "test accuracies"),
        ("class_distribution/class_imbalance", "Class Imbalance", "class_imbalance", "merged class counts"),
    ):
        value(f"fairness/{place}", name, f"fairness/{path}", f"σ / μ of the {formula}, cut at 1.", "lower")
    at = "explainability/"
    row(at + "interpretability/algorithmic_transparency", "Algorithmic Transparency",
        Listed("configuration/training_model", FAMILIES, math.nan), Marks(zero=1, one=5), "higher",
        "an expert's mark for the family of models, 1 to 5; not defined for a family without one.",
        low=1.0, high=5.0)  # fmt: skip
    row(at + "interpretability/model_size", "Model Size", Value("configuration/trainable_param_num"),
        falling((10, 25, 50, 100)), "lower", "number of the model's parameter arrays.", high=math.inf)  # fmt: skip
    value(at + "post_hoc_methods/feature_importance", "Feature Importance", "performance/test_feature_importance_cv",
          "σ / μ of SHAP importance, cut at 1.")  # fmt: skip
    _completeness(row)
    at = "architectural_soundness/"
    row(at + "client_management/client_selector", "Client Selector", Filled(("participants/client_selector",)), unit,
        "higher", "1 if a selector is stated, whichever.")  # fmt: skip
    row(at + "optimization/algorithm", "Aggregation Algorithm", Listed(algorithm, algorithms, None),
        Map(_RANKS, [k / len(_RANKS) for k in range(1, len(_RANKS) + 1)]), "higher",
        "a benchmark's value for the algorithm; without one it counts as missing.")  # fmt: skip
    return table


def _completeness(row: Any) -> None:
    parts = {
        "project_specs": ("Project Specifications", "project", ("overview", "purpose", "background")),
        "participants": ("Participants", "participants", ("client_num", "sample_client_rate", "client_selector")),
        "data": ("Data", "data", ("provenance", "preprocessing", "avg_entropy")),
        "configuration": ("Configuration", "configuration", _CONFIGURATION),
        "performance": ("Performance Facts", "performance",
                        ("test_loss_avg", "test_acc_avg", "test_feature_importance_cv", "test_clever")),
        "fairness": ("Fairness Facts", "fairness", ("test_acc_cv", "selection_cv", "class_imbalance")),
        "system": ("System", "system",
                   ("avg_time_minutes", "avg_model_size", "avg_upload_bytes", "avg_download_bytes")),
    }  # fmt: skip
    for id_, (name, section, fields) in parts.items():
        paths = tuple(f"{section}/{field}" for field in fields)
        formula = f"filled fields / {len(paths)}; NaN, 0 and false count as filled, an empty text does not."
        row(f"accountability/factsheet_completeness/{id_}", name, Filled(paths), Capped(), "higher", formula)


PROTOTYPE = Taxonomy(
    "prototype-2022",
    PILLARS,
    NOTIONS,
    fill(
        Table(
            "The prototype of FederatedTrust, configuration and code of November 2022.",
            "Values outside a rule's range are cut off, which the prototype leaves to its caller.",
            (*PILLARS, *NOTIONS),
        ),
        {},
        "configuration/optimization_algorithm",
        ALGORITHMS,
    ),
    sheet_of,
    "federatedtrust",
)
"""Six pillars, 14 notions and 22 metrics over the prototype's layout."""
