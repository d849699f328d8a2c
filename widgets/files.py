"""Files to take home: the report and its sources, and every figure of the page with the numbers behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import ipywidgets as w
from matplotlib.figure import Figure
from trustkit.widgets.drawn import pictures_of
from trustkit.widgets.guard import guarded
from trustkit.widgets.history import running_loop
from trustkit.widgets.lab import Lab
from trustkit.widgets.page import Panel
from trustkit.widgets.report import downloads
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.view import View, card

from trustkit.catalogue import PANELS
from trustkit.figures import FigureFile, files_of

__all__ = ["FilesPanel"]

_STALE = ("setting", "outcome", "baseline", "weights", "looking", "pins")
"""Changes after which figures look otherwise."""


@PANELS.enter("files", title="Files to take home")
def FilesPanel(lab: Lab | None = None) -> w.VBox:  # noqa: N802 (a panel reads as a thing)
    """Offer the report and its sources as files, and each figure of the page as SVG, PNG and CSV.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    ipywidgets.VBox
        A widget; figures are written when they are asked for.
    """
    return _Files(lab or Lab()).box


class _Files:
    """The links, the button, and the figures that are written so far."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._written: list[tuple[str, Sequence[FigureFile]]] = []
        self._total = 0
        self._task: asyncio.Task[None] | None = None
        head = View(lab, self._head, ("setting", "outcome", "weights"), "files")
        self.button = w.Button(description=say("files.figures"), tooltip=say("files.figures_tip"))
        self.list = View(lab, self._list, (), "figures")
        self.list.add_class("tk-inner")
        self.button.on_click(guarded(lab, "files", lambda _: self.write()))
        self.box = Panel(lab, [head, self.button, self.list], "files")
        for name in ("tk-framed", "tk-reporting"):
            self.box.add_class(name)
        lab.watch(lambda what: self._forget() if what in _STALE else None)

    def write(self) -> None:
        """Write the files of all figures, one figure after the other, so that the page stays alive."""
        self._forget()
        self.lab.hearing.catch_up()
        pictures = pictures_of(self.lab)
        self._total, self.button.disabled = len(pictures), True
        loop = running_loop()
        if loop is not None:
            self._task = loop.create_task(self._go(pictures))
            return
        for view, (figure, label) in pictures.items():
            self._one(view, figure, label)
        self._end()

    async def _go(self, pictures: dict[str, tuple[Figure, str]]) -> None:
        with self.lab.hearing.guard.over("files", self.write, self):
            try:
                for view, (figure, label) in pictures.items():
                    self._one(view, figure, label)
                    await asyncio.sleep(0.02)
            finally:
                if self._task is asyncio.current_task():  # nobody has asked anew
                    self._end()

    def _one(self, view: str, figure: Figure, label: str) -> None:
        self._written.append((label, files_of(figure, view, self._key)))
        self.list.refresh()

    @property
    def _key(self) -> str:
        """Of the result that is shown, else of what the controls ask for."""
        experiment = self.lab.experiment if self.lab.outcome is None else self.lab.outcome.record.experiment
        return "unset" if experiment is None else experiment.key

    def _end(self) -> None:
        self._task, self.button.disabled = None, False
        self.list.refresh()

    def _forget(self) -> None:
        """Let go of files that no longer show what the page shows."""
        if self._task is not None:
            self._task.cancel()
        self._written, self._total, self._task, self.button.disabled = [], 0, None, False
        self.list.refresh()

    def _head(self, lab: Lab) -> str:
        return card(say("files.title"), say("files.about"), downloads(lab))

    def _list(self, _: Lab) -> str:
        if not self._total:
            return f'<p class="tk-sub">{say("files.unwritten")}</p>'
        rows = "".join(f"<li><span>{say_html('files.label', label=label)}</span> {''.join(map(_link, files))}</li>"
                       for label, files in self._written)  # fmt: skip
        said = say("files.written", done=len(self._written), total=self._total)
        return f'<p class="tk-sub" role="status">{said}</p><ul class="tk-figures">{rows}</ul>'


def _link(file: FigureFile) -> str:
    if file.too_large:
        return f'<span class="tk-sub">{say_html("files.label", label=file.too_large)}</span>'
    name = file.name
    return f'<a class="tk-file" download="{name}" href="{file.url}" aria-label="{name}">{file.suffix.upper()}</a>'
