"""Experiments drawn from the catalogues by a seeded stream, over rows and over columns, small enough to play at once.

Run as a module it plays experiments that it reads from standard input, and tells what came out in digests.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from tests.faults.driving import parts_of
from trustkit.catalogue import ALGORITHMS, ATTACKS, FAULTS, MODELS, PRIVACY, SPLITS, Catalogue, Use, use
from trustkit.experiment import Experiment
from trustkit.parameters import Parameter
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import build, run

__all__ = ["digest_of", "drawn"]

DATA = {"rows": ("wine", "breast_cancer", "digits", "acs_employment"), "columns": ("wine", "breast_cancer")}
SMALL = {"key_bits": 512, "depth": 2, "bins": 4, "hidden": [8], "channels": [2, 2], "local": [6], "top": [6],
         "parties": 4, "attribute": None}  # fmt: skip
"""Numbers that make an experiment quick, wherever a catalogue's entry has them."""


def drawn(number: int, seed: int = 8) -> list[Experiment]:
    """Draw experiments: over rows and over columns by turns, each of which can be built."""
    found: list[Experiment] = []
    for at in count():
        if len(found) == number:
            return found
        wanted = _one(stream(seed, "drawn", at), "columns" if len(found) % 2 else "rows")
        if wanted is not None and wanted not in found:
            found.append(wanted)
    raise AssertionError


def _one(generator: np.random.Generator, axis: str) -> Experiment | None:
    """Draw one; ``None`` where the parts do not go together."""
    rows = axis == "rows"
    some: dict[str, Any] = {
        "participation": float(generator.choice([0.5, 1.0])),
        "secure": bool(generator.random() < 0.2),
    }
    try:
        wanted = Experiment(
            use(str(generator.choice(DATA[axis]))), _entry(generator, SPLITS, axis),
            _entry(generator, ALGORITHMS, axis), _entry(generator, MODELS, "") if rows else None,
            _entry(generator, PRIVACY, "" if rows else axis) if generator.random() < 0.3 else None,
            rounds=int(generator.integers(2, 5)), seed=int(generator.integers(1000)), **(some if rows else {}),
            attack=_entry(generator, ATTACKS, "") if rows and generator.random() < 0.3 else None,
            faults=_entry(generator, FAULTS, "") if rows and generator.random() < 0.3 else None,
        )  # fmt: skip
        build(wanted)
    except (KeyError, TypeError, ValueError):
        return None
    return wanted


def _entry(generator: np.random.Generator, catalogue: Catalogue, axis: str) -> Use:
    """Draw an entry, with some of its parameters."""
    names = [name for name, entry in catalogue.items() if (entry.axis or "") == axis]
    name = str(generator.choice(names))
    args = {each.name: value for each in catalogue[name].parameters if (value := _value(generator, each)) is not None}
    return use(name, **args)


def _value(generator: np.random.Generator, parameter: Parameter) -> Any:
    """Draw a value of a parameter; ``None`` for its default."""
    if parameter.name in SMALL:
        return SMALL[parameter.name]
    if parameter.choices and generator.random() < 0.5:
        return parameter.choices[int(generator.integers(len(parameter.choices)))]
    if isinstance(parameter.default, bool) and generator.random() < 0.5:
        return not parameter.default
    if parameter.name == "lr":
        return float(np.round(10 ** generator.uniform(-3, -1), 4))
    return None


def digest_of(record: RunRecord) -> str:
    """Return a digest of everything that a run holds but for its seconds; NaN counts as the bits that it has."""
    whole = hashlib.sha256()
    for name, value in parts_of(record):
        array = np.ascontiguousarray(value)
        whole.update(f"{name} {array.dtype.str} {array.shape} ".encode() + array.tobytes())
    return whole.hexdigest()


def _played() -> Iterator[str]:
    """Play what standard input names."""
    for content in json.load(sys.stdin):
        yield digest_of(run(Experiment.from_dict(content)))


if __name__ == "__main__":
    print(json.dumps(list(_played())))
