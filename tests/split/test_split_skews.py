"""Row splits with one number each, and shifts of what clients see or mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from trustkit.catalogue import SPLITS, use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.metrics.distances import total_variation
from trustkit.metrics.heterogeneity import gini
from trustkit.metrics.unlike import client_distributions, distance_to_pool
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split import shifts, sizes, skews, targeted  # noqa: F401 (they fill the catalogue)

SKEWS = ["attribute_skew", "joint_skew", "feature_skew"]
NAMES = [*SKEWS, "power_law", "exact_sizes", "biased"]


def table(n: int = 1000, seed: int = 0, **changes: Any) -> Dataset:
    """Return rows of two classes and six groups, a fifth held out."""
    rng = stream(seed, "skews")
    parts: dict[str, Any] = {
        "name": "small", "X": rng.normal(size=(n, 3)), "y": rng.integers(0, 2, n), "columns": ("a", "b", "c"),
        "classes": ("no", "yes"), "provenance": Provenance("made up", "none", synthetic=True),
        "sensitive": {"race": rng.integers(0, 6, n)}, "held_out": rng.permutation(n) < n // 5,
    }  # fmt: skip
    return Dataset(**{**parts, **changes})


@given(st.sampled_from(NAMES), st.integers(0, 2**32))
@settings(max_examples=40)
def test_every_row_is_used_at_most_once(name: str, seed: int) -> None:
    """Rows that nobody has are counted; counts are what they say; the seed decides."""
    data = table(2000)
    wanted = use(name, **({"gap": 0.1} if name == "biased" else {}))
    made = SPLITS.call(wanted, data, seed=seed)
    assert (made.axis, made.owner.shape) == ("rows", (2000,))
    assert (made.owner < 0).sum() == made.achieved.get("unused", 0)
    train = np.bincount(made.owner[~data.held_out & (made.owner >= 0)], minlength=made.parties)
    test = np.bincount(made.owner[data.held_out], minlength=made.parties)
    assert (made.achieved["counts"], made.achieved["test_counts"]) == (train.tolist(), test.tolist())
    assert train.min() >= made.made_by.args.get("min_rows", 1)
    assert SPLITS.call(wanted, data, seed=seed) == made
    assert SPLITS.call(made.made_by, data, seed=made.achieved["seed"]) == made
    assert SPLITS.call(wanted, data, seed=seed + 1) != made


OF: dict[str, tuple[str, ...]] = {
    "attribute_skew": ("race",), "joint_skew": ("label", "race"), "feature_skew": ("a",),
}  # fmt: skip


@pytest.mark.parametrize("name", SKEWS)
def test_the_skew_falls_as_alpha_grows(name: str) -> None:
    """On average over seeds; it is the mean distance to the pool, and estimates of α are near what was asked."""
    data, more = table(4000), {"column": "a"} if name == "feature_skew" else {}
    levels, estimates = [], []
    for alpha in (0.01, 0.3, 3.0, 100.0):
        made = [SPLITS.call(use(name, parties=5, alpha=alpha, min_rows=1, **more), data, seed=s) for s in range(6)]
        levels.append(np.mean([each.achieved[name] for each in made]))
        estimates.append(np.median([each.achieved["alpha"] for each in made]))
        counts = client_distributions(FederatedDataset(data, made[0]), *OF[name]).counts
        assert made[0].achieved[name] == pytest.approx(distance_to_pool(counts, total_variation).mean())
    assert (np.diff(levels) < 0).all()
    assert levels[0] > 0.4 > 0.1 > levels[-1]
    assert estimates[1] == pytest.approx(0.3, rel=0.5)
    assert estimates[2] == pytest.approx(3.0, rel=0.5)


def test_the_share_of_a_value_has_the_variance_of_its_law() -> None:
    """A client's part of a value has mean 1/K and variance (K − 1)/(K²(Kα + 1))."""
    data, K, alpha = table(3000), 4, 0.7
    data = table(3000, sensitive={"race": np.arange(3000) % 6}, held_out=np.zeros(3000, bool))
    parts = []
    for seed in range(120):
        owner = SPLITS.call(use("attribute_skew", parties=K, alpha=alpha, min_rows=1), data, seed=seed).owner
        parts.append(np.bincount(owner * 6 + data.sensitive["race"], minlength=24).reshape(4, 6) / 500)
    drawn = np.stack(parts)
    assert np.abs(drawn.mean(axis=(0, 2)) - 1 / K).max() < 0.03
    assert drawn.var() == pytest.approx((K - 1) / (K**2 * (K * alpha + 1)), rel=0.1)


