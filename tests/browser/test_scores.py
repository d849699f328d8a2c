"""Where the score comes from, in a real browser: by keyboard alone, on a phone, in the dark."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture
from tests.browser.test_app import RADAR, changes, click, go, inside, label, press, state, visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

FOCUS = "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText || ''"


def tab_to(page: Page, start: str, most: int = 80) -> None:
    """Press Tab until what has the focus has a name that starts so."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUS).strip().startswith(start):
            return
    raise AssertionError(f"{most} times Tab do not lead to {start!r}")


def says(page: Page, view: str, words: str) -> None:
    """Wait until a view says something."""
    page.wait_for_function(
        "([view, words]) => document.querySelector(view).innerText.includes(words)", arg=[view, words], timeout=60_000
    )


def test_the_keyboard_opens_a_score_down_to_its_facts_and_weighs_it(page: Page, app_url: str) -> None:
    """From the switch of the parts by Tab, Enter and arrows: pillar, notion, metric, formula, weight; no training."""
    visit(page, app_url)
    go(page, "Trust")
    page.wait_for_selector(".tk-tree .tk-node", timeout=20_000)
    before = inside(page, RADAR)
    page.get_by_role("button", name="weights and formulas").focus()
    for name in ("Robustness", "Algorithm-level robustness", "Performance"):
        tab_to(page, name)
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    said = page.evaluate("document.activeElement.closest('.tk-node').innerText")
    for words in ("performance/test_acc_avg =", "take a value in [0, 1] as its score: 0.", "FederatedTrust"):
        assert words in said
    tab_to(page, "weight of performance", 2)
    began = time.perf_counter()
    page.keyboard.press("ArrowRight")
    changes(page, RADAR, before)
    print(f"weight of a metric to another radar: {1000 * (time.perf_counter() - began):.0f} ms, browser and all")
    page.wait_for_function(
        "document.querySelector('.tk-weight-performance output').innerText.startsWith('1.25 → 55.6%')"
    )
    assert state(page, "idle")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "weight of performance"
    picture(page, "scores_tree")
    click(page, "Undo")
    page.wait_for_function("document.querySelector('.tk-weight-performance output').innerText.startsWith('1 → 50.0%')")
    assert page.locator(".tk-weight-performance input").input_value() == "4"
    assert inside(page, RADAR) == before


def test_every_part_on_a_phone_in_the_dark(page: Page, app_url: str) -> None:
    """Nothing sticks out or is cut, everything has a name, and text stands out from its card by 4.5 to 1 or more."""
    page.set_viewport_size({"width": 390, "height": 900})
    visit(page, app_url, "?theme=dark")
    repeated = """() => [...document.querySelectorAll('.tk-app select')].map(each => getComputedStyle(each))
      .filter(each => each.backgroundImage !== 'none' && each.backgroundRepeat !== 'no-repeat').length"""
    assert page.evaluate(repeated) == 0  # one arrow a menu
    go(page, "Trust")
    page.wait_for_selector(".tk-tree .tk-node", timeout=20_000)
    page.locator(".tk-c-profile select").select_option(label="calibrated")
    page.wait_for_function("document.querySelector('.tk-v-pillars').innerText.includes('calibrated')")
    click(page, "Open all")
    click(page, "Pin")
    for part in ("weights and formulas", "against the baseline", "round by round", "how sure it is"):
        click(page, part)
        if part == "against the baseline":
            says(page, ".tk-v-moved", "This result is the baseline itself")
            press(page, "ε privacy budget", "ArrowLeft", 11)
            click(page, "Run")
            state(page, "idle", 60_000)
            says(page, ".tk-v-moved", "trust up by")
        elif part == "round by round":
            page.wait_for_selector(".tk-v-rounds svg")
            press(page, "round shown", "Home")
            page.wait_for_function("document.querySelector('.tk-v-rounds svg').ariaLabel.includes('round 1 of 20')")
        elif part == "how sure it is":
            page.wait_for_selector(".tk-v-bands svg")
            assert "in nine of ten draws" in label(page, ".tk-v-bands")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        cut, nameless, contrast = page.evaluate(
            """() => {
              const box = document.querySelector('.tk-scores');
              const seen = [...box.querySelectorAll('*')].filter(e => e.getClientRects().length && !e.closest('svg'));
              const short = e => e.children.length === 0 || e.matches('button');
              const cut = seen.filter(e => !e.matches('.tk-unseen') && (e.getBoundingClientRect().right > 391
                || (short(e) && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)));
              const named = e => e.getAttribute('aria-label') || e.innerText?.trim() || e.title
                || (e.labels && [...e.labels].some(l => l.innerText.trim()));
              const nameless = seen.filter(e => e.matches('button, input, select') && !named(e));
              const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
              const light = c => {
                const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => linear(v / 255));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const card = light(getComputedStyle(box).backgroundColor);
              const texts = [...seen.filter(e => e.matches('p, li, td, th, dt, dd, output, .tk-name, .tk-state-of')),
                             ...box.querySelectorAll('svg text')];
              const colour = e => e.closest('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color;
              const ratio = v => (Math.max(v, card) + 0.05) / (Math.min(v, card) + 0.05);
              const ratios = texts.map(e => ratio(light(colour(e))));
              return [cut.map(e => e.outerHTML.slice(0, 120)), nameless.map(e => e.outerHTML.slice(0, 120)),
                      Math.min(...ratios)];
            }"""
        )
        assert (cut, nameless) == ([], []), part
        assert contrast >= 4.5, part
    page.set_viewport_size({"width": 390, "height": 4200})
    picture(page, "scores_phone_dark")
