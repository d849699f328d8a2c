"""The page's state in a link and back, the address it stands under, and what is said of a link that brings trouble."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import Lab, app, asked, opening, waiting
from trustkit.widgets.controls import ALPHAS, BETAS, CLIENTS, EPSILONS, ROUNDS, SELECTIONS
from trustkit.widgets.header import Header
from trustkit.widgets.hiding import PLACES
from trustkit.widgets.links import address, code_field, landed, link_field, token_of
from trustkit.widgets.player import measure

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, SMALL, setting_of, tabs_of, tree
from trustkit import jsonfile
from trustkit.catalogue import SPLITS
from trustkit.clamped import ALPHA, EPSILON, PARTIES, PARTS
from trustkit.lesson import HIDABLE, SECTIONS, Goal, Lesson
from trustkit.preset import PRESETS
from trustkit.sharelink import Shared, encode

VOILA = {"VOILA_BASE_URL": "/", "SERVER_NAME": "lab.example", "SERVER_PORT": "8866", "SCRIPT_NAME": "/app/"}


def trained(experiment: tk.Experiment = PLAIN) -> Any:
    """Open a lab on a whole run."""
    return Lab(setting_of(experiment), measure(tk.run(experiment)))


def packed(content: Any) -> str:
    """Write any content as a token, without a check."""
    text = jsonfile.canonical(content).encode()
    return "1." + base64.urlsafe_b64encode(zlib.compress(text)).decode().rstrip("=")


def texts(page: w.Widget) -> str:
    """Return all HTML of a page but its style."""
    found = (widget.value for widget in tree(page) if isinstance(widget, w.HTML))
    return "\n".join(text for text in found if "<style>" not in text)


def test_the_ranges_of_a_link_are_those_of_the_sliders() -> None:
    """The first and the last stop; ε off is no number."""
    assert (ALPHA.low, ALPHA.high) == (ALPHAS[0], ALPHAS[-1])
    assert (EPSILON.low, EPSILON.high) == (EPSILONS[0], EPSILONS[-2])
    assert (PARTIES["rows"].low, PARTIES["rows"].high) == (CLIENTS[0], CLIENTS[-1])
    assert (PARTS["rounds"].low, PARTS["rounds"].high) == (ROUNDS[0], ROUNDS[-1])
    assert (PARTS["participation"].low, PARTS["participation"].high) == (SELECTIONS[0], SELECTIONS[-1])
    beta = {p.name: p.interval for p in SPLITS["correlation"].parameters}["beta"]
    assert beta is not None
    assert (beta.low, beta.high) == (BETAS[0], BETAS[-1])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_page_of_any_preset_leads_back(preset: str) -> None:
    """Setting, profile and weights; nothing is trained on the way."""
    lab = opening(preset)
    lab.change(weights=(("privacy", 2.0),))
    again, notes, problem = landed(token_of(lab), opening())
    assert (again.setting, again.profile, notes, problem) == (lab.setting, lab.profile, (), "")
    assert again.first == again.setting
    assert again.error is None
    assert (again.outcome is None) == (preset != "start")


def test_reset_leads_back_to_the_link() -> None:
    """With its profile; undo has nothing before it."""
    lab = Lab(setting_of(SMALL), profile="calibrated")
    again, _, _ = landed(token_of(lab), opening())
    again.undo()
    assert again.setting == lab.setting
    again.change(seed=5)
    again.go(again.setting, "paper")
    again.reset()
    assert (again.setting, again.profile) == (lab.setting, "calibrated")


def test_a_baseline_is_there_or_waits_until_it_is_trained() -> None:
    """The recorded run is there; another one is pinned when it has been played, whatever the controls say then."""
    start = opening()
    start.pin()
    start.change(rounds=5)
    again, _, _ = landed(token_of(start), opening())
    assert again.baseline is not None
    assert again.baseline.record.experiment == start.first.experiment()
    lab = trained()
    lab.pin()
    lab.change(seed=8)
    page: Any = app(token_of(lab))
    assert page.lab.awaited.runs == (PLAIN,)
    assert "has not been run here yet" in texts(page)
    button = next(each for each in tree(page) if isinstance(each, w.Button) and each.description == "Run to compare")
    button.click()
    assert page.lab.awaited.runs == ()
    assert page.lab.baseline.record.experiment == PLAIN
    assert page.lab.outcome.record.experiment == PLAIN.change(seed=8)  # what the controls ask for is run last


def test_garbage_opens_the_start_with_one_sentence() -> None:
    """In a red card; the page is as without a link."""
    page = app("garbage <b>")
    assert "The link did not open" in texts(page)
    assert "this link cannot be read" not in texts(page)  # as a sentence begins
    assert "This link cannot be read: it must be a version" in texts(page)
    assert page.lab.setting == opening().setting
    assert page.lab.state == "idle"


def test_what_was_brought_into_range_is_said() -> None:
    """With the value that the link asked for."""
    content = {"experiment": {**PLAIN.to_dict(), "rounds": 10**6, "participation": 7}}
    page = app(packed(content))
    assert "participation 7 → 1; rounds 1e+06 → 200" in texts(page)
    assert (page.lab.setting.rounds, page.lab.setting.selection) == (200, 1.0)


def test_a_split_that_cannot_be_is_a_red_card_and_no_traceback() -> None:
    """Sixteen parties on thirteen columns: the link opens, the card says what is wrong."""
    page = app(encode(Shared(COLUMNS.change(split__parties=16))))
    assert page.lab.error is not None
    assert "failed</h2>" in texts(page)
    assert token_of_fails(page.lab) == "the controls describe no experiment: the red card says why"
    assert "No link: " in link_field(page.lab)
    assert "No code: " in code_field(page.lab)


def token_of_fails(lab: Any) -> str:
    """Return why there is no token."""
    with pytest.raises(ValueError) as raised:
        token_of(lab)
    return str(raised.value)


def test_what_a_link_cannot_carry_is_not_offered() -> None:
    """Rather than a link that leads elsewhere."""
    lab = Lab(setting_of(PLAIN, rounds=500))
    assert token_of_fails(lab) == "a link cannot carry rounds 500; use Code"
    assert "rounds=500" in code_field(lab)


def test_the_address_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Voilà tells it; a notebook has none and shows a line for a cell instead; names are escaped."""
    assert address({}) == ""
    assert address(VOILA) == "http://lab.example:8866/app/"
    assert address({**VOILA, "SERVER_PORT": "", "SCRIPT_NAME": "/"}) == "http://lab.example/"
    assert address({**VOILA, "VOILA_REQUEST_URL": "https://a.example/b/?s=1.x&theme=dark"}) == "https://a.example/b/"
    assert address({"VOILA_BASE_URL": "/", "VOILA_REQUEST_URL": "javascript:alert(1)"}) == ""
    lab = trained()
    monkeypatch.delenv("VOILA_BASE_URL", raising=False)
    assert f"app(&quot;{token_of(lab)}&quot;)" in link_field(lab)
    for name, value in {**VOILA, "SERVER_NAME": "<b>"}.items():
        monkeypatch.setenv(name, value)
    assert f"http://&lt;b&gt;:8866/app/?s={token_of(lab)}</textarea>" in link_field(lab)
    assert f'href="?s={token_of(lab)}"' in link_field(lab)


