"""The Gaussian mechanism of a run: what it protects, how much noise that takes, and what the accountant assumes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import PRIVACY, Interval
from trustkit.horizontal.accountant import epsilon_of, noise_for
from trustkit.horizontal.plan import Local, Sampling, steps_of

__all__ = ["Gaussian", "Ledger", "gaussian", "open_ledger"]

Level = Literal["example", "client"]

_ASSUMPTIONS = {
    ("client", "fixed"): "One client's update is added or removed while the cohorts, drawn without looking at data and "
    "open to all, stay as they are; ε composes the rounds of the most often drawn client and claims no amplification "
    "by sampling.",
    ("client", "poisson"): "One client is added or removed; each joins each round by itself with the same probability, "
    "and ε claims the amplification that this earns over all rounds, for whoever does not see who joined; a record of "
    "the run shows it.",
    ("example", "fixed"): "One row's gradient is added or removed while batches are shuffled, disjoint and of open "
    "sizes, so a row counts once in each epoch; ε composes the epochs of the most often drawn client and claims no "
    "amplification by sampling.",
    ("example", "poisson"): "One row is added or removed while sizes are open; each joins each step by itself with the "
    "same probability, unseen; ε composes each client's steps at its own sampling rate and is that of the client that "
    "gave most.",
}
_SCOPE = "ε covers the models alone: the scaling of features, accuracies and counts come from the data without noise."


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise at a level, by its ε or by its amount; see `gaussian`."""

    level: Level
    epsilon: float | None
    noise: float | None
    delta: float
    clip: float
    sampling: Sampling

    @property
    def assumption(self) -> str:
        """What the accountant assumes of sampling and of neighbouring data, and what its ε leaves out."""
        return f"{_ASSUMPTIONS[self.level, self.sampling]} {_SCOPE}"


@PRIVACY.enter("gaussian", title="Gaussian mechanism")
def gaussian(
    level: Annotated[Level, "what is protected: one row, or all of a client"] = "example",
    epsilon: Annotated[float | None, Interval(0.1, 50, log=True), "ε of all rounds; noise follows"] = 6.0,
    noise: Annotated[float | None, Interval(0, 100), "σ in units of the clipping norm; ε follows"] = None,
    delta: Annotated[float, Interval(1e-12, 0.1, log=True), "δ"] = 1e-5,
    clip: Annotated[float, Interval(1e-3, 1e6, log=True), "largest norm of one contribution"] = 1.0,
    sampling: Annotated[Sampling, "how batches or cohorts are drawn"] = "fixed",
) -> Gaussian:
    """Clip each contribution and add Gaussian noise, so that a run is (ε, δ)-differentially private.

    Parameters
    ----------
    level : {"example", "client"}
        Noise in each step of each client protects one row; noise on each mean of updates protects one client.
    epsilon : float, optional
        0.1 to 50: the ε of all rounds together, from which the noise follows. ``None`` if ``noise`` is given.
    noise : float, optional
        0 to 100: the standard deviation in units of ``clip``, from which ε follows. ``None`` if ``epsilon`` is given.
    delta : float
        1e-12 to 0.1: the δ at which ε holds; it should be well below 1/(number of protected units).
    clip : float
        0.001 to 1,000,000: the largest norm of one contribution C.
    sampling : {"fixed", "poisson"}
        Cohorts or batches of fixed size, without amplification, or Poisson sampling, with it.

    Returns
    -------
    Gaussian
        For an algorithm over rows.

    Raises
    ------
    ValueError
        If both or neither of ``epsilon`` and ``noise`` are given, or one is out of range.

    Notes
    -----
    The noise comes from the experiment's named streams and is reproducible by design: it measures what privacy costs;
    whoever knows the seed can take it off again.

    Source
    ------
    Abadi et al. (2016), "Deep learning with differential privacy", Algorithm 1 (rows); McMahan et al. (2018), "Learning
    differentially private recurrent language models", Algorithm 1 (clients).

    Deviations
    ----------
    Clients are averaged with equal weights, not by size. Sums are divided by the size of the cohort or batch where that
    is open, by its expectation under Poisson sampling.

    Examples
    --------
    >>> gaussian(level="client", epsilon=2.0).clip
    1.0
    >>> gaussian(noise=1.0)
    Traceback (most recent call last):
    ValueError: gaussian takes exactly one of epsilon and noise: with noise=1.0 epsilon must be None, got 6.0
    """
    if noise is not None and epsilon is not None:
        raise ValueError(
            f"gaussian takes exactly one of epsilon and noise: with noise={noise} epsilon must be None, got {epsilon}"
        )
    if noise is None and epsilon is None:
        raise ValueError("gaussian takes exactly one of epsilon and noise, got neither")
    if epsilon is not None and not epsilon > 0:
        raise ValueError(f"epsilon must be greater than 0, got {epsilon}")
    if noise is not None and not noise >= 0:
        raise ValueError(f"noise must be at least 0, got {noise}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, got {delta}")
    if not clip > 0:
        raise ValueError(f"clip must be greater than 0, got {clip}")
    return Gaussian(level, epsilon, noise, delta, clip, sampling)


