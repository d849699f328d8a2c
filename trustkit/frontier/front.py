"""What a search over configurations found: the front, who is within noise of whom, and what would raise a score."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.frontier import told
from trustkit.frontier.points import COSTS, Point, Raise, measures_of, nondominated, objectives_of
from trustkit.trust.profiles import Profile

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Front"]


@dataclass(frozen=True, eq=False)
class Front:
    """All configurations that were tried, and those of them that are best.

    Parameters
    ----------
    points : tuple of Point
        In the order they were tried; the first is the start.
    objectives : tuple of str
        What is compared by.
    profile : Profile
        What scored.
    refused : mapping of str to int
        Reasons why combinations were refused, with how many.
    exhaustive : bool
        Whether all combinations were tried.
    rows : int, optional
        Held-out rows that CLEVER looked at; None if it was not measured.
    """

    points: tuple[Point, ...] = field(repr=False)
    objectives: tuple[str, ...]
    profile: Profile
    refused: Mapping[str, int] = field(default_factory=dict, repr=False)
    exhaustive: bool = False
    rows: int | None = None

    @property
    def start(self) -> Point:
        """Where the search started from."""
        return self.points[0]

    @cached_property
    def costs(self) -> np.ndarray:
        """(n, d): the objectives of the points, turned so that less is better."""
        signs = [1.0 if name in COSTS else -1.0 for name in self.objectives]
        return np.array([[point.values[name] for name in self.objectives] for point in self.points]) * signs

    @cached_property
    def mask(self) -> np.ndarray:
        """(n,) bool: which points no other one dominates."""
        return nondominated(self.costs)

    @property
    def best(self) -> tuple[Point, ...]:
        """The points of the front."""
        return tuple(point for point, on in zip(self.points, self.mask, strict=True) if on)

    def over(self, *objectives: str) -> Front:
        """Return the front of the same points by other objectives.

        Parameters
        ----------
        *objectives : str
            Of `measures_of`; "pillars" stands for all pillars.

        Returns
        -------
        Front
            Points that were looked for with others in mind: it may be far from what a search would find.

        Raises
        ------
        ValueError
            If one is unknown or given twice, or there is none.
        """
        return dataclasses.replace(self, objectives=objectives_of(objectives, self.profile))

    @cached_property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Pairs of places in ``points``, one at least on the front, that differ in no objective by more than noise."""
        n = len(self.points)
        return tuple(
            (i, j) for i in range(n) for j in range(i + 1, n)
            if (self.mask[i] or self.mask[j])
            and not any(self.points[i].apart(self.points[j], name) for name in self.objectives)
        )  # fmt: skip

    def knee(self) -> Point:
        """Return the point of the front that is nearest to the best of everything.

        Returns
        -------
        Point
            The first of equal ones.

        Raises
        ------
        ValueError
            If no point has all objectives.

        Notes
        -----
        Each objective is scaled to [0, 1] between its best and its worst on the front; the distance is Euclidean. It
        is a suggestion, in which all objectives count alike.
        """
        if not self.mask.any():
            raise ValueError("the front must have a point, but none has all objectives")
        costs = self.costs[self.mask]
        width = np.ptp(costs, axis=0)
        away = (costs - costs.min(axis=0)) / np.where(width > 0, width, 1.0)
        return self.best[int((away**2).sum(axis=1).argmin())]

    def changes(self, point: Point) -> tuple[str, ...]:
        """Say how a point differs from the start.

        Parameters
        ----------
        point : Point
            Of this front.

        Returns
        -------
        tuple of str
            One phrase for each change.
        """
        return point.changes

    def raising(self, name: str, least: float = 0.01) -> tuple[Raise, ...]:
        """List the points that raise a measure above the start's, the simplest first.

        Parameters
        ----------
        name : str
            "trust", a pillar or "accuracy".
        least : float
            By how much at least, in [0, 1].

        Returns
        -------
        tuple of Raise
            What is more than noise first, where that is known; then fewest changes; among as many the one by which
            pillars and accuracy lose least, then the one with the least traffic. Empty if none was found, or if the
            start has no score there.

        Raises
        ------
        ValueError
            If the measure is unknown or a cost.
        """
        known = [each for each in measures_of(self.profile) if each not in COSTS]
        if name not in known:
            raise ValueError(f"name must be one of {', '.join(known)}, got {name!r}")
        found = [self._raise(name, point) for point in self.points[1:]]
        enough = [each for each in found if each.gain >= least]
        return tuple(sorted(enough, key=lambda each: (each.clear is False, *each.price)))

    def _raise(self, name: str, point: Point) -> Raise:
        was, now = self.start.values, point.values
        moves = {each: now[each] / was[each] if each in COSTS and was[each] else now[each] - was[each]
                 for each in now if each != name}  # fmt: skip
        clear = point.apart(self.start, name) if len(point.each) > 1 else None
        return Raise(name, point, now[name] - was[name], clear, moves)

    def growth(self) -> np.ndarray:
        """Return how much of what can be reached the first points reach, as more and more are tried.

        Returns
        -------
        (n,) float array
            Hypervolume in [0, 1] of the first 1 … n points; where it has become level, further runs bring little.

        Raises
        ------
        ValueError
            If pymoo is not installed.

        Notes
        -----
        Scores and accuracy are taken from 0 to 1, costs from 0 to the greatest that was tried.
        """
        from trustkit.frontier.evolve import require_pymoo

        require_pymoo()
        from pymoo.indicators.hv import HV

        top = np.nanmax(np.abs(self.costs), axis=0, initial=0.0)
        costs = np.array([name in COSTS for name in self.objectives])
        held = np.where(costs, self.costs / np.where(top > 0, top, 1.0), 1 + self.costs)
        volume = HV(ref_point=np.ones(held.shape[1]))
        known = np.isfinite(held.sum(axis=1))
        return np.array([float(volume(held[:k][known[:k]])) if known[:k].any() else 0.0
                         for k in range(1, len(held) + 1)])  # fmt: skip

    def frame(self) -> pd.DataFrame:
        """Return one line for each point.

        Returns
        -------
        pandas.DataFrame
            front, changes, the measures (objectives first), their ``…_spread`` over seeds if there are several,
            seconds, kwh, key.
        """
        import pandas as pd

        names = (*self.objectives, *(n for n in measures_of(self.profile) if n not in self.objectives))
        lines = []
        for point, on in zip(self.points, self.mask, strict=True):
            spread = {f"{n}_spread": point.spread[n] for n in names} if len(point.each) > 1 else {}
            lines.append({"front": bool(on), "changes": "; ".join(point.changes) or "start",
                          **{n: point.values[n] for n in names}, **spread,
                          "seconds": point.seconds, "kwh": point.kwh, "key": point.experiment.key})  # fmt: skip
        return pd.DataFrame(lines)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said with the numbers: on what they were chosen, noise, budget, refusals."""
        return told.notes(self.points, self.rows, len(self.ties), self.refused, self.exhaustive)

    def to_text(self) -> str:
        """Write what would raise each score, and the notes, for a terminal.

        Returns
        -------
        str
            One line for each score, one for the front, one for each note.
        """
        raised = told.raised(self._raises(), self.start)
        size = f"{len(self.best)} of {len(self.points)} points are on the front of {', '.join(self.objectives)}."
        return "\n".join(["What would raise it", *(f"  {line}" for line in raised), "", size, *self.notes])

    def _raises(self) -> dict[str, tuple[Raise, ...]]:
        return {name: self.raising(name) for name in measures_of(self.profile) if name not in COSTS}

    def to_markdown(self) -> str:
        """Write what would raise each score, the front as a table, and the notes.

        Returns
        -------
        str
            Markdown.
        """
        names = [each for each in measures_of(self.profile) if each not in self.objectives]
        knee = self.knee() if self.mask.any() else None
        return told.markdown([*self.objectives, *names], self.best, self.start, knee, self._raises(), self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the front as plain values.

        Returns
        -------
        dict
            format, profile, objectives, exhaustive, refused, notes, points (each with its experiment, changes, whether
            it is on the front, and its measures by seed), ties.
        """
        points = [
            {"experiment": point.experiment.to_dict(), "changes": list(point.changes), "front": bool(on),
             "each": [dict(each) for each in point.each], "seconds": point.seconds, "kwh": point.kwh}
            for point, on in zip(self.points, self.mask, strict=True)
        ]  # fmt: skip
        return {"format": "trustkit-front-1", "profile": self.profile.name, "objectives": list(self.objectives),
                "exhaustive": self.exhaustive, "refused": dict(self.refused), "notes": list(self.notes),
                "ties": [list(pair) for pair in self.ties], "points": points}  # fmt: skip
