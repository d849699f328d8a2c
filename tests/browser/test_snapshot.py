"""A snapshot in a real browser, from a file: no server, no kernel."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.driving import picture
from tests.browser.test_sections import axe  # noqa: F401
from trustkit.baking import snapshot
from trustkit.baking.frames import frame_of
from trustkit.baking.varying import varied
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.findings import headline_of
from trustkit.records import RunRecord
from trustkit.rounds import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

START = Experiment(
    "acs_employment", use("dirichlet", parties=5, alpha=1.0, min_rows=10), "fedavg", "logistic", rounds=4
)
OVER = {"privacy.epsilon": [1, 4, "off"]}


@pytest.fixture(scope="module")
def records() -> list[RunRecord]:
    """The three runs, played again."""
    return [run(each) for each in varied(START, OVER)[1]]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page."""
    return snapshot(START, OVER, tmp_path_factory.mktemp("snapshot") / "epsilon.html")


@pytest.fixture
def trouble() -> list[str]:
    """Addresses that were asked for, and what the browser complained of."""
    return []


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, file: Path, trouble: list[str]) -> Iterator[Page]:
    """The file on a phone, in the light and in the dark; every request and every complaint is noted."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=request.param)
    opened = context.new_page()
    opened.on("request", lambda asked: None if asked.url == file.as_uri() else trouble.append(asked.url))
    opened.on("console", lambda said: trouble.append(said.text))
    opened.on("pageerror", lambda error: trouble.append(str(error)))
    opened.goto(file.as_uri())
    yield opened
    picture(opened, f"snapshot_{request.param}")
    context.close()


def _shown(page: Page) -> dict[str, str]:
    """What a person has before them: numbers by name, the sentence, and what pictures are said to show."""
    numbers = page.locator("#frame data").evaluate_all("all => all.map(each => [each.dataset.name, each.value])")
    labels = page.locator("#frame svg").evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    return {**dict(numbers), "say": page.locator("#say").inner_text(), "labels": " ".join(labels)}


def test_the_slider_is_moved_by_keyboard(page: Page, records: list[RunRecord], trouble: list[str]) -> None:
    """Tab reaches it; each place shows its own run: numbers, sentence, pictures, and what is read out."""
    page.keyboard.press("Tab")
    slider = page.get_by_role("slider", name="privacy: ε")
    assert slider.evaluate("each => each === document.activeElement")
    assert slider.get_attribute("aria-valuetext") == "off"
    seen = set()
    for key, at, label in (("Home", 0, "1"), ("ArrowRight", 1, "4"), ("End", 2, "off"), ("ArrowLeft", 1, "4")):
        page.keyboard.press(key)
        assert slider.get_attribute("aria-valuetext") == label
        assert page.locator("label output").inner_text() == label
        shown, record = _shown(page), records[at]
        frame = frame_of(record, ["radar", "accuracy", "fairness"])
        assert float(shown["accuracy"]) == headline_of(record).accuracy
        assert shown["say"] == frame.sentence
        for _, svg in frame.pictures:
            said = svg.split('aria-label="', 1)[1].split('"', 1)[0]
            assert html.unescape(said) in shown["labels"]
        current = page.locator("tr[aria-current]")
        assert current.count() == 1
        assert record.experiment.key[:8] in (current.text_content() or "")
        seen.add((shown["say"], shown["labels"], page.locator("#frame svg").first.inner_html()))
    assert len(seen) == 3
    assert page.get_by_text("No script runs here").count() == 0
    assert trouble == []


def test_it_fits_a_phone(page: Page, trouble: list[str]) -> None:
    """Nothing is wider than 390 pixels, the opened table scrolls in a place of its own, reached by keyboard."""
    page.locator("summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.get_by_role("region", name="All numbers")
    wide.focus()
    assert wide.evaluate("each => each === document.activeElement && each.scrollWidth > each.clientWidth")
    assert trouble == []


def test_words_can_be_read(page: Page) -> None:
    """At least 4.5 : 1 of every kind of text to what it stands on, as the browser computes them."""
    ratios = page.evaluate(
        """() => {
          const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
          const under = (node) => {
            for (let at = node; at; at = at.parentElement) {
              const found = parts(getComputedStyle(at).backgroundColor);
              if (found.length < 4 || found[3] > 0) return found;
            }
            return [255, 255, 255];
          };
          return [...document.querySelectorAll("h1,h2,p,label,output,dt,data,th,td,summary,pre,.ends span,svg text")]
            .filter((node) => node.textContent.trim())
            .map((node) => {
              const style = getComputedStyle(node);
              const ink = parts(node.namespaceURI.endsWith("svg") ? style.fill : style.color);
              const [one, two] = [light(ink), light(under(node))].sort((a, b) => b - a);
              return [(one + 0.05) / (two + 0.05), node.textContent.slice(0, 30)];
            });
        }"""
    )
    assert len(ratios) > 40
    assert min(ratios)[0] >= 4.5, min(ratios)


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page in German."""
    return snapshot(START, OVER, tmp_path_factory.mktemp("snapshot") / "epsilon_de.html", language="de")


