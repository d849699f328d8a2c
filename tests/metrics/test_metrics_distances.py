"""Distances between distributions: golden numbers, SciPy as an oracle, and the laws of a distance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, wasserstein_distance

from trustkit.data import Dataset, FederatedDataset, Partition, Provenance
from trustkit.metrics.distances import hellinger, jensen_shannon, kl_divergence, total_variation
from trustkit.metrics.transport import earth_movers
from trustkit.metrics.unlike import (
    DISTANCES,
    client_distributions,
    distance_matrix,
    distance_to_pool,
    quantile_bins,
)
from trustkit.rng import stream

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "fairness.json").read_text())["distribution_distances"]
P, Q = GOLDEN["p"], GOLDEN["q"]

shares = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)
symmetric = st.sampled_from(["hellinger", "jensen_shannon", "total_variation", "earth_movers"])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("hellinger", hellinger(P, Q)),
        ("js_divergence_nats", jensen_shannon(P, Q, base=np.e, kind="divergence")),
        ("js_divergence_bits", jensen_shannon(P, Q, kind="divergence")),
        ("js_distance_base2", jensen_shannon(P, Q)),
        ("js_distance_nats_scipy_default", jensen_shannon(P, Q, base=np.e)),
        ("total_variation", total_variation(P, Q)),
        ("emd_ordinal_w1_unit_steps", earth_movers(P, Q, cost="ordinal")),
        ("total_variation", earth_movers(P, Q, cost="nominal")),
        ("kl_p_q_nats", kl_divergence(P, Q)),
    ],
)
def test_golden(name: str, found: float) -> None:
    """Numbers that were computed elsewhere."""
    assert found == pytest.approx(GOLDEN[name], abs=1e-12)


@given(symmetric, shares, shares)
def test_laws_of_a_distance(name: str, p: list[int], q: list[int]) -> None:
    """Symmetric, in [0, 1], 0 for equal distributions and only for these, 1 where nothing is shared."""
    distance = DISTANCES[name]
    d = distance(p, q)
    assert d == pytest.approx(distance(q, p), abs=1e-12)
    assert -1e-12 <= d <= 1 + 1e-12
    a, b = np.array(p) / sum(p), np.array(q) / sum(q)
    assert (d < 1e-7) == np.allclose(a, b, atol=1e-12)
    assert (d > 1 - 1e-9) == (not (a * b).any())
    assert distance(np.multiply(p, 7), q) == pytest.approx(d, abs=1e-12)


@given(st.sampled_from(["hellinger", "jensen_shannon", "total_variation", "earth_movers"]), shares, shares, shares)
def test_the_triangle(name: str, p: list[int], q: list[int], r: list[int]) -> None:
    """No way round is shorter."""
    distance = DISTANCES[name]
    assert distance(p, r) <= distance(p, q) + distance(q, r) + 1e-9


@given(shares, shares)
def test_scipy_agrees(p: list[int], q: list[int]) -> None:
    """Jensen–Shannon, KL with smoothing, and Wasserstein with outcomes as positions and shares as weights."""
    a, b = np.array(p) / sum(p), np.array(q) / sum(q)
    assert jensen_shannon(p, q) == pytest.approx(float(jensenshannon(a, b, base=2)), abs=1e-7)
    assert kl_divergence(p, q, smoothing=0.1) == pytest.approx(float(entropy(a + 0.1, b + 0.1)), abs=1e-12)
    assert kl_divergence(p, q, base=2) == pytest.approx(float(entropy(a, b, base=2)), abs=1e-12)
    at = np.array([0.0, 3.0, -1.0, 0.5])
    assert earth_movers(p, q, cost=at) == pytest.approx(wasserstein_distance(at, at, a, b), abs=1e-12)


@given(shares, shares)
def test_a_matrix_of_costs_is_solved_like_a_line(p: list[int], q: list[int]) -> None:
    """With |i − j| as the matrix the linear program must find the closed form, with 1 off the diagonal the other."""
    steps = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert earth_movers(p, q, cost=steps) == pytest.approx(earth_movers(p, q, cost="ordinal"), abs=1e-9)
    assert earth_movers(p, q, cost=1 - np.eye(4)) == pytest.approx(total_variation(p, q), abs=1e-9)


def test_disjoint_clients_are_not_at_distance_0() -> None:
    """Shares taken for positions would make [1, 0] and [0, 1] equal: the same two numbers in another order."""
    assert wasserstein_distance([1, 0], [0, 1]) == 0  # the fault
    for cost in ("nominal", "ordinal", [0, 1], [[0, 1], [1, 0]]):
        assert earth_movers([1, 0], [0, 1], cost=cost) == pytest.approx(1)
    assert earth_movers(P, Q, cost="ordinal") != pytest.approx(0.447, abs=1e-3)


def test_many_at_once() -> None:
    """Arrays of distributions give what one pair after the other gives; a client without rows gives NaN."""
    counts = stream(0, "distances").integers(0, 20, (6, 5))
    counts[2] = 0
    for name, distance in DISTANCES.items():
        matrix, pool = distance_matrix(counts, name), distance_to_pool(counts, name)
        assert matrix.shape == (6, 6)
        assert np.isnan(matrix[2]).all()
        assert np.isnan(pool[2])
        for k, line in enumerate(counts):
            if k != 2:
                assert matrix[0, k] == pytest.approx(distance(counts[0], line), abs=1e-12)
                assert pool[k] == pytest.approx(distance(line, counts.sum(axis=0)), abs=1e-12)
    by_steps = distance_matrix(counts, earth_movers, cost=np.abs(np.subtract.outer(range(5), range(5))))
    np.testing.assert_allclose(by_steps, distance_matrix(counts, "earth_movers", cost="ordinal"), atol=1e-9)


def table(**changes: Any) -> FederatedDataset:
    """Return 3 clients with 4 rows each, the last row of each held out."""
    n = 12
    parts: dict[str, Any] = {
        "name": "t", "X": np.arange(24.0).reshape(n, 2), "y": np.arange(n) % 3, "columns": ("a", "b"),
        "classes": ("p", "q", "r"), "provenance": Provenance("made up", "none", synthetic=True),
        "sensitive": {"sex": np.array(list("ffmm") * 3)}, "held_out": np.arange(n) % 4 == 3,
    }  # fmt: skip
    return FederatedDataset(Dataset(**{**parts, **changes}), Partition("rows", np.arange(n) // 4, 3))


def test_what_clients_hold() -> None:
    """Labels by hand; crossed with the attribute; a column at the pool's terciles; sizes are compared as they are."""
    fed = table()
    # training rows 0 1 2 | 4 5 6 | 8 9 10 with labels 0 1 2 | 1 2 0 | 2 0 1 and sex f f m each
    assert client_distributions(fed).counts.tolist() == [[1, 1, 1]] * 3
    assert client_distributions(fed, part="test").counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    both = client_distributions(fed, "label", "sex")
    assert both.values == ("p & f", "p & m", "q & f", "q & m", "r & f", "r & m")
    assert both.counts.tolist() == [[1, 0, 1, 0, 0, 1], [0, 1, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0]]
    assert client_distributions(fed, "a", bins=3).counts.tolist() == [[3, 0, 0], [0, 3, 0], [0, 0, 3]]
    assert distance_to_pool(client_distributions(fed, "a", bins=3).counts, total_variation).tolist() == pytest.approx(
        [2 / 3] * 3
    )
    assert total_variation(fed.partition.sizes, np.ones(3)) == 0


