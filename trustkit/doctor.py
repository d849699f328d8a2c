"""Is the installation sound? Each check does the thing it speaks of."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import shutil
import sys
import time
from collections.abc import Callable, Iterator

__all__ = ["examine"]

_LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "threadpoolctl",
    "pandas",
    "torch",
    "matplotlib",
    "seaborn",
    "shap",
    "numba",
    "fairlearn",
    "dp-accounting",
    "ipywidgets",
    "anywidget",
    "jupyterlab",
    "voila",
    "tomli-w",
    "typer",
    "tqdm",
    "pyyaml",
)


def _python() -> str:
    return sys.version.split()[0]


def _libraries() -> str:
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES)


def _boosting() -> str:
    found = [name for name in ("xgboost", "xgboost-cpu") if _has(name)]
    if len(found) != 1:
        raise RuntimeError(
            f"exactly one of xgboost and xgboost-cpu must be installed, got {' and '.join(found) or 'none'}"
        )
    return f"{found[0]} {importlib.metadata.version(found[0])}"


def _has(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _data() -> str:
    from trustkit import datasets
    from trustkit.catalogue import DATASETS

    names = [name for name in datasets.names() if not DATASETS[name].parameters]
    loaded = [datasets.load(name) for name in names]
    recorded = importlib.resources.files("trustkit.datasets").joinpath("PROVENANCE.md").read_text(encoding="utf-8")
    lines = {line.split("|")[1].strip(): line for line in recorded.splitlines() if line.startswith("|")}
    changed = [data.name for data in loaded if f"`{data.provenance.sha256}`" not in lines.get(data.name, "")]
    if changed:
        raise RuntimeError(f"checksums must be those of PROVENANCE.md, but not of {', '.join(changed)}")
    return f"{len(names)} embedded data sets, {sum(len(data.y) for data in loaded):,} rows, checksums as recorded"


def _training() -> str:
    from trustkit import assess, facts_of, presets, run

    began = time.perf_counter()
    record = run(presets()["start"].change(rounds=3))
    score = assess(facts_of(record)).score
    return f"3 rounds of FedAvg and a trust report ({score:.2f}) in {time.perf_counter() - began:.2f} s"


def _privacy() -> str:
    from trustkit import play, presets

    return f"ε after one round is {next(iter(play(presets()['start/private']))).epsilon:.2f}"


def _server() -> str:
    from trustkit.serve import NOTEBOOKS

    names = sorted(notebook.name for notebook in NOTEBOOKS.glob("*.ipynb"))
    if "app.ipynb" not in names:
        raise RuntimeError(f"the app's notebook must lie in {NOTEBOOKS}")
    return f"notebooks {', '.join(names)}"


def _app() -> str:
    from trustkit.widgets import app

    return f"the app draws itself and opens {app().lab.state}"


def _browser() -> str:
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    return found or "no Chromium found (only the browser tests need one)"


def examine() -> Iterator[tuple[str, str, bool]]:
    """Check the parts of the installation one after the other.

    Yields
    ------
    name, verdict, fine : str, str, bool
        What was checked, what was found, whether it is sound.
    """
    checks: dict[str, Callable[[], str]] = {
        "Python": _python, "libraries": _libraries, "boosted trees": _boosting, "data": _data, "training": _training,
        "privacy accountant": _privacy, "notebooks": _server, "app": _app, "browser": _browser,
    }  # fmt: skip
    for name, check in checks.items():
        try:
            yield name, check(), True
        except Exception as error:  # a check that fails is the finding
            yield name, f"{type(error).__name__}: {error}", False
