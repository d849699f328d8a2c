"""Data sets that are changed on purpose and can be named: the same as changing them by hand, in an experiment too."""

from __future__ import annotations

import numpy as np
import pytest

import trustkit as tk
from trustkit import use
from trustkit.data import Dataset
from trustkit.injected import injected_of
from trustkit.split import Target, by_group, concept_shift, dirichlet, feature_noise, inject_bias

OF = "acs_employment"
OWN = use("by_group", group="client")


def by_client(data: Dataset, k: str) -> np.ndarray:
    """Return the rows of a client."""
    return np.flatnonzero(data.groups["client"].astype(str) == k)


def test_flipped_labels_are_those_of_an_injection() -> None:
    """Label by label; held-out labels and all features stay; half of the four years is changed."""
    plain = tk.datasets.load(OF)
    clients = by_group(plain)
    wanted = [Target(range(2), "sex", 0.4)]
    done = inject_bias(plain, clients, wanted, operation="flip", seed=3)
    data = tk.datasets.load("flipped_labels", of=OF, attribute="sex", gap=0.4, draw=3)
    np.testing.assert_array_equal(data.y, done.data.y)
    np.testing.assert_array_equal(data.X, plain.X)
    np.testing.assert_array_equal(data.y[data.held_out], plain.y[plain.held_out])
    assert (data.y != plain.y).sum() == data.notes["bias"]["flipped"] > 0
    np.testing.assert_array_equal(data.groups["client"], np.array(clients.achieved["names"])[clients.owner])
    assert [each["achieved"] for each in data.notes["gaps"]] == [each.achieved for each in done.targets]
    assert data.provenance.source.endswith("(rows or labels changed on purpose)")


def test_an_experiment_names_them() -> None:
    """Written down and read again it is the same, and it trains on the changed labels."""
    data = use("flipped_labels", of=OF, attribute="sex", gap=0.5, share=1.0)
    exp = tk.Experiment(data, OWN, "fedavg", "logistic", rounds=2)
    assert tk.Experiment.from_toml(exp.to_toml()) == exp
    plain = tk.run(exp.change(data=use("flipped_labels", of=OF, attribute="sex", rest=1.0, share=0.0)))
    biased = tk.run(exp)
    gaps = [tk.disparities_of(record, "sex") for record in (plain, biased)]
    assert gaps[1] is not None
    assert gaps[0] is not None
    assert gaps[1].pooled > gaps[0].pooled + 0.1


@pytest.mark.parametrize("operation", ["flip", "drop"])
def test_what_was_put_in_is_told(operation: str) -> None:
    """By client: what was asked, what came of it, and how many rows it lost."""
    data = use("flipped_labels", of=OF, attribute="sex", gap=0.3, operation=operation)
    found = injected_of(tk.Experiment(data, OWN, "fedavg", "logistic"), "sex")
    assert found.asked[:2].tolist() == [0.3, 0.3]
    assert np.isnan(found.asked[2:]).all()
    assert found.achieved[:2] == pytest.approx(0.3, abs=0.01)
    assert (found.before[:2] < 0.2).all()
    assert (found.dropped[:2] > 0).all() == (operation == "drop")
    assert (found.dropped[2:] == 0).all()
    plain = tk.datasets.load(OF)
    clients = by_group(plain)
    assert found.rows.tolist() == [int(((clients.owner == k) & ~plain.held_out).sum()) for k in range(4)]
    other = injected_of(tk.Experiment(data, use("iid", parties=3), "fedavg", "logistic"), "sex")
    assert np.isnan(other.asked).all()


def test_noise_and_concepts_are_those_of_the_functions() -> None:
    """With clients by the same rule and draw."""
    plain = tk.datasets.load(OF)
    part = dirichlet(plain, 5, 0.3, seed=2)
    args = {"of": OF, "rule": "dirichlet", "parties": 5, "alpha": 0.3, "draw": 2}
    noisy = tk.datasets.load("noisy_features", sigma=0.7, **args)
    np.testing.assert_array_equal(noisy.X, feature_noise(plain, part, 0.7, 2).X)
    np.testing.assert_array_equal(noisy.groups["client"], part.owner)
    shifted = tk.datasets.load("shifted_concepts", amount=0.4, **args)
    np.testing.assert_array_equal(shifted.y, concept_shift(plain, part, 0.4, 2, 2).y)
    for data in (noisy, shifted):
        assert data.notes["altered"] == {"of": OF, "rule": "dirichlet", "draw": 2}
        np.testing.assert_array_equal(by_group(data, "client").owner, part.owner)


def test_arguments_of_the_data_set_that_is_changed() -> None:
    """As JSON; lists are lists."""
    text = '{"setting": "value-silo", "rows": 60, "one_hot": ["COW"]}'
    made = tk.datasets.load("noisy_features", of="feda4fair", options=text, sigma=0.0)
    want = tk.datasets.load("feda4fair", setting="value-silo", rows=60, one_hot=("COW",))
    assert made.columns == want.columns
    np.testing.assert_allclose(made.X, want.X)
    assert sorted(set(made.groups["client"].tolist())) == sorted(set(want.groups["client"].tolist()))
    assert by_client(made, "WY").size == by_client(want, "WY").size > 0


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("flipped_labels", {"of": "cse"}, "there is no data set 'cse'"),
        ("flipped_labels", {"of": "wine"}, "needs natural groups, and wine has none"),
        ("flipped_labels", {"of": "wine", "rule": "iid"}, "needs a protected attribute, got wine, which has none"),
        ("flipped_labels", {"attribute": "shoes"}, "has no protected attribute 'shoes'"),
        ("flipped_labels", {"gap": 1.0}, r"can reach a gap of at most 0\.\d+ for sex"),
        ("flipped_labels", {"operation": "turn"}, "operation must be"),
        ("noisy_features", {"options": "rows=3"}, "options must be a JSON object, got 'rows=3'"),
        ("noisy_features", {"options": "[1]"}, r"options must be a JSON object, got '\[1\]'"),
        ("noisy_features", {"options": '{"rows": 3}'}, "cces has no parameter 'rows'"),
        ("shifted_concepts", {"concepts": 3}, "concepts must be between 2 and 2, got 3"),
        ("shifted_concepts", {"amount": 2.0}, "amount must be between 0 and 1, got 2"),
    ],
)
def test_bad_input(name: str, wrong: dict[str, object], message: str) -> None:
    """One sentence."""
    with pytest.raises((KeyError, TypeError, ValueError), match=message):
        tk.datasets.load(name, **wrong)
