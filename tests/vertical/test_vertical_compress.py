"""Compressed tensors: what is kept, how far what is opened is off, and how many bytes it has."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trustkit.rng import stream
from trustkit.vertical.networks.compress import kept_of, largest, opened, picked, quantised, whole

NUMBERS = st.floats(-1e6, 1e6, width=32)


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=NUMBERS),
       st.integers(2, 256), st.integers(0, 9))  # fmt: skip
def test_a_quantised_number_is_at_most_half_a_step_off(x: np.ndarray, levels: int, seed: int) -> None:
    """With any dither, also at both ends, where codes are clipped; bytes are packed bits and two numbers."""
    dither = stream(seed, "dither").random(x.shape) - 0.5
    packet = quantised(torch.tensor(x), levels, dither)
    step = (x.max() - x.min()) / (levels - 1)
    error = np.abs(opened(packet, dither).numpy() - x).max()
    assert error <= step / 2 * (1 + 1e-9) + 1e-9 * np.abs(x).max()
    assert packet.size == math.ceil(x.size * math.ceil(math.log2(levels)) / 8) + 2 * 8


def test_dither_keeps_the_mean() -> None:
    """100,000 times the same number between two levels: 1.3 with a step of 1, to 5 standard errors of 1/√12 / √n."""
    x = np.full(100_002, 1.3)
    x[0], x[-1] = 0.0, 3.0
    dither = stream(0, "dither").random(x.size) - 0.5
    found = opened(quantised(torch.tensor(x), 4, dither), dither).numpy()[1:-1]
    assert abs(found.mean() - 1.3) < 5 / math.sqrt(12 * 100_000)
    assert len(np.unique(opened(quantised(torch.tensor(x), 4, 0 * dither), 0 * dither).numpy())) == 3


def test_bits_are_packed() -> None:
    """512 embeddings of 100 numbers at 4 levels: 2 bits each, and the lowest level and the step in float32."""
    packet = quantised(torch.rand(512, 100), 4, np.zeros((512, 100)))
    assert packet.size == 512 * 100 * 2 // 8 + 8
    assert packet.parts[0].dtype == torch.uint8


@given(arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=NUMBERS), st.data())
def test_the_largest_are_kept_as_they_are(x: np.ndarray, data: st.DataObject) -> None:
    """As many as asked for; what is lost is no larger than what is kept."""
    count = data.draw(st.integers(1, x.size))
    packet = largest(torch.tensor(x), count)
    found = opened(packet).numpy()
    lost = np.sort(np.abs(x).ravel())[: x.size - count]
    assert packet.size == 8 * count
    assert np.isin(found[found != 0], x).all()
    assert np.abs(found - x).sum() == pytest.approx(lost.sum(), rel=1e-5)
    assert ((found == x) | (found == 0)).all()


def test_columns_are_kept_row_by_row() -> None:
    """Six of a hundred: a place and a number each, so 48 bytes a row; everything whole: 400."""
    x = torch.rand(7, 100)
    columns = np.array([3, 14, 15, 65, 92, 99])
    packet = picked(x, columns)
    expected = np.zeros((7, 100), np.float32)
    expected[:, columns] = x[:, columns]
    assert np.array_equal(opened(packet).numpy(), expected)
    assert packet.size == 7 * 48
    assert whole(x).size == 7 * 400
    assert torch.equal(opened(whole(x)), x)


def test_how_many_are_kept() -> None:
    """Castiglia et al. set ⌈100 (1 − log₂(4) / 32)⌉ = 94 of 100 dimensions to 0; of an array they keep one at least."""
    for width in range(1, 300):
        for levels in (2, 4, 16, 256):
            zeroed = math.ceil(width * (1 - math.log2(levels) / 32))
            assert kept_of(width, levels) == max(1, width - zeroed)
