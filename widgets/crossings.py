"""How the vertical panel shows what it compares: progress, learning curves, bytes by party, a table, reasons."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import Any

from trustkit.widgets.crossed import MOST_RUNS, SYMBOLS, Crossed
from trustkit.widgets.figures import to_svg
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, bytes_text
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english, translated
from trustkit.widgets.view import bar, tip

from trustkit import RunRecord, plot
from trustkit.catalogue import ALGORITHMS, PRIVACY
from trustkit.comparison import YARDSTICKS, Crossing
from trustkit.findings import quality_of

__all__ = ["drawing", "title_of"]


def title_of(name: str) -> str:
    """Return what an algorithm is called.

    Parameters
    ----------
    name : str
        Of the catalogue.

    Returns
    -------
    str
        Plain text.
    """
    return translated(ALGORITHMS[name].title)


def drawing(state: Crossed, by: Callable[[], Any], of: Callable[[], str]) -> Callable[[Lab], str]:
    """Return what draws the comparison.

    Parameters
    ----------
    state : Crossed
        Whose runs.
    by : callable
        Returns "round" or "bytes": what curves run along.
    of : callable
        Returns the name of the algorithm whose bytes are shown by party.

    Returns
    -------
    callable
        Lab in, HTML out.
    """
    pictures = _Pictures()

    def draw(lab: Lab) -> str:
        if lab.setting.across_rows:
            return ""
        found = state.crossing()
        if found is None:
            return f'<p class="tk-sub">{_nothing(state)}</p>'
        played = any(len(record) for record in found.records.values())
        text = "" if state.playing.busy else f'<p class="tk-sub">{say("crossings.uncompared")}</p>'
        if played:
            text = pictures.draw(state, found, by(), of()) + _table(state, found)
        return f"{_status(state, found)}{_long(state, found)}{text}{_problems(found)}"

    return draw


class _Pictures:
    """Figures, drawn anew only if a run has gone on, or another is looked at."""

    def __init__(self) -> None:
        self._figures: dict[str, Any] = {}
        self._drawn: dict[str, tuple[Any, str]] = {}

    def draw(self, state: Crossed, found: Crossing, by: Any, of: str) -> str:
        at = state.shown_at(found)
        runs = {title_of(name): record for (name, value), record in found.records.items() if value == at}
        parts = [self._once("curves", (_marks(runs), by), lambda old: self._curves(runs, by, old))]
        record = found.records.get((of, at))
        if record is not None and len(record):
            mark = (record.experiment.key, len(record))
            parts.append(self._once("traffic", mark, lambda old: _traffic(record, old)))
        if found.along:
            marks = tuple((place, len(each)) for place, each in found.records.items() if each.complete)
            keys = tuple(each.key for each in found.experiments.values())
            parts.append(self._once("split", (marks, keys), lambda old: _by_split(found, old)))
            parts.append(f"<div>{_every(found)}</div>")
        return f'<div class="tk-cross">{"".join(parts)}</div>'

    def _once(self, name: str, marks: Any, draw: Callable[[Any], tuple[Any, str, str]]) -> str:
        if name not in self._drawn or self._drawn[name][0] != marks:
            self._figures[name], title, label = draw(self._figures.get(name))
            picture = to_svg(self._figures[name], label)
            self._drawn[name] = marks, f"<div><h3>{title}</h3>{picture}</div>"
        return self._drawn[name][1]

    @staticmethod
    def _curves(runs: dict[str, RunRecord], by: Any, old: Any) -> tuple[Any, str, str]:
        measure = next((quality_of(each).name for each in runs.values() if len(each)), "accuracy")
        said = [say("crossings.said", name=name, value=amount(quality_of(run).last, 3), done=len(run))
                for name, run in runs.items() if len(run)]  # fmt: skip
        alone = [title_of(name) for name in YARDSTICKS]
        figure = plot.quality_curves(runs, alone, by, wide=False, figure=old)
        name = _measure(measure)
        words = say("crossings.by_round", measure=name) if by == "round" else say("crossings.by_bytes", measure=name)
        return figure, f"{words[0].upper()}{words[1:]}", f"{words}: {', '.join(said)}"


def _measure(name: str) -> str:
    """Accuracy or RMSE, inside a sentence."""
    return say("crossings.accuracy") if name == "accuracy" else say("crossings.rmse")


def _marks(runs: dict[str, RunRecord]) -> Any:
    return tuple((name, record.experiment.key, len(record)) for name, record in runs.items())


def _traffic(record: RunRecord, old: Any) -> tuple[Any, str, str]:
    name = title_of(record.experiment.algorithm.name)
    sent, got = record.bytes_up.sum(axis=0), record.bytes_down.sum(axis=0)
    said = ", ".join(say("crossings.party", party=k, sent=bytes_text(up), received=bytes_text(down))
                     for k, (up, down) in enumerate(zip(sent[:6], got[:6], strict=True)))  # fmt: skip
    said += say("crossings.more_parties", count=len(sent) - 6) if len(sent) > 6 else ""
    title, label = say_html("crossings.bytes", name=name), say("crossings.bytes_label", name=name, said=said)
    return plot.traffic_bars(record, old), title, label


def _by_split(found: Crossing, old: Any) -> tuple[Any, str, str]:
    rows = zip(found.algorithms, found.qualities(), strict=True)
    said = "; ".join(f"{title_of(name)} {', '.join(amount(each, 3) for each in row)}" for name, row in rows)
    symbol, values = SYMBOLS[found.along], ", ".join(_value(found, value) for value in found.values)
    label = say("crossings.split_label", measure=_measure(found.measure), values=values, said=said)
    return plot.quality_by_split(found, old), say("crossings.split", symbol=symbol), label


def _value(found: Crossing, value: float | None) -> str:
    return "" if value is None else f"{SYMBOLS[found.along]} {value:g}"


def _nothing(state: Crossed) -> str:
    if state.lab.searching:
        return say("crossings.searching")
    if state.lab.experiment is None:
        return say("crossings.unusable")
    if not state.names:
        return say("crossings.choose")
    return say("crossings.fewer", most=MOST_RUNS)


def _status(state: Crossed, found: Crossing) -> str:
    """Which run is being played, or attacked, and how many are there."""
    records = list(found.records.values())
    done = sum(len(record) for record in records)
    total = sum(each.rounds for place, each in found.experiments.items() if place not in found.refused)
    now, whole, able = state.playing.now, sum(record.complete for record in records), len(records) - len(found.refused)
    place = next((at for at, each in found.experiments.items() if each == now), None)
    if now is not None and place is not None:
        done_here = len(found.records[place])
        words: str = say_html("crossings.playing", place=_placed(found, place), done=done_here, total=now.rounds)
    elif state.playing.busy:
        place_now = "…" if state.attacked is None else _placed(found, state.attacked)
        words = say_html("crossings.attacking", place=place_now)
    elif whole >= able:
        words = say("crossings.done_able") if found.refused else say("crossings.done")
    else:
        words = say("crossings.partly", whole=whole, able=able)
    return bar(say("crossings.bar"), done, total, words)


def _placed(found: Crossing, place: Any) -> str:
    name, value = place
    return title_of(name) + (f", {_value(found, value)}" if found.along else "")


def _long(state: Crossed, found: Crossing) -> str:
    """What encryption is going to take, by the algorithms' own estimates."""
    if state.playing.busy:
        return ""
    said = [say("crossings.about_time", name=translated(title), time=_time(seconds))
            for title, seconds in state.lengthy(found).items() if seconds >= 60]  # fmt: skip
    if not said:
        return ""
    text = say_html("crossings.encryption", said=", ".join(said), shorter=say("crossings.shorter"))
    return f'<p class="tk-caveat">{text}</p>'


