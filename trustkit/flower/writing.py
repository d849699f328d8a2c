"""``trustkit flower init``: an experiment as a Flower app, and a file for each of its clients."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from pathlib import Path
from string import Template
from typing import Any

import tomli_w

from trustkit import jsonfile
from trustkit.catalogue import SPLITS
from trustkit.experiment import Experiment
from trustkit.flower.federation import Federation, refuse
from trustkit.flower.party import write_party
from trustkit.handover import check_folder
from trustkit.preset import scaled_down
from trustkit.rounds import Built, build, data_of

__all__ = ["write_app"]

_CLIENT = '''"""What a SuperNode runs: it trains and tests on the rows of its own client."""

from pathlib import Path

from trustkit.flower import client_app

app = client_app(Path(__file__).parent)
'''
_SERVER = '''"""What the server runs: it plays the experiment and writes fact sheet, report, event log and run."""

from pathlib import Path

from trustkit.flower import server_app

app = server_app(Path(__file__).parent)
'''
_README = Template("""# $name

A Flower app made by `trustkit flower init`: $overview.

`experiment.toml` and `federation.json` go to everybody with the app. `parties/party_0.npz` … hold the rows of one
client each and go to that client only; they are not part of the app that Flower sends round.

## On this machine, simulated

    flwr run . --stream --federation-config "num-supernodes=$parties"

Results are beside this folder, in `$folder-results/`: `report.html`, `factsheet.json`, `events.jsonl`, `run.npz`.

## As a deployment

Every machine needs trustkit with the extra `flower`, of the same version. Where the server is (certificates instead of
`--insecure` outside of a test):

    flower-superlink --insecure --disable-runtime-dependency-installation

At each client, with its own file:

    flower-supernode --insecure --superlink SERVER:8000 --node-config 'party="/data/party_0.npz"'

Then, with a table `[superlink.deployment]` in Flower's configuration, whose `address` is `SERVER:8000`:

    flwr run . deployment --stream --run-config 'out="/srv/results"'
""")


def write_app(experiment: Experiment, folder: str | os.PathLike[str]) -> Path:
    """Write an experiment as a Flower app, with a file for each client.

    Parameters
    ----------
    experiment : Experiment
        Over rows, by an algorithm of `trustkit.flower.federation.ABLE`, without simulated noise, attack or faults.
    folder : path-like
        New, or empty. It is written whole or not at all.

    Returns
    -------
    pathlib.Path
        The folder: ``pyproject.toml``, ``client_app.py``, ``server_app.py``, ``experiment.toml``, ``federation.json``,
        ``README.md``, and ``parties/party_k.npz`` for each client k.

    Raises
    ------
    ValueError
        If the folder is in use, or the experiment cannot be built or has no place in a real federation.

    Notes
    -----
    Features are scaled as in a simulation, by the training rows of all clients at once: whoever writes the app has seen
    all rows. Clients that bring rows of their own have to agree on a scaling.
    """
    refuse(experiment)
    target = check_folder(folder)
    built = build(experiment)
    federation = _federation(built)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    try:
        (temporary / "parties").mkdir(parents=True)
        federation.save(temporary)
        for client in range(federation.parties):
            write_party(built, client, temporary / "parties")
        project = _project(target, federation)
        name, overview = project["project"]["name"], project["project"]["description"]
        readme = _README.substitute(name=name, folder=target.name, overview=overview, parties=federation.parties)
        for file, text in (("pyproject.toml", tomli_w.dumps(project)), ("client_app.py", _CLIENT),
                           ("server_app.py", _SERVER), ("README.md", readme)):  # fmt: skip
            jsonfile.write_text(temporary / file, text)
        if target.exists():
            target.rmdir()
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return target


def _federation(built: Built) -> Federation:
    """Describe the data without a row of them."""
    data, experiment = built.fed.data, built.experiment
    source, split = data_of(experiment).provenance, experiment.split
    facts = {
        "data/provenance": f"{source.source} ({source.licence})",
        "data/synthetic": source.synthetic,
        "data/stands_in_for": source.stands_in_for or None,
        "data/scaled_down": scaled_down(experiment) or None,
        "data/split": f"{SPLITS[split.name].title}: {', '.join(f'{k}={v}' for k, v in split.args.items())}",
        "data/rows": len(data.y),
        "data/features": data.X.shape[1],
    }
    return Federation(
        experiment, len(built.fed), data.X.shape[1], data.classes, data.image, data.positive,
        {name: data.codes(name)[1] for name in data.sensitive},
        {name: value for name, value in facts.items() if value is not None},
    )  # fmt: skip


def _project(target: Path, federation: Federation) -> dict[str, Any]:
    """Return what ``pyproject.toml`` says. It lists no dependency: Flower would install it anew for every run."""
    experiment = federation.experiment
    name = re.sub(r"[^a-z0-9]+", "-", target.name.lower()).strip("-") or "federation"
    return {
        "project": {
            "name": name, "version": "1.0.0", "license": "LicenseRef-unstated",
            "description": f"{experiment.algorithm.name} on {experiment.data.name} with {federation.parties} clients",
            "dependencies": [],
        },
        "tool": {"flwr": {"app": {
            "publisher": "trustkit",
            "components": {"serverapp": "server_app:app", "clientapp": "client_app:app"},
            "config": {
                "parties": str(target.absolute() / "parties"),
                "out": str(target.absolute().with_name(f"{target.name}-results")),
                "wait": 60, "timeout": 600,
            },
        }}},
    }  # fmt: skip
