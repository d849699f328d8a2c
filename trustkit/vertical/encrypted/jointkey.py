"""A Paillier key that no party has: each has a part, and only all parts together open anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trustkit.vertical.encrypted.paillier import Cipher, Lock, key_of

__all__ = ["JointKey", "joint_key"]


@dataclass(frozen=True, eq=False)
class JointKey:
    """What a dealer handed out before.

    Parameters
    ----------
    lock : Lock
        Everybody's.
    parts : tuple of int
        One secret exponent for each party.
    """

    lock: Lock
    parts: tuple[int, ...]

    def part(self, cipher: Cipher, party: int) -> Cipher:
        """Do one party's part of opening a number.

        Parameters
        ----------
        cipher : gmpy2.mpz
            A locked number.
        party : int
            0 … K − 1.

        Returns
        -------
        gmpy2.mpz
            cipher^part mod n², as long as a locked number.
        """
        return self.lock.times(cipher, self.parts[party])

    def joined(self, opened: Sequence[Cipher]) -> int:
        """Put all parts together.

        Parameters
        ----------
        opened : sequence of gmpy2.mpz
            What `part` gave, of each party.

        Returns
        -------
        int
            The number, between −n/2 and n/2.

        Raises
        ------
        ValueError
            If a part is missing or wrong.
        """
        raised = int(self.lock.total(opened)) - 1
        value, rest = divmod(raised, int(self.lock.n))
        if rest:
            raise ValueError(f"opening a number takes the parts of all {len(self.parts)} parties, got something else")
        return value - int(self.lock.n) if value > self.lock.n // 2 else value


def joint_key(bits: int, parties: int) -> JointKey:
    """Make a new key and cut it into parts, from the system's own randomness.

    Parameters
    ----------
    bits : int
        At least 512: length of n.
    parties : int
        K, at least 2.

    Returns
    -------
    JointKey
        Another one at each call; what is opened does not depend on it.

    Notes
    -----
    The exponent d = λ (λ⁻¹ mod n) is 0 modulo λ and 1 modulo n, so cᵈ = (1 + n)ᵛ = 1 + v n mod n² for a number v locked
    in c. Parts are uniform modulo n λ but for the last one, which makes their sum d.

    Source
    ------
    Damgård and Jurik (2001), "A generalisation, a simplification and some applications of Paillier's probabilistic
    public-key system", section 4, with all K parties needed.

    Deviations
    ----------
    A dealer makes the key and forgets it, where a protocol among the parties could; parts are added, not interpolated,
    and nobody proves that its part is right: parties are curious, but they keep to the rules.

    Examples
    --------
    >>> joint = joint_key(512, 3)
    >>> cipher = joint.lock.locked(-42)
    >>> joint.joined([joint.part(cipher, k) for k in range(3)])
    -42
    """
    import gmpy2

    key = key_of(bits)
    lock, p, q = key.lock, key.private.p, key.private.q
    order = int(gmpy2.lcm(p - 1, q - 1))
    whole, n = order * int(lock.n), int(lock.n)
    secret = order * int(gmpy2.invert(order, n))
    others = [(lock.public.get_random_lt_n() + n * lock.public.get_random_lt_n()) % whole for _ in range(parties - 1)]
    return JointKey(lock, (*map(int, others), int((secret - sum(others)) % whole)))
