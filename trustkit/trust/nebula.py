"""NEBULA 1.0.0: the prototype's taxonomy as its successor changed it, with a seventh pillar for sustainability."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from trustkit.trust import prototype
from trustkit.trust.curves import Capped, Linear
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.layout import Either, Sheet, Table, Value
from trustkit.trust.prototype import falling, fill, sheet_of
from trustkit.trust.rules import Rule
from trustkit.trust.taxonomy import Notion
from trustkit.trust.tree import Taxonomy

__all__ = ["ALGORITHMS", "FIELDS_READ", "NEBULA", "PILLARS", "WEIGHTS", "sheet_of_facts"]

PILLARS: dict[str, str] = {**prototype.PILLARS, "sustainability": "Sustainability"}

NOTIONS: dict[str, Notion] = prototype.NOTIONS | {
    notion.id: notion
    for notion in (
        Notion("energy_source", "sustainability", "Energy source"),
        Notion("hardware_efficiency", "sustainability", "Hardware efficiency"),
        Notion("federation_complexity", "sustainability", "Federation complexity"),
    )
}

ALGORITHMS: dict[str, float] = {"FedAvg": 0.9509, "Krum": 0.9535, "TrimmedMean": 0.9595, "Median": 0.9461}
"""Values by aggregation algorithm, taken as they are."""

_COMPLEXITY = ("number_of_training_rounds", "avg_model_size", "client_selection_rate", "number_of_clients",
               "local_training_rounds", "avg_dataset_size")  # fmt: skip

WEIGHTS: dict[str, float] = {
    **prototype.WEIGHTS,
    "robustness": 0.2, "privacy": 0.15, "fairness": 0.15, "explainability": 0.15, "accountability": 0.1,
    "architectural_soundness": 0.1, "sustainability": 0.15,
    "performance": 0.5, "personalization": 0.5, "feature_importance": 0.5, "visualization": 0.5,
    "selection_fairness": 1 / 3, "performance_fairness": 1 / 3, "class_distribution": 1 / 3,
    "participants": 0.1, "accountability/performance": 0.2,
    "energy_source": 0.5, "hardware_efficiency": 0.25, "federation_complexity": 0.25,
    "carbon_intensity_clients": 0.5, "carbon_intensity_server": 0.5,
    "avg_power_performance_clients": 0.5, "avg_power_performance_server": 0.5,
    **dict.fromkeys(_COMPLEXITY, 1 / 6),
}  # fmt: skip
"""The weights of its configuration; those of the pillars are where its sliders start."""

FIELDS_READ: dict[str, str] = {
    "sustainability/avg_carbon_intensity_clients": "sustainability/carbon_intensity_clients",
    "sustainability/avg_carbon_intensity_server": "sustainability/carbon_intensity_server",
    "sustainability/avg_power_performance_clients": "sustainability/power_performance_clients",
    "sustainability/avg_power_performance_server": "sustainability/power_performance_server",
    "participants/avg_dataset_size": "participants/avg_dataset_size",
    "configuration/visualization": "explainability/visualization",
    "configuration/trainable_param_num": "explainability/trainable_param_num",
    "configuration/aggregation_algorithm": "configuration/aggregation_algorithm",
}
"""Where its fields come from in a `FactSheet`, beside those of the prototype."""

_EVENNESS = "fairness/selection_evenness"
_NAMES = {"fedmedian": "Median", "trimmedmean": "TrimmedMean", "krum": "Krum", "fedavg": "FedAvg"}


def sheet_of_facts(facts: FactSheet) -> Sheet:
    """Write a fact sheet in the layout of NEBULA.

    Parameters
    ----------
    facts : FactSheet
        Any.

    Returns
    -------
    Sheet
        As for the prototype, with the number of parameters, the clients' mean number of rows, and what is stated about
        energy and hardware. The variation of selection is also there as evenness, 1 − σ / μ, the direction in which
        NEBULA scores it.

    Examples
    --------
    >>> facts = FactSheet({"data/class_counts": [30, 10], "participants/client_num": 4})
    >>> sheet_of_facts(facts).get("participants", "avg_dataset_size")
    10.0
    """
    known = facts.values
    values = {**sheet_of(facts).values, **{path: known[ours] for path, ours in FIELDS_READ.items() if ours in known}}
    counts, clients = known.get("data/class_counts"), known.get("participants/client_num")
    if counts and clients:
        values.setdefault("participants/avg_dataset_size", sum(counts) / clients)
    name = str(values.get("configuration/aggregation_algorithm") or "")
    plain = "".join(letter for letter in name.lower() if letter.isalnum())
    values["configuration/aggregation_algorithm"] = _NAMES.get(plain, name or None)
    if "fairness/selection_cv" in values:
        values[_EVENNESS] = 1 - values["fairness/selection_cv"]
    return Sheet(values)


_FIVES = tuple(float(5 * k) for k in range(1, 11))
_CHANGED: Mapping[str, Rule] = {
    "scale": falling(_FIVES),
    "model_size": falling(tuple(10.0**k for k in range(2, 10))),
    "algorithm": Capped(),
}
_SAID = (
    "Where a fact sheet of ours is scored, these are not repeated: that an attack's noise is taken for differential "
    "privacy, that selection is a constant 1, and that fields are filled with other things (the topology for the "
    "preprocessing)."
)
_ZERO = "Repaired: NEBULA takes a 0 for missing and scores it 0; here the rule holds, and a 0 scores 1."
_SUSTAINABLE: tuple[tuple[str, str, str, Rule, str, str, str], ...] = (
    ("energy_source/carbon_intensity_clients", "Clients' Carbon Intensity",
     "sustainability/avg_carbon_intensity_clients", Linear(zero=795, one=20), "lower", "gCO2/kWh",
     "mean emissions of the clients' electricity for each kilowatt hour."),
    ("energy_source/carbon_intensity_server", "Server's Carbon Intensity",
     "sustainability/avg_carbon_intensity_server", Linear(zero=795, one=20), "lower", "gCO2/kWh",
     "emissions of the server's electricity for each kilowatt hour."),
    ("hardware_efficiency/avg_power_performance_clients", "Clients' Performance per Watt",
     "sustainability/avg_power_performance_clients", Linear(zero=20, one=1447), "higher", "points/W",
     "mean PassMark points for each watt of the clients' processors."),
    ("hardware_efficiency/avg_power_performance_server", "Server's Performance per Watt",
     "sustainability/avg_power_performance_server", Linear(zero=20, one=1447), "higher", "points/W",
     "PassMark points for each watt of the server's processor."),
    ("federation_complexity/number_of_training_rounds", "Number of Training Rounds", "configuration/total_round_num",
     falling(_FIVES), "lower", "rounds", "rounds of training."),
    ("federation_complexity/avg_model_size", "Model Size in Traffic", "configuration/trainable_param_num",
     falling(tuple(10.0**k for k in range(5, 13))), "lower", "parameters", "trainable parameters of the model."),
    ("federation_complexity/client_selection_rate", "Client Selection Rate", "participants/sample_client_rate",
     Linear(zero=0.1, one=1.0), "higher", "", "share of the clients that work in a round."),
    ("federation_complexity/number_of_clients", "Number of Clients", "participants/client_num", falling(_FIVES),
     "lower", "clients", "clients of the federation."),
    ("federation_complexity/local_training_rounds", "Local Training Rounds", "configuration/local_update_steps",
     Linear(zero=100, one=1), "lower", "epochs", "passes of a client over its data in a round."),
    ("federation_complexity/avg_dataset_size", "Mean Size of the Data Sets", "participants/avg_dataset_size",
     falling(tuple(10.0**k for k in range(2, 7))), "lower", "rows", "mean number of training rows of a client."),
)  # fmt: skip


def _rows() -> Table:
    table = Table("NEBULA 1.0.0, addon trustworthiness: configuration and code.", _SAID, (*PILLARS, *NOTIONS))
    fill(table, _CHANGED, "configuration/aggregation_algorithm", ALGORITHMS)
    evenness = Either((_EVENNESS, "fairness/selection_cv"))
    formula = (
        "1 − σ / μ of the participation rates, at least 0, where that is measured; else selection_cv as it stands."
    )
    table["selection_variation"] = dataclasses.replace(
        table["selection_variation"], function=evenness, inputs=evenness.paths, better="higher", normalise=Capped(),
        formula=formula, synopsis=f"Selection Variation: {formula}",
        deviations=f"{_SAID} NEBULA's sheets state a constant 1, which its rule scores 1: so does this profile.",
    )  # fmt: skip
    table["configuration"] = dataclasses.replace(
        table["configuration"],
        deviations=f"{_SAID} NEBULA asks for optimization_algorithm, which its sheets no longer have: at most 8/9, and "
        "7/9 without an ε. A sheet of ours states the algorithm under both names.",
    )
    table.add(
        "explainability/post_hoc_methods/visualization", "Visualization", Value("configuration/visualization"),
        Capped(), "higher", "1 if the life cycle is shown in a dashboard, else 0.",
        deviations="NEBULA always states 1; ours reads what is stated.",
    )  # fmt: skip
    for place, name, path, rule, better, unit, formula in _SUSTAINABLE:
        rate = place.endswith("client_selection_rate")
        table.add(
            f"sustainability/{place}", name, Value(path), rule, "lower" if better == "lower" else "higher", formula,
            high=1.0 if rate else math.inf, unit=unit,
            deviations="An earlier extension of the prototype scores a lower rate higher." if rate
            else _ZERO if isinstance(rule, Linear) and better == "lower" else "",
        )  # fmt: skip
    return table


NEBULA = Taxonomy("nebula-1.0", PILLARS, NOTIONS, _rows(), sheet_of_facts, "nebula")
"""Seven pillars, 17 notions and 33 metrics over NEBULA's layout."""
