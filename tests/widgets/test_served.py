"""A served page: its picture, its address, and the caps of a public one."""

from __future__ import annotations

import html.parser
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import ipywidgets as w
import numpy as np
import pytest
from trustkit.widgets import Lab, Setting, app, opening
from trustkit.widgets.addressbar import AddressBar
from trustkit.widgets.controls import Controls
from trustkit.widgets.header import Header
from trustkit.widgets.links import PLACE, address, landed, token_of
from trustkit.widgets.picture import MIME, Picture, picture
from trustkit.widgets.public import explained, noted, refused, within
from trustkit.widgets.served import prepared, served
from trustkit.widgets.strings import language, speak

import trustkit as tk
from tests.widgets.labs import tree
from trustkit import Experiment, use
from trustkit.sharelink import Shared, decode, encode


class _Tags(html.parser.HTMLParser):
    """Whether every tag that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("input", "br", "img", "hr", "path", "use", "meta", "rect", "circle", "line", "image"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def test_the_picture_shows_what_the_page_shows() -> None:
    """Sentence, tiles, pictures, sliders with their stops, menus, tabs and buttons; and nothing that is hidden."""
    page = app()
    drawn = picture(page)
    for words in ("tk-of-the-theme", "tk-v-summary", "Trust", "<svg", 'type="range"', "tk-tabs", "FedAvg", ">Run<"):
        assert words in drawn
    assert "tk-classes-of-the-widget" not in drawn
    assert drawn.count("<svg") >= 4
    tags = _Tags()
    tags.feed(drawn)
    assert not [tag for tag in tags.open if tag in ("div", "button", "section", "select", "label")]
    assert Picture(page)._repr_mimebundle_() == {MIME: drawn}


def test_text_in_a_picture_is_no_markup() -> None:
    """Whatever a description or an option says."""
    box = w.VBox([w.Button(description="<b>x</b>"), w.Dropdown(options=["<i>"], description="<u>"), w.IntSlider()])
    box.children[0].layout.display = ""
    drawn = picture(box)
    assert "&lt;b&gt;" in drawn
    assert "<b>x" not in drawn
    assert "<i>" not in drawn
    box.children[0].layout.display = "none"
    assert "&lt;b&gt;" not in picture(box)


def test_the_address_follows_the_state() -> None:
    """Empty where the page opened; then the token of the state; empty again once it is back."""
    lab = Lab(Setting())
    bar = AddressBar(lab)
    assert bar.token == ""
    lab.change(clients=12)
    assert bar.token == token_of(lab)
    lab.undo()
    assert bar.token == ""
    other = AddressBar(lab, asked="1.something")
    assert other.token == token_of(lab)  # whoever came by a link keeps one


def test_links_lie_where_the_browser_sees_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a proxy only the browser knows; what is no address is not believed."""
    monkeypatch.delenv(PLACE, raising=False)
    bar = AddressBar(Lab(Setting()))
    inside = {"VOILA_BASE_URL": "/", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "8866", "SCRIPT_NAME": "/trust/"}
    for wrong in ("javascript:alert(1)", "no address", "https://", "ftp://room.example/"):
        bar.place = wrong
        assert PLACE not in os.environ
    assert address(inside) == "http://127.0.0.1:8866/trust/"
    bar.place = "https://room.example/trust/?s=1.x"
    assert os.environ[PLACE] == "https://room.example/trust/"
    assert address({**inside, PLACE: os.environ[PLACE]}) == "https://room.example/trust/"
    os.environ.pop(PLACE)


def test_a_notebook_that_nobody_serves_has_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows the app alone; served without waiting, the page is drawn once."""
    monkeypatch.delenv("VOILA_BASE_URL", raising=False)
    assert prepared() is None
    assert served().lab.state == "idle"
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    monkeypatch.setenv("QUERY_STRING", "")
    first = prepared()
    assert first is not None
    assert MIME in first._repr_mimebundle_()
    assert served().lab.state == "idle"


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], w.VBox]]:
    """A page as a visitor's kernel gives it for a query; English is spoken before and after."""

    def visit(query: str, ready: bool = False) -> w.VBox:
        monkeypatch.setenv("VOILA_BASE_URL", "/")
        monkeypatch.setenv("VOILA_PREHEAT", str(ready))
        monkeypatch.setenv("QUERY_STRING", query)
        monkeypatch.setattr("voila.utils.get_query_string", lambda: query)
        prepared()
        return served()

    yield visit
    speak("en")


def said(page: w.VBox) -> str:
    """All HTML of a page but its style, and what its buttons say."""
    found = [getattr(each, "value", "") if isinstance(each, w.HTML) else getattr(each, "description", "")
             for each in tree(page)]  # fmt: skip
    return "\n".join(str(each) for each in found if "<style>" not in str(each))


@pytest.mark.parametrize("ready", [False, True])
def test_the_address_chooses_the_language(visited: Callable[..., w.VBox], ready: bool) -> None:
    """Also where the page was drawn before anybody came; regions and capitals are heard; the link goes on in it."""
    for query in ("language=de", "language=DE-at&theme=light"):
        page = visited(query, ready)
        assert (language(), "Trainieren" in said(page)) == ("de", True)
        token = token_of(page.lab)
        assert decode(token).shared.language == "de"
        assert next(each for each in tree(page) if isinstance(each, AddressBar)).token == ""
        speak("en")
    assert "Trainieren" in said(visited(f"s={token}", ready))
    assert language() == "de"
    page = visited(f"s={token}&language=en", ready)
    assert (language(), ">Run<" in picture(page)) == ("en", True)


