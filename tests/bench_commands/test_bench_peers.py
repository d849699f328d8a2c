"""The comparison with other packages: equal results before seconds, and a peer that is missing or fails is a row."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trustkit import cli, jsonfile
from trustkit.bench import peers, peers_environments
from trustkit.bench.peers import run_peers
from trustkit.bench.peers_environments import PEERS, Environment, Peer, environment_of
from trustkit.bench.peers_network import batches, flat, network, put, rounds
from trustkit.bench.peers_sides import opened, spread
from trustkit.bench.peers_table import Compared, Row, read_peers, write_peers
from trustkit.bench.peers_worker import serve
from trustkit.bench.peers_works import WORKS, Checked, Results, training
from trustkit.serve import NOTEBOOKS

PRESENT = ("bound", "needed", "naive", "opacus", "art", "shap", "xgboost", "fairlearn")
"""What the extra for tests brings."""


def test_the_quick_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command: whoever is here gives equal results and is timed, others are rows that say why not."""
    monkeypatch.setattr(sys, "argv", ["trustkit", "bench", "peers", "--quick", "--quiet", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.index("Equal results first") < said.index("Seconds, matrix products on one thread")
    found = read_peers(tmp_path / "peers.json")
    assert found.quick
    assert {row.work for row in found.rows} == set(WORKS)
    assert len(found.rows) == sum(len(work.peers) for work in WORKS.values())
    titles = {PEERS[name].title for name in PRESENT}
    for row in found.rows:
        if row.peer in titles:
            assert row.equal is (None if row.peer.startswith("GEMM") else True), row
            assert row.environment == "present"
            assert row.version
            assert row.repeats >= 1
            assert row.ratio is not None
            assert row.ratio_wall is not None
            assert min(row.ratio, row.ratio_wall) > 0
        elif row.ours is None:
            assert row.check.startswith("not installed: it is not in the present environment"), row
    assert found.machine["cores"] >= 1
    rows = list(csv.DictReader(io.StringIO((tmp_path / "peers.csv").read_text(encoding="utf-8"))))
    assert [row["peer"] for row in rows] == [row.peer for row in found.rows]
    assert [row["ratio"] for row in rows] == ["" if row.ratio is None else repr(row.ratio) for row in found.rows]
    assert (tmp_path / "peers.txt").read_text(encoding="utf-8") in said


def test_unequal_results_have_no_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast something else is computed is of no interest."""

    def never(ours: Results, theirs: Results) -> Checked:
        return Checked(False, f"differ by {np.abs(ours['timed'] - theirs['timed']).max():.0g}")

    monkeypatch.setattr(peers, "WORKS", {"logistic": replace(WORKS["logistic"], check=never)})
    (row,) = run_peers(tmp_path, quick=True, only=["naive"]).rows
    assert row.equal is False
    assert row.check.startswith("differ by")
    assert (row.ours, row.ratio, row.met, row.repeats) == (None, None, "", 0)


def test_a_peer_that_cannot_be_installed_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With pip's reason; nothing is left, and the others go on."""
    missing = {**PEERS, "pfl": Peer("pfl", "pfl", ("no_such_module",), (str(tmp_path / "no-such-folder"),))}
    monkeypatch.setattr(peers, "PEERS", missing)
    monkeypatch.setattr(peers_environments, "PEERS", missing)
    monkeypatch.setattr(peers, "WORKS", {"mlp": WORKS["mlp"]})
    told: list[str] = []
    found = run_peers(tmp_path / "out", only=["pfl"], environments=tmp_path / "kept", told=told.append)
    (row,) = found.rows
    assert row.check.startswith("not installed: ERROR")
    assert "no-such-folder" in row.check
    assert (row.equal, row.version, row.met) == (None, "", "")
    assert told[0].startswith("installing")
    assert list((tmp_path / "kept").iterdir()) == []
    assert read_peers(tmp_path / "out" / "peers.json").rows == found.rows


def test_a_peer_that_fails_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here in an environment that has nothing of it: the last line that it printed."""
    monkeypatch.setattr(peers, "WORKS", {"mlp": WORKS["mlp"]})
    monkeypatch.setattr(peers, "_places", lambda *_: {"pfl": Environment(sys.executable, "its own", "0")})
    if environment_has("pfl"):
        pytest.skip("pfl is here, so that it does not fail")
    (row,) = run_peers(tmp_path, quick=True, only=["pfl"]).rows
    assert row.check == "failed: ModuleNotFoundError: No module named 'pfl'"
    assert row.ours is None


def environment_has(module: str) -> bool:
    """Whether a module can be imported here."""
    from importlib.util import find_spec

    return find_spec(module) is not None


def test_an_environment_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was finished; the version is that which was found in it."""
    made: list[Path] = []

    def make(peer: Peer, place: Path, python: Path) -> str:
        made.append(place)
        return "1.2.3"

    monkeypatch.setattr(peers_environments, "PEERS", {"x": Peer("x", "x", ("no_such_module",), ("x==1.2.3",))})
    monkeypatch.setattr(peers_environments, "_made", make)
    with pytest.raises(ValueError, match="the quick mode makes none"):
        environment_of("x", tmp_path, False, print)
    first, again = (environment_of("x", tmp_path, make, print) for make in (True, False))
    assert first == again
    assert (first.kind, first.version) == ("its own", "1.2.3")
    assert len(made) == 1
    assert Path(first.python).is_relative_to(made[0])


def test_a_side_that_ends_says_why(tmp_path: Path) -> None:
    """The last line of what it printed."""
    with opened(sys.executable, "nobody", tmp_path) as side, pytest.raises(RuntimeError, match="peers_nobody"):
        side.ask("mlp/timed", tmp_path / "none.npz")


def test_what_is_asked_for_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before any work; status 2 and a line on the command line."""
    with pytest.raises(ValueError, match=r"only must name some of bound, .*, got 'fedml'"):
        run_peers(tmp_path, only=["fedml"])
    with pytest.raises(ValueError, match="at least one peer, got none"):
        run_peers(tmp_path, only=[])
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="out must be a folder"):
        run_peers(tmp_path / "file")
    monkeypatch.setattr(sys, "argv", ["trustkit", "bench", "peers", "--only", "fedml", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert "got 'fedml'" in capsys.readouterr().err


def test_a_target_is_met_by_both_ratios() -> None:
    """The smaller of processor time and wall time counts; without a target, or seconds, nothing is met."""
    row = Row("w", "t", "p", ours=1.0, theirs=8.0, ours_wall=1.0, theirs_wall=6.0, target=7.0)
    assert (row.ratio, row.ratio_wall, row.met) == (8.0, 6.0, "NO")
    assert replace(row, target=5.0).met == "yes"
    assert replace(row, target=None).met == ""
    assert Row("w", "t", "p", target=7.0).met == ""


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Rows with and without seconds; another file is refused."""
    rows = (
        Row("w", "t", "p", "1.0", "present", True, "apart by 0", 1.0, 2.0, 1.5, 2.5, 3, 1.5, "n"),
        Row("w", "t", "q"),
    )
    write_peers(Compared(rows, True, {"cores": 2}), tmp_path)
    found = read_peers(tmp_path / "peers.json")
    assert (found.rows, found.quick, found.machine) == (rows, True, {"cores": 2})
    assert "quick: fewer rounds" in found.to_text()
    (tmp_path / "other.json").write_text(jsonfile.dumps({"rows": []}), encoding="utf-8")
    with pytest.raises(ValueError, match="must be a file that trustkit bench peers wrote"):
        read_peers(tmp_path / "other.json")


def test_the_stored_comparison_is_of_todays_works() -> None:
    """The full run beside the notebooks: every work and peer, equal results, and what the code says of them now."""
    stored = read_peers(NOTEBOOKS / "peers.json")
    assert not stored.quick
    wanted = [(name, PEERS[peer].title) for name, work in WORKS.items() for peer in work.peers]
    assert [(row.work, row.peer) for row in stored.rows] == wanted
    targets = [target for work in WORKS.values() for target in work.peers.values()]
    for row, target in zip(stored.rows, targets, strict=True):
        assert (row.title, row.note, row.target) == (WORKS[row.work].title, WORKS[row.work].note, target)
        assert row.equal is (None if row.peer.startswith("GEMM") else True)
        assert row.version
        assert row.repeats >= 1
    assert {"processor", "cores", "python", "numpy", "trustkit", "load at the start"} <= set(stored.machine)
    assert not [row for row in stored.rows if row.met == "NO"]


def test_a_worker_prepares_once_and_answers_each_time(tmp_path: Path) -> None:
    """A line of JSON each, with the result in a file, and the arrays' own path among them."""
    prepared: list[str] = []

    def prepare(work: str, arrays: Mapping[str, np.ndarray]):  # type: ignore[no-untyped-def]
        prepared.append(f"{work} {Path(str(arrays['path'])).name}")
        return lambda: arrays["X"] * 2

    paths = spread({"timed": {"X": np.arange(3.0)}}, tmp_path)
    question = jsonfile.dumps({"work": "w/timed", "arrays": str(paths["timed"]), "save": str(tmp_path / "r.npy")}, None)
    answers = io.StringIO()
    serve(prepare, answers, io.StringIO(f"{question}\n{question}\n"))
    told = [jsonfile.loads(line) for line in answers.getvalue().splitlines()]
    assert [set(each) for each in told] == [{"wall", "processor"}] * 2
    assert prepared == ["w/timed timed.npz"]
    assert np.load(tmp_path / "r.npy").tolist() == [0.0, 2.0, 4.0]


def test_a_network_holds_our_parameters() -> None:
    """There and back, and the same scores as ours."""
    import torch

    from trustkit.horizontal import Dense

    arrays = training((6, 5, 10), 1)
    model, ours = network(arrays), Dense((6, 5, 10))
    np.testing.assert_array_equal(flat(model), arrays["params"])
    X = arrays["X"][:7]
    np.testing.assert_allclose(model(torch.from_numpy(X)).detach(), ours.logits(arrays["params"], X), atol=1e-6)
    put(model, arrays["params"] + 1)
    np.testing.assert_array_equal(flat(model), arrays["params"] + 1)


def test_a_plan_is_every_row_of_the_chosen_clients_once() -> None:
    """40 clients in each round; batches of 32 and what is left."""
    arrays = training((6, 10), 2)
    plan = list(rounds(arrays))
    assert [len(clients) for clients in plan] == [40, 40]
    for own in plan[1]:
        (client,) = set(arrays["owner"][own].tolist())
        assert sorted(own.tolist()) == np.flatnonzero(arrays["owner"] == client).tolist()
        cut = batches(own, 32)
        assert [batch.size for batch in cut[:-1]] == [32] * (len(cut) - 1)
        assert np.concatenate(cut).tolist() == own.tolist()
