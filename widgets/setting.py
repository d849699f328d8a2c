"""What the controls say: a frozen `Setting`, from which an `Experiment` follows. Both axes keep their own values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from trustkit import Experiment, use
from trustkit.catalogue import ALGORITHMS, DATASETS, MODELS, PRIVACY, SPLITS, Use

__all__ = ["Setting", "choices"]


_OF = {
    "axis": ("data", "split", "algorithm", "model", "privacy"),
    "data": ("data", "split"),
    "table": ("data", "split"),
    "rows_split": ("split",),
    "columns_split": ("split",),
    "strategy": ("algorithm",),
    "joint": ("algorithm",),
    "model": ("model",),
    "level": ("privacy",),
}
"""Whose further arguments a change of a menu drops."""


@dataclass(frozen=True)
class Setting:
    """One position of all controls.

    Parameters
    ----------
    axis : {"rows", "columns"}
        What is divided.
    data, table : str
        The data set across rows, and the one across columns.
    rows_split, columns_split : str
        How rows, and how columns, are divided.
    strategy, joint : str
        The algorithm across rows, and the one across columns.
    model : str
        Across rows.
    alpha, skew : float
        α of the columns' importance split, and of the rows' label skew.
    beta : float
        Correlation between parties, 0 … 1.
    epsilon : float
        Privacy budget; infinity switches the mechanism off.
    level : {"example", "client"}
        Whom the mechanism protects.
    clients, parties : int
        K across rows, and across columns.
    selection : float
        Share of clients that train in a round.
    rounds, epochs : int
        Rounds across rows, and across columns, where one is a pass over the data.
    seed : int
        Of everything.
    more : tuple of (str, object)
        Arguments that no slider moves, as ``("algorithm__lr", 0.1)`` or ``("model__hidden", (50, 50))``.
    weights : tuple of (str, float)
        Of the pillars.
    """

    axis: str = "rows"
    data: str = "acs_employment"
    table: str = "letter"
    rows_split: str = "dirichlet"
    columns_split: str = "correlation"
    strategy: str = "fedavg"
    joint: str = "splitnn"
    model: str = "logistic"
    skew: float = 1.0
    alpha: float = 1.0
    beta: float = 0.6
    epsilon: float = math.inf
    level: str = "example"
    clients: int = 10
    parties: int = 4
    selection: float = 0.5
    rounds: int = 20
    epochs: int = 5
    seed: int = 42
    more: tuple[tuple[str, Any], ...] = (("algorithm__lr", 0.02),)
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def across_rows(self) -> bool:
        """Whether rows are divided."""
        return self.axis == "rows"

    def change(self, **changes: Any) -> Setting:
        """Return a setting with values replaced.

        Parameters
        ----------
        **changes
            New values by name.

        Returns
        -------
        Setting
            This one is unchanged.
        """
        kept = dict(changes.pop("more", self.more))
        gone = {part for name, parts in _OF.items() if name in changes for part in parts}
        more = tuple(sorted((key, value) for key, value in kept.items() if key.partition("__")[0] not in gone))
        return replace(self, more=more, **changes)

    def takes(self, name: str) -> bool:
        """Tell whether the chosen split has a parameter.

        Parameters
        ----------
        name : str
            ``"alpha"``, ``"beta"`` or ``"parties"``.

        Returns
        -------
        bool
            Whether the slider does anything.
        """
        split = self.rows_split if self.across_rows else self.columns_split
        return name in {parameter.name for parameter in SPLITS[split].parameters}

    def split(self) -> Use:
        """Return the split that the controls ask for.

        Returns
        -------
        Use
            With those of α, β and K that it takes.
        """
        values = (
            {"parties": self.clients, "alpha": self.skew}
            if self.across_rows
            else {"parties": self.parties, "alpha": self.alpha, "beta": self.beta}
        )
        name = self.rows_split if self.across_rows else self.columns_split
        return use(name, **{**self.further("split"), **{key: v for key, v in values.items() if self.takes(key)}})

    def further(self, part: str) -> dict[str, Any]:
        """Return the arguments of a part that no slider moves.

        Parameters
        ----------
        part : str
            data, split, algorithm, model or privacy.

        Returns
        -------
        dict
            By name.
        """
        return {key.partition("__")[2]: value for key, value in self.more if key.partition("__")[0] == part}

    def experiment(self) -> Experiment:
        """Return the experiment that the controls ask for.

        Returns
        -------
        Experiment
            Checked.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the values do not fit together.
        """
        if not self.across_rows:
            table, joint = use(self.table, **self.further("data")), use(self.joint, **self.further("algorithm"))
            return Experiment(table, self.split(), joint, rounds=self.epochs, seed=self.seed)
        budget = {**self.further("privacy"), "epsilon": self.epsilon, "level": self.level}
        return Experiment(
            use(self.data, **self.further("data")),
            self.split(),
            use(self.strategy, **self.further("algorithm")),
            use(self.model, **self.further("model")),
            None if math.isinf(self.epsilon) else use("gaussian", **budget),
            rounds=self.rounds,
            participation=self.selection,
            seed=self.seed,
        )

    @classmethod
    def of(cls, experiment: Experiment) -> Setting:
        """Return the setting that leads to an experiment, as far as the controls reach.

        Parameters
        ----------
        experiment : Experiment
            For example a preset.

        Returns
        -------
        Setting
            Controls that the experiment does not mention keep their defaults.
        """
        split, seed = experiment.split.args, experiment.seed
        more = tuple(sorted(_rest(experiment).items()))
        if experiment.axis == "columns":
            return cls(
                axis="columns",
                table=experiment.data.name,
                columns_split=experiment.split.name,
                joint=experiment.algorithm.name,
                alpha=split.get("alpha", cls.alpha),
                beta=split.get("beta", cls.beta),
                parties=split.get("parties", cls.parties),
                epochs=experiment.rounds,
                seed=seed,
                more=more,
            )
        private = {} if experiment.privacy is None else experiment.privacy.args
        return cls(
            data=experiment.data.name,
            rows_split=experiment.split.name,
            strategy=experiment.algorithm.name,
            model=experiment.model.name if experiment.model else cls.model,
            skew=split.get("alpha", cls.skew),
            clients=split.get("parties", cls.clients),
            epsilon=private.get("epsilon") or math.inf,
            level=private.get("level", cls.level),
            selection=experiment.participation,
            rounds=experiment.rounds,
            seed=seed,
            more=more,
        )


def _rest(experiment: Experiment) -> dict[str, Any]:
    """Arguments that no slider moves and that are not the defaults anyway."""
    parts = {
        "data": (DATASETS, experiment.data),
        "split": (SPLITS, experiment.split),
        "algorithm": (ALGORITHMS, experiment.algorithm),
        "model": (MODELS, experiment.model),
        "privacy": (PRIVACY, experiment.privacy),
    }
    moved = {"alpha", "beta", "parties", "epsilon", "level"}
    return {
        f"{part}__{name}": value
        for part, (catalogue, used) in parts.items()
        if used is not None
        for name, value in used.args.items()
        if name not in moved and value != catalogue[used.name].arguments({})[name]
    }


def choices(axis: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return what the menus offer across an axis, read off the catalogues.

    Parameters
    ----------
    axis : {"rows", "columns"}
        What is divided.

    Returns
    -------
    splits, algorithms : list of (title, name)
        In catalogue order.
    """
    return (
        [(entry.title, name) for name, entry in SPLITS.items() if entry.axis == axis],
        [(entry.title, name) for name, entry in ALGORITHMS.items() if entry.axis == axis],
    )
