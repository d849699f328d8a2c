"""The tour and the workshop in real JupyterLab: they open, cells run, pictures and the app are there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.driving import free_port, picture, serve, stop
from trustkit.workshop import EPISODES

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


def open_notebook(page: Page, lab_url: str, name: str) -> None:
    """Open a notebook in a workspace of its own, and wait until its cells are there."""
    page.goto(f"{lab_url}lab/tree/{name}.ipynb?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)


def settled(page: Page) -> None:
    """Wait until no cell runs or waits to be run."""
    page.wait_for_function(
        "![...document.querySelectorAll('.jp-InputPrompt')].some(p => p.innerText.includes('*'))", timeout=120_000
    )


def run_cell(page: Page, text: str) -> None:
    """Run the cell with a text, as people do: click into it and press Shift and Enter."""
    cell = page.locator(".jp-CodeCell", has_text=text).first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    settled(page)


def test_every_episode_opens_in_jupyterlab(page: Page, lab_url: str) -> None:
    """One after the other from the file browser: title and cells are drawn, and nothing is complained of."""
    page.goto(f"{lab_url}lab?reset")
    for episode in EPISODES.values():
        name = f"{episode.notebook}.ipynb"
        page.locator(".jp-DirListing-item", has_text=name).dblclick(timeout=60_000)
        shown = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        title = shown.locator(".jp-MarkdownCell h1", has_text=f"Workshop {int(episode.number)}: ")
        title.wait_for(timeout=60_000)
        shown.locator(".jp-CodeCell").first.wait_for(timeout=60_000)
        assert page.locator(".jp-Dialog").count() == 0


def test_an_exercise_is_done_in_jupyterlab(page: Page, lab_url: str) -> None:
    """Episode 1 from the first cell to the verdict: run all, move the slider q by keyboard, Run, check again."""
    open_notebook(page, lab_url, "workshop_01_first_run")
    page.wait_for_function("document.body.innerText.includes('Python 3')", timeout=30_000)
    run_all(page)
    settled(page)
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").count() == 0
    check = page.locator(".jp-CodeCell", has_text='tk.check("01", lab').first
    check.scroll_into_view_if_needed()
    assert "Exercise 01, Half as many at a time. Not yet" in check.inner_text()
    slider = page.get_by_role("slider", name="q selected each round")
    slider.scroll_into_view_if_needed()
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("document.querySelector('.tk-c-selection small').innerText === '2 of 10 clients'")
    status = "document.querySelector('.tk-v-status .tk-state').innerText"
    page.wait_for_function(f"{status}.startsWith('stale')")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function(f"{status}.startsWith('idle')", timeout=90_000)
    picture(page, "lab_workshop_exercise")
    run_cell(page, 'tk.check("01", lab')
    check.scroll_into_view_if_needed()
    assert "Exercise 01, Half as many at a time. Done." in check.inner_text()


def ask(page: Page, method: str, path: str, content: object = None) -> Any:
    """Ask the server as Lab's own page does, which proves by a cookie that it is no other one."""
    told = page.evaluate(
        """async ([method, path, body]) => {
          const token = document.cookie.split('; ').find(each => each.startsWith('_xsrf='))?.slice(6) ?? '';
          const answer = await fetch('/' + path, { method, body, headers: { 'X-XSRFToken': token } });
          if (!answer.ok) throw new Error(path + ': ' + answer.status);
          return await answer.text();
        }""",
        [method, path, None if content is None else json.dumps(content)],
    )
    return json.loads(told) if told else None


def test_a_notebook_that_is_opened_again_shows_the_page_as_it_was(page: Page, lab_url: str) -> None:
    """Without a kernel: the last sentence and pictures in place of "model not found"; while the page lives, only it."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("from trustkit.widgets import app\napp()")])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"type": "notebook", "format": "json", "content": book}
    page.goto(f"{lab_url}lab?reset")
    ask(page, "PUT", "api/contents/again.ipynb", content)
    open_notebook(page, lab_url, "again")
    page.wait_for_function("document.body.innerText.includes('Python 3')", timeout=30_000)
    run_all(page)
    page.wait_for_selector(".tk-v-pillars svg", timeout=60_000)
    still = page.locator("[class^=tk-still-]")
    still.wait_for(state="hidden")
    page.get_by_role("slider", name="T rounds").press("ArrowLeft")
    page.get_by_role("button", name="Run", exact=True).click()
    said = "document.querySelector('[class^=tk-still-]').textContent"
    page.wait_for_function(f"{said}.includes('after 15 rounds')", timeout=90_000)
    page.locator(".jp-Notebook").press("Control+s")
    page.wait_for_timeout(2000)
    for session in ask(page, "GET", "api/sessions"):
        ask(page, "DELETE", f"api/sessions/{session['id']}")
    open_notebook(page, lab_url, "again")
    still.wait_for(state="visible", timeout=30_000)
    assert "after 15 rounds" in still.inner_text()
    assert (
        page.evaluate("[...document.querySelectorAll('[class^=tk-still-] img')].map(i => i.naturalWidth > 0)")
        == [True] * 4
    )
    assert not page.get_by_text("model not found").is_visible()
    picture(page, "lab_again")
