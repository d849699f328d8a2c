"""Asked and achieved of a split: hand-made partitions with known answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.plot.samples import table
from trustkit.catalogue import use
from trustkit.data import FederatedDataset
from trustkit.partition import Partition
from trustkit.split import BetaEstimate, correlation, dirichlet, exact_sizes, joint, label_classes
from trustkit.split.asked import MOST_GAPS, AskedLine, asked_and_achieved


def over(partition: Partition, classes: tuple[str, ...] = ("no", "yes"), **more: Any) -> dict[str, AskedLine]:
    """Return the lines of a partition by quantity."""
    n, m = (partition.owner.size, 2) if partition.axis == "rows" else (60, partition.owner.size)
    return {
        line.quantity: line for line in asked_and_achieved(FederatedDataset(table(n, m, classes), partition), **more)
    }


def test_rows_as_they_were_dealt() -> None:
    """Counts are counted; what a split was not asked for is None, and α is not estimated."""
    data = table(300, 2, ("a", "b", "c"))
    found = over(dirichlet(data, parties=4, alpha=0.5), ("a", "b", "c"))
    assert (found["clients with training rows"].asked, found["clients with training rows"].achieved) == (4, 4)
    assert (found["training rows dealt"].asked, found["training rows dealt"].achieved) == (300, 300)
    assert (found["Dirichlet α"].asked, found["Dirichlet α"].achieved) == (0.5, None)
    skewed = found["label skew"]
    assert skewed.asked is None
    assert skewed.achieved is not None
    assert 0 < skewed.achieved < 1
    assert {(line.low, line.high) for line in found.values()} == {(None, None)}


def test_rows_of_nobody_and_clients_without_rows() -> None:
    """Zero is measured: a client without rows is one fewer, rows that are nobody's are counted."""
    owner = np.repeat([0, 1, -1], 10)
    found = over(Partition("rows", owner, 3, use("iid", parties=3)))
    assert (found["clients with training rows"].asked, found["clients with training rows"].achieved) == (3, 2)
    assert found["rows of the smallest client"].achieved == 0
    assert found["training rows dealt"].achieved == 20
    assert found["training rows dealt"].note == "10 are nobody's"
    sized = over(exact_sizes(table(300, 2, ("a", "b")), sizes=(10, 20)))
    assert (sized["clients with training rows"].asked, sized["training rows dealt"].asked) == (2, 30)


def test_a_number_as_target_has_no_skew_of_labels() -> None:
    """Not defined, which is neither unknown nor 0."""
    found = over(Partition("rows", np.arange(20) % 2, 2), ())
    assert math.isnan(found["label skew"].achieved or 0.0)
    assert found["label skew"].note == "no classes: the target is a number"


def test_classes_of_a_client() -> None:
    """Asked two, and nobody holds a third."""
    data = table(300, 2, ("a", "b", "c"))
    found = over(label_classes(data, parties=3, classes_per_party=2), ("a", "b", "c"))
    assert (found["most classes of a client"].asked, found["most classes of a client"].achieved) == (2, 2)


def test_gaps_that_were_missed_by_most_are_told() -> None:
    """Each with its interval; of more than are shown those that are farthest from what was asked."""
    gaps = [{"client": k, "attribute": "sex", "asked": 0.1, "achieved": 0.1 + k / 100, "low": 0.0, "high": 0.5,
             "at_most": k == 19} for k in range(20)]  # fmt: skip
    found = over(Partition("rows", np.arange(40) % 20, 20, use("biased"), {"gaps": gaps}))
    told = [name for name in found if name.startswith("gap of the labels")]
    assert told == [f"gap of the labels by sex, client {k + 1}" for k in range(20 - MOST_GAPS, 20)]
    assert found[told[-1]].note == "at most; 95 % interval 0.00 to 0.50"
    assert found["training rows dealt"].asked is None


def test_columns_with_what_the_search_could_reach() -> None:
    """Asked, achieved and bounds as the partition has them; α only where the importance is given."""
    data = table(60, 8, ("a", "b"))
    made = correlation(data, parties=2, beta=0.3)
    found = over(made)
    beta, icor = found["β of correlation"], found["Icor"]
    assert (beta.asked, beta.achieved) == (0.3, made.achieved["beta"])
    assert (beta.low, beta.high) == (0, 1)  # it is measured between the bounds of Icor
    assert (icor.asked, icor.achieved) == (made.achieved["target"], made.achieved["icor"])
    assert [icor.low, icor.high] == made.achieved["bounds"]
    assert icor.note.startswith("bounds exact")
    assert found["α of importance"].achieved is None
    alpha = over(made, importance=np.arange(1.0, 9.0))["α of importance"]
    assert alpha.achieved is not None
    assert "in the paper's reading" in alpha.note


def test_both_at_once() -> None:
    """The joint split measures its own α, and tells what part of the importance is elsewhere."""
    made = joint(table(60, 8, ("a", "b")), parties=2, alpha=0.5, beta=0.5)
    found = over(made)
    assert (found["α of importance"].asked, found["α of importance"].achieved) == (0.5, made.achieved["alpha_package"])
    assert found["part of importance elsewhere"].achieved == made.achieved["importance_error"]


def test_an_estimate_beyond_the_bounds_says_so() -> None:
    """Cut to [0, 1]; where all divisions are alike β is not defined; what was not measured is not known."""
    owners = Partition("columns", np.arange(8) % 2, 2)
    assert over(owners)["β of correlation"].achieved is None
    cut = over(owners, beta=BetaEstimate(1.0, 1.2, 0.5, (0.1, 0.4), False, "paper", 9, 0.1))
    assert cut["β of correlation"].note == "beyond what the search found, and cut"
    assert (cut["Icor"].low, cut["Icor"].high, cut["Icor"].achieved) == (0.1, 0.4, 0.5)
    assert cut["Icor"].note == "bounds approximate: the best that the search found"
    nan = float("nan")
    flat = over(owners, beta=BetaEstimate(nan, nan, 0.1, (0.1, 0.1), True, "paper", 9, 0.1))
    assert flat["β of correlation"].note == "not defined: all divisions have the same Icor"
