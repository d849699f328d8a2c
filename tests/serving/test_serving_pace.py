"""Pages for later visitors are drawn when nobody needs the processor; who waits for a page is served at once."""

from __future__ import annotations

import asyncio

import pytest

from trustkit.serving.pace import CALM, Pace


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def pace_of(most: int, clock: Clock, ready: bool = True) -> Pace:
    """Return a pace with, or without, a page that is drawn for the next visitor."""
    return Pace(most, lambda: ready, clock)


def test_a_pool_is_filled_few_at_a_time() -> None:
    """Before anybody has come."""
    pace = Pace(2, lambda: True)

    async def fill() -> list[int]:
        counts = []

        async def one() -> None:
            await pace.turn()
            counts.append(pace.drawing)
            await asyncio.sleep(0.02)
            pace.drawing -= 1

        await asyncio.gather(*(one() for _ in range(5)))
        return counts

    counts = asyncio.run(fill())
    assert len(counts) == 5
    assert max(counts) == 2


def test_nothing_is_drawn_while_visitors_come() -> None:
    """For some seconds after the last one had a page."""
    clock = Clock()
    pace = pace_of(2, clock)
    assert pace.free()
    with pace.visit():
        assert not pace.free()
        clock.now += 20  # nor while it is sent
        assert not pace.free()
        clock.now += 20  # unless that never ends
        assert pace.free()
    assert not pace.free()
    clock.now += CALM - 0.1
    assert not pace.free()
    clock.now += 0.2
    assert pace.free()


def test_one_is_drawn_where_none_is_there_for_the_next() -> None:
    """Also while visitors come: whoever loads the page again need not wait."""
    ready = [True]
    pace = Pace(4, lambda: ready[0], Clock())
    with pace.visit():
        ready[0] = False
        assert pace.waiting == 0
        assert pace.free()
        pace.drawing = 1
        assert not pace.free()


def test_who_waits_is_served_at_once() -> None:
    """As many pages as visitors wait for, and no more."""
    pace = pace_of(1, Clock(), ready=False)
    with pace.visit(), pace.visit():
        assert pace.waiting == 2
        for drawing, free in ((0, True), (1, True), (2, False)):
            pace.drawing = drawing
            assert pace.free() is free
    assert pace.waiting == 0


def test_a_server_that_closes_starts_nothing() -> None:
    """Whoever waits for a turn is told."""
    pace = Pace(1, lambda: True)

    async def one() -> None:
        await pace.turn()
        turn = asyncio.create_task(pace.turn())
        await asyncio.sleep(0)
        pace.closed = True
        with pytest.raises(RuntimeError, match="no kernel is started while the server closes"):
            await turn

    asyncio.run(one())
