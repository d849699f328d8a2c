"""The search: whole grids, same seed same front, resumed and on workers alike, refusals, cancelling."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit import jsonfile
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.frontier import Front, evolve, pareto
from trustkit.frontier.points import COSTS
from trustkit.records import Stopped
from trustkit.rounds import play, run
from trustkit.trust import assess

START = Experiment("breast_cancer", use("dirichlet", parties=4, alpha=1.0), use("fedavg", lr=0.02), "logistic",
                   rounds=2, participation=0.5, seed=3)  # fmt: skip
WIDE: dict[str, Any] = {"algorithm": ["fedavg", "fedprox", "fedmedian"], "participation": (0.25, 1.0), "rounds": (1, 4),
                        "algorithm__selector": None}  # fmt: skip


def said(front: Front) -> list[Any]:
    """Everything of a front but how long it took."""
    return [[point.experiment.key, point.changes, [dict(each) for each in point.each]] for point in front.points]


@pytest.fixture(scope="module")
def plain() -> Front:
    """Return a search that is not to be done twice."""
    return pareto(START, WIDE, evaluations=16, seed=1)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the keys of the experiments that are played from here on."""
    keys: list[str] = []

    def watched(experiment: Experiment, *rest: Any, **more: Any) -> Any:
        keys.append(experiment.key)
        return play(experiment, *rest, **more)

    monkeypatch.setattr("trustkit.frontier.tried.play", watched)
    return keys


def test_a_small_grid_is_tried_whole() -> None:
    """Every combination is a point with the numbers of the run itself; the front is found by comparing all pairs."""
    front = pareto(START, {"algorithm": ["fedavg", "fedmedian"], "participation": [0.5, 0.75, 1.0]}, ("trust", "bytes"))
    assert front.exhaustive
    assert len(front.points) == 6
    grid = [START.change(algorithm=use(name, lr=0.02), participation=share)
            for name in ("fedavg", "fedmedian") for share in (0.5, 0.75, 1.0)]  # fmt: skip
    assert {point.experiment.key for point in front.points} == {each.key for each in grid}
    values = {}
    for each in grid:
        record = run(each)
        trust = assess(facts_of(record)).score or 0.0
        values[each.key] = (trust, float(record.bytes_up.sum() + record.bytes_down.sum()))
    for point in front.points:
        assert (point.values["trust"], point.values["bytes"]) == values[point.experiment.key]
    best = {key for key, (trust, size) in values.items()
            if not any(t >= trust and s <= size and (t, s) != (trust, size) for t, s in values.values())}  # fmt: skip
    assert {point.experiment.key for point in front.best} == best


def test_a_grid_without_the_start() -> None:
    """The start is tried besides."""
    front = pareto(START, {"algorithm": ["fedmedian"]}, evaluations=1)
    assert [point.changes for point in front.points] == [(), ("algorithm: fedavg → fedmedian",)]
    assert front.start.experiment == START


def test_the_same_seed_finds_the_same_front(plain: Front) -> None:
    """Point by point; another seed tries others."""
    assert len(plain.points) == 17
    assert not plain.exhaustive
    assert len({point.experiment.key for point in plain.points}) == 17
    assert said(pareto(START, WIDE, evaluations=16, seed=1)) == said(plain)
    assert said(pareto(START, WIDE, evaluations=16, seed=2)) != said(plain)


def test_single_changes_come_first(plain: Front) -> None:
    """A third of the budget: one thing each, and every thing that has an effect."""
    singles = [point.changes for point in plain.points[1:6]]
    assert all(len(changes) == 1 for changes in singles)
    assert {changes[0].split(":")[0] for changes in singles} >= {"algorithm", "rounds", "participation"}


def test_more_evaluations_never_lose(plain: Front) -> None:
    """Hypervolume never falls as points are added, and the search found more than the start."""
    growth = plain.growth()
    assert (np.diff(growth) >= 0).all()
    assert 0 <= growth[0] < growth[-1] <= 1


def test_a_search_goes_on_from_its_folder(plain: Front, tmp_path: Path, played: list[str]) -> None:
    """Stopped in the middle of a run and called again: the whole front, no run played twice, no half of one kept."""
    stages: list[tuple[str, float]] = []

    def stop(stage: str, done: float) -> None:
        stages.append((stage, done))
        if stage.startswith("run 9 "):
            raise Stopped

    with pytest.raises(Stopped):
        pareto(START, WIDE, evaluations=16, seed=1, folder=tmp_path, progress=stop)
    kept = {path.stem for path in tmp_path.iterdir()}
    assert len(kept) == 8
    assert [done for _, done in stages] == sorted(done for _, done in stages)
    before = list(played)
    assert said(pareto(START, WIDE, evaluations=16, seed=1, folder=tmp_path)) == said(plain)
    assert kept & set(played[len(before) :]) == set()
    assert len(list(tmp_path.iterdir())) == 17
    again = len(played)
    other = pareto(START, WIDE, ("privacy", "accuracy"), "calibrated", evaluations=3, seed=1, folder=tmp_path)
    assert other.profile.name == "calibrated"
    assert len(played) == again  # the same first points, scored by another profile


