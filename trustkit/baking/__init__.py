"""A grid of runs in one HTML file with a slider: for documentation, slides, learning platforms and phones."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trustkit import jsonfile
from trustkit.baking.frames import PICTURES, frame_of, scored
from trustkit.baking.page import LARGEST, called, page
from trustkit.baking.varying import MOST_FRAMES, Setting, compared, varied
from trustkit.baking.wording import words_of
from trustkit.experiment import Experiment
from trustkit.preset import scaled_down
from trustkit.records import Progress, RunRecord
from trustkit.scale import sweep

__all__ = ["LARGEST", "MOST_FRAMES", "USUAL", "snapshot"]

USUAL = ("radar", "accuracy", "fairness")
"""Pictures of a frame."""


def snapshot(
    start: Experiment | Sequence[Experiment],
    over: Mapping[str, Sequence[Any]] | None = None,
    path: str | os.PathLike[str] = "snapshot.html",
    *,
    pictures: Sequence[str] = USUAL,
    workers: int | None = 0,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    caveat: str | None = None,
    language: str = "",
) -> Path:
    """Play a grid of experiments and write one HTML page with a slider for each setting.

    The page needs no kernel and no network: it opens from a file, in a frame of another page, on a phone, in the light
    and in the dark, and is moved by keyboard.

    Parameters
    ----------
    start : Experiment or sequence of Experiment
        What is varied; or experiments that are laid along one slider, as `trustkit.grid` makes them.
    over : mapping of str to sequence, optional
        Values by name: ``{"privacy.epsilon": [0.5, 1, 2, 4, 8, "off"]}``; see `trustkit.baking.varying.varied`.
    path : path-like
        Where to; written whole or not at all.
    pictures : sequence of str
        Of "radar", "accuracy", "fairness" and "split", at least one.
    workers : int, optional
        Processes that play runs; by default none, ``None`` for one a core.
    store : path-like, optional
        A folder that keeps finished runs, so that a second snapshot is quick.
    progress : callable, optional
        As for `trustkit.sweep`.
    caveat : str, optional
        What is smaller than in what the runs are named after; by default what a preset says of itself.
    language : str
        Of the page, "en" or "de"; by default what the environment variable ``TRUSTKIT_LANGUAGE`` says, else "en".
        Sources, licences and names of arguments stay as they are.

    Returns
    -------
    pathlib.Path
        The written file: at most 2,000,000 bytes.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a setting does not fit, which is said before anything is played; if a run failed; or if the page would be too
        large, with the frames that take most.

    Examples
    --------
    >>> import tempfile
    >>> from trustkit import use
    >>> start = Experiment("wine", use("dirichlet", parties=3, min_rows=10), "fedavg", "logistic", rounds=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = snapshot(start, {"rounds": [1, 2]}, Path(folder) / "rounds.html")
    ...     text = file.read_text(encoding="utf-8")
    >>> text.count("<template"), "Content-Security-Policy" in text, "http://" in text.replace("http://www.w3.org", "")
    (2, True, False)
    """
    for name in pictures:
        if name not in PICTURES:
            raise ValueError(f"pictures must be of {', '.join(PICTURES)}, got {name!r}")
    if not pictures:
        raise ValueError("pictures must be at least one, got none")
    words = words_of(language)
    settings, wanted = _wanted(start, over, words.language)
    found = sweep(wanted, workers=workers, store=store, progress=progress)
    records = [_finished(found[each], called(settings, k)) for k, each in enumerate(wanted)]
    first = wanted.index(start) if isinstance(start, Experiment) and start in wanted else 0
    _, before = scored(records[first])
    frames = [frame_of(record, pictures, None if k == first else before, words.language)
              for k, record in enumerate(records)]  # fmt: skip
    told = _caveat(start) if caveat is None else caveat
    return jsonfile.write_text(path, page(settings, frames, first, told, words.language))


def _wanted(
    start: Experiment | Sequence[Experiment], over: Mapping[str, Sequence[Any]] | None, language: str
) -> tuple[list[Setting], list[Experiment]]:
    if isinstance(start, Experiment):
        return varied(start, over or {}, language)
    if over:
        raise ValueError("over varies one experiment, got it with several")
    return compared(start, language)


def _caveat(start: Experiment | Sequence[Experiment]) -> str:
    return scaled_down(start) if isinstance(start, Experiment) else ""


def _finished(found: Any, name: str) -> RunRecord:
    if not isinstance(found, RunRecord):
        raise ValueError(f"the run with {name} failed: {found.message}")
    return found
