"""The split by importance and correlation at once: α decides who holds how much, β how parties are correlated."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset
from trustkit.metrics.correlation import Definition
from trustkit.partition import Partition
from trustkit.records import Progress
from trustkit.split.estimate import estimate_alpha
from trustkit.split.importances import column_importance
from trustkit.split.measured import varied_correlation, width
from trustkit.split.scores import Scorer, scorer
from trustkit.split.search import Bounds, bounds, reach, ticker
from trustkit.split.seats import party_sizes
from trustkit.split.shares import deal_columns
from trustkit.split.swaps import matched
from trustkit.split.target import measured_icor
from trustkit.split.tradeoff import WEIGHTS, Frontier, explore

__all__ = ["Joint", "joint", "joint_split"]

CONFLICT = 0.01
"""How much more than the least of either error both together may cost before they are said to conflict."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A division that was found for a β and for shares of importance.

    Parameters
    ----------
    owner : (m,) int array
        The party of each column.
    icor, beta : float
        Of the division; β is NaN if all divisions have the same Icor.
    bounds : Bounds
        Of Icor for these party sizes.
    shares : (K,) float array
        What part of all importance each party holds.
    importance_error : float
        ½Σ|share − budget| in [0, 1]: the part of all importance that is not where it was asked for.
    tradeoff : tuple of dict
        For each weight of an error of importance against one of β: "weight", "beta_error", "importance_error" of the
        best division found.
    conflict : bool
        Whether the two errors add up to more than 0.01 above the sum of the least of each.
    evaluations : int
        Divisions that were scored, beside those for the bounds.
    """

    owner: np.ndarray
    icor: float
    beta: float
    bounds: Bounds
    shares: np.ndarray
    importance_error: float
    tradeoff: tuple[dict[str, float], ...]
    conflict: bool
    evaluations: int


def joint_split(
    corr: np.ndarray,
    importance: np.ndarray,
    sizes: Sequence[int],
    budgets: Sequence[float] | np.ndarray,
    beta: float,
    definition: Definition = "paper",
    seed: int = 0,
    progress: Progress | None = None,
) -> Joint:
    """Find a division of given party sizes with a given β and given shares of importance.

    Parameters
    ----------
    corr : (m, m) float array
        Correlations of the columns in [−1, 1]: symmetric, without negative eigenvalues.
    importance : (m,) float array
        Of the columns, at least 0 and not all 0; in any unit.
    sizes : sequence of int
        Columns of each of the K ≥ 2 parties, each at least 1; they add up to m.
    budgets : (K,) sequence of float
        What part of all importance each party shall hold: at least 0 and not all 0; they are scaled to add up to 1.
    beta : float
        In [0, 1]: 0 for the least, 1 for the greatest correlation between parties of these sizes.
    definition : {"paper", "package"}
        Which Icor, as for `trustkit.metrics.icor`.
    seed : int
        Of the search, any integer.
    progress : callable, optional
        Told a stage and how much of it is done; may raise `trustkit.records.Stopped`.

    Returns
    -------
    Joint
        The division for which |β − asked| + ½Σ|share − budget| is least of all that were met.

    Raises
    ------
    ValueError
        If a parameter is out of range or lengths differ.

    Notes
    -----
    Where all divisions are known, all are compared. Otherwise the search starts at a division with the β asked for. By
    turns, swaps bring the shares to the budgets, and swaps of columns of like importance lead towards the bound beyond
    the target, on which way the target is looked for. The best divisions are then annealed, some for each weight of the
    two errors, unless blocks are large. All weights choose from all divisions that any of them has met; so the
    trade-off is monotone: the more importance counts, the smaller its error and the larger that of β.

    Examples
    --------
    >>> corr = np.eye(4)
    >>> corr[0, 1] = corr[1, 0] = 0.9
    >>> found = joint_split(corr, np.array([1.0, 1, 1, 5]), [2, 2], [0.75, 0.25], beta=0.0)
    >>> found.owner.tolist(), found.beta, found.importance_error
    ([1, 1, 0, 0], 0.0, 0.0)
    """
    corr, parts = np.asarray(corr), _parts("importance", importance)
    shares, sizes = _parts("budgets", budgets), tuple(int(size) for size in sizes)
    for what, given, wanted in (("importance", parts, len(corr)), ("budgets", shares, len(sizes))):
        if given.size != wanted:
            raise ValueError(f"{what} must be {wanted} numbers, got {given.size}")
    if not 0 <= beta <= 1:
        raise ValueError(f"beta must be between 0 and 1, got {beta}")
    ends = bounds(corr, sizes, seed, definition, progress)
    near = reach(corr, sizes, beta, ends, seed, definition, progress)
    span = ends.max - ends.min
    front = Frontier(ends.target(beta), span if span > 1e-9 else 0.0, parts, shares)
    score, tick = scorer(np.ascontiguousarray(corr), sizes, definition), ticker(progress, "division")
    if ends.table is not None:
        owners = matched(ends.table[0], parts, shares, sizes)
        held = np.stack([(owners == k) @ parts for k in range(len(sizes))], axis=1)
        front.offer(owners.__getitem__, front.measure(ends.table[1], held))
        scored = len(owners)
    else:
        scored = near.evaluations + explore(score, front, near.owner, ends, seed, tick)
    tick(1.0)
    return _chosen(score, front, ends, definition, scored)


def _parts(what: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    parts = np.asarray(values, dtype=float)
    if parts.ndim != 1 or not np.isfinite(parts).all() or parts.min(initial=0.0) < 0 or not parts.any():
        raise ValueError(f"{what} must be numbers that are at least 0 and not all 0, got {parts.ravel()[:6].tolist()}")
    return np.asarray(parts / parts.sum())


def _chosen(score: Scorer, front: Frontier, ends: Bounds, definition: Definition, scored: int) -> Joint:
    """Return the division for which both errors count the same."""
    at = WEIGHTS.index(1.0)
    owner, errors = front.owners[at], front.errors.round(9)
    reached = measured_icor(score, owner, definition)
    tradeoff = tuple(
        {"weight": weight, "beta_error": float(beta), "importance_error": float(importance)}
        for weight, (beta, importance) in zip(WEIGHTS, errors, strict=True)
    )
    conflict = bool(errors[at].sum() > errors[0, 0] + errors[-1, 1] + CONFLICT)
    shares = front.shares(owner)
    error = float(np.abs(shares - front.budgets).sum() / 2)
    return Joint(owner, reached, ends.beta(reached), ends, shares, error, tradeoff, conflict, scored)


@SPLITS.enter("joint", title="by both (α, β)", axis="columns")
def joint(
    data: Dataset | np.ndarray,
    parties: Annotated[int, Interval(2, 2048), "parties"] = 4,
    alpha: Annotated[
        float | tuple[float, ...], Interval(0.001, 100, log=True), "small: few parties hold most of the importance"
    ] = 1.0,
    beta: Annotated[float, Interval(0, 1, step=0.01), "0: correlated columns together; 1: spread out"] = 0.5,
    definition: Annotated[Definition, "how correlation between parties is measured"] = "paper",
    seed: int = 0,
    progress: Progress | None = None,
) -> Partition:
    """Divide columns by shares from a Dirichlet distribution and by the correlation between parties, both at once.

    Parameters
    ----------
    data : Dataset or (n, m) float array
        Whose columns are divided; measured on training rows. Of an array, which has no target, all columns are equally
        important.
    parties : int
        K, between 2 and m.
    alpha : float or sequence of K floats
        Importance of each party, in [0.001, 100]: one for all, or one each.
    beta : float
        In [0, 1]: 0 for the least, 1 for the greatest correlation between parties of the sizes drawn.
    definition : {"paper", "package"}
        Which Icor, as for `trustkit.metrics.icor`.
    seed : int
        Any integer.
    progress : callable, optional
        Told a stage and how much of it is done; may raise `trustkit.records.Stopped`.

    Returns
    -------
    Partition
        Over columns. ``achieved``: asked_alpha, asked_beta, shares (K,) of importance asked for, importance (K,) held,
        importance_error, alpha_paper and alpha_package (estimates from the importance held), beta, icor, target (the
        Icor aimed at), bounds [min, max], bounds_exact, approximated (what was, in a sentence, or None), definition,
        counts (K,), tradeoff, conflict, evaluations, seconds, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, a value is missing or infinite, no column varies, or none is important.

    Notes
    -----
    Shares p of a Dirichlet distribution are drawn, and columns are dealt by them, as `trustkit.split.importance` does
    with the same α and seed: that gives the party sizes. Then, see `joint_split`, a division of these sizes is looked
    for in which party k holds p_k of all importance and Icor lies at β between its bounds for these sizes. If both
    cannot be had, ``conflict`` is true and ``tradeoff`` says what each would cost. A column's importance is the mean
    absolute Shapley value of `column_importance`, measured with seed 0.

    Source
    ------
    trustkit's own; VertiBench (Wu et al. 2023), Appendix H.1, names the joint split as open. Its parts are Algorithms 1
    and 5.

    Deviations
    ----------
    Algorithm 5 deals columns without looking at their importance; here it is measured, and a party's budget is what was
    drawn for it.

    Examples
    --------
    >>> x, y, z = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1]), np.array([1.0, -1, 1, -1])
    >>> found = joint(np.column_stack([x, x, y, z]), parties=2, alpha=100, beta=0.0)
    >>> sorted(found.achieved["counts"]), found.achieved["asked_beta"]
    ([1, 3], 0.0)
    """
    begin, m = time.perf_counter(), width(data)
    args = SPLITS["joint"].arguments({"parties": parties, "alpha": alpha, "beta": beta, "definition": definition})
    K = len(party_sizes(int(parties), m))
    owner, shares = deal_columns(m, K, args["alpha"], False, seed)
    counts = np.bincount(owner, minlength=K).tolist()
    corr = varied_correlation(data)
    importance = column_importance(data) if isinstance(data, Dataset) else np.ones(m)
    found = joint_split(corr, importance, counts, shares, args["beta"], definition, seed, progress)
    made = Partition("columns", found.owner, K, Use("joint", args))
    achieved = {
        "asked_alpha": args["alpha"], "shares": shares.tolist(), "importance": found.shares.tolist(),
        "importance_error": found.importance_error,
        "alpha_paper": estimate_alpha(importance, made, "paper"),
        "alpha_package": estimate_alpha(importance, made, "package"),
        "asked_beta": args["beta"], "beta": found.beta, "icor": found.icor,
        "target": found.bounds.target(args["beta"]), "bounds": [found.bounds.min, found.bounds.max],
        "bounds_exact": found.bounds.exact,
        "approximated": found.bounds.approximated, "definition": definition,
        "counts": counts, "tradeoff": list(found.tradeoff), "conflict": found.conflict,
        "evaluations": found.bounds.evaluations + found.evaluations, "seconds": time.perf_counter() - begin,
        "seed": int(seed),
    }  # fmt: skip
    return Partition("columns", found.owner, K, made.made_by, achieved)