def test_a_client_is_tested_on_its_own_kind() -> None:
    """Held-out rows follow the shares of the training rows."""
    data = table(8000)
    for name in SKEWS:
        fed = FederatedDataset(data, SPLITS.call(use(name, parties=4, alpha=0.3), data, seed=1))
        train, test = (client_distributions(fed, *OF[name], part=part).counts for part in ("train", "test"))
        assert np.max(total_variation(train, test)) < 0.15


def test_one_axis_leaves_the_others() -> None:
    """An attribute that has nothing to do with the label is skewed without skewing the label."""
    made = SPLITS.call(use("attribute_skew", parties=5, alpha=0.1), table(6000), seed=3)
    assert made.achieved["attribute_skew"] > 0.4
    assert made.achieved["label_skew"] < 0.06


def test_missing_values_and_sparse_features() -> None:
    """Rows that lack the attribute are dealt too; a sparse X is cut at its quantiles as a dense one is."""
    lacking = table().sensitive["race"].astype(object)
    lacking[::4] = None
    made = SPLITS.call(use("attribute_skew"), table(sensitive={"race": lacking}), seed=0)
    assert (made.owner >= 0).all()
    dense, sparse = table(), table(X=csr_array(table().X))
    for column in ("", "a"):
        one, other = (SPLITS.call(use("feature_skew", column=column), each, seed=0) for each in (dense, sparse))
        assert (one.owner == other.owner).all() or column == ""


def test_sizes_follow_the_power_law() -> None:
    """Zipf: the second has half of the first; 0 is even; the Gini coefficient is that of the counts."""
    data = table(1000, held_out=np.zeros(1000, bool))
    made = SPLITS.call(use("power_law", parties=4, exponent=1.0), data)
    assert made.achieved["counts"] == [480, 240, 160, 120]  # 1000 · 12/25, 6/25, 4/25, 3/25
    assert made.achieved["gini"] == pytest.approx(gini([480, 240, 160, 120]))
    even = SPLITS.call(use("power_law", parties=4, exponent=0.0), data)
    assert even.achieved["counts"] == [250] * 4
    steep = SPLITS.call(use("power_law", parties=10, exponent=4.0, min_rows=7), data)
    assert min(steep.achieved["counts"]) == 7
    assert steep.achieved["moved"] > 0


def test_sizes_are_exact() -> None:
    """As asked; held-out rows in their ratio; the rest is nobody's."""
    made = SPLITS.call(use("exact_sizes", sizes=(400, 100, 100)), table())
    assert made.achieved["counts"] == [400, 100, 100]
    assert made.achieved["unused"] == 200
    assert sum(made.achieved["test_counts"]) == 200
    np.testing.assert_allclose(np.array(made.achieved["test_counts"]) / 200, [4 / 6, 1 / 6, 1 / 6], atol=0.01)


PART = Partition("rows", np.arange(1000) % 4, 4)


def test_noise_grows_from_client_to_client() -> None:
    """σ (k + 1)/K standard deviations of the column, on training and held-out rows."""
    data = table(X=table().X * [1.0, 10.0, 100.0])
    noisy = shifts.feature_noise(data, PART, sigma=0.4, seed=1)
    for k in range(4):
        own = PART.members(k)
        noise = (noisy.X - data.X)[own] / data.X[~data.held_out].std(axis=0)
        np.testing.assert_allclose(noise.std(axis=0), 0.4 * (k + 1) / 4, rtol=0.15)
    assert np.array_equal(shifts.feature_noise(data, PART, sigma=0.4, seed=1).X, noisy.X)
    assert np.array_equal(shifts.feature_noise(data, PART, sigma=0).X, data.X)
    assert noisy.notes["feature_noise"] == {"sigma": 0.4, "seed": 1}


