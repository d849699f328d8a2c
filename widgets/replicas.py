"""Is it real? This experiment and the baseline played with several seeds, and the effect beside the seeds' noise."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import ipywidgets as w
import numpy as np
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.page import Panel
from trustkit.widgets.player import Outcome
from trustkit.widgets.playing import Playing, Wanted
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import View, bar, table, tip

from trustkit import Experiment
from trustkit.catalogue import PANELS
from trustkit.quantities import QUANTITIES, Seen
from trustkit.replicas import Effect, effects_of, measured_on, replicas_of

__all__ = ["ReplicaPanel", "Replicas"]


@PANELS.enter("replicas", title="Is it real?")
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
    button = w.ToggleButton(description=f"▸ {say('replicas.fold')}", tooltip=say("card.show_hide"))
    button.add_class("tk-fold")
    box = Panel(state, [button], "replicas")
    box.add_class("tk-framed")
    box.add_class("tk-replicas")
    inside: list[Replicas] = []

    def turn(event: Any) -> None:
        if not inside:
            inside.append(Replicas(state))
            box.children = (button, inside[0].box)
        inside[0].box.layout.display = "" if event.new else "none"
        button.description = f"{'▾' if event.new else '▸'}{button.description[1:]}"

    button.observe(guarded(state, "replicas", turn), "value")
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
        self.playing = Playing(lab, self.wanted, self._told, lambda _: None, "replicas")
        words = {"description": say("replicas.seeds"), "tooltip": say("replicas.about_seeds")}
        self.seeds = w.BoundedIntText(3, min=2, max=5, **words)
        self.start = w.Button(description=say("replicas.start"), tooltip=say("replicas.about_start"))
        self.halt = w.Button(description=say("replicas.halt"), tooltip=say("replicas.about_halt"), disabled=True)
        self.start.add_class("tk-primary")
        self.view = View(lab, self._draw, ("setting", "progress", "outcome", "baseline", "weights"), "replicas")
        row = w.HBox([self.seeds, self.start, self.halt])
        row.add_class("tk-choices")
        self.box = w.VBox([row, self.view])
        self.box.add_class("tk-inner")
        self.seeds.observe(guarded(lab, "replicas", lambda _: self._told()), "value")
        self.start.on_click(guarded(lab, "replicas", lambda _: self.playing.start()))
        self.halt.on_click(guarded(lab, "replicas", lambda _: self.playing.stop()))
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
        if what in ("setting", "started", "progress", "outcome", "baseline"):
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
            return f'<p class="tk-sub">{say("replicas.none")}</p>'
        body = _status(self.playing, wanted)
        measured = [[_numbers(lab, each) for each in side] for side in sides]
        if all(len(side) >= 2 for side in measured):
            body += _compared(effects_of(*measured)) if len(measured) == 2 else _spread(measured[0])
        alone = "" if len(sides) == 2 else say("replicas.alone")
        text = say_html("replicas.move", seeds=tip(say("replicas.word"), say("replicas.about_word")), alone=alone)
        return f'<p class="tk-sub">{text}</p>{body}{_problems(self.playing)}'


def _numbers(lab: Lab, outcome: Outcome) -> dict[str, float]:
    return measured_on(Seen(None, outcome.record, lab.report(outcome)))


def _status(playing: Playing, wanted: Wanted) -> str:
    records = [playing.record(each) for each in wanted.values()]
    done, total = sum(len(record) for record in records), sum(each.rounds for each in wanted.values())
    now = playing.now
    if now is not None:
        words = say("replicas.playing", seed=now.seed, done=len(playing.record(now)), total=now.rounds)
    else:
        whole = sum(record.complete for record in records)
        many = {"whole": whole, "total": len(records)}
        words = say("replicas.done", **many) if whole == len(records) else say("replicas.partly", **many)
    return bar(say("replicas.bar"), done, total, words)


def _between(values: np.ndarray) -> str:
    return f"{amount(float(values.min()), 3)}–{amount(float(values.max()), 3)}"


def _ends(values: np.ndarray) -> str:
    return f'{amount(float(values.mean()), 3)}<br><span class="tk-sub">{_between(values)}</span>'


def _compared(effects: Sequence[Effect]) -> str:
    """The verdict in a sentence, and all numbers in a table."""
    beyond = [translated(effect.title) for effect in effects if effect.beyond]
    verdict = say_html("replicas.beyond", names=", ".join(beyond)) if beyond else say("replicas.within")
    none = say("page.undefined")
    rows = [
        (
            translated(effect.title), _ends(effect.here), _ends(effect.there), f"{effect.difference:+z.3f}",
            f"{effect.low:+z.3f} … {effect.high:+z.3f}", _said(effect),
        )
        if effect.beyond is not None
        else (translated(effect.title), _ends(effect.here), _ends(effect.there), none, none, none)
        for effect in effects
    ]  # fmt: skip
    heads = ("", say("replicas.here"), say("replicas.there"), say("replicas.difference"),
             tip(say("replicas.interval"), say("replicas.about_interval")), say("replicas.verdict"))  # fmt: skip
    return (
        f'<p class="tk-verdict" role="status">{verdict}</p><div class="tk-across" tabindex="0" role="region" '
        f'aria-label="{say("replicas.table")}">{table(heads, rows)}</div>'
    )


def _said(effect: Effect) -> str:
    said = translated(effect.said)
    return f"<b>{said}</b>" if effect.beyond else said


def _spread(runs: Sequence[dict[str, float]]) -> str:
    """How far seeds alone move each number."""
    names = [name for name in runs[0] if all(name in each for each in runs)]
    rows = []
    for name in names:
        values = np.array([each[name] for each in runs])
        spread = amount(float(values.std(ddof=1)), 3)
        rows.append((translated(QUANTITIES[name].title), amount(float(values.mean()), 3), _between(values), spread))
    return table(("", say("replicas.mean"), say("replicas.ends"), say("replicas.deviation")), rows)


def _problems(playing: Playing) -> str:
    return "".join(f'<p class="tk-caveat" role="alert">{english(html.escape(str(error)))}</p>'
                   for error in dict.fromkeys(map(str, playing.errors.values())))  # fmt: skip
