"""How much work one page may ask for where many visitors share a machine: caps, and what lies above them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trustkit import jsonfile
from trustkit.catalogue import DATASETS
from trustkit.clamped import made_of
from trustkit.experiment import Experiment
from trustkit.rounds import data_of
from trustkit.uses import Use, use

__all__ = ["Caps", "above", "capped", "part_of"]

_STATES = {"acs_synthetic": 51, "feda4fair": 51}
"""Data sets whose ``rows`` are those of a state, with the most states that they may have."""


@dataclass(frozen=True)
class Caps:
    """The most that a page may ask for.

    Parameters
    ----------
    clients : int
        Parties, across rows or columns.
    rounds : int
        Of training.
    rows : int
        Of a data set, training and held-out rows together.
    """

    clients: int = 100
    rounds: int = 100
    rows: int = 20_000


def capped(experiment: Experiment, caps: Caps) -> tuple[Experiment, tuple[str, ...]]:
    """Bring an experiment under the caps.

    Parameters
    ----------
    experiment : Experiment
        Its data are loaded, unless they are a file.
    caps : Caps
        The most of each.

    Returns
    -------
    experiment : Experiment
        With fewer rounds, parties and made-up rows where it asked for too many; of a table that is too long a part is
        drawn at random, see `trustkit.datasets.sampled`.
    notes : tuple of str
        What was changed, as ``"rounds 200 → 100"`` or ``"data: 20,000 of 58,079 rows"``.

    Examples
    --------
    >>> experiment = Experiment("adult", "iid", model="logistic", rounds=200)
    >>> cut, notes = capped(experiment, Caps())
    >>> notes
    ('rounds 200 → 100', 'data: 20,000 of 32,561 rows')
    >>> cut.data.name, cut.data.args["of"], cut.data.args["rows"]
    ('sampled', 'adult', 20000)
    """
    changes: dict[str, Any] = {}
    notes = []
    for words, name, now, most in _sizes(experiment, caps):
        if now > most:
            changes[name] = most
            notes.append(f"{words} {now:,} → {most:,}")
    experiment = experiment.change(**changes) if changes else experiment
    if not any(map(_reads, _layers(experiment.data))) and not _made_too_long(experiment.data, caps):
        rows = len(data_of(experiment).y)
        if rows > caps.rows:
            experiment = experiment.change(data=_part(experiment.data, caps.rows))
            notes.append(part_of(caps.rows, rows))
    return experiment, tuple(notes)


def above(experiment: Experiment, caps: Caps) -> str:
    """Say in which way an experiment asks for too much.

    Parameters
    ----------
    experiment : Experiment
        Its data are loaded if nothing else is above a cap.
    caps : Caps
        The most of each.

    Returns
    -------
    str
        One sentence, or empty.

    Examples
    --------
    >>> above(Experiment("wine", "iid", model="logistic", rounds=200), Caps())
    'rounds must be at most 100 on a public page, got 200'
    >>> above(Experiment("wine", "iid", model="logistic"), Caps())
    ''
    """
    for words, _, now, most in _sizes(experiment, caps):
        if now > most:
            return f"{words} must be at most {most:,} on a public page, got {now:,}"
    if any(map(_reads, _layers(experiment.data))):
        return "a public page reads no files: choose one of its data sets"
    name = experiment.data.name
    if _made_too_long(experiment.data, caps):
        return f"the data set that {name} is made of must have at most {caps.rows:,} rows on a public page, got more"
    rows = len(data_of(experiment).y)
    if rows > caps.rows:
        return f"a data set must have at most {caps.rows:,} rows on a public page, got {name} of {rows:,}"
    return ""


def part_of(rows: int, whole: int) -> str:
    """Say that the data are a part of a table.

    Parameters
    ----------
    rows, whole : int
        How many rows are left, and how many there were.

    Returns
    -------
    str
        A note, as `capped` gives them.

    Examples
    --------
    >>> part_of(5000, 48842)
    'data: 5,000 of 48,842 rows'
    """
    return f"data: {rows:,} of {whole:,} rows"


def _sizes(experiment: Experiment, caps: Caps) -> list[tuple[str, str, int, int]]:
    """List in words what has a cap, how `Experiment.change` names it, how much is asked for, and the most."""
    found = [("rounds", "rounds", experiment.rounds, caps.rounds)]
    parties = experiment.split.args.get("parties")
    if isinstance(parties, int):
        found.append(("split parties", "split__parties", parties, caps.clients))
    rows = experiment.data.args.get("rows")
    if isinstance(rows, int):
        found.append(("data rows", "data__rows", rows, _most_rows(experiment.data, caps)))
    return found


def _most_rows(data: Use, caps: Caps) -> int:
    """The most that the argument ``rows`` of a data set may be."""
    states = data.args.get("states")
    times = _STATES.get(data.name, 1) if not isinstance(states, int) else states
    return caps.rows // max(times, 1)


def _part(data: Use, rows: int) -> Use:
    """A part of a data set, with the arguments that are not the defaults."""
    usual = DATASETS[data.name].arguments({})
    given = {name: value for name, value in data.args.items() if value != usual[name]}
    return use("sampled", of=data.name, rows=rows, options=jsonfile.canonical(given) if given else "")


def _layers(data: Use) -> Iterator[Use]:
    """A data set, the one that it is made of, and so on."""
    layer: Use | None = data
    while layer is not None:
        yield layer
        layer = made_of(layer)


def _made_too_long(data: Use, caps: Caps) -> bool:
    """Whether a data set that another is made of would have to make up more rows than a page may have."""
    inner = list(_layers(data))[1:]
    return any(isinstance(rows := each.args.get("rows"), int) and rows > _most_rows(each, caps) for each in inner)


def _reads(data: Use) -> bool:
    """Whether a data set is a file."""
    return DATASETS[data.name].reads
