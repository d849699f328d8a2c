"""Claims: what an actor of a federated project asserts, in words and as values that the fact sheet can be held to."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from trustkit import jsonfile
from trustkit.trust.fields import LIMIT, field_of

if TYPE_CHECKING:
    from trustkit.trust.factsheet import FactSheet

__all__ = ["ROLES", "Claim", "Verdict", "verdict"]

Verdict = Literal["holds", "contradicted", "open", "words only"]

ROLES: Mapping[str, str] = MappingProxyType(
    {"owner": "Project owner", "data": "Data owner", "aggregator": "Aggregator"}
)
"""Who makes claims, with the title of their section."""

_TOLERANCE = 1e-9

_BOUNDS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
)
_BOUND = re.compile(r"\s*(<=|>=|<|>|≤|≥)\s*(.*?)\s*", re.DOTALL)


class _Bound(NamedTuple):
    """A bound that a number is claimed to keep."""

    sign: str
    limit: float

    def __str__(self) -> str:
        return f"{self.sign} {repr(self.limit).removesuffix('.0')}"

    def kept(self, value: float) -> bool:
        near = "=" in self.sign and math.isclose(self.limit, value, rel_tol=_TOLERANCE, abs_tol=0)
        return near or _BOUNDS[self.sign](value, self.limit)


@dataclass(frozen=True, eq=False)
class Claim:
    """One assertion of an actor.

    Parameters
    ----------
    role : str
        A key of `ROLES`: "owner", "data" or "aggregator".
    text : str
        The assertion in words, not empty.
    who : str
        The person or organisation that asserts it.
    when : str
        A date, or a stage of the project.
    facts : mapping of str to object
        What the assertion says of facts of the template, by ``section/name``: the value itself, or for a number a bound
        as text, with one of <=, >=, < and > before it, as ``"<= 6"``. The sheet is held to them by `verdict`, where
        equal numbers may differ by 1e-9 of themselves: who means "at most" should say so.

    Raises
    ------
    KeyError
        If a fact is not in the template.
    TypeError, ValueError
        If a part is no text, the role is unknown, or a value or the number of a bound does not fit its field.

    Examples
    --------
    >>> Claim("aggregator", "ε is at most 6.", who="Hospital A", facts={"privacy/epsilon": "≤ 6"}).facts
    mappingproxy({'privacy/epsilon': '<= 6'})
    """

    role: str
    text: str
    who: str = ""
    when: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("role", "text", "who", "when"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise TypeError(f"a claim's {name} must be text, got {value!r:.80}")
            if len(value) > LIMIT:
                raise ValueError(f"a claim's {name} must have at most {LIMIT:,} characters, got {len(value):,}")
        if self.role not in ROLES:
            raise ValueError(f"a claim's role must be {', '.join(ROLES)}, got {self.role!r}")
        if not self.text.strip():
            raise ValueError("a claim's text must say something, got ''")
        if not isinstance(self.facts, Mapping):
            raise TypeError(f"a claim's facts must be a mapping, got {self.facts!r:.80}")
        checked = {path: _checked(path, value) for path, value in self.facts.items()}
        known = {path: value for path, value in checked.items() if value is not None}
        object.__setattr__(self, "facts", MappingProxyType(known))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Claim) and jsonfile.canonical(self.to_dict()) == jsonfile.canonical(other.to_dict())

    def __hash__(self) -> int:
        return hash(jsonfile.canonical(self.to_dict()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Claim, (self.role, self.text, self.who, self.when, dict(self.facts))

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain values.

        Returns
        -------
        dict
            role, text, who, when, facts.
        """
        facts = {path: list(value) if isinstance(value, tuple) else value for path, value in self.facts.items()}
        return {"role": self.role, "text": self.text, "who": self.who, "when": self.when, "facts": facts}


def verdict(claim: Claim, facts: FactSheet) -> Verdict:
    """Hold a claim against a fact sheet.

    Parameters
    ----------
    claim : Claim
        What is asserted.
    facts : FactSheet
        What is known.

    Returns
    -------
    str
        "contradicted" if a claimed fact is known and different (numbers: by more than 1e-9 of the larger one), or does
        not keep its bound (<= and >= by more than that; < and > at all); else "open" if one is not known, or has a
        bound and is not defined; else "holds"; "words only" if the claim names no fact.

    Examples
    --------
    >>> from trustkit.trust.factsheet import FactSheet
    >>> claim = Claim("data", "Ten hospitals take part.", facts={"participants/client_num": 10})
    >>> [verdict(claim, FactSheet(known)) for known in ({"participants/client_num": 9}, {})]
    ['contradicted', 'open']
    >>> verdict(Claim("data", "At least five do.", facts={"participants/client_num": ">= 5"}),
    ...         FactSheet({"participants/client_num": 9}))
    'holds'
    """
    if not claim.facts:
        return "words only"
    found = [_holds(path, value, facts.values.get(path)) for path, value in claim.facts.items()]
    return "contradicted" if False in found else "open" if None in found else "holds"


def _bound(path: str, value: Any) -> _Bound | None:
    """Read a bound on a number; None if the value is none."""
    found = _BOUND.fullmatch(value) if isinstance(value, str) else None
    field = field_of(path)
    if found is None or field.kind not in ("count", "number"):
        return None
    try:
        limit = float(found[2])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise ValueError(f"{path} must be bounded by a finite number, as '<= 6', got {value!r:.80}")
    field.check(int(limit) if field.kind == "count" and limit.is_integer() else limit)
    return _Bound({"≤": "<=", "≥": ">="}.get(found[1], found[1]), limit)


def _checked(path: str, value: Any) -> Any:
    """Return a claimed value as its field has it, or a bound as text of one form."""
    bound = _bound(path, value)
    return field_of(path).check(value) if bound is None else str(bound)


def _holds(path: str, claimed: Any, value: Any) -> bool | None:
    """Say whether a fact is as claimed; None if that is not known."""
    bound = _bound(path, claimed)
    if value is None or (bound is not None and math.isnan(value)):
        return None
    return _same(claimed, value) if bound is None else bound.kept(value)


def _same(claimed: Any, value: Any) -> bool:
    if isinstance(claimed, float) and isinstance(value, float):
        both = math.isnan(claimed) and math.isnan(value)
        return both or math.isclose(claimed, value, rel_tol=_TOLERANCE, abs_tol=0)
    if isinstance(claimed, tuple) and isinstance(value, tuple):
        return len(claimed) == len(value) and all(map(_same, claimed, value))
    return bool(claimed == value)
