"""What a run of FederatedScope left in its folder: its configuration and its logs, as facts."""

from __future__ import annotations

import ast
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trustkit import jsonfile
from trustkit.datasets.listed import said
from trustkit.datasets.ondisk import UNREADABLE
from trustkit.datasets.packed import opened
from trustkit.trust.collected import collect, seconds, size, steps
from trustkit.trust.factsheet import FactSheet

__all__ = ["read_federatedscope"]

_MODELS = {"convnet2": "CNN", "convnet5": "CNN", "lr": "LogisticRegression", "mlp": "MLP"}
_MOST, _DEEPEST = 10_000, 20
_PERSONAL = ("pfedme", "ditto", "fedem")
_NAMES = {
    "expname": "project/overview",
    "data.type": "data/provenance",
    "data.transform": "data/preprocessing",
    "federate.client_num": "participants/client_num",
    "federate.sampler": "participants/client_selector",
    "federate.total_round_num": "configuration/total_round_num",
    "train.optimizer.lr": "configuration/learning_rate",
    "data.batch_size": "configuration/batch_size",
    "dataloader.batch_size": "configuration/batch_size",
    "seed": "configuration/seed",
    "nbafl.use": "privacy/differential_privacy",
    "avg.test_acc": "performance/test_acc_avg",
    "sys.fl_end_time_minutes": "system/training_seconds",
    "sys.total_model_size": "system/model_bytes",
    "sys.total_upload_bytes": "system/upload_bytes",
    "sys.total_download_bytes": "system/download_bytes",
}
_CONVERT = {
    "data.transform": steps, "sys.fl_end_time_minutes": seconds, "sys.total_model_size": size,
    "sys.total_upload_bytes": size, "sys.total_download_bytes": size,
}  # fmt: skip


def read_federatedscope(folder: str | os.PathLike[str]) -> FactSheet:
    """Read the facts of a FederatedScope run.

    Parameters
    ----------
    folder : path-like
        The run's output folder: ``config.yaml``, and where they are there ``eval_results.log`` (or ``.raw``,
        ``.raw.gz``) and ``system_metrics.log``.

    Returns
    -------
    FactSheet
        What the files say. A file or a line that is not there leaves its facts unknown.

    Raises
    ------
    FileNotFoundError
        If there is no configuration.
    ValueError
        If the configuration is no YAML mapping, or a value does not fit its field.

    Notes
    -----
    The last line of the server's final evaluation gives accuracy and loss, averaged over clients; the line ``sys_avg``
    gives time and traffic.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 5.1: the integration into FederatedScope.

    Deviations
    ----------
    The authors' hook takes FedOpt and FedProx for FedAvg, since FederatedScope states them by a switch, and sees
    personalisation only where layers stay local; ours sees pFedMe, Ditto and FedEM too. It takes ``test_loss``, a
    client's sum; ours takes the mean ``test_avg_loss`` where it is there. It cuts the variation of accuracy off at 1;
    ours does not.
    """
    folder = Path(folder)
    config = _flat(_yaml(folder / "config.yaml"))
    result, system = _last_evaluation(folder), _system(folder / "system_metrics.log")
    found = {**config, **{f"avg.{name}": value for name, value in result.get("client_summarized_avg", {}).items()},
             **{f"sys.{name.removeprefix('sys_avg/')}": value for name, value in system.items()}}  # fmt: skip
    try:
        facts = {**collect(found, _NAMES, _CONVERT), **_derived(found, result)}
        return FactSheet({**facts, "project/imported_from": "FederatedScope"})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder} cannot be read: {error}") from None


def _derived(found: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that more than one value tells of."""
    method = str(found.get("federate.method") or "")
    if method.lower() == "fedavg":
        method = next((name for name in ("FedOpt", "FedProx") if found.get(f"{name.lower()}.use")), method)
    model, epochs = str(found.get("model.type") or ""), found.get("train.batch_or_epoch", "epoch") == "epoch"
    personal = bool(found.get("personalization.local_param")) or method.lower() in _PERSONAL
    private = found.get("nbafl.use") is True
    return {
        "participants/sample_client_rate": _rate(found),
        "configuration/aggregation_algorithm": method or None,
        "configuration/training_model": _MODELS.get(model.lower(), model) or None,
        "configuration/personalization": personal if method or "personalization.local_param" in found else None,
        "configuration/local_update_steps": found.get("train.local_update_steps") if epochs else None,
        "privacy/configured_epsilon": found.get("nbafl.epsilon") if private else None,
        "performance/test_loss_avg": found.get("avg.test_avg_loss", found.get("avg.test_loss")),
        "fairness/test_acc_cv": _variation(result),
    }


def _rate(found: Mapping[str, Any]) -> float | None:
    """Return the share of clients in a round; it may be stated as a number of clients, with a rate below 0."""
    rate, sampled, clients = (found.get(f"federate.{name}")
                              for name in ("sample_client_rate", "sample_client_num", "client_num"))  # fmt: skip
    if isinstance(rate, (int, float)) and rate > 0:
        return float(rate)
    if isinstance(sampled, int) and isinstance(clients, int) and sampled > 0 and clients > 0:
        return sampled / clients
    return None


def _variation(result: Mapping[str, Any]) -> float | None:
    """Return standard deviation over mean of the clients' accuracy; NaN where the mean is 0."""
    mean = result.get("client_summarized_avg", {}).get("test_acc")
    spread = result.get("client_summarized_fairness", {}).get("test_acc_std")
    if mean is None or spread is None:
        return None
    return float(spread) / float(mean) if mean else math.nan


def _yaml(path: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:  # what PyYAML raises
        raise ValueError(f"{path} must be YAML, got: {said(error)}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} must be a FederatedScope configuration, got {content!r:.40}")
    return content


def _flat(content: Mapping[Any, Any], above: str = "") -> dict[str, Any]:
    """Return the values by dotted path."""
    flat: dict[str, Any] = {}
    for name, value in content.items():
        flat |= _flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
        if len(flat) > _MOST or above.count(".") > _DEEPEST:  # a few lines that name each other can say a million
            raise ValueError(f"a configuration must hold at most {_MOST:,} values, {_DEEPEST} deep")
    return flat


def _last_evaluation(folder: Path) -> dict[str, Any]:
    """Return the raw results of the server's last final evaluation; nothing if there is none."""
    last: dict[str, Any] = {}
    for name in ("eval_results.raw.gz", "eval_results.raw", "eval_results.log"):
        for line in _entries(folder / name):
            raw = line.get("Results_raw")
            if "Server" in str(line.get("Role")) and line.get("Round") == "Final" and isinstance(raw, dict):
                last = raw if isinstance(raw.get("client_summarized_avg"), dict) else last
    return last


def _system(path: Path) -> dict[str, Any]:
    lines = [line for line in _entries(path) if line.get("id") == "sys_avg"]
    return lines[-1] if lines else {}


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the mappings of a log, one a line, as JSON or as Python prints them; other lines are passed over."""
    if not path.exists():
        return
    try:
        with opened(path) as stream:
            raw = stream.read()
    except UNREADABLE as error:
        raise ValueError(f"{path} must be a whole file, got: {said(error)}") from None
    for line in raw.decode("utf-8", errors="replace").splitlines():
        start = line.find("{")
        entry = _entry(line[start:]) if start >= 0 else None
        if isinstance(entry, dict):
            yield entry


def _entry(text: str) -> Any:
    try:
        return jsonfile.loads(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(re.sub(r"(?<=[:,\[\s(])-?(?:nan|inf)(?=[,}\])\s])", "None", text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
