"""VertiBench's bench: the printed numbers, marks, bytes in closed form, runs that go on, and what is refused."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from pathlib import Path

import numpy as np
import pytest

from trustkit.bench import run_vertibench, vertibench_runs
from trustkit.bench.vertibench import PARTS, forecast
from trustkit.bench.vertibench_printed import (
    ACCURACY,
    ALGORITHMS,
    COLUMNS,
    SATELLITE,
    SCALING,
    SHAPES,
    TRAFFIC,
    Printed,
)
from trustkit.bench.vertibench_runs import Budget, Job, Outcome, estimate, played
from trustkit.bench.vertibench_satellite import satellite_of
from trustkit.bench.vertibench_scaling import MOST, PARTIES
from trustkit.bench.vertibench_settings import METHODS, experiment, work
from trustkit.bench.vertibench_sheet import Place, Plan, Sheet
from trustkit.bench.vertibench_sources import FILES, source_of
from trustkit.bench.vertibench_table2 import MARKS, REASONS, jobs_of, mark
from trustkit.bench.vertibench_times import Link, network_seconds
from trustkit.bench.vertibench_traffic import closed
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.preset import presets
from trustkit.records import Stopped
from trustkit.rounds import data_of, run

WHOLE = Plan(False, (0, 1, 2, 3, 4), tuple(METHODS))


def outcome(score: float, synthetic: bool = False, rounds: int = 50, name: str = "splitnn") -> Outcome:
    """Make up a finished run."""
    wanted = experiment(name, "letter", "letter", use("importance"))
    traffic = {"embedding": ((0.0, 300.0), (300.0, 0.0)), "gradient": ((200.0, 0.0), (0.0, 200.0))}
    accuracy = (score / 100,) * rounds
    return Outcome(wanted.to_dict(), accuracy, accuracy, 1.0, 12_000, 3_000, 9.5, traffic, {}, synthetic)


def rows_of(sheet: Sheet) -> list[dict[str, object]]:
    """Return a table's rows by head."""
    return [dict(zip(sheet.heads, row, strict=True)) for row in sheet.rows]


def test_the_printed_table_is_whole() -> None:
    """Seven data sets, four algorithms, eight columns; some cells read off the paper."""
    assert set(ACCURACY) == {(name, algorithm) for name in SHAPES for algorithm in ALGORITHMS}
    assert all(list(cells) == list(COLUMNS) for cells in ACCURACY.values())
    assert ACCURACY["letter", "cvfl"]["α = 10"] == Printed(37.1, 47.1)
    assert ACCURACY["covtype", "gal"]["α = 0.1"] == Printed(66.1, 2.9)
    assert ACCURACY["radar", "fedtree"]["β = 1"] == Printed(99.3, 0.0)
    assert SCALING["gisette", "cvfl"][512] == 0.797
    assert SCALING["realsim", "gal"] == {2: 0.960, 8: 0.915, 32: 0.864, 128: 0.774, 512: 0.692}
    assert len(SATELLITE) == 17


def test_hyper_parameters_are_the_papers() -> None:
    """Appendix F, and the presets on letter, which the bench plays with other test rows."""
    found = presets()
    for method in ("splitnn", "gal", "cvfl"):
        preset = found[f"vertibench/letter-{method}-alpha-1"]
        assert experiment(method, "letter", "letter", preset.split) == preset
    trees = found["vertibench/letter-fedtree-alpha-1"]
    ours = experiment("fedtree", "letter", "letter", trees.split)
    assert ours.change(algorithm__engine="exchange") == trees
    assert [METHODS[name].whole for name in METHODS] == [50, 20, 20, 50, 200]
    assert found["vertibench/letter-splitnn-beta-0.6"].split.args["beta"] == 0.6
    gal, cvfl = METHODS["gal"].algorithm.args, METHODS["cvfl"].algorithm.args
    assert (gal["lr"], gal["local_epochs"], gal["batch"], gal["weight_decay"]) == (0.01, 20, 512, 5e-4)
    assert (cvfl["batch"], cvfl["local_steps"], cvfl["levels"], cvfl["compressor"]) == (512, 10, 4, "topk")
    assert (trees.algorithm.args["lr"], trees.algorithm.args["depth"], trees.algorithm.args["bins"]) == (0.1, 6, 32)
    assert experiment("splitnn", "radar", "radar_synthetic", trees.split).algorithm.args["lr"] == 1e-3


