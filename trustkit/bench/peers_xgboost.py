"""XGBoost on all columns at one place: what boosting over parties has to equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make boosting ready.

    Parameters
    ----------
    work : str
        All are boosted alike.
    arrays : mapping
        Of `trustkit.bench.peers_works.boosting`.

    Returns
    -------
    callable
        Returns the margins of the test rows (n, C).
    """
    import xgboost

    settings = {"objective": "multi:softprob", "num_class": int(arrays["y"].max()) + 1, "tree_method": "hist",
                "max_bin": 32, "max_depth": 6, "eta": 0.1, "base_score": 0, "nthread": 1}  # fmt: skip

    def boost() -> np.ndarray:
        train = xgboost.DMatrix(arrays["X"], arrays["y"], nthread=1)
        test = xgboost.DMatrix(arrays["X_test"], arrays["y_test"], nthread=1)
        grown = xgboost.train(settings, train, int(arrays["rounds"]), evals=[(test, "test")], verbose_eval=False)
        return np.asarray(grown.predict(test, output_margin=True))

    return boost
