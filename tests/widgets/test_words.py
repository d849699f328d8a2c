"""What the page says: None, NaN and 0 are three things, a change is named, and a name is never markup."""

from __future__ import annotations

import dataclasses
import math
import re
import threading
from typing import Any

import ipywidgets as w
import numpy as np
import pytest
from trustkit.widgets import FairnessPanel, Lab, SplitPanel
from trustkit.widgets.app import app
from trustkit.widgets.mending import failure
from trustkit.widgets.numbers import amount, bytes_text
from trustkit.widgets.player import Outcome, measure
from trustkit.widgets.report import downloads
from trustkit.widgets.tiles import tiles
from trustkit.widgets.view import View, card, fold, tip
from trustkit.widgets.words import sentence, status

import trustkit as tk
from tests.widgets.labs import COLUMNS, PLAIN, SMALL, Gate, setting_of, tree
from trustkit import use
from trustkit.catalogue import DATASETS
from trustkit.data import Dataset, Provenance
from trustkit.rng import stream

EVIL = '<script>alert("1")</script> & $a_b$'


def evil(name: str = EVIL) -> Dataset:
    """Make a table whose every name is markup, with two protected attributes of that kind."""
    draw = stream(0, "test", "words")
    n, rows = 240, np.arange(240)
    groups = np.array([EVIL, "other"])[draw.integers(2, size=n)]
    X = draw.normal(size=(n, 3))
    return Dataset(
        name, X, (X[:, 0] > 0).astype(int), (EVIL, "b", "c"), (EVIL, "yes"), Provenance(EVIL, EVIL, synthetic=True),
        sensitive={EVIL: groups, "second": groups}, groups={"place": np.array([EVIL, "p", "q"])[rows % 3]},
        held_out=rows % 4 == 0,
    )  # fmt: skip


