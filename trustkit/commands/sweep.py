"""The command ``trustkit sweep``: an experiment varied over a grid, run on many cores, kept and tabled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from trustkit import tomlfile, whole
from trustkit.catalogue import Use
from trustkit.commands.run import _stem
from trustkit.experiment import Experiment
from trustkit.jsonfile import dumps, write_text
from trustkit.records import Progress, Stopped
from trustkit.scale.outcome import rows_of, to_csv
from trustkit.scale.scheduler import dask
from trustkit.scale.sweeping import sweep
from trustkit.shown import shown

__all__ = ["MOST", "read_grid", "spread"]

MOST = 100_000
"""Runs that a grid may have."""

_FORMAT = "trustkit-sweep-1"


def spread(file: str, out: Path, workers: int | None, address: str | None, progress: bool) -> tuple[list[str], bool]:
    """Run a grid of experiments, and write runs and tables.

    Parameters
    ----------
    file : str
        A TOML file; see `read_grid`.
    out : pathlib.Path
        Folder in which the sweep gets a folder of its own; it goes on from what is there.
    workers : int or None
        Processes of this machine; 0 for none.
    address : str or None
        Of a Dask scheduler, or "local" for one that is started for the sweep.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    lines, well : list of str, bool
        Lines to print, and whether all runs ended well.

    Raises
    ------
    FileNotFoundError, KeyError, TypeError, ValueError
        If the file is none, or an argument does not fit; nothing is written then.
    OSError
        If something cannot be written; what has finished before is in the folder.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    start, choices, wanted = read_grid(file)
    if address is not None and address != "local" and workers is not None:
        raise ValueError(f"workers must stay unset with the address of a scheduler, got {workers}")
    target = out / f"{_stem(file)}-{start.key[:8]}"
    team: Any = nullcontext() if address is None else dask(None if address == "local" else address, workers)
    try:
        with team as executor, _bar(progress, len(set(wanted))) as bar:
            found = sweep(wanted, executor, workers=workers if executor is None else None, store=target / "runs",
                          progress=bar)  # fmt: skip
    except KeyboardInterrupt:
        raise Stopped(f"what has finished is in {target}, and the same command goes on") from None
    rows = rows_of(found, choices)
    content = [{**row, "experiment": each.to_dict()} for each, row in zip(found, rows, strict=True)]
    whole.tidy(target)
    with whole.alone(target):  # of two that ran the same, both files are one's
        write_text(target / "sweep.csv", to_csv(rows))
        write_text(target / "sweep.json", dumps({"format": _FORMAT, "rows": content}))
    failures = [row for row in rows if row["failure"] is not None]
    lines = [f"{len(rows) - len(failures)} of {len(rows)} runs ended well"]
    lines += [f"failed: {row['key'][:8]}: {row['failure']}" for row in failures]
    return [*lines, f"written to {target}"], not failures


def read_grid(file: str) -> tuple[Experiment, dict[str, list[Any]], list[Experiment]]:
    """Read an experiment and a table ``[grid]`` of what varies.

    Parameters
    ----------
    file : str
        A TOML file: an experiment as `Experiment.to_toml` writes it, and in ``[grid]`` lists of values by name, as
        `Experiment.change` takes them: ``seed = [0, 1]``, ``split__alpha = [0.1, 1]``, ``algorithm = ["fedavg",
        {name = "fedprox", mu = 0.1}]``. "none" unsets a part.

    Returns
    -------
    start, choices, experiments
        The experiment itself, the values by name, and all combinations; the last name varies fastest.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no such file, or a combination is no experiment; the message names it.
    """
    import tomli_w

    try:
        content = tomlfile.loads(Path(file).read_text(encoding="utf-8"))
        table = content.pop("grid", None)
        start = Experiment.from_toml(tomli_w.dumps(content))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} must be an experiment in TOML with a table [grid], got: {error.args[0]}") from None
    choices = _choices(file, table)
    combinations = (dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values()))
    return start, choices, [_varied(file, start, each) for each in combinations]


def _choices(file: str, table: Any) -> dict[str, list[Any]]:
    """Check the table of what varies."""
    if not isinstance(table, dict) or not table:
        raise ValueError(
            f"{file} must have a table [grid] of lists, as seed = [0, 1, 2], got {shown(table) if table else 'none'}"
        )
    for name, values in table.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"{file}: in [grid] {name} must be a list with at least one value, got {shown(values)}")
    if (size := math.prod(map(len, table.values()))) > MOST:
        raise ValueError(f"{file}: [grid] must have at most {MOST:,} combinations, got {size:,}")
    return table


def _varied(file: str, start: Experiment, values: Mapping[str, Any]) -> Experiment:
    """Change an experiment: whole parts first, then arguments, since a part that is replaced loses its own."""
    parts = {name: _part(value) for name, value in values.items() if "__" not in name}
    arguments = {name: None if value == "none" else value for name, value in values.items() if "__" in name}
    try:
        return start.change(**parts).change(**arguments)
    except (KeyError, TypeError, ValueError) as error:
        at = ", ".join(f"{name}={value}" for name, value in values.items())
        raise ValueError(f"{file}: no experiment with {at}: {error.args[0]}") from None


def _part(value: Any) -> Any:
    if value == "none":
        return None
    return Use.from_dict(value) if isinstance(value, dict) else value


@contextmanager
def _bar(shown: bool, runs: int) -> Iterator[Progress | None]:
    """Show how many runs have finished and about how long the others take, if wanted."""
    if not shown:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(total=runs, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}") as bar:

        def tell(words: str, done: float) -> None:
            bar.set_description_str(words, refresh=False)
            bar.n = done * runs
            bar.refresh()

        yield tell
