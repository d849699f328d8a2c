"""The page in German, in this process: nothing of the English catalogue is left, no word of the library forgotten."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import ipywidgets as w
import pytest
from trustkit.widgets import Lab, app
from trustkit.widgets.goals import goal_words, verdict_words
from trustkit.widgets.numbers import amount, count, percent
from trustkit.widgets.player import Outcome
from trustkit.widgets.strings import language, say, speak, speaking
from trustkit.widgets.summary import summary_of
from trustkit.widgets.tabs import Tabs
from trustkit.widgets.translated import english, spoken, translated
from trustkit.widgets.tree import ScoreTree

import trustkit as tk
from tests.widgets.labs import PLAIN, setting_of, tree
from tests.widgets.spoken import english_in
from trustkit import catalogue
from trustkit.comparison import DEFENCES
from trustkit.disparities import COMPARED
from trustkit.exposure.result import NOTE, TARGETS
from trustkit.lesson import HIDABLE, Checked, Goal, Verdict
from trustkit.preset import PRESETS
from trustkit.quantities import QUANTITIES
from trustkit.texts import library_texts, pattern
from trustkit.trust import PROFILES
from trustkit.trust.rules import words_of

SHIPPED = "trustkit."


@pytest.fixture
def german() -> Iterator[None]:
    """Speak German, and English again."""
    before = language()
    speak("de")
    yield
    speak(before)


def entries() -> Iterator[Any]:
    """Everything that comes with the library and can be chosen on the page."""
    for name in ("DATASETS", "SPLITS", "MODELS", "ALGORITHMS", "PRIVACY", "ATTACKS", "FAULTS"):
        for entry in getattr(catalogue, name).values():
            if entry.function.__module__.startswith(SHIPPED):
                yield name, entry


def words_of_the_library() -> dict[str, str]:
    """What the page shows of the library's own words, and where it is from."""
    found: dict[str, str] = {}
    for kind, entry in entries():
        found[entry.title] = f"title of {kind}"
        if kind != "DATASETS":  # a data set's parameters have no form
            found.update({each.about: f"parameter of {entry.title}" for each in entry.parameters if each.about})
    for name, preset in PRESETS.items():
        found.update({text: f"preset {name}" for text in (preset.title, preset.caveat) if text})
    for name, profile in PROFILES.items():
        known = profile.taxonomy
        found[profile.about] = f"profile {name}"
        found.update(dict.fromkeys(known.pillars.values(), "pillar"))
        found.update({each.name: "notion" for each in known.notions.values()})
        for key, row in known.metrics.items():
            found.update(dict.fromkeys((row.name, row.when, row.who), f"metric {key}"))
            found[words_of(profile.normaliser(key))] = f"normaliser of {key} in {name}"
            found[f"1 {row.unit}"] = f"unit of {key}"
    found.update({each.title: f"quantity {name}" for name, each in QUANTITIES.items()})
    found.update({text: name for name, each in COMPARED.items() for text in (each.title, each.short, each.formula)})
    found.update({text: f"what a lesson hides: {name}" for name, text in HIDABLE.items()})
    found.update(dict.fromkeys([*DEFENCES.values(), NOTE, *TARGETS.values()], "comparison"))
    return {text: where for text, where in found.items() if text.strip("1 ")}


@pytest.mark.usefixtures("german")
def test_the_librarys_words_are_known_in_german() -> None:
    """Titles, parameters, presets, pillars, metrics, rules, units: each is in the file, be it as it is."""
    known = library_texts("de")
    wanted = words_of_the_library()
    assert len(wanted) > 350
    forgotten = [f"{where}: {text}" for text, where in wanted.items()
                 if text not in known and pattern(text) not in known and translated(text) == text]  # fmt: skip
    assert not forgotten, "\n" + "\n".join(forgotten)


def test_numbers_in_the_librarys_words_stay() -> None:
    """In their places, thousands apart as German has them; a rest is translated, a name of one's own stays."""
    said = {
        "client 3": "Client 3",
        "round 3 of 20": "Runde 3 von 20",
        "1,234 of 5,678": "1\u202f234 von 5\u202f678",
        "n/a: one group only": "n. def.: nur eine Gruppe",
        "demographic disparity by sex": "demografische Ungleichheit nach sex",
        "0.95  All columns at one place": "0.95  Alle Spalten an einem Ort",
        "my own split": "my own split",
        "take a value in [0, 1] as its score": "ein Wert in [0, 1] ist selbst die Bewertung",
    }
    with speaking("de"):
        assert {text: translated(text) for text in said} == said
        assert english("x") == '<span lang="en">x</span>'
        assert spoken("Privatsphäre") == "Privatsphäre"
    assert {text: translated(text) for text in said} == {text: text for text in said}
    assert (english("x"), spoken("Privacy")) == ("x", "privacy")


