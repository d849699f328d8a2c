"""What a sweep found, as a table: one row a run, whether it ended well or not."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustkit.experiment import Experiment
from trustkit.jsonfile import canonical
from trustkit.records import RunRecord

__all__ = ["Failure", "rows_of", "to_csv"]


@dataclass(frozen=True)
class Failure:
    """What a sweep has in place of a run that failed.

    Parameters
    ----------
    message : str
        One sentence.
    kind : str
        The error's name, as ``ValueError``; ``BrokenExecutor`` where the worker process ended.
    """

    message: str
    kind: str

    @property
    def complete(self) -> bool:
        """``False``, as of a run that did not end."""
        return False


def rows_of(
    found: Mapping[Experiment, RunRecord | Failure], always: Iterable[str] = ()
) -> list[dict[str, Any]]:  # fmt: skip
    """Make a row of every run.

    Parameters
    ----------
    found : mapping of Experiment to RunRecord or Failure
        What `trustkit.sweep` returned.
    always : iterable of str
        Settings that have a column though they may be the same in all runs, as ``split__alpha``.

    Returns
    -------
    list of dict
        key; the settings in which the experiments differ; rounds; accuracy and loss after the last round, of all
        clients on average, and accuracy of the worst; bytes sent and received by all in all rounds; epsilon; seconds
        of the rounds; failure. ``None`` where a run failed or has no such setting, NaN where nothing is defined.

    Examples
    --------
    >>> from trustkit import use
    >>> wanted = Experiment("wine", use("iid", parties=2), "fedavg", "logistic")
    >>> row = rows_of({wanted: Failure("no such luck", "ValueError")}, always=["seed"])[0]
    >>> row["seed"], row["accuracy"], row["failure"]
    (0, None, 'ValueError: no such luck')
    """
    settings = [_settings(each) for each in found]
    names = list(dict.fromkeys([*always, *(name for each in settings for name in each)]))
    varied = [name for name in names if name in always or _differs(name, settings)]
    return [
        {"key": each.key, **{name: said.get(name) for name in varied}, **_measures(outcome)}
        for (each, outcome), said in zip(found.items(), settings, strict=True)
    ]


def _settings(experiment: Experiment) -> dict[str, Any]:
    """Spell an experiment as `Experiment.change` takes it: parts by name, their arguments as part__argument."""
    flat: dict[str, Any] = {}
    for part, value in experiment.to_dict().items():
        if isinstance(value, dict):
            flat[part] = value["name"]
            flat |= {f"{part}__{name}": inner for name, inner in value.items() if name != "name"}
        else:
            flat[part] = value
    return flat


def _differs(name: str, settings: Iterable[Mapping[str, Any]]) -> bool:
    return len({canonical(each[name]) if name in each else "" for each in settings}) > 1


def _measures(outcome: RunRecord | Failure) -> dict[str, Any]:
    if isinstance(outcome, Failure):
        names = ("rounds", "accuracy", "worst_accuracy", "loss", "bytes", "epsilon", "seconds")
        return {**dict.fromkeys(names), "failure": f"{outcome.kind}: {outcome.message}"}
    last = outcome.last
    return {
        "rounds": len(outcome), "accuracy": _over_clients(np.mean, last.accuracy),
        "worst_accuracy": _over_clients(np.min, last.accuracy), "loss": _over_clients(np.mean, last.loss),
        "bytes": float(outcome.bytes_up.sum() + outcome.bytes_down.sum()), "epsilon": float(last.epsilon),
        "seconds": float(outcome.seconds.sum()), "failure": None,
    }  # fmt: skip


def _over_clients(reduce: Any, values: np.ndarray) -> float:
    """Reduce what is defined; NaN if nothing is."""
    known = values[~np.isnan(values)]
    return float(reduce(known)) if known.size else float("nan")


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as a table.

    Parameters
    ----------
    rows : iterable of mapping
        With the same names.

    Returns
    -------
    str
        CSV with a head; ``None`` is an empty cell, a list has blanks between its values.

    Examples
    --------
    >>> print(to_csv([{"seed": 0, "hidden": [64, 32], "loss": None}]), end="")
    seed,hidden,loss
    0,64 32,
    """
    listed, text = list(rows), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(listed[0] if listed else [])
    for row in listed:
        writer.writerow([" ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row.values()])
    return text.getvalue()
