"""`run_federatedtrust`: the paper's five experiments, played, measured, and laid beside the printed numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from trustkit import export, store
from trustkit.bench.comparison import Comparison, Played, lines_of
from trustkit.bench.picture import score_dots
from trustkit.bench.printed import FIGURES, STATED
from trustkit.bench.settings import Noise, experiment, scaled_down
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.jsonfile import write_text
from trustkit.records import Progress, RunRecord
from trustkit.rounds import partition_of, play
from trustkit.trust import FactSheet
from trustkit.whole import check

__all__ = ["run_federatedtrust"]

_DATA = ("femnist", "nbaiot")


def _quiet(stage: str, fraction: float) -> None:
    """Tell nobody."""


def run_federatedtrust(
    out: str | os.PathLike[str],
    quick: bool = False,
    data: Mapping[str, str | os.PathLike[str]] | None = None,
    experiments: Iterable[int] = tuple(STATED),
    noise: Noise = "local",
    resume: bool = True,
    progress: Progress | None = None,
) -> Comparison:
    """Play FederatedTrust's experiments and compare every score with the paper's printed number.

    Parameters
    ----------
    out : path-like
        The folder to write to: ``figure4`` and ``figure5`` as .csv, .png and .svg, ``federatedtrust.md``, and in
        ``runs`` each experiment's run (.npz) and fact sheet (.json) by its key.
    quick : bool
        Whether with a small net and fewer rounds: minutes instead of hours.
    data : mapping of str to path-like, optional
        Folders of the paper's data: "femnist" in LEAF's layout, "nbaiot". What is not given is played on a stand-in.
    experiments : iterable of int
        Some of 1 to 5.
    noise : {"local", "global"}
        How experiments 2 and 3 add noise; see `trustkit.bench.settings.experiment`.
    resume : bool
        Whether what is in ``runs`` of the same experiments is taken as it is and gone on from.
    progress : callable, optional
        Told "experiment 1" … and how much of it is done, 0 … 1, after each round; it may raise
        `trustkit.records.Stopped`.

    Returns
    -------
    Comparison
        What was written.

    Raises
    ------
    ValueError
        If an experiment, a data set or the kind of noise is unknown, or a folder is none or cannot be read as the
        experiments need it, before any training.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 6, Figures 4 and 5.
    """
    folders, folder, tell = dict(data or {}), Path(out), progress or _quiet
    for name in folders:
        if name not in _DATA:
            raise ValueError(f"data must name {' and '.join(_DATA)}, got {name!r}")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"out must be a folder, got the file {str(out)!r}")
    wanted = {number: experiment(number, quick, noise, **folders) for number in sorted(set(experiments))}
    if not wanted:
        raise ValueError("experiments must name at least one of 1 to 5, got none")
    _check(folders, wanted.values())
    played = {}
    for place in (folder, folder / "runs"):
        check(place)
    for number, each in wanted.items():
        facts = _facts(each, folder / "runs" / f"experiment-{number}-{each.key[:8]}", number, resume, tell)
        played[number] = Played(each, facts)
    found = Comparison(played, tuple(line for number, run in played.items() for line in lines_of(number, run)))
    _write(found, folder)
    return found


def _check(folders: Mapping[str, str | os.PathLike[str]], wanted: Iterable[Experiment]) -> None:
    """Read the paper's data as all experiments need them, so that a bad folder is found before hours of training."""
    for name, folder in folders.items():
        if not Path(folder).is_dir():
            raise ValueError(f"{name} must be a folder, got {str(folder)!r}")
    own = {"leaf": "femnist", "nbaiot": "nbaiot"}
    for each in wanted:
        if each.data.name in own:
            try:
                partition_of(each)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{own[each.data.name]}: {error.args[0]}") from None


def _facts(wanted: Experiment, stem: Path, number: int, resume: bool, tell: Progress) -> FactSheet:
    """Return an experiment's fact sheet: the one on disk if it is there, else measured on the run that is finished."""
    stage, sheet = f"experiment {number}", stem.with_suffix(".json")
    if resume and sheet.exists():
        facts = FactSheet.load(sheet)
        if facts.get("project", "experiment") == wanted.key:
            tell(stage, 1.0)
            return facts
    record = _record(wanted, stem.with_suffix(".npz"), resume, lambda share: tell(stage, 0.95 * share))
    words = scaled_down(number, wanted)
    smaller: dict[str, Any] = {"data__scaled_down": words} if words else {}
    facts = facts_of(record, **smaller)
    facts.save(sheet)
    tell(stage, 1.0)
    return facts


def _record(wanted: Experiment, file: Path, resume: bool, tell: Callable[[float], None]) -> RunRecord:
    """Play an experiment to its end, from where the run on disk stops; saved ten times on the way."""
    record = store.load(file) if resume and file.exists() else RunRecord(wanted)
    if record.experiment.key != wanted.key:
        record = RunRecord(wanted)
    often = max(1, wanted.rounds // 10)
    for played in play(wanted, after=record.last if len(record) else None):
        record(played)
        if played.index % often == 0 or played.index == wanted.rounds:
            store.save(record, file)
        tell(played.index / wanted.rounds)
    return record


def _write(found: Comparison, folder: Path) -> None:
    """Write tables and pictures."""
    from trustkit.plot.style import looks

    for figure in FIGURES:
        if lines := found.of(figure):
            write_text(folder / f"figure{figure}.csv", found.to_csv(figure))
            picture = score_dots(lines)
            with looks():
                for suffix in (".png", ".svg"):
                    export.write(picture, folder / f"figure{figure}{suffix}")
    write_text(folder / "federatedtrust.md", found.to_markdown())
