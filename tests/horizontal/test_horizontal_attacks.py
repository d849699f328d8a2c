"""Attacks: who they touch, what they change to the digit, and that they hurt a federation that does not defend."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.horizontal.naive_loop import never, toy
from trustkit.catalogue import use
from trustkit.horizontal import fedavg, fedmedian, mlp
from trustkit.horizontal.adversary import Attack, Trigger, attackers
from trustkit.horizontal.aggregate import weighted_mean
from trustkit.horizontal.attacks import ATTACKS, backdoor, gaussian_noise, label_flip, model_replacement, sign_flip
from trustkit.horizontal.plan import Cohort
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.defence import backdoor_success_rate, poisoning_defence
from trustkit.rng import stream

FED = toy()
DATA = FED.data
OFFSETS = np.array([0, 2, 5, 9])
X, Y = np.arange(27.0).reshape(9, 3), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])


def plan(clients: list[int]) -> Cohort:
    """Lay out a round of which only the clients matter."""
    empty = np.zeros((0, len(clients), 0), int)
    return Cohort(5, 2, np.array(clients), np.zeros(len(clients), int), empty, np.zeros((0, len(clients))))


@given(st.integers(1, 40), st.floats(0, 1), st.floats(0, 1), st.integers(0, 99))
def test_a_larger_share_adds_attackers(clients: int, one: float, other: float, seed: int) -> None:
    """Nobody at 0, everybody at 1, and whoever attacks at a share attacks at every larger one."""
    few, many = sorted([one, other])
    first, second = attackers(clients, few, seed), attackers(clients, many, seed)
    assert set(first) <= set(second)
    assert len(second) == (max(1, round(many * clients)) if many else 0)
    assert attackers(clients, 1.0, seed).tolist() == list(range(clients))


def test_label_flip_by_hand() -> None:
    """C − 1 − y for all rows of the attackers; for a pair only the source's rows; nobody else, and no feature."""
    attack = label_flip(DATA, 3, share=1 / 3, seed=1)
    assert attack.relabel is not None
    assert attack.tamper is None
    mine = slice(OFFSETS[attack.clients[0]], OFFSETS[attack.clients[0] + 1])
    rows, flipped = attack.relabel(X, Y, OFFSETS)
    assert np.array_equal(rows, X)
    want = Y.copy()
    want[mine] = 2 - Y[mine]
    assert np.array_equal(flipped, want)
    pair = label_flip(DATA, 3, share=1.0, source=0, target=2).relabel
    assert pair is not None
    assert pair(X, Y, OFFSETS)[1].tolist() == [2, 1, 2, 2, 1, 2, 2, 1, 2]
    assert Y.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2]


def test_sign_flip_by_hand() -> None:
    """w − s(x − w): from 1, a step of +2 sent back twice as long lands at −3."""
    attack = sign_flip(DATA, 3, share=1.0, scale=2.0)
    assert attack.tamper is not None
    sent = attack.tamper(np.array([1.0]), np.array([[3.0], [0.0]]), plan([2, 0]))
    assert sent.tolist() == [[-3.0], [3.0]]


def test_model_replacement_replaces_the_model() -> None:
    """Equation 5: where the others stand still, the plain mean is exactly the attacker's model; so for two of them."""
    w, target = np.array([1.0, -2.0]), np.array([4.0, 0.5])
    for share, count in ((0.25, 1), (0.5, 2)):
        attack = model_replacement(DATA, 4, share=share, seed=3)
        assert attack.tamper is not None
        assert len(attack.clients) == count
        trained = np.tile(w, (4, 1))
        trained[attack.clients] = target
        sent = attack.tamper(w, trained, plan([0, 1, 2, 3]))
        np.testing.assert_allclose(weighted_mean(sent, np.ones(4)), target)
        assert np.array_equal(np.delete(sent, attack.clients, axis=0), np.delete(trained, attack.clients, axis=0))
    fixed = model_replacement(DATA, 4, share=1.0, boost=10.0).tamper
    assert fixed is not None
    assert fixed(w, w[None] + 1, plan([0]))[0].tolist() == (w + 10).tolist()


def test_noise_is_as_large_as_asked_and_addressed() -> None:
    """Around the global model, whatever was trained; by client and round, not by place in the cohort."""
    tamper = gaussian_noise(DATA, 3, share=1.0, scale=0.5, seed=4).tamper
    assert tamper is not None
    w, trained = np.full(20_000, 3.0), np.full((3, 20_000), 9.0)
    sent = tamper(w, trained, plan([0, 1, 2]))
    np.testing.assert_allclose(sent.mean(axis=1), 3, atol=0.02)
    np.testing.assert_allclose(sent.std(axis=1), 0.5, rtol=0.03)
    assert np.array_equal(tamper(w, trained, plan([2, 1, 0])), sent[::-1])
    assert abs(np.corrcoef(sent)[0, 1]) < 0.03


def test_backdoor_by_hand() -> None:
    """Half of the attacker's four rows carry the pattern and the label; the test rows are stamped the same way."""
    attack = backdoor(DATA, 3, share=1.0, target=1, columns=(0, 2), value=7.0, poisoned=0.5)
    assert attack.relabel is not None
    rows, labels = attack.relabel(X, Y, OFFSETS)
    stamped = (rows[:, [0, 2]] == 7).all(axis=1)
    assert [int(stamped[a:b].sum()) for a, b in pairwise(OFFSETS)] == [1, 2, 2]
    assert (labels[stamped] == 1).all()
    assert np.array_equal(labels[~stamped], Y[~stamped])
    assert np.array_equal(rows[:, 1], X[:, 1])
    assert np.array_equal(rows[~stamped], X[~stamped])
    assert attack.trigger is not None
    assert np.array_equal(attack.trigger.stamp(X)[:, [0, 2]], np.full((9, 2), 7.0))


