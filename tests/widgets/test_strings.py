"""All text in one catalogue: what the code asks for is there, nothing is left over, and German says all of it."""

from __future__ import annotations

import ast
import dataclasses
import re
import string
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from trustkit.widgets.strings import Html, language, languages, say, say_html, speak, speaking

import trustkit.serving
from trustkit.experiment import Experiment
from trustkit.exposure.result import TARGETS
from trustkit.quantities import QUANTITIES
from trustkit.serving.spoken import sentences
from trustkit.texts import texts

FOLDER = Path(__file__).parents[2] / "widgets"
PAGES = Path(__file__).parents[2] / "trustkit" / "baking"
"""Pages without a kernel, which read the same catalogue."""
ENGLISH, GERMAN = texts("en"), texts("de")
ID = re.compile(r"[a-z]+\.[a-z0-9_]+")
ELSEWHERE = {
    "leaks": tuple(TARGETS),
    "columns": tuple(name[8:] for name in ENGLISH if name.startswith("columns.")),
    "snapshot": tuple(each.name for each in dataclasses.fields(Experiment)),
}
"""Names that ids are made of and that stand in the library, by section."""

CODE = ("picture",)
"""Modules whose literals are CSS and classes, not text."""


@cache
def modules() -> dict[str, ast.Module]:
    """The shipped widgets and pages without a kernel, parsed."""
    files = {**{file.stem: file for file in sorted(FOLDER.glob("*.py"))},
             **{f"baking.{file.stem}": file for file in sorted(PAGES.glob("*.py"))}}  # fmt: skip
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in files.items()}


def said(text: str | Mapping[str, str]) -> tuple[str, ...]:
    """The forms of a text."""
    return (text,) if isinstance(text, str) else tuple(text.values())


def fields(text: str | Mapping[str, str]) -> set[str]:
    """What stands in braces, in any of its forms."""
    return {name for form in said(text) for _, name, _, _ in string.Formatter().parse(form) if name is not None}


def tags(text: str | Mapping[str, str]) -> list[str]:
    """The tags of a text, in any order."""
    return sorted(set(re.findall(r"</?\w+", " ".join(said(text)))))


def docstrings(tree: ast.AST) -> set[int]:
    """Nodes that are only remarks."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def constants(tree: ast.AST) -> set[str]:
    """Every string of a module that does something."""
    remarks = docstrings(tree)
    remarks |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            if id(n) not in remarks}  # fmt: skip


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Calls of say and say_html."""
    for node in ast.walk(tree):
        name = ast.unparse(node.func).removeprefix("words.") if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in ("say", "say_html"):
            yield node, name


def shapes(tree: ast.AST) -> set[str]:
    """Patterns of the ids that are put together, as ``tree\\.(.+)``."""
    found = set()
    for call, _ in calls(tree):
        for node in ast.walk(call.args[0]):
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"(\w+)" for p in node.values]
                found.add("".join(parts))
    return found


NAMED = {"View": 3, "Part": 3, "Panel": 2, "guarded": 1}
"""What is given a name under which it fails, and as which argument."""


def views() -> set[str]:
    """Names that views and panels are made with, and that guards are told."""
    found = set()
    for tree in modules().values():
        for node in ast.walk(tree):
            place = NAMED.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and place is not None and len(node.args) > place:
                name = node.args[place]
                if isinstance(name, ast.Constant):
                    found.add(str(name.value))
    return found


def used() -> dict[str, set[str]]:
    """Ids that the code asks for, by module."""
    found: dict[str, set[str]] = {}
    for name, tree in modules().items():
        plain = constants(tree)
        sections = {each.partition(".")[0] for each in ENGLISH}
        ids = {each for each in plain if ID.fullmatch(each) and each.partition(".")[0] in sections}
        ids -= set(QUANTITIES) - set(ENGLISH)
        names = {word for each in plain for word in re.findall(r"\w+", each)} | {"none"}
        for shape in shapes(tree):
            known = views() if shape.startswith("view") else names | set(ELSEWHERE.get(shape.partition("\\")[0], ()))
            for each in ENGLISH:
                match = re.fullmatch(shape, each)
                if match and set(match.groups()) <= known:
                    ids.add(each)
        found[name] = ids
    return found


ARGUMENTS = {"privacy.epsilon", "split.alpha", "split.beta", "split.parties"}
"""Parts of an experiment with their arguments, as a snapshot varies them."""

