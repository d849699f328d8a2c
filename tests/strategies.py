"""Hypothesis strategies for the nouns: plain values, uses, tables, partitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from trustkit.catalogue import Use
from trustkit.data import Dataset, Provenance
from trustkit.partition import Partition

__all__ = ["datasets", "partitions", "same", "scalars", "seeds", "uses", "values"]

seeds = st.integers(-(2**40), 2**40)
scalars = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=8)
names = st.text("abcdefgh_", min_size=1, max_size=8)
keys = st.text(max_size=6).filter(lambda key: key != "$float")
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)


def same(a: Any, b: Any) -> bool:
    """Say whether two plain values are the same, bit for bit: 1, 1.0 and True differ, −0.0 and 0.0 too, NaN is NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@st.composite
def uses(draw: st.DrawFn) -> Use:
    """Return a name with a few arguments, some of them lists."""
    plain = st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=8)
    args = draw(st.dictionaries(names, st.none() | plain | st.lists(plain, max_size=3), max_size=4))
    return Use(draw(names), args)


@st.composite
def partitions(draw: st.DrawFn, size: int | None = None, axis: str | None = None) -> Partition:
    """Return a partition: any owners, −1 and empty parties among them, and any achieved numbers."""
    parties = draw(st.integers(1, 6))
    length = draw(st.integers(0, 20)) if size is None else size
    owner = draw(st.lists(st.integers(-1, parties - 1), min_size=length, max_size=length))
    made_by = draw(st.none() | uses())
    achieved = draw(st.dictionaries(names, st.floats() | st.none() | st.lists(st.floats(), max_size=3), max_size=3))
    over: Any = axis or draw(st.sampled_from(["rows", "columns"]))
    return Partition(over, np.array(owner, dtype=np.int64), parties, made_by, achieved)


@st.composite
def datasets(draw: st.DrawFn, rows: int = 12) -> Dataset:
    """Return a small table of whole and half numbers, some columns constant, with an attribute and a natural client."""
    n, m = draw(st.integers(2, rows)), draw(st.integers(1, 5))
    halves = st.integers(-20, 20).map(lambda number: number / 2)
    columns = [
        draw(st.one_of(st.lists(halves, min_size=n, max_size=n), st.floats(-1e3, 1e3).map(lambda value: [value] * n)))
        for _ in range(m)
    ]
    held_out = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda flags: not all(flags)))
    return Dataset(
        name="small",
        X=np.array(columns, dtype=np.float64).T,
        y=np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))),
        columns=tuple(f"x{j}" for j in range(m)),
        classes=("no", "yes"),
        provenance=Provenance("made up", "none", synthetic=True),
        sensitive={"group": np.array(draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n)))},
        groups={"place": np.array([f"p{i % 2}" for i in range(n)])},
        held_out=np.array(held_out),
        scaling=draw(st.sampled_from(["standard", "minmax", "none"])),
    )