def test_the_token_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """From Voilà's query; nothing outside of it."""
    for name in ("VOILA_BASE_URL", "VOILA_PREHEAT", "QUERY_STRING"):
        monkeypatch.delenv(name, raising=False)
    assert (asked(), waiting()) == ("", False)
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    assert asked() == ""
    for query, token in (("s=1.abc", "1.abc"), ("theme=dark&s=1.a%2Dc", "1.a-c"), ("t=1", ""), ("a&" * 30, "")):
        monkeypatch.setenv("QUERY_STRING", query)
        assert asked() == token


def test_a_preheated_kernel_waits_for_its_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    """By Voilà's own function, which is loaded before."""
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    monkeypatch.setenv("VOILA_PREHEAT", "True")
    assert waiting()
    monkeypatch.setattr("voila.utils.get_query_string", lambda: "s=1.late")
    assert asked() == "1.late"
    monkeypatch.setattr("voila.utils.get_query_string", lambda: None)
    assert asked() == ""


def test_link_and_code_in_the_header() -> None:
    """A field to copy from, which follows the controls; another button closes it; the code plays the experiment."""
    lab = trained()
    header = Header(lab)
    header.buttons["link"].click()
    assert token_of(lab) in header.files.value
    lab.change(seed=4)
    lab.pin()
    assert token_of(lab) in header.files.value
    lab.section = "trust"
    lab.hearing.tell("section")
    assert token_of(lab) in header.files.value
    header.buttons["code"].click()
    assert 'aria-label="code"' in header.files.value
    assert "readonly" in header.files.value
    assert "seed=4" in header.files.value
    lab.change(seed=6)
    assert "seed=6" in header.files.value
    header.buttons["code"].click()
    assert header.files.value == ""


