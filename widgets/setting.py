"""What the controls say: a frozen `Setting`, from which an `Experiment` follows. Both axes keep their own values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from trustkit.widgets.further import DROPS, Arguments, kept, rest_of
from trustkit.widgets.translated import translated

from trustkit import Experiment, use
from trustkit.catalogue import ALGORITHMS, SPLITS, Use

__all__ = ["Setting", "choices"]


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
        α of the columns' importance split (or one a party), and of the rows' label skew.
    beta : float
        Correlation between parties, 0 … 1.
    epsilon : float
        Privacy budget; infinity switches the mechanism off.
    level : {"example", "client"}
        Whom the mechanism protects.
    clients, parties : int
        K across rows, and across columns (or the columns of each party).
    selection : float
        Share of clients that train in a round.
    attack, faults : str
        What is done to a training across rows, and what goes wrong in it; empty for nothing.
    secure : bool
        Whether the server across rows learns only sums.
    guard : str
        The privacy mechanism across columns; empty for none.
    rounds, epochs : int
        Rounds across rows, and across columns, where one is a pass over the data.
    seed : int
        Of everything.
    more : tuple of (str, object)
        Arguments that no slider moves, as ``("algorithm__lr", 0.1)`` or ``("model__hidden", (50, 50))``.
    aside : tuple of (str, object)
        Those of the other axis, kept for the way back.
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
    alpha: float | tuple[float, ...] = 1.0
    beta: float = 0.6
    epsilon: float = math.inf
    level: str = "example"
    clients: int = 10
    parties: int | tuple[int, ...] = 4
    selection: float = 0.5
    attack: str = ""
    faults: str = ""
    secure: bool = False
    guard: str = ""
    rounds: int = 20
    epochs: int = 5
    seed: int = 42
    more: Arguments = (("algorithm__lr", 0.02),)
    aside: Arguments = ()
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def across_rows(self) -> bool:
        """Whether rows are divided."""
        return self.axis == "rows"

    @property
    def private(self) -> bool:
        """Whether a mechanism is on: by ε, or by an amount of noise that an experiment from elsewhere names."""
        return not math.isinf(self.epsilon) or "noise" in self.further("privacy")

    def change(self, **changes: Any) -> Setting:
        """Return a setting with values replaced.

        Parameters
        ----------
        **changes
            New values by name.

        Returns
        -------
        Setting
            This one is unchanged. What another menu's entry was given further is dropped; what the other axis was
            given waits for the way back.
        """
        given = tuple(dict(changes.pop("more", self.more)).items())
        moved = [name for name, value in changes.items() if value != getattr(self, name, value)]
        other = "columns" if self.across_rows else "rows"
        more, aside = kept(given, DROPS[self.axis], moved), kept(self.aside, DROPS[other], moved)
        if "axis" in moved:
            more, aside = aside, more
        return replace(self, more=more, aside=aside, **changes)

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
        return split in SPLITS and name in {parameter.name for parameter in SPLITS[split].parameters}

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
            data, split, algorithm, model, privacy, attack or faults.

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
            guard = use(self.guard, **self.further("privacy")) if self.guard else None
            return Experiment(table, self.split(), joint, privacy=guard, rounds=self.epochs, seed=self.seed)
        budget = {**self.further("privacy"), "level": self.level}
        budget["epsilon"] = None if math.isinf(self.epsilon) else self.epsilon
        return Experiment(
            use(self.data, **self.further("data")),
            self.split(),
            use(self.strategy, **self.further("algorithm")),
            use(self.model, **self.further("model")),
            use("gaussian", **budget) if self.private else None,
            rounds=self.rounds,
            participation=self.selection,
            seed=self.seed,
            attack=use(self.attack, **self.further("attack")) if self.attack else None,
            faults=use(self.faults, **self.further("faults")) if self.faults else None,
            secure=self.secure,
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
        more = tuple(sorted(rest_of(experiment).items()))
        if experiment.axis == "columns":
            return cls(
                axis="columns",
                table=experiment.data.name,
                columns_split=experiment.split.name,
                joint=experiment.algorithm.name,
                alpha=split.get("alpha", cls.alpha),
                beta=split.get("beta", cls.beta),
                parties=split.get("parties", cls.parties),
                guard=experiment.privacy.name if experiment.privacy else "",
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
            attack=experiment.attack.name if experiment.attack else "",
            faults=experiment.faults.name if experiment.faults else "",
            secure=experiment.secure,
            rounds=experiment.rounds,
            seed=seed,
            more=more,
        )


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
        [(translated(entry.title), name) for name, entry in SPLITS.items() if entry.axis == axis],
        [(translated(entry.title), name) for name, entry in ALGORITHMS.items() if entry.axis == axis],
    )
