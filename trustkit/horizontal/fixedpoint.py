"""Numbers as fixed-point words that add up modulo a power of two."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

__all__ = ["Bits", "decode", "encode"]

Bits = Literal[32, 64]
"""Width of a word."""


def _word(bits: int) -> Any:
    if bits not in (32, 64):
        raise ValueError(f"bits must be 32 or 64, got {bits!r}")
    return np.uint32 if bits == 32 else np.uint64


def _fits(total: np.ndarray, bits: int, what: str) -> None:
    """Refuse sums of sizes (n,) that could leave the signed range."""
    limit = 2.0 ** (bits - 1)
    if total.size and not total.max() < limit:
        raise ValueError(f"{what} must stay below 2^{bits - 1} in the sum of all clients, got {total.max():g}")


def encode(values: np.ndarray, *, fraction: int = 0, bits: Bits = 64) -> np.ndarray:
    """Write numbers as fixed-point words whose sums wrap around.

    Parameters
    ----------
    values : (K, n) array
        One client's numbers a row, finite; whole numbers where ``fraction`` is 0.
    fraction : int
        Binary digits after the point, 0 to 52: numbers are rounded to multiples of 2^−fraction.
    bits : {32, 64}
        Width of a word.

    Returns
    -------
    (K, n) uint32 or uint64 array
        Modulo 2^bits; negative numbers as two's complements.

    Raises
    ------
    ValueError
        If a number is not finite, not whole without a fraction, or if the sum of the clients could leave the range
        −2^(bits − 1) … 2^(bits − 1) − 1 of a word.

    Notes
    -----
    round(x · 2^f) mod 2^bits. The rounding error of a sum is at most K · 2^(−f − 1). With floating-point input of more
    than 53 binary digits the last ones are lost before.

    Examples
    --------
    >>> encode(np.array([[1.5, -1.0]]), fraction=1, bits=32).tolist()
    [[3, 4294967294]]
    """
    word, array = _word(bits), np.atleast_2d(np.asarray(values))
    if not 0 <= fraction <= 52:
        raise ValueError(f"fraction must be between 0 and 52, got {fraction!r}")
    if array.ndim != 2:
        raise ValueError(f"values must be a matrix with one client a row, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        array = np.asarray(array, float)
        if not np.isfinite(array).all():
            raise ValueError("values must be finite, got NaN or infinity")
        array = np.ldexp(array, fraction)
        whole = np.rint(array)
        if fraction == 0 and (whole != array).any():
            raise ValueError(f"values must be whole without a fraction, got {array[whole != array][0]:g}")
    else:
        whole = array * 1.0 * 2**fraction
        array = array if array.dtype.kind == "u" else array.astype(np.int64)
    _fits(np.abs(whole).sum(axis=0), bits, f"values · 2^{fraction}" if fraction else "values")
    if array.dtype.kind == "f":
        return np.asarray(whole.astype(np.int64).astype(word))
    return np.asarray((array.astype(np.uint64) << np.uint64(fraction)).astype(word))


def decode(total: np.ndarray, *, fraction: int = 0) -> np.ndarray:
    """Read a sum of fixed-point words.

    Parameters
    ----------
    total : (n,) uint32 or uint64 array
        Sums modulo 2^bits.
    fraction : int
        Binary digits after the point, as given to `encode`.

    Returns
    -------
    (n,) int64 or float64 array
        Whole numbers where ``fraction`` is 0.

    Examples
    --------
    >>> decode(encode(np.array([[-2.25]]), fraction=2)[0], fraction=2).tolist()
    [-2.25]
    """
    signed = total.astype(np.int32 if total.dtype == np.uint32 else np.int64).astype(np.int64)
    return np.ldexp(signed.astype(float), -fraction) if fraction else signed
