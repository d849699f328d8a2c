"""Where a column split stands is measured beside the page, in the order of what is quick; the newest wish wins."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from typing import Any

import numpy as np
import pytest
from trustkit.widgets import standing
from trustkit.widgets.standing import Standing, Standings

import trustkit as tk
from tests.widgets.labs import COLUMNS, PATIENCE
from trustkit.rounds import data_of, partition_of
from trustkit.split import column_importance

OTHER = COLUMNS.change(split__beta=1.0)
LANDSAT = tk.Experiment("landsat", "by_views", "splitnn", rounds=1)


def test_without_a_loop_everything_is_measured_at_once() -> None:
    """As in a script; the split was searched with the bounds that its β is judged by, so both are one number."""
    found = Standings(lambda: None).of(COLUMNS)
    assert found.whole
    assert np.array_equal(found.importance, column_importance(data_of(COLUMNS)))
    assert found.beta.beta == pytest.approx(partition_of(COLUMNS).achieved["beta"], abs=1e-9)
    assert {point.kind for point in found.points} == {"random"}
    assert all(point.alpha > 0 and 0 <= point.beta <= 1 for point in found.points)


def test_more_is_told_as_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """First nothing, then importance, then β, then the random splits; each time the page hears of it."""
    gate, real = threading.Semaphore(0), standing.estimate_beta

    def slow(*args: Any) -> Any:
        assert gate.acquire(timeout=PATIENCE)
        return real(*args)

    monkeypatch.setattr(standing, "estimate_beta", slow)
    seen: list[Standing] = []

    async def test() -> None:
        told = asyncio.Event()
        standings = Standings(told.set)
        assert standings.of(COLUMNS).importance is None
        await asyncio.wait_for(told.wait(), PATIENCE)
        seen.append(standings.of(COLUMNS))
        gate.release()
        while not standings.of(COLUMNS).whole:
            told.clear()
            await asyncio.wait_for(told.wait(), PATIENCE)
        seen.append(standings.of(COLUMNS))

    asyncio.run(test())
    assert seen[0].importance is not None
    assert (seen[0].beta, seen[0].points) == (None, None)
    assert seen[1].whole


def test_the_newest_wish_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the controls have left behind is given up, and measured anew if they come back to it."""
    gate, began, real = threading.Semaphore(0), threading.Semaphore(0), standing.estimate_beta

    def slow(*args: Any) -> Any:
        began.release()
        assert gate.acquire(timeout=PATIENCE)
        args[-1]("bounds", 0.5)  # the search tells how far it is, and may be ended there
        return real(*args)

    monkeypatch.setattr(standing, "estimate_beta", slow)

    async def test() -> None:
        told = asyncio.Event()
        standings = Standings(told.set)
        standings.of(COLUMNS)
        await asyncio.to_thread(began.acquire)
        standings.of(OTHER)
        gate.release(9)
        while not standings.of(OTHER).whole:
            told.clear()
            await asyncio.wait_for(told.wait(), PATIENCE)
        again = standings.of(COLUMNS)
        assert not again.whole
        while not standings.of(COLUMNS).whole:
            told.clear()
            await asyncio.wait_for(told.wait(), PATIENCE)

    asyncio.run(test())


def test_what_all_divisions_share_stays_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """While β moves, the importance of the columns and the random splits beside it are there at once."""
    made: list[int] = []
    real = standing.random_points

    def counted(*args: Any) -> Any:
        made.append(1)
        return real(*args)

    monkeypatch.setattr(standing, "random_points", counted)

    async def test() -> None:
        told = asyncio.Event()
        standings = Standings(told.set)
        while not standings.of(COLUMNS).whole:
            told.clear()
            await asyncio.wait_for(told.wait(), PATIENCE)
        moved = standings.of(OTHER)
        assert np.array_equal(moved.importance, column_importance(data_of(COLUMNS)))
        assert (moved.beta, moved.points) == (None, standings.of(COLUMNS).points)
        assert standings.of(COLUMNS.change(split__parties=4)).points is None
        while not standings.of(OTHER).whole:
            told.clear()
            await asyncio.wait_for(told.wait(), PATIENCE)
        assert standings.of(OTHER).beta.beta == pytest.approx(1.0)

    asyncio.run(test())
    assert len(made) == 1


def test_the_panel_waits_for_nothing_that_the_split_knows() -> None:
    """While β̂ is measured, the β that the search achieved stands there; a split without one has no point yet."""
    from trustkit.widgets import Lab, Setting, SplitPanel

    async def panel(experiment: Any) -> str:
        return str(SplitPanel(Lab(Setting.of(experiment))).value)

    searched = asyncio.run(panel(COLUMNS))
    assert f"β̂ {partition_of(COLUMNS).achieved['beta']:.2f}" in _text(searched)
    natural = asyncio.run(panel(LANDSAT))
    assert "β̂ …" in _text(natural)
    assert "n/a" not in natural
    assert "9 (green), 9 (red), 9 (infrared1), 9 (infrared2) columns" in natural


def _text(page: str) -> str:
    """A page without tags and without what only a screen reader reads."""
    return re.sub(r'<span class="tk-unseen">.*?</span>|<[^>]*>', "", page)


def test_what_cannot_be_measured_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and what was measured before is kept."""

    def fail(*args: Any) -> Any:
        raise ValueError("no bounds today")

    monkeypatch.setattr(standing, "estimate_beta", fail)
    standings = Standings(lambda: None)
    found = standings.of(COLUMNS)
    assert found.whole
    assert str(found.error) == "no bounds today"
    assert found.importance is not None
    assert standings.of(COLUMNS) is found


def test_a_failure_is_shown_in_the_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the pictures that can be drawn."""
    from trustkit.widgets import Lab, Setting, SplitPanel

    def fail(*args: Any) -> Any:
        raise ValueError("no <bounds> today")

    monkeypatch.setattr(standing, "estimate_beta", fail)
    panel = SplitPanel(Lab(Setting.of(COLUMNS)))
    assert "not measured: no &lt;bounds&gt; today" in panel.value
    assert panel.value.count("<svg") == 2


def test_a_split_that_is_left_and_come_back_to_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first measuring has been given up by then, and ends after the second one was asked for."""
    begun, left = threading.Event(), threading.Event()
    real = standing.estimate_beta

    def held(data: Any, partition: Any, definition: Any, seed: int, progress: Any) -> Any:
        begun.set()
        assert left.wait(PATIENCE)
        return real(data, partition, definition, seed, progress)

    monkeypatch.setattr(standing, "estimate_beta", held)

    async def test() -> None:
        told = asyncio.Event()
        standings = Standings(told.set)
        standings.of(OTHER)
        while not begun.is_set():
            await asyncio.sleep(0.01)
        standings.of(COLUMNS)
        left.set()
        while standings._known:  # given up in its thread, which the loop has not heard yet
            time.sleep(0.001)
        while not standings.of(OTHER).whole:
            told.clear()
            await asyncio.wait_for(told.wait(), PATIENCE)

    asyncio.run(test())
