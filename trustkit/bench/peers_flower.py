"""Flower's simulation: FedAvg by messages to virtual nodes, whose clients are trained by Ray's actors.

A message says which client it is for, so that any node can train any client and the plan is kept. The app is imported
from this module by the actors; one that lies in the script itself would travel with every task.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import IO, Any

import numpy as np

from trustkit.bench.peers_network import batches, flat, network, put, rounds
from trustkit.bench.peers_worker import Arrays, serve

__all__ = ["begin", "train_client"]

_ACTORS = min(2, os.cpu_count() or 1)


@lru_cache(maxsize=1)
def _held(path: str) -> tuple[Arrays, list[list[np.ndarray]], Any]:
    """Load the work once in each actor: arrays, plan and a network to train."""
    import torch

    torch.set_num_threads(1)
    with np.load(path, allow_pickle=False) as opened:
        arrays = dict(opened)
    return {**arrays, "X": torch.from_numpy(arrays["X"]), "y": torch.from_numpy(arrays["y"])}, list(rounds(arrays)), \
        network(arrays)  # fmt: skip


def train_client(message: Any, context: Any) -> Any:
    """Train one client as a message asks, by slices of its tensors.

    Parameters
    ----------
    message : flwr.app.Message
        With the parameters, the arrays' file, and which client of which round it is.
    context : flwr.app.Context
        Of the node; not used.

    Returns
    -------
    flwr.app.Message
        The trained parameters, and how many rows they were trained on.
    """
    import torch
    from flwr.app import ArrayRecord, Message, MetricRecord, RecordDict

    asked = message.content["config"]
    arrays, plan, model = _held(str(asked["path"]))
    own = plan[int(asked["server-round"]) - 1][int(asked["place"])]
    put(model, message.content["arrays"].to_numpy_ndarrays()[0])
    optimiser = torch.optim.SGD(model.parameters(), lr=float(arrays["lr"]))
    for batch in batches(own, int(arrays["batch"])):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(arrays["X"][batch]), arrays["y"][batch]).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    told = {"arrays": ArrayRecord([flat(model)]), "metrics": MetricRecord({"num-examples": own.size})}
    return Message(RecordDict(told), reply_to=message)


def _spent() -> float:
    """Return the processor seconds of this process and of all that it started."""
    psutil = import_module("psutil")
    mine = psutil.Process()
    times = []
    for process in (mine, *mine.children(recursive=True)):
        try:
            times.append(process.cpu_times())
        except psutil.Error:  # it has ended
            continue
    return float(sum(each.user + each.system for each in times))


def begin(answers: IO[str]) -> None:
    """Start the simulation, and answer from inside of its server.

    Parameters
    ----------
    answers : file
        See `trustkit.bench.peers_worker.serve`.
    """
    import logging

    from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, RecordDict
    from flwr.clientapp import ClientApp
    from flwr.serverapp import ServerApp
    from flwr.serverapp.strategy import FedAvg
    from flwr.simulation import run_simulation

    logging.getLogger("flwr").setLevel(logging.ERROR)

    class Planned(FedAvg):  # type: ignore[misc]
        path, cohort = "", 0

        def configure_train(self, server_round: int, arrays: Any, config: Any, grid: Any) -> list[Any]:
            nodes = sorted(grid.get_node_ids())
            said = [
                ConfigRecord({"server-round": server_round, "place": place, "path": self.path})
                for place in range(self.cohort)
            ]
            return [
                Message(
                    RecordDict({"arrays": arrays, "config": each}), dst_node_id=node, message_type=MessageType.TRAIN
                )
                for node, each in zip(nodes, said, strict=False)
            ]

    client, server = ClientApp(), ServerApp()
    client.train()(train_client)

    @server.main()  # type: ignore[untyped-decorator]
    def main(grid: Any, context: Any) -> None:
        def prepare(work: str, arrays: Arrays) -> Callable[[], np.ndarray]:
            plan = list(rounds(arrays))
            strategy = Planned(fraction_evaluate=0.0)
            strategy.path, strategy.cohort = str(arrays["path"]), len(plan[0])

            def train() -> np.ndarray:
                first = ArrayRecord([arrays["params"]])
                found = strategy.start(grid=grid, initial_arrays=first, num_rounds=len(plan))
                return np.asarray(found.arrays.to_numpy_ndarrays()[0])

            return train

        serve(prepare, answers, spent=_spent)

    resources = {"client_resources": {"num_cpus": 1, "num_gpus": 0.0},
                 "init_args": {"num_cpus": _ACTORS, "include_dashboard": False, "log_to_driver": False}}  # fmt: skip
    run_simulation(server_app=server, client_app=client, num_supernodes=40, backend_config=resources)
