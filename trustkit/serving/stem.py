"""The stem: one process that has everything loaded, from which each visitor's kernel branches off by ``fork``.

A branch shares the stem's memory until it writes to it, so a kernel costs what its page needs and not what libraries
need, and it starts in a fraction of a second. The stem runs one thread and no event loop; it reads orders from a Unix
socket in a folder that only this user may enter, and ends with the server.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trustkit.serving.confined import confine

__all__ = ["ORDER", "forks", "main", "order"]

ORDER = 1 << 20
"""Bytes that an order may have: a command, an environment and a folder."""

_WORDS = ("--IPKernelApp.extensions=ipywidgets", "--HistoryManager.enabled=False")
"""What a branch is told: ipywidgets, loaded before there was a kernel, is to announce itself; no history is kept."""

_PATIENCE = 240
"""Seconds that an order waits, as it must while the stem loads on a busy machine."""

_NICE = 2
"""How far a visitor's work stands back behind the server, which answers everybody."""


def forks() -> bool:
    """Tell whether kernels can branch off a stem on this system.

    Returns
    -------
    bool
        True on Linux, whose processes can be watched by file descriptors and whose libraries allow a fork.
    """
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


def order(path: Path, command: list[str], environment: Mapping[str, str], folder: str) -> tuple[int, int]:
    """Ask the stem for a kernel.

    Parameters
    ----------
    path : Path
        Of the stem's socket.
    command : list of str
        As for ``python -m ipykernel_launcher``; what stands before ``-f`` is left out.
    environment : mapping of str to str
        Of the kernel.
    folder : str
        It works in.

    Returns
    -------
    pid, watch : int
        Of the kernel, and a file descriptor that can be read once the kernel has ended.

    Raises
    ------
    OSError
        If the stem does not answer, or could not fork.
    """
    words = {"command": command[command.index("-f") :], "environment": dict(environment), "folder": folder}
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_PATIENCE)
        line.connect(str(path))
        line.sendall(json.dumps(words).encode() + b"\n")
        answer, watches, _, _ = socket.recv_fds(line, 64, 1)
    if not answer or not watches:
        raise OSError("the stem gave no kernel")
    return int(answer), watches[0]


def _read(line: socket.socket) -> dict[str, Any]:
    """Read one order, in bounds."""
    line.settimeout(10)
    text = b""
    while not text.endswith(b"\n"):
        piece = line.recv(65_536)
        text += piece
        if not piece or len(text) > ORDER:
            raise ValueError("an order must be one line of at most a mebibyte")
    return dict(json.loads(text))


def _become(words: dict[str, Any]) -> None:
    """Turn this process, which has just been forked, into the kernel that was ordered; does not come back."""
    status = 1
    try:
        os.setsid()  # a signal to the server's group, as Ctrl+C is, does not reach it
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # it ends when the stem ends
        os.environ.clear()
        os.environ.update(words["environment"])
        os.chdir(words["folder"])
        os.nice(_NICE)
        confine()
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance([*words["command"], parent, *_WORDS])
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _serve(listener: socket.socket) -> None:
    """Fork a kernel for each order until the server has closed our standard input."""
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        line, _ = listener.accept()
        with line:
            try:
                words = _read(line)
                pid = os.fork()
                if pid == 0:
                    listener.close()
                    line.close()
                    _become(words)
                watch = os.pidfd_open(pid)
                socket.send_fds(line, [str(pid).encode()], [watch])
                os.close(watch)
            except (OSError, ValueError) as error:
                print(f"the stem could not serve an order: {error}", file=sys.stderr, flush=True)


def _load(module: str) -> None:
    """Load what a kernel is, and what its pages are."""
    import ipykernel.ipkernel
    import ipykernel.kernelapp  # noqa: F401
    import voila.utils  # noqa: F401

    importlib.import_module(module).warm()


def main() -> None:
    """Listen at a path, load a module by its ``warm()``, and serve until standard input ends; both are arguments."""
    path, module = sys.argv[1:3]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        _load(module)
        threads = len(os.listdir("/proc/self/task"))
        if threads > 1 or threading.active_count() > 1:
            raise SystemExit(f"the stem must run one thread, got {threads}; set OMP_NUM_THREADS=1")
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server, which then closes our input
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a branch: it leaves no zombie
        gc.collect()
        gc.freeze()  # what is loaded is never collected, so its pages stay shared
        _serve(listener)


if __name__ == "__main__":
    main()
