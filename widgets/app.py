"""The app: header, sentence, sections, controls and views over one `Lab`."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

import ipywidgets as w
from trustkit.widgets.controls import Controls
from trustkit.widgets.header import Header
from trustkit.widgets.lab import Lab
from trustkit.widgets.lessons import arrival
from trustkit.widgets.links import landed
from trustkit.widgets.mending import Mending, failure
from trustkit.widgets.page import Page, enlarge, page
from trustkit.widgets.player import Outcome, measure
from trustkit.widgets.sections import Sections
from trustkit.widgets.setting import Setting
from trustkit.widgets.strings import say, speak
from trustkit.widgets.view import View
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
    if lab.error is None:
        return ""
    return failure(lab.error, say("view.setting") if lab.experiment is None else say("view.training"))


def app(lab: Lab | str | None = None, preset: str = "start", language: str | None = None, scale: float = 1.0) -> Page:
    """Return the whole app as one widget.

    Parameters
    ----------
    lab : Lab or str, optional
        The state to show, or the token of one as Link gives it; by default a new one. A token that cannot be read is
        said so on the page.
    preset : str
        What a new one opens on.
    language : str, optional
        "en" or "de", for this page and all that is made after it in this process; by default that of the token, else
        what was spoken last, at first what the environment variable ``TRUSTKIT_LANGUAGE`` says, else English.
    scale : float
        How large everything is, in [0.5, 3]: 1.4 reads well from the back of a room.

    Returns
    -------
    Page
        Display it in a cell; its ``lab`` attribute is the state.

    Raises
    ------
    KeyError
        If there is no such preset.
    ValueError
        If there is no such language, or the scale is out of range.
    """
    if not 0.5 <= scale <= 3:
        raise ValueError(f"scale must be from 0.5 to 3, got {scale:g}")
    if language is not None:
        speak(language)
    notes: tuple[str, ...] = ()
    problem = ""
    if isinstance(lab, str):
        lab, notes, problem = landed(lab, opening(preset), heeds=language is None)
    lab = lab or opening(preset)
    threading.Thread(target=_warm, name="trustkit-warm", daemon=True).start()
    sections = Sections(lab)
    said = View(lab, sentence, ("setting", "started", "outcome", "baseline", "weights"), "summary")
    failed = View(lab, _problem, ("setting", "outcome", "started", "progress"), "problem")
    header, mending = Header(lab), Mending(lab)
    controls = Controls(lab)  # listens last, so that its status says "idle" when everything is drawn
    body = w.Box([controls.box, sections.box])
    body.add_class("tk-body")
    whole = page(lab, header.box, arrival(lab, notes, problem), failed, mending, said, sections.tabs, body)
    if scale != 1:
        enlarge(whole, scale)
    return whole
