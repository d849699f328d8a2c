"""What a search has tried so far: every configuration once, within a budget, refusals counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from trustkit.experiment import Experiment
from trustkit.frontier.differences import differences
from trustkit.frontier.points import Point
from trustkit.frontier.space import Space
from trustkit.frontier.tried import Try, try_all
from trustkit.jsonfile import canonical
from trustkit.records import Progress
from trustkit.trust import assess
from trustkit.trust.profiles import Profile

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["Trials"]


@dataclass(eq=False)
class Trials:
    """Tries configurations of a space, and keeps the points by key and the reasons of refusals.

    Parameters
    ----------
    space : Space
        What may change.
    profile : Profile
        What scores.
    most : int
        Configurations besides the start.
    seeds : int
        Runs of each.
    look_at : int or None
        As for `trustkit.facts_of`.
    folder : path-like or None
        Where runs are kept.
    executor : concurrent.futures.Executor or None
        Where they are played.
    progress : callable or None
        Told what is done.
    points : dict of str to Point
        What was tried, by the experiment's key, in order.
    reasons : collections.Counter
        How many combinations were refused, by the sentence that says why.
    rows : int or None
        Held-out rows that CLEVER looked at.
    """

    space: Space
    profile: Profile
    most: int
    seeds: int
    look_at: int | None
    folder: str | os.PathLike[str] | None
    executor: Executor | None
    progress: Progress | None
    points: dict[str, Point] = field(default_factory=dict, init=False)
    reasons: Counter[str] = field(default_factory=Counter, init=False)
    rows: int | None = field(default=None, init=False)
    _keys: dict[str, Experiment | None] = field(default_factory=dict, init=False)
    _bad: set[str] = field(default_factory=set, init=False)

    @property
    def left(self) -> int:
        """How many more configurations may be tried."""
        return self.most + 1 - len(self.points)

    def experiment(self, values: Mapping[str, Any]) -> Experiment | None:
        """Return the experiment of a combination.

        Parameters
        ----------
        values : mapping
            By name.

        Returns
        -------
        Experiment or None
            ``None`` if the combination is refused; that is counted once.
        """
        name = canonical(
            {key: value.to_dict() if hasattr(value, "to_dict") else value for key, value in values.items()}
        )
        if name not in self._keys:
            try:
                self._keys[name] = self.space.experiment(values)
            except (KeyError, TypeError, ValueError) as error:
                self._keys[name] = None
                self.reasons[str(error.args[0])] += 1
        return self._keys[name]

    def take(self, wanted: Sequence[Mapping[str, Any]]) -> list[Point | None]:
        """Try combinations, as far as the budget goes.

        Parameters
        ----------
        wanted : sequence of mapping
            Values by name.

        Returns
        -------
        list of Point or None
            One for each: ``None`` if it was refused or is beyond the budget.
        """
        experiments = [self.experiment(values) for values in wanted]
        fresh = {each.key: each for each in experiments if each is not None}
        fresh = {key: each for key, each in fresh.items() if key not in self.points and key not in self._bad}
        chosen = list(fresh.values())[: self.left]
        runs = [each.change(seed=each.seed + k) for each in chosen for k in range(self.seeds)]
        tries = try_all(runs, self.look_at, self.folder, self.executor, self._within(len(runs)))
        for each in chosen:
            self._add(each, list(islice(tries, self.seeds)))
        return [None if each is None else self.points.get(each.key) for each in experiments]

    def _add(self, experiment: Experiment, tries: Sequence[Try]) -> None:
        refusal = next((each.refused for each in tries if each.refused), "")
        if refusal:
            self._bad.add(experiment.key)
            self.reasons[refusal] += 1
            return
        reports = [assess(each.facts, self.profile) for each in tries]
        each = tuple(
            {"trust": report.score, **report.pillars, "accuracy": one.facts.get("performance", "test_acc_avg"),
             "bytes": one.size, "trainings": one.trainings} for one, report in zip(tries, reports, strict=True)
        )  # fmt: skip
        if not self.points:
            self.rows = tries[0].facts.get("robustness", "clever_rows")
        said = differences(self.space.start, experiment, (varied.name for varied in self.space.varied))
        seconds, kwh = sum(one.seconds for one in tries), sum(one.kwh for one in tries)
        self.points[experiment.key] = Point(experiment, reports[0], each, said, seconds, kwh)

    def tell(self, stage: str, done: float) -> None:
        """Tell how far the search is, if anybody wants to know.

        Parameters
        ----------
        stage : str
            What is done.
        done : float
            How much of it, 0 … 1.
        """
        if self.progress is not None:
            self.progress(stage, done)

    def _within(self, runs: int) -> Any:
        """Say how far the search is while some runs are played."""
        before, total = len(self.points) * self.seeds, (min(self.most, self.space.size) + 1) * self.seeds

        def tell(finished: int, part: float) -> None:
            at = before + min(finished + 1, runs)
            self.tell(f"run {at} of at most {total:g}", min(1.0, (before + finished + part) / total))

        return tell
