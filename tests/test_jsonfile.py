"""JSON files: three kinds of nothing stay three, and a file is written whole or not at all."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import same, values
from trustkit import jsonfile


@given(values)
def test_values_come_back_bit_for_bit(value: Any) -> None:
    """None, NaN, infinities, −0.0, whole numbers beyond 2⁵³, empty lists, any text."""
    assert same(jsonfile.loads(jsonfile.dumps(value)), value)
    assert same(jsonfile.loads(jsonfile.canonical(value)), value)


@given(values)
def test_the_text_is_strict_json(value: Any) -> None:
    """Any other JSON reader can read it: no NaN, no Infinity."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    json.loads(jsonfile.dumps(value), parse_constant=refuse)


def test_none_nan_infinity_and_zero_are_four_things() -> None:
    """Not known, not defined, unbounded, measured as zero."""
    back = jsonfile.loads(jsonfile.dumps([None, math.nan, math.inf, -math.inf, 0.0]))
    assert back[0] is None
    assert math.isnan(back[1])
    assert back[2:] == [math.inf, -math.inf, 0.0]


def test_arrays_become_lists() -> None:
    """With their NaN; NumPy's scalars become numbers."""
    value = {"x": np.array([[1.5, np.nan], [np.inf, 0.0]]), "n": np.int64(3), "b": np.bool_(True), "t": (1, 2)}
    expected = {"x": [[1.5, math.nan], [math.inf, 0.0]], "n": 3, "b": True, "t": [1, 2]}
    assert same(jsonfile.loads(jsonfile.dumps(value)), expected)


@given(st.dictionaries(st.text(max_size=4), st.integers(), max_size=5))
def test_canonical_forgets_the_order_of_keys(value: dict[str, int]) -> None:
    """And tells different values apart."""
    turned = dict(reversed(value.items()))
    assert jsonfile.canonical(turned) == jsonfile.canonical(value)
    assert jsonfile.canonical({**value, "another": 1}) != jsonfile.canonical({**value, "another": 1.0})


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", 1j, object])
def test_other_things_are_refused(value: object) -> None:
    """By the name of their type."""
    with pytest.raises(TypeError, match=f"JSON holds numbers, text, lists and mappings, got {type(value).__name__}"):
        jsonfile.dumps([value])


def test_keys_that_would_be_lost_are_refused() -> None:
    """1 and "1" are one key as text; ``$float`` alone stands for NaN."""
    with pytest.raises(ValueError, match=r"^keys must differ as text, got 1, '1'$"):
        jsonfile.dumps({1: "a", "1": "b"})
    with pytest.raises(ValueError, match=r"must not have the one key '\$float'"):
        jsonfile.dumps({"$float": "nan"})
    assert jsonfile.loads('{"$float": "many"}') == {"$float": "many"}
    assert jsonfile.loads('{"$float": [1]}') == {"$float": [1]}


@pytest.mark.parametrize("content", [b"{", b"", b"not json", b"\xff\xfe\x00"])
def test_read_names_the_file(tmp_path: Path, content: bytes) -> None:
    """Whether it is broken JSON or no text at all."""
    file = tmp_path / "broken.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"broken\.json must be a JSON file, got: "):
        jsonfile.read(file)


def test_read_and_write(tmp_path: Path) -> None:
    """Missing folders are made; text is UTF-8; nothing else is left in the folder."""
    file = jsonfile.write_text(tmp_path / "a" / "b" / "x.json", jsonfile.dumps({"ε": 1.0}))
    assert file == tmp_path / "a" / "b" / "x.json"
    assert jsonfile.read(file) == {"ε": 1.0}
    assert [path.name for path in file.parent.iterdir()] == ["x.json"]


def test_a_failing_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the disk is full while writing or the last step fails; no temporary file stays."""
    file = tmp_path / "x.txt"
    jsonfile.write_text(file, "old")
    with pytest.raises(TypeError):
        jsonfile.write_bytes(file, "text is not bytes")  # type: ignore[arg-type]

    def broken(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="no space left"):
        jsonfile.write_text(file, "new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    """Not those of a private temporary file: a report in a shared folder can be read there."""
    plain = tmp_path / "plain"
    plain.write_text("x")
    written = jsonfile.write_text(tmp_path / "written", "x")
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
