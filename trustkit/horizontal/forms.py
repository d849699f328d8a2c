"""The parameters that the algorithms over rows share, described once."""

from __future__ import annotations

from typing import Annotated

from trustkit.catalogue import Interval
from trustkit.horizontal.selectors import Selector

__all__ = ["Batch", "Choice", "Epochs", "Rate"]

Rate = Annotated[float, Interval(1e-4, 10, log=True), "step size of the clients"]
Epochs = Annotated[int, Interval(1, 100), "passes over a client's rows in a round"]
Batch = Annotated[int, Interval(1, 4096, log=True), "rows in a step"]
Choice = Annotated[Selector, "how the clients of a round are chosen"]
