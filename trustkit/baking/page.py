"""The page: one HTML file that needs no kernel, no network and no server."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib import resources
from importlib.metadata import version

from trustkit.baking.frames import Frame, Tile
from trustkit.baking.varying import Setting
from trustkit.baking.wording import Words, words_of
from trustkit.catalogue import ALGORITHMS, DATASETS
from trustkit.experiment import Experiment
from trustkit.rounds import data_of

__all__ = ["LARGEST", "page"]

LARGEST = 2_000_000
"""Bytes of a page: what learning platforms and slides still take."""


def page(
    settings: Sequence[Setting], frames: Sequence[Frame], first: int = 0, caveat: str = "", language: str = "en"
) -> str:
    """Write a snapshot's page.

    Parameters
    ----------
    settings : sequence of Setting
        A slider each; the last varies fastest.
    frames : sequence of Frame
        One for each combination.
    first : int
        Which of them the page opens with.
    caveat : str
        What is smaller than in what the runs are named after; empty for nothing.
    language : str
        Of the settings and frames, see `trustkit.baking.wording.words_of`.

    Returns
    -------
    str
        HTML of at most 2,000,000 bytes.

    Raises
    ------
    ValueError
        If it would be larger; the message says which frames take most.
    """
    script, look = (resources.files("trustkit.baking").joinpath(file).read_text(encoding="utf-8")
                    for file in ("slider.js", "look.css"))  # fmt: skip
    bodies = [_frame(frame) for frame in frames]
    places = _places(settings, first)
    start = frames[first].experiment
    words = words_of(language)
    named = {"data": DATASETS[start.data.name].title, "algorithm": ALGORITHMS[start.algorithm.name].title}
    title = words.say("snapshot.title", **{name: words.translated(each) for name, each in named.items()})
    text = "\n".join([
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(words.say('snapshot.page', title=title))}</title>",
        f"<style>\n{look}</style>\n</head>\n<body>\n<main>",
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="note">{_note(start, len(frames), caveat, words)}</p>',
        f"<form>{''.join(_slider(k, *pair) for k, pair in enumerate(zip(settings, places, strict=True)))}</form>",
        f'<p id="still">{html.escape(words.say("snapshot.still"))}</p>',
        f'<p id="say" role="status" aria-live="polite">{html.escape(frames[first].sentence)}</p>',
        f'<div id="frame">{bodies[first]}</div>',
        _table(settings, frames, first, words),
        _played(start, words),
        "</main>",
        *(f'<template id="frame-{k}">{body}</template>' for k, body in enumerate(bodies)),
        f"<script>{script}</script>\n</body>\n</html>\n",
    ])  # fmt: skip
    size = len(text.encode("utf-8"))
    if size > LARGEST:
        raise ValueError(_too_large(size, settings, bodies))
    return text


def _policy(script: str) -> str:
    """Nothing is fetched, and no script runs but the one that is written here."""
    hashed = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (f"default-src 'none'; script-src 'sha256-{hashed}'; style-src 'unsafe-inline'; img-src data:; "
            "base-uri 'none'; form-action 'none'")  # fmt: skip


def _places(settings: Sequence[Setting], at: int) -> list[int]:
    """Where each slider stands at a combination."""
    places = []
    for setting in reversed(settings):
        at, place = divmod(at, len(setting.labels))
        places.append(place)
    return places[::-1]


def called(settings: Sequence[Setting], at: int) -> str:
    """Name a combination, as "privacy: ε 0.5".

    Parameters
    ----------
    settings : sequence of Setting
        The sliders.
    at : int
        Which combination.

    Returns
    -------
    str
        Titles and labels.
    """
    pairs = zip(settings, _places(settings, at), strict=True)
    return ", ".join(f"{setting.title} {setting.labels[place]}" for setting, place in pairs)


def _slider(number: int, setting: Setting, place: int) -> str:
    labels = html.escape(json.dumps(setting.labels, ensure_ascii=False), quote=True)
    now, last = html.escape(setting.labels[place], quote=True), len(setting.labels) - 1
    ends = "".join(f"<span>{html.escape(setting.labels[k])}</span>" for k in (0, last))
    return (f'<div><label for="slider-{number}">{html.escape(setting.title)}: <output>{now}</output></label>'
            f'<input id="slider-{number}" type="range" min="0" max="{last}" step="1" value="{place}" '
            f'autocomplete="off" data-labels="{labels}" aria-valuetext="{now}">'
            f'<div class="ends" aria-hidden="true">{ends}</div></div>')  # fmt: skip


def _frame(frame: Frame) -> str:
    tiles = "".join(f"<div><dt>{html.escape(tile.title)}</dt><dd>{_data(tile)}</dd></div>" for tile in frame.tiles)
    pictures = "".join(f"<figure><h2>{html.escape(title)}</h2>{svg}</figure>" for title, svg in frame.pictures)
    return (f'<div data-say="{html.escape(frame.sentence, quote=True)}"><dl class="tiles">{tiles}</dl>'
            f'<div class="pictures">{pictures}</div></div>')  # fmt: skip


def _data(tile: Tile) -> str:
    value = "" if tile.value is None else repr(float(tile.value))
    return f'<data data-name="{tile.name}" value="{value}">{html.escape(tile.text)}</data>'


def _note(start: Experiment, count: int, caveat: str, words: Words) -> str:
    source = data_of(start).provenance
    rows = words.say("snapshot.synthetic") if source.synthetic else words.say("snapshot.real")
    if source.stands_in_for:
        rows = words.say("snapshot.stand_in", rows=rows, other=source.stands_in_for)
    said = [words.say("snapshot.played", count=count, rows=rows), *([_scaled(caveat, words)] if caveat else []),
            words.say("snapshot.chooses")]  # fmt: skip
    return html.escape(" ".join(said))


def _scaled(caveat: str, words: Words) -> str:
    """Say what is smaller; the language knows a preset's own words whole."""
    whole = words.translated(f"scaled down: {caveat}")
    if whole.startswith("scaled down: "):
        return words.say("snapshot.scaled", caveat=caveat)
    return f"{whole[0].upper()}{whole[1:]}."