FILES = re.compile(r"\w+\.(html|json|md|csv|toml|css|js|npz|py|svg|png)")


def test_every_text_that_the_code_asks_for_is_there() -> None:
    """Whole ids, and those that are put together from a section and a name."""
    for name, ids in used().items():
        unknown = {each for each in ids if each not in ENGLISH and not FILES.fullmatch(each)} - ARGUMENTS
        assert not unknown, f"{name}: {sorted(unknown)}"
        for shape in shapes(modules()[name]):
            assert any(re.fullmatch(shape, each) for each in ENGLISH), f"{name}: {shape}"


ROOM = Path(trustkit.serving.__file__).parent
SCRIPTS = (*sorted(FOLDER.glob("*.js")), *sorted(ROOM.rglob("*.js")))
"""What runs in browsers: of the widgets, and of the served page."""


def bare(script: str) -> str:
    """A script without its remarks."""
    return re.sub(r"(?m)(?<!:)//.*$", "", re.sub(r"(?s)/\*.*?\*/", "", script))


def script_literals(script: str) -> list[str]:
    """Its strings, without what is put into them."""
    found = re.findall(r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", bare(script))
    return [re.sub(r"\$\{[^}]*\}", "", "".join(parts)) for parts in found]


def said_by_the_room() -> set[str]:
    """Ids that the page's script and the server ask for while there is no kernel."""
    script = bare(next(each for each in SCRIPTS if each.name == "page.js").read_text(encoding="utf-8"))
    calls_ = " ".join(re.findall(r"(?:tell|say)\(([^;{}]*)\)", script))
    server = re.findall(r'say\["(\w+)"\]|say\[\'(\w+)\'\]', (ROOM / "room.py").read_text(encoding="utf-8"))
    return {f"room.{each}" for each in (*re.findall(r'"(\w+)"', calls_), *("".join(pair) for pair in server))}


def test_every_text_is_asked_for() -> None:
    """Nothing is left over; of the room nothing is missing either."""
    asked = set().union(*used().values()) | said_by_the_room()
    assert sorted(set(ENGLISH) - asked) == []
    assert said_by_the_room() == {each for each in ENGLISH if each.startswith("room.")}
    for code in languages():
        assert sentences()[code] == {each.removeprefix("room."): text for each, text in texts(code).items()
                                     if each.startswith("room.")}  # fmt: skip


def test_no_sentence_is_left_in_a_script() -> None:
    """Neither English nor German: two words beside each other that are no code, or a capital and a full stop."""
    assert len(SCRIPTS) >= 5
    found = [f"{each.name}: {text!r}" for each in SCRIPTS for text in script_literals(each.read_text(encoding="utf-8"))
             if sentence_in(text)]  # fmt: skip
    assert not found, "\n" + "\n".join(found)


def sentence_in(text: str) -> bool:
    """Whether a literal of a script would be read as words."""
    plain = re.sub(r"<[^>]*>", " ", text)
    words = re.search(r"[A-Za-zÀ-ÿ]{2,}[,:;]? +[A-Za-zÀ-ÿ]{2,}", plain)
    code = re.search(r"(^|[\s(,])[.#\[][\w-]", plain)  # a selector
    names = re.fullmatch(r"(tk-[\w-]* ?)+", plain)
    return bool(words and not code and not names) or bool(re.search(r"[A-Z][a-z]+\b.*[.!?…]$", plain))


def test_a_sentence_in_a_script_is_found() -> None:
    """The check can fail, and lets code be."""
    assert script_literals("say('a b'); // \"no remark\"\nlet x = `one ${two} three`;") == ["a b", "one  three"]
    assert all(map(sentence_in, ("The connection is lost", "Load it again", "<p>Try again</p>", "Lost.")))
    assert not any(map(sentence_in, ("change:token", "tk-lost", ".tk-app .tk-view", "api/kernels/", "tk-a tk-b", "s=")))


def test_every_view_has_a_name_to_fail_under() -> None:
    """A red card says what failed."""
    assert len(views()) > 15
    assert {f"view.{name}" for name in views()} <= set(ENGLISH)


def test_fields_are_given_as_the_texts_want_them() -> None:
    """Where the call names them; one with plural forms is given a count."""
    checked = 0
    for name, tree in modules().items():
        for call, _ in calls(tree):
            first, given = call.args[0], {each.arg for each in call.keywords}
            if isinstance(first, ast.Constant) and None not in given:
                text = ENGLISH[str(first.value)]
                wanted = fields(text) | ({"count"} if not isinstance(text, str) else set())
                assert given == wanted, f"{name}:{call.lineno} {first.value!r}"
                checked += 1
    assert checked > 250


def test_html_is_asked_for_as_html() -> None:
    """A text with tags is never shown as plain text."""
    for name, tree in modules().items():
        for call, how in calls(tree):
            first = call.args[0]
            if isinstance(first, ast.Constant) and how == "say":
                assert not tags(ENGLISH[str(first.value)]), f"{name}:{call.lineno} {first.value!r}"


def test_german_says_all_of_it() -> None:
    """The same ids, fields, plural forms and tags; every text is another one, or has no words."""
    assert set(GERMAN) == set(ENGLISH)
    alike = []
    for id_, text in ENGLISH.items():
        other = GERMAN[id_]
        assert fields(other) == fields(text), id_
        assert tags(other) == tags(text), id_
        assert isinstance(other, str) == isinstance(text, str), id_
        words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\{\w+\}", "", " ".join(said(text))))
        if other == text and words:
            alike.append(id_)
    assert set(alike) <= SAME, sorted(set(alike) - SAME)


SAME = {
    "summary.rmse", "tiles.rmse", "crossings.rmse", "crossings.minutes", "training.title_rmse", "controls.training",
    "hints.clients", "links.link_field", "links.code_field", "view.fairness", "view.training", "header.link",
    "columns.icor", "columns.pcor",
    "snapshot.number_rmse", "header.code", "sections.fairness", "correlation.gauge_label", "controls.model",
    "view.profile",
}  # fmt: skip
"""Words that are the same in both languages."""


def hushed(tree: ast.Module) -> set[int]:
    """What no reader of a page sees: remarks, errors for whoever calls, the catalogue's own titles (compared below)."""
    skipped = docstrings(tree)
    for node in ast.walk(tree):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Raise) or "Error" in called or called == "PANELS.enter":
            skipped |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
    return skipped


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Text that a reader would see, and that is written in the code."""
    skipped = hushed(tree)
    for node in ast.walk(tree):
        found: list[str] = []
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Call):
            found = [text for each in node.keywords if each.arg in SHOWN for text in shown(each.value)]
        elif isinstance(node, ast.JoinedStr):
            found = list(outside("".join(str(p.value) if isinstance(p, ast.Constant) else "\0" for p in node.values)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = list(outside(node.value))
        yield from ((getattr(node, "lineno", 0), text) for text in found)


SHOWN = ("description", "tooltip", "placeholder", "label", "hint", "about", "options")
"""Arguments of widgets that are shown."""


def shown(node: ast.AST) -> Iterator[str]:
    """Words in a widget's argument: its literals, and the first of each pair that a menu offers."""
    if isinstance(node, ast.Constant) and re.search(r"[A-Za-z]{2,}", str(node.value)):
        yield str(node.value)
    elif isinstance(node, ast.Tuple) and node.elts:
        yield from shown(node.elts[0])
    elif isinstance(node, (ast.List, ast.IfExp, ast.JoinedStr)):
        for part in ast.iter_child_nodes(node):
            yield from shown(part)


