"""`examine` measures what a fact sheet leaves out because it costs trainings, gradients or many predictions."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import trustkit.examination.contributed  # these modules fill the table of measures
import trustkit.examination.disclosed
import trustkit.examination.exposed
import trustkit.examination.identified
import trustkit.examination.paired
import trustkit.examination.poisoned
import trustkit.examination.probed  # noqa: F401
from trustkit.examination.covered import coverage_share
from trustkit.examination.identified import columns_named
from trustkit.examination.needed import too_large
from trustkit.examination.subject import MEASURES, Cost, Found, Measure, NotMeasured, Subject
from trustkit.records import Progress, RunRecord
from trustkit.rounds import build, data_of
from trustkit.trust.fields import LIMIT

__all__ = ["MEASURES", "Examination", "examine"]

_WEIGHTS: dict[Cost, int] = {"counts": 1, "predictions": 3, "gradients": 5, "trainings": 20}
"""What a measure takes of the progress bar."""


@dataclass(frozen=True, eq=False)
class Examination(Mapping[str, Any]):
    """What an examination found: a mapping of facts by ``section/name``, ready for a fact sheet.

    Parameters
    ----------
    facts : mapping of str to object
        Values by ``section/name``.
    remarks : mapping of str to str
        By measure, in a sentence, what its numbers do not say.
    skipped : mapping of str to str
        By measure that was not taken, why not.
    seconds : mapping of str to float
        By measure that was taken, how long it took.
    """

    facts: Mapping[str, Any]
    remarks: Mapping[str, str]
    skipped: Mapping[str, str]
    seconds: Mapping[str, float]

    def __getitem__(self, path: str) -> Any:
        return self.facts[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        return f"Examination({len(self.facts)} facts by {len(self.seconds)} measures, {len(self.skipped)} skipped)"


def examine(
    record: RunRecord, *, measures: Iterable[str] | None = None, rows: int | None = None, seed: int = 0,
    progress: Progress | None = None, quasi: Iterable[str] | None = None,
    coverage: float | str | os.PathLike[str] | None = None, share: float = 0.2, radius: float = 0.1,
) -> Examination:  # fmt: skip
    """Attack a finished run, look for what it gives away, and share out what its clients brought.

    Parameters
    ----------
    record : RunRecord
        At least one round; the last has its state. It is not changed.
    measures : iterable of str, optional
        Names from `MEASURES`; by default all.
    rows : int, optional
        At least 1: held-out rows that are looked at. By default 1,000, or 200 of images above 256 pixels.
    seed : int
        Which rows, and who attacks, follow from it; everything else follows from the run's own seed.
    progress : callable, optional
        Told the measure and how much of everything is done, 0 … 1; what it raises ends the examination.
    quasi : iterable of str, optional
        The columns by which somebody might be told apart; by default a guess, see ``anonymity``.
    coverage : float or path-like, optional
        Which share of the code tests run, in [0, 1], or a report in the format of Cobertura.
    share : float
        Above 0, at most 1: which share of the clients attacks, rounded to whole clients, at least one.
    radius : float
        At least 0: by how much a scaled feature is changed.

    Returns
    -------
    Examination
        Facts for `FactSheet.with_facts`. A measure that makes no sense for the run, or that will not fit into memory,
        leaves its facts out and is in ``skipped`` with its reason.

    Raises
    ------
    KeyError
        If there is no such measure or column.
    TypeError, ValueError
        If a number is out of range, the coverage report cannot be read, or the run has no round with its state.

    Notes
    -----
    Poisoning plays the training again four times, data quality and contributions once or twice each, aggregation once,
    replacement in part; the other measures cost about as much as a few evaluations.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 4: the metrics that its own prototype leaves out as too
    costly.

    Deviations
    ----------
    By measure, in its own description.

    Examples
    --------
    >>> from trustkit import presets, run
    >>> found = examine(run(presets()["start"].change(rounds=1)), measures=["discrimination"])
    >>> list(found), dict(found.skipped)
    (['fairness/discrimination_index'], {})
    """
    chosen = _chosen(MEASURES if measures is None else measures)
    subject = _subject(record, rows, seed, quasi, coverage, share, radius)
    axis = subject.built.fed.partition.axis
    refused = {each.name: words for each in chosen if (words := too_large(subject, each))}
    facts: dict[str, Any] = {}
    remarks, skipped, seconds = dict[str, str](), dict[str, str](), dict[str, float]()
    whole, done = sum(_WEIGHTS[each.cost] for each in chosen), 0
    for each in chosen:
        began, weight = time.perf_counter(), _WEIGHTS[each.cost]

        def tell(part: float, name: str = each.name, done: int = done, weight: int = weight) -> None:
            if progress is not None:
                progress(name, (done + weight * part) / whole)

        tell(0.0)
        try:
            if axis not in each.axes:
                raise NotMeasured(f"not for {axis}")
            if each.name in refused:
                raise NotMeasured(refused[each.name])
            found: Found = each.function(subject, tell)
        except NotMeasured as reason:
            skipped[each.name] = str(reason)
        else:
            facts |= {path: value for path, value in found.facts.items() if _fits(value, len(subject.data.y))}
            remarks |= {each.name: found.remark} if found.remark else {}
            seconds[each.name] = time.perf_counter() - began
        done += weight
        tell(1.0, done=done - weight)
    return Examination(facts, remarks, skipped, seconds)


def _chosen(names: Iterable[str]) -> list[Measure]:
    if isinstance(names, str):
        raise TypeError(f"measures must be a list of names, got {names!r}")
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in MEASURES:
            close = difflib.get_close_matches(str(name), MEASURES, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise KeyError(f"there is no measure {name!r}; {hint}known are {', '.join(MEASURES)}")
    return [each for name, each in MEASURES.items() if name in wanted]


def _subject(
    record: RunRecord, rows: int | None, seed: int, quasi: Iterable[str] | None, coverage: Any, share: float,
    radius: float,
) -> Subject:  # fmt: skip
    """Check everything before anything is measured."""
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows!r}")
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share!r}")
    if not (radius >= 0 and np.isfinite(radius)):
        raise ValueError(f"radius must be at least 0 and finite, got {radius!r}")
    if isinstance(quasi, str):
        raise TypeError(f"quasi must be a list of columns, got {quasi!r}")
    if record.last.state is None:
        raise ValueError(f"the last round of a run must have its state, got round {record.last.index} without")
    data, named = data_of(record.experiment), None if quasi is None else tuple(dict.fromkeys(quasi))
    if named is not None:
        columns_named(data, named)
    stated = None if coverage is None else coverage_share(coverage)
    looked = rows or (200 if data.image is not None and data.X.shape[1] > 256 else 1_000)
    return Subject(record, build(record.experiment), looked, seed, share, radius, named, stated)


def _fits(value: Any, rows: int) -> bool:
    """Whether a fact sheet takes a value: no list that is very long, or as long as the data."""
    return not isinstance(value, (list, np.ndarray)) or (len(value) <= LIMIT and len(value) != rows)
