"""The state in a link: read where Voilà was asked for one, written under the header, and as three lines of code."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from trustkit.widgets.lab import Lab
from trustkit.widgets.public import as_played, caps
from trustkit.widgets.setting import Setting
from trustkit.widgets.strings import heed, language, say, say_html

from trustkit import Experiment
from trustkit.capped import capped
from trustkit.lesson import Lesson
from trustkit.sharelink import Shared, decode, encode
from trustkit.sidebyside import MOST_PINS
from trustkit.threelines import three_lines

__all__ = ["PLACE", "address", "asked", "code_field", "landed", "link_field", "token_of", "waiting", "wished"]

PLACE = "TRUSTKIT_PAGE"
"""The environment variable of a kernel that says where its page lies, as the visitor's browser sees it."""


def asked() -> str:
    """Return the token that the page was asked for with, as ``?s=2.eNo…``.

    Returns
    -------
    str
        Empty outside Voilà, or without one. In a preheated kernel it waits for the visitor, so a notebook asks in its
        last cell.
    """
    return wished()[0]


def wished() -> tuple[str, str]:
    """Return what the page was asked for with: a token and a language, as ``?s=2.eNo…&language=de``.

    Returns
    -------
    token, language : str
        From anywhere; empty outside Voilà, or where they are not said. It waits as `asked` does.
    """
    if "VOILA_BASE_URL" not in os.environ:
        return "", ""
    query = os.environ.get("QUERY_STRING", "")
    if waiting():
        # it takes seconds to load, so nobody else does
        from voila.utils import get_query_string

        query = get_query_string() or ""
    try:
        found = parse_qs(query, max_num_fields=20)
    except ValueError:  # more fields than any link has
        return "", ""
    return found.get("s", [""])[0], found.get("language", [""])[0]


def waiting() -> bool:
    """Tell whether this is a preheated kernel, which draws a page before anybody has asked for one.

    Returns
    -------
    bool
        True until Voilà gives the kernel to a visitor, and after that.
    """
    ready = os.environ.get("VOILA_PREHEAT") == "True"
    if ready:
        # loaded before a visitor waits for it
        import voila.utils  # noqa: F401
    return ready


def address(environ: Mapping[str, str]) -> str:
    """Return where the page lies.

    Parameters
    ----------
    environ : mapping of str to str
        Of a kernel.

    Returns
    -------
    str
        Without a query; empty outside Voilà.
    """
    if "VOILA_BASE_URL" not in environ:
        return ""
    if PLACE in environ:
        return environ[PLACE]
    parts = urlsplit(environ.get("VOILA_REQUEST_URL", ""))
    if parts.scheme in ("http", "https") and parts.netloc:
        return f"{parts.scheme}://{parts.netloc}{parts.path}"
    name, port = environ.get("SERVER_NAME", ""), environ.get("SERVER_PORT", "")
    return f"http://{name}{':' if port else ''}{port}{environ.get('SCRIPT_NAME', '/')}" if name else ""


def token_of(lab: Lab, lesson: Lesson | None = None) -> str:
    """Return the token of a page's state.

    Parameters
    ----------
    lab : Lab
        The page's state.
    lesson : Lesson, optional
        By default the one that the page was opened with.

    Returns
    -------
    str
        For `trustkit.widgets.app`, or behind ``?s=``.

    Raises
    ------
    ValueError
        If the state cannot be carried: the controls describe nothing, the data are a file, or a text is too long.
    """
    if lab.experiment is None:
        raise ValueError(say("links.undescribed"))
    baseline = lab.awaited.baseline if lab.baseline is None else lab.baseline.record.experiment
    pins = (*(each.record.experiment for each in lab.pins.held), *lab.awaited.pins)[-MOST_PINS:]
    weights = tuple(sorted(lab.setting.weights))
    lesson = lab.lesson if lesson is None else lesson
    state = Shared(lab.experiment, lab.profile, weights, baseline, lesson, lab.section, pins, language())
    token = encode(replace(state, measures=lab.pins.measures, scaled=lab.pins.scaled))
    notes = decode(token).notes  # a link that does not lead back is none
    if notes:
        raise ValueError(say("links.uncarried", names=", ".join(note.partition(" → ")[0] for note in notes)))
    return token


