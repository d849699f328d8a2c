"""A small convolutional network for images, as a value: sizes, and pure functions of one flat parameter vector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import numpy as np

from trustkit.catalogue import MODELS, Interval
from trustkit.data import Dataset
from trustkit.horizontal.models import draw, shape_of
from trustkit.threads import one_thread

if TYPE_CHECKING:
    import torch

__all__ = ["Convnet", "convnet"]

_KERNEL = 5
_CHUNK = 1024


@dataclass(frozen=True)
class Convnet:
    """5×5 convolutions, each with ReLU and 2×2 max-pooling, then linear layers.

    Parameters
    ----------
    image : (channels, height, width)
        The shape of a row.
    channels : tuple of int
        Channels after each convolution.
    hidden : int
        Width of a linear layer before the last; 0 for none.
    classes : int
        C.
    dtype : {"float32", "float64"}
        What it computes in.
    """

    image: tuple[int, int, int]
    channels: tuple[int, ...]
    hidden: int
    classes: int
    dtype: str = "float32"

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each array of parameters, weights and offsets by turns."""
        shapes: list[tuple[int, ...]] = []
        depth, height, width = self.image
        for wider in self.channels:
            shapes += [(wider, depth, _KERNEL, _KERNEL), (wider,)]
            depth, height, width = wider, height // 2, width // 2
        widths = [depth * height * width, *([self.hidden] if self.hidden else []), self.classes]
        for inputs, outputs in pairwise(widths):
            shapes += [(outputs, inputs), (outputs,)]
        return tuple(shapes)

    @property
    def parameters(self) -> int:
        """How many numbers are learnt, P."""
        return sum(int(np.prod(shape)) for shape in self.shapes)

    @property
    def tensors(self) -> int:
        """How many weight and offset arrays these are."""
        return len(self.shapes)

    def init(self, seed: int) -> np.ndarray:
        """Return parameters to start from.

        Parameters
        ----------
        seed : int
            The experiment's seed.

        Returns
        -------
        (P,) array
            See `trustkit.horizontal.models.draw`.
        """
        fans = [int(np.prod(shape[1:])) for shape in self.shapes[::2] for _ in range(2)]
        return draw(self.shapes, fans, seed, self.dtype)

    def unpack(self, params: np.ndarray) -> list[torch.Tensor]:
        """Copy a flat vector into tensors, the convolutions' with channels last.

        Parameters
        ----------
        params : (P,) float array
            Parameters.

        Returns
        -------
        list of torch.Tensor
            One for each of `shapes`.
        """
        import torch

        flat, start, tensors = torch.tensor(np.asarray(params, self.dtype)), 0, []
        for shape in self.shapes:
            size = int(np.prod(shape))
            tensor = flat[start : start + size].reshape(shape).clone()
            tensors.append(tensor.contiguous(memory_format=torch.channels_last) if len(shape) == 4 else tensor)
            start += size
        return tensors

    def images(self, X: np.ndarray) -> torch.Tensor:
        """Copy rows into a tensor of images with channels last.

        Parameters
        ----------
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        torch.Tensor
            (n, channels, height, width).
        """
        import torch

        rows = torch.tensor(np.asarray(X, self.dtype)).reshape(-1, *self.image)
        return rows.contiguous(memory_format=torch.channels_last)

    def forward(
        self, tensors: list[torch.Tensor], images: torch.Tensor,
        kept: list[tuple[torch.Tensor, torch.Tensor]] | None = None,
    ) -> torch.Tensor:  # fmt: skip
        """Run the network.

        Parameters
        ----------
        tensors : list of torch.Tensor
            What `unpack` gives.
        images : torch.Tensor
            (n, channels, height, width).
        kept : list, optional
            Receives what goes into each layer and what comes out of it, before ReLU.

        Returns
        -------
        torch.Tensor
            Logits (n, C).
        """
        from torch.nn import functional

        x, convolutions, kept = images, 2 * len(self.channels), [] if kept is None else kept
        for at in range(0, convolutions, 2):
            z = functional.conv2d(x, tensors[at], tensors[at + 1], padding=_KERNEL // 2)
            kept.append((x, z))
            x = functional.max_pool2d(functional.relu(z), 2)
        x = x.flatten(1)
        for at in range(convolutions, len(tensors), 2):
            z = functional.linear(x, tensors[at], tensors[at + 1])
            kept.append((x, z))
            x = functional.relu(z) if at < len(tensors) - 2 else z
        return x

    def by_row(self, x: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
        """Return each row's gradient by the weights of a convolution.

        Parameters
        ----------
        x : torch.Tensor
            What went into it, (n, channels, height, width).
        slope : torch.Tensor
            The gradient by what came out, (n, wider, height, width).

        Returns
        -------
        torch.Tensor
            (n, wider, channels · 25).
        """
        from torch.nn.functional import unfold

        return slope.flatten(2) @ unfold(x, _KERNEL, padding=_KERNEL // 2).mT

    def logits(self, params: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores.

        Parameters
        ----------
        params : (P,) float array
            Parameters.
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        import torch

        scores = np.empty((len(X), self.classes), self.dtype)
        with one_thread(), torch.no_grad():
            tensors = self.unpack(params)
            for start in range(0, len(X), _CHUNK):
                part = slice(start, start + _CHUNK)
                scores[part] = self.forward(tensors, self.images(X[part])).numpy()
        return scores

    def gradient(self, params: np.ndarray, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of its logits weighted by ``weights``.

        Parameters
        ----------
        params : (P,) float array
            Parameters.
        X : (n, m) float array
            Scaled rows.
        weights : (n, C) float array
            How much each logit of each row counts.

        Returns
        -------
        (n, m) float array
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i.
        """
        import torch

        slopes = np.empty((len(X), int(np.prod(self.image))), self.dtype)
        with one_thread():
            tensors = self.unpack(params)
            for start in range(0, len(X), _CHUNK):
                part = slice(start, start + _CHUNK)
                images = self.images(X[part]).requires_grad_()
                wanted = torch.tensor(np.asarray(weights[part], self.dtype))
                total = (self.forward(tensors, images) * wanted).sum()
                slopes[part] = torch.autograd.grad(total, images)[0].reshape(len(images), -1).numpy()
        return slopes


@MODELS.enter("convnet", title="Convolutional network")
def convnet(
    data: Dataset,
    channels: Annotated[tuple[int, ...], Interval(1, 256), "channels after each 5×5 convolution"] = (8, 16),
    hidden: Annotated[int, Interval(0, 4096), "width of a linear layer before the last; 0 for none"] = 0,
) -> Convnet:
    """5×5 convolutions with ReLU and max-pooling, then linear layers; for images only.

    Parameters
    ----------
    data : Dataset
        Gives the image's shape and the number of classes C.
    channels : tuple of int
        Channels after each convolution, 1 to 256 each; every one halves height and width.
    hidden : int
        0 to 4096: width of a linear layer before the last.

    Returns
    -------
    Convnet
        (32, 64) channels and 2048 hidden units make the network usually trained on FEMNIST.

    Raises
    ------
    ValueError
        If rows are not images, the images are too small, or the task is a regression.
    """
    _, classes = shape_of(data)
    if data.image is None:
        raise ValueError(f"convnet needs images: {data.name} must say the shape of a row, got a plain table")
    if min(data.image[1:]) < 2 ** len(channels):
        raise ValueError(
            f"channels must be few enough to halve {data.image[1]}×{data.image[2]} pixels each time, "
            f"got {len(channels)} convolutions"
        )
    return Convnet(data.image, tuple(channels), hidden, classes)
