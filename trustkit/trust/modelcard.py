"""The model card: what a person must know before using a federated model, in Markdown, from facts and scores only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from trustkit.trust import explain
from trustkit.trust.audit import STAGES, open_stages
from trustkit.trust.claims import ROLES, verdict
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.fields import FIELDS
from trustkit.trust.report import TrustReport

__all__ = ["model_card"]

_NOT_STATED = "Not stated."

_TRAINING = (
    "configuration/aggregation_algorithm", "configuration/training_model", "explainability/trainable_param_num",
    "configuration/personalization", "configuration/total_round_num", "performance/rounds_played",
    "configuration/learning_rate", "configuration/local_update_steps", "configuration/batch_size",
    "configuration/seed", "participants/client_num", "participants/sample_client_rate",
    "participants/client_selector", "participants/organisations", "configuration/topology",
    "system/training_seconds", "system/model_bytes", "system/upload_bytes", "system/download_bytes",
)  # fmt: skip
_DATA = ("data/provenance", "data/preprocessing", "data/split", "data/rows", "data/features", "data/synthetic",
         "data/stands_in_for", "data/scaled_down", "fairness/class_imbalance")  # fmt: skip
_CLIENTS = ("performance/test_acc_avg", "performance/worst_tenth_accuracy", "fairness/test_acc_cv",
            "performance/test_loss_avg", "fairness/selection_cv", "fairness/contribution_gini")  # fmt: skip
_GROUPS = ("fairness/attribute", "fairness/pooled_disparity", "fairness/worst_disparity", "fairness/share_over",
           "fairness/discrimination_index")  # fmt: skip
_PRIVACY = ("privacy/differential_privacy", "privacy/mechanism", "privacy/level", "privacy/epsilon",
            "privacy/configured_epsilon", "privacy/delta", "privacy/noise_multiplier", "privacy/clip",
            "privacy/assumption")  # fmt: skip
_PROTECTED = ("privacy/encryption", "privacy/aggregation_protection", "privacy/k_anonymity", "privacy/l_diversity",
              "privacy/leakage_share", "privacy/membership_auc", "privacy/empirical_epsilon")  # fmt: skip
_ATTACKED = ("configuration/attack", "configuration/attackers", "system/faults", "system/diverged_clients",
             "robustness/poisoning_defence", "robustness/label_flip", "robustness/sign_flip",
             "robustness/model_replacement", "robustness/backdoor",
             "robustness/attackers_share", "robustness/fgsm", "robustness/pgd", "robustness/attack_radius",
             "robustness/replacement_global", "robustness/replacement_persistent")  # fmt: skip
_SPECIAL = ("data/stands_in_for", "data/scaled_down", "participants/organisations", "configuration/topology",
            "fairness/contribution_gini", "fairness/discrimination_index", *_PROTECTED, *_ATTACKED)  # fmt: skip
"""Facts that need not be there: nothing is said of them if they are not."""
_OPTIONAL = ("Claims", "Under attack", "Audit")
"""Sections that need not be there either."""


def model_card(facts: FactSheet, report: TrustReport) -> str:
    """Write a model card.

    Parameters
    ----------
    facts : FactSheet
        What is known of the project.
    report : TrustReport
        Its scores.

    Returns
    -------
    str
        Markdown: intended use, claims, training, data, evaluation over clients and over groups, privacy, what was kept
        under attack, the audit, trust, and limits. What is not known is said to be so. Synthetic data and scaled-down
        replays are named at the top.

    Examples
    --------
    >>> from trustkit.trust.assessment import assess
    >>> facts = FactSheet({"project/overview": "digits", "data/synthetic": True})
    >>> model_card(facts, assess(facts)).splitlines()[:5]
    ['# Model card: digits', '', '> Computed on synthetic data.', '', '## Intended use']
    """
    lines = [f"# Model card{': ' + _plain(report.title) if report.title else ''}", ""]
    lines += [f"> {_plain(note)}" for note in report.notes] + [""] * bool(report.notes)
    parts: list[tuple[str, Iterable[str]]] = [
        ("Intended use", _intended(facts)),
        ("Claims", _claims(facts)),
        ("Training", _table(facts, _TRAINING)),
        ("Data", _table(facts, _DATA)),
        ("Evaluation over clients", _table(facts, _CLIENTS)),
        ("Evaluation over groups", _table(facts, _GROUPS)),
        ("Privacy", _table(facts, (*_PRIVACY, *_PROTECTED))),
        ("Under attack", _table(facts, _ATTACKED)),
        ("Audit", _audit(facts)),
        ("Trust", _trust(report)),
        ("Limits", _limits(facts, report)),
    ]
    for title, body in parts:
        written = list(body)
        if title not in _OPTIONAL or written:
            lines += [f"## {title}", "", *(written or [_NOT_STATED]), ""]
    return "\n".join(lines)


def _plain(text: Any) -> str:
    """Return text on one line that opens no table cell and no HTML."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _name(path: str) -> str:
    return FIELDS[path].name.replace("_", " ")


