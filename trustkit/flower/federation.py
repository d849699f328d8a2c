"""What all who take part in a federation know beforehand: the experiment and the shape of the data, but no row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import jsonfile
from trustkit.catalogue import ALGORITHMS, MODELS
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.experiment import Experiment
from trustkit.horizontal.afa import Afa
from trustkit.horizontal.fedopt import FedOpt
from trustkit.horizontal.trainer import RowTrainer
from trustkit.partition import Partition

__all__ = ["ABLE", "EXPERIMENT", "FEDERATION", "Federation", "refuse"]

EXPERIMENT, FEDERATION = "experiment.toml", "federation.json"
"""The two files that every participant has."""

ABLE = ("fedavg", "fedprox", "fedmedian", "trimmed_mean", "krum", "multi_krum", "bulyan", "rfout_1d", "fedopt", "afa")
"""Algorithms whose clients send one model and nothing else, and whose server looks at no row."""

_FORMAT = "trustkit-federation-1"
_OURS = (RowTrainer, FedOpt, Afa)
_SEED = "every participant knows the seed and could take its noise off"


def refuse(experiment: Experiment) -> None:
    """Say what of an experiment has no place in a real federation.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Raises
    ------
    ValueError
        If it divides columns; its algorithm or selector needs more than the clients' models; or it simulates noise, an
        attack or faults.

    Examples
    --------
    >>> from trustkit.catalogue import use
    >>> refuse(Experiment("wine", use("iid", parties=3), "scaffold", "logistic"))
    Traceback (most recent call last):
    ValueError: algorithm must be fedavg, fedprox, … or afa in a real federation, where ... got 'scaffold'
    """
    if experiment.axis != "rows":
        raise ValueError(f"a real federation must divide rows, got {experiment.split.name!r}, which divides columns")
    if experiment.algorithm.name not in ABLE:
        raise ValueError(
            f"algorithm must be {', '.join(ABLE[:2])}, … or {ABLE[-1]} in a real federation, where clients send one "
            f"model each and the server has no rows: {', '.join(ABLE)}; got {experiment.algorithm.name!r}"
        )
    if experiment.algorithm.args.get("selector") == "loss":
        raise ValueError("selector must be random, size, reputation or fair in a real federation, whose clients report "
                         "no loss on training rows, got 'loss'")  # fmt: skip
    if experiment.privacy is not None:
        raise ValueError(
            f"privacy must stay unset in a real federation, because {_SEED}; wrap a strategy of Flower in its "
            f"DifferentialPrivacyServerSideFixedClipping instead, got {experiment.privacy.name!r}"
        )
    for name in ("attack", "faults"):
        part = getattr(experiment, name)
        if part is not None:
            raise ValueError(f"{name} must stay unset in a real federation, which simulates nothing, got {part.name!r}")


@dataclass(frozen=True, eq=False)
class Federation:
    """An experiment without its rows.

    Parameters
    ----------
    experiment : Experiment
        One that `refuse` lets pass.
    parties : int
        How many clients there are, K.
    features : int
        Columns of the data, m.
    classes : tuple of str
        The classes' names.
    image : tuple of int, optional
        (channels, height, width), where a row is an image.
    positive : int
        The class that fairness measures call favourable.
    groups : mapping of str to tuple of str
        The groups of each protected attribute.
    facts : mapping
        What whoever made the federation knows of the data, by ``section/name``.
    """

    experiment: Experiment
    parties: int
    features: int
    classes: tuple[str, ...]
    image: tuple[int, int, int] | None
    positive: int
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def trainer(self, sizes: np.ndarray) -> RowTrainer:
        """Bind the algorithm to clients of whom no more than the number of rows is known.

        Parameters
        ----------
        sizes : (K,) int array
            Training rows of each client.

        Returns
        -------
        RowTrainer
            It chooses and merges as in a simulation; it has no rows to train or test on.

        Raises
        ------
        ValueError
            If a round has too few clients for the rule.
        """
        experiment = self.experiment
        shape = Dataset(
            experiment.data.name, np.zeros((0, self.features)), np.zeros(0, int),
            tuple(f"x{j}" for j in range(self.features)), self.classes, _NOWHERE, image=self.image,
            positive=self.positive,
        )  # fmt: skip
        owner = np.repeat(np.arange(self.parties), sizes)
        hidden = Dataset(shape.name, np.zeros((owner.size, 0)), np.zeros(owner.size, int), (), self.classes, _NOWHERE,
                         positive=self.positive)  # fmt: skip
        trainer: RowTrainer = ALGORITHMS.call(
            experiment.algorithm, FederatedDataset(hidden, Partition("rows", owner, self.parties)),
            MODELS.call(experiment.model, shape) if experiment.model else None, None, experiment.participation,
            experiment.rounds, seed=experiment.seed,
        )  # fmt: skip
        if type(trainer) not in _OURS:
            raise ValueError(f"{experiment.algorithm.name} must send models only, got a {type(trainer).__name__}")
        return trainer

    def save(self, folder: Path) -> None:
        """Write the two files.

        Parameters
        ----------
        folder : pathlib.Path
            Where to.
        """
        content = {
            "format": _FORMAT, "parties": self.parties, "features": self.features, "classes": self.classes,
            "image": self.image, "positive": self.positive, "groups": self.groups, "facts": self.facts,
        }  # fmt: skip
        jsonfile.write_text(folder / EXPERIMENT, self.experiment.to_toml())
        jsonfile.write_text(folder / FEDERATION, jsonfile.dumps(content))

    @classmethod
    def load(cls, folder: Path) -> Federation:
        """Read the two files.

        Parameters
        ----------
        folder : pathlib.Path
            Where they are.

        Returns
        -------
        Federation
            Checked.

        Raises
        ------
        FileNotFoundError, KeyError, TypeError, ValueError
            If one is missing or is no such file, or the experiment has no place in a real federation.
        """
        experiment = Experiment.from_toml((folder / EXPERIMENT).read_text(encoding="utf-8"))
        refuse(experiment)
        content = jsonfile.read(folder / FEDERATION)
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError(f"{folder / FEDERATION} must be of the format {_FORMAT}, got another")
        image = content["image"]
        return cls(
            experiment, int(content["parties"]), int(content["features"]), tuple(content["classes"]),
            None if image is None else (int(image[0]), int(image[1]), int(image[2])), int(content["positive"]),
            {name: tuple(values) for name, values in content["groups"].items()}, dict(content["facts"]),
        )  # fmt: skip


_NOWHERE = Provenance("known to the clients only", "")