def test_what_the_whole_table_plays() -> None:
    """Without files letter only: 8 splits, 5 seeds; α = 1 and β = 0.6 first, the slow algorithms last."""
    jobs = jobs_of(WHOLE)
    assert len(jobs) == 8 * 5 * len(METHODS)
    assert {job.place[0] for job in jobs} == {"letter"}
    assert [job.place for job in jobs[:3]] == [
        ("letter", "splitnn", "α = 1", 0), ("letter", "fedtree", "α = 1", 0), ("letter", "splitnn", "α = 1", 1),
    ]  # fmt: skip
    assert jobs[10].place[2] == "β = 0.6"
    assert {job.place[1] for job in jobs[:80]} == {"splitnn", "fedtree"}
    for job in jobs:
        assert job.experiment.seed == job.experiment.data.args["draw"] == job.place[3]
    held = [data_of(job.experiment).held_out for job in jobs if job.place[1:3] == ("splitnn", "α = 1")]
    assert [int(rows.sum()) for rows in held] == [3000] * 5
    assert not np.array_equal(held[0], held[1])


def test_quick_takes_stand_ins_and_files_where_there_are_any(tmp_path: Path) -> None:
    """A stand-in is called synthetic; a file is found by its name, packed or in a folder of its own."""
    quick = Plan(True, (0, 1), ("fedtree",))
    assert {job.place[0] for job in jobs_of(quick)} == set(SHAPES)
    assert {job.place[3] for job in jobs_of(quick)} == {0}
    assert all(job.experiment.data.name.endswith("_synthetic") for job in jobs_of(quick) if job.place[0] != "letter")
    (tmp_path / "realsim").mkdir()
    (tmp_path / "realsim" / "real-sim.bz2").write_bytes(b"")
    found = source_of("realsim", 2, False, tmp_path)
    assert found is not None
    assert not found.synthetic
    assert (found.data.args["of"], found.data.args["draw"]) == ("libsvm", 2)
    (tmp_path / "covtype.data").write_text("")
    uci = source_of("covtype", 0, True, tmp_path)
    assert uci is not None
    assert uci.data.args["layout"] == "covtype"
    assert set(FILES) == set(SHAPES) - {"letter"}


@pytest.mark.parametrize(
    ("ours", "printed", "method", "expected"),
    [
        ([95.0, 95.2], Printed(96.0, 0.3), "splitnn", "reproduced"),  # 0.9 away
        ([94.0, 94.2], Printed(96.0, 0.3), "splitnn", "outside"),  # 1.9 away; error √(0.02/2 + 0.09/5) = 0.17
        ([30.0, 40.0], Printed(43.8, 14.0), "cvfl", "consistent"),  # 8.8 away; error √(50/2 + 196/5) = 8.0
        ([61.0, 62.0], Printed(51.4, 3.1), "gal", "outside"),
    ],
)
def test_marks(ours: list[float], printed: Printed, method: str, expected: str) -> None:
    """Within 1.5 points, within two standard errors, neither; a reason in each case."""
    found, why = mark(ours, printed, method)
    assert found == expected
    assert why


def test_errors_have_a_narrower_band() -> None:
    """0.2 points of RMSE are outside, 0.1 are not."""
    assert mark([10.3, 10.3], Printed(10.1, 0.0), "splitnn", True)[0] == "outside"
    assert mark([10.2, 10.2], Printed(10.1, 0.0), "splitnn", True)[0] == "reproduced"


