"""What measuring trust costs beside the training that it measures.

``TRUSTKIT_BENCH=1 pytest tests/bench/test_trust.py -s`` times the default run several times, prints the seconds side by
side and holds the ratio to a tenth. Plain pytest plays two rounds and checks that a repeated measurement is the same.
One thread each: set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to 1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from statistics import median

from trustkit.facts import facts_of
from trustkit.preset import presets
from trustkit.rounds import run
from trustkit.trust import assess

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"
REPEATS, MOST = 9, 0.10


def taken(job: Callable[[], object]) -> tuple[float, object]:
    """Return the processor seconds that a job takes, which other load disturbs least, and what it gave."""
    began = time.process_time()
    found = job()
    return time.process_time() - began, found


def test_measuring_beside_training() -> None:
    """Facts and scores of the default run take at most a tenth of its training, data set and packages loaded."""
    experiment = presets()["start"]
    if not FULL:
        experiment = experiment.change(rounds=2)
    record = run(experiment)
    facts = facts_of(record)
    report = assess(facts)
    assert facts_of(record).values == facts.values
    assert assess(facts).score == report.score
    if not FULL:
        return
    rows = []
    for _ in range(REPEATS):
        training, record = taken(lambda: run(experiment))  # type: ignore[assignment]
        measuring, facts = taken(lambda record=record: facts_of(record))  # type: ignore[misc, assignment]
        scoring, _ = taken(lambda facts=facts: assess(facts))  # type: ignore[misc]
        rows.append((training, measuring, scoring))
    training, measuring, scoring = (median(column) for column in zip(*rows, strict=True))
    ratio = (measuring + scoring) / training
    print(
        f"\ntraining {training:.3f} s, facts {measuring:.4f} s, scores {scoring:.4f} s, ratio {ratio:.3f} (≤ {MOST:g})"
    )
    assert ratio <= MOST
