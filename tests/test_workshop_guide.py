"""The instructors' guide says what comes out: its numbers are computed again, its timetable is the workshop's."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import trustkit as tk
from tests.generate_notebooks import BOOK
from trustkit import use
from trustkit.findings import Fairness, Headline
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.rounds import partition_of
from trustkit.workshop import EPISODES, episode_of, room_code
from trustkit.workshop.episodes import COLUMNS, PLAIN, PRIVATE
from trustkit.workshop.judging import held_share

GUIDE = (BOOK / "instructor.md").read_text(encoding="utf-8")


@cache
def record(experiment: tk.Experiment) -> tk.RunRecord:
    """Play an experiment; none of the numbers below is taken from a recorded run."""
    return tk.run(experiment)


def head(experiment: tk.Experiment) -> Headline:
    """Return its headline."""
    return tk.headline_of(record(experiment))


def fair(alpha: float) -> Fairness:
    """Return fairness of the run with a label skew."""
    found = tk.fairness_of(record(PLAIN.change(split__alpha=alpha)), "sex")
    assert found is not None
    return found


def noisy(epsilon: float) -> float:
    """Return mean accuracy with an ε."""
    return head(PLAIN.change(privacy=use("gaussian", epsilon=epsilon))).accuracy


def held(alpha: float, beta: float) -> float:
    """Return the largest party's importance."""
    return held_share(COLUMNS.change(split__alpha=alpha, split__beta=beta)) or 0.0


def scored(experiment: tk.Experiment) -> tk.TrustReport:
    """Return the report of a run."""
    return tk.assess(tk.facts_of(record(experiment)))


def _traffic() -> float:
    some, half = head(PLAIN.change(participation=0.25)), head(PLAIN)
    return (some.bytes_up + some.bytes_down) / (half.bytes_up + half.bytes_down)


def _spread() -> float:
    return float(np.ptp([head(PLAIN.change(seed=seed)).accuracy for seed in (42, 43, 44)]))


def _line() -> float:
    goal = next(goal for goal in episode_of("03").lesson.goals if goal.metric == "accuracy")
    line = goal.at_least or 0.0
    assert line == pytest.approx(head(PLAIN).accuracy - 0.03, abs=0.001)
    return line


def _beta() -> float:
    return float(partition_of(COLUMNS.change(split__alpha=0.5, split__beta=0.3)).achieved["beta"])


NUMBERS: dict[str, Callable[[], float | None]] = {
    "1: mean accuracy, half of the clients": lambda: head(PLAIN).accuracy,
    "1: mean accuracy, a quarter": lambda: head(PLAIN.change(participation=0.25)).accuracy,
    "1: traffic of a quarter against half": _traffic,
    "2: largest importance, α = 1 and β = 0.6": lambda: held(1.0, 0.6),
    "2: largest importance, α = 0.5 and β = 0.3": lambda: held(0.5, 0.3),
    "2: β achieved at α = 0.5 and β = 0.3": _beta,
    "3: mean accuracy at ε = 0.5, seed 42": lambda: noisy(0.5),
    "3: mean accuracy at ε = 1, seed 42": lambda: noisy(1.0),
    "3: mean accuracy at ε = 8, seed 42": lambda: noisy(8.0),
    "3: line of the exercise, 3 points below no noise": _line,
    "3: spread over three seeds without noise": _spread,
    "3b: indistinguishability at ε = 20 with 50 clients": lambda: 1 - global_privacy_risk(20.0, 50),
    "4: disparity of all rows, α = 1": lambda: fair(1.0).pooled,
    "4: worst client, α = 1": lambda: fair(1.0).worst,
    "4: clients above the line, α = 1": lambda: float(fair(1.0).over),
    "4: worst client where the exercise begins, α = 10": lambda: fair(10.0).worst,
    "4: worst client, α = 2": lambda: fair(2.0).worst,
    "5: trust without noise": lambda: scored(PLAIN).score,
    "5: trust with ε = 2": lambda: scored(PRIVATE).score,
    "5: privacy pillar without noise": lambda: scored(PLAIN).pillars["privacy"],
    "5: privacy pillar with ε = 2": lambda: scored(PRIVATE).pillars["privacy"],
}


def rows(heading: str) -> dict[str, list[str]]:
    """Return the table below a heading, by its first column."""
    section = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")][2:]
    return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_every_number_is_computed_here() -> None:
    """None stands in the guide that nobody checks, and none is checked that does not stand there."""
    assert set(rows("Expected numbers")) == {"code of the room", *NUMBERS}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_comes_out(name: str) -> None:
    """Within its tolerance, which is wider than rounding and narrower than what people would notice."""
    expected, tolerance = map(float, rows("Expected numbers")[name])
    value = NUMBERS[name]()
    assert value is not None
    assert abs(value - expected) <= tolerance, value
    assert 0 < tolerance <= max(0.02, 0.2 * abs(expected))


def test_the_code_of_the_room_is_that_of_this_version() -> None:
    """If this fails, a data set, a recorded run or the version has changed: write the new one into the guide."""
    assert rows("Expected numbers")["code of the room"] == [room_code(), "exact"]


def test_the_timetable_is_the_workshops() -> None:
    """Minutes and notebooks, with a way out of each, and a break."""
    table = rows("Timetable")
    for episode in EPISODES.values():
        cells = table[f"{episode.begins} to {episode.ends}"]
        assert f"({episode.notebook}.ipynb)" in cells[0]
        assert all(cells)
    assert table["50 to 55"][0] == "break"
    assert len(table) == len(EPISODES) + 1


def test_the_guide_has_every_part() -> None:
    """Seats and memory, projector, numbers, wrong answers of every episode, what to skip, homework that exists."""
    for heading in ("Before the room fills", "Timetable", "Expected numbers", "Common wrong answers", "Homework"):
        assert f"\n## {heading}\n" in GUIDE
    assert {f"**Episode {n}.**" for n in range(1, 7)} <= set(re.findall(r"\*\*Episode \d\.\*\*", GUIDE))
    for word in ("**Seats.**", "**Projector.**", "**Fallback.**", "if behind", "GB"):
        assert word in GUIDE
    for link in re.findall(r"\]\(([^)\s]+)\)", GUIDE):
        assert Path(BOOK / link).is_file(), link


def test_a_band_of_skews_solves_episode_4() -> None:
    """As the guide says: from about 1 to 2, and neither 0.5 nor 10."""
    solved = {alpha: fair(alpha).pooled < 0.09 and fair(alpha).worst > 0.15 for alpha in (0.5, 1.0, 1.5, 2.0, 10.0)}
    assert solved == {0.5: False, 1.0: True, 1.5: True, 2.0: True, 10.0: False}
