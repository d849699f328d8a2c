"""α and β of divisions: the authors' numbers, hand calculations, laws, and divisions made for a β."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import trustkit as tk
from trustkit.data import Dataset, Provenance
from trustkit.metrics import icor, linear_importance, party_importance, spearman
from trustkit.metrics.correlation import Definition
from trustkit.partition import Partition
from trustkit.records import Stopped
from trustkit.rng import stream
from trustkit.split import measured, search
from trustkit.split.estimate import estimate_alpha, estimate_beta

SPLIT: Any = tk.split


def parts(*owner: int, parties: int = 0) -> Partition:
    """Return a division of columns."""
    return Partition("columns", np.array(owner), parties or max(owner) + 1)


def over_rows() -> Partition:
    """Return a division of rows."""
    return Partition("rows", np.arange(2), 2)


def table(columns: int = 12) -> Dataset:
    """Return a table whose held-out rows correlate otherwise than its training rows."""
    rng = stream(0, "estimated")
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, columns)) + 0.3 * rng.normal(size=(80, columns))
    X[:16] = rng.normal(size=(16, columns))
    names = tuple(f"c{j}" for j in range(columns))
    made = Provenance("made up", "none", synthetic=True)
    return Dataset("small", X, np.arange(80) % 2, names, ("no", "yes"), made, held_out=np.arange(80) < 16)


@pytest.mark.parametrize(
    ("scores", "package"),
    [((1, 1, 1, 3), 2.0), ((0.1, 0.2, 0.3, 0.4), 3.5), ((1, 2), 4.0), ((5, 1, 1), 0.6875), ((1, 0, 0, 0), 0.0)],
)
def test_the_authors_alphas(scores: tuple[float, ...], package: float) -> None:
    """Of their package; and the text's reading from the Dirichlet distribution itself, by SciPy."""
    from scipy import stats

    K = len(scores)
    given = parts(*range(K))
    assert estimate_alpha(np.array(scores), given) == pytest.approx(package, abs=1e-12)
    paper = estimate_alpha(np.array(scores), given, "paper")
    if min(scores) == 0:
        assert paper == math.inf
    else:
        variance = stats.dirichlet.var(np.array(scores) / sum(scores)).mean()
        assert stats.dirichlet.var(np.full(K, paper)).mean() == pytest.approx(variance, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "alpha"),
    [
        ((0.26508, 0.02017, 0.212145, 0.108845), 1.6832541632397302),
        ((0.2205264483674561, 0.0165422273968075, 0.1903837631898121, 0.1027926398531142), 1.8232134639170845),
        ((3.7876544163104, 3.6154632877679944, 5.96528499007808), 11.241359896099894),
        ((0.2045952380952381, 0.2011984126984127, 0.392999999999999), 5.550565978277996),
    ],
)
def test_alphas_that_the_authors_package_found(scores: tuple[float, ...], alpha: float) -> None:
    """From scores that it sampled itself: of labels, probabilities, decision values and labels again."""
    assert estimate_alpha(np.array(scores), parts(*range(len(scores)))) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "parties", "scores", "alpha"),
    [
        ("mc12", 4, [2.193413511012668, 0.22817992806396745, 1.7816075039421257, 1.452661830136996], 2.539350181991787),
        ("breast_cancer", 3, [3.535484585922827, 3.799267817524508, 6.290016929792743], 8.595132565376764),
    ],
)
def test_the_exact_alpha_of_a_linear_model(name: str, parties: int, scores: list[float], alpha: float) -> None:
    """Contiguous parts of standardised columns, a logistic regression's decision values, all rows as background."""
    from sklearn import datasets, linear_model

    if name == "mc12":
        X, y = datasets.make_classification(n_samples=1000, n_features=12, random_state=0)
    else:
        X, y = datasets.load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = linear_model.LogisticRegression(max_iter=5000).fit(X, y)
    owner = np.repeat(np.arange(parties), [len(part) for part in np.array_split(np.arange(X.shape[1]), parties)])
    by_column = linear_importance(model.coef_[0], X, X)
    np.testing.assert_allclose(party_importance(by_column, owner), scores, rtol=1e-5)  # as far as the fit went
    assert estimate_alpha(by_column, Partition("columns", owner, parties)) == pytest.approx(alpha, rel=1e-4)


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=12), st.floats(1e-200, 1e200))
def test_what_alpha_tells(scores: list[float], unit: float) -> None:
    """No unit matters; the package's is at least 0, the paper's at least 1/K, and they go opposite ways."""
    K, given = len(scores), parts(*range(len(scores)))
    values = np.array(scores)
    for reading in ("paper", "package"):
        found = estimate_alpha(values, given, reading)
        assert found >= (1 / K - 1e-12 if reading == "paper" else 0.0)
        if np.ptp(values) > 1e-3 * values.max():
            assert estimate_alpha(values * unit, given, reading) == pytest.approx(found, rel=1e-6)
    skewed = np.sort(values) * np.array([1.0] * (K - 1) + [10.0])
    if np.ptp(values) > 1e-3 * values.max():
        assert estimate_alpha(skewed, given) < estimate_alpha(values, given)
        assert estimate_alpha(skewed, given, "paper") > estimate_alpha(values, given, "paper")


