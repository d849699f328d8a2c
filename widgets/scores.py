"""Where the score comes from: the tree with its weights, what moved it, how it grew, and how sure it is."""

from __future__ import annotations

import base64
import dataclasses
import html
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.page import Panel
from trustkit.widgets.reasons import change, names_of
from trustkit.widgets.slider import Slider
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.summary import summary_of
from trustkit.widgets.sureness import draw_bands, nothing, scored
from trustkit.widgets.translated import english, translated
from trustkit.widgets.tree import ScoreTree
from trustkit.widgets.view import View, card, pair, table, tip

from trustkit import plot, waterfall
from trustkit.catalogue import PANELS
from trustkit.trail import Trail, trail_of
from trustkit.trust import PROFILES, TrustReport

__all__ = ["Part", "ScorePanel"]

_PARTS = ("tree", "moved", "rounds", "bands")


class Part(View):
    """A view that is drawn only while it is shown."""

    shown = False

    def refresh(self) -> None:
        """Draw anew if anybody looks."""
        if self.shown:
            super().refresh()

    def show(self, shown: bool) -> None:
        """Be looked at from now on, or not.

        Parameters
        ----------
        shown : bool
            Which.
        """
        self.shown = shown
        self.refresh()


@PANELS.enter("scores", title="Where the score comes from")
def ScorePanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Show pillars, notions and metrics with formulas and weights; what moved the score, when, and how sure it is.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget.
    """
    state = lab or Lab()
    head = View(state, _head, ("outcome", "weights"), "scores")
    profile = w.Dropdown(description=say("scores.profile"), options=list(PROFILES), value=state.profile)
    reset = w.Button(description=say("scores.reset"), tooltip=say("scores.about_reset"))
    file = View(state, _file, ("weights",), "profile")
    choice = w.ToggleButtons(options=[(say(f"scores.{name}"), name) for name in _PARTS])
    for widget, name in ((profile, "profile"), (reset, "reset-weights"), (choice, "parts")):
        widget.add_class(f"tk-c-{name}")
    above = w.Box([profile, reset, file])
    above.add_class("tk-choices")
    steps = Slider((1,), ["1"], 1, label=say("scores.round_shown"))
    rounds = Part(state, _draw_rounds(steps), ("outcome", "weights"), "rounds")
    parts = {
        "tree": w.VBox([above, ScoreTree(state)]),
        "moved": w.VBox([Part(state, _draw_moved(), ("outcome", "baseline", "weights"), "moved")]),
        "rounds": w.VBox([rounds, steps]),
        "bands": w.VBox([Part(state, draw_bands(), ("outcome", "baseline", "weights"), "bands")]),
    }

    def turn(_: Any) -> None:
        for name, part in parts.items():
            shown = name == choice.value
            part.layout.display = "" if shown else "none"
            for view in part.children:
                if isinstance(view, Part):
                    view.show(shown)

    def follow(what: str) -> None:
        if what == "weights":
            profile.value = state.profile

    profile.observe(guarded(state, "scores", lambda event: _score_by(state, event.new)), "value")
    reset.on_click(guarded(state, "scores", lambda _: state.change(weights=())))
    choice.observe(guarded(state, "scores", turn), "value")
    steps.observe(guarded(state, "scores", lambda _: rounds.refresh()), "index")
    state.watch(follow)
    turn(None)
    box = Panel(state, [head, choice, *parts.values()], "scores")
    box.add_class("tk-framed")
    box.add_class("tk-scores")
    return box


def _score_by(lab: Lab, profile: str) -> None:
    if profile != lab.profile:
        lab.go(lab.setting.change(weights=()), profile)


def _head(lab: Lab) -> str:
    report = lab.report()
    if report is None:
        return card(say("scores.title"), say("page.unmeasured"), "")
    said = "".join(f'<p class="tk-caveat">{english(html.escape(note))}</p>' for note in report.notes)
    profile = report.profile
    about = say_html("scores.about_profile", name=profile.name, about=translated(profile.about))
    gaps = say("scores.zero") if profile.missing == "zero" else say("scores.unweighted")
    text = f"{html.escape(summary_of(report))} {about} {gaps}"
    return card(say("scores.title"), text, said)


def _file(lab: Lab) -> str:
    """The profile with the weights of the sliders, as a file inside the page."""
    mine = PROFILES[lab.profile]
    if lab.setting.weights:
        weights, about = (
            {**mine.weights, **dict(lab.setting.weights)},
            say("scores.own_weights", name=mine.name),
        )
        mine = dataclasses.replace(mine, name="mine", about=about, weights=weights)
    data = base64.b64encode(mine.to_toml().encode()).decode()
    name = html.escape(f"trustkit_profile_{mine.name}.toml")
    return f'<a class="tk-file" download="{name}" href="data:application/toml;base64,{data}">profile.toml</a>'


def _draw_moved() -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}

    def draw(lab: Lab) -> str:
        now = scored(lab.report())
        if now is None:
            return nothing()
        if lab.baseline is None or lab.baseline is lab.outcome:
            return (
                f'<p class="tk-sub">{say("scores.pinned") if lab.baseline is not None else say("scores.unpinned")}</p>'
            )
        before = scored(lab.report(lab.baseline))
        if before is None:
            return f'<p class="tk-sub">{say("scores.no_baseline_score")}</p>'
        found, names = waterfall(before, now), names_of(now)
        pictures["bars"] = figure = plot.trust_waterfall(found, names, figure=pictures.get("bars"))
        said = list(change(found.bars, names))
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in said)
        beside = f'<ol class="tk-moves">{lines}</ol>' if said else f'<p class="tk-sub">{say("scores.unmoved")}</p>'
        label = say("scores.from_to", before=amount(found.start, 3), now=amount(found.end, 3))
        label += "".join(f"; {line}" for line in said[:3])
        text = say_html("scores.bars", exact=tip(say("scores.exact"), say("scores.about_exact")))
        return pair(text, to_svg(figure, label), beside)

    return draw


def _draw_rounds(steps: Slider) -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}
    known: dict[str, Any] = {}

    def reports(lab: Lab) -> tuple[Trail, tuple[TrustReport, ...]]:
        """Followed once for each result, scored once for each weighing: a step over the rounds only draws."""
        outcome, weighed = lab.outcome, (lab.profile, lab.setting.weights)
        if known.get("outcome") is not outcome and outcome is not None:
            known.update(outcome=outcome, trail=trail_of(outcome.record, outcome.facts), weighed=None)
            numbers = known["trail"].rounds
            steps.offer(numbers, [str(number) for number in numbers], numbers[-1])
        if known["weighed"] != weighed:
            known.update(weighed=weighed, reports=known["trail"].reports(lab.profile, dict(lab.setting.weights)))
        return known["trail"], known["reports"]

    def draw(lab: Lab) -> str:
        if scored(lab.report()) is None:
            return nothing()
        trail, found = reports(lab)
        at = trail.rounds.index(steps.value)
        names, scores = names_of(found[-1]), [report.pillars for report in found]
        pictures["radar"] = figure = plot.pillar_trail(scores, trail.rounds, at, names, pictures.get("radar"))
        rows = [(names["trust"], *(amount(found[k].score, 3) for k in (0, at, -1)))]
        rows += [(names[pillar], *(amount(scores[k][pillar], 3) for k in (0, at, -1))) for pillar in scores[-1]]
        heads = [say("scores.after")]
        heads += [
            say(f"scores.{word}", number=trail.rounds[k]) for word, k in (("round", 0), ("shown", at), ("last", -1))
        ]
        moving = [names[line.metric] for line in found[-1].metrics if len({_raw(r, line.metric) for r in found}) > 1]
        followed, held = ", ".join(moving), tip(say("scores.held"), say("scores.about_followed"))
        followed = followed or say("scores.followed_none")
        text = say_html("scores.followed", round=trail.rounds[at], names=followed, held=held)
        said = ", ".join(f"{names[pillar]} {amount(score)}" for pillar, score in scores[at].items())
        label = say("scores.rounds_label", round=trail.rounds[at], last=trail.rounds[-1], said=said)
        return pair(text, to_svg(figure, label), table(heads, rows))

    return draw


def _raw(report: TrustReport, metric: str) -> str:
    return repr(report[metric].raw)
