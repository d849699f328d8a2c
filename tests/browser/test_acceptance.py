"""What the interface is accepted by, where no other test holds it.

1. Stop half a second into a long run, in Voilà and in JupyterLab: acknowledged and halted soon, the partial curve kept,
   the state "stopped k of N" (inside a round: ``tests/widgets/test_player.py``, ``tests/bench/test_app.py``). Here.
2. Forty slider events in one second: no backlog, and the last picture is the last value's. Here.
3. Two hundred redraws leave nothing behind: ``tests/widgets/test_app.py``; no pyplot: ``tests/test_floors.py``.
4. What goes wrong is a red card, and the rest goes on: ``tests/widgets/test_guard.py`` (every callback),
   ``test_app.py`` and ``test_lab*.py`` there, ``tests/browser/test_app.py``.
5. State, link, state: ``tests/test_sharelink.py``, ``tests/widgets/test_links.py``, ``tests/browser/test_links.py``.
6. The same experiment and seed give the same numbers in a thread, in a script, in Voilà and in a notebook. Here.
7. Contrast: ``tests/widgets/test_contrast.py``; names, keyboard, axe-core: ``tests/browser/test_app.py`` and
   ``test_sections.py``; a lesson by keyboard alone: ``test_sections.py``.
8. No sideways scrolling at 390 pixels: ``tests/browser/test_app.py``, ``test_sections.py``; first paint, and nobody
   sees another's state: ``tests/serving``, ``tests/bench/test_app_room.py``.
9. Notebooks run offline, without outputs, in step with their sources: ``tests/test_notebooks.py``,
   ``tests/test_workshop_sources.py``, ``tests/bench/test_notebook_times.py``.
10. Files to take home: ``tests/test_figures.py``, ``tests/plot/test_plot_behind.py``,
    ``tests/browser/test_sections.py``, ``tests/browser/test_app.py``.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

import trustkit as tk
from tests.browser.test_app import CURVE, click, press, state, visit
from tests.browser.test_lab import lab_url, open_notebook, run_all  # noqa: F401

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

_STOP = """async () => {
  const said = () => document.querySelector('.tk-v-status .tk-state').innerText;
  const button = name => [...document.querySelectorAll('.tk-controls button')].find(b => b.innerText.trim() === name);
  const until = async test => { while (!test(said())) await new Promise(next => setTimeout(next, 5)); };
  button('Run').click();
  await until(text => /^running [1-9]/.test(text));
  await new Promise(next => setTimeout(next, 500));
  const began = performance.now();
  button('Stop').click();
  await until(text => /^stopp/.test(text));
  const heard = performance.now() - began;
  await until(text => text.startsWith('stopped'));
  return [heard, performance.now() - began, said()];
}"""

_DRAG = """async () => {
  const input = document.querySelector('.tk-c-alpha input');
  const view = document.querySelector('.tk-v-split');
  const last = Number(input.max);
  let drawn = 0, before = view.innerHTML, latest = performance.now();
  const seen = new MutationObserver(() => {
    if (view.innerHTML === before) return;
    [before, latest] = [view.innerHTML, performance.now()];
    drawn += 1;
  });
  seen.observe(view, { subtree: true, childList: true, characterData: true, attributes: true });
  for (let k = 1; k <= 40; k++) {
    input.value = k === 40 ? 0 : k % (last + 1);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(next => setTimeout(next, 25));
  }
  const over = performance.now();
  input.dispatchEvent(new Event('change', { bubbles: true }));
  while (performance.now() - latest < 2000 && performance.now() - over < 30000)
    await new Promise(next => setTimeout(next, 20));
  seen.disconnect();
  return [drawn, latest - over, input.getAttribute('aria-valuetext'), before];
}"""


def long_run(page: Page) -> None:
    """Ask for a run of 100 clients and 200 rounds, which takes much longer than a person waits for Stop."""
    for slider in ("K clients", "T rounds", "q selected each round"):
        press(page, slider, "End")
    state(page, "stale")


def stopped(page: Page, where: str) -> None:
    """Stop half a second after the first round; look at what is kept."""
    heard, halted, said = page.evaluate(_STOP)
    done = int(said.split("after ")[1].split(" of")[0])
    print(f"{where}: Stop acknowledged after {heard:.0f} ms, stopped and measured after {halted:.0f} ms, round {done}")
    assert 1 <= done < 200
    assert f"stopped after {done} of 200 rounds" in said
    page.wait_for_function(  # the words come first, the picture when it is drawn
        "([at, text]) => document.querySelector(`${at} svg`)?.getAttribute('aria-label').includes(text)",
        arg=[CURVE, f"after round {done} of 200"], timeout=20_000,
    )  # fmt: skip
    assert heard < 10_000  # the machine may be busy: 100 ms where it is not
    assert halted < 20_000


def test_stop_in_voila(page: Page, app_url: str) -> None:
    """Half a second into a long run."""
    visit(page, app_url)
    long_run(page)
    stopped(page, "Voilà")


def test_stop_in_jupyterlab(page: Page, lab_url: str) -> None:  # noqa: F811
    """The same page in a cell, on a kernel that a person shares with it."""
    open_notebook(page, lab_url, "app")
    page.wait_for_function("document.body.innerText.includes('Python 3')", timeout=30_000)
    run_all(page)
    page.wait_for_selector(".tk-v-pillars svg", timeout=90_000)
    page.get_by_role("slider", name="K clients").scroll_into_view_if_needed()
    long_run(page)
    stopped(page, "JupyterLab")


def test_forty_moves_in_a_second(page: Page, app_url: str) -> None:
    """No picture more than moves, none of them late, and the last one is that of the last value."""
    visit(page, app_url)
    page.wait_for_timeout(500)
    drawn, late, text, picture = page.evaluate(_DRAG)
    print(f"40 moves in a second: {drawn} pictures, the last {late:.0f} ms after the last move")
    assert 1 <= drawn <= 41  # one more, sharp, when the slider stands still
    assert text == "0.01"
    assert late < 5000  # 300 ms where the machine is not busy
    visit(page, app_url)  # the same value, come to at leisure
    press(page, "α label skew", "Home")
    page.wait_for_function("document.querySelector('.tk-c-alpha input').getAttribute('aria-valuetext') === '0.01'")
    page.wait_for_timeout(1500)
    said = "document.querySelector('.tk-v-split svg').ariaLabel"
    assert page.evaluate(said) in picture


def numbers(frame: Any) -> list[list[str]]:
    """Return what does not depend on the clock: each round's numbers as a file has them, digit by digit."""
    kept = [name for name in frame.columns if "second" not in name]
    return [[str(name), *map(repr, frame[name].tolist())] for name in kept]