def outside(text: str) -> Iterator[str]:
    """Words between tags, spoken names, and sentences."""
    if "<" in text:
        for label in re.findall(r'aria-label="([^"]*)"', text):
            if re.search("[A-Za-z]{2,}", label):
                yield label
        bare = re.sub(r"<style.*", "", text, flags=re.DOTALL)
        for part in re.split(r"<[^>]*>?", bare):
            if re.search(r"[A-Za-z]{3,}", part):
                yield part
    elif re.search(r"[A-Za-z]{2,}[ ,:;]+[A-Za-z]{2,}", text.replace("\0", "")) and not text.startswith(("tk-", "http")):
        yield text


def test_no_text_is_left_in_the_code() -> None:
    """Descriptions, tooltips, options, HTML and sentences come from the catalogue."""
    complaints = [f"{name}:{line} {text!r}" for name, tree in modules().items() if name not in CODE
                  for line, text in literals(tree) if not allowed(text)]  # fmt: skip
    assert not complaints, "\n" + "\n".join(complaints)


def allowed(text: str) -> bool:
    """What is no word of any language: code, CSS, names."""
    return any(re.search(pattern, text) for pattern in ALLOWED)


ALLOWED = (
    r"^from trustkit\.widgets import app",  # the line to put into a cell
    r"^trustkit $",
    r"^trustkit[ -]\w+$",
    r"^(widget|jupyter|tk)-[\w -]+$",  # classes of style sheets
    r"^\{ ",
    r"display: none",
    r"--tk-word-",
    r"^\w+\.toml$",
    r"^\w+ (svg|shown)$",  # keys of what was drawn
    r"^bias (gap|rest|share)$|^share of attackers$|^weight of \0$",  # names of drags
    r"^this split$",  # a point's name, translated with the picture
    r"^allocate memory|^unable to allocate|^can't start new thread",  # looked for in errors of the system
    r"^told to every party$",  # a fact's value, compared
    r"^no(opener|referrer)",
    r"^default-src ",  # the policy of a page
    r"^a snapshot must have at most ",  # an error
    r"^scaled down: ",  # the library's words, looked up
    r"\\b(aria-label|data-figure)=",  # what is looked for in pictures
    r"^family: (inherit|sans-serif)$|^data:image/svg",  # parts of pictures
)


