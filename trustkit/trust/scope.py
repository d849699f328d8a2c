"""What a profile scores: a taxonomy of pillars, notions and metrics; the paper's table, and the whole of it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trustkit.trust.factsheet import FactSheet
from trustkit.trust.taxonomy import EVERY_NOTION, FURTHER, METRICS, NOTIONS, PILLARS, REFINED, Metric, Notion

__all__ = ["TAXONOMY", "WHOLE", "Taxonomy"]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """What a profile scores: pillars, notions and metrics, and how they read a fact sheet.

    Parameters
    ----------
    name : str
        Also of the plain profile over it.
    pillars : mapping of str to str
        Names by id, in order.
    notions : mapping of str to Notion
        By id, in order.
    metrics : mapping of str to Metric
        By key, in order: the metric's id, behind its pillar's where another id is the same.
    view : callable, optional
        From a `FactSheet` to the layout that the metrics read, if that is another one.
    layout : str
        What `trustkit.trust.imports.layout_of` calls that layout.
    """

    name: str
    pillars: Mapping[str, str]
    notions: Mapping[str, Notion]
    metrics: Mapping[str, Metric]
    view: Callable[[FactSheet], Any] | None = None
    layout: str = ""

    def level_of(self, name: str) -> tuple[str, Any]:
        """Find a pillar, notion or metric by its id.

        Parameters
        ----------
        name : str
            An id.

        Returns
        -------
        level : {"pillar", "notion", "metric"}
            What it is.
        what : str, Notion or Metric
            The pillar's name, or the row.

        Raises
        ------
        KeyError
            If nothing has that id; the message lists those there are.

        Examples
        --------
        >>> TAXONOMY.level_of("privacy")
        ('pillar', 'Privacy')
        """
        tables: dict[str, Mapping[str, Any]] = {
            "pillar": self.pillars, "notion": self.notions, "metric": self.metrics,
        }  # fmt: skip
        for level, table in tables.items():
            if name in table:
                return level, table[name]
        everything = [id_ for table in tables.values() for id_ in table]
        close = difflib.get_close_matches(str(name), everything, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise KeyError(f"there is no pillar, notion or metric {name!r}; {hint}known are {', '.join(everything)}")

    def only(self, names: Iterable[str]) -> Taxonomy:
        """Keep some metrics, with the notions and pillars that they are in.

        Parameters
        ----------
        names : iterable of str
            Ids of metrics, or of notions and pillars for all of theirs; at least one.

        Returns
        -------
        Taxonomy
            In the same order, under the same name.

        Raises
        ------
        KeyError
            If an id is unknown.
        ValueError
            If there is none.

        Examples
        --------
        >>> list(WHOLE.only(["information", "performance"]).pillars)
        ['privacy', 'robustness']
        """
        wanted = set(names)
        for name in sorted(wanted):
            self.level_of(name)
        kept = {key: m for key, m in self.metrics.items() if wanted & {key, m.notion, m.pillar}}
        if not kept:
            raise ValueError("a taxonomy must keep at least one metric, got none")
        notions = {id_: n for id_, n in self.notions.items() if any(m.notion == id_ for m in kept.values())}
        pillars = {id_: p for id_, p in self.pillars.items() if any(n.pillar == id_ for n in notions.values())}
        return Taxonomy(self.name, pillars, notions, kept, self.view, self.layout)


class _Joined(Mapping[str, Metric]):
    """The rows of several tables, as they stand, in the order of the notions; some refined under the same id."""

    def __init__(self, *tables: Mapping[str, Metric], refined: Mapping[str, Metric]) -> None:
        self._tables, self._refined = tables, refined

    def __getitem__(self, key: str) -> Metric:
        for table in self._tables:
            if key in table:
                return self._refined.get(key, table[key])
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        rows = [(key, row) for table in self._tables for key, row in table.items()]
        place = {notion: at for at, notion in enumerate(EVERY_NOTION)}
        return iter([key for key, _ in sorted(rows, key=lambda pair: place[pair[1].notion])])

    def __len__(self) -> int:
        return sum(map(len, self._tables))


TAXONOMY = Taxonomy("paper", PILLARS, NOTIONS, METRICS)
"""The paper's Table 2, and rows of one's own: the one that `trustkit.trust.metric` enters rows into."""

WHOLE = Taxonomy("calibrated", PILLARS, EVERY_NOTION, _Joined(METRICS, FURTHER, refined=REFINED))
"""Everything that the paper's section 3 names: `TAXONOMY`, and the metrics that its prototype leaves out.

A row of `REFINED` takes the place of the table's.
"""