def test_equal_single_and_missing_importance() -> None:
    """Each has an answer, and none of them is a division by zero."""
    four = parts(0, 1, 2, 3)
    assert estimate_alpha(np.full(4, 0.1), four) == math.inf
    assert estimate_alpha(np.full(4, 0.1), four, "paper") == 0.25
    assert estimate_alpha(np.array([0.1 + 0.2, 0.3, 0.3, 0.3]), four) == math.inf  # equal but for rounding
    assert estimate_alpha(np.array([0, 7.0, 0, 0]), four) == 0.0
    assert estimate_alpha(np.array([0, 7.0, 0, 0]), four, "paper") == math.inf
    assert math.isnan(estimate_alpha(np.zeros(4), four))


def test_importance_of_columns_is_added_up() -> None:
    """By party; of nobody's columns nothing, and a party without columns has none."""
    split = parts(1, 0, -1, 1, 3, parties=4)
    by_column = np.array([1.0, 2.0, 50.0, 3.0, 6.0])
    by_party = np.array([2.0, 4.0, 0.0, 6.0])
    for reading in ("paper", "package"):
        assert estimate_alpha(by_column, split, reading) == estimate_alpha(by_party, split, reading)
    # shares 1/6, 1/3, 0, 1/2: Σs² = 14/36, σ = (14/36 − 1/4)/4 = 5/144; (3 − 16·5/144)/(64·5/144) = 1.1
    assert estimate_alpha(by_column, split) == pytest.approx(1.1, abs=1e-12)
    # with as many columns as parties, the values are the columns'
    assert estimate_alpha(np.array([5.0, 1.0, 1.0]), parts(1, 1, 2, parties=3)) == pytest.approx(
        estimate_alpha(np.array([0.0, 6.0, 1.0]), parts(0, 1, 2)), abs=1e-12
    )


def test_alpha_of_dirichlet_shares_comes_back() -> None:
    """The package's reading of many parties: the variance across 2,000 of them is that of the distribution."""
    for alpha in (0.3, 1.0, 5.0):
        shares = stream(0, "shares").dirichlet(np.full(2000, alpha))
        assert estimate_alpha(shares, parts(*range(2000))) == pytest.approx(alpha, rel=0.15)


@pytest.mark.parametrize("definition", get_args(Definition))
def test_a_split_has_the_beta_that_it_was_made_with(definition: Definition) -> None:
    """All of it: β, Icor, bounds, from training rows only, also for unequal parties."""
    data = table()
    for sizes in (3, [5, 3, 2, 2]):
        split = SPLIT.correlation(data, sizes, 0.6, definition, seed=1)
        found, noted = estimate_beta(data, split, definition, seed=1), split.achieved
        assert found.beta == pytest.approx(noted["beta"], abs=1e-9)
        assert found.icor == pytest.approx(noted["icor"], abs=1e-12)
        assert found.bounds == pytest.approx(noted["bounds"], abs=1e-12)
        assert found.icor == pytest.approx(icor(spearman(data.X[16:]), split.owner, definition), abs=1e-12)
        assert (found.bounds_exact, found.definition) == (noted["bounds_exact"], definition)
        assert found.unclipped == found.beta
        assert found.evaluations > 0
        assert found.seconds >= 0


def test_beta_by_hand() -> None:
    """Two pairs of equal columns, the pairs unrelated: together 0, apart 1; three divisions, all tried."""
    x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, -1, 1])
    X = np.column_stack([x, x, y, y])
    together, apart = estimate_beta(X, parts(0, 0, 1, 1)), estimate_beta(X, parts(0, 1, 0, 1))
    # together: the block is 0; apart: it is the identity, whose singular values are equal: Icor 0 either way
    assert (together.icor, apart.icor) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert math.isnan(together.beta)
    assert math.isnan(together.unclipped)
    # less what is inside the parties: −1 and 0, as blocks of ones have Pcor 1
    assert estimate_beta(X, parts(0, 0, 1, 1), "package").beta == pytest.approx(0.0, abs=1e-9)
    found = estimate_beta(X, parts(0, 1, 0, 1), "package")
    assert found.beta == pytest.approx(1.0, abs=1e-9)
    assert found.bounds == pytest.approx((-1.0, 0.0), abs=1e-9)
    assert found.bounds_exact


def test_parties_without_columns_are_left_out() -> None:
    """And so are columns of nobody: what is left is measured as if it were all."""
    data = table(9)
    whole = parts(0, -1, 2, 2, 0, 4, 4, -1, 2, parties=6)
    kept = np.array([0, 2, 3, 4, 5, 6, 8])
    alone = estimate_beta(data.X[16:][:, kept], parts(0, 1, 1, 0, 2, 2, 1))
    found = estimate_beta(data, whole)
    assert (found.beta, found.icor) == pytest.approx((alone.beta, alone.icor), abs=1e-12)
    assert found.bounds == pytest.approx(alone.bounds, abs=1e-12)


