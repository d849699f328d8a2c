"""The command ``trustkit exposure``: what runs over columns tell whoever receives their messages, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trustkit import export, jsonfile, plot, whole
from trustkit.commands.pareto import _bar
from trustkit.commands.run import _experiment, _stem
from trustkit.commands.vertibench import _numbers
from trustkit.experiment import Experiment
from trustkit.exposure import compare_exposure
from trustkit.exposure.measure import checked
from trustkit.jsonfile import write_text
from trustkit.plot import style
from trustkit.records import Stopped

__all__ = ["lay_bare"]


def lay_bare(
    names: Sequence[str], out: Path, seeds: str, rows: int, labelled: int, pairs: float, parties: int,
    rounds: int | None, progress: bool,
) -> Iterator[str]:  # fmt: skip
    """Play experiments over columns, attack each by its own messages, and write what was found.

    Parameters
    ----------
    names : sequence of str
        Presets' names or TOML files; each over columns.
    out : pathlib.Path
        Folder to write to: runs and what attacks found are kept there, and gone on from.
    seeds : str
        Of the runs, as "0-2" or "0,3".
    rows, labelled, parties : int
        As for `trustkit.exposure.exposure_of`.
    pairs : float
        Above 0, below 1.
    rounds : int, optional
        Of every run, instead of its own.
    progress : bool
        Whether to show a progress bar.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, ValueError
        If something is unknown or does not fit; nothing is written then.
    OSError
        If something cannot be written; what has finished before is in the folder.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    numbers = _numbers(seeds)
    wanted = _named(names, rounds)
    checked(rows=rows, labelled=labelled, pairs=pairs, parties=parties)
    whole.check(out)
    try:
        with _bar(progress) as bar:
            found = compare_exposure(wanted, numbers, out / "runs", bar, rows=rows, labelled=labelled, pairs=pairs,
                                     parties=parties)  # fmt: skip
    except KeyboardInterrupt:
        raise Stopped(f"what has finished is in {out / 'runs'}, and the same command goes on") from None
    text = found.to_markdown()
    write_text(out / "exposure.md", text)
    write_text(out / "exposure.csv", found.frame().to_csv(index=False))
    runs = [(label, seed, one.exposure) for label, each in found.trials.items()
            for seed, one in zip(found.seeds, each, strict=True)]  # fmt: skip
    content = [{"label": label, "seed": seed, **({} if told is None else told.to_dict())} for label, seed, told in runs]
    write_text(out / "attacks.json", jsonfile.dumps(content))
    if len(found.refused) < len(wanted):
        with style.looks():
            export.write(plot.exposure_points(found), out / "exposure.svg")
    yield text
    yield f"written to {out}"


def _named(names: Sequence[str], rounds: int | None) -> dict[str, Experiment]:
    """Return experiments by what they were called, before anything is played."""
    wanted: dict[str, Experiment] = {}
    for name in names:
        label, experiment = _stem(name), _experiment(name)
        if label in wanted:
            raise ValueError(f"experiments must be named once each, got {label} twice")
        if experiment.axis != "columns":
            raise ValueError(f"exposure attacks runs over columns, got {name} over {experiment.axis}")
        wanted[label] = experiment if rounds is None else experiment.change(rounds=rounds)
    return wanted