@pytest.mark.parametrize(
    "code",
    [
        'w.Button(description="Press me")',
        'w.Dropdown(options=[("by round", "round")])',
        'x = f"<p>Nothing yet, {name}</p>"',
        "x = '<div aria-label=\"attacks\">'",
        'x = f"{done} of {total} rounds are there"',
    ],
)
def test_text_in_the_code_is_found(code: str) -> None:
    """The check can fail."""
    assert list(literals(ast.parse(code)))


def test_the_titles_of_panels_are_those_of_the_catalogue() -> None:
    """A panel is entered under its English title."""
    from trustkit.catalogue import PANELS

    known = {text for text in ENGLISH.values() if isinstance(text, str)}
    other = {"Who holds what", "Is it real?"}  # what is held is said; the second goes on in the page's words
    assert {entry.title for entry in PANELS.values()} <= known | other


def test_the_page_speaks_english_unless_it_is_asked() -> None:
    """By a call, for a block, or by the environment; a language that there is not is refused."""
    assert languages() == ("de", "en")
    assert language() == "en"
    with speaking("de"):
        assert (language(), say("controls.step")) == ("de", "Schritt")
    assert say("controls.step") == "Step"
    with pytest.raises(ValueError, match="language must be one of de, en, got 'fr'"):
        speak("fr")
    assert language() == "en"


def test_the_environment_chooses_the_language() -> None:
    """As the served app's kernels are told."""
    code = "from trustkit.widgets.strings import say; print(say('controls.step'))"
    for chosen, word in (("de", "Schritt"), ("", "Step")):
        environment = {"TRUSTKIT_LANGUAGE": chosen, "PATH": ""}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        assert done.stdout.strip() == word


def test_fields_are_escaped_in_html_alone() -> None:
    """Once: what is HTML already stays as it is, numbers too."""
    why = "a < b & c"
    assert say("links.no_link", why=why) == "No link: a < b & c."
    assert say_html("links.no_link", why=why) == "No link: a &lt; b &amp; c."
    assert say_html("links.no_link", why=Html("<b>x</b>")) == "No link: <b>x</b>."
    assert isinstance(say_html("links.no_link", why=why), Html)
    assert say("status.stopped", done=3, total=20) == "stopped after 3 of 20 rounds; Run goes on from there"


def test_one_and_many() -> None:
    """In both languages."""
    forms: dict[str, list[Any]] = {}
    for code in languages():
        with speaking(code):
            forms[code] = [say("attack.attacks", names="X", count=count) for count in (1, 2, 0)]
    assert forms["en"] == ["X attacks; ", "X attack; ", "X attack; "]
    assert forms["de"] == ["X greift an; ", "X greifen an; ", "X greifen an; "]


def test_what_is_not_there_is_said() -> None:
    """An unknown id, a missing count, a missing field."""
    with pytest.raises(KeyError, match=r"there is no text 'status\.none' in en\.toml"):
        say("status.none")
    with pytest.raises(KeyError, match="has plural forms and needs a field count"):
        say("attack.attacks", names="X")
    with pytest.raises(KeyError, match="total"):
        say("status.stopped", done=3)
