"""The kinds of facts, and the check that a value is of its kind and in its range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from trustkit.catalogue import Interval

__all__ = ["LIMIT", "Field", "Kind"]

Kind = Literal["text", "flag", "count", "number", "counts", "numbers", "ids", "texts"]

LIMIT = 4096
"""No list, and no text, in a fact sheet is longer."""

_NOUNS = {"text": "text", "flag": "true or false", "count": "a whole number", "number": "a number",
          "counts": "a list of whole numbers", "numbers": "a list of numbers", "ids": "a list of client ids",
          "texts": "a list of texts"}  # fmt: skip
_ITEMS: dict[str, Kind] = {"counts": "count", "numbers": "number", "ids": "text", "texts": "text"}


@dataclass(frozen=True)
class Field:
    """A line of the template: ``when`` it becomes known, ``who`` states it, ``about`` in one line what it is."""

    section: str
    name: str
    kind: Kind
    unit: str
    when: str
    who: str
    about: str
    interval: Interval | None = None

    @property
    def path(self) -> str:
        """``section/name``."""
        return f"{self.section}/{self.name}"

    def check(self, value: Any) -> Any:
        """Return the value as plain Python, or say what is wrong with it.

        Parameters
        ----------
        value : object
            None, or what the field's kind asks for; lists, tuples and vectors for lists.

        Returns
        -------
        object
            None, str, bool, int, float or a tuple of them.

        Raises
        ------
        TypeError
            If the type does not fit.
        ValueError
            If it is out of range, too long, or no client id.

        Examples
        --------
        >>> Field("data", "rows", "count", "rows", "Pre-training", "Server", "how many rows there are").check(10)
        10
        """
        if value is None:
            return None
        if self.kind not in _ITEMS:
            return self._scalar(value, self.kind)
        if not isinstance(value, (list, tuple, np.ndarray)) or np.ndim(value) != 1:
            raise TypeError(f"{self.path} must be {_NOUNS[self.kind]}, got {value!r:.80}")
        if len(value) > LIMIT:
            raise ValueError(
                f"{self.path} must have at most {LIMIT:,} entries (aggregates, not rows), got {len(value):,}"
            )
        items = tuple(self._scalar(item, _ITEMS[self.kind]) for item in value)
        if self.kind == "ids":
            for item in items:
                if len(item) != 16 or set(item) - set("0123456789abcdef"):
                    raise ValueError(f"{self.path} must hold keyed ids made by client_id, got {item!r:.40}")
        return items

    def _scalar(self, value: Any, kind: Kind) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        fits = {
            "text": isinstance(value, str),
            "flag": isinstance(value, bool),
            "count": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, (int, float)) and not isinstance(value, bool),
        }
        if not fits[kind]:
            raise TypeError(f"{self.path} must be {_NOUNS[self.kind]}, got {value!r:.80}")
        if kind == "text" and len(value) > LIMIT:
            raise ValueError(f"{self.path} must have at most {LIMIT:,} characters, got {len(value):,}")
        if kind == "number":
            value = float(value)
        if self.interval is not None and value == value and not self._inside(value):
            raise ValueError(f"{self.path} must be {self.interval}, got {value!r}")
        return value

    def _inside(self, value: float) -> bool:
        slack = 1e-9  # a share that rounding lifted above 1 is still a share
        return self.interval is None or self.interval.low - slack <= value <= self.interval.high + slack
