"""A way from a server to its clients without processes: messages are written as Flower writes them, and read again.

It is what the quick tests run on; the tests of the engines use Flower's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

pytest.importorskip("flwr", reason="flwr is not installed; tests/flower/run makes an environment for these tests")

from flwr.app import Context, Error, Message, RecordDict
from flwr.common.serde import recorddict_from_proto, recorddict_to_proto
from flwr.serverapp import Grid
from flwr.supercore.task_identity import TaskIdentity

CRASHED, GONE = 2, 5
"""Flower's codes for a ClientApp that raised, and for a node that is not there."""


def carried(content: RecordDict) -> RecordDict:
    """Write a message's content as it goes over the wire, and read it again."""
    return recorddict_from_proto(recorddict_to_proto(content))


class Loopback(Grid):  # type: ignore[misc]
    """All SuperNodes in this process.

    ``trouble`` may change an answer: it is told round, node, kind of message and answer, and returns another answer, or
    ``None`` for silence.
    """

    def __init__(
        self, app: Any, nodes: dict[int, dict[str, Any]], run: dict[str, Any] | None = None,
        trouble: Callable[[int, int, str, Message], Message | None] | None = None,
    ) -> None:  # fmt: skip
        TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1  # what the engines set
        self.app, self.trouble = app, trouble
        self.contexts = {node: Context(1, node, config, RecordDict(), run or {}) for node, config in nodes.items()}
        self.seen: list[tuple[str, int, RecordDict]] = []

    def set_run(self, run: Any) -> None:
        """Nothing to set."""

    @property
    def run(self) -> Any:
        """There is none."""
        return None

    def create_message(self, content: Any, message_type: str, dst_node_id: int, group_id: str, ttl: Any = None) -> Any:
        """Make a message."""
        return Message(content, dst_node_id, message_type)

    def get_node_ids(self) -> Iterable[int]:
        """List the nodes."""
        return list(self.contexts)

    def push_messages(self, messages: Iterable[Any]) -> Iterable[str]:
        """Not used."""
        raise NotImplementedError

    def pull_messages(self, message_ids: Iterable[str]) -> Iterable[Any]:
        """Not used."""
        raise NotImplementedError

    def send_and_receive(self, messages: Iterable[Any], *, timeout: float | None = None) -> Iterable[Any]:
        """Hand every message to its node, and keep what the server sees of the answers."""
        answers = []
        for message in messages:
            node, kind = message.metadata.dst_node_id, message.metadata.message_type
            asked = Message(carried(message.content), node, kind)
            try:
                answer = self.app(asked, self.contexts[node])
                answer = Message(carried(answer.content), reply_to=message)
            except Exception as error:
                answer = Message(Error(CRASHED, str(error)), reply_to=message)
            if self.trouble is not None:
                config = message.content.get("config")
                changed = self.trouble(0 if config is None else config.get("server-round", 0), node, kind, answer)
                if changed is None:
                    continue
                answer = changed
            if answer.has_content():
                self.seen.append((kind, node, answer.content))
            answers.append(answer)
        return answers
