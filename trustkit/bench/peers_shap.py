"""shap's GradientExplainer: how much each feature moves the predicted class's score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trustkit.bench.peers_network import network
from trustkit.bench.peers_worker import Arrays

__all__ = ["prepare"]


def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
    """Make the explanation ready.

    Parameters
    ----------
    work : str
        All are explained alike, the predicted class alone.
    arrays : mapping
        Of `trustkit.bench.peers_works.explanation`.

    Returns
    -------
    callable
        Returns the importance of each feature (m,).
    """
    import shap
    import torch

    rows, background = (torch.from_numpy(arrays[name].astype(np.float32)) for name in ("rows", "background"))
    explainer = shap.GradientExplainer(network(arrays), background)
    draws = int(arrays["draws"])

    def explain() -> np.ndarray:
        values, _ = explainer.shap_values(rows, nsamples=draws, ranked_outputs=1, rseed=0)
        return np.asarray(np.abs(np.asarray(values)[..., 0]).mean(axis=0))

    return explain
