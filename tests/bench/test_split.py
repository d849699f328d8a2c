"""The search for correlated splits beside the package that the paper's authors released, on four made-up tables.

The long mode, ``TRUSTKIT_BENCH=1 pytest tests/bench/test_split.py -s``, prints two tables and holds quality and time;
the short one holds the quality of one seed on the smaller tables.
Seconds are of one thread's processor time, so that other work does not count. The package gets an environment of its
own and a few generations or evaluations only; its default fit (100 generations, 160,400 evaluations) is extrapolated
from them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from trustkit.metrics import spearman
from trustkit.split.search import bounds, reach
from trustkit.split.seats import party_sizes

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"

TABLES = {
    "A": (20000, 16, 10, 4, 4, 2),
    "B": (5000, 54, 15, 25, 4, 3),
    "C": (6000, 500, 50, 150, 2, 4),
    "D": (2000, 2000, 50, 500, 2, 5),
}
"""Rows, columns, informative and redundant ones, classes, seed: of scikit-learn's ``make_classification``."""

MUST = {  # least Icor at most, greatest at least (the package's definition), seconds at most, error of β, its seconds
    "A": (-0.201809, 0.097006, 0.3, 1e-3, 4.0),
    "B": (-0.1615, 0.0313, 1.0, 1e-3, 4.0),
    "C": (-0.0485, 0.0045, 6.0, 1e-3, 4.0),
    "D": (-0.036, -0.0028, 60.0, 1e-3, 4.0),
}
OURS: dict[str, float] = {}

PACKAGE = """
import json, sys, time
import numpy as np, pandas as pd
from vertibench.Splitter import CorrelationSplitter
X, few = np.load(sys.argv[1]), json.loads(sys.argv[2])
begin = time.process_time()
pd.DataFrame(X).corr(method="spearman")
once = time.process_time() - begin
splitter = CorrelationSplitter(num_parties=4, seed=0)
begin = time.process_time()
splitter.fit(X, seed=0, **few)
print(json.dumps([once, time.process_time() - begin, float(splitter.min_icor), float(splitter.max_icor)]))
"""
FEW = {
    "A": {"n_elites": 200, "n_offsprings": 700, "n_mutants": 100, "n_gen": 5},
    "B": {"n_elites": 200, "n_offsprings": 700, "n_mutants": 100, "n_gen": 5},
    "C": {"n_elites": 10, "n_offsprings": 20, "n_mutants": 10, "n_gen": 1},
    "D": {"n_elites": 2, "n_offsprings": 2, "n_mutants": 2, "n_gen": 1},
}
WHOLE = 2 * (1000 + 99 * 800)  # evaluations of a default fit


@cache
def table(name: str) -> np.ndarray:
    """Return the features."""
    from sklearn.datasets import make_classification

    n, m, informative, redundant, classes, seed = TABLES[name]
    return np.asarray(
        make_classification(
            n, m, n_informative=informative, n_redundant=redundant, n_classes=classes, random_state=seed
        )[0]
    )


@pytest.mark.parametrize("name", TABLES if FULL else ["A", "B", "C"])
def test_quality_and_time(name: str) -> None:
    """Both bounds, and three targets after them, for three seeds; in the short mode for one, at any speed."""
    corr = spearman(table(name))
    sizes = party_sizes(4, len(corr))
    least, greatest, seconds, error, wait = MUST[name]
    for seed in range(3 if FULL else 1):
        begin = time.process_time()
        ends = bounds(corr, sizes, seed, "package")
        spent = time.process_time() - begin
        OURS[name] = max(spent, OURS.get(name, 0.0))
        off, slow = 0.0, 0.0
        for beta in (0.3, 0.6, 0.9):
            begin = time.process_time()
            found = reach(corr, sizes, beta, ends, seed, "package")
            slow = max(slow, time.process_time() - begin)
            off = max(off, abs(ends.beta(found.icor) - beta))
        print(
            f"{name} seed {seed}: {spent:6.2f} s   min {ends.min:.6f} ≤ {least}   max {ends.max:.6f} ≥ {greatest}"
            f"   β missed by {off:.0e} at most, in {1000 * slow:.0f} ms"
        )
        assert ends.min <= least + 1e-6
        assert ends.max >= greatest - 1e-6
        assert off <= error
        if FULL:
            assert spent <= seconds
            assert slow <= wait


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment that has the released package only."""
    folder = tmp_path_factory.mktemp("vertibench")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "vertibench"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"vertibench cannot be installed: {done.stderr.strip().splitlines()[-1:]}")
    return python


@pytest.mark.skipif(not FULL, reason="makes an environment of several GB: TRUSTKIT_BENCH=1")
def test_beside_the_released_package(package: Path, tmp_path: Path) -> None:
    """How many times longer its default fit would take, and what its few evaluations found."""
    print("\n        ours      package, default fit   ratio      package found in that many evaluations")
    for name, few in FEW.items():
        if name not in OURS:
            pytest.skip("run the whole module: the other table is needed")
        np.save(tmp_path / "X.npy", table(name))
        command = [str(package), "-c", PACKAGE, str(tmp_path / "X.npy"), json.dumps(few)]
        environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        once, spent, low, high = json.loads(done.stdout.strip().splitlines()[-1])
        population = few["n_elites"] + few["n_offsprings"] + few["n_mutants"]
        scored = 2 * (population + (few["n_gen"] - 1) * (few["n_offsprings"] + few["n_mutants"]))
        fit = once + max(spent - once, 0.0) * WHOLE / scored
        print(
            f"{name}  {OURS[name]:8.2f} s   {fit:12.0f} s (extrapolated)   {fit / OURS[name]:8.0f}   "
            f"{low:.4f} … {high:.4f} in {scored:,}"
        )
        assert fit / OURS[name] > 100