def _table(settings: Sequence[Setting], frames: Sequence[Frame], first: int, words: Words) -> str:
    names = [words.say("snapshot.setting"), *(tile.title for tile in frames[first].tiles),
             words.say("snapshot.part_experiment"), words.say("snapshot.part_seed")]  # fmt: skip
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in names)
    rows = "".join(
        f'<tr{" aria-current" if k == first else ""}><th scope="row">{html.escape(called(settings, k))}</th>'
        + "".join(f"<td>{_data(tile)}</td>" for tile in frame.tiles)
        + f"<td>{frame.experiment.key[:8]}</td><td>{frame.experiment.seed}</td></tr>"
        for k, frame in enumerate(frames)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    title = html.escape(words.say("snapshot.numbers"), quote=True)
    return (f'<details><summary>{title}</summary><div class="wide" tabindex="0" role="region" '
            f'aria-label="{title}">{table}</div></details>')  # fmt: skip


def _played(start: Experiment, words: Words) -> str:
    source = data_of(start).provenance
    where = {name: words.english(html.escape(getattr(source, name))) for name in ("source", "licence")}
    made = html.escape(words.say("snapshot.made", version=version("trustkit")))
    opened = html.escape(words.say("snapshot.opens", key=start.key[:8], seed=start.seed))
    about = f"{words.say('snapshot.source', **where)} {made} {opened}"
    return (f'<details><summary>{html.escape(words.say("snapshot.what"))}</summary><p class="note">{about}</p>'
            f'<pre tabindex="0" lang="en">{html.escape(start.to_toml())}</pre></details>')  # fmt: skip


def _too_large(size: int, settings: Sequence[Setting], bodies: Sequence[str]) -> str:
    sizes = sorted(((len(body.encode("utf-8")), k) for k, body in enumerate(bodies)), reverse=True)
    largest = "; ".join(f"{called(settings, k)}: {each:,}" for each, k in sizes[:3])
    return (f"a snapshot must have at most {LARGEST:,} bytes, got {size:,} with {len(bodies)} frames, of which the "
            f"largest are {largest}; fewer values or fewer pictures make it smaller")  # fmt: skip
