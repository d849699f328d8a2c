"""Files to take home: the report's, and each figure of the page with the numbers that it shows."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import re
import struct
import xml.etree.ElementTree as ET
from typing import Any

from trustkit.widgets import FilesPanel, Lab
from trustkit.widgets.drawn import pictures_of
from trustkit.widgets.player import measure
from trustkit.widgets.sections import Sections
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import setting_of, tree
from trustkit import use
from trustkit.lesson import SECTIONS

START = tk.Experiment("acs_employment", use("iid", parties=3), model="logistic", rounds=2, seed=1)


def opened() -> tuple[Any, Any]:
    """Open a page's sections on a run."""
    lab = Lab(setting_of(START), measure(tk.run(START)))
    return lab, Sections(lab)


def links(text: str) -> dict[str, bytes]:
    """Return the files inside a text, by name."""
    found = re.findall(r'download="([^"]+)" href="data:[^;]+;base64,([^"]+)"', text)
    return {name: base64.b64decode(content) for name, content in found}


def listed(box: Any) -> Any:
    """Return the view that lists the figures."""
    return next(each for each in tree(box) if isinstance(each, View) and each.name == "figures")


def test_every_figure_of_the_page_is_written() -> None:
    """SVG parses, PNG has 192 dots an inch, CSV has the numbers that are drawn; names tell run and view."""
    lab, sections = opened()
    for name in SECTIONS:
        sections.open(name)
    box = sections.box.children[0]
    box.children[1].click()
    files = links(listed(box).value)
    views = {"pillars", "split", "fairness", "accuracy", "participation", "dots", "swept", "groups", "injected"}
    views |= {"compared", "compared_2"}
    assert {name.removeprefix(f"trustkit_{START.key[:8]}_").rsplit(".", 1)[0] for name in files} == views
    assert len(files) == 3 * len(views)
    for name, content in files.items():
        if name.endswith(".svg"):
            assert ET.fromstring(content).tag.endswith("svg")
        elif name.endswith(".png"):
            dots = content[content.index(b"pHYs") + 4 :][:4]
            assert round(struct.unpack(">I", dots)[0] * 0.0254) >= 150
        else:
            assert len(list(csv.reader(io.StringIO(content.decode())))) > 1
    table = list(csv.DictReader(io.StringIO(files[f"trustkit_{START.key[:8]}_pillars.csv"].decode())))
    assert {row["pillar"]: float(row["score"]) for row in table} == lab.report().pillars


def test_figures_are_those_of_now() -> None:
    """What was hidden when the page changed is drawn anew before it is written; a later change lets files go."""
    lab, sections = opened()
    sections.open("fairness")
    sections.open("report")
    lab.change(rounds=1)
    lab.run(wait=True)
    box = sections.box.children[0]
    box.children[1].click()
    key = lab.experiment.key[:8]
    rows = list(csv.DictReader(io.StringIO(links(listed(box).value)[f"trustkit_{key}_accuracy.csv"].decode())))
    assert [row["round"] for row in rows] == ["1"]
    lab.change(weights=(("privacy", 2.0),))
    assert links(listed(box).value) == {}


def test_figures_are_written_one_after_the_other() -> None:
    """On a loop, so that the page can go on between two of them; a change ends it."""

    async def test() -> None:
        lab, _ = opened()
        box = FilesPanel(lab)
        assert len(pictures_of(lab)) == 4
        box.children[1].click()
        assert box.children[1].disabled
        await asyncio.sleep(0)
        assert 1 <= len(links(listed(box).value)) / 3 < 4
        lab.change(rounds=3)
        assert not box.children[1].disabled
        await asyncio.sleep(0.2)
        assert links(listed(box).value) == {}

    asyncio.run(test())


def test_the_report_and_its_sources() -> None:
    """The same files as under Report in the header; nothing without a result."""
    lab, _ = opened()
    box = FilesPanel(lab)
    names = {name.removeprefix(f"trustkit_{START.key[:8]}_") for name in links(box.children[0].value)}
    assert names == {"report.html", "report.json", "report.md", "report.csv", "factsheet.json", "rounds.csv",
                     "experiment.toml"}  # fmt: skip
    assert "Nothing measured yet" in FilesPanel(Lab(setting_of(START))).children[0].value
