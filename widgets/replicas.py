"""Is it real? This experiment and the baseline played with several seeds, and the effect beside the seeds' noise."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import ipywidgets as w
import numpy as np
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.page import Panel
from trustkit.widgets.player import Outcome
from trustkit.widgets.playing import Playing, Wanted
from trustkit.widgets.view import View, bar, table, tip

from trustkit import Experiment
from trustkit.catalogue import PANELS
from trustkit.quantities import QUANTITIES, Seen
from trustkit.replicas import Effect, effects_of, measured_on, replicas_of

__all__ = ["ReplicaPanel", "Replicas"]

_TITLE = "Is it real?"
_WELCH = (
    "Mean of the runs minus mean of the baseline's, with Welch's 95 % interval: wide with few seeds. Source: Welch "
    "1947, Biometrika 34. If the interval holds 0, seeds alone could have done it. Of twenty quantities one lies "
    "beyond by chance."
)
_SEEDS = (
    "Another seed deals the rows to clients, starts the model and selects clients anew. It draws no other rows from "
    "the world: that noise is not in here."
)
_ALONE = (
    "Pin a result and change a control: then the same seeds are played for both, and the effect is held against them."
)


@PANELS.enter("replicas", title=_TITLE)
def ReplicaPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Play the experiment and the baseline with several seeds; say which differences seeds alone could make.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget; filled when it is opened.
    """
    state = lab or Lab()
    button = w.ToggleButton(description=f"▸ {_TITLE} The effect against the noise of seeds", tooltip="show or hide")
    button.add_class("tk-fold")
    box = Panel(state, [button])
    box.add_class("tk-framed")
    box.add_class("tk-replicas")
    inside: list[Replicas] = []

    def turn(event: Any) -> None:
        if not inside:
            inside.append(Replicas(state))
            box.children = [button, inside[0].box]
        inside[0].box.layout.display = "" if event.new else "none"
        button.description = f"{'▾' if event.new else '▸'}{button.description[1:]}"

    button.observe(turn, "value")
    return box


