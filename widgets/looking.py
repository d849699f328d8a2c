"""How fairness is looked at: by which groups, by which measure, with which line, and from where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from trustkit import RunRecord
from trustkit.disparities import COMPARED, CROSS, Compared, Disparities, disparities_of

__all__ = ["Look", "Looking", "crosses"]


@dataclass(frozen=True)
class Look:
    """One way to look.

    Parameters
    ----------
    attribute, other : str
        A protected attribute, by default the first, and one that it is crossed with, if any.
    value : str
        The value that is compared with all others; empty for all values.
    compared : str
        A name of `trustkit.disparities.COMPARED`.
    gap_line, ratio_line : float
        Above which a gap, and below which a ratio, counts; in [0, 1].
    min_group : int
        Groups with fewer rows are left out.
    view : {"server", "clients"}
        The server sees all rows together.
    """

    attribute: str = ""
    other: str = ""
    value: str = ""
    compared: str = "demographic_disparity"
    gap_line: float = COMPARED["demographic_disparity"].line
    ratio_line: float = COMPARED["parity_ratio"].line
    min_group: int = 0
    view: Literal["server", "clients"] = "clients"

    @property
    def measure(self) -> Compared:
        """What is compared."""
        return COMPARED[self.compared]

    @property
    def line(self) -> float:
        """The line of what is compared."""
        return self.ratio_line if self.measure.ratio else self.gap_line

    @property
    def groups(self) -> str:
        """The attribute, or both crossed."""
        return f"{self.attribute}{CROSS}{self.other}" if self.other else self.attribute


class Looking:
    """Where one looks from, and what there is to be seen; measured once for all panels.

    Parameters
    ----------
    tell : callable
        Called when one looks otherwise.
    """

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self.look = Look()
        self._tell = tell
        self._seen: tuple[Any, ...] = ()
        self._found: Disparities | None = None
        self.seen = self.look
        """What was looked for in the run that was seen last."""

    def change(self, **changes: Any) -> None:
        """Look otherwise; another attribute has other values, so that a value that was chosen is let go.

        Parameters
        ----------
        **changes
            Values of `Look` by name.
        """
        if {"attribute", "other"} & changes.keys():
            changes = {"value": "", **changes}
        look = replace(self.look, **changes)
        if look.other == look.attribute:
            look = replace(look, other="")
        if look != self.look:
            self.look = look
            self._tell()

    def at(self, record: RunRecord) -> Disparities | None:
        """Return what there is to be seen of a run's last round.

        Parameters
        ----------
        record : RunRecord
            At least one round.

        Returns
        -------
        Disparities or None
            ``None`` if the data name no protected attribute. What the data do not have is not looked for: an attribute
            gives way to the first one, a value to all.
        """
        seen = (record.last, record.experiment, self.look)
        if len(self._seen) != 3 or any(a is not b for a, b in zip(seen, self._seen, strict=True)):
            self._seen, self._found = seen, self._look(record)
        return self._found

    def values(self, record: RunRecord) -> tuple[str, ...]:
        """Return the values of the groups that are looked at, all of them.

        Parameters
        ----------
        record : RunRecord
            At least one round.

        Returns
        -------
        tuple of str
            Empty if the data name no protected attribute.
        """
        found = self.at(record)
        if found is None or not found.value:
            return () if found is None else found.values
        whole = disparities_of(record, found.attribute)
        return () if whole is None else whole.values

    def _look(self, record: RunRecord) -> Disparities | None:
        look, known = self.look, record.groups
        if look.attribute not in known or look.other not in ("", *known) or (look.other and not crosses(record)):
            attribute = look.attribute if look.attribute in known else ""
            look = replace(look, attribute=attribute or next(iter(known), ""), other="", value="")
        self.seen = look
        asked: dict[str, Any] = {"compared": look.compared, "line": look.line, "min_group": look.min_group}
        try:
            return disparities_of(record, look.groups, value=look.value, **asked)
        except KeyError:  # the value is one of other data
            return disparities_of(record, look.groups, **asked)


def crosses(record: RunRecord) -> bool:
    """Tell whether attributes of a run can be crossed.

    Parameters
    ----------
    record : RunRecord
        At least one round.

    Returns
    -------
    bool
        Not over columns, not without the last state, and not with a single attribute.
    """
    return record.experiment.axis == "rows" and record.last.state is not None and len(record.groups) > 1
