"""Federated algorithms over rows: how clients train and how the server merges, one entry each."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.aggregate import median, trimmed_mean
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.trainer import RowTrainer

__all__ = ["fedavg", "fedmedian", "fedprox", "trimmed"]


@ALGORITHMS.enter("fedavg", title="FedAvg", axis="rows")
def fedavg(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32, selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """Clients take gradient steps; the server averages their models by number of rows.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at either level; ``None`` for none.
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
    w ← Σ_k (n_k / Σ_j n_j)·w_k over the round's clients; under a privacy mechanism with equal weights.

    Source
    ------
    McMahan et al. (2017), "Communication-efficient learning of deep networks from decentralized data", Algorithm 1.

    Deviations
    ----------
    The mean is over the round's clients, as in common use; the paper's line sums over all K.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch), selector=selector
    )


@ALGORITHMS.enter("fedprox", title="FedProx", axis="rows")
def fedprox(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    mu: Annotated[float, Interval(0, 10), "pull towards the global model"] = 0.01,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose clients are pulled towards the global model.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at either level; ``None`` for none.
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
    mu : float
        0 to 10: weight μ of the pull; 0 is FedAvg.
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
    Each client steps on F_k(w) + μ/2·‖w − w₀‖², w₀ the round's global model.

    Source
    ------
    Li et al. (2020), "Federated optimization in heterogeneous networks", Algorithm 2.

    Deviations
    ----------
    The paper draws clients in proportion to their rows and averages evenly; here clients are drawn evenly and averaged
    by rows, as in FedAvg.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch, mu=mu),
        selector=selector,
    )  # fmt: skip


@ALGORITHMS.enter("fedmedian", title="FedMedian", axis="rows")
def fedmedian(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32, selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server takes the median of each parameter.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at the level of examples; ``None`` for none.
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
    w_p ← median_k w_{k,p}; every client counts the same.

    Source
    ------
    Yin et al. (2018), "Byzantine-robust distributed learning", Algorithm 1, option I.

    Deviations
    ----------
    The paper merges gradients after each step; here models after local training.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        median, selector=selector,
    )  # fmt: skip


@ALGORITHMS.enter("trimmed_mean", title="Trimmed mean", axis="rows")
def trimmed(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    share: Annotated[float, Interval(0, 0.49), "clients left out at either end"] = 0.2,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server leaves out the largest and smallest values of each parameter.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        From the catalogue of models.
    privacy : Gaussian, optional
        A mechanism at the level of examples; ``None`` for none.
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
    share : float
        0 to 0.49: share of clients left out at either end.
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
    With g = ⌊share·m⌋, the mean of the values ranked g + 1 … m − g; every client counts the same.

    Source
    ------
    Yin et al. (2018), "Byzantine-robust distributed learning", Algorithm 1, option II.

    Deviations
    ----------
    The paper merges gradients after each step; here models after local training.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        partial(trimmed_mean, share=share), selector=selector,
    )  # fmt: skip
