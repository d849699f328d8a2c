"""What a snapshot varies, and what it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from trustkit.baking.varying import Setting, compared, varied
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.rounds import grid

START = Experiment("wine", use("dirichlet", parties=3, min_rows=10), "fedavg", "logistic", rounds=2)


def test_epsilon_of_a_run_that_is_not_private_adds_noise() -> None:
    """And "off" is the run as it was."""
    for name in ("epsilon", "privacy.epsilon", "privacy__epsilon"):
        settings, wanted = varied(START, {name: [0.5, 8, "off"]})
        assert settings == [Setting("privacy: ε", ("0.5", "8", "off"))]
        assert wanted == [
            START.change(privacy=use("gaussian", epsilon=0.5)),
            START.change(privacy=use("gaussian", epsilon=8)),
            START,
        ]


def test_epsilon_of_a_private_run_keeps_the_rest() -> None:
    """The mechanism and its other arguments stay."""
    private = START.change(privacy=use("gaussian", epsilon=3.0, delta=1e-6))
    _, wanted = varied(private, {"epsilon": [1.0]})
    assert wanted == [START.change(privacy=use("gaussian", epsilon=1.0, delta=1e-6))]


def test_two_settings_have_a_slider_each() -> None:
    """The last varies fastest; parts are changed before arguments, whatever comes first."""
    settings, wanted = varied(
        START, {"algorithm.lr": [0.01, 0.1], "algorithm": ["fedavg", "fedprox"], "rounds": [1, 3]}
    )
    assert [setting.labels for setting in settings] == [("0.01", "0.1"), ("fedavg", "fedprox"), ("1", "3")]
    assert len(wanted) == 8
    seen = [(each.algorithm.args["lr"], each.algorithm.name, each.rounds) for each in wanted]
    assert seen[:4] == [(0.01, "fedavg", 1), (0.01, "fedavg", 3), (0.01, "fedprox", 1), (0.01, "fedprox", 3)]


def test_experiments_that_exist_are_called_by_what_sets_them_apart() -> None:
    """Their arguments, or their parts."""
    settings, wanted = compared(grid(START, seed=[0, 1], algorithm=["fedavg", "fedprox"]))
    assert settings[0].labels[1] == "algorithm fedprox, seed 0"
    assert len(wanted) == 4
    assert compared([START])[0] == [Setting("experiment", ("run",))]
    private = compared([START, START.change(privacy=use("gaussian", epsilon=2.0))])[0][0].labels
    assert private == ("privacy off", "privacy gaussian")
    noisy = [START.change(privacy=use("gaussian", epsilon=each)) for each in (1.0, 2.0)]
    assert compared(noisy)[0][0].labels == ("privacy: ε 1", "privacy: ε 2")


@pytest.mark.parametrize(
    ("over", "text"),
    [
        ({}, "over must name at least one setting, as privacy.epsilon, got none"),
        ({"rounds": []}, "rounds must have at least one value, got none"),
        ({"rounds": [1, 1]}, "values of rounds must differ, got 1, 1"),
        ({"rounds": range(1, 202)}, "a snapshot must have at most 200 combinations, got 201"),
        ({"nothing": [1]}, "no experiment with nothing 1: an experiment has no part 'nothing'"),
        ({"attack.share": [0.5]}, "no experiment with attack.share 0.5: attack is not set"),
        ({"rounds": [0]}, "no experiment with rounds 0: rounds must be"),
        ({"split": ["off"]}, "no experiment with split off: "),
    ],
)
def test_what_does_not_fit_is_refused(over: Mapping[str, Sequence[Any]], text: str) -> None:
    """One sentence that names the setting and the value."""
    with pytest.raises(ValueError) as caught:
        varied(START, over)
    assert str(caught.value).startswith(text)


def test_experiments_that_are_none() -> None:
    """None, or one of them twice."""
    with pytest.raises(ValueError, match="a snapshot must have 1 to 200 experiments, got 0"):
        compared([])
    with pytest.raises(ValueError, match="experiments of a snapshot must differ, got one of them twice"):
        compared([START, START])
