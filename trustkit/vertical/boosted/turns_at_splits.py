"""Which way rows went at one party's splits: what instance sets tell the first party."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trustkit.vertical.boosted.bins import Binned
from trustkit.vertical.boosted.trees import Trees, leaves_of

__all__ = ["sides"]


def sides(
    state: Mapping[str, np.ndarray], parties: Sequence[Binned], party: int, rows: np.ndarray, most: int = 400
) -> np.ndarray:
    """Follow training rows through all trees and note where they turned at a party's splits.

    Parameters
    ----------
    state : mapping
        feature, bin and weight of the trees, (T, S) each.
    parties : sequence of Binned
        Every party's columns of the training rows.
    party : int
        Whose splits.
    rows : (n,) int array
        Training rows.
    most : int
        At least 1: how many splits are kept, those of the first trees.

    Returns
    -------
    (n, splits) int8 array
        1 right, −1 left, 0 where the row does not come by; a party that learns every instance set knows just this.
    """
    width = 1 + max(int(own.columns.max()) for own in parties if own.columns.size)
    codes = np.zeros((rows.size, max(width, int(state["feature"].max(initial=0)) + 1)), np.uint16)
    for each in parties:
        codes[:, each.columns] = each.codes[rows]
    mine = np.isin(state["feature"], parties[party].columns) & (state["feature"] >= 0)
    tree, slot = np.nonzero(mine)
    tree, slot = tree[:most], slot[:most]
    found = np.zeros((rows.size, tree.size), np.int8)
    if not tree.size:
        return found
    last = int(tree.max()) + 1
    leaf = leaves_of(Trees(state["feature"][:last], state["bin"][:last], state["weight"][:last]), codes)
    place = {pair: at for at, pair in enumerate(zip(tree.tolist(), slot.tolist(), strict=True))}
    for number in range(last):
        at = leaf[number].astype(int)
        while at.max(initial=0) > 0:
            above = (at - 1) // 2
            for parent in np.unique(above[at > 0]).tolist():
                column = place.get((number, parent))
                if column is not None:
                    here = (above == parent) & (at > 0)
                    found[here, column] = np.where(at[here] % 2 == 0, 1, -1)
            at = np.where(at > 0, above, 0)
    return found
