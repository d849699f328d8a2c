"""The app in German in a real browser: its language is said, nothing is English, no longer word is cut."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.driving import free_port, picture, serve, stop
from tests.browser.test_app import visit
from tests.widgets.spoken import english_in
from trustkit.lesson import SECTIONS
from trustkit.texts import texts

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SAID = """() => {
  const own = node => { for (let at = node; at; at = at.parentElement) if (at.lang) return at.lang; return ""; };
  const seen = node => node.offsetParent !== null || node.getClientRects().length > 0;
  const said = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = walk.currentNode.parentElement;
    if (/^(STYLE|SCRIPT|NOSCRIPT|TEXTAREA|TITLE)$/.test(at.tagName) || own(at) === "en" || !seen(at)) continue;
    said.push(walk.currentNode.textContent.trim());
  }
  for (const node of document.querySelectorAll("[title], [aria-label], [placeholder], [data-tip]")) {
    if (own(node) === "en" || !seen(node)) continue;
    for (const name of ["title", "aria-label", "placeholder", "data-tip"]) said.push(node.getAttribute(name) ?? "");
  }
  return said.filter(text => text !== "");
}"""

CUT = """() => {
  const found = [];
  const seen = node => node.getClientRects().length > 0;
  const named = "button, label, th, td, h1, h2, h3, .tk-k, .tk-d, .tk-name, .tk-slider small";
  for (const node of document.querySelectorAll(".tk-app :is(" + named + ")")) {
    if (!seen(node) || node.closest(".tk-unseen, .tk-all")) continue;
    const style = getComputedStyle(node);
    const hides = style.overflowX !== "visible" && !node.closest(".tk-across");
    if (hides && node.scrollWidth > node.clientWidth + 1) found.push(`${node.tagName}: ${node.textContent.trim()}`);
  }
  for (const text of document.querySelectorAll(".tk-app svg[role=img] text")) {
    if (!seen(text)) continue;
    const [inner, outer] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
    const out = Math.max(outer.left - inner.left, inner.right - outer.right, outer.top - inner.top,
                         inner.bottom - outer.bottom);
    if (out > 2) found.push(`picture, ${out.toFixed(1)} px: ${text.textContent}`);
  }
  if (document.documentElement.scrollWidth > window.innerWidth + 1) found.push("the page can be moved sideways");
  return found;
}"""


@pytest.fixture(scope="module")
def german_url(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[str]:
    """The app as ``trustkit app --language de`` serves it."""
    port = free_port()
    command = [sys.executable, "-m", "trustkit", "app", "--no-browser", "--port", str(port), "--language", "de"]
    server = serve(command, f"http://127.0.0.1:{port}/voila/static/main.js", tmp_path_factory.mktemp("german"))
    yield f"http://127.0.0.1:{port}/"
    stop(server)


def go(page: Page, section: str) -> None:
    """Open a section by its German name, on a wide page."""
    page.get_by_role("tab", name=str(texts("de")[f"sections.{section}"]), exact=True).click()
    page.wait_for_selector(f".tk-in-{section}", state="attached", timeout=60_000)
    page.wait_for_timeout(400)


def columns(page: Page) -> None:
    """Divide columns instead of rows, and wait for their pictures."""
    page.get_by_role("button", name="nach Spalten", exact=True).click()
    page.wait_for_selector(".tk-v-correlation svg", timeout=60_000)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_every_section_is_german_and_nothing_is_cut(page: Page, german_url: str, axis: str) -> None:
    """At 1280 and at 390 pixels; the language is said to the browser."""
    visit(page, german_url)
    page.wait_for_function("document.querySelector('.tk-app')?.lang === 'de'", timeout=30_000)
    assert page.evaluate("document.documentElement.lang") == "de"
    if axis == "columns":
        columns(page)
    left: dict[str, Any] = {}
    for section in SECTIONS:
        page.set_viewport_size({"width": 1280, "height": 900})
        go(page, section)
        english, cut = english_in(page.evaluate(SAID)), page.evaluate(CUT)
        picture(page, f"german_{axis}_{section}")
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(300)
        narrow = page.evaluate(CUT)
        picture(page, f"german_{axis}_{section}_390")
        left |= {f"{section} {what}": found
                 for what, found in (("english", english), ("cut", cut), ("cut at 390", narrow)) if found}  # fmt: skip
    assert not left, "\n" + "\n".join(f"{where}: {each}" for where, found in left.items() for each in found)
