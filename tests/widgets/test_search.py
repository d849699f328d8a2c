"""Wide tables are searched beside the page; the newest wish wins, and nothing on the page waits."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from trustkit.widgets import Lab, search
from trustkit.widgets.app import _problem
from trustkit.widgets.player import measure
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, PATIENCE, PLAIN, hear, heard, setting_of
from trustkit import use
from trustkit.records import Progress

WIDE = tk.Experiment("digits", use("correlation", parties=4, beta=0.3), "splitnn", rounds=2)


class Slow:
    """A search that waits to be let go; ``asked`` lists what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.asked: list[float] = []
        self.began, self.go = threading.Semaphore(0), threading.Semaphore(0)
        self.error, self.real = error, search.partition_of
        monkeypatch.setattr(search, "partition_of", self.find)

    def find(self, experiment: tk.Experiment, progress: Progress | None = None) -> Any:
        """Stand in for `partition_of`."""
        if threading.current_thread() is threading.main_thread():
            return self.real(experiment)
        self.asked.append(experiment.split.args.get("beta", -1))
        self.began.release()
        if not self.go.acquire(timeout=PATIENCE):
            raise TimeoutError("nobody let the search go")
        if self.error is not None:
            raise self.error
        return None


def test_a_wide_table_is_searched_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """The controls can be moved meanwhile; what they have left behind is not looked for, or not told."""

    async def test() -> None:
        slow, lab = Slow(monkeypatch), Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
        lab.go(setting_of(WIDE))
        assert lab.searching
        assert lab.experiment == WIDE
        await asyncio.to_thread(slow.began.acquire)
        for beta in (0.4, 0.5, 0.6):
            lab.change(beta=beta)
        with heard(lab) as topics:
            slow.go.release()
            await asyncio.to_thread(slow.began.acquire)
            for _ in range(5):
                await asyncio.sleep(0)  # the loop hears of the first search
            assert (lab.searching, topics) == (True, [])
            await hear(lab, "setting", slow.go.release)
        assert topics == ["setting"]
        assert slow.asked == [0.3, 0.6]
        assert not lab.searching
        assert lab.error is None

    asyncio.run(test())


def test_back_to_a_quick_split_does_not_wait_for_a_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It queues behind the search instead of holding up the page."""

    async def test() -> None:
        slow, lab = Slow(monkeypatch), Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
        lab.go(setting_of(WIDE))
        await asyncio.to_thread(slow.began.acquire)
        lab.undo()
        assert (lab.experiment, lab.searching) == (PLAIN, True)
        await hear(lab, "setting", lambda: slow.go.release(9))
        assert (lab.state, lab.searching) == ("idle", False)
        lab.change(seed=4)
        assert not lab.searching  # nothing in the way any more

    asyncio.run(test())


def test_a_search_that_fails_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like a setting that cannot be, and it is not tried again by whoever draws."""

    async def test() -> None:
        slow, lab = Slow(monkeypatch, ValueError("no such split")), Lab(setting_of(COLUMNS))
        view = View(lab, _problem, ("setting",), "problem")
        lab.go(setting_of(WIDE))
        await asyncio.to_thread(slow.began.acquire)
        await hear(lab, "setting", slow.go.release)
        assert (lab.state, lab.experiment, lab.searching) == ("failed", None, False)
        assert "This setting failed" in view.value
        assert "no such split" in view.value
        with pytest.raises(ValueError, match="no such split"):
            lab.federated()
        lab.undo()
        assert lab.state == "stale"

    asyncio.run(test())


def test_without_a_loop_a_wide_table_is_searched_at_once() -> None:
    """As in a script."""
    lab = Lab(setting_of(WIDE))
    assert not lab.searching
    assert lab.federated().partition.achieved["asked_beta"] == 0.3


def test_a_search_says_how_far_it_is_and_ends_when_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker leaves it at the next word, and the page hears of the newest only."""
    stages: list[str] = []
    began, go = threading.Semaphore(0), threading.Semaphore(0)
    real = search.partition_of

    def find(experiment: tk.Experiment, progress: Any = None) -> Any:
        if threading.current_thread() is threading.main_thread():
            return real(experiment)
        stages.append(f"begins {experiment.split.args['beta']}")
        began.release()
        assert go.acquire(timeout=PATIENCE)
        progress("least and greatest", 0.25)
        stages.append(f"ends {experiment.split.args['beta']}")
        return None

    monkeypatch.setattr(search, "partition_of", find)
    monkeypatch.setattr(search, "_BEAT", 0.0)

    async def test() -> None:
        lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
        lab.go(setting_of(WIDE))
        await asyncio.to_thread(began.acquire)
        lab.change(beta=0.6)
        go.release()
        await asyncio.to_thread(began.acquire)
        with heard(lab) as topics:
            await hear(lab, "setting", go.release)
        assert topics == ["search", "setting"]
        assert lab.search.words == "least and greatest, 25%"

    asyncio.run(test())
    assert stages == ["begins 0.3", "begins 0.6", "ends 0.6"]
