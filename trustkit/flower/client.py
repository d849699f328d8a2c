"""The ClientApp of an experiment: a SuperNode trains and tests on the rows of one client, which it alone holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from trustkit.flower.counting import COUNT, HELLO, answer, greet, hidden, vector_of
from trustkit.flower.federation import Federation
from trustkit.flower.party import Held, file_of, hold
from trustkit.flower.wire import params_of, recorded
from trustkit.horizontal.summing import FRACTION

__all__ = ["client_app", "held_by"]


def client_app(folder: str | os.PathLike[str]) -> Any:
    """Make the ClientApp of an experiment.

    Parameters
    ----------
    folder : path-like
        What `trustkit.flower.write_app` wrote, or a copy of it without the clients' files.

    Returns
    -------
    flwr.clientapp.ClientApp
        It answers to ``train``, ``evaluate``, and two queries: for its public key and its number, and for counts, which
        it masks. A SuperNode's configuration names the client's file by ``party``. Without one it is a simulation:
        ``partition-id`` is the client, and the run's ``parties``, or else the folder itself, has all files.

    Raises
    ------
    FileNotFoundError, KeyError, ValueError
        If the folder is none, or Flower is not installed.
    """
    try:
        from flwr.app import Message, MetricRecord, RecordDict
        from flwr.clientapp import ClientApp
    except ImportError:
        raise ValueError("a ClientApp needs flwr (pip install 'trustkit[flower]')") from None
    place = Path(folder)
    federation = Federation.load(place)
    secure, classes = federation.experiment.secure, len(federation.classes)
    app = ClientApp()

    @app.query(HELLO)  # type: ignore[untyped-decorator]
    def hello(message: Any, context: Any) -> Any:
        held = held_by(federation, context, place)
        return greet(message, context, {"client": held.client, "rows": held.rows})

    @app.query(COUNT)  # type: ignore[untyped-decorator]
    def count(message: Any, context: Any) -> Any:
        held = held_by(federation, context, place)
        if message.content["count"]["purpose"] == "groups":
            return answer(message, context, held.groups(params_of(message)))
        return answer(message, context, vector_of(held.labels(classes), classes))

    @app.train()  # type: ignore[untyped-decorator]
    def train(message: Any, context: Any) -> Any:
        held, index = held_by(federation, context, place), int(message.content["config"]["server-round"])
        trained = held.train(params_of(message), index)
        if secure:
            keys = [bytes(key) for key in message.content["config"]["keys"]]
            trained = hidden(context, trained.astype(float) * held.rows, keys, f"round {index}", FRACTION)
        told = MetricRecord({"num-examples": held.rows})
        return Message(RecordDict({"arrays": recorded(trained), "metrics": told}), reply_to=message)

    @app.evaluate()  # type: ignore[untyped-decorator]
    def evaluate(message: Any, context: Any) -> Any:
        accuracy, loss, rows = held_by(federation, context, place).evaluate(params_of(message))
        told = MetricRecord({"accuracy": accuracy, "loss": loss, "num-examples": rows})
        return Message(RecordDict({"metrics": told}), reply_to=message)

    return app


def held_by(federation: Federation, context: Any, folder: Path) -> Held:
    """Return the client that a SuperNode is.

    Parameters
    ----------
    federation : Federation
        Which it is in.
    context : flwr.app.Context
        Of the SuperNode.
    folder : pathlib.Path
        Of the app; in a simulation it may have the files of all clients.

    Returns
    -------
    Held
        With its rows.

    Raises
    ------
    FileNotFoundError, KeyError, ValueError
        If its configuration names no client's file.
    """
    node, run = context.node_config, context.run_config
    if "party" in node:
        return hold(federation, str(node["party"]))
    if "partition-id" not in node:
        raise KeyError("a SuperNode must be told its client's file, as --node-config 'party=\"/data/party_0.npz\"'")
    return hold(federation, Path(str(run.get("parties", folder / "parties"))) / file_of(int(node["partition-id"])))
