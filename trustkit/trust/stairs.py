"""Normalisers that are lists: a staircase over edges, or a score for each named value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from trustkit.trust.rules import Rule, keep, numbers, scores

__all__ = ["Map", "Steps"]


@dataclass(frozen=True)
class Steps(Rule):
    """A staircase: one score below the first edge, and another from each edge on.

    Parameters
    ----------
    edges : sequence of float
        At least one, ascending.
    scores : sequence of float
        One more than edges, in [0, 1].
    closed : {"left", "right"}
        Whether a value equal to an edge belongs above it ("left") or still below it ("right").

    Raises
    ------
    TypeError, ValueError
        If the edges do not ascend, a score is outside [0, 1], or their numbers do not fit.

    Examples
    --------
    >>> stairs = Steps(edges=(10, 100), scores=(0, 0.5, 1))
    >>> [stairs(n) for n in (9, 10, 1000)]
    [0.0, 0.5, 1.0]
    """

    edges: Sequence[float]
    scores: Sequence[float]
    closed: str = "left"

    def __post_init__(self) -> None:
        keep(self, edges=numbers("edges", self.edges), scores=scores("scores", self.scores))
        if not self.edges or any(a >= b for a, b in pairwise(self.edges)):
            raise ValueError(f"edges must ascend, got {', '.join(f'{edge:g}' for edge in self.edges) or 'none'}")
        if len(self.scores) != len(self.edges) + 1:
            raise ValueError(f"scores must be one more than the {len(self.edges)} edges, got {len(self.scores)}")
        if self.closed not in ("left", "right"):
            raise ValueError(f"closed must be left or right, got {self.closed!r}")

    @property
    def words(self) -> str:
        """What the rule does."""
        edges = ", ".join(f"{edge:g}" for edge in self.edges)
        return f"in {len(self.scores)} steps from {self.scores[0]:g} to {self.scores[-1]:g}, with edges at {edges}"

    def __call__(self, value: float) -> float:
        find = bisect_right if self.closed == "left" else bisect_left
        return self.scores[find(self.edges, value)]


@dataclass(frozen=True)
class Map(Rule):
    """A list: a score for each value that is named.

    Parameters
    ----------
    values : sequence of float
        Different values, at least one.
    scores : sequence of float
        As many, in [0, 1].
    otherwise : float
        In [0, 1]: the score of every other value.

    Raises
    ------
    TypeError, ValueError
        If a value comes twice, a score is outside [0, 1], or their numbers differ.

    Examples
    --------
    >>> Map(values=(1, 5), scores=(0.2, 1))(5)
    1.0
    """

    values: Sequence[float]
    scores: Sequence[float]
    otherwise: float = 0.0

    def __post_init__(self) -> None:
        keep(self, values=numbers("values", self.values), scores=scores("scores", self.scores),
              otherwise=scores("otherwise", (self.otherwise,))[0])  # fmt: skip
        if len(self.scores) != len(self.values) or not self.values:
            raise ValueError(f"scores must be as many as values, got {len(self.scores)} for {len(self.values)}")
        if len(set(self.values)) < len(self.values):
            raise ValueError(f"values must differ, got {', '.join(f'{value:g}' for value in self.values)}")

    @property
    def words(self) -> str:
        """What the rule does."""
        pairs = ", ".join(f"{value:g}: {score:.3g}" for value, score in zip(self.values, self.scores, strict=True))
        return f"from the list {pairs}; any other value {self.otherwise:g}"

    def __call__(self, value: float) -> float:
        return dict(zip(self.values, self.scores, strict=True)).get(value, self.otherwise)
