"""What a visitor of a public page may ask for, in work and in memory; and how it is said when it is too much."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

from trustkit.widgets.further import rest_of
from trustkit.widgets.setting import Setting
from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated

from trustkit import Experiment
from trustkit.capped import Caps, above, capped, part_of
from trustkit.catalogue import DATASETS, Use
from trustkit.clamped import made_of
from trustkit.rounds import data_of
from trustkit.serving.confined import MEMORY

if TYPE_CHECKING:
    from trustkit.widgets.lab import Lab

__all__ = ["PUBLIC", "as_played", "caps", "explained", "noted", "permitted", "refused", "within"]

PUBLIC = "TRUSTKIT_PUBLIC"
"""The environment variable of a kernel that is "1" on a public page."""

_FULL = ("allocate memory", "unable to allocate", "can't start new thread", "bad_alloc")


def caps() -> Caps | None:
    """Return the caps of this page.

    Returns
    -------
    Caps or None
        ``None`` unless the environment says that the page is public.
    """
    return Caps() if os.environ.get(PUBLIC) == "1" else None


def within(setting: Setting) -> tuple[Setting, tuple[str, ...]]:
    """Bring a setting under the caps of this page.

    Parameters
    ----------
    setting : Setting
        From a form, a preset or a link.

    Returns
    -------
    setting : Setting
        With fewer rounds, parties and made-up rows where it asked for too many, and a part of a table that is too long.
    notes : tuple of str
        What was changed.
    """
    most = caps()
    if most is None:
        return setting, ()
    try:
        experiment, notes = capped(setting.experiment(), most)
    except (KeyError, TypeError, ValueError):  # the page has a card about it
        return setting, ()
    if not notes:
        return setting, ()
    rows = setting.across_rows
    changes: dict[str, Any] = {"rounds" if rows else "epochs": experiment.rounds}
    parties = experiment.split.args.get("parties")
    if isinstance(parties, int) and setting.takes("parties"):
        changes["clients" if rows else "parties"] = parties
    changes["data" if rows else "table"] = experiment.data.name
    data = {name: value for name, value in rest_of(experiment).items() if name.startswith("data__")}
    others = {name: value for name, value in setting.more if not name.startswith("data__")}
    return setting.change(**changes).change(more={**others, **data}), notes


def as_played(preset: Experiment, experiment: Experiment | None) -> bool:
    """Tell whether an experiment is a preset, as this page plays it.

    Parameters
    ----------
    preset : Experiment
        As it is on a page of one's own.
    experiment : Experiment, optional
        Of the controls.

    Returns
    -------
    bool
        Also where a public page has cut the preset.
    """
    if preset == experiment:
        return True
    most = caps()
    if most is None or experiment is None:
        return False
    near = experiment.data if experiment.data.name == preset.data.name else made_of(experiment.data)
    alike = near is not None and _apart_from_rows(near) == _apart_from_rows(preset.data)
    return alike and capped(preset, most)[0] == experiment  # which loads no data that are not here already


def _apart_from_rows(data: Use) -> Use:
    """A data set without how many rows it makes up."""
    return Use(data.name, {**DATASETS.complete(data).args, "rows": None})


def refused(experiment: Experiment) -> ValueError | None:
    """Say why this page may not play an experiment.

    Parameters
    ----------
    experiment : Experiment
        From anywhere.

    Returns
    -------
    ValueError or None
        ``None`` if it may, as always where the page is not public.
    """
    most = caps()
    complaint = "" if most is None else above(experiment, most)
    return ValueError(complaint) if complaint else None


def permitted(experiment: Experiment) -> Experiment:
    """Return an experiment that this page may play.

    Parameters
    ----------
    experiment : Experiment
        From anywhere.

    Returns
    -------
    Experiment
        The same.

    Raises
    ------
    ValueError
        If the page is public and it asks for more than the caps.
    """
    error = refused(experiment)
    if error is not None:
        raise error
    return experiment


def explained(error: Exception | None) -> Exception | None:
    """Say in plain words what stopped a training, where that was the memory of a public page.

    Parameters
    ----------
    error : Exception, optional
        What was raised.

    Returns
    -------
    Exception or None
        A `MemoryError` with the limit and what to do, or the same.
    """
    memory = os.environ.get(MEMORY, "")
    full = isinstance(error, MemoryError) or any(part in str(error).lower() for part in _FULL)
    if error is None or not memory or not full:
        return error
    return MemoryError(say("public.memory", most=f"{int(memory):,}"))


def noted(lab: Lab) -> str:
    """Say what was brought under the caps of this page.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    str
        HTML; empty if nothing was.
    """
    notes = lab.notes or _standing(lab)
    if not notes:
        return ""
    words = say("public.capped", notes=", ".join(map(translated, notes)))
    return f'<p class="tk-caveat" role="status">{html.escape(words)}</p>'


def _standing(lab: Lab) -> tuple[str, ...]:
    """What stays cut while other controls move: the rows of a table that is too long for this page."""
    part = None if caps() is None or lab.experiment is None else data_of(lab.experiment).notes.get("sampled")
    return () if part is None else (part_of(part["rows"], part["whole"]),)
