"""The whole state as a token for a link: versioned, compressed, checked on the way back.

A token is ``3.`` and the URL-safe Base64 text of compressed canonical JSON, or ``2.`` where it says nothing of what is
compared and how, which version 2 did not know; one of version 1, which knew no pins and no language, is read too.
Reading one evaluates nothing: names are looked up in catalogues, numbers are brought into the range of their controls,
and sizes are limited before and after inflation. Runs that are compared are carried as experiments, to be played again
from their seeds: a link holds no result.
"""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass, field
from typing import Any

from trustkit import jsonfile
from trustkit.clamped import clamped
from trustkit.experiment import Experiment
from trustkit.lesson import SECTIONS, Lesson
from trustkit.sidebyside import MEASURES, MOST_PINS
from trustkit.trust import PROFILES
from trustkit.trust.tree import check_weights

__all__ = ["LONGEST", "VERSION", "Opened", "Shared", "decode", "encode"]

VERSION = 3
LONGEST = 6000
"""Characters of a token: what browsers, servers and chats pass on."""

_INFLATED = 32_768
_FORM = re.compile(r"([0-9]{1,4})\.([A-Za-z0-9_-]+)", re.ASCII)
_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8}){0,2}", re.ASCII)
_FIRST = ("experiment", "profile", "weights", "baseline", "lesson", "section")
_SECOND = (*_FIRST, "pins", "language")
_KEYS = {1: _FIRST, 2: _SECOND, 3: (*_SECOND, "measures", "scaled")}
"""What a token may hold, by version."""

_FAULTS = (ValueError, KeyError, TypeError, OverflowError, RecursionError, zlib.error)


@dataclass(frozen=True)
class Shared:
    """What a link carries.

    Parameters
    ----------
    experiment : Experiment
        What the controls ask for.
    profile : str
        A name of `trustkit.trust.PROFILES`.
    weights : tuple of (str, float)
        By pillar, notion or metric of the profile.
    baseline : Experiment, optional
        What is compared with.
    lesson : Lesson
        Empty if there is none.
    section : str
        Of `trustkit.lesson.SECTIONS`: what is shown first.
    pins : tuple of Experiment
        At most 4, all different: what is compared beside the baseline.
    language : str
        Code of the page's language, as "en"; empty if it is left to whoever opens the link.
    measures : tuple of str, optional
        Of `trustkit.sidebyside.MEASURES`, in that order: what is compared; by default the usual ones.
    scaled : bool
        Whether all of them are brought to one scale from 0 to 1.
    """

    experiment: Experiment
    profile: str = "paper"
    weights: tuple[tuple[str, float], ...] = ()
    baseline: Experiment | None = None
    lesson: Lesson = field(default_factory=Lesson)
    section: str = "overview"
    pins: tuple[Experiment, ...] = ()
    language: str = ""
    measures: tuple[str, ...] | None = None
    scaled: bool = False

    def __post_init__(self) -> None:
        if len(self.pins) > MOST_PINS:
            raise ValueError(f"pins must be at most {MOST_PINS}, got {len(self.pins)}")
        if self.language and not _CODE.fullmatch(self.language):
            raise ValueError(f"language must be a code as en, got {self.language[:40]!r}")
        if self.measures is not None and self.measures != tuple(each for each in MEASURES if each in self.measures):
            raise ValueError(f"measures must be some of {', '.join(MEASURES)}, in that order, got {self.measures!r}")


@dataclass(frozen=True)
class Opened:
    """What came out of a token: the state, and in words what was brought into range."""

    shared: Shared
    notes: tuple[str, ...] = ()


def encode(shared: Shared) -> str:
    """Write a state as a token.

    Parameters
    ----------
    shared : Shared
        The state.

    Returns
    -------
    str
        Letters, digits, ``-``, ``_`` and one full stop; the same for equal states.

    Raises
    ------
    ValueError
        If it is longer than 6,000 characters.

    Examples
    --------
    >>> start = Shared(Experiment("wine", "iid", model="logistic"))
    >>> decode(encode(start)).shared == start
    True
    """
    content: dict[str, Any] = {
        "experiment": shared.experiment.to_dict(),
        "profile": shared.profile if shared.profile != "paper" else None,
        "weights": dict(shared.weights),
        "baseline": None if shared.baseline is None else shared.baseline.to_dict(),
        "lesson": shared.lesson.to_dict(),
        "section": shared.section if shared.section != "overview" else None,
        "pins": [each.to_dict() for each in shared.pins],
        "language": shared.language,
    }
    content = {name: value for name, value in content.items() if value}
    content |= {} if shared.measures is None else {"measures": list(shared.measures)}
    content |= {"scaled": True} if shared.scaled else {}
    version = min(number for number, keys in _KEYS.items() if number > 1 and content.keys() <= set(keys))
    text = jsonfile.canonical(content)
    token = f"{version}.{base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip('=')}"
    if len(token) > LONGEST or len(text.encode()) > _INFLATED:
        raise ValueError(f"a link must have at most {LONGEST} characters, got {len(token)}")
    return token


