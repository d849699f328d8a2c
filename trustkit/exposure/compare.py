"""`compare_exposure`: the same attacks on one algorithm or defence after the other."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile
from trustkit.comparison.kept import play_all
from trustkit.experiment import Experiment
from trustkit.exposure.measure import checked, exposure_of
from trustkit.exposure.result import Exposure
from trustkit.exposure.tradeoff import Tradeoff, Trial
from trustkit.records import Progress, RunRecord
from trustkit.rounds import build

__all__ = ["compare_exposure", "trial_of"]


def compare_exposure(
    experiments: Mapping[str, Experiment] | Iterable[Experiment], seeds: Iterable[int] = range(3),
    folder: str | os.PathLike[str] | None = None, progress: Progress | None = None, **options: Any,
) -> Tradeoff:  # fmt: skip
    """Play experiments over the same seeds, attack every run, and put privacy, quality and bytes side by side.

    Parameters
    ----------
    experiments : mapping of str to Experiment, or iterable of Experiment
        Over columns; by default labelled by algorithm and mechanism.
    seeds : iterable of int
        At least one, each once.
    folder : path-like, optional
        Where each run, and what attacks found, is kept as soon as it is finished; a comparison that was ended goes on
        from there.
    progress : callable, optional
        Told what is done and how much of it is done, 0 … 1; it may raise `trustkit.records.Stopped`.
    **options
        As `exposure_of` takes them: rows, seeds of attacks as ``attack_seeds``, labelled, pairs, parties, seed.

    Returns
    -------
    Tradeoff
        By label and seed. An experiment that cannot be played is in it with the reason.

    Raises
    ------
    ValueError
        If there is no experiment, labels or seeds repeat, one is not over columns, or an option is out of range.
    """
    wanted, numbers = _labelled(experiments), tuple(seeds)
    if not numbers or len(set(numbers)) != len(numbers):
        raise ValueError(f"seeds must be at least one and differ, got {', '.join(map(str, numbers)) or 'none'}")
    if "attack_seeds" in options:
        options["seeds"] = options.pop("attack_seeds")
    checked(**options)
    places = {(label, seed): each.change(seed=seed) for seed in numbers for label, each in wanted.items()}
    refused = {place: _refusal(each) for place, each in places.items()}
    todo = list({each.key: each for place, each in places.items() if not refused[place]}.values())

    found: dict[str, Trial] = {}

    def tell(words: str, part: float) -> None:
        if progress is not None and len(found) < len(todo):
            now = todo[len(found)]
            progress(f"{now.algorithm.name}, seed {now.seed}{words}", (len(found) + part) / len(todo))

    def playing(done: int, part: float) -> None:
        tell("", 0.5 if done > len(found) else part / 2)

    def attacking(words: str, done: float) -> None:
        tell(f": {words}", (1 + done) / 2)

    for record in play_all(todo, folder, None, playing):
        found[record.experiment.key] = trial_of(record, _attacked(record, folder, options, attacking))
    trials = {place: Trial(refused=refused[place]) if refused[place] else found[each.key]
              for place, each in places.items()}  # fmt: skip
    if progress is not None:
        progress("compared", 1.0)
    regression = _numbers(todo)
    return Tradeoff(numbers, {label: tuple(trials[label, seed] for seed in numbers) for label in wanted}, regression)


def _labelled(experiments: Mapping[str, Experiment] | Iterable[Experiment]) -> dict[str, Experiment]:
    if isinstance(experiments, Mapping):
        found = dict(experiments)
    else:
        found = {}
        for each in experiments:
            label = each.algorithm.name + (f" + {each.privacy.name}" if each.privacy else "")
            if label in found:
                raise ValueError(f"experiments must differ by label, got {label!r} twice; name them in a mapping")
            found[label] = each
    if not found:
        raise ValueError("experiments must be at least one, got none")
    for label, each in found.items():
        if each.axis != "columns":
            raise ValueError(f"experiments must be over columns, got {label!r} over {each.axis}")
    return found


def _refusal(experiment: Experiment) -> str:
    try:
        build(experiment)
    except ValueError as error:
        return str(error)
    return ""


def _numbers(experiments: list[Experiment]) -> bool:
    """Whether the labels are numbers."""
    return any(not build(each).fed.data.classes for each in experiments[:1])


def trial_of(record: RunRecord, found: Exposure | None = None) -> Trial:
    """Put a run's quality, bytes and ε beside what attacks found.

    Parameters
    ----------
    record : RunRecord
        Over columns, at least one round.
    found : Exposure, optional
        What `exposure` found.

    Returns
    -------
    Trial
        Quality is accuracy, or R² of a regression on its test rows.
    """
    quality = float(record.last.accuracy[0])
    data = build(record.experiment).fed.data
    if not data.classes:
        spread = float(np.var(data.y[data.held_out])) if data.held_out.any() else 0.0
        quality = 1 - float(record.last.loss[0]) / spread if spread > 0 else math.nan
    return Trial(quality, float(record.bytes_up.sum()), float(record.last.epsilon), found)


def _attacked(
    record: RunRecord, folder: str | os.PathLike[str] | None, options: dict[str, Any], tell: Progress
) -> Exposure:
    """Attack a run, unless the folder knows already what that finds."""
    asked = {name: list(value) if name == "seeds" else value for name, value in options.items()}
    place = None if folder is None else Path(folder) / f"{record.experiment.key}.exposure.json"
    if place is not None and place.exists():
        content = jsonfile.read(place)
        if isinstance(content, dict) and content.get("asked") == asked:
            return Exposure.from_dict(content["found"])
    found = exposure_of(record, **options, progress=tell)
    if place is not None:
        jsonfile.write_text(place, jsonfile.dumps({"asked": asked, "found": found.to_dict()}))
    return found
