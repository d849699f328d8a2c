"""What the attack panel compares: an attacked run with its clean twin and its defended one; words, table, picture."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from trustkit.widgets.figures import to_svg
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, percent
from trustkit.widgets.playing import Playing, Wanted
from trustkit.widgets.shapes import shaped
from trustkit.widgets.strings import say
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import bar, tip

from trustkit import Experiment, RunRecord, metrics, plot
from trustkit.catalogue import ALGORITHMS
from trustkit.comparison import attackers_of, backdoor_success, twins

__all__ = ["Trio", "drawing"]


class Trio:
    """The three experiments under the controls and a defence, and what they gave.

    Parameters
    ----------
    lab : Lab
        Whose experiment it is.
    told : callable
        Called when playing begins, goes on, or ends.
    """

    def __init__(self, lab: Lab, told: Callable[[], None] = lambda: None) -> None:
        self.lab, self.defence = lab, "fedmedian"
        self.playing = Playing(lab, self.wanted, told, self._measure, "attack")
        self._successes: dict[tuple[str, str, int], float | None] = {}

    def wanted(self) -> dict[Any, Experiment]:
        """Return the experiments under the controls.

        Returns
        -------
        dict of str to Experiment
            As `trustkit.comparison.twins` gives them; empty without an attack, or where the controls describe no
            experiment.
        """
        experiment = self.lab.experiment
        return {} if experiment is None or experiment.attack is None else twins(experiment, self.defence)

    def success(self, name: str) -> float | None:
        """Return what a backdoor achieves, where it has been measured.

        Parameters
        ----------
        name : str
            "clean", "attacked" or "defended".

        Returns
        -------
        float or None
            See `trustkit.comparison.backdoor_success`.
        """
        trio = self.wanted()
        return self._successes.get(self._mark(trio, name)) if name in trio else None

    def robustness(self, record: RunRecord) -> float | None:
        """Return the robustness pillar of a run.

        Parameters
        ----------
        record : RunRecord
            One of the three.

        Returns
        -------
        float or None
            In [0, 1]; ``None`` until the run is measured, or without evidence.
        """
        outcome = self.lab.results.of(record.experiment)
        report = None if outcome is None or len(outcome.record) != len(record) else self.lab.report(outcome)
        return None if report is None else report.pillars.get("robustness")

    def _measure(self, asked: Wanted) -> None:
        for name, experiment in asked.items():
            record, mark = self.playing.record(experiment), self._mark(asked, name)
            if len(record) and mark not in self._successes:
                try:
                    self._successes[mark] = backdoor_success(record, asked["attacked"])
                except Exception as error:  # the panel says so
                    self.playing.errors[experiment.key] = error

    def _mark(self, trio: Wanted, name: Any) -> tuple[str, str, int]:
        return trio["attacked"].key, trio[name].key, len(self.playing.record(trio[name]))


def _kept(record: RunRecord, clean: RunRecord) -> float | None:
    """Accuracy kept after the last round that both have; ``None`` if there is none."""
    last = min(len(record), len(clean))
    if not last:
        return None
    return float(np.minimum(1.0, metrics.poisoning_defence(record.accuracy[last - 1], clean.accuracy[last - 1])))


def drawing(trio: Trio) -> Callable[[Lab], str]:
    """Return what draws the comparison.

    Parameters
    ----------
    trio : Trio
        Whose runs.

    Returns
    -------
    callable
        Lab in, HTML out: how far the runs are, accuracy by round, a table, and what cannot be played.
    """
    pictures: dict[str, Any] = {}
    drawn: dict[str, Any] = {"marks": None}

    def picture(runs: Mapping[str, RunRecord], experiment: Experiment) -> str:
        """Drawn anew only if a run has gone on, or is another one."""
        marks = tuple((name, record.experiment.key, len(record)) for name, record in runs.items())
        if drawn["marks"] != marks:
            said = [say("attacked.said", name=say(f"attacked.{name}"), value=amount(_mean(run)), done=len(run))
                    for name, run in runs.items() if len(run)]  # fmt: skip
            label = say("attacked.label", said=", ".join(said) or say("attacked.unstarted"))

            def shape_of(shape: str) -> str:
                wide, attackers = shape == "wide", attackers_of(experiment)
                pictures[shape] = figure = plot.accuracy_under_attack(runs, attackers, wide, pictures.get(shape))
                return to_svg(figure, label)

            drawn.update(marks=marks, text=shaped(shape_of))
        return str(drawn["text"])

    def draw(lab: Lab) -> str:
        wanted = trio.wanted()
        if not wanted or not lab.setting.across_rows:
            return ""
        runs = {str(name): trio.playing.record(experiment) for name, experiment in wanted.items()}
        if not any(len(record) for record in runs.values()) and not trio.playing.busy:
            text = f'<p class="tk-sub">{say("attacked.uncompared")}</p>'
        else:
            text = f'<div class="tk-compared">{picture(runs, wanted["attacked"])}<div>{_table(trio, runs)}</div></div>'
        return f'<div class="tk-inner">{_status(trio, runs)}{text}{_problems(trio, runs)}</div>'

    return draw


def _mean(record: RunRecord) -> float:
    known = record.last.accuracy[np.isfinite(record.last.accuracy)]
    return float(known.mean()) if known.size else float("nan")


def _status(trio: Trio, runs: Mapping[str, RunRecord]) -> str:
    """Which run is being played and how far all of them are."""
    total = sum(record.experiment.rounds for record in runs.values())
    done = sum(len(record) for record in runs.values())
    now = next((name for name, record in runs.items() if record.experiment == trio.playing.now), "")
    if now:
        at, played = list(runs).index(now) + 1, {"done": len(runs[now]), "total": runs[now].experiment.rounds}
        words = say("attacked.playing", at=at, runs=len(runs), name=say(f"attacked.{now}"), **played)
    elif trio.playing.busy:
        words = say("attacked.measuring")
    elif done == total:
        words = say("attacked.done")
    else:
        words = say("attacked.partly", done=done, total=total)
    return bar(say("attacked.bar"), done, total, words)


def _table(trio: Trio, runs: Mapping[str, RunRecord]) -> str:
    backdoor = any(trio.success(name) is not None for name in runs)
    success = [tip(say("attacked.backdoor"), say("attacked.about_backdoor"))] if backdoor else []
    heads = ["", say("attacked.accuracy"), tip(say("attacked.kept"), say("attacked.about_kept")), *success,
             tip(say("attacked.robustness"), say("attacked.about_robustness"))]  # fmt: skip
    lines = ""
    for name, record in runs.items():
        rule = translated(ALGORITHMS[record.experiment.algorithm.name].title)
        cells = [amount(_mean(record) if len(record) else None, 3)]
        cells.append("" if name == "clean" else _percent(_kept(record, runs["clean"])))
        cells += [_percent(trio.success(name))] if backdoor else []
        cells.append(amount(trio.robustness(record), 2))
        lines += (
            f'<tr><th scope="row">{say(f"attacked.{name}")}<br><span class="tk-sub">{html.escape(rule)}</span></th>'
        )
        lines += "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    table = f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'
    table = f'<div class="tk-across" tabindex="0" role="region" aria-label="{say("attacked.table")}">{table}</div>'
    return f'{table}<p class="tk-sub">{say("attacked.legend")}</p>'


def _percent(value: float | None) -> str:
    return percent(value) if value is not None and value == value else amount(value)


def _problems(trio: Trio, runs: Mapping[str, RunRecord]) -> str:
    """What cannot be played, in the library's words; the other runs are there all the same."""
    found = {name: trio.playing.errors.get(record.experiment.key) for name, record in runs.items()}
    said = [(say(f"attacked.{name}"), english(html.escape(str(error))))
            for name, error in found.items() if error is not None]  # fmt: skip
    text = "".join(f'<p class="tk-caveat" role="alert">{name}: {why}</p>' for name, why in said)
    return text if "defended" in runs else f'{text}<p class="tk-sub">{say("attacked.already")}</p>'
