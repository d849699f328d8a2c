"""The page of a snapshot: whole, small, closed to the network, and with the numbers of its runs."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit import facts, trust
from trustkit.baking import LARGEST, snapshot
from trustkit.baking.frames import Frame, frame_of, written
from trustkit.baking.page import page
from trustkit.baking.varying import Setting, varied
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.findings import fairness_of, headline_of
from trustkit.records import RunRecord
from trustkit.rounds import run

START = Experiment("adult", use("iid", parties=3), "fedavg", "logistic", rounds=2, seed=1)
OVER = {"privacy.epsilon": [1, "off"]}


@pytest.fixture(scope="module")
def records() -> list[RunRecord]:
    """The two runs, played here."""
    return [run(each) for each in varied(START, OVER)[1]]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page as a file has it."""
    return snapshot(START, OVER, tmp_path_factory.mktemp("snapshot") / "a.html").read_text(encoding="utf-8")


class Reader(HTMLParser):
    """Notes every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


def test_numbers_are_those_of_the_runs(text: str, records: list[RunRecord]) -> None:
    """Every number of every frame, digit by digit."""
    for k, record in enumerate(records):
        body = text[text.index(f'<template id="frame-{k}">') :]
        body = body[: body.index("</template>")]
        told = dict(re.findall(r'<data data-name="([^"]+)" value="([^"]*)">', body))
        head, gaps = headline_of(record), fairness_of(record)
        assert gaps is not None
        expected: dict[str, Any] = {
            "trust": trust.assess(facts.facts_of(record)).score, "accuracy": head.accuracy, "epsilon": head.epsilon,
            "worst_accuracy": head.worst_accuracy, "fairness.demographic_disparity": gaps.worst,
            "megabytes": 1e-6 * float(record.bytes_up.sum() + record.bytes_down.sum()),
        }  # fmt: skip
        assert told == {name: repr(float(value)) for name, value in expected.items()}
        assert f"mean accuracy is {head.accuracy:.3f}" in html.unescape(body)


def test_it_opens_with_the_experiment_itself(text: str) -> None:
    """The slider stands where nothing is changed, and the page shows that frame before any script has run."""
    slider = next(attributes for tag, attributes in Reader(text).tags if tag == "input")
    assert (slider["type"], slider["min"], slider["max"], slider["step"], slider["value"]) == (
        "range",
        "0",
        "1",
        "1",
        "1",
    )
    assert slider["aria-valuetext"] == "off"
    shown = text[text.index('<div id="frame">') : text.index("<details>")]
    assert (
        shown.removeprefix('<div id="frame">').rsplit("</div>", 1)[0] in text[text.index('<template id="frame-1">') :]
    )


def test_nothing_is_asked_of_anybody(text: str) -> None:
    """No address outside the file; a policy that allows one script, known by its hash, and no more."""
    for tag, attributes in Reader(text).tags:
        for name in ("src", "action", "formaction", "poster", "data"):
            assert name not in attributes or attributes[name].startswith("data:"), tag
        for name in ("href", "xlink:href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), tag
        assert not any(name.startswith("on") for name in attributes), tag
    assert not re.search(r"url\((?!#|&quot;#|'#)", text)
    policy = next(attributes["content"] for tag, attributes in Reader(text).tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; ")
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script is not None
    assert text.count("<script") == 1
    assert base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode() in policy


def test_it_says_what_it_is(text: str) -> None:
    """A simulation, real or synthetic rows, what was played."""
    words = html.unescape(re.sub(r"<[^>]+>", " ", text))
    for said in ("A simulation on one machine, played before: 2 runs on real rows", "Nothing is computed here",
                 f"experiment {START.key[:8]}, seed 1", 'name = "fedavg"', "Licence: "):  # fmt: skip
        assert said in words
    for each in varied(START, OVER)[1]:
        assert f"<td>{each.key[:8]}</td><td>{each.seed}</td>" in text


def test_synthetic_rows_are_called_so(tmp_path: Path) -> None:
    """In the note, and first of all in the sentence; what they stand in for is named."""
    made_up = START.change(data=use("nbaiot_synthetic", rows=500), split=use("iid", parties=3), rounds=1)
    text = html.unescape(snapshot(made_up, {"seed": [1]}, tmp_path / "a.html").read_text(encoding="utf-8"))
    assert "1 run on synthetic rows, a stand-in for " in text
    assert 'aria-live="polite">Synthetic data. Trust is' in text


def test_what_is_scaled_down_says_so(tmp_path: Path) -> None:
    """A preset's own caveat, or the one given."""
    from trustkit.preset import presets, scaled_down

    start = START.change(rounds=1)
    told = snapshot(start, {"seed": [1]}, tmp_path / "a.html", caveat="fewer <writers>").read_text(encoding="utf-8")
    assert "Scaled down: fewer &lt;writers&gt;." in told
    assert "Scaled down" not in snapshot(start, {"seed": [1]}, tmp_path / "a.html").read_text(encoding="utf-8")
    assert scaled_down(presets()["paper/experiment-1"])  # what the default asks for


