"""MNIST by simulated writers: who holds what, and what a hand does to an image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import affine_transform

from trustkit.data import Dataset
from trustkit.datasets import load, mnist, mnist_writers, shipped
from trustkit.datasets.writers import _written
from trustkit.metrics import label_distribution
from trustkit.rng import stream
from trustkit.split import by_group


@pytest.fixture(scope="module")
def data() -> Dataset:
    return load("mnist_writers", writers=40)


def test_it_is_mnist_redrawn_and_says_so(data: Dataset) -> None:
    """The same labels, test rows and order; other pixels, from 0 to 1; synthetic, in place of FEMNIST."""
    plain = load("mnist")
    assert (data.y == plain.y).all()
    assert (data.held_out == plain.held_out).all()
    assert data.X.dtype == np.float32
    assert 0 <= data.X.min() < data.X.max() <= 1
    assert not np.array_equal(data.X, plain.X)
    correlation = [np.corrcoef(a, b)[0, 1] for a, b in zip(data.X[::500], plain.X[::500], strict=True)]
    assert np.median(correlation) > 0.6  # still the same digits
    assert data.provenance.synthetic
    assert data.provenance.stands_in_for.startswith("FEMNIST")
    text = Path(shipped.__file__).with_name("PROVENANCE.md").read_text(encoding="utf-8")
    assert "\n| mnist_writers | FEMNIST" in text
    assert mnist_writers(writers=40).provenance.sha256 == data.provenance.sha256


def test_every_writer_has_both_kinds_of_rows(data: Dataset) -> None:
    """40 clients; a writer's shares of the digits are the same for training and testing, to one row a digit."""
    split = by_group(data)
    assert split.parties == 40
    train, test = (label_distribution(data.y, np.where(held, split.owner, -1), 40, 10)
                   for held in (~data.held_out, data.held_out))  # fmt: skip
    assert train.sum() == 8000
    assert test.sum() == 2000
    assert (test.sum(1) > 0).all()
    assert np.abs(train / 4 - test).max() <= 1.25


@pytest.mark.parametrize("writers", [2, 200])
def test_the_ends_of_the_range(writers: int) -> None:
    """However many and however uneven, each has rows to train on."""
    data = mnist_writers(writers=writers, alpha=0.1)
    assert len(np.unique(data.groups["writer"][~data.held_out])) == writers


def test_smaller_alpha_is_more_uneven() -> None:
    """The largest share of a digit in a writer's rows."""
    largest = []
    for alpha in (0.1, 1.0, 100.0):
        data = mnist_writers(writers=20, alpha=alpha)
        counts = label_distribution(data.y, by_group(data).owner, 20, 10)
        largest.append((counts / counts.sum(1, keepdims=True)).max(1).mean())
    assert largest[0] > largest[1] > largest[2]


def test_a_hand_is_an_affine_map_and_a_power() -> None:
    """Against SciPy's linear interpolation with the same draws; outside is paper."""
    images = mnist().X[[0, 3000, 7000]]
    rng = stream(3, "hand")
    turn, slant = rng.normal(0, 0.15, 2)
    tall, wide = np.exp(rng.normal(0, 0.08, 2))
    power = np.exp(rng.normal(0, 0.25))
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.array([[cos, -sin], [sin, cos]]) @ [[tall, slant], [0, wide]]
    shift = 13.5 - matrix @ [13.5, 13.5]
    found = _written(images, stream(3, "hand")).reshape(-1, 28, 28)
    for image, ours in zip(images.reshape(-1, 28, 28), found, strict=True):
        inner = np.pad(
            image.astype(float), 1
        )  # SciPy fades to the outside from the last pixel on only when it is there
        expected = affine_transform(inner, matrix, shift + 1 - matrix @ [1, 1], order=1)[1:-1, 1:-1].clip(0, 1) ** power
        assert ours == pytest.approx(expected, abs=1e-5)


def test_refusals() -> None:
    """As the catalogue checks them."""
    with pytest.raises(ValueError, match="mnist_writers: writers must be between 2 and 200, got 1"):
        mnist_writers(writers=1)
    with pytest.raises(ValueError, match=r"mnist_writers: alpha must be between 0\.1 and 100, got 0"):
        mnist_writers(alpha=0.0)
