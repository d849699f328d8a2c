"""Splits of the rows: at random, by labels, by sizes, by natural groups."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trustkit as tk
from trustkit.catalogue import SPLITS, use
from trustkit.data import Dataset, Provenance
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split.dealing import deal, skew, top_up

SPLIT: Any = tk.split
ROW_SPLITS = [name for name, entry in SPLITS.items() if entry.axis == "rows"]
DRAWN = ["iid", "dirichlet", "quantity", "shards", "label_classes"]


def table(n: int = 1000, classes: int = 5, task: str = "classes", seed: int = 0) -> Dataset:
    """Return rows of several classes, a fifth of them held out."""
    rng = stream(seed, "rows")
    y = rng.permutation(np.arange(n) % classes)
    names = tuple(f"class{c}" for c in range(classes)) if task == "classes" else ()
    return Dataset(
        name="small", X=stream(seed, "x").normal(size=(n, 1)), y=y if names else y.astype(float), columns=("x",),
        classes=names, provenance=Provenance("made up", "none", synthetic=True), held_out=rng.permutation(n) < n // 5,
        sensitive={"sex": np.array(["f", "m"])[stream(seed, "sex").integers(0, 2, n)]},
        groups={"state": np.array(["TX", "CA", "NY"])[np.arange(n) % 3], "year": 2010 + np.arange(n) % 2},
    )  # fmt: skip


@given(st.sampled_from(DRAWN), st.integers(0, 2**32), st.integers(2, 12), st.integers(2, 5))
@settings(max_examples=40)
def test_every_row_has_one_owner(name: str, seed: int, parties: int, classes: int) -> None:
    """Nobody is without training rows, the seed decides, and counts are what they say."""
    data = table(400, classes)
    wanted = use(name, parties=max(parties, classes))
    made = SPLITS.call(wanted, data, seed=seed)
    assert (made.axis, made.owner.size) == ("rows", 400)
    assert made.owner.min() == 0
    train = np.bincount(made.owner[~data.held_out], minlength=made.parties)
    assert train.min() >= SPLITS.complete(wanted).args.get("min_rows", 1)
    assert made.achieved["counts"] == train.tolist()
    assert made.achieved["test_counts"] == np.bincount(made.owner[data.held_out], minlength=made.parties).tolist()
    assert SPLITS.call(wanted, data, seed=seed) == made
    assert SPLITS.call(wanted, data, seed=seed + 1) != made


@pytest.mark.parametrize("name", ROW_SPLITS)
def test_a_file_gives_the_split_back(name: str, tmp_path: Path) -> None:
    """Bit for bit, and what it was made by makes it again."""
    made = SPLITS.call(use(name), table(), seed=4)
    read = Partition.load(made.save(tmp_path / "one.json"))
    assert read == made
    assert read.save(tmp_path / "two.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    assert made.made_by == SPLITS.complete(use(name))
    assert SPLITS.call(made.made_by, table(), seed=made.achieved["seed"]) == made


def test_iid_is_even() -> None:
    """Sizes differ by at most one, on both sides."""
    made = tk.split.iid(table(), parties=7)
    for counts in (made.achieved["counts"], made.achieved["test_counts"]):
        assert max(counts) - min(counts) <= 1
    assert made.achieved["label_skew"] < 0.1


def label_shares(data: Dataset, owner: np.ndarray, parties: int, part: np.ndarray) -> np.ndarray:
    """Return (K, C): what part of its rows of one side a party has of each class."""
    counts = np.zeros((parties, len(data.classes)))
    np.add.at(counts, (owner[part], data.y[part]), 1)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def test_dirichlet_follows_alpha() -> None:
    """The skew falls as α grows: at 0.01 almost a class or two each, at 100 almost none; averages over seeds."""
    skews = [
        np.mean([tk.split.dirichlet(table(), alpha=alpha, seed=seed).achieved["label_skew"] for seed in range(8)])
        for alpha in (0.01, 0.1, 1.0, 10.0, 100.0)
    ]
    assert (np.diff(skews) < 0).all()
    assert skews[0] > 0.55
    assert skews[-1] < 0.08


def test_dirichlet_shares_have_the_variance_of_their_law() -> None:
    """A client's part of a class has mean 1/K and variance (K − 1)/(K²(Kα + 1))."""
    data, K, alpha = table(4000, 4), 4, 0.7
    parts = []
    for seed in range(150):
        owner = tk.split.dirichlet(data, K, alpha, min_rows=1, seed=seed).owner
        parts.append(np.bincount(owner * 4 + data.y, minlength=16).reshape(4, 4) / 1000)
    drawn = np.stack(parts)
    assert np.abs(drawn.mean(axis=(0, 2)) - 1 / K).max() < 0.03
    assert drawn.var() == pytest.approx((K - 1) / (K**2 * (K * alpha + 1)), rel=0.1)


