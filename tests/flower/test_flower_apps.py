"""An experiment as a Flower app: what `play` gives, rows that stay, trouble that is told, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flwr", reason="flwr is not installed; tests/flower/run makes an environment for these tests")

from flwr.app import Error, Message, RecordDict

from tests.flower.loopback import GONE, Loopback
from trustkit import store
from trustkit.catalogue import ALGORITHMS, use
from trustkit.experiment import Experiment
from trustkit.flower import Federation, client_app, serve, write_app
from trustkit.flower.federation import ABLE, refuse
from trustkit.flower.party import hold
from trustkit.flower.rollcall import called
from trustkit.flower.wire import recorded
from trustkit.horizontal.plan import cohort
from trustkit.metrics import disparity_from_counts
from trustkit.records import RunRecord
from trustkit.rounds import build, play
from trustkit.trust import FactSheet
from trustkit.trust.chain import read, verify

FEW = Experiment("breast_cancer", use("dirichlet", parties=9, alpha=0.5), use("fedavg", lr=0.05), "logistic", rounds=3,
                 participation=0.6, seed=4)  # fmt: skip
Trouble = Callable[[int, int, str, Any], Any]


def way_to(folder: Path, trouble: Trouble | None = None) -> Loopback:
    """Seat the clients at nodes whose ids say nothing, in no order."""
    parties = Federation.load(folder).parties
    nodes = {7_000_000_001 + 13 * ((k * 5) % parties): {"partition-id": k} for k in range(parties)}
    return Loopback(client_app(folder), nodes, {"parties": str(folder / "parties")}, trouble)


def federate(
    experiment: Experiment, tmp_path: Path, trouble: Trouble | None = None
) -> tuple[Loopback, RunRecord, FactSheet]:
    """Write an app and play it."""
    folder = write_app(experiment, tmp_path / "app")
    grid = way_to(folder, trouble)
    return grid, *serve(Federation.load(folder), grid, tmp_path / "out", wait=0, timeout=1)


def client_of(grid: Loopback, node: int) -> int:
    """Say which client a node is."""
    return int(grid.contexts[node].node_config["partition-id"])


SETTINGS: dict[str, dict[str, Any]] = {
    **{name: {"algorithm": use(name, lr=0.05)} for name in ABLE},
    "fedprox strongly": {"algorithm": use("fedprox", lr=0.05, mu=1.0)},
    "fedopt by yogi": {"algorithm": use("fedopt", lr=0.05, optimiser="yogi")},
    "by size": {"algorithm": use("fedavg", selector="size")},
    "by reputation": {"algorithm": use("fedavg", selector="reputation")},
    "least selected first": {"algorithm": use("fedmedian", selector="fair")},
    "everybody, a network": {"participation": 1.0, "model": use("mlp", hidden=[8])},
    "images": {"data": "digits", "model": use("convnet", channels=[4], hidden=0), "rounds": 2,
               "split": use("iid", parties=4)},
    "masked updates": {"secure": True},
    "masked updates, Adam": {"secure": True, "algorithm": use("fedopt", lr=0.05)},
}  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_it_is_what_play_gives(name: str, tmp_path: Path) -> None:
    """Weights, who was asked, accuracy and loss by client and round; the written run holds as well."""
    experiment = FEW.change(**SETTINGS[name])
    _, record, facts = federate(experiment, tmp_path)
    played = list(play(experiment))
    assert np.abs(record.last.state["params"] - played[-1].state["params"]).max() <= 1e-5
    assert record.last.state["params"].dtype == played[-1].state["params"].dtype
    assert len(record) == len(played)
    for one, other in zip(record, played, strict=True):
        assert one.selected.tolist() == other.selected.tolist()
        np.testing.assert_allclose(one.loss, other.loss, atol=1e-5)
        np.testing.assert_allclose(one.accuracy, other.accuracy, atol=0.02)  # a row on the border may fall either way
        assert one.bytes_up[one.selected].min() > other.bytes_up[other.selected].min() * 0.99
    assert facts.get("fairness", "selection_cv") == pytest.approx(
        np.std(record.selected.mean(0)) / np.mean(record.selected.mean(0))
    )
    kept = store.load(tmp_path / "out" / "run.npz")
    assert kept.experiment.key == experiment.key
    assert kept.last.state["params"].tobytes() == record.last.state["params"].tobytes()


def test_files_of_clients_have_every_row_once_and_the_app_has_none(tmp_path: Path) -> None:
    """What goes to everybody has the shape of the data; each client's file has its own rows only."""
    folder, built = write_app(FEW, tmp_path / "app"), build(FEW)
    files = sorted((folder / "parties").glob("*.npz"), key=lambda file: int(file.stem.split("_")[1]))
    arrays = [dict(np.load(file, allow_pickle=False)) for file in files]
    assert [int(each["client"]) for each in arrays] == list(range(9))
    assert np.array_equal(np.concatenate([each["train_X"] for each in arrays]), built.trainer.train.X)  # type: ignore[attr-defined]
    assert np.array_equal(np.concatenate([each["test_y"] for each in arrays]), built.trainer.test.y)  # type: ignore[attr-defined]
    assert {file.name for file in folder.iterdir()} == {
        "README.md", "client_app.py", "experiment.toml", "federation.json", "parties", "pyproject.toml", "server_app.py"
    }  # fmt: skip
    assert sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) < 6000
    federation = Federation.load(folder)
    assert federation.trainer(np.full(9, 5)).train.X.size == 0


