"""Attacks by name: clients that poison what they train on, or what they send.

Entries take the data set and the number of clients, and return an `Attack`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from trustkit.catalogue import ATTACKS, Interval
from trustkit.data import Dataset
from trustkit.horizontal.adversary import Attack, attackers, check_class, flip, plant, sends, trigger_for
from trustkit.horizontal.plan import Cohort
from trustkit.rng import stream

__all__ = ["ATTACKS", "backdoor", "gaussian_noise", "label_flip", "model_replacement", "sign_flip"]

Share = Annotated[float, Interval(0, 1, step=0.05), "share of the clients that attack"]


@ATTACKS.enter("label_flip", title="Label flip")
def label_flip(
    data: Dataset,
    clients: int,
    share: Share = 0.2,
    source: Annotated[int | None, Interval(0, 9999), "class whose labels are changed; none for all classes"] = None,
    target: Annotated[int | None, Interval(0, 9999), "class they get; none for C − 1 − y"] = None,
    seed: int = 0,
) -> Attack:
    """Attackers train on wrong labels: all of them, or one class shown as another.

    Parameters
    ----------
    data : Dataset
        Gives the number of classes C.
    clients : int
        How many clients there are, K.
    share : float
        In [0, 1]: which share of them attacks.
    source : int, optional
        The class whose labels are changed; ``None`` for every class.
    target : int, optional
        The class that they get; ``None`` for C − 1 − y, which exchanges the two classes of a binary task.
    seed : int
        Who attacks follows from it.

    Returns
    -------
    Attack
        With `Attack.relabel`.

    Raises
    ------
    ValueError
        If a class does not exist, both classes are the same, or the share is out of range.

    Source
    ------
    Tolpegin et al. (2020), "Data poisoning attacks against federated learning systems", section 3 (one class as
    another); FederatedTrust (Sánchez Sánchez et al. 2024), "Resilience to Attacks".

    Deviations
    ----------
    With an odd number of classes and no ``target``, the middle class keeps its label.
    """
    check_class(data, "source", source)
    check_class(data, "target", target)
    if source is not None and source == target:
        raise ValueError(f"target must differ from source, got {target!r} for both")
    who = attackers(clients, share, seed)
    return Attack(who, relabel=flip(who, len(data.classes), source, target))


@ATTACKS.enter("sign_flip", title="Sign flip")
def sign_flip(
    data: Dataset,
    clients: int,
    share: Share = 0.2,
    scale: Annotated[float, Interval(0.1, 100, log=True), "factor of the reversed update"] = 1.0,
    seed: int = 0,
) -> Attack:
    """Attackers send their update backwards.

    Parameters
    ----------
    data : Dataset
        Not used.
    clients : int
        How many clients there are, K.
    share : float
        In [0, 1]: which share of them attacks.
    scale : float
        0.1 to 100: by what the reversed update is multiplied, s.
    seed : int
        Who attacks follows from it.

    Returns
    -------
    Attack
        With `Attack.tamper`.

    Raises
    ------
    ValueError
        If the share is out of range.

    Notes
    -----
    w − s·(x − w), for global parameters w and trained ones x.

    Source
    ------
    Li et al. (2019), "RSA: Byzantine-robust stochastic aggregation methods", section 5.

    Deviations
    ----------
    The update is reversed, not the parameters themselves.
    """
    who = attackers(clients, share, seed)
    return Attack(who, tamper=sends(who, lambda w, trained, _, i: w - scale * (trained[i] - w)))


@ATTACKS.enter("gaussian_noise", title="Gaussian noise")
def gaussian_noise(
    data: Dataset,
    clients: int,
    share: Share = 0.2,
    scale: Annotated[float, Interval(0.001, 1000, log=True), "standard deviation of the noise"] = 1.0,
    seed: int = 0,
) -> Attack:
    """Attackers send the global model with noise in place of an update.

    Parameters
    ----------
    data : Dataset
        Not used.
    clients : int
        How many clients there are, K.
    share : float
        In [0, 1]: which share of them attacks.
    scale : float
        0.001 to 1000: the noise's standard deviation σ, in the units of the parameters.
    seed : int
        Who attacks follows from it, and the noise: the stream is ``(seed, round, "attack", client)``.

    Returns
    -------
    Attack
        With `Attack.tamper`.

    Raises
    ------
    ValueError
        If the share is out of range.

    Notes
    -----
    w + σ·ξ, ξ standard normal.

    Source
    ------
    Blanchard et al. (2017), "Machine learning with adversaries", section 5 (Gaussian Byzantine workers, σ = 200).

    Deviations
    ----------
    None.
    """
    who = attackers(clients, share, seed)

    def noise(w: np.ndarray, trained: np.ndarray, plan: Cohort, i: int) -> np.ndarray:
        rng = stream(seed, plan.index, "attack", int(plan.clients[i]))
        return np.asarray(w + scale * rng.standard_normal(w.size))

    return Attack(who, tamper=sends(who, noise))


@ATTACKS.enter("backdoor", title="Backdoor pattern")
def backdoor(
    data: Dataset,
    clients: int,
    share: Share = 0.2,
    target: Annotated[int, Interval(0, 9999), "class that the pattern leads to"] = 0,
    columns: Annotated[tuple[int, ...], Interval(0, 10**7), "features that carry the pattern; none for a corner"] = (),
    value: Annotated[float, Interval(-100, 100), "what they are set to, in scaled units"] = 3.0,
    poisoned: Annotated[float, Interval(0, 1, step=0.05), "share of an attacker's rows with the pattern"] = 0.5,
    seed: int = 0,
) -> Attack:
    """Attackers teach the model to answer a pattern with a class of their choice.

    Parameters
    ----------
    data : Dataset
        Gives features and classes, and an image's size.
    clients : int
        How many clients there are, K.
    share : float
        In [0, 1]: which share of them attacks.
    target : int
        The class that the pattern leads to.
    columns : tuple of int
        The features that carry the pattern. None given: the 3 × 3 pixels of an image's last corner in every channel,
        the last three columns of a table.
    value : float
        −100 to 100: what they are set to, in the units that the model takes.
    poisoned : float
        In [0, 1]: which share of an attacker's rows carries the pattern and the target's label.
    seed : int
        Who attacks follows from it, and which rows.

    Returns
    -------
    Attack
        With `Attack.relabel` and `Attack.trigger`; `trustkit.metrics.backdoor_success_rate` measures it on stamped test
        rows.

    Raises
    ------
    ValueError
        If the class or a column does not exist, or the share is out of range.

    Source
    ------
    Gu et al. (2017), "BadNets"; Bagdasaryan et al. (2020), "How to backdoor federated learning".

    Deviations
    ----------
    None.
    """
    trigger = trigger_for(data, target, columns, value)
    who = attackers(clients, share, seed)
    return Attack(who, relabel=plant(who, trigger, poisoned, seed), trigger=trigger)


@ATTACKS.enter("model_replacement", title="Model replacement")
def model_replacement(
    data: Dataset,
    clients: int,
    share: Share = 0.1,
    goal: Annotated[Literal["flip", "backdoor"], "what the attackers' own model learns"] = "backdoor",
    target: Annotated[int, Interval(0, 9999), "class that a backdoor's pattern leads to"] = 0,
    boost: Annotated[float | None, Interval(1, 10000, log=True), "factor of the update; none for N"] = None,
    seed: int = 0,
) -> Attack:
    """Attackers train a model of their own and send it so enlarged that the mean becomes that model.

    Parameters
    ----------
    data : Dataset
        Gives features and classes.
    clients : int
        How many clients there are, K.
    share : float
        In [0, 1]: which share of them attacks.
    goal : {"flip", "backdoor"}
        What the attackers' own model is trained on: flipped labels, or half of the rows with a pattern.
    target : int
        The class that a backdoor's pattern leads to.
    boost : float, optional
        1 to 10,000: the factor of the update; ``None`` for N, the number of clients in the round, divided by the
        attackers among them.
    seed : int
        Who attacks follows from it.

    Returns
    -------
    Attack
        With `Attack.relabel` and `Attack.tamper`; with `Attack.trigger` for a backdoor.

    Raises
    ------
    ValueError
        If the class does not exist or the share is out of range.

    Notes
    -----
    N·(x_atk − w) + w. Where the others' updates cancel and all clients count the same, their mean is x_atk.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), equations 3 to 5; Bagdasaryan et al. (2020).

    Deviations
    ----------
    Several attackers share the factor N, so that together they replace the model once. Where the server weighs clients
    by their rows, which an attacker does not know, the mean lands only near x_atk.
    """
    who = attackers(clients, share, seed)

    def boosted(w: np.ndarray, trained: np.ndarray, plan: Cohort, i: int) -> np.ndarray:
        factor = len(plan.clients) / np.isin(plan.clients, who).sum() if boost is None else boost
        return np.asarray(w + factor * (trained[i] - w))

    if goal == "flip":
        return Attack(who, flip(who, len(data.classes), None, None), sends(who, boosted))
    trigger = trigger_for(data, target, (), 3.0)
    return Attack(who, plant(who, trigger, 0.5, seed), sends(who, boosted), trigger)
