"""Gaussian noise on what crosses the wire between columns: what it protects, and what it costs over a whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from trustkit.catalogue import PRIVACY, Interval

__all__ = ["ColumnLedger", "ColumnNoise", "Protected", "column_noise", "epsilon_of", "noise_for", "open_ledger"]

Protected = Literal["features", "labels", "both"]

_RELEASES = {"features": 2, "labels": 1}
"""In one round, about one unit: a row's embedding and its part in its party's own step; a row's label in the loss."""

_LEVEL = {"features": "one row's features at one party", "labels": "one row's label",
          "both": "one row's features at one party, or its label"}  # fmt: skip
_ASSUMPTIONS = {
    "features": "One row's features at one party other than the first are replaced by any others. The row enters each "
    "epoch twice, in its embedding and in its part of that party's own step, both cut to C (so that replacing it "
    "moves either by at most 2C) and both with noise; ε composes both over all epochs, without amplification, since "
    "batches are shuffled and disjoint.",
    "labels": "One row's label is replaced by any other. The label enters each round once, in the gradient of its own "
    "loss by its scores, which it moves by at most √2 (one score: 1, a number: 2) and which gets the noise before "
    "anything is made of it; ε composes this over all rounds, without amplification.",
}
_ASSUMPTIONS["both"] = f"{_ASSUMPTIONS['features']} {_ASSUMPTIONS['labels']} ε holds for either change, not for both."
_SCOPE = (
    "ε covers messages and model alone: the scaling of features and labels, accuracies and losses are without noise."
)
_NONE = "No guarantee: nothing is cut to a norm, so noise of this size hides no row for sure."


@dataclass(frozen=True)
class ColumnNoise:
    """Gaussian noise by its ε or by its amount; see `column_noise`."""

    protects: Protected
    epsilon: float | None
    noise: float | None
    delta: float
    clip: float | None

    @property
    def proven(self) -> bool:
        """Whether its noise comes with a finite ε."""
        return self.protects == "labels" or self.clip is not None

    def __str__(self) -> str:
        return f"column_noise on {'features and labels' if self.protects == 'both' else self.protects}"


@PRIVACY.enter("column_noise", title="Gaussian noise across columns", axis="columns")
def column_noise(
    protects: Annotated[Protected, "what is protected: a row's features at a party, its label, or either"] = "features",
    epsilon: Annotated[float | None, Interval(0.1, 1e6, log=True), "ε of all rounds; noise follows"] = 6.0,
    noise: Annotated[float | None, Interval(0, 1e4), "σ in units of the sensitivity; ε follows"] = None,
    delta: Annotated[float, Interval(1e-12, 0.1, log=True), "δ"] = 1e-5,
    clip: Annotated[float | None, Interval(1e-3, 1e6, log=True), "largest norm of a row's message, C"] = 1.0,
) -> ColumnNoise:
    """Add Gaussian noise to what parties with different columns tell each other of one row.

    Parameters
    ----------
    protects : {"features", "labels", "both"}
        Noise on embeddings and on each party's own step protects a row's features from everybody else; noise on the
        gradient of the loss protects its label from whoever holds columns only.
    epsilon : float, optional
        0.1 to 1,000,000: the ε of all rounds together, from which the noise follows. ``None`` if ``noise`` is given.
    noise : float, optional
        0 to 10,000: the standard deviation over the sensitivity, from which ε follows; without ``clip`` the standard
        deviation itself. ``None`` if ``epsilon`` is given.
    delta : float
        1e-12 to 0.1: the δ at which ε holds; it should be well below 1/(number of rows).
    clip : float, optional
        0.001 to 1,000,000: the norm C that a row's embedding and its gradient are cut to. ``None`` cuts nothing, and
        then no ε is claimed for features. A label's gradient is bounded as it is.

    Returns
    -------
    ColumnNoise
        For an algorithm over columns.

    Raises
    ------
    ValueError
        If both or neither of ``epsilon`` and ``noise`` are given, or an ε is asked for without ``clip``.

    Notes
    -----
    Sensitivities for replacing a unit: 2C for an embedding and for a row's part in a sum of gradients, √2 for
    softmax(z) − onehot(y), 2 for 2 (z − y) with y in [0, 1]. T releases with multiplier σ are together one Gaussian
    mechanism with σ/√T, whose ε(δ) is known exactly.

    Source
    ------
    Balle and Wang (2018), "Improving the Gaussian mechanism for differential privacy", Theorem 8, by dp-accounting;
    Dong, Roth and Su (2022), "Gaussian differential privacy", Corollary 3.3, for the composition; Abadi et al. (2016),
    "Deep learning with differential privacy", for steps on clipped gradients; Yang et al. (2022), "Differentially
    private label protection in split learning", for the aim.

    Deviations
    ----------
    Noise on embeddings alone, as often proposed, bounds nothing over a training: the party's layers learn from the row,
    and embeddings of other rows tell of it later. So the party's own step is made private too. In the same way noise is
    put on the gradient of the loss by the scores and not on the gradients that are sent back, since the upper layers
    learn from labels; what is sent back follows from the noisy one. The draws are reproducible by the experiment's
    seed: right for a simulation, no secret in a deployment.

    Examples
    --------
    >>> column_noise("labels", epsilon=2.0).proven
    True
    >>> column_noise(clip=None)
    Traceback (most recent call last):
    ValueError: column_noise claims no ε for features without clip: give noise and epsilon=None, got epsilon=6.0
    """
    if (noise is None) == (epsilon is None):
        raise ValueError(f"column_noise takes exactly one of epsilon and noise, got epsilon={epsilon}, noise={noise}")
    found = ColumnNoise(protects, epsilon, noise, delta, clip)
    if epsilon is not None and not found.proven:
        raise ValueError("column_noise claims no ε for features without clip: give noise and epsilon=None, got "
                         f"epsilon={epsilon}")  # fmt: skip
    return found


