"""Before the workshop begins: the doctor's checks, a run held against a recorded one, and a code for the room."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trustkit import __version__, doctor
from trustkit.rounds import play
from trustkit.workshop.episodes import PLAIN
from trustkit.workshop.recording import FOLDER, recorded

__all__ = ["Preflight", "preflight", "room_code"]

_ROUNDS, _TOLERANCE = 3, 0.01


@dataclass(frozen=True)
class Preflight:
    """What was checked.

    Parameters
    ----------
    checks : tuple of (str, str, bool)
        What was checked, what was found, whether it is sound.
    """

    checks: tuple[tuple[str, str, bool], ...]

    @property
    def sound(self) -> bool:
        """Whether every check is."""
        return all(fine for _, _, fine in self.checks)

    @property
    def code(self) -> str:
        """The room's code; empty unless everything is sound."""
        return room_code() if self.sound else ""

    def __repr__(self) -> str:
        lines = [_told(f"{'ok  ' if fine else 'FAIL'}  {name:20} {verdict}") for name, verdict, fine in self.checks]
        if self.sound:
            return "\n".join([*lines, f"sound: your code is {self.code}"])
        bad = ", ".join(name for name, _, fine in self.checks if not fine)
        return "\n".join([*lines, f"not sound ({bad}), so there is no code: use the address that the room shares"])


def _told(line: str) -> str:
    """Break a long line; what goes on is indented below the verdict."""
    return textwrap.fill(line, 110, subsequent_indent=" " * 27, break_on_hyphens=False)


def room_code() -> str:
    """Return six characters that stand for this version, its data and its recorded runs.

    Returns
    -------
    str
        Capital letters and digits 2 to 7. Whoever has the same code has the same version, data and recorded runs, up to
        the chance that two codes meet, one in 1.07 billion. It is no secret.

    Examples
    --------
    >>> len(room_code())
    6
    """
    provenance = importlib.resources.files("trustkit.datasets").joinpath("PROVENANCE.md").read_text(encoding="utf-8")
    sums = sorted(re.findall(r"\b[0-9a-f]{64}\b", provenance))
    runs = [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(FOLDER.glob("*.npz"))]
    said = "\n".join([__version__, *sums, *runs])
    return base64.b32encode(hashlib.sha256(said.encode()).digest()).decode()[:6]


def preflight() -> Preflight:
    """Check whether this machine is ready for the workshop.

    Returns
    -------
    Preflight
        The checks of ``trustkit doctor``, and three rounds that are played here and held against recorded ones. What
        fails is a finding and raises nothing.
    """
    return Preflight(tuple(_checks()))


def _checks() -> Iterator[tuple[str, str, bool]]:
    yield from (check for check in doctor.examine() if check[0] != "browser")  # only the project's own tests need one
    try:
        far = _distance()
        said = f"accuracy of {_ROUNDS} rounds is {far:.4f} away from the recorded one, at most {_TOLERANCE} is allowed"
        yield "same numbers", said, far <= _TOLERANCE
    except Exception as error:  # a check that fails is the finding
        yield "same numbers", f"{type(error).__name__}: {error}", False


def _distance() -> float:
    """Return the largest difference of a client's accuracy between rounds that are played now and recorded ones."""
    kept = recorded("01")[PLAIN].accuracy[:_ROUNDS]
    fresh = np.array([played.accuracy for played, _ in zip(play(PLAIN), range(_ROUNDS), strict=False)])
    return float(np.nanmax(np.abs(kept - fresh)))
