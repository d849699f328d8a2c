"""Where the score comes from: weights, profiles, what moved the score, its rounds, and its bands."""

from __future__ import annotations

import base64
import re
import tomllib
from typing import Any

import ipywidgets as w
from trustkit.widgets import Lab, ScorePanel
from trustkit.widgets.player import Outcome
from trustkit.widgets.reasons import change
from trustkit.widgets.scores import Part
from trustkit.widgets.slider import Slider
from trustkit.widgets.sureness import rivals
from trustkit.widgets.tree import ScoreTree
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import PLAIN, setting_of, tree
from tests.widgets.test_tree import move, opened
from trustkit.trust import PROFILES, assess
from trustkit.trust.attribution import Bar
from trustkit.trust.profilefile import parse


def the(box: Any, kind: type, name: str = "") -> Any:
    """Find the one widget of a kind in a panel; of views, by name."""
    (found,) = [each for each in tree(box) if isinstance(each, kind) and (not name or vars(each).get("name") == name)]
    return found


def part(box: Any, name: str) -> Any:
    """Turn to a part of the panel; return what it shows."""
    choice = the(box, w.ToggleButtons)
    choice.index = ("scores", "moved", "rounds", "bands").index(name)
    return the(box, View, name)


def plain(text: str) -> str:
    """Take the tags away."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).strip()


def test_profiles_are_chosen_with_their_own_weights() -> None:
    """Weights of one profile are not those of another; both can be undone; a reset leads back to the paper's."""
    lab = opened(PLAIN)
    box = ScorePanel(lab)
    menu, found = the(box, w.Dropdown), the(box, ScoreTree)
    assert (menu.value, list(menu.options)) == ("paper", list(PROFILES))
    move(found, "privacy", 4)
    menu.value = "nebula-1.0"
    assert (lab.profile, lab.setting.weights) == ("nebula-1.0", ())
    assert lab.report().score == assess(lab.outcome.facts, "nebula-1.0").score
    assert "sustainability" in [row["id"] for row in found.rows]
    move(found, "sustainability", -4)
    assert lab.report().weights["sustainability"] == 0
    lab.undo()
    lab.undo()
    assert (lab.profile, menu.value, dict(lab.setting.weights)) == ("paper", "paper", {"privacy": 2.0})
    lab.redo()
    assert (lab.profile, menu.value, lab.setting.weights) == ("nebula-1.0", "nebula-1.0", ())
    lab.reset()
    assert (lab.profile, menu.value) == ("paper", "paper")
    assert lab.state == "idle"


def test_the_profile_can_be_taken_home() -> None:
    """A TOML file that scores as the page does; reset leads back to the profile as it is."""
    lab = opened(PLAIN)
    box = ScorePanel(lab)
    (reset,) = [each for each in tree(box) if isinstance(each, w.Button)]

    def file() -> tuple[str, Any]:
        link = the(box, View, "profile").value
        name, data = re.findall(r'download="([^"]+)" href="data:application/toml;base64,([^"]+)"', link)[0]
        return name, parse(tomllib.loads(base64.b64decode(data).decode()))

    for profile in PROFILES:
        lab.go(lab.setting.change(weights=()), profile)
        name, plain_one = file()
        assert name == f"trustkit_profile_{profile}.toml"
        assert assess(lab.outcome.facts, plain_one).score == lab.report().score
        move(the(box, ScoreTree), "fairness", 3)
        name, mine = file()
        assert name == "trustkit_profile_mine.toml"
        assert assess(lab.outcome.facts, mine).to_dict()["metrics"] == lab.report().to_dict()["metrics"]
    reset.click()
    assert lab.setting.weights == ()


def test_weights_that_are_all_nought_can_be_moved_back() -> None:
    """The card says why there is no score; the sliders stay."""
    lab = opened(PLAIN)
    box = ScorePanel(lab)
    found = the(box, ScoreTree)
    lab.change(
        weights=tuple((row["id"], 0.0) for row in found.rows if row["level"] == "pillar" and row["id"] != "privacy")
    )
    move(found, "privacy", -4)
    assert "weights must leave at least one metric" in the(box, View, "scores").value
    move(found, "privacy", 2)
    assert 'role="alert"' not in the(box, View, "scores").value
    assert dict(lab.setting.weights)["privacy"] == 0.5


def test_what_moved_the_score_against_the_baseline() -> None:
    """Without one it says what to do; with one, the bars are those of the waterfall, in words and signs."""
    lab = opened()
    box = ScorePanel(lab)
    view = part(box, "moved")
    assert "press Pin to keep this result" in view.value
    lab.pin()
    assert "This result is the baseline itself" in view.value
    assert "<svg" not in view.value
    lab.change(epsilon=2.0)
    lab.run(wait=True)
    found = tk.waterfall(lab.report(lab.baseline), lab.report())
    most = max(found.bars, key=lambda bar: abs(bar.contribution))
    assert "<svg" in view.value
    assert f"▲ {most.contribution:+.3f}" in view.value
    assert f"Trust from {found.start:.3f} to {found.end:.3f}" in view.value
    first = plain(view.value.partition("<ol")[2].partition("</li>")[0])
    assert f"rose from 0.000 to 1.000: trust up by {most.contribution:.3f}" in first
    lab.pin()
    lab.pin()
    assert "There is no baseline yet" in view.value


