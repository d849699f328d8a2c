"""What every algorithm, model and privacy mechanism promises, whoever writes it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trustkit import datasets
from trustkit.catalogue import ALGORITHMS, MODELS, PRIVACY, SPLITS, use
from trustkit.data import FederatedDataset
from trustkit.experiment import Experiment
from trustkit.records import State, Stopped, Trainer
from trustkit.rounds import run

OVER_ROWS = [name for name, entry in ALGORITHMS.items() if entry.axis == "rows"]
OVER_COLUMNS = [name for name, entry in ALGORITHMS.items() if entry.axis == "columns"]
PAIRS = [(a, m) for a in OVER_ROWS for m in MODELS] + [(a, None) for a in OVER_COLUMNS]
CLIENTS = 8
QUICK = {"key_bits": 512, "depth": 1, "bins": 2}
"""Of trees under encryption, whose defaults take minutes: the rules are the same."""


def cares(algorithm: str) -> bool:
    """Say whether an algorithm looks at a protected attribute."""
    return "attribute" in {parameter.name for parameter in ALGORITHMS[algorithm].parameters}


def experiment(algorithm: str, model: str | None, **changes: Any) -> Experiment:
    """Return a small experiment for an algorithm, over whichever axis it needs."""
    axis = ALGORITHMS[algorithm].axis
    split = next(
        use(name, parties=CLIENTS)
        for name, entry in SPLITS.items()
        if entry.axis == axis and "parties" in {p.name for p in entry.parameters}
    )
    data, share = ("wine", 1.0)
    if axis == "rows":  # 0.4: three clients of eight, drawn anew each round; robust rules need three
        data, share = "acs_employment" if model == "logistic" and cares(algorithm) else "digits", 0.4
    quick = QUICK if "key_bits" in {p.name for p in ALGORITHMS[algorithm].parameters} else {}
    return Experiment(data, split, use(algorithm, **quick), model, rounds=2, participation=share, **changes)


def _trainer(wanted: Experiment) -> tuple[Trainer, FederatedDataset]:
    """Bind a new trainer, which has never played."""
    data = datasets.load(wanted.data.name)
    if cares(wanted.algorithm.name) and not data.sensitive:
        data = replace(data, sensitive={"even": np.where(np.arange(data.y.size) % 2, "odd", "even")})
    fed = FederatedDataset(data.scaled(), SPLITS.call(wanted.split, data, seed=wanted.seed))
    model = None if wanted.model is None else MODELS.call(wanted.model, fed.data)
    privacy = None if wanted.privacy is None else PRIVACY.call(wanted.privacy)
    bound = ALGORITHMS.call(
        wanted.algorithm, fed, model, privacy, wanted.participation, wanted.rounds, seed=wanted.seed
    )
    return bound, fed


def _bytes(state: State) -> dict[str, bytes]:
    return {name: np.asarray(value).tobytes() for name, value in state.items()}


@pytest.mark.parametrize(("algorithm", "model"), PAIRS)
def test_an_algorithm_plays_and_its_state_is_a_value(algorithm: str, model: str | None) -> None:
    """Two rounds; no state is changed in place; a trainer that has never played goes on bit for bit."""
    wanted = experiment(algorithm, model)
    trainer, _ = _trainer(wanted)
    ticks: list[int] = []
    start = trainer.start()
    kept = _bytes(start)
    first, _ = trainer.step(start, 1, lambda: ticks.append(1))
    between = _bytes(first)
    second, seen = trainer.step(first, 2, lambda: None)
    assert _bytes(start) == kept == _bytes(trainer.start()), "start, or a step, changed the first state"
    assert _bytes(first) == between, "a step changed the state that it was given"
    assert between != kept, "nothing was learnt"
    assert ticks, "a step must tick, so that it can be stopped"
    fresh, _ = _trainer(wanted)
    again, seen_again = fresh.step({name: np.array(value) for name, value in first.items()}, 2, lambda: None)
    assert _bytes(again) == _bytes(second)
    assert np.array_equal(seen_again.selected, seen.selected)
    assert np.array_equal(seen_again.accuracy, seen.accuracy, equal_nan=True)
    assert np.array_equal(seen_again.loss, seen.loss, equal_nan=True)


@pytest.mark.parametrize(("algorithm", "model"), PAIRS)
def test_an_algorithm_says_what_it_saw(algorithm: str, model: str | None) -> None:
    """Shapes and ranges of `Seen`, the trainer's facts, probabilities, scores and gradients."""
    trainer, fed = _trainer(experiment(algorithm, model))
    state, seen = trainer.step(trainer.start(), 1, lambda: None)
    axis, rows, classes = fed.partition.axis, fed.data.X[:5], len(fed.data.classes)
    scored = (CLIENTS,) if axis == "rows" else (1,)
    assert seen.selected.shape == seen.bytes_up.shape == seen.bytes_down.shape == (CLIENTS,)
    assert seen.selected.dtype == bool
    assert seen.accuracy.shape == seen.loss.shape == scored
    assert ((seen.accuracy >= 0) & (seen.accuracy <= 1)).all()
    assert (seen.loss >= 0).all()
    assert (seen.bytes_up >= 0).all()
    assert (seen.bytes_up.sum() > 0) == trainer.facts.get("federated", True), "only a yardstick sends nothing"
    assert seen.epsilon == math.inf
    assert all(trainer.facts[name] > 0 for name in ("parameters", "tensors", "model_bytes"))
    chances = trainer.predict(state, rows)
    assert chances.shape == (5, classes)
    assert (chances >= 0).all()
    assert np.allclose(chances.sum(1), 1, atol=1e-5)
    scores = trainer.logits(state, rows)
    assert scores.shape == (5, classes)
    assert (scores.argmax(1) == chances.argmax(1)).all()
    gradient = trainer.gradient(state, rows, np.eye(classes)[np.zeros(5, int)])
    assert gradient.shape == rows.shape
    smooth = trainer.facts.get("differentiable", True)
    assert (np.isfinite(gradient) if smooth else np.isnan(gradient)).all(), "NaN where undefined, and only there"


@pytest.mark.parametrize(("algorithm", "model"), PAIRS)
def test_an_algorithm_can_be_stopped_inside_a_round(algorithm: str, model: str | None) -> None:
    """By its tick, which is not swallowed; the state it went from stays as it was."""
    trainer, _ = _trainer(experiment(algorithm, model))
    start = trainer.start()
    kept = _bytes(start)

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        trainer.step(start, 1, stop)
    assert _bytes(start) == kept


@pytest.mark.parametrize("algorithm", OVER_ROWS)
@pytest.mark.parametrize("name", [name for name, entry in PRIVACY.items() if entry.axis != "columns"])
def test_a_mechanism_bounds_the_loss(name: str, algorithm: str) -> None:
    """ε is finite and positive, never falls, and the facts say under which assumption; or one line says why not."""
    wanted, refusal = experiment(algorithm, "logistic", privacy=name).change(rounds=3), ""
    try:
        record = run(wanted)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert "privacy" in refusal
        assert "because" in refusal
        assert "got" in refusal
        assert "\n" not in refusal
        return
    assert np.isfinite(record.epsilon).all()
    assert record.epsilon[-1] > 0
    assert (np.diff(record.epsilon) >= 0).all()
    facts = _trainer(wanted)[0].facts
    assert facts["mechanism"]
    assert facts["noise_multiplier"] > 0
    assert str(facts["assumption"]).endswith(".")
