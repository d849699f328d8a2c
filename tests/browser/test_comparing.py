"""Runs compared in a real browser: an attack with its defence, and strategies; Compare and Stop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture
from tests.browser.test_app import click, go, label, press, state, visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ATTACKED, STRATEGIES = ".tk-v-attacked", ".tk-v-strategies"


def says(page: Page, view: str, pattern: str) -> str:
    """Wait until the line below a panel's bar of progress matches; return it."""
    line = f"{view} .tk-state"
    page.wait_for_function(
        "([line, pattern]) => new RegExp(pattern).test(document.querySelector(line)?.innerText ?? '')",
        arg=[line, pattern],
        timeout=60_000,
    )
    return page.locator(line).inner_text()


def stop(page: Page, button: str) -> None:
    """Press a panel's Stop, and wait until nothing is played any more."""
    from playwright.sync_api import expect

    click(page, button)
    expect(page.get_by_role("button", name=button, exact=True)).to_be_disabled(timeout=30_000)


def rounds(page: Page, view: str) -> tuple[int, int]:
    """Read a panel's bar of progress: how many of how many."""
    bar = page.locator(f"{view} [role=progressbar]")
    return int(bar.get_attribute("aria-valuenow") or -1), int(bar.get_attribute("aria-valuemax") or -1)


def test_an_attack_is_compared_and_stopped(page: Page, app_url: str) -> None:
    """Stop in the first run keeps its rounds and offers the rest; of one round each, all three are shown."""
    visit(page, app_url)
    go(page, "Attack")
    press(page, "K clients", "End")
    press(page, "T rounds", "End")
    page.locator(".tk-a-attack select").select_option(label="Label flip")
    state(page, "stale")
    click(page, "Compare")
    says(page, ATTACKED, r"1 of 3: clean, round [1-9]")
    assert page.get_by_role("button", name="Compare", exact=True).is_disabled()
    stop(page, "Stop comparison")
    done, total = rounds(page, ATTACKED)
    assert 1 <= done < 200
    assert total == 600
    assert says(page, ATTACKED, "Compare plays the rest").startswith(f"{done} of 600 rounds are there")
    press(page, "T rounds", "Home")
    page.wait_for_function("document.querySelector('.tk-v-attacked').innerText.includes('press Compare')")
    click(page, "Compare")
    says(page, ATTACKED, "all runs are there")
    said = label(page, ATTACKED)
    assert re.search(r"clean 0\.\d+ after round 1, attacked 0\.\d+ after round 1, defended 0\.\d+", said)
    heads = page.locator(f"{ATTACKED} tbody th").all_inner_texts()
    assert [head.split()[0] for head in heads] == ["clean", "attacked", "defended"]
    assert page.locator(".tk-failed").count() == 0
    picture(page, "attack_compared")


def test_strategies_are_compared_and_stopped(page: Page, app_url: str) -> None:
    """By keyboard: two strategies, Stop in the middle; then, of one round each, both stand in picture and table."""
    visit(page, app_url)
    go(page, "Fairness")
    press(page, "K clients", "End")
    press(page, "T rounds", "End")
    state(page, "stale")
    page.locator(".tk-s-menu select").select_option(["FedAvg", "Local reweighing"])
    says(page, STRATEGIES, "^0 of 2 runs are there")
    page.get_by_role("button", name="Compare strategies").focus()
    page.keyboard.press("Enter")
    says(page, STRATEGIES, r"FedAvg, seed 42: round [1-9]")
    stop(page, "Stop strategies")
    says(page, STRATEGIES, "^0 of 2 runs are there; Compare strategies plays the rest")
    done, total = rounds(page, STRATEGIES)
    assert 1 <= done < 200
    assert total == 400
    press(page, "T rounds", "Home")
    page.get_by_role("button", name="Compare strategies").focus()
    page.keyboard.press("Enter")
    says(page, STRATEGIES, "all runs are there")
    assert page.locator(f"{STRATEGIES} tbody th").all_inner_texts() == ["FedAvg", "Local reweighing"]
    assert "Local reweighing: accuracy 0." in label(page, STRATEGIES)
    picture(page, "strategies_compared")


def test_an_optional_number_is_turned_on_by_keyboard(page: Page, app_url: str) -> None:
    """The boost of a model replacement: ticked with Space, typed in, both named; the controls say what is stale."""
    from playwright.sync_api import expect

    visit(page, app_url)
    page.get_by_role("button", name="more settings").click()
    page.locator(".tk-c-attack select").select_option(label="Model replacement")
    switch, number = page.get_by_role("checkbox", name="boost"), page.get_by_role("spinbutton", name="value of boost")
    expect(number).to_be_disabled()
    switch.focus()
    page.keyboard.press("Space")
    expect(number).to_be_enabled()
    page.keyboard.press("Tab")
    assert number.evaluate("box => box === document.activeElement")
    number.fill("12")
    page.keyboard.press("Enter")
    state(page, "stale")
    switch.focus()
    page.keyboard.press("Space")
    expect(number).to_be_disabled()
    click(page, "Undo")
    expect(number).to_be_enabled()
    expect(number).to_have_value("12")