def test_a_client_is_tested_on_its_own_kind() -> None:
    """Held-out rows follow the shares of the training rows, also where labels are very skewed."""
    data = table(5000)
    for made in (
        tk.split.dirichlet(data, 5, 0.3, seed=2),
        tk.split.shards(data, 5, seed=2),
        tk.split.label_classes(data, 5, seed=2),
    ):
        train, test = (label_shares(data, made.owner, 5, part) for part in (~data.held_out, data.held_out))
        assert np.abs(train - test).sum(axis=1).max() / 2 < 0.1
        assert made.achieved["label_skew"] > 0.2


def test_rows_move_gradually_with_alpha() -> None:
    """A slider's step of α moves a few rows only, and α = 100 is not far from shares of 1/K."""
    data = table(4000)
    for split in (tk.split.dirichlet, tk.split.quantity):
        steps = [split(data, 6, float(alpha), seed=1).owner for alpha in np.geomspace(0.05, 50, 120)]
        moved = [(one != two).mean() for one, two in itertools.pairwise(steps)]
        assert max(moved) < 0.08
        assert sum(moved) > 0.2


def test_quantity_skews_sizes_not_labels() -> None:
    """Counts follow the shares drawn, apart from rows that were moved to the small."""
    made = tk.split.quantity(table(5000), 4, 0.5, min_rows=20, seed=3)
    shares = np.array(made.achieved["shares"])
    assert shares.max() > 2 * shares.min()
    np.testing.assert_allclose(np.array(made.achieved["counts"]) / 4000, shares, atol=0.01)
    assert made.achieved["label_skew"] < 0.1


def test_the_small_are_topped_up() -> None:
    """At α = 0.01 most clients would have nothing: each gets min_rows training rows and a held-out row."""
    for split in (tk.split.dirichlet, tk.split.quantity):
        made = split(table(), 20, 0.01, min_rows=30, seed=0)
        assert min(made.achieved["counts"]) == 30
        assert min(made.achieved["test_counts"]) >= 1
        assert made.achieved["moved"] > 0
        assert split(table(), 4, 100.0, seed=0).achieved["moved"] == 0


def test_shards_hold_few_labels() -> None:
    """5 classes, 10 clients of 2 shards: 20 shards, 4 a class, so each client has at most 2 classes."""
    data = table()
    made = tk.split.shards(data, 10, 2, seed=1)
    classes = [np.unique(data.y[(made.owner == k) & ~data.held_out]).size for k in range(10)]
    # classes have 148 to 170 training rows and shards 40, so a shard may straddle a border
    assert max(classes) <= 4
    assert np.mean(classes) < 3
    assert set(made.achieved["counts"]) == {80}


def test_label_classes_deals_evenly() -> None:
    """Each client has as many classes as asked; no class goes to two clients more than another."""
    data = table()
    made = tk.split.label_classes(data, 6, 2, seed=1)
    has = np.array([[((made.owner == k) & (data.y == c)).any() for c in range(5)] for k in range(6)])
    assert (has.sum(axis=1) == 2).all()
    assert sorted(has.sum(axis=0)) == [2, 2, 2, 3, 3]


def test_natural_groups() -> None:
    """Sorted by name; the first group unless another is asked for; numbers sort as numbers."""
    data = table(9)
    made = tk.split.by_group(data)
    assert made.achieved["names"] == ["CA", "NY", "TX"]
    assert made.owner.tolist() == [2, 0, 1] * 3
    assert tk.split.by_group(data, "year").achieved["names"] == ["2010", "2011"]


