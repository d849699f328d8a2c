"""What would raise it: configurations searched for more trust at less cost, each of them a run that was played."""

from trustkit.frontier.differences import differences
from trustkit.frontier.front import Front
from trustkit.frontier.points import Point, Raise, nondominated
from trustkit.frontier.search import pareto
from trustkit.frontier.space import Space, space_of

__all__ = ["Front", "Point", "Raise", "Space", "differences", "nondominated", "pareto", "space_of"]
