"""Labels answered at random before training: one release with a proven ε, whatever algorithm learns from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from trustkit.catalogue import PRIVACY, Interval
from trustkit.data import FederatedDataset
from trustkit.rng import stream

__all__ = ["LabelFlips", "flipped", "marked", "randomised_labels"]

_ASSUMPTION = (
    "One training row's label is replaced by any other. The first party answers each label once at random, and all "
    "that is sent or learnt follows from the answers, so ε holds for the whole run, however long, with δ = 0. ε covers "
    "messages and model alone: accuracies and losses come from true labels."
)


@dataclass(frozen=True)
class LabelFlips:
    """Randomised response on labels; see `randomised_labels`."""

    epsilon: float

    def __str__(self) -> str:
        return "randomised_labels"

    def truth(self, classes: int) -> float:
        """Return the chance that a label stays.

        Parameters
        ----------
        classes : int
            C, at least 2.

        Returns
        -------
        float
            e^ε / (e^ε + C − 1), in (1/C, 1).

        Examples
        --------
        >>> round(LabelFlips(math.log(3)).truth(2), 6)
        0.75
        """
        return 1 / (1 + (classes - 1) * math.exp(-self.epsilon))

    @property
    def facts(self) -> dict[str, Any]:
        """What a fact sheet says of it."""
        return {"mechanism": "randomised_labels", "level": "one row's label", "epsilon": self.epsilon, "delta": 0.0,
                "assumption": _ASSUMPTION, "noise_is_secret": False}  # fmt: skip


@PRIVACY.enter("randomised_labels", title="Randomised labels", axis="columns")
def randomised_labels(
    epsilon: Annotated[float, Interval(0.1, 50, log=True), "ε of a label, for the whole run"] = 2.0,
) -> LabelFlips:
    """Let the holder of the labels answer each training label once at random, and train on the answers.

    Parameters
    ----------
    epsilon : float
        0.1 to 50: pure ε of one label.

    Returns
    -------
    LabelFlips
        For any algorithm over columns whose labels are classes.

    Notes
    -----
    A label stays with probability e^ε / (e^ε + C − 1), else it becomes any other with equal chance. The answers come
    from the experiment's named streams: whoever knows the seed can tell which were changed.

    Source
    ------
    Warner (1965), "Randomized response"; Ghazi et al. (2021), "Deep learning with label differential privacy",
    Algorithm 1.

    Deviations
    ----------
    Ghazi et al. train in stages and restrict answers to likely classes by a prior; here there is one stage and no
    prior.

    Examples
    --------
    >>> randomised_labels().epsilon
    2.0
    """
    return LabelFlips(epsilon)


def flipped(fed: FederatedDataset, privacy: LabelFlips, name: str, seed: int) -> FederatedDataset:
    """Return the same data with training labels answered at random.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns.
    privacy : LabelFlips
        How.
    name : str
        What a message calls the algorithm.
    seed : int
        The experiment's seed.

    Returns
    -------
    FederatedDataset
        Held-out rows keep their labels.

    Raises
    ------
    ValueError
        If labels are numbers.
    """
    data, classes = fed.data, len(fed.data.classes)
    if classes < 2:
        raise ValueError(f"labels must be classes to be answered at random, got numbers for {name}")
    drawn = stream(seed, "randomised labels")
    lies = (drawn.random(data.y.size) >= privacy.truth(classes)) & ~data.held_out
    shift = drawn.integers(1, classes, data.y.size)
    return replace(fed, data=replace(data, y=np.where(lies, (data.y + shift) % classes, data.y)))


def marked(trainer: Any, privacy: LabelFlips, name: str) -> Any:
    """Let a trainer say what its labels cost.

    Parameters
    ----------
    trainer : Trainer
        Bound to labels that were `flipped`.
    privacy : LabelFlips
        How.
    name : str
        What a message calls the algorithm.

    Returns
    -------
    Trainer
        The same with the mechanism's facts and ε.

    Raises
    ------
    ValueError
        If nothing is federated in it, so that no ε would mean anything.
    """
    if not hasattr(trainer, "table"):
        raise ValueError(f"{name} trains without a privacy mechanism, as nothing is sent, got {privacy}")
    table = replace(trainer.table, epsilon=privacy.epsilon)
    return replace(trainer, table=table, facts={**trainer.facts, **privacy.facts})
