"""What people state of a project, from a TOML file: facts that no run can know, and claims of the actors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trustkit import tomlfile
from trustkit.trust.audit import STAGES
from trustkit.trust.claims import Claim
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.fields import field_of

__all__ = ["STATED", "read_stated"]

STATED: tuple[str, ...] = (
    "project/overview", "project/purpose", "project/background", "project/owner", "project/limits",
    "participants/organisations", "configuration/replacement_trigger", "robustness/test_coverage",
    "explainability/visualization", "sustainability/carbon_intensity_clients",
    "sustainability/carbon_intensity_server", "sustainability/power_performance_clients",
    "sustainability/power_performance_server", *(stage.path for stage in STAGES),
)  # fmt: skip
"""What a file may state; everything else in a fact sheet is configured, counted or measured."""

_PARTS = ("role", "text", "who", "when", "facts")


def read_stated(path: Path) -> FactSheet:
    """Read what people state.

    Parameters
    ----------
    path : pathlib.Path
        TOML, in UTF-8: a table for each section of a fact sheet, with facts of `STATED`; and ``[[claims]]``, each with
        role, text and, if one likes, who, when and facts by ``section/name``.

    Returns
    -------
    FactSheet
        The facts and claims of the file, nothing else.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is no TOML, a fact is not in the template, does not fit or is measured, or a claim is none; the message
        begins with the file's name.
    """
    try:
        content = tomlfile.loads(path.read_text(encoding="utf-8"))
        claims = content.pop("claims", [])
        if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
            raise TypeError(f"claims must be tables, each under [[claims]], got {claims!r:.60}")
        return FactSheet(dict(_facts(content)), tuple(map(_claim, claims)))
    except (KeyError, TypeError, ValueError) as error:
        kind = next((kind for kind in (KeyError, TypeError) if isinstance(error, kind)), ValueError)
        words = error.args[0] if isinstance(error, KeyError) else error
        raise kind(f"{path} must state facts in TOML, got: {words}") from None


def _facts(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what the tables state, by path; refuse what is not for people to state."""
    for section, table in content.items():
        if not isinstance(table, Mapping):
            raise TypeError(f"{section} must be a table, as [{section}], got {table!r:.60}")
        for name, value in table.items():
            path = field_of(f"{section}/{name}").path
            if path not in STATED:
                raise ValueError(f"{path} must not be stated, as a run tells it; stated can be {', '.join(STATED)}")
            yield path, value


def _claim(parts: Mapping[str, Any]) -> Claim:
    """Make a claim of a table."""
    for name in parts:
        if name not in _PARTS:
            raise KeyError(f"a claim has no part {name!r}; it has {', '.join(_PARTS)}")
    for name in _PARTS[:2]:
        if name not in parts:
            raise ValueError(f"a claim must have role and text, got {', '.join(parts) or 'nothing'}")
    return Claim(**parts)
