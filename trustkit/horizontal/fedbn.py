"""FedBN: what normalises a client's features stays with the client; the rest is averaged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from trustkit.catalogue import ALGORITHMS
from trustkit.data import FederatedDataset, Stacked
from trustkit.horizontal import loop, stacked
from trustkit.horizontal.aggregate import weighted_mean
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.personal import UNACCOUNTED, own_logits
from trustkit.horizontal.plan import Cohort, Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.trainer import RowTrainer
from trustkit.records import State, Tick

__all__ = ["FedBN", "fedbn", "standardised"]

_FLOOR = 0.01
"""Added to variances, so that what hardly varies at a client is not blown up."""


def standardised(rows: Stacked, by: Stacked, channels: int) -> Stacked:
    """Give each client's rows zero mean and unit variance, by its training rows.

    Parameters
    ----------
    rows : Stacked
        What to scale.
    by : Stacked
        The training rows; who has none keeps its scale.
    channels : int
        How many groups of adjacent columns share a mean and a variance: all columns of a table by themselves, the
        pixels of an image by channel.

    Returns
    -------
    Stacked
        (x − mean)/√(variance + 0.01).
    """
    X = np.asarray(rows.X).reshape(len(rows.rows), channels, -1).copy()
    known = np.asarray(by.X).reshape(len(by.rows), channels, -1)
    for k in np.flatnonzero(by.sizes):
        own, here = (slice(*part.offsets[k : k + 2]) for part in (by, rows))
        mean, variance = known[own].mean(axis=(0, 2)), known[own].var(axis=(0, 2))
        X[here] = (X[here] - mean[:, None]) / np.sqrt(variance + _FLOOR)[:, None]
    return replace(rows, X=X.reshape(len(rows.rows), -1))


@dataclass(frozen=True, eq=False)
class FedBN(RowTrainer):
    """FedAvg with personal normalisation; see `fedbn`. ``train`` and ``test`` are standardised by client."""

    _personal = True
    _by_hand = "whose normalised layers have gradients written for a processor"
    _refuses = UNACCOUNTED

    def start(self) -> State:
        """Return the state before the first round.

        Returns
        -------
        mapping
            As in FedAvg, and affine (K, 2, h): scale 1 and shift 0 of the first layer's outputs.
        """
        state = super().start()
        outputs = self._first(state["params"])[1].size
        affine = np.zeros((self.train.sizes.size, 2, outputs), state["params"].dtype)
        affine[:, 0] = 1
        return {**state, "affine": affine}

    def _first(self, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return views of the first layer: weights (…, inputs, outputs) and offsets (…, outputs)."""
        if isinstance(self.model, Dense):
            return self.model.layers(flat)[0]
        shape = self.model.shapes[0]
        size, outputs = int(np.prod(shape)), shape[0]
        weights = flat[..., :size].reshape(*flat.shape[:-1], outputs, -1).swapaxes(-1, -2)
        return weights, flat[..., size : size + outputs]

    def _folded(self, params: np.ndarray, affine: np.ndarray) -> np.ndarray:
        """Return plain models (m, P) that do what models and their scales and shifts (m, 2, h) do."""
        models = np.empty((len(affine), params.shape[-1]), params.dtype)
        models[:] = params
        weights, offsets = self._first(models)
        weights *= affine[:, :1]
        offsets *= affine[:, 0]
        offsets += affine[:, 1]
        return models

    def _chained(self, slopes: np.ndarray, models: np.ndarray, affine: np.ndarray) -> np.ndarray:
        """Turn gradients by folded models (m, P), in place, into those by models; return those by scales, shifts."""
        (weights, offsets), (by_weights, by_offsets) = self._first(models), self._first(slopes)
        scale = (weights * by_weights).sum(axis=-2) + offsets * by_offsets
        turned = np.stack([scale, by_offsets], axis=1)
        by_weights *= affine[:, :1]
        by_offsets *= affine[:, 0]
        return turned

    def _play(self, state: State, plan: Cohort, tick: Tick) -> dict[str, np.ndarray]:
        X, y = self._rows
        models = np.repeat(state["params"][None], len(plan.clients), axis=0)
        own, slopes = state["affine"][plan.clients], np.empty_like(models)
        for step in range(len(plan.rows)):
            tick()
            active = plan.active(step)
            here, affine, change = models[:active], own[:active], slopes[:active]
            folded = self._folded(here, affine)
            if isinstance(self.model, Dense):
                stacked.slopes(self.model, folded, X, y, plan, step, None, change)
            else:
                loop.slopes(self.model, folded, X, y, plan, step, change)
            affine_change = self._chained(change, here, affine)
            here -= self.local.lr * change
            affine -= self.local.lr * affine_change
        affine = state["affine"].copy()
        affine[plan.clients] = own
        return {**self._merge(state, models, plan), "affine": affine}

    def _scores(self, state: State) -> np.ndarray:
        models = self._folded(state["params"], state["affine"])
        return own_logits(self.model, models, np.asarray(self.test.X), self.test.offsets)

    def _common(self, state: State) -> np.ndarray:
        """Return one plain model (P,), with the mean scale and shift, for whoever is no client."""
        sizes = (self.train.sizes / self.train.sizes.sum()).astype(state["affine"].dtype)
        return np.asarray(self._folded(state["params"], np.tensordot(sizes, state["affine"], 1)[None])[0])

    def logits(self, state: State, X: np.ndarray) -> np.ndarray:
        """Return unnormalised scores of the model with the clients' mean scale and shift.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows.

        Returns
        -------
        (n, C) float array
            One score a class.
        """
        return self.model.logits(self._common(state), X)

    def gradient(self, state: State, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the gradient by each row of its logits weighted by ``weights``.

        Parameters
        ----------
        state : mapping
            Any state of this trainer.
        X : (n, m) float array
            Scaled rows.
        weights : (n, C) float array
            How much each logit of each row counts.

        Returns
        -------
        (n, m) float array
            Σ_c weights[i, c] ∂z_c(x_i)/∂x_i.
        """
        return self.model.gradient(self._common(state), X, weights)


@ALGORITHMS.enter("fedbn", title="FedBN", axis="rows")
def fedbn(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose clients keep to themselves what normalises their features.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        ``None``: clients keep models to themselves that no mechanism accounts for.
    participation : float
        In (0, 1]: the share of clients in a round.
    rounds : int
        At least 1: over how many rounds ε is planned.
    lr : float
        0.0001 to 10: step size η.
    epochs : int
        1 to 100: passes over a client's rows in a round.
    batch : int
        1 to 4096: rows in a step.
    selector : {"random", "size", "loss", "reputation", "fair"}
        How the clients of a round are chosen; see `trustkit.horizontal.selectors.choose`.
    seed : int
        The experiment's seed.

    Returns
    -------
    RowTrainer
        Ready to start.

    Raises
    ------
    ValueError
        See `trustkit.horizontal.binding.bind`.

    Notes
    -----
    Client k sees (x − m_k)/s_k by its own training rows, and the first layer's outputs Wx + b become γ_k(Wx + b) + β_k
    before the activation. m_k, s_k, γ_k and β_k stay with the client; W, b and all other layers are averaged. Clients
    are evaluated with their own.

    Source
    ------
    Li et al. (2021), "FedBN: federated learning on non-IID features via local batch normalization", Algorithm 1.

    Deviations
    ----------
    The models here have no batch normalisation, so every model is given one such layer. Its statistics are taken at the
    first layer's input, over all of a client's training rows rather than over a batch: in a table that centres each
    output of the layer at b exactly; its variance is left to γ_k. In an image they are by channel.
    """
    trainer = bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        weighted_mean, kind=FedBN, selector=selector,
    )  # fmt: skip
    if isinstance(trainer.model, Dense):
        channels, outputs = trainer.model.sizes[:2]
    else:
        channels, outputs = trainer.model.image[0], trainer.model.shapes[0][0]
    train, test = (standardised(rows, trainer.train, channels) for rows in (trainer.train, trainer.test))
    extra = {
        "parameters": 2 * outputs,
        "tensors": 2,
        "model_bytes": 2 * outputs * np.dtype(trainer.model.dtype).itemsize,
    }
    facts = {**trainer.facts, **{name: trainer.facts[name] + more for name, more in extra.items()}}
    return replace(trainer, train=train, test=test, facts=facts)
