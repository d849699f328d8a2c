"""Robust algorithms: FedAvg whose server merges so that malicious clients have no say."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.horizontal.binding import bind
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.forms import Batch, Choice, Epochs, Rate
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local
from trustkit.horizontal.privacy import Gaussian
from trustkit.horizontal.rules import bulyan, enough, filtered_mean, krum, multi_krum
from trustkit.horizontal.trainer import RowTrainer

__all__ = ["bulyan_rows", "krum_rows", "multi_krum_rows", "rfout"]


@ALGORITHMS.enter("krum", title="Krum", axis="rows")
def krum_rows(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    share: Annotated[float, Interval(0, 0.49), "malicious clients to withstand"] = 0.2,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server takes the one client whose neighbours are nearest.

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
        0 to 0.49: share of malicious clients to withstand; f = ⌊share·m⌋ of a round's m.
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
        If a round has fewer than 2f + 3 clients; else see `trustkit.horizontal.binding.bind`.

    Notes
    -----
    A client's score is the sum of its squared distances to the m − f − 2 models nearest to its own; the least score
    wins.

    Source
    ------
    Blanchard et al. (2017), "Machine learning with adversaries: Byzantine tolerant gradient descent".

    Deviations
    ----------
    The paper merges gradients after each step; here models after local training.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        partial(krum, share=share), selector=selector, check=partial(enough, "Krum", share, 2),
    )  # fmt: skip


@ALGORITHMS.enter("multi_krum", title="Multi-Krum", axis="rows")
def multi_krum_rows(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    share: Annotated[float, Interval(0, 0.49), "malicious clients to withstand"] = 0.2,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server averages the clients whose neighbours are nearest.

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
        0 to 0.49: share of malicious clients to withstand; f = ⌊share·m⌋ of a round's m.
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
        If a round has fewer than 2f + 3 clients; else see `trustkit.horizontal.binding.bind`.

    Notes
    -----
    The m − f clients of least Krum score are averaged, each counting the same.

    Source
    ------
    Blanchard et al. (2017), "Machine learning with adversaries: Byzantine tolerant gradient descent".

    Deviations
    ----------
    The paper merges gradients after each step; here models after local training.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        partial(multi_krum, share=share), selector=selector, check=partial(enough, "Multi-Krum", share, 2),
    )  # fmt: skip


@ALGORITHMS.enter("bulyan", title="Bulyan", axis="rows")
def bulyan_rows(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    share: Annotated[float, Interval(0, 0.24), "malicious clients to withstand"] = 0.1,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server chooses by Krum and averages each parameter near its median.

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
        0 to 0.24: share of malicious clients to withstand; f = ⌊share·m⌋ of a round's m.
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
        If a round has fewer than 4f + 3 clients; else see `trustkit.horizontal.binding.bind`.

    Notes
    -----
    Krum chooses m − 2f clients, one after the other; of each parameter the m − 4f values nearest to the median are
    averaged.

    Source
    ------
    El Mhamdi, Guerraoui and Rouault (2018), "The hidden vulnerability of distributed learning in Byzantium".

    Deviations
    ----------
    The paper merges gradients after each step; here models after local training.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        partial(bulyan, share=share), selector=selector, check=partial(enough, "Bulyan", share, 4),
    )  # fmt: skip


@ALGORITHMS.enter("rfout_1d", title="RFOut-1d", axis="rows")
def rfout(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int, *,
    lr: Rate = 0.1, epochs: Epochs = 1, batch: Batch = 32,
    width: Annotated[float, Interval(1, 10), "standard deviations that a value may lie away"] = 2.0,
    selector: Choice = "random", seed: int = 0,
) -> RowTrainer:  # fmt: skip
    """FedAvg whose server leaves out the outlying values of each parameter.

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
    width : float
        1 to 10: standard deviations from the mean that a value may lie away.
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
    The mean of the values within mean ± width·deviation, parameter by parameter; every client counts the same. No value
    lies more than √(m − 1) deviations away: at width 2, five clients cannot lose any.

    Source
    ------
    Rodríguez-Barroso et al. (2022), "Backdoor attacks-resilient aggregation based on robust filtering of outliers in
    federated learning for image classification".

    Deviations
    ----------
    See `trustkit.horizontal.rules.filtered_mean`.
    """
    return bind(
        fed, model, privacy, participation, rounds, seed, Local(lr=lr, epochs=epochs, batch=batch),
        partial(filtered_mean, width=width), selector=selector,
    )  # fmt: skip