@given(st.floats(0, 1), st.integers(2, 3), st.integers(0, 99))
@settings(max_examples=30)
def test_labels_mean_something_else(amount: float, concepts: int, seed: int) -> None:
    """Client k's labels are turned by k mod concepts, in as many rows as asked, of either side."""
    data = table(y=np.arange(1000) % 3, classes=("p", "q", "r"))
    turned = shifts.concept_shift(data, PART, amount, concepts, seed)
    for k in range(4):
        for part in (data.held_out, ~data.held_out):
            own = (PART.owner == k) & part
            shift = (turned.y - data.y)[own] % 3
            assert set(shift.tolist()) <= {0, k % concepts}
            assert (shift > 0).sum() == (round(amount * own.sum()) if k % concepts else 0)
    more = shifts.concept_shift(data, PART, (amount + 1) / 2, concepts, seed)
    assert (more.y != data.y)[turned.y != data.y].all()


def test_holding_out_by_client() -> None:
    """A fifth of every client; one row at least stays for training; nobody's rows are left."""
    owner = np.where(np.arange(1000) < 3, -1, np.where(np.arange(1000) == 3, 2, np.arange(1000) % 2))
    data = shifts.hold_out(table(), Partition("rows", owner, 3), share=0.2, seed=5)
    held = [int(data.held_out[owner == k].sum()) for k in (-1, 0, 1, 2)]
    assert held == [0, 100, 100, 0]
    assert shifts.hold_out(data, Partition("rows", owner, 3), share=0.99).held_out[owner == 2].sum() == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: skews.attribute_skew(d, attribute="age"), KeyError, r"no protected attribute 'age'; known are race"),
        (lambda d: skews.attribute_skew(table(sensitive={})), ValueError, r"got small, which has none$"),
        (lambda d: skews.joint_skew(table(sensitive={"sex": np.zeros(1000)})), ValueError,
         r"^sex of small must have at least 2 values, got 1$"),
        (lambda d: skews.joint_skew(table(classes=())), ValueError, r"has a number as its target"),
        (lambda d: skews.feature_skew(d, column="z"), KeyError, r"small has no column 'z'; it has 3, from a on"),
        (lambda d: skews.feature_skew(table(X=np.zeros((1000, 3)))), ValueError,
         r"^the mean of the features of small must vary, got one value or almost$"),
        (lambda d: skews.feature_skew(d, bins=1), ValueError, r"^feature_skew: bins must be between 2 and 50, got 1$"),
        (lambda d: skews.attribute_skew(d, alpha=0), ValueError, r"alpha must be between 0.01 and 100, got 0.0$"),
        (lambda d: skews.attribute_skew(d, 100, min_rows=9), ValueError, r"at most 88, .* at least 9 of the 800"),
        (lambda d: sizes.power_law(d, exponent=5), ValueError, r"exponent must be between 0 and 4, got 5.0$"),
        (lambda d: sizes.exact_sizes(d, (900, 1)), ValueError, r"at most the 800 training rows of small, got 901$"),
        (lambda d: sizes.exact_sizes(d, (9,)), ValueError, r"^exact_sizes: sizes must be of 2 to 10,000 clients, got"),
        (lambda d: sizes.exact_sizes(d, (9, 0)), ValueError, r"sizes must be between 1 and 1e\+07, got 0$"),
        (lambda d: shifts.feature_noise(d, PART, -1), ValueError, r"^sigma must be between 0 and 100, got -1$"),
        (lambda d: shifts.feature_noise(table(X=csr_array(d.X)), PART), ValueError, r"needs a dense X, got the sparse"),
        (lambda d: shifts.feature_noise(table(90), PART), ValueError, r"the 90 rows of small, got a partition of 1000"),
        (lambda d: shifts.concept_shift(d, PART, 2), ValueError, r"^amount must be between 0 and 1, got 2$"),
        (lambda d: shifts.concept_shift(d, PART, concepts=3), ValueError, r"^concepts must be between 2 and 2, got 3$"),
        (lambda d: shifts.concept_shift(table(classes=()), PART), ValueError, r"needs classes, but small has a number"),
        (lambda d: shifts.hold_out(d, PART, 1.0), ValueError, r"^share must be at least 0 and below 1, got 1.0$"),
    ],
)  # fmt: skip
def test_errors_name_the_thing(call: Any, error: type[Exception], message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(error, match=message):
        call(table())
