"""A side of a comparison as its asker sees it: a process that is given arrays and answers with seconds and a result."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile
from trustkit.bench.peers_worker import Arrays

__all__ = ["Asked", "Side", "opened", "spread"]

_PATIENCE = 1200.0
"""Seconds for one answer; a first one may compile, or start a cluster of processes."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS")
_QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    "MPLBACKEND": "agg",
    "PYTHONWARNINGS": "ignore",
}


@dataclass(frozen=True)
class Asked:
    """What an answer says: ``wall`` and ``processor`` seconds."""

    wall: float
    processor: float


@dataclass(frozen=True, eq=False)
class Side:
    """A process that works when it is asked.

    Parameters
    ----------
    process : subprocess.Popen
        It reads questions and writes answers, see `trustkit.bench.peers_worker.serve`.
    folder : pathlib.Path
        Where its results go.
    log : pathlib.Path
        Everything else that it prints.
    """

    process: subprocess.Popen[str]
    folder: Path
    log: Path

    def ask(self, work: str, arrays: Path) -> tuple[Asked, np.ndarray]:
        """Let it do a work.

        Parameters
        ----------
        work : str
            Its name; the first time it is made ready, outside of the seconds.
        arrays : pathlib.Path
            What `spread` wrote.

        Returns
        -------
        Asked, array
            How long it took, and what came out.

        Raises
        ------
        RuntimeError
            If it ends or does not answer: the message is the last line that it printed.
        """
        save = self.folder / f"{work.replace('/', '-')}.npy"
        question = {"work": work, "arrays": str(arrays), "save": str(save)}
        watch = threading.Timer(_PATIENCE, self.process.kill)
        watch.start()
        try:
            if self.process.stdin is None or self.process.stdout is None:
                raise RuntimeError("it has no pipes")
            self.process.stdin.write(jsonfile.dumps(question, indent=None) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            watch.cancel()
        if not answer:
            raise RuntimeError(self._why())
        told: dict[str, Any] = jsonfile.loads(answer)
        return Asked(told["wall"], told["processor"]), np.load(save, allow_pickle=False)

    def _why(self) -> str:
        """Wait until it has ended, and return the last line that it printed."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(60)
        if self.process.returncode == -9:
            return f"killed: no answer within {_PATIENCE:.0f} s, or no memory left"
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else f"it ended with status {self.process.poll()}"


def spread(variants: dict[str, Arrays], folder: Path) -> dict[str, Path]:
    """Write arrays for both sides.

    Parameters
    ----------
    variants : dict of str to mapping
        Arrays by variant.
    folder : pathlib.Path
        Where to.

    Returns
    -------
    dict of str to pathlib.Path
        An .npz file each.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, arrays in variants.items():
        np.savez(folder / f"{name}.npz", **arrays)  # type: ignore[arg-type]
    return {name: folder / f"{name}.npz" for name in variants}


@contextmanager
def opened(python: str, name: str, folder: Path) -> Iterator[Side]:
    """Start a side, with one thread, and end it and all that it started.

    Parameters
    ----------
    python : str
        The interpreter that has what the side needs.
    name : str
        The side: "ours", or a name of `trustkit.bench.peers_environments.PEERS`, which gets a copy of the modules
        ``peers_*`` and nothing else of trustkit.
    folder : pathlib.Path
        A scratch folder.

    Yields
    ------
    Side
        Ready to be asked.
    """
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    surroundings = {**os.environ, **dict.fromkeys(_THREADS, "1"), **_QUIET, "FLWR_HOME": str(place)}
    if name != "ours":
        surroundings["PYTHONPATH"] = str(_copied(place))
    command = [python, "-m", "trustkit.bench.peers_worker", f"trustkit.bench.peers_{name}"]
    with (place / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=place, env=surroundings
        )
        try:
            yield Side(process, place, place / "log")
        finally:
            _end(process)


def _copied(place: Path) -> Path:
    """Copy what a foreign environment needs, as a package of the same name, and return the folder to import it from."""
    package = place / "copy" / "trustkit" / "bench"
    package.mkdir(parents=True, exist_ok=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    for file in Path(__file__).parent.glob("peers_*.py"):
        shutil.copy(file, package)
    return package.parents[1]


def _end(process: subprocess.Popen[str]) -> None:
    """Ask no more, and wait until it has ended."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