def landed(token: str, start: Lab, heeds: bool = False) -> tuple[Lab, tuple[str, ...], str]:
    """Open the state of a token.

    Parameters
    ----------
    token : str
        From anywhere.
    start : Lab
        What is shown if it cannot be read; its result is used where it fits.
    heeds : bool
        Whether to speak the token's language from now on.

    Returns
    -------
    lab : Lab
        The state.
    notes : tuple of str
        What was brought into range.
    problem : str
        Why the token cannot be read; else empty.
    """
    try:
        opened = decode(token)
    except ValueError as error:
        return start, (), str(error)
    shared, notes = opened.shared, list(opened.notes)
    if heeds and heed(shared.language):
        notes.append(f"language {shared.language!r} → en")
    setting = Setting.of(shared.experiment).change(weights=shared.weights)
    known = {} if start.outcome is None else {start.outcome.record.experiment.key: start.outcome}
    lab = Lab(setting, known.get(shared.experiment.key), profile=shared.profile)
    lab.lesson, lab.section = shared.lesson, shared.section
    if lab.experiment is not None and not as_played(shared.experiment, lab.experiment):
        notes.append(say("links.defaults"))
    baseline = None if shared.baseline is None else _as_played(shared.baseline, notes)
    pins = [_as_played(each, notes) for each in shared.pins]
    for each in (*pins, *([] if baseline is None else [baseline])):
        if each.key in known:
            lab.results.keep(known[each.key])
    lab.awaited.name(baseline, pins)
    lab.pins.look(shared.measures, shared.scaled)
    return lab, tuple(notes), ""


def _as_played(experiment: Experiment, notes: list[str]) -> Experiment:
    """A run that a link compares with, as this page plays it: a public one cuts it, and notes so."""
    most = caps()
    if most is None:
        return experiment
    try:
        cut, told = capped(experiment, most)
    except (KeyError, TypeError, ValueError):  # said when it is to be played
        return experiment
    notes += told
    return cut


def link_field(lab: Lab, lesson: Lesson | None = None) -> str:
    """Return a field to copy the link from.

    Parameters
    ----------
    lab : Lab
        The page's state.
    lesson : Lesson, optional
        By default the one that the page was opened with.

    Returns
    -------
    str
        HTML; in a notebook, whose page has no address, the line to put into a cell.
    """
    try:
        token = token_of(lab, lesson)
    except (KeyError, TypeError, ValueError) as error:
        return f'<p class="tk-caveat" role="alert">{say_html("links.no_link", why=str(error.args[0]))}</p>'
    where = address(os.environ)
    if not where:
        line = f'from trustkit.widgets import app\napp("{token}")'
        return _field(say("links.cell"), line, say("links.link_field"))
    return _field(say_html("links.opens", token=token), f"{where}?s={token}", say("links.link_field"))


def code_field(lab: Lab) -> str:
    """Return three lines of Python that play what the controls ask for.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    str
        HTML.
    """
    if lab.experiment is None:
        return f'<p class="tk-caveat" role="alert">{say("links.no_code")}</p>'
    return _field(say("links.code"), three_lines(lab.experiment), say("links.code_field"))


def _field(words: str, text: str, name: str) -> str:
    rows = max(text.count("\n") + 1, 2)
    return (
        f'<div class="tk-copy"><p class="tk-sub">{words} {say("links.copy")}</p>'
        f'<textarea readonly rows="{rows}" spellcheck="false" aria-label="{name}" data-lm-suppress-shortcuts="true">'
        f"{html.escape(text)}</textarea></div>"
    )
