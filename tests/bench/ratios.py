"""Our engines beside reference loops, in one process and one run, held to the ratios that were committed last.

``python -m tests.bench.ratios`` measures and fails where ours takes more than 1.3 times its share of before;
``--renew`` writes the ratios of now to ``tests/bench/ratios.json``. A ratio is processor seconds of ours divided by
those of the reference, by turns, the median of some turns: a slower machine or other load changes both.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from trustkit import jsonfile
from trustkit.bench.growth_work import COLUMNS, ROWS_A_CLIENT, across, among, divided, ranked, table
from trustkit.catalogue import use
from trustkit.metrics import spearman
from trustkit.threads import one_blas_thread, one_thread

COMMITTED = Path(__file__).with_name("ratios.json")
MOST = 1.3
"""Times the committed ratio: above it is a failure, if a second, longer measurement says the same."""
TURNS, BATCH = 7, 0.1
"""Turns of both, and processor seconds of each at least: a processor's clock may tick 250 times a second only."""

Work = Callable[[], object]


@dataclass(frozen=True)
class Pair:
    """A piece of our work, and what it is held against."""

    ours: Work
    reference: Work


def numpy_round(clients: int) -> Work:
    """A round of FedAvg in plain NumPy: client after client, batches of 32, gradients by hand, then the mean."""
    data = table(ROWS_A_CLIENT * clients, COLUMNS, clients)
    kept = ~data.held_out
    X, y = data.X[kept].astype(np.float32), data.y[kept]
    parts = np.array_split(np.arange(y.size), clients)

    def done() -> np.ndarray:
        total = np.zeros((COLUMNS + 1, 2), np.float32)
        for rows in parts:
            w = np.zeros((COLUMNS + 1, 2), np.float32)
            for start in range(0, rows.size, 32):
                batch = rows[start : start + 32]
                scores = X[batch] @ w[:-1] + w[-1]
                scores -= scores.max(axis=1, keepdims=True)
                share = np.exp(scores)
                share /= share.sum(axis=1, keepdims=True)
                share[np.arange(batch.size), y[batch]] -= 1
                w[:-1] -= 0.1 / batch.size * (X[batch].T @ share)
                w[-1] -= 0.1 * share.mean(axis=0)
            total += w * (rows.size / y.size)
        return total

    return done


def numpy_correlation(rows: int, columns: int) -> Work:
    """Ranks by sorting, and their correlation by NumPy."""
    X = np.asarray(table(rows, columns).X)
    return lambda: np.corrcoef(X.argsort(axis=0).argsort(axis=0), rowvar=False)


def numpy_icor(parties: int, columns: int) -> Work:
    """Singular values of every block between two parties."""
    corr, owner = spearman(np.asarray(table(1000, columns).X)), np.arange(columns) % parties
    groups = [np.flatnonzero(owner == k) for k in range(parties)]
    return lambda: [np.linalg.svd(corr[np.ix_(a, b)], compute_uv=False) for a, b in combinations(groups, 2)]


def boosted(rows: int) -> Work:
    """A round of XGBoost on all columns, of the same depth and bins."""
    import xgboost

    data = table(rows, COLUMNS)
    held = xgboost.DMatrix(data.X[~data.held_out], label=data.y[~data.held_out])
    options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 6, "max_bin": 32, "nthread": 1}
    return lambda: xgboost.train(options, held, num_boost_round=1)


def pairs() -> dict[str, Callable[[], Pair]]:
    """What is compared, each made when its turn comes, since all name their data alike."""
    return {
        "FedAvg, 1,000 clients / NumPy, client after client": lambda: Pair(among("fedavg", 1000), numpy_round(1000)),
        "FedMedian, 1,000 clients / NumPy, client after client": lambda: Pair(
            among("fedmedian", 1000), numpy_round(1000)
        ),
        "rank correlation, 500 columns / ranks and np.corrcoef": lambda: Pair(
            ranked(1000, 500), numpy_correlation(1000, 500)
        ),
        "Icor, 256 columns, 4 parties / np.linalg.svd": lambda: Pair(divided(4, 256), numpy_icor(4, 256)),
        "FedTree, 30,000 rows / XGBoost": lambda: Pair(across(use("fedtree"), 4, COLUMNS, 30_000), boosted(30_000)),
    }


def spent(work: Work, batch: float) -> float:
    """Do it for so many processor seconds at least, and return those of one time."""
    began, times, taken = time.process_time(), 0, 0.0
    while not times or taken < batch:
        work()
        times += 1
        taken = time.process_time() - began
    return taken / times


def ratio(pair: Pair, turns: int = TURNS, batch: float = BATCH) -> float:
    """Measure both by turns, and return the median of ours / reference."""
    pair.ours(), pair.reference()  # loaded and compiled
    return statistics.median(spent(pair.ours, batch) / spent(pair.reference, batch) for _ in range(turns))


def slowed(
    wanted: Mapping[str, Callable[[], Pair]], committed: Mapping[str, float], turns: int = TURNS, batch: float = BATCH
) -> tuple[dict[str, float], list[str]]:
    """Return the ratios of now, and a complaint for each that is too large twice, or that has none to compare with."""
    found, complaints = {}, [f"{name} is committed and not measured" for name in committed if name not in wanted]
    for name, make in wanted.items():
        pair = make()
        found[name] = now = ratio(pair, turns, batch)
        if name not in committed:
            complaints.append(f"{name} has no committed ratio: --renew writes it")
        elif now > MOST * committed[name]:
            found[name] = now = min(now, ratio(pair, 2 * turns, batch))
            if now > MOST * committed[name]:
                complaints.append(f"{name}: {now:.3g}, at most {MOST:g} times {committed[name]:.3g}")
    return found, complaints


def measure() -> tuple[dict[str, float], list[str]]:
    """Measure all pairs on one thread."""
    committed = jsonfile.read(COMMITTED) if COMMITTED.exists() else {}
    with one_thread(), one_blas_thread():
        return slowed(pairs(), committed)


def main(words: list[str]) -> int:
    """Print the ratios; 1 if one has grown too much."""
    found, complaints = measure()
    for name, value in found.items():
        print(f"{value:8.3f}  {name}")
    if "--renew" in words:
        jsonfile.write_text(COMMITTED, jsonfile.dumps({name: round(value, 4) for name, value in found.items()}) + "\n")
        return 0
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