def test_a_node_needs_its_own_file_only(tmp_path: Path) -> None:
    """It is named by the SuperNode's own configuration, and the other files are gone."""
    folder = write_app(FEW.change(participation=1.0, rounds=1), tmp_path / "app")
    nodes = {}
    for k in range(9):
        (tmp_path / str(k)).mkdir()
        nodes[k + 1] = {"party": str((folder / "parties" / f"party_{k}.npz").rename(tmp_path / str(k) / "rows.npz"))}
    (folder / "parties").rmdir()
    record, _ = serve(Federation.load(folder), Loopback(client_app(folder), nodes), tmp_path / "out", 0, 1)
    assert record.selected.all()


def test_the_server_sees_counts_as_one_sum(tmp_path: Path) -> None:
    """No client's label counts are among the messages; the sum is exact."""
    grid, _, facts = federate(FEW, tmp_path)
    trainer = build(FEW).trainer
    total = np.bincount(trainer.train.y, minlength=2)  # type: ignore[attr-defined]
    assert facts.get("data", "class_counts") == tuple(total.tolist())
    words = [content["words"]["words"].numpy() for kind, _, content in grid.seen if kind == "query.trustkit_count"]
    assert len(words) == 9
    assert min(each.min() for each in words) > 10_000  # counts are below; one in 1e13 words is by chance
    assert np.asarray(np.sum(words, axis=0, dtype=np.uint64))[:2].tolist() == total.tolist()


def test_pooled_fairness_comes_as_a_sum(tmp_path: Path) -> None:
    """It is that of the simulation's counts."""
    experiment = Experiment("acs_employment", use("iid", parties=4), "fedavg", "logistic", rounds=1)
    _, _, facts = federate(experiment, tmp_path)
    played = next(iter(play(experiment)))
    name = facts.get("fairness", "attribute")
    wanted = disparity_from_counts(played.groups[name].sum(0))
    assert facts.get("fairness", "pooled_disparity") == pytest.approx(float(wanted), abs=0.01)


def test_masked_updates_look_like_noise(tmp_path: Path) -> None:
    """The server holds words of 64 bits that are far from any model; the sheet says what hides them."""
    grid, _, facts = federate(FEW.change(secure=True), tmp_path)
    words = [content["arrays"]["params"].numpy() for kind, _, content in grid.seen if kind == "train"]
    assert {each.dtype for each in words} == {np.dtype(np.uint64)}
    assert abs(np.concatenate(words).astype(float).mean() / 2.0**64 - 0.5) < 0.05
    assert facts.get("privacy", "encryption") == 1.0
    assert "keys go through the server and are not signed" in facts.get("privacy", "aggregation_protection")


