"""Pictures on the page: the library's figures with their words in the page's language."""

from __future__ import annotations

import html
import re

from matplotlib.figure import Figure
from trustkit.widgets.drawn import note_figure
from trustkit.widgets.strings import language
from trustkit.widgets.translated import translated

from trustkit import plot

__all__ = ["to_svg"]

_WORDS = re.compile(r"(<text\b[^>]*>)([^<]+)(</text>)")


def to_svg(figure: Figure, label: str) -> str:
    """Write a figure as inline SVG, see `trustkit.plot.to_svg`.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Of `trustkit.plot`; it keeps its English words, for it is drawn again and may be taken into a paper.
    label : str
        One sentence that says what it shows, in the page's language.

    Returns
    -------
    str
        An ``<svg role="img" aria-label="…">`` element as wide as its place, with its figure's mark.
    """
    mark = note_figure(figure, label)
    text = plot.to_svg(figure, label).replace(' style="', f' data-figure="{mark}" style="', 1)
    if language() == "en":
        return text
    return _WORDS.sub(lambda found: f"{found[1]}{_said(found[2])}{found[3]}", text)


def _said(text: str) -> str:
    return html.escape(translated(html.unescape(text)), quote=False)
