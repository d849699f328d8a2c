"""The main job in a real browser: move sliders, train, watch trust change."""

from __future__ import annotations

import base64
import json
import re
import time
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

RADAR, SPLIT, FAIR, CURVE = ".tk-v-pillars", ".tk-v-split", ".tk-v-fairness", ".tk-v-accuracy"
CORRELATION = ".tk-v-correlation"


def visit(page: Page, url: str, query: str = "") -> Page:
    """Open the app and wait until it is drawn."""
    from playwright.sync_api import TimeoutError as Late

    for seconds in (30, 60):  # a kernel that does not come up on a busy machine gets a second chance
        try:
            page.goto(url + query, timeout=seconds * 1000)
            page.wait_for_selector(f"{RADAR} svg", timeout=seconds * 1000)
            break
        except Late:
            continue
    page.wait_for_selector(".tk-tab[aria-selected=true]", state="attached", timeout=20_000)
    return page


def go(page: Page, section: str) -> None:
    """Open a section by its tab, or on a phone by the menu that stands for the tabs, and wait until it is there."""
    tab = page.get_by_role("tab", name=section, exact=True)
    if tab.count() and tab.is_visible():
        tab.click()
    else:
        page.get_by_role("combobox", name="section", exact=True).select_option(label=section)
    page.wait_for_selector(f".tk-in-{section.lower()}", state="attached", timeout=60_000)


def inside(page: Page, view: str) -> str:
    """Return what a view shows, as HTML."""
    return page.locator(view).inner_html()


def changes(page: Page, view: str, before: str) -> str:
    """Wait until a view shows something else; return that."""
    page.wait_for_function(
        "([view, before]) => document.querySelector(view).innerHTML !== before", arg=[view, before], timeout=20_000
    )
    return inside(page, view)


def state(page: Page, word: str, timeout: int = 30_000) -> str:
    """Wait until the status line starts with a word; return it."""
    page.wait_for_function(
        "word => document.querySelector('.tk-v-status .tk-state').innerText.startsWith(word)", arg=word, timeout=timeout
    )
    return page.locator(".tk-v-status .tk-state").inner_text()


def press(page: Page, slider: str, key: str, times: int = 1) -> None:
    """Move a slider by keyboard, once it can be moved."""
    from playwright.sync_api import expect

    thumb = page.get_by_role("slider", name=slider)
    expect(thumb).to_be_enabled(timeout=20_000)
    thumb.focus()
    for _ in range(times):
        page.keyboard.press(key)


def click(page: Page, button: str) -> None:
    """Press a button by its name."""
    page.get_by_role("button", name=button, exact=True).click()


def label(page: Page, view: str) -> str:
    """Return the sentence that a view's picture has for people who do not see it."""
    return page.locator(f"{view} svg").first.get_attribute("aria-label") or ""


def test_opens_on_a_recorded_run(page: Page, app_url: str) -> None:
    """Nothing to configure: radar, curve, bars, numbers and a sentence are there, and nothing has failed."""
    visit(page, app_url)
    assert state(page, "idle") == "idle · cached: 20 of 20 rounds were played before"
    assert "privacy" in label(page, RADAR)
    assert "after round 20 of 20" in label(page, CURVE)
    assert "of 10 clients above 0.09" in label(page, FAIR)
    assert page.get_by_role("status").first.inner_text().startswith("Trust 0.")
    assert page.locator(".tk-failed").count() == 0
    picture(page, "app_light")


def test_alpha_moves_who_holds_what(page: Page, app_url: str) -> None:
    """α: the picture of the split follows while the slider moves, and the results are stale until Run."""
    visit(page, app_url)
    before, curve = inside(page, SPLIT), inside(page, CURVE)
    press(page, "α label skew", "ArrowLeft", 5)
    changes(page, SPLIT, before)
    state(page, "stale")
    click(page, "Run")
    state(page, "idle")
    assert inside(page, CURVE) != curve


def test_clients_move_who_holds_what(page: Page, app_url: str) -> None:
    """K: one more client in the picture for each step."""
    visit(page, app_url)
    before = inside(page, SPLIT)
    assert "10 clients" in label(page, SPLIT)
    press(page, "K clients", "ArrowRight", 2)
    changes(page, SPLIT, before)
    page.wait_for_function("document.querySelector('.tk-v-split svg').ariaLabel.includes('12 clients')")
    click(page, "Run")
    state(page, "idle")
    assert "of 12 clients above 0.09" in label(page, FAIR)