def test_twice_the_same(text: str, tmp_path: Path) -> None:
    """Byte for byte."""
    assert snapshot(START, OVER, tmp_path / "b.html").read_text(encoding="utf-8") == text


def test_too_large_a_page_is_refused(records: list[RunRecord]) -> None:
    """With its size, the limit, and the frames that take most."""
    frame = frame_of(records[0], ["radar"])
    heavy = replace(frame, pictures=(("A picture", "x" * 1_500_000),))
    setting = Setting("rounds", ("1", "2", "3"))
    with pytest.raises(ValueError) as caught:
        page([setting], [frame, heavy, heavy])
    words = str(caught.value)
    assert words.startswith(f"a snapshot must have at most {LARGEST:,} bytes, got 3,0")
    assert "with 3 frames, of which the largest are rounds 3: 1,50" in words
    assert words.endswith("fewer values or fewer pictures make it smaller")


def test_words_cannot_become_markup(records: list[RunRecord]) -> None:
    """Labels and sentences are escaped wherever they stand."""
    bad = "\"><script>alert('x')</script>"
    frame = replace(frame_of(records[0], ["radar"]), sentence=bad)
    text = page([Setting(bad, (bad,))], [frame])
    assert "<script>alert" not in text
    slider = next(attributes for tag, attributes in Reader(text).tags if tag == "input")
    assert slider["aria-valuetext"] == bad


def test_a_refused_snapshot_leaves_nothing(tmp_path: Path) -> None:
    """Whatever is wrong, the old file stays."""
    file = tmp_path / "a.html"
    file.write_text("old", encoding="utf-8")
    for over, more, text in (
        ({"rounds": [0]}, {}, "no experiment with rounds 0"),
        (
            {"rounds": [1]},
            {"pictures": ["nothing"]},
            "pictures must be of radar, accuracy, fairness, split, got 'nothing'",
        ),
        ({"rounds": [1]}, {"pictures": []}, "pictures must be at least one, got none"),
        ({"split.parties": [1_000_000]}, {}, "no experiment with split.parties 1000000: "),
        ({"split": [use("by_group", group="nothing")]}, {}, "the run with split by_group failed: "),
    ):
        with pytest.raises(ValueError, match=re.escape(text)):
            snapshot(START, over, file, **more)
    with pytest.raises(ValueError, match="over varies one experiment, got it with several"):
        snapshot([START], {"rounds": [1]}, file)
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]
    assert file.read_text(encoding="utf-8") == "old"


def test_a_number_and_one_joint_model() -> None:
    """RMSE in place of accuracy; nobody is the worst client; no groups, no picture of them."""
    told = Experiment("msd_synthetic", use("uniform", parties=2), "solo_trees", rounds=1)
    frame = frame_of(run(told.change(data=use("msd_synthetic", rows=200))), ["radar", "fairness", "split"])
    assert [tile.name for tile in frame.tiles] == [
        "trust",
        "rmse",
        "fairness.demographic_disparity",
        "epsilon",
        "megabytes",
    ]
    assert len(frame.pictures) == 1
    assert "RMSE is" in frame.sentence
    assert "the worst client" not in frame.sentence


def test_unknown_undefined_and_zero_stay_apart(records: list[RunRecord]) -> None:
    """A dash, n/a, 0.00."""
    assert [written(value, 2) for value in (None, np.nan, 0.0, -0.0, np.inf)] == ["–", "n/a", "0.00", "0.00", "∞"]
    frame: Frame = frame_of(records[1], ["accuracy"])
    epsilon = next(tile for tile in frame.tiles if tile.name == "epsilon")
    assert epsilon.text == "∞"
    assert "No noise is added" in frame.sentence
