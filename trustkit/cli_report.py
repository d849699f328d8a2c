"""The commands ``trustkit report`` and ``trustkit replay``: files from a stored run, and whether they still hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trustkit import export, store
from trustkit.facts import facts_of
from trustkit.jsonfile import write_text
from trustkit.replay import EXPERIMENT, FACTS, LOG, RUN, replay
from trustkit.trust import FactSheet, assess
from trustkit.trust.chain import verify
from trustkit.trust.modelcard import model_card
from trustkit.trust.recheck import Line, carried

__all__ = ["compare", "render"]

CARD = "modelcard.md"


def render(run: Path, profile: str, out: Path | None, reports: tuple[str, ...]) -> Iterator[str]:
    """Write the reports of a stored run anew, without training.

    Parameters
    ----------
    run : pathlib.Path
        The folder of a run, or its ``.npz`` file.
    profile : str
        A profile's name, or a TOML file.
    out : pathlib.Path or None
        The folder to write to; by default the run's.
    reports : tuple of str
        Suffixes of the reports.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    FileNotFoundError
        If there is no run.
    KeyError, TypeError, ValueError
        If it is no run, or there is no such profile.
    """
    file = run / RUN if run.is_dir() else run
    record, beside = store.load(file), file.parent
    old = FactSheet.load(beside / FACTS) if (beside / FACTS).exists() else FactSheet()
    _same_run(old, record.experiment.key, beside)
    measured = facts_of(record, look_at=old.get("robustness", "clever_rows") or None)
    facts = FactSheet({**measured.values, **carried(old.values, measured).values}, old.claims)
    report, target = assess(facts, profile), out or beside
    for suffix in reports:
        export.write(report, target / f"report{suffix}")
    facts.save(target / FACTS)
    write_text(target / CARD, model_card(facts, report))
    export.write(record.experiment, target / EXPERIMENT)
    yield report.to_text()
    if (beside / LOG).exists():
        found = verify(beside / LOG, old.get("log", "head"), old.get("log", "events"))
        yield f"\n{LOG}: " + (
            f"{found.events} events, unbroken" if found.sound else f"BROKEN at event {found.at}, {found.reason}"
        )
    yield f"\nwritten to {target}"


def _same_run(sheet: FactSheet, key: str, folder: Path) -> None:
    """Refuse to mix a run with the stated facts of another one."""
    named = sheet.get("project", "experiment")
    if named not in (None, key):
        raise ValueError(f"{folder} must hold one run, got a fact sheet of {named[:8]} beside a run of {key[:8]}")


def compare(
    report: Path, relative: float, absolute: float, profile: str | None, everything: bool, progress: bool
) -> tuple[list[str], bool]:
    """Replay a report, and say what holds.

    Parameters
    ----------
    report : pathlib.Path
        A report as JSON, or the folder of a run.
    relative, absolute : float
        The tolerance, each at least 0.
    profile : str or None
        A profile's file, where the report's is not one of trustkit's.
    everything : bool
        Whether every number is listed, or only those that do not hold.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    list of str, bool
        Lines to print, and whether everything holds.

    Raises
    ------
    FileNotFoundError, KeyError, TypeError, ValueError
        If the report cannot be replayed.
    """
    found = replay(report, relative, absolute, profile, progress)
    shown = found.lines if everything else found.changed
    width = max((len(line.name) for line in shown), default=0)
    lines = [f"{line.state:8}  {line.name:{width}}  {_values(line)}" for line in shown]
    return [*lines, *([""] if lines else []), found.summary], found.holds


def _values(line: Line) -> str:
    """Return what was and what is, in full, so that the last digit is seen."""
    was, now = _short(line.was), _short(line.now)
    return was if was == now else f"{was} -> {now}"


def _short(value: Any) -> str:
    if value is None:
        return "-"
    return f"{len(value)} entries" if isinstance(value, (list, tuple)) else str(value)
