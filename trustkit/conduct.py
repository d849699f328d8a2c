"""How a run was conducted, as facts: who attacked it, what went wrong, what was hidden, logged and used up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from trustkit import metrics
from trustkit.catalogue import ATTACKS, FAULTS, Use
from trustkit.horizontal.faults import rates
from trustkit.horizontal.gossip import Gossip
from trustkit.horizontal.summing import MINIMUM
from trustkit.horizontal.unreliable import outcomes_of
from trustkit.records import RunRecord, State
from trustkit.rng import stream
from trustkit.rounds import Built
from trustkit.trust.chain import Event
from trustkit.trust.energy import INTENSITY, KWH_PER_BYTE, Energy, sustainability

__all__ = ["CLEVER_RADIUS", "conduct_of", "energy_facts", "insight_of", "log_facts", "looked_at"]

CLEVER_RADIUS = 4.0
"""Of the search for an adversarial change, in units of the scaled features: where Table 3 gives the full score."""

_HIDDEN = (
    "secure aggregation, simulated: the server adds fixed-point words of 64 bits with 32 after the point, as it would "
    "of masked ones, and learns of no single update; no key is exchanged"
)
_COMMON = "CLEVER and SHAP look at the common model; clients are served by models of their own."
_STEEP = "CLEVER and SHAP are not defined: the model has no gradients."
_NUMBERS = "CLEVER is not defined: answers are numbers, with no border between classes to cross."
_COUNTED = "; ε counts whoever trained, though what was made was lost or late"
_GRAPHS = {"ring": "ring", "random": "random graph", "complete": "complete graph"}


def _spelt(use: Use, title: str) -> str:
    return f"{title}: " + ", ".join(f"{name}={value}" for name, value in use.args.items())


def conduct_of(record: RunRecord, built: Built) -> dict[str, Any]:
    """State how a run was conducted: who merges with whom, what is hidden, who attacked, what went wrong.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    built : Built
        Its experiment made real.

    Returns
    -------
    dict
        Facts by ``section/name``. There is none of an attack, of faults, of divergence or of reputation where there was
        none, and nothing is encrypted in transport, since everything runs in one process.

    Notes
    -----
    Reputation is subjective logic. A good interaction is an update that the server found good (AFA, the reputation
    selector), or else one that arrived; a bad one is an update found bad, or a client that left, failed or was late.
    Reputations are listed from the lowest to the highest, so that their order does not say whose they are.
    """
    partition = built.fed.partition
    held = ~built.fed.data.held_out & (partition.owner >= 0 if partition.axis == "rows" else True)
    sizes: dict[str, Any] = {"participants/avg_dataset_size": float(held.sum())}
    if partition.axis == "rows":
        sizes["participants/avg_dataset_size"] /= len(built.fed)
        sizes["participants/minimum_group"] = MINIMUM
    return {
        **sizes,
        "configuration/topology": _topology(built),
        **_protection(built),
        **_trouble(record, built),
        **_reputation(record.last.state),
    }


def looked_at(built: Built) -> str | None:
    """Say which model CLEVER and SHAP look at, where clients have models of their own.

    Parameters
    ----------
    built : Built
        An experiment made real.

    Returns
    -------
    str or None
        One sentence; ``None`` where there is one model for all.
    """
    own = built.trainer.facts.get("personalization") or _topology(built) in _GRAPHS.values()
    return _COMMON if own else None


def insight_of(record: RunRecord, built: Built, look_at: int) -> dict[str, Any]:
    """Look into the final model: how large it is, how far its borders are, which features move it.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    built : Built
        Its experiment made real.
    look_at : int
        At least 1: held-out rows on which CLEVER is measured, and a sixth of those on which Shapley values are.

    Returns
    -------
    dict
        Facts by ``section/name``. NaN where a measure is not defined, and a sentence why: a model without gradients has
        neither, one that answers with numbers no CLEVER.
    """
    state, trainer, data, seed = record.last.state, built.trainer, built.fed.data, record.experiment.seed
    known: Mapping[str, Any] = trainer.facts
    facts = {"explainability/trainable_param_num": known["parameters"], "explainability/tensors": known["tensors"]}
    if state is None or not data.held_out.any():
        return facts

    def logits(X: np.ndarray) -> np.ndarray:
        return trainer.logits(state, X)

    def gradient(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return trainer.gradient(state, X, weights)

    test, train = np.flatnonzero(data.held_out), np.flatnonzero(~data.held_out)
    rows = stream(seed, "facts", "rows").permutation(test)
    background = stream(seed, "facts", "background").permutation(train)[:50]
    smooth = bool(np.isfinite(gradient(data.X[rows[:1]], np.ones((1, len(data.classes) or 1)))).all())
    if smooth and data.classes:
        scores = metrics.clever(
            logits, gradient, data.X[rows[:look_at]], radius=CLEVER_RADIUS, batches=25, batch_size=25, seed=seed
        )
        facts |= {"explainability/looked_at": looked_at(built), "robustness/clever": float(scores.mean()),
                  "robustness/clever_low": float(np.quantile(scores, 0.1)), "robustness/clever_rows": len(scores),
                  "robustness/clever_radius": CLEVER_RADIUS}  # fmt: skip
    else:
        words = _NUMBERS if smooth else _STEEP
        facts |= {"explainability/looked_at": words, "robustness/clever": math.nan, "robustness/clever_low": math.nan}
    if not smooth:
        return {**facts, "explainability/feature_importance_cv": math.nan}
    importance = metrics.shap_importance(
        logits, gradient, data.X[rows[: 6 * look_at]], data.X[background], draws=20, seed=seed,
        output="probability" if data.classes else "margin",
    )  # fmt: skip
    return facts | {
        "explainability/feature_importance_cv": metrics.coefficient_of_variation(importance),
        "explainability/feature_importance": importance,
    }


def _topology(built: Built) -> str:
    """Say who merges with whom."""
    if built.experiment.axis == "columns":
        return "active party"
    return _GRAPHS[built.trainer.topology] if isinstance(built.trainer, Gossip) else "server"


def _protection(built: Built) -> dict[str, Any]:
    """State what hides updates from whoever merges them."""
    if built.experiment.secure:
        return {"privacy/encryption": 1.0, "privacy/aggregation_protection": _HIDDEN}
    sees = {"server": "the server sees", "active party": "the active party sees"}.get(
        _topology(built), "neighbours see"
    )
    what = "the other parties' embeddings" if built.experiment.axis == "columns" else "every client's update"
    return {"privacy/encryption": 0.0, "privacy/aggregation_protection": f"none: {sees} {what}"}


def _trouble(record: RunRecord, built: Built) -> dict[str, Any]:
    """State which attack and which faults a run simulated, and how often clients left, failed and were late."""
    experiment, facts = record.experiment, dict[str, Any]()
    if experiment.attack is not None and built.attack is not None:
        facts["configuration/attack"] = _spelt(experiment.attack, ATTACKS[experiment.attack.name].title)
        facts["configuration/attackers"] = len(built.attack.clients)
    injected = getattr(built.trainer, "faults", None)
    if experiment.faults is not None and injected is not None and injected.possible:
        counted = "" if experiment.privacy is None else _COUNTED
        facts["system/faults"] = _spelt(experiment.faults, FAULTS[experiment.faults.name].title) + counted
        if record.last.state is not None:
            found = rates(outcomes_of(record.last.state["outcomes"]))
            facts |= {f"system/{name}_rate": rate for name, rate in found.items()}
    if record.diverged.any():
        facts["system/diverged_clients"] = int(np.count_nonzero(record.diverged))
    return facts


def _reputation(state: State | None) -> dict[str, Any]:
    """State the clients' reputation, where the run judged them anyway."""
    if state is None or not {"good", "outcomes"} & set(state):
        return {}
    delivered, *lost = state["outcomes"].T if "outcomes" in state else (0,)
    good, bad = state.get("good", delivered), state.get("bad", 0)
    values = metrics.client_reputation(good, bad + sum(lost, start=np.zeros_like(good)))
    return {"participants/reputation": np.sort(values), "participants/reputation_mean": float(values.mean())}


