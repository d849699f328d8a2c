"""What injecting bias did: which rows went, which labels changed, and what gap every client has now."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.data import Dataset, FederatedDataset
from trustkit.metrics.clients import disparity_interval
from trustkit.partition import Partition

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Injection", "Reached", "Step", "Target", "label_gap", "reached"]


@dataclass(frozen=True)
class Target:
    """What gap some clients shall have.

    Parameters
    ----------
    clients : int or sequence of int
        Clients, numbered from 0; kept as a tuple.
    attribute : str
        A protected attribute, or several crossed, as ``"sex & race"``.
    gap : float
        Largest minus smallest share of favourable labels over the attribute's groups, in [0, 1].
    value : object, optional
        The group that shall be the worst off, by its value; kept as text. By default the one that is.
    at_most : bool
        Whether a smaller gap will do. In groups of fewer than 1/gap rows even that is met within one row only.

    Raises
    ------
    ValueError
        If there is no client, or the gap is out of range.
    """

    clients: Any
    attribute: str
    gap: float
    value: Any = None
    at_most: bool = False

    def __post_init__(self) -> None:
        named = (self.clients,) if hasattr(self.clients, "__index__") else self.clients
        object.__setattr__(self, "clients", tuple(int(k) for k in named))
        if self.value is not None:
            object.__setattr__(self, "value", str(self.value))
        if not self.clients:
            raise ValueError(f"a target must be for at least 1 client, got none ({self.attribute})")
        if not 0 <= self.gap <= 1:
            raise ValueError(f"the gap of a target must be between 0 and 1, got {self.gap!r} ({self.attribute})")


@dataclass(frozen=True)
class Step:
    """What happened to one group of one client; test rows follow the shares of the training rows."""

    client: int
    attribute: str
    group: str
    rows: int
    favourable: int
    dropped: int
    flipped: int
    test_dropped: int
    test_flipped: int


@dataclass(frozen=True)
class Reached:
    """One target of one client: the gap ``asked`` for, before, and ``achieved`` over its training rows.

    ``low`` and ``high`` are a 95 % interval (Newcombe's, for the best and the worst off), ``rounding`` is one row of
    the smallest group that was compared or changed, ``measured`` what a search measured; else None.
    """

    client: int
    attribute: str
    asked: float
    at_most: bool
    before: float
    achieved: float
    low: float
    high: float
    best: str
    worst: str
    rounding: float
    measured: float | None = None


def label_gap(target: Target, table: np.ndarray, values: tuple[str, ...]) -> tuple[float, int, int]:
    """Return the gap that a target speaks of, and who it is between.

    Parameters
    ----------
    target : Target
        Names the worst off, or leaves it to the rates.
    table : (G, 2) int array
        One client's rows by group and label is favourable; at least two groups have some.
    values : tuple of str
        The groups' names.

    Returns
    -------
    gap : float
        In [0, 1].
    best, worst : int
        Groups.
    """
    size = table.sum(axis=1)
    there = np.flatnonzero(size > 0)
    rate = table[there, 1] / size[there]
    best, least = int(there[rate.argmax()]), int(there[rate.argmin()])
    worst = least if target.value is None else values.index(target.value)
    return float(table[best, 1] / size[best] - table[worst, 1] / size[worst]), best, worst


def reached(
    client: int,
    target: Target,
    earlier: np.ndarray,
    table: np.ndarray,
    values: tuple[str, ...],
    measured: float | None = None,
) -> Reached:
    """Measure what gap one client has.

    Parameters
    ----------
    client : int
        Its number.
    target : Target
        What was asked.
    earlier, table : (G, 2) int array
        Rows by group and label is favourable, before and after.
    values : tuple of str
        The groups' names.
    measured : float, optional
        What a search measured.

    Returns
    -------
    Reached
        Everything about it.
    """
    gap, best, worst = label_gap(target, table, values)
    counts = np.zeros((2, 2, 2), int)
    counts[:, 0] = table[[best, worst]]
    low, high = disparity_interval(counts)
    concerned = np.union1d([best, worst], np.flatnonzero((earlier != table).any(axis=1)))
    return Reached(client, target.attribute, target.gap, target.at_most, label_gap(target, earlier, values)[0], gap,
                   float(low), float(high), values[best], values[worst],
                   float(1 / table[concerned].sum(axis=1).min()), measured)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Injection:
    """A data set and a partition with bias that was put there.

    Parameters
    ----------
    data : Dataset
        Labels of training rows are changed where they were flipped; those of held-out rows are as they came.
    partition : Partition
        Dropped training rows are nobody's (−1); every held-out row has the owner that it had.
    clean : (n,) array
        The labels as they came.
    biased : (n,) array
        The labels after flipping, those of held-out rows too.
    left_out : (n,) bool array
        Rows that dropping takes away: of training for good, of the held-out ones from a biased test only.
    steps : tuple of Step
        What was done, in order.
    targets : tuple of Reached
        What came of it.
    settings : mapping
        operation, method, by_dropping, seed.
    """

    data: Dataset
    partition: Partition
    clean: np.ndarray
    biased: np.ndarray
    left_out: np.ndarray
    steps: tuple[Step, ...]
    targets: tuple[Reached, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def fed(self) -> FederatedDataset:
        """Biased training rows, tested on clean labels."""
        return FederatedDataset(self.data, self.partition)

    def biased_test(self) -> FederatedDataset:
        """Return the same clients, tested on rows that were biased as their training rows were.

        Returns
        -------
        FederatedDataset
            Labels of held-out rows are flipped, dropped ones are nobody's.
        """
        owner = np.where(self.left_out, -1, self.partition.owner)
        data = dataclasses.replace(self.data, y=self.biased)
        return FederatedDataset(data, dataclasses.replace(self.partition, owner=owner))

    def standalone(self, name: str) -> Dataset:
        """Return the rows that have an owner as a data set of its own, its clients as the natural group ``client``.

        Parameters
        ----------
        name : str
            What it shall be called.

        Returns
        -------
        Dataset
            After ``datasets.add`` an experiment can name it, with the split ``use("by_group", group="client")``: so
            flipped labels get into experiments, which a split alone, that only deals rows, cannot bring about.
        """
        rows, data = np.flatnonzero(self.partition.owner >= 0), self.data
        others = {key: each[rows] for key, each in data.groups.items() if key != "client"}
        return dataclasses.replace(
            data, name=name, X=data.X[rows], y=data.y[rows], held_out=data.held_out[rows],
            sensitive={key: each[rows] for key, each in data.sensitive.items()},
            groups={"client": self.partition.owner[rows], **others},
        )  # fmt: skip

    def frame(self) -> pd.DataFrame:
        """Return one line for each step: client, group, rows, what was dropped and flipped, rates before and after.

        Returns
        -------
        pandas.DataFrame
            The fields of `Step`, ``drop_share`` and ``flip_share`` of the favourable rows then left, and the rates.
        """
        import pandas as pd

        frame = pd.DataFrame([dataclasses.asdict(step) for step in self.steps],
                             columns=[each.name for each in dataclasses.fields(Step)])  # fmt: skip
        rest = frame["favourable"] - frame["dropped"]
        frame["drop_share"] = frame["dropped"] / frame["favourable"]
        frame["flip_share"] = frame["flipped"] / rest.where(rest > 0)
        frame["rate_before"] = frame["favourable"] / frame["rows"]
        frame["rate_after"] = (rest - frame["flipped"]) / (frame["rows"] - frame["dropped"])
        return frame

    def gaps(self) -> pd.DataFrame:
        """Return one line for each target and client: asked, before, achieved with its interval, best and worst off.

        Returns
        -------
        pandas.DataFrame
            The fields of `Reached`.
        """
        import pandas as pd

        return pd.DataFrame([dataclasses.asdict(each) for each in self.targets],
                            columns=[each.name for each in dataclasses.fields(Reached)])  # fmt: skip
