"""trustkit: trustworthy federated learning in the notebook.

Pure functions are entered in catalogues; an `Experiment` names entries; `play` yields rounds; a fact sheet is folded
from the rounds; a trust report is a function of the fact sheet; panels are forms over the catalogues and observers of
the rounds.

Names are imported when they are first asked for, so ``import trustkit`` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustkit import datasets, export, figures, flower, metrics, plot, scale, split, store
    from trustkit.auditing import Audit, Selected, audit, datasheet, select_clients
    from trustkit.baking import snapshot
    from trustkit.catalogue import Use, use
    from trustkit.comparison import Comparison, Crossing, adjust_thresholds, compare_algorithms, compare_strategies
    from trustkit.data import Dataset, FederatedDataset, Party
    from trustkit.disparities import Disparities, disparities_of
    from trustkit.examination import Examination, examine
    from trustkit.experiment import Experiment
    from trustkit.exposure import Exposure, compare_exposure, exposure_of
    from trustkit.facts import facts_of, log_of
    from trustkit.findings import fairness_of, headline_of, quality_of
    from trustkit.frontier import Front, pareto
    from trustkit.handover import write_parties
    from trustkit.injected import Injected, injected_of
    from trustkit.partition import Partition
    from trustkit.plane import natural_points, plane_point, random_points
    from trustkit.preset import presets
    from trustkit.records import Round, RunRecord, watch
    from trustkit.replicas import replicate
    from trustkit.rounds import build, grid, play, run
    from trustkit.scale import sweep
    from trustkit.trail import Trail, trail_of
    from trustkit.trust import FactSheet, TrustReport, assess, outranks, sensitivity, waterfall
    from trustkit.widgets.workshop import checkpoint
    from trustkit.workshop.checking import Checking, check
    from trustkit.workshop.preflight import Preflight, preflight
    from trustkit.workshop.recording import recorded

__version__ = "0.1.0"

_HOME = {
    "Use": "catalogue", "use": "catalogue",
    "Dataset": "data", "FederatedDataset": "data", "Party": "data", "Partition": "partition",
    "Round": "records", "RunRecord": "records", "watch": "records",
    "Examination": "examination", "examine": "examination", "Experiment": "experiment", "presets": "preset",
    "build": "rounds", "grid": "rounds", "play": "rounds", "run": "rounds", "sweep": "scale",
    "Exposure": "exposure", "compare_exposure": "exposure", "exposure_of": "exposure",
    "facts_of": "facts", "log_of": "facts", "fairness_of": "findings", "headline_of": "findings",
    "write_parties": "handover", "natural_points": "plane", "plane_point": "plane", "random_points": "plane",
    "Audit": "auditing", "audit": "auditing", "datasheet": "auditing",
    "Selected": "auditing", "select_clients": "auditing",
    "Crossing": "comparison", "compare_algorithms": "comparison", "quality_of": "findings",
    "Comparison": "comparison", "adjust_thresholds": "comparison", "compare_strategies": "comparison",
    "Disparities": "disparities", "disparities_of": "disparities", "Injected": "injected", "injected_of": "injected",
    "snapshot": "baking", "Checking": "workshop", "Preflight": "workshop",
    "check": "workshop", "checkpoint": "widgets.workshop", "preflight": "workshop", "recorded": "workshop",
    "replicate": "replicas",
    "Front": "frontier", "pareto": "frontier", "Trail": "trail", "trail_of": "trail",
    "FactSheet": "trust", "TrustReport": "trust", "assess": "trust",
    "outranks": "trust", "sensitivity": "trust", "waterfall": "trust",
}  # fmt: skip
_ROOMS = ("datasets", "export", "figures", "flower", "metrics", "plot", "scale", "split", "store", "widgets")

__all__ = [
    "Audit", "Checking", "Comparison", "Crossing", "Dataset", "Disparities", "Examination", "Experiment", "Exposure",
    "FactSheet", "FederatedDataset", "Front", "Injected", "Partition", "Party", "Preflight", "Round", "RunRecord",
    "Selected", "Trail", "TrustReport", "Use", "adjust_thresholds", "assess", "audit", "build", "check", "checkpoint",
    "compare_algorithms", "compare_exposure", "compare_strategies", "datasets", "datasheet", "disparities_of",
    "examine", "export", "exposure_of", "facts_of", "fairness_of", "figures", "flower", "grid", "headline_of",
    "injected_of", "log_of", "metrics", "natural_points", "outranks", "pareto", "plane_point", "play", "plot",
    "preflight", "presets", "quality_of", "random_points", "recorded", "replicate", "run", "scale", "select_clients",
    "sensitivity", "snapshot", "split", "store", "sweep", "trail_of", "use", "watch", "waterfall", "write_parties",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "datasets":  # the room of splits enters data that are changed on purpose
        importlib.import_module("trustkit.split")
    if name in _ROOMS:
        return importlib.import_module(f"trustkit.{name}")
    if name in _HOME:
        found = getattr(importlib.import_module(f"trustkit.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"trustkit has no {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
