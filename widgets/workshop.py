"""Where an episode of the workshop begins: a `Lab` with its controls, its lesson, its baseline and recorded runs."""

from __future__ import annotations

from trustkit.widgets.lab import Lab
from trustkit.widgets.player import Outcome, measure
from trustkit.widgets.setting import Setting

from trustkit.workshop import episode_of, recorded

__all__ = ["checkpoint"]


def checkpoint(number: str) -> Lab:
    """Return the state that an episode begins with, whatever was done before.

    Parameters
    ----------
    number : str
        Of an episode, as ``"03"``.

    Returns
    -------
    Lab
        For `trustkit.widgets.app`. Controls, hidden controls and task are the episode's. Runs with the controls' seed
        that come with the episode are results already: they were played when this trustkit was made, not now. Where the
        episode compares, its baseline is pinned.

    Raises
    ------
    KeyError
        If there is no such episode.
    ValueError
        If the episode has no controls.
    """
    episode = episode_of(number)
    if episode.start is None:
        raise ValueError(f"an episode must have controls to go back to, got {number}, which has none")
    known: dict[str, Outcome] = {
        experiment.key: measure(record)
        for experiment, record in recorded(number).items()
        if experiment.seed == episode.start.seed
    }
    lab = Lab(Setting.of(episode.start), known.get(episode.start.key))
    for outcome in known.values():
        lab.results.keep(outcome)
    lab.lesson = episode.lesson
    if episode.baseline is not None:
        lab.pin(known[episode.baseline.key])
    return lab
