"""What a served page says while there is no kernel to say it: sentences of the pages' own catalogue, by language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from trustkit.texts import languages, texts

__all__ = ["chosen", "default", "sentences", "told"]

_SECTION = "room."
_FALLBACK = "en"


@cache
def sentences() -> Mapping[str, Mapping[str, str]]:
    """Return what is said of the server, the connection and a lost kernel.

    Returns
    -------
    mapping of str to (mapping of str to str)
        By the language's code, then by id.

    Examples
    --------
    >>> sorted(sentences()), sentences()["de"]["again"]
    (['de', 'en'], 'Seite neu laden')
    """
    return {
        code: {id.removeprefix(_SECTION): str(text) for id, text in texts(code).items() if id.startswith(_SECTION)}
        for code in languages()
    }


def default() -> str:
    """Return the language of a page that nobody has asked for in another one.

    Returns
    -------
    str
        What ``TRUSTKIT_LANGUAGE`` says, if it is known; else "en".
    """
    code = os.environ.get("TRUSTKIT_LANGUAGE", "")
    return code if code in sentences() else _FALLBACK


def chosen(asked: str) -> str:
    """Return the language to answer in.

    Parameters
    ----------
    asked : str
        From an address, as "de" or "de-AT"; empty for none.

    Returns
    -------
    str
        A known one: for an unknown one "en", as the page does.

    Examples
    --------
    >>> chosen("de-AT"), chosen("tlh")
    ('de', 'en')
    """
    code = asked.lower().partition("-")[0]
    return default() if not asked else code if code in sentences() else _FALLBACK


def told(page_config: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give a page's script the sentences, as Voilà's ``page_config_hook``.

    Parameters
    ----------
    page_config : dict
        What the script is told anyway.
    **_
        What else Voilà says of the page.

    Returns
    -------
    dict
        With ``trustkit``: the default language, and the sentences by language.
    """
    return {**page_config, "trustkit": {"language": default(), "sentences": sentences()}}
