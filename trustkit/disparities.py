"""Gaps between groups on a run's last round: by attribute, value or intersection, client by client and pooled."""

from __future__ import annotations

import weakref
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from trustkit.findings import COMPARED, SMALL, Compared, client_names
from trustkit.gapintervals import by_false_rate, gap_interval, ratio_interval
from trustkit.horizontal.thresholds import own_scores
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.coding import group_codes, intersection
from trustkit.metrics.counting import count_clients
from trustkit.metrics.gaps import Gaps, gaps_from_counts, group_rate, why_undefined
from trustkit.records import Round, RunRecord
from trustkit.rounds import build, data_of, partition_of

__all__ = ["COMPARED", "CROSS", "OTHERS", "Compared", "Disparities", "disparities_of"]

CROSS = " & "
"""Between the names of attributes that are crossed, and of their values."""

OTHERS = "all others"
"""What one value is compared with."""


_CROSSED: weakref.WeakKeyDictionary[Round, dict[str, tuple[tuple[str, ...], np.ndarray]]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Disparities:
    """Gaps of K clients between G groups.

    Parameters
    ----------
    attribute : str
        A protected attribute, or two crossed.
    value : str
        The value that is compared with all others; empty where all values are compared.
    compared : Compared
        What is compared.
    line : float
        In [0, 1]: a gap above it, or a ratio below it, counts.
    values : (G,) tuple of str
        The groups.
    names : (K,) tuple of str
        The clients.
    counts : (K, G, 2, 2) int array
        Test rows by client, group, favourable label and favourable prediction.
    min_group : int
        Groups with fewer rows than this, of those that the rate is taken over, are left out of gaps; at least 0.
    missing : (K,) int array
        Test rows that are in no group, because the attribute is missing; empty where that is not known.
    """

    attribute: str
    value: str
    compared: Compared
    line: float
    values: tuple[str, ...]
    names: tuple[str, ...]
    counts: np.ndarray
    min_group: int = 0
    missing: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    @cached_property
    def _both(self) -> np.ndarray:
        """(K + 1, G, 2, 2): the clients' counts and, last, those of all rows together."""
        return np.concatenate([self.counts, self.counts.sum(axis=0, keepdims=True)])

    @cached_property
    def _gaps(self) -> Gaps:
        return gaps_from_counts(self.counts, self.compared.rate, self.min_group)

    @cached_property
    def _pooled(self) -> Gaps:
        return gaps_from_counts(self._both[-1], self.compared.rate, self.min_group)

    def _chosen(self, gaps: Gaps) -> np.ndarray:
        return np.asarray(gaps.ratio if self.compared.ratio else gaps.gap)

    @cached_property
    def gap(self) -> np.ndarray:
        """(K,) in [0, 1]: each client's gap, or its ratio; NaN where undefined."""
        return self._chosen(self._gaps)

    @cached_property
    def pooled(self) -> float:
        """The gap, or the ratio, of all clients' rows together; NaN where undefined."""
        return float(self._chosen(self._pooled))

    @cached_property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Two (K + 1,) arrays: 95 % intervals of the clients and, last, of all rows together; NaN where undefined.

        Of gaps they are Newcombe's. Of ratios they are Katz's, on the logarithm; undefined where a rate is 0. Both take
        the groups with the largest and the smallest rate as if they had been named beforehand.
        """
        rate, least = self.compared.rate, self.min_group
        return ratio_interval(self._both, least) if self.compared.ratio else gap_interval(self._both, rate, least)

    @cached_property
    def worse(self) -> np.ndarray:
        """(K,) int: the group with the smallest rate; −1 where no gap is defined, or all rates are equal."""
        return np.where(self._gaps.better == self._gaps.worse, -1, self._gaps.worse)

    @property
    def pooled_worse(self) -> int:
        """The same for all rows together."""
        return -1 if self._pooled.better == self._pooled.worse else int(self._pooled.worse)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """(K,) why a client has no gap; empty where it has one."""
        said = why_undefined(self.counts, self.compared.rate, self.min_group)
        return tuple(np.where((said == "") & np.isnan(self.gap), "nobody is selected", said).tolist())

    @cached_property
    def sizes(self) -> np.ndarray:
        """(K, G) int: the rows that the rates are taken over; of true and false positive rates the fewer."""
        by_label = self.counts.sum(axis=-1)
        if self.compared.rate == "odds":
            return np.asarray(by_label.min(axis=-1))
        return np.asarray(by_label[..., 1] if self.compared.rate == "tpr" else by_label.sum(axis=-1))

    @cached_property
    def small(self) -> np.ndarray:
        """(K,) bool: whether a group that takes part has fewer than 30 rows."""
        return np.asarray(((self.sizes >= max(1, self.min_group)) & (self.sizes < SMALL)).any(axis=-1))

    @cached_property
    def rates(self) -> np.ndarray:
        """(K + 1, G) in [0, 1]: the groups' rates by client and, last, of all rows; NaN without rows.

        Where odds are compared it is the true or the false positive rate, whichever differs more at that client.
        """
        if self.compared.rate != "odds":
            return group_rate(self._both, self.compared.rate)
        false = by_false_rate(self._both, self.min_group)[:, None]
        return np.asarray(np.where(false, group_rate(self._both, "fpr"), group_rate(self._both, "tpr")))

    @cached_property
    def over(self) -> np.ndarray:
        """(K,) bool: gaps above the line, or ratios below it."""
        return np.asarray(self.gap < self.line if self.compared.ratio else self.gap > self.line)

    @property
    def undefined(self) -> int:
        """For how many clients there is no gap."""
        return int(np.isnan(self.gap).sum())

    @cached_property
    def order(self) -> np.ndarray:
        """(K,) int: clients from the worst on, those without a gap last."""
        key = self.gap if self.compared.ratio else -self.gap
        return np.argsort(np.where(np.isnan(key), np.inf, key), kind="stable")

    @property
    def worst(self) -> float:
        """The largest gap, or the smallest ratio; NaN if no client has one."""
        return float(self.gap[self.order[0]]) if self.gap.size else float("nan")

    @property
    def masking(self) -> float:
        """How much further from equal the worst client is than all rows together; NaN where one is undefined."""
        return (self.pooled - self.worst) if self.compared.ratio else (self.worst - self.pooled)


def disparities_of(
    record: RunRecord, attribute: str = "", *, value: str = "", compared: str = "demographic_disparity",
    line: float | None = None, min_group: int = 0,
) -> Disparities | None:  # fmt: skip
    """Measure gaps between groups on a run's last round.

    Parameters
    ----------
    record : RunRecord
        At least one round; for crossed attributes with the state of the last.
    attribute : str
        A protected attribute, or several crossed, as "sex & race"; by default the data set's first.
    value : str
        One of its values, to be compared with all others together; by default all values are compared.
    compared : str
        A name of `COMPARED`.
    line : float, optional
        Which gap counts, in [0, 1]; by default that of `COMPARED`.
    min_group : int
        Groups with fewer rows than this, of those that the rate is taken over, are left out of gaps; at least 0.

    Returns
    -------
    Disparities or None
        ``None`` if the data set names no protected attribute.

    Raises
    ------
    KeyError
        If there is no such attribute, value or measure.
    ValueError
        If the line is out of range, the smallest group negative, or attributes are crossed on a run over columns or
        without its state.
    """
    if compared not in COMPARED:
        raise KeyError(f"there is no measure {compared!r}; known are {', '.join(COMPARED)}")
    what = COMPARED[compared]
    at = what.line if line is None else line
    if not 0 <= at <= 1:
        raise ValueError(f"line must be between 0 and 1, got {at!r}")
    if min_group < 0:
        raise ValueError(f"min_group must be at least 0, got {min_group!r}")
    if not record.groups:
        return None
    name = attribute or next(iter(record.groups))
    values, counts = _counted(record, name)
    if value:
        if value not in values:
            raise KeyError(f"{name} has no value {value!r}; known are {', '.join(values)}")
        g = values.index(value)
        counts = np.stack([counts.sum(axis=1) - counts[:, g], counts[:, g]], axis=1)
        values = (OTHERS, value)
    return Disparities(name, value, what, at, values, client_names(record), counts, min_group,
                       _tested(record) - counts.sum(axis=(1, 2, 3)))  # fmt: skip


def _tested(record: RunRecord) -> np.ndarray:
    """Count the test rows of each client (K,), of the joint model over columns all."""
    held_out, partition = data_of(record.experiment).held_out, partition_of(record.experiment)
    if partition.axis == "columns":
        return np.array([held_out.sum()])
    return np.bincount(partition.owner[held_out & (partition.owner >= 0)], minlength=partition.parties)


def _counted(record: RunRecord, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the groups of an attribute and their counts, those of crossed attributes counted once a round."""
    data = data_of(record.experiment)
    if name in record.groups:
        return data.codes(name)[1], record.groups[name]
    parts = _parts(name, record.groups)
    if not parts:
        unknown = next((part for part in name.split(CROSS) if part not in record.groups), name)
        raise KeyError(f"there is no protected attribute {unknown!r}; known are {', '.join(record.groups)}")
    kept = _CROSSED.setdefault(record.last, {})
    if name not in kept:
        kept[name] = _cross(record, parts)
    return kept[name]


def _parts(name: str, known: Collection[str]) -> list[str]:
    """Take a name of crossed attributes apart; one of them may have the sign of a cross in its name."""
    if name in known:
        return [name]
    ends = [at for at in range(len(name)) if name.startswith(CROSS, at) and name[:at] in known]
    rests = ([name[:at], *_parts(name[at + len(CROSS) :], known)] for at in ends)
    return next((parts for parts in rests if len(parts) > 1), [])


def _cross(record: RunRecord, parts: list[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """Predict the test rows, each by the model of its client, and count them by intersection."""
    trainer, state = build(record.experiment).trainer, record.last.state
    if not isinstance(trainer, RowTrainer):
        raise ValueError(f"attributes can be crossed on a run over rows, got one over {record.experiment.axis}")
    if state is None:
        raise ValueError("attributes can be crossed on a run with its last state, got one without")
    (logits, y), data, sizes = own_scores(trainer, state, "test"), data_of(record.experiment), trainer.test.sizes
    crossed = intersection(*(group_codes(data.sensitive[part][trainer.test.rows]) for part in parts))
    owner, pred = np.repeat(np.arange(sizes.size), sizes), logits.argmax(axis=1)
    found = count_clients(pred, y, owner, {"": crossed}, clients=sizes.size, positive=data.positive)[""]
    return found.values, found.counts
