"""Secure aggregation, simulated: the server learns the sum of the clients' vectors and nothing of any one of them.

Every client adds masks that cancel in the sum: one that it shares with each of its neighbours, with opposite signs, and
one of its own. What the server needs to take off the masks of whoever left, or the own masks of those who stayed, is
held in shares by the neighbours.

It is a simulation in one process: all secrets follow from one key, so whoever holds the key can unmask every client,
and the group in which pairs agree on masks is short. It shows what the protocol computes and what it costs.
"""

from __future__ import annotations

import hmac
from typing import Any, Literal

import numpy as np

from trustkit.horizontal.fixedpoint import Bits, decode, encode
from trustkit.rng import stream

__all__ = ["masked_vectors", "recoverable", "secure_counts", "secure_sum"]

_PRIME = 2**521 - 1  # a prime: shares are points of polynomials over it, and pairs agree on powers of 3
_NEIGHBOURS = 32  # how many others a client shares masks with, at most


def _derived(key: bytes, *path: int | str) -> int:
    """Return a secret of 128 bits that belongs to a place below the key."""
    return int.from_bytes(hmac.digest(key, "/".join(map(str, path)).encode(), "sha256")[:16], "big")


def _expanded(seed: int, size: int, word: Any) -> np.ndarray:
    """Return the mask (size,) that a seed stands for."""
    return stream(seed, "mask").integers(0, np.iinfo(word).max, size, dtype=word, endpoint=True)


