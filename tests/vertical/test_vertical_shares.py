"""Shares say nothing alone and everything together; signs, choices, quotients and best splits without a look."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from trustkit.rng import stream
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.channel import Channel
from trustkit.vertical.sharing.secret_comparison import both, chosen, negative, numbers, quotient
from trustkit.vertical.sharing.secretsplits import best_split, leaf_weights, scale_of
from trustkit.vertical.sharing.shares import Ring, Talk


def talk_of(parties: int = 3, bits: int = 64) -> Talk:
    """Let parties talk, and keep what is opened."""
    return Talk(Ring(bits, parties), stream(5, "dealer"), Channel(parties), lambda: None, [])


def secret(*values: int) -> np.ndarray:
    """Make an array of int objects."""
    found = np.empty(len(values), object)
    found[:] = values
    return found


def drawn(count: int, low: int, high: int) -> np.ndarray:
    """Draw int objects."""
    return secret(*map(int, stream(7, count).integers(low, high, count)))


def octets(values: np.ndarray, size: int) -> np.ndarray:
    """Count each of the 256 bytes in numbers of ``size`` bytes."""
    raw = b"".join(int(value).to_bytes(size, "little") for value in values.ravel())
    return np.bincount(np.frombuffer(raw, np.uint8), minlength=256)


@pytest.mark.parametrize("parties", [2, 5])
def test_any_but_all_shares_are_uniform(parties: int) -> None:
    """Bytes of 4,000 shares of the number 42, of each party and of the sum of all but one, pass a chi-square test."""
    ring = Ring(64, parties)
    shares = ring.shared(np.full(4000, 42, object), stream(1, "shares"))
    assert (ring.joined(shares) == 42).all()
    for k in range(parties):
        rest = ring.reduced(np.delete(shares, k, axis=0).sum(axis=0))
        for seen in (shares[k], rest):
            assert chisquare(octets(seen, 8)).pvalue > 1e-4
            assert not (seen == 42).any()


def test_sums_and_products_are_exact_and_what_is_opened_is_uniform() -> None:
    """Modulo 2^64, of numbers of either sign; a product opens two uniform numbers: 4·2·8 bytes with 3 parties."""
    talk = talk_of()
    ring, generator = talk.ring, stream(2)
    x, y = drawn(3000, -(2**30), 2**30), drawn(3000, -(2**31), 2**31)
    X, Y = ring.shared(x, generator), ring.shared(y, generator)
    assert np.array_equal(ring.joined(ring.reduced(X + Y)), x + y)
    assert np.array_equal(ring.joined(talk.offset(X, -5)), x - 5)
    assert np.array_equal(ring.joined(talk.times(X, Y)), x * y)
    assert talk.heard is not None
    assert chisquare(octets(talk.heard[0], 8)).pvalue > 1e-4
    assert talk.wire.by_kind()["opening"].sum() == 2 * 4 * 3000 * 16
    assert talk.wire.received(["dealt"]).tolist() == [3000 * 24] * 3
    assert talk.wire.sent(["dealt"]).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("parties", "bits"), [(2, 8), (3, 64), (4, 200)])
def test_signs_are_found_without_opening_numbers(parties: int, bits: int) -> None:
    """Random numbers and the edges of the ring; what is opened is as random as it should be."""
    talk = talk_of(parties, bits)
    top = 2 ** (bits - 1)
    x = np.concatenate([secret(0, 1, -1, top - 1, -top, -top + 1), drawn(400, -(2 ** min(bits - 1, 60)), 2**6)])
    found = negative(talk, talk.ring.shared(x, stream(3)))
    assert np.array_equal(np.bitwise_xor.reduce(found, axis=0), x < 0)
    assert not any(np.array_equal(found[k], x < 0) for k in range(parties))
    assert talk.heard is not None
    assert chisquare(octets(talk.heard[0], bits // 8)).pvalue > 1e-4
    assert all(0.4 < bit.mean() < 0.6 for bit in talk.heard[1:])


def test_bits_become_numbers_and_choose() -> None:
    """All four pairs of bits; of x and y the one that the bit names, in new shares."""
    talk = talk_of(4)
    bits = np.zeros((4, 2, 4), np.uint8)
    bits[:] = stream(4).integers(0, 2, (4, 2, 4))
    bits[3] ^= np.bitwise_xor.reduce(bits, axis=0) ^ np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    assert np.bitwise_xor.reduce(both(talk, bits[:, 0], bits[:, 1]), axis=0).tolist() == [0, 0, 0, 1]
    second = numbers(talk, bits[:, 1])
    assert talk.ring.joined(second).tolist() == [0, 1, 0, 1]
    x, y = (talk.ring.shared(values, stream(6)) for values in (secret(1, 2, 3, 4), secret(-5, -6, -7, -8)))
    taken = chosen(talk, second, x, y)
    assert talk.ring.joined(taken).tolist() == [1, -6, 3, -8]
    assert not (taken == x).any()


def test_quotients_are_those_of_whole_numbers() -> None:
    """Rounded towards 0, as ± |a| · 2^20 // b; too large ones are the largest."""
    talk = talk_of(3, 128)
    above = np.concatenate([secret(0, 1, -1, 7, -(2**40)), drawn(40, -(2**40), 2**40)])
    below = np.concatenate([secret(1, 3, 3, 7, 1), abs(drawn(40, -(2**40), 2**40)) + 2**32])
    found = quotient(talk, talk.ring.shared(above, stream(8)), talk.ring.shared(below, stream(9)), 12, 20)
    wanted = [min((abs(a) << 20) // b, 2**32 - 1) * (-1 if a < 0 else 1) for a, b in zip(above, below, strict=True)]
    assert talk.ring.joined(found).tolist() == wanted


def plain_best(left: np.ndarray, total: np.ndarray, rules: Rules, one: int) -> int:
    """Find the best split with fractions; the first of equals, and only if it gains more than 10⁻⁶."""
    G, H = map(int, total)
    lam, least = round(rules.reg_lambda * one), round(rules.min_child_weight * one)
    best, at = Fraction(G * G, H + lam) + round(1e-6 * one), -1
    for i, (g, h) in enumerate(left.tolist()):
        if h >= least and H - h >= least:
            gain = Fraction(g * g, h + lam) + Fraction((G - g) ** 2, H - h + lam)
            if gain > best:
                best, at = gain, i
    return at


@pytest.mark.parametrize("rules", [Rules(), Rules(reg_lambda=0.5, min_child_weight=3.0)])
def test_the_best_split_is_found_blindly(rules: Rules) -> None:
    """Twelve nodes of random sums, one of which no split improves, one with ties: as with fractions in the clear."""
    generator, scale = stream(10), scale_of(rules, 60, 1.0, 30)
    one, found, wanted = 1 << scale.fraction, [], []
    for trial in range(12):
        steps = generator.uniform([-1, 0], [1, 1], (7, 2)) * (0.0 if trial == 0 else 3.0)
        steps[:, 1] += 0.5
        if trial == 1:
            steps[2:4] = 0.0
        left = np.array([[int(v) for v in line] for line in np.rint(steps.cumsum(axis=0) * one)], object)
        talk = talk_of(3, scale.ring_bits)
        shares = talk.ring.shared(left, stream(11, trial))
        found.append(best_split(talk, shares, shares[:, -1], scale))
        wanted.append(plain_best(left, left[-1], rules, one))
        assert talk.heard is not None
        open_words = {int(v) for told in talk.heard[:-1] for v in np.ravel(told)}
        assert not open_words & {int(v) for v in left[left > 1]}
    assert found == wanted
    assert wanted[0] == -1
    assert len(set(wanted)) > 3


def test_weights_of_leaves_are_divided_out() -> None:
    """−G/(H + λ) to 2^−30, and nothing else is opened at the end."""
    scale = scale_of(Rules(), 60, 1.0, 30)
    talk, one = talk_of(3, scale.ring_bits), 1 << 30
    sums = np.array([[-7, 3], [5, 2], [0, 9]], object) * one
    found = leaf_weights(talk, talk.ring.shared(sums, stream(12)), scale)
    assert np.abs(found - [7 / 4, -5 / 3, 0]).max() < 2.0**-30
