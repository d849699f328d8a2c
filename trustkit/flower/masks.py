"""Masked sums between real participants: what each sends looks like noise, and only the sum of all can be read.

Every two participants agree on a secret from public keys that the server passes on, and add a mask made of it, one of
them with the opposite sign: the masks cancel in the sum of all, and in no other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from trustkit.horizontal.fixedpoint import decode, encode
from trustkit.horizontal.summing import MINIMUM

__all__ = ["masked", "new_keys", "unmasked"]


def new_keys() -> tuple[bytes, bytes]:
    """Draw a pair of keys from the operating system's randomness: a secret that follows from a seed is none.

    Returns
    -------
    private, public : bytes
        Of the curve X25519, 32 each.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    key = X25519PrivateKey.generate()
    return key.private_bytes_raw(), key.public_key().public_bytes_raw()


def _mask(private: bytes, public: bytes, purpose: str, size: int) -> np.ndarray:
    """Return the mask (size,) that two participants share for one purpose."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    drawn = hashlib.shake_256(b"trustkit\0" + shared + purpose.encode()).digest(8 * size)
    return np.frombuffer(drawn, "<u8").astype(np.uint64)


def masked(
    values: np.ndarray, private: bytes, public: bytes, everybody: Sequence[bytes], purpose: str, fraction: int = 0
) -> np.ndarray:
    """Hide a participant's numbers, so that they can be read in the sum of everybody's only.

    Parameters
    ----------
    values : (n,) int or float array
        The participant's numbers; whole ones where ``fraction`` is 0.
    private, public : bytes
        Its keys, from `new_keys`.
    everybody : sequence of bytes
        The public keys of all who take part in the sum, its own among them, in the same order for all.
    purpose : str
        What is added up. A pair of keys must serve each purpose once: two messages under one mask would tell their
        difference.
    fraction : int
        Binary digits after the point, 0 to 52.

    Returns
    -------
    (n,) uint64 array
        For whoever lacks the private keys uniform over all words.

    Raises
    ------
    ValueError
        If fewer than three take part, a key comes twice, its own is missing, or a number does not fit into a word.

    Notes
    -----
    round(x · 2^f) + Σ_{j > i} m_ij − Σ_{j < i} m_ij mod 2^64, where m_ij = SHAKE-256(s_ij, purpose) and s_ij is what
    the two agree on by X25519.

    Source
    ------
    Bonawitz et al. (2017), "Practical secure aggregation for privacy-preserving machine learning", section 4, without
    the shares that take the masks of a missing participant off.

    Deviations
    ----------
    If one is missing there is no sum. Nobody signs keys: a server that hands out keys of its own can read on.
    """
    if len(everybody) < MINIMUM:
        raise ValueError(f"a masked sum must have at least {MINIMUM} participants, got {len(everybody)}")
    if len(set(everybody)) < len(everybody):
        raise ValueError("a masked sum must have different keys, got one twice")
    if public not in everybody:
        raise ValueError("a masked sum must be with one's own key, which was not among those passed on")
    words = encode(values, fraction=fraction)[0]
    own = everybody.index(public)
    for place, key in enumerate(everybody):
        if place != own:
            mask = _mask(private, key, purpose, words.size)
            words = words + mask if place > own else words - mask
    return np.asarray(words)


def unmasked(sent: Sequence[np.ndarray], fraction: int = 0) -> np.ndarray:
    """Add up what everybody sent.

    Parameters
    ----------
    sent : sequence of (n,) uint64 array
        The words of all whose keys were passed on; with one missing the sum is noise.
    fraction : int
        Binary digits after the point, as given to `masked`.

    Returns
    -------
    (n,) int64 or float64 array
        The sums; whole numbers where ``fraction`` is 0.

    Raises
    ------
    ValueError
        If the words are of different lengths, or of another type.
    """
    if len({each.shape for each in sent}) != 1 or any(each.dtype != np.uint64 for each in sent):
        raise ValueError("masked words must be of one length and 64 bits each, got others")
    return decode(np.asarray(np.sum(np.stack(sent), axis=0, dtype=np.uint64)), fraction=fraction)