def _value(path: str, value: Any) -> str:
    field = FIELDS[path]
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value)) if field.kind == "texts" else f"{len(value)} entries"
    if field.kind == "flag":
        return "yes" if value else "no"
    text = _plain(value) if isinstance(value, str) else _number(value)
    return f"{text} {field.unit}" if field.unit and field.unit != "share" else text


def _number(value: float) -> str:
    if math.isnan(value):
        return "not defined"
    if math.isinf(value):
        return "no bound"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _table(facts: FactSheet, paths: tuple[str, ...]) -> Iterator[str]:
    known = [path for path in paths if path in facts]
    if not known:
        return
    yield from ("| fact | value | what it is | when | stated by |", "|---|---|---|---|---|")
    for path in known:
        field = FIELDS[path]
        value = _value(path, facts.values[path])
        yield f"| {_name(path)} | {value} | {field.about} | {field.when.lower()} | {field.who} |"
    beside = _PRIVACY if facts.get("privacy", "differential_privacy") is False else ()
    missing = [_name(path) for path in paths if path not in (*facts.values, *_SPECIAL, *beside)]
    if missing:
        yield from ("", f"Not known: {', '.join(missing)}.")


def _intended(facts: FactSheet) -> Iterator[str]:
    for name, title in (("purpose", "Purpose"), ("background", "Background"), ("owner", "Answerable"),
                        ("limits", "Not to be used for"), ("imported_from", "Facts read from")):  # fmt: skip
        text = facts.get("project", name)
        if text:
            yield f"- {title}: {_plain(text)}"
        elif name in ("purpose", "limits"):
            yield f"- {title}: not stated"


def _claims(facts: FactSheet) -> Iterator[str]:
    for role, title in ROLES.items():
        for claim in (claim for claim in facts.claims if claim.role == role):
            who = ", ".join(_plain(part) for part in (claim.who, claim.when) if part)
            yield f"- {title}{f' ({who})' if who else ''}: {_plain(claim.text)} — {_WORDS[verdict(claim, facts)]}"


def _audit(facts: FactSheet) -> Iterator[str]:
    still = open_stages(facts.values)
    if len(still) < len(STAGES):
        for stage in STAGES:
            shown = "not shown" if stage in still else _plain(facts.values[stage.path])
            yield f"- {stage.name}: {shown}"


_WORDS = {
    "holds": "the facts agree",
    "contradicted": "**the facts contradict this**",
    "open": "not all facts are known",
    "words only": "words only, with no fact to hold it to",
}


def _trust(report: TrustReport) -> Iterator[str]:
    yield from (
        f"{_plain(report.summary)} Profile {_plain(report.profile.name)}.",
        "",
        "| pillar | score |",
        "|---|---|",
    )
    names = report.profile.taxonomy.pillars
    yield from (f"| {names[pillar]} | {explain.number(score)} |" for pillar, score in report.pillars.items())


def _limits(facts: FactSheet, report: TrustReport) -> Iterator[str]:
    if facts.get("project", "limits"):
        yield f"- Not to be used for: {_plain(facts.get('project', 'limits'))}"
    for words, state in (("No evidence for", "missing"), ("Not defined for this project", "undefined")):
        names = [_plain(line.row.name) for line in report.metrics if line.status == state]
        if names:
            yield f"- {words}: {', '.join(names)}."
    if facts.get("privacy", "differential_privacy") is False:
        yield "- No differential privacy: the updates of a client may tell about its rows."
    if {"performance/worst_tenth_accuracy", "performance/test_acc_avg"} <= set(facts.values):
        low, mean = (facts.values[f"performance/{name}"] for name in ("worst_tenth_accuracy", "test_acc_avg"))
        yield f"- Accuracy is {_number(low)} on the worst tenth of the clients, {_number(mean)} on average."
    yield "- Scores compare projects under one profile; they certify nothing."
