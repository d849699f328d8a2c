"""Row splits with skewed labels: Dirichlet shares, shards, a few classes each.

Training and held-out rows are divided by the same rule with the same shares, so that clients are tested on their kind.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from trustkit.catalogue import SPLITS, Interval
from trustkit.data import Dataset
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split.dealing import Alpha, Clients, MinRows, asked_for, cells, deal, filled, report
from trustkit.split.shares import dirichlet_shares

__all__ = ["dirichlet", "label_classes", "shards"]


@SPLITS.enter("dirichlet", title="label skew (Dirichlet α)", axis="rows")
def dirichlet(
    data: Dataset, parties: Clients = 10, alpha: Alpha = 0.5, min_rows: MinRows = 5, seed: int = 0
) -> Partition:
    """Deal the rows of each class in shares drawn from a Dirichlet distribution.

    Parameters
    ----------
    data : Dataset
        With classes.
    parties : int
        Clients K, in [2, 100].
    alpha : float
        Concentration, in [0.01, 100]: at 100 clients are much alike, at 0.01 a class goes almost whole to one client.
    min_rows : int
        Training rows that every client gets at least, in [1, 1000]; K·min_rows at most the training rows.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: counts and test_counts (K,), label_skew in [0, 1], moved (rows given to clients that
        had fewer than min_rows training rows, or no held-out row), seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, the rows are too few, or the target has no classes.

    Notes
    -----
    For each class c, (p_c1, …, p_cK) ~ Dirichlet(α, …, α); client k gets the part p_ck of its rows.

    Source
    ------
    The label-skew benchmark split that Hsu et al. (2019) and Li et al. (2022) use.

    Deviations
    ----------
    Others draw again until every client has enough rows; here missing rows are taken at random from the largest client,
    so that for a fixed seed rows move gradually as α moves. Held-out rows follow the same shares.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> X, names = np.zeros((200, 1)), ("no", "yes")
    >>> data = Dataset("d", X, np.arange(200) % 2, ("a",), names, Provenance("me", "CC0"))
    >>> skews = [dirichlet(data, parties=4, alpha=alpha).achieved["label_skew"] for alpha in (0.01, 100)]
    >>> skews[0] > 0.4, skews[1] < 0.1
    (True, True)
    """
    asked = asked_for("dirichlet", data, labels=True, parties=parties, alpha=alpha, min_rows=min_rows)
    K, chance = asked.args["parties"], stream(seed, "dirichlet", "rows").random(data.y.size)
    uniforms = stream(seed, "dirichlet", "shares").random((len(data.classes), K))
    shares = dirichlet_shares(np.full(K, asked.args["alpha"]), uniforms)
    owner, moved = filled(data, deal(cells(data), np.tile(shares, (2, 1)), chance), asked.args, chance)
    return Partition("rows", owner, K, asked, report(data, owner, K, seed, moved=moved))


@SPLITS.enter("shards", title="label shards", axis="rows")
def shards(
    data: Dataset,
    parties: Clients = 10,
    shards_per_party: Annotated[int, Interval(1, 20), "runs of one label or two that each client gets"] = 2,
    seed: int = 0,
) -> Partition:
    """Sort rows by label, cut them into equal shards and deal these at random.

    Parameters
    ----------
    data : Dataset
        With classes.
    parties : int
        Clients K, in [2, 100].
    shards_per_party : int
        Shards of each client, in [1, 20]; there must be a training row for every shard.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: counts and test_counts (K,), label_skew in [0, 1], seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, the rows are too few, or the target has no classes.

    Notes
    -----
    Shard s of S holds the rows from ⌊s·n/S⌋ to ⌊(s+1)·n/S⌋ in the order of labels; equal labels are in random order.

    Source
    ------
    McMahan et al. (2017), section 3, the pathological non-IID partition.

    Deviations
    ----------
    None. Held-out rows are cut into as many shards, dealt to the same clients.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.zeros((8, 1)), np.arange(8) // 2, ("a",), tuple("pqrs"), Provenance("me", "CC0"))
    >>> shards(data, parties=2, shards_per_party=2).sizes.tolist()
    [4, 4]
    """
    asked = asked_for("shards", data, labels=True, parties=parties, shards_per_party=shards_per_party)
    K, each = asked.args["parties"], asked.args["shards_per_party"]
    holder = stream(seed, "shards", "deal").permutation(np.repeat(np.arange(K), each))
    order = np.argsort(cells(data) + stream(seed, "shards", "rows").random(data.y.size))
    train = int((~data.held_out).sum())
    owner = np.empty(data.y.size, np.int64)
    for rows in (order[:train], order[train:]):
        owner[rows] = holder[np.arange(rows.size) * holder.size // max(rows.size, 1)]
    return Partition("rows", owner, K, asked, report(data, owner, K, seed))


@SPLITS.enter("label_classes", title="a few classes each", axis="rows")
def label_classes(
    data: Dataset,
    parties: Clients = 10,
    classes_per_party: Annotated[int, Interval(1, 100), "classes that each client has"] = 2,
    seed: int = 0,
) -> Partition:
    """Give each client a few classes, and divide a class equally among its clients.

    Parameters
    ----------
    data : Dataset
        With C classes.
    parties : int
        Clients K, in [2, 100].
    classes_per_party : int
        Classes of each client, between 1 and C; together at least C, so that every class has a client.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: counts and test_counts (K,), label_skew in [0, 1], seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, a client would have no row, or the target has no classes.

    Notes
    -----
    Classes are dealt in turn from a random order that is repeated, so each goes to about as many clients.

    Source
    ------
    The "#C = c" label-skew split of Li et al. (2022).

    Deviations
    ----------
    There, client k has class k mod C and draws the others at random; here all are dealt in turn, which keeps the number
    of clients of each class within one of the others'.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.zeros((9, 1)), np.arange(9) % 3, ("a",), tuple("pqr"), Provenance("me", "CC0"))
    >>> label_classes(data, parties=3, classes_per_party=1).achieved["label_skew"].__round__(3)
    0.667
    """
    asked = asked_for("label_classes", data, labels=True, parties=parties, classes_per_party=classes_per_party)
    K, each, C = asked.args["parties"], asked.args["classes_per_party"], len(data.classes)
    if each > C:
        raise ValueError(f"classes_per_party must be between 1 and the {C} classes of {data.name}, got {each}")
    if K * each < C:
        raise ValueError(
            f"parties × classes_per_party must be at least the {C} classes of {data.name}, got {K} × {each}"
        )
    turn = stream(seed, "label_classes", "deal").permutation(C)
    holds = np.zeros((C, K))
    holds[turn[np.arange(K * each) % C], np.repeat(np.arange(K), each)] = 1.0
    shares = np.divide(holds, holds.sum(axis=1, keepdims=True), out=holds, where=holds > 0)
    owner = deal(cells(data), np.tile(shares, (2, 1)), stream(seed, "label_classes", "rows").random(data.y.size))
    achieved = report(data, owner, K, seed)
    if min(achieved["counts"]) == 0:
        raise ValueError(f"{data.name} has fewer training rows in a class than clients that share it, got {K} parties")
    return Partition("rows", owner, K, asked, achieved)
