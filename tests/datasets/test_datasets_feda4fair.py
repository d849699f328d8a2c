"""FeDa4Fair's four settings: recodings, changes, pieces and selection, by hand and against the released files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from tests.released import released
from trustkit.catalogue import DATASETS
from trustkit.datasets import feda4fair, load, read_folktables, select, write_psam
from trustkit.datasets.acs import STATES, married, races
from trustkit.datasets.feda4fair_published import MODIFIED, SELECTED
from trustkit.datasets.feda4fair_settings import SettingName, pieces
from trustkit.datasets.standins_acs import generated_income
from trustkit.split.rows import by_group

SETTINGS = get_args(SettingName)
SIZES = {"attribute-silo": 51, "value-silo": 51, "attribute-device": 111, "value-device": 100}


def counts(table: Mapping[str, np.ndarray], column: str, value: int) -> tuple[int, int]:
    """Favourable and other rows of a group."""
    group = table[column] == value
    return int((group & (table["y"] == 1)).sum()), int((group & (table["y"] == 0)).sum())


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_runs_anywhere(setting: Any) -> None:
    """Without files: synthetic, said so; as many clients as published; two or five values of RAC1P."""
    data = feda4fair(setting, rows=120)
    assert data.provenance.synthetic
    assert "American Community Survey" in data.provenance.stands_in_for
    assert np.unique(data.groups["client"]).size == data.notes["clients"] == SIZES[setting]
    assert list(data.groups) == ["client"]
    assert data.columns == ("AGEP", "COW", "SCHL", "OCCP", "POBP", "RELP", "WKHP")
    assert len(data.codes("RAC1P")[1]) == (2 if setting.startswith("attribute") else 5)
    assert data.codes("MAR")[1] == ("1 married", "2 not married")
    assert not any(name.startswith(("Unnamed", "__index")) for name in data.columns)
    assert by_group(data, group="client").parties == SIZES[setting]
    assert np.array_equal(data.X, load("feda4fair", setting=setting, rows=120).X)
    assert "synthetic" in DATASETS["feda4fair"].title


@pytest.mark.parametrize("kind", MODIFIED)
def test_changes_by_hand(kind: str) -> None:
    """int(rate × favourable rows) of the group go, int(rate × those left) turn; all others stay as they are."""
    values = 2 if kind == "attribute" else 5
    raw = generated_income(1200, 3)
    raw |= {"RAC1P": races(raw["RAC1P"], values), "MAR": married(raw["MAR"])}
    data = feda4fair(f"{kind}-silo", rows=1200, seed=3, keep_sensitive=True)  # type: ignore[arg-type]
    changed = {name: data.X[:, j] for j, name in enumerate(data.columns)} | {"y": data.y}
    for state in STATES:
        before = {name: column[raw["state"] == state] for name, column in raw.items()}
        after = {name: column[data.groups["client"] == state] for name, column in changed.items()}
        change = MODIFIED[kind].get(state)
        if change is None:
            assert all(np.array_equal(before[name], after[name]) for name in after)
            continue
        good, bad = counts(before, change.column, change.value)
        drop = int(change.drop * good)
        flip = int(change.flip * (good - drop))
        assert (data.notes["dropped"][state], data.notes["flipped"][state]) == (drop, flip)
        assert counts(after, change.column, change.value) == (good - drop - flip, bad + flip)
        assert counts(after, change.column, 1) == counts(before, change.column, 1)
    assert set(data.notes["dropped"]) == set(MODIFIED[kind])


def test_without_changes_the_rows_are_those_generated() -> None:
    """In their order."""
    data = feda4fair("value-silo", rows=60, modified=False, keep_sensitive=True)
    raw = generated_income(60, 0)
    assert np.array_equal(data.X[:, 0], raw["AGEP"])
    assert np.array_equal(data.X[:, data.columns.index("RAC1P")], races(raw["RAC1P"], 5))
    assert np.array_equal(data.y, raw["y"])
    assert data.notes["dropped"] == {}


def test_pieces_are_consecutive() -> None:
    """Of 65 rows six pieces of 10 and 5 rows of nobody; or three of 22, 22 and 21."""
    for setting, sizes in (("attribute-device", [10] * 6), ("value-device", [22, 22, 21])):
        data = feda4fair(setting, rows=65, modified=False, clients="all", keep_sensitive=True)  # type: ignore[arg-type]
        raw = generated_income(65, 0)
        for state in ("AL", "WY"):
            ages, start = raw["AGEP"][raw["state"] == state], 0
            for k, size in enumerate(sizes):
                own = data.X[data.groups["client"] == f"{state}_{k}", 0]
                assert np.array_equal(own, ages[start : start + size])
                start += size
        assert data.notes["unused"] == 51 * (65 - sum(sizes))


def test_published_clients_are_a_choice_of_all() -> None:
    """The very same rows of the very same pieces."""
    every = feda4fair("attribute-device", rows=120, clients="all")
    some = feda4fair("attribute-device", rows=120)
    names = np.unique(some.groups["client"])
    assert np.unique(every.groups["client"]).size == 6 * 51
    assert np.array_equal(some.X, every.X[np.isin(every.groups["client"], names)])
    assert {"AL_2", "WV_5"} <= set(names.tolist())
    assert "AL_0" not in names


def test_from_files_of_the_census(tmp_path: Path) -> None:
    """The rows of the task that pandas finds in the files, recoded; states that are not there are not missed."""
    write_psam(tmp_path, states=("NM", "WY", "PR"), rows=300)
    data = feda4fair("attribute-silo", tmp_path, keep_sensitive=True, modified=False)
    raw = read_folktables(tmp_path)
    expected = raw.X.copy()
    for name, recode in (("RAC1P", lambda codes: races(codes, 2)), ("MAR", married)):
        expected[:, raw.columns.index(name)] = recode(expected[:, raw.columns.index(name)])
    assert np.array_equal(data.X, expected)
    assert data.groups["client"].tolist() == raw.groups["state"].tolist()
    assert not data.provenance.synthetic
    assert (data.notes["year"], data.notes["rows_read"]) == (2018, 900)
    pieces = feda4fair("attribute-device", tmp_path)
    assert np.unique(pieces.groups["client"]).tolist() == ["NM_1", "NM_5"]
    write_psam(tmp_path / "other", states=("WY",), rows=300)
    with pytest.raises(
        ValueError, match=r"^clients must be pieces of states that are in .*other, got none of the publ"
    ):
        feda4fair("attribute-device", tmp_path / "other")


def test_seeds() -> None:
    """The same seed the same rows; the rows dropped are drawn anew with another one."""
    one, again, other = (feda4fair(rows=120, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.X, again.X)
    assert np.array_equal(one.held_out, again.held_out)
    assert one.provenance.sha256 != other.provenance.sha256


def test_selection_by_hand() -> None:
    """SEX above 0.09; RAC1P between 0.12 and 0.175, ends excluded; a value above 0.09; undecided never."""
    data = feda4fair("attribute-device", rows=60, clients="all")
    verdicts = {
        "AL_0": ("SEX", 0.0901), "AL_1": ("SEX", 0.09), "AL_2": ("RAC1P", 0.12), "AL_3": ("RAC1P", 0.1201),
        "AL_4": ("RAC1P", 0.175), "AL_5": ("undecided", 0.5), "AK_0": ("RAC1P=4 AIAN", 0.3),
        "AK_1": ("RAC1P=4 AIAN", 0.09), "AK_2": ("MAR", 0.2), "AK_3": ("SEX", float("nan")),
    }  # fmt: skip
    some = select(data, verdicts)
    kept = ["AK_0", "AK_2", "AL_0", "AL_3"]
    assert np.unique(some.groups["client"]).tolist() == kept
    rows = np.isin(data.groups["client"], kept)
    assert np.array_equal(some.X, data.X[rows])
    assert np.array_equal(some.held_out, data.held_out[rows])
    assert all(np.array_equal(some.sensitive[name], data.sensitive[name][rows]) for name in data.sensitive)
    assert some.notes["clients"] == 4
    assert len(some.notes["unselected"]) == 302
    assert np.unique(select(data, {"AL_4": ("RAC1P", 0.175)}, {}).groups["client"]).tolist() == ["AL_4"]
    with pytest.raises(ValueError, match=r"^some client must be over its threshold, got none of 306$"):
        select(data, {"AL_0": ("SEX", 0.05)})
    with pytest.raises(KeyError, match=r"wine must have natural clients 'client', got none"):
        select(load("wine"), {})


def test_bad_arguments(tmp_path: Path) -> None:
    """One sentence each, before any work."""
    with pytest.raises(ValueError, match=r"^feda4fair: setting must be one of attribute-silo, .*, got 'silo'$"):
        feda4fair("silo")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^feda4fair: rows must be between 60 and 100000, got 10$"):
        feda4fair(rows=10)
    with pytest.raises(
        ValueError, match=r"^path must be a person file of the ACS \(psam_pXX.csv\) or a folder of them"
    ):
        feda4fair(path=str(tmp_path))
    with pytest.raises(ValueError, match=r"^one_hot must name features, got 'colour'; known are AGEP, COW, SCHL"):
        feda4fair(rows=60, one_hot=("colour",))


@pytest.mark.parametrize(("setting", "amount"), [("attribute-device", 111), ("value-device", 100)])
def test_published_names_are_those_of_the_releases(setting: str, amount: int) -> None:
    """As their own result files list them."""
    names = {f"{each[:2]}_{k}" for each in SELECTED[setting].split() for k in each[2:]}
    assert len(names) == amount
    file = released(f"cross_device_{setting.removesuffix('-device')}_final__model_perf_DP.csv")
    assert names == set(pd.read_csv(file).dataset)


def test_rates_are_those_found_in_the_releases() -> None:
    """States changed in one of both releases show their own rows in the other: what went and what turned is counted."""
    tables = {}
    for kind in MODIFIED:
        frame = pd.read_parquet(released(f"cross_silo_{kind}_final.parquet"))
        five = frame.RAC1P.to_numpy()
        tables[kind] = {"client": frame.client.to_numpy(dtype=str), "y": frame.PINCP.to_numpy(), "five": five,
                        "SEX": frame.SEX.to_numpy(), "RAC1P": np.minimum(five, 2)}  # fmt: skip
    checked = 0
    for kind, other in (("attribute", "value"), ("value", "attribute")):
        for state, change in MODIFIED[kind].items():
            if state in MODIFIED[other] or f"{state}_0" not in tables[other]["client"]:
                continue
            here, there = (
                {name: column[table["client"] == f"{state}_0"] for name, column in table.items()}
                for table in (tables[kind], tables[other])
            )
            gone = there["y"].size - here["y"].size
            turned = int((here["y"] == 0).sum() - (there["y"] == 0).sum())
            good = counts(there, change.column, change.value)[0] if kind == "attribute" else (
                counts(here, "five", change.value)[0] + gone)  # fmt: skip
            assert gone == int(change.drop * good), state
            assert turned == int(change.flip * (good - gone)), state
            checked += 1
    assert checked == 25


@pytest.mark.parametrize(("setting", "amount"), [("attribute-device", 98), ("value-device", 91)])
def test_pieces_are_those_of_the_releases(setting: SettingName, amount: int) -> None:
    """Each released piece is those rows of the released state that `pieces` gives it; large states are absent."""
    kind = setting.removesuffix("-device")
    silo, device = (pd.read_parquet(released(f"cross_{each}_{kind}_final.parquet")) for each in ("silo", "device"))
    columns = [name for name in silo if name != "client"]
    states = {str(name)[:2]: part[columns].to_numpy() for name, part in silo.groupby("client", observed=True)}
    found = 0
    for name, part in device.groupby("client", observed=True):
        state, k = str(name)[:2], int(str(name)[3:])
        if state in states:
            assert np.array_equal(part[columns].to_numpy(), states[state][pieces(setting, len(states[state]))[k]]), name
            found += 1
    assert found == amount


@pytest.mark.parametrize("setting", SETTINGS)
def test_pieces_by_hand(setting: SettingName) -> None:
    """As NumPy cuts; with equal pieces the rest is left over."""
    for rows in range(0, 40):
        ours = [np.arange(rows)[piece].tolist() for piece in pieces(setting, rows)]
        whole = rows - rows % 6 if setting == "attribute-device" else rows
        cuts = {"attribute-device": 6, "value-device": 3}.get(setting, 1)
        assert ours == [piece.tolist() for piece in np.array_split(np.arange(whole), cuts)]
