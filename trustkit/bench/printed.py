"""What the FederatedTrust paper states of its five experiments, and the numbers that it prints for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FIGURES", "PRINTED", "STATED", "STEP", "Stated"]

STEP = 0.01
"""The last digit that is printed: a number p stands for anything from p − STEP/2 to p + STEP/2."""

FIGURES: Mapping[int, tuple[int, ...]] = {4: (1, 2, 3), 5: (4, 5)}
"""Which experiments each figure compares."""


@dataclass(frozen=True)
class Stated:
    """An experiment as section 6 states it; None where it is silent.

    Parameters
    ----------
    section : str
        Where it is described.
    data : str
        The data set.
    clients : int
        How many.
    share : float
        In (0, 1]: the clients that train in a round.
    rounds : int, optional
        How many.
    algorithm : str
        The name of the rule here.
    epsilon : float, optional
        Of differential privacy; None for none.
    noise : str
        The kind of differential privacy: "local", empty if the paper leaves it open, or there is none.
    hidden : tuple of int
        Widths of the hidden layers; empty for ConvNet2.
    benign : float, optional
        The share of benign rows of each client.
    """

    section: str
    data: str
    clients: int
    share: float
    rounds: int | None
    algorithm: str
    epsilon: float | None = None
    noise: str = ""
    hidden: tuple[int, ...] = ()
    benign: float | None = None


STATED: Mapping[int, Stated] = {
    1: Stated("6.1", "FEMNIST", 10, 0.5, 5, "fedavg"),
    2: Stated("6.1", "FEMNIST", 50, 0.6, 25, "fedavg", 20.0),
    3: Stated("6.1", "FEMNIST", 100, 0.4, 50, "fedavg", 6.0),
    4: Stated("6.2", "N-BaIoT", 9, 0.7, None, "fedavg", hidden=(50, 50), benign=0.2),
    5: Stated("6.2", "N-BaIoT", 9, 0.9, None, "fedmedian", 4.0, "local", (100, 80, 70, 50), 0.5),
}
"""By number. ConvNet2: two 5×5 convolutions of 32 and 64 channels and 2,048 hidden units, as FederatedScope has it.

FederatedScope's has a batch norm behind each convolution too, of which the paper says nothing; see
`trustkit.bench.settings.experiment`.
"""

PRINTED: Mapping[int, Mapping[str, float]] = {
    1: {
        "trust": 0.56, "privacy": 0.31, "global_privacy_risk": 0.0, "robustness": 0.36, "certified_robustness": 0.48,
        "performance": 0.96, "federation_scale": 0.2, "fairness": 0.25, "selection_variation": 0.08,
        "accuracy_variation": 0.58, "explainability": 0.59, "feature_importance": 0.67,
    },
    2: {
        "trust": 0.56, "privacy": 0.64, "global_privacy_risk": 0.0, "robustness": 0.33, "certified_robustness": 0.19,
        "performance": 0.93, "federation_scale": 0.2, "fairness": 0.47, "selection_variation": 0.83,
        "accuracy_variation": 0.50, "explainability": 0.67, "feature_importance": 0.92,
    },
    3: {
        "privacy": 0.71, "robustness": 0.35, "certified_robustness": 0.05, "federation_scale": 0.4, "fairness": 0.5,
        "explainability": 0.67,
    },
    4: {
        "trust": 0.57, "privacy": 0.31, "global_privacy_risk": 0.0, "robustness": 0.31, "certified_robustness": 0.05,
        "performance": 0.99, "fairness": 0.49, "explainability": 0.55, "model_size": 0.9, "federation": 0.92,
    },
    5: {
        "trust": 0.68, "privacy": 0.71, "global_privacy_risk": 0.2, "robustness": 0.36, "certified_robustness": 0.25,
        "performance": 0.98, "fairness": 0.7, "explainability": 0.49, "model_size": 0.7, "federation": 0.94,
    },
}  # fmt: skip
"""Scores by experiment and id of trust, a pillar or a metric, as the text on Figures 4 and 5 gives them.

The text says that experiments 1 and 2 share the score of federation scale, and that experiment 3 keeps the
explainability of experiment 2; both are entered as printed.
"""
