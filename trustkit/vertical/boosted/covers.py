"""What crosses between the holder of the labels and the others while trees grow, in the clear or under a cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.histograms import histogram
from trustkit.vertical.channel import Channel

__all__ = ["Cover", "Plain"]


class Cover(Protocol):
    """How gradients go out to a party and its histograms come back; what is counted, and under which kind."""

    def gradients(self, g: np.ndarray, h: np.ndarray, party: int, wire: Channel) -> Any:
        """Send party ``party`` the gradients of a round, (C, n) float32 each; return what that party then holds."""

    def histogram(
        self, held: Any, own: Binned, at: np.ndarray, nodes: int, width: int, party: int, wire: Channel
    ) -> Any:
        """Let party ``party`` add up what it holds by node, own column and bin, and send it; return the message.

        ``at`` (C, n) int32 is the node 0 … nodes−1 that row i of tree c is counted in, or −1.
        """

    def opened(self, message: Any, own: Binned, nodes: int, width: int) -> np.ndarray:
        """Let the first party read a message: (nodes, m_k, width, 2) float64, 0 in cells that are no bin."""


@dataclass(frozen=True)
class Plain:
    """Everything in the clear: gradients in float32, histograms in float64, as XGBoost holds them."""

    def gradients(self, g: np.ndarray, h: np.ndarray, party: int, wire: Channel) -> tuple[np.ndarray, np.ndarray]:
        """Send the gradients of a round.

        Parameters
        ----------
        g, h : (C, n) float32 array
            First and second derivative of each row's loss by its margins.
        party : int
            Who gets them.
        wire : Channel
            Counts 8 C n bytes as "gradient".

        Returns
        -------
        tuple of (C, n) float32 array
            The same.
        """
        return wire.pass_on(0, party, "gradient", g), wire.pass_on(0, party, "gradient", h)

    def histogram(
        self, held: tuple[np.ndarray, np.ndarray], own: Binned, at: np.ndarray, nodes: int, width: int, party: int,
        wire: Channel,
    ) -> np.ndarray:  # fmt: skip
        """Add up gradients by node, column and bin, and send the sums.

        Parameters
        ----------
        held : tuple of (C, n) float32 array
            What `gradients` gave.
        own : Binned
            The party's columns.
        at : (C, n) int32 array
            The node, 0 … nodes − 1, that a row of a tree is counted in; −1 for none.
        nodes, width : int
            How many nodes, and bins a column at most.
        party : int
            Who adds up.
        wire : Channel
            Counts 16 bytes a node and bin as "histogram".

        Returns
        -------
        (nodes, T, 2) float64 array
            Sums of g and h in each of the party's T bins.
        """
        sums = histogram(own.codes, *held, at, nodes, width)
        return wire.pass_on(party, 0, "histogram", sums[:, own.real(width)])

    def opened(self, message: np.ndarray, own: Binned, nodes: int, width: int) -> np.ndarray:
        """Lay the sums out by column.

        Parameters
        ----------
        message : (nodes, T, 2) float64 array
            As sent.
        own : Binned
            Whose columns these are; only the number of bins is looked at.
        nodes, width : int
            As in `histogram`.

        Returns
        -------
        (nodes, m_k, width, 2) float64 array
            0 in cells that are no bin.
        """
        sums = np.zeros((nodes, own.counts.size, width, 2))
        sums[:, own.real(width)] = message
        return sums
