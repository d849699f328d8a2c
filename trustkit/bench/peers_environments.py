"""Where a peer runs: in the present environment if it is there, or else in one of its own, made once and kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from trustkit import jsonfile

__all__ = ["PEERS", "Environment", "Peer", "environment_of", "home"]


@dataclass(frozen=True)
class Peer:
    """Somebody else's code.

    Parameters
    ----------
    title : str
        Its name.
    package : str
        Which distribution it is; its version is the peer's.
    needs : tuple of str
        Modules that have to be importable.
    pins : tuple of str
        What is installed into an environment of its own, torch first, so that no other build of it comes along.
    """

    title: str
    package: str
    needs: tuple[str, ...]
    pins: tuple[str, ...]


@dataclass(frozen=True)
class Environment:
    """A Python that has a peer: whose it is ("present" or "its own"), and the peer's version."""

    python: str
    kind: str
    version: str


_TORCH = "torch==2.13.0"
PEERS: Mapping[str, Peer] = {
    "bound": Peer("GEMM bound", "numpy", ("numpy",), ("numpy==2.4.6",)),
    "needed": Peer("GEMM bound, strict", "numpy", ("numpy",), ("numpy==2.4.6",)),
    "naive": Peer("naive torch loop", "torch", ("torch",), (_TORCH, "numpy==2.4.6")),
    "pfl": Peer("pfl", "pfl", ("pfl", "torch"), (_TORCH, "pfl[pytorch]==0.6.0")),
    "flower": Peer("Flower simulation", "flwr", ("flwr", "ray", "torch", "psutil"),
                   (_TORCH, "flwr[simulation]==1.42.0", "psutil>=5.9")),
    "opacus": Peer("Opacus", "opacus", ("opacus",), (_TORCH, "opacus==1.6.0")),
    "art": Peer("ART", "adversarial-robustness-toolbox", ("art",), (_TORCH, "adversarial-robustness-toolbox==1.20.1")),
    "shap": Peer("GradientExplainer", "shap", ("shap", "torch"), (_TORCH, "shap==0.51.0")),
    "vertibench": Peer("vertibench", "vertibench", ("vertibench",), (_TORCH, "vertibench==0.1.2", "pandas>=2.2")),
    "xgboost": Peer("XGBoost", "xgboost", ("xgboost",), ("xgboost==3.2.0",)),
    "fairlearn": Peer("fairlearn", "fairlearn", ("fairlearn",), ("fairlearn==0.15.0",)),
}  # fmt: skip
"""By name; each has a module ``trustkit.bench.peers_NAME`` that its Python runs."""

_ASKED = """
import json, sys
from importlib import import_module
from importlib.metadata import version
for name in sys.argv[2:]:
    import_module(name)
print(json.dumps(version(sys.argv[1])))
"""


def home() -> Path:
    """Return the folder in which environments are kept unless another is named.

    Returns
    -------
    pathlib.Path
        In the user's cache.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trustkit" / "peers"


def environment_of(name: str, folder: Path, make: bool, told: Callable[[str], None]) -> Environment:
    """Find the Python that has a peer, and make one if asked.

    Parameters
    ----------
    name : str
        Of `PEERS`.
    folder : pathlib.Path
        Where environments are kept; one with the same pins is used again.
    make : bool
        Whether one is made if there is none.
    told : callable
        Told what is being installed.

    Returns
    -------
    Environment
        With the version that is really there.

    Raises
    ------
    ValueError
        If there is none: the message says why, in a line.
    """
    peer = PEERS[name]
    if present := _present(peer):
        return Environment(sys.executable, "present", present)
    place = folder / f"{name}-{sha256(repr((peer.pins, sys.version_info[:2])).encode()).hexdigest()[:8]}"
    python, ready = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python"), place / "ready.json"
    if not ready.exists():
        if not make:
            raise ValueError("it is not in the present environment, and the quick mode makes none")
        told(f"installing {' '.join(peer.pins)} into {place}")
        jsonfile.write_text(ready, jsonfile.dumps({"pins": peer.pins, "version": _made(peer, place, python)}))
    return Environment(str(python), "its own", str(jsonfile.read(ready)["version"]))


def _present(peer: Peer) -> str | None:
    """Return the version that this environment has, if it has all that the peer needs."""
    if not all(find_spec(name) for name in peer.needs):
        return None
    for package in (peer.package, f"{peer.package}-cpu"):
        with suppress(PackageNotFoundError):
            return version(package)
    return None


def _made(peer: Peer, place: Path, python: Path) -> str:
    """Make an environment, and return the version of the peer in it once all that it needs can be imported."""
    shutil.rmtree(place, ignore_errors=True)  # what an earlier attempt left
    try:
        venv.create(place, with_pip=True)
        _said([str(python), "-m", "pip", "install", "-q", *peer.pins])
        return str(jsonfile.loads(_said([str(python), "-c", _ASKED, peer.package, *peer.needs])))
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(place, ignore_errors=True)
        raise ValueError(_last(error)) from None


def _said(command: list[str]) -> str:
    """Run a program and return the last line that it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return (done.stdout.strip().splitlines() or [""])[-1]


def _last(error: Exception) -> str:
    """Return the last line of what a program complained of."""
    told = getattr(error, "stderr", None) or str(error)
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    return next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else repr(error))
