"""The commands ``trustkit report``, ``examine`` and ``replay``: what a stored run tells, and whether it still holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import export, store, whole
from trustkit.conduct import log_facts
from trustkit.examination import Examination, examine
from trustkit.examination.subject import OUTSIDE
from trustkit.facts import facts_of
from trustkit.jsonfile import write_bytes, write_text
from trustkit.records import Progress, RunRecord
from trustkit.replay import EXPERIMENT, FACTS, LOG, RUN, replay
from trustkit.trust import FactSheet, assess
from trustkit.trust.chain import read, verify
from trustkit.trust.modelcard import model_card
from trustkit.trust.recheck import Line, carried
from trustkit.trust.stated import read_stated

__all__ = ["compare", "look_into", "render"]

CARD = "modelcard.md"

_LOGGED = ("participants/registry_complete", "configuration/co_versioning")
_TESTS = "trustkit examine: "
_SINGLE = ("fairness/contributions", "robustness/data_quality", "privacy/leakage_estimate")


def render(
    run: Path, profile: str, out: Path | None, reports: tuple[str, ...], examined: bool = False,
    progress: bool = False, stated: Path | None = None,
) -> tuple[list[str], bool]:  # fmt: skip
    """Write the reports of a stored run anew, without training unless the run is to be examined.

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
    examined : bool
        Whether the costly measures are taken too.
    progress : bool
        Whether to show a progress bar of them.
    stated : pathlib.Path, optional
        A TOML file of what people state, beside or in place of what the sheet states already.

    Returns
    -------
    list of str, bool
        Lines to print, and whether the event log holds: it is there if the fact sheet names one, and is unbroken. If it
        does not hold, the reports say so, and what the log would show is withheld.

    Raises
    ------
    FileNotFoundError
        If there is no run.
    KeyError, TypeError, ValueError
        If it is no run, or there is no such profile.
    """
    record, beside, old = _stored(run)
    facts, told, sound = _sheet(record, beside, old)
    if stated is not None:
        facts = _stated(facts, read_stated(stated))
    assess(facts, profile)  # refuses an unknown profile before anything is trained
    if examined:
        whole.check(out or beside)
        with _bar(progress) as bar:
            facts = _examined(facts, examine(record, progress=bar))
    report, target = assess(facts, profile), out or beside
    notes = [] if sound else [f"The event log does not hold ({told}): what it would show of clients and versions is "
                              "withheld."]  # fmt: skip
    if record.experiment.secure and any(path in facts for path in _SINGLE):
        notes.append(f"Contributions, data quality and leakage were {OUTSIDE}.")
    report = replace(report, notes=(*report.notes, *notes))
    whole.tidy(target)
    with whole.alone(target):
        if target.resolve() != beside.resolve() and (beside / LOG).exists():
            write_bytes(target / LOG, (beside / LOG).read_bytes())  # the sheet names it
        facts.save(target / FACTS)
        for suffix in reports:
            export.write(report, target / f"report{suffix}")
        write_text(target / CARD, model_card(facts, report))
        export.write(record.experiment, target / EXPERIMENT)
    lines = [report.to_text(), *([f"\n{LOG}: {told}"] if told else []), f"\nwritten to {target}"]
    return lines, sound


def _log(folder: Path, sheet: FactSheet) -> tuple[str, bool]:
    """Say of a run's event log whether it holds; nothing, and that it does, where there is none and none is named."""
    if not (folder / LOG).exists():
        return ("MISSING, though the fact sheet names it", False) if "log/head" in sheet else ("", True)
    found = verify(folder / LOG, sheet.get("log", "head"), sheet.get("log", "events"))
    if found.sound:
        return f"{found.events} events, unbroken", True
    return f"BROKEN at event {found.at}, {found.reason}", False


def look_into(
    run: Path, measures: list[str], out: Path | None, progress: bool = False, **options: Any
) -> tuple[list[str], bool]:
    """Examine a stored run, and say what was found.

    Parameters
    ----------
    run : pathlib.Path
        The folder of a run, or its ``.npz`` file.
    measures : list of str
        Names of measures; none for all.
    out : pathlib.Path or None
        A fact sheet to write: the run's, with what was found.
    progress : bool
        Whether to show a progress bar.
    **options
        See `trustkit.examination.examine`; ``coverage`` may be a number as text.

    Returns
    -------
    list of str, bool
        Lines to print, and whether the event log holds, as for `render`. If not, the sheet that is written leaves
        out what the log would show.

    Raises
    ------
    FileNotFoundError
        If there is no run, or no coverage report.
    KeyError, TypeError, ValueError
        If it is no run, or an option does not fit.
    """
    record, beside, old = _stored(run)
    options["coverage"] = _number(options.get("coverage"))
    if out is not None:
        whole.check(out.parent)
    with _bar(progress) as bar:
        found = examine(record, measures=measures or None, progress=bar, **options)
    told, sound = _log(beside, old)
    lines = [*_told(found), *([f"\n{LOG}: {told}"] if told else [])]
    if out is not None:
        lines.append(f"\nwritten to {_examined(_sheet(record, beside, old)[0], found).save(out)}")
    return lines, sound


