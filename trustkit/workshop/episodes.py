"""The episodes: when they begin, what the controls stand on, what is hidden, and which runs are kept with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.lesson import Goal, Lesson
from trustkit.preset import PRESETS
from trustkit.rounds import grid

__all__ = ["COLUMNS", "EPISODES", "PLAIN", "PRIVATE", "Episode", "episode_of"]

PLAIN = PRESETS["start"].make()
"""Employment in Massachusetts, ten clients, half of them selected in each round, no privacy mechanism."""

PRIVATE = PLAIN.change(privacy=use("gaussian", epsilon=2.0))
"""The same with ε = 2 over all rounds."""

COLUMNS = Experiment("letter", use("joint", parties=4, alpha=1.0, beta=0.6), "splitnn", rounds=2, seed=2)
"""Letters, sixteen columns at four parties."""

_SEEDS, _EPSILONS = (42, 43, 44), (0.5, 1.0, 2.0, 4.0, 8.0)
_SWEPT = (*grid(PLAIN, seed=_SEEDS), *grid(PRIVATE, privacy__epsilon=_EPSILONS, seed=_SEEDS))
_ALIKE = PLAIN.change(split__alpha=10.0)

_ALWAYS = ("preset", "report", "lesson", "more", "step", "model", "training", "data", "axis", "auto", "level")
_ROWS = ("vertical-view", "correlation-view", "attack-view", "groups-view", "replicas-view", "scores-view", "beta")
_COLUMNS = ("vertical-view", "attack-view", "groups-view", "replicas-view", "scores-view", "fairness-view", "epsilon",
            "selection", "training-view", "tiles")  # fmt: skip


@dataclass(frozen=True)
class Episode:
    """A part of the workshop.

    Parameters
    ----------
    number : str
        Two digits, as ``"03"``.
    title : str
        What it is about.
    begins, ends : int
        Minutes after the workshop's start.
    notebook : str
        Its file, without the suffix.
    start : Experiment, optional
        What the controls stand on; ``None`` where there are none.
    lesson : Lesson
        Task, hidden controls, goals and hints of its page.
    baseline : Experiment, optional
        What is pinned.
    kept : tuple of Experiment
        Runs that are shipped with it.
    """

    number: str
    title: str
    begins: int
    ends: int
    notebook: str
    start: Experiment | None = None
    lesson: Lesson = field(default_factory=Lesson)
    baseline: Experiment | None = None
    kept: tuple[Experiment, ...] = ()

    @property
    def minutes(self) -> int:
        """How long it takes."""
        return self.ends - self.begins


def _lesson(task: str, hidden: tuple[str, ...], goals: tuple[Goal, ...], *hints: str) -> Lesson:
    return Lesson(task, tuple(dict.fromkeys((*_ALWAYS, *hidden))), goals, hints)


_EPISODES = (
    Episode("00", "Is everything here?", 0, 8, "workshop_00_preflight"),
    Episode(
        "01", "A first run", 8, 18, "workshop_01_first_run", PLAIN,
        _lesson(
            "Pin the result. Halve the share of clients that train in each round, from 0.5 to 0.25, press Run, and "
            "compare. Change nothing else.",
            (*_ROWS, "clients", "rounds", "split", "alpha", "epsilon", "fairness-view"),
            (Goal("participation", at_most=0.25), Goal("accuracy", at_least=0.5)),
            "The slider q is the share of clients that train in a round.",
            "A result of other controls decides nothing: press Run after moving.",
            "In a cell: lab.change(selection=0.25), then lab.run(wait=True).",
        ),
        kept=(PLAIN,),
    ),
    Episode(
        "02", "Who owns what?", 18, 34, "workshop_02_who_owns_what", COLUMNS,
        _lesson(
            "Find a split of the letters' columns in which one party holds more than 60 % of the importance while the "
            "parties are correlated less than midway between the bounds: β below 0.5.",
            (*_COLUMNS, "clients", "rounds", "split"),
            (Goal("split.beta", at_most=0.5),),
            "α says how unequal the parties' importance is: smaller is more unequal.",
            "β places Icor between the smallest and the largest that a search finds: 0.5 is the middle.",
            "α = 0.5 and β = 0.3 do it with this seed. With another seed the same α deals other shares.",
        ),
    ),
    Episode(
        "03", "The price of privacy", 34, 50, "workshop_03_price_of_privacy", PLAIN,
        _lesson(
            "Find the smallest ε that keeps mean accuracy within 3 points of the run without noise.",
            (*_ROWS, "clients", "rounds", "split", "alpha", "selection", "split-view"),
            (Goal("accuracy", at_least=0.743), Goal("epsilon", at_most=1.0)),
            "Start at ε = 8 and halve it until accuracy falls below the line.",
            "Between ε = 8 and ε = 2 almost nothing happens: what costs accuracy there is clipping, not noise.",
            "In a cell: lab.change(epsilon=1.0), then lab.run(wait=True).",
        ),
        baseline=PLAIN, kept=_SWEPT,
    ),
    Episode(
        "04", "The average hides clients", 55, 70, "workshop_04_average_hides_clients", _ALIKE,
        _lesson(
            "Make the average hide a client: demographic disparity of all rows below 0.09, and a client above 0.15. "
            "Only the label skew α may change.",
            (*_ROWS, "clients", "rounds", "split", "epsilon", "selection"),
            (Goal("fairness.pooled", at_most=0.09), Goal("fairness.demographic_disparity", at_least=0.15)),
            "Which way does α have to go for clients to differ more?",
            "With α much below 1 the gap of all rows grows too, and nothing is hidden any more.",
            "In a cell: lab.change(skew=2.0), then lab.run(wait=True).",
        ),
        kept=(_ALIKE, PLAIN),
    ),
    Episode(
        "05", "The trust radar", 70, 82, "workshop_05_trust_radar", PRIVATE,
        _lesson(
            "Two runs, one with ε = 2 and one without noise, which is pinned. Move only the weights of the pillars "
            "until the other run is trusted more.",
            ("vertical-view", "correlation-view", "attack-view", "groups-view", "replicas-view", "beta", "clients",
             "rounds", "split", "alpha", "epsilon", "selection", "split-view", "fairness-view", "training-view"),
            (Goal("trust", at_least=0.0),),
            "Which pillars are higher without noise? Read them off the two radars.",
            "As long as privacy weighs as much as the others, it decides.",
            "Weights of 0 for privacy and 2 for fairness turn the order.",
        ),
        baseline=PLAIN, kept=(PLAIN, PRIVATE),
    ),
    Episode("06", "The report", 82, 90, "workshop_06_report", PRIVATE, baseline=PLAIN, kept=(PLAIN, PRIVATE)),
)  # fmt: skip

EPISODES: Mapping[str, Episode] = {episode.number: episode for episode in _EPISODES}
"""Episodes by number; between 50 and 55 minutes there is a break."""


def episode_of(number: str) -> Episode:
    """Return an episode by its number.

    Parameters
    ----------
    number : str
        One of `EPISODES`.

    Returns
    -------
    Episode
        What it begins with.

    Raises
    ------
    KeyError
        If there is none.

    Examples
    --------
    >>> episode_of("03").title
    'The price of privacy'
    """
    if number not in EPISODES:
        raise KeyError(f"there is no episode {number!r}; there are {', '.join(EPISODES)}")
    return EPISODES[number]