def _time(seconds: float) -> str:
    if seconds >= 5400:
        return say("crossings.hours", hours=f"{seconds / 3600:.1f}")
    return say("crossings.minutes", minutes=f"{seconds / 60:.0f}")


def _remarks(state: Crossed, name: str, record: RunRecord) -> str:
    """What an algorithm says of itself that a reader of its numbers has to know."""
    if not len(record):
        return ""
    facts = state.facts(record.experiment)
    told = [] if facts.get("federated", True) else [say("crossings.yardstick")]
    told += [translated(str(facts[key])) for key in ("simulated", "encryption", "assumes") if facts.get(key)]
    if facts.get("mechanism"):
        spent = float(record.last.epsilon)
        claim = f"ε {amount(spent, 1)}" if math.isfinite(spent) else say("crossings.no_guarantee")
        mechanism, level = translated(PRIVACY[facts["mechanism"]].title), translated(str(facts["level"]))
        told.append(say("crossings.mechanism", mechanism=mechanism, level=level, claim=claim))
    told += [say("crossings.labels_told")] * (facts.get("labels") == "told to every party")
    return f'<br><span class="tk-sub">{html.escape("; ".join(told))}</span>' if told else ""


def _table(state: Crossed, found: Crossing) -> str:
    """Numbers of the shown split."""
    runs, at, lines = found.runs(), state.shown_at(found), ""
    for name in found.algorithms:
        if (name, at) in runs:
            run = runs[name, at]
            cells = [bytes_text(run.sent), bytes_text(run.most_in), bytes_text(run.most_out), amount(run.seconds, 1)]
            reached = amount(run.quality, _digits(found))
            lines += _row(name, _remarks(state, name, found.records[name, at]), [reached, *cells, str(run.rounds)])
    most = say("crossings.about_most")
    heads = [tip(_measure(found.measure), say("crossings.about_reached")),
             tip(say("crossings.sent"), say("crossings.about_sent")),
             tip(say("crossings.most_received"), most), tip(say("crossings.most_sent"), most),
             tip(say("crossings.seconds"), say("crossings.about_seconds")),
             tip(say("crossings.rounds"), say("crossings.about_rounds"))]  # fmt: skip
    above = f"<h3>{say('crossings.at', value=_value(found, at))}</h3>" if found.along and lines else ""
    return above + (_whole(heads, lines, say("crossings.table")) if lines else "")