def test_selection_rate_moves_who_trains(page: Page, app_url: str) -> None:
    """The selection rate: the hint follows at once, and after Run as many clients took part."""
    visit(page, app_url)
    curve = inside(page, CURVE)
    press(page, "q selected each round", "ArrowRight", 4)
    page.wait_for_function("document.querySelector('.tk-c-selection small').innerText === '7 of 10 clients'")
    click(page, "Run")
    state(page, "idle")
    assert inside(page, CURVE) != curve
    assert "7 of 10 clients in the last round" in inside(page, CURVE)


def test_epsilon_moves_the_privacy_pillar(page: Page, app_url: str) -> None:
    """ε: the noise follows at once; after Run the privacy pillar has risen and ε is stated with its assumption."""
    visit(page, app_url)
    before = label(page, RADAR)
    press(page, "ε privacy budget", "ArrowLeft", 11)
    page.wait_for_function("document.querySelector('.tk-c-epsilon small').innerText.includes('σ =')")
    state(page, "stale")
    click(page, "Run")
    state(page, "idle")
    after = label(page, RADAR)
    assert pillar(after, "privacy") > pillar(before, "privacy") + 0.2
    spent = page.locator(".tk-tile", has_text="ε spent")
    assert "6.00" in spent.inner_text()
    assert "δ = 1e-05" in spent.inner_text()
    assert "dp-accounting" in (spent.locator(".tk-tip").first.get_attribute("data-tip") or "")


def pillar(text: str, name: str) -> float:
    """Read a pillar's score off the radar's sentence."""
    return float(text.split(f"{name} ", 1)[1].split(",")[0].split(";")[0])


def test_beta_moves_the_correlation_matrix(page: Page, app_url: str) -> None:
    """β: across columns the matrix and Icor follow, asked and achieved are both shown; α moves the importance split."""
    visit(page, app_url)
    assert not page.locator(CORRELATION).is_visible()
    click(page, "across columns")
    page.wait_for_function("document.querySelector('.tk-v-correlation')?.innerText.includes('Icor')")
    middle = inside(page, CORRELATION)
    press(page, "β correlation between parties", "End")
    changes(page, CORRELATION, middle)
    page.wait_for_function("document.querySelector('.tk-c-beta small').innerText.includes('achieved 1.000')")
    assert page.locator(".tk-c-beta .tk-ticks").inner_text().split() == ["0", "0.3", "0.6", "1"]
    assert page.locator(".tk-c-alpha .tk-ticks").inner_text().split() == ["0.1", "1", "10", "100"]
    assert "asked 1.00" in page.locator(".tk-c-beta small").inner_text()
    assert page.get_by_role("slider", name="α importance").is_disabled()
    page.locator(".tk-c-split select").select_option(label="by importance (α)")
    page.wait_for_function("!document.querySelector('.tk-c-alpha input').disabled")
    before = inside(page, SPLIT)
    press(page, "α importance", "Home")
    changes(page, SPLIT, before)


def test_both_axes_at_once_and_where_the_split_stands(page: Page, app_url: str) -> None:
    """The joint split takes α and β; importance, α̂, β̂ and the plane are measured beside the page."""
    visit(page, app_url)
    click(page, "across columns")
    page.wait_for_function("document.querySelector('.tk-v-correlation')?.innerText.includes('Icor')")
    page.locator(".tk-c-split select").select_option(label="by both (α, β)")
    stands = "[...document.querySelectorAll('.tk-v-split svg')].at(-1)?.ariaLabel.match(/α̂ [0-9.]+, β̂ [0-9.]+/)"
    page.wait_for_function(stands, timeout=60_000)
    page.wait_for_function("document.querySelector('.tk-c-beta small').innerText.startsWith('asked 0.60')")
    for slider in ("α importance", "β correlation between parties"):
        assert page.get_by_role("slider", name=slider).is_enabled()
    bars, plane = (svg.get_attribute("aria-label") or "" for svg in page.locator(f"{SPLIT} svg").all())
    assert bars.startswith("Importance by party: 4 parties")
    assert re.search(r"this split at α̂ [0-9.]+, β̂ 0\.[56]", plane)
    page.wait_for_function("document.querySelector('.tk-v-split').innerHTML.includes('random split')")
    click(page, "signed")
    page.wait_for_function("document.querySelector('.tk-v-correlation svg').ariaLabel.startsWith('Spearman')")
    click(page, "alike together")
    picture(page, "app_columns")


