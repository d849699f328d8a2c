"""Several visitors at once: everybody moves sliders and trains, nobody sees another's state."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.serving.visiting import Served, room, unshared, until, visitor


@dataclass
class Visit:
    """What one visitor saw."""

    clients: str = ""
    summary: str = ""
    first: float = np.nan
    ready: float = np.nan
    moved: float = np.nan
    ran: float = np.nan
    fault: str = ""


def visit(served: Served, number: int, seen: Visit, delay: float = 0.0, leave: threading.Event | None = None) -> None:
    """Come, move K, α and the selection rate, each to a place of one's own, run once, and look at what came of it."""
    from time import monotonic, sleep

    sleep(delay)
    try:
        began = monotonic()
        seen.first, page = served.picture()
        assert seen.first < 240
        with visitor(served, page=page) as somebody:
            somebody.open()
            seen.ready = monotonic() - began
            asked = monotonic()
            before = somebody.text("tk-v-split")
            somebody.move("tk-c-clients", number % 12)  # the stops begin at 2
            somebody.wait(lambda: somebody.text("tk-v-split") not in ("", before) or number % 12 == 8, 120)
            seen.moved = monotonic() - asked
            somebody.move("tk-c-alpha", 8 + number % 12)
            somebody.move("tk-c-selection", 19)
            asked = monotonic()
            somebody.press("tk-c-run")
            somebody.wait(lambda: somebody.text("tk-v-status").startswith("running"), 120)
            somebody.wait(lambda: somebody.text("tk-v-status").startswith("idle"), 240)
            seen.ran = monotonic() - asked
            seen.clients = somebody.text("tk-c-selection") or str(
                somebody.models[somebody.find("tk-c-selection")]["hint"]
            )
            seen.summary = " ".join(somebody.text("tk-v-summary").split())
            if leave is not None:
                leave.wait(300)
    except Exception as error:  # the thread's, told to the test
        seen.fault = f"{type(error).__name__}: {error}"


def crowd(served: Served, number: int, within: float, leave: threading.Event | None = None) -> list[Visit]:
    """Let visitors arrive within some seconds; with an event they stay until it is set, else return what they saw."""
    visits = [Visit() for _ in range(number)]
    come = [threading.Thread(target=visit, args=(served, k, visits[k], within * k / max(number, 1), leave), daemon=True)
            for k in range(number)]  # fmt: skip
    for each in come:
        each.start()
    if leave is None:
        for each in come:
            each.join(600)
    else:
        until(lambda: all(seen.summary or seen.fault for seen in visits), 600)
    return visits


def hold(visits: list[Visit]) -> None:
    """Everybody succeeded, with their own number of clients, and results of their own."""
    assert [seen.fault for seen in visits] == [""] * len(visits)
    for number, seen in enumerate(visits):
        clients = 2 + number % 12
        assert seen.clients == f"{clients} of {clients} clients", (number, seen)
        assert seen.summary.startswith("Trust 0.")
    assert len({seen.summary for seen in visits}) == len(visits)


def test_three_visitors_at_once(tmp_path: Path) -> None:
    """All succeed; their kernels are small, and end when they leave."""
    with room(tmp_path, "--idle", "20", "--sweep", "1", pool=3) as served:
        leave = threading.Event()
        visits = crowd(served, 3, 1.0, leave)
        sizes = [unshared(pid) for pid in served.kernels()]
        leave.set()
        hold(visits)
        assert max(sizes) < 160
        until(lambda: served.visitors() == 0, 240)
        until(lambda: len(served.kernels()) == 3, 240)  # those that wait for the next
        print(f"first {max(v.first for v in visits):.2f} s, moved {max(v.moved for v in visits):.2f} s, "
              f"ran {max(v.ran for v in visits):.2f} s, {max(sizes):.0f} MB unshared at most")  # fmt: skip
