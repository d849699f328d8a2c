"""`run_vertibench`: VertiBench's tables and figures, played again and laid beside the printed numbers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trustkit.bench.vertibench_runs import Budget, Job, estimate, played
from trustkit.bench.vertibench_scaling import SCALING_PART
from trustkit.bench.vertibench_settings import METHODS
from trustkit.bench.vertibench_sheet import Part, Place, Plan, Sheet
from trustkit.bench.vertibench_solo import SOLO
from trustkit.bench.vertibench_stored import write_vertibench
from trustkit.bench.vertibench_table2 import MARKS, TABLE2
from trustkit.bench.vertibench_times import TIMES
from trustkit.bench.vertibench_traffic import FIGURES
from trustkit.jsonfile import write_text
from trustkit.records import Progress
from trustkit.whole import tidy

if TYPE_CHECKING:
    from trustkit.bench.vertibench_runs import Outcome

__all__ = ["PARTS", "Benchmark", "forecast", "run_vertibench"]

PARTS: Mapping[str, Part] = {
    "table2": TABLE2,
    "figures": FIGURES,
    "scaling": SCALING_PART,
    "times": TIMES,
    "solo": SOLO,
}
"""By the name that the command line knows."""

SEEDS = (0, 1, 2, 3, 4)


@dataclass(frozen=True, eq=False)
class Benchmark:
    """What came out.

    Parameters
    ----------
    sheets : mapping of str to tuple of Sheet
        By part.
    finished, wanted : int
        How many runs there are, of how many that were asked for.
    """

    sheets: Mapping[str, tuple[Sheet, ...]]
    finished: int
    wanted: int

    @property
    def marks(self) -> dict[str, int]:
        """How many cells of Table 2 have each mark."""
        first = self.sheets.get("table2", ())
        counted = Counter(first[0].column("mark") if first else ())
        return {mark: counted[mark] for mark in MARKS}

    def to_markdown(self) -> str:
        """Write all tables.

        Returns
        -------
        str
            Markdown.
        """
        text = ["# VertiBench's algorithms, beside the paper's printed numbers", "",
                f"{self.finished} of {self.wanted} runs are finished. Table 2: "
                + ", ".join(f"{count} {mark}" for mark, count in self.marks.items()) + "."]  # fmt: skip
        for sheets in self.sheets.values():
            for sheet in sheets:
                text += ["", sheet.to_markdown()]
        return "\n".join([*text, ""])


def _quiet(stage: str, fraction: float) -> None:
    """Tell nobody."""


def run_vertibench(
    out: str | os.PathLike[str],
    quick: bool = False,
    only: Iterable[str] = tuple(PARTS),
    data: str | os.PathLike[str] | None = None,
    seeds: Iterable[int] = SEEDS,
    methods: Iterable[str] = tuple(METHODS),
    resume: bool = True,
    minutes: float | None = None,
    progress: Progress | None = None,
) -> Benchmark:
    """Play VertiBench's benchmark and compare accuracy, bytes, scale and time with the paper's printed numbers.

    Parameters
    ----------
    out : path-like
        The folder to write to: every table as .csv, the first of a part as .png and .svg, all in ``vertibench.md`` and
        ``vertibench.json``;
        in ``runs`` what came out of each run (.json), and how far an unfinished one is (.npz).
    quick : bool
        Whether with fewer rounds, one seed, and stand-ins in place of files: minutes instead of hours.
    only : iterable of str
        Some of table2, figures, scaling, times and solo.
    data : path-like, optional
        The folder with files of the six data sets that do not come with the package; see
        `trustkit.bench.vertibench_sources.FILES`.
    seeds : iterable of int
        Of split, test rows and training; the paper's are 0 to 4.
    methods : iterable of str
        Some of `trustkit.bench.vertibench_settings.METHODS`.
    resume : bool
        Whether what is in ``runs`` is taken as it is and gone on from.
    minutes : float, optional
        Of processor time, after which nothing is begun or gone on with; tables then have what is finished.
    progress : callable, optional
        Told what is played and how much of it is done, 0 … 1; it may raise `trustkit.records.Stopped`.

    Returns
    -------
    Benchmark
        What was written.

    Raises
    ------
    ValueError
        If a part, a method or a seed is unknown, or a folder is none, before any training.

    Source
    ------
    VertiBench (Wu et al. 2023), Tables 2, 6 and 7, Figures 3, 6 and 7.

    Deviations
    ----------
    See each part's notes, which are written below its table.
    """
    plan, parts, folder = _asked(out, quick, only, data, seeds, methods)
    if minutes is not None and minutes <= 0:
        raise ValueError(f"minutes must be above 0, got {minutes:g}")
    jobs = _jobs(plan, parts)
    outcomes: dict[Place, Outcome] = {}
    budget = Budget(None if minutes is None else 60 * minutes)
    for job, outcome in played(jobs, folder / "runs", resume, progress or _quiet, budget):
        outcomes[job.place] = outcome
    sheets = {name: PARTS[name].sheets(plan, outcomes) for name in parts}
    found = Benchmark(sheets, len({job.experiment.key for job in jobs if job.place in outcomes}),
                      len({job.experiment.key for job in jobs}))  # fmt: skip
    _write(found, folder)
    return found


def forecast(
    out: str | os.PathLike[str],
    quick: bool = False,
    only: Iterable[str] = tuple(PARTS),
    data: str | os.PathLike[str] | None = None,
    seeds: Iterable[int] = SEEDS,
    methods: Iterable[str] = tuple(METHODS),
) -> dict[str, float]:
    """Return about how much work there is still to do, without doing it.

    Parameters
    ----------
    out, quick, only, data, seeds, methods
        As in `run_vertibench`.

    Returns
    -------
    dict of str to float
        Processor seconds by algorithm of the runs that are not finished in ``out``, good to about a factor of two.

    Raises
    ------
    ValueError
        As in `run_vertibench`.
    """
    plan, parts, folder = _asked(out, quick, only, data, seeds, methods)
    jobs = _jobs(plan, parts)
    by_name: dict[str, list[Job]] = {}
    for job in jobs:
        by_name.setdefault(job.experiment.algorithm.name, []).append(job)
    return {name: estimate(own, folder / "runs") for name, own in by_name.items()}


def _jobs(plan: Plan, parts: Iterable[str]) -> list[Job]:
    """List the runs of all parts; a place that is asked for twice is the same run."""
    return list({job.place: job for name in parts for job in PARTS[name].jobs(plan)}.values())


def _asked(
    out: str | os.PathLike[str], quick: bool, only: Iterable[str], data: str | os.PathLike[str] | None,
    seeds: Iterable[int], methods: Iterable[str],
) -> tuple[Plan, tuple[str, ...], Path]:  # fmt: skip
    """Check what was asked for."""
    parts, wanted, numbers = tuple(dict.fromkeys(only)), tuple(dict.fromkeys(methods)), tuple(dict.fromkeys(seeds))
    for what, given, known in (("only", parts, PARTS), ("methods", wanted, METHODS)):
        for name in given:
            if name not in known:
                raise ValueError(f"{what} must name some of {', '.join(known)}, got {name!r}")
    for what, chosen in (("only", parts), ("methods", wanted), ("seeds", numbers)):
        if not chosen:
            raise ValueError(f"{what} must name at least one, got none")
    for seed in numbers:
        if seed < 0:
            raise ValueError(f"seeds must be at least 0, got {seed}")
    if Path(out).exists() and not Path(out).is_dir():
        raise ValueError(f"out must be a folder, got the file {str(out)!r}")
    if data is not None and not Path(data).is_dir():
        raise ValueError(f"data must be a folder, got {str(data)!r}")
    ordered = tuple(name for name in PARTS if name in parts)
    return Plan(quick, numbers, tuple(name for name in METHODS if name in wanted), data), ordered, Path(out)


def _write(found: Benchmark, folder: Path) -> None:
    """Write tables and pictures."""
    from trustkit import export
    from trustkit.plot.style import looks

    tidy(folder)
    for name, sheets in found.sheets.items():
        for sheet in sheets:
            write_text(folder / f"{sheet.stem}.csv", sheet.to_csv())
        with looks():
            picture = PARTS[name].draw(sheets)
            for suffix in (".png", ".svg"):
                export.write(picture, folder / f"{sheets[0].stem}{suffix}")
    write_text(folder / "vertibench.md", found.to_markdown())
    write_vertibench(found.sheets, found.finished, found.wanted, folder / "vertibench.json")