def test_columns_train_one_joint_model(page: Page, app_url: str) -> None:
    """Across columns SplitNN trains on letter and its traffic is counted."""
    visit(page, app_url)
    click(page, "across columns")
    page.wait_for_function("document.querySelector('.tk-c-data select').selectedOptions[0].text.startsWith('Letter')")
    press(page, "T passes over the data", "Home")
    click(page, "Run")
    state(page, "idle", 90_000)
    traffic = page.locator(".tk-tile", has_text="traffic").inner_text()
    assert "57.6 MB" in traffic  # 2 directions x 3 parties x 12,000 rows x 100 numbers x 4 bytes in one pass
    assert "one joint model" in inside(page, CURVE)


def test_stop_in_mid_run_keeps_the_rounds_and_run_goes_on(page: Page, app_url: str) -> None:
    """Stop: halted at the next step, the partial curve stays and says so; Run then goes on from there."""
    visit(page, app_url)
    press(page, "K clients", "End")
    press(page, "T rounds", "End")
    press(page, "q selected each round", "End")
    state(page, "stale")
    click(page, "Run")
    page.wait_for_function(
        "/running [1-9]/.test(document.querySelector('.tk-v-status .tk-state').innerText)", timeout=20_000
    )
    asked = time.perf_counter()
    click(page, "Stop")
    stopped = state(page, "stopped")
    seconds = time.perf_counter() - asked
    done = int(stopped.split("after ")[1].split(" of")[0])
    assert 1 <= done < 200
    assert f"after round {done} of 200" in label(page, CURVE)
    picture(page, "app_stopped")
    print(f"stop to stopped with the partial run measured: {seconds:.2f} s")
    click(page, "Step")
    page.wait_for_function(
        "n => document.querySelector('.tk-v-status .tk-state').innerText.includes(n)", arg=f"after {done + 1} of 200"
    )


def test_pin_and_weights(page: Page, app_url: str) -> None:
    """Pin: the result becomes the dashed baseline; a weight moves the score without any training."""
    visit(page, app_url)
    click(page, "Pin")
    page.wait_for_function("document.querySelector('.tk-v-pillars svg').ariaLabel.includes('baseline')")
    go(page, "Trust")
    page.wait_for_selector(".tk-tree .tk-node", timeout=20_000)
    radar, numbers = inside(page, RADAR), inside(page, ".tk-v-tiles")
    press(page, "weight of robustness", "Home")
    changes(page, RADAR, radar)
    changes(page, ".tk-v-tiles", numbers)
    assert state(page, "idle")
    assert "vs baseline" not in page.locator(".tk-say").inner_text()  # the baseline is assessed with the same weights
    click(page, "Undo")
    page.wait_for_function("before => document.querySelector('.tk-v-tiles').innerText.includes(before)", arg="0.60")


def test_report_downloads(page: Page, app_url: str) -> None:
    """The files lie inside the page: the JSON has the score on screen, the HTML has no outside address."""
    visit(page, app_url)
    click(page, "Report")
    page.wait_for_selector(".tk-file")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="report.json").click()
    path = waiting.value.path()
    report = json.loads(path.read_text(encoding="utf-8"))
    shown = page.locator(".tk-tile", has_text="trust").first.locator(".tk-n .tk-tip").evaluate("e => e.firstChild.data")
    assert f"{report['score']:.2f}" == shown
    assert waiting.value.suggested_filename.startswith("trustkit_")
    href = page.get_by_role("link", name="report.html").get_attribute("href") or ""
    text = base64.b64decode(href.split(",", 1)[1]).decode()
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "https://" not in text


def test_failure_is_a_red_card_and_the_rest_goes_on(page: Page, app_url: str) -> None:
    """A convolutional network on a table: one clear sentence in a card, the other views stay, Undo leads back."""
    visit(page, app_url)
    page.locator(".tk-c-model select").select_option(label="Convolutional network")
    click(page, "Run")
    state(page, "failed")
    card = page.get_by_role("alert")
    assert "image" in card.inner_text()
    picture(page, "app_failed")
    before = inside(page, SPLIT)
    press(page, "α label skew", "ArrowLeft", 6)
    changes(page, SPLIT, before)
    for _ in range(7):
        click(page, "Undo")
    state(page, "idle")
    assert page.locator(".tk-failed").count() == 0


