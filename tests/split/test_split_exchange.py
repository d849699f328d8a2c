"""Two parties that exchange columns: by hand, and what the paper sees in Figure 4."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.metrics.correlation import mcor, pcor, spearman
from trustkit.rng import stream
from trustkit.split.exchange import exchange


def tables(first: int, second: int, kind: str) -> np.ndarray:
    """Two independent tables side by side, as in the paper: both of scikit-learn, each with redundant columns."""
    from sklearn.datasets import make_classification, make_regression

    def one(m: int, seed: int) -> np.ndarray:
        if kind == "classification":
            found = make_classification(2000, m, n_informative=m // 2, n_redundant=m - m // 2, random_state=seed)
        else:
            found = make_regression(2000, m, effective_rank=2, random_state=seed)
        return np.asarray(found[0])

    return np.hstack([one(first, 1), one(second, 2)])


def test_two_and_two_by_hand() -> None:
    """Columns a, b with correlation r = 0.6, and c, d with s = 0.2; nothing between.

    An inner block [[1, r], [r, 1]] has singular values 1 ± r: SS = 2 r², Pcor = r/√2 and mcor = r. Apart, the block
    between is 0. After one exchange the parties hold c, b and a, d: inside nothing, and the block [[0, s], [r, 0]] has
    singular values r and s: SS = (r − s)²/2, Pcor = (r − s)/(2√2) and, by the package, (r − s)/2. After two they have
    swapped.
    """
    r, s = 0.6, 0.2
    corr = np.eye(4)
    corr[0, 1] = corr[1, 0] = r
    corr[2, 3] = corr[3, 2] = s
    found = exchange(corr, 2)
    root = np.sqrt(2)
    expected = [
        [0, r / root, 0, s / root, r, 0, s],
        [1, 0, (r - s) / (2 * root), 0, 0, (r - s) / 2, 0],
        [2, s / root, 0, r / root, s, 0, r],
    ]
    np.testing.assert_allclose(found.to_numpy(float), expected, atol=1e-12)
    assert list(found) == ["moved", "pcor_11", "pcor_12", "pcor_22", "mcor_11", "mcor_12", "mcor_22"]
    package = exchange(corr, 2, "package")
    for pair in ("11", "12", "22"):
        np.testing.assert_allclose(package[f"pcor_{pair}"], found[f"mcor_{pair}"], atol=1e-12)


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_apart_at_both_ends(kind: str) -> None:
    """m₁ = m₂ = 10: between the parties lowest, and inside (both together) highest, where each has a whole table."""
    found = exchange(spearman(tables(10, 10, kind)), 10)
    assert found["moved"].tolist() == list(range(11))
    for measure in ("pcor", "mcor"):
        across = found[f"{measure}_12"].to_numpy()
        assert max(across[0], across[-1]) < 0.5 * across[1:-1].min()
        inner = (found[f"{measure}_11"] + found[f"{measure}_22"]).to_numpy()
        assert inner[0] == pytest.approx(inner[-1])
        assert inner[0] > inner[1:-1].max()
    assert found["pcor_11"].iloc[0] == pytest.approx(found["pcor_22"].iloc[-1])


def test_apart_where_parties_differ_in_size() -> None:
    """m₁ = 6, m₂ = 10: the same at the beginning; at the end party 1 still is one table, and party 2 is mixed."""
    found = exchange(spearman(tables(6, 10, "classification")), 6)
    assert found["moved"].iloc[-1] == 6
    assert found["pcor_12"].idxmin() == 0
    assert found["pcor_12"].iloc[0] < 0.5 * found["pcor_12"].iloc[1:].min()
    assert found["mcor_12"].isna().all()
    assert found["mcor_11"].notna().all()


@settings(derandomize=True, max_examples=25, deadline=None)
@given(m=st.integers(2, 12), data=st.data())
def test_every_line_is_the_measure_of_two_sets(m: int, data: Any) -> None:
    """The k-th line: party 1's first k columns are party 2's first k; the measures are those of the two sets."""
    first, moved = data.draw(st.integers(1, m - 1)), data.draw(st.integers(0, m))
    moved = min(moved, first, m - first)
    corr = spearman(stream(m, "test", "exchange").normal(size=(15, m)))
    found = exchange(corr, first)
    one = [*range(first, first + moved), *range(moved, first)]
    two = [column for column in range(m) if column not in one]
    line = found.iloc[moved]
    assert len(found) == min(first, m - first) + 1
    assert line["pcor_11"] == pytest.approx(pcor(corr[np.ix_(one, one)]))
    assert line["pcor_12"] == pytest.approx(pcor(corr[np.ix_(one, two)]))
    assert line["pcor_22"] == pytest.approx(pcor(corr[np.ix_(two, two)]))
    assert line["mcor_22"] == pytest.approx(mcor(corr[np.ix_(two, two)]), nan_ok=True)
    assert np.isnan(line["mcor_12"]) == (len(one) != len(two) or len(one) < 2)


@pytest.mark.parametrize(
    ("corr", "first", "definition", "message"),
    [
        (np.eye(4), 0, "paper", "first must be between 1 and 3, so that both parties have columns, got 0"),
        (np.eye(4), 4, "paper", "first must be between 1 and 3, so that both parties have columns, got 4"),
        (np.zeros((2, 3)), 1, "paper", r"corr must be a square matrix, got shape \(2, 3\)"),
        (np.zeros(3), 1, "paper", r"corr must be a square matrix, got shape \(3,\)"),
        (np.eye(4), 2, "mean", "definition must be 'paper' or 'package', got 'mean'"),
    ],
)
def test_what_cannot_be_exchanged_is_refused(corr: np.ndarray, first: int, definition: Any, message: str) -> None:
    """With the thing, the rule and what came."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        exchange(corr, first, definition)
