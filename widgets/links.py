"""The state in a link: read where Voilà was asked for one, written under the header, and as three lines of code."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from trustkit.widgets.lab import Lab
from trustkit.widgets.player import Outcome
from trustkit.widgets.setting import Setting

from trustkit.lesson import Lesson
from trustkit.sharelink import Shared, decode, encode, three_lines

__all__ = ["address", "asked", "code_field", "landed", "link_field", "token_of", "waiting"]


def asked() -> str:
    """Return the token that the page was asked for with, as ``?s=1.eNo…``.

    Returns
    -------
    str
        Empty outside Voilà, or without one. In a preheated kernel it waits for the visitor, so a notebook asks in its
        last cell.
    """
    if "VOILA_BASE_URL" not in os.environ:
        return ""
    query = os.environ.get("QUERY_STRING", "")
    if waiting():
        # it takes seconds to load, so nobody else does
        from voila.utils import get_query_string

        query = get_query_string() or ""
    try:
        return parse_qs(query, max_num_fields=20).get("s", [""])[0]
    except ValueError:  # more fields than any link has
        return ""


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
        raise ValueError("the controls describe no experiment: the red card says why")
    baseline = None if lab.baseline is None else lab.baseline.record.experiment
    weights = tuple(sorted(lab.setting.weights))
    token = encode(Shared(lab.experiment, lab.profile, weights, baseline, lab.lesson if lesson is None else lesson))
    notes = decode(token).notes  # a link that does not lead back is none
    if notes:
        raise ValueError(f"a link cannot carry {', '.join(note.partition(' → ')[0] for note in notes)}; use Code")
    return token


def landed(token: str, start: Lab) -> tuple[Lab, tuple[str, ...], str]:
    """Open the state of a token.

    Parameters
    ----------
    token : str
        From anywhere.
    start : Lab
        What is shown if it cannot be read; its result is used where it fits.

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
    setting = Setting.of(shared.experiment).change(weights=shared.weights)
    known = {} if start.outcome is None else {start.outcome.record.experiment.key: start.outcome}
    lab = Lab(setting, known.get(shared.experiment.key), profile=shared.profile)
    lab.lesson = shared.lesson
    if lab.experiment is not None and lab.experiment.key != shared.experiment.key:
        notes.append("some arguments, which no control moves, stand on their defaults")
    if shared.baseline is not None:
        _await(lab, shared, known)
    return lab, tuple(notes), ""


def _await(lab: Lab, shared: Shared, known: Mapping[str, Outcome]) -> None:
    """Pin the baseline of a link: now if it is there, else once it has been trained."""
    baseline = shared.baseline
    if baseline is None:
        return
    if baseline.key in known:
        lab.results.keep(known[baseline.key])
        lab.baseline = known[baseline.key]
        return
    lab.awaited = baseline

    def hear(what: str) -> None:
        found = None if what != "outcome" or lab.awaited is None else lab.results.of(baseline)
        if found is not None and found.record.complete:
            lab.awaited = None
            lab.pin(found)

    lab.watch(hear)


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
        return f'<p class="tk-caveat" role="alert">No link: {html.escape(str(error.args[0]))}.</p>'
    where = address(os.environ)
    if not where:
        line = f'from trustkit.widgets import app\napp("{token}")'
        return _field("Put these lines into a cell to open this state again; results are trained anew.", line, "link")
    words = (
        f'Whoever opens this link finds these controls, weights and baseline: <a href="?s={token}" target="_blank" '
        'rel="noopener">open it in a new tab</a>. Results are trained anew.'
    )
    return _field(words, f"{where}?s={token}", "link")


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
        return '<p class="tk-caveat" role="alert">No code: the controls describe no experiment.</p>'
    return _field("Three lines that play this experiment, bit for bit.", three_lines(lab.experiment), "code")


def _field(words: str, text: str, name: str) -> str:
    rows = max(text.count("\n") + 1, 2)
    return (
        f'<div class="tk-copy"><p class="tk-sub">{words} Click into the field, then Ctrl+A and Ctrl+C.</p>'
        f'<textarea readonly rows="{rows}" spellcheck="false" aria-label="{name}" data-lm-suppress-shortcuts="true">'
        f"{html.escape(text)}</textarea></div>"
    )
