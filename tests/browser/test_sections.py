"""The sections in a real browser: by keyboard, in light and dark and on a phone, checked by axe-core, and pictured."""

from __future__ import annotations

import importlib.resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.driving import picture
from tests.browser.test_app import click, go, label, press, state, visit
from tests.browser.test_comparing import rounds, says, stop
from tests.browser.test_links import LESSON, START
from tests.browser.test_links import visit as arrive
from trustkit.lesson import SECTIONS
from trustkit.sharelink import Shared, encode

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

_AXE = """async () => (await axe.run(document.querySelector('.tk-app'), {resultTypes: ['violations']})).violations
  .filter(each => ['serious', 'critical'].includes(each.impact))
  .map(each => `${each.id}: ${each.help}: ` + each.nodes.slice(0, 4).map(n => n.html.slice(0, 160)).join(' | '))"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The path of axe.min.js, the npm package axe-core as a test dependency brings it."""
    return str(Path(str(importlib.resources.files("axe_playwright_python"))) / "axe.min.js")


def filled(page: Page) -> None:
    """Wait until the open section has drawn something."""
    page.wait_for_selector(".tk-views .tk-card h2", timeout=60_000)
    page.wait_for_timeout(400)


def sticks_out(page: Page, width: int) -> list[str]:
    """List what is wider than the page."""
    found: list[str] = page.evaluate(
        """width => [...document.querySelectorAll('.tk-app *')]
          .filter(e => e.getBoundingClientRect().right > width + 1)
          .filter(e => !e.closest('svg, .tk-unseen, .tk-across, .tk-v-report .tk-card'))
          .map(e => e.outerHTML.slice(0, 120))""",
        width,
    )
    return found


