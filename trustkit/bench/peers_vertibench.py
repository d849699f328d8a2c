"""The package that VertiBench's authors released: the least and the greatest Icor of a table, by its genetic search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make the search ready.

    Parameters
    ----------
    work : str
        All are searched alike.
    arrays : mapping
        Of `trustkit.bench.peers_works.columns`.

    Returns
    -------
    callable
        Returns the Icor of the given divisions (N,), and then the least and the greatest that it found.
    """
    from vertibench.Splitter import CorrelationSplitter  # type: ignore[import-not-found]

    X, owners, generations = arrays["X"], arrays["owners"], int(arrays["generations"])
    sizes = np.bincount(owners[0])

    def search() -> np.ndarray:
        splitter = CorrelationSplitter(num_parties=sizes.size, seed=0)
        splitter.fit(X, seed=0, n_elites=200, n_offsprings=700, n_mutants=100, n_gen=generations)
        evaluator = splitter.evaluator
        orders = [np.argsort(owner, kind="stable") for owner in owners]
        scores = [evaluator.overall_corr_score(evaluator.corr[order][:, order], sizes) for order in orders]
        return np.array([*scores, splitter.min_icor, splitter.max_icor], float)

    return search
