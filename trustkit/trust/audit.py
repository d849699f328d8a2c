"""Algorithmic auditing: the five stages of an internal audit (SMACTR), and the artefact that shows each was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["STAGES", "Stage", "algorithmic_auditing", "open_stages"]


@dataclass(frozen=True)
class Stage:
    """A stage of an audit: the fact that names its artefact, the question it answers, and what such an artefact is."""

    path: str
    name: str
    question: str
    artefact: str


STAGES: tuple[Stage, ...] = (
    Stage("audit/scoping", "Scoping", "What is audited, against which principles, and whom could it harm?",
          "a statement of purpose and of possible harms"),
    Stage("audit/mapping", "Mapping", "Who takes part, who answers for what, and who was asked?",
          "a map of the people and systems involved"),
    Stage("audit/artifacts", "Artifact collection", "Which documents show how data and model were made?",
          "model card, data sheet, fact sheet and event log"),
    Stage("audit/testing", "Testing", "What was tried against the system, and what happened?",
          "results of tests, attacks and measurements"),
    Stage("audit/reflection", "Reflection", "Which risks remain, and what was decided?",
          "an analysis of the remaining risks with a decision"),
)  # fmt: skip
"""Scoping, mapping, artifact collection, testing, reflection."""


def open_stages(values: Mapping[str, Any]) -> tuple[Stage, ...]:
    """List the stages that nothing shows.

    Parameters
    ----------
    values : mapping of str to object
        Facts by ``section/name``; an empty text is no artefact.

    Returns
    -------
    tuple of Stage
        In the order of an audit.

    Examples
    --------
    >>> [stage.name for stage in open_stages({"audit/scoping": "charter.md", "audit/testing": "coverage 97 %"})]
    ['Mapping', 'Artifact collection', 'Reflection']
    """
    return tuple(stage for stage in STAGES if not str(values.get(stage.path) or "").strip())


def _missing(inputs: Mapping[str, Any]) -> str:
    asked = [f"{stage.name.lower()} ({stage.artefact})" for stage in open_stages(inputs)]
    return f"Nothing shows {', '.join(asked)}." if asked else ""


@metric(
    "monitoring", "Algorithmic Auditing", inputs=tuple(stage.path for stage in STAGES), range=Interval(0, 1),
    better="higher", normalise=identity, when="Any time", who="Server", table=FURTHER, remark=_missing,
)  # fmt: skip
def algorithmic_auditing(facts: FactSheet) -> float | None:
    """Say how many of the five stages of an audit left something to show.

    Parameters
    ----------
    facts : FactSheet
        Looks for the artefacts of `STAGES`.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is stated.

    Notes
    -----
    Stages with an artefact / 5.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.5, Algorithmic Auditing; Raji et al. (2020), "Closing the AI
    accountability gap" (SMACTR).

    Deviations
    ----------
    The paper gives no score. As in the rows of completeness, what is not stated is measured here, not missing. Whether
    an artefact is any good is for its readers to judge.

    Examples
    --------
    >>> algorithmic_auditing(FactSheet({"audit/scoping": "charter.md", "audit/testing": "coverage 97 %"}))
    0.4
    """
    return (len(STAGES) - len(open_stages(facts.values))) / len(STAGES)
