"""What attackers learn with, against scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import r2_score
from sklearn.neural_network import MLPRegressor

from trustkit.metrics.learnt import learnt_classes, learnt_network, learnt_ridge
from trustkit.rng import stream

DRAWN = stream(6, "test", "learnt")
X = DRAWN.standard_normal((120, 9))
Y = X @ DRAWN.standard_normal((9, 3)) + np.array([0.1, 1.0, 5.0]) * DRAWN.standard_normal((120, 3)) + 4


def test_ridge_is_ridge_with_the_strength_that_leaving_one_out_chooses() -> None:
    """Each target has its own; also with more columns than rows."""
    for rows in (80, 6):
        theirs = RidgeCV(np.logspace(-8, 4, 13), alpha_per_target=True).fit(X[:rows], Y[:rows]).predict(X[80:])
        assert np.allclose(learnt_ridge(X[:rows], Y[:rows], X[80:]), theirs, rtol=1e-4, atol=1e-4), rows


def test_classes_are_those_of_logistic_regression() -> None:
    """Two and four classes, named as they are."""
    for classes in (2, 4):
        y = np.array(list("abcd"))[np.argsort(np.argsort(Y[:, 1])) * classes // 120]
        model = LogisticRegression(max_iter=1000).fit(X[:80], y[:80])
        assert (learnt_classes(X[:80], y[:80], X[80:]) == model.predict(X[80:])).mean() >= 0.95


def test_a_network_is_as_good_as_scikit_learn_s() -> None:
    """Of a bent function, on rows that were not seen; the same seed gives the same network."""
    y = np.abs(X[:, :2]) - 0.8
    mine = learnt_network(X[:90], y[:90], X[90:], 1)
    model = MLPRegressor(hidden_layer_sizes=(32,), solver="lbfgs", alpha=1.0, max_iter=80, random_state=0)
    theirs = model.fit(X[:90], y[:90]).predict(X[90:])
    assert r2_score(y[90:], mine) > r2_score(y[90:], theirs) - 0.2
    assert np.array_equal(mine, learnt_network(X[:90], y[:90], X[90:], 1))
    assert not np.array_equal(mine, learnt_network(X[:90], y[:90], X[90:], 2))