def _ring(clients: int) -> list[list[int]]:
    """Return each client's neighbours: everybody in a small group, the nearest ones on a ring in a large one."""
    if clients - 1 <= _NEIGHBOURS:
        return [[j for j in range(clients) if j != k] for k in range(clients)]
    steps = [step for step in range(-_NEIGHBOURS // 2, _NEIGHBOURS // 2 + 1) if step]
    return [sorted((k + step) % clients for step in steps) for k in range(clients)]


def _agreed(own: int, public: int) -> int:
    """Return the seed that two clients arrive at, each from its own secret and the other's public number."""
    return int.from_bytes(hmac.digest(b"agree", pow(public, own, _PRIME).to_bytes(66, "big"), "sha256"), "big")


def _shares(secret: int, holders: list[int], threshold: int, key: bytes, *path: int | str) -> dict[int, int]:
    """Split a secret among holders, any ``threshold`` of whom can put it together (Shamir 1979)."""
    coefficients = [secret, *(_derived(key, *path, degree) for degree in range(1, threshold))]
    shares = {}
    for holder in holders:
        value = 0
        for coefficient in reversed(coefficients):
            value = (value * (holder + 1) + coefficient) % _PRIME
        shares[holder] = value
    return shares


def _rebuilt(shares: dict[int, int]) -> int:
    """Put a secret together from enough shares: the polynomial at 0."""
    secret = 0
    for i, value in shares.items():
        above = below = 1
        for j in shares:
            if j != i:
                above, below = above * (j + 1) % _PRIME, below * (j - i) % _PRIME
        secret += value * above * pow(below, -1, _PRIME)
    return secret % _PRIME


class _Group:
    """The clients' secrets of one aggregation, all derived from a key."""

    def __init__(self, key: bytes, index: int, clients: int, threshold: int | None) -> None:
        if not isinstance(key, bytes) or len(key) < 16:
            raise ValueError("key must be at least 16 bytes")
        self.key, self.index, self.neighbours = key, index, _ring(clients)
        most = min(map(len, self.neighbours))
        self.threshold = most // 2 + 1 if threshold is None else threshold
        if not 1 <= self.threshold <= most:
            raise ValueError(f"threshold must be between 1 and the {most} neighbours of a client, got {threshold!r}")
        self.own = [_derived(key, index, "own", k) for k in range(clients)]
        self.secret = [_derived(key, index, "pair", k) for k in range(clients)]
        self.public = [pow(3, secret, _PRIME) for secret in self.secret]
        self._agreed: dict[tuple[int, int], int] = {}

    def agreed(self, k: int, j: int) -> int:
        """Return the seed that two clients share; what either of them computes is kept for the other."""
        pair = (min(k, j), max(k, j))
        if pair not in self._agreed:
            self._agreed[pair] = _agreed(self.secret[k], self.public[j])
        return self._agreed[pair]

    def mask(self, k: int, size: int, word: Any) -> np.ndarray:
        """Return all that client k adds."""
        total = _expanded(self.own[k], size, word)
        for j in self.neighbours[k]:
            pair = _expanded(self.agreed(k, j), size, word)
            total = total + pair if k < j else total - pair
        return total

    def recovered(self, what: Literal["own", "pair"], k: int, alive: np.ndarray) -> int:
        """Put a secret of client k together from its neighbours' shares."""
        secret = self.own[k] if what == "own" else self.secret[k]
        holders = self.neighbours[k]
        shares = _shares(secret, holders, self.threshold, self.key, self.index, "share", what, k)
        left = [j for j in holders if alive[j]][: self.threshold]
        if len(left) < self.threshold:
            raise ValueError(
                f"at least {self.threshold} neighbours of client {k} must stay to take its masks off, got {len(left)}"
            )
        return _rebuilt({j: shares[j] for j in left})


def masked_vectors(words: np.ndarray, key: bytes, *, index: int = 0) -> np.ndarray:
    """Return what the server sees of each client.

    Parameters
    ----------
    words : (K, n) uint32 or uint64 array
        The clients' vectors; see `encode`.
    key : bytes
        At least 16: all masks follow from it.
    index : int
        The round: masks of different rounds have nothing in common.

    Returns
    -------
    (K, n) uint32 or uint64 array
        Each row by itself is uniform over all words, for whoever does not know the key.

    Raises
    ------
    ValueError
        If the key is too short.

    Notes
    -----
    x_k + PRG(b_k) + Σ_{j > k} PRG(s_kj) − Σ_{j < k} PRG(s_kj) mod 2^bits, j over the neighbours of k.

    Examples
    --------
    >>> seen = masked_vectors(np.array([[1], [2], [3]], np.uint64), b"sixteen bytes or more")
    >>> seen.shape, bool((seen < 1000).any())
    ((3, 1), False)
    """
    group = _Group(key, index, len(words), None)
    return np.stack([row + group.mask(k, len(row), words.dtype.type) for k, row in enumerate(words)])


def secure_sum(
    values: np.ndarray, key: bytes, *, index: int = 0, minimum: int = 3, delivered: np.ndarray | None = None,
    threshold: int | None = None, fraction: int = 0, bits: Bits = 64,
) -> np.ndarray:  # fmt: skip
    """Add up the clients' vectors without looking at any one of them.

    Parameters
    ----------
    values : (K, n) array
        One client's vector a row.
    key : bytes
        At least 16: all masks follow from it.
    index : int
        The round.
    minimum : int
        The least number of clients in a sum, at least 2: fewer are refused.
    delivered : (K,) bool array, optional
        Whose vector arrived; the others have exchanged their shares and left. All by default.
    threshold : int, optional
        How many of a client's neighbours put its secrets together; by default more than half of them.
    fraction : int
        Binary digits after the point, 0 to 52; 0 for whole numbers.
    bits : {32, 64}
        Width of a word.

    Returns
    -------
    (n,) int64 or float64 array
        The sum over the delivered clients: exact for whole numbers, else exact up to each number's rounding.

    Raises
    ------
    ValueError
        If too few clients delivered, too many neighbours left, the sum could overflow, or a number is out of range.

    Notes
    -----
    The server adds what arrived. Of a client that stayed the neighbours reveal the own mask, of one that left its
    secret of the pairs, never both, so that a vector that arrives late stays hidden. With more than 33 clients each
    has the 32 nearest on a ring as neighbours, and the cost of a client does not grow further.

    Source
    ------
    Bonawitz et al. (2017), "Practical secure aggregation for privacy-preserving machine learning", section 4; Bell et
    al. (2020), "Secure single-server aggregation with (poly)logarithmic overhead", for the neighbours.

    Deviations
    ----------
    No messages, signatures or encrypted channels; secrets come from the key instead of each client's own randomness;
    the group of the key agreement is chosen for brevity; neighbours are the same in all rounds.

    Examples
    --------
    >>> secure_sum(np.array([[1, -2], [3, 4], [5, 6]]), b"sixteen bytes or more").tolist()
    [9, 8]
    """
    words = encode(values, fraction=fraction, bits=bits)
    clients, size = words.shape
    alive = np.ones(clients, bool) if delivered is None else np.asarray(delivered, bool)
    if alive.shape != (clients,):
        raise ValueError(f"delivered must have one entry for each of the {clients} clients, got shape {alive.shape}")
    if minimum < 2:
        raise ValueError(f"minimum must be at least 2, got {minimum!r}")
    if alive.sum() < minimum:
        raise ValueError(f"a secure sum must have at least {minimum} clients, got {alive.sum()}")
    group, word = _Group(key, index, clients, threshold), words.dtype.type
    total, stayed = np.zeros(size, word), np.flatnonzero(alive).tolist()
    for k in stayed:
        total += words[k] + group.mask(k, size, word)
    for k in stayed:
        total -= _expanded(group.recovered("own", k, alive), size, word)
    for k in np.flatnonzero(~alive).tolist():
        secret = group.recovered("pair", k, alive)
        for j in (j for j in group.neighbours[k] if alive[j]):
            pair = _expanded(_agreed(secret, group.public[j]), size, word)
            total = total - pair if j < k else total + pair
    return decode(total, fraction=fraction)


def recoverable(delivered: np.ndarray, minimum: int = 3) -> bool:
    """Tell whether the masks come off a sum from which some clients are missing.

    Parameters
    ----------
    delivered : (K,) bool array
        Whose vector arrived.
    minimum : int
        The least number of clients in a sum.

    Returns
    -------
    bool
        Whether `secure_sum` gives one: enough delivered, and of each client more than half of the neighbours did.

    Examples
    --------
    >>> recoverable(np.array([True, True, True, False, False])), recoverable(np.arange(5) > 0)
    (False, True)
    """
    alive, neighbours = np.asarray(delivered, bool), _ring(len(delivered))
    if alive.sum() < minimum:
        return False
    return min(int(alive[others].sum()) for others in neighbours) > min(map(len, neighbours)) // 2


def secure_counts(counts: np.ndarray, key: bytes, *, minimum: int = 3) -> np.ndarray:
    """Add up the clients' counts, for example of rows by class, without looking at any one client's.

    Parameters
    ----------
    counts : (K, C) int array
        At least 0: one client's counts a row.
    key : bytes
        At least 16: all masks follow from it.
    minimum : int
        The least number of clients, at least 2.

    Returns
    -------
    (C,) int64 array
        The exact sums.

    Raises
    ------
    ValueError
        If a count is negative or there are fewer clients than the minimum.

    Examples
    --------
    >>> secure_counts(np.array([[3, 0], [1, 1], [0, 5]]), b"sixteen bytes or more").tolist()
    [4, 6]
    """
    array = np.atleast_2d(np.asarray(counts))
    if array.size and array.min() < 0:
        raise ValueError(f"counts must be at least 0, got {array.min()}")
    return secure_sum(array, key, minimum=minimum)
