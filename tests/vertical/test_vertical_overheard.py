"""Listening: nothing is heard that does not cross, everything that does, and lines are put in order."""

from __future__ import annotations

import numpy as np
import torch

from tests.vertical.test_vertical_splitnn import never, toy
from trustkit.catalogue import ALGORITHMS, use
from trustkit.rng import stream
from trustkit.vertical import Channel, Heard, by_row, listening
from trustkit.vertical.boosted.trees import Trees, leaves_of
from trustkit.vertical.boosted.turns_at_splits import sides


def test_a_channel_tells_only_who_listens() -> None:
    """What stays at home is not heard; what was heard is a copy; afterwards nobody listens."""
    message = np.arange(3.0)
    with listening() as heard:
        wire = Channel(2)
        wire.pass_on(0, 0, "a", message)
        wire.pass_on(0, 1, "b", message)
        wire.send(1, 0, "c", torch.ones(2), size=1)
        message += 1
    assert [(m.sender, m.receiver, m.kind, m.numbers.tolist()) for m in heard] == [
        (0, 1, "b", [0.0, 1.0, 2.0]), (1, 0, "c", [1.0, 1.0])
    ]  # fmt: skip
    assert wire.traffic == {(0, 1, "b"): 24, (1, 0, "c"): 1}
    assert Channel(2).heard is None


def test_lines_are_put_back_in_order() -> None:
    """Batches are joined and sorted, whole passes stand side by side, columns are turned, others are left out."""
    order, truth = np.array([2, 0, 1]), np.arange(6.0).reshape(3, 2)
    sent = truth[order]
    (found,) = by_row(
        [Heard(1, 0, "e", sent[:2]), Heard(1, 0, "e", sent[2:]), Heard(0, 1, "s", np.ones((5, 2)))], 3, order
    )
    assert np.array_equal(found.numbers, truth)
    (found,) = by_row([Heard(0, 1, "g", np.ones((2, 3))), Heard(0, 1, "g", np.zeros((2, 3)))], 3)
    assert found.numbers.tolist() == [[1, 1, 0, 0]] * 3
    square = [Heard(1, 0, "e", np.arange(4.0).reshape(1, 4) + k) for k in range(4)]  # as wide as there are rows
    (found,) = by_row(square, 4)
    assert found.numbers[:, 0].tolist() == [0, 1, 2, 3]


def test_listening_changes_nothing() -> None:
    """A round that is listened to ends in the same state, for every algorithm that sends in the clear."""
    for name in ("splitnn", "gal", "fedtree"):
        trainer = ALGORITHMS.call(use(name), toy(), None, None, 1.0, 2, seed=1)
        plain, _ = trainer.step(trainer.start(), 1, never)
        with listening() as heard:
            again, seen = trainer.step(trainer.start(), 1, never)
        assert heard
        assert all(np.array_equal(plain[key], again[key]) for key in plain)
        sent = sum(m.numbers.nbytes for m in heard if m.sender == 1)
        assert 0 < sent <= seen.bytes_up[1]


def test_instance_sets_are_the_way_through_the_trees() -> None:
    """Row by row down the trees, only at one party's splits; the ends are those of the trees themselves."""
    trainer = ALGORITHMS.call(use("fedtree", depth=3, bins=8), toy(), None, None, 1.0, 2, seed=1)
    state = trainer.start()
    for index in (1, 2):
        state, _ = trainer.step(state, index, never)
    rows = stream(1).permutation(trainer.table.y.size)[:20]
    codes = np.zeros((trainer.table.y.size, 7), int)
    for own in trainer.parties:
        codes[:, own.columns] = own.codes
    for party in (1, 2):
        found = sides(state, trainer.parties, party, rows)
        expected = []
        for tree in range(len(state["feature"])):
            for slot in range(7):
                if state["feature"][tree, slot] in trainer.table.columns[party]:
                    expected.append([_turn(state, codes[i], tree, slot) for i in rows])
        assert found.T.tolist() == expected
    ends = leaves_of(Trees(state["feature"], state["bin"], state["weight"]), codes)
    assert ends.shape == (len(state["feature"]), trainer.table.y.size)


def _turn(state: dict[str, np.ndarray], codes: np.ndarray, tree: int, slot: int) -> int:
    """Walk one row down one tree; say which way it goes at a slot, 0 if it does not come by."""
    at = 0
    while True:
        column = int(state["feature"][tree, at])
        if column < 0:
            return 0
        right = int(codes[column] > state["bin"][tree, at])
        if at == slot:
            return 2 * right - 1
        at = 2 * at + 1 + right
