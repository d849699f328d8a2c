"""Runs that were played in a notebook are kept on this machine, so that they are there after the kernel starts anew."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from trustkit import Experiment, RunRecord, store, whole
from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, MODELS, PRIVACY, SPLITS, Catalogue, Use
from trustkit.datasets import is_own

__all__ = ["Shelf", "home", "kept_again", "shelf_here"]

_MOST = 20
"""So many runs are kept; of more the oldest go first."""

_LARGEST = 10_000_000
"""Bytes of a run that is kept; one whose state alone has more is not even written."""

_ELSEWHERE = ("path", "paths", "test", "of", "options")
"""Arguments of a data set by which its rows come from a file, or from another data set."""

_STATEFUL = ("afa",)
"""Algorithms of which every round's state is looked at: of a kept run only the last is there."""


def home() -> Path:
    """Return the folder in which runs are kept.

    Returns
    -------
    pathlib.Path
        In the user's cache, as ``~/.cache/trustkit/runs``.

    Raises
    ------
    RuntimeError
        If this user has no home.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trustkit" / "runs"


def shelf_here() -> Shelf | None:
    """Return where runs are kept in this process.

    Returns
    -------
    Shelf or None
        In a notebook's kernel; ``None`` in scripts, on served pages, for who has no home, and where
        ``TRUSTKIT_AUTOSAVE`` is "0".
    """
    from IPython import get_ipython

    if not hasattr(get_ipython(), "kernel") or "VOILA_BASE_URL" in os.environ:
        return None
    if os.environ.get("TRUSTKIT_AUTOSAVE") == "0":
        return None
    with suppress(RuntimeError):
        return Shelf(home())
    return None


class Shelf:
    """The newest whole runs of what comes with trustkit; whatever goes wrong here, it is as if there were none.

    Parameters
    ----------
    folder : pathlib.Path
        Only for this user; made if missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, record: RunRecord) -> None:
        """Keep a run, and let go of the oldest.

        Parameters
        ----------
        record : RunRecord
            Kept if it is complete and `kept_again` allows it.
        """
        with suppress(Exception):  # a full disk, memory, a state that no file takes: the run itself is on the page
            size = sum(values.nbytes for values in record.last.state.values())
            if size > _LARGEST or not record.complete or not kept_again(record.experiment) or record.diverged.any():
                return
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            whole.tidy(self.folder)
            content = store.dumps(record)
            if len(content) <= _LARGEST:
                whole.write_bytes(self._file(record.experiment), content)
            for old in sorted(self.folder.glob("*.npz"), key=lambda file: file.stat().st_mtime)[:-_MOST]:
                old.unlink(missing_ok=True)

    def of(self, experiment: Experiment) -> RunRecord:
        """Return what is kept of an experiment.

        Parameters
        ----------
        experiment : Experiment
            Any.

        Returns
        -------
        RunRecord
            Complete; without a round if nothing is kept, or by other code than today's.
        """
        with suppress(Exception):  # a file that is gone, damaged or locked is none
            found = store.load(self._file(experiment)) if kept_again(experiment) else None
            if found is not None and found.experiment == experiment and found.complete:
                return found
        return RunRecord(experiment)

    def _file(self, experiment: Experiment) -> Path:
        return self.folder / f"{_code()}-{experiment.key[:32]}.npz"


def kept_again(experiment: Experiment) -> bool:
    """Tell whether an experiment gives the same run in every kernel, with nothing in it that is somebody's own.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    bool
        False where rows come from a file or from somebody's own data set, a part is no code of trustkit's, or a
        round's state is looked at later (faults, AFA).
    """
    wanted = experiment
    parts: tuple[tuple[Catalogue, Use | None], ...] = (
        (DATASETS, wanted.data), (SPLITS, wanted.split), (ALGORITHMS, wanted.algorithm), (MODELS, wanted.model),
        (PRIVACY, wanted.privacy), (ATTACKS, wanted.attack),
    )  # fmt: skip
    used = [catalogue[use.name].function for catalogue, use in parts if use is not None]
    ours = all(function.__module__.startswith("trustkit.") for function in used)
    elsewhere = any(wanted.data.args.get(name) for name in _ELSEWHERE)
    data = DATASETS[wanted.data.name]
    stateful = wanted.faults is not None or wanted.algorithm.name in _STATEFUL
    return ours and not (elsewhere or stateful or data.reads or is_own(data.name))


@cache
def _code() -> str:
    """Tell this code from other versions of it, where it is worked on too: by names, sizes and times of its files."""
    here = [Path(__file__).parent, Path(store.__file__).parent]
    files = sorted({file for folder in here for file in folder.rglob("*.py")})
    told = "".join(f"{file} {(at := file.stat()).st_size} {at.st_mtime_ns}\n" for file in files)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
