"""Algorithms across columns in a real browser: chosen, watched, stopped, compared by split, listened to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture
from tests.browser.test_app import click, go, label, press, state, visit
from tests.browser.test_comparing import rounds, says, stop

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CROSSED, LEAKS = ".tk-v-crossed", ".tk-v-leaks"


def columns(page: Page, url: str, table: str = "Wine cultivars") -> None:
    """Open the app across columns, on a table."""
    visit(page, url)
    assert not page.locator(".tk-vertical").is_visible()
    click(page, "across columns")
    page.wait_for_function("document.querySelector('.tk-v-correlation')?.innerText.includes('Icor')")
    go(page, "Vertical")
    page.locator(".tk-c-data select").select_option(label=table)
    says(page, CROSSED, "^0 of 5 runs are there")


def test_algorithms_are_compared_live_and_stopped(page: Page, app_url: str) -> None:
    """On letter: the first run is in the picture while it trains, Stop keeps its rounds and offers the rest."""
    columns(page, app_url, "Letter recognition")
    press(page, "T passes over the data", "End")
    page.get_by_role("listbox", name="algorithms").select_option(["SplitNN", "GAL"])
    says(page, CROSSED, "^0 of 2 runs are there")
    page.get_by_role("button", name="Compare algorithms").focus()
    page.keyboard.press("Enter")
    says(page, CROSSED, r"^SplitNN: round [1-9]")
    assert re.search(r"accuracy by round: SplitNN 0\.\d+ after round \d+", label(page, CROSSED))
    stop(page, "Stop algorithms")
    says(page, CROSSED, "^0 of 2 runs are there; Compare algorithms plays the rest")
    done, total = rounds(page, CROSSED)
    assert 1 <= done < 200
    assert total == 400
    assert page.locator(".tk-failed").count() == 0


def test_all_runs_their_bytes_and_what_attacks_find(page: Page, app_url: str) -> None:
    """One round each, with attacks; then along α with curves by bytes; every picture has a sentence of its own."""
    columns(page, app_url)
    press(page, "T passes over the data", "Home")
    page.get_by_role("listbox", name="algorithms").select_option(["FedTree", "GAL", "One party alone (yardstick)"])
    page.get_by_role("checkbox", name="privacy attacks").check()
    click(page, "Compare algorithms")
    says(page, CROSSED, "^all runs are there")
    assert page.locator(f"{CROSSED} svg").nth(1).get_attribute("aria-label").startswith("Bytes of ")  # type: ignore[union-attr]
    heads = page.locator(f"{CROSSED} tbody th").all_inner_texts()
    assert "no federation: a yardstick" in " ".join(heads)
    page.wait_for_function("document.querySelector('.tk-v-leaks').innerText.includes('without the run')")
    assert "n/a" in page.locator(f"{LEAKS} tbody tr").last.inner_text()
    picture(page, "vertical_attacked")
    page.get_by_role("checkbox", name="privacy attacks").uncheck()
    page.get_by_role("combobox", name="splits", exact=True).select_option(label="along α: unequal parties")
    page.get_by_role("combobox", name="curves", exact=True).select_option(label="by bytes sent")
    click(page, "Compare algorithms")
    says(page, CROSSED, "^all runs are there")
    page.wait_for_function("document.querySelector('.tk-v-crossed').innerText.includes('At α 0.1')")
    assert page.locator(f"{CROSSED} svg").count() == 3
    assert "accuracy by bytes sent" in label(page, CROSSED)
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture(page, "vertical_phone")


def test_trees_under_real_encryption_train_in_the_app(page: Page, app_url: str) -> None:
    """SecureBoost with small numbers set in its form: the run says which keys it used."""
    columns(page, app_url)
    press(page, "T passes over the data", "Home")
    page.locator(".tk-c-training select").select_option(label="SecureBoost")
    page.get_by_role("button", name="more settings").click()
    for name, number in (("key bits", "512"), ("depth", "1"), ("bins", "2")):
        page.get_by_role("spinbutton", name=name, exact=True).fill(number)
        page.keyboard.press("Enter")
        page.wait_for_timeout(150)
    page.get_by_role("listbox", name="algorithms").select_option(["SecureBoost"])
    says(page, CROSSED, "^0 of 1 runs are there")
    click(page, "Run")
    state(page, "idle", 60_000)
    says(page, CROSSED, "^all runs are there")
    page.wait_for_function("document.querySelector('.tk-v-crossed').innerText.includes('Paillier, 512 bits')")
    assert "encrypted gradient" in page.locator(f"{CROSSED} svg").nth(1).text_content()  # type: ignore[operator]
