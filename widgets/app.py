"""The app: header, sentence, tiles, controls and views over one `Lab`."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

import ipywidgets as w
from trustkit.widgets.attack import AttackPanel
from trustkit.widgets.controls import Controls
from trustkit.widgets.correlation import CorrelationPanel
from trustkit.widgets.fairness import FairnessPanel
from trustkit.widgets.groups import GroupPanel
from trustkit.widgets.header import Header
from trustkit.widgets.lab import Lab
from trustkit.widgets.lessons import arrival
from trustkit.widgets.links import landed
from trustkit.widgets.page import page
from trustkit.widgets.pillars import TrustPanel
from trustkit.widgets.player import Outcome, measure
from trustkit.widgets.replicas import ReplicaPanel
from trustkit.widgets.scores import ScorePanel
from trustkit.widgets.setting import Setting
from trustkit.widgets.split import SplitPanel
from trustkit.widgets.tiles import tiles
from trustkit.widgets.training import TrainPanel
from trustkit.widgets.vertical import VerticalPanel
from trustkit.widgets.view import View, failure
from trustkit.widgets.words import sentence

from trustkit import store
from trustkit.preset import PRESETS
from trustkit.rounds import build

__all__ = ["RECORDED", "app", "opening"]

RECORDED = Path(__file__).with_name("recorded") / "start.npz"
"""The run that the app opens on; ``tests/test_recorded.py`` plays it anew and compares."""


def opening(preset: str = "start") -> Lab:
    """Return a lab that opens on a recorded run, or on a preset that is still to be trained.

    Parameters
    ----------
    preset : str
        A name among the presets.

    Returns
    -------
    Lab
        Never empty for the preset "start".

    Raises
    ------
    KeyError
        If there is no such preset.
    """
    if preset not in PRESETS:
        raise KeyError(f"there is no preset {preset!r}; known are {', '.join(PRESETS)}")
    if preset == "start" and RECORDED.exists():
        outcome = _recorded()
        return Lab(Setting.of(outcome.record.experiment), outcome)
    return Lab(Setting.of(PRESETS[preset].make()))


@cache
def _recorded() -> Outcome:
    """The recorded run, measured once in a process."""
    return measure(store.load(RECORDED))


def _warm() -> None:
    """Load the privacy accountant before ε is moved for the first time: it takes a second, and no slider may."""
    build(PRESETS["start/private"].make())


def _problem(lab: Lab) -> str:
    return "" if lab.error is None else failure(lab.error, "this setting" if lab.experiment is None else "training")


def app(lab: Lab | str | None = None, preset: str = "start") -> w.VBox:
    """Return the whole app as one widget.

    Parameters
    ----------
    lab : Lab or str, optional
        The state to show, or the token of one as Link gives it; by default a new one. A token that cannot be read is
        said so on the page.
    preset : str
        What a new one opens on.

    Returns
    -------
    ipywidgets.VBox
        Display it in a cell; its ``lab`` attribute is the state.
    """
    notes: tuple[str, ...] = ()
    problem = ""
    if isinstance(lab, str):
        lab, notes, problem = landed(lab, opening(preset))
    lab = lab or opening(preset)
    threading.Thread(target=_warm, name="trustkit-warm", daemon=True).start()
    topics = ("setting", "outcome", "baseline", "weights")
    pictures = [TrustPanel(lab), CorrelationPanel(lab), SplitPanel(lab), FairnessPanel(lab)]
    below = [TrainPanel(lab), VerticalPanel(lab), GroupPanel(lab), AttackPanel(lab), ScorePanel(lab), ReplicaPanel(lab)]
    for widget in below:
        widget.add_class("tk-wide")
    views = w.Box([*pictures, *below])
    views.add_class("tk-views")
    said, numbers = View(lab, sentence, topics, "summary"), View(lab, tiles, topics[1:], "tiles")
    failed = View(lab, _problem, ("setting", "outcome", "progress"), "problem")
    header = Header(lab)
    controls = Controls(lab)  # listens last, so that its status says "idle" when everything is drawn
    body = w.Box([controls.box, views])
    body.add_class("tk-body")
    return page(lab, header.box, arrival(lab, notes, problem), failed, said, numbers, body)