_AXE = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter(each => ['serious', 'critical'].includes(each.impact))
  .map(each => `${each.id}: ${each.help}: ` + each.nodes.slice(0, 4).map(n => n.html.slice(0, 160)).join(' | '))"""


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_axe_finds_nothing_serious(
    browser: Browser,
    request: pytest.FixtureRequest,
    axe: str,  # noqa: F811
    language: str,
    mode: str,
) -> None:
    """With everything unfolded, at two places of the slider, wide and on a phone; the page says its language."""
    file = request.getfixturevalue("file" if language == "en" else "german")
    for width in (1280, 390):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode)  # type: ignore[arg-type]
        opened = context.new_page()
        opened.goto(file.as_uri())
        for fold in opened.locator("summary").all():
            fold.click()
        opened.evaluate(Path(axe).read_text(encoding="utf-8"))
        assert opened.evaluate("document.documentElement.lang") == language
        for key in ("Home", "End"):
            opened.get_by_role("slider").press(key)
            assert opened.evaluate(_AXE) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        picture(opened, f"snapshot_{language}_{mode}_{width}")
        context.close()


def test_the_german_slider_speaks_german(browser: Browser, german: Path) -> None:
    """Its name, its places and the sentence that is read out, by keyboard alone."""
    opened = browser.new_page()
    opened.goto(german.as_uri())
    opened.keyboard.press("Tab")
    slider = opened.get_by_role("slider", name="Privatsphäre: ε")
    assert slider.evaluate("each => each === document.activeElement")
    assert slider.get_attribute("aria-valuetext") == "aus"
    assert "begrenzt kein ε" in opened.locator("#say").inner_text()
    opened.keyboard.press("Home")
    assert "Das verbrauchte ε ist 1.00 für eine Zeile" in opened.locator("#say").inner_text()
    assert opened.locator("#still").count() == 0
    opened.close()


def test_it_lives_in_a_frame_of_another_page(browser: Browser, file: Path, tmp_path: Path) -> None:
    """As documentation and learning platforms show it, even where scripts may not touch the page around."""
    outer = tmp_path / "outer.html"
    outer.write_text(
        f'<iframe sandbox="allow-scripts" src="{file.as_uri()}" title="snapshot" width="600" height="500"></iframe>',
        encoding="utf-8",
    )
    opened = browser.new_page()
    opened.goto(outer.as_uri())
    inner = opened.frame_locator("iframe")
    inner.get_by_role("slider").press("Home")
    assert inner.get_by_role("slider").get_attribute("aria-valuetext") == "1"
    assert "ε spent is" in inner.locator("#say").inner_text()
    opened.close()


def test_without_scripts_there_are_a_frame_and_all_numbers(browser: Browser, file: Path) -> None:
    """And the page says so."""
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(file.as_uri())
    assert opened.get_by_text("No script runs here").is_visible()
    assert opened.locator("#frame svg").count() == 3
    opened.locator("summary").first.click()
    assert opened.locator("tbody tr").count() == 3
    context.close()