def test_a_pattern_sits_in_the_corner_of_an_image() -> None:
    """The last 3 × 3 pixels of an 8 × 8 image: rows and columns 5, 6, 7."""
    data = toy(features=64, image=(1, 8, 8)).data
    trigger = backdoor(data, 3).trigger
    assert trigger is not None
    assert trigger.columns.tolist() == [45, 46, 47, 53, 54, 55, 61, 62, 63]
    table = backdoor(DATA, 3).trigger
    assert table is not None
    assert table.columns.tolist() == [2, 3, 4]


@pytest.mark.parametrize("name", list(ATTACKS))
def test_every_attack_touches_attackers_only(name: str) -> None:
    """On real-looking input, with frozen arrays, twice the same; and nobody without attackers."""
    attack: Attack = ATTACKS.call(use(name), DATA, 3, seed=2)
    labels, rows = Y.copy(), stream(0, "x").standard_normal((9, 5))
    w, trained = np.zeros(6, np.float32), stream(1, "x").standard_normal((3, 6)).astype(np.float32)
    for array in (labels, rows, w, trained):
        array.setflags(write=False)
    honest = [k for k in range(3) if k not in attack.clients]
    assert len(attack.clients) == 1
    if attack.relabel is not None:
        new_rows, new_labels = attack.relabel(rows, labels, OFFSETS)
        for k in honest:
            mine = slice(OFFSETS[k], OFFSETS[k + 1])
            assert np.array_equal(new_rows[mine], rows[mine])
            assert np.array_equal(new_labels[mine], labels[mine])
    if attack.tamper is not None:
        sent = attack.tamper(w, trained, plan([0, 1, 2]))
        assert np.array_equal(sent[honest], trained[honest])
        assert not np.array_equal(sent, trained)
        assert sent.dtype == np.float32
        assert np.array_equal(sent, attack.tamper(w, trained, plan([0, 1, 2])))
        assert attack.tamper(w, trained[:0], plan([])).shape == (0, 6)
    nobody: Attack = ATTACKS.call(use(name, share=0.0), DATA, 3, seed=2)
    assert nobody.clients.size == 0
    if nobody.tamper is not None:
        assert np.array_equal(nobody.tamper(w, trained, plan([0, 1, 2])), trained)
    if nobody.relabel is not None:
        assert np.array_equal(nobody.relabel(rows, labels, OFFSETS)[1], labels)


@pytest.mark.parametrize("name", list(ATTACKS))
def test_an_entry_is_a_form(name: str) -> None:
    """One line, a range or choices for every number, defaults that pass their own check."""
    entry = ATTACKS[name]
    assert entry.about.endswith(".")
    for parameter in entry.parameters:
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.about
    assert {"share"} <= {parameter.name for parameter in entry.parameters}


def _run(trainer: RowTrainer, attack: Attack | None) -> tuple[Any, Any]:
    """Train, under an attack or not; return what the last round saw, and its state."""
    if attack is not None:
        trainer = replace(trainer, relabel=attack.relabel, tamper=attack.tamper)
    state, seen = trainer.start(), None
    for index in range(1, 16):
        state, seen = trainer.step(state, index, never)
    return seen, state


@pytest.mark.parametrize("name", ["label_flip", "sign_flip", "gaussian_noise"])
def test_attacks_hurt_the_mean(name: str) -> None:
    """Two of six poison: the mean loses accuracy; the median keeps nearly all of it against noise."""
    fed = toy(rows=900)
    model = mlp(fed.data, hidden=(8,))
    base = fedavg(fed, model, None, 1.0, 15, lr=0.3, batch=16)
    attack = ATTACKS.call(use(name, share=0.4), fed.data, len(fed), seed=0)
    clean = float(np.nanmean(_run(base, None)[0].accuracy))
    assert clean > 0.85
    assert poisoning_defence(_run(base, attack)[0].accuracy, clean) < 0.95
    if name == "gaussian_noise":
        robust = fedmedian(fed, model, None, 1.0, 15, lr=0.3, batch=16)
        assert poisoning_defence(_run(robust, attack)[0].accuracy, clean) > 0.9


def test_model_replacement_opens_a_backdoor() -> None:
    """Stamped rows of other classes go to class 0 far more often than under the clean model."""
    fed = toy(rows=900)
    base = fedavg(fed, mlp(fed.data, hidden=(16,)), None, 1.0, 15, lr=0.3, batch=16)
    attack = model_replacement(fed.data, len(fed), share=0.2)
    assert isinstance(attack.trigger, Trigger)
    stamped, rates = attack.trigger.stamp(np.asarray(base.test.X)), []
    for each in (None, attack):
        state = _run(base, each)[1]
        rates.append(backdoor_success_rate(base.logits(state, stamped).argmax(axis=1), base.test.y, target=0))
    assert rates[1] > rates[0] + 0.3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attackers(0, 0.5, 0), "clients must be at least 1, got 0"),
        (lambda: label_flip(DATA, 3, share=1.5), "share must be between 0 and 1, got 1.5"),
        (lambda: label_flip(DATA, 3, source=3), "source must be one of the classes 0 … 2 of toy, got 3"),
        (lambda: label_flip(DATA, 3, source=1, target=1), "target must differ from source, got 1 for both"),
        (lambda: backdoor(DATA, 3, target=9), "target must be one of the classes 0 … 2 of toy, got 9"),
        (lambda: backdoor(DATA, 3, columns=(1, 5)), "columns must be among 0 … 4 of toy, got 1 … 5"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
