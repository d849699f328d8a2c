"""LEAF's JSON files: folders of training and test rows, FEMNIST's shape, a choice of users, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit import jsonfile
from trustkit.datasets import load, read_leaf
from trustkit.split import by_group


def _file(path: Path, users: Mapping[str, Any]) -> Path:
    content = {"users": list(users), "num_samples": [len(data["y"]) for data in users.values()], "user_data": users}
    return jsonfile.write_text(path, jsonfile.dumps(content))


def _user(first: float, labels: list[int], width: int = 3) -> dict[str, Any]:
    return {"x": [[first + i] * width for i in range(len(labels))], "y": labels}


def _broken(**changes: Any) -> dict[str, Any]:
    whole = {"users": ["ann"], "num_samples": [1], "user_data": {"ann": {"x": [[1.0, 2.0]], "y": [0]}}}
    return {**whole, **changes}


@pytest.mark.parametrize("inner", ["", "data"])
def test_train_and_test_folders(tmp_path: Path, inner: str) -> None:
    """Users of several files are merged and sorted; rows of the test folder are held out."""
    root = tmp_path / inner
    _file(root / "train" / "a.json", {"bob": _user(0, [0, 1])})
    _file(root / "train" / "b.json", {"ann": _user(10, [2])})
    _file(root / "test" / "c.json", {"ann": _user(20, [1]), "bob": _user(30, [0])})
    data = read_leaf(tmp_path)
    assert data.X[:, 0].tolist() == [10, 0, 1, 20, 30]
    assert (data.X.dtype, data.X.shape) == (np.float32, (5, 3))
    assert data.y.tolist() == [2, 0, 1, 1, 0]
    assert data.groups["writer"].tolist() == ["ann", "bob", "bob", "ann", "bob"]
    assert data.held_out.tolist() == [False, False, False, True, True]
    assert (data.name, data.classes, data.image, data.scaling) == ("leaf", ("0", "1", "2"), None, "standard")
    assert by_group(data).achieved["names"] == ["ann", "bob"]
    assert len(data.provenance.sha256) == 64


@pytest.mark.parametrize("inner", ["", "all_data"])
def test_files_without_a_test_folder(tmp_path: Path, inner: str) -> None:
    """A fifth of each user's rows is held out: 2 of 10, and 1 of 5."""
    _file(tmp_path / inner / "a.json", {"ann": _user(0, [0, 1] * 5), "bob": _user(50, [0, 1, 0, 1, 0])})
    data = load("leaf", path=str(tmp_path))
    held = data.groups["writer"][data.held_out].tolist()
    assert (held.count("ann"), held.count("bob")) == (2, 1)
    assert not data.X.flags.writeable
    assert read_leaf(tmp_path, test_size=0).held_out.sum() == 0


def test_femnist(tmp_path: Path) -> None:
    """784 numbers are an image; there are 62 classes, whatever the chosen writers wrote."""
    _file(tmp_path / "a.json", {"f0000_14": _user(0, [0, 10, 36, 61], 784), "f0001_41": _user(0, [5], 784)})
    data = read_leaf(tmp_path, test_size=0)
    assert (data.name, data.image, data.scaling) == ("femnist", (1, 28, 28), "none")
    assert len(data.classes) == 62
    assert [data.classes[label] for label in data.y] == ["0", "A", "a", "z", "5"]
    assert data.columns[29] == "pixel 1,1"


def test_a_choice_of_users(tmp_path: Path) -> None:
    """By the seed and their names: whatever file they are in, and a larger choice holds the smaller one."""
    users = {f"u{k:02d}": _user(100 * k, [0, 1]) for k in range(12)}
    _file(tmp_path / "one" / "a.json", users)
    _file(tmp_path / "two" / "z.json", dict(list(users.items())[:7]))
    _file(tmp_path / "two" / "y.json", dict(list(users.items())[7:]))
    few, more = (read_leaf(tmp_path / "one", writers=n, test_size=0) for n in (3, 6))
    assert few.X.tolist() == read_leaf(tmp_path / "two", writers=3, test_size=0).X.tolist()
    assert set(few.groups["writer"]) < set(more.groups["writer"])
    assert len(set(more.groups["writer"])) == 6
    others = [tuple(np.unique(read_leaf(tmp_path / "one", writers=3, seed=s).groups["writer"])) for s in range(8)]
    assert len(set(others)) > 1


def test_only_chosen_users_are_tested(tmp_path: Path) -> None:
    """Test rows of the others are left out."""
    users = {f"u{k}": _user(k, [0, 1]) for k in range(6)}
    for part in ("train", "test"):
        _file(tmp_path / part / "a.json", users)
    data = read_leaf(tmp_path, writers=2)
    assert len(data.y) == 8
    assert set(data.groups["writer"][data.held_out]) == set(data.groups["writer"][~data.held_out])


def test_no_folder(tmp_path: Path) -> None:
    """Nothing, a folder that is not there, an empty one."""
    for path in ("", str(tmp_path / "no"), str(tmp_path)):
        with pytest.raises(ValueError, match=r"^path must be a folder of LEAF's JSON files, got '"):
            read_leaf(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"users": ["ann"]}, "a.json must have users, num_samples and user_data, as LEAF's files do"),
        ([1], "a.json must have users, num_samples and user_data, as LEAF's files do"),
        (_broken(num_samples=[1, 2]), "must have one size for each of its 1 users, got 2"),
        (_broken(user_data={}), "a.json of user 'ann' must have x and y"),
        (_broken(num_samples=[2]), "must have 2 rows and classes as in num_samples, and at least 1, got 1 and 1"),
        (_broken(user_data={"ann": {"x": [["a"]], "y": [0]}}), "must be numbers, in equally long rows"),
        (_broken(user_data={"ann": {"x": [3.0], "y": [0]}}), "one class a row, got 1 and 1 dimensions"),
        (_broken(user_data={"ann": {"x": [[float("inf")]], "y": [0]}}), "must be finite, got inf"),
        (_broken(user_data={"ann": {"x": [[1.0]], "y": [0.5]}}), "must be classes 0, 1, 2"),
        (_broken(user_data={"ann": {"x": [[1.0] * 784], "y": [62]}}), "classes of images .* must be below 62, got 62"),
        (_broken(users=["ann", "ann"], num_samples=[1, 1]), "a user must be in one file .* got 'ann' twice"),
    ],
)
def test_a_broken_file(tmp_path: Path, content: Any, message: str) -> None:
    """One sentence that names file, user, rule and what came."""
    jsonfile.write_text(tmp_path / "a.json", jsonfile.dumps(content))
    with pytest.raises(ValueError, match=message):
        read_leaf(tmp_path)


def test_other_refusals(tmp_path: Path) -> None:
    """No JSON, rows of two lengths, more users than there are, numbers out of range."""
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ValueError, match=r"a\.json must be a JSON file, got: "):
        read_leaf(tmp_path)
    _file(tmp_path / "a.json", {"ann": _user(0, [0], 2), "bob": _user(0, [0], 3)})
    with pytest.raises(ValueError, match=r"^rows in .* must be equally long, got 2, 3 numbers$"):
        read_leaf(tmp_path)
    with pytest.raises(ValueError, match=r"^writers must be at most the 2 users in .*, got 3$"):
        read_leaf(tmp_path, writers=3)
    with pytest.raises(ValueError, match=r"^writers must be at least 0, got -1$"):
        read_leaf(tmp_path, writers=-1)
    with pytest.raises(ValueError, match=r"^test_size must be at least 0 and below 1, got 1"):
        read_leaf(tmp_path, test_size=1)