@pytest.fixture
def evil_lab(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A lab on a run over that table."""
    monkeypatch.setattr(DATASETS, "_entries", dict(DATASETS._entries))
    tk.datasets.add(evil())
    experiment = tk.Experiment(EVIL, use("by_group", group="place"), "fedavg", "logistic", rounds=2)
    return Lab(setting_of(experiment), measure(tk.run(experiment)))


def plain(text: str) -> str:
    """Take the tags away."""
    inline = re.sub(r"</?(span|b|em)\b[^>]*>", "", text)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", inline)).strip()


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 2, "–"), (math.nan, 2, "n/a"), (math.inf, 2, "∞"), (-math.inf, 2, "-∞"), (0.0, 2, "0.00"),
        (0, 3, "0.000"), (-0.001, 2, "0.00"), (-0.01, 2, "-0.01"), (0.125, 2, "0.12"), (12.3456, 3, "12.346"),
        (np.float64("nan"), 2, "n/a"),
    ],
)  # fmt: skip
def test_amount(value: float | None, digits: int, text: str) -> None:
    """Not known, not defined, infinite and zero are four texts; and there is no minus nought."""
    assert amount(value, digits) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (2e9, "2.0 GB"), (5e13, "50000.0 GB")],
)
def test_bytes(count: float, text: str) -> None:
    """Decimal units."""
    assert bytes_text(count) == text


def _lab() -> Any:
    return Lab(setting_of(SMALL), measure(tk.run(SMALL)))


def test_sentence_without_and_with_a_result() -> None:
    """It is a live status; the numbers are those of the report."""
    assert "press <b>Run</b>" in sentence(Lab(setting_of(SMALL)))
    lab = _lab()
    said = sentence(lab)
    assert 'role="status"' in said
    accuracy = float(lab.outcome.record.last.accuracy.mean())
    assert plain(said) == f"Trust {lab.report().score:.2f} after 4 rounds, mean accuracy {accuracy:.3f}."
    assert "baseline" not in said


def test_sentence_says_what_changed_against_the_baseline() -> None:
    """The change of the score, and the pillar that moved most; nothing of it for the baseline itself."""
    lab = _lab()
    lab.pin()
    assert "baseline" not in sentence(lab)
    lab.change(epsilon=1.0)
    lab.run(wait=True)
    now, before = lab.report(), lab.report(lab.baseline)
    gaps = {name: now.pillars[name] - before.pillars[name] for name in now.pillars if now.pillars[name] is not None}
    most = max(gaps, key=lambda name: abs(gaps[name]))
    verb = "rose" if gaps[most] > 0 else "fell"
    said = plain(sentence(lab))
    assert f"({now.score - before.score:+.2f} vs baseline)" in said
    assert f"{most.capitalize()} {verb} from {before.pillars[most]:.2f} to {now.pillars[most]:.2f}." in said
    lab.undo()
    assert "vs baseline" not in sentence(lab)


def test_sentence_does_not_compare_what_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pillar without evidence, or without a value, neither rose nor fell."""
    lab = _lab()
    lab.pin()
    lab.change(seed=3)
    lab.run(wait=True)
    real = Lab.report

    def report(self: Any, outcome: Outcome | None = None) -> Any:
        found = real(self, outcome)
        if outcome is not lab.baseline:
            return found
        return dataclasses.replace(found, score=None, pillars={**dict.fromkeys(found.pillars), "privacy": math.nan})

    monkeypatch.setattr(Lab, "report", report)
    said = plain(sentence(lab))
    assert " rose " not in said
    assert " fell " not in said
    assert "vs baseline" not in said
    assert "nan" not in said


def test_sentence_says_when_it_is_out_of_date() -> None:
    """The controls have moved since."""
    lab = _lab()
    lab.change(seed=3)
    assert "press Run" in sentence(lab)


def test_tiles_say_what_is_not_there() -> None:
    """No protected attribute is n/a, no mechanism is ∞, and a baseline is named."""
    lab = _lab()
    assert tiles(Lab(setting_of(SMALL))) == ""
    shown = plain(tiles(lab))
    assert "worst client disparity n/a" in shown
    assert "ε spent ∞" in shown
    assert "no mechanism in use" in shown
    assert f"worst client {lab.outcome.record.last.accuracy.min():.3f}" in shown
    assert "baseline" not in shown
    lab.pin()
    assert f"baseline {lab.report().score:.2f}" in plain(tiles(lab))


def test_tiles_of_a_private_run_and_of_a_joint_model() -> None:
    """ε with its δ and what it protects; across columns there is one model and no worst client."""
    private = SMALL.change(privacy=use("gaussian", epsilon=3.0))
    shown = plain(tiles(Lab(setting_of(private), measure(tk.run(private)))))
    assert re.search(r"ε spent 3\.00: .* δ = 1e-05 · protects one example", shown)
    joint = plain(tiles(Lab(setting_of(COLUMNS), measure(tk.run(COLUMNS)))))
    assert "one joint model, held-out rows" in joint
    assert "worst client 0" not in joint


def test_status_of_every_state_in_words() -> None:
    """Idle, running with the count, stopping, stopped, stale, failed; the bar says the same to a screen reader."""
    gate = Gate(error_at=4)
    lab = gate.lab(SMALL)
    assert plain(status(lab)) == "stale · nothing trained yet; press Run"
    lab.player.start(SMALL)
    gate.arrive()
    assert plain(status(lab)) == "running 0 / 4"
    gate.open()
    gate.arrive()
    assert re.fullmatch(r"running 1 / 4 · about \d+\.\d s left", plain(status(lab)))
    assert 'aria-valuemax="4" aria-valuenow="1"' in status(lab)
    lab.stop()
    assert plain(status(lab)) == "stopping after round 1 …"
    gate.open()
    lab.player.wait()
    lab._finish()
    assert plain(status(lab)) == "stopped after 1 of 4 rounds; Run goes on from there"
    lab.change(seed=9)
    assert plain(status(lab)) == "stale · the picture shows an earlier setting; press Run"
    lab.undo()
    gate.open(9)
    lab.run(wait=True)
    assert plain(status(lab)) == "failed · see the red card"
    gate.error_at = 0
    lab.run(wait=True)
    assert plain(status(lab)) == "idle · 4 of 4 rounds done"
    assert 'role="progressbar"' in status(lab)


def test_status_while_it_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rounds are played, the result is not there yet."""
    inside, wait = threading.Event(), threading.Event()

    def slow(record: tk.RunRecord) -> Outcome:
        inside.set()
        wait.wait(60)
        return measure(record)

    monkeypatch.setattr("trustkit.widgets.player.measure", slow)
    lab = Lab(setting_of(PLAIN))
    lab.player.start(PLAIN)
    assert inside.wait(60)
    assert plain(status(lab)) == "running 2 / 2 · measuring trust"
    assert "It trains: what the run shows is said here" in sentence(lab)
    wait.set()
    lab.player.wait()
    assert "Nothing has been trained yet" in sentence(lab)


def test_names_are_never_markup(evil_lab: Any) -> None:
    """A data set, class, column, client or attribute may be called anything; the page shows it as text."""
    views = [widget for widget in tree(app(evil_lab)) if isinstance(widget, View)]
    text = "".join(view.value for view in views) + downloads(evil_lab)
    assert "alert(" in text
    assert "<script" not in text
    assert 'alert("' not in re.sub(r'data:[^"]*"', '"', "".join(re.findall(r"<[^>]*>", text)))
    assert [view.name for view in views if 'role="alert"' in view.value] == []


def test_a_menu_offers_the_attributes_of_the_run(evil_lab: Any) -> None:
    """And the picture follows it; where there is one or none there is no menu."""
    panel = FairnessPanel(evil_lab)
    view, menu = panel.children[0], the(panel, "groups by")
    assert menu.options == ((EVIL, EVIL), ("second", "second"))
    assert menu.layout.display == ""
    menu.value = "second"
    assert "disparity by second" in view.value
    lone = FairnessPanel(_lab())
    assert lone.children[1].layout.display == "none"
    assert "names no protected attribute" in lone.children[0].value


def the(panel: Any, description: str) -> Any:
    """Return the control of a panel that is called so."""
    return next(item for item in tree(panel) if getattr(item, "description", "") == description)


def test_panels_stand_alone() -> None:
    """Each makes a lab of its own if it is given none."""
    assert "Who holds which rows" in SplitPanel().value


def test_failure_and_tip_and_card() -> None:
    """Errors and explanations are escaped, attribute quotes too; a KeyError loses its quotes."""
    shown = failure(KeyError("there is no <b>"), "a & b")
    assert "<p>there is no &lt;b&gt;</p>" in shown
    assert "A &amp; b failed" in shown
    assert "<p>ZeroDivisionError</p>" in failure(ZeroDivisionError(), "x")
    hint = tip("0.5", 'say "no" <now>')
    assert 'data-tip="say &quot;no&quot; &lt;now&gt;"' in hint
    assert 'tabindex="0"' in hint
    assert card("t", "s", "b", "x").startswith('<section class="tk-card x">')


def test_fold_hides_until_its_button_is_pressed() -> None:
    """A button, which a keyboard reaches, shows and hides; what it does now can be seen on it."""
    box = fold("more", inside := w.HTML("x"))
    button, content = box.children
    assert (content.children, content.layout.display, button.description) == ((inside,), "none", "▸ more")
    button.value = True
    assert (content.layout.display, button.description) == ("", "▾ more")
    button.value = False
    assert (content.layout.display, button.description) == ("none", "▸ more")


def test_sentence_names_a_baseline_on_other_data() -> None:
    """A difference between two data sets is not the controls' alone, and says so."""
    lab = Lab(setting_of(SMALL), measure(tk.run(SMALL)))
    lab.pin()
    lab.go(setting_of(SMALL.change(data="digits")))
    lab.run(wait=True)
    assert "baseline on Breast cancer (Wisconsin))" in plain(sentence(lab))


def test_tiles_give_formula_and_source() -> None:
    """Each number on a tile, and each in the sentence, opens a formula and where it comes from."""
    lab = Lab(setting_of(SMALL), measure(tk.run(SMALL)))
    tips = re.findall(r'data-tip="([^"]*)"', tiles(lab))
    assert len(tips) == 6
    assert all("Source: " in tip for tip in tips if tip.startswith(("Σ", "Correct", "Demographic")))
    said = re.findall(r'data-tip="([^"]*)"', sentence(lab))
    assert len(said) == 2
    assert all("Source: " in tip for tip in said)
