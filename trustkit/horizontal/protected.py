"""Training rows that belong to protected groups: what the algorithms that care about groups have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from trustkit.data import FederatedDataset
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.received import Tried
from trustkit.horizontal.selectors import Selector
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.coding import Coded, group_codes
from trustkit.metrics.counting import count_clients

__all__ = ["UNNOISED", "Attribute", "Grouped", "bind_groups", "protected", "reweights"]

Attribute = Annotated[str, "protected attribute; empty for the data set's first"]

UNNOISED: Mapping[str, str] = dict.fromkeys(
    ("example", "client"), "its clients send losses or counts of their rows, to which no noise is added"
)
"""Levels of privacy that are refused to whoever looks at more than models, and why."""


def protected(fed: FederatedDataset, attribute: str) -> Coded:
    """Number the groups of the attribute that an algorithm is to care about.

    Parameters
    ----------
    fed : FederatedDataset
        The data.
    attribute : str
        A protected attribute; empty for the first.

    Returns
    -------
    Coded
        ``codes`` (n,) of all rows, −1 where the attribute is missing, and the ``values``.

    Raises
    ------
    ValueError
        If the data have no such attribute, or it has fewer than two values.
    """
    data = fed.data
    if not data.sensitive:
        raise ValueError(f"data must have a protected attribute for this algorithm, got {data.name} without one")
    name = attribute or next(iter(data.sensitive))
    if name not in data.sensitive:
        raise ValueError(f"attribute must be one of {', '.join(data.sensitive)}, got {name!r}")
    coded = group_codes(data.sensitive[name], data.y.size)
    if len(coded.values) < 2:
        raise ValueError(f"{name} must have at least two values, got {', '.join(coded.values) or 'none'}")
    return coded


def reweights(y: np.ndarray, groups: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Weigh each client's rows so that group and class are independent.

    Parameters
    ----------
    y : (n,) int array
        Classes, at least 0.
    groups : (n,) int array
        Protected groups; −1 where not known.
    owner : (n,) int array
        Clients, at least 0.

    Returns
    -------
    (n,) float array
        Positive; 1 for a row whose group is not known. The weights of a client add up to its rows if it has every
        class in every group that it has.

    Notes
    -----
    Client by client, over its rows with a known group: n_a·n_y / (n·n_ay), which is P(a)·P(y) / P(a, y).

    Source
    ------
    Kamiran and Calders (2012), "Data preprocessing techniques for classification without discrimination".

    Deviations
    ----------
    None.

    Examples
    --------
    >>> reweights(np.array([1, 1, 0, 0]), np.array([0, 0, 0, 1]), np.zeros(4, int)).tolist()
    [0.75, 0.75, 1.5, 0.5]
    """
    weights, known = np.ones(y.size), groups >= 0
    if not known.any():
        return weights
    k, a, c = owner[known], groups[known], y[known]
    G, C = int(a.max()) + 1, int(c.max()) + 1
    counts = np.bincount((k * G + a) * C + c, minlength=(int(k.max()) + 1) * G * C).reshape(-1, G, C)
    size, by_group, by_class = counts.sum(axis=(1, 2)), counts.sum(axis=2), counts.sum(axis=1)
    weights[known] = (by_group[k, a] * by_class[k, c]) / (size[k] * counts[k, a, c])
    return weights


@dataclass(frozen=True, eq=False)
class Grouped(RowTrainer):
    """A trainer whose clients know the protected group of each training row.

    Parameters
    ----------
    groups : (N,) int array
        0 … G−1 by training row; −1 where not known.
    values : tuple of str
        What the G groups are called.
    """

    groups: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    values: tuple[str, ...] = ()

    @cached_property
    def _reweights(self) -> np.ndarray:
        """(N,): what a training row counts so that group and class are independent in each client."""
        owner = np.repeat(np.arange(self.train.sizes.size), self.train.sizes)
        return reweights(self._rows[1], self.groups, owner)

    def _group_counts(self, seen: Tried) -> np.ndarray:
        """Count the training rows of a round's clients (m, G, 2, 2) by group, favourable label and prediction."""
        coded, clients = Coded(self.groups[seen.rows], self.values), seen.offsets.size - 1
        found = count_clients(
            seen.logits.argmax(axis=1), seen.y, seen.owner, {"": coded}, clients=clients, positive=self.positive
        )
        return found[""].counts


def bind_groups(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int,
    seed: int, local: Local, attribute: str, *, kind: type[Grouped], selector: Selector = "random", **more: Any,
) -> Grouped:  # fmt: skip
    """Bind an algorithm that cares about protected groups to its data.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        What to train.
    privacy : Gaussian, optional
        A mechanism; ``None`` for none.
    participation : float
        In (0, 1]: the share of clients in a round.
    rounds : int
        At least 1: over how many rounds ε is planned.
    seed : int
        The experiment's seed.
    local : Local
        How clients train.
    attribute : str
        A protected attribute; empty for the first.
    kind : type
        The algorithm's own trainer.
    selector : str
        How the clients of a round are chosen.
    **more
        Further fields of the trainer.

    Returns
    -------
    Grouped
        Ready to start.

    Raises
    ------
    ValueError
        See `protected` and `trustkit.horizontal.binding.bind`.
    """
    coded = protected(fed, attribute)
    trainer = bind(fed, model, privacy, participation, rounds, seed, local, kind=kind, selector=selector, **more)
    if not isinstance(trainer, Grouped):
        raise TypeError(f"kind must be a trainer of groups, got {kind.__name__}")
    return replace(trainer, groups=coded.codes[trainer.train.rows], values=coded.values)
