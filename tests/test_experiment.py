"""Experiments: names and numbers that fix a run, checked when they are made."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit import jsonfile
from trustkit.catalogue import ALGORITHMS, DATASETS, SPLITS, use
from trustkit.experiment import Experiment

ROWS = {"data": "breast_cancer", "split": "dirichlet", "model": "logistic"}


def _rows(**changes: Any) -> Experiment:
    return Experiment(**{**ROWS, **changes})


@st.composite
def _experiments(draw: st.DrawFn) -> Experiment:
    privacy = draw(
        st.sampled_from([None, "gaussian", use("gaussian", epsilon=None, noise=1.5), use("gaussian", epsilon=2)])
    )
    split = use("dirichlet", parties=draw(st.integers(2, 100)), alpha=draw(st.floats(0.01, 100)))
    hidden = draw(st.lists(st.integers(1, 512), max_size=3))
    return _rows(split=split, model=use("mlp", hidden=hidden), privacy=privacy, rounds=draw(st.integers(1, 99)),
                 participation=draw(st.floats(0.01, 1)), seed=draw(st.integers(-(2**60), 2**60)))  # fmt: skip


@given(_experiments())
def test_an_experiment_goes_through_dict_json_toml_and_pickle(experiment: Experiment) -> None:
    """And stays equal: equal hash, equal key, equal text."""
    via_json = Experiment.from_dict(jsonfile.loads(jsonfile.dumps(experiment.to_dict())))
    via_toml = Experiment.from_toml(experiment.to_toml())
    for back in (via_json, via_toml, pickle.loads(pickle.dumps(experiment)), copy.deepcopy(experiment)):
        assert back == experiment
        assert hash(back) == hash(experiment)
        assert back.key == experiment.key
    assert via_toml.to_toml() == experiment.to_toml()


@given(_experiments(), _experiments())
def test_equal_experiments_have_equal_keys_and_only_they(a: Experiment, b: Experiment) -> None:
    """The key stands for the experiment."""
    assert (a.key == b.key) == (a == b)


def test_the_key_sees_through_spelling() -> None:
    """A default that is spelt out, another order, 1 for 1.0, a list for a tuple: the same experiment."""
    plain = _rows()
    spelt = {part.name: part.default for part in SPLITS["dirichlet"].parameters}
    assert len(plain.key) == 64
    assert _rows(split=use("dirichlet", **spelt)).key == plain.key
    assert _rows(split=use("dirichlet", **dict(reversed(spelt.items())))).key == plain.key
    assert _rows(algorithm=use("fedavg"), participation=1, seed=0).key == plain.key
    assert _rows(algorithm=use("fedavg", selector="random")).key == plain.key
    assert _rows(algorithm=use("fedavg", selector="fair")).key != plain.key
    assert _rows(split=use("dirichlet", alpha=1)).key == _rows(split=use("dirichlet", alpha=1.0)).key
    assert _rows(model=use("mlp", hidden=[8])).key == _rows(model=use("mlp", hidden=(8,))).key
    turned = dict(reversed(plain.to_dict().items()))
    assert Experiment.from_dict(turned).key == plain.key


@pytest.mark.parametrize(
    "changes", [{"seed": 1}, {"rounds": 21}, {"participation": 0.5}, {"privacy": "gaussian"}, {"model": "mlp"},
                {"algorithm": "fedmedian"}, {"data": "digits"}, {"split__alpha": 0.6}],
)  # fmt: skip
def test_whatever_changes_a_result_changes_the_key(changes: dict[str, Any]) -> None:
    """Each part of it."""
    assert _rows().change(**changes).key != _rows().key


def test_toml_says_none_where_none_is_not_the_default() -> None:
    """TOML has no None: noise instead of ε must come back as that, not as the default ε."""
    experiment = _rows(privacy=use("gaussian", epsilon=None, noise=1.5))
    text = experiment.to_toml()
    assert 'epsilon = "none"' in text
    back = Experiment.from_toml(text)
    assert back.privacy is not None
    assert back.privacy.args["epsilon"] is None
    assert "noise" not in _rows(privacy="gaussian").to_toml()


def test_toml_of_a_file_with_a_name() -> None:
    """The data set's own name is not that of the entry."""
    experiment = _rows(data=use("csv", path="p.csv", target="paid", name="people"))
    assert Experiment.from_toml(experiment.to_toml()) == experiment


def test_toml_by_hand() -> None:
    """A name alone is enough where the defaults will do."""
    text = 'data = "breast_cancer"\nmodel = "logistic"\nrounds = 3\n[split]\nname = "dirichlet"\nalpha = 1\n'
    assert Experiment.from_toml(text) == _rows(split=use("dirichlet", alpha=1.0), rounds=3)
    assert jsonfile.dumps(_rows().to_dict())


