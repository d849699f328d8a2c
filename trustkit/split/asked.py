"""What a split was asked for, and what it achieved: one line a quantity, with what the search could reach."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.data import FederatedDataset
from trustkit.metrics.heterogeneity import gini, label_distribution
from trustkit.split.dealing import skew
from trustkit.split.estimate import BetaEstimate, estimate_alpha

__all__ = ["MOST_GAPS", "AskedLine", "asked_and_achieved"]

MOST_GAPS = 12
"""Of more gaps that were asked for, those that were missed by most are told."""

_SKEWS = {"label_skew": "label skew", "attribute_skew": "attribute skew", "joint_skew": "label × attribute skew",
          "feature_skew": "feature skew"}  # fmt: skip


@dataclass(frozen=True)
class AskedLine:
    """A quantity of a split.

    Parameters
    ----------
    quantity : str
        What it is called.
    asked : float, tuple of float or None
        What the split was given; ``None`` if it was not asked for.
    achieved : float or None
        What is there; ``None`` if it is not known (yet, or at all), NaN if it is not defined.
    low, high : float or None
        The least and the greatest that the search found for these sizes; ``None`` where nothing is searched.
    whole : bool
        Whether it is a whole number.
    note : str
        How it is measured, and what is approximated; may be empty.
    """

    quantity: str
    asked: float | tuple[float, ...] | None
    achieved: float | None
    low: float | None = None
    high: float | None = None
    whole: bool = False
    note: str = ""


def asked_and_achieved(
    fed: FederatedDataset, importance: np.ndarray | None = None, beta: BetaEstimate | None = None
) -> tuple[AskedLine, ...]:
    """Set side by side what a split was asked for and what came of it.

    Parameters
    ----------
    fed : FederatedDataset
        Data and their partition.
    importance : (m,) float array, optional
        Of the columns, as `trustkit.split.column_importance` measures it; α is not known without it, unless the split
        has measured it.
    beta : BetaEstimate, optional
        From `trustkit.split.estimate_beta`, for divisions of columns that do not tell their own β.

    Returns
    -------
    tuple of AskedLine
        Across columns: parties, α, β, Icor with the bounds of the search, and after the joint split what part of the
        importance is elsewhere. Across rows: clients, training rows, the smallest client, α, skews, classes, and gaps
        that were asked for.

    Notes
    -----
    A Dirichlet α over rows is not estimated from the rows: what one draw of it came to is told by the skew.

    Examples
    --------
    >>> from trustkit import datasets
    >>> from trustkit.split.labels import dirichlet
    >>> data = datasets.load("wine")
    >>> for line in asked_and_achieved(FederatedDataset(data, dirichlet(data, parties=4, alpha=0.5)))[:2]:
    ...     print(line.quantity, line.asked, line.achieved)
    clients with training rows 4 4
    training rows dealt 142 142
    """
    if fed.partition.axis == "columns":
        return tuple(_over_columns(fed, importance, beta))
    return tuple(_over_rows(fed))


def _args(fed: FederatedDataset) -> Mapping[str, Any]:
    return {} if fed.partition.made_by is None else fed.partition.made_by.args


def _over_columns(
    fed: FederatedDataset, importance: np.ndarray | None, beta: BetaEstimate | None
) -> Iterator[AskedLine]:
    partition, args, told = fed.partition, _args(fed), fed.partition.achieved
    parties, there = args.get("parties"), int((partition.sizes > 0).sum())
    wanted = len(parties) if isinstance(parties, tuple) else parties
    yield AskedLine("parties with columns", wanted, there, whole=True)
    alpha, paper = told.get("alpha_package"), told.get("alpha_paper")
    if importance is not None and partition.parties > 1:
        alpha, paper = (estimate_alpha(importance, partition, reading) for reading in ("package", "paper"))
    reading = "" if paper is None or math.isnan(paper) else f"; {paper:.2f} in the paper's reading"
    note = "" if alpha is None else f"an estimate from this one division{reading}"
    yield AskedLine("α of importance", args.get("alpha"), alpha, note=note)
    reached = told.get("beta") if beta is None else beta.beta
    beyond = beta is not None and beta.unclipped != beta.beta and not math.isnan(beta.beta)
    note = "beyond what the search found, and cut" if beyond else ""
    if reached is not None and math.isnan(reached):
        note = "not defined: all divisions have the same Icor"
    low, high = told.get("bounds") or ((None, None) if beta is None else beta.bounds)
    least, most = (None, None) if low is None else (0.0, 1.0)  # by definition: the bounds of Icor are β's 0 and 1
    yield AskedLine("β of correlation", told.get("asked_beta"), reached, least, most, note=note)
    exact = told.get("bounds_exact") if beta is None or "bounds_exact" in told else beta.bounds_exact
    yield AskedLine("Icor", told.get("target"), told.get("icor") if beta is None else beta.icor, low, high,
                    note=_searched(exact, told))  # fmt: skip
    if "importance_error" in told:
        conflict = "α and β cannot both be had for these sizes" if told.get("conflict") else ""
        yield AskedLine("part of importance elsewhere", 0.0, told["importance_error"], note=conflict)


def _searched(exact: bool | None, told: Mapping[str, Any]) -> str:
    """Say how far the bounds can be trusted."""
    if exact is None:
        return ""
    how = "bounds exact: all divisions were tried" if exact else "bounds approximate: the best that the search found"
    return f"{how}; {told['approximated']}" if told.get("approximated") else how


def _over_rows(fed: FederatedDataset) -> Iterator[AskedLine]:
    data, partition, args, told = fed.data, fed.partition, _args(fed), fed.partition.achieved
    training = np.where(data.held_out, -1, partition.owner)
    counts = np.bincount(training[training >= 0], minlength=partition.parties)
    held = np.bincount(partition.owner[data.held_out & (partition.owner >= 0)], minlength=partition.parties)
    without, sizes = int((held == 0).sum()), args.get("sizes")
    wanted = len(sizes) if isinstance(sizes, tuple) else args.get("parties")
    yield AskedLine("clients with training rows", wanted, int((counts > 0).sum()), whole=True,
                    note=f"{without:,} without test rows" if without else "")  # fmt: skip
    asked = int(np.sum(sizes)) if isinstance(sizes, tuple) else None if "gaps" in told else int((~data.held_out).sum())
    dropped = int((~data.held_out).sum()) - int(counts.sum())
    yield AskedLine("training rows dealt", asked, int(counts.sum()), whole=True,
                    note=f"{dropped:,} are nobody's" if dropped else "")  # fmt: skip
    moved = told.get("moved") or 0
    yield AskedLine("rows of the smallest client", args.get("min_rows"), int(counts.min()), whole=True,
                    note=f"{moved:,} rows moved so that nobody goes short" if moved else "")  # fmt: skip
    if "alpha" in args and args.get("rule") not in ("iid", "by_group"):
        yield AskedLine("Dirichlet α", args["alpha"], None, note="not estimated: one draw, whose skews are below")
    skews = {name: told[name] for name in _SKEWS if name in told}
    skews.setdefault("label_skew", skew(data, partition.owner, partition.parties))
    for name, value in skews.items():
        note = "no classes: the target is a number" if value is None else "mean total variation distance to all rows"
        yield AskedLine(_SKEWS[name], None, math.nan if value is None else value, note=note)
    if "classes_per_party" in args:
        seen = (label_distribution(data.y, training, partition.parties, len(data.classes)) > 0).sum(axis=1)
        yield AskedLine("most classes of a client", args["classes_per_party"], int(seen.max(initial=0)), whole=True)
    yield AskedLine("Gini index of the sizes", None, gini(counts), note="0: all clients have as many rows")
    yield from _gaps(told.get("gaps", ()))


def _gaps(gaps: Any) -> Iterator[AskedLine]:
    """Gaps of the labels that were asked for client by client, those that were missed by most if they are many."""
    lines = sorted(gaps, key=lambda each: -abs(each["achieved"] - each["asked"]))[:MOST_GAPS]
    for each in sorted(lines, key=lambda each: each["client"]):
        note = f"95 % interval {each['low']:.2f} to {each['high']:.2f}"
        note = f"at most; {note}" if each["at_most"] else note
        name = f"gap of the labels by {each['attribute']}, client {each['client'] + 1}"
        yield AskedLine(name, each["asked"], each["achieved"], note=note)
