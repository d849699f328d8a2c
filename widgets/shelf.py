"""Runs that were played in a notebook are kept on this machine, so that they are there after the kernel starts anew."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from trustkit import Experiment, RunRecord, store, whole
from trustkit.catalogue import DATASETS
from trustkit.datasets import is_own

__all__ = ["Shelf", "home", "shelf_here"]

_MOST = 20
"""So many runs are kept; of more the oldest go first."""

_LARGEST = 10_000_000
"""Bytes of a run that is kept."""


def home() -> Path:
    """Return the folder in which runs are kept.

    Returns
    -------
    pathlib.Path
        In the user's cache, as ``~/.cache/trustkit/runs``.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trustkit" / "runs"


def shelf_here() -> Shelf | None:
    """Return where runs are kept in this process.

    Returns
    -------
    Shelf or None
        In a notebook's kernel; ``None`` in scripts, on served pages, and where ``TRUSTKIT_AUTOSAVE`` is "0".
    """
    from IPython import get_ipython

    if not hasattr(get_ipython(), "kernel") or "VOILA_BASE_URL" in os.environ:
        return None
    return None if os.environ.get("TRUSTKIT_AUTOSAVE") == "0" else Shelf(home())


class Shelf:
    """The newest runs on data that come with trustkit; what cannot be written or read is as if it were not there.

    Parameters
    ----------
    folder : pathlib.Path
        Only for this user; made if missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, record: RunRecord) -> None:
        """Keep a run, whole or as far as it got, and let go of the oldest.

        Parameters
        ----------
        record : RunRecord
            At least one round. One on data of somebody's own is not kept: its file may change, and its rows are theirs.
        """
        if _others(record.experiment):
            return
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
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
            Without a round if nothing is kept, or by another version of trustkit.
        """
        with suppress(OSError, ValueError):
            found = None if _others(experiment) else store.load(self._file(experiment))
            if found is not None and found.experiment == experiment:
                return found
        return RunRecord(experiment)

    def _file(self, experiment: Experiment) -> Path:
        return self.folder / f"{version('trustkit')}-{experiment.key[:32]}.npz"


def _others(experiment: Experiment) -> bool:
    """Whether the data are a file's, or somebody's own, or a part of such."""
    names = [experiment.data.name, *experiment.data.args.values()]
    return any(isinstance(name, str) and name in DATASETS and (DATASETS[name].reads or is_own(name)) for name in names)