def _every(found: Crossing) -> str:
    """Algorithms times splits."""
    runs, lines = found.runs(), ""
    for name in found.algorithms:
        cells = ["–" if (name, value) not in runs else amount(runs[name, value].quality, _digits(found))
                 for value in found.values]  # fmt: skip
        lines += _row(name, "", cells)
    heads = [_value(found, value) for value in found.values]
    measure = _measure(found.measure)
    title = tip(f"{measure[:1].upper()}{measure[1:]}", say("crossings.about_reached"))
    return f"<h3>{title}</h3>" + _whole(heads, lines, say("crossings.by_split"))


def _digits(found: Crossing) -> int:
    return 3 if found.measure == "accuracy" else 2


def _row(name: str, remarks: str, cells: list[str]) -> str:
    line = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{html.escape(title_of(name))}{remarks}</th>{line}</tr>'


def _whole(heads: Sequence[str], lines: str, name: str) -> str:
    top = "".join(f'<th scope="col">{head}</th>' for head in ("", *heads))
    inner = f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="tk-across" tabindex="0" role="region" aria-label="{name}">{inner}</div>'


def _problems(found: Crossing) -> str:
    """What cannot be played, in the library's words; said once where all splits say the same."""
    said = {(name, why) for (name, _), why in found.refused.items()}
    return "".join(f'<p class="tk-caveat" role="alert">{html.escape(title_of(name))}: {english(html.escape(why))}</p>'
                   for name, why in sorted(said))  # fmt: skip