def log_facts(record: RunRecord, events: Iterable[Event]) -> dict[str, Any]:
    """State for which share of the rounds the event log registers the clients, and maps local to global versions.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    events : iterable of Event
        A log, this run's.

    Returns
    -------
    dict
        Facts by ``section/name``.

    Notes
    -----
    A round is registered in full if the log says when it began and ended, whom it asked, as many keyed ids as the run
    selected, and, of those that did not deliver, what became of them. Its local versions, one of each client that
    delivered, are mapped if the log says how many were merged and the digest of the global model that came of it.
    """
    by_round: dict[int, dict[str, Mapping[str, Any]]] = {}
    for event in events:
        if isinstance(event.facts.get("round"), int):
            by_round.setdefault(event.facts["round"], {})[event.kind] = event.facts
    rows = versions = 0
    for played in record:
        seen = by_round.get(played.index, {})
        asked = len(seen.get("clients_selected", {}).get("clients", ()))
        lost = sum(len(ids) for name, ids in seen.get("clients_lost", {}).items() if name != "round")
        merged = seen.get("updates_aggregated", {}).get("updates", -1)
        whole = asked == played.selected.sum() and merged + lost == asked
        rows += whole and {"round_started", "round_finished"} <= set(seen)
        versions += whole and seen.get("round_finished", {}).get("model") is not None
    return {"participants/registry_complete": rows / len(record), "configuration/co_versioning": versions / len(record)}


def energy_facts(energy: Energy | None, record: RunRecord, stated: Mapping[str, Any]) -> dict[str, Any]:
    """State energy and emissions of a run.

    Parameters
    ----------
    energy : Energy or None
        Of the training; ``None`` if it was not taken.
    record : RunRecord
        At least one round.
    stated : mapping
        What people state, by ``sustainability__carbon_intensity_clients`` or ``…_server`` in gCO2/kWh.

    Returns
    -------
    dict
        Facts by ``section/name``; none without energy. The assumption says what is not measured.
    """
    if energy is None:
        return {}
    given = {who: stated.get(f"sustainability__carbon_intensity_{who}") for who in ("clients", "server")}
    values = {who: INTENSITY if value is None else float(value) for who, value in given.items()}
    up, down = float(record.bytes_up.sum()), float(record.bytes_down.sum())
    how = f"measured by {energy.words}" if energy.measured else energy.words
    words = [f"training, simulated on one machine: {how}", f"traffic: {KWH_PER_BYTE:g} kWh a byte"]
    words += [f"electricity of the {who}: {INTENSITY:g} gCO2/kWh, the world's mean in 2018 (IEA 2019)"
              for who, value in given.items() if value is None]  # fmt: skip
    facts = sustainability(energy, values["clients"], values["server"], up, down)
    return {**facts, "sustainability/assumption": "; ".join(words)}
