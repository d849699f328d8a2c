"""Pivot: boosted trees over columns whose instance sets and sums nobody sees; only the trees become known."""

from __future__ import annotations

from typing import Annotated, Any

from trustkit import memory
from trustkit.catalogue import ALGORITHMS, Interval
from trustkit.data import FederatedDataset
from trustkit.vertical.boosted.bins import binned
from trustkit.vertical.boosted.boosting import BoostTrainer, facts_of_trees
from trustkit.vertical.boosted.histograms import Rules
from trustkit.vertical.encrypted.cost_estimate import OBJECT
from trustkit.vertical.encrypted.paillier import needs_encryption
from trustkit.vertical.sharing.pivot_trees import HiddenExchange, facts_of_hiding
from trustkit.vertical.table import laid_out

__all__ = ["pivot"]


@ALGORITHMS.enter("pivot", title="Pivot", axis="columns")
def pivot(
    fed: FederatedDataset, model: Any, privacy: Any, participation: float, rounds: int, *,
    lr: Annotated[float, Interval(0.001, 1, log=True), "what leaf weights are multiplied by"] = 0.1,
    depth: Annotated[int, Interval(1, 10), "splits on the longest path of a tree"] = 6,
    bins: Annotated[int, Interval(2, 256, log=True), "bins a column"] = 32,
    reg_lambda: Annotated[float, Interval(0, 1000), "pull of leaf weights to 0"] = 1.0,
    gamma: Annotated[float, Interval(0, 1000), "least gain of a split"] = 0.0,
    min_child_weight: Annotated[float, Interval(0.001, 1000, log=True), "least curvature on a side"] = 1.0,
    key_bits: Annotated[int, Interval(512, 4096, step=512), "length of the encryption key"] = 1024,
    seed: int = 0,
) -> BoostTrainer:  # fmt: skip
    """Boosted trees grown blindly: locked instance sets, shared sums, and splits chosen without a look at any gain.

    Parameters
    ----------
    fed : FederatedDataset
        Over columns; the first party holds the labels. Some hundred rows: this is slow, see the facts.
    model : object
        Not used.
    privacy : None
        There is no mechanism for it here: what is opened is exact.
    participation : float
        1: every party is needed in every step.
    rounds : int
        At least 1; a round is one tree for two classes or a regression, else one a class.
    lr : float
        0.001 to 1: what leaf weights are multiplied by.
    depth : int
        1 to 10: splits on the longest path of a tree.
    bins : int
        2 to 256: bins a column.
    reg_lambda : float
        0 to 1000: pull of leaf weights to 0.
    gamma : float
        0 to 1000: least gain of a split.
    min_child_weight : float
        0.001 to 1000: least sum of second derivatives on either side of a split.
    key_bits : int
        512 to 4096, a multiple of 8: length of the modulus. Below 1024 for teaching only, which a fact says.
    seed : int
        The experiment's seed; it draws masks and the dealer's numbers, on which nothing depends.

    Returns
    -------
    BoostTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the data do not allow it (see `trustkit.vertical.table.laid_out`), a mechanism is asked for, phe or gmpy2 is
        missing, the key is too short, or the locked numbers will not fit into memory.

    Notes
    -----
    Of each node every party holds [α], a locked 0 or 1 for each row, under a key of which each party has a part. The
    first party sends r ⊗ [α], with g and h of a row in one number. Every party adds it up by bin over *all* rows, and
    sums become shares: all parties add a locked mask, all open the masked sum to the first party, and everybody takes
    its mask away from its share. Gains are compared as fractions of shared numbers (`secretsplits`), and only the name
    of the best split is opened. Its owner sends [left · α] with fresh noise. At the end weights of leaves are
    divided out among shares and opened, and all parties open to the first one in which leaf each row has ended.

    With κ = 2·key_bits/8 bytes a number and K parties, a round of C trees over n rows sends (K − 1) n κ bytes of masks
    for the roots, (K − 1) n κ for each split, and (K − 1) n κ of gradients for each root and for the left child of each
    split that may be split again; besides kinds "encrypted share mask", "masked histogram", "partial decryption" and
    "opening". What the dealer hands out before is "dealt": every party receives it, none sends it.

    What becomes known: to all, splits and weights of leaves; to the first party, when a tree is finished, the leaf of
    each training row, from which it can work out who was in which node, but not what is in whose bins. Nobody sees a
    sum in a bin or a gain, and the other parties never learn who is in a node.

    Source
    ------
    Wu et al. (2020), "Privacy preserving vertical federated learning for tree-based models", the basic protocol
    (section 4) and boosting (section 7); VertiBench (Wu et al. 2023), algorithm 4, with the line r ⊗ HE(α).

    Deviations
    ----------
    This is the basic protocol, which publishes the trees; the enhanced one, which hides splits and weights too, is
    not done. Pivot keeps boosted labels locked; VertiBench's algorithm 4 has the first party know its residuals r, so
    here it learns the leaves of training rows between trees. Pivot divides with SPDZ's approximate fixed-point
    numbers modulo a prime; here fractions are compared by cross-multiplication modulo 2^k, k by the length of the sums,
    and weights come from long division to 30 bits: ties are ties. g and h are rounded to 30 bits behind the point, so
    margins differ from those of `fedtree` by less than 10⁻⁶. Triples, masks' shares and the key come from a
    dealer in place of a protocol of their own; parties are curious, but they keep to the rules. Second derivatives and
    XGBoost's gain take the place of Gini impurity. The key's default length
    is half of that of `secureboost`, for the time's sake.
    """
    needs_encryption("pivot", key_bits)
    if privacy is not None:
        raise ValueError(f"pivot trains without a privacy mechanism, got {privacy}")
    table = laid_out(fed, "pivot", participation)
    parties, trees = binned(table, bins), 1 if table.classes == 2 else table.outputs
    grow = HiddenExchange(depth, lr, Rules(reg_lambda, gamma, min_child_weight), key_bits, seed)
    masks = len(table.y) * trees * 2 * min(2**depth, len(table.y))
    memory.fits(f"pivot with {masks:,} locked numbers", masks * (2 * key_bits // 8 + OBJECT))
    facts = {**facts_of_trees(table, rounds, depth), **facts_of_hiding(grow, parties, trees)}
    return BoostTrainer(table, parties, depth, grow, facts)
