"""Experiments by name: those of the paper have the paper's numbers, and each stand-in says what it stands in for."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from trustkit.catalogue import ALGORITHMS, DATASETS
from trustkit.preset import PRESETS, caveat_of, presets, scaled_down
from trustkit.rounds import build, data_of, partition_of, play

SLOW = ("paper/experiment-1", "paper/experiment-2", "paper/experiment-3")
"""A round of the convolutional network takes seconds; tests/horizontal play it on fewer rows."""


class Printed(NamedTuple):
    """What section 6 of FederatedTrust prints of an experiment; None where it prints nothing."""

    clients: int
    share: float
    rounds: int | None
    epsilon: float | None
    aggregation: str
    hidden: tuple[int, ...] | None


PAPER = {
    # "a federation of 10 clients with a selection rate of 50% clients per training round … runs 5 rounds"
    1: Printed(10, 0.5, 5, None, "FedAvg", None),
    # "50 clients and in every iteration the server randomly selects 60% clients. The experiment runs 25 training
    # iterations … differential privacy with ε of 20"
    2: Printed(50, 0.6, 25, 20.0, "FedAvg", None),
    # "100 clients with a 40% client selection rate and 50 rounds of training. The ε value … is set to 6"; of all three:
    # "random sampling, and the FedAvg aggregation algorithm"
    3: Printed(100, 0.4, 50, 6.0, "FedAvg", None),
    # "the number of clients is nine, one per IoT device"; "FedAvg … does not use Differential Privacy … client
    # selection ratio is 70% … 20/80 ratio between benign and attack labels … two hidden layers of 50 neurons"
    4: Printed(9, 0.7, None, None, "FedAvg", (50, 50)),
    # "Federated Median … local Differential Privacy with ε equal to 4. The client selection ratio is 90% … 50/50
    # balance per class … four hidden layers of 100, 80, 70, and 50 neurons"
    5: Printed(9, 0.9, None, 4.0, "FedMedian", (100, 80, 70, 50)),
}


@pytest.mark.parametrize("number", PAPER)
def test_the_papers_experiments_have_the_papers_numbers(number: int) -> None:
    """Clients, selection rate, rounds, ε, aggregation and hidden layers."""
    printed, experiment = PAPER[number], PRESETS[f"paper/experiment-{number}"].make()
    assert partition_of(experiment).parties == printed.clients
    assert experiment.participation == printed.share
    if printed.rounds is not None:
        assert experiment.rounds == printed.rounds
    epsilon = experiment.privacy.args["epsilon"] if experiment.privacy else None
    assert epsilon == printed.epsilon
    assert ALGORITHMS[experiment.algorithm.name].title == printed.aggregation
    assert experiment.model is not None
    assert experiment.model.args.get("hidden") == (printed.hidden if printed.hidden else 0)
    assert experiment.model.name == ("mlp" if printed.hidden else "convnet")


@pytest.mark.parametrize("number", [n for n, printed in PAPER.items() if printed.epsilon])
def test_the_papers_epsilon_holds_over_all_rounds(number: int) -> None:
    """The noise is found for the whole run: its ε is the printed one, not that of one round."""
    trainer = build(PRESETS[f"paper/experiment-{number}"].make()).trainer
    assert PAPER[number].epsilon == pytest.approx(trainer.facts["epsilon"], rel=1e-3)
    assert trainer.facts["level"] == "example"


@pytest.mark.parametrize(("number", "benign"), [(4, 0.2), (5, 0.5)])
def test_each_device_has_the_papers_balance(number: int, benign: float) -> None:
    """20/80 and 50/50 between benign and attack at every client, on 115 columns."""
    experiment = PRESETS[f"paper/experiment-{number}"].make()
    data, owner = data_of(experiment), partition_of(experiment).owner
    assert data.X.shape[1] == 115
    assert len(set(data.groups["device"])) == 9
    shares = [np.mean(data.y[owner == k] == data.classes.index("benign")) for k in range(9)]
    assert shares == pytest.approx([benign] * 9, abs=0.005)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_built(name: str) -> None:
    """Data, partition and trainer fit; the quick ones play a round with finite numbers."""
    experiment = PRESETS[name].make()
    built = build(experiment)
    assert len(built.fed) >= 4
    assert built.trainer.facts["parameters"] > 0
    if name not in SLOW:
        first = next(play(experiment))
        assert np.isfinite(first.accuracy).all()
        assert abs(first.selected.sum() - experiment.participation * len(built.fed)) <= 0.5
        assert math.isinf(first.epsilon) == (experiment.privacy is None)


def test_each_stand_in_says_so() -> None:
    """What is scaled down names the paper's data; what trains on synthetic rows says synthetic."""
    for name, preset in PRESETS.items():
        experiment = preset.make()
        words = scaled_down(experiment)
        assert bool(words) == name.startswith("paper/")
        if words:
            assert preset.caveat == f"scaled down: {words}"
            assert ("FEMNIST" in words) == (name in SLOW)
            assert ("N-BaIoT" in words) == (name not in SLOW)
            assert ("synthetic" in words) == data_of(experiment).provenance.synthetic
        assert caveat_of(experiment) == preset.caveat
        assert not preset.caveat.endswith(".")  # it is shown inside a sentence
    assert "CCES 2016" in PRESETS["start/states"].caveat
    assert data_of(PRESETS["start/states"].make()).name == "cces"


def test_a_changed_preset_is_no_longer_the_papers() -> None:
    """Its caveat belongs to the experiment it names, by the experiment's key."""
    experiment = presets()["paper/experiment-4"]
    assert scaled_down(experiment)
    assert caveat_of(experiment.change(seed=9)) == scaled_down(experiment.change(seed=9)) == ""
    assert caveat_of(type(experiment).from_toml(experiment.to_toml())) == caveat_of(experiment)


def test_presets_are_different_and_have_titles() -> None:
    """No two have one key or one title; data sets and titles are known."""
    found: dict[str, Any] = presets()
    assert list(found) == list(PRESETS)
    assert (
        len({experiment.key for experiment in found.values()}) == len({p.title for p in PRESETS.values()}) == len(found)
    )
    assert all(experiment.data.name in DATASETS for experiment in found.values())
    assert {"start", "start/private", "start/states"} <= set(found)