class Replicas:
    """The controls, the runs and what they say.

    Parameters
    ----------
    lab : Lab
        What plays.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.playing = Playing(lab, self.wanted, self._told, lambda _: None)
        self.seeds = w.BoundedIntText(3, min=2, max=5, description="seeds", tooltip="runs of each side")
        self.start = w.Button(description="Play the seeds", tooltip="train with each seed that is not there yet")
        self.halt = w.Button(description="Stop the seeds", tooltip="what was trained is kept", disabled=True)
        self.start.add_class("tk-primary")
        self.view = View(lab, self._draw, ("setting", "progress", "outcome", "baseline", "weights"), "replicas")
        row = w.HBox([self.seeds, self.start, self.halt])
        row.add_class("tk-choices")
        self.box = w.VBox([row, self.view])
        self.box.add_class("tk-inner")
        self.seeds.observe(lambda _: self._told(), "value")
        self.start.on_click(lambda _: self.playing.start())
        self.halt.on_click(lambda _: self.playing.stop())
        lab.watch(self._hear)
        self._enable()

    def sides(self) -> tuple[Experiment, ...]:
        """Return what is played with several seeds.

        Returns
        -------
        tuple of Experiment
            What the controls ask for and, if there is another one, the baseline with the same seeds.
        """
        here = self.lab.experiment
        if here is None:
            return ()
        there = None if self.lab.baseline is None else self.lab.baseline.record.experiment.change(seed=here.seed)
        return (here,) if there is None or there == here else (here, there)

    def wanted(self) -> dict[Any, Experiment]:
        """Return all runs that are needed.

        Returns
        -------
        dict of (int, int) to Experiment
            By side and seed.
        """
        found: dict[Any, Experiment] = {}
        for side, experiment in enumerate(self.sides()):
            found |= {(side, each.seed): each for each in replicas_of(experiment, self.seeds.value)}
        return found

    def outcomes(self) -> list[list[Outcome]]:
        """Return the runs that are there.

        Returns
        -------
        list of list of Outcome
            One list a side, whole runs only.
        """
        found: list[list[Outcome]] = [[] for _ in self.sides()]
        for (side, _), experiment in self.wanted().items():
            kept = self.lab.results.of(experiment)
            if kept is not None and kept.record.complete:
                found[side].append(kept)
        return found

    def _hear(self, what: str) -> None:
        if what in ("setting", "progress", "outcome", "baseline"):
            self._enable()

    def _told(self) -> None:
        self._enable()
        self.view.refresh()

    def _enable(self) -> None:
        self.start.disabled = self.playing.busy or not self.wanted()
        self.halt.disabled = not self.playing.busy

    def _draw(self, lab: Lab) -> str:
        wanted, sides = self.wanted(), self.outcomes()
        if not wanted:
            return '<p class="tk-sub">The controls describe no experiment.</p>'
        body = _status(self.playing, wanted)
        measured = [[_numbers(lab, each) for each in side] for side in sides]
        if all(len(side) >= 2 for side in measured):
            body += _compared(effects_of(*measured)) if len(measured) == 2 else _spread(measured[0])
        text = f"{tip('Seeds', _SEEDS)} move every number. {'' if len(sides) == 2 else _ALONE}"
        return f'<p class="tk-sub">{text}</p>{body}{_problems(self.playing)}'


def _numbers(lab: Lab, outcome: Outcome) -> dict[str, float]:
    return measured_on(Seen(None, outcome.record, lab.report(outcome)))


def _status(playing: Playing, wanted: Wanted) -> str:
    records = [playing.record(each) for each in wanted.values()]
    done, total = sum(len(record) for record in records), sum(each.rounds for each in wanted.values())
    now = playing.now
    if now is not None:
        words = f"seed {now.seed}: round {len(playing.record(now))} of {now.rounds}"
    else:
        whole = sum(record.complete for record in records)
        more = "" if whole == len(records) else "; Play the seeds trains the rest"
        words = f"{whole} of {len(records)} runs are there{more}"
    return bar("rounds of all seeds", done, total, words)


def _between(values: np.ndarray) -> str:
    return f"{amount(float(values.min()), 3)}–{amount(float(values.max()), 3)}"


def _ends(values: np.ndarray) -> str:
    return f'{amount(float(values.mean()), 3)}<br><span class="tk-sub">{_between(values)}</span>'


def _compared(effects: Sequence[Effect]) -> str:
    """The verdict in a sentence, and all numbers in a table."""
    beyond = [effect.title for effect in effects if effect.beyond]
    verdict = (
        f"Beyond the noise of seeds: {html.escape(', '.join(beyond))}. All else is within it."
        if beyond
        else "Every difference is within the noise of seeds."
    )
    rows = [
        (
            effect.title, _ends(effect.here), _ends(effect.there), f"{effect.difference:+z.3f}",
            f"{effect.low:+z.3f} … {effect.high:+z.3f}", f"<b>{effect.said}</b>" if effect.beyond else effect.said,
        )
        if effect.beyond is not None
        else (effect.title, _ends(effect.here), _ends(effect.there), "n/a", "n/a", "n/a")
        for effect in effects
    ]  # fmt: skip
    heads = ("", "this experiment", "baseline", "difference", tip("95 % interval", _WELCH), "verdict")
    return (
        f'<p class="tk-verdict" role="status">{verdict}</p><div class="tk-across" tabindex="0" role="region" '
        f'aria-label="effect and noise of seeds">{table(heads, rows)}</div>'
    )


def _spread(runs: Sequence[dict[str, float]]) -> str:
    """How far seeds alone move each number."""
    names = [name for name in runs[0] if all(name in each for each in runs)]
    rows = []
    for name in names:
        values = np.array([each[name] for each in runs])
        spread = amount(float(values.std(ddof=1)), 3)
        rows.append((QUANTITIES[name].title, amount(float(values.mean()), 3), _between(values), spread))
    return table(("", "mean", "from – to", "standard deviation"), rows)


def _problems(playing: Playing) -> str:
    return "".join(f'<p class="tk-caveat" role="alert">{html.escape(str(error))}</p>'
                   for error in dict.fromkeys(map(str, playing.errors.values())))  # fmt: skip
