"""Judges of what is no run: a code, a letter, weights that turn an order, and files that are handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trustkit import jsonfile
from trustkit.facts import facts_of
from trustkit.trust import FactSheet, assess
from trustkit.workshop.episodes import PLAIN, PRIVATE
from trustkit.workshop.judging import Found, Judge, Page, amount
from trustkit.workshop.recording import recorded

__all__ = ["chosen", "coded", "handed_in", "turned"]

_TICKET, _SHORTEST = "ticket.txt", 20
_FILES = ("report.html", "report.json", "factsheet.json", _TICKET)


def coded(expected: Callable[[], str]) -> Judge:
    """Return a judge of the room's code.

    Parameters
    ----------
    expected : callable
        Returns it.

    Returns
    -------
    callable
        Takes text; blanks and small letters do not matter.
    """

    def judge(tried: Any) -> tuple[Found, ...]:
        said = "the code of six characters is that of this trustkit"
        given = str(tried or "").strip().upper()
        if len(given) != 6 or not given.isalnum():
            return (Found(said, None, f"a code has six letters and digits, got {given or 'nothing'}"),)
        right = given == expected()
        why = "another version, other data or other recorded runs: compare the first lines of trustkit doctor"
        return (Found(said, right, f"got {given}{'' if right else f', which is {why}'}"),)

    return judge


def chosen(options: Mapping[str, str], right: str) -> Judge:
    """Return a judge of a letter.

    Parameters
    ----------
    options : mapping of str to str
        By letter, what is said to whoever chooses it.
    right : str
        The letter that is meant.

    Returns
    -------
    callable
        Takes a letter.
    """

    def judge(tried: Any) -> tuple[Found, ...]:
        given = str(tried or "").strip().lower()
        said = f"one of {', '.join(options)} is chosen, and it is the reason"
        if given not in options:
            return (Found(said, None, f"got {given or 'nothing'}"),)
        return (Found(said, given == right, f"{given}: {options[given]}"),)

    return judge


def turned(tried: Any) -> tuple[Found, ...]:
    """Judge whether weights alone turn the order of two runs.

    Parameters
    ----------
    tried : Page, mapping of str to float, or two such mappings
        A page with a baseline; or weights, held against equal ones, or against each other, on the episode's two runs.

    Returns
    -------
    tuple of Found
        One condition: the orders are opposite.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is neither, or nothing has a weight's name.
    """
    said = "two sets of weights put the two runs in opposite orders"
    if tried is None:
        return (Found(said, None, "nothing was handed in"),)
    if isinstance(tried, Page) and (tried.outcome is None or tried.baseline is None):
        return (Found(said, None, "two results are compared: run one, pin it, run the other"),)
    here, there, profile = _runs(tried)
    gaps, words = [], []
    for weights in _weights(tried):
        scores = [assess(facts, profile, dict(weights)).score for facts in (here, there)]
        if None in scores:
            return (Found(said, None, "these weights leave nothing that is measured"),)
        a, b = (float(score or 0.0) for score in scores)
        gaps.append(a - b)
        words.append(f"{_called(weights)} {a:.3f} against {b:.3f}")
    return (Found(said, gaps[0] * gaps[1] < 0, "; ".join(words)),)


def _runs(tried: Any) -> tuple[FactSheet, FactSheet, str]:
    if isinstance(tried, Page):
        return tried.outcome.facts, tried.baseline.facts, tried.profile
    runs = recorded("05")
    return facts_of(runs[PRIVATE]), facts_of(runs[PLAIN]), "paper"


def _weights(tried: Any) -> Sequence[Mapping[str, float]]:
    if isinstance(tried, Page):
        return {}, dict(tried.setting.weights)  # type: ignore[attr-defined]
    if isinstance(tried, Mapping):
        return {}, tried
    if isinstance(tried, (list, tuple)) and len(tried) == 2 and all(isinstance(each, Mapping) for each in tried):
        return tuple(tried)
    raise TypeError(f"weights must be a Lab, one mapping or two, got {type(tried).__name__}")


def _called(weights: Mapping[str, float]) -> str:
    given = ", ".join(f"{name} {amount(float(value))}" for name, value in weights.items() if value != 1)
    return f"with {given}:" if given else "with equal weights:"


def handed_in(tried: Any) -> tuple[Found, ...]:
    """Judge a folder with a report, its facts, and a sentence.

    Parameters
    ----------
    tried : str or path-like
        Holds report.html, report.json, factsheet.json and ticket.txt.

    Returns
    -------
    tuple of Found
        The files are there, the score follows from the facts, and something is written on the ticket. What it says is
        for people to judge.
    """
    folder = Path(tried or "")
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if tried is None or missing:
        return (Found(f"the folder holds {', '.join(_FILES)}", False, f"{', '.join(missing or _FILES)} is missing"),)
    return Found(f"the folder holds {', '.join(_FILES)}", True), _follows(folder), _written(folder)


def _follows(folder: Path) -> Found:
    said = "the report's score follows from its fact sheet"
    try:
        report = jsonfile.read(folder / "report.json")
        again = assess(FactSheet.load(folder / "factsheet.json"), report["profile"], report["weights"]).score
        stated = report["score"]
    except (KeyError, TypeError, ValueError, OSError) as error:
        return Found(said, None, str(error.args[0]) if error.args else type(error).__name__)
    if again is None or stated is None:
        return Found(said, None, "one of them has no score")
    return Found(said, abs(again - stated) < 5e-4, f"stated {stated:.3f}, computed again {again:.3f}")


def _written(folder: Path) -> Found:
    text = (folder / _TICKET).read_text(encoding="utf-8", errors="replace").strip()
    now = "people read it, nothing here does" if len(text) >= _SHORTEST else f"it has {len(text)} characters"
    return Found(f"{_TICKET} says one thing that the score cannot tell", len(text) >= _SHORTEST, now)
