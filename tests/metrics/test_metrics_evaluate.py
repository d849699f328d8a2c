"""One pass over all test rows, client by client, against counting by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from trustkit.metrics.evaluate import count_groups, examine, softmax
from trustkit.rng import stream


@pytest.mark.parametrize("offsets", [[0, 0, 3, 3, 5, 5], [0, 5, 5], [0, 0, 0, 5]])
def test_empty_clients_are_undefined_wherever_they_stand(offsets: list[int]) -> None:
    """np.add.reduceat would give an empty segment its neighbour's value."""
    logits, y = np.eye(2)[[0, 1, 1, 0, 1]], np.array([0, 1, 0, 0, 0])
    seen = examine(logits, y, np.array(offsets))
    for k, (low, high) in enumerate(pairwise(offsets)):
        right = (logits.argmax(1) == y)[low:high]
        assert np.isnan(seen.accuracy[k]) if low == high else seen.accuracy[k] == right.mean()


def test_groups_are_counted_as_by_hand() -> None:
    """A triple loop over clients, groups and rows."""
    generator = stream(0, "groups")
    predicted, y, code = (generator.integers(0, high, 60) for high in (3, 3, 4))
    offsets = np.array([0, 10, 10, 45, 60])
    counts = count_groups(predicted, y, offsets, {"race": (code, 5)}, positive=2)["race"]
    assert counts.shape == (4, 5, 2, 2)
    expected = np.zeros((4, 5, 2, 2), int)
    for k in range(4):
        for i in range(offsets[k], offsets[k + 1]):
            expected[k, code[i], int(y[i] == 2), int(predicted[i] == 2)] += 1
    assert np.array_equal(counts, expected)


def test_softmax_survives_large_scores() -> None:
    """A score of 1000 is no overflow."""
    assert softmax(np.array([[1000.0, 0.0]])).tolist() == [[1.0, 0.0]]
    assert np.isfinite(examine(np.array([[1e4, 0.0]]), np.array([1]), np.array([0, 1])).loss[0])
