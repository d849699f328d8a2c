"""All that the page says, by id: one file a language, one section a panel, a sentence with named fields an id.

``say("status.stopped", done=3, total=20)`` is plain text, ``say_html`` the same with its fields escaped. A language is
a file beside ``strings/en.toml`` with the same ids and the same fields (``tests/widgets/test_strings.py`` compares
them). Numbers come written, see `trustkit.widgets.numbers`. One process speaks one language, as each visitor's kernel
is a process of its own.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from trustkit.texts import found, languages

__all__ = ["Html", "heed", "language", "languages", "say", "say_html", "speak", "speaking"]

_chosen: dict[str, str] = {}


class Html(str):
    """Text that is HTML already: `say_html` leaves it as it is."""


def language() -> str:
    """Return the language that is spoken.

    Returns
    -------
    str
        What `speak` was given last, else the environment's ``TRUSTKIT_LANGUAGE``, else "en".
    """
    if not _chosen:
        speak(os.environ.get("TRUSTKIT_LANGUAGE") or "en")
    return _chosen["code"]


def speak(code: str) -> None:
    """Say everything in a language from now on; what stands on a page already is not written anew.

    Parameters
    ----------
    code : str
        One of `languages`.

    Raises
    ------
    ValueError
        If there is no such language.
    """
    if code not in languages():
        raise ValueError(f"language must be one of {', '.join(languages())}, got {code!r}")
    _chosen["code"] = code


def heed(code: str) -> str:
    """Speak the language that an address or a link asks for, and English if there is no such language.

    Parameters
    ----------
    code : str
        From anywhere, as "de" or "de-AT"; empty if none is asked for, which changes nothing.

    Returns
    -------
    str
        One sentence if there is no such language, else nothing.
    """
    main = code.lower().partition("-")[0]
    if main in languages():
        speak(main)
        return ""
    if code:
        speak("en")
    return code and say("links.no_language", asked=code[:40], known=", ".join(languages()))


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak a language inside a block.

    Parameters
    ----------
    code : str
        One of `languages`.

    Yields
    ------
    None
        Inside, everything is said in it.

    Examples
    --------
    >>> with speaking("de"):
    ...     say("page.synthetic")
    'synthetische Daten'
    """
    before = language()
    speak(code)
    try:
        yield
    finally:
        speak(before)


def say(id: str, /, **fields: Any) -> str:
    """Return a text in the language of the page.

    Parameters
    ----------
    id : str
        Section and name, as ``"status.stopped"``.
    **fields
        What stands in its braces; ``count``, a number, chooses among plural forms.

    Returns
    -------
    str
        Plain text: for a widget's description, or to be escaped.

    Raises
    ------
    KeyError
        If there is no such text, or a field is missing.

    Examples
    --------
    >>> say("status.stopped", done=3, total=20)
    'stopped after 3 of 20 rounds; Run goes on from there'
    """
    return found(id, language(), fields).format_map(fields)


def say_html(id: str, /, **fields: Any) -> Html:
    """Return a text in the language of the page as HTML.

    Parameters
    ----------
    id : str
        Section and name; the text itself is HTML.
    **fields
        What stands in its braces, escaped unless it is an `Html` or no text at all.

    Returns
    -------
    Html
        To be put into a page, or into another text's field.

    Raises
    ------
    KeyError
        If there is no such text, or a field is missing.
    """
    safe = {name: _safe(value) for name, value in fields.items()}
    return Html(found(id, language(), fields).format_map(safe))


def _safe(value: Any) -> Any:
    return html.escape(value) if isinstance(value, str) and not isinstance(value, Html) else value