def test_change() -> None:
    """Parts and arguments of parts; the old experiment stays."""
    experiment = _rows()
    changed = experiment.change(split__alpha=2, seed=3, model=use("mlp", hidden=[8]), model__hidden=[4])
    assert changed.split.args["alpha"] == 2.0
    assert changed.seed == 3
    assert changed.model is not None
    assert changed.model.args["hidden"] == (4,)
    assert experiment == _rows()


def test_axes() -> None:
    """What is divided follows from the split."""
    assert _rows().axis == "rows"
    assert Experiment("breast_cancer", "correlation", "splitnn").axis == "columns"


COLUMNS = {"split": "correlation", "algorithm": "splitnn", "model": None}


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"rounds": 0}, ValueError, "rounds must be at least 1, got 0"),
        ({"rounds": 2.0}, TypeError, "rounds must be a whole number, got 2.0"),
        ({"rounds": True}, TypeError, "rounds must be a whole number, got True"),
        ({"seed": "x"}, TypeError, "seed must be a whole number, got 'x'"),
        ({"participation": 0}, ValueError, "participation must be above 0 and at most 1, got 0"),
        ({"participation": 1.5}, ValueError, "participation must be above 0 and at most 1, got 1.5"),
        ({"participation": float("nan")}, ValueError, "participation must be above 0 and at most 1, got nan"),
        ({"participation": "half"}, TypeError, "participation must be a number, got 'half'"),
        ({"data": 3}, TypeError, "a part of an experiment must be a name or a use, got 3"),
        ({"model": None}, ValueError, "model must be given for fedavg; known are logistic, mlp, convnet"),
        ({"split": use("dirichlet", parties=1)}, ValueError, "dirichlet: parties must be between 2 and 100, got 1"),
        ({"algorithm": use("fedavg", eta=1)}, ValueError,
         "fedavg has no parameter 'eta'; it takes lr, epochs, batch, selector"),
        ({**COLUMNS, "model": "mlp"}, ValueError, "splitnn brings its own model, got model='mlp'"),
        ({**COLUMNS, "participation": 0.5}, ValueError, "participation must be 1 across columns, got 0.5"),
        ({**COLUMNS, "privacy": "gaussian"}, ValueError,
         "splitnn trains without a privacy mechanism, got 'gaussian'"),
    ],
)  # fmt: skip
def test_errors(changes: dict[str, Any], error: type[Exception], text: str) -> None:
    """When it is made, and in words that name the thing, the rule and the value."""
    with pytest.raises(error) as caught:
        _rows(**changes)
    assert caught.value.args == (text,)


def test_a_wrong_name_lists_the_right_ones() -> None:
    """And offers the nearest."""
    with pytest.raises(KeyError) as caught:
        _rows(data="brest_cancer")
    known = ", ".join(DATASETS)
    assert caught.value.args == (
        f"there is no data set 'brest_cancer'; did you mean 'breast_cancer'? known are {known}",
    )


def test_algorithm_and_split_must_be_over_the_same_axis() -> None:
    """The message lists what would fit."""
    rows = ", ".join(name for name, entry in ALGORITHMS.items() if entry.axis == "rows")
    columns = ", ".join(name for name, entry in ALGORITHMS.items() if entry.axis == "columns")
    with pytest.raises(ValueError, match="splits rows") as caught:
        _rows(algorithm="splitnn", model=None)
    assert (
        str(caught.value) == f"splitnn trains across columns, but dirichlet splits rows; across rows there are {rows}"
    )
    with pytest.raises(ValueError, match="splits columns") as caught:
        _rows(split="correlation")
    assert str(caught.value) == (
        f"fedavg trains across rows, but correlation splits columns; across columns there are {columns}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data = ", "Invalid value"),
        ('split = "iid"', "an experiment needs data, got only split"),
        ("", "an experiment needs data, got only nothing"),
        (
            'data = "wine"\nsplit = "iid"\ncolour = "red"',
            "an experiment has no part 'colour'; it has data, split, algorithm, ",
        ),
        ('split = "iid"\n[data]\npath = "x.csv"', "a use needs a name, got {'path': 'x.csv'}"),
    ],
)
def test_bad_toml(text: str, message: str) -> None:
    """A ValueError in one line, whatever is wrong with it."""
    with pytest.raises(ValueError) as caught:
        Experiment.from_toml(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_change_errors() -> None:
    """An unknown part, an argument of a part that is not set, an argument that does not exist."""
    with pytest.raises(ValueError, match=r"^an experiment has no part 'splits'; it has data, split, "):
        _rows().change(splits__alpha=1)
    with pytest.raises(ValueError, match=r"^privacy is not set, so privacy__epsilon cannot be changed$"):
        _rows().change(privacy__epsilon=1)
    with pytest.raises(ValueError, match=r"^dirichlet has no parameter 'beta'; it takes "):
        _rows().change(split__beta=1)
