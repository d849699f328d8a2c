"""Leakage: correlated Gaussians with a known answer, the channel's closed form, and nothing where nothing is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.metrics.leakage import gaussian_leakage_bound, leakage_estimate
from trustkit.rng import stream


def pair(rho: float, n: int, dimensions: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw correlated standard normal rows; each dimension adds −½ log(1 − ρ²) nats."""
    x, noise = stream(seed, "pair").standard_normal((2, n, dimensions))
    return x, rho * x + math.sqrt(1 - rho**2) * noise


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.8, 0.9])
def test_correlated_gaussians(rho: float) -> None:
    """−½ log(1 − ρ²). With 2,000 samples the mean log density ratio has an error of at most ρ/√2000 = 0.02.

    Three of them are 0.06, and with the mean of three samples 0.04.
    """
    truth = -0.5 * math.log(1 - rho**2)
    got = [leakage_estimate(*pair(rho, 2000, seed=s), seed=s) for s in range(3)]
    np.testing.assert_allclose(got, truth, atol=0.06)
    assert np.mean(got) == pytest.approx(truth, abs=0.04)


def test_several_dimensions_add_up() -> None:
    """Three pairs at ρ = 0.6: 0.669 nats; embedded in 20 coordinates without information of their own, the same."""
    x, z = pair(0.6, 2000, 3)
    truth = -1.5 * math.log(1 - 0.36)
    assert leakage_estimate(x, z) == pytest.approx(truth, abs=0.1)
    basis = np.linalg.qr(stream(1, "basis").standard_normal((20, 3)))[0]
    assert leakage_estimate(x @ basis.T, z @ basis.T) == pytest.approx(truth, abs=0.1)


def test_a_fold_is_seen() -> None:
    """z = x² plus noise has no correlation with x, and is not nothing."""
    x, noise = stream(3, "fold").standard_normal((2, 1000, 1))
    assert abs(np.corrcoef(x[:, 0], (x**2 + 0.5 * noise)[:, 0])[0, 1]) < 0.1
    assert leakage_estimate(x, x**2 + 0.5 * noise) > 0.2


@settings(max_examples=8)
@given(st.integers(0, 999), st.integers(1, 3), st.integers(50, 300))
def test_strangers_share_little_and_never_less_than_nothing(seed: int, dimensions: int, n: int) -> None:
    """Independent rows: at least 0; it may be a little above, for it is an estimate."""
    x, z = pair(0.0, n, dimensions, seed)
    assert 0 <= leakage_estimate(x, z, seed=seed) < 0.15


def test_units_do_not_matter() -> None:
    """Normal scores of principal components: a factor, a shift and a sign change nothing."""
    x, z = pair(0.7, 400)
    assert leakage_estimate(5 - 100 * x, 1e-6 * z) == pytest.approx(leakage_estimate(x, z), abs=0.05)


def test_more_noise_leaks_less() -> None:
    """Updates of a linear model's gradient with growing noise."""
    rng = stream(2, "gradient")
    rows = rng.standard_normal((600, 4))
    noise = rng.standard_normal((600, 4))
    got = [leakage_estimate(rows, rows @ np.diag([2.0, 1, 1, 0.5]) + s * noise) for s in (0.3, 1.0, 3.0, 30.0)]
    assert got == sorted(got, reverse=True)
    assert got[-1] < 0.05


def test_a_constant_side_tells_nothing() -> None:
    """Neither the rows nor the update vary."""
    x, _ = pair(0.5, 60)
    assert leakage_estimate(x, np.ones((60, 3))) == 0
    assert leakage_estimate(np.zeros((60, 1)), x) == 0


def test_the_bound_in_closed_form() -> None:
    """d = 4, S = 2, σ = ½: 2 log(1 + 4 / 1) each release."""
    assert gaussian_leakage_bound(4, 2.0, 0.5, releases=3) == pytest.approx(3 * 2 * math.log(5))
    assert gaussian_leakage_bound(3, 1.0, 0.0) == math.inf
    assert gaussian_leakage_bound(3, 0.0, 0.0) == 0
    assert gaussian_leakage_bound(3, 1.0, 1.0, releases=0) == 0


@given(st.integers(1, 10**6), st.floats(0.01, 100), st.floats(0.01, 100))
def test_the_bound_grows_with_everything_but_noise(dimensions: int, norm: float, sigma: float) -> None:
    """And stays below S² / (2σ²), however many dimensions."""
    value = gaussian_leakage_bound(dimensions, norm, sigma)
    assert 0 < value <= (norm / sigma) ** 2 / 2 * (1 + 1e-9)
    assert gaussian_leakage_bound(dimensions + 1, norm, sigma) >= value * (1 - 1e-9)
    assert gaussian_leakage_bound(dimensions, norm, 2 * sigma) < value


def test_the_estimate_stays_below_the_bound() -> None:
    """Rows on a sphere of radius S sent with noise σ, in two dimensions."""
    rng = stream(4, "sphere")
    rows = rng.standard_normal((1500, 2))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for sigma in (0.5, 1.0, 2.0):
        sent = rows + sigma * rng.standard_normal((1500, 2))
        assert leakage_estimate(rows, sent) <= gaussian_leakage_bound(2, 1.0, sigma) + 0.05


X60 = np.zeros((60, 1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_leakage_bound(0, 1, 1), "dimensions must be at least 1, got 0"),
        (lambda: gaussian_leakage_bound(1, -1, 1), "sensitivity must be at least 0, got -1"),
        (lambda: gaussian_leakage_bound(1, 1, -2), "sigma must be at least 0, got -2"),
        (lambda: leakage_estimate(X60, X60[:50]), "updates must be a matrix with one row a sample, got shape (50, 1)"),
        (lambda: leakage_estimate(X60[:9], X60[:9]), "rows must have at least 50 samples, got 9"),
        (lambda: leakage_estimate(X60 + np.nan, X60), "rows must be finite, got NaN or infinity"),
        (lambda: leakage_estimate(X60, X60, dimensions=0), "dimensions must be at least 1, got 0"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    """One sentence with the thing, the rule and what came."""
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