@dataclass(frozen=True, eq=False)
class Ledger:
    """What a mechanism has spent: the noise in use, and how rounds become releases of each client.

    Parameters
    ----------
    privacy : Gaussian
        The mechanism.
    noise : float
        σ, given or found.
    rates : (K,) float array
        In (0, 1]: the accountant's sampling rate for each client; 1 for none.
    per_round : (K,) int array
        Releases that a round with the client means for one unit of it.
    """

    privacy: Gaussian
    noise: float
    rates: np.ndarray
    per_round: np.ndarray

    def spent(self, participations: np.ndarray, rounds: int) -> float:
        """Return ε of the unit that gave most.

        Parameters
        ----------
        participations : (K,) int array
            Rounds in which each client trained.
        rounds : int
            Rounds played.

        Returns
        -------
        float
            ε ≥ 0, or infinity without noise.
        """
        composed = self._composed(participations, rounds)
        return max(epsilon_of(self.noise, rate, count, self.privacy.delta) for rate, count in composed)

    def _composed(self, participations: np.ndarray, rounds: int) -> list[tuple[float, int]]:
        """Return each sampling rate with the most releases that a client has at it."""
        if self.privacy.level == "client" and self.privacy.sampling == "poisson":
            participations = np.full(self.rates.size, rounds)  # whoever stayed away was in the draw too
        most: dict[float, int] = {}
        for rate, count in zip(self.rates.tolist(), (participations * self.per_round).tolist(), strict=True):
            most[rate] = max(count, most.get(rate, 0))
        return list(most.items())

    def _least(self, epsilon: float, participations: np.ndarray, rounds: int) -> float:
        """Return the least noise that keeps every client within ε."""
        noise, delta = 0.0, self.privacy.delta
        composed = self._composed(participations, rounds)
        for rate, count in sorted(composed, key=lambda pair: -(pair[0] ** 2) * pair[1]):  # the neediest first, mostly
            if epsilon_of(noise, rate, count, delta) > epsilon:
                noise = noise_for(epsilon, rate, count, delta)
        return noise

    def facts(self, participations: np.ndarray, rounds: int) -> dict[str, Any]:
        """Return what a fact sheet says of the mechanism, for a whole run.

        Parameters
        ----------
        participations : (K,) int array
            Rounds in which each client will have trained.
        rounds : int
            All rounds.

        Returns
        -------
        dict
            mechanism, level, epsilon, delta, noise_multiplier, clip, assumption, noise_is_secret.
        """
        return {
            "mechanism": "gaussian", "level": self.privacy.level, "epsilon": self.spent(participations, rounds),
            "delta": self.privacy.delta, "noise_multiplier": self.noise, "clip": self.privacy.clip,
            "assumption": self.privacy.assumption, "noise_is_secret": False,
        }  # fmt: skip


def open_ledger(
    privacy: Gaussian, sizes: np.ndarray, local: Local, share: float, participations: np.ndarray, rounds: int
) -> Ledger:
    """Find a mechanism's noise for a planned run.

    Parameters
    ----------
    privacy : Gaussian
        The mechanism.
    sizes : (K,) int array
        Training rows of each client.
    local : Local
        How clients train.
    share : float
        In (0, 1]: the share of clients in a round.
    participations : (K,) int array
        Rounds in which each client will train; known beforehand under fixed-size selection, unused for Poisson cohorts.
    rounds : int
        All rounds.

    Returns
    -------
    Ledger
        With σ as given, or the least that keeps the whole run within ε.
    """
    rates, per_round = np.ones(sizes.size), np.ones(sizes.size, int)
    if privacy.level == "client":
        rates *= share if privacy.sampling == "poisson" else 1.0
    elif privacy.sampling == "poisson":
        rates, per_round = np.minimum(1.0, local.batch / np.maximum(sizes, 1)), steps_of(sizes, local)
    else:
        per_round *= local.epochs
    ledger = Ledger(privacy, privacy.noise or 0.0, rates, per_round)
    if privacy.epsilon is None:
        return ledger
    return replace(ledger, noise=ledger._least(privacy.epsilon, participations, rounds))
