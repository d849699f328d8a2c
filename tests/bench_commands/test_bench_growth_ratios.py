"""The job on ratios sees an engine that became slower, and only that."""

from __future__ import annotations

from tests.bench.ratios import COMMITTED, MOST, Pair, pairs, ratio, slowed
from trustkit import jsonfile
from trustkit.bench.growth_work import ranked

OURS, REFERENCE = ranked(500, 64), ranked(500, 64)


def twice() -> None:
    """An engine that does its work twice."""
    OURS(), OURS()


def test_a_slowed_engine_fails() -> None:
    """Twice the work is more than 1.3 times; the same work is not."""
    before = ratio(Pair(OURS, REFERENCE), 3, 0.06)
    assert slowed({"sound": lambda: Pair(OURS, REFERENCE)}, {"sound": before}, 3, 0.06)[1] == []
    found, complaints = slowed({"slow": lambda: Pair(twice, REFERENCE)}, {"slow": before}, 3, 0.06)
    assert found["slow"] > MOST * before
    assert len(complaints) == 1
    assert complaints[0].startswith("slow: ")


def test_what_cannot_be_compared_is_said() -> None:
    """A pair without a committed ratio, and a ratio without its pair."""
    complaints = slowed({"new": lambda: Pair(OURS, REFERENCE)}, {"old": 1.0}, 1, 0.0)[1]
    assert complaints == ["old is committed and not measured", "new has no committed ratio: --renew writes it"]


def test_the_committed_ratios_are_of_these_pairs() -> None:
    """All of them, above 0."""
    committed = jsonfile.read(COMMITTED)
    assert set(committed) == set(pairs())
    assert all(value > 0 for value in committed.values())
