"""The wire between parties: whatever crosses it is counted, by sender, receiver and kind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from trustkit.vertical.overheard import Heard, ear

if TYPE_CHECKING:
    import torch

__all__ = ["Channel"]


@dataclass(frozen=True, eq=False)
class Channel:
    """A counter of bytes.

    Parameters
    ----------
    parties : int
        How many there are, K.
    traffic : dict
        Bytes so far by (sender, receiver, kind).
    heard : list of Heard, optional
        Where messages that cross the wire are noted besides; by default nowhere, unless somebody is
        `trustkit.vertical.overheard.listening`.
    """

    parties: int
    traffic: dict[tuple[int, int, str], int] = field(default_factory=dict)
    heard: list[Heard] | None = field(default_factory=ear)

    def send(
        self, sender: int, receiver: int, kind: str, message: torch.Tensor, size: int | None = None
    ) -> torch.Tensor:
        """Pass a tensor on and count it, unless it stays at home.

        Parameters
        ----------
        sender, receiver : int
            0 … K−1.
        kind : str
            What it is, for example "embedding".
        message : torch.Tensor
            Numbers; each counts as many bytes as it has.
        size : int, optional
            Bytes, where the message is packed on its way.

        Returns
        -------
        torch.Tensor
            The same numbers, cut off from the sender's computation.
        """
        if sender != receiver:
            whole = message.numel() * message.element_size()
            self.count(sender, receiver, kind, whole if size is None else size)
            if self.heard is not None:
                self.heard.append(Heard(sender, receiver, kind, message.detach().numpy().copy()))
        return message.detach()

    def pass_on(self, sender: int, receiver: int, kind: str, message: np.ndarray) -> np.ndarray:
        """Pass an array on and count it, unless it stays at home.

        Parameters
        ----------
        sender, receiver : int
            0 … K−1.
        kind : str
            What it is, for example "histogram".
        message : numpy.ndarray
            Numbers; each counts as many bytes as it has.

        Returns
        -------
        numpy.ndarray
            The same numbers.
        """
        if sender != receiver:
            self.count(sender, receiver, kind, message.nbytes)
            if self.heard is not None:
                self.heard.append(Heard(sender, receiver, kind, np.array(message)))
        return message

    def count(self, sender: int, receiver: int, kind: str, size: int) -> None:
        """Count a message that is not passed on here.

        Parameters
        ----------
        sender, receiver : int
            0 … K−1; K is somebody who is no party, such as a dealer of random numbers.
        kind : str
            What it is.
        size : int
            Bytes.
        """
        key = (sender, receiver, kind)
        self.traffic[key] = self.traffic.get(key, 0) + size

    def sent(self, kinds: Collection[str]) -> np.ndarray:
        """Return what each party sent.

        Parameters
        ----------
        kinds : collection of str
            Which kinds count.

        Returns
        -------
        (K,) float array
            Bytes.

        Examples
        --------
        >>> wire = Channel(2)
        >>> wire.count(1, 0, "embedding", 400)
        >>> wire.sent(["embedding"]).tolist(), wire.received(["embedding"]).tolist()
        ([0.0, 400.0], [400.0, 0.0])
        """
        return self._total([(sender, size) for (sender, _, kind), size in self.traffic.items() if kind in kinds])

    def received(self, kinds: Collection[str]) -> np.ndarray:
        """Return what each party received.

        Parameters
        ----------
        kinds : collection of str
            Which kinds count.

        Returns
        -------
        (K,) float array
            Bytes.
        """
        return self._total([(receiver, size) for (_, receiver, kind), size in self.traffic.items() if kind in kinds])

    def by_kind(self) -> dict[str, np.ndarray]:
        """Return all traffic by message kind.

        Returns
        -------
        dict of str to (2, K) float array
            What each party sent, and what it received, in bytes.

        Examples
        --------
        >>> wire = Channel(2)
        >>> wire.count(1, 0, "embedding", 400)
        >>> wire.by_kind()["embedding"].tolist()
        [[0.0, 400.0], [400.0, 0.0]]
        """
        kinds = dict.fromkeys(kind for _, _, kind in self.traffic)
        return {kind: np.stack([self.sent([kind]), self.received([kind])]) for kind in kinds}

    def _total(self, counted: list[tuple[int, int]]) -> np.ndarray:
        total = np.zeros(self.parties + 1)  # number K is somebody outside, such as a dealer of random numbers
        for party, size in counted:
            total[party] += size
        return total[: self.parties]
