"""Row splits by size: a power law, or sizes that are given."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset
from trustkit.metrics.heterogeneity import gini
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split.dealing import Clients, MinRows, asked_for, deal, filled, report

__all__ = ["exact_sizes", "power_law"]


@SPLITS.enter("power_law", title="unequal sizes (power law)", axis="rows")
def power_law(
    data: Dataset, parties: Clients = 10,
    exponent: Annotated[float, Interval(0, 4, step=0.05), "0: equal sizes; larger: a few clients have most rows"] = 1.0,
    min_rows: MinRows = 5, seed: int = 0,
) -> Partition:  # fmt: skip
    """Deal rows at random, client by client fewer by a power law.

    Parameters
    ----------
    data : Dataset
        Whose rows are divided.
    parties : int
        Clients K, in [2, 100].
    exponent : float
        s in [0, 4]: at 0 all sizes are equal, at 1 the second client has half of the first, the third a third.
    min_rows : int
        Training rows that every client gets at least, in [1, 1000]; K·min_rows at most the training rows.
    seed : int
        Which rows go where, any integer; sizes do not depend on it.

    Returns
    -------
    Partition
        Over rows. ``achieved``: shares (K,) asked for, counts and test_counts (K,), gini of the counts in [0, 1),
        label_skew, moved, seed.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range or the rows are too few.

    Notes
    -----
    Client k = 1 … K gets the part k^−s / Σ_j j^−s of all rows, whatever their labels.

    Source
    ------
    Zipf's law.

    Deviations
    ----------
    Rows that are missing for ``min_rows`` are taken at random from the largest client.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.zeros((110, 1)), np.arange(110) % 2, ("a",), ("no", "yes"), Provenance("me", "CC0"))
    >>> power_law(data, parties=3, exponent=1.0).sizes.tolist()
    [60, 30, 20]
    """
    asked = asked_for("power_law", data, parties=parties, exponent=exponent, min_rows=min_rows)
    K, chance = asked.args["parties"], stream(seed, "power_law", "rows").random(data.y.size)
    shares = np.arange(1, K + 1) ** -asked.args["exponent"]
    shares /= shares.sum()
    owner, moved = filled(data, deal(data.held_out.astype(int), np.tile(shares, (2, 1)), chance), asked.args, chance)
    achieved = report(data, owner, K, seed, moved=moved, shares=shares.tolist())
    return Partition("rows", owner, K, asked, {**achieved, "gini": gini(achieved["counts"])})


@SPLITS.enter("exact_sizes", title="given sizes", axis="rows")
def exact_sizes(
    data: Dataset,
    sizes: Annotated[tuple[int, ...], Interval(1, 10_000_000), "training rows of each client"] = (60, 30, 10),
    seed: int = 0,
) -> Partition:
    """Deal every client as many training rows as it is to have; rows beyond that are nobody's.

    Parameters
    ----------
    data : Dataset
        Whose rows are divided.
    sizes : tuple of int
        Training rows of each of the K clients, 2 to 10,000 of them, each at least 1; together at most all there are.
    seed : int
        Which rows go where, any integer.

    Returns
    -------
    Partition
        Over rows. Held-out rows are all dealt, in the ratio of the sizes. ``achieved``: counts (K,) as asked and
        test_counts (K,), unused (training rows that are nobody's), label_skew, seed.

    Raises
    ------
    ValueError, TypeError
        If there are fewer than two sizes, one is out of range, or together they exceed the training rows.

    Examples
    --------
    >>> from trustkit.data import Provenance
    >>> data = Dataset("d", np.zeros((9, 1)), np.arange(9) % 2, ("a",), ("no", "yes"), Provenance("me", "CC0"))
    >>> made = exact_sizes(data, sizes=(4, 2))
    >>> made.sizes.tolist(), made.achieved["unused"]
    ([4, 2], 3)
    """
    asked = SPLITS.complete(Use("exact_sizes", {"sizes": sizes}))
    counts, train = np.array(asked.args["sizes"], dtype=np.int64), np.flatnonzero(~data.held_out)
    if not 2 <= counts.size <= 10_000:
        raise ValueError(f"exact_sizes: sizes must be of 2 to 10,000 clients, got {counts.size}")
    if counts.sum() > train.size:
        raise ValueError(
            f"exact_sizes: sizes must add up to at most the {train.size:,} training rows of {data.name}, "
            f"got {int(counts.sum()):,}"
        )
    chance = stream(seed, "exact_sizes").random(data.y.size)
    owner = np.full(data.y.size, -1)
    owner[train[np.argsort(chance[train], kind="stable")[: counts.sum()]]] = np.repeat(np.arange(counts.size), counts)
    test = np.flatnonzero(data.held_out)
    owner[test] = deal(np.zeros(test.size, int), counts[None] / counts.sum(), chance[test])
    achieved = report(data, owner, counts.size, seed, unused=int(train.size - counts.sum()))
    return Partition("rows", owner, counts.size, asked, achieved)
