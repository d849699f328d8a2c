"""What all algorithms over rows promise: pure steps, resuming bit for bit, bytes, hooks, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.horizontal.naive_loop import never, toy
from tests.horizontal.naive_steps import even, played
from trustkit.catalogue import ALGORITHMS
from trustkit.horizontal import Dense, RowTrainer, afa, gaussian, gossip, krum_rows, scaffold
from trustkit.horizontal.plan import Cohort

MLP = Dense((5, 6, 3))
ROWS = [name for name, entry in ALGORITHMS.items() if entry.axis == "rows"]
COPIES = {"scaffold": 2, "fedem": 3}


def bound(name: str, privacy: Any = None, share: float = 0.5, fed: Any = None, **more: Any) -> RowTrainer:
    """Bind an algorithm to eight clients, four of which take part."""
    trainer: RowTrainer = ALGORITHMS[name].function(fed or toy(9), MLP, privacy, share, 5, batch=8, seed=11, **more)
    return trainer


def test_all_are_here() -> None:
    """Under the names and titles that a fact sheet and Table 3 of FederatedTrust know."""
    titles = {ALGORITHMS[name].title for name in ROWS}
    assert titles >= {
        "FedAvg", "FedOpt", "FedProx", "FedBN", "pFedMe", "Ditto", "FedEM", "SCAFFOLD", "FedMedian", "Trimmed mean",
        "Krum", "Multi-Krum", "Bulyan", "AFA", "RFOut-1d", "Gossip",
    }  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_resuming_is_bit_for_bit_the_whole_run(name: str) -> None:
    """From a copy of round 2's frozen state, by a trainer bound anew."""
    whole = bound(name)
    state, states, seens = whole.start(), [], []
    for index in range(1, 6):
        before = {key: values.copy() for key, values in state.items()}
        for values in state.values():
            values.setflags(write=False)
        after, seen = whole.step(state, index, never)
        assert all(np.array_equal(state[key], before[key], equal_nan=True) for key in state)
        assert set(after) == set(state)
        assert all(after[key].dtype == state[key].dtype and after[key].shape == state[key].shape for key in state)
        state = after
        states.append(state)
        seens.append(seen)
    again, state = bound(name), {key: values.copy() for key, values in states[1].items()}
    for index in range(3, 6):
        state, seen = again.step(state, index, never)
        assert all(np.array_equal(state[key], states[index - 1][key], equal_nan=True) for key in state)
        assert np.array_equal(seen.accuracy, seens[index - 1].accuracy, equal_nan=True)


@pytest.mark.parametrize("name", ROWS)
def test_bytes_are_what_is_sent(name: str) -> None:
    """A model both ways; SCAFFOLD a control variate too, FedEM three models; FedBN keeps its layer to itself."""
    if name == "gossip":  # by links: see its own test
        assert played(bound(name), 1)[1].bytes_up.sum() == 4 * 2 * 4 * MLP.parameters
        return
    _, seen = played(bound(name), 1)
    assert np.array_equal(seen.bytes_up, seen.selected * COPIES.get(name, 1) * 4.0 * MLP.parameters)
    assert np.array_equal(seen.bytes_down, seen.bytes_up)
    assert seen.selected.sum() == 4


@pytest.mark.parametrize("name", ROWS)
def test_tampering_reaches_the_merge(name: str) -> None:
    """It is given the model, what was trained and by whom, once a round; changing nothing changes nothing."""
    calls: list[tuple[int, ...]] = []

    def same(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        assert trained.shape == (len(plan.clients), params.size)
        calls.append(trained.shape)
        return trained

    def zero(params: np.ndarray, trained: np.ndarray, plan: Cohort) -> np.ndarray:
        return np.tile(params, (len(trained), 1))

    plain, _ = played(bound(name), 2)
    again, _ = played(replace(bound(name), tamper=same), 2)
    assert len(calls) == 2
    assert all(np.array_equal(plain[key], again[key], equal_nan=True) for key in plain)
    still, _ = played(replace(bound(name), tamper=zero), 2)
    assert np.allclose(still["params"], MLP.init(11) if name != "fedem" else bound(name).start()["params"], atol=1e-6)


@pytest.mark.parametrize("name", ROWS)
def test_relabelling_reaches_the_training(name: str) -> None:
    """Once, with all rows and the clients' offsets; test rows stay as they are."""
    seen_rows: list[int] = []

    def turned(X: np.ndarray, y: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen_rows.append(len(X))
        assert offsets[-1] == len(y) == len(X)
        return X, (y + 1) % 3

    fed = even(5, 60)
    honest, poisoned = (
        played(bound(name, share=1.0, fed=fed, lr=0.3) if hook is None
               else replace(bound(name, share=1.0, fed=fed, lr=0.3), relabel=hook), 12)[1].accuracy.mean()
        for hook in (None, turned)
    )  # fmt: skip
    assert seen_rows == [300]
    assert poisoned < 0.3 < honest


@pytest.mark.parametrize(
    ("algorithm", "reason"),
    [
        (scaffold, "Scaffold must run without client-level privacy, because its clients send control variates too, .*"),
        (afa, "Afa must run without client-level privacy, because its server leaves clients out, .*"),
        (gossip, "Gossip must run without client-level privacy, because there is no server .*"),
        (krum_rows, "client-level privacy must go with a strategy that averages the clients' updates, .*"),
    ],
)
def test_client_level_privacy_is_refused_where_its_noise_does_not_fit(algorithm: Any, reason: str) -> None:
    """In one sentence, at once."""
    with pytest.raises(ValueError, match=f"^{reason}"):
        algorithm(even(5), MLP, gaussian(level="client"), 1.0, 3)


@pytest.mark.parametrize("name", ["scaffold", "krum", "multi_krum", "bulyan", "rfout_1d", "afa", "fedopt", "gossip"])
def test_rows_are_protected_where_only_noisy_steps_are_sent(name: str) -> None:
    """ε is the one asked for, and noise is really added."""
    noisy, seen = played(bound(name, gaussian(epsilon=5.0)), 5)
    assert seen.epsilon == pytest.approx(5.0, rel=1e-3)
    other, _ = played(bound(name, gaussian(epsilon=50.0)), 5)
    assert not np.array_equal(noisy["params"], other["params"])


def test_a_server_may_step_on_a_noisy_mean() -> None:
    """FedOpt takes the private change for its gradient: post-processing, so ε is as without."""
    for sampling in ("fixed", "poisson"):
        privacy = gaussian(level="client", epsilon=5.0, sampling=sampling)
        _, seen = played(bound("fedopt", privacy), 5)
        assert seen.epsilon == pytest.approx(5.0, rel=1e-3)
