"""What measuring trust costs beside the training that it measures.

Plain pytest times the default run once and prints the seconds side by side, with their ratio; it is in the extra
information of pytest-benchmark too. ``TRUSTKIT_BENCH=1 pytest tests/bench/test_trust.py -s`` times it several times and
holds the ratio to a tenth. One thread each: set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to 1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import pytest

from trustkit.facts import facts_of
from trustkit.preset import presets
from trustkit.rounds import run
from trustkit.trust import assess

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"
REPEATS, MOST = 9 if FULL else 1, 0.10


def taken(job: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor seconds that a job takes, which other load disturbs least, and what it gave."""
    began = time.process_time()
    found = job()
    return time.process_time() - began, found


def test_measuring_beside_training(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Facts and scores of the default run take at most a tenth of its training, data set and packages loaded."""
    experiment = presets()["start"]
    record = run(experiment)
    facts = facts_of(record)
    report = assess(facts)
    rows = []
    for _ in range(REPEATS):
        training, again = taken(lambda: run(experiment))
        measuring, sheet = taken(partial(facts_of, again))
        scoring, scored = taken(partial(assess, sheet))
        assert scored.score == report.score
        clock = "system/training_seconds"
        assert {**sheet.values, clock: 0.0} == {**facts.values, clock: 0.0}
        rows.append((training, measuring, scoring))
    training, measuring, scoring = (median(column) for column in zip(*rows, strict=True))
    ratio = (measuring + scoring) / training
    benchmark.extra_info |= {"training": training, "facts": measuring, "scores": scoring, "ratio": ratio}
    benchmark(assess, facts)
    with capsys.disabled():
        print(
            f"\ntraining {training:.3f} s, facts {measuring:.4f} s, scores {scoring:.4f} s: "
            f"measuring trust takes {ratio:.1%} of training (at most {MOST:.0%})"
        )
    if FULL:
        assert ratio <= MOST
