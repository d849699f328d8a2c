"""A first layer whose weights nobody holds: two parties have a share of each, and every message is masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from trustkit.records import Tick
from trustkit.rng import stream
from trustkit.vertical.channel import Channel
from trustkit.vertical.sharing.fixed_point import encoded, noise, times

__all__ = ["STEP_BITS", "Held", "Sitting", "SourceLayer"]

STEP_BITS = 24
"""Bits after the point of a gradient times its step size."""

_WORD = 8
_SEED = 16


@dataclass(frozen=True, eq=False)
class Held:
    """One party's features in an epoch.

    Parameters
    ----------
    features : (n, m_k) int64 array
        In fixed point: the party's own.
    mask : (n, m_k) int64 array
        Uniform: the party's own; the dealer knows it.
    told : (n, m_k) int64 array
        features − mask: what the keeper of its weights' other share has.
    """

    features: np.ndarray
    mask: np.ndarray
    told: np.ndarray


@dataclass(frozen=True)
class SourceLayer:
    """Sizes of the layer, and who holds what.

    Parameters
    ----------
    columns : tuple of tuple of int
        The columns of each party, K; the first party reads the layer's sums.
    width : int
        Units, h.
    seed : int
        The experiment's seed.
    point : int
        Bits after the point of a feature; a weight has ``STEP_BITS`` more, a sum both together.

    Notes
    -----
    Party k's weights are W_k = U_k + V_k modulo 2^64: it holds U_k ("own") and its keeper holds V_k ("kept"). The
    first party keeps for all others, the second for the first.
    """

    columns: tuple[tuple[int, ...], ...]
    width: int
    seed: int
    point: int

    @property
    def weight_bits(self) -> int:
        """Bits after the point of a weight: those of a feature and of a step, so that a step needs no rounding."""
        return self.point + STEP_BITS

    @property
    def sum_bits(self) -> int:
        """Bits after the point of a feature times a weight."""
        return self.point + self.weight_bits

    @property
    def limit(self) -> float:
        """How large a sum may become: half of what 64 bits can tell apart."""
        return float(2.0 ** (62 - self.sum_bits))

    @cached_property
    def places(self) -> list[slice]:
        """Where each party's weights stand in the arrays of all."""
        ends = np.cumsum([0, *map(len, self.columns)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def keeper(self, party: int) -> int:
        """Say who holds the other share of a party's weights.

        Parameters
        ----------
        party : int
            0 … K−1.

        Returns
        -------
        int
            0, or 1 for the first party.
        """
        return 0 if party else 1

    def deal(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Share first weights, as a dealer whom nobody hears.

        Parameters
        ----------
        weights : (Σ m_k, h) float array
            Party by party.

        Returns
        -------
        own, kept : (Σ m_k, h) int64 array
            Uniform each; they add up to the weights in fixed point.
        """
        own = noise(stream(self.seed, "own weights"), weights.shape)
        return own, encoded(weights, self.weight_bits) - own

    def sit(
        self, X: np.ndarray, rows: np.ndarray, wire: Channel, *path: int | str, tick: Tick = lambda: None
    ) -> Sitting:
        """Open one epoch of the protocol.

        Parameters
        ----------
        X : (n, m) float array
            All training rows, all columns.
        rows : (b,) int array
            The order in which the epoch takes them.
        wire : Channel
            Counts what is sent; number K is the dealer.
        *path : int or str
            The epoch's address below the seed.
        tick : callable
            Called before each party's part of a batch.

        Returns
        -------
        Sitting
            Ready for the first batch.
        """
        held = []
        for k, own in enumerate(self.columns):
            features = encoded(X[:, list(own)], self.point)
            mask = noise(stream(self.seed, "feature mask", k), features.shape)
            held.append(Held(features[rows], mask[rows], (features - mask)[rows]))
        dealers, lenders, pads = ([stream(self.seed, *path, name, k) for k in range(len(held))]
                                  for name in ("dealer", "lender", "pad"))  # fmt: skip
        return Sitting(self, wire, held, dealers, lenders, pads, stream(self.seed, *path, "gradient mask"), tick)

    def introduce(self, rows: int, wire: Channel) -> None:
        """Count what is sent once in a run: masked features, the keepers' shares of the first weights, and seeds.

        Parameters
        ----------
        rows : int
            Training rows, n.
        wire : Channel
            Counts it.

        Notes
        -----
        Seeds have 16 bytes: the dealer's to both ends of each pair and for the mask of gradients, and from each party
        that sends activations to the next one, where there are two or more, for pads that cancel.
        """
        parties = len(self.columns)
        for k, own in enumerate(self.columns):
            keeper = self.keeper(k)
            wire.count(k, keeper, "masked features", _WORD * rows * len(own))
            wire.count(parties, keeper, "dealt", _WORD * len(own) * self.width + _SEED)
            wire.count(parties, k, "dealt", _SEED)
            if k and parties > 2:
                wire.count(k, k % (parties - 1) + 1, "seed", _SEED)
        wire.count(parties, 0, "dealt", _SEED)


@dataclass(frozen=True, eq=False)
class Sitting:
    """One epoch of the protocol: everything a party holds in it, and the dealer's streams.

    Parameters
    ----------
    layer : SourceLayer
        Sizes.
    wire : Channel
        Counts what is sent.
    held : sequence of Held
        Of each party, in the epoch's order.
    dealers, lenders, pads : sequence of numpy.random.Generator
        By party: what the dealer draws for it, what it draws for the keeper of its weights' other share (neither knows
        the other's seed), and what hides its activations from the first party.
    blinds : numpy.random.Generator
        What hides gradients from all but the first party.
    tick : callable
        Called before each party's part of a batch; may raise `trustkit.records.Stopped`.
    """

    layer: SourceLayer
    wire: Channel
    held: Sequence[Held]
    dealers: Sequence[np.random.Generator]
    lenders: Sequence[np.random.Generator]
    pads: Sequence[np.random.Generator]
    blinds: np.random.Generator
    tick: Tick

    def forward(self, own: np.ndarray, kept: np.ndarray, rows: slice) -> np.ndarray:
        """Add up Σ_k X_k W_k, which the first party learns, and nothing else.

        Parameters
        ----------
        own, kept : (Σ m_k, h) int64 array
            Shares of the weights.
        rows : slice
            The batch.

        Returns
        -------
        (b, h) int64 array
            The sums, exact modulo 2^64.

        Notes
        -----
        X_k U_k is worked out by party k alone. For X_k V_k the dealer gives the party a mask A and a number C₁, and
        the keeper a mask B and C₂ = A B − C₁. Told E = X_k − A and F = V_k − B, the party has A F + C₁ and the keeper
        E V_k + C₂, which add up to X_k V_k. Every party but the first sends the sum of what it has, under a pad; pads
        add up to 0.

        Source
        ------
        Beaver (1991), "Efficient multiparty protocols using circuit randomization"; with matrices, and features masked
        once, Mohassel and Zhang (2017), "SecureML".
        """
        places, last = self.layer.places, len(self.held) - 1
        mine, lent = self._crossed(0, kept[places[0]], rows)  # the second party keeps for the first
        total = times(self.held[0].features[rows], own[places[0]]) + mine
        before = ahead = noise(self.pads[last], total.shape)
        for k in range(1, last + 1):
            mine, theirs = self._crossed(k, kept[places[k]], rows)
            pad = ahead if k == last else noise(self.pads[k], total.shape)
            share = times(self.held[k].features[rows], own[places[k]]) + mine + (pad - before)
            share = share + lent if k == 1 else share
            total += self.wire.pass_on(k, 0, "masked activations", share) + theirs
            before = pad
        return np.asarray(total)

    def _crossed(self, party: int, secret: np.ndarray, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        """Multiply a party's features by its keeper's share; return what the party and what the keeper have of it."""
        self.tick()
        held, keeper = self.held[party], self.layer.keeper(party)
        mask = held.mask[rows]
        blind = noise(self.lenders[party], secret.shape)
        part = noise(self.dealers[party], (len(mask), secret.shape[1]))
        rest = self.wire.pass_on(len(self.held), keeper, "dealt", times(mask, blind) - part)
        shown = self.wire.pass_on(keeper, party, "masked weights", secret - blind)
        return times(mask, shown) + part, times(held.told[rows], secret) + rest

    def backward(self, own: np.ndarray, kept: np.ndarray, rows: slice, move: np.ndarray) -> None:
        """Subtract X_kᵀ move from all weights, share by share; changes the shares in place.

        Parameters
        ----------
        own, kept : (Σ m_k, h) int64 array
            Shares of the weights.
        rows : slice
            The batch.
        move : (b, h) int64 array
            The gradient by the sums times the step size, with ``STEP_BITS`` after the point; the first party's.

        Notes
        -----
        As forward: told F = move − B, party k subtracts Aᵀ F + C₁ from its own share and the first party Eᵀ move + C₂
        from the share that it keeps. The first party knows both factors of its own step and works it out alone.
        """
        layer, first = self.layer, self.held[0]
        blind = noise(self.blinds, move.shape)
        own[layer.places[0]] -= times(first.features[rows].T, move)
        for k, held in enumerate(self.held[1:], 1):
            self.tick()
            place, mask = layer.places[k], held.mask[rows].T
            part = noise(self.dealers[k], (len(mask), layer.width))
            rest = self.wire.pass_on(len(self.held), 0, "dealt", times(mask, blind) - part)
            shown = self.wire.pass_on(0, k, "masked gradient", move - blind)
            own[place] -= times(mask, shown) + part
            kept[place] -= times(held.told[rows].T, move) + rest
