"""Worker processes of this machine that start from nothing, use one thread each, and may die without harm to others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from queue import SimpleQueue
from types import ModuleType
from typing import Any

from trustkit import memory

__all__ = ["Processes", "cores", "no_main", "processes"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_WORKER = 300_000_000
"""Bytes that a worker process takes before it has anything to do: Python, NumPy and what else it loads."""
_STARTING = threading.Lock()
_ENDED = "the worker process ended before the run did: it was killed, or ran out of memory"


def cores() -> int:
    """Count the cores that this process may use.

    Returns
    -------
    int
        At least 1.
    """
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def processes(workers: int | None = None) -> Processes:
    """Return worker processes, as an executor.

    Parameters
    ----------
    workers : int, optional
        How many, at least 1; by default one a core.

    Returns
    -------
    Processes
        To be left with ``with`` or `shutdown`; a process starts when it is first needed, in about two seconds.

    Raises
    ------
    TypeError, ValueError
        If workers is no whole number of at least 1.

    Examples
    --------
    >>> with processes(2) as pool:  # nothing starts before it has work
    ...     pool.workers
    2
    """
    wanted = cores() if workers is None else workers
    if isinstance(wanted, bool) or not hasattr(wanted, "__index__"):
        raise TypeError(f"workers must be a whole number, got {workers!r}")
    if wanted < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    return Processes(int(wanted))


class Processes(Executor):
    """A `concurrent.futures.Executor` of processes that do not share a fate.

    When a process of `concurrent.futures.ProcessPoolExecutor` is killed, all that it was given is lost. Here every
    worker is such a pool of one: only the call that its process was at fails, with `BrokenExecutor`, and the next call
    gets a new process.

    Parameters
    ----------
    workers : int
        How many processes, at least 1. Each may hold the same share of the memory that is free now.

    Raises
    ------
    ValueError
        If so many will not fit into memory.
    """

    def __init__(self, workers: int) -> None:
        there = memory.free()
        memory.fits(f"{workers:,} worker processes", workers * _WORKER)
        self.workers = workers
        self._places = [_Place(None if there is None else there // workers) for _ in range(workers)]
        self._free: SimpleQueue[_Place] = SimpleQueue()
        for place in self._places:
            self._free.put(place)
        self._front = ThreadPoolExecutor(workers, "trustkit-worker", _deafen)

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of the processes that have started and not ended."""
        return tuple(place.pid for place in self._places if place.pid)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Ask for a call in a process.

        Parameters
        ----------
        fn : callable
            A function of a module that can be imported; the main module's are not known to the processes.
        *args, **kwargs
            What it is called with.

        Returns
        -------
        concurrent.futures.Future
            Its result raises `BrokenExecutor` if the process ended while it was at the call.
        """
        return self._front.submit(self._call, fn, args, kwargs)

    def _call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        place = self._free.get()
        try:
            return place.call(fn, args, kwargs)
        finally:
            self._free.put(place)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """End the processes: after an error at once, else when what was asked for is done."""
        self.shutdown(cancel_futures=kind is not None)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes.

        Parameters
        ----------
        wait : bool
            Whether to return only when all have ended.
        cancel_futures : bool
            Whether to give up what is asked for: what waits is cancelled, what is being done is ended at once.
        """
        if cancel_futures:
            self._front.shutdown(wait=False, cancel_futures=True)
            for place in self._places:
                place.kill()
        self._front.shutdown(wait)
        for place in self._places:
            place.close(wait)


class _Place:
    """One worker: a pool of one process, which is replaced when it is broken."""

    def __init__(self, share: int | None) -> None:
        self._share = share
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False
        self.pid = 0

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            pool = self._alive()
            if self._closed:  # while its process started
                raise BrokenExecutor
            return pool.submit(fn, *args, **kwargs).result()
        except BrokenExecutor:
            self.close(wait=False)
            raise BrokenExecutor(_ENDED) from None

    def _alive(self) -> ProcessPoolExecutor:
        """Return a pool whose process answers: one that ended while it had nothing to do is replaced."""
        if self._pool is not None:
            with suppress(BrokenExecutor):
                self.pid = self._pool.submit(os.getpid).result()
                return self._pool
            self.close(wait=False)
        if self._closed:
            raise BrokenExecutor
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _prepare, (self._share,))
        with no_main():
            first = self._pool.submit(os.getpid)
        if self._ended():  # meanwhile
            self.kill()
        self.pid = first.result()
        return self._pool

    def _ended(self) -> bool:
        return self._closed

    def kill(self) -> None:
        """End the process at once, also one that is only starting."""
        self._closed, pool = True, self._pool
        for process in () if pool is None else tuple(pool._processes or ()):
            with suppress(OSError):
                os.kill(process, signal.SIGTERM)

    def close(self, wait: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait)
        self._pool, self.pid = None, 0


@contextmanager
def no_main() -> Iterator[None]:
    """Hide the main module from processes that start, which would run it anew: a script would begin once more.

    Yields
    ------
    None
        While it is hidden.
    """
    with _STARTING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _deafen() -> None:
    """Keep Ctrl-C from a thread, and so from processes that it starts, until these can say that they do not hear it."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # to start it would let signals through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _prepare(share: int | None) -> None:
    """Make a new process a worker: a share of the memory, one thread, deaf to Ctrl-C (its parent ends it), and gone
    when its parent is."""
    from threadpoolctl import threadpool_limits

    os.environ.update(dict.fromkeys(_THREADS, "1"))
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if share is not None:
        memory.limit(share)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
