"""The ServerApp of an experiment: it finds its clients, plays the rounds, and writes what can be known of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from trustkit import export, jsonfile, metrics, store
from trustkit.catalogue import ALGORITHMS
from trustkit.flower.federation import Federation
from trustkit.flower.rollcall import called, counted
from trustkit.flower.rule import ExperimentStrategy
from trustkit.flower.strategy import TrustStrategy
from trustkit.horizontal.summing import MINIMUM
from trustkit.records import RunRecord
from trustkit.trust import FactSheet, assess

__all__ = ["serve", "server_app"]

_WAIT, _TIMEOUT = 60.0, 600.0
"""Seconds for all clients to be there, and for the answers of a round, unless the run is told otherwise."""

_MASKED = (
    "secure aggregation: pairs of clients mask fixed-point words of 64 bits, and the server reads their sum only; keys "
    "go through the server and are not signed"
)


def server_app(folder: str | os.PathLike[str]) -> Any:
    """Make the ServerApp of an experiment.

    Parameters
    ----------
    folder : path-like
        What `trustkit.flower.write_app` wrote, or a copy of it without the clients' files.

    Returns
    -------
    flwr.serverapp.ServerApp
        It reads from the run's configuration ``out``, the folder to write to, ``wait`` and ``timeout``.

    Raises
    ------
    FileNotFoundError, KeyError, ValueError
        If the folder is none, or Flower is not installed.
    """
    try:
        from flwr.serverapp import ServerApp
    except ImportError:
        raise ValueError("a ServerApp needs flwr (pip install 'trustkit[flower]')") from None
    federation = Federation.load(Path(folder))
    app = ServerApp()

    @app.main()  # type: ignore[untyped-decorator]
    def main(grid: Any, context: Any) -> None:
        run = context.run_config
        serve(federation, grid, Path(str(run.get("out", "results"))), float(run.get("wait", _WAIT)),
              float(run.get("timeout", _TIMEOUT)))  # fmt: skip

    return app


def serve(
    federation: Federation, grid: Any, out: Path, wait: float = _WAIT, timeout: float = _TIMEOUT
) -> tuple[RunRecord, FactSheet]:
    """Play an experiment with its SuperNodes, and write run, event log, fact sheet and report.

    Parameters
    ----------
    federation : Federation
        The experiment.
    grid : flwr.serverapp.Grid
        The way to the SuperNodes.
    out : pathlib.Path
        Folder to write to.
    wait : float
        Seconds for all clients to be there.
    timeout : float
        Seconds for the answers of a round; who is later is left out of it, and counted.

    Returns
    -------
    record, facts : RunRecord, FactSheet
        What was written.

    Raises
    ------
    ConnectionError, ValueError
        If clients are missing at the start, or a SuperNode is the same client as another.
    """
    experiment = federation.experiment
    seats = called(grid, federation.parties, wait, timeout)
    rule = ExperimentStrategy(federation, seats)
    out.mkdir(parents=True, exist_ok=True)
    strategy = TrustStrategy(rule, classes=len(federation.classes), log=out / "events.jsonl", seats=seats)
    strategy.start(grid, rule.initial(), experiment.rounds, timeout)
    gaps = _gaps(federation, counted(
        grid, {node: seat.public for node, seat in seats.items()}, "groups", timeout, rule.state["params"]
    ) if federation.groups and federation.parties >= MINIMUM else None)  # fmt: skip
    sizes = np.array([seat.rows for seat in seats.values()])
    facts = strategy.facts().with_facts({**_known(federation, rule, sizes), **gaps})
    record = strategy.record
    store.save(record, out / "run.npz")
    facts.save(out / "factsheet.json")
    report = assess(facts)
    for suffix in (".html", ".json", ".md"):
        export.write(report, out / f"report{suffix}")
    jsonfile.write_text(out / "experiment.toml", experiment.to_toml())
    return record, facts


def _known(federation: Federation, rule: ExperimentStrategy, sizes: np.ndarray) -> dict[str, Any]:
    """State what the experiment says of itself, and what follows from how many rows each client has."""
    experiment, args = federation.experiment, federation.experiment.algorithm.args
    hidden = {"privacy/encryption": 1.0, "privacy/aggregation_protection": _MASKED} if experiment.secure else {}
    title = ALGORITHMS[experiment.algorithm.name].title
    return {
        "project/overview": f"{title} on {experiment.data.name}, played by {federation.parties} SuperNodes of Flower",
        "project/experiment": experiment.key,
        "participants/avg_dataset_size": float(sizes.mean()),
        "configuration/training_model": experiment.model.name if experiment.model else None,
        "configuration/personalization": False,
        "configuration/learning_rate": args.get("lr"),
        "configuration/local_update_steps": args.get("epochs"),
        "configuration/batch_size": args.get("batch"),
        "configuration/seed": experiment.seed,
        "explainability/trainable_param_num": rule.trainer.facts["parameters"],
        "explainability/tensors": rule.trainer.facts["tensors"],
        "privacy/differential_privacy": False,
        "privacy/epsilon": float("inf"),
        "privacy/client_entropy": metrics.entropy(sizes, base=len(sizes)) if len(sizes) > 1 else float("nan"),
        **hidden,
        **federation.facts,
    }


def _gaps(federation: Federation, total: np.ndarray | None) -> dict[str, Any]:
    """State the gap of the attribute that is worst off in the pooled test rows, from counts that came as one sum."""
    if total is None:
        return {}
    found, start = {}, 0
    for name, groups in federation.groups.items():
        size = 4 * len(groups)
        counts = total[start : start + size].reshape(1, len(groups), 2, 2)
        found[name] = float(metrics.disparity_from_counts(counts)[0])
        start += size
    known = {name: gap for name, gap in found.items() if np.isfinite(gap)}
    if not known:
        return {}
    worst = max(known, key=lambda name: known[name])
    return {"fairness/attribute": worst, "fairness/pooled_disparity": known[worst]}
