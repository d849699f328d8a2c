"""A picture of a page as plain HTML: what a served page shows at once, until its script has drawn the widgets."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as w
from trustkit.widgets.slider import Slider
from trustkit.widgets.tabs import Tabs

__all__ = ["MIME", "Picture", "picture"]

MIME = "application/vnd.trustkit.picture"
"""Which only the template of the served page reads; anywhere else nothing is shown."""

_OWN = "tk-classes-of-the-widget"
"""Where a widget that is one element wants its classes."""

_STYLE = """<style>
:host { display: block; }
.widget-box { display: flex; flex-direction: row; min-width: 0; }
.widget-vbox { flex-direction: column; }
.widget-inline-hbox { display: flex; flex-direction: row; align-items: baseline; gap: 4px; }
.widget-inline-hbox > select, .widget-inline-hbox > input { flex: 1 1 auto; min-width: 0; }
.widget-toggle-buttons > div { display: flex; gap: 4px; }
.jupyter-button { cursor: default; white-space: nowrap; }
</style>"""


class Picture:
    """A picture that a notebook's cell can show.

    Parameters
    ----------
    page : ipywidgets.Widget
        What is pictured, as it is now.
    """

    def __init__(self, page: w.Widget) -> None:
        self.html = picture(page)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {MIME: self.html}


def picture(page: w.Widget) -> str:
    """Draw a page without widgets.

    Parameters
    ----------
    page : ipywidgets.Widget
        A box of boxes, HTML, sliders, menus and buttons.

    Returns
    -------
    str
        HTML with the same classes; its controls cannot be moved.
    """
    return _STYLE + _drawn(page, "tk-of-the-theme")


def _drawn(widget: w.Widget, more: str = "") -> str:
    layout = getattr(widget, "layout", None)
    if layout is not None and layout.display == "none":
        return ""
    for kind, draw in _HOW:
        if isinstance(widget, kind):
            names, inside = draw(widget)
            classes = html.escape(" ".join(["jupyter-widgets", names, *getattr(widget, "_dom_classes", ()), more]))
            return inside.replace(_OWN, classes) if _OWN in inside else f'<div class="{classes}">{inside}</div>'
    return ""


def _box(widget: Any) -> tuple[str, str]:
    kind = "widget-box widget-hbox" if isinstance(widget, w.HBox) else "widget-box"
    kind = "widget-box widget-vbox" if isinstance(widget, w.VBox) else kind
    return kind, "".join(_drawn(child) for child in widget.children)


def _html(widget: Any) -> tuple[str, str]:
    return "widget-html", f'<div class="widget-html-content">{widget.value}</div>'


def _button(text: str, active: bool = False, off: bool = False, more: str = "") -> str:
    classes = f"jupyter-button{' mod-active' if active else ''}{more}"
    return f'<button class="{classes}"{" disabled" if off else ""}>{html.escape(text)}</button>'


def _pressed(widget: Any) -> tuple[str, str]:
    active = getattr(widget, "value", False) is True
    return "", _button(widget.description, active, widget.disabled, f" {_OWN}")


def _tabs(widget: Tabs) -> tuple[str, str]:
    drawn = (
        f'<button class="tk-tab" role="tab" aria-selected="{"true" if name == widget.current else "false"}">'
        f"{html.escape(title)}</button>"
        for name, title in zip(widget.names, widget.titles, strict=True)
    )
    options = "".join(f"<option>{html.escape(title)}</option>" for title in widget.titles)
    menu = f'<label class="tk-menu"><span>{html.escape(widget.label)}</span><select>{options}</select></label>'
    return "tk-nav", f'<nav><div class="tk-tabs" role="tablist">{"".join(drawn)}</div>{menu}</nav>'


def _buttons(widget: Any) -> tuple[str, str]:
    drawn = (_button(text, index == widget.index) for index, text in enumerate(widget._options_labels))
    return "widget-inline-hbox widget-toggle-buttons", f"<div>{''.join(drawn)}</div>"


def _named(widget: Any, inside: str) -> tuple[str, str]:
    text = html.escape(widget.description)
    return "widget-inline-hbox", f'<label class="widget-label">{text}</label>{inside}'


def _menu(widget: Any) -> tuple[str, str]:
    chosen = html.escape(widget.label or "")
    return _named(widget, f"<select><option>{chosen}</option></select>")


def _box_to_tick(widget: Any) -> tuple[str, str]:
    ticked = " checked" if widget.value else ""
    text = html.escape(widget.description)
    return "widget-inline-hbox", f'<label><input type="checkbox"{ticked}> <span>{text}</span></label>'


def _field(widget: Any) -> tuple[str, str]:
    return _named(widget, f'<input value="{html.escape(str(widget.value))}">')


def _slider(widget: Slider) -> tuple[str, str]:
    last = max(len(widget.texts) - 1, 1)
    text = widget.texts[widget.index] if widget.index < len(widget.texts) else ""
    words = {name: html.escape(getattr(widget, name)) for name in ("symbol", "label", "hint")}
    places = (
        f'<span style="--tk-at: {widget.texts.index(mark) / last}">{float(mark):g}</span>'
        for mark in widget.marks
        if mark in widget.texts
    )
    return f"tk-slider{'' if widget.enabled else ' tk-off'}", (
        f"<label><b>{words['symbol']}</b> <span>{words['label']}</span></label><output>{html.escape(text)}</output>"
        f'<input type="range" max="{last}" value="{widget.index}" style="--tk-fill: {100 * widget.index / last}%">'
        f'<div class="tk-ticks">{"".join(places)}</div><small>{words["hint"]}</small>'
    )


_HOW: list[tuple[type | tuple[type, ...], Callable[[Any], tuple[str, str]]]] = [
    (Slider, _slider),
    (Tabs, _tabs),
    (w.HTML, _html),
    (w.Box, _box),
    ((w.Button, w.ToggleButton), _pressed),
    (w.ToggleButtons, _buttons),
    (w.Dropdown, _menu),
    (w.Checkbox, _box_to_tick),
    ((w.Text, w.IntText, w.FloatText, w.BoundedIntText, w.BoundedFloatText), _field),
]
"""How each kind of widget is drawn; another kind leaves its place empty until the script draws it."""