def test_cells_of_table_2() -> None:
    """Mean and spread over seeds beside the printed ones; only whole runs on the paper's rows are marked."""
    outcomes: dict[Place, Outcome] = {
        ("letter", "splitnn", "α = 1", seed): outcome(95.8 + 0.1 * seed) for seed in range(5)
    }
    outcomes["letter", "gal", "α = 1", 0] = outcome(62.0)
    outcomes["covtype", "splitnn", "α = 1", 0] = outcome(70.0, synthetic=True)
    cells, grid = PARTS["table2"].sheets(WHOLE, outcomes)
    synthetic, whole, single = rows_of(cells)
    assert whole["ours"] == pytest.approx(96.0)
    assert whole["± ours"] == pytest.approx(np.sqrt(0.1 / 4))  # squares 0.04 + 0.01 + 0 + 0.01 + 0.04
    assert (whole["printed"], whole["mark"], whole["seeds"]) == (96.0, "reproduced", 5)
    assert (single["mark"], single["± ours"]) == ("", None)
    assert single["why"] == f"one seed; {REASONS['gal']}"  # 62 beside 51.4
    assert (synthetic["data"], synthetic["mark"]) == ("covtype_synthetic", "")
    assert "96.0 (96.0)" in grid.to_markdown()
    assert "covtype_synthetic" in grid.to_csv()
    assert all(f"**{word}**" in cells.to_markdown() for word in MARKS)


def test_an_error_is_on_the_labels_scale() -> None:
    """√4 over a span of 10 is 20 per cent."""
    found = dataclasses.replace(outcome(0), accuracy=(float("nan"),), loss=(4.0,), span=10.0)
    assert found.score == pytest.approx(20.0)


def test_closed_forms_are_the_published_bytes() -> None:
    """Every total of the paper's to three decimals; the exact count has no test rows in it."""
    for name in SHAPES:
        for algorithm in ("splitnn", "gal", "fedtree"):
            assert closed(algorithm, name, "paper")["total"] == pytest.approx(TRAFFIC[algorithm][name], abs=5.1e-4)
        received = closed("cvfl", name, "paper")["max_in"]
        assert received is not None
        assert received / 50 == pytest.approx(TRAFFIC["cvfl in an epoch"][name], abs=5.1e-4)
    assert closed("splitnn", "letter", "exact")["total"] == 2 * 3 * 100 * 4 * 12_000 * 50 / 2**20


def test_network_time_is_modelled() -> None:
    """Bytes over the bandwidth, and for each of 94 batches of 128 of 12,000 rows two messages one after the other."""
    found = outcome(90.0, rounds=1)
    assert found.sizes == {"total": 500.0, "max_in": 300.0, "max_out": 300.0}
    assert network_seconds(found, Link(8.0, 0.0)) == 600.0
    assert network_seconds(found, Link(float("inf"), 0.5)) == 94.0
    trees = outcome(90.0, rounds=2, name="fedtree")
    assert network_seconds(trees, Link(float("inf"), 1.0)) == 2 * (1 + 4 * 6)


def test_times_stand_beside_hours_of_another_machine() -> None:
    """CPU seconds, modelled seconds, extended to the paper's rounds; nobody divides one by the other."""
    outcomes: dict[Place, Outcome] = {("letter", "splitnn", "α = 1", 0): outcome(90.0, rounds=10)}
    (sheet,) = PARTS["times"].sheets(WHOLE, outcomes)
    first = rows_of(sheet)[0]
    assert (first["CPU seconds"], first["CPU seconds for these"]) == (9.5, 47.5)
    assert first["printed hours (other machine)"] == 0.01
    pivot = rows_of(sheet)[-1]
    assert (pivot["CPU seconds"], pivot["printed hours (other machine)"]) == (None, 6750.76)
    assert "another machine" in sheet.to_markdown()


def test_work_grows_as_it_should() -> None:
    """Trees with cells and outputs, SplitNN with rows, C-VFL as the square of the parties."""
    trees, net, stale = use("fedtree"), use("splitnn"), use("cvfl")
    assert work(trees, 1000, 20, 4, 3) == pytest.approx(6 * work(trees, 1000, 10, 4, 1))
    assert work(net, 2000, 10, 4, 1) == pytest.approx(2 * work(net, 1000, 10, 4, 1))
    assert work(stale, 1000, 10, 200, 1) > 3.5 * work(stale, 1000, 10, 100, 1)


