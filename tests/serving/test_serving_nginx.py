"""Behind a real nginx, under a prefix, with the recipe of the documentation: pages, static files and websockets."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import free_port
from tests.serving.test_serving_browser import enter, more_clients
from tests.serving.visiting import Served, room, visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECIPES = (Path(__file__).parents[2] / "notebooks" / "serve.md").read_text(encoding="utf-8")


def recipe(language: str) -> str:
    """Return the block of the documentation that is written in a language."""
    found = re.search(rf"```{language}\n(.*?)```", RECIPES, re.DOTALL)
    assert found is not None, language
    return found[1]


@pytest.fixture(scope="module")
def nginx() -> str:
    """The path of nginx; skipped where there is none, unless the browser tests are required."""
    path = shutil.which("nginx") or next((p for p in ("/usr/sbin/nginx",) if Path(p).exists()), None)
    if path is None:
        reason = "no nginx on this machine"
        if os.environ.get("TRUSTKIT_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@contextlib.contextmanager
def proxied(nginx: str, folder: Path, behind: int) -> Iterator[int]:
    """Run nginx with the documented server block, of which only ports and paths are this test's; give its port."""
    port = free_port()
    block = recipe("nginx").replace("127.0.0.1:8866", f"127.0.0.1:{behind}")
    block = re.sub(r"listen 443 ssl;", f"listen 127.0.0.1:{port};", block)
    block = re.sub(r"\n *ssl_[^\n]*;", "", block)
    temp = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in
                     ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
    text = (
        f"worker_processes 1;\ndaemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temp}\n{block}\n}}\n"
    )
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    server = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        end = time.monotonic() + 20
        while server.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/trust/health", timeout=5).close()
                break
            time.sleep(0.1)
        assert server.poll() is None, (folder / "error.log").read_text()
        yield port
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.browser
def test_the_app_works_behind_nginx_under_a_prefix(nginx: str, page: Page, tmp_path: Path) -> None:
    """Page, files, kernels and websockets go through it; the link in the address is the proxy's."""
    (tmp_path / "room").mkdir()
    (tmp_path / "nginx").mkdir()
    with room(tmp_path / "room", base="/trust/") as served, proxied(nginx, tmp_path / "nginx", served.port) as port:
        outside = Served(served.process, port, "/trust/", served.folder)
        assert outside.ask("/")[0] in (301, 302, 404)
        assert "script-src" in outside.ask("/trust/voila/static/voila.js")[2]["Content-Security-Policy"]
        enter(page, outside.url)
        moved = more_clients(page)
        page.get_by_role("button", name="Link", exact=True).click()
        assert page.get_by_label("link", exact=True).input_value() == f"{outside.url}?s={moved}"
        with visitor(outside) as somebody:
            somebody.open()
            before = somebody.text("tk-v-split")
            somebody.move("tk-c-clients", 4)
            assert somebody.wait(lambda: somebody.text("tk-v-split") not in ("", before))
