"""Our side of the comparison: each work by the functions that a user calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]

Done = Callable[[], np.ndarray]


def prepare(work: str, arrays: Arrays) -> Done:
    """Make a work ready.

    Parameters
    ----------
    work : str
        A work of `trustkit.bench.peers_works.WORKS`, with its variant behind a stroke: "private/noiseless".
    arrays : mapping
        Its arrays.

    Returns
    -------
    callable
        Does it and returns the result.
    """
    return _KINDS.get(work.split("/")[0], _training)(arrays)


def _training(arrays: Arrays) -> Done:
    """FedAvg from its first round, with its plan and its evaluation, which here has no rows."""
    from trustkit.data import Dataset, FederatedDataset, Provenance
    from trustkit.horizontal import Dense, fedavg, gaussian
    from trustkit.partition import Partition

    X, y, owner, rounds = arrays["X"], arrays["y"], arrays["owner"], int(arrays["rounds"])
    names = tuple(f"x{column}" for column in range(X.shape[1]))
    data = Dataset("bench", X, y, names, tuple("0123456789"), Provenance("made here", "none"))
    privacy = None
    if "noise" in arrays:
        privacy = gaussian(epsilon=None, noise=float(arrays["noise"]), clip=float(arrays["clip"]))
    model = Dense(tuple(int(size) for size in arrays["sizes"]))
    fed = FederatedDataset(data, Partition("rows", owner, int(owner.max()) + 1))
    trainer = fedavg(fed, model, privacy, 0.4, rounds, lr=float(arrays["lr"]), batch=int(arrays["batch"]))

    def train() -> np.ndarray:
        state = trainer.start()
        for index in range(1, rounds + 1):
            state, _ = trainer.step(state, index, lambda: None)
        return np.asarray(state["params"])

    return train


def _model(arrays: Arrays) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray, np.ndarray], np.ndarray]]:
    from trustkit.horizontal import Dense

    model, params = Dense(tuple(int(size) for size in arrays["sizes"])), arrays["params"].astype(np.float32)
    return lambda X: model.logits(params, X), lambda X, weights: model.gradient(params, X, weights)


def _robustness(arrays: Arrays) -> Done:
    from trustkit.metrics import clever

    (logits, gradient), (count, size) = _model(arrays), arrays["draws"].shape
    factor, fit = len(arrays["pool"]) // size, "art" if str(arrays["fit"]) == "art" else "mle"
    return lambda: clever(logits, gradient, arrays["rows"], radius=float(arrays["radius"]), batches=count,
                          batch_size=size, pool_factor=factor, seed=0, fit=fit)  # type: ignore[arg-type]  # fmt: skip


def _importance(arrays: Arrays) -> Done:
    from trustkit.metrics import shap_importance

    (logits, gradient), draws = _model(arrays), int(arrays["ours"])
    return lambda: shap_importance(logits, gradient, arrays["rows"], arrays["background"], draws=draws, output="margin")


def _columns(arrays: Arrays) -> Done:
    from trustkit.metrics import icor, spearman
    from trustkit.split import search

    owners = arrays["owners"]
    sizes = np.bincount(owners[0]).tolist()

    def bounds() -> np.ndarray:
        search._KNOWN.clear()  # an answer that is remembered would cost nothing
        corr = spearman(arrays["X"])
        found = search.bounds(corr, sizes, 0, "package")
        return np.array([*(icor(corr, owner, "package") for owner in owners), found.min, found.max])

    return bounds


def _boosting(arrays: Arrays) -> Done:
    from trustkit.data import Dataset, FederatedDataset, Provenance
    from trustkit.partition import Partition
    from trustkit.vertical import fedtree

    rounds, (train, columns) = int(arrays["rounds"]), arrays["X"].shape
    X, y = np.concatenate([arrays["X"], arrays["X_test"]]), np.concatenate([arrays["y"], arrays["y_test"]])
    data = Dataset("letter", X, y, tuple(map(str, range(columns))), tuple(map(str, range(int(y.max()) + 1))),
                   Provenance("bundled", "see the data set"), held_out=np.arange(len(X)) >= train)  # fmt: skip
    fed = FederatedDataset(data, Partition("columns", np.arange(columns) % 4, 4))

    def boost() -> np.ndarray:
        trainer = fedtree(fed, None, None, 1.0, rounds)
        state = trainer.start()
        for index in range(1, rounds + 1):
            state, _ = trainer.step(state, index, lambda: None)
        return np.asarray(state["test_margins"])

    return boost


def _fairness(arrays: Arrays) -> Done:
    from trustkit.metrics.counting import count_clients
    from trustkit.metrics.gaps import Rate, gaps_from_counts

    rates: tuple[Rate, ...] = ("selection", "tpr", "fpr")

    def measure() -> np.ndarray:
        counted = count_clients(arrays["pred"], arrays["y"], arrays["owner"], {"group": arrays["group"]})["group"]
        return np.stack([gaps_from_counts(counted.counts, rate).gap for rate in rates])

    return measure


_KINDS = {
    "clever": _robustness,
    "clever-scipy": _robustness,
    "importance": _importance,
    "importance-50": _importance,
    "columns": _columns,
    "boosting": _boosting,
    "fairness": _fairness,
}
"""Works that are no training."""
