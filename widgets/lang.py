"""The page's language, said to browsers and screen readers."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets
from trustkit.widgets.strings import language

__all__ = ["Lang"]


class Lang(anywidget.AnyWidget):  # type: ignore[misc]
    """Sets the ``lang`` attribute of the page that it is on; nothing is seen of it.

    ``code`` is the language that was spoken when the page was made.
    """

    _esm = Path(__file__).with_name("lang.js")
    code = traitlets.Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(code=language())
