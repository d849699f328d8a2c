"""What one worker does with one experiment: plain values come in, plain values go out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trustkit import memory, store
from trustkit.experiment import Experiment
from trustkit.records import RunRecord, Stopped, Tick, watch
from trustkit.rounds import build, play
from trustkit.scale.parcel import unpack

__all__ = ["played"]


def _silent() -> None:
    """Do nothing."""


def played(
    content: Mapping[str, Any],
    parcel: Mapping[str, Any] | None = None,
    tick: Tick = _silent,
    tell: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Play an experiment to its end, whatever comes of it.

    Parameters
    ----------
    content : mapping
        What `Experiment.to_dict` returned.
    parcel : mapping, optional
        The data and names that this process may lack; see `trustkit.scale.parcel`.
    tick : callable, optional
        As for `trustkit.play`; `Stopped` ends it.
    tell : callable, optional
        Told after each round which part is done, 0 … 1; `Stopped` ends it.

    Returns
    -------
    dict
        ``run``: the bytes of `trustkit.store.dumps`; or, of a run that failed, ``kind`` and ``message`` of the error.
    """
    try:
        if parcel is not None:
            unpack(parcel)
        experiment = Experiment.from_dict(content)
        record = RunRecord(experiment)
        memory.keeps(build(experiment).trainer.start(), min(experiment.rounds, 2))  # the newest, and the one in work
        for each in watch(play(experiment, tick=tick), record):
            record.let_go()
            if tell is not None:
                tell(each.index / experiment.rounds)
        return {"run": store.dumps(record)}
    except Stopped:
        raise
    except Exception as error:
        return {"kind": type(error).__name__, "message": _sentence(error)}


def _sentence(error: Exception) -> str:
    """Return an error's words in one line; a KeyError's are its argument."""
    words = error.args[0] if isinstance(error, KeyError) and error.args else error
    return " ".join(str(words).split()) or f"a {type(error).__name__} without words"
