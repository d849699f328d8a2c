"""What a lesson hides: a style rule for each control and panel, which a class on the page switches on."""

from __future__ import annotations

from collections.abc import Collection

import ipywidgets as w

from trustkit.lesson import HIDABLE

__all__ = ["PLACES", "conceal", "rules"]

_VIEWS = {
    "tiles": "tk-v-tiles", "correlation-view": "tk-correlation", "split-view": "tk-v-split",
    "fairness-view": "tk-fair", "training-view": "tk-v-accuracy", "vertical-view": "tk-vertical",
    "groups-view": "tk-groups", "attack-view": "tk-attack", "scores-view": "tk-scores", "replicas-view": "tk-replicas",
    "privacy-view": "tk-privacy", "compare-view": "tk-compare", "report-view": "tk-reporting",
}  # fmt: skip

PLACES = {name: _VIEWS.get(name, f"tk-c-{name}") for name in HIDABLE}
"""By name of `trustkit.lesson.HIDABLE`, the class of what is hidden."""


def rules() -> str:
    """Return the style rules.

    Returns
    -------
    str
        CSS; what is hidden is out of reach of mouse, keyboard and screen reader alike.
    """
    return "\n".join(f".tk-hides-{name} .{place} {{ display: none !important; }}" for name, place in PLACES.items())


def conceal(page: w.VBox, names: Collection[str]) -> None:
    """Hide controls and panels of a page.

    Parameters
    ----------
    page : ipywidgets.VBox
        Whose style has the `rules`.
    names : collection of str
        Of `trustkit.lesson.HIDABLE`.
    """
    for name in names:
        page.add_class(f"tk-hides-{name}")
