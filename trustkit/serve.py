"""Serving the app by Voilà, and JupyterLab on a copy of the notebooks; both from an installed wheel, in any folder."""

from __future__ import annotations

import contextlib
import importlib.resources
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

__all__ = ["NOTEBOOKS", "app_command", "copy_notebooks", "lab_command", "serve_app", "serve_lab"]

NOTEBOOKS = Path(str(importlib.resources.files("trustkit.notebooks")))
"""Where the notebooks lie, in a checkout as in an installed wheel."""


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


def _environment() -> dict[str, str]:
    """Return the environment of the servers: this Python's programs first, one thread for each linear-algebra call."""
    threads = {
        name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, **threads, "PATH": path}


def app_command(notebook: Path, port: int, browser: bool, theme: str, address: str) -> list[str]:
    """Return the command that serves the app.

    Parameters
    ----------
    notebook : Path
        The app's notebook.
    port : int
        A free one.
    browser : bool
        Whether to open a window.
    theme : str
        "light" or "dark".
    address : str
        To listen on.

    Returns
    -------
    list of str
        Program and arguments.

    Raises
    ------
    ValueError
        If the theme is neither.
    """
    if theme not in ("light", "dark"):
        raise ValueError(f"theme must be light or dark, got {theme!r}")
    return [sys.executable, "-m", "voila", str(notebook), f"--port={port}", f"--Voila.ip={address}", f"--theme={theme}",
            "--VoilaConfiguration.allow_template_override=NO", "--VoilaConfiguration.allow_theme_override=YES",
            "--MappingKernelManager.cull_interval=60", "--MappingKernelManager.cull_idle_timeout=600",
            *([] if browser else ["--no-browser"])]  # fmt: skip


def serve_app(port: int = 8866, browser: bool = True, theme: str = "light", address: str = "127.0.0.1") -> None:
    """Serve the app until interrupted.

    Parameters
    ----------
    port : int
        0 picks a free one.
    browser : bool
        Whether to open a window.
    theme : str
        "light" or "dark".
    address : str
        To listen on; the default is this machine only.

    Raises
    ------
    ValueError
        If the port is taken or the theme unknown.
    """
    port = _free(port, address)
    with tempfile.TemporaryDirectory(prefix="trustkit-") as folder:
        notebook = Path(shutil.copy(NOTEBOOKS / "app.ipynb", folder))
        command = app_command(notebook, port, browser, theme, address)
        print(f"trustkit app: http://{address}:{port}/ (stop with Ctrl+C)", flush=True)
        _wait(command)


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


def _wait(command: list[str]) -> None:
    """Run a server until it ends; a signal to stop is passed on, so that none is left behind."""
    server = subprocess.Popen(command, env=_environment())
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
