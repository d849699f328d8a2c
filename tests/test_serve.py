"""Serving: the commands, a free port, notebooks that are never overwritten, and no server left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from trustkit import serve
from trustkit.serve import NOTEBOOKS, app_command, copy_notebooks, lab_command, serve_app, serve_lab
from trustkit.serving.options import Serving

told: list[dict[str, Any]] = []
"""The configurations that servers would have been started with."""


@pytest.fixture
def taken() -> Iterator[int]:
    """Return a port of this machine that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield int(listener.getsockname()[1])


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Collect the commands that would be run, and look at their notebook while it is there."""
    commands: list[list[str]] = []

    def wait(command: list[str], more: Mapping[str, str] = MappingProxyType({})) -> None:
        commands.append(command)
        if "trustkit.serving.room" in command:
            assert Path(command[3]).read_bytes() == (NOTEBOOKS / "app.ipynb").read_bytes()
            settings = Path(command[4].split("=", 1)[1])
            assert settings.stat().st_mode & 0o077 == 0
            told.append(json.loads((settings / "voila.json").read_text(encoding="utf-8")))
            assert more["JUPYTER_PATH"].split(os.pathsep)[0].endswith("share")

    monkeypatch.setattr(serve, "_wait", wait)
    return commands


def test_the_notebooks_are_where_the_package_is() -> None:
    """The app's and the tour's."""
    assert {"app.ipynb", "00_tour.ipynb"} <= {file.name for file in NOTEBOOKS.glob("*.ipynb")}


def test_the_apps_command(tmp_path: Path) -> None:
    """Our server of this Python; only two configurations are read, of which trustkit's own goes last."""
    command = app_command(tmp_path / "app.ipynb", tmp_path)
    assert command[:4] == [sys.executable, "-m", "trustkit.serving.room", str(tmp_path / "app.ipynb")]
    folders = [Path(word.removeprefix("--Voila.config_file_paths=")) for word in command[4:]]
    assert folders[0] == tmp_path
    assert (folders[1] / "voila.json").exists()
    assert (folders[1] / "share" / "nbconvert" / "templates" / "trustkit" / "index.html.j2").exists()


def test_the_labs_command(tmp_path: Path) -> None:
    """JupyterLab of this Python, in the folder, opening the tour; it does not move on to another port by itself."""
    command = lab_command(tmp_path, 8124, False)
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert {f"--ServerApp.root_dir={tmp_path}", "--port=8124", "--ServerApp.port_retries=0", "--no-browser"} <= set(
        command
    )
    tour = next(word for word in command if word.startswith("--LabApp.default_url=")).rsplit("/", 1)[1]
    assert (NOTEBOOKS / tour).exists()
    assert ("--allow-root" in command) == (hasattr(os, "geteuid") and os.geteuid() == 0)
    assert "--no-browser" not in lab_command(tmp_path, 8124, True)


def test_port_zero_is_a_free_one(started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command and what is printed name the port that was found."""
    serve_app(Serving(port=0, browser=False))
    serve_lab(tmp_path / "own", 0, browser=False)
    ports = [told[-1]["Voila"]["port"], next(int(word[7:]) for word in started[1] if word.startswith("--port="))]
    assert all(1024 <= port <= 65535 for port in ports)
    assert f"http://127.0.0.1:{ports[0]}/" in capsys.readouterr().out
    assert not Path(started[0][3]).exists()  # the folder goes with the server


def test_the_token_is_printed_and_in_no_command(started: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever lists the processes of the machine does not see it."""
    serve_app(Serving(port=0, address="0.0.0.0", browser=False))
    token = told[-1]["Voila"]["token"]
    assert len(token) >= 32
    assert f"/?token={token}" in capsys.readouterr().out
    assert token not in " ".join(started[0])


def test_a_taken_port_is_refused(taken: int, started: list[list[str]], tmp_path: Path) -> None:
    """Before anything is started or copied; the message says what to do."""
    with pytest.raises(ValueError, match=rf"port must be free on 127\.0\.0\.1, got {taken} \(.+\); --port 0 picks one"):
        serve_app(Serving(port=taken, browser=False))
    with pytest.raises(ValueError, match=f"got {taken}"):
        serve_lab(tmp_path / "own", taken, browser=False)
    assert not started
    assert not (tmp_path / "own").exists()


def test_copied_notebooks_keep_what_is_there(tmp_path: Path) -> None:
    """A notebook that was worked on stays; a missing one comes; others are listed."""
    folder = tmp_path / "new" / "folder"
    first = copy_notebooks(folder)
    assert [file.name for file in first] == sorted(file.name for file in NOTEBOOKS.glob("*.ipynb"))
    assert all(file.read_bytes() == (NOTEBOOKS / file.name).read_bytes() for file in first)
    (folder / "00_tour.ipynb").write_text("my own work", encoding="utf-8")
    (folder / "mine.ipynb").write_text("{}", encoding="utf-8")
    (folder / "app.ipynb").unlink()
    again = copy_notebooks(folder)
    assert (folder / "00_tour.ipynb").read_text(encoding="utf-8") == "my own work"
    assert (folder / "app.ipynb").exists()
    assert folder / "mine.ipynb" in again


def test_servers_find_this_pythons_programs_and_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a user has set is kept."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    environment = serve._environment({"MORE": "1"})
    assert environment["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert environment["MORE"] == "1"
    assert (environment["OMP_NUM_THREADS"], environment["MKL_NUM_THREADS"]) == ("1", "3")


def test_a_server_that_fails_hands_its_status_on() -> None:
    """And one that ends well, or was told to stop, is no failure; how this process hears signals is as before."""
    before = signal.getsignal(signal.SIGTERM)
    serve._wait([sys.executable, "-c", "pass"])
    serve._wait([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"])
    with pytest.raises(SystemExit) as ended:
        serve._wait([sys.executable, "-c", "raise SystemExit(3)"])
    assert ended.value.code == 3
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_server_is_left_behind(number: signal.Signals, tmp_path: Path) -> None:
    """Whoever stops ``trustkit app``, by ``kill`` or by Ctrl+C, stops its server; no traceback, no folder."""
    command = [sys.executable, "-m", "trustkit", "app", "--no-browser", "--port", "0"]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    with (tmp_path / "log").open("wb") as log:
        app = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=log,
                               start_new_session=True)  # fmt: skip
        assert app.stdout is not None
        url = app.stdout.readline().decode().split()[2]
        try:
            assert _answers(url, 60)
            if number == signal.SIGINT:
                os.killpg(app.pid, number)  # as a terminal does
            else:
                app.send_signal(number)
            assert app.wait(30) in (0, 130)
            assert not _answers(url, 0)
        finally:
            with contextlib.suppress(ProcessLookupError):  # what this test is about: nobody is left
                os.killpg(app.pid, signal.SIGKILL)
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("trustkit-*"))


def _answers(url: str, seconds: float) -> bool:
    """Whether a server can be spoken to; its static files are enough, so that no kernel is started."""
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(f"{url}voila/static/nothing", timeout=2)
        except urllib.error.HTTPError:
            return True
        except OSError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.1)
