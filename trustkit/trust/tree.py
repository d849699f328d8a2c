"""The tree that scores are combined over: trust, its pillars, their notions, their metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from trustkit.trust.scope import TAXONOMY, Taxonomy

__all__ = ["TAXONOMY", "TRUST", "Edges", "Taxonomy", "check_weights", "edges_of", "means", "parents", "reaches"]

_V = TypeVar("_V", bound=Any)
Edges = Mapping[str, Mapping[str, Any]]
"""By parent, the weight of each child: notions first, then pillars, then trust. A weight may be an array of draws."""

TRUST = "trust"
"""The root's id."""


def edges_of(taxonomy: Taxonomy, aggregation: str, weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """List the children of every node with their weights.

    Parameters
    ----------
    taxonomy : Taxonomy
        Of the profile.
    aggregation : {"notions", "flat"}
        Whether a pillar's children are its notions, or its metrics at once, weighted by notion times metric.
    weights : mapping of str to float
        Of `check_weights`.

    Returns
    -------
    dict of str to dict of str to float
        By parent: notions, then pillars, then trust. Under "flat" the notions are there to be shown.
    """
    metrics, notions, of = taxonomy.metrics.items(), taxonomy.notions.values(), weights
    edges = {n: {key: of[key] for key, m in metrics if m.notion == n} for n in taxonomy.notions}
    for pillar in taxonomy.pillars:
        if aggregation == "flat":
            edges[pillar] = {key: of[m.notion] * of[key] for key, m in metrics if m.pillar == pillar}
        else:
            edges[pillar] = {n.id: of[n.id] for n in notions if n.pillar == pillar}
    edges[TRUST] = {pillar: of[pillar] for pillar in taxonomy.pillars}
    return edges


def check_weights(taxonomy: Taxonomy, weights: Mapping[str, Any]) -> dict[str, float]:
    """Check weights against a taxonomy, and fill in those that are not given.

    Parameters
    ----------
    taxonomy : Taxonomy
        Whose pillars, notions and metrics they are for.
    weights : mapping of str to float
        At least 0, by id.

    Returns
    -------
    dict of str to float
        By every id, 1 where nothing is said.

    Raises
    ------
    KeyError
        If an id is unknown.
    TypeError, ValueError
        If a weight is no number, negative or infinite, if weights are too large to be added up, or if no metric has a
        weight above 0.
    """
    for name, weight in weights.items():
        taxonomy.level_of(name)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise TypeError(f"the weight of {name} must be a number, got {weight!r}")
        if not 0 <= weight < math.inf:
            raise ValueError(f"the weight of {name} must be at least 0 and finite, got {weight!r}")
    names = (*taxonomy.pillars, *taxonomy.notions, *taxonomy.metrics)
    full = {name: float(weights.get(name, 1.0)) for name in names}
    products = [full[m.pillar] * full[m.notion] * full[key] for key, m in taxonomy.metrics.items()]
    if not any(product > 0 for product in products):
        raise ValueError("weights must leave at least one metric with a weight above 0, got none")
    if not math.isfinite(sum(full.values())) or not math.isfinite(sum(products)):
        raise ValueError(f"weights must add up to a finite number, got one of {max(full.values()):g} among them")
    return full


def _mean(parts: Iterable[tuple[Any, Any]], shares: bool) -> Any:
    """Weighted mean of the scores that exist; None if no weight is left."""
    kept = [(weight, score) for weight, score in parts if score is not None and not _nothing(weight)]
    total = sum(weight for weight, _ in kept)
    if shares and kept:
        return sum(weight / total * score for weight, score in kept)
    return sum(weight * score for weight, score in kept) / total if kept else None


def _nothing(weight: Any) -> bool:
    return isinstance(weight, float) and weight == 0


def means(
    edges: Edges, scores: Mapping[str, _V | None], finish: Callable[[str, _V], _V] | None = None
) -> dict[str, _V | None]:
    """Combine the metrics' scores upwards.

    Parameters
    ----------
    edges : mapping
        Of `edges_of`; weights may be arrays of draws, shape (D,).
    scores : mapping of str to float, array or None
        By metric; None where there is no evidence.
    finish : callable, optional
        From a node's id and its mean to what is kept of it: rounded, as the authors' code does. Weights are then
        divided by their sum before they are multiplied, as there: where a mean ends in a 5, the last bit decides.

    Returns
    -------
    dict of str to float, array or None
        The scores, and the means of notions, pillars and trust; None where no weight is left.

    Examples
    --------
    >>> means({"n": {"a": 1.0, "b": 3.0}, "p": {"n": 1.0}, "trust": {"p": 1.0}}, {"a": 1.0, "b": 0.0})["trust"]
    0.25
    """
    found: dict[str, _V | None] = dict(scores)
    for parent, children in edges.items():
        value = _mean(((weight, found[child]) for child, weight in children.items()), finish is not None)
        found[parent] = value if value is None or finish is None else finish(parent, value)
    return found


def reaches(edges: Edges, found: Mapping[str, Any]) -> dict[str, float]:
    """Say what share of trust every node carries.

    Parameters
    ----------
    edges : mapping
        Of `edges_of`, with numbers as weights.
    found : mapping
        Of `means`.

    Returns
    -------
    dict of str to float
        In [0, 1]: 1 for trust; the children's shares sum to the parent's; 0 where no evidence or no weight is. Under
        "flat" a notion's is the sum of its metrics'.

    Examples
    --------
    >>> edges = {"n": {"a": 1.0, "b": 3.0}, "p": {"n": 1.0}, "trust": {"p": 1.0}}
    >>> reaches(edges, means(edges, {"a": 1.0, "b": 0.0}))["b"]
    0.75
    """
    reach: dict[str, float] = {TRUST: 1.0}
    loose = []
    above = parents(edges)
    for parent in reversed(list(edges)):
        if parent not in reach:
            loose.append(parent)
            continue
        kept = {
            child: weight for child, weight in edges[parent].items()
            if above[child] == parent and found.get(child) is not None
        }  # fmt: skip
        total = sum(kept.values())
        for child in edges[parent]:
            if above[child] == parent:
                reach[child] = reach[parent] * kept.get(child, 0.0) / total if total > 0 else 0.0
    for notion in loose:
        reach[notion] = sum(reach[child] for child in edges[notion])
    return reach


def parents(edges: Edges) -> dict[str, str]:
    """Say under which node each node is counted: a metric under its pillar where the mean is flat.

    Parameters
    ----------
    edges : mapping
        Of `edges_of`.

    Returns
    -------
    dict of str to str
        Parents by child.

    Examples
    --------
    >>> parents({"n": {"a": 1.0}, "p": {"n": 1.0}, "trust": {"p": 1.0}})
    {'a': 'n', 'n': 'p', 'p': 'trust'}
    """
    return {child: parent for parent, children in edges.items() for child in children}