def decode(token: str) -> Opened:
    """Read a token.

    Parameters
    ----------
    token : str
        From anywhere.

    Returns
    -------
    Opened
        The state, every number in the range of its control, and notes on what was not.

    Raises
    ------
    ValueError
        If it is none: one sentence says why.
    """
    try:
        return _read(*_inflated(token))
    except _FAULTS as error:
        why = str(error.args[0]) if error.args else type(error).__name__
        why = "it is nested too deeply" if isinstance(error, RecursionError) else why
        raise ValueError(f"this link cannot be read: {why[:300]}") from None


def _inflated(token: str) -> tuple[int, str]:
    """Return the version, and the text with compression undone, in bounds."""
    if not isinstance(token, str) or not token:
        raise ValueError("it is empty")
    if len(token) > LONGEST:
        raise ValueError(f"it must have at most {LONGEST} characters, got {len(token)}")
    found = _FORM.fullmatch(token)
    if found is None:
        raise ValueError("it must be a version, a full stop, and letters, digits, - and _")
    version = int(found[1])
    if version not in _KEYS:
        raise ValueError(f"it is of version {version}, and this trustkit reads versions 1 to {VERSION}")
    try:
        squeezed = base64.urlsafe_b64decode(found[2] + "=" * (-len(found[2]) % 4))
        engine = zlib.decompressobj()
        raw = engine.decompress(squeezed, _INFLATED + 1)
        if len(raw) > _INFLATED or engine.unconsumed_tail:
            raise ValueError(f"it must hold at most {_INFLATED} bytes")
        if not engine.eof or engine.unused_data:
            raise ValueError("it is cut off or damaged")
        return version, raw.decode()
    except (zlib.error, UnicodeDecodeError, base64.binascii.Error):  # type: ignore[attr-defined]
        raise ValueError("it is cut off or damaged") from None


def _read(version: int, text: str) -> Opened:
    content = jsonfile.loads(text)
    if not isinstance(content, dict) or not isinstance(content.get("experiment"), dict):
        raise ValueError("it holds no experiment")
    for name in content:
        if name not in _KEYS[version]:
            raise ValueError(f"it holds {name[:40]!r}, and version {version} knows {', '.join(_KEYS[version])}")
    experiment, notes = clamped(content["experiment"])
    told = list(notes)
    baseline = None if content.get("baseline") is None else _compared("baseline", content["baseline"], told)
    pins = _pins(content.get("pins", []), told)
    profile = content.get("profile", "paper")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise ValueError(f"there is no profile {str(profile)[:40]!r}; known are {', '.join(PROFILES)}")
    weights = _weights(profile, content.get("weights", {}))
    lesson = Lesson.from_dict(content.get("lesson", {}))
    section = content.get("section", "overview")
    if not isinstance(section, str):
        raise TypeError(f"section must be text, got {type(section).__name__}")
    if section not in SECTIONS:  # of another version of the page: all else still holds
        told.append(f"section {section[:40]!r} → overview")
        section = "overview"
    language = content.get("language", "")
    if not isinstance(language, str):
        raise TypeError(f"language must be text, got {type(language).__name__}")
    measures, scaled = _measures(content.get("measures"), told), content.get("scaled", False)
    if not isinstance(scaled, bool):
        raise TypeError(f"scaled must be true or false, got {type(scaled).__name__}")
    shared = Shared(experiment, profile, weights, baseline, lesson, section, pins, language, measures, scaled)
    return Opened(shared, tuple(told))


def _compared(called: str, content: Any, told: list[str]) -> Experiment:
    """Return a run that is compared with, every number in range; what was changed is told under its name."""
    if not isinstance(content, dict):
        raise TypeError(f"{called} must be an experiment, got {type(content).__name__}")
    experiment, notes = clamped(content)
    told += [f"{called}: {note}" for note in notes]
    return experiment


def _pins(content: Any, told: list[str]) -> tuple[Experiment, ...]:
    if not isinstance(content, list):
        raise TypeError(f"pins must be a list, got {type(content).__name__}")
    if len(content) > MOST_PINS:  # before any of them is looked at
        raise ValueError(f"pins must be at most {MOST_PINS}, got {len(content)}")
    found = [_compared(f"pin {number}", each, told) for number, each in enumerate(content, 1)]
    return tuple({each.key: each for each in found}.values())


def _measures(content: Any, told: list[str]) -> tuple[str, ...] | None:
    """Return what is compared; a measure that is not known, as one of another version, is left out and told."""
    if content is None:
        return None
    if not isinstance(content, list) or not all(isinstance(each, str) for each in content):
        raise TypeError(f"measures must be a list of names, got {str(content)[:40]!r}")
    if len(content) > 2 * len(MEASURES):  # before any of them is looked at
        raise ValueError(f"measures must be at most {2 * len(MEASURES)}, got {len(content)}")
    told += [f"measure {each[:40]!r} → none" for each in dict.fromkeys(content) if each not in MEASURES]
    return tuple(each for each in MEASURES if each in content)


def _weights(profile: str, weights: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(weights, dict):
        raise TypeError(f"weights must be a mapping, got {type(weights).__name__}")
    if weights:
        check_weights(PROFILES[profile].taxonomy, weights)
    return tuple(sorted(weights.items()))