def test_a_regression_has_no_label_skew() -> None:
    """Splits that look at labels refuse it; others do not report a skew."""
    data = table(task="regression")
    for split in (tk.split.dirichlet, tk.split.shards, tk.split.label_classes):
        with pytest.raises(ValueError, match=r"small has a number as its target \(a regression\)"):
            split(data)
    for made in (tk.split.iid(data), tk.split.quantity(data), tk.split.by_group(data)):
        assert made.achieved["label_skew"] is None


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(2, 6), st.integers(0, 99))
def test_deal_is_within_a_row_of_the_shares(cells: list[int], parties: int, seed: int) -> None:
    """In every cell; a cell without shares goes to nobody."""
    rng, cell = stream(seed, "deal"), np.array(cells)
    shares = rng.random((4, parties))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[3] = 0.0
    owner = deal(cell, shares, rng.random(cell.size))
    assert (owner[cell == 3] == -1).all()
    for c in range(3):
        counts = np.bincount(owner[cell == c], minlength=parties)
        assert (np.abs(counts - shares[c] * counts.sum()) < 1 + 1e-9).all()


def test_top_up_takes_from_the_largest() -> None:
    """And only rows that count; the others stay."""
    owner = np.array([0] * 6 + [1] * 3 + [0, 0])
    counts = np.arange(11) < 9
    assert top_up(owner, counts, 3, 2, np.arange(11) / 11) == 2
    assert owner.tolist() == [0, 0, 0, 0, 2, 2, 1, 1, 1, 0, 0]


def test_skew_by_hand() -> None:
    """Shares ¾ ¼ and ¼ ¾ against ½ ½: each is ¼ away; held-out rows do not count."""
    data = table(10, 2)
    y, held = np.array([0, 0, 0, 1, 0, 1, 1, 1, 0, 0]), np.arange(10) >= 8
    data = Dataset("d", data.X, y, ("x",), ("a", "b"), data.provenance, held_out=held)
    assert skew(data, np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 0]), 2) == 0.25


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: SPLIT.iid(d, 1), ValueError, "iid: parties must be between 2 and 100, got 1"),
        (lambda d: SPLIT.iid(table(60), 50), ValueError, "at most 48, .* 48 training rows of small, got 50"),
        (lambda d: SPLIT.dirichlet(d, alpha=0.0), ValueError, "alpha must be between 0.01 and 100, got 0.0"),
        (lambda d: SPLIT.dirichlet(d, 100, min_rows=9), ValueError, "at most 88, .* at least 9 of the 800"),
        (lambda d: SPLIT.quantity(d, min_rows=0), ValueError, "min_rows must be between 1 and 1000, got 0"),
        (lambda d: SPLIT.shards(table(60), 25), ValueError, "parties must be at most 24, .*got 25"),
        (lambda d: SPLIT.shards(d, 2.5), TypeError, "shards: parties must be a whole number, got 2.5"),
        (lambda d: SPLIT.label_classes(d, 10, 6), ValueError, "between 1 and the 5 classes of small, got 6"),
        (lambda d: SPLIT.label_classes(d, 2, 2), ValueError, "at least the 5 classes of small, got 2 × 2"),
        (lambda d: SPLIT.label_classes(table(40), 30), ValueError, "fewer training rows in .* got 30 parties"),
        (lambda d: SPLIT.by_group(d, "county"), KeyError, "no group 'county'; known are state, year"),
    ],
)
def test_errors_name_the_thing(call: Any, error: type[Exception], message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(error, match=message):
        call(table())


def test_groups_must_be_there() -> None:
    """At all, and more than one."""
    data = table(9)
    bare = Dataset("bare", data.X, data.y, ("x",), data.classes, data.provenance)
    with pytest.raises(ValueError, match="needs natural groups, and bare has none"):
        tk.split.by_group(bare)
    lone = Dataset("lone", data.X, data.y, ("x",), data.classes, data.provenance, groups={"g": np.zeros(9)})
    with pytest.raises(ValueError, match="the group g of lone must have at least 2 values, got 1"):
        tk.split.by_group(lone)


def test_rows_of_an_unknown_client_are_nobodys() -> None:
    """None, NaN and "missing" are no client; how many there are is said."""
    data = table(9)
    places = np.array(["b", None, "a", "missing", "b", "a", float("nan"), "b", "a"], object)
    holes = Dataset("holes", data.X, data.y, ("x",), data.classes, data.provenance, groups={"place": places})
    made = tk.split.by_group(holes)
    assert made.owner.tolist() == [1, -1, 0, -1, 1, 0, -1, 1, 0]
    assert (made.achieved["names"], made.achieved["unused"]) == (["a", "b"], 3)
