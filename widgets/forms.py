"""Forms made from signatures: each parameter of a catalogue entry becomes a control with its range and its text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

import ipywidgets as w
from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated

from trustkit.catalogue import Entry
from trustkit.parameters import Parameter

__all__ = ["close", "control", "form"]


def _list(text: str) -> tuple[int, ...] | None:
    try:
        return tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        return None


def _heard(name: str, text: str, changed: Callable[[str, Any], None]) -> None:
    """Pass a list on, if the text is one."""
    numbers = _list(text)
    if numbers is not None:
        changed(name, numbers)


def control(parameter: Parameter, value: Any, changed: Callable[[str, Any], None]) -> w.Widget | None:
    """Make the control of one parameter.

    Parameters
    ----------
    parameter : Parameter
        From an entry's signature.
    value : object
        Where it stands.
    changed : callable
        Told the name and the new value.

    Returns
    -------
    ipywidgets.Widget or None
        ``None`` for a parameter that a form cannot show, for example one that may be a list or a number.
    """
    words = {"description": parameter.name.replace("_", " "), "tooltip": translated(parameter.about)}
    kind = _number(parameter)
    if kind is not None and parameter.optional:
        return _optional(parameter, value, changed, words)
    if parameter.choices is not None:
        box = w.Dropdown(options=parameter.choices, value=value, **words)
    elif parameter.type is bool:
        box = w.Checkbox(value=value, indent=False, **words)
    elif kind is not None:
        box = _numbered(parameter, value, **words)
    elif isinstance(value, tuple):
        box = w.Text(value=", ".join(map(str, value)), continuous_update=False, **words)
    else:
        return None
    box.layout.width = "auto"
    if isinstance(box, w.Text):
        box.observe(lambda change: _heard(parameter.name, change.new, changed), "value")
    else:
        box.observe(lambda change: changed(parameter.name, change.new), "value")
    return box


def _number(parameter: Parameter) -> type | None:
    """Whether a parameter is a number with a range: int or float; it may be optional, but not a list as well."""
    kinds = [kind for kind in get_args(parameter.type) or (parameter.type,) if kind is not type(None)]
    return kinds[0] if parameter.interval is not None and kinds in ([int], [float]) else None


def _numbered(parameter: Parameter, value: float, **words: str) -> w.Widget:
    whole = _number(parameter) is int
    interval: Any = parameter.interval
    bounds = {"min": interval.low, "max": min(interval.high, 1e9), "step": 1 if whole else None}
    return (w.BoundedIntText if whole else w.BoundedFloatText)(value=value, **bounds, **words)


def _optional(
    parameter: Parameter, value: Any, changed: Callable[[str, Any], None], words: Mapping[str, str]
) -> w.HBox:
    """A box to tick that turns the number on, and the number; off stands for none."""
    interval: Any = parameter.interval
    given = next(each for each in (value, parameter.default, interval.low) if each is not None)
    switch = w.Checkbox(value=value is not None, indent=False, **words)
    number = _numbered(
        parameter, given, tooltip=words["tooltip"], description=say("more.value_of", name=words["description"])
    )
    number.disabled = value is None

    def tell(_: Any) -> None:
        number.disabled = not switch.value
        changed(parameter.name, number.value if switch.value else None)

    switch.observe(tell, "value")
    number.observe(tell, "value")
    for box, width in ((switch, "auto"), (number, "100px")):
        box.layout.width = width
    row = w.HBox([switch, number])
    row.add_class("tk-optional")
    return row


def form(
    entry: Entry, given: Mapping[str, Any], changed: Callable[[str, Any], None], skip: Collection[str] = ()
) -> w.VBox:
    """Make a form for a catalogue entry.

    Parameters
    ----------
    entry : Entry
        A split, algorithm, model, …
    given : mapping
        Values by parameter; the others stand on their defaults.
    changed : callable
        Told the name and the new value of every change.
    skip : collection of str
        Parameters that are moved elsewhere.

    Returns
    -------
    ipywidgets.VBox
        One control a parameter, each with a linked label.
    """
    values = {parameter.name: given.get(parameter.name, parameter.default) for parameter in entry.parameters}
    boxes = [
        control(parameter, values[parameter.name], changed)
        for parameter in entry.parameters
        if parameter.name not in skip
    ]
    box = w.VBox([item for item in boxes if item is not None])
    box.add_class("tk-form")
    return box


def close(widget: w.Widget) -> None:
    """Let go of a widget that is no longer shown, and of everything in it; nothing else frees it.

    Parameters
    ----------
    widget : ipywidgets.Widget
        For example a form.
    """
    for child in getattr(widget, "children", ()):
        close(child)
    for part in (getattr(widget, "style", None), getattr(widget, "layout", None), widget):
        if isinstance(part, w.Widget):
            part.close()
