"""Play a reported experiment again, and say number by number whether the report still holds."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustkit import jsonfile, store
from trustkit.experiment import Experiment
from trustkit.facts import facts_of, log_of
from trustkit.records import Observer, RunRecord
from trustkit.rounds import build, run
from trustkit.trust import PROFILES, FactSheet, Profile
from trustkit.trust.chain import verify
from trustkit.trust.energy import EnergyMeter
from trustkit.trust.profiles import profile_named
from trustkit.trust.recheck import (
    ABSOLUTE,
    RELATIVE,
    Line,
    Same,
    carried,
    fact_lines,
    facts_in,
    has_weights_of,
    score_lines,
)  # fmt: skip

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXPERIMENT", "FACTS", "LOG", "REPORT", "RUN", "Replay", "replay"]

REPORT, FACTS, EXPERIMENT, RUN, LOG = "report.json", "factsheet.json", "experiment.toml", "run.npz", "events.jsonl"
"""The files of a run's folder."""

_STATES = ("holds", "machine", "stated", "examined")
_TABLES = ("selected", "accuracy", "loss", "bytes_up", "bytes_down", "epsilon")


@dataclass(frozen=True)
class Replay:
    """What `replay` found.

    Parameters
    ----------
    experiment : Experiment
        What was played.
    lines : tuple of Line
        Scores, raw values, facts, the table of rounds and the event log, as far as they are there.
    relative, absolute : float
        The tolerance.
    weighted : str
        The profile's name if the report has other weights than its, else empty.
    """

    experiment: Experiment
    lines: tuple[Line, ...]
    relative: float
    absolute: float
    weighted: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing that was compared has changed."""
        return not self.changed

    @property
    def changed(self) -> tuple[Line, ...]:
        """The lines that do not hold."""
        return tuple(line for line in self.lines if line.state == "changed")

    @property
    def summary(self) -> str:
        """One sentence: how many numbers hold, within which tolerance, what was not compared, and whose weights."""
        count = {state: sum(line.state == state for line in self.lines) for state in _STATES}
        compared = count["holds"] + len(self.changed)
        rest = [f"{count['machine']} depend on the machine"] * bool(count["machine"])
        rest += [f"{count['stated']} were stated by a person"] * bool(count["stated"])
        rest += [f"{count['examined']} were found by an examination"] * bool(count["examined"])
        return (
            f"{count['holds']} of {compared} numbers hold, to {self.relative:g} of a number or {self.absolute:g}"
            f"{'; not compared: ' if rest else ''}{', '.join(rest)}"
            + (f"; the weights are not those of profile {self.weighted}" if self.weighted else "")
        )

    def frame(self) -> pd.DataFrame:
        """Return one line for each number.

        Returns
        -------
        pandas.DataFrame
            name, was, now, state.
        """
        import pandas as pd

        rows = [(line.name, line.was, line.now, line.state) for line in self.lines]
        return pd.DataFrame(rows, columns=["name", "was", "now", "state"], dtype=object)


def replay(
    path: str | os.PathLike[str],
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
    profile: str | os.PathLike[str] | Profile | None = None,
    progress: bool = False,
    observers: Iterable[Observer] = (),
    examined: bool = False,
) -> Replay:
    """Play the experiment of a report again, and compare every number.

    Parameters
    ----------
    path : path-like
        A report as JSON, or the folder of a run with a ``report.json``. The experiment is named in the report, or in
        ``experiment.toml`` or ``run.npz`` beside it. ``factsheet.json``, ``run.npz`` and ``events.jsonl`` beside it are
        compared too.
    relative, absolute : float
        At least 0 and finite. Two numbers agree if they differ by at most ``max(relative · larger, absolute)``. On the
        same machine a replay is the same bit for bit; another processor may round differently.
    profile : str, path-like or Profile, optional
        The report's, where it is not one of `PROFILES`: the TOML file it was scored with.
    progress : bool
        Whether to show a progress bar.
    observers : iterable of callable
        Each is called with every round; what one raises ends the replay.
    examined : bool
        Whether what an examination found is taken again too, with its share of attackers, its radius and its
        quasi-identifiers; rows and seed are the default ones of `trustkit.examine`.

    Returns
    -------
    Replay
        Line by line. What a person stated is taken over, so that scores which depend on it can be compared.

    Raises
    ------
    FileNotFoundError
        If there is no such report.
    ValueError
        If it is no report, its profile is not known, or its experiment is not named, cannot be rebuilt here, or is
        another one than the fact sheet's.
    """
    if not (0 <= relative < math.inf and 0 <= absolute < math.inf):
        raise ValueError(f"relative and absolute must be at least 0 and finite, got {relative!r} and {absolute!r}")
    file = Path(path) / REPORT if Path(path).is_dir() else Path(path)
    report, beside = _report(file), file.parent
    sheet = FactSheet.load(beside / FACTS) if (beside / FACTS).exists() else None
    chosen = _profile(report, sheet, profile, file)
    experiment = _experiment(report, file)
    stored = store.load(beside / RUN) if (beside / RUN).exists() else None
    old, lists = (dict(sheet.values), {}) if sheet is not None else facts_in(report)
    keys = [report.get("experiment"), old.get("project/experiment"), stored.experiment.key if stored else None]
    _same_experiment(experiment, keys, file)
    log = log_of(experiment) if "log/head" in old else None
    with EnergyMeter() as meter:
        record = _played(experiment, file, progress, [*observers, *([] if log is None else [log])])
    played = old.get("performance/rounds_played") or len(record)  # a run that was stopped is compared as far as it went
    record = RunRecord(experiment, list(record)[:played])
    energy = meter.energy if "sustainability/emissions_training" in old else None
    measured = facts_of(record, look_at=old.get("robustness/clever_rows") or None, log=log, energy=energy)
    if examined:
        measured = _examined(record, old, measured)
    facts = carried(old, measured).with_facts({p: measured.values.get(p, value) for p, value in lists.items()})
    same = Same(relative, absolute)
    lines = [*score_lines(report, facts, chosen, same), *fact_lines(old, measured, same)]
    if stored is not None:
        lines += _rounds(stored, record, same)
    if sheet is not None and ("log/head" in old or (beside / LOG).exists()):
        lines.append(_log(beside / LOG, sheet))
    return Replay(experiment, tuple(lines), relative, absolute, "" if has_weights_of(report, chosen) else chosen.name)


def _examined(record: RunRecord, old: Mapping[str, Any], measured: FactSheet) -> FactSheet:
    """Return what is measured with what an examination finds again, of what the old one found."""
    from trustkit.examination import MEASURES, examine

    known = {"share": "robustness/attackers_share", "radius": "robustness/attack_radius"}
    options = {name: old[path] for name, path in known.items() if old.get(path)}
    named = str(old.get("audit/testing", "")).partition(": ")[2].split(", ")
    taken = [name for name in named if name in MEASURES] or None
    found = examine(record, measures=taken, quasi=old.get("privacy/quasi_identifiers"), **options)
    return measured.with_facts({path: value for path, value in found.items() if path in old})


def _report(file: Path) -> dict[str, Any]:
    content = jsonfile.read(file)
    if not isinstance(content, dict) or not str(content.get("format")).startswith("trustkit-report-"):
        raise ValueError(f"{file} must be a trust report in JSON (format trustkit-report)")
    metrics = content.get("metrics")
    needed = {"metric", "notion", "pillar"}
    if not isinstance(metrics, list) or not all(isinstance(line, dict) and needed <= set(line) for line in metrics):
        raise ValueError(f"{file} must hold a list of metrics, got {metrics!r:.60}")
    return content


def _experiment(report: Mapping[str, Any], file: Path) -> Experiment:
    """Rebuild the experiment: from the report itself, else from the files beside it."""
    named, beside = report.get("experiment"), file.parent
    try:
        if isinstance(named, dict):
            return Experiment.from_dict(named)
        if isinstance(named, str) and "=" in named:
            return Experiment.from_toml(named)
        if (beside / EXPERIMENT).exists():
            return Experiment.from_toml((beside / EXPERIMENT).read_text(encoding="utf-8"))
        if (beside / RUN).exists():
            return store.load(beside / RUN).experiment  # type: ignore[no-any-return]
    except (KeyError, TypeError, ValueError) as error:
        raise _not_rebuilt(file, error) from None
    raise ValueError(f"{file} cannot be replayed: it names no experiment, and there is no {EXPERIMENT} beside it")


def _same_experiment(experiment: Experiment, named: list[Any], file: Path) -> None:
    """Refuse another experiment than the one that report, fact sheet and run name by key."""
    for key in named:
        if isinstance(key, str) and re.fullmatch("[0-9a-f]{64}", key) and key != experiment.key:
            raise ValueError(f"{file} cannot be replayed: the files beside it are of experiments "
                             f"{key[:8]} and {experiment.key[:8]}")  # fmt: skip


def _profile(
    report: Mapping[str, Any], sheet: FactSheet | None, given: str | os.PathLike[str] | Profile | None, file: Path
) -> Profile:
    name = report.get("profile")
    if given is None and name not in PROFILES:
        raise ValueError(f"{file} cannot be replayed without its profile {name!r}: give the file that defines it")
    chosen = profile_named(given if given is not None else str(name))
    if chosen.name != name:
        raise ValueError(f"{file} was scored with profile {name!r}, got profile {chosen.name!r}")
    if sheet is None and chosen.taxonomy.view is not None:
        raise ValueError(f"{file} cannot be replayed: profile {name!r} needs the {FACTS} beside it")
    return chosen


def _played(experiment: Experiment, file: Path, progress: bool, observers: Iterable[Observer]) -> RunRecord:
    """Play the experiment; only what cannot be built is put in other words."""
    try:
        build(experiment)
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise _not_rebuilt(file, error) from None
    return run(experiment, progress, observers)


def _not_rebuilt(file: Path, error: Exception) -> ValueError:
    words = error.args[0] if isinstance(error, KeyError) and error.args else error
    return ValueError(f"{file} cannot be replayed, its experiment cannot be rebuilt here: {words}")


def _rounds(stored: RunRecord, played: RunRecord, same: Same) -> Iterator[Line]:
    """Compare the table of rounds, one line a column, and the model, one line an array."""
    first = RunRecord(played.experiment, list(played)[: len(stored)])
    for name in _TABLES:
        yield same.arrays(f"run, {name}", stored.stack(name), first.stack(name))
    for name, was in dict(stored.last.state or {}).items():
        yield same.arrays(f"model, {name}", was, dict(first.last.state).get(name))


def _log(path: Path, sheet: FactSheet) -> Line:
    """Verify the event log; one that the sheet names and that is not there does not hold."""
    if not path.exists():
        return Line("event log", "unbroken", f"missing: there is no {path.name} beside the report", "changed")
    found = verify(path, sheet.get("log", "head"), sheet.get("log", "events"))
    words = "unbroken" if found.sound else f"event {found.at}: {found.reason}"
    return Line("event log", "unbroken", words, "holds" if found.sound else "changed")
