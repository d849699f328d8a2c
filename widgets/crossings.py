"""How the vertical panel shows what it compares: progress, learning curves, bytes by party, a table, reasons."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

from trustkit.widgets.crossed import MOST_RUNS, SYMBOLS, Crossed
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount, bytes_text
from trustkit.widgets.view import bar, tip

from trustkit import RunRecord, plot
from trustkit.catalogue import ALGORITHMS, PRIVACY
from trustkit.comparison import YARDSTICKS, Crossing
from trustkit.findings import quality_of

__all__ = ["drawing", "title_of"]

_SHORTER = (
    "Fewer rows, shorter keys, fewer bins and shallower trees take less: choose such an algorithm as the training, its "
    "numbers are then under more settings."
)

_REACHED = (
    "On held-out rows, after the last round: of accuracy the share that is right, of RMSE the root of the mean squared "
    "error in the target's unit. Source: the last round of the run."
)
_SENT = "Σ over rounds and parties of what crosses a party's border. Source: counted as it is sent; no packet overhead."
_MOST = "Of the party with most of it, over all rounds. Source: counted as it is sent; VertiBench, Figures 3 and 6."
_SECONDS = "What the simulation took on this machine, all parties one after the other. A network's time is not in it."
_ROUND = (
    "A round is a pass over the rows for a network, one tree a class for boosted trees, and one assistance with many "
    "local passes for GAL and AL. So compare what is reached, or by bytes, rather than round by round."
)


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
    return ALGORITHMS[name].title


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
        text = "" if state.playing.busy else '<p class="tk-sub">Nothing compared yet: press Compare algorithms.</p>'
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
            picture = plot.to_svg(self._figures[name], label)
            self._drawn[name] = marks, f"<div><h3>{title}</h3>{picture}</div>"
        return self._drawn[name][1]

    @staticmethod
    def _curves(runs: dict[str, RunRecord], by: Any, old: Any) -> tuple[Any, str, str]:
        measure = next((quality_of(each).name for each in runs.values() if len(each)), "accuracy")
        said = [f"{name} {amount(quality_of(run).last, 3)} after round {len(run)}"
                for name, run in runs.items() if len(run)]  # fmt: skip
        alone = [title_of(name) for name in YARDSTICKS]
        figure = plot.quality_curves(runs, alone, by, wide=False, figure=old)
        words = "by round" if by == "round" else "by bytes sent"
        return figure, f"{measure[0].upper()}{measure[1:]} {words}", f"{measure} {words}: {', '.join(said)}"


def _marks(runs: dict[str, RunRecord]) -> Any:
    return tuple((name, record.experiment.key, len(record)) for name, record in runs.items())


def _traffic(record: RunRecord, old: Any) -> tuple[Any, str, str]:
    name = title_of(record.experiment.algorithm.name)
    sent, got = record.bytes_up.sum(axis=0), record.bytes_down.sum(axis=0)
    said = ", ".join(f"party {k} sent {bytes_text(up)} and received {bytes_text(down)}"
                     for k, (up, down) in enumerate(zip(sent[:6], got[:6], strict=True)))  # fmt: skip
    more = f", and {len(sent) - 6} more parties" if len(sent) > 6 else ""
    return plot.traffic_bars(record, old), f"Bytes by party: {html.escape(name)}", f"Bytes of {name}: {said}{more}"


def _by_split(found: Crossing, old: Any) -> tuple[Any, str, str]:
    rows = zip(found.algorithms, found.qualities(), strict=True)
    said = "; ".join(f"{title_of(name)} {', '.join(amount(each, 3) for each in row)}" for name, row in rows)
    symbol, values = SYMBOLS[found.along], ", ".join(_value(found, value) for value in found.values)
    return plot.quality_by_split(found, old), f"By split, along {symbol}", f"{found.measure} at {values}: {said}"


def _value(found: Crossing, value: float | None) -> str:
    return "" if value is None else f"{SYMBOLS[found.along]} {value:g}"


def _nothing(state: Crossed) -> str:
    if state.lab.searching:
        return "searching for the split …"
    if state.lab.experiment is None:
        return "nothing to compare: the red card above says why"
    if not state.names:
        return "Choose at least one algorithm."
    return f"Choose fewer algorithms: at most {MOST_RUNS} runs are kept."


def _status(state: Crossed, found: Crossing) -> str:
    """Which run is being played, or attacked, and how many are there."""
    records = list(found.records.values())
    done = sum(len(record) for record in records)
    total = sum(each.rounds for place, each in found.experiments.items() if place not in found.refused)
    now, whole, able = state.playing.now, sum(record.complete for record in records), len(records) - len(found.refused)
    place = next((at for at, each in found.experiments.items() if each == now), None)
    if now is not None and place is not None:
        words = f"{_placed(found, place)}: round {len(found.records[place])} of {now.rounds}"
    elif state.playing.busy:
        words = "attacking " + ("…" if state.attacked is None else _placed(found, state.attacked))
    elif whole >= able:
        words = "all runs are there" + (" that can be played" if found.refused else "")
    else:
        words = f"{whole} of {able} runs are there; Compare algorithms plays the rest"
    return bar("rounds of algorithms", done, total, words)


def _placed(found: Crossing, place: Any) -> str:
    name, value = place
    return html.escape(title_of(name)) + (f", {_value(found, value)}" if found.along else "")


def _long(state: Crossed, found: Crossing) -> str:
    """What encryption is going to take, by the algorithms' own estimates."""
    if state.playing.busy:
        return ""
    said = [f"{html.escape(title)} about {_time(seconds)}" for title, seconds in state.lengthy(found).items()
            if seconds >= 60]  # fmt: skip
    if not said:
        return ""
    text = f"Real encryption takes its time: {', '.join(said)}, by their own estimates. {_SHORTER}"
    return f'<p class="tk-caveat">{text}</p>'


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 5400 else f"{seconds / 60:.0f} min"


