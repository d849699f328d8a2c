"""A lesson link in a real browser: the state is there, hidden controls are not, and the verdict follows."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture
from tests.browser.test_app import RADAR, click, go, press, state
from trustkit import jsonfile
from trustkit.lesson import Goal, Lesson
from trustkit.preset import PRESETS
from trustkit.sharelink import Shared, encode

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

START = PRESETS["start"].make()
LESSON = Lesson(
    "Halve the selection rate and run. Does the mean accuracy suffer?",
    ("epsilon", "preset", "groups-view", "attack-view"),
    (Goal("participation", at_most=0.25), Goal("accuracy", at_least=0.6)),
    ("The slider is called q.", "Press Run after you have moved it."),
)


def visit(page: Page, url: str, token: str) -> None:
    """Open a link; a kernel that does not come up on a busy machine gets a second chance."""
    from playwright.sync_api import TimeoutError as Late

    for seconds in (45, 90):
        try:
            page.goto(f"{url}?s={token}", timeout=seconds * 1000)
            page.wait_for_selector(f"{RADAR} .tk-card", timeout=seconds * 1000)
            return
        except Late:
            continue
    raise AssertionError(f"{url} did not open")


def verdict(page: Page, words: str) -> None:
    """Wait until the verdict reads so."""
    page.wait_for_function(
        "words => document.querySelector('.tk-v-verdict').innerText.includes(words)", arg=words, timeout=20_000
    )


def test_a_lesson_link(page: Page, app_url: str) -> None:
    """Its baseline is pinned, what it hides is out of reach, and its goals are decided as the controls move."""
    visit(page, app_url, encode(Shared(START.change(rounds=5), baseline=START, lesson=LESSON)))
    assert page.get_by_role("slider", name="T rounds").get_attribute("aria-valuetext") == "5"
    for hidden in (".tk-c-epsilon", ".tk-c-preset"):
        assert page.locator(hidden).count() == 1
        assert not page.locator(hidden).is_visible()
    assert page.get_by_role("tab", name="Attack").count() == 0
    go(page, "Fairness")
    assert page.locator(".tk-fair").is_visible()
    assert page.locator(".tk-groups").count() == 0
    go(page, "Overview")
    assert page.get_by_role("slider", name="ε privacy budget").count() == 0
    assert "Halve the selection rate" in page.locator(".tk-lesson").inner_text()
    verdict(page, "0 of 2 goals reached so far")
    press(page, "q selected each round", "ArrowLeft", 6)
    page.wait_for_function("document.querySelector('.tk-goals').innerText.includes('now 0.200')")
    click(page, "Run")
    state(page, "idle")
    verdict(page, "All 2 goals reached")
    assert "vs baseline" in page.locator(".tk-say").inner_text()
    assert page.locator(".tk-v-verdict [role=status]").get_attribute("aria-live") == "polite"
    click(page, "Hint 1 of 2")
    page.wait_for_selector(".tk-hints li")
    assert page.locator(".tk-hints li").all_inner_texts() == ["The slider is called q."]
    picture(page, "lesson_light")
    click(page, "Link")
    field = page.get_by_role("textbox", name="link")
    assert field.input_value().startswith(f"{app_url}?s=2.")
    assert not field.is_editable()
    click(page, "Code")
    page.wait_for_selector("textarea[aria-label=code]")
    assert page.get_by_role("textbox", name="code").input_value().startswith("import trustkit as tk\n")
    click(page, "Lesson")
    page.wait_for_selector(".tk-lesson-form textarea[aria-label=link]")
    picture(page, "lesson_form")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture(page, "lesson_390")


def test_a_broken_link(page: Page, app_url: str) -> None:
    """One red sentence over the page as it always opens; numbers out of range are brought in and said."""
    visit(page, app_url, "garbage")
    assert page.locator(".tk-arrival [role=alert]").inner_text().startswith("The link did not open")
    state(page, "idle")
    content = jsonfile.canonical({"experiment": {**START.to_dict(), "rounds": 10**6}})
    visit(page, app_url, "1." + base64.urlsafe_b64encode(zlib.compress(content.encode())).decode().rstrip("="))
    assert "rounds 1e+06 → 200" in page.locator(".tk-arrival").inner_text()
    assert page.locator(".tk-failed").count() == 0
