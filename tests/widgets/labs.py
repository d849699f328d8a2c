"""Small labs, a gate that holds training between two rounds, and a way to wait for what a lab tells."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from ipywidgets import Widget
from trustkit.widgets import Lab, Setting
from trustkit.widgets.player import Player
from trustkit.widgets.tabs import Tabs

import trustkit as tk
from trustkit import use
from trustkit.records import Round, RunRecord, Tick

__all__ = ["COLUMNS", "PLAIN", "SMALL", "Gate", "hear", "heard", "same", "setting_of", "tabs_of", "tree"]

PATIENCE = 60
"""Seconds after which a test that waits for something that never comes fails."""

SMALL = tk.Experiment("breast_cancer", use("iid", parties=4), use("fedavg", batch=64), "logistic", rounds=4, seed=1)
PLAIN = SMALL.change(split=use("iid", parties=3), rounds=2)
COLUMNS = tk.Experiment("wine", use("correlation", parties=3), use("splitnn", local=[4], top=[4]), rounds=2)


def setting_of(experiment: tk.Experiment, **changes: Any) -> Any:
    """Return the setting of an experiment, with some controls moved."""
    return Setting.of(experiment).change(**changes)


def same(a: RunRecord, b: RunRecord) -> bool:
    """Say whether two runs are the same, bit for bit, model and all."""
    tables = ("index", "selected", "accuracy", "loss", "bytes_up", "bytes_down", "epsilon")
    return (
        len(a) == len(b)
        and all(np.array_equal(a.stack(name), b.stack(name), equal_nan=True) for name in tables)
        and a.last.state.keys() == b.last.state.keys()
        and all(np.asarray(a.last.state[k]).tobytes() == np.asarray(b.last.state[k]).tobytes() for k in a.last.state)
    )


class Gate:
    """Plays real rounds, one for each time it is opened; ``arrivals`` counts how often the worker stood before it."""

    def __init__(self, error_at: int = 0) -> None:
        self.error_at = error_at
        self.threads: set[str] = set()
        self._opened, self._arrived = threading.Semaphore(0), threading.Semaphore(0)

    def work(self, experiment: tk.Experiment, after: Round | None, tick: Tick) -> Iterator[Round]:
        """Play as `trustkit.play` does."""
        rounds = tk.play(experiment, after, tick)
        for index in range(1 if after is None else after.index + 1, experiment.rounds + 1):
            self.threads.add(threading.current_thread().name)
            self._arrived.release()
            if not self._opened.acquire(timeout=PATIENCE):
                raise TimeoutError("nobody opened the gate")
            tick()
            if index == self.error_at:
                raise ValueError(f"round {index} <cannot> be played")
            yield next(rounds)

    def open(self, times: int = 1) -> None:
        """Let so many rounds through."""
        self._opened.release(times)

    def arrive(self) -> None:
        """Wait until the worker stands before a round; the rounds before that one are over."""
        if not self._arrived.acquire(timeout=PATIENCE):
            raise TimeoutError("nobody came to the gate")

    def lab(self, experiment: tk.Experiment = SMALL) -> Any:
        """Return a lab that trains through this gate."""
        return Lab(setting_of(experiment), player=Player(self.work))


@contextmanager
def heard(lab: Any) -> Iterator[list[str]]:
    """Note what a lab tells."""
    topics: list[str] = []
    lab.watch(topics.append)
    yield topics


async def hear(lab: Any, topic: str, act: Callable[[], Any]) -> None:
    """Do something, then give the loop time until the lab tells of a topic."""
    told = asyncio.Event()
    lab.watch(lambda what: told.set() if what == topic else None)
    act()
    await asyncio.wait_for(told.wait(), PATIENCE)


def tree(widget: Widget) -> list[Widget]:
    """List a widget and everything in it."""
    return [widget, *(inner for child in getattr(widget, "children", ()) for inner in tree(child))]


def tabs_of(page: Widget) -> Any:
    """Return the tabs of a page; ``current`` opens a section."""
    return next(each for each in tree(page) if isinstance(each, Tabs))
