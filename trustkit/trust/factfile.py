"""The file format of a fact sheet: strict JSON with a version; older versions are read, newer ones refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from trustkit import jsonfile
from trustkit.trust.claims import Claim

__all__ = ["VERSION", "document", "parse", "read"]

VERSION = 2
"""Of what is written: 1 held facts, 2 holds facts and claims."""

_NAME = "trustkit-factsheet"


def document(facts: Mapping[str, Any], claims: tuple[Claim, ...]) -> dict[str, Any]:
    """Return what a fact sheet's file holds.

    Parameters
    ----------
    facts : mapping
        Values by section and name.
    claims : tuple of Claim
        What the actors assert.

    Returns
    -------
    dict
        Ready for JSON.

    Examples
    --------
    >>> document({"data": {"rows": 100}}, ())
    {'format': 'trustkit-factsheet-2', 'facts': {'data': {'rows': 100}}, 'claims': []}
    """
    return {"format": f"{_NAME}-{VERSION}", "facts": dict(facts), "claims": [claim.to_dict() for claim in claims]}


def read(path: Path) -> tuple[dict[str, Any], tuple[Claim, ...]]:
    """Read a fact sheet's file, which must be strict JSON.

    Parameters
    ----------
    path : pathlib.Path
        The file, in UTF-8.

    Returns
    -------
    dict, tuple of Claim
        Values by ``section/name``, and claims.

    Raises
    ------
    ValueError
        If it is no fact sheet, or has a token that JSON does not know.
    KeyError, TypeError
        If a claim's fact is not in the template or does not fit.
    """

    def refuse(token: str) -> NoReturn:
        word = token.lower().replace("infinity", "inf")
        raise ValueError(f'{path} must be strict JSON, which writes {{"$float": "{word}"}}, got the token {token}')

    content = jsonfile.read(path)  # says what is wrong with a file that is no JSON at all
    json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    return parse(content, str(path))


def parse(content: Any, name: str) -> tuple[dict[str, Any], tuple[Claim, ...]]:
    """Read what `document` made, in any version up to this one.

    Parameters
    ----------
    content : object
        What the file holds.
    name : str
        Of the file, for messages.

    Returns
    -------
    dict, tuple of Claim
        Values by ``section/name``, and claims.

    Raises
    ------
    ValueError
        If it is no fact sheet, one of a newer version, or a damaged one.
    KeyError, TypeError
        If a claim's fact is not in the template or does not fit.

    Examples
    --------
    >>> parse({"format": "trustkit-factsheet-1", "facts": {"data": {"rows": 100}}}, "sheet.json")
    ({'data/rows': 100}, ())
    """
    version = _version(content)
    if not version:
        raise ValueError(f"{name} must be a trustkit fact sheet (format {_NAME}-{VERSION})")
    if version > VERSION:
        raise ValueError(f"{name} is a fact sheet of version {version}, but this trustkit reads up to {VERSION}")
    for step in range(version, VERSION):
        content = _MIGRATIONS[step](content)
    facts, claims = content.get("facts"), content.get("claims")
    if not isinstance(facts, dict) or not all(isinstance(section, dict) for section in facts.values()):
        raise ValueError(f"{name} must hold facts by section and name, got {facts!r:.60}")
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        raise ValueError(f"{name} must hold a list of claims, got {claims!r:.60}")
    return {f"{section}/{key}": v for section, named in facts.items() for key, v in named.items()}, tuple(
        _claim(claim, name) for claim in claims
    )


def _version(content: Any) -> int:
    """Return the version that a file says it has; 0 if it is no fact sheet."""
    text = content.get("format") if isinstance(content, dict) else None
    found = re.fullmatch(rf"{_NAME}-([1-9]\d{{0,8}})", text) if isinstance(text, str) else None
    return int(found[1]) if found else 0


def _claim(content: dict[str, Any], name: str) -> Claim:
    parts = ("role", "text", "who", "when", "facts")
    if set(content) != set(parts):
        raise ValueError(f"a claim in {name} must have {', '.join(parts)}, got {', '.join(content) or 'nothing'}")
    return Claim(**content)


def _with_claims(content: dict[str, Any]) -> dict[str, Any]:
    """From version 1, which knew no claims."""
    return {**content, "claims": []}


_MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _with_claims}
"""What turns a version's content into the next one's."""