_CELL = """
import trustkit as tk
from trustkit.widgets import Lab, Setting
lab = Lab(Setting.of(tk.presets()["start"].change(split__alpha=0.7)))
lab.run(wait=True)
print(lab.outcome.record.frame().to_csv(index=False))
"""


def test_the_same_numbers_everywhere(page: Page, app_url: str) -> None:
    """In a script, in the worker thread of a notebook's kernel, and on the page that Voilà serves."""
    import pandas as pd
    from nbclient import NotebookClient

    wanted = tk.presets()["start"].change(split__alpha=0.7)  # the preset itself is on the page as it was recorded
    script = pd.read_csv(io.StringIO(tk.run(wanted).frame().to_csv(index=False)))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_CELL)])
    NotebookClient(notebook, timeout=180, kernel_name="python3").execute()
    printed = "".join(each["text"] for each in notebook.cells[0].outputs if each.get("name") == "stdout")
    assert numbers(pd.read_csv(io.StringIO(printed))) == numbers(script)
    visit(page, app_url)
    press(page, "α label skew", "ArrowLeft")
    state(page, "stale")
    click(page, "Run")
    state(page, "idle", 60_000)
    click(page, "Report")
    page.wait_for_selector(".tk-file")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="rounds.csv").click()
    assert numbers(pd.read_csv(waiting.value.path())) == numbers(script)
    assert len(script) >= 20
