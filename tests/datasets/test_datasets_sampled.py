"""A part of another data set: as many rows as asked for, of the same table, the same for the same number."""

from __future__ import annotations

import numpy as np
import pytest

from trustkit import Experiment, datasets, use
from trustkit.datasets import sampled
from trustkit.datasets.sampled import options_of
from trustkit.rounds import run


def test_rows_are_those_of_the_whole() -> None:
    """In their order, test rows in proportion, attributes and natural clients row by row."""
    whole, part = datasets.load("cces"), sampled("cces", rows=1000)
    assert part.X.shape == (1000, whole.X.shape[1])
    assert int(part.held_out.sum()) == round(1000 * whole.held_out.sum() / whole.y.size)
    assert part.provenance == whole.provenance
    assert (part.name, part.notes["sampled"]["whole"]) == ("cces, 1,000 of 58,079 rows", 58_079)
    everything = np.column_stack([whole.X, whole.y, whole.held_out, whole.codes("sex")[0], whole.codes("race")[0]])
    mine = np.column_stack([part.X, part.y, part.held_out, part.codes("sex")[0], part.codes("race")[0]])
    place = 0
    for row in mine[:50]:  # each is found behind the one before
        hits = np.flatnonzero((everything[place:] == row).all(axis=1))
        assert hits.size
        place += int(hits[0]) + 1
    assert set(part.groups["state"]) <= set(whole.groups["state"])
    assert not part.X.flags.writeable


def test_draws_differ_and_repeat() -> None:
    """By their number alone."""
    first, again, second = (sampled("letter", rows=500, draw=number) for number in (0, 0, 1))
    assert np.array_equal(first.X, again.X)
    assert not np.array_equal(first.X, second.X)


def test_every_row_has_the_same_chance() -> None:
    """Of 178 rows 60 are drawn 200 times: each about 67 times, ± 6.7 by chance."""
    times = np.zeros(178)
    wine = datasets.load("wine")
    names = {row.tobytes(): k for k, row in enumerate(np.ascontiguousarray(wine.X))}
    for draw in range(200):
        for row in np.ascontiguousarray(sampled("wine", rows=60, draw=draw).X):
            times[names[row.tobytes()]] += 1
    assert times.sum() == 200 * 60
    assert abs(times - 200 * 60 / 178).max() < 5 * 6.7


def test_few_rows_are_all_rows() -> None:
    """A data set that has no more is the data set."""
    assert sampled("wine", rows=178).name == "wine"
    assert sampled("wine", rows=10**6).X.shape[0] == 178


def test_a_sparse_table_with_arguments_of_its_own() -> None:
    """Given as JSON, as the data sets that change another one take them."""
    part = sampled("realsim_synthetic", rows=100, options='{"rows": 300, "columns": 1000}')
    assert part.sparse
    assert part.X.shape == (100, 1000)
    assert part.provenance.synthetic


def test_it_is_trained_on_by_name() -> None:
    """With natural clients."""
    wanted = Experiment(use("sampled", of="adult", rows=2000), use("iid", parties=3), "fedavg", "logistic", rounds=1)
    assert run(wanted).last.index == 1
    assert Experiment.from_toml(wanted.to_toml()) == wanted


def test_what_is_refused() -> None:
    """Itself, an unknown data set or argument, and what is no JSON object."""
    with pytest.raises(ValueError, match="of must be a data set that is there, got 'sampled'"):
        sampled("sampled")
    with pytest.raises(KeyError, match="there is no data set 'adlt'; did you mean 'adult'"):
        sampled("adlt")
    with pytest.raises(ValueError, match="wine has no parameter 'x'"):
        sampled("wine", options='{"x": 1}')
    for text in ("path=x", "[1]", "[" * 100_000):
        with pytest.raises(ValueError, match="options must be a JSON object, got "):
            options_of(text)
