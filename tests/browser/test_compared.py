"""Runs compared in a real browser: measures chosen, one scale, small pictures; and a link with pins to be run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.driving import ARTEFACTS, picture
from tests.browser.test_app import click, go, press, state, visit
from trustkit.preset import PRESETS
from trustkit.sharelink import Shared, decode, encode

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

START = PRESETS["start"].make()
COMPARED = ".tk-v-compared"


def names(page: Page) -> list[str]:
    """The measures of the table."""
    return page.locator(f"{COMPARED} tbody th").all_inner_texts()


def panel(page: Page, name: str) -> None:
    """Keep a screenshot of the whole panel as an artefact, however long it is."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    before = page.viewport_size
    assert before is not None
    page.set_viewport_size({"width": before["width"], "height": 3200})
    page.wait_for_timeout(300)
    page.locator(".tk-compare").first.screenshot(path=ARTEFACTS / f"{name}.png")
    page.set_viewport_size(before)


def waits(page: Page, holds: str) -> None:
    """Wait until something holds of the compared runs' text, as JavaScript."""
    page.wait_for_function(f"(text => {holds})(document.querySelector('{COMPARED}')?.innerText ?? '')", timeout=60_000)


def no_overflow(page: Page, name: str) -> None:
    """At 390 pixels nothing can be moved sideways but the table inside its place."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(f"{COMPARED} .tk-only-narrow svg").is_visible()
    assert not page.locator(f"{COMPARED} .tk-only-wide svg").is_visible()
    panel(page, name)
    page.set_viewport_size({"width": 1280, "height": 900})


def test_two_runs_by_chosen_measures_on_one_scale(page: Page, app_url: str) -> None:
    """By keyboard: None, two boxes, one scale; the numbers stay, and so does what is better."""
    visit(page, app_url)
    click(page, "Pin")
    press(page, "T rounds", "Home")
    state(page, "stale")
    click(page, "Run")
    state(page, "idle", 60_000)
    go(page, "Compare")
    waits(page, "text.includes('rounds: 20 → 1')")
    assert len(names(page)) > 12
    panel(page, "compare_small_light")
    fold = page.get_by_role("button", name="measures")
    fold.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="None", exact=True).focus()
    page.keyboard.press("Enter")
    waits(page, "text.includes('No measure is chosen')")
    for name in ("mean accuracy", "traffic in MB"):
        page.get_by_role("checkbox", name=name, exact=True).press("Space")
        waits(page, f"text.includes({'traffic' if 'MB' in name else name!r})")
    page.wait_for_function(f"document.querySelectorAll('{COMPARED} tbody tr').length === 2")
    assert names(page) == ["mean accuracy", "traffic"]
    plain = page.locator(f"{COMPARED} tbody tr").nth(1).inner_text()
    assert "better" in plain
    page.get_by_role("checkbox", name="each from 0 to 1, more is better").focus()
    page.keyboard.press("Space")
    waits(page, "text.includes('From 0 to 1, more is better')")
    cells = page.locator(f"{COMPARED} tbody tr").nth(1).locator("td").all_inner_texts()
    assert [cell.split("\n")[0] for cell in cells] == ["1.00", "0.05", "least of the runs ÷ it"]
    assert re.search(r"\d kB|\d MB", cells[0])
    assert "better" in cells[0]
    said = page.locator(f"{COMPARED} .tk-only-wide svg").get_attribute("aria-label") or ""
    assert said == "2 small pictures, a measure from 0 to 1 each, of now (run 2), baseline (run 1)"
    panel(page, "compare_chosen_scaled")
    click(page, "Usual")
    waits(page, "text.includes('ε spent')")
    no_overflow(page, "compare_scaled_390")
    go(page, "Report")
    click(page, "Write the figures")
    with page.expect_download(timeout=90_000) as waiting:
        page.locator(".tk-figures a[download$='_compared_2.csv']").click(timeout=90_000)
    assert waiting.value.path().read_text().startswith("measure,run,value,scaled,rule\ntrust,now (run 2),")


def test_pins_of_a_link_are_run_when_they_are_asked_for(page: Page, app_url: str) -> None:
    """Until then they have no numbers; the address carries them all the time; after it the link's order stands."""
    from playwright.sync_api import expect

    pins = (START.change(rounds=2), START.change(rounds=1, participation=1.0))
    link = Shared(START, baseline=START.change(rounds=1), pins=pins, section="compare", language="en")
    page.goto(f"{app_url}?s={encode(link)}&theme=dark", timeout=90_000)
    page.wait_for_selector(f"{COMPARED} table", timeout=90_000)
    row = page.locator(".tk-compare .tk-awaiting")
    assert "3 runs that have not been run here yet" in row.inner_text()
    assert row.locator("li").all_inner_texts() == [
        "baseline · not run yet: rounds: 20 → 1", "pin · not run yet: rounds: 20 → 2",
        "pin · not run yet: rounds: 20 → 1; participation: 0.5 → 1",
    ]  # fmt: skip
    assert page.locator(f"{COMPARED} thead th").all_inner_texts()[1:] == ["now (run 1)"]
    assert "The baseline is not run yet" in page.locator(COMPARED).inner_text()
    panel(page, "compare_awaited_dark")
    carried = decode(parse_qs(urlsplit(page.url).query)["s"][0]).shared
    assert (carried.pins, carried.baseline) == (pins, link.baseline)
    row.get_by_role("button", name="Run to compare").click()
    page.wait_for_function(f"document.querySelectorAll('{COMPARED} thead th').length === 5", timeout=120_000)
    expect(row).to_be_hidden(timeout=30_000)
    state(page, "idle", 60_000)
    heads = page.locator(f"{COMPARED} thead th").all_inner_texts()
    assert heads[1:3] == ["now (run 1)", "baseline (run 2)"]
    assert re.findall(r"run (\d)", " ".join(heads[3:])) == ["3", "4"]
    assert page.locator(".tk-failed").count() == 0
    panel(page, "compare_pins_dark")
    no_overflow(page, "compare_pins_dark_390")
    assert decode(parse_qs(urlsplit(page.url).query)["s"][0]).shared.pins == pins


def test_the_address_chooses_the_language(page: Page, app_url: str) -> None:
    """German on an English server, also in its address and its link; an unknown one is said in English."""
    visit(page, app_url, "?language=de")
    page.wait_for_function("document.querySelector('.tk-app')?.lang === 'de'", timeout=60_000)
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_role("button", name="Anheften", exact=True).click()
    page.get_by_role("tab", name="Vergleich", exact=True).click()
    page.wait_for_selector(f"{COMPARED} table", timeout=60_000)
    panel(page, "compare_german")
    page.wait_for_function("location.search.includes('s=2.')", timeout=60_000)
    query = parse_qs(urlsplit(page.url).query)
    assert query["language"] == ["de"]
    assert decode(query["s"][0]).shared.language == "de"
    page.goto(f"{app_url}?s={query['s'][0]}", timeout=90_000)
    page.wait_for_function("document.querySelector('.tk-app')?.lang === 'de'", timeout=90_000)
    visit(page, app_url, "?language=tlh")
    said = page.get_by_role("alert").filter(has_text="There is no language “tlh” here")
    assert said.inner_text() == "There is no language “tlh” here, so this page speaks English; known are de, en."
    assert page.get_by_role("button", name="Run", exact=True).is_visible()
    picture(page, "language_unknown")