def test_a_file_of_something_else_is_not_taken(tmp_path: Path, played: list[str]) -> None:
    """Looked at with other rows, or of another experiment: played anew. What is no JSON is refused by name."""
    pareto(START, {"algorithm": ["fedavg"]}, folder=tmp_path)
    (file,) = tmp_path.iterdir()
    pareto(START, {"algorithm": ["fedavg"]}, folder=tmp_path)
    assert len(played) == 1
    front = pareto(START, {"algorithm": ["fedavg"]}, folder=tmp_path, look_at=2)
    assert (len(played), front.rows) == (2, 2)
    content = jsonfile.read(file)
    jsonfile.write_text(file, jsonfile.dumps({**content, "experiment": START.change(seed=4).to_dict()}))
    pareto(START, {"algorithm": ["fedavg"]}, folder=tmp_path, look_at=2)
    assert len(played) == 3
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=f"{file.name} must be a JSON file"):
        pareto(START, {"algorithm": ["fedavg"]}, folder=tmp_path)


@pytest.fixture(params=["threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Return workers; processes start from nothing, as they do on every system."""
    kinds: dict[str, Any] = {
        "threads": lambda: ThreadPoolExecutor(2),
        "processes": lambda: ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")),
    }
    with kinds[request.param]() as pool:
        yield pool


def test_workers_do_not_change_the_front(plain: Front, executor: Executor) -> None:
    """Bit for bit."""
    assert said(pareto(START, WIDE, evaluations=16, seed=1, executor=executor)) == said(plain)


def test_refused_combinations_are_counted_and_cost_nothing() -> None:
    """Secure sums of medians by the build, two sources of noise too; only the start's own refusal is an error."""
    everybody = START.change(participation=1.0)
    front = pareto(everybody, {"algorithm": ["fedavg", "fedprox", "fedmedian"], "secure": [False, True]})
    assert front.exhaustive
    assert len(front.points) == 5
    assert list(front.refused.values()) == [1]
    assert "secure" in next(iter(front.refused))
    assert sum("Refused, 1 combination: " in note for note in front.notes) == 1
    noisy = {"privacy": [use("gaussian", epsilon=None, noise=1.0)], "privacy__epsilon": [1.0, 2.0]}
    front = pareto(START, noisy)
    assert len(front.points) == 1
    assert [reason.split(":")[0] for reason in front.refused] == ["gaussian takes exactly one of epsilon and noise"] * 2
    with pytest.raises(ValueError, match="secure"):
        pareto(START.change(algorithm="fedmedian", secure=True), {"participation": [1.0]})


def test_seeds_are_averaged_and_spread() -> None:
    """By hand from the runs themselves; bytes do not depend on the seed."""
    front = pareto(START, {"participation": [1.0]}, seeds=3)
    accuracy = [float(facts_of(run(START.change(seed=seed))).get("performance", "test_acc_avg")) for seed in (3, 4, 5)]
    assert front.start.by_seed("accuracy").tolist() == accuracy
    assert front.start.values["accuracy"] == pytest.approx(np.mean(accuracy))
    assert front.start.spread["accuracy"] == pytest.approx(np.std(accuracy, ddof=1))
    assert front.start.spread["bytes"] == 0
    assert front.points[1].values["bytes"] == 2 * front.start.values["bytes"]
    assert front.points[1].values["trainings"] == 8  # two rounds, four clients
    assert all(name in front.start.values for name in COSTS)


def test_columns_can_be_searched_too() -> None:
    """Between parties that share rows."""
    start = Experiment("breast_cancer", use("uniform", parties=3), use("splitnn", local=(8,), top=(8,)), rounds=1)
    front = pareto(start, {"split__parties": [2, 3]})
    assert [point.changes for point in front.points] == [(), ("split parties: 3 → 2",)]


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"evaluations": 0}, ValueError, "evaluations must be at least 1, got 0"),
        ({"seeds": 0}, ValueError, "seeds must be at least 1, got 0"),
        ({"evaluations": 2.5}, TypeError, "evaluations must be a whole number, got 2.5"),
        ({"objectives": ["speed"]}, ValueError, "got 'speed'"),
        ({"profile": "nosuch"}, KeyError, "there is no profile 'nosuch'"),
        ({"vary": ["speed"]}, ValueError, "an experiment has no part 'speed'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(
    more: dict[str, Any], error: type[Exception], words: str, played: list[str]
) -> None:
    """In one sentence."""
    with pytest.raises(error, match=words):
        pareto(START, **{"vary": ["participation"], **more})
    assert not played


def test_without_pymoo_small_grids_can_still_be_tried(monkeypatch: pytest.MonkeyPatch, played: list[str]) -> None:
    """A larger search says how to get it, before anything is played."""
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == "pymoo"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pymoo", None)
    with pytest.raises(ValueError, match=r"a search needs pymoo \(pip install 'trustkit\[search\]'\), unless all"):
        pareto(START, WIDE)
    assert not played
    assert len(pareto(START, {"participation": [1.0]}).points) == 2
    with pytest.raises(ValueError, match="needs pymoo"):
        evolve.require_pymoo()
