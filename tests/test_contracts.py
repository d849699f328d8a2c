"""What every catalogue entry promises, whoever writes it: a new entry is tested before its author writes a test."""

from __future__ import annotations

import importlib.util
import math
import typing
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trustkit as tk
from tests.strategies import same
from trustkit import datasets, jsonfile, widgets  # noqa: F401 (they fill the catalogues)
from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PANELS, PRIVACY, SPLITS, Entry, Use, use
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.experiment import Experiment
from trustkit.parameters import Parameter
from trustkit.partition import Partition
from trustkit.preset import PRESETS, presets
from trustkit.rng import stream

CATALOGUES = {
    "data": DATASETS,
    "split": SPLITS,
    "model": MODELS,
    "algorithm": ALGORITHMS,
    "privacy": PRIVACY,
    "attack": ATTACKS,
    "faults": FAULTS,
    "panel": PANELS,
}
ENTRIES = [pytest.param(c, name, id=f"{thing}-{name}") for thing, c in CATALOGUES.items() for name in c]
LOADABLE = [name for name, entry in DATASETS.items() if not entry.reads]


@cache
def table() -> Dataset:
    """Return a table with all that a split may ask for: classes, an attribute, natural clients, views of columns."""
    n, m = 300, 12
    rng = stream(0, "contract")
    y = np.arange(n) % 3
    X = rng.normal(size=(n, m)) + y[:, None] * rng.normal(size=m)
    X[:, m // 2 :] += X[:, : m // 2]
    return Dataset(
        name="contract",
        X=X,
        y=y,
        columns=tuple(f"x{j}" for j in range(m)),
        classes=("a", "b", "c"),
        provenance=Provenance("made up", "none", synthetic=True),
        sensitive={"sex": np.array(["f", "m"])[rng.integers(0, 2, n)]},
        groups={"place": np.array([f"p{k}" for k in rng.integers(0, 4, n)])},
        held_out=np.arange(n) % 5 == 0,
        notes={"views": tuple(f"v{j % 3}" for j in range(m))},
    )


@pytest.mark.parametrize(("catalogue", "name"), ENTRIES)
def test_an_entry_describes_itself(catalogue: Any, name: str) -> None:
    """A title, one line that ends in a full stop, an axis where there is a choice of it."""
    entry: Entry = catalogue[name]
    assert entry.name == name
    assert entry.title.strip()
    assert entry.about.endswith(".")
    assert len(entry.about) <= 120
    axes = (
        ("rows", "columns") if catalogue in (SPLITS, ALGORITHMS) else ("", "columns") if catalogue is PRIVACY else ("",)
    )
    assert entry.axis in axes


@pytest.mark.parametrize(("catalogue", "name"), ENTRIES)
def test_parameters_pass_their_own_check(catalogue: Any, name: str) -> None:
    """The default is of the declared type and in the range; a number has a range or a line that explains it."""
    if catalogue is PANELS:
        return
    for parameter in catalogue[name].parameters:
        checked = parameter.check(parameter.default)
        assert checked == parameter.default, parameter
        assert type(checked) is type(parameter.default), parameter
        kinds = {parameter.type, *typing.get_args(parameter.type)}
        if kinds & {int, float}:
            assert parameter.interval is not None or parameter.about, (
                f"{name}: {parameter.name} has no range and no line"
            )


@pytest.mark.parametrize(("catalogue", "name"), ENTRIES)
def test_a_use_of_it_goes_through_a_file(catalogue: Any, name: str) -> None:
    """Completing fills in everything, once and for all."""
    if catalogue is PANELS:
        return
    full = catalogue.complete(use(name))
    assert set(full.args) == {parameter.name for parameter in catalogue[name].parameters}
    assert catalogue.complete(full) == full
    assert Use.from_dict(jsonfile.loads(jsonfile.dumps(full.to_dict()))) == full
    assert catalogue.complete(Use.from_dict(full.to_dict())) == full


@pytest.mark.parametrize("name", LOADABLE)
def test_a_data_set_is_whole(name: str) -> None:
    """Finite features, every class on both sides of the division, provenance, and nobody can write into it."""
    data = datasets.load(name)
    stored = (data.X.data, data.X.indices, data.X.indptr) if data.sparse else (data.X,)
    assert np.isfinite(stored[0]).all()
    assert data.X.dtype.kind == "f"
    assert len(set(data.columns)) == data.X.shape[1]
    assert data.provenance.source.strip()
    assert data.provenance.licence.strip()
    assert data.provenance.synthetic or len(data.provenance.sha256) == 64
    everything = (*stored, data.y, data.held_out, *data.sensitive.values(), *data.groups.values())
    assert not any(array.flags.writeable for array in everything)
    assert data.held_out.any()
    assert not data.held_out.all()
    if data.classes:
        assert data.y.dtype.kind in "iu"
        for side in (data.held_out, ~data.held_out):
            assert np.unique(data.y[side]).tolist() == list(range(len(data.classes)))
        assert 0 <= data.positive < len(data.classes)
    assert all(len(data.codes(attribute)[1]) > 1 for attribute in data.sensitive)
    assert data.image is None or math.prod(data.image) == data.X.shape[1]


def _legal(partition: Partition, entry: Entry, data: Dataset) -> None:
    size = data.X.shape[0 if entry.axis == "rows" else 1]
    assert partition.axis == entry.axis
    assert partition.owner.size == size
    assert partition.parties >= 2
    assert (partition.owner < 0).sum() == partition.achieved.get("unused", 0), "a split says what it leaves over"
    assert partition.made_by is not None
    assert SPLITS.complete(partition.made_by) == partition.made_by
    assert jsonfile.dumps(partition.to_dict())
    FederatedDataset(data, partition)


@pytest.mark.parametrize("name", SPLITS)
def test_a_split_is_legal_and_repeatable(name: str, tmp_path: Path) -> None:
    """Everything is given away; the same seed gives the same partition, and a file gives it back."""
    split = SPLITS.complete(use(name))
    partition = SPLITS.call(split, table(), seed=0)
    _legal(partition, SPLITS[name], table())
    assert partition.made_by == split
    assert SPLITS.call(split, table(), seed=0) == partition
    assert Partition.load(partition.save(tmp_path / "split.json")) == partition
    assert same(Partition.load(tmp_path / "split.json").to_dict(), partition.to_dict())


def _ends(name: str, parameter: Parameter) -> list[Use]:
    """Return uses with the parameter at the ends of its range, or at each of its choices."""
    if parameter.choices is not None:
        return [use(name, **{parameter.name: value}) for value in parameter.choices]
    interval = parameter.interval
    ends = [] if interval is None else [end for end in (interval.low, interval.high) if math.isfinite(end)]
    checked = []
    for end in ends:
        for value in (end, [end, end]):
            try:
                checked.append(use(name, **{parameter.name: parameter.check(value)}))
            except TypeError:  # a list is no number, and a number no list
                continue
    return checked


@pytest.mark.parametrize(
    "wanted", [w for name, entry in SPLITS.items() for p in entry.parameters for w in _ends(name, p)]
)
def test_a_split_at_the_ends_of_its_ranges(wanted: Use) -> None:
    """It is legal there too, or says in one line why not."""
    refusal = ""
    try:
        partition = SPLITS.call(SPLITS.complete(wanted), table(), seed=1)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert "got" in refusal, f"the message must say what came: {refusal}"
        assert "\n" not in refusal
    else:
        _legal(partition, SPLITS[wanted.name], table())


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_an_experiment(name: str) -> None:
    """It has a title, is checked, goes through TOML, and is split as it says."""
    preset = PRESETS[name]
    wanted = preset.make()
    assert preset.title
    assert Experiment.from_toml(wanted.to_toml()) == wanted
    assert presets()[name] == wanted


@pytest.mark.parametrize("name", tk.__all__)
def test_a_public_name_can_be_had(name: str) -> None:
    """Though it is imported only when it is first asked for."""
    assert getattr(tk, name) is not None
    assert name in dir(tk)


@pytest.mark.parametrize("name", sorted(set(tk.__all__) - set(tk._ROOMS)))
def test_no_module_hides_a_public_name(name: str) -> None:
    """Importing ``trustkit.x`` sets ``trustkit.x`` to the module, over whatever the front door would give."""
    assert importlib.util.find_spec(f"trustkit.{name}") is None, f"tk.{name} and the module trustkit.{name} collide"


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match=r"^trustkit has no 'federate'$"):
        _ = tk.federate
