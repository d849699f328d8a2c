"""A slider is a list of stops and a place in it."""

from __future__ import annotations

import math

from trustkit.widgets.slider import Slider


def test_slider_stands_on_the_nearest_stop() -> None:
    """The last one for infinity, and never outside its stops."""
    slider = Slider((0.1, 1, 10, math.inf), ["a", "b", "c", "d"], 3, symbol="x")
    assert slider.value == 1
    slider.value = math.inf
    assert (slider.index, slider.value) == (3, math.inf)
    slider.index = 99
    assert slider.value == math.inf
    slider.offer((1, 2), ["a", "b"], 2)
    assert (slider.index, slider.texts) == (1, ["a", "b"])
