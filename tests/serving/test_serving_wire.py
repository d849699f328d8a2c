"""The wire, on a real websocket: nothing short waits for what is under way, from the app and from JupyterLab alike."""

from __future__ import annotations

import asyncio
import importlib.resources
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application
from tornado.websocket import websocket_connect

pytest.importorskip("voila")

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from traitlets.utils.importstring import import_item

from trustkit.serve import lab_command
from trustkit.serving.wire import Wire


class Line(KernelWebsocketHandler):
    """A page's line without a kernel behind it: it answers whether its socket waits, before and after the wire."""

    async def prepare(self, **more: Any) -> None:
        """Let everybody in."""

    async def get(self, kernel_id: str) -> None:
        """Open the websocket at once."""
        await super(KernelWebsocketHandler, self).get(kernel_id)

    def select_subprotocol(self, subprotocols: list[str]) -> None:
        """Speak none."""

    async def open(self, kernel_id: str) -> None:
        """Connect, and tell the page what the socket did before and does now."""
        before = self.waits()
        await Wire(websocket_handler=self).connect()
        await self.write_message(json.dumps([before, self.waits()]))

    def waits(self) -> bool:
        """Whether a short message waits for the acknowledgement of the one before it."""
        stream: Any = self.ws_connection.stream  # type: ignore[union-attr]
        return not stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    def on_close(self) -> None:
        """Let go of nothing."""


def test_a_short_answer_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tornado's websocket has Nagle's algorithm on; ours has it off once a page is connected."""
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", lambda self: None)

    async def asked() -> list[bool]:
        listening, port = bind_unused_port()
        server = HTTPServer(Application([("/(line)", Line)], ws_ping_interval=0))
        server.add_socket(listening)
        page = await websocket_connect(f"ws://127.0.0.1:{port}/line")
        said = await asyncio.wait_for(page.read_message(), 10)
        page.close()
        server.stop()
        found: list[bool] = json.loads(said or "")
        return found

    assert asyncio.run(asked()) == [True, False]


def test_app_and_lab_use_it(tmp_path: Path) -> None:
    """Both servers are told its name, which is the class."""
    shipped = json.loads((importlib.resources.files("trustkit.serving") / "voila.json").read_text(encoding="utf-8"))
    name = "kernel_websocket_connection_class"
    (told,) = [word.partition("=")[2] for word in lab_command(tmp_path, 1, False) if f".{name}=" in word]
    assert import_item(told) is import_item(shipped["Voila"][name]) is Wire
