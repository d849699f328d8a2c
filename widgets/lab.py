"""The one state that all panels share: a setting with undo and redo, results by experiment, a pinned baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trustkit.widgets.awaited import Awaited
from trustkit.widgets.guard import guarded
from trustkit.widgets.hearing import Hearing, Listener
from trustkit.widgets.history import Drag, History, Place
from trustkit.widgets.looking import Looking
from trustkit.widgets.player import Outcome, Player, Progress
from trustkit.widgets.public import explained, permitted, refused, within
from trustkit.widgets.pulse import Pulse
from trustkit.widgets.results import Pins, Results
from trustkit.widgets.search import Search
from trustkit.widgets.setting import Setting
from trustkit.widgets.standing import Standings

from trustkit import Experiment, RunRecord, TrustReport, assess
from trustkit.data import FederatedDataset
from trustkit.lesson import Lesson
from trustkit.rounds import data_of, partition_of

__all__ = ["Lab", "Listener"]


class Lab:
    """What the page knows.

    Parameters
    ----------
    setting : Setting, optional
        Where the controls start.
    outcome : Outcome, optional
        A recorded run to open on.
    player : Player, optional
        What trains.
    profile : str
        What scores at first, a name among `trustkit.trust.PROFILES`.
    """

    def __init__(
        self,
        setting: Setting | None = None,
        outcome: Outcome | None = None,
        player: Player | None = None,
        profile: str = "paper",
    ) -> None:
        self.setting, self.notes = within(setting or Setting())  # what a public page has cut is noted
        self.profile, self.first, self.scored_first = profile, self.setting, profile
        self.player = player or Player()
        self.experiment: Experiment | None = None
        self.error: Exception | None = None
        self.outcome: Outcome | None = None
        self.baseline: Outcome | None = None
        self.auto, self.lesson, self.section = False, Lesson(), "overview"
        self.tabled = False  # whether the numbers behind pictures stand below them
        self._history = History()
        self.drag, self._taken = Drag(lambda: self._tell("still")), self.player.progress
        self.results = Results()
        self.hearing = Hearing()
        self.awaited = Awaited(self)  # what a link compares with, until it is played
        self.pins = Pins(lambda: self._tell("pins"))
        self.search = Search(lambda: self._tell("search"))
        self.standings = Standings(lambda: self._tell("standing"))
        self.looking = Looking(lambda: self._tell("looking"))
        self._pulse = Pulse(self.player, self.hearing, guarded(self, "training", self._finish))
        if outcome is not None:
            self._keep(outcome)
        self._settle()

    # what others read

    @property
    def progress(self) -> Progress | None:
        """The run that is going on, or the last one."""
        return self.player.progress

    @property
    def state(self) -> str:
        """One of idle, running, stopping, stopped, stale, failed."""
        progress = self.progress
        if progress is not None and progress is not self._taken:  # what it measured is on the page once it is taken
            return "stopping" if progress.phase in ("stopping", "stopped") else "running"
        if self.error is not None:
            return "failed"
        if self.outcome is None or self.experiment is None or self.outcome.record.experiment != self.experiment:
            return "stale"
        return "idle" if self.outcome.record.complete else "stopped"

    @property
    def shown(self) -> RunRecord | None:
        """The table to draw: of the run that is going on, else of the outcome."""
        if self.player.busy and self.progress is not None:
            return RunRecord(self.progress.experiment, list(self.progress.record))
        return None if self.outcome is None else self.outcome.record

    def report(self, outcome: Outcome | None = None) -> TrustReport | None:
        """Assess a result with the profile and the weights of the controls.

        Parameters
        ----------
        outcome : Outcome, optional
            By default the current one.

        Returns
        -------
        TrustReport or None
            ``None`` while there is no result.
        """
        outcome = outcome or self.outcome
        return None if outcome is None else assess(outcome.facts, self.profile, dict(self.setting.weights))

    def federated(self) -> FederatedDataset:
        """Return the data set under the controls, divided as they say.

        Returns
        -------
        FederatedDataset
            Unscaled.
        """
        if self.experiment is None:
            raise self.error or ValueError("the controls do not describe an experiment")
        return FederatedDataset(data_of(self.experiment), partition_of(self.experiment))

    @property
    def searching(self) -> bool:
        """Whether the split under the controls is still being looked for, as it may be for a wide table."""
        return self.search.busy

    # what others tell it

    def watch(self, listener: Listener) -> None:
        """Tell a listener of every change from now on.

        Parameters
        ----------
        listener : callable
            Takes what changed.
        """
        self.hearing.watch(listener)

    def change(self, drag: str = "", **changes: Any) -> None:
        """Move controls.

        Parameters
        ----------
        drag : str
            The slider that is held, if one is: until `let_go` its moves are one step to undo.
        **changes
            Values of `Setting` by name.
        """
        setting = self.setting.change(**changes)
        if setting == self.setting:
            self.drag.take(drag)
        else:
            if not drag or drag != self.drag.name:
                self._history.leave(self._place)
            self._move((setting, self.profile), drag)
            self.drag.rest()

    def let_go(self) -> None:
        """End a drag: what moves next is a step of its own."""
        self.drag.end()

    def go(self, setting: Setting, profile: str = "") -> None:
        """Take a whole setting, which can be undone.

        Parameters
        ----------
        setting : Setting
            For example of a preset.
        profile : str
            A name among `trustkit.trust.PROFILES` to score by; by default as before.
        """
        place = setting, profile or self.profile
        if place != self._place:
            self._history.leave(self._place)
            self._move(place)

    def undo(self) -> None:
        """Go back by one change."""
        self._move(self._history.back(self._place) or self._place)

    def redo(self) -> None:
        """Take back an undo."""
        self._move(self._history.forth(self._place) or self._place)

    def reset(self) -> None:
        """Go back to where the controls started, which can be undone."""
        self.go(self.first, self.scored_first)

    def pin(self, outcome: Outcome | None = None) -> None:
        """Keep a result as the baseline to compare with; without a new result since, let it go.

        Parameters
        ----------
        outcome : Outcome, optional
            By default the current one.
        """
        chosen = outcome or self.outcome
        self.baseline = None if self.baseline is chosen else chosen
        self._tell("baseline")

    def run(self, wait: bool = False, experiment: Experiment | None = None) -> None:
        """Play an experiment to its end; one that was stopped goes on where it stood.

        Parameters
        ----------
        wait : bool
            Whether to come back only when it is over, as a cell needs whose next line reads the result.
        experiment : Experiment, optional
            By default the one that the controls ask for.
        """
        self._start(None, wait, experiment or self.experiment)

    def step(self, wait: bool = False) -> None:
        """Play one more round.

        Parameters
        ----------
        wait : bool
            Whether to come back only when it is over.
        """
        self._start(1, wait, self.experiment)

    def stop(self) -> None:
        """Ask a run to stop; what it has played is kept."""
        self.player.stop()
        self._pulse.note()
        self._tell("progress")

    # how it works

    def _tell(self, *changes: str) -> None:
        self.hearing.tell(*changes)

    @property
    def _place(self) -> Place:
        return self.setting, self.profile

    def _keep(self, outcome: Outcome) -> None:
        self.results.keep(outcome)
        self.outcome = outcome

    def _settle(self) -> None:
        self.experiment, self.error = None, None
        try:
            experiment = permitted(self.setting.experiment())
            self.search.ask(experiment, self._found)
        except Exception as error:  # whatever it is, a red card says so
            self.error = error
            return
        self.experiment = experiment
        self.outcome = self.results.of(experiment) or self.outcome

    def _found(self, experiment: Experiment, error: Exception | None) -> None:
        """Take what a search in the background found, if the controls still want it."""
        if self.experiment == experiment:
            if error is not None:
                self.experiment, self.error = None, error
            self._tell("setting")

    def _move(self, place: Place, drag: str = "") -> None:
        (before, scored_by), shown, (asked, self.profile) = self._place, self.outcome, place
        self.setting, self.notes = setting, notes = within(asked)
        self.drag.take(drag)
        weighed = (setting.weights, self.profile) != (before.weights, scored_by)
        moved = replace(setting, weights=before.weights) != before or bool(notes)
        if moved:
            self._settle()
        changed = {"weights": weighed, "setting": moved, "outcome": self.outcome is not shown}
        self._tell(*(what for what, holds in changed.items() if holds))

    def _start(self, rounds: int | None, wait: bool, experiment: Experiment | None) -> None:
        if experiment is not None:
            self.error = refused(experiment)
        if experiment is None or self.error is not None:
            self._tell("setting")
            return
        earlier = self.results.played(experiment, self.progress)
        self.player.start(experiment, earlier, None if rounds is None else len(earlier) + rounds)
        self._tell("started")
        self._pulse.follow(wait)

    def _finish(self) -> None:
        progress = self.progress
        if progress is None:
            return
        self._taken = progress
        if progress.experiment == self.experiment:
            self.error = explained(progress.error)
        if progress.outcome is not None:
            self._keep(progress.outcome)
        if self.experiment is not None:  # the controls may have moved on to a result that is there already
            self.outcome = self.results.of(self.experiment) or self.outcome
        self._tell("outcome")
