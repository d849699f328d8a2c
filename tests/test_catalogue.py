"""Catalogues and uses: names, arguments, defaults, and what is said when they do not fit."""

from __future__ import annotations

import copy
import pickle
from typing import Annotated, Any

import pytest
from hypothesis import given

from tests.strategies import uses
from trustkit import jsonfile
from trustkit.catalogue import Catalogue, Entry, Interval, Use, use


def _dirichlet(
    data: str,
    parties: Annotated[int, Interval(2, 100)] = 10,
    alpha: float = 0.5,
    sizes: tuple[int, ...] = (),
    seed: int = 0,
) -> tuple[Any, ...]:
    """Divide by a Dirichlet.

    More words.
    """
    return data, parties, alpha, sizes, seed


@pytest.fixture
def splits() -> Catalogue:
    """Return a catalogue with two entries."""
    catalogue = Catalogue("split")
    catalogue.enter("dirichlet", title="Label skew", axis="rows")(_dirichlet)
    catalogue.enter("by_group")(lambda data: data)
    return catalogue


@given(uses())
def test_a_use_goes_through_dict_json_and_pickle(wanted: Use) -> None:
    """And stays equal, with an equal hash, so that a worker process finds the same experiment."""
    via_json = Use.from_dict(jsonfile.loads(jsonfile.dumps(wanted.to_dict())))
    for back in (Use.from_dict(wanted.to_dict()), via_json, pickle.loads(pickle.dumps(wanted)), copy.deepcopy(wanted)):
        assert back == wanted
        assert hash(back) == hash(wanted)


@given(uses(), uses())
def test_equal_uses_have_equal_hashes(a: Use, b: Use) -> None:
    """Equality is that of the canonical text."""
    assert (a == b) == (jsonfile.canonical(a.to_dict()) == jsonfile.canonical(b.to_dict()))
    assert a != b or hash(a) == hash(b)


def test_a_use_is_a_value() -> None:
    """The order of arguments does not count, lists are tuples, and nobody can change it; 1 and 1.0 are told apart."""
    wanted = use("mlp", hidden=[64, 32], alpha=1)
    assert wanted == use("mlp", alpha=1, hidden=(64, 32))
    assert repr(wanted) == "use('mlp', alpha=1, hidden=[64, 32])"
    assert use("x", a=1) != use("x", a=1.0)
    assert use("x", a=float("nan")) == use("x", a=float("nan"))
    with pytest.raises(TypeError):
        wanted.args["alpha"] = 2  # type: ignore[index]
    changed = wanted.with_args(alpha=2)
    assert (wanted.args["alpha"], changed.args["alpha"]) == (1, 2)


def test_an_argument_may_be_called_name() -> None:
    """As that of a CSV file is; it does not take the place of the entry's name."""
    wanted = use("csv", name="people", path="p.csv")
    assert wanted.to_dict() == {"name": "csv", "name_": "people", "path": "p.csv"}
    assert Use.from_dict(wanted.to_dict()) == wanted


@pytest.mark.parametrize("content", [{}, {"name": 3}, {"parties": 10}])
def test_a_use_needs_a_name(content: dict[str, Any]) -> None:
    """The message shows what came."""
    with pytest.raises(ValueError, match="a use needs a name, got ") as caught:
        Use.from_dict(content)
    assert str(caught.value).endswith(repr(content))


def test_complete_fills_in_defaults_and_is_idempotent(splits: Catalogue) -> None:
    """Equal meanings become equal values: a default that is spelt out is a default, 1 is 1.0 for a number."""
    full = splits.complete(use("dirichlet"))
    assert full == use("dirichlet", parties=10, alpha=0.5, sizes=[])
    assert splits.complete(full) == full
    assert splits.complete(use("dirichlet", alpha=0.5)) == full
    assert splits.complete(use("dirichlet", alpha=1)) == splits.complete(use("dirichlet", alpha=1.0, parties=10.0))


def test_call_supplies_what_has_no_default(splits: Catalogue) -> None:
    """Data and seed come from the caller, the rest from the use."""
    assert splits.call(use("dirichlet", sizes=[1, 2]), "data", seed=3) == ("data", 10, 0.5, (1, 2), 3)


def test_an_entry_describes_itself(splits: Catalogue) -> None:
    """Title, axis, first line; the default title is the name in words."""
    entry = splits["dirichlet"]
    assert (entry.title, entry.axis, entry.about) == ("Label skew", "rows", "Divide by a Dirichlet.")
    assert (splits["by_group"].title, splits["by_group"].about) == ("by group", "")


def test_a_catalogue_is_a_mapping_in_order(splits: Catalogue) -> None:
    """Of names to entries."""
    assert list(splits) == ["dirichlet", "by_group"]
    assert len(splits) == 2
    assert "dirichlet" in splits
    assert "dirichlets" not in splits
    assert isinstance(splits.get("by_group"), Entry)


@pytest.mark.parametrize(
    ("wanted", "error", "text"),
    [
        (use("dirichlett"), KeyError,
         "there is no split 'dirichlett'; did you mean 'dirichlet'? known are dirichlet, by_group"),
        (use("zzz"), KeyError, "there is no split 'zzz'; known are dirichlet, by_group"),
        (use("dirichlet", beta=1), ValueError, "dirichlet has no parameter 'beta'; it takes parties, alpha, sizes"),
        (use("dirichlet", seed=1), ValueError, "dirichlet has no parameter 'seed'; it takes parties, alpha, sizes"),
        (use("by_group", group="x"), ValueError, "by_group has no parameter 'group'; it takes none"),
        (use("dirichlet", parties=1), ValueError, "dirichlet: parties must be between 2 and 100, got 1"),
        (use("dirichlet", alpha="x"), TypeError, "dirichlet: alpha must be a number, got 'x'"),
    ],
)  # fmt: skip
def test_errors_name_thing_rule_and_value(splits: Catalogue, wanted: Use, error: type[Exception], text: str) -> None:
    """For completing and for calling alike, before the function runs."""
    for act in (splits.complete, lambda w: splits.call(w, "data")):
        with pytest.raises(error) as caught:
            act(wanted)
        assert caught.value.args == (text,)


def test_a_name_is_taken_once(splits: Catalogue) -> None:
    """The same function may come again, as after a reload; another one, or its namesake from elsewhere, may not."""
    splits.enter("dirichlet")(_dirichlet)

    def _namesake() -> None: ...

    _namesake.__qualname__ = _dirichlet.__qualname__
    _namesake.__module__ = "somewhere.else"
    for other in (print, _namesake):
        with pytest.raises(ValueError, match=f"^split 'dirichlet' is entered already, by {__name__}$"):
            splits.enter("dirichlet")(other)
    splits.replace(Entry("dirichlet", print, "mine"))
    assert splits["dirichlet"].title == "mine"
