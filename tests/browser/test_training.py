"""Train and Split in a real browser: who took part, each client beside the mean, and what the split achieved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture
from tests.browser.test_app import click, go, press, state, visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_a_run_shows_who_took_part(page: Page, app_url: str) -> None:
    """After a run the raster has its name, its sentence is read out, dots have titles, and the table folds open."""
    visit(page, app_url)
    press(page, "q selected each round", "ArrowLeft", 2)
    state(page, "stale")
    click(page, "Run")
    state(page, "idle", 60_000)
    go(page, "Train")
    raster = page.get_by_role(
        "img", name=re.compile(r"Who took part in 20 rounds: each of 10 was asked \d+ to \d+ times")
    )
    raster.wait_for(timeout=60_000)
    assert raster.count() == 1
    said = page.locator(".tk-v-participation [role=status]")
    assert said.inner_text() == "Round 20 of 20: 4 of 10 asked, 4 took part."
    titles = page.locator(".tk-v-dots .tk-only-wide svg use title").all_text_contents()
    assert len(titles) == 10
    assert all(
        re.match(r"\w.* [\d,]+ training rows, [\d,]+ test rows; accuracy [01]\.\d{3}, loss ", each) for each in titles
    )
    click(page, "Loss")
    page.get_by_role("img", name=re.compile("Loss of 10 clients after round 20")).wait_for(timeout=20_000)
    page.get_by_role("button", name="▸ the numbers of each client").click()
    table = page.get_by_role("region", name="Numbers of each client")
    table.get_by_role("columnheader").first.wait_for(timeout=20_000)
    assert table.get_by_role("columnheader").all_inner_texts()[:2] == ["client", "training rows"]
    assert table.get_by_role("rowheader").count() == 10
    assert page.locator(".tk-failed").count() == 0
    picture(page, "train_clients")


def test_the_raster_grows_while_it_trains(page: Page, app_url: str) -> None:
    """Stopped in the middle: rounds that are still to come are shaded, and the sentence says how far it is."""
    visit(page, app_url)
    go(page, "Train")
    page.wait_for_selector(".tk-v-participation svg", timeout=60_000)
    press(page, "T rounds", "End")
    page.get_by_label("slow motion").check()  # 200 rounds are over in a second elsewhere
    click(page, "Run")
    sentence = "document.querySelector('.tk-v-participation p + p').innerText"
    page.wait_for_function(f"/^Round [1-9]\\d* of 200: /.test({sentence})", timeout=60_000)
    click(page, "Stop")
    done = int(re.findall(r"\d+", state(page, "stopped", 60_000))[0])
    page.wait_for_function(f"{sentence}.startsWith('Round {done} of 200: ')", timeout=20_000)
    picture(page, "train_stopped")


def test_split_says_what_it_achieved(page: Page, app_url: str) -> None:
    """A real table with head cells; across columns what is measured comes in, with the bounds of the search."""
    visit(page, app_url)
    go(page, "Split")
    table = page.get_by_role("region", name="Asked and achieved")
    table.wait_for(timeout=60_000)
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert [each.split(":")[0].strip() for each in heads] == [
        "quantity", "asked", "achieved", "reached by the search", "note",
    ]  # fmt: skip
    assert "clients with training rows" in table.get_by_role("rowheader").all_inner_texts()
    picture(page, "split_asked")
    click(page, "across columns")
    page.wait_for_function(
        """[...document.querySelectorAll('.tk-v-asked tr')].some(
             row => row.innerText.startsWith('Icor') && /\\d to -?\\d/.test(row.innerText))""",
        timeout=120_000,
    )
    picture(page, "split_asked_columns")