def test_one_party_alone_has_no_beta() -> None:
    """Nothing is defined, and nothing was searched."""
    found = estimate_beta(np.eye(4), parts(1, 1, -1, 1, parties=3))
    assert all(math.isnan(value) for value in (found.beta, found.unclipped, found.icor, *found.bounds))
    assert found.evaluations == 0


def test_beta_is_clipped_where_the_search_fell_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that are too narrow on purpose."""
    data = table(6)
    split = SPLIT.correlation(data, 2, 1.0)
    top = split.achieved["icor"]
    for said in (None, "singular values were estimated"):
        narrow = search.Bounds(top - 2, top - 1, split.owner, split.owner, 5, False, 0.1, approximated=said)
        monkeypatch.setattr("trustkit.split.estimate.bounds", lambda *_, narrow=narrow, **__: narrow)
        found = estimate_beta(data, split)
        assert (found.beta, found.bounds_exact, found.evaluations, found.approximated) == (1.0, False, 5, said)
        assert found.unclipped == pytest.approx(2.0, abs=1e-6)


def test_the_search_can_be_watched_and_stopped() -> None:
    """Stopping leaves nothing half-remembered: asked again, the answer is the whole one."""
    data = table(18)
    split = SPLIT.uniform(data, 3, seed=2)

    def stop(stage: str, done: float) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        estimate_beta(data, split, seed=7, progress=stop)
    seen: list[float] = []
    found = estimate_beta(data, split, seed=7, progress=lambda _, done: seen.append(done))
    assert 0 <= found.beta <= 1
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1


def test_correlation_of_sparse_wide_and_holed_tables() -> None:
    """Sparse gives what dense gives; beyond the limit single precision; what to do about holes is asked for."""
    data = table()
    X = np.where(data.X > 0.5, data.X, 0.0)
    thin = sparse.csr_array(X)
    np.testing.assert_allclose(measured.column_correlation(thin), spearman(X), atol=1e-12)
    assert measured.width(thin) == 12
    holed = X.copy()
    holed[20, 3] = np.nan
    other = Dataset("holed", holed, data.y, data.columns, data.classes, data.provenance, held_out=data.held_out)
    with pytest.raises(ValueError, match="no missing values, got 1 in 1 of 12 columns"):
        measured.column_correlation(other)
    for rule in ("rows", "mean"):
        corr = measured.column_correlation(other, rule)
        np.testing.assert_array_equal(corr, spearman(holed[16:], rule))
        assert measured.column_correlation(other, rule) is corr


def test_what_is_measured_of_a_wide_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Icor is not known, which is None; constant columns are counted all the same."""
    X = stream(0, "wide").normal(size=(10, 6))
    X[:, 2] = 4.0
    owner = np.arange(6) % 2
    near = measured.measured(X, owner, 2, 0)
    assert (near["constant"], near["icor"]) == (1, icor(spearman(X), owner))
    monkeypatch.setattr(measured, "WIDE", 5)
    for form in (X, sparse.csr_array(X), (9 * X).astype(int)):
        assert measured.measured(form, owner, 2, 0) == {**near, "icor": None}
        assert measured.column_correlation(form).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate_alpha(np.ones(2), parts(0, 1), "text"), "reading must be 'paper' or 'package', got 'text'"),  # type: ignore[arg-type]
        (
            lambda: estimate_alpha(np.ones(2), Partition("rows", np.arange(2), 2)),
            "must divide columns, got one over rows",
        ),
        (lambda: estimate_alpha(np.ones(3), parts(0, 1, 1, 0)), r"each of 4 columns or 2 parties, got shape \(3,\)"),
        (lambda: estimate_alpha(np.ones(2), parts(0, 0)), "at least 2 parties, got 1"),
        (lambda: estimate_alpha(np.array([1.0, -2.0]), parts(0, 1)), "finite and at least 0, got -2"),
        (lambda: estimate_alpha(np.array([1.0, np.nan]), parts(0, 1)), "finite and at least 0, got nan"),
        (lambda: estimate_alpha(np.array([1.0, np.inf]), parts(0, 1)), "finite and at least 0, got inf"),
        (lambda: estimate_beta(np.eye(3), parts(0, 1)), "must cover the 3 columns of data, got 2"),
        (lambda: estimate_beta(np.eye(2), parts(0, 1), "code"), "definition must be 'paper' or 'package', got 'code'"),  # type: ignore[arg-type]
        (
            lambda: estimate_beta(np.eye(2), Partition("rows", np.arange(2), 2)),
            "must divide columns, got one over rows",
        ),
    ],
)
def test_errors_name_the_thing(call: Any, message: str) -> None:
    """The thing, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        call()
