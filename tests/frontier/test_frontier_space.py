"""What may vary is read off the catalogues, and becomes experiments that differ in just that."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.catalogue import ALGORITHMS, use
from trustkit.experiment import Experiment
from trustkit.frontier import differences, space_of
from trustkit.frontier.varied import Varied

START = Experiment("breast_cancer", use("dirichlet", parties=4), use("fedavg", lr=0.02, batch=16), "logistic",
                   rounds=8, participation=0.5, seed=3)  # fmt: skip
PRIVATE = START.change(privacy=use("gaussian", epsilon=6.0))
COLUMNS = Experiment("letter", use("uniform", parties=4), "splitnn", rounds=5)


def test_the_usual_things() -> None:
    """All algorithms of the axis, the selectors, ε, participation and rounds; across columns what there is."""
    usual = {each.name: each for each in space_of(START).varied}
    assert list(usual) == ["algorithm", "algorithm__selector", "privacy", "privacy__epsilon", "participation", "rounds"]
    assert set(usual["algorithm"].options) == {name for name, entry in ALGORITHMS.items() if entry.axis == "rows"}
    assert usual["algorithm__selector"].options == ("random", "size", "loss", "reputation", "fair")
    assert usual["privacy"].options[0] is None
    assert (usual["privacy__epsilon"].low, usual["privacy__epsilon"].high, usual["privacy__epsilon"].log) == (
        0.5, 20, True)  # fmt: skip
    assert (usual["rounds"].low, usual["rounds"].high, usual["rounds"].whole) == (2, 16, True)
    assert [each.name for each in space_of(COLUMNS).varied] == ["rounds", "algorithm__lr"]
    noisy = START.change(privacy=use("gaussian", epsilon=None, noise=1.0))
    assert "privacy__epsilon" not in {each.name for each in space_of(noisy).varied}


def test_ranges_come_from_the_signatures() -> None:
    """Interval, log, whole numbers, choices and truths, as the catalogue says."""
    space = space_of(PRIVATE, ["algorithm__lr", "algorithm__epochs", "privacy__level", "secure", "privacy__epsilon"])
    rate, epochs, level, secure, epsilon = space.varied
    assert (rate.log, rate.whole, epochs.whole) == (True, False, True)
    assert level.options == ("example", "client")
    assert secure.options == (False, True)
    assert (epsilon.low, epsilon.high) == (0.1, 50)
    interval = next(p.interval for p in ALGORITHMS["fedavg"].parameters if p.name == "lr")
    assert interval is not None
    assert (rate.low, rate.high) == (interval.low, interval.high)


def test_another_algorithm_keeps_what_both_describe_alike() -> None:
    """The step size stays, the selector too; a share of malicious clients is another thing for another rule."""
    space = space_of(START, {"algorithm": ["fedavg", "krum"], "algorithm__selector": None})
    changed = space.experiment({"algorithm": "krum", "algorithm__selector": "fair"})
    assert changed.algorithm.args["lr"] == 0.02
    assert changed.algorithm.args["batch"] == 16
    assert differences(START, changed) == ("algorithm: fedavg → krum", "algorithm selector: random → fair")
    krum = START.change(algorithm=use("krum", share=0.4))
    other = space_of(krum, {"algorithm": ["bulyan"]}).experiment({"algorithm": "bulyan"})
    assert other.algorithm.args["share"] == 0.1
    assert differences(krum, other)[0] == "algorithm: krum → bulyan"


def test_what_has_no_effect_is_the_same_experiment() -> None:
    """ε without privacy; the start's own values."""
    space = space_of(START, {"privacy": [None, "gaussian"], "privacy__epsilon": (0.5, 20.0)})
    bare = [space.experiment({"privacy": None, "privacy__epsilon": epsilon}) for epsilon in (1.0, 2.0)]
    assert bare == [START, START]
    private = space.experiment({"privacy": "gaussian", "privacy__epsilon": 2.0})
    assert private.privacy is not None
    assert private.privacy.args["epsilon"] == 2
    assert differences(START, private, ["privacy__epsilon"]) == ("privacy: none → gaussian (epsilon=2)",)
    assert differences(START, START) == ()
    assert differences(private, START) == ("privacy: gaussian → none",)
    assert differences(START, START.change(secure=True)) == ("secure: no → yes",)


@given(st.floats(0, 1), st.floats(0.01, 10), st.floats(0.01, 10), st.booleans(), st.booleans())
def test_a_place_is_a_value_of_the_range(place: float, low: float, width: float, log: bool, whole: bool) -> None:
    """Inside its ends, read back within what two digits leave."""
    low, high = (round(low) + 1, round(low) + 1 + round(width + 1)) if whole else (low, low + width)
    varied = Varied("x", (), low, high, log, whole)
    value = varied.value(place)
    assert low <= value <= high
    assert isinstance(value, int if whole else float)
    again = varied.value(varied.place(value))
    assert again == value or abs(again - value) <= 0.06 * value


def test_the_start_has_a_place() -> None:
    """Its values lead back to it where the range holds them."""
    space = space_of(PRIVATE, {"algorithm": ["krum", "fedavg"], "participation": (0.1, 0.9), "rounds": (4, 12)})
    assert space.places() == {"algorithm": 1, "participation": pytest.approx(0.5), "rounds": 0.5}
    assert space.experiment(space.at(space.places())) == PRIVATE
    assert space.size == float("inf")
    assert space_of(START, {"algorithm": ["krum", "fedavg"], "rounds": (4, 6)}).size == 6
    assert len(list(space_of(START, {"algorithm": ["krum", "fedavg"], "rounds": (4, 6)}).grid())) == 6


@pytest.mark.parametrize(
    ("vary", "error", "words"),
    [
        ({}, ValueError, "vary must name at least one thing, got none"),
        ({"speed": [1]}, ValueError, "an experiment has no part 'speed'"),
        ({"data": None}, ValueError, "vary must leave the data as it is, since accuracy on other data"),
        ({"seed": [1, 2]}, ValueError, "vary must leave the seed as it is, since seeds=3 repeats each run"),
        ({"algorithm": ["fedavgg"]}, KeyError, "did you mean 'fedavg'"),
        ({"algorithm": "krum"}, ValueError, r"algorithm must vary over a list of values or a range .*, got 'krum'"),
        ({"algorithm": []}, ValueError, "algorithm must vary over a list"),
        ({"algorithm": [None]}, ValueError, "algorithm must be given, got None"),
        ({"algorithm__lr": (0.0, 0.1)}, ValueError, "lr must be between"),
        ({"algorithm__lr": (0.1, 0.01)}, ValueError, r"algorithm__lr must vary from a lower to a higher number, got"),
        ({"privacy__epsilon": None}, ValueError, "privacy__epsilon has no effect: privacy is not set"),
        ({"algorithm__mu": None}, ValueError, "algorithm__mu has no effect: fedavg takes no mu"),
        ({"rounds__x": None}, ValueError, "rounds takes no arguments, got rounds__x"),
        ({"participation": (0.0, 1.0)}, ValueError, "participation must be above 0"),
        ({"rounds": (0, 5)}, ValueError, "rounds must be at least 1, got 0"),
        ({"secure": ["perhaps"]}, TypeError, "secure must be true or false, got 'perhaps'"),
    ],
)  # fmt: skip
def test_what_cannot_vary_is_refused(vary: dict[str, Any], error: type[Exception], words: str) -> None:
    """Before anything is played, in one sentence."""
    with pytest.raises(error, match=words):
        space_of(START, vary)
