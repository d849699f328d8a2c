"""A public room in a real browser: nothing from elsewhere, the state in the address, a word when something is lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.driving import ARTEFACTS, free_port, picture
from tests.browser.test_app import state
from tests.serving.visiting import Served, end, room, until
from trustkit.sharelink import decode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

pytestmark = pytest.mark.browser


def enter(page: Page, url: str) -> None:
    """Open the page and wait until its widgets are drawn."""
    page.goto(url, wait_until="commit")
    page.wait_for_selector("body.tk-ready", timeout=240_000)
    page.wait_for_selector(".tk-v-pillars svg", timeout=120_000)


def token(page: Page) -> str:
    """Return the state in the address bar."""
    return parse_qs(urlsplit(page.url).query).get("s", [""])[0]


def more_clients(page: Page) -> str:
    """Move K by two stops; return the state that the address then carries."""
    slider = page.locator(".tk-c-clients input")
    slider.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.includes('s=2.')", timeout=120_000)
    until(lambda: page.evaluate("1") and parties(token(page)) == 12)
    return token(page)


def parties(text: str) -> int:
    """Return the number of clients that a state asks for; 0 without one."""
    return int(decode(text).shared.experiment.split.args["parties"]) if text else 0


def twelve(page: Page) -> None:
    """Wait until twelve clients are drawn."""
    drawn = "document.querySelector('.tk-v-split svg')?.ariaLabel.includes('12 clients')"
    page.wait_for_function(drawn, timeout=120_000)


@pytest.fixture
def strict(browser: Browser) -> Iterator[Page]:
    """A page on which the server's policy holds; elsewhere it is set aside: to wait for a condition needs eval."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_nothing_comes_from_elsewhere_and_nothing_is_blocked(strict: Page, served: Served) -> None:
    """No request leaves this machine, no script breaks the policy, nothing fails; the picture was there at once."""
    page = strict
    asked: list[str] = []
    said: list[str] = []

    def ask(request: Request) -> None:
        if request.url.startswith(("http", "ws")) and urlsplit(request.url).hostname != "127.0.0.1":
            asked.append(request.url)

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            said.append(message.text)

    page.on("request", ask)
    page.on("console", hear)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(served.url, wait_until="commit")
    page.wait_for_selector("#tk-picture", timeout=120_000)
    early = page.evaluate("[document.querySelectorAll('.tk-app').length, !!document.getElementById('tk-picture')]")
    assert early == [0, True]  # what is seen now is a picture, which nothing outside it finds
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / "room_picture.png")
    page.wait_for_selector("body.tk-ready", timeout=240_000)
    page.wait_for_selector(".tk-v-pillars svg", timeout=120_000)
    assert page.locator("#tk-picture").count() == 0
    picture(page, "room")
    before = page.locator(".tk-v-split").inner_html()
    page.locator(".tk-c-alpha input").focus()
    page.keyboard.press("ArrowLeft")
    until(lambda: page.locator(".tk-v-split").inner_html() != before)
    assert page.locator("input[type=file]").count() == 0
    assert page.locator(".tk-failed").count() == 0
    assert asked == []
    assert said == []


def test_a_reload_finds_the_page_as_it_was(page: Page, served: Served) -> None:
    """The address follows the controls and leads back to them; a key to the server is taken out of it."""
    enter(page, f"{served.url}?token=of-somebody")
    page.wait_for_function("!location.search.includes('of-somebody')", timeout=30_000)
    assert token(page) == ""  # the state that everybody opens on needs none
    moved = more_clients(page)
    page.reload(wait_until="commit")
    page.wait_for_selector("body.tk-ready", timeout=240_000)
    twelve(page)
    assert token(page) == moved
    page.get_by_role("button", name="Link", exact=True).click()
    assert page.get_by_label("link", exact=True).input_value() == f"{served.url}?s={moved}"


def test_a_killed_kernel_is_said_and_the_page_comes_back(page: Page, tmp_path: Path) -> None:
    """As when the system has run out of memory: a sentence and a button, which opens the same state anew."""
    with room(tmp_path, pool=1) as served:
        (kernel,) = until(served.kernels)
        enter(page, served.url)
        moved = more_clients(page)
        end(kernel)
        notice = page.get_by_role("alert").filter(has_text="This session has ended")
        notice.wait_for(timeout=240_000)
        picture(page, "room_ended")
        notice.get_by_role("button", name="Load the page again").click()
        page.wait_for_selector("body.tk-ready:not(.tk-lost)", timeout=240_000)
        twelve(page)
        assert token(page) == moved
        page.locator(".tk-c-run").click()
        state(page, "idle", 120_000)


def test_a_lost_connection_is_said_and_goes_when_it_is_back(page: Page, tmp_path: Path) -> None:
    """A server that is gone: trying again; one that was started anew: the session has ended, the link leads back."""
    port = free_port()
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with room(first, port=port) as served:
        enter(page, served.url)
        moved = more_clients(page)
        os.kill(served.process.pid, signal.SIGTERM)
        served.process.wait(30)
        page.get_by_role("alert").filter(has_text="connection to the server is lost").wait_for(timeout=240_000)
        picture(page, "room_lost")
    with room(second, port=port) as served:
        notice = page.get_by_role("alert").filter(has_text="This session has ended")
        notice.wait_for(timeout=240_000)
        notice.get_by_role("button").click()
        page.wait_for_selector("body.tk-ready:not(.tk-lost)", timeout=240_000)
        twelve(page)
        assert token(page) == moved


def test_a_line_that_was_cut_for_a_moment_needs_no_reload(page: Page, served: Served) -> None:
    """The kernel lives on: the page says that it tries again, and then works as before."""
    enter(page, served.url)
    page.context.set_offline(True)
    page.get_by_role("alert").filter(has_text="connection to the server is lost").wait_for(timeout=240_000)
    page.context.set_offline(False)
    page.wait_for_selector("body.tk-ready:not(.tk-lost)", timeout=90_000)
    time.sleep(0.5)
    more_clients(page)


def test_a_public_room_speaks_the_language_of_the_address(page: Page, tmp_path: Path) -> None:
    """The page, drawn in English before; its server when the room is full; its script without a kernel."""
    with room(tmp_path, "--visitors", "1", pool=1) as served:
        enter(page, f"{served.url}?language=de")
        page.wait_for_function("document.querySelector('.tk-app')?.lang === 'de'", timeout=120_000)
        assert page.evaluate("document.documentElement.lang") == "de"
        assert page.get_by_role("button", name="Trainieren", exact=True).is_visible()
        status, text, _ = served.ask("/?language=de")
        assert (status, '<html lang="de">' in text) == (503, True)
        assert "Alle 1 Plätze dieses Raums sind belegt" in text
        assert "The room is full" in served.ask("/?language=tlh")[1]
        for kernel in served.kernels():
            end(kernel)
        notice = page.get_by_role("alert").filter(has_text="Diese Sitzung ist beendet")
        notice.wait_for(timeout=240_000)
        assert notice.get_by_role("button").inner_text() == "Seite neu laden"
        picture(page, "room_ended_german")
