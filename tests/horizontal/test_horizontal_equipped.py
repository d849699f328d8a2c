"""Attacks, faults and secure sums as parts of any algorithm over rows: alone, together, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.horizontal.naive_loop import never, toy
from tests.horizontal.naive_steps import descend, even, mean_of, played, present
from tests.horizontal.test_horizontal_algorithms import COPIES, MLP, ROWS, bound
from trustkit.horizontal import (
    ATTACKS,
    Dense,
    RowTrainer,
    dropout,
    faults,
    fedavg,
    fedopt,
    gaussian,
    scaffold,
    secure_counts,
    secure_sum,
    stragglers,
    word_sum,
)
from trustkit.horizontal.accountant import epsilon_of
from trustkit.horizontal.binding import equip
from trustkit.horizontal.faults import DELIVERED, DROPPED, UNSELECTED
from trustkit.horizontal.secure import recoverable
from trustkit.horizontal.summing import secure_mean
from trustkit.records import State
from trustkit.rng import stream

WIDE = Dense((5, 6, 3), "float64")
KEY = b"sixteen bytes or more"
TROUBLE = faults(dropout=0.2, error=0.2, spread=1.0, wait=1.5)
SUMMED = [name for name in ROWS if name in ("fedavg", "fedprox", "fedopt", "scaffold", "fedbn", "ditto", "pfedme",
                                            "fedem", "qfedavg", "fairfed", "fedfb", "puffle",
                                            "reweighing")]  # fmt: skip
LEFT_ALONE = ("outcome", "outcomes", "participations", "summed")
"""What faults write into the state."""


def attack(name: str, **more: Any) -> Any:
    """Return an attack on nine clients."""
    return ATTACKS[name].function(toy(9).data, 9, seed=11, **more)


def same(a: Any, b: Any) -> bool:
    """Say whether two states are equal to the bit."""
    return set(a) == set(b) and all(np.asarray(a[key]).tobytes() == np.asarray(b[key]).tobytes() for key in a)


@pytest.mark.parametrize("name", ROWS)
def test_attacks_reach_every_algorithm(name: str) -> None:
    """Flipped labels change what is trained, reversed updates what is merged; without attackers not a bit does."""
    plain, _ = played(bound(name, share=1.0), 2)
    for kind in ("label_flip", "sign_flip"):
        poisoned, _ = played(equip(bound(name, share=1.0), name, attack=attack(kind, share=1.0)), 2)
        assert not np.array_equal(poisoned["params"], plain["params"]), kind
        nobody, _ = played(equip(bound(name, share=1.0), name, attack=attack(kind, share=0.0)), 2)
        assert same(nobody, plain), kind


@pytest.mark.parametrize("name", ROWS)
def test_faults_that_never_happen_change_nothing(name: str) -> None:
    """The same numbers to the bit; only the counts of what became of clients are kept beside them."""
    plain, before = played(bound(name), 3)
    calm, seen = played(equip(bound(name), name, faults=faults()), 3)
    assert same({key: values for key, values in calm.items() if key not in ("outcome", "outcomes")}, plain)
    assert calm["outcomes"][:, DELIVERED].tolist() == plain["participations"].tolist()
    assert np.array_equal(seen.accuracy, before.accuracy, equal_nan=True)
    assert np.array_equal(seen.bytes_up, before.bytes_up)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    ("trouble", "trains"), [(dropout(chance=1.0), False), (faults(error=1.0), True), (stragglers(wait=0.0), True)]
)
def test_with_all_gone_the_model_stays(name: str, trouble: Any, trains: bool) -> None:
    """And every other model too; whoever did not leave has trained in vain."""
    trainer = equip(bound(name), name, faults=trouble)
    start = trainer.start()
    after, seen = trainer.step(start, 1, never)
    kept = [key for key in start if key not in LEFT_ALONE]
    assert same({key: after[key] for key in kept if key != "losses"}, {key: start[key] for key in kept})
    assert after["participations"].sum() == (4 if trains else 0)
    assert seen.selected.sum() == 4
    if name != "gossip":  # whose links are among those who deliver
        each = COPIES.get(name, 1) * 4.0 * MLP.parameters
        assert seen.bytes_down.sum() == (4 * each if trains else 0)
        assert seen.bytes_up.sum() == (4 * each if trouble.wait == 0 else 0)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("secure", [False, True])
def test_resuming_with_all_parts_is_bit_for_bit_the_whole_run(name: str, secure: bool) -> None:
    """From a copy of round 3, whoever left, failed or was late before; states keep their keys, types and shapes."""
    if secure and name not in SUMMED:
        return

    def made() -> RowTrainer:
        return equip(bound(name, share=0.8), name, attack=attack("sign_flip"), faults=TROUBLE, secure=secure)

    trainer = made()
    states: list[State] = [trainer.start()]
    for index in range(1, 6):
        for values in states[-1].values():
            values.setflags(write=False)
        states.append(trainer.step(states[-1], index, never)[0])
        assert {k: (v.dtype, v.shape) for k, v in states[-1].items()} == {
            k: (v.dtype, v.shape) for k, v in states[0].items()
        }
    assert states[-1]["outcomes"][:, 1:].sum(axis=0).all(), "each fault must have happened"
    state: State = {key: values.copy() for key, values in states[3].items()}
    for index in (4, 5):
        state = made().step(state, index, never)[0]
    assert same(state, states[5])


def test_only_who_delivers_is_merged() -> None:
    """FedAvg by hand, one autograd call after the other, over those that neither left nor failed nor were late."""
    trainer = equip(fedavg(even(8), WIDE, None, 0.75, 4, lr=0.2, batch=8, seed=2), "fedavg", faults=TROUBLE)
    state, w, sizes = trainer.start(), trainer.start()["params"], []
    for index in range(1, 5):
        asked = np.array(present(trainer, index))
        outcome = TROUBLE.deliver(2, index, asked, np.full(6, 3.0)).outcome  # 20 rows are three steps of at most 8
        there = [int(k) for k in asked[outcome == DELIVERED]]
        state, seen = trainer.step(state, index, never)
        if there:
            w = mean_of(trainer, there, [descend(trainer, w, index, k)[0] for k in there])
        sizes.append(len(there))
        assert np.abs(state["params"] - w).max() <= 1e-9
        assert np.flatnonzero(seen.selected).tolist() == asked.tolist()
        assert state["outcome"][asked].tolist() == outcome.tolist()
        assert (state["outcome"][~seen.selected] == UNSELECTED).all()
    assert min(sizes) < 6
    assert state["outcomes"].sum() == 24


@pytest.mark.parametrize("selector", ["random", "size", "fair"])
def test_faults_change_nobody_who_is_asked(selector: Any) -> None:
    """Choices that look at no model stay as they were planned, so that ε was planned for enough rounds."""
    calm = fedavg(toy(9), MLP, None, 0.4, 8, batch=8, seed=1, selector=selector)
    first, second = calm.start(), equip(calm, "fedavg", faults=faults(dropout=0.6)).start()
    for index in range(1, 9):
        first, one = calm.step(first, index, never)
        second, other = equip(calm, "fedavg", faults=faults(dropout=0.6)).step(second, index, never)
        assert np.array_equal(one.selected, other.selected)
    assert (second["participations"] <= first["participations"]).all()
    assert second["participations"].sum() < first["participations"].sum()


@pytest.mark.parametrize("level", ["example", "client"])
def test_epsilon_counts_whoever_trained(level: Any) -> None:
    """Composed over the rounds in which the busiest client did not leave, late and failed ones among them."""
    trainer = fedavg(toy(9), MLP, gaussian(level=level, epsilon=3.0), 0.5, 6, batch=8, seed=4)
    whole = played(trainer, 6)[1].epsilon
    state, seen = played(equip(trainer, "fedavg", faults=TROUBLE), 6)
    trained = state["outcomes"].sum(axis=1) - state["outcomes"][:, DROPPED]
    assert state["participations"].tolist() == trained.tolist()
    assert trained.max() > state["outcomes"][:, DELIVERED].max(), "somebody must have trained in vain"
    assert trainer.ledger is not None
    assert seen.epsilon == epsilon_of(trainer.ledger.noise, 1.0, int(trained.max()), 1e-5)
    assert seen.epsilon <= whole <= 3.0 * (1 + 1e-6)


def test_client_noise_is_for_those_who_delivered() -> None:
    """Without noise and with a clip that cuts nothing, the model is their plain mean, each client counted once."""
    quiet = gaussian(level="client", epsilon=None, noise=0.0, clip=1e6)
    trainer = fedavg(even(6), WIDE, quiet, 1.0, 1, lr=0.2, batch=8, seed=5)
    state, _ = trainer.step(trainer.start(), 1, never)
    some, _ = played(equip(trainer, "fedavg", faults=faults(dropout=0.5)), 1)
    there = np.flatnonzero(some["outcome"] == DELIVERED)
    assert 0 < there.size < 6
    start = trainer.start()["params"]
    want = np.mean([descend(trainer, start, 1, int(k))[0] for k in there], axis=0)
    assert np.abs(some["params"] - want).max() <= 1e-9
    assert np.abs(state["params"] - want).max() > 1e-4


@given(st.integers(3, 12), st.integers(0, 2**32), st.data())
@settings(max_examples=15, deadline=None)
def test_sums_without_masks_are_those_with_masks(clients: int, seed: int, data: st.DataObject) -> None:
    """Bit for bit, whole numbers and fractions, whoever is missing; and both are refused where masks stay on."""
    gone = data.draw(st.sets(st.integers(0, clients - 1), max_size=clients))
    alive = np.array([k not in gone for k in range(clients)])
    values = stream(seed, "sums").normal(size=(clients, 5)) * 100
    if not recoverable(alive):
        with pytest.raises(ValueError, match="must"):
            secure_sum(values, KEY, delivered=alive, fraction=32)
        return
    masked, plain = (
        f(values, delivered=alive, fraction=32) for f in (lambda v, **k: secure_sum(v, KEY, **k), word_sum)
    )
    assert masked.tobytes() == plain.tobytes()
    counts = np.abs(values).astype(int)
    assert secure_counts(counts, KEY).tobytes() == word_sum(counts).tobytes()


def test_masks_of_a_ring_come_off_or_not() -> None:
    """Forty clients with 32 neighbours each: ten in a row may leave, 25 may not."""
    alive = np.ones(40, bool)
    alive[:10] = False
    assert recoverable(alive)
    assert secure_sum(np.ones((40, 1), int), KEY, delivered=alive).tolist() == [30]
    alive[5:30] = False
    assert not recoverable(alive)
    with pytest.raises(ValueError, match="neighbours of client"):
        secure_sum(np.ones((40, 1), int), KEY, delivered=alive)


@pytest.mark.parametrize(
    ("more", "text"),
    [({"minimum": 4}, "a secure sum must have at least 4 clients, got 3"),
     ({"minimum": 1}, "minimum must be at least 2, got 1"),
     ({"delivered": np.ones(2, bool)}, "delivered must have one entry for each of the 3 clients, got shape (2,)")],
)  # fmt: skip
def test_sums_are_refused_in_the_words_of_the_protocol(more: Any, text: str) -> None:
    """One sentence, the same for both."""
    for add in (word_sum, lambda values, **rest: secure_sum(values, KEY, **rest)):
        with pytest.raises(ValueError) as caught:
            add(np.ones((3, 2), int), **more)
        assert str(caught.value) == text


@given(st.integers(3, 30), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_secure_mean_is_off_by_its_rounding(clients: int, seed: int) -> None:
    """At most 2^−33, whatever the weights; the exact mean is taken in long double."""
    rng = stream(seed, "sums")
    stack, weights = rng.normal(size=(clients, 20)) * 10, rng.integers(1, 500, clients).astype(float)
    exact = (weights.astype(np.longdouble) @ stack.astype(np.longdouble)) / weights.sum()
    assert np.abs(secure_mean(stack, weights) - exact).max() <= 2.0**-33 + 1e-13


@pytest.mark.parametrize("name", SUMMED)
def test_a_secure_run_is_the_plain_run_up_to_rounding(name: str) -> None:
    """Three rounds of every algorithm whose server needs no more than a mean."""
    fed, more = even(5), {"lr": 0.05}
    trainer = bound(name, share=1.0, fed=fed, **more)
    trainer = replace(trainer, model=WIDE, train=replace(trainer.train, X=np.asarray(trainer.train.X, float)),
                      test=replace(trainer.test, X=np.asarray(trainer.test.X, float)))  # fmt: skip
    plain, seen = played(trainer, 3)
    secure, other = played(equip(trainer, name, secure=True), 3)
    assert set(secure) == set(plain)
    gap = max(np.abs(secure[key] - plain[key]).max() for key in plain)
    bound_of = 1e-5 if name == "fedopt" else 1e-7  # Adam divides by the root of small numbers; steps pass errors on
    assert 0 < gap <= bound_of
    assert other.bytes_up.tolist() == seen.bytes_up.tolist()  # words are as long as these models' numbers
    short = played(equip(bound(name, share=1.0, fed=fed), name, secure=True), 1)[1]
    assert short.bytes_up.tolist() == (2 * short.bytes_down).tolist()


def test_a_client_level_mechanism_adds_noise_to_a_secure_sum() -> None:
    """The same noise on a sum that is off by its rounding."""
    trainer = fedavg(even(6), WIDE, gaussian(level="client", epsilon=4.0), 1.0, 3, lr=0.2, batch=8, seed=5)
    plain, _ = played(trainer, 3)
    secure, seen = played(equip(trainer, "fedavg", secure=True), 3)
    assert 0 < np.abs(plain["params"] - secure["params"]).max() <= 1e-8
    assert seen.epsilon == pytest.approx(4.0, rel=1e-3)


def test_where_masks_stay_on_the_model_stays() -> None:
    """Five are asked: with three there is a sum only if no client misses half of its neighbours."""
    trainer = equip(fedavg(even(5), WIDE, None, 1.0, 9, batch=8, seed=3), "fedavg", faults=dropout(0.5), secure=True)
    state, stayed, summed = trainer.start(), 0, 0
    for index in range(1, 10):
        after, _ = trainer.step(state, index, never)
        left = int((after["outcome"] == DELIVERED).sum())  # each has four neighbours and needs three
        assert after["summed"].tolist() == [left >= 4]
        assert np.array_equal(after["params"], state["params"]) == (left < 4)
        stayed, summed, state = stayed + (left == 3), summed + (left >= 4), after
    assert stayed
    assert summed


@pytest.mark.parametrize("name", ["ditto", "pfedme", "scaffold", "fedopt", "fedem", "fedbn"])
def test_a_sum_that_fails_leaves_the_server_as_it_was(name: str) -> None:
    """Clients of personalised algorithms keep what they learnt; control variates wait for the server."""
    more: dict[str, Any] = {"pfedme": {"mix": 0.5}, "scaffold": {"server_lr": 0.5}}.get(name, {})
    trainer = equip(bound(name, fed=even(5), share=1.0, **more), name, faults=dropout(0.5), secure=True)
    state = trainer.start()
    for index in range(1, 10):
        after, _ = trainer.step(state, index, never)
        if not after["summed"][0] and (after["outcome"] == DELIVERED).any():
            break
        state = after
    own = {"personal", "mixture", "affine"} & set(state)
    rest = set(state) - own - set(LEFT_ALONE)
    assert same({key: state[key] for key in rest}, {key: after[key] for key in rest})
    assert all(not np.array_equal(state[key], after[key]) for key in own)


@pytest.mark.parametrize("privacy", [None, gaussian(), gaussian(level="client")], ids=["open", "example", "client"])
@pytest.mark.parametrize("secure", [False, True])
def test_attacks_faults_privacy_and_secure_sums_compose(privacy: Any, secure: bool) -> None:
    """Every combination plays, stays finite, and differs from the one without attackers."""
    fed = even(9)
    poison = ATTACKS["sign_flip"].function(fed.data, 9, share=0.4, seed=6)

    def made(who: Any) -> RowTrainer:
        return equip(fedavg(fed, MLP, privacy, 0.8, 4, batch=8, seed=6), "fedavg", attack=who, faults=TROUBLE,
                     secure=secure)  # fmt: skip

    state, seen = played(made(poison), 4)
    honest, _ = played(made(None), 4)
    assert np.isfinite(state["params"]).all()
    assert np.isfinite(seen.epsilon) == (privacy is not None)
    assert not np.array_equal(state["params"], honest["params"])
    assert np.array_equal(state["outcomes"], honest["outcomes"])


SINGLE = "its server looks at each client's numbers"


@pytest.mark.parametrize(
    ("name", "why"),
    [("fedmedian", SINGLE), ("trimmed_mean", SINGLE), ("krum", SINGLE), ("multi_krum", SINGLE), ("bulyan", SINGLE),
     ("rfout_1d", SINGLE), ("afa", "its server compares the clients' models"),
     ("gossip", "each client mixes the models of its neighbours")],
)  # fmt: skip
def test_rules_that_need_single_updates_refuse_secure_sums(name: str, why: str) -> None:
    """By name, and why."""
    with pytest.raises(ValueError) as caught:
        equip(bound(name), name, secure=True)
    assert str(caught.value) == f"{name} must run without secure sums, because {why}, got secure=True"


def test_all_algorithms_either_sum_or_refuse() -> None:
    """None was forgotten above."""
    refused = []
    for name in ROWS:
        try:
            equip(bound(name), name, secure=True)
        except ValueError:
            refused.append(name)
    assert sorted([*SUMMED, *refused]) == sorted(ROWS)


def test_what_would_break_a_promise_is_refused() -> None:
    """Too few clients, a selector that judges single updates, cohorts of chance, and waiting under their ε."""
    blind = gaussian(level="client", sampling="poisson")
    cases: list[tuple[RowTrainer, dict[str, Any], str]] = [
        (fedavg(toy(4), MLP, None, 0.5, 2), {"secure": True},
         "secure sums must have at least 3 clients in a round, got 2"),
        (fedopt(toy(9), MLP, None, 0.5, 2, selector="reputation"), {"secure": True},
         "x must run without secure sums, because its selector judges each client's update, got secure=True"),
        (fedavg(toy(9), MLP, blind, 0.5, 2), {"secure": True},
         "x must run without secure sums, because a Poisson cohort may be too small for a sum, got secure=True"),
        (fedavg(toy(9), MLP, blind, 0.5, 2), {"faults": stragglers(wait=2.0)},
         "wait must be none with Poisson cohorts under client-level privacy, because whether a client is late tells "
         "of the others, which ε does not count, got 2"),
    ]  # fmt: skip
    for trainer, parts, text in cases:
        with pytest.raises(ValueError) as caught:
            equip(trainer, "x", **parts)
        assert str(caught.value) == text
    assert played(equip(fedavg(toy(9), MLP, blind, 0.5, 2), "x", faults=dropout(0.5)), 2)[1].epsilon > 0


def test_a_mean_that_diverges_is_refused_by_secure_sums() -> None:
    """A word has no infinity."""
    trainer = scaffold(even(4), WIDE, None, 1.0, 1, lr=0.1, batch=8)
    boom = replace(trainer, tamper=lambda w, trained, plan: trained * np.inf)
    with pytest.raises(ValueError, match=r"^values must be finite, got NaN or infinity$"):
        played(equip(boom, "scaffold", secure=True), 1)
