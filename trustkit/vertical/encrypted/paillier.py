"""Paillier's encryption: whoever has the lock can add under it, whoever has the key can open it.

Keys, opening and locking without the key are `phe`'s, on GMP's numbers; the key's holder locks faster than she could
with the lock alone, because she may work modulo p² and q².
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["SHORTEST", "Cipher", "Key", "Lock", "key_of", "needs_encryption"]

SHORTEST = 1024
"""Bits below which a key is for teaching only."""

Cipher = Any
"""A locked number: a GMP integer in [1, n²) that is coprime to n."""


def needs_encryption(name: str, key_bits: int) -> None:
    """Say what is missing before any work.

    Parameters
    ----------
    name : str
        What a message calls the algorithm.
    key_bits : int
        Length of n.

    Raises
    ------
    ValueError
        If phe or gmpy2 is not installed, or the key's length is not a multiple of 8 from 512 on.
    """
    if key_bits < 512 or key_bits % 8:
        why = ": a shorter key hides nothing" if key_bits < 512 else ""
        raise ValueError(f"key_bits of {name} must be a multiple of 8 from 512 on, got {key_bits}{why}")
    try:
        import gmpy2
        import phe.paillier  # noqa: F401
    except ImportError:
        raise ValueError(f"{name} needs phe and gmpy2, got an installation without: "
                         "pip install 'trustkit[encryption]'") from None  # fmt: skip
    del gmpy2


@dataclass(frozen=True, eq=False)
class Lock:
    """The public half of a key: it locks numbers modulo n, and adds what is locked.

    Parameters
    ----------
    bits : int
        Length of n.
    n, square : gmpy2.mpz
        The modulus, a product of two primes, and n².
    public : phe.PaillierPublicKey
        The same as `phe` has it.
    """

    bits: int
    n: Any
    square: Any
    public: Any

    @property
    def size(self) -> int:
        """Bytes of a locked number: n² is twice as long as n."""
        return 2 * self.bits // 8

    @property
    def nothing(self) -> Cipher:
        """Zero, locked without noise: what an empty sum is; it hides nothing."""
        return self.n // self.n

    def locked(self, value: int) -> Cipher:
        """Lock a number with noise of one's own.

        Parameters
        ----------
        value : int
            Between −n/2 and n/2.

        Returns
        -------
        gmpy2.mpz
            (1 + n)ᵛ rⁿ mod n².
        """
        return self.n.__class__(self.public.raw_encrypt(int(value % self.n)))

    def total(self, ciphers: Iterable[Cipher]) -> Cipher:
        """Add what is locked.

        Parameters
        ----------
        ciphers : iterable of gmpy2.mpz
            Locked numbers, possibly none.

        Returns
        -------
        gmpy2.mpz
            Their product mod n², which is the locked sum.
        """
        found = self.nothing
        for cipher in ciphers:
            found = found * cipher % self.square
        return found

    def times(self, cipher: Cipher, factor: int) -> Cipher:
        """Multiply what is locked by a number in the clear.

        Parameters
        ----------
        cipher : gmpy2.mpz
            A locked number.
        factor : int
            Any sign.

        Returns
        -------
        gmpy2.mpz
            cipher^factor mod n².
        """
        import gmpy2

        return gmpy2.powmod(cipher, factor, self.square)

    def abreast(self, ciphers: Sequence[Cipher], width: int) -> Cipher:
        """Put what is locked into the slots of one number, the first one lowest.

        Parameters
        ----------
        ciphers : sequence of gmpy2.mpz
            c₁, c₂, …
        width : int
            Bits of a slot.

        Returns
        -------
        gmpy2.mpz
            … (c₃ ⊗ 2^width ⊕ c₂) ⊗ 2^width ⊕ c₁, which `trustkit.vertical.encrypted.packing.unpacked` reads once it is
            opened.
        """
        found = self.nothing
        for cipher in reversed(ciphers):
            found = self.times(found, 1 << width) * cipher % self.square
        return found

    def fresh(self, cipher: Cipher) -> Cipher:
        """Change the looks of a locked number, not its value.

        Parameters
        ----------
        cipher : gmpy2.mpz
            A locked number.

        Returns
        -------
        gmpy2.mpz
            One that nobody without the key can tell from any other.
        """
        return cipher * self.locked(0) % self.square


@dataclass(frozen=True, eq=False)
class Key:
    """Both halves: what the primary party keeps.

    Parameters
    ----------
    lock : Lock
        The half that is given away.
    private : phe.PaillierPrivateKey
        The half that is not.
    """

    lock: Lock
    private: Any

    def locked(self, value: int) -> Cipher:
        """Lock a number, about three times as fast as `Lock.locked`.

        Parameters
        ----------
        value : int
            Between −n/2 and n/2.

        Returns
        -------
        gmpy2.mpz
            (1 + v n) ρ mod n², where ρ is drawn uniformly from the n-th powers.

        Notes
        -----
        Modulo p² the n-th powers of all r are the p-th powers of all residues modulo p, since q is coprime to
        p − 1. So ρ is put together from (r mod p)^p mod p² and (r mod q)^q mod q² by the Chinese remainder theorem,
        with exponents and moduli half as long.

        Source
        ------
        Paillier (1999), "Public-key cryptosystems based on composite degree residuosity classes", scheme 1 and
        section 7.
        """
        import gmpy2

        lock, private = self.lock, self.private
        p, q = gmpy2.mpz(private.p), gmpy2.mpz(private.q)
        r = lock.public.get_random_lt_n()
        low, high = gmpy2.powmod(r % p, p, p * p), gmpy2.powmod(r % q, q, q * q)
        noise = low + (high - low) * gmpy2.invert(p * p, q * q) % (q * q) * (p * p)
        return (1 + value * lock.n) % lock.square * noise % lock.square

    def opened(self, cipher: Cipher) -> int:
        """Unlock a number.

        Parameters
        ----------
        cipher : gmpy2.mpz
            A locked number.

        Returns
        -------
        int
            Between −n/2 and n/2.
        """
        value = 0 if cipher == 1 else int(self.private.raw_decrypt(int(cipher)))
        return value - int(self.lock.n) if value > self.lock.n // 2 else value


def key_of(bits: int) -> Key:
    """Make a new key from the system's own randomness.

    Parameters
    ----------
    bits : int
        At least 512: length of n. `SHORTEST` and more are for use, less is for teaching.

    Returns
    -------
    Key
        Another one at each call: what is opened again does not depend on it, so nothing of it need be kept.

    Notes
    -----
    n = p q, λ = lcm(p − 1, q − 1), and q is coprime to p − 1 (else another pair is drawn). A number v is locked as
    (1 + n)ᵛ rⁿ mod n²; the product of two locked numbers is the locked sum.

    Source
    ------
    Paillier (1999), scheme 1, as `phe` has it.

    Examples
    --------
    >>> key = key_of(512)
    >>> both = key.lock.total([key.locked(40), key.lock.locked(-42)])
    >>> key.opened(both), key.opened(key.lock.times(both, -3)), key.lock.size
    (-2, 6, 128)
    """
    import gmpy2
    from phe import paillier

    while True:
        public, private = paillier.generate_paillier_keypair(n_length=bits)
        if math.gcd(int(public.n), int((private.p - 1) * (private.q - 1))) == 1:
            n = gmpy2.mpz(public.n)
            return Key(Lock(bits, n, n * n, public), private)
