"""An experiment as three lines of Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PRIVACY, SPLITS, Catalogue
from trustkit.experiment import Experiment
from trustkit.uses import Use

__all__ = ["three_lines"]

_CATALOGUES: Mapping[str, Catalogue] = {
    "data": DATASETS, "split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY,
    "attack": ATTACKS, "faults": FAULTS,
}  # fmt: skip


def three_lines(experiment: Experiment) -> str:
    """Write an experiment as three lines of Python: import, experiment, run.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    str
        Executed, they play the same experiment.

    Examples
    --------
    >>> print(three_lines(Experiment("wine", "iid", model="logistic", rounds=3)))
    import trustkit as tk
    experiment = tk.Experiment('wine', 'iid', 'fedavg', model='logistic', rounds=3)
    record = tk.run(experiment)
    """
    inside = [_spelt(part, getattr(experiment, part)) for part in ("data", "split", "algorithm")]
    for part in ("model", "privacy", "attack", "faults"):
        used = getattr(experiment, part)
        inside += [] if used is None else [f"{part}={_spelt(part, used)}"]
    usual = {"rounds": 20, "participation": 1.0, "seed": 0, "secure": False}
    numbers = {name: getattr(experiment, name) for name in usual}
    inside += [f"{name}={value!r}" for name, value in numbers.items() if value != usual[name]]
    return (f"import trustkit as tk\nexperiment = tk.Experiment({', '.join(inside)})\n"
            "record = tk.run(experiment)")  # fmt: skip


def _spelt(part: str, used: Use) -> str:
    """Write a part: its name, or a use with the arguments that are not the defaults."""
    usual = _CATALOGUES[part][used.name].arguments({})
    same = Use("", usual).args
    args = {name: value for name, value in used.args.items() if name not in same or value != same[name]}
    if not args:
        return repr(used.name)
    return f"tk.use({', '.join([repr(used.name), *(f'{name}={_value(value)}' for name, value in args.items())])})"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)
