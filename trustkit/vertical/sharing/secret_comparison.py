"""Comparing numbers that nobody holds: signs, choices and quotients of shared numbers, without opening any of them."""

from __future__ import annotations

import numpy as np

from trustkit.vertical.sharing.shares import Talk

__all__ = ["both", "chosen", "negative", "numbers", "quotient"]


def negative(talk: Talk, x: np.ndarray) -> np.ndarray:
    """Find which shared numbers are below 0.

    Parameters
    ----------
    talk : Talk
        The parties.
    x : (K, n) array of int objects
        Shares.

    Returns
    -------
    (K, n) uint8 array
        Bits whose sum modulo 2 is 1 where x is negative.

    Notes
    -----
    The dealer shares a uniform r and, modulo 2, each of its bits. Parties open c = x + r, which is uniform. Since
    x = c − r, its highest bit is c's plus r's plus the borrow [c' < r'] of the bits below, modulo 2. The borrow is
    found pair by pair: a number is less if its upper half is less, or is equal and the lower half is less.

    Source
    ------
    Damgård et al. (2006), "Unconditionally secure constant-rounds multi-party computation for equality, comparison,
    bits and exponentiation", with a circuit of logarithmic depth in place of the constant one.
    """
    ring, count = talk.ring, x.shape[1]
    raw = np.frombuffer(talk.dealer.bytes(count * ring.size), np.uint8).reshape(count, ring.size)
    r = np.empty(count, object)
    r[:] = [int.from_bytes(row.tobytes(), "little") for row in raw]
    talk.dealt(2 * count * ring.size)
    hidden = _cut(np.unpackbits(raw, axis=1, bitorder="little"), talk)
    c = talk.opened(ring.reduced(x + ring.shared(r, talk.dealer)))
    known = np.array([np.frombuffer(int(value).to_bytes(ring.size, "little"), np.uint8) for value in c], np.uint8)
    known = np.unpackbits(known.reshape(count, ring.size), axis=1, bitorder="little")
    less = hidden & (1 - known)
    equal = hidden.copy()
    equal[0] ^= 1 - known
    sign = hidden[:, :, -1] ^ _borrow(talk, less[:, :, :-1], equal[:, :, :-1])
    sign[0] ^= known[:, -1]
    return np.asarray(sign)


def _borrow(talk: Talk, less: np.ndarray, equal: np.ndarray) -> np.ndarray:
    """Return (K, n) shares of whether the numbers with these bits, lowest first, are less."""
    while less.shape[2] > 1:
        odd = less.shape[2] % 2
        low, high = slice(odd, None, 2), slice(odd + 1, None, 2)
        joined = both(
            talk,
            np.concatenate([equal[:, :, high], equal[:, :, high]], axis=2),
            np.concatenate([less[:, :, low], equal[:, :, low]], axis=2),
        )
        half = joined.shape[2] // 2
        less = np.concatenate([less[:, :, :odd], less[:, :, high] ^ joined[:, :, :half]], axis=2)
        equal = np.concatenate([equal[:, :, :odd], joined[:, :, half:]], axis=2)
    return np.asarray(less[:, :, 0])


def _cut(bits: np.ndarray, talk: Talk) -> np.ndarray:
    """Return (K, …) uniform bits that add up to the given ones modulo 2."""
    others = _bits((talk.ring.parties - 1, *bits.shape), talk)
    return np.concatenate([(bits ^ np.bitwise_xor.reduce(others, axis=0))[None], others])


def _bits(shape: tuple[int, ...], talk: Talk) -> np.ndarray:
    count = int(np.prod(shape))
    raw = np.frombuffer(talk.dealer.bytes(-(-count // 8)), np.uint8)
    return np.unpackbits(raw, count=count).reshape(shape)


def both(talk: Talk, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Find where two shared bits are 1.

    Parameters
    ----------
    talk : Talk
        The parties.
    x, y : (K, …) uint8 array
        Bits, shared modulo 2.

    Returns
    -------
    (K, …) uint8 array
        Shares of x ∧ y: Beaver's product modulo 2.
    """
    a, b = _bits(x[0].shape, talk), _bits(x[0].shape, talk)
    parts = [_cut(bits, talk) for bits in (a, b, a & b)]
    talk.dealt(3 * -(-a.size // 8))
    d, e = _told(talk, x ^ parts[0]), _told(talk, y ^ parts[1])
    found = parts[2] ^ (d & parts[1]) ^ (e & parts[0])
    found[0] ^= d & e
    return np.asarray(found)


def _told(talk: Talk, shares: np.ndarray) -> np.ndarray:
    """Open bits; eight of them are a byte."""
    talk.counted(-(-shares[0].size // 8))
    told = np.bitwise_xor.reduce(shares, axis=0)
    talk.noted(told)
    return np.asarray(told)


def numbers(talk: Talk, bits: np.ndarray) -> np.ndarray:
    """Turn bits shared modulo 2 into numbers 0 and 1 shared modulo 2^bits.

    Parameters
    ----------
    talk : Talk
        The parties.
    bits : (K, n) uint8 array
        Shares of bits.

    Returns
    -------
    (K, n) array of int objects
        Shares of the same.

    Notes
    -----
    The dealer shares a random bit b in both ways. Parties open t = bit ⊕ b; the bit is b where t is 0, else 1 − b.
    """
    b = _bits(bits[0].shape, talk)
    hidden = talk.ring.shared(b.astype(object), talk.dealer)
    talk.dealt(b.size * talk.ring.size + -(-b.size // 8))
    t = _told(talk, bits ^ _cut(b, talk)).astype(object)
    return talk.offset(np.asarray(talk.ring.reduced(hidden * (1 - 2 * t))), t)


def chosen(talk: Talk, second: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Take one of two shared numbers, without anybody knowing which.

    Parameters
    ----------
    talk : Talk
        The parties.
    second : (K, …) array of int objects
        Shares of 0 where x is taken, of 1 where y is.
    x, y : (K, …) array of int objects
        Shares.

    Returns
    -------
    (K, …) array of int objects
        Fresh shares of x + second · (y − x).
    """
    return np.asarray(talk.ring.reduced(x + talk.times(second, talk.ring.reduced(y - x))))


def quotient(talk: Talk, above: np.ndarray, below: np.ndarray, whole: int, fraction: int) -> np.ndarray:
    """Divide shared numbers.

    Parameters
    ----------
    talk : Talk
        The parties.
    above, below : (K, n) array of int objects
        Shares of numerators of any sign and of positive denominators.
    whole, fraction : int
        Bits before and behind the point. The ring must be wider than either number times 2^(whole + fraction).

    Returns
    -------
    (K, n) array of int objects
        Shares of above/below · 2^fraction, rounded towards 0; the largest number of whole + fraction bits where it is
        too large.

    Notes
    -----
    Long division: from the highest bit down, the shifted denominator is taken away where the rest stays at 0 or more.
    """
    ring = talk.ring
    sign = talk.offset(ring.reduced(-2 * numbers(talk, negative(talk, above))), 1)
    rest, found = ring.reduced(talk.times(above, sign) << fraction), ring.reduced(below * 0)
    for bit in reversed(range(whole + fraction)):
        taken = np.asarray(ring.reduced(rest - (below << bit)))
        fits = talk.offset(ring.reduced(-numbers(talk, negative(talk, taken))), 1)
        rest = chosen(talk, fits, rest, taken)
        found = ring.reduced(found + (fits << bit))
    return talk.times(np.asarray(found), sign)
