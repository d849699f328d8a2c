"""The tour in real JupyterLab: it opens, every cell runs, pictures and the app are there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import free_port, picture, serve, stop

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def lab_url(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[str]:
    """JupyterLab as ``trustkit lab`` opens it, on copies of the notebooks in a new folder."""
    port, folder = free_port(), tmp_path_factory.mktemp("lab")
    (folder / "config").mkdir()
    open_door = {"IdentityProvider": {"token": ""}, "ServerApp": {"password": ""}}
    (folder / "config" / "jupyter_server_config.json").write_text(json.dumps(open_door), encoding="utf-8")
    command = [sys.executable, "-m", "trustkit", "lab", "work", "--no-browser", "--port", str(port)]
    server = serve(command, f"http://127.0.0.1:{port}/api", folder)
    yield f"http://127.0.0.1:{port}/"
    stop(server)


def run_all(page: Page) -> None:
    """Choose Run All Cells until a prompt shows that it was heard: right after loading Lab may not listen yet."""
    page.locator(".jp-Notebook .jp-Cell").first.click()
    for _ in range(8):
        page.get_by_role("menuitem", name="Run", exact=True).first.click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).first.click()
        try:
            page.wait_for_function(
                "[...document.querySelectorAll('.jp-InputPrompt')].some(p => p.innerText.includes('*'))", timeout=4000
            )
            return
        except Exception as error:
            if "Timeout" not in type(error).__name__:
                raise
    pytest.fail("Run All Cells was never heard")


def test_tour_runs_in_jupyterlab(page: Page, lab_url: str) -> None:
    """Run all cells of the tour: no error, pictures, and at its end the app, whose sliders work."""
    page.goto(f"{lab_url}lab/tree/00_tour.ipynb?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_function("document.body.innerText.includes('Python 3')", timeout=30_000)
    run_all(page)
    page.wait_for_function(
        "![...document.querySelectorAll('.jp-InputPrompt')].some(p => p.innerText.includes('*'))", timeout=120_000
    )
    page.locator(".jp-Notebook .jp-Cell").last.scroll_into_view_if_needed()
    page.wait_for_selector(".tk-v-pillars svg", timeout=60_000)
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").count() == 0
    slider = page.get_by_role("slider", name="α label skew")
    slider.scroll_into_view_if_needed()
    before = page.locator(".tk-v-split").inner_html()
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("before => document.querySelector('.tk-v-split').innerHTML !== before", arg=before)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function(
        "document.querySelector('.tk-v-status .tk-state').innerText.startsWith('idle')", timeout=90_000
    )
    picture(page, "lab_tour")