def answer_to(node: int, kind: str) -> Any:
    """Make the message that an error answers."""
    return Message(RecordDict({}), node, kind)


OUTCOMES = {"failed": ("error", 2), "left": ("dropout", GONE), "late": ("timeout", None)}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_a_lost_update_is_told_and_left_out(kind: str, tmp_path: Path) -> None:
    """The mean is over the others, the sheet has a rate, the log names who; all others go on."""
    rate, code = OUTCOMES[kind]
    everybody = FEW.change(participation=1.0)

    def trouble(index: int, node: int, what: str, answer: Any) -> Any:
        if what != "train" or index != 2 or node != min(grid_nodes):
            return answer
        return None if code is None else Message(Error(code, "gone"), reply_to=answer_to(node, what))

    folder = write_app(everybody, tmp_path / "app")
    grid = way_to(folder, trouble)
    grid_nodes = list(grid.contexts)
    lost = client_of(grid, min(grid_nodes))
    record, facts = serve(Federation.load(folder), grid, tmp_path / "out", 0, 1)
    trainer, played = build(everybody).trainer, list(play(everybody))
    rest = np.setdiff1d(np.arange(9), [lost])
    plan = cohort(4, 2, rest, trainer.train.offsets, trainer.local)  # type: ignore[attr-defined]
    before = played[0].state
    wanted = trainer._merge(before, trainer._train(before["params"], plan, lambda: None), plan)["params"]  # type: ignore[attr-defined]
    after = trainer.step({**before, "params": wanted}, 3, lambda: None)[0]["params"]
    assert np.abs(record.last.state["params"] - after).max() <= 1e-5
    assert np.abs(record.last.state["params"] - played[-1].state["params"]).max() > 1e-4
    assert record.selected.all()
    assert record.last.state["outcomes"].sum() == 27
    assert facts.get("system", f"{rate}_rate") == pytest.approx(1 / 27)
    events = [event for event in read(tmp_path / "out" / "events.jsonl") if event.kind == "clients_lost"]
    names = {"failed": "failed", "left": "dropped", "late": "late"}
    assert [len(event.facts[names[kind]]) for event in events] == [0, 1, 0]
    assert verify(tmp_path / "out" / "events.jsonl", facts.get("log", "head")).sound


def test_an_update_that_is_not_finite_is_left_out(tmp_path: Path) -> None:
    """It counts as failed, the log says why, and the model stays finite."""

    def trouble(index: int, node: int, what: str, answer: Any) -> Any:
        if what == "train" and index == 1 and node == 7_000_000_001:
            answer.content["arrays"] = recorded(np.full(62, np.nan, np.float32))
        return answer

    _, record, facts = federate(FEW.change(participation=1.0), tmp_path, trouble)
    assert np.isfinite(record.last.state["params"]).all()
    assert facts.get("system", "error_rate") == pytest.approx(1 / 27)
    (event,) = [e for e in read(tmp_path / "out" / "events.jsonl") if e.kind == "update_left_out"]
    assert event.facts["reason"] == "a number was not finite"


def test_nobody_delivers_and_the_model_stays(tmp_path: Path) -> None:
    """A round without any update changes nothing and is played."""

    def trouble(index: int, node: int, what: str, answer: Any) -> Any:
        return None if what == "train" and index == 2 else answer

    _, record, facts = federate(FEW.change(rounds=2), tmp_path, trouble)
    np.testing.assert_allclose(record.last.state["params"], next(iter(play(FEW))).state["params"], atol=1e-5)
    assert facts.get("system", "timeout_rate") == pytest.approx(0.5)


