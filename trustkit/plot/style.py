"""How every picture looks, and how it becomes an inline SVG that follows the page's theme."""

from __future__ import annotations

import html
import io
import re
import weakref
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

__all__ = [
    "BASE",
    "GRID",
    "INK",
    "NOW",
    "WARN",
    "Picture",
    "artists",
    "blank",
    "keep",
    "looks",
    "settle",
    "short",
    "to_svg",
]

NOW, BASE, WARN, INK, GRID = "#0072b2", "#8b8d90", "#d55e00", "#000000", "#b9bcc0"
"""Series now, pinned baseline, over the threshold (Okabe–Ito colours), text and axes, grid."""

_THEME = {NOW: "--tk-now", BASE: "--tk-base", WARN: "--tk-warn", GRID: "--tk-grid"}
_PARTS = (
    "axes.",
    "figure.",
    "font.",
    "grid.",
    "hatch.",
    "legend.",
    "lines.",
    "patch.",
    "svg.",
    "text.",
    "xtick.",
    "ytick.",
)
_RC: Any = {
    **{name: value for name, value in matplotlib.rcParamsDefault.items() if name.startswith(_PARTS)},
    "svg.fonttype": "none",
    "svg.hashsalt": "trustkit",
    "font.family": "DejaVu Sans",  # by its name, so that it is not looked for among all others for every word
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "text.parse_math": False,  # a class may be called "$50k to $100k"
    "hatch.linewidth": 0.8,
}
_SETTINGS = dict(matplotlib.RcParams(_RC))
_LOOKING: ContextVar[bool] = ContextVar("looking", default=False)
_ARTISTS: weakref.WeakKeyDictionary[Figure, dict[str, Any]] = weakref.WeakKeyDictionary()


@contextmanager
def looks() -> Iterator[None]:
    """Draw with trustkit's settings, and leave the user's own as they were.

    Yields
    ------
    None
        Inside, matplotlib draws as trustkit does.
    """
    if _LOOKING.get():
        yield
        return
    told = _LOOKING.set(True)
    before = {name: dict.__getitem__(matplotlib.rcParams, name) for name in _SETTINGS}
    dict.update(matplotlib.rcParams, _SETTINGS)  # checked once, since checking takes as long as a small picture
    try:
        yield
    finally:
        dict.update(matplotlib.rcParams, before)
        _LOOKING.reset(told)


class Picture(Figure):
    """A matplotlib figure that a notebook shows without pyplot: on white, so that a dark theme can be read too."""

    def _repr_png_(self) -> bytes:
        buffer, opacity = io.BytesIO(), self.patch.get_alpha()
        self.patch.set_alpha(1)
        try:
            with looks():
                FigureCanvasAgg(self).print_figure(
                    buffer, format="png", dpi=130, facecolor="white", metadata={"Software": None}
                )
        finally:
            self.patch.set_alpha(opacity)
        return buffer.getvalue()


def blank(width: float, height: float) -> Figure:
    """Return an empty, transparent figure.

    Parameters
    ----------
    width, height : float
        In inches.

    Returns
    -------
    matplotlib.figure.Figure
        Not registered anywhere, so it is freed when nobody holds it.
    """
    figure = Picture(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0)
    return figure


def artists(figure: Figure | None, shape: Hashable) -> dict[str, Any] | None:
    """Return what was kept with a figure, if it was drawn for the same shape.

    Parameters
    ----------
    figure : Figure or None
        An earlier picture.
    shape : hashable
        What has to be equal for its artists to be of use again, for example the number of bars.

    Returns
    -------
    dict or None
        Artists by name; ``None`` if the picture has to be drawn anew.
    """
    kept = None if figure is None else _ARTISTS.get(figure)
    return kept if kept is not None and kept["shape"] == shape else None


def keep(figure: Figure, shape: Hashable, **things: Any) -> dict[str, Any]:
    """Keep artists with a figure, for as long as the figure lives.

    Parameters
    ----------
    figure : Figure
        The picture.
    shape : hashable
        See `artists`.
    **things
        Artists by name.

    Returns
    -------
    dict
        The kept artists.
    """
    _ARTISTS[figure] = {"shape": shape, **things}
    return _ARTISTS[figure]


def short(name: str, longest: int = 24) -> str:
    """Cut a name that is too long for an axis.

    Parameters
    ----------
    name : str
        Any.
    longest : int
        Characters that fit.

    Returns
    -------
    str
        With an ellipsis where something was cut.

    Examples
    --------
    >>> short("Provision_PT_737E_Security_Camera", 12)
    'Provision_P…'
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def settle(figure: Figure) -> None:
    """Work out the layout once, so that later draws of the same figure need not.

    Parameters
    ----------
    figure : Figure
        A finished picture.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def to_svg(figure: Figure, label: str) -> str:
    """Write a figure as inline SVG: text as text, black as the page's text colour, series in the theme's colours.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The picture.
    label : str
        One sentence that says what it shows, for people who do not see it.

    Returns
    -------
    str
        An ``<svg role="img" aria-label="…">`` element as wide as its place.
    """
    buffer = io.StringIO()
    canvas: Any = FigureCanvasSVG(figure)
    dots = figure.dpi
    with looks():
        canvas.print_svg(buffer, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    figure.dpi = dots  # print_svg leaves it lower, and the next matrix would be coarser
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    # a style sheet inside the picture would be the whole page's, which is then laid out anew for every picture
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, count=1, flags=re.DOTALL)
    text = text.replace("<svg", '<svg style="stroke-linejoin: round; stroke-linecap: butt"', 1)
    text = re.sub(r'width="[^"]+" height="[^"]+"', 'width="100%"', text, count=1)
    text = re.sub(r"font-family: [^;\"]*", "font-family: inherit", text)
    text = re.sub(r'<text style="(?![^"]*fill:)', '<text style="fill: currentColor; ', text)
    text = text.replace(f"stroke: {INK}", "stroke: currentColor").replace(f"fill: {INK}", "fill: currentColor")
    for colour, variable in _THEME.items():
        text = text.replace(f": {colour}", f": var({variable}, {colour})")
    return text.replace("<svg", f'<svg role="img" aria-label="{html.escape(label, quote=True)}"', 1)
