"""Clients whose rows are being changed: who is still there, with what label, and in which order rows would go."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from trustkit.data import Dataset
from trustkit.metrics.coding import Coded, group_codes, intersection
from trustkit.partition import Partition
from trustkit.split.injection import Step

__all__ = ["Cohort", "attribute_codes", "check_clients"]


def check_clients(data: Dataset, partition: Partition) -> None:
    """Raise unless there are classes, and clients that hold the rows.

    Parameters
    ----------
    data : Dataset
        With classes.
    partition : Partition
        Over its rows.

    Raises
    ------
    ValueError
        If either is otherwise.
    """
    if partition.axis != "rows" or partition.owner.size != data.y.size:
        raise ValueError(
            f"bias needs clients that hold the {data.y.size} rows of {data.name}, "
            f"got a partition of {partition.owner.size} {partition.axis}"
        )
    if data.task == "regression":
        raise ValueError(f"bias needs favourable labels, but {data.name} has a number as its target (a regression)")


def attribute_codes(data: Dataset, attribute: str) -> Coded:
    """Number the groups of a protected attribute, or of several crossed.

    Parameters
    ----------
    data : Dataset
        With protected attributes.
    attribute : str
        One of them, or several as ``"sex & race"``.

    Returns
    -------
    Coded
        By row; −1 where it is missing.

    Raises
    ------
    KeyError
        If there is no such attribute; the message lists those there are.
    """
    parts = [attribute] if attribute in data.sensitive else attribute.split(" & ")
    for part in parts:
        if part not in data.sensitive:
            known = ", ".join(data.sensitive) or "none"
            raise KeyError(f"{data.name} has no protected attribute {part!r}; known are {known}")
    return intersection(*(group_codes(data.sensitive[part]) for part in parts))


@dataclass(eq=False)
class Cohort:
    """Rows by client, changed in place; `chance` (n,) orders the rows of a group: the first go first.

    Attributes that are made: ``alive`` (n,) bool, false for dropped rows; ``y`` (n,) labels; ``steps`` that were taken.
    """

    data: Dataset
    partition: Partition
    chance: np.ndarray
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        owner = self.partition.owner
        self.alive = np.ones(owner.size, bool)
        self.y = np.array(self.data.y)
        self.other = next((c for c in range(len(self.data.classes)) if c != self.data.positive), self.data.positive)
        order = np.argsort(owner * 2 + self.data.held_out, kind="stable")
        cuts = np.searchsorted((owner * 2 + self.data.held_out)[order], np.arange(2 * self.partition.parties + 1))
        self._parts = np.split(order, cuts)[1:-1]

    def rows(self, client: int, test: bool = False) -> np.ndarray:
        """Return a client's rows that are left.

        Parameters
        ----------
        client : int
            0 … K−1.
        test : bool
            Whether those held out.

        Returns
        -------
        (r,) int array
            Ascending.
        """
        mine = self._parts[2 * client + test]
        return np.asarray(mine[self.alive[mine]])

    def table(self, client: int, coded: Coded, rows: np.ndarray | None = None) -> np.ndarray:
        """Count training rows by group and by whether the label is favourable.

        Parameters
        ----------
        client : int
            0 … K−1.
        coded : Coded
            The attribute, G groups.
        rows : (r,) int array, optional
            Which rows; by default the client's training rows that are left.

        Returns
        -------
        (G, 2) int array
            Unfavourable and favourable rows; rows that lack the attribute are not counted.
        """
        mine = self.rows(client) if rows is None else rows
        mine = mine[coded.codes[mine] >= 0]
        cell = coded.codes[mine] * 2 + (self.y[mine] == self.data.positive)
        return np.asarray(np.bincount(cell, minlength=2 * len(coded.values)).reshape(-1, 2))

    def favourable(self, rows: np.ndarray, coded: Coded, group: int) -> np.ndarray:
        """Return the favourable rows of a group, in the order in which they would go.

        Parameters
        ----------
        rows : (r,) int array
            Of one client.
        coded : Coded
            The attribute.
        group : int
            0 … G−1.

        Returns
        -------
        (k,) int array
            Some of the rows.
        """
        found = rows[(coded.codes[rows] == group) & (self.y[rows] == self.data.positive)]
        return np.asarray(found[np.argsort(self.chance[found], kind="stable")])

    def change(self, client: int, attribute: str, coded: Coded, dropped: np.ndarray, flipped: np.ndarray) -> int:
        """Drop and flip rows of one client; of its test rows the same shares.

        Parameters
        ----------
        client : int
            0 … K−1.
        attribute : str
            Noted down.
        coded : Coded
            The attribute, G groups.
        dropped, flipped : (G,) int array
            How many favourable training rows of each group.

        Returns
        -------
        int
            How many training rows were changed.
        """
        table = self.table(client, coded)
        for g in np.flatnonzero(dropped + flipped).tolist():
            size, favourable = int(table[g].sum()), int(table[g, 1])
            drop, flip = int(dropped[g]), int(flipped[g])
            self._apply(self.favourable(self.rows(client), coded, g), drop, flip)
            test = self.favourable(self.rows(client, test=True), coded, g)
            test_drop = round(test.size * drop / favourable)
            test_flip = round((test.size - test_drop) * flip / (favourable - drop)) if flip else 0
            self._apply(test, test_drop, test_flip)
            self.steps.append(
                Step(client, attribute, coded.values[g], size, favourable, drop, flip, test_drop, test_flip)
            )
        return int(dropped.sum() + flipped.sum())

    def _apply(self, rows: np.ndarray, drop: int, flip: int) -> None:
        self.alive[rows[:drop]] = False
        self.y[rows[drop : drop + flip]] = self.other
