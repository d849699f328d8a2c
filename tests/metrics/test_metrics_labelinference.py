"""Label inference against values by hand, exact protocols, and guessing where nothing is to be found."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from trustkit.metrics import completion_attack, direction_attack, label_floor, norm_attack, residual_attack
from trustkit.rng import stream


def softmax_gradients(n: int, classes: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return gradients of cross-entropy by an embedding below a linear layer, (p − onehot) W, labels and residuals."""
    drawn = stream(3, "test", "gradients")
    y = drawn.integers(0, classes, n)
    p = drawn.dirichlet(np.ones(classes), n)
    residual = np.eye(classes)[y] - p
    return -residual @ drawn.standard_normal((classes, width)), y, residual


def test_norm_attack_by_hand() -> None:
    """Lengths 5, 1, 2, 5: the rare rows are the first and the last; of 4 pairs all are in order."""
    g = np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 2.0], [5.0, 0.0], [0.0, 5.0]])
    assert norm_attack(g[:4], [1, 0, 0, 1]) == 1.0
    # rare rows 1 (length 1) and 0 (length 5) against 2, 3, 4 (lengths 2, 5, 5): 1 pair right, 2 ties of six pairs
    assert norm_attack(g, ["r", "r", "c", "c", "c"]) == pytest.approx((1 + 2 / 2) / 6)
    with pytest.raises(ValueError, match="labels must have two values for the norm attack, got 3"):
        norm_attack(g, [0, 1, 2, 0, 1])


def test_norm_attack_is_an_area_under_the_curve() -> None:
    """As scikit-learn computes it; independent lengths are guessed."""
    drawn = stream(5, "test", "norm")
    y = (drawn.random(2000) < 0.2).astype(int)
    g = drawn.standard_normal((2000, 6))
    assert norm_attack(g, y) == pytest.approx(roc_auc_score(y, np.linalg.norm(g, axis=1)), abs=1e-12)
    assert abs(norm_attack(g, y) - 0.5) < 0.04
    assert norm_attack(g * (1 + 4 * y[:, None]), y) > 0.95


def test_residuals_tell_every_label() -> None:
    """1 − p_y ≥ 0 ≥ −p_c: exact whatever the model, with one score and with many."""
    _, y, residual = softmax_gradients(300, 5, 4)
    assert residual_attack(residual, y) == 1.0
    binary = (y > 2).astype(int)
    assert residual_attack((binary - stream(1).random(300))[:, None], binary) == 1.0
    assert np.isnan(residual_attack(np.zeros((0, 2)), []))


def test_directions_tell_labels_through_a_linear_layer() -> None:
    """With two classes all gradients lie on one line, one way a class; noise is guessed."""
    g, y, _ = softmax_gradients(400, 2, 8)
    known = np.zeros(400, bool)
    known[[np.flatnonzero(y == c)[0] for c in (0, 1)]] = True
    assert direction_attack(g, y, known) == 1.0
    noise = stream(8).standard_normal((2000, 8))
    drawn, some = stream(9).integers(0, 4, 2000), np.arange(2000) < 40
    assert abs(direction_attack(noise, drawn, some) - 0.25) < 0.05
    assert np.isnan(direction_attack(g, y, np.ones(400, bool)))


def test_completion_needs_something_to_complete() -> None:
    """Well separated classes are named from two rows each; noise lands at the floor; one known class names itself."""
    drawn = stream(2, "test", "completion")
    y = drawn.integers(0, 3, 600)
    x = 6 * np.eye(3)[y] + drawn.standard_normal((600, 3))
    known = np.zeros(600, bool)
    for c in range(3):
        known[np.flatnonzero(y == c)[:2]] = True
    assert completion_attack(x, y, known) > 0.95
    assert abs(completion_attack(drawn.standard_normal((600, 3)), y, known) - 1 / 3) < 0.08
    one = np.arange(600) == np.flatnonzero(y == 1)[0]
    assert completion_attack(x, y, one) == pytest.approx((y[~one] == 1).mean())


def test_the_floor_is_the_commonest_class() -> None:
    """2 of 3; nothing of nothing."""
    assert label_floor(["a", "b", "a"]) == pytest.approx(2 / 3)
    assert np.isnan(label_floor([]))


@pytest.mark.parametrize("attack", [direction_attack, completion_attack])
def test_what_does_not_fit_is_refused(attack: object) -> None:
    """Shapes, NaN, and nobody known."""
    x, y, known = np.ones((4, 2)), [0, 1, 0, 1], np.array([True, True, False, False])
    call = attack if callable(attack) else None
    assert call is not None
    for bad, words in ((x[0], "must be a matrix"), (x * np.nan, "must be finite")):
        with pytest.raises(ValueError, match=words):
            call(bad, y, known)
    with pytest.raises(ValueError, match="labels must be one for each of the 4 rows"):
        call(x, y[:2], known)
    with pytest.raises(ValueError, match="known must be a flag for each"):
        call(x, y, [0, 1])
    with pytest.raises(ValueError, match="known must have at least one row, got none"):
        call(x, y, np.zeros(4, bool))
