"""Which clients are unfair enough to be kept: FeDa4Fair's choice of pieces, an audit and a selection in one call."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trustkit.auditing.auditor import audit
from trustkit.auditing.result import Audit
from trustkit.auditing.verdicts import NO_BIAS, Level
from trustkit.data import Dataset
from trustkit.datasets.feda4fair_published import DEVICE_BOUNDS
from trustkit.datasets.feda4fair_settings import select

__all__ = ["Selected", "select_clients"]

_ATTRIBUTES = ("SEX", "RAC1P")
_AT_VALUE = ("RAC1P",)


class Selected(NamedTuple):
    """The clients that were kept, as a data set, and the audit of all of them that decided it."""

    data: Dataset
    audit: Audit


def select_clients(
    data: Dataset, attributes: Sequence[str] | None = None, level: Level | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None, threshold: float = 0.09, *,
    models: Sequence[Any] | Mapping[str, Any] = ("logistic", "xgboost"), again: bool = True, **options: Any,
) -> Selected:  # fmt: skip
    """Audit the clients of a data set and keep those that all models find unfair enough.

    Parameters
    ----------
    data : Dataset
        With natural clients "client", as ``feda4fair("attribute-device", clients="all")`` or of `read_feda4fair`.
    attributes : sequence of str, optional
        Protected attributes; by default SEX and RAC1P, at level "value" RAC1P, which are the paper's, or if the data
        lack them all that they name.
    level : {"attribute", "value"}, optional
        What models have to agree on; by default what ``data.notes["setting"]`` begins with, else "attribute".
    bounds : mapping of str to (float, float), optional
        By attribute: between which strengths a client is kept, both ends excluded; by default FeDa4Fair's, which are
        0.09 to 1 for SEX and 0.12 to 0.175 for RAC1P, at level "attribute"; none at level "value".
    threshold : float
        In [0, 1]: the strength above which all others are kept.
    models : sequence or mapping
        As in `audit`.
    again : bool
        Whether all clients are measured once more on other test rows, which is what to report of those kept: the
        strengths that they were picked by are too large on average.
    **options
        Other arguments of `audit`: seed, repeats, min_group, executor, progress, …

    Returns
    -------
    Selected
        ``data``: the rows of the clients kept; ``notes``: "clients" (how many), "unselected" (the others' names) and
        "selected_by" (level, threshold, bounds, models, seed). ``audit``: of all clients.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a client column, attribute or argument does not fit, or no client is left.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025) and its code: how the clients of attribute-device and value-device were picked.

    Deviations
    ----------
    The second measurement on other test rows is ours; the authors report the rows that they selected by.

    Examples
    --------
    >>> from trustkit import datasets
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> every = datasets.feda4fair("value-device", rows=120, clients="all")
    >>> kept = select_clients(every, models=[GaussianNB(), DecisionTreeClassifier(max_depth=3)], again=False)
    >>> kept.data.notes["clients"] + len(kept.data.notes["unselected"]) == every.notes["clients"] == 153
    True
    """
    setting = str(data.notes.get("setting", ""))
    at: Level = level or ("value" if setting.startswith("value") else "attribute")
    usual = [name for name in (_AT_VALUE if at == "value" else _ATTRIBUTES) if name in data.sensitive]
    wanted = tuple(attributes or usual or data.sensitive)
    if "client" not in data.groups:
        raise KeyError(f"{data.name} must have natural clients 'client', got {', '.join(data.groups) or 'none'}")
    limits = dict(DEVICE_BOUNDS if at == "attribute" else {}) if bounds is None else dict(bounds)
    lowest = min([threshold, *(low for low, _ in limits.values())])
    found = audit(data, models, wanted, lowest, level=at, client="client", again=again, **options)
    strong = {each.client: (each.verdict, each.strength) for each in found.verdicts() if each.verdict not in NO_BIAS}
    kept = select(data, strong, limits, threshold)
    told = {"level": at, "attributes": wanted, "threshold": threshold, "bounds": limits, "models": found.models,
            "seed": found.facts["seed"]}  # fmt: skip
    return Selected(dataclasses.replace(kept, notes={**kept.notes, "selected_by": told}), found)