def _remarks(state: Crossed, name: str, record: RunRecord) -> str:
    """What an algorithm says of itself that a reader of its numbers has to know."""
    if not len(record):
        return ""
    facts = state.facts(record.experiment)
    told = [] if facts.get("federated", True) else ["no federation: a yardstick"]
    told += [str(facts[key]) for key in ("simulated", "encryption", "assumes") if facts.get(key)]
    if facts.get("mechanism"):
        spent = float(record.last.epsilon)
        claim = f"ε {amount(spent, 1)}" if math.isfinite(spent) else "no guarantee"
        told.append(f"{PRIVACY[facts['mechanism']].title}, {facts['level']}: {claim}")
    told += ["labels are told to every party"] * (facts.get("labels") == "told to every party")
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
    heads = [tip(found.measure, _REACHED), tip("sent", _SENT), tip("most received", _MOST), tip("most sent", _MOST),
             tip("seconds", _SECONDS), tip("rounds", _ROUND)]  # fmt: skip
    above = f"<h3>At {_value(found, at)}</h3>" if found.along and lines else ""
    return above + (_whole(heads, lines, "runs compared") if lines else "")


def _every(found: Crossing) -> str:
    """Algorithms times splits."""
    runs, lines = found.runs(), ""
    for name in found.algorithms:
        cells = ["–" if (name, value) not in runs else amount(runs[name, value].quality, _digits(found))
                 for value in found.values]  # fmt: skip
        lines += _row(name, "", cells)
    heads = [_value(found, value) for value in found.values]
    return f"<h3>{tip(found.measure.capitalize() if _digits(found) == 3 else found.measure, _REACHED)}</h3>" + _whole(
        heads, lines, "algorithms by split"
    )


def _digits(found: Crossing) -> int:
    return 3 if found.measure == "accuracy" else 2


def _row(name: str, remarks: str, cells: list[str]) -> str:
    line = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{html.escape(title_of(name))}{remarks}</th>{line}</tr>'


def _whole(heads: list[str], lines: str, name: str) -> str:
    top = "".join(f'<th scope="col">{head}</th>' for head in ("", *heads))
    inner = f'<table class="tk-table"><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="tk-across" tabindex="0" role="region" aria-label="{name}">{inner}</div>'


def _problems(found: Crossing) -> str:
    """What cannot be played, in the library's words; said once where all splits say the same."""
    said = {(name, why) for (name, _), why in found.refused.items()}
    return "".join(f'<p class="tk-caveat" role="alert">{html.escape(title_of(name))}: {html.escape(why)}</p>'
                   for name, why in sorted(said))  # fmt: skip
