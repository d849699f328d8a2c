"""Fact sheets that others wrote: FederatedTrust's prototype, its extension, and NEBULA 1.0."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Literal

from trustkit import jsonfile
from trustkit.catalogue import Interval
from trustkit.trust.collected import Convert, collect, filled, seconds, size, steps
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.fields import FIELDS

__all__ = ["check", "layout_of", "read", "read_federatedtrust", "read_nebula"]

_SECTIONS = ("project", "data", "participants", "configuration", "performance", "fairness", "system")


def _grams(kilograms: float) -> float:
    return 1000 * float(kilograms)


_NAMES: dict[str, str] = {
    **{path: path for path in (
        "project/overview", "project/purpose", "project/background", "data/provenance", "data/preprocessing",
        "data/avg_entropy", "participants/client_num", "participants/sample_client_rate",
        "participants/client_selector", "participants/avg_dataset_size", "configuration/aggregation_algorithm",
        "configuration/training_model", "configuration/personalization", "configuration/total_round_num",
        "configuration/learning_rate", "configuration/local_update_steps", "performance/test_loss_avg",
        "performance/test_acc_avg", "fairness/test_acc_cv", "fairness/selection_cv", "fairness/class_imbalance",
        "system/total_upload_bytes", "system/total_download_bytes",
    )},
    **{f"sustainability/{name}": f"sustainability/{name.removeprefix('avg_')}" for name in (
        "avg_carbon_intensity_clients", "avg_carbon_intensity_server", "avg_power_performance_clients",
        "avg_power_performance_server", "emissions_training", "emissions_aggregation",
        "emissions_communication_uplink", "emissions_communication_downlink",
    )},
    "configuration/optimization_algorithm": "configuration/aggregation_algorithm",
    "configuration/differential_privacy": "privacy/differential_privacy",
    "configuration/dp_epsilon": "privacy/configured_epsilon",
    "configuration/trainable_param_num": "explainability/tensors",
    "performance/test_feature_importance_cv": "explainability/feature_importance_cv",
    "performance/test_clever": "robustness/clever",
    "system/avg_time_minutes": "system/training_seconds",
    "system/avg_model_size": "system/model_bytes",
    "system/avg_upload_bytes": "system/upload_bytes",
    "system/avg_download_bytes": "system/download_bytes",
}  # fmt: skip
"""Where a field of the prototype, or of its extension, belongs in our template."""

_CONVERT: dict[str, Convert] = {
    "data/preprocessing": steps,
    "system/avg_time_minutes": seconds,
    "sustainability/emissions_training": _grams, "sustainability/emissions_aggregation": _grams,
    **{f"system/{name}": size for name in ("avg_model_size", "avg_upload_bytes", "avg_download_bytes",
                                           "total_upload_bytes", "total_download_bytes")},
}  # fmt: skip

_NEBULA = {**_NAMES, "configuration/trainable_param_num": "explainability/trainable_param_num"}
_CONSTANT = {
    "configuration/differential_privacy": "differential_privacy and dp_epsilon, which repeat an attack's noise",
    "configuration/dp_epsilon": "",
    "data/preprocessing": "preprocessing, which holds the topology",
    "participants/sample_client_rate": "sample_client_rate and selection_cv, which are always 1",
    "fairness/selection_cv": "",
}
"""What NEBULA 1.0 fills in without measuring it, with the reason why it is not evidence."""

_SLACK = 1e-9
"""A share that rounding lifted above 1 is still a share."""


def layout_of(content: Any) -> Literal["", "federatedtrust", "nebula"]:
    """Say whose fact sheet a file's content is.

    Parameters
    ----------
    content : object
        What the file holds.

    Returns
    -------
    str
        "federatedtrust", "nebula", or "" for neither.

    Examples
    --------
    >>> layout_of({"project": {}, "participants": {}, "configuration": {"optimization_algorithm": "FedAvg"}})
    'federatedtrust'
    """
    if not isinstance(content, dict) or "format" in content:
        return ""
    configuration = content.get("configuration")
    if not isinstance(configuration, dict) or not all(isinstance(content.get(s, {}), dict) for s in _SECTIONS):
        return ""
    if "optimization_algorithm" in configuration:
        return "federatedtrust"
    return "nebula" if "aggregation_algorithm" in configuration else ""


def check(values: Mapping[str, Any]) -> None:
    """Refuse numbers that cannot be, in a fact sheet of FederatedTrust or NEBULA.

    Parameters
    ----------
    values : mapping of str to object
        By their own ``section/name``. Text and NaN pass, as do fields without a place in our template.

    Raises
    ------
    ValueError
        If a number is infinite, not whole where it counts, or outside of its field's range.

    Examples
    --------
    >>> check({"performance/test_acc_avg": 0.9, "configuration/dp_epsilon": ""})
    """
    for path, value in values.items():
        if path not in _NAMES or not isinstance(value, (int, float)) or math.isnan(value):
            continue
        field = FIELDS[_NAMES[path]]
        if math.isinf(value):
            raise ValueError(f"{path} must be finite, got {value!r}")
        if field.kind == "count" and value != int(value):
            raise ValueError(f"{path} must be a whole number, got {value!r}")
        interval = Interval(0, 1) if field.kind == "flag" else field.interval
        if interval is not None and not interval.low - _SLACK <= value <= interval.high + _SLACK:
            raise ValueError(f"{path} must be {interval}, got {value!r}")


def _paths(content: Any, path: str | os.PathLike[str], layout: str) -> dict[str, Any]:
    if layout_of(content) != layout:
        raise ValueError(f"{path} must be a fact sheet of {layout}, with configuration, participants and project")
    return {f"{section}/{name}": value for section, named in content.items() if isinstance(named, dict)
            for name, value in named.items()}  # fmt: skip


def _sheet(found: Mapping[str, Any], names: Mapping[str, str], path: str | os.PathLike[str], origin: str) -> FactSheet:
    empty = [theirs for theirs, value in found.items() if theirs in names and value != "" and not filled(value)
             and value is not None]  # fmt: skip
    try:
        check(found)
        facts = collect(found, names, _CONVERT)
        return FactSheet({**facts, "project/imported_from": origin, "project/imported_empty": empty or None})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def read_federatedtrust(path: str | os.PathLike[str]) -> FactSheet:
    """Read a fact sheet of FederatedTrust's prototype, or of its extension by sustainability.

    Parameters
    ----------
    path : path-like
        The JSON file; its NaN tokens, which strict JSON forbids, are read.

    Returns
    -------
    FactSheet
        What is filled in there. ``trainable_param_num`` counts tensors there, and becomes that fact here. What holds
        NaN is not known here; ``project/imported_empty`` lists it, since the prototype counts it as filled in.

    Raises
    ------
    ValueError
        If the file is no such sheet, or a value does not fit its field.
    """
    found = _paths(jsonfile.read(path), path, "federatedtrust")
    return _sheet(found, _NAMES, path, "FederatedTrust, whose variations and CLEVER are cut off at 1")


def read_nebula(path: str | os.PathLike[str]) -> FactSheet:
    """Read a fact sheet of NEBULA 1.0.

    Parameters
    ----------
    path : path-like
        The JSON file.

    Returns
    -------
    FactSheet
        What was measured there. Fields that NEBULA fills in with a constant, or with something else than their name
        says, are left out; ``project/imported_from`` lists them.

    Raises
    ------
    ValueError
        If the file is no such sheet, or a value does not fit its field.
    """
    found = _paths(jsonfile.read(path), path, "nebula")
    left = [words for place, words in _CONSTANT.items() if words and filled(found.get(place))]
    names = {theirs: ours for theirs, ours in _NEBULA.items() if theirs not in _CONSTANT}
    return _sheet(found, names, path, "NEBULA 1.0" + (f", without {'; '.join(left)}" if left else ""))


def read(path: str | os.PathLike[str]) -> FactSheet:
    """Read a fact sheet of FederatedTrust or NEBULA.

    Parameters
    ----------
    path : path-like
        The JSON file.

    Returns
    -------
    FactSheet
        What is filled in there.

    Raises
    ------
    ValueError
        If the file is neither, or a value does not fit its field.
    """
    layout = layout_of(jsonfile.read(path))
    if not layout:
        raise ValueError(f"{path} must be a fact sheet of FederatedTrust or NEBULA")
    return read_nebula(path) if layout == "nebula" else read_federatedtrust(path)
