"""Secure aggregation: exact sums, uniform messages, clients that leave, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from trustkit.horizontal.fixedpoint import Bits, decode, encode
from trustkit.horizontal.secure import (
    _agreed,
    _Group,
    _rebuilt,
    _ring,
    _shares,
    masked_vectors,
    secure_counts,
    secure_sum,
)
from trustkit.rng import stream

KEY = b"a key of at least sixteen bytes"


@settings(max_examples=40)
@given(
    arrays.arrays(np.int64, st.tuples(st.integers(3, 7), st.integers(0, 5)), elements=st.integers(-(2**28), 2**28)),
    st.sampled_from([32, 64]),
    st.integers(0, 3),
)
def test_whole_numbers_add_up_exactly(values: np.ndarray, bits: Bits, index: int) -> None:
    """Whatever the clients, the width and the round; 7 · 2²⁸ is within 2³¹."""
    assert np.array_equal(secure_sum(values, KEY, index=index, bits=bits), values.sum(axis=0))


@settings(max_examples=25)
@given(st.integers(4, 9), st.data())
def test_whoever_leaves_leaves_the_sum_of_the_others(clients: int, data: st.DataObject) -> None:
    """As long as half of every client's neighbours, and one more, stay."""
    most = clients - (clients - 1) // 2 - 2  # a stayer's K − 1 neighbours include all the leavers
    gone = data.draw(st.lists(st.integers(0, clients - 1), max_size=max(most, 0), unique=True))
    values = stream(clients, "values").integers(-1000, 1000, (clients, 4))
    delivered = np.isin(np.arange(clients), gone, invert=True)
    got = secure_sum(values, KEY, delivered=delivered, minimum=2)
    assert np.array_equal(got, values[delivered].sum(axis=0))


def test_a_large_group_on_a_ring() -> None:
    """With 50 clients each has 32 neighbours, mutually; sums stay exact when six leave."""
    ring = _ring(50)
    assert all(len(set(n)) == 32 and k not in n for k, n in enumerate(ring))
    assert all(k in ring[j] for k, n in enumerate(ring) for j in n)
    assert _ring(4) == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    values = stream(0, "ring").integers(0, 100, (50, 3))
    delivered = np.arange(50) % 8 != 3
    assert np.array_equal(secure_sum(values, KEY, delivered=delivered), values[delivered].sum(axis=0))


@pytest.mark.parametrize("bits", [32, 64])
def test_a_single_masked_vector_is_uniform(bits: Bits) -> None:
    """χ² over 256 values of the highest and the lowest byte of 50,000 words: the 1 − 10⁻⁴ quantile of 255 degrees is
    344. So is the difference of two clients' vectors. What is sent is the same small number throughout.
    """
    words = encode(np.full((3, 50_000), 5), bits=bits)
    seen = masked_vectors(words, KEY)
    for row in (*seen, seen[0] - seen[1]):
        for byte in (row >> (bits - 8), row & 255):
            counts = np.bincount(byte.astype(int), minlength=256)
            expected = 50_000 / 256
            assert ((counts - expected) ** 2 / expected).sum() < 344
    assert np.array_equal(decode(encode(np.full(2, 5), bits=bits)[0]), [5, 5])


def test_masks_of_other_rounds_and_keys_are_others() -> None:
    """The same vector never looks the same; the same address always does."""
    words = encode(np.zeros((3, 100), int))
    seen = masked_vectors(words, KEY)
    assert np.array_equal(seen, masked_vectors(words, KEY))
    assert not (seen == masked_vectors(words, KEY, index=1)).any()
    assert not (seen == masked_vectors(words, KEY + b"!")).any()


def test_own_masks_do_not_cancel() -> None:
    """The sum of what the server sees is not the sum of the vectors: it needs the clients that stayed once more."""
    words = encode(np.ones((4, 10), int))
    assert not (masked_vectors(words, KEY).sum(axis=0, dtype=np.uint64) == 4).any()