def _stated(facts: FactSheet, more: FactSheet) -> FactSheet:
    """Return a sheet with what people state besides; emissions were reckoned once, by the electricity stated then."""
    for path, value in more.values.items():
        if path.startswith("sustainability/carbon") and value != facts.values.get(path):
            raise ValueError(f"{path} must be stated when the run is made, as emissions follow from it, got {value!r}")
    return facts.with_facts(more.values).with_claims(*(claim for claim in more.claims if claim not in facts.claims))


def _examined(facts: FactSheet, found: Examination) -> FactSheet:
    """Return a sheet with what was found, and, unless people stated another, the examination as an audit's test."""
    tests = None if not found.seconds else f"{_TESTS}{', '.join(found.seconds)}"
    stated = facts.values.get("audit/testing", _TESTS)
    return facts.with_facts(found).with_facts({"audit/testing": tests if stated.startswith(_TESTS) else stated})


def _told(found: Examination) -> Iterator[str]:
    """Yield the facts with their values, then what each measure has to say."""
    width = max((len(path) for path in found), default=0)
    yield from (f"{path:{width}}  {_rounded(value)}" for path, value in found.items())
    for name, seconds in found.seconds.items():
        remark = found.remarks.get(name, "")
        yield f"{name} ({seconds:.2f} s)" + (f": {remark}" if remark else "")
    yield from (f"{name} skipped: {reason}" for name, reason in found.skipped.items())


def _rounded(value: Any) -> str:
    """Return a value for reading: four digits of a number, the words of a short list."""
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:.4g}" if isinstance(value, float) else _short(value)


def _number(text: Any) -> Any:
    """Return a text as the number that it spells, or as it is."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


@contextmanager
def _bar(shown: bool) -> Iterator[Progress | None]:
    """Show how far an examination is, if wanted."""
    if not shown:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(total=100, bar_format="{desc}{percentage:3.0f}%|{bar}| {elapsed}", delay=0.1) as bar:

        def tell(stage: str, done: float) -> None:
            bar.set_description(stage, refresh=False)
            bar.update(100 * done - bar.n)

        yield tell


def _stored(run: Path) -> tuple[RunRecord, Path, FactSheet]:
    """Return a stored run, its folder, and the fact sheet there, which is empty if there is none."""
    file = run / RUN if run.is_dir() else run
    record, beside = store.load(file), file.parent
    old = FactSheet.load(beside / FACTS) if (beside / FACTS).exists() else FactSheet()
    _same_run(old, record.experiment.key, beside)
    return record, beside, old


def _sheet(record: RunRecord, folder: Path, old: FactSheet) -> tuple[FactSheet, str, bool]:
    """Return what a run measures, with what an old sheet states besides; what is said of its log, and whether it holds.

    What the log shows is read anew where it holds, and left out where it does not.
    """
    measured = facts_of(record, look_at=old.get("robustness", "clever_rows") or None)
    values = {**measured.values, **carried(old.values, measured).values}
    told, sound = _log(folder, old)
    if not sound:
        values = {path: value for path, value in values.items() if path not in _LOGGED}
    elif "log/head" in old:
        values |= log_facts(record, read(folder / LOG))
    return FactSheet(values, old.claims), told, sound


def _same_run(sheet: FactSheet, key: str, folder: Path) -> None:
    """Refuse to mix a run with the stated facts of another one."""
    named = sheet.get("project", "experiment")
    if named not in (None, key):
        raise ValueError(f"{folder} must hold one run, got a fact sheet of {named[:8]} beside a run of {key[:8]}")


def compare(
    report: Path, relative: float, absolute: float, profile: str | None, everything: bool, progress: bool,
    examined: bool = False,
) -> tuple[list[str], bool]:  # fmt: skip
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
    examined : bool
        Whether what an examination found is taken again too.

    Returns
    -------
    list of str, bool
        Lines to print, and whether everything holds.

    Raises
    ------
    FileNotFoundError, KeyError, TypeError, ValueError
        If the report cannot be replayed.
    """
    found = replay(report, relative, absolute, profile, progress, examined=examined)
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
    return f"{len(value)} entries" if isinstance(value, (list, tuple, np.ndarray)) else str(value)