def test_scaling_goes_up_to_2048_parties() -> None:
    """On a stand-in of gisette's size; C-VFL no further than its time allows; the quick mode has three sizes."""
    jobs = PARTS["scaling"].jobs(Plan(False, (0,), tuple(METHODS)))
    assert {job.place[2] for job in jobs} == set(PARTIES)
    assert max(int(job.place[2]) for job in jobs if job.place[1] == "cvfl") == MOST["cvfl"]
    rates = {job.place[2]: job.experiment.algorithm.args["lr"] for job in jobs if job.place[1] == "splitnn"}
    assert (rates[512], rates[2048]) == (1e-3, 1e-4)
    quick = PARTS["scaling"].jobs(Plan(True, (0, 1), ("fedtree",)))
    assert [job.place for job in quick] == [("gisette", "fedtree", parties, 0) for parties in (2, 8, 32)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The part about bytes."""
    out = tmp_path_factory.mktemp("vertibench")
    run_vertibench(out, True, ("figures",))
    return out


def test_files(made: Path) -> None:
    """Tables as CSV, a picture a part, all in one Markdown file, a run a file."""
    stems = {"figures3-6": True, "figures3-6-checked": False}
    expected = {f"{stem}.csv" for stem in stems} | {f"{s}.{end}" for s, drawn in stems.items() if drawn
                                                   for end in ("png", "svg")}  # fmt: skip
    assert {file.name for file in made.iterdir()} == expected | {"vertibench.md", "vertibench.json", "runs"}
    assert len(list((made / "runs").glob("*.json"))) == 5
    assert not list((made / "runs").glob("*.npz"))
    text = (made / "vertibench.md").read_text(encoding="utf-8")
    assert "5 of 5 runs are finished" in text


def test_the_channel_counts_as_the_closed_form(made: Path) -> None:
    """To the byte; trees by both engines; and every published number follows from the authors' count."""
    checked = list(csv.DictReader(io.StringIO((made / "figures3-6-checked.csv").read_text(encoding="utf-8"))))
    assert {row["algorithm"] for row in checked} == {"SplitNN", "GAL", "FedTree", "C-VFL"}
    assert {row["equal"] for row in checked} == {"yes"}
    assert len(checked) == 3 + 3 + 6 + 1
    sizes = list(csv.DictReader(io.StringIO((made / "figures3-6.csv").read_text(encoding="utf-8"))))
    assert {row["paper's reproduced"] for row in sizes if row["accounting"] == "paper"} == {"yes", "yes, what came in"}


def test_what_is_finished_is_not_played_again(made: Path) -> None:
    """Nothing is left to do, and the tables are the same."""
    before = (made / "vertibench.md").read_text(encoding="utf-8")
    assert set(forecast(made, True, ("figures",)).values()) == {0.0}
    stamps = {file: file.stat().st_mtime_ns for file in (made / "runs").iterdir()}
    run_vertibench(made, True, ("figures",))
    assert (made / "vertibench.md").read_text(encoding="utf-8") == before
    assert {file: file.stat().st_mtime_ns for file in (made / "runs").iterdir()} == stamps


def _small() -> Job:
    wanted = Experiment("wine", use("importance", parties=3), use("splitnn", local=(8,), top=(8,)), rounds=4)
    return Job(("wine", "splitnn", "α", 0), "wine", wanted, (142, 13, 3, 3))


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In mid-run; in the end, what an uninterrupted run gives, and no half of a run is left."""
    monkeypatch.setattr(vertibench_runs, "SAVE_EVERY", -1.0)

    def stop(words: str, share: float) -> None:
        if share > 0.7:
            raise Stopped

    with pytest.raises(Stopped):
        list(played([_small()], tmp_path, True, stop, Budget()))
    assert [file.suffix for file in tmp_path.iterdir()] == [".npz"]
    told: list[float] = []
    ((_, found),) = played([_small()], tmp_path, True, lambda words, share: told.append(share), Budget())
    record = run(_small().experiment)
    assert found.accuracy == tuple(record.accuracy[:, 0].tolist())
    assert found.sides.tolist() == [record.bytes_up.sum(axis=0).tolist(), record.bytes_down.sum(axis=0).tolist()]
    assert told == [0.75, 0.99, 1.0]
    assert [file.suffix for file in tmp_path.iterdir()] == [".json"]
    assert estimate([_small()], tmp_path) == 0.0


def test_a_spent_budget_leaves_a_run_to_go_on_with(tmp_path: Path) -> None:
    """Nothing is begun with nothing left; what is begun is saved when it runs out; the next call finishes it."""
    assert list(played([_small()], tmp_path, True, lambda *_: None, Budget(0.0))) == []
    assert list(tmp_path.iterdir()) == []
    assert list(played([_small()], tmp_path, True, lambda *_: None, Budget(1e-9))) == []
    assert [file.suffix for file in tmp_path.iterdir()] == [".npz"]
    assert len(list(played([_small(), _small()], tmp_path, True, lambda *_: None, Budget(60.0)))) == 2


def test_a_file_that_is_no_run(tmp_path: Path) -> None:
    """One sentence with its name."""
    list(played([_small()], tmp_path, True, lambda *_: None, Budget()))
    (file,) = tmp_path.iterdir()
    file.write_text("{}")
    with pytest.raises(ValueError, match=re.escape(f"{file} must be a finished run of the benchmark")):
        list(played([_small()], tmp_path, True, lambda *_: None, Budget()))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"only": ("table3",)}, "only must name some of table2, figures, scaling, times, solo, got 'table3'"),
        ({"only": ()}, "only must name at least one, got none"),
        ({"methods": ("al",)}, "methods must name some of splitnn, gal, gal-undecayed, fedtree, cvfl, got 'al'"),
        ({"seeds": ()}, "seeds must name at least one, got none"),
        ({"seeds": (-1,)}, "seeds must be at least 0, got -1"),
        ({"data": "nowhere"}, "data must be a folder, got 'nowhere'"),
        ({"minutes": 0}, "minutes must be above 0, got 0"),
    ],
)
def test_what_is_refused(tmp_path: Path, given: dict[str, object], message: str) -> None:
    """Before any training, and nothing is written."""
    with pytest.raises(ValueError, match=re.escape(message)):
        run_vertibench(tmp_path / "out", True, **given)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_out_must_be_a_folder(tmp_path: Path) -> None:
    """A file is none."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="out must be a folder"):
        run_vertibench(tmp_path / "file", True)


@pytest.mark.parametrize("name", PARTS)
def test_every_part_draws_and_says_when_there_is_nothing(name: str) -> None:
    """Empty tables give a picture, too."""
    sheets = PARTS[name].sheets(WHOLE, {})
    assert PARTS[name].draw(sheets).axes
    assert PARTS[name].title in sheets[0].title or name == "times"


def test_satellite_is_played_where_its_files_are(tmp_path: Path) -> None:
    """Two places of three columns, labels with both, 40 rows to train on: alone, and together by SplitNN."""
    folder = tmp_path / "data" / "satellite"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for part, first, rows in (("train", 0, 40), ("test", 100, 20)):
        y = rng.integers(0, 2, rows)
        for k in range(2):
            X = rng.normal(size=(rows, 3)) + 2 * y[:, None]
            lines = ["id,y,a,b,c", *(f"{first + i},{y[i]},{','.join(map(str, X[i]))}" for i in range(rows))]
            (folder / f"sat_party{k}_{part}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = satellite_of(tmp_path / "data")
    assert found is not None
    assert found[1] == (40, 6, 2, 21)
    run_vertibench(tmp_path / "out", quick=True, only=("solo",), data=tmp_path / "data")
    with (tmp_path / "out" / "table7.csv").open(encoding="utf-8") as file:
        rows_read = list(csv.DictReader(file))
    told = {row["who"]: float(row["accuracy"]) for row in rows_read if row["data"] == "satellite"}
    assert set(told) == {"place 0 alone", "place 1 alone", "SplitNN"}
    assert min(told.values()) > 80
