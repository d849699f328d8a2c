"""Row splits that do not look at labels: at random, by unequal sizes, by natural groups.

Training and held-out rows are divided by the same rule with the same shares, so that clients are tested on their kind.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from trustkit.catalogue import SPLITS, Use
from trustkit.data import Dataset
from trustkit.partition import Partition, numbered
from trustkit.rng import stream
from trustkit.split.dealing import Alpha, Clients, MinRows, asked_for, deal, filled, report
from trustkit.split.shares import dirichlet_shares

__all__ = ["by_group", "iid", "quantity"]


@SPLITS.enter("iid", title="at random, equal sizes", axis="rows")
def iid(data: Dataset, parties: Clients = 10, seed: int = 0) -> Partition:
    """Deal rows at random, equally many to each client.

    Parameters
    ----------
    data : Dataset
        Whose rows are divided.
    parties : int
        Clients K, in [2, 100] and at most the training rows.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows; sizes differ by at most one. ``achieved``: counts and test_counts (K,), label_skew in [0, 1], seed.

    Raises
    ------
    ValueError, TypeError
        If the parties are out of range or more than the training rows.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.eye(6), np.arange(6) % 2, tuple("abcdef"), ("no", "yes"), Provenance("me", "CC0"))
    >>> iid(data, parties=3).sizes.tolist()
    [2, 2, 2]
    """
    asked = asked_for("iid", data, parties=parties)
    K = asked.args["parties"]
    owner = deal(data.held_out.astype(int), np.full((2, K), 1 / K), stream(seed, "iid").random(data.y.size))
    return Partition("rows", owner, K, asked, report(data, owner, K, seed))


@SPLITS.enter("quantity", title="unequal sizes (Dirichlet α)", axis="rows")
def quantity(
    data: Dataset, parties: Clients = 10, alpha: Alpha = 0.5, min_rows: MinRows = 5, seed: int = 0
) -> Partition:
    """Deal rows at random, in shares drawn from a Dirichlet distribution.

    Parameters
    ----------
    data : Dataset
        Whose rows are divided.
    parties : int
        Clients K, in [2, 100].
    alpha : float
        Concentration, in [0.01, 100]: at 100 sizes are much alike, at 0.01 one client has almost all rows.
    min_rows : int
        Training rows that every client gets at least, in [1, 1000]; K·min_rows at most the training rows.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: shares (K,) drawn, counts and test_counts (K,), label_skew, moved, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range or the rows are too few.

    Notes
    -----
    (p_1, …, p_K) ~ Dirichlet(α, …, α); client k gets the part p_k of all rows, whatever their labels.

    Source
    ------
    The quantity-skew split of Li et al. (2022).

    Deviations
    ----------
    As for `dirichlet`.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.zeros((90, 1)), np.arange(90) % 2, ("a",), ("no", "yes"), Provenance("me", "CC0"))
    >>> sizes = quantity(data, parties=3, alpha=0.01).sizes
    >>> sizes.min().item(), sizes.sum().item()
    (5, 90)
    """
    asked = asked_for("quantity", data, parties=parties, alpha=alpha, min_rows=min_rows)
    K, chance = asked.args["parties"], stream(seed, "quantity", "rows").random(data.y.size)
    shares = dirichlet_shares(np.full(K, asked.args["alpha"]), stream(seed, "quantity", "shares").random(K))
    owner, moved = filled(data, deal(data.held_out.astype(int), np.tile(shares, (2, 1)), chance), asked.args, chance)
    achieved = report(data, owner, K, seed, moved=moved, shares=shares.tolist())
    return Partition("rows", owner, K, asked, achieved)


@SPLITS.enter("by_group", title="by natural groups", axis="rows")
def by_group(
    data: Dataset, group: Annotated[str, "which natural clients; empty for the first"] = "", seed: int = 0
) -> Partition:
    """Make every value of a natural group (a state, a writer, a device) one client.

    Parameters
    ----------
    data : Dataset
        With at least one entry in ``groups``.
    group : str
        A key of ``data.groups``; empty for the first.
    seed : int
        Not used; every split takes one.

    Returns
    -------
    Partition
        Over rows, clients sorted by name. ``achieved``: names (K,), counts and test_counts (K,), label_skew, seed, and
        unused: rows whose client is missing (None, NaN or "missing"), if there are any; they are nobody's.

    Raises
    ------
    KeyError
        If there is no such group; the message lists those there are.
    ValueError
        If the data set has no groups, or the group has one value only.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> states = {"state": np.array(["TX", "CA", "TX"])}
    >>> data = Dataset("d", np.eye(3), np.arange(3) % 2, tuple("abc"), ("no", "yes"), Provenance("me", "CC0"),
    ...                groups=states)
    >>> by_group(data).achieved["names"], by_group(data).owner.tolist()
    (['CA', 'TX'], [1, 0, 1])
    """
    known = ", ".join(data.groups) or "none"
    if not data.groups:
        raise ValueError(f"by_group needs natural groups, and {data.name} has none")
    chosen = group or next(iter(data.groups))
    if chosen not in data.groups:
        raise KeyError(f"{data.name} has no group {group!r}; known are {known}")
    owner, names = numbered(data.groups[chosen])
    if len(names) < 2:
        raise ValueError(f"the group {chosen} of {data.name} must have at least 2 values, got {len(names)}")
    more = {"unused": unused} if (unused := int((owner < 0).sum())) else {}
    achieved = report(data, owner, len(names), seed, names=list(names), **more)
    return Partition("rows", owner, len(names), Use("by_group", {"group": group}), achieved)
