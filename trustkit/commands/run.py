"""The command ``trustkit run``: an experiment by name or file, changed, played, scored and written."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trustkit import export, jsonfile, store, whole
from trustkit import rounds as playing
from trustkit.catalogue import Use
from trustkit.commands.split import _argument
from trustkit.experiment import Experiment, _read_none
from trustkit.facts import facts_of, log_of
from trustkit.preset import PRESETS, scaled_down
from trustkit.records import Round, RunRecord, Stopped
from trustkit.trust import FactSheet, assess, model_card
from trustkit.trust.energy import EnergyMeter
from trustkit.trust.stated import read_stated

__all__ = ["ARTEFACTS", "changed", "perform"]

ARTEFACTS = "modelcard.md, factsheet.json, events.jsonl, experiment.toml and run.npz of the run's folder"
"""What a run leaves for an audit to collect."""
_KEEP_EVERY = 2.0
"""Least seconds between two checkpoints. Keeping takes at most a twentieth of the time, however large the model."""


def perform(
    name: str, out: Path, reports: tuple[str, ...], changes: Mapping[str, Any], setting: list[str], progress: bool,
    stated: Path | None = None,
) -> Iterator[str]:  # fmt: skip
    """Run an experiment and write report, model card, fact sheet, event log and the run.

    A run that was killed goes on from its last checkpoint when it is asked for again. Checkpoint and event log have
    "part" in their names until the run is finished; the files of an earlier run in the folder stay until then.

    Parameters
    ----------
    name : str
        A preset's name or a TOML file.
    out : pathlib.Path
        Folder in which the run gets a folder of its own.
    reports : tuple of str
        Suffixes of the reports.
    changes : mapping
        Parts of the experiment by name; ``None`` for no change.
    setting : list of str
        Further ones, as ``attack__share=0.3``.
    progress : bool
        Whether to show a progress bar.
    stated : pathlib.Path, optional
        A TOML file of what people state; see `trustkit.trust.stated.read_stated`.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such experiment or it does not fit; nothing is written then.
    OSError
        If something cannot be written.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    wanted = _experiment(name)
    words = scaled_down(wanted)  # asked before it is changed: a preset with another seed is still that preset
    known: dict[str, Any] = {"data__scaled_down": words} if words else {}
    wanted = changed(wanted, setting, **changes)
    told = FactSheet() if stated is None else read_stated(stated)
    known |= {"audit__artifacts": ARTEFACTS, **{path.replace("/", "__"): fact for path, fact in told.values.items()}}
    playing.build(wanted)  # refuses what does not fit before anything is written
    target = out / f"{_stem(name)}-{wanted.key[:8]}"
    checkpoint, events = target / "run.part.npz", target / "events.part.jsonl"
    with whole.alone(target):  # who ends the same run takes both parts away
        whole.tidy(target)
        begun = _begun(wanted, checkpoint)
        log = log_of(wanted, events, after=len(begun) if begun else None)
    if begun:
        yield f"going on after round {len(begun)} of {wanted.rounds}\n"
    keeper = _Keeper(begun or RunRecord(wanted), checkpoint)
    try:
        with EnergyMeter() as meter:
            record = playing.run(wanted, progress, [log, keeper], begun, lean=True)
        energy = None if begun else meter.energy  # nobody measured what was trained before
        facts = facts_of(record, log=log, energy=energy, **known).with_claims(*told.claims)
    except KeyboardInterrupt:
        raise Stopped(keeper.last_words()) from None
    report = assess(facts)
    with whole.alone(target):  # of two that ran the same, all files are one's
        log.save(target / "events.jsonl")
        facts.save(target / "factsheet.json")
        jsonfile.write_text(target / "modelcard.md", model_card(facts, report))
        for suffix in reports:
            export.write(report, target / f"report{suffix}")
        export.write(wanted, target / "experiment.toml")
        store.save(record, target / "run.npz")
        for part in (checkpoint, events):
            part.unlink(missing_ok=True)
    yield report.to_text()
    yield f"\nwritten to {target}"


def _begun(wanted: Experiment, checkpoint: Path) -> RunRecord | None:
    """Return the part of a run that a checkpoint holds, if it holds one; a damaged one is no reason to stop."""
    try:
        found = store.load(checkpoint)
    except (FileNotFoundError, ValueError):
        return None
    return found if found.experiment.key == wanted.key and not found.complete else None


class _Keeper:
    """An observer that saves what was played so far, every few seconds and when the run is stopped."""

    def __init__(self, begun: RunRecord, checkpoint: Path) -> None:
        self._kept, self._checkpoint = RunRecord(begun.experiment, begun), checkpoint
        self._due = time.monotonic() + _KEEP_EVERY

    def __call__(self, played: Round) -> None:
        self._kept(played)
        self._kept.let_go()
        began = time.monotonic()
        if began >= self._due and not self._kept.complete:
            store.save(self._kept, self._checkpoint)
            ended = time.monotonic()
            self._due = ended + max(_KEEP_EVERY, 19 * (ended - began))

    def last_words(self) -> str:
        """Save what was played, and say what is left of a run that was stopped."""
        if not len(self._kept):
            return "no round was finished, and the same command begins anew"
        store.save(self._kept, self._checkpoint)
        return f"{len(self._kept)} rounds are in {self._checkpoint}, and the same command goes on"


def changed(wanted: Experiment, setting: list[str], **given: Any) -> Experiment:
    """Change whole parts of an experiment, then arguments of parts.

    Parameters
    ----------
    wanted : Experiment
        What to change.
    setting : list of str
        As ``model=mlp`` or ``attack__share=0.3``; "none" unsets what can be unset.
    **given
        Further parts by name; ``None`` for no change, "none" to unset one.

    Returns
    -------
    Experiment
        Checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a part is named twice, is unknown, or does not fit.
    """
    parts, arguments = {name: value for name, value in given.items() if value is not None}, dict[str, Any]()
    for name, value in map(_argument, setting):
        if name in parts or name in arguments:
            raise ValueError(f"{name} must be given once, got it twice")
        (arguments if "__" in name else parts)[name] = value
    wanted = wanted.change(**{name: None if value == "none" else value for name, value in parts.items()})
    for name, value in arguments.items():
        part, _, argument = name.partition("__")
        used = getattr(wanted, part, None)
        if isinstance(used, Use):
            arguments[name] = _read_none(part, {"name": used.name, argument: value})[argument]
    return wanted.change(**arguments)


def _experiment(name: str) -> Experiment:
    if name.lower().endswith(".toml"):
        try:
            return Experiment.from_toml(Path(name).read_text(encoding="utf-8"))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{name} must be an experiment in TOML, got: {error.args[0]}") from None
    if name not in PRESETS:
        raise KeyError(f"there is no preset {name!r}; known are {', '.join(PRESETS)}; or give a .toml file")
    return PRESETS[name].make()


def _stem(name: str) -> str:
    return Path(name).stem if name.lower().endswith(".toml") else name.replace("/", "-")
