"""Fact sheets: typed, aggregates only, not known apart from not defined."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.trust import FIELDS, METRICS, FactSheet, client_id
from trustkit.trust.fields import LIMIT


def test_unknown_names_are_refused_with_the_list() -> None:
    """A misspelt fact gets a hint and the known names."""
    with pytest.raises(
        KeyError, match=r"no fact 'data/provenence'; did you mean 'data/provenance'\? known are project"
    ):
        FactSheet({"data/provenence": "x"})
    with pytest.raises(KeyError, match="no fact 'data/colour'"):
        FactSheet().get("data", "colour")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("participants/client_num", 2.5, "participants/client_num must be a whole number, got 2.5"),
        ("participants/client_num", True, "must be a whole number, got True"),
        ("participants/client_num", 0, "participants/client_num must be at least 1, got 0"),
        ("performance/test_acc_avg", 1.2, "performance/test_acc_avg must be between 0 and 1, got 1.2"),
        ("performance/test_acc_avg", "good", "must be a number, got 'good'"),
        ("privacy/differential_privacy", 1, "must be true or false, got 1"),
        ("privacy/epsilon", -1.0, "privacy/epsilon must be at least 0, got -1.0"),
        ("project/purpose", 3, "project/purpose must be text, got 3"),
        ("project/purpose", "x" * (LIMIT + 1), "at most 4,096 characters, got 4,097"),
        ("data/class_counts", 3, "must be a list of whole numbers, got 3"),
        ("data/class_counts", [1.5], "must be a list of whole numbers, got 1.5"),
        ("data/class_counts", np.zeros((2, 2), int), "must be a list of whole numbers"),
        ("participants/ids", ["client 1"], "must hold keyed ids made by client_id, got 'client 1'"),
    ],
)
def test_values_that_do_not_fit_are_named(path: str, value: object, message: str) -> None:
    """The message says which fact, which rule, which value."""
    with pytest.raises((TypeError, ValueError), match=message):
        FactSheet({path: value})


@pytest.mark.parametrize(
    "path", [path for path, field in FIELDS.items() if field.kind in ("counts", "numbers", "texts")]
)
def test_row_sized_lists_are_refused(path: str) -> None:
    """No list may be longer than the limit, or as long as the data have rows; just as long as the limit is allowed."""
    items: list[object] = ["x"] if FIELDS[path].kind == "texts" else [1]
    with pytest.raises(ValueError, match="at most 4,096 entries"):
        FactSheet({path: items * (LIMIT + 1)})
    with pytest.raises(ValueError, match="must be an aggregate, got one entry for each of the 50 rows"):
        FactSheet({path: items * 50, "data/rows": 50})
    assert len(FactSheet({path: items * LIMIT, "data/rows": 50}).values[path]) == LIMIT


def test_rows_stated_later_are_checked_too() -> None:
    """It does not help to state the list first."""
    sheet = FactSheet({"data/class_counts": [1, 2, 3]})
    with pytest.raises(ValueError, match="one entry for each of the 3 rows"):
        sheet.with_facts(data__rows=3)


def test_not_known_not_defined_and_zero_stay_apart(tmp_path: Path) -> None:
    """None is absent, NaN and 0 come back from the file as what they were, infinity too."""
    sheet = FactSheet({"fairness/selection_cv": math.nan, "fairness/test_acc_cv": 0.0, "fairness/class_imbalance": None,
                       "privacy/epsilon": math.inf, "data/class_counts": np.array([3, 4])})  # fmt: skip
    back = FactSheet.load(sheet.save(tmp_path / "sheet.json"))
    assert back == sheet
    assert math.isnan(back.get("fairness", "selection_cv"))
    assert back.get("fairness", "test_acc_cv") == 0
    assert back.get("fairness", "class_imbalance") is None
    assert back.get("privacy", "epsilon") == math.inf
    assert back.get("data", "class_counts") == (3, 4)
    assert "fairness/class_imbalance" not in back
    assert ("fairness", "selection_cv") in back
    assert pickle.loads(pickle.dumps(back)) == sheet


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    """Neither another format nor another shape is read."""
    (tmp_path / "a.json").write_text('{"format": "other"}')
    (tmp_path / "b.json").write_text('{"format": "trustkit-factsheet-1", "facts": {"data": 3}}')
    with pytest.raises(ValueError, match=r"a\.json must be a trustkit fact sheet"):
        FactSheet.load(tmp_path / "a.json")
    with pytest.raises(ValueError, match=r"b\.json must hold facts by section and name"):
        FactSheet.load(tmp_path / "b.json")


def test_sheets_are_values() -> None:
    """Replacing makes a new sheet, None takes a fact back, order does not matter, and nothing can be written into."""
    sheet = FactSheet({"project/purpose": "a", "data/rows": 5})
    assert sheet.with_facts({"project/purpose": "b"}).get("project", "purpose") == "b"
    assert sheet.with_facts(project__purpose=None) == FactSheet({"data/rows": 5})
    assert sheet == FactSheet({"data/rows": 5, "project/purpose": "a"})
    assert hash(sheet) == hash(FactSheet({"data/rows": 5, "project/purpose": "a"}))
    with pytest.raises(TypeError):
        sheet.values["data/rows"] = 6  # type: ignore[index]


def test_frame_lists_the_whole_template() -> None:
    """One line for each fact, with None where nothing is known."""
    frame = FactSheet({"data/rows": 5}).frame()
    assert list(frame["section"] + "/" + frame["name"]) == list(FIELDS)
    known = frame[[value is not None for value in frame["value"]]]
    assert known["value"].tolist() == [5]
    assert known["unit"].tolist() == ["rows"]


def test_facts_carry_unit_time_and_author() -> None:
    """A fact is complete by itself."""
    (fact,) = FactSheet({"system/model_bytes": 10})
    assert (fact.section, fact.name, fact.value, fact.unit) == ("system", "model_bytes", 10.0, "bytes")
    assert (fact.when, fact.who) == ("Post-training", "Server")


def test_template_covers_what_the_metrics_read() -> None:
    """Every input of every metric is a fact of the template."""
    assert {path for metric in METRICS.values() for path in metric.inputs} <= set(FIELDS)


@settings(derandomize=True, max_examples=20, deadline=None)
@given(st.text(min_size=1, max_size=20), st.integers(0, 500))
def test_client_ids_are_keyed(key: str, client: int) -> None:
    """The HMAC of the number, by hand; another key or number gives another id; the sheet takes it."""
    import hashlib
    import hmac

    got = client_id(key, client)
    assert got == hmac.new(key.encode(), str(client).encode(), hashlib.sha256).hexdigest()[:16]
    assert got != client_id(key + "x", client)
    assert got != client_id(key, client + 1)
    assert FactSheet({"participants/ids": [got]}).get("participants", "ids") == (got,)


def test_an_empty_key_is_refused() -> None:
    """Without a secret the ids could be recomputed by anybody."""
    with pytest.raises(ValueError, match="key must not be empty"):
        client_id("", 3)
