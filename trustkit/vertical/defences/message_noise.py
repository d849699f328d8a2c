"""What is done to messages before they leave: cut and noised by a ledger, or reduced to their largest entries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trustkit.vertical.defences.column_noise import ColumnLedger

if TYPE_CHECKING:
    import torch

__all__ = ["Shield", "clipped", "rowwise"]

_INDEX = 2  # bytes: no message has more than 65,536 entries a row


@dataclass(frozen=True, eq=False)
class Shield:
    """The defences of one pass over the rows.

    Parameters
    ----------
    ledger : ColumnLedger, optional
        Whose noise is added; none by default.
    keep : float
        In (0, 1]: the share of the entries of each row's returned gradient that is sent, the largest ones.
    generator : numpy.random.Generator
        Where the noise comes from.
    """

    ledger: ColumnLedger | None
    keep: float
    generator: np.random.Generator

    @property
    def hides_features(self) -> bool:
        """Whether embeddings and own steps get noise."""
        return self.ledger is not None and self.ledger.features > 0

    @property
    def hides_labels(self) -> bool:
        """Whether the gradient of the loss gets noise."""
        return self.ledger is not None and self.ledger.labels > 0

    @property
    def clip(self) -> float | None:
        """The norm that a row's embedding and gradient are cut to; ``None`` where nothing is."""
        return self.ledger.privacy.clip if self.ledger is not None and self.hides_features else None

    def _noise(self, like: torch.Tensor, scale: float) -> torch.Tensor:
        import torch

        drawn = self.generator.standard_normal(tuple(like.shape)) * scale
        return torch.tensor(drawn.astype(str(like.dtype).removeprefix("torch.")))

    def _scale(self) -> float:
        """Return the standard deviation of features' noise: σ · 2C, or σ where nothing is cut."""
        sigma = self.ledger.features if self.ledger is not None else 0.0
        return sigma * (1.0 if self.clip is None else 2 * self.clip)

    def embedding(self, embedding: torch.Tensor) -> torch.Tensor:
        """Cut and noise what a party is about to send.

        Parameters
        ----------
        embedding : torch.Tensor
            (n, w).

        Returns
        -------
        torch.Tensor
            (n, w): gradients go through the cut, the noise is a constant.
        """
        if not self.hides_features:
            return embedding
        cut = embedding if self.clip is None else clipped(embedding, self.clip)
        return cut + self._noise(cut, self._scale())

    def own(
        self, layers: Sequence[torch.Tensor], x: torch.Tensor, slope: torch.Tensor
    ) -> list[torch.Tensor]:  # fmt: skip
        """Return a party's gradient by its own layers, each row's part cut, with noise on the sum.

        Parameters
        ----------
        layers : sequence of torch.Tensor
            The party's weights and offsets by turns.
        x : torch.Tensor
            (n, d): its columns of the batch.
        slope : torch.Tensor
            (n, w): gradient of the mean loss by what it computed.

        Returns
        -------
        list of torch.Tensor
            Of the mean loss, one for each of ``layers``.
        """
        summed = rowwise(layers, x, slope * len(x), self.clip or math.inf)
        return [(each + self._noise(each, self._scale() if self.clip else 0.0)) / len(x) for each in summed]

    def slopes(self, slopes: torch.Tensor) -> torch.Tensor:
        """Noise the gradient of the mean loss by the scores, the one place where labels enter.

        Parameters
        ----------
        slopes : torch.Tensor
            (n, C), or (n, 1) of a regression.

        Returns
        -------
        torch.Tensor
            The same shape.
        """
        if not self.hides_labels or self.ledger is None:
            return slopes
        sensitivity = 2.0 if slopes.shape[1] == 1 else math.sqrt(2)
        return slopes + self._noise(slopes, self.ledger.labels * sensitivity / len(slopes))

    def returned(self, gradient: torch.Tensor) -> tuple[torch.Tensor, int | None]:
        """Keep the largest entries of each row's gradient.

        Parameters
        ----------
        gradient : torch.Tensor
            (n, w).

        Returns
        -------
        kept : torch.Tensor
            (n, w) with the others 0.
        size : int, optional
            Bytes: an index of two bytes beside every entry that is sent; ``None`` where all are.
        """
        import torch

        rows, width = gradient.shape
        count = max(1, math.ceil(self.keep * width - 1e-9))
        if count >= width:
            return gradient, None
        at = gradient.abs().topk(count, dim=1).indices
        kept = torch.zeros_like(gradient).scatter(1, at, gradient.gather(1, at))
        return kept, rows * count * (gradient.element_size() + _INDEX)


def clipped(rows: torch.Tensor, clip: float) -> torch.Tensor:
    """Shorten rows that are longer than a norm.

    Parameters
    ----------
    rows : torch.Tensor
        (n, w).
    clip : float
        Above 0: C.

    Returns
    -------
    torch.Tensor
        Each row times min(1, C / its norm).
    """
    share: torch.Tensor = (clip / rows.norm(dim=1, keepdim=True).clamp(min=1e-12)).clamp(max=1.0)
    return rows * share


def rowwise(layers: Sequence[torch.Tensor], x: torch.Tensor, slope: torch.Tensor, clip: float) -> list[torch.Tensor]:
    """Add up the gradients of a chain's rows, each cut to a norm over all layers together.

    Parameters
    ----------
    layers : sequence of torch.Tensor
        Weights and offsets by turns, as `trustkit.vertical.networks.layers.chain` runs them.
    x : torch.Tensor
        (n, d).
    slope : torch.Tensor
        (n, w): gradient of each row's loss by the chain's output.
    clip : float
        Above 0: C; infinity cuts nothing.

    Returns
    -------
    list of torch.Tensor
        One for each of ``layers``.

    Notes
    -----
    A row's gradient by a linear layer is the outer product of its slope δ behind and its input a before it, so its
    squared norm with the offset's is ‖δ‖² (‖a‖² + 1): no row's gradient has to be held by itself.
    """
    import torch

    with torch.no_grad():
        weights, inputs = [w.detach() for w in layers[::2]], [x]
        for weight, offset in zip(weights[:-1], layers[1:-1:2], strict=True):
            inputs.append(torch.relu(inputs[-1] @ weight.T + offset.detach()))
        slopes = [slope]
        for weight, arrived in zip(weights[:0:-1], inputs[:0:-1], strict=True):
            slopes.insert(0, (slopes[0] @ weight) * (arrived > 0))
        square = torch.stack([(s**2).sum(1) * ((a**2).sum(1) + 1) for s, a in zip(slopes, inputs, strict=True)]).sum(0)
        share = (clip / square.sqrt().clamp(min=1e-12)).clamp(max=1.0)[:, None]
        cut = [s * share for s in slopes]
        return [part for s, a in zip(cut, inputs, strict=True) for part in (s.T @ a, s.sum(0))]