def test_missing_values_and_numbers_as_labels() -> None:
    """Rows that lack the attribute are not counted; a regression's label is cut at its quantiles."""
    lacking = np.array([None, "f", "m", "m"] * 3, dtype=object)
    assert client_distributions(table(sensitive={"sex": lacking}), "sex").counts.sum(axis=1).tolist() == [2, 2, 2]
    money = table(y=np.arange(12.0), classes=())
    assert client_distributions(money, bins=3).counts.tolist() == [[3, 0, 0], [0, 3, 0], [0, 0, 3]]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60), st.integers(1, 12))
def test_bins_keep_the_order(x: list[int], bins: int) -> None:
    """Larger values are never in an earlier bin, equal ones share theirs."""
    found = quantile_bins(x, bins)
    order = np.argsort(x, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    assert 0 <= found.min() <= found.max() < bins
    assert len({(value, b) for value, b in zip(x, found.tolist(), strict=True)}) == len(set(x))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: hellinger([1, -1], [1, 1]), ValueError, r"^p must hold finite numbers of at least 0, got -1$"),
        (lambda: hellinger([1, 1], [1, np.nan]), ValueError, r"^q must hold finite numbers of at least 0, got nan$"),
        (lambda: total_variation([1, 1], [1, 1, 1]), ValueError, r"^p and q must have the same outcomes, got 2 and 3$"),
        (lambda: total_variation([], []), ValueError, r"^p must have at least 1 outcome, got shape \(0,\)$"),
        (lambda: jensen_shannon(P, Q, base=1), ValueError, r"^base must be above 1 and finite, got 1$"),
        (lambda: jensen_shannon(P, Q, kind="square"), ValueError, r"^kind must be 'distance' or 'diver.*'square'$"),  # type: ignore[arg-type]
        (lambda: kl_divergence(P, Q, smoothing=-1), ValueError, r"^smoothing must be at least 0 and finite, got -1$"),
        (lambda: kl_divergence(P, Q, base=0), ValueError, r"^base must be above 1 and finite, got 0$"),
        (lambda: earth_movers(P, Q, cost="steps"), ValueError, r"^cost must be 'nominal', 'ordinal',.*got 'steps'$"),
        (
            lambda: earth_movers(P, Q, cost=[1, 2]),
            ValueError,
            r"^cost must be finite, of shape \(3,\) or \(3, 3\), got",
        ),
        (lambda: earth_movers(P, Q, cost=-np.ones((3, 3))), ValueError, r"^cost must be at least 0, got -1$"),
        (lambda: distance_matrix(P), ValueError, r"^counts must be a table of clients and outcomes, got shape \(3,\)$"),
        (lambda: distance_to_pool([P, Q], "far"), ValueError, r"^distance must be a function or one of .* got 'far'$"),
        (lambda: quantile_bins([1.0], 0), ValueError, r"^bins must be at least 1, got 0$"),
        (lambda: quantile_bins([[1.0]]), ValueError, r"^x must be a vector, got shape \(1, 1\)$"),
        (lambda: client_distributions(table(), part="all"), ValueError, r"^part must be 'train' or 'test', got 'all'$"),  # type: ignore[arg-type]
        (lambda: client_distributions(table(), "race"), KeyError, r"t has no attribute or column 'race'.* label, sex"),
    ],
)
def test_errors_name_the_thing(call: Any, error: type[Exception], message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(error, match=message):
        call()


def test_columns_are_no_clients_to_compare() -> None:
    """A partition of columns has no distributions by client."""
    fed = FederatedDataset(table().data, Partition("columns", np.array([0, 1]), 2))
    with pytest.raises(ValueError, match=r"^clients must hold rows to be compared, got a partition of the columns$"):
        client_distributions(fed)
