"""Expected gradients against shap, and the laws that attributions obey."""

from __future__ import annotations

import numpy as np
import pytest

from trustkit.metrics import shap_importance, shap_values
from trustkit.rng import stream

RNG = stream(0, "test", "explainability")
W = RNG.standard_normal((5, 3))
W1, B1, W2 = RNG.standard_normal((5, 16)), RNG.standard_normal(16) / 2, RNG.standard_normal((16, 3)) / 2
X, BACKGROUND = RNG.standard_normal((30, 5)), RNG.standard_normal((20, 5)) + 0.5


def _linear(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows @ W)


def _linear_gradient(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights @ W.T)


def _network(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(rows @ W1 + B1, 0) @ W2)


def _network_gradient(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(((weights @ W2.T) * (rows @ W1 + B1 > 0)) @ W1.T)


def _softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True))


def test_linear_model_has_shaps_closed_form() -> None:
    """shap's LinearExplainer: w_i (x_i − mean of the background), for the predicted class."""
    import shap

    chosen = _linear(X).argmax(1)
    by_class = np.stack([shap.LinearExplainer((W[:, c], 0.0), BACKGROUND).shap_values(X) for c in range(3)])
    want = by_class[chosen, np.arange(30)]
    got = shap_values(_linear, _linear_gradient, X, BACKGROUND, draws=40, output="margin")
    np.testing.assert_allclose(got, want, atol=1e-9)
    importance = shap_importance(_linear, _linear_gradient, X, BACKGROUND, draws=20, output="margin")
    np.testing.assert_allclose(importance, np.abs(want).mean(0), atol=1e-9)


def test_gradient_explainer_agrees_on_a_network() -> None:
    """shap's GradientExplainer with 600 draws: correlation of single values at least 0.98, of importances 0.99."""
    import shap
    import torch

    layers = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3, bias=False))
    values = {"0.weight": W1.T, "0.bias": B1, "2.weight": W2.T}
    layers.load_state_dict({name: torch.tensor(value, dtype=torch.float32) for name, value in values.items()})
    background, rows = (torch.tensor(part, dtype=torch.float32) for part in (BACKGROUND, X))
    theirs = np.asarray(shap.GradientExplainer(layers, background).shap_values(rows, nsamples=600, rseed=0))
    chosen = np.take_along_axis(theirs, _network(X).argmax(1)[:, None, None], axis=2)[..., 0]
    ours = shap_values(_network, _network_gradient, X, BACKGROUND, draws=200, output="margin")
    assert np.corrcoef(ours.ravel(), chosen.ravel())[0, 1] > 0.98
    importance = shap_importance(_network, _network_gradient, X, BACKGROUND, draws=200, output="margin")
    assert np.corrcoef(importance, np.abs(chosen).mean(0))[0, 1] > 0.99


@pytest.mark.parametrize("output", ["margin", "probability"])
def test_attributions_add_up_to_what_is_explained(output: str) -> None:
    """Completeness: the values of a row sum to its output minus the background's mean output."""
    got = shap_values(_network, _network_gradient, X, BACKGROUND, draws=2000, output=output)  # type: ignore[arg-type]
    chosen = _network(X).argmax(1)
    at, base = _network(X), _network(BACKGROUND)
    if output == "probability":
        at, base = _softmax(at), _softmax(base)
    want = at[np.arange(30), chosen] - base.mean(0)[chosen]
    np.testing.assert_allclose(got.sum(1), want, atol=0.04 if output == "probability" else 0.02 * np.abs(want).max())


def test_a_feature_that_is_never_read_has_no_importance() -> None:
    """The dummy law, exactly; and the seed decides."""

    def logits(rows: np.ndarray) -> np.ndarray:
        return _network(np.where(np.arange(5) == 2, 0.0, rows))

    def gradient(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        inner = _network_gradient(np.where(np.arange(5) == 2, 0.0, rows), weights)
        return np.where(np.arange(5) == 2, 0.0, inner)

    first = shap_importance(logits, gradient, X, BACKGROUND, draws=10, seed=1)
    assert first[2] == 0
    assert (np.delete(first, 2) > 0).all()
    np.testing.assert_array_equal(first, shap_importance(logits, gradient, X, BACKGROUND, draws=10, seed=1))
    assert not np.array_equal(first, shap_importance(logits, gradient, X, BACKGROUND, draws=10, seed=2))


def test_what_does_not_fit_is_refused() -> None:
    """Shapes, draws and outputs are named."""
    with pytest.raises(ValueError, match=r"rows of equal length, got shapes \(30, 5\) and \(20, 4\)"):
        shap_values(_linear, _linear_gradient, X, BACKGROUND[:, :4])
    with pytest.raises(ValueError, match="draws must be at least 1, got 0"):
        shap_values(_linear, _linear_gradient, X, BACKGROUND, draws=0)
    with pytest.raises(ValueError, match="output must be 'probability' or 'margin', got 'logit'"):
        shap_values(_linear, _linear_gradient, X, BACKGROUND, output="logit")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one row"):
        shap_importance(_linear, _linear_gradient, X[:0], BACKGROUND)
