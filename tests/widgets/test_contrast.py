"""By the style sheet's colours, in light and dark: text stands out by 4.5 to 1 or more, marks by 3 to 1."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trustkit.widgets

SHEET = Path(trustkit.widgets.__file__).with_name("theme.css").read_text(encoding="utf-8")

TEXT = ("ink", "mute", "now", "warn", "ok", "bad")
"""What is written in: on cards, on the page, and on what is laid over neither."""

MARKS = ("now", "base", "warn")
"""What lines and bars are drawn in."""


def colours(theme: str) -> dict[str, str]:
    """Read the colours of a theme: the first block of the sheet, and in the dark the second one over it."""
    blocks = re.findall(r"\{([^{}]*--tk-[^{}]*)\}", SHEET)[:2]
    found = dict[str, str]()
    for block in blocks[: 1 if theme == "light" else 2]:
        found |= dict(re.findall(r"--tk-([a-z]+): (#[0-9a-f]{6})", block))
    return found


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """Contrast of WCAG 2."""
    a, b = sorted((luminance(one), luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def test_contrast_by_hand() -> None:
    """Black on white is 21 to 1; a colour on itself is 1."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_marks_stand_out(theme: str) -> None:
    """On cards and on the page; what is written on the accent colour too."""
    found = colours(theme)
    assert len(found) == 12
    for ground in ("card", "paper"):
        for name in TEXT:
            assert contrast(found[name], found[ground]) >= 4.5, (theme, name, ground)
        for name in MARKS:
            assert contrast(found[name], found[ground]) >= 3, (theme, name, ground)
    assert contrast(found["on"], found["now"]) >= 4.5
    assert contrast(found["card"], found["ink"]) >= 4.5  # the explanations that show on hover


def test_both_themes_name_the_same_colours() -> None:
    """Else one of the light theme would stay in the dark."""
    blocks = re.findall(r"\{([^{}]*--tk-[^{}]*)\}", SHEET)[:2]
    light, dark = (set(re.findall(r"--tk-([a-z]+): #", block)) for block in blocks)
    assert light == dark
