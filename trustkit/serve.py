"""Serving the app by Voilà, and JupyterLab on a copy of the notebooks; both from an installed wheel, in any folder."""

from __future__ import annotations

import contextlib
import importlib.resources
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Mapping
from pathlib import Path

from trustkit.serving.options import Serving

__all__ = ["NOTEBOOKS", "app_command", "copy_notebooks", "lab_command", "serve_app", "serve_lab"]

NOTEBOOKS = Path(str(importlib.resources.files("trustkit.notebooks")))
"""Where the notebooks lie, in a checkout as in an installed wheel."""

_SERVING = Path(str(importlib.resources.files("trustkit.serving")))
"""Where ``voila.json`` and the page's template lie."""


def _free(port: int, address: str) -> int:
    """Return the port, or a free one for 0; refuse one that is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise ValueError(
                f"port must be free on {address}, got {port} ({error.strerror}); --port 0 picks one"
            ) from None
        return int(probe.getsockname()[1])


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the servers: this Python's programs first, one thread for each linear-algebra call."""
    threads = {
        name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, **threads, "PATH": path, **more}


def app_command(notebook: Path, settings: Path) -> list[str]:
    """Return the command that serves the app.

    Parameters
    ----------
    notebook : Path
        The app's notebook.
    settings : Path
        A folder with a ``voila.json`` of its own, which goes before the one that trustkit ships; no other is read.

    Returns
    -------
    list of str
        Program and arguments.
    """
    return [sys.executable, "-m", "trustkit.serving.room", str(notebook),
            *(f"--Voila.config_file_paths={folder}" for folder in (settings, _SERVING))]  # fmt: skip


def serve_app(serving: Serving | None = None) -> None:
    """Serve the app until interrupted.

    Parameters
    ----------
    serving : Serving, optional
        How; by default for oneself on this machine.

    Raises
    ------
    ValueError
        If the port is taken.
    """
    serving = (serving or Serving()).with_token()
    port = _free(serving.port, serving.address)
    with tempfile.TemporaryDirectory(prefix="trustkit-") as folder:
        notebook = Path(shutil.copy(NOTEBOOKS / "app.ipynb", folder))
        settings = Path(folder) / "settings"
        settings.mkdir(mode=0o700)  # the token is in there
        (settings / "voila.json").write_text(json.dumps(serving.configuration(port)), encoding="utf-8")
        print(f"trustkit app: {serving.url(port)} (stop with Ctrl+C)", flush=True)
        paths = os.pathsep.join(filter(None, [str(_SERVING / "share"), os.environ.get("JUPYTER_PATH", "")]))
        _wait(app_command(notebook, settings), {**serving.environment(), "JUPYTER_PATH": paths})


def copy_notebooks(folder: Path) -> list[Path]:
    """Copy the notebooks to a folder; what is there already is kept.

    Parameters
    ----------
    folder : Path
        Made if missing.

    Returns
    -------
    list of Path
        All notebooks there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not (folder / notebook.name).exists():
            shutil.copy(notebook, folder)
    return sorted(folder.glob("*.ipynb"))


def lab_command(folder: Path, port: int, browser: bool) -> list[str]:
    """Return the command that opens JupyterLab on a folder.

    Parameters
    ----------
    folder : Path
        With notebooks.
    port : int
        A free one.
    browser : bool
        Whether to open a window.

    Returns
    -------
    list of str
        Program and arguments.
    """
    return [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}", f"--port={port}",
            "--ServerApp.port_retries=0", "--LabApp.default_url=/lab/tree/00_tour.ipynb",
            "--ServerApp.kernel_websocket_connection_class=trustkit.serving.wire.Wire",
            *([] if browser else ["--no-browser"]),
            *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]  # fmt: skip


def serve_lab(folder: Path, port: int = 8888, browser: bool = True) -> None:
    """Open JupyterLab on a copy of the notebooks until interrupted.

    Parameters
    ----------
    folder : Path
        Where the copies go.
    port : int
        0 picks a free one.
    browser : bool
        Whether to open a window.

    Raises
    ------
    ValueError
        If the port is taken.
    """
    port = _free(port, "127.0.0.1")
    copy_notebooks(folder)
    _wait(lab_command(folder, port, browser))


def _wait(command: list[str], more: Mapping[str, str] = types.MappingProxyType({})) -> None:
    """Run a server until it ends; a signal to stop is passed on, so that none is left behind."""
    server = subprocess.Popen(command, env=_environment(more))
    hears = threading.current_thread() is threading.main_thread()  # no other thread can
    before = signal.signal(signal.SIGTERM, lambda *_: server.terminate()) if hears else None
    try:
        server.wait()
    except KeyboardInterrupt:  # the server heard it too
        with contextlib.suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
            server.wait(timeout=10)
    finally:
        if server.poll() is None:
            server.terminate()
            server.wait()
        if hears:
            signal.signal(signal.SIGTERM, before)
    if server.returncode not in (0, -signal.SIGINT, -signal.SIGTERM):
        raise SystemExit(server.returncode)