@pytest.mark.parametrize("mode", ["light", "dark", "phone"])
def test_every_section(page: Page, app_url: str, axe: str, mode: str) -> None:
    """Opened one after the other: nothing is red, nothing sticks out, axe-core finds nothing serious; pictures kept."""
    width = 390 if mode == "phone" else 1280
    page.set_viewport_size({"width": width, "height": 1400})
    visit(page, app_url, "?theme=dark" if mode == "dark" else "")
    page.evaluate(Path(axe).read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for name, title in SECTIONS.items():
        go(page, title)
        filled(page)
        assert page.locator(".tk-failed").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert sticks_out(page, width) == []
        picture(page, f"section_{name}_{mode}")
        found[name] = page.evaluate(_AXE)
    assert {name: said for name, said in found.items() if said} == {}


def test_columns_have_their_sections(page: Page, app_url: str, axe: str) -> None:
    """Across columns, where correlation and vertical training have something to show; Attack says where it is."""
    visit(page, app_url)
    page.evaluate(Path(axe).read_text(encoding="utf-8"))
    go(page, "Correlation")
    page.wait_for_selector(".tk-v-elsewhere h2")
    click(page, "Divide columns")
    page.wait_for_function("document.querySelector('.tk-v-correlation')?.innerText.includes('Icor')", timeout=60_000)
    for section in ("Correlation", "Vertical", "Split", "Attack"):
        go(page, section)
        filled(page)
        assert page.locator(".tk-failed").count() == 0
        assert page.evaluate(_AXE) == []
        picture(page, f"section_{section.lower()}_columns")
    assert page.get_by_role("button", name="Divide rows").is_visible()


def test_tabs_by_keyboard(page: Page, app_url: str) -> None:
    """One stop for Tab; arrows, Home and End move the focus and open nothing; Enter opens, and the panel is named."""
    visit(page, app_url)
    tabs = page.get_by_role("tab")
    assert tabs.all_inner_texts() == list(SECTIONS.values())
    assert page.locator(".tk-tab[tabindex='0']").count() == 1
    tabs.first.focus()
    focus = "document.activeElement.innerText"
    for key, name in (("ArrowRight", "Split"), ("ArrowLeft", "Overview"), ("ArrowLeft", "Report"), ("Home", "Overview"),
                      ("End", "Report"), ("ArrowLeft", "Compare")):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(focus) == name
    assert page.locator(".tk-in-overview").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector(".tk-in-compare .tk-v-compared", timeout=30_000)
    assert page.get_by_role("tab", selected=True).inner_text() == "Compare"
    assert page.evaluate(focus) == "Compare"
    panel = page.get_by_role("tabpanel", name="Compare")
    assert panel.count() == 1
    assert panel.get_attribute("id") == page.get_by_role("tab", selected=True).get_attribute("aria-controls")


def test_what_privacy_costs(page: Page, app_url: str) -> None:
    """The sweep is played, stopped and gone on with by real runs; points, table and words are there."""
    visit(page, app_url)
    go(page, "Privacy")
    assert "ε is n/a" in page.locator(".tk-v-privacy").inner_text()
    press(page, "T rounds", "End")
    state(page, "stale")
    click(page, "Sweep ε")
    says(page, ".tk-v-swept", r"ε = 0\.1, seed 42: round [1-9]")
    stop(page, "Stop the sweep")
    done, total = rounds(page, ".tk-v-swept")
    assert 1 <= done < total == 2800
    press(page, "T rounds", "Home")
    page.get_by_role("spinbutton", name="seeds").fill("1")
    page.keyboard.press("Enter")
    says(page, ".tk-v-swept", "of 7 runs are there")
    click(page, "Sweep ε")
    says(page, ".tk-v-swept", "^all 7 runs are there")
    said = label(page, ".tk-v-swept")
    assert all(f"ε = {epsilon}: accuracy 0." in said for epsilon in ("0.1", "0.35", "1.2", "4.2", "14", "50"))
    assert page.locator(".tk-v-swept tbody tr").count() == 7
    picture(page, "privacy_swept")
    press(page, "ε privacy budget", "ArrowLeft", 11)
    state(page, "stale")
    click(page, "Run")
    state(page, "idle", 60_000)
    page.wait_for_function("document.querySelector('.tk-v-privacy').innerText.includes('It protects one row against')")
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture(page, "privacy_phone")


def test_runs_are_compared_and_files_taken_home(page: Page, app_url: str) -> None:
    """Pin, change, Run: deltas with arrow and word in tiles and table; figures come as SVG, PNG and CSV."""
    visit(page, app_url)
    click(page, "Pin")
    press(page, "T rounds", "Home")
    state(page, "stale")
    click(page, "Run")
    state(page, "idle")
    assert page.locator(".tk-v-tiles .tk-delta").count() == 5
    assert "better" in page.locator(".tk-tile", has_text="traffic").inner_text()
    go(page, "Compare")
    page.wait_for_function("document.querySelector('.tk-v-compared').innerText.includes('rounds: 20 → 1')")
    heads = page.locator(".tk-v-compared thead th").all_inner_texts()
    assert heads[1:] == ["now (run 2)", "baseline (run 1)"]
    page.get_by_role("listbox", name="pins").select_option(index=1)
    page.wait_for_function("document.querySelector('.tk-v-compared svg').ariaLabel.includes('baseline (run 1)')")
    picture(page, "compare_two")
    go(page, "Report")
    click(page, "Write the figures")
    page.wait_for_function(
        "/^([0-9]+) of \\1 figures/.test(document.querySelector('.tk-v-figures [role=status]')?.innerText ?? '')",
        timeout=60_000,
    )
    for suffix in ("svg", "png", "csv"):
        with page.expect_download() as waiting:
            page.locator(f".tk-figures a[download$='_pillars.{suffix}']").click()
        content = waiting.value.path().read_bytes()
        assert content.startswith({"svg": b"<?xml", "png": b"\x89PNG", "csv": b"pillar,score,baseline"}[suffix])
    picture(page, "report_figures")


def test_a_link_opens_its_section(page: Page, app_url: str) -> None:
    """The link in the header carries the section that is open, and leads to it."""
    visit(page, app_url)
    go(page, "Trust")
    click(page, "Link")
    field = page.get_by_role("textbox", name="link")
    token = field.input_value().split("?s=")[1]
    assert token == encode(Shared(START, section="trust", language="en"))
    visit(page, app_url, f"?s={token}")
    assert page.get_by_role("tab", selected=True).inner_text() == "Trust"


def tab_to(page: Page, start: str, most: int = 80) -> None:
    """Press Tab until what has the focus has a name that starts so."""
    name = """(e => e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || '')(
      document.activeElement).trim()"""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(name).startswith(start):
            return
    raise AssertionError(f"{most} times Tab do not lead to {start!r}")


def test_a_lesson_by_keyboard_alone(page: Page, app_url: str) -> None:
    """Predict, run, explain: a hint, a slider, Run, the verdict, and the section that explains it; no mouse at all."""
    arrive(page, app_url, encode(Shared(START.change(rounds=5), baseline=START, lesson=LESSON)))
    page.locator("body").click(position={"x": 2, "y": 2})
    tab_to(page, "Hint 1 of 2")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tk-hints li")
    tab_to(page, "q selected each round")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    tab_to(page, "Run")
    state(page, "stale")
    page.keyboard.press("Enter")
    state(page, "idle", 60_000)
    page.wait_for_function("document.querySelector('.tk-v-verdict').innerText.includes('All 2 goals reached')")
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "tab":
            break
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tk-in-compare .tk-v-compared .tk-delta", timeout=30_000)
    assert "participation: 0.5 → 0.2" in page.locator(".tk-v-compared").inner_text()
