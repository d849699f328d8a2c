"""The whole state as a token for a link: versioned, compressed, checked on the way back; and as three lines of code.

A token is ``1.`` and the URL-safe Base64 text of compressed canonical JSON. Reading one evaluates nothing: names are
looked up in catalogues, numbers are brought into the range of their controls, and sizes are limited before and after
inflation.
"""

from __future__ import annotations

import base64
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trustkit import jsonfile
from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PRIVACY, SPLITS, Catalogue
from trustkit.clamped import clamped
from trustkit.experiment import Experiment
from trustkit.lesson import Lesson
from trustkit.trust import PROFILES
from trustkit.trust.tree import check_weights
from trustkit.uses import Use

__all__ = ["LONGEST", "VERSION", "Opened", "Shared", "decode", "encode", "three_lines"]

VERSION = 1
LONGEST = 6000
"""Characters of a token: what browsers, servers and chats pass on."""

_INFLATED = 32_768
_FORM = re.compile(r"([0-9]{1,4})\.([A-Za-z0-9_-]+)", re.ASCII)
_KEYS = ("experiment", "profile", "weights", "baseline", "lesson")
_FAULTS = (ValueError, KeyError, TypeError, OverflowError, RecursionError, zlib.error)
_CATALOGUES: Mapping[str, Catalogue] = {
    "data": DATASETS, "split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY,
    "attack": ATTACKS, "faults": FAULTS,
}  # fmt: skip


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
    """

    experiment: Experiment
    profile: str = "paper"
    weights: tuple[tuple[str, float], ...] = ()
    baseline: Experiment | None = None
    lesson: Lesson = field(default_factory=Lesson)


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
    content = {
        "experiment": shared.experiment.to_dict(),
        "profile": shared.profile if shared.profile != "paper" else None,
        "weights": dict(shared.weights),
        "baseline": None if shared.baseline is None else shared.baseline.to_dict(),
        "lesson": shared.lesson.to_dict(),
    }
    text = jsonfile.canonical({name: value for name, value in content.items() if value})
    token = f"{VERSION}.{base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip('=')}"
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
        return _read(_inflated(token))
    except _FAULTS as error:
        why = str(error.args[0]) if error.args else type(error).__name__
        why = "it is nested too deeply" if isinstance(error, RecursionError) else why
        raise ValueError(f"this link cannot be read: {why[:300]}") from None


def _inflated(token: str) -> str:
    """Undo compression, in bounds."""
    if not isinstance(token, str) or not token:
        raise ValueError("it is empty")
    if len(token) > LONGEST:
        raise ValueError(f"it must have at most {LONGEST} characters, got {len(token)}")
    found = _FORM.fullmatch(token)
    if found is None:
        raise ValueError("it must be a version, a full stop, and letters, digits, - and _")
    if int(found[1]) != VERSION:
        raise ValueError(f"it is of version {int(found[1])}, and this trustkit reads version {VERSION}")
    try:
        squeezed = base64.urlsafe_b64decode(found[2] + "=" * (-len(found[2]) % 4))
        engine = zlib.decompressobj()
        raw = engine.decompress(squeezed, _INFLATED + 1)
        if len(raw) > _INFLATED or engine.unconsumed_tail:
            raise ValueError(f"it must hold at most {_INFLATED} bytes")
        if not engine.eof or engine.unused_data:
            raise ValueError("it is cut off or damaged")
        return raw.decode()
    except (zlib.error, UnicodeDecodeError, base64.binascii.Error):  # type: ignore[attr-defined]
        raise ValueError("it is cut off or damaged") from None


def _read(text: str) -> Opened:
    content = jsonfile.loads(text)
    if not isinstance(content, dict) or not isinstance(content.get("experiment"), dict):
        raise ValueError("it holds no experiment")
    for name in content:
        if name not in _KEYS:
            raise ValueError(f"it holds {name[:40]!r}, and this trustkit knows {', '.join(_KEYS)}")
    experiment, notes = clamped(content["experiment"])
    baseline, other = (None, ()) if content.get("baseline") is None else _baseline(content["baseline"])
    profile = content.get("profile", "paper")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise ValueError(f"there is no profile {str(profile)[:40]!r}; known are {', '.join(PROFILES)}")
    weights = _weights(profile, content.get("weights", {}))
    lesson = Lesson.from_dict(content.get("lesson", {}))
    return Opened(Shared(experiment, profile, weights, baseline, lesson), (*notes, *other))


def _baseline(content: Any) -> tuple[Experiment, tuple[str, ...]]:
    if not isinstance(content, dict):
        raise TypeError(f"baseline must be an experiment, got {type(content).__name__}")
    experiment, notes = clamped(content)
    return experiment, tuple(f"baseline: {note}" for note in notes)


def _weights(profile: str, weights: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(weights, dict):
        raise TypeError(f"weights must be a mapping, got {type(weights).__name__}")
    if weights:
        check_weights(PROFILES[profile].taxonomy, weights)
    return tuple(sorted(weights.items()))


def three_lines(experiment: Experiment) -> str:
    """Write an experiment as three lines of Python: import, experiment, run.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    str
        Executed, they play the same experiment.

    Examples
    --------
    >>> print(three_lines(Experiment("wine", "iid", model="logistic", rounds=3)))
    import trustkit as tk
    experiment = tk.Experiment('wine', 'iid', 'fedavg', model='logistic', rounds=3)
    record = tk.run(experiment)
    """
    inside = [_spelt(part, getattr(experiment, part)) for part in ("data", "split", "algorithm")]
    for part in ("model", "privacy", "attack", "faults"):
        used = getattr(experiment, part)
        inside += [] if used is None else [f"{part}={_spelt(part, used)}"]
    usual = {"rounds": 20, "participation": 1.0, "seed": 0, "secure": False}
    numbers = {name: getattr(experiment, name) for name in usual}
    inside += [f"{name}={value!r}" for name, value in numbers.items() if value != usual[name]]
    return (f"import trustkit as tk\nexperiment = tk.Experiment({', '.join(inside)})\n"
            "record = tk.run(experiment)")  # fmt: skip


def _spelt(part: str, used: Use) -> str:
    """Write a part: its name, or a use with the arguments that are not the defaults."""
    usual = _CATALOGUES[part][used.name].arguments({})
    same = Use("", usual).args
    args = {name: value for name, value in used.args.items() if name not in same or value != same[name]}
    if not args:
        return repr(used.name)
    return f"tk.use({', '.join([repr(used.name), *(f'{name}={_value(value)}' for name, value in args.items())])})"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)
