"""The wire between page and kernel: a short answer does not wait until the picture before it has been acknowledged."""

from __future__ import annotations

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

__all__ = ["Wire"]


class Wire(ZMQChannelsWebsocketConnection):
    """Jupyter's websocket without Nagle's algorithm.

    That algorithm holds back the short end of a message while anything before it is on its way, and a browser
    acknowledges what it got only after 40 ms: with pictures passing, every other click was answered so much later.
    """

    async def connect(self) -> None:  # type: ignore[override]  # of which the two classes above have two
        """Connect a page that has just opened the websocket."""
        self.websocket_handler.set_nodelay(True)
        connected = super().connect()
        if connected is not None:
            await connected
