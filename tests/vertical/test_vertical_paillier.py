"""Locked numbers add up to locked sums; slots never meet; a key in parts opens nothing until all parts are there."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.rng import stream
from trustkit.vertical.encrypted.jointkey import JointKey, joint_key
from trustkit.vertical.encrypted.packing import capacity, fixed, packed, unpacked, width_for
from trustkit.vertical.encrypted.paillier import Key, key_of, needs_encryption


@pytest.fixture(scope="module")
def key() -> Key:
    """One short key for all tests."""
    return key_of(512)


@pytest.fixture(scope="module")
def joint() -> JointKey:
    """One short key in three parts."""
    return joint_key(512, 3)


def test_locked_numbers_compute(key: Key) -> None:
    """Sums, multiples of either sign and fresh noise, for numbers of up to half of n."""
    half = int(key.lock.n) // 2
    for a, b in ((0, 0), (5, -7), (half - 1, 0), (-half, 3), (2**200, -(2**201))):
        x, y = key.locked(a), key.lock.locked(b)
        assert (key.opened(x), key.opened(y)) == (a, b)
        assert key.opened(key.lock.total([x, y])) == a + b
    x = key.locked(-12)
    assert [key.opened(key.lock.times(x, factor)) for factor in (-3, 0, 5)] == [36, 0, -60]
    again = key.lock.fresh(x)
    assert again != x
    assert key.opened(again) == -12
    assert key.opened(key.lock.total([])) == key.opened(key.lock.nothing) == 0


def test_the_key_holder_s_way_of_locking_is_paillier_s(key: Key) -> None:
    """What is left without the number is an n-th power (its λ-th power is 1), and no two look alike."""
    lock, p, q = key.lock, int(key.private.p), int(key.private.q)
    order, n, square = math.lcm(p - 1, q - 1), int(lock.n), int(lock.square)
    seen = set()
    for value in (0, 1, -1, 123456789):
        noise = int(key.locked(value)) * pow(1 + n, -value, square) % square
        assert pow(noise, order, square) == 1
        seen.add(noise)
    assert len(seen) == 4
    assert lock.public.raw_encrypt(9, r_value=2) == pow(1 + n, 9, square) * pow(2, n, square) % square


def test_a_locked_number_is_twice_as_long_as_the_key(key: Key) -> None:
    """512 bits of key are 128 bytes of message; fifty messages all fit, and most need all bits but a few."""
    lengths = [int(key.locked(i)).bit_length() for i in range(50)]
    assert key.lock.size == 128
    assert max(lengths) <= 1024
    assert np.median(lengths) > 1016


@pytest.mark.parametrize(("bits", "said"), [(256, "from 512 on, got 256"), (1001, "multiple of 8 from 512 on")])
def test_a_key_that_is_too_short_is_refused(bits: int, said: str) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=said):
        needs_encryption("pivot", bits)


@pytest.mark.parametrize("missing", ["phe", "gmpy2"])
def test_a_missing_library_is_named_with_its_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As is the command that brings it."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ValueError, match=r"pivot needs phe and gmpy2.*pip install 'trustkit\[encryption\]'"):
        needs_encryption("pivot", 1024)


def test_all_parts_open_and_fewer_do_not(joint: JointKey) -> None:
    """With three parts -42 comes out; without one of them, or with one twice, nothing does."""
    cipher = joint.lock.locked(-42)
    parts = [joint.part(cipher, k) for k in range(3)]
    assert joint.joined(parts) == -42
    for wrong in (parts[:2], parts[1:], [parts[0], parts[1], parts[1]]):
        with pytest.raises(ValueError, match="takes the parts of all 3 parties"):
            joint.joined(wrong)
    assert len(set(joint.parts)) == 3


numbers = st.lists(st.integers(-(2**30), 2**30), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(numbers, st.integers(1, 50), st.integers(32, 64))
def test_sums_of_packed_numbers_are_packed_sums(values: list[int], times: int, width: int) -> None:
    """As long as the slots are wide enough for the sums."""
    width += times.bit_length()
    total = sum(packed(values, width) for _ in range(times))
    assert unpacked(total, width, len(values)) == [times * value for value in values]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5000), st.floats(1e-3, 100), st.integers(1, 45))
def test_a_slot_holds_the_sum_of_all_rows(rows: int, largest: float, fraction: int) -> None:
    """Of either sign, beside its neighbour of the other sign."""
    width = width_for(rows, largest, fraction)
    extreme = rows * fixed(np.array([largest]), fraction)[0]
    assert unpacked(packed([extreme, -extreme], width), width, 2) == [extreme, -extreme]


def test_full_slots_stay_inside_the_key(key: Key) -> None:
    """As many slots as there is room for, each with its largest or its smallest number, are opened as they were."""
    width = 48
    count = capacity(512, width)
    assert count == 10
    for number in (2**47 - 1, -(2**47)):
        cipher = key.locked(packed([number] * count, width))
        assert unpacked(key.opened(cipher), width, count) == [number] * count


def test_fixed_point_rounds_to_the_nearest() -> None:
    """Off by at most half of the last bit; float32 above 2^−17 loses nothing at 40 bits."""
    values = stream(3).standard_normal(500)
    assert np.abs(np.array(fixed(values, 20)) / 2**20 - values).max() <= 2.0**-21
    short: Any = values.astype(np.float32)
    kept = np.abs(short) > 2**-17
    assert np.array_equal(np.array(fixed(short, 40))[kept] / 2**40, short[kept].astype(float))