def test_every_name_that_can_be_hidden_is_on_the_page() -> None:
    """A lesson puts its class on the page, and the style sheet has a rule for each."""
    page: Any = app(encode(Shared(PLAIN, lesson=Lesson(hidden=("alpha", "scores-view")))))
    assert {"tk-hides-alpha", "tk-hides-scores-view"} <= set(page._dom_classes)
    assert "tk-hides-beta" not in page._dom_classes
    whole: Any = app(encode(Shared(PLAIN)))
    classes = set[str]()
    for axis in ("rows", "columns"):
        whole.lab.change(axis=axis, table="wine")
        for section in SECTIONS:
            tabs_of(whole).current = section
            classes |= {name for widget in tree(whole) for name in getattr(widget, "_dom_classes", ())}
    assert set(PLACES) == set(HIDABLE)
    assert {place for name, place in PLACES.items() if not name.endswith("-section")} <= classes
    style = next(each.value for each in tree(page) if isinstance(each, w.HTML) and "<style>" in each.value)
    for name, place in PLACES.items():
        assert f".tk-hides-{name} .{place} {{ display: none !important; }}" in style


def test_a_lesson_goes_on_in_the_links_of_its_page() -> None:
    """What a learner shares is the lesson still."""
    lesson = Lesson("Do it", ("alpha",), (Goal("accuracy", at_least=0.5),), ("Press Run.",))
    lab, _, _ = landed(encode(Shared(PLAIN, lesson=lesson)), opening())
    assert lab.lesson == lesson
    lab.change(seed=2)
    assert landed(token_of(lab), opening())[0].lesson == lesson
    assert landed(token_of(lab, Lesson()), opening())[0].lesson == Lesson()


def test_a_link_carries_what_is_compared_and_how() -> None:
    """Measures and the one scale; the page that it opens has them ticked, and says of them what this one says."""
    lab = trained()
    page = app(lab)
    tabs_of(page).current = "compare"
    lab.pins.look(("accuracy", "epsilon"), True)
    token = token_of(lab)
    assert token.startswith("3.")
    there, notes, problem = landed(token, trained())
    assert (there.pins.measures, there.pins.scaled, notes, problem) == (("accuracy", "epsilon"), True, (), "")
    opened = app(there)
    tabs_of(opened).current = "compare"
    boxes = {each.description: each for each in tree(opened) if isinstance(each, w.Checkbox)}
    assert boxes["each from 0 to 1, more is better"].value
    fold = next(each for each in tree(opened) if "tk-measures" in each._dom_classes)
    fold.children[0].value = True
    ticked = {each.description for each in tree(fold) if isinstance(each, w.Checkbox) and each.value}
    assert ticked == {"mean accuracy", "ε spent"}
    assert token_of(there) == token
    next(each for each in tree(fold) if isinstance(each, w.Button) and each.description == "Usual").click()
    boxes["each from 0 to 1, more is better"].value = False
    assert token_of(there).startswith("2.")
