"""How much memory a training over rows will hold: reckoned from sizes alone, before anything is copied or trained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local, steps_of

__all__ = ["Needs", "activations"]

_WORD = 8
"""Bytes of a row's number, and of a class."""
_POISSON = 1.5
"""How much longer than expected the longest of many batches is, when each row joins by itself."""
_EVALUATED = 1024
"""Images that a convolutional network is given at once when it is evaluated."""


@dataclass(frozen=True)
class Needs:
    """The sizes that a round's memory follows from.

    Parameters
    ----------
    model : Dense or Convnet
        What is trained.
    local : Local
        How clients train.
    sizes : (K,) int array
        Training rows of each client.
    tested : int
        Test rows of all clients.
    features : int
        Columns.
    together : int
        Clients in a round.
    wide : int
        Bytes of a number of the table that rows are taken from.
    kept : int
        Vectors as long as the parameters that the state has for each client.
    beside : float
        Copies of all clients' models that are made when they are merged.
    models : int
        How many models are trained side by side.
    pairs : float
        Numbers that merging holds for every pair of a round's clients, as distances between their models are.
    """

    model: Dense | Convnet
    local: Local
    sizes: np.ndarray
    tested: int
    features: int
    together: int
    wide: int = 8
    kept: int = 0
    beside: float = 0.0
    models: int = 1
    pairs: float = 0.0

    @property
    def rows(self) -> int:
        """Bytes of all clients' rows, features in the model's type, and of the copy from which they are cast."""
        n, item = int(self.sizes.sum()), np.dtype(self.model.dtype).itemsize
        cast = 0 if self.wide == item else self.wide * max(n, self.tested) * self.features
        return (n + self.tested) * (item * self.features + 2 * _WORD) + cast

    @property
    def state(self) -> int:
        """Bytes of what is carried from round to round."""
        return self._vector * (3 + self.kept * self.sizes.size)

    @property
    def plan(self) -> int:
        """Bytes of who trains on which rows in which order, twice while it is laid out."""
        steps = int(steps_of(self.sizes, self.local).max(initial=0))
        drawn = 0
        if self.local.sampling == "poisson":
            drawn = _WORD * steps * int(self.sizes.max(initial=0))
        return int(2.5 * _WORD * steps * self.together * self._batch) + drawn

    @property
    def training(self) -> int:
        """Bytes of the clients' models, their gradients, what merging copies, and of a step."""
        item, vectors = np.dtype(self.model.dtype).itemsize, self._vector * self.together
        if isinstance(self.model, Convnet):
            own = self._vector // self.models * (8 if self.local.clip is None else 12)
            step = item * int(self._batch * activations(self.model, self.local.clip is not None))
            return vectors + self._merging + own + step
        pulled = 2 if self.local.mu or self.kept else 0
        step = int(self.together * self._batch * (item * activations(self.model) + 3 * _WORD))
        return vectors + max(vectors * (1 + pulled) // self.models + step, self._merging)

    @property
    def looking(self) -> int:
        """Bytes of evaluating all clients; where they keep models of their own, of those once more."""
        item = np.dtype(self.model.dtype).itemsize
        if isinstance(self.model, Convnet):
            numbers = min(self.tested, _EVALUATED) * activations(self.model) // 2 + 4 * self.tested * self.model.classes
        else:
            numbers = self.tested * (2 * sum(self.model.sizes[1:]) + 3 * self.model.sizes[-1])
        return item * int(numbers) * self.models + self.kept * self._vector * self.sizes.size

    def total(self) -> int:
        """Return the most that is held at once.

        Returns
        -------
        int
            Bytes beside the data set itself: all rows, the state before and after a round, and the larger of training
            and evaluating. Measured peaks are within a factor of two of it, as soon as it is above 100 MB.

        Examples
        --------
        60,000 bytes of rows, twice 264 of parameters, 10,240 of batches, and 10,944 of models and a step:

        >>> Needs(Dense((10, 2)), Local(batch=32), np.full(4, 100), 100, 10, together=4).total()
        81712
        """
        return self.rows + 2 * self.state + max(self.plan + self.training, self.looking)

    @property
    def _vector(self) -> int:
        """Bytes of as many numbers as there are parameters."""
        return self.model.parameters * np.dtype(self.model.dtype).itemsize * self.models

    @property
    def _merging(self) -> int:
        """Bytes of what is held beside the clients' models while they are merged."""
        return int(self._vector * self.together * self.beside + _WORD * self.pairs * self.together**2)

    @property
    def _batch(self) -> float:
        """Rows of the longest batch."""
        most = min(self.local.batch, int(self.sizes.max(initial=0)))
        return most * _POISSON if self.local.sampling == "poisson" else most


def activations(model: Dense | Convnet, clipped: bool = False) -> int:
    """Count the numbers that one row of a batch needs while a gradient is computed.

    Parameters
    ----------
    model : Dense or Convnet
        Sizes.
    clipped : bool
        Whether gradients are cut row by row: of convolutions they are then formed.

    Returns
    -------
    int
        Features, what each layer gives and its slopes.

    Examples
    --------
    >>> activations(Dense((10, 64, 2)))
    142
    """
    if isinstance(model, Dense):
        return model.sizes[0] + 2 * sum(model.sizes[1:])
    depth, height, width = model.image
    count = 2 * depth * height * width
    for wider in model.channels:
        count += 5 * wider * height * width
        if clipped:
            count += depth * 25 * height * width + 2 * wider * depth * 25
        depth, height, width = wider, height // 2, width // 2
    return count + 4 * (depth * height * width + model.hidden + model.classes)
