"""The exercises, by number: what decides them, and hints in the order in which they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trustkit.workshop.answers import chosen, coded, handed_in, turned
from trustkit.workshop.episodes import EPISODES
from trustkit.workshop.judging import Judge, reached
from trustkit.workshop.preflight import room_code

__all__ = ["EXERCISES", "REASONS", "Exercise"]


@dataclass(frozen=True)
class Exercise:
    """Something to do, and what decides whether it is done.

    Parameters
    ----------
    title : str
        What it is called.
    judge : callable
        Takes what is handed in and returns the conditions.
    hints : tuple of str
        From the first nudge to the way.
    """

    title: str
    judge: Judge
    hints: tuple[str, ...]


REASONS: Mapping[str, str] = {
    "a": "the run clips and adds noise for its ε = 20, so the mechanism is on; look at what ε = 20 promises",
    "b": "e^-20 times 49 other clients is 1e-7, so the risk 1 / (1 + 49 e^-20) is 1 and the score 0",
    "c": "the formula has the number of clients and ε in it, and nothing about how many were selected",
    "d": "the formula gives 0 for any ε above about 10 here; it is a bound at work, not a slip",
}
"""What is said to whoever chooses a letter in exercise 03b."""


def _goals(number: str, **more: float) -> Judge:
    episode, free = EPISODES[number], {"01": ("participation",), "02": ("split", "seed"), "03": ("privacy",),
                                       "04": ("split",)}  # fmt: skip
    return reached(episode.lesson.goals, episode.start, free[number], more.get("held_above"))


def _hinted(number: str, title: str, judge: Judge) -> Exercise:
    return Exercise(title, judge, EPISODES[number].lesson.hints)


EXERCISES: Mapping[str, Exercise] = {
    "00": Exercise(
        "The code of the room", coded(room_code),
        ("tk.preflight() prints the code in its last line, if every check above it is ok.",
         "Where a line says FAIL there is no code: open the address that the room shares, and follow there."),
    ),
    "01": _hinted("01", "Half as many at a time", _goals("01")),
    "02": _hinted("02", "One party holds most, and correlation is low", _goals("02", held_above=0.6)),
    "03": _hinted("03", "The smallest ε that keeps accuracy", _goals("03")),
    "03b": Exercise(
        "Private, and yet its indistinguishability is 0", chosen(REASONS, "b"),
        ("Work out 1 / (1 + 49 e^-20) with tk.metrics.global_privacy_risk(20, clients=50).",
         "How large would ε have to be for the risk to fall to one half?"),
    ),
    "04": _hinted("04", "Make the average hide a client", _goals("04")),
    "05": _hinted("05", "The same runs, the other way round", turned),
    "06": Exercise(
        "Hand in a report", handed_in,
        ("tk.export.write(report, folder / 'report.html') writes one of the files; the suffix tells the format.",
         "ticket.txt is a text of your own: one thing that the score cannot tell."),
    ),
}  # fmt: skip
"""Exercises by number; a letter after the digits is a second one of the same episode."""
