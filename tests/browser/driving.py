"""A real Chromium on a real server: Voilà for the app, JupyterLab for the tour."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARTEFACTS = Path(os.environ.get("TRUSTKIT_ARTEFACTS") or Path(__file__).parents[2] / ".artifacts")
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; skipped where there is none, unless TRUSTKIT_BROWSER=required."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = os.environ.get("TRUSTKIT_CHROMIUM") or next((p for n in names if (p := shutil.which(n))), None)
    if path is None:
        reason = "no Chromium on this machine (chromium, chromium-browser, google-chrome or TRUSTKIT_CHROMIUM)"
        if os.environ.get("TRUSTKIT_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless Chromium, closed after each module: while it is open, an event loop runs in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield started
        started.close()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(command: list[str], url: str, folder: Path, seconds: float = 90) -> subprocess.Popen[bytes]:
    """Start a server in a folder of its own and wait until it answers."""
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    quiet = '{"fetchNews": "false", "checkForUpdates": false}'
    (settings / "notification.jupyterlab-settings").write_text(quiet, encoding="utf-8")
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    environment = {**os.environ, **{name: str(folder / place) for name, place in places.items()}}
    log = (folder / "server.log").open("wb")
    server = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return server
        except urllib.error.HTTPError:
            return server  # it answers, if only to refuse
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    stop(server)
    raise RuntimeError(f"no answer from {url}:\n" + (folder / "server.log").read_text(errors="replace")[-3000:])


def stop(server: subprocess.Popen[bytes]) -> None:
    """End a server and its kernels."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[str]:
    """The app as ``trustkit app`` serves it, from an empty folder."""
    port = free_port()
    command = [sys.executable, "-m", "trustkit", "app", "--no-browser", "--port", str(port)]
    server = serve(command, f"http://127.0.0.1:{port}/voila/static/main.js", tmp_path_factory.mktemp("voila"))
    yield f"http://127.0.0.1:{port}/"
    stop(server)


def local_only(page: Page) -> list[str]:
    """Refuse every request that leaves this machine; return the list that they are noted in."""
    asked: list[str] = []
    page.route(
        lambda url: "127.0.0.1" not in url and url.startswith("http"),
        lambda route: (asked.append(route.request.url), route.abort()),  # type: ignore[func-returns-value]
    )
    return asked


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of 1280 × 900 that cannot leave this machine; its waits are evaluated, which its policy forbids."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True, bypass_csp=True)
    page = context.new_page()
    local_only(page)
    yield page
    context.close()


def picture(page: Page, name: str) -> None:
    """Keep a screenshot of the whole page as an artefact."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)
