"""fairlearn: gaps between groups of each client, by a frame of metrics that is controlled for the client."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make the frame ready.

    Parameters
    ----------
    work : str
        All are measured alike.
    arrays : mapping
        Of `trustkit.bench.peers_works.fairness`.

    Returns
    -------
    callable
        Returns the largest gap of selection rate, true and false positive rate of each client (3, K).
    """
    from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate, true_positive_rate

    rates = {"selection": selection_rate, "tpr": true_positive_rate, "fpr": false_positive_rate}

    def measure() -> np.ndarray:
        frame = MetricFrame(
            metrics=rates, y_true=arrays["y"], y_pred=arrays["pred"], sensitive_features=arrays["group"],
            control_features=arrays["owner"],
        )  # fmt: skip
        return np.asarray(frame.difference().sort_index()[list(rates)], float).T

    return measure
