"""Claims: what an actor of a federated project asserts, in words and as values that the fact sheet can be held to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

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
        What the assertion says of facts of the template, by ``section/name``. The sheet is held to them by `verdict`.

    Raises
    ------
    KeyError
        If a fact is not in the template.
    TypeError, ValueError
        If a part is no text, the role is unknown, or a value does not fit its field.

    Examples
    --------
    >>> Claim("aggregator", "Clients are protected with ε ≤ 6.", who="Hospital A", facts={"privacy/epsilon": 6}).facts
    mappingproxy({'privacy/epsilon': 6.0})
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
        checked = {path: field_of(path).check(value) for path, value in self.facts.items()}
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
        "contradicted" if a claimed fact is known and different (numbers: by more than 1e-9 of it); else "open" if one
        is not known; else "holds"; "words only" if the claim names no fact.

    Examples
    --------
    >>> from trustkit.trust.factsheet import FactSheet
    >>> claim = Claim("data", "Ten hospitals take part.", facts={"participants/client_num": 10})
    >>> [verdict(claim, FactSheet(known)) for known in ({"participants/client_num": 9}, {})]
    ['contradicted', 'open']
    """
    if not claim.facts:
        return "words only"
    known = [(value, facts.values[path]) for path, value in claim.facts.items() if path in facts]
    if not all(_same(claimed, value) for claimed, value in known):
        return "contradicted"
    return "holds" if len(known) == len(claim.facts) else "open"


def _same(claimed: Any, value: Any) -> bool:
    if isinstance(claimed, float) and isinstance(value, float):
        both = math.isnan(claimed) and math.isnan(value)
        return both or math.isclose(claimed, value, rel_tol=_TOLERANCE, abs_tol=0)
    if isinstance(claimed, tuple) and isinstance(value, tuple):
        return len(claimed) == len(value) and all(map(_same, claimed, value))
    return bool(claimed == value)
