"""What a profile scores, as a table for documentation: every row with its place, time, author and reason."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trustkit.trust.fields import EXAMINED
from trustkit.trust.profiles import profile_named
from trustkit.trust.rules import words_of

if TYPE_CHECKING:
    from trustkit.trust.profiles import Profile

__all__ = ["rows_table"]

_HEAD = ("pillar", "notion", "metric", "when", "who", "better", "facts", "score", "why so", "source")


def rows_table(profile: str | os.PathLike[str] | Profile = "calibrated") -> str:
    """Write all rows that a profile scores as a Markdown table.

    Parameters
    ----------
    profile : str, path-like or Profile
        A key of `PROFILES`, a TOML file, or a profile.

    Returns
    -------
    str
        A line for each metric: pillar, notion, name and id, when and by whom it is computed, which raw values are
        better, the facts that it reads (with a star where an examination of the finished run measures them), how it is
        scored and why so, and its source.

    Raises
    ------
    KeyError
        If there is no such profile.
    TypeError, ValueError
        If a file does not hold a profile.

    Examples
    --------
    >>> print(rows_table("paper").splitlines()[2][:58])
    | Privacy | Privacy-preserving approaches | Differential P
    """
    chosen = profile_named(profile)
    names = chosen.taxonomy
    lines = ["| " + " | ".join(_HEAD) + " |", "|" + "---|" * len(_HEAD)]
    for key, row in names.metrics.items():
        facts = ", ".join(f"{path}{'*' if path in EXAMINED else ''}" for path in row.inputs)
        cells = (
            names.pillars[row.pillar], names.notions[row.notion].name, f"{row.name} (`{key}`)", row.when, row.who,
            row.better, facts, words_of(chosen.normaliser(key)), chosen.reasons.get(key, ""), row.source,
        )  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
