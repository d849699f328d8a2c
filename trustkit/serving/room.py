"""The server: Voilà with a cap on visitors, headers on every answer, no tracebacks, and kernels from the stem."""

from __future__ import annotations

import contextlib
import html
from typing import Any

from jupyter_server.utils import url_path_join
from tornado.httputil import HTTPHeaders
from tornado.web import HTTPError, OutputTransform, RequestHandler
from traitlets import Bool, Integer, Unicode
from voila.app import Voila
from voila.request_info_handler import RequestInfoSocketHandler
from voila.tornado.handler import TornadoVoilaHandler

from trustkit.serving.kernels import stem
from trustkit.serving.spoken import chosen, sentences, told

__all__ = ["Drawn", "Health", "Page", "Room", "Sealed"]

_UNCHANGING = ("/voila/static/", "/voila/templates/", "/voila/labextensions/", "/voila/api/themes/")


class Page(TornadoVoilaHandler):  # type: ignore[misc]
    """The app's page."""

    async def get(self, path: str | None = None) -> None:
        """Give a visitor a kernel and the page, unless the room is full.

        Parameters
        ----------
        path : str, optional
            Behind the app's own; there is nothing there.

        Raises
        ------
        HTTPError
            404 for a path. A full room answers 503 and says when to try again.
        """
        if path:
            raise HTTPError(404)
        room = self.settings["voila"]
        if room.visitors and self.kernel_manager.visitors() >= room.visitors:
            self.set_status(503)
            self.set_header("Retry-After", "60")
            self.finish(_full(chosen(self.get_argument("language", "")), room.visitors))
            return
        for name in ("template",) if room.open else ("template", "theme"):  # another look needs a kernel of its own
            self.request.arguments.pop(name, None)
        with self.kernel_manager.visit():
            await super().get(None)


def _full(language: str, places: int) -> str:
    """The whole page of a room that is full."""
    say = {name: html.escape(text.format(places=places)) for name, text in sentences()[language].items()}
    return (f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{say["full_title"]}</title>'
            f"<p>{say['full']}</p></html>")  # fmt: skip


class Health(RequestHandler):
    """Whether the server lives, for whoever watches it; no kernel is started."""

    def get(self) -> None:
        """Answer how many visitors there are, for how many there is place, and how many drawn pages wait."""
        room = self.settings["voila"]
        waiting = len(RequestInfoSocketHandler._waiters)  # a kernel that has drawn its page asks here for its visitor
        self.write({"visitors": room.kernel_manager.visitors(), "places": room.visitors or None, "waiting": waiting})


class Drawn(RequestInfoSocketHandler):  # type: ignore[misc]
    """Where a kernel that has drawn its page asks for its visitor."""

    def open(self, kernel_id: str) -> None:
        """Note that one more page is drawn.

        Parameters
        ----------
        kernel_id : str
            Whose.
        """
        super().open(kernel_id)
        self.settings["voila"].kernel_manager.drawn(kernel_id)


class Sealed(OutputTransform):
    """Headers of every answer: what a browser may load and do, and what it may keep.

    Parameters
    ----------
    request : tornado.httputil.HTTPServerRequest
        What is answered.
    """

    policy = ""

    def __init__(self, request: Any) -> None:
        self.path: str = request.path

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Set the headers.

        Parameters
        ----------
        status_code : int
            Of the answer.
        headers : tornado.httputil.HTTPHeaders
            So far.
        chunk : bytes
            The first of the answer.
        finishing : bool
            Whether it is the last.

        Returns
        -------
        tuple
            Status, headers, chunk.
        """
        headers["Content-Security-Policy"] = self.policy
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers.pop("Server", None)
        if status_code == 200 and any(part in self.path for part in _UNCHANGING):
            headers["Cache-Control"] = "public, max-age=3600"
        return status_code, headers, chunk


class Room(Voila):  # type: ignore[misc]
    """Voilà for many visitors."""

    name = "voila"  # under which it reads voila.json

    visitors = Integer(0, min=0, config=True, help="The most visitors at a time; 0 sets no bound.")
    open = Bool(False, config=True, help="Whether a visitor may choose a theme.")
    forks = Bool(True, config=True, help="Whether kernels branch off one loaded process.")
    loads = Unicode("", config=True, help="The module that this process loads, by its function warm().")

    def start(self) -> None:
        """Serve until stopped."""
        with stem(self.loads) if self.forks and self.loads else contextlib.nullcontext():
            super().start()

    def init_settings(self) -> dict[str, Any]:
        """Return what handlers find in their settings.

        Returns
        -------
        dict
            Voilà's, while each page is told what to say when its kernel is lost.
        """
        self.voila_configuration.page_config_hook = told
        return dict(super().init_settings())

    def init_handlers(self) -> list[Any]:
        """Return what answers which path.

        Returns
        -------
        list
            Voilà's, with our page in place of its own.
        """
        headers = self.app.settings.get("headers", {})
        sealed = type("Policy", (Sealed,), {"policy": headers.get("Content-Security-Policy", "")})
        self.app.add_transform(sealed)
        rules = [(url_path_join(self.server_url, "/health"), Health), *super().init_handlers()]
        ours = {TornadoVoilaHandler: Page, RequestInfoSocketHandler: Drawn}
        return [(rule[0], ours.get(rule[1], rule[1]), *rule[2:]) for rule in rules]


if __name__ == "__main__":
    Room.launch_instance()
