"""An `Audit`: the counts of every division, client and model, and everything that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.auditing.sheet import datasheet
from trustkit.auditing.tables import MEASURES, dealt_of, lines_of, reasons_of, summary_of
from trustkit.auditing.verdicts import (
    BELOW,
    NOT_MEASURABLE,
    UNDECIDED,
    Level,
    Verdict,
    called,
    choices,
    share_alike,
    worded,
)
from trustkit.metrics.gaps import Gaps, gaps_from_counts
from trustkit.metrics.uncertainty import bootstrap_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Audit"]


_ENOUGH = 20
"""With fewer divisions than this, quantiles over them say little."""


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found. R divisions of the rows, K clients, M models; the first division is the protocol's.

    Parameters
    ----------
    name : str
        Of the data.
    level : {"attribute", "value"}
        What the models have to agree on.
    measure : str
        One of `MEASURES`.
    threshold : float
        In [0, 1]; strengths above it count.
    min_group : int
        Groups with fewer test rows are left out.
    models : (M,) tuple of str
        Their names.
    attributes : mapping of str to tuple of str
        The values of each protected attribute.
    clients : (K,) tuple of str
        Their names.
    composition : mapping of str to (K, G, 2) int array
        All rows by client, group, label is favourable.
    missing : mapping of str to (K,) int array
        Rows without the attribute.
    rows : (K,) int array
        All rows of a client.
    test_rows : (R, K) int array
        Of them for testing.
    counts : mapping of str to (R, K, M, G, 2, 2) int array
        Test rows by group, label is favourable, prediction is favourable.
    accuracy : (R, K, M) float array
        On test rows; NaN where a client could not be measured.
    reasons : (K,) tuple of str
        Why a client could not be measured in the first division; empty where it could.
    facts : mapping
        How it was done and of what: seed, test_size, target, positive, features, left_out, source, licence, …
    again : Audit, optional
        The same on other test rows, if it was asked for: strengths that no selection has touched.
    """

    name: str
    level: Level
    measure: str
    threshold: float
    min_group: int
    models: tuple[str, ...]
    attributes: Mapping[str, tuple[str, ...]]
    clients: tuple[str, ...]
    composition: Mapping[str, np.ndarray]
    missing: Mapping[str, np.ndarray]
    rows: np.ndarray
    test_rows: np.ndarray
    counts: Mapping[str, np.ndarray]
    accuracy: np.ndarray
    reasons: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    again: Audit | None = None

    def __repr__(self) -> str:
        found = ", ".join(f"{count} {verdict}" for verdict, count in self.tally().items())
        label = "synthetic, " if self.facts.get("synthetic") else ""
        return f"Audit({self.name!r}, {label}{len(self.clients)} clients: {found})"

    def gaps(self, attribute: str) -> Gaps:
        """Return the gaps between the groups of an attribute.

        Parameters
        ----------
        attribute : str
            One of `attributes`.

        Returns
        -------
        Gaps
            All (R, K, M): gap, ratio, better, worse, groups.

        Raises
        ------
        KeyError
            If there is no such attribute.
        """
        if attribute not in self.counts:
            raise KeyError(f"there is no attribute {attribute!r}; known are {', '.join(self.counts)}")
        return self._gaps[attribute]

    @cached_property
    def _gaps(self) -> dict[str, Gaps]:
        rate = MEASURES[self.measure]
        return {name: gaps_from_counts(cells, rate, self.min_group) for name, cells in self.counts.items()}

    def interval(self, attribute: str, level: float = 0.95, draws: int = 400) -> tuple[np.ndarray, np.ndarray]:
        """Return intervals for the gaps.

        Parameters
        ----------
        attribute : str
            One of `attributes`.
        level : float
            Strictly between 0 and 1.
        draws : int
            Resamples of the test rows, at least 1; used if there are fewer than 20 divisions.

        Returns
        -------
        low, high : (K, M) float array
            With 20 divisions or more the quantiles over them, which hold how the division and the fit vary; with fewer
            the bootstrap of the first one's test rows, which holds the choice of test rows only.

        Raises
        ------
        KeyError, ValueError
            If there is no such attribute, or a number is out of range.
        """
        gap = self.gaps(attribute).gap
        if len(gap) < _ENOUGH:
            return bootstrap_interval(self.counts[attribute][0], MEASURES[self.measure], draws=draws, level=level,
                                      seed=int(self.facts.get("seed", 0)), min_group=self.min_group)  # fmt: skip
        ends = np.full((2, *gap.shape[1:]), np.nan)
        known = ~np.isnan(gap).all(axis=0)
        ends[:, known] = np.nanquantile(gap[:, known], [(1 - level) / 2, (1 + level) / 2], axis=0)
        return ends[0], ends[1]

    @cached_property
    def _dealt(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return dealt_of(self)

    def chance(self, attribute: str) -> tuple[np.ndarray, np.ndarray]:
        """Say how large gaps would be by chance, in groups of these sizes, and how often chance reaches those found.

        Parameters
        ----------
        attribute : str
            One of `attributes`.

        Returns
        -------
        expected, p : (K, M) float array
            See `trustkit.metrics.chance_gap`, with 400 permutations of the first division's predictions. NaN where a
            gap is undefined, and for equalized odds, which compare two rates.

        Raises
        ------
        KeyError
            If there is no such attribute.
        """
        self.gaps(attribute)
        return self._dealt[attribute]

    @cached_property
    def _chosen(self) -> tuple[np.ndarray, np.ndarray]:
        found = [self.gaps(attribute) for attribute in self.attributes]
        gap, worse = (np.stack(each, axis=-1) for each in ([f.gap for f in found], [f.worse for f in found]))
        return choices(gap, worse, self.level)

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict on every client.

        Returns
        -------
        (K,) tuple of Verdict
            Of the first division; ``stability`` says how many of all have the same, ``reason`` why an attribute has no
            gap there, or none has.
        """
        return self._verdicts

    @cached_property
    def _verdicts(self) -> tuple[Verdict, ...]:
        choice, strength = self._chosen
        stable = share_alike(choice, strength, self.threshold) if len(choice) > 1 else None
        names = dict(self.attributes)
        reasons = reasons_of(self)
        found = []
        for k, client in enumerate(self.clients):
            leaning = called(int(choice[0, k]), names, self.level)
            verdict = worded(int(choice[0, k]), float(strength[0, k]), self.threshold, leaning)
            found.append(Verdict(client, verdict, leaning, float(strength[0, k]),
                                 None if stable is None else float(stable[k]), reasons[k]))  # fmt: skip
        return tuple(found)

    def tally(self) -> dict[str, int]:
        """Count the clients by verdict.

        Returns
        -------
        dict of str to int
            Attributes (or values) in their order, then undecided, below threshold and not measurable, if there are any.
        """
        return {verdict: len(names) for verdict, names in self.clients_by_verdict().items()}

    def clients_by_verdict(self) -> dict[str, tuple[str, ...]]:
        """List the clients of each verdict.

        Returns
        -------
        dict of str to tuple of str
            In the order of `tally`.
        """
        found: dict[str, list[str]] = {}
        for verdict in self.verdicts():
            found.setdefault(verdict.verdict, []).append(verdict.client)
        if self.level == "attribute":
            order = list(self.attributes)
        else:
            order = [f"{name}={value}" for name, values in self.attributes.items() for value in values]
        return {each: tuple(found[each]) for each in (*order, UNDECIDED, BELOW, NOT_MEASURABLE) if each in found}

    def frame(self) -> pd.DataFrame:
        """Return one line a client.

        Returns
        -------
        pandas.DataFrame
            client, rows, test_rows, verdict, leaning, strength, stability (with several divisions), then for each model
            its accuracy, and for each attribute the gap with its interval, the gap that chance alone would give with
            the p of the one found (see `chance`; not for equalized odds), who is better and worse off, the fewest test
            rows of a group, and all rows without the attribute; all of the first division. With `again`: verdict and
            strength on other test rows, and whether the verdict is the same. NaN and empty text where undefined;
            ``reason`` says why.
        """
        return lines_of(self)

    def summary(self) -> dict[str, Any]:
        """Say what clients show and what pooling them would hide.

        Returns
        -------
        dict of str to object
            tally; with `again` the mean strength of clients over the threshold before and on other test rows; by model:
            mean and worst-10 % accuracy, Jain's index; by model and attribute: mean, largest and pooled gap, masking
            gap, the mean gap that chance alone would give, share of clients over the threshold, clients without a gap.
        """
        return summary_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON.

        Returns
        -------
        dict
            Settings, facts, summary, clients line by line, counts, and `again` likewise.
        """
        return {
            "name": self.name, "level": self.level, "measure": self.measure, "threshold": self.threshold,
            "min_group": self.min_group, "models": self.models, "attributes": dict(self.attributes),
            "facts": dict(self.facts), "summary": self.summary(),
            "clients": [verdict._asdict() | {"rows": int(rows)}
                        for verdict, rows in zip(self.verdicts(), self.rows, strict=True)],
            "accuracy": self.accuracy, "test_rows": self.test_rows, "composition": dict(self.composition),
            "missing": dict(self.missing), "counts": dict(self.counts),
            "again": None if self.again is None else self.again.to_dict(),
        }  # fmt: skip

    def to_markdown(self) -> str:
        """Return the datasheet of the data, as far as it is known.

        Returns
        -------
        str
            `datasheet` without answers of one's own.
        """
        return datasheet(self)
