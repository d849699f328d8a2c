"""The still picture of a page: what it holds, and that a notebook's file has it, as new as the page's result."""

from __future__ import annotations

import asyncio
import base64
import html
import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace
from typing import Any

import nbclient
import nbformat
import pytest
from trustkit.widgets import Lab, TrainPanel, app
from trustkit.widgets.page import alone
from trustkit.widgets.still import still

from tests.widgets.labs import SMALL, setting_of
from trustkit.preset import PRESETS


def pictures(text: str) -> list[tuple[str, ElementTree.Element]]:
    """What is said of each picture, and the picture as an image file of its own."""
    found = re.findall(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]+)"', text)
    return [(html.unescape(label), ElementTree.fromstring(base64.b64decode(code))) for label, code in found]


def test_it_has_the_sentence_and_the_pictures_in_sight() -> None:
    """Once each, as images that need no style sheet and no address; hidden until the page is missing."""
    page = app()
    text = still(page.lab, page, "abc")
    assert "Trust 0.60 after 20 rounds, mean accuracy 0.774." in text
    labels = [label for label, _ in pictures(text)]
    assert [label.split(":")[0] for label in labels] == [
        "Six pillars", "Rows of each class by client", "Demographic disparity by sex", "Accuracy by round"
    ]  # fmt: skip
    for label, image in pictures(text):
        assert image.get("aria-label") == label
        assert image.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"https?://(?!www\.w3\.org)", re.sub(r"base64,[^\"]+", "", text))
    assert 'class="tk-still-abc" style="display: none' in text
    assert len(text) < 200_000


def test_a_panel_alone_has_its_own() -> None:
    """And says that its rows are made up, as the page does."""
    made_up = next(each for name in PRESETS if "nbaiot" in (each := PRESETS[name].make()).data.name)
    lab = Lab(setting_of(made_up.change(rounds=1)))
    panel = alone(lab, TrainPanel(lab))
    assert "<p>stale · " in still(lab, panel, "x")
    lab.run(wait=True)
    text = still(lab, panel, "x")
    assert [label.split(":")[0] for label, _ in pictures(text)] == ["Accuracy by round"]
    assert "<p>synthetic data</p>" in text
    assert "synthetic data" in still(lab, app(lab), "x")
    lab.change(rounds=2)
    assert "<p>synthetic data · stale · " in still(lab, panel, "x")


@pytest.fixture
def executed() -> Any:
    """A notebook that shows the app and then plays something shorter, run by a real kernel."""
    cells = (
        "from trustkit.widgets import app\nwhole = app()\nwhole",
        "import asyncio\nwhole.lab.change(rounds=2)\nwhole.lab.run(wait=True)\nawait asyncio.sleep(3)",
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return book


def test_a_notebook_has_it_beside_the_page(executed: Any) -> None:
    """The widget first; then the picture of the newest result, under the same output as at first."""
    widget, picture = executed.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in widget.data
    assert "after 2 rounds" in picture.data["text/html"]
    assert (
        f"tk-still-{widget.data['application/vnd.jupyter.widget-view+json']['model_id']}" in picture.data["text/html"]
    )
    assert picture.data["text/plain"] == "The page as it was last; run the cell to use it again."
    assert not executed.cells[1].outputs


def shown(page: Any, monkeypatch: pytest.MonkeyPatch, kernel: bool) -> list[Any]:
    """What is displayed for a page, in a kernel or elsewhere."""
    found: list[Any] = []

    class Handle:
        def update(self, it: Any) -> None:
            found.append(it)

    def display(it: Any, raw: bool = False, display_id: bool = False) -> Handle:
        found.append(it)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(**({"kernel": 1} if kernel else {})))
    page._ipython_display_()
    return found


def test_a_script_and_a_served_page_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here no notebook is saved: the widget alone, and nobody follows it."""
    page = app(Lab(setting_of(SMALL)))
    before = len(page.lab.hearing._page.listeners)
    assert len(shown(page, monkeypatch, kernel=False)) == 1
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    assert len(shown(page, monkeypatch, kernel=True)) == 1
    assert len(page.lab.hearing._page.listeners) == before


def test_a_page_that_is_displayed_often_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was displayed last; after a change of the controls too, and once for many changes at once."""
    page = app(Lab(setting_of(SMALL)))
    before = len(page.lab.hearing._page.listeners)
    monkeypatch.setattr("trustkit.widgets.still._SOON", 0.01)
    displays = [shown(page, monkeypatch, kernel=True) for _ in range(4)]
    assert len(page.lab.hearing._page.listeners) == before + 1

    async def move() -> None:
        page.lab.change(seed=5)
        page.lab.change(clients=3)
        await asyncio.sleep(0.1)

    asyncio.run(move())
    assert [len(found) for found in displays] == [2, 2, 2, 3]
    assert "3 clients of" in displays[-1][-1].text
