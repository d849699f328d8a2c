"""Pages of the book that list every public name, written from ``__all__`` and docstrings.

``python -m trustkit.apipages notebooks`` writes them anew; a test holds them to the code.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from trustkit import jsonfile

__all__ = ["PAGES", "api_page", "write_pages"]

PAGES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "api": (
        "Every name of tk",
        "What `import trustkit as tk` brings, from data to report; rooms with more names have pages of their own.",
        ("trustkit",),
    ),
    "api_datasets": ("tk.datasets", "Data that come with trustkit, and readers of your own.", ("trustkit.datasets",)),
    "api_split": ("tk.split", "Dividing rows and columns among parties, and measuring how.", ("trustkit.split",)),
    "api_metrics": ("tk.metrics", "Arrays in, numbers out.", ("trustkit.metrics",)),
    "api_plot": (
        "tk.plot, tk.export and figures",
        "Functions that return matplotlib figures, the numbers behind them, and files to take home.",
        ("trustkit.plot", "trustkit.export", "trustkit.figures"),
    ),
    "api_trust": ("Trust: fact sheets, profiles, reports", "What is in `trustkit.trust`.", ("trustkit.trust",)),
    "api_scale": (
        "tk.scale, tk.flower, tk.store and snapshots",
        "Many runs, real federations, runs on disk, and pages that need no kernel.",
        ("trustkit.scale", "trustkit.flower", "trustkit.store", "trustkit.baking"),
    ),
}
"""Title, first sentence and modules of each page, by its file's name without suffix."""