def test_changes_are_said_in_words_of_direction() -> None:
    """Largest first; evidence that comes or goes is named as such; what does not move is left out."""
    bars = (
        Bar("metric", "a", "score", 0.5, 0.25, -0.02), Bar("metric", "b", "score", 0.5, 0.75, 0.04),
        Bar("metric", "c", "evidence", None, 0.75, 0.03), Bar("metric", "d", "evidence", 0.5, None, -0.01),
        Bar("weights", "weights", "weights", None, None, 0.001), Bar("metric", "e", "score", 0.5, 0.5, 0.0),
    )  # fmt: skip
    assert list(change(bars, {"b": "Beta"})) == [
        "Beta rose from 0.500 to 0.750: trust up by 0.040",
        "C has evidence, which the baseline lacks, and scores 0.750: trust up by 0.030",
        "A fell from 0.500 to 0.250: trust down by 0.020",
        "D lost its evidence: trust down by 0.010",
        "Weights changed: trust up by 0.001",
    ]


def test_rounds_can_be_stepped_through() -> None:
    """The last one is the report; what is not measured each round is said to be held; a new run starts at its end."""
    lab = opened()
    box = ScorePanel(lab)
    view, steps = part(box, "rounds"), the(box, Slider)
    assert (steps.stops, steps.value) == ((1, 2, 3, 4), 4)
    assert "Followed: Performance" in view.value
    assert "all others are held at their last value" in view.value
    assert "Certified Robustness" not in view.value.partition("Followed: ")[2].partition(";")[0]
    at_end = view.value
    steps.index = 1
    assert view.value != at_end
    assert "Pillars after round 2 of 4" in view.value
    cells = re.findall(r"<td>([^<]*)</td>", view.value)
    trust = f"{lab.report().score:.3f}"
    assert cells[2] == trust
    lab.change(weights=(("robustness", 4.0),))
    assert re.findall(r"<td>([^<]*)</td>", view.value)[2] == f"{lab.report().score:.3f}" != trust
    lab.change(rounds=2)
    lab.run(wait=True)
    assert (steps.stops, steps.value) == ((1, 2), 2)
    assert "Pillars after round 2 of 2" in view.value


def test_bands_say_what_was_sampled() -> None:
    """Ends as `sensitivity` has them, how many draws, and of what."""
    lab = opened()
    view = part(ScorePanel(lab), "bands")
    low, high = tk.sensitivity(lab.report(), draws=1000).interval("privacy")
    assert f"<td>{low:.3f}</td><td>{high:.3f}</td>" in view.value
    for words in ("5\u202f% to 95\u202f%", "1,000 draws", "Dirichlet", "normalisers"):
        assert words in view.value
    before = view.value
    lab.change(weights=(("privacy", 0.5),))
    assert view.value != before


def test_rivals_are_named_with_the_chance_to_outrank_them() -> None:
    """None at first; then the baseline and other results of the page, by what differs, with the library's number."""
    lab = opened()
    view = part(ScorePanel(lab), "bands")
    assert "No other run to compare with yet" in view.value
    lab.pin()
    first = lab.outcome
    lab.change(epsilon=2.0)
    lab.run(wait=True)
    assert [(name, each) for name, each in rivals(lab) if each is first] == [
        ("baseline · privacy none instead of gaussian", first)
    ]
    chance = tk.outranks(lab.report(), lab.report(first), draws=1000)
    assert f"<td>{lab.report(first).score:.3f}</td><td>{chance:.0%}</td>" in view.value
    lab.change(rounds=2, seed=8, epsilon=float("inf"))
    lab.run(wait=True)
    assert [name for name, _ in rivals(lab)] == [
        "baseline · rounds 4 instead of 2, seed 1 instead of 8",
        "privacy gaussian (epsilon=2) instead of none, rounds 4 instead of 2, seed 1 instead of 8",
    ]
    before = view.value
    lab.pin()
    assert rivals(lab)[1][0].startswith("rounds 4 instead of 2")
    assert view.value != before


def test_only_what_is_shown_is_drawn() -> None:
    """A weight must not wait for pictures that nobody sees; what comes into view is up to date."""
    lab = opened()
    box = ScorePanel(lab)
    parts = [each for each in tree(box) if isinstance(each, Part)]
    assert [each.value for each in parts] == [""] * 3
    bands = part(box, "bands")
    before = bands.value
    part(box, "moved")
    lab.change(weights=(("privacy", 4.0),))
    assert bands.value == before
    assert part(box, "bands").value != before
    shown = [each.layout.display for each in box.children[2:]]
    assert shown == ["none", "none", "none", ""]


def test_before_any_training_there_is_nothing_and_no_error() -> None:
    """Every part says so."""
    lab = Lab(setting_of(PLAIN))
    box = ScorePanel(lab)
    for name in ("moved", "rounds", "bands"):
        assert "Nothing measured yet" in part(box, name).value
    found = the(box, ScoreTree)
    assert (found.rows, found.values) == ([], {})
    lab.run(wait=True)
    assert len(found.rows) == 40
    assert "<svg" in part(box, "bands").value


def test_notes_of_the_report_are_above_its_numbers() -> None:
    """Made-up rows are named beside the score, as text."""
    record = tk.run(PLAIN)
    facts = tk.facts_of(record, look_at=1, data__synthetic=True, data__stands_in_for="<b>real</b> rows")
    lab = Lab(setting_of(PLAIN), Outcome(record, facts))
    said = the(ScorePanel(lab), View, "scores").value
    assert "Computed on synthetic data, which stand in for &lt;b&gt;real&lt;/b&gt; rows." in said