def test_two_clients_agree_and_a_third_does_not() -> None:
    """Each from its own secret and the other's public number."""
    group = _Group(KEY, 0, 4, None)
    assert _agreed(group.secret[0], group.public[3]) == _agreed(group.secret[3], group.public[0])
    assert _agreed(group.secret[0], group.public[3]) != _agreed(group.secret[1], group.public[3])


@given(st.integers(0, 2**128 - 1), st.integers(1, 6), st.permutations(range(6)))
def test_any_threshold_of_shares_is_enough(secret: int, threshold: int, order: list[int]) -> None:
    """And one fewer gives another number."""
    shares = _shares(secret, list(range(6)), threshold, KEY, "test")
    assert _rebuilt({j: shares[j] for j in order[:threshold]}) == secret
    if threshold > 1:
        assert _rebuilt({j: shares[j] for j in order[: threshold - 1]}) != secret


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(3, 6), st.integers(1, 5)), elements=st.floats(-100, 100)),
    st.integers(4, 40),
)
def test_numbers_with_a_fraction_are_exact_up_to_their_rounding(values: np.ndarray, fraction: int) -> None:
    """Each is off by at most half a unit of the last place."""
    got = decode(encode(values, fraction=fraction).sum(axis=0, dtype=np.uint64), fraction=fraction)
    assert (np.abs(got - values.sum(axis=0)) <= len(values) * 2.0 ** (-fraction - 1) + 1e-12).all()


def test_a_mean_of_updates() -> None:
    """Float32 updates with 24 binary digits in 64 bits."""
    updates = stream(0, "updates").standard_normal((5, 300)).astype(np.float32)
    got = secure_sum(updates, KEY, fraction=24) / 5
    np.testing.assert_allclose(got, updates.mean(axis=0, dtype=float), atol=2.0**-25)


def test_counts() -> None:
    """Rows by class."""
    counts = stream(0, "counts").integers(0, 500, (8, 26))
    assert np.array_equal(secure_counts(counts, KEY), counts.sum(axis=0))


ONES = np.ones((5, 2), int)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: secure_counts(ONES[:2], KEY), "a secure sum must have at least 3 clients, got 2"),
        (lambda: secure_sum(ONES, KEY, minimum=1), "minimum must be at least 2, got 1"),
        (
            lambda: secure_sum(ONES, KEY, delivered=np.array([1, 1, 0, 0, 0])),
            "a secure sum must have at least 3 clients, got 2",
        ),
        (
            lambda: secure_sum(ONES, KEY, delivered=np.array([1, 1, 0, 0, 1]), threshold=4),
            "at least 4 neighbours of client 0 must stay to take its masks off, got 2",
        ),
        (
            lambda: secure_sum(ONES, KEY, delivered=np.array([1, 1])),
            "delivered must have one entry for each of the 5 clients, got shape (2,)",
        ),
        (
            lambda: secure_sum(ONES, KEY, threshold=5),
            "threshold must be between 1 and the 4 neighbours of a client, got 5",
        ),
        (lambda: secure_sum(ONES, b"short"), "key must be at least 16 bytes"),
        (lambda: secure_counts(-ONES, KEY), "counts must be at least 0, got -1"),
        (lambda: encode(np.array([[0.5]])), "values must be whole without a fraction, got 0.5"),
        (lambda: encode(np.array([[np.nan]])), "values must be finite, got NaN or infinity"),
        (
            lambda: encode(np.full((2, 1), 2**30), bits=32),
            "values must stay below 2^31 in the sum of all clients, got 2.14748e+09",
        ),
        (
            lambda: encode(np.full((1, 1), 2.0**20), fraction=44),
            "values · 2^44 must stay below 2^63 in the sum of all clients, got 1.84467e+19",
        ),
        (lambda: encode(ONES, fraction=53), "fraction must be between 0 and 52, got 53"),
        (lambda: encode(ONES, bits=16), "bits must be 32 or 64, got 16"),  # type: ignore[arg-type]
        (lambda: encode(ONES[None]), "values must be a matrix with one client a row, got shape (1, 5, 2)"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came; nothing of the key."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
