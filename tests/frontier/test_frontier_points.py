"""Dominance against brute force, noise against SciPy, and what would raise a score by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.frontier import Front, Point, nondominated
from trustkit.frontier.points import measures_of, objectives_of
from trustkit.trust import FactSheet, assess
from trustkit.trust.profiles import PROFILES

START = Experiment("breast_cancer", use("iid", parties=4), "fedavg", "logistic", rounds=2)
PAPER = PROFILES["paper"]
REPORT = assess(FactSheet({"participants/client_num": 4}))
nan = float("nan")

tables = st.integers(1, 4).flatmap(
    lambda d: arrays(float, st.tuples(st.integers(1, 12), st.just(d)), elements=st.sampled_from([0, 1, 2, 3, nan]))
)


def brute(costs: np.ndarray) -> list[bool]:
    """Compare every two rows by the definition, in plain Python."""
    rows = costs.tolist()

    def beats(a: list[float], b: list[float]) -> bool:
        if any(map(math.isnan, a)):
            return False
        return all(x <= y for x, y in zip(a, b, strict=True)) and any(x < y for x, y in zip(a, b, strict=True))

    return [not any(map(math.isnan, row)) and not any(beats(other, row) for other in rows) for row in rows]


@given(tables)
def test_the_filter_is_the_definition(costs: np.ndarray) -> None:
    """Row by row, with ties, equal rows and rows that lack a value."""
    assert nondominated(costs).tolist() == brute(costs)


@given(tables)
def test_laws_of_the_filter(costs: np.ndarray) -> None:
    """Whatever is left out is beaten by something that is in; order and growing functions do not matter."""
    on = nondominated(costs)
    known = ~np.isnan(costs).any(axis=1)
    for row in costs[known & ~on]:
        assert any((best <= row).all() and (best < row).any() for best in costs[on])
    assert (nondominated(costs[::-1]) == on[::-1]).all()
    assert (nondominated(np.exp(costs)) == on).all()
    assert nondominated(costs[on]).all()


def point(*changes: str, **measures: float | Sequence[float | None] | None) -> Point:
    """Make a point; what is not said is 0.5, and costs are 100."""
    usual: dict[str, Any] = dict.fromkeys(measures_of(PAPER), 0.5) | {"bytes": 100.0, "trainings": 10}
    given = {**usual, **measures}
    seeds = max((len(value) for value in given.values() if isinstance(value, (list, tuple))), default=1)
    each = tuple({name: value[k] if isinstance(value, (list, tuple)) else value for name, value in given.items()}
                 for k in range(seeds))  # fmt: skip
    return Point(START, REPORT, each, changes, 1.0, 0.0)


def front(*points: Point, objectives: tuple[str, ...] = ("trust", "bytes")) -> Front:
    """Make a front of some points."""
    return Front(points, objectives, PAPER)


def test_more_trust_and_fewer_bytes_are_better() -> None:
    """By hand: the second beats the first, the third is cheaper, the fourth has no score."""
    found = front(point(), point("a", trust=0.6), point("b", trust=0.4, bytes=50), point("c", trust=None))
    assert found.mask.tolist() == [False, True, True, False]
    assert [each.changes for each in found.best] == [("a",), ("b",)]
    assert found.over("accuracy").mask.tolist() == [True, True, True, True]
    assert found.over("trust").mask.tolist() == [False, True, False, False]


def test_the_knee_is_nearest_to_the_best_of_all() -> None:
    """By hand, scaled to the front: (0, 1), (1, 0) are √1 away, (0.25, 0.25) less."""
    found = front(
        point(trust=0.8), point("a", trust=0.4, bytes=20), point("b", trust=0.7, bytes=40), point("c", bytes=900)
    )
    assert found.knee().changes == ("b",)
    with pytest.raises(ValueError, match="the front must have a point, but none has all objectives"):
        front(point(trust=None)).knee()


def test_noise_is_student_s_paired_test() -> None:
    """SciPy finds the same pairs apart at 5 %; of one seed any difference counts; NaN is never close to anything."""
    from scipy.stats import ttest_rel

    draw = np.random.Generator(np.random.Philox(key=3))
    verdicts = set()
    for _ in range(60):
        a = draw.normal(0.5, 0.1, 4)
        b = a + draw.normal(0.05, 0.05, 4)
        verdict = point(trust=a.tolist()).apart(point(trust=b.tolist()), "trust")
        assert verdict == (ttest_rel(a, b).pvalue < 0.05)
        verdicts.add(verdict)
    assert verdicts == {True, False}
    assert not point(trust=[0.5, 0.6]).apart(point(trust=[0.5, 0.6]), "trust")
    assert point(trust=[0.5, 0.6]).apart(point(trust=[0.5, None]), "trust")
    assert point(trust=0.5).apart(point(trust=0.51), "trust")


def test_ties_are_pairs_that_no_objective_tells_apart() -> None:
    """The second differs from the first by noise, the third by its bytes; of trust alone all are alike."""
    same = [0.5, 0.6, 0.55]
    found = front(point(trust=same), point(trust=[0.52, 0.59, 0.55]), point(trust=same, bytes=[90.0] * 3))
    assert found.mask.tolist() == [False, True, True]
    assert found.ties == ((0, 1),)
    found = found.over("trust")
    assert found.mask.tolist() == [False, True, False]
    assert found.ties == ((0, 1), (1, 2))  # the first and the third are both beaten


def test_what_would_raise_it_simplest_first() -> None:
    """One change before two; then who loses less; then less traffic; what raises too little is left out."""
    found = front(
        point(), point("x", "y", privacy=0.9), point("x", privacy=0.6, fairness=0.3),
        point("y", privacy=0.7, bytes=300), point("z", privacy=0.7, accuracy=0.4, bytes=50),
        point("w", privacy=0.505),
        point("v", privacy=None),
    )  # fmt: skip
    rows = found.raising("privacy")
    assert [each.point.changes for each in rows] == [("y",), ("z",), ("x",), ("x", "y")]
    assert [round(each.lost, 6) for each in rows] == [0, 0.1, 0.2, 0]
    assert str(rows[0]) == "privacy 0.500 → 0.700 by y; costs bytes ×3"
    assert str(rows[1]) == "privacy 0.500 → 0.700 by z; costs accuracy −0.100"
    assert str(rows[3]) == "privacy 0.500 → 0.900 by x; y; costs nothing that was measured"
    assert len(found.raising("privacy", least=0.001)) == 5
    assert found.raising("accuracy") == ()
    with pytest.raises(ValueError, match=r"name must be one of trust, .*accuracy, got 'bytes'"):
        found.raising("bytes")


def test_what_is_clear_comes_before_what_may_be_noise() -> None:
    """Of three seeds: a large mean with a large spread is second, and says so."""
    found = front(
        point(privacy=[0.5] * 3), point("a", privacy=[0.5, 0.9, 0.55]), point("b", "c", privacy=[0.6, 0.61, 0.6])
    )
    rows = found.raising("privacy")
    assert [(each.point.changes, each.clear) for each in rows] == [(("b", "c"), True), (("a",), False)]
    assert "(within noise)" in str(rows[1])
    assert rows[0].point.spread["privacy"] == pytest.approx(np.std([0.6, 0.61, 0.6], ddof=1))


def test_growth_by_hand() -> None:
    """Hypervolume of rectangles: trust from 0, bytes from the largest; it never falls, and NaN adds nothing."""
    found = front(
        point(trust=0.5, bytes=100), point("a", trust=None), point("b", trust=0.4, bytes=50), point("c", trust=0.8)
    )
    # reference (0, 100): 0.5 x 0; then 0.4 x 0.5; then the same, since the last has no width either
    assert found.growth().tolist() == pytest.approx([0, 0, 0.2, 0.2])
    assert found.over("trust").growth().tolist() == pytest.approx([0.5, 0.5, 0.5, 0.8])


def test_words_of_a_front() -> None:
    """Markdown, text, table and plain values agree on which point is on the front."""
    found = Front(
        (point(privacy=[0.5, 0.4]), point("alpha < 1", privacy=[0.8, 0.9])), ("privacy", "bytes"), PAPER,
        {"no such thing": 2}, False, 8,
    )  # fmt: skip
    text = found.to_markdown()
    assert "- privacy 0.450 → 0.850 (within noise) by alpha &lt; 1; costs nothing that was measured" in text
    assert "- fairness 0.500: nothing that was tried raises it" in text
    assert "0.850 ± 0.071" in text
    notes = "\n".join(found.notes)
    assert "Refused, 2 combinations: no such thing" in notes
    assert "mean of 2 runs" in notes
    assert "CLEVER looked at 8 held-out rows" in notes
    assert found.to_text().splitlines()[0] == "What would raise it"
    frame = found.frame()
    assert frame.front.tolist() == [False, True]
    assert frame.changes.tolist() == ["start", "alpha < 1"]
    assert frame.privacy_spread.tolist() == pytest.approx([np.std([0.5, 0.4], ddof=1), np.std([0.8, 0.9], ddof=1)])
    assert [each["front"] for each in found.to_dict()["points"]] == [False, True]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["speed"], "objectives must be pillars or of trust, .*; got 'speed'"),
        ([], "objectives must be at least one and differ, got none"),
        (["trust", "trust"], "objectives must be at least one and differ, got trust, trust"),
        (["pillars", "privacy"], "at least one and differ"),
    ],
)
def test_objectives_are_checked(names: list[str], words: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=words):
        objectives_of(names, PAPER)


def test_pillars_are_those_of_the_profile() -> None:
    """NEBULA has a seventh."""
    assert objectives_of(["pillars", "bytes"], PROFILES["nebula-1.0"])[-2:] == ("sustainability", "bytes")
    assert len(objectives_of(["pillars"], PAPER)) == 6