def test_every_control_and_picture_has_a_name(page: Page, app_url: str) -> None:
    """Sliders, menus, boxes, buttons and pictures have accessible names; the progress bar has a value."""
    visit(page, app_url)
    nameless = page.evaluate(
        """() => {
          const named = e => e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.innerText?.trim()
            || (e.labels && [...e.labels].some(l => l.innerText.trim())) || e.title;
          return [...document.querySelectorAll('.tk-app :is(input, select, button, [role=slider], [role=img], svg)')]
            .filter(e => !e.closest('[role=img] *') && e.getClientRects().length && !named(e))
            .map(e => e.outerHTML.slice(0, 120));
        }"""
    )
    assert nameless == []
    bar = page.get_by_role("progressbar", name="rounds", exact=True)
    assert (bar.get_attribute("aria-valuenow"), bar.get_attribute("aria-valuemax")) == ("20", "20")


def test_keyboard_alone_reaches_run(page: Page, app_url: str) -> None:
    """Tab leads from the top of the page to a slider and to Run, and Enter trains."""
    visit(page, app_url)
    page.keyboard.press("Tab")
    seen = []
    for _ in range(60):
        name = page.evaluate(
            "document.activeElement.innerText || document.activeElement.labels?.[0]?.innerText || ''"
        ).strip()
        seen.append(name)
        if name.startswith("α"):
            page.keyboard.press("ArrowLeft")
        if name == "Run":
            break
        page.keyboard.press("Tab")
    assert seen[-1] == "Run"
    assert any(name.startswith("ε") for name in seen)
    state(page, "stale")
    page.keyboard.press("Enter")
    state(page, "idle")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_sideways_scrolling(page: Page, app_url: str, width: int) -> None:
    """At phone, tablet and desk width nothing sticks out."""
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, app_url)
    for button in ("across columns", "across rows"):
        click(page, button)
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = page.evaluate(
            """width => [...document.querySelectorAll('.tk-app *')]
              .filter(e => e.getBoundingClientRect().right > width + 1
              && !e.closest('.tk-unseen') && !e.matches('.tk-unseen')
              && !e.closest('svg')).map(e => e.className + '')""",
            width,
        )
        assert wide == []
    if width == 390:
        page.set_viewport_size({"width": width, "height": 3400})
        page.wait_for_timeout(200)
        picture(page, "app_phone")


def test_dark_theme_can_be_read(page: Page, app_url: str) -> None:
    """In the dark theme text in pictures is light, on a dark card, with a contrast of at least 4.5 to 1."""
    visit(page, app_url, "?theme=dark")
    worst = page.evaluate(
        """() => {
          const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
          const light = c => {
            const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => linear(v / 255));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ratio = (a, b) => {
            const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
            return (x + 0.05) / (y + 0.05);
          };
          const card = getComputedStyle(document.querySelector('.tk-v-pillars .tk-card')).backgroundColor;
          const views = ['pillars', 'accuracy', 'fairness'].map(name => `.tk-v-${name} svg text`);
          const others = ['.tk-card p', '.tk-card h2', '.tk-d', '.tk-slider:not(.tk-off) label', '.tk-slider small'];
          const texts = [...document.querySelectorAll([...views, ...others].join(', '))];
          const colour = e => e.closest('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color;
          return Math.min(...texts.map(e => ratio(colour(e), card)));
        }"""
    )
    picture(page, "app_dark")
    assert worst >= 4.5


def test_presets_say_how_they_differ(page: Page, app_url: str) -> None:
    """A stand-in says that it is scaled down, before it is run and in the report after."""
    visit(page, app_url)
    page.locator(".tk-c-preset select").select_option(label="FederatedTrust 4: nine devices, 20/80")
    page.wait_for_selector(".tk-caveat")
    assert "synthetic" in page.locator(".tk-caveat").inner_text()
    state(page, "stale")
    click(page, "Run")
    state(page, "idle", 60_000)
    go(page, "Trust")
    page.wait_for_selector(".tk-v-scores .tk-card", timeout=20_000)
    assert "synthetic" in page.locator(".tk-v-scores").inner_text().lower()
    go(page, "Overview")
    page.wait_for_selector(".tk-v-split .tk-tag", timeout=20_000)
    assert page.locator(".tk-say .tk-tag").inner_text() == "synthetic data"
    assert page.locator(".tk-v-split .tk-tag").inner_text() == "synthetic data"
    mark = "e => getComputedStyle(e, '::after').content"
    assert {tile.evaluate(mark) for tile in page.locator(".tk-k").all()} == {'"synthetic"'}
    assert page.locator(".tk-v-pillars h2").evaluate(mark) == '"synthetic"'
    picture(page, "app_preset")
