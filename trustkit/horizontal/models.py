"""Models as values: sizes and pure functions of one flat vector of parameters.

A model holds no weights. Everything that trains, adds up or clips sees parameters as one vector (P,), or as one row a
client (m, P), so that averaging, medians and noise are the same for every model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated

import numpy as np

from trustkit.catalogue import MODELS, Interval
from trustkit.data import Dataset
from trustkit.rng import stream

__all__ = ["Dense", "Layer", "draw", "logistic", "mlp", "shape_of"]

Layer = tuple[np.ndarray, np.ndarray]
"""Weights (…, inputs, outputs) and offsets (…, outputs)."""


def draw(shapes: Sequence[tuple[int, ...]], fans: Sequence[int], seed: int, dtype: str) -> np.ndarray:
    """Draw starting parameters uniformly within ±1/√fan-in.

    Parameters
    ----------
    shapes : sequence of tuple of int
        The shape of each array of the model.
    fans : sequence of int
        How many inputs each output of that array has; 0 counts as 1.
    seed : int
        The experiment's seed; the stream is ``(seed, "model")``.
    dtype : str
        "float32" or "float64".

    Returns
    -------
    (P,) array
        All arrays, one after the other.

    Notes
    -----
    w ~ U(−1/√f, 1/√f) for weights and offsets alike, f the fan-in.

    Source
    ------
    He et al. (2015), "Delving deep into rectifiers", with the gain √(1/3) that PyTorch uses for linear and convolution
    layers.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> bool(abs(draw([(4, 2), (2,)], [4, 4], 0, "float32")).max() <= 0.5)
    True
    """
    generator = stream(seed, "model")
    parts = [
        generator.uniform(-1, 1, int(np.prod(shape))) / np.sqrt(max(fan, 1))
        for shape, fan in zip(shapes, fans, strict=True)
    ]
    return np.concatenate(parts).astype(dtype)


@dataclass(frozen=True)
class Dense:
    """A network of fully connected layers with ReLU between them; without hidden layers it is logistic regression.

    Parameters
    ----------
    sizes : tuple of int
        Inputs m, hidden widths, classes C.
    dtype : {"float32", "float64"}
        What it computes in.
    """

    sizes: tuple[int, ...]
    dtype: str = "float32"

    @cached_property
    def _bounds(self) -> tuple[tuple[int, int, int], ...]:
        """Where each layer's weights start, its offsets start, and it ends in the flat vector."""
        bounds, start = [], 0
        for inputs, outputs in pairwise(self.sizes):
            middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
            bounds.append((start, middle, end))
            start = end
        return tuple(bounds)

    @property
    def parameters(self) -> int:
        """How many numbers are learnt, P."""
        return self._bounds[-1][2]

    @property
    def tensors(self) -> int:
        """How many weight and offset arrays these are."""
        return 2 * len(self._bounds)

    def layers(self, flat: np.ndarray) -> list[Layer]:
        """Return views of a flat vector, or of a stack of them, as layers.

        Parameters
        ----------
        flat : (P,) or (m, P) float array
            Parameters, or anything of their shape.

        Returns
        -------
        list of (weights, offsets)
            Weights (…, inputs, outputs) and offsets (…, outputs), sharing memory with ``flat``.
        """
        lead, shapes = flat.shape[:-1], pairwise(self.sizes)
        return [
            (flat[..., a:b].reshape(*lead, *shape), flat[..., b:c])
            for (a, b, c), shape in zip(self._bounds, shapes, strict=True)
        ]

    def init(self, seed: int) -> np.ndarray:
        """Return parameters to start from.

        Parameters
        ----------
        seed : int
            The experiment's seed.

        Returns
        -------
        (P,) array
            See `draw`.
        """
        shapes: list[tuple[int, ...]] = []
        fans = []
        for inputs, outputs in pairwise(self.sizes):
            shapes += [(inputs, outputs), (outputs,)]
            fans += [inputs, inputs]
        return draw(shapes, fans, seed, self.dtype)

    def _forward(self, params: np.ndarray, X: np.ndarray) -> list[np.ndarray]:
        """Return the input of every layer and, last, the logits."""
        outputs = [np.asarray(X, self.dtype)]
        layers = self.layers(params)
        for depth, (weights, offsets) in enumerate(layers):
            z = outputs[-1] @ weights + offsets
            outputs.append(np.maximum(z, 0) if depth < len(layers) - 1 else z)
        return outputs

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
        return self._forward(params, X)[-1]

    def gradient(self, params: np.ndarray, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of its logits weighted by ``weights``.

        Parameters
        ----------
        params : (P,) float array
            Parameters.
        X : (n, m) float array
            Scaled rows.
        weights : (n, C) float array
            How much each logit of each row counts; a one-hot row asks for one logit's gradient.

        Returns
        -------
        (n, m) float array
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i.
        """
        inputs = self._forward(params, X)[:-1]
        delta = np.asarray(weights, self.dtype)
        for depth, (w, _) in reversed(list(enumerate(self.layers(params)))):
            delta = delta @ w.T
            if depth:
                delta = delta * (inputs[depth] > 0)
        return delta


def shape_of(data: Dataset) -> tuple[int, int]:
    """Return the number of features and of classes.

    Parameters
    ----------
    data : Dataset
        A classification task.

    Returns
    -------
    m, C : int
        Columns of X, and classes.

    Raises
    ------
    ValueError
        If the task is a regression.
    """
    if not data.classes:
        raise ValueError(f"models classify: {data.name} must have classes, got a regression target")
    return data.X.shape[1], len(data.classes)


@MODELS.enter("logistic", title="Logistic regression")
def logistic(data: Dataset) -> Dense:
    """Multinomial logistic regression: one linear layer, one score a class.

    Parameters
    ----------
    data : Dataset
        Gives the number of features m and of classes C.

    Returns
    -------
    Dense
        With (m + 1)·C parameters.

    Raises
    ------
    ValueError
        If the task is a regression.
    """
    m, C = shape_of(data)
    return Dense((m, C))


@MODELS.enter("mlp", title="Multilayer perceptron")
def mlp(
    data: Dataset,
    hidden: Annotated[tuple[int, ...], Interval(1, 4096), "widths of the hidden layers"] = (64,),
) -> Dense:
    """Fully connected network with ReLU.

    Parameters
    ----------
    data : Dataset
        Gives the number of features m and of classes C.
    hidden : tuple of int
        Widths of the hidden layers, 1 to 4096 each.

    Returns
    -------
    Dense
        The network m–hidden–C.

    Raises
    ------
    ValueError
        If the task is a regression.
    """
    m, C = shape_of(data)
    return Dense((m, *hidden, C))
