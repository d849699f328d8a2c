"""Reconstruction: exact for what determines the columns, nothing for what knows nothing of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import r2_score

from trustkit.metrics import column_r2, reconstruct
from trustkit.rng import stream

X = stream(4, "test", "inversion").standard_normal((300, 4))
KNOWN = np.arange(300) < 150


def test_a_linear_embedding_of_full_rank_gives_everything_away() -> None:
    """x ↦ xA + b with A (4, 7) of rank 4: least squares from 150 pairs is exact."""
    drawn = stream(1, "test", "map")
    sent = X @ drawn.standard_normal((4, 7)) + 3
    assert (reconstruct(sent, X, KNOWN) > 1 - 1e-6).all()
    assert (reconstruct(sent, X, KNOWN, "network") > 0.98).all()


def test_a_column_that_is_not_sent_is_not_found() -> None:
    """Of a projection onto two columns the two others, which are independent of them, are not rebuilt."""
    found = reconstruct(X[:, :2], X, KNOWN)
    assert (found[:2] > 1 - 1e-6).all()
    assert (np.abs(found[2:]) < 0.1).all()


def test_noise_gives_nothing() -> None:
    """About 0 for independent numbers."""
    noise = stream(2, "test", "noise").standard_normal((300, 10))
    assert (np.abs(reconstruct(noise, X, KNOWN)) < 0.1).all()


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_noise_lowers_it_to_the_signal_s_share(share: float) -> None:
    """x + σz is rebuilt to 1 / (1 + σ²) of its variance: the R² of the best linear guess."""
    drawn = stream(3, "test", "share")
    x = drawn.standard_normal((4000, 1))
    found = reconstruct(x + share * drawn.standard_normal((4000, 1)), x, np.arange(4000) < 2000)
    assert found[0] == pytest.approx(1 / (1 + share**2), abs=0.03)


def test_a_network_sees_what_is_not_linear() -> None:
    """|x| and its sign apart: only together, and not by a line, they are x."""
    x = X[:, :1]
    sent = np.hstack([np.abs(x), np.where(x > 0, 1.0, -1.0)])
    line, network = reconstruct(sent, x, KNOWN, "linear")[0], reconstruct(sent, x, KNOWN, "network")[0]
    assert network > 0.95 > line


def test_r2_is_that_of_scikit_learn() -> None:
    """About the mean of the truth; with a centre, guessing the centre is exactly 0; a constant column is undefined."""
    guess = X + stream(7).standard_normal(X.shape)
    assert np.allclose(column_r2(X, guess), r2_score(X, guess, multioutput="raw_values"))
    assert column_r2(X, np.ones_like(X), np.ones(4)).tolist() == [0.0] * 4
    assert np.isnan(column_r2(np.ones((3, 1)), np.zeros((3, 1)))[0])


def test_what_does_not_fit_is_refused() -> None:
    """Shapes, NaN, and too few rows known."""
    with pytest.raises(ValueError, match=r"rebuilt must have the shape \(300, 4\) of columns"):
        column_r2(X, X[:, :2])
    with pytest.raises(ValueError, match="columns must be a matrix with one row a sample"):
        reconstruct(X, X[:10], KNOWN)
    with pytest.raises(ValueError, match="seen must be finite"):
        reconstruct(X * np.nan, X, KNOWN)
    for flags in (np.zeros(300, bool), np.ones(300, bool)):
        with pytest.raises(ValueError, match="known must flag at least two of the 300 rows and not all"):
            reconstruct(X, X, flags)
