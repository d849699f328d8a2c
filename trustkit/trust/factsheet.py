"""The fact sheet: what is known of a federated project, as typed facts that are aggregates, never rows."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from trustkit import jsonfile
from trustkit.trust import factfile
from trustkit.trust.claims import Claim
from trustkit.trust.fields import FIELDS, field_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Fact", "FactSheet", "client_id"]


def client_id(key: str | bytes, client: int) -> str:
    """Return the id under which a client appears in a fact sheet.

    Parameters
    ----------
    key : str or bytes
        The federation's secret, not empty; without it, an id cannot be traced back or compared across projects.
    client : int
        The client's number, at least 0.

    Returns
    -------
    str
        16 hexadecimal digits: the beginning of a keyed digest (HMAC-SHA-256).

    Raises
    ------
    ValueError
        If the key is empty.

    Examples
    --------
    >>> client_id("secret", 0) == client_id("secret", 0), client_id("secret", 0) == client_id("other", 0)
    (True, False)
    """
    secret = key.encode() if isinstance(key, str) else bytes(key)
    if not secret:
        raise ValueError("key must not be empty: without a secret, ids could be traced back")
    return hmac.new(secret, str(int(client)).encode(), hashlib.sha256).hexdigest()[:16]


@dataclass(frozen=True)
class Fact:
    """One stated fact: its place, its value and unit, when it became known and who states it."""

    section: str
    name: str
    value: Any
    unit: str
    when: str
    who: str


@dataclass(frozen=True, eq=False)
class FactSheet:
    """Typed facts about one federated project.

    Parameters
    ----------
    values : mapping of str to object
        Values by ``section/name``, as in `trustkit.trust.fields.FIELDS`. None (or absent) is not known, NaN is not
        defined. Lists are aggregates: at most 4,096 entries, and never as many as the data have rows.
    claims : tuple of Claim
        What the project's owner, the data's owners and the aggregator assert.

    Raises
    ------
    KeyError
        If a fact is not in the template; the message lists those that are.
    TypeError, ValueError
        If a value does not fit its field, or has the length of the data, or a claim is none.

    Examples
    --------
    >>> sheet = FactSheet({"participants/client_num": 10, "privacy/differential_privacy": False})
    >>> sheet.get("participants", "client_num"), sheet.get("privacy", "epsilon")
    (10, None)
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if stranger := next((claim for claim in self.claims if not isinstance(claim, Claim)), None):
            raise TypeError(f"claims must be of class Claim, got {stranger!r:.80}")
        object.__setattr__(self, "claims", tuple(self.claims))
        checked = {path: field_of(path).check(value) for path, value in self.values.items()}
        known = {path: checked[path] for path in FIELDS if checked.get(path) is not None}
        rows = known.get("data/rows")
        for path, value in known.items():
            if isinstance(value, tuple) and rows is not None and len(value) == rows:
                raise ValueError(f"{path} must be an aggregate, got one entry for each of the {rows:,} rows")
        object.__setattr__(self, "values", MappingProxyType(known))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FactSheet) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __reduce__(self) -> tuple[Any, ...]:
        return FactSheet, (dict(self.values), self.claims)

    def _canonical(self) -> str:
        return jsonfile.canonical([self.values, [claim.to_dict() for claim in self.claims]])

    def __repr__(self) -> str:
        return f"FactSheet({len(self.values)} of {len(FIELDS)} facts known)"

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, place: object) -> bool:
        """Whether a fact is known, by ``"section/name"`` or ``("section", "name")``."""
        return ("/".join(map(str, place)) if isinstance(place, tuple) else place) in self.values

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is known, in the order of the template."""
        lines = (FIELDS[path] for path in self.values)
        return tuple(Fact(f.section, f.name, self.values[f.path], f.unit, f.when, f.who) for f in lines)

    def get(self, section: str, name: str) -> Any:
        """Return one fact's value.

        Parameters
        ----------
        section, name : str
            As in the template, for example ``"data", "provenance"``.

        Returns
        -------
        object
            None if it is not known.

        Raises
        ------
        KeyError
            If the template has no such fact.

        Examples
        --------
        >>> FactSheet().get("data", "provenance") is None
        True
        """
        return self.values.get(field_of(f"{section}/{name}").path)

    def with_facts(self, facts: Mapping[str, Any] | None = None, /, **more: Any) -> FactSheet:
        """Return a sheet with some facts stated, replaced, or (with None) taken back.

        Parameters
        ----------
        facts : mapping, optional
            Values by ``section/name``.
        **more
            Values by ``section__name``.

        Returns
        -------
        FactSheet
            A new sheet; this one is unchanged.

        Raises
        ------
        KeyError, TypeError, ValueError
            As for a new sheet.

        Examples
        --------
        >>> FactSheet().with_facts(project__purpose="teaching").get("project", "purpose")
        'teaching'
        """
        named = {path.replace("__", "/", 1): value for path, value in more.items()}
        return FactSheet({**self.values, **(facts or {}), **named}, self.claims)

    def with_claims(self, *claims: Claim) -> FactSheet:
        """Return a sheet with more claims.

        Parameters
        ----------
        *claims : Claim
            They come after those there are.

        Returns
        -------
        FactSheet
            A new sheet; this one is unchanged.

        Raises
        ------
        TypeError
            If one is no claim.

        Examples
        --------
        >>> FactSheet().with_claims(Claim("owner", "For teaching only.")).claims[0].text
        'For teaching only.'
        """
        return FactSheet(self.values, (*self.claims, *claims))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return what is known as plain values by section and name, with lists instead of tuples.

        Returns
        -------
        dict
            By section, then by name.

        Examples
        --------
        >>> FactSheet({"data/rows": 100}).to_dict()
        {'data': {'rows': 100}}
        """
        sections: dict[str, dict[str, Any]] = {}
        for fact in self.facts:
            value = list(fact.value) if isinstance(fact.value, tuple) else fact.value
            sections.setdefault(fact.section, {})[fact.name] = value
        return sections

    def to_json(self) -> str:
        """Return the strict JSON that `save` writes and `load` reads.

        Returns
        -------
        str
            With the version of its format.
        """
        return jsonfile.dumps(factfile.document(self.to_dict(), self.claims))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the sheet as JSON; it comes back equal.

        Parameters
        ----------
        path : path-like
            Where to.

        Returns
        -------
        pathlib.Path
            The file.
        """
        return jsonfile.write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FactSheet:
        """Read what `save` wrote, in this version or an older one, or a fact sheet of FederatedTrust or NEBULA.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        FactSheet
            Equal to the saved one; for others' files see `trustkit.trust.imports` and `facts_for`.

        Raises
        ------
        ValueError
            If the file is no fact sheet, or one of a newer trustkit.
        KeyError, TypeError
            If a fact is not in the template or does not fit.
        """
        from trustkit.trust import imports

        content = jsonfile.read(path)
        return imports.read(path) if imports.layout_of(content) else cls(*factfile.read(Path(path)))

    def frame(self) -> pd.DataFrame:
        """Return the whole template with the values that are known.

        Returns
        -------
        pandas.DataFrame
            section, name, value (None where not known), unit, when, who, about: one line for each fact.
        """
        import pandas as pd

        lines = [(f.section, f.name, self.values.get(f.path), f.unit, f.when, f.who, f.about) for f in FIELDS.values()]
        return pd.DataFrame(lines, columns=["section", "name", "value", "unit", "when", "who", "about"], dtype=object)