def test_masked_updates_with_one_missing_have_no_sum(tmp_path: Path) -> None:
    """The round is lost, the log says that nothing was summed, and the next one goes on."""

    lost: list[int] = []

    def trouble(index: int, node: int, what: str, answer: Any) -> Any:
        if what == "train" and index == 1 and not lost:
            lost.append(node)
            return None
        return answer

    _, record, _ = federate(FEW.change(secure=True, participation=1.0, rounds=2), tmp_path, trouble)
    start = build(FEW).trainer.start()["params"]
    events = [e for e in read(tmp_path / "out" / "events.jsonl") if e.kind == "clients_lost"]
    assert [len(e.facts.get("not_summed", ())) for e in events] == [8, 0]
    assert np.abs(record.last.state["params"] - start).max() > 1e-4


def test_without_all_clients_it_does_not_begin(tmp_path: Path) -> None:
    """It says who is missing; two SuperNodes cannot be one client."""
    folder = write_app(FEW, tmp_path / "app")
    app, run = client_app(folder), {"parties": str(folder / "parties")}
    with pytest.raises(ConnectionError, match=r"^all 9 clients must be there after 0 s, got 2 of 2 .*missing: 2, 3, 4"):
        called(Loopback(app, {1: {"partition-id": 0}, 2: {"partition-id": 1}}, run), 9, 0, 1)
    with pytest.raises(ValueError, match=r"^every SuperNode must be another client, got client 1 more than once"):
        called(Loopback(app, {1: {"partition-id": 1}, 2: {"partition-id": 1}}, run), 9, 0, 1)


REFUSED: dict[str, dict[str, Any]] = {
    "a real federation must divide rows": {"split": use("uniform", parties=3), "algorithm": "splitnn", "model": None,
                                           "participation": 1.0},
    "algorithm must be .* got 'scaffold'": {"algorithm": "scaffold"},
    "algorithm must be .* got 'qfedavg'": {"algorithm": "qfedavg"},
    "selector must be random, size, reputation or fair": {"algorithm": use("fedavg", selector="loss")},
    "privacy must stay unset .* DifferentialPrivacyServerSide": {"privacy": use("gaussian", level="client")},
    "attack must stay unset": {"attack": "label_flip"},
    "faults must stay unset": {"faults": "dropout"},
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_what_has_no_place_is_refused(words: str, tmp_path: Path) -> None:
    """In one sentence, and nothing is written."""
    with pytest.raises(ValueError, match=f"^{words}"):
        write_app(FEW.change(**REFUSED[words]), tmp_path / "app")
    assert not list(tmp_path.iterdir())


def test_every_other_algorithm_is_refused_by_name() -> None:
    """What is able is exactly what the catalogue has, without those that keep or need more."""
    for name, entry in ALGORITHMS.items():
        if entry.axis == "rows" and name not in ABLE:
            with pytest.raises(ValueError, match=f"got '{name}'$"):
                refuse(FEW.change(algorithm=name))


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    """Whatever is in it."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"^folder must be new or empty, got .*, which has files"):
        write_app(FEW, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """A federation of another format, a client's file of another client count."""
    folder = write_app(FEW, tmp_path / "app")
    (folder / "federation.json").write_text('{"format": "another"}')
    with pytest.raises(ValueError, match=r"must be of the format trustkit-federation-1, got another$"):
        Federation.load(folder)
    other = Federation(FEW, 9, 30, ("a", "b"), None, 1)
    broken = tmp_path / "rows.npz"
    broken.write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"must be a client's file, got"):
        hold(other, broken)
    whole = (folder / "parties" / "party_1.npz").read_bytes()
    broken.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"must be a client's file, got"):
        hold(other, broken)
    with pytest.raises(ValueError, match=r"must have client, .*group.sex, got none of group.sex$"):
        hold(Federation(FEW, 9, 30, ("a", "b"), None, 1, {"sex": ("f", "m")}), folder / "parties" / "party_0.npz")
    narrow = Federation(FEW, 9, 5, ("a", "b"), None, 1)
    with pytest.raises(ValueError, match=r"must have the 5 features of the federation, got 30$"):
        hold(narrow, folder / "parties" / "party_0.npz")
    assert math.isfinite(hold(other, folder / "parties" / "party_0.npz").evaluate(np.zeros(62))[1])
