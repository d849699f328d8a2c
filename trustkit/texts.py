"""What pages say, by language: texts by id, and the library's own words by their English.

A language is two files of the pages, ``strings/<code>.toml`` and ``strings/library.<code>.toml``. They are read as
files, so that nothing of the panels is loaded: panels need a kernel, a snapshot has none, and a server speaks before
there is one.
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

__all__ = ["Text", "found", "languages", "library_texts", "pattern", "texts", "translated"]

Text = str | Mapping[str, str]
"""A text with fields in braces, or one for each plural form, "one" and "other"."""

_PAGES = "trustkit.widgets"
"""Whose folder ``strings`` holds the files; it stands above and is looked for, not loaded."""

_FORMS = {"one", "other"}
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")


@cache
def _folder() -> Path:
    spec = importlib.util.find_spec(_PAGES)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("the texts of the pages must be installed beside trustkit, got no folder of theirs")
    return Path(spec.submodule_search_locations[0]) / "strings"


def languages() -> tuple[str, ...]:
    """Return the languages that there are.

    Returns
    -------
    tuple of str
        Codes, as ``lang`` attributes have them.

    Examples
    --------
    >>> languages()
    ('de', 'en')
    """
    return tuple(sorted(file.stem for file in _folder().glob("*.toml") if "." not in file.stem))


@cache
def texts(code: str) -> Mapping[str, Text]:
    """Return a language's texts.

    Parameters
    ----------
    code : str
        One of `languages`.

    Returns
    -------
    mapping of str to (str or mapping)
        By id, a section and a name.

    Raises
    ------
    ValueError
        If there is no such language.
    """
    if code not in languages():
        raise ValueError(f"language must be one of {', '.join(languages())}, got {code!r}")
    return dict(_flat(tomllib.loads((_folder() / f"{code}.toml").read_text(encoding="utf-8"))))


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict) and set(value) != _FORMS:
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def found(id: str, code: str, fields: Mapping[str, Any]) -> str:
    """Return the text of an id, its fields still in braces.

    Parameters
    ----------
    id : str
        Section and name, as ``"status.stopped"``.
    code : str
        One of `languages`.
    fields : mapping
        What will stand in the braces; ``count``, a number, chooses among plural forms.

    Returns
    -------
    str
        In that language.

    Raises
    ------
    KeyError
        If there is no such text, or it has plural forms and there is no count.

    Examples
    --------
    >>> found("room.again", "de", {})
    'Seite neu laden'
    """
    try:
        text = texts(code)[id]
    except KeyError:
        raise KeyError(f"there is no text {id!r} in {code}.toml") from None
    if isinstance(text, str):
        return text
    if "count" not in fields:
        raise KeyError(f"the text {id!r} has plural forms and needs a field count")
    return text["one" if fields["count"] == 1 else "other"]  # the rule of English and of German


@cache
def library_texts(code: str) -> Mapping[str, str]:
    """Return the words of the library in a language.

    Parameters
    ----------
    code : str
        One of `languages`.

    Returns
    -------
    mapping of str to str
        By the English text with ``#`` for each number and ``*`` for any rest; empty for English.
    """
    file = _folder() / f"library.{code}.toml"
    if not file.exists():
        return {}
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    same = sections.pop("same")["words"]
    return {
        **{text: text for text in same},
        **{text: said for section in sections.values() for text, said in section.items()},
    }


def pattern(text: str) -> str:
    """Return a text with ``#`` for each number.

    Parameters
    ----------
    text : str
        Any.

    Returns
    -------
    str
        What `library_texts` are found by.

    Examples
    --------
    >>> pattern("round 3 of 20, 0.25 lost; FedAvg2")
    'round # of #, # lost; FedAvg2'
    """
    return _NUMBER.sub("#", text)


@lru_cache(maxsize=4096)
def translated(text: str, code: str) -> str:
    """Return a text of the library in a language.

    Parameters
    ----------
    text : str
        In English.
    code : str
        One of `languages`.

    Returns
    -------
    str
        The text itself where the language has no other.

    Examples
    --------
    >>> translated("Privacy", "de"), translated("client 3", "de"), translated("my own split", "de")
    ('Privatsphäre', 'Client 3', 'my own split')
    """
    known = library_texts(code)
    if text in known:
        return known[text]
    said = _looked_up(pattern(text), code)
    numbers = iter(number.replace(",", "\u202f") for number in _NUMBER.findall(text))
    return text if said is None else re.sub("#", lambda _: next(numbers, "#"), said)


def _looked_up(text: str, code: str) -> str | None:
    """A pattern as it stands, or one with a rest, which is looked up too."""
    known = library_texts(code)
    if text in known:
        return known[text]
    for shape, said in _shapes(code):
        match = shape.fullmatch(text)
        if match is not None:
            return said.replace("*", _looked_up(match[1], code) or match[1])
    return None


@cache
def _shapes(code: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The texts with a rest, longest first."""
    known = library_texts(code)
    open_ = sorted((text for text in known if "*" in text), key=len, reverse=True)
    return tuple((re.compile(re.escape(text).replace(r"\*", "(.+)")), known[text]) for text in open_)