_ORIGIN = "This page is written from the docstrings by `trustkit.apipages`, and a test holds it to them."
_TITLE = re.compile(r"^([A-Z][A-Za-z ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
_LONGEST = 60
"""Characters of a default."""

_LISTED = ("Parameters", "Returns", "Yields", "Raises", "Attributes")


def api_page(page: str) -> str:
    """Write one page.

    Parameters
    ----------
    page : str
        A name of `PAGES`.

    Returns
    -------
    str
        MyST Markdown: a list of the names, and a section of each with its signature and what its docstring says.

    Raises
    ------
    KeyError
        If there is no such page.

    Examples
    --------
    >>> api_page("api_scale").splitlines()[0]
    '# tk.scale, tk.flower, tk.store and snapshots'
    """
    if page not in PAGES:
        raise KeyError(f"there is no page {page!r}; known are {', '.join(PAGES)}")
    title, about, modules = PAGES[page]
    rooms = [import_module(module) for module in modules]
    parts = [f"# {title}", f"{about} {_ORIGIN}"]
    for room in rooms:
        names = [name for name in room.__all__ if not inspect.ismodule(getattr(room, name))]
        parts.append(f"## `{room.__name__}`")
        parts.append(" · ".join(f"[`{name}`](#{_anchor(room, name)})" for name in names))
        parts += [_section(room, name) for name in names]
    return "\n\n".join(parts) + "\n"


def write_pages(folder: Path) -> list[Path]:
    """Write all pages.

    Parameters
    ----------
    folder : pathlib.Path
        Where to.

    Returns
    -------
    list of pathlib.Path
        The written files.
    """
    return [jsonfile.write_text(folder / f"{page}.md", api_page(page)) for page in PAGES]


def _anchor(room: ModuleType, name: str) -> str:
    thing = getattr(room, name)
    kind = "-class" if inspect.isclass(thing) else "" if inspect.isroutine(thing) else "-value"
    return f"{room.__name__}.{name}{kind}".replace(".", "-").replace("_", "-").lower()


def _section(room: ModuleType, name: str) -> str:
    thing = getattr(room, name)
    head = f"({_anchor(room, name)})=\n### {name}"
    if not inspect.isclass(thing) and not inspect.isroutine(thing):
        return f"{head}\n\n{_value(name, thing)}"
    parts = [head, _signature(name, thing), *_docstring(inspect.getdoc(thing) or "")]
    return "\n\n".join([*parts, *_members(thing)] if inspect.isclass(thing) else parts)


def _value(name: str, thing: Any) -> str:
    """What a value is, and the words under it in the module that makes it."""
    kind = f"A {type(thing).__name__}" + (f" of {len(thing)}" if hasattr(thing, "__len__") else "")
    pattern = re.compile(rf'^{name}\b[^\n]*=.*?\n"""(.*?)"""', re.MULTILINE | re.DOTALL)
    for module in [each for key, each in sorted(sys.modules.items()) if key.partition(".")[0] == "trustkit"]:
        if getattr(module, name, None) is thing and (found := pattern.search(inspect.getsource(module))):
            return f"{kind}. {_text(' '.join(found[1].split()))}"
    return f"{kind}."


class _Shown:
    """A default as a reader can take it in: what is long, or has no literal, is an ellipsis."""

    def __init__(self, value: Any) -> None:
        words = value.__name__ if inspect.isclass(value) else repr(value)
        self._words = words if len(words) <= _LONGEST and "<" not in words else "..."

    def __repr__(self) -> str:
        return self._words


def _signature(name: str, thing: Any) -> str:
    """How it is called: names and defaults; the types are in the list of parameters."""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return f"```python\n{name}(...)\n```"
    empty = inspect.Parameter.empty
    plain = [each.replace(annotation=empty, default=empty if each.default is empty else _Shown(each.default))
             for each in found.parameters.values()]  # fmt: skip
    called = found.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    return f"```python\n{name}{called}\n```"


def _members(thing: type) -> Iterator[str]:
    """Its own methods and properties, a line each."""
    lines = []
    for name, member in vars(thing).items():
        own = getattr(member, "__func__", member)
        words = (inspect.getdoc(own) or "").split("\n", 1)[0]
        if name.startswith("_") or not words or not (callable(own) or isinstance(member, property)
                                                     or hasattr(member, "func")):  # fmt: skip
            continue
        lines.append(f"- `{name}{'' if not callable(own) else '()'}`: {_text(words)}")
    if lines:
        yield "**Members**\n\n" + "\n".join(lines)


def _docstring(text: str) -> Iterator[str]:
    """A docstring's sections, as Markdown."""
    parts = _TITLE.split(text)
    yield from _prose(parts[0])
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield f"**{title}**"
        if title in _LISTED:
            yield "\n".join(_entries(body))
        else:
            yield from _prose(body)


def _entries(body: str) -> Iterator[str]:
    """A list of ``name : type`` with what is said about each."""
    for entry in filter(str.strip, _ENTRY.split(body)):
        head, _, words = entry.partition("\n")
        name, colon, kind = head.partition(" : ")
        called = f"`{name}`" + (f" ({_text(kind)})" if colon else "")
        yield f"- {called}: {_text(' '.join(words.split()))}" if words.strip() else f"- {called}"


def _prose(body: str) -> Iterator[str]:
    """Paragraphs as they are; examples as code; what is indented as it stands."""
    for block in re.split(r"\n\s*\n", body.strip("\n")):
        if not block.strip():
            continue
        if block.lstrip().startswith(">>>"):
            yield f"```python\n{inspect.cleandoc(block)}\n```"
        elif all(line.startswith("    ") for line in block.splitlines()):
            yield f"```text\n{inspect.cleandoc(block)}\n```"
        else:
            yield "\n".join(_text(line.strip()) for line in block.splitlines())


def _text(words: str) -> str:
    """A docstring's words as Markdown's: code in single ticks, signs of Markdown outside it escaped."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", words)
    return "".join(f"`{part.strip('`')}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))


def _escaped(part: str) -> str:
    bold = re.split(r"(\*\*[A-Z][\w ]*\*\*)", part)
    return "".join(each if at % 2 else re.sub(r"([*$|<@_\[\]])", r"\\\1", each) for at, each in enumerate(bold))


if __name__ == "__main__":
    for written in write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "notebooks")):
        print(written)
