"""A row split with bias in it: clients are made by another rule, then lose favourable rows of one group."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from trustkit.catalogue import SPLITS, Interval, Use
from trustkit.data import Dataset
from trustkit.partition import Partition
from trustkit.split.bias import inject_bias
from trustkit.split.dealing import Alpha, Clients
from trustkit.split.injection import Target
from trustkit.split.labels import dirichlet
from trustkit.split.rows import by_group, iid, quantity

__all__ = ["biased", "dealt", "targets_of", "wanted_attributes"]


@SPLITS.enter("biased", title="biased on purpose (rows dropped)", axis="rows")
def biased(
    data: Dataset,
    rule: Annotated[Literal["iid", "dirichlet", "quantity", "by_group"], "how clients are made first"] = "iid",
    parties: Clients = 10,
    alpha: Alpha = 0.5,
    group: Annotated[str, "by_group: which natural clients; empty for the first"] = "",
    attribute: Annotated[str, "protected attribute, or several with commas, in turn; empty for the first"] = "",
    value: Annotated[str, "the group to be worst off; empty for the one that is"] = "",
    gap: Annotated[float, Interval(0, 1, step=0.01), "gap of the labels that biased clients have"] = 0.1,
    share: Annotated[float, Interval(0, 1, step=0.05), "which part of the clients is biased, the first ones"] = 0.5,
    rest: Annotated[float, Interval(0, 1, step=0.01), "largest gap of the others; 1 leaves them as they are"] = 1.0,
    seed: int = 0,
) -> Partition:
    """Divide rows by another rule, then drop favourable training rows until clients have given gaps between groups.

    A split says who owns which row, so this one drops: a dropped row is nobody's. Flipping changes labels, which no
    split can; for that there are `inject_bias` and the data set that its result makes with ``standalone``.

    Parameters
    ----------
    data : Dataset
        With classes and protected attributes.
    rule : {"iid", "dirichlet", "quantity", "by_group"}
        How clients are made first.
    parties : int
        Clients K, in [2, 100]; not used by "by_group".
    alpha : float
        Concentration for "dirichlet" (labels) and "quantity" (sizes), in [0.01, 100].
    group : str
        For "by_group": a key of ``data.groups``; empty for the first.
    attribute : str
        The protected attribute; empty for the first. Of several, separated by commas, the first is for the first part
        of the biased clients, and so on.
    value : str
        The value that is to be worst off; empty for the one that is. With several attributes it must be empty.
    gap : float
        What largest minus smallest rate of favourable labels biased clients shall have, in [0, 1].
    share : float
        Which part of the clients is biased, in [0, 1]: the first ⌈share·K⌉.
    rest : float
        What gap the other clients have at most, for each attribute, in [0, 1]; 1 leaves them as they are.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows. ``achieved``: what the rule reports, with counts, test_counts and label_skew measured after dropping;
        unused (rows that are nobody's), bias (what was done), gaps (a line for each target: asked, before, achieved
        with a 95 % interval), seed. Held-out rows all keep their owners and labels.

    Raises
    ------
    ValueError, TypeError
        If a parameter is out of range, or a client cannot have its gap; the message names client, group and the largest
        gap that can be reached.
    KeyError
        If there is no such attribute or natural group.

    Notes
    -----
    As for `inject_bias` with ``operation="drop"`` and ``method="exact"``.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), which drops favourable rows of one group of a client.

    Deviations
    ----------
    The share to drop follows from the gap by a closed form; the authors search it on a grid.

    Examples
    --------
    >>> import numpy as np
    >>> from trustkit.data import Provenance
    >>> y, sex = np.tile([1, 0], 100), {"sex": np.repeat(["f", "m"], 100)}
    >>> data = Dataset("d", np.zeros((200, 1)), y, ("a",), ("no", "yes"), Provenance("me", "CC0"), sensitive=sex)
    >>> made = biased(data, parties=2, gap=0.3)
    >>> [bool(abs(line["achieved"] - 0.3) < line["rounding"]) for line in made.achieved["gaps"]]
    [True]
    """
    names = ("rule", "parties", "alpha", "group", "attribute", "value", "gap", "share", "rest")
    given = (rule, parties, alpha, group, attribute, value, gap, share, rest)
    asked = SPLITS.complete(Use("biased", dict(zip(names, given, strict=True))))
    wanted = wanted_attributes("biased", data, attribute, value)
    made = dealt(data, rule, parties, alpha, group, seed)
    targets = targets_of(made.parties, wanted, value, gap, share, rest)
    if not targets:
        achieved = {**made.achieved, "unused": int((made.owner < 0).sum()), "gaps": []}
        return Partition("rows", made.owner, made.parties, asked, achieved)
    done = inject_bias(data, made, targets, seed=seed).partition
    return Partition("rows", done.owner, done.parties, asked, done.achieved)


def wanted_attributes(what: str, data: Dataset, attribute: str, value: str) -> list[str]:
    """Read which protected attributes are meant.

    Parameters
    ----------
    what : str
        Who asks, for the message.
    data : Dataset
        With protected attributes.
    attribute, value : str
        As for `biased`.

    Returns
    -------
    list of str
        At least one name; whether there are such attributes is seen later.

    Raises
    ------
    ValueError
        If the data have none, or a value is named for several.
    """
    wanted = [each.strip() for each in attribute.split(",") if each.strip()] or list(data.sensitive)[:1]
    if not wanted:
        raise ValueError(f"{what} needs a protected attribute, got {data.name}, which has none")
    if value and len(wanted) > 1:
        raise ValueError(f"{what}: value must be empty with {len(wanted)} attributes, got {value!r}")
    return wanted


def dealt(data: Dataset, rule: str, parties: int, alpha: float, group: str, seed: int) -> Partition:
    """Make clients by one of the rules that bias can be added to.

    Parameters
    ----------
    data : Dataset
        Whose rows are divided.
    rule, parties, alpha, group
        As for `biased`.
    seed : int
        Any integer.

    Returns
    -------
    Partition
        Over rows.

    Raises
    ------
    KeyError, TypeError, ValueError
        As the rule.
    """
    if rule == "by_group":
        return by_group(data, group, seed=seed)
    if rule == "iid":
        return iid(data, parties, seed=seed)
    return (dirichlet if rule == "dirichlet" else quantity)(data, parties, alpha, seed=seed)


def targets_of(clients: int, attributes: list[str], value: str, gap: float, share: float, rest: float) -> list[Target]:
    """Return who is to have what: the first clients one attribute after the other, the others at most `rest`.

    Parameters
    ----------
    clients : int
        K, at least 1.
    attributes : list of str
        In turn.
    value, gap, share, rest
        As for `biased`.

    Returns
    -------
    list of Target
        May be empty.
    """
    first, each = math.ceil(round(share * clients, 9)), len(attributes)
    cuts = [first * j // each for j in range(each + 1)]
    blocks = zip(attributes, cuts, cuts[1:], strict=False)
    targets = [Target(range(low, high), name, gap, value or None) for name, low, high in blocks if high > low]
    if rest < 1 and first < clients:
        targets += [Target(range(first, clients), name, rest, at_most=True) for name in attributes]
    return targets
