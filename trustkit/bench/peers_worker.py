"""One side of a comparison, in a process of its own: it is asked on its input, works, and answers on its output.

A copy of this file runs in environments that have none of trustkit, so it needs NumPy alone.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import IO, Any

import numpy as np

__all__ = ["Arrays", "Prepare", "answering", "main", "serve"]

Arrays = Mapping[str, np.ndarray]
"""What both sides work on; ``path`` is the file that they came in."""

Prepare = Callable[[str, Arrays], Callable[[], np.ndarray]]
"""From the name of a work and its arrays to the work itself, which can be done again and again."""


def answering() -> IO[str]:
    """Keep the output for answers, and let everything that a library prints go to standard error.

    Returns
    -------
    file
        To write answers to, a line each.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    return answers


def serve(
    prepare: Prepare, answers: IO[str], questions: IO[str] = sys.stdin, spent: Callable[[], float] = time.process_time
) -> None:
    """Answer until nobody asks any more.

    Parameters
    ----------
    prepare : callable
        From the name of a work and its arrays to the work; it is called once for each work, outside the time.
    answers : file
        Gets a line of JSON for each question: wall and processor seconds.
    questions : file
        Lines of JSON: ``work``, the name; ``arrays``, an .npz file; ``save``, where the result goes as .npy.
    spent : callable
        The processor seconds so far of everything that works for this side.
    """
    ready: dict[str, Callable[[], np.ndarray]] = {}
    for line in questions:
        asked: dict[str, Any] = json.loads(line)
        name = asked["work"]
        if name not in ready:
            with np.load(asked["arrays"], allow_pickle=False) as held:
                ready[name] = prepare(name, {**held, "path": np.array(asked["arrays"])})
        wall, processor = time.perf_counter(), spent()
        found = ready[name]()
        taken = {"wall": time.perf_counter() - wall, "processor": spent() - processor}
        np.save(asked["save"], np.asarray(found, float), allow_pickle=False)
        print(json.dumps(taken), file=answers, flush=True)


def main(module: str) -> None:
    """Be a side.

    Parameters
    ----------
    module : str
        The module that prepares its works; one that has to begin in its own way has ``begin`` beside ``prepare``.
    """
    answers, side = answering(), import_module(module)
    begin = getattr(side, "begin", None)
    if begin is None:
        serve(side.prepare, answers)
    else:
        begin(answers)


if __name__ == "__main__":
    main(sys.argv[1])
