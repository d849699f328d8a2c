"""Runs that are shipped with the workshop: played before, and played again by a test."""

from __future__ import annotations

from pathlib import Path

from trustkit import store
from trustkit.experiment import Experiment
from trustkit.records import RunRecord
from trustkit.rounds import run
from trustkit.workshop.episodes import EPISODES, episode_of

__all__ = ["FOLDER", "file_of", "recorded", "write_recordings"]

FOLDER = Path(__file__).with_name("recorded")


def file_of(experiment: Experiment, folder: Path = FOLDER) -> Path:
    """Return where a run is kept.

    Parameters
    ----------
    experiment : Experiment
        What was played.
    folder : Path
        By default the one that is shipped.

    Returns
    -------
    Path
        Named by the experiment's key.
    """
    return folder / f"{experiment.key[:12]}.npz"


def recorded(number: str) -> dict[Experiment, RunRecord]:
    """Return the runs that come with an episode, as `trustkit.sweep` would have returned them.

    Parameters
    ----------
    number : str
        Of an episode, as ``"03"``.

    Returns
    -------
    dict of Experiment to RunRecord
        Played when this trustkit was made, not now; empty where an episode keeps none.

    Raises
    ------
    KeyError
        If there is no such episode.
    ValueError
        If a file is damaged or is of another experiment.

    Examples
    --------
    >>> [len(record) for record in recorded("05").values()]
    [20, 20]
    """
    found = {}
    for experiment in episode_of(number).kept:
        record = store.load(file_of(experiment))
        if record.experiment != experiment:
            raise ValueError(f"{file_of(experiment).name} must hold {experiment.key[:12]}, got {record.experiment.key}")
        found[experiment] = record
    return found


def write_recordings(folder: Path = FOLDER) -> list[Path]:
    """Play all runs that are shipped, and write them: after a change of the engine or of an episode.

    Parameters
    ----------
    folder : Path
        By default the one that is shipped; files that no episode needs are removed.

    Returns
    -------
    list of Path
        One file a run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = dict.fromkeys(experiment for episode in EPISODES.values() for experiment in episode.kept)
    written = [store.save(run(experiment), file_of(experiment, folder)) for experiment in wanted]
    for file in set(folder.glob("*.npz")) - set(written):
        file.unlink()
    return written
