"""One gradient mapped over clients: the engine of graphics cards does what those written for a processor do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from trustkit.catalogue import use
from trustkit.devices import device_named
from trustkit.experiment import Experiment
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local, cohort
from trustkit.horizontal.vmapped import Rows, gradients
from trustkit.rounds import build, play, run

TABLE = Experiment(
    "breast_cancer", use("dirichlet", parties=6, alpha=0.5), use("fedavg", lr=0.05), "logistic", rounds=3
)
DEEP = TABLE.change(model=use("mlp", hidden=[12, 8]))
IMAGES = Experiment("digits", use("iid", parties=5), use("fedavg", lr=0.05), use("convnet", channels=[4, 6]), rounds=2)
EXAMPLE = use("gaussian", level="example", epsilon=4.0)

CASES = {
    "logistic": TABLE,
    "mlp": DEEP,
    "convnet": IMAGES,
    "half of the clients": DEEP.change(participation=0.5, algorithm=use("fedavg", lr=0.05, epochs=2, batch=7)),
    "clipped and noisy rows": DEEP.change(privacy=EXAMPLE),
    "clipped and noisy images": IMAGES.change(privacy=EXAMPLE),
    "noisy clients": DEEP.change(privacy=use("gaussian", level="client", epsilon=4.0)),
    "fedprox": DEEP.change(algorithm=use("fedprox", lr=0.05, mu=0.5)),
    "scaffold": DEEP.change(algorithm=use("scaffold", lr=0.05)),
    "krum under attack": DEEP.change(algorithm=use("krum", lr=0.05), attack=use("sign_flip", share=0.2)),
    "ditto": DEEP.change(algorithm=use("ditto", lr=0.05)),
    "gossip": DEEP.change(algorithm=use("gossip", lr=0.05)),
    "counted rows": Experiment("adult", use("iid", parties=4), use("reweighing", lr=0.05), "logistic", rounds=1),
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_run_as_by_the_processors_engines(name: str) -> None:
    """Same batches, same noise: models agree to 1e-5 of their size in 4-byte floats, and so do losses."""
    one, two = run(CASES[name]), run(CASES[name], device="cpu")
    assert one.last.state is not None
    assert two.last.state is not None
    mine, its = np.asarray(one.last.state["params"]), np.asarray(two.last.state["params"])
    assert not np.array_equal(mine, build(CASES[name]).trainer.start()["params"])
    np.testing.assert_allclose(its, mine, rtol=0, atol=2e-5 * max(1.0, float(np.abs(mine).max())))
    np.testing.assert_allclose(two.stack("loss"), one.stack("loss"), rtol=1e-3, atol=1e-5)
    assert (two.stack("selected") == one.stack("selected")).all()


def test_it_resumes_to_the_same_bits() -> None:
    """On one device the engine repeats itself exactly, whole or in parts."""
    whole = list(play(DEEP, device="cpu"))
    rest = list(play(DEEP, after=whole[0], device="cpu"))
    assert all((a.state["params"] == b.state["params"]).all() for a, b in zip(rest, whole[1:], strict=True)
               if a.state is not None and b.state is not None)  # fmt: skip
    assert len(rest) == 2


def test_facts_name_the_device() -> None:
    """A record of a run elsewhere says so; one of the default engines says nothing."""
    assert build(DEEP, "cpu").trainer.facts["device"] == "cpu"
    assert "device" not in build(DEEP).trainer.facts


@pytest.mark.parametrize(
    ("experiment", "device", "sentence"),
    [
        (DEEP, "abacus", r"device must be one of cpu.* here, got 'abacus'"),
        (DEEP, "cuda:77", r"device must be one of cpu.* here, got 'cuda:77'"),
        (DEEP.change(algorithm=use("fedbn", lr=0.05)), "cpu", "device must be none with fedbn, whose normalised"),
        (Experiment("adult", use("iid", parties=4), use("puffle", lr=0.05), "logistic", rounds=1), "cpu",
         "device must be none with puffle, whose loss depends on a whole batch, got 'cpu'"),
    ],
)  # fmt: skip
def test_what_it_refuses(experiment: Experiment, device: str, sentence: str) -> None:
    """One sentence before anything is trained."""
    with pytest.raises(ValueError, match=sentence):
        play(experiment, device=device)


@pytest.mark.parametrize("clip", [None, 0.5])
@pytest.mark.parametrize("model", [Dense((5, 4, 3)), Convnet((1, 8, 8), (2,), 0, 3)], ids=["dense", "convnet"])
def test_every_tensor_of_a_step_is_on_the_rows_device(model: Any, clip: float | None) -> None:
    """Shapes and devices of a step, followed on a device without numbers: tensors of two devices would raise."""
    features = 5 if isinstance(model, Dense) else 64
    plan = cohort(0, 1, np.array([0, 1]), np.array([0, 4, 9]), Local(batch=3))
    rows = object.__new__(Rows)
    rows.device = torch.device("meta")
    rows.X = torch.zeros(9, features, device="meta")
    rows.y = torch.zeros(9, dtype=torch.int64, device="meta")
    stack = torch.zeros(2, model.parameters, device="meta")
    found = gradients(model, stack, rows, plan, 0, clip, torch.ones(9, device="meta"))
    assert (found.device.type, tuple(found.shape)) == ("meta", (2, model.parameters))
    rows.y = torch.zeros(9, dtype=torch.int64)  # left on the processor
    with pytest.raises((RuntimeError, NotImplementedError)):
        gradients(model, stack, rows, plan, 0, clip)


ACROSS = Experiment("wine", use("importance", parties=2), "splitnn", rounds=2)


NETWORKS = ("splitnn", "cvfl", "gal", "al", "solo", "pooled")
"""Algorithms across columns whose networks can be on a graphics card."""


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_across_columns_take_a_device(name: str) -> None:
    """On the processor it is the same code and the same bits."""
    wanted = ACROSS.change(algorithm=name)
    one, two = run(wanted), run(wanted, device="cpu")
    assert one.last.state is not None
    assert two.last.state is not None
    assert one.last.state.keys() == two.last.state.keys()
    assert all((one.last.state[key] == two.last.state[key]).all() for key in one.last.state)
    assert build(wanted, "cpu").trainer.facts["device"] == "cpu"


def test_what_stays_on_the_processor_is_refused() -> None:
    """Noise that is drawn by row, trees, and shares, which are whole numbers."""
    guarded = ACROSS.change(privacy=use("column_noise", epsilon=5.0))
    others = ((ACROSS.change(algorithm=name), name) for name in ("fedtree", "blindfl"))
    for experiment, name in ((guarded, "splitnn"), *others):
        with pytest.raises(ValueError, match=f"device must be none with {name}"):
            play(experiment, device="cpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no graphics card here")
def test_a_graphics_card_agrees() -> None:
    """Sums run in another order there: 1e-4 of the model's size."""
    one, two = run(DEEP), run(DEEP, device=str(device_named("cuda")))
    assert one.last.state is not None
    assert two.last.state is not None
    np.testing.assert_allclose(two.last.state["params"], one.last.state["params"], rtol=0, atol=1e-4)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no graphics card here")
@pytest.mark.parametrize("name", NETWORKS)
def test_a_graphics_card_agrees_across_columns(name: str) -> None:
    """After a round; Adam makes of a gradient's last bits up to its step size, 0.01 at most."""
    wanted = ACROSS.change(algorithm=name, rounds=1)
    one, two = run(wanted), run(wanted, device=str(device_named("cuda")))
    assert one.last.state is not None
    assert two.last.state is not None
    for key, values in one.last.state.items():
        np.testing.assert_allclose(two.last.state[key], values, rtol=0, atol=2e-2, err_msg=key)