def epsilon_of(noise: float, releases: int, delta: float) -> float:
    """Compose Gaussian releases of one unit and return their ε.

    Parameters
    ----------
    noise : float
        At least 0: σ over the sensitivity.
    releases : int
        At least 0: T.
    delta : float
        In (0, 1).

    Returns
    -------
    float
        ε ≥ 0; infinity without noise, 0 without releases.

    Examples
    --------
    >>> round(epsilon_of(5.0, 10, 1e-5), 3)
    2.594
    """
    if releases == 0:
        return 0.0
    if noise == 0:
        return math.inf
    import dp_accounting

    return float(dp_accounting.get_epsilon_gaussian(noise / math.sqrt(releases), delta))


def noise_for(epsilon: float, releases: int, delta: float) -> float:
    """Find the least noise that keeps composed releases within ε.

    Parameters
    ----------
    epsilon : float
        Greater than 0.
    releases : int
        At least 1: T.
    delta : float
        In (0, 1).

    Returns
    -------
    float
        σ over the sensitivity.

    Examples
    --------
    >>> round(noise_for(2.594, 10, 1e-5), 3)
    5.001
    """
    import dp_accounting

    return float(dp_accounting.get_sigma_gaussian(epsilon, delta) * math.sqrt(releases) * (1 + 1e-9))


@dataclass(frozen=True)
class ColumnLedger:
    """What a mechanism spends on a planned run.

    Parameters
    ----------
    privacy : ColumnNoise
        The mechanism.
    features, labels : float
        σ over the sensitivity of a row's features and of its label; 0 where it gets none.
    """

    privacy: ColumnNoise
    features: float
    labels: float

    def spent(self, rounds: int) -> float:
        """Return ε of the unit that gave most.

        Parameters
        ----------
        rounds : int
            Rounds played, at least 0; in each of them every row counts once.

        Returns
        -------
        float
            ε ≥ 0; infinity without noise, or where nothing is proven.
        """
        if not self.privacy.proven:
            return math.inf
        units = ("features", "labels") if self.privacy.protects == "both" else (self.privacy.protects,)
        return max(epsilon_of(getattr(self, unit), rounds * _RELEASES[unit], self.privacy.delta) for unit in units)

    def facts(self, rounds: int) -> dict[str, Any]:
        """Return what a fact sheet says of the mechanism, for a whole run.

        Parameters
        ----------
        rounds : int
            All rounds.

        Returns
        -------
        dict
            mechanism, level, epsilon, delta, noise_multiplier, clip (of features), assumption, noise_is_secret.
        """
        kind, clip = self.privacy.protects, self.privacy.clip
        words = f"{_ASSUMPTIONS[kind]} {_SCOPE}" if self.privacy.proven else _NONE
        cut = {"clip": clip} if clip is not None and kind != "labels" else {}
        return {
            "mechanism": "column_noise", "level": _LEVEL[kind], "epsilon": self.spent(rounds),
            "delta": self.privacy.delta, "noise_multiplier": self.features or self.labels, **cut, "assumption": words,
            "noise_is_secret": False,
        }  # fmt: skip


def open_ledger(privacy: Any, name: str, rounds: int) -> ColumnLedger | None:
    """Find a mechanism's noise for a planned run.

    Parameters
    ----------
    privacy : ColumnNoise, optional
        The mechanism.
    name : str
        What a message calls the algorithm.
    rounds : int
        All rounds, at least 1.

    Returns
    -------
    ColumnLedger or None
        With σ as given, or the least that keeps the whole run within ε; ``None`` without a mechanism.

    Raises
    ------
    ValueError
        If the mechanism is one for rows.
    """
    if privacy is None:
        return None
    if not isinstance(privacy, ColumnNoise):
        raise ValueError(f"{name} trains without a privacy mechanism for rows, got {privacy!r}")
    sigma = {}
    for unit, releases in _RELEASES.items():
        wanted = privacy.protects in (unit, "both")
        given = privacy.noise if privacy.epsilon is None else None
        sigma[unit] = 0.0 if not wanted else (
            given if given is not None else noise_for(privacy.epsilon or 0.0, rounds * releases, privacy.delta)
        )  # fmt: skip
    return ColumnLedger(privacy, **sigma)