def test_numbers_are_written_in_one_place() -> None:
    """The point stays, as in files and formulas; thousands and per cent are set as the language has them."""
    assert (count(16384), percent(0.5), percent(0.123, 1), amount(0.25)) == ("16,384", "50%", "12.3%", "0.25")
    with speaking("de"):
        found = count(16384), percent(0.5), percent(0.123, 1), amount(0.25), amount(float("nan"))
    assert found == ("16\u202f384", "50\u202f%", "12.3\u202f%", "0.25", "n. def.")


def test_english_says_what_the_library_says() -> None:
    """Sentences that are put together here are the library's own, letter by letter."""
    record = tk.run(PLAIN)
    facts = tk.facts_of(record, look_at=1)
    for profile in PROFILES:
        report = tk.assess(facts, profile)
        assert summary_of(report) == report.summary.replace("_", " ")  # of "architectural_soundness"
    empty = tk.assess(tk.FactSheet({}), "paper")
    assert summary_of(empty) == empty.summary
    low, high = Goal("accuracy", at_least=0.8), Goal("epsilon", at_most=6)
    both = Goal("rounds", at_least=2, at_most=5)
    assert [goal_words(each) for each in (low, high, both)] == [low.said, high.said, both.said]
    for checks in (
        [Checked(low, 0.9, True)],
        [Checked(low, 0.9, True), Checked(both, 3, True)],
        [Checked(low, 0.1, False)],
        [Checked(low, 0.1, False), Checked(both, 3, True)],
        [Checked(low, None, None, "nothing has been trained, press Run")],
        [Checked(low, None, None, "mean accuracy is not defined here")],
        [Checked(low, None, None)],
    ):
        verdict = Verdict(tuple(checks))
        assert verdict_words(verdict) == verdict.said


def test_goals_and_verdicts_in_german() -> None:
    """With the reason why nothing is decided."""
    low = Goal("accuracy", at_least=0.8)
    with speaking("de"):
        assert goal_words(low) == "mittlere Genauigkeit mindestens 0.8"
        why = Checked(low, None, None, "nothing has been trained, press Run")
        assert verdict_words(Verdict((why,))) == (
            "Noch nicht entschieden: noch nichts ist trainiert, drücken Sie „Trainieren“."
        )
        undefined = Checked(low, None, None, "mean accuracy is not defined here")
        assert verdict_words(Verdict((undefined,))).endswith("mittlere Genauigkeit ist hier nicht definiert.")


def visible(page: Any) -> Iterator[str]:
    """What a page says: descriptions, options, text and spoken names in HTML that is not marked as English."""
    for widget in tree(page):
        for name in ("description", "tooltip", "label", "hint", "about"):
            yield str(getattr(widget, name, "") or "")
        for name in ("_options_labels", "titles", "texts"):
            yield from map(str, getattr(widget, name, ()))
        if isinstance(widget, ScoreTree):
            yield from said_by_the_tree(widget)
        if isinstance(widget, w.HTML) and "<style" not in widget.value:
            text = re.sub(r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', "", widget.value, flags=re.DOTALL)
            yield from map(html.unescape, re.findall(r'(?:aria-label|data-tip)="([^"]*)"', text))
            yield from (html.unescape(part) for part in re.split(r"<[^>]+>", text))


def said_by_the_tree(found: ScoreTree) -> Iterator[str]:
    """Its lines, without the parts that are marked as English."""
    yield from found.words.values()
    for row in found.rows:
        yield from (row["name"], row["weight"])
        for name, text in row["about"] or ():
            yield name
            yield "" if name in found.english else text
    for value in found.values.values():
        yield from (value["score"], value["raw"], value["status"], value["share"])


@pytest.mark.usefixtures("german")
def test_the_german_page_says_nothing_in_english() -> None:
    """All sections, across rows and across columns, with a result and with a baseline."""
    page = app()
    tabs = next(each for each in tree(page) if isinstance(each, Tabs))
    heard: set[str] = set()
    for axis in ("rows", "columns"):
        page.lab.change(axis=axis)
        for name in tabs.names:
            tabs.current = name
            heard |= set(visible(page))
    assert len(heard) > 500
    assert "Woher der Wert kommt" in heard
    left = english_in(heard)
    assert not left, "\n" + "\n".join(left)


@pytest.mark.usefixtures("german")
def test_a_chosen_language_stays_with_the_page() -> None:
    """`app(language=…)` speaks it, the style sheet and the ``lang`` attribute too."""
    lab = Lab(setting_of(PLAIN), Outcome(tk.run(PLAIN), tk.FactSheet({})))
    german = app(lab)
    assert [each.code for each in tree(german) if hasattr(each, "code")] == ["de"]
    assert '--tk-word-synthetic: "synthetisch"' in german.children[0].value
    speaks = app(Lab(setting_of(PLAIN)), language="en")
    assert [each.code for each in tree(speaks) if hasattr(each, "code")] == ["en"]
    assert language() == "en"
    assert say("controls.step") == "Step"
    with pytest.raises(ValueError, match="language must be one of de, en, got 'xx'"):
        app(language="xx")
