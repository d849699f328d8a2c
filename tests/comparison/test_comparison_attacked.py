"""An attacked run beside its twins: what differs, who attacks, and what a backdoor achieves."""

from __future__ import annotations

import numpy as np

import trustkit as tk
from trustkit import use
from trustkit.comparison import attackers_of, backdoor_success, twins

CLEAN = tk.Experiment("breast_cancer", use("iid", parties=5), use("fedavg", batch=64), "logistic", rounds=3, seed=1)
FLIP = CLEAN.change(attack=use("label_flip", share=0.4))
DOOR = CLEAN.change(attack=use("backdoor", share=0.5, value=4.0))


def test_the_three_differ_in_attack_and_defence_alone() -> None:
    """The defence takes over how clients train, and is told the share as far as it can withstand it."""
    base = FLIP.change(algorithm=use("fedprox", lr=0.3, batch=16, mu=0.5), seed=9)
    trio = twins(base, "bulyan")
    assert trio["attacked"] == base
    assert trio["clean"].change(attack=base.attack) == base
    assert trio["defended"].change(algorithm=base.algorithm) == base
    args = trio["defended"].algorithm.args
    assert (args["lr"], args["batch"], args["share"]) == (0.3, 16, 0.24)
    assert twins(base, "krum")["defended"].algorithm.args["share"] == 0.4
    assert list(twins(base, "fedprox")) == ["clean", "attacked"]


def test_attackers_are_those_of_the_run() -> None:
    """Known without building it."""
    attack = tk.build(FLIP).attack
    assert attack is not None
    who = attackers_of(FLIP)
    assert who is not None
    assert who.tolist() == attack.clients.tolist()
    assert len(who) == 2
    assert attackers_of(CLEAN) is None


def test_a_backdoor_is_measured_on_rows_that_carry_its_pattern() -> None:
    """By hand: stamp every held-out row of another class, count those that go to class 0; none without a pattern."""
    record = tk.run(DOOR)
    built = tk.build(DOOR)
    test = built.fed.stacked("test")
    stamped = test.X[test.y != 0].copy()
    stamped[:, -3:] = 4.0
    found = built.trainer.predict(record.last.state, stamped).argmax(axis=1)
    assert backdoor_success(record, DOOR) == np.mean(found == 0)
    assert backdoor_success(tk.run(FLIP), FLIP) is None
