"""CLEVER: exact for linear models, close to the Adversarial Robustness Toolbox, and a fit that finds known ends."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from trustkit.metrics import clever
from trustkit.metrics.robustness import _ball, _end_points, _end_points_art
from trustkit.rng import stream

FITS: tuple[Literal["mle", "art"], ...] = ("mle", "art")
RNG = stream(0, "test", "robustness")
W, B = RNG.standard_normal((6, 4)), RNG.standard_normal(4)
W1, B1, W2 = RNG.standard_normal((6, 12)) / 2, RNG.standard_normal(12) / 2, RNG.standard_normal((12, 3)) / 2
ROWS = RNG.standard_normal((5, 6))


def _linear(X: np.ndarray) -> np.ndarray:
    return np.asarray(X @ W + B)


def _linear_gradient(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights @ W.T)


def _network(X: np.ndarray) -> np.ndarray:
    return np.asarray(np.tanh(X @ W1 + B1) @ W2)


def _network_gradient(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(((weights @ W2.T) * (1 - np.tanh(X @ W1 + B1) ** 2)) @ W1.T)


@pytest.mark.parametrize("fit", FITS)
def test_linear_model_has_its_exact_distance(fit: Literal["mle", "art"]) -> None:
    """min over j of margin_j / ‖w_c − w_j‖, the distance to the nearest face of the cell."""
    scores = _linear(ROWS)
    best = scores.argmax(1)
    want = []
    for row, c in zip(scores, best, strict=True):
        others = [j for j in range(4) if j != c]
        want.append(min((row[c] - row[j]) / np.linalg.norm(W[:, c] - W[:, j]) for j in others))
    got = clever(_linear, _linear_gradient, ROWS, radius=50.0, fit=fit, batches=20, batch_size=20)
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_radius_caps_the_score() -> None:
    """No score exceeds the ball that was searched; a flat model gets exactly the radius."""
    got = clever(_linear, _linear_gradient, ROWS * 100, radius=0.5, batches=5, batch_size=10)
    np.testing.assert_array_equal(got, 0.5)
    flat = clever(lambda X: np.tile([1.0, 0.0], (len(X), 1)), lambda X, w: np.zeros(X.shape), ROWS, radius=3.0)
    np.testing.assert_array_equal(flat, 3.0)


def test_scores_follow_the_seed_and_not_the_other_rows() -> None:
    """Same seed, same numbers; a row alone scores as it does in company; another seed moves it a little."""
    together = clever(_network, _network_gradient, ROWS, seed=3)
    alone = clever(_network, _network_gradient, ROWS[2:3], seed=3)
    np.testing.assert_array_equal(alone, together[2:3])
    other = clever(_network, _network_gradient, ROWS, seed=4)
    assert not np.array_equal(other, together)
    np.testing.assert_allclose(other, together, rtol=0.15)


def test_no_smaller_change_fools_the_model_in_any_of_many_directions() -> None:
    """The score is an estimated lower bound: none of 20,000 changes of 95 % its length changes the class."""
    scores = clever(_network, _network_gradient, ROWS, radius=3.0)
    steps = _ball(stream(0, "attack"), 20_000, 6, 1.0)
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    for row, score in zip(ROWS, scores, strict=True):
        near = _network(row + 0.95 * score * steps).argmax(1)
        assert (near == _network(row[None]).argmax()).all()


def test_art_agrees() -> None:
    """ART's untargeted CLEVER with the same numbers of batches and points: within 10 %, other random points."""
    import torch
    from art.estimators.classification import PyTorchClassifier
    from art.metrics import clever_u

    layers = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Tanh(), torch.nn.Linear(12, 3, bias=False))
    values = {"0.weight": W1.T, "0.bias": B1, "2.weight": W2.T}
    layers.load_state_dict({name: torch.tensor(value, dtype=torch.float32) for name, value in values.items()})
    classifier = PyTorchClassifier(layers, torch.nn.CrossEntropyLoss(), (6,), 3)
    np.random.seed(0)  # noqa: NPY002 (ART draws from it)
    theirs = [clever_u(classifier, row.astype(np.float32), 20, 40, 0.5, 2, pool_factor=5) for row in ROWS[:3]]
    for fit in FITS:
        ours = clever(
            _network, _network_gradient, ROWS[:3], radius=0.5, batches=20, batch_size=40, pool_factor=5, fit=fit
        )
        np.testing.assert_allclose(ours, theirs, rtol=0.1)


def test_points_fill_the_ball_evenly() -> None:
    """All within the radius; in 3 dimensions half the radius holds an eighth; no direction is preferred."""
    points = _ball(stream(0, "ball"), 20_000, 3, 2.0)
    length = np.linalg.norm(points, axis=1)
    assert length.max() <= 2.0
    assert np.mean(length < 1.0) == pytest.approx(1 / 8, abs=0.01)
    np.testing.assert_allclose(points.mean(0), 0, atol=0.03)


@pytest.mark.parametrize(("shape", "tolerance"), [(1.5, 0.03), (2.5, 0.08), (4.0, 0.15), (8.0, 0.15)])
def test_fit_finds_a_known_end(shape: float, tolerance: float) -> None:
    """200 samples of 50 maxima that end at 2: root mean square error of the end point, and hardly any bias."""
    ends = _end_points(2 - 0.3 * stream(0, "fit").weibull(shape, (200, 50)))
    assert np.sqrt(np.mean((ends - 2) ** 2)) < tolerance
    assert abs(ends.mean() - 2) < tolerance / 2


def test_fit_is_not_less_likely_than_scipys() -> None:
    """The mean log likelihood at our end point is at least SciPy's, whenever SciPy's shape is at least 1."""
    from scipy.stats import weibull_min

    sample = 2 - 0.3 * stream(1, "fit").weibull(2.5, (10, 50))
    for row, ours, theirs in zip(sample, _end_points(sample), _end_points_art(sample), strict=True):
        best = []
        for end in (ours, theirs):
            shape, _, scale = weibull_min.fit(end - row, floc=0)
            best.append(weibull_min.logpdf(end - row, shape, 0, scale).sum() if shape >= 1 else -np.inf)
        assert best[0] >= best[1] - 0.01


def test_fit_moves_with_its_sample() -> None:
    """The end of a + b·x is a + b times the end of x."""
    sample = 2 - 0.3 * stream(2, "fit").weibull(2.0, (4, 30))
    np.testing.assert_allclose(_end_points(5 + 3 * sample), 5 + 3 * _end_points(sample), rtol=1e-9)


def test_what_does_not_fit_is_refused() -> None:
    """Shapes, radii, counts and fits are named; no rows give no scores."""
    with pytest.raises(ValueError, match="X must be a matrix of rows"):
        clever(_linear, _linear_gradient, ROWS[0])
    with pytest.raises(ValueError, match="radius must be above 0, got 0"):
        clever(_linear, _linear_gradient, ROWS, radius=0)
    with pytest.raises(ValueError, match="batches must be at least 1, got 0"):
        clever(_linear, _linear_gradient, ROWS, batches=0)
    with pytest.raises(ValueError, match="fit must be 'mle' or 'art', got 'ml'"):
        clever(_linear, _linear_gradient, ROWS, fit="ml")  # type: ignore[arg-type]
    assert clever(_linear, _linear_gradient, ROWS[:0]).shape == (0,)
