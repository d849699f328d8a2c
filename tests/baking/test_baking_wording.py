"""A snapshot in another language: the catalogue's texts, the library's words, and nothing English where German is."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest
from trustkit.widgets.strings import languages, say, speaking
from trustkit.widgets.translated import translated

from tests.widgets.spoken import english_in
from trustkit.baking import LARGEST, snapshot
from trustkit.baking.frames import frame_of, written
from trustkit.baking.page import page
from trustkit.baking.varying import Setting, compared, varied
from trustkit.baking.wording import words_of
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.preset import presets, scaled_down
from trustkit.rounds import run
from trustkit.texts import library_texts, texts

START = Experiment("acs_employment", use("iid", parties=3), "fedavg", "logistic", rounds=2, seed=1)
OVER = {"privacy.epsilon": [1, "off"]}


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page as a file has it, with every picture that there is."""
    file = tmp_path_factory.mktemp("snapshot") / "de.html"
    pictures = ("radar", "accuracy", "fairness", "split")
    return snapshot(START, OVER, file, pictures=pictures, language="de").read_text(encoding="utf-8")


def seen(text: str) -> list[str]:
    """What a person reads or hears, piece by piece; what is marked as English is left out."""
    text = re.sub(r"<(style|script|pre|title|metadata)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r'<span lang="en">.*?</span>', "", text, flags=re.DOTALL)
    spoken = re.findall(r'(?:aria-label|aria-valuetext|data-say)="([^"]*)"', text)
    return [html.unescape(each).strip() for each in (*spoken, *re.split(r"<[^>]*>", text)) if each.strip()]


def test_the_words_are_those_of_the_app() -> None:
    """One catalogue: every text and every word of the library, said here as the panels say it."""
    for code in languages():
        words = words_of(code)
        with speaking(code):
            assert {"page.undefined", "snapshot.numbers"} <= set(texts(code))
            assert say("page.undefined") == words.say("page.undefined")
            for text in (*library_texts("de"), "client 3", "1,234 of 5,678", "n/a: one group only", "my own split",
                         "demographic disparity by sex", "round 3 of 20"):  # fmt: skip
                assert words.translated(text) == translated(text)


def test_a_german_page_has_no_english_on_it(german: str) -> None:
    """Sentences, tiles, axes, names of pictures, and what is read out; names of arguments and sources are left."""
    assert '<html lang="de">' in german
    said = seen(german)
    assert len(said) > 150
    assert english_in(said) == []
    for words in ("Wer hält was?", "Privatsphäre: ε:", "aus", "Runde", "Beschäftigung, Massachusetts 2015–2018, FedAvg",
                  "mittlere Genauigkeit", "Alle Zahlen", "Startwert"):  # fmt: skip
        assert words in said, words
    assert any(
        "Eine Simulation auf einem Rechner, vorher gespielt: 2 Läufe auf echten Zeilen." in each for each in said
    )
    assert any(each.startswith("Das Vertrauen ist 0.") and "für eine Zeile" in each for each in said)
    assert len(german.encode()) < LARGEST
    source = german[german.index('<p class="note">Daten: ') :]
    assert source.startswith('<p class="note">Daten: <span lang="en">')


def test_numbers_are_the_same_in_both_languages(german: str, tmp_path: Path) -> None:
    """And in the same order."""
    english = snapshot(START, OVER, tmp_path / "en.html", pictures=("radar", "accuracy", "fairness", "split"))
    numbers = re.compile(r'<data data-name="([^"]+)" value="([^"]*)">([^<]*)<')
    assert numbers.findall(german) == numbers.findall(english.read_text(encoding="utf-8"))


def test_a_language_that_there_is_not_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    """One sentence; nothing is written."""
    with pytest.raises(ValueError, match="language must be one of de, en, got 'fr'"):
        snapshot(START.change(rounds=10**6), OVER, tmp_path / "a.html", language="fr")
    assert list(tmp_path.iterdir()) == []


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a language is named."""
    monkeypatch.setenv("TRUSTKIT_LANGUAGE", "de")
    assert words_of().language == "de"
    assert words_of("en").language == "en"
    monkeypatch.setenv("TRUSTKIT_LANGUAGE", "")
    assert words_of().language == "en"


def test_parts_have_names_and_arguments_stay() -> None:
    """Of one that is varied, and of several that are laid side by side."""
    settings, _ = varied(START, {"split.parties": [2, 3], "model": ["logistic", "mlp"]}, "de")
    assert [each.title for each in settings] == ["Aufteilung: parties", "Modell"]
    several = [START, START.change(rounds=1), START.change(privacy=use("gaussian", epsilon=1.0))]
    assert compared(several, "de")[0] == [
        Setting(
            "Experiment",
            ("Runden 2, Privatsphäre aus", "Runden 1, Privatsphäre aus", "Runden 2, Privatsphäre gaussian"),
        )
    ]
    assert compared([START], "de")[0] == [Setting("Experiment", ("Lauf",))]


def test_what_is_smaller_is_said_in_german() -> None:
    """A preset's own caveat is known; another stays as it was given."""
    frame = frame_of(run(START), [], language="de")
    caveat = scaled_down(presets()["paper/experiment-4"])
    told = page([Setting("x", ("x",))], [frame], caveat=caveat, language="de")
    assert "Verkleinert: synthetischer" in told
    assert "Verkleinert: fewer &lt;writers&gt;." in page([Setting("x", ("x",))], [frame], 0, "fewer <writers>", "de")


def test_a_joint_model_that_predicts_a_number() -> None:
    """RMSE in every word, in both languages; nothing is called accuracy."""
    wanted = Experiment(use("msd_synthetic", rows=200), use("uniform", parties=2), "solo_trees", rounds=1)
    record = run(wanted)
    for language, title in (("en", "RMSE by round"), ("de", "RMSE nach Runden")):
        frame = frame_of(record, ["accuracy"], language=language)
        assert frame.pictures[0][0] == title
        assert f"{title}, " in html.unescape(frame.pictures[0][1])
    assert written(float("nan"), 2, words_of("de")) == "n. def."


def test_no_panel_is_loaded() -> None:
    """The catalogue is read as files."""
    code = ("import sys; from trustkit.baking.wording import words_of; words_of('de'); "
            "print('trustkit.widgets' in sys.modules, 'ipywidgets' in sys.modules)")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