@pytest.mark.parametrize("ready", [False, True])
def test_a_language_that_there_is_not_is_said_in_english(visited: Callable[..., w.VBox], ready: bool) -> None:
    """One sentence, escaped; on a German server too."""
    for query, called in (("language=tlh", "tlh"), ("language=%3Cb%3E", "&lt;b&gt;")):
        speak("de")
        page = visited(query, ready)
        assert language() == "en"
        assert f"There is no language “{called}” here, so this page speaks English; known are de, en." in said(page)
    token = encode(Shared(page.lab.experiment, language="tlh"))
    page = visited(f"s={token}", ready)
    assert language() == "en"
    assert "language &#x27;tlh&#x27; → en" in said(page)


def test_a_link_without_a_language_leaves_it(visited: Callable[..., w.VBox]) -> None:
    """As links of the first version are: the server's language is spoken."""
    speak("de")
    page = visited(f"s={encode(Shared(opening().experiment))}")
    assert (language(), "Trainieren" in said(page)) == ("de", True)


def test_a_public_page_cuts_what_is_above_its_caps(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a form, a preset or a link; it says what it cut, and a page of one's own cuts nothing."""
    monkeypatch.delenv("TRUSTKIT_PUBLIC", raising=False)
    assert within(Setting(rounds=200)) == (Setting(rounds=200), ())
    assert refused(Experiment("cces", use("iid", parties=3), model="logistic")) is None
    monkeypatch.setenv("TRUSTKIT_PUBLIC", "1")
    lab = Lab(Setting(rounds=200))
    assert lab.setting.rounds == 100
    assert "rounds 200 → 100" in noted(lab)
    lab.change(rounds=50)
    assert (lab.setting.rounds, noted(lab)) == (50, "")
    lab.change(rounds=150)
    assert (lab.setting.rounds, lab.notes) == (100, ("rounds 150 → 100",))
    columns = within(Setting(axis="columns", epochs=150))[0]
    assert columns.epochs == 100
    lab.change(data="cces", rows_split="iid")
    assert (lab.error, lab.setting.data) == (None, "sampled")
    assert "data: 20,000 of 58,079 rows" in noted(lab)
    lab.change(clients=7)
    assert (lab.notes, "data: 20,000 of 58,079 rows" in noted(lab)) == ((), True)  # as long as it holds
    lab.change(data="wine")
    assert noted(lab) == ""
    error = refused(Experiment("wine", "iid", model="logistic", rounds=150))
    assert "rounds must be at most 100" in str(error)


def test_presets_above_the_caps_are_offered_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The menu goes on naming the preset; nothing is red; the data are called after the whole; a link leads back."""
    monkeypatch.setenv("TRUSTKIT_PUBLIC", "1")
    lab = opening()
    header, controls = Header(lab), Controls(lab)
    for name, note in (("start/states", "data: 20,000 of 58,079 rows"), ("vertibench/letter-cvfl-alpha-1", "200 → 100"),
                       ("start/private", "")):  # fmt: skip
        header.preset.value = name
        assert (header.preset.value, lab.error) == (name, None)
        assert note in noted(lab)
        assert bool(noted(lab)) == bool(note)
    header.preset.value = "start/states"
    assert controls.data.label == "Household income, 50 states and DC: 20,000 of its rows"
    assert "American Community Survey" in header.caveat.value
    again, notes, problem = landed(token_of(lab), opening())
    assert (again.experiment, notes, problem) == (lab.experiment, (), "")
    whole = tk.presets()["start/states"]
    cut, notes, problem = landed(encode(Shared(whole)), opening())
    assert (cut.experiment, notes, problem) == (lab.experiment, (), "")
    lab.change(selection=0.3)
    assert header.preset.value == ""


def test_an_experiment_above_the_caps_is_never_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one that a panel asks for by itself."""
    monkeypatch.setenv("TRUSTKIT_PUBLIC", "1")
    lab = Lab(Setting())
    lab.run(wait=True, experiment=Experiment("wine", "iid", model="logistic", rounds=150))
    assert lab.progress is None
    assert "rounds must be at most 100" in str(lab.error)


CONFINED = """
import numpy as np
from trustkit.serving.confined import confine
from trustkit.widgets.public import explained
confine()
try:
    np.ones(1 << 28)
except MemoryError as error:
    print(explained(error).args[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what a process allocates")
def test_memory_is_bounded_and_the_message_says_so() -> None:
    """Two gigabytes in a process that may have 900 MB: refused in a sentence, and the process goes on."""
    done = subprocess.run([sys.executable, "-c", CONFINED], capture_output=True, text=True, check=True,
                          env={**os.environ, "TRUSTKIT_MEMORY": "900"})  # fmt: skip
    assert done.stdout.startswith("this needs more memory than the 900 MB that each page of this server has")


def test_only_a_lack_of_memory_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other errors stay as they are, and without a limit all do."""
    plain = ValueError("no")
    torch = RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory")
    monkeypatch.delenv("TRUSTKIT_MEMORY", raising=False)
    assert explained(torch) is torch
    monkeypatch.setenv("TRUSTKIT_MEMORY", "1536")
    assert explained(plain) is plain
    assert explained(None) is None
    for error in (torch, MemoryError(), np.exceptions.AxisError("Unable to allocate 3 GiB")):
        assert isinstance(explained(error), MemoryError)
        assert "1,536 MB" in str(explained(error))
