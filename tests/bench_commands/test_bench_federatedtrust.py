"""The bench from end to end on the two small experiments: files, resuming, labels, and what it refuses."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from tests.strategies import same
from trustkit.bench import run_federatedtrust
from trustkit.bench.comparison import Comparison
from trustkit.bench.picture import score_dots
from trustkit.bench.printed import PRINTED, STATED
from trustkit.bench.settings import experiment, scaled_down
from trustkit.horizontal.convnet import Convnet
from trustkit.jsonfile import dumps, write_text
from trustkit.preset import presets
from trustkit.records import Stopped
from trustkit.rounds import build, data_of, partition_of
from trustkit.trust import assess
from trustkit.trust.profiles import PROFILES

CLOCK = {"system/training_seconds"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, Path, list[tuple[str, float]]]:
    """Experiments 4 and 5, whole, with what progress was told."""
    out, told = tmp_path_factory.mktemp("bench"), []
    found = run_federatedtrust(out, quick=True, experiments=(5, 4), progress=lambda *said: told.append(said))
    return found, out, told


def _facts(found: Comparison) -> dict[int, dict[str, object]]:
    return {number: {path: value for path, value in run.facts.values.items() if path not in CLOCK}
            for number, run in found.played.items()}  # fmt: skip


def test_files(made: tuple[Comparison, Path, list[tuple[str, float]]]) -> None:
    """Tables and pictures of Figure 5, none of Figure 4; a run and a sheet an experiment."""
    found, out, _ = made
    assert {file.name for file in out.iterdir()} == {
        "figure5.csv", "figure5.png", "figure5.svg", "federatedtrust.md", "runs",
    }  # fmt: skip
    stems = {f"experiment-{number}-{run.experiment.key[:8]}" for number, run in found.played.items()}
    assert {file.name for file in (out / "runs").iterdir()} == {
        stem + end for stem in stems for end in (".json", ".npz")
    }
    assert list(found.played) == [4, 5]
    assert found.of(4) == ()
    assert "mean of its metrics" in (out / "federatedtrust.md").read_text(encoding="utf-8")
    assert (out / "figure5.png").read_bytes().startswith(b"\x89PNG")


def test_progress(made: tuple[Comparison, Path, list[tuple[str, float]]]) -> None:
    """Each experiment goes up to 1."""
    for number in (4, 5):
        shares = [share for stage, share in made[2] if stage == f"experiment {number}"]
        assert shares == sorted(shares)
        assert shares[-1] == 1
        assert len(shares) == 21


def test_every_score_stands_beside_what_is_printed(made: tuple[Comparison, Path, list[tuple[str, float]]]) -> None:
    """27 lines an experiment: trust, six pillars, Table 2's twenty; both profiles as `assess` scores them."""
    found, out, _ = made
    rows = list(csv.DictReader(io.StringIO((out / "figure5.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 2 * 27
    assert {row["data"] for row in rows} == {"nbaiot_synthetic, synthetic"}
    for number in (4, 5):
        own = {row["part"]: row for row in rows if row["experiment"] == str(number)}
        assert {part: float(row["printed"]) for part, row in own.items() if row["printed"]} == PRINTED[number]
        assert all(bool(row["mark"]) == bool(row["reason"]) == bool(row["printed"]) for row in own.values())
        for profile, column in (("paper", "paper"), ("paper-figures", "paper_figures")):
            report = assess(found.played[number].facts, profile)
            assert float(own["trust"][column]) == report.score
            assert float(own["privacy"][column]) == report.pillars["privacy"]
    assert sum(found.marks.values()) == 20


def test_what_is_scaled_down_is_said(made: tuple[Comparison, Path, list[tuple[str, float]]]) -> None:
    """In the sheet, in the table, and in the report's notes."""
    found, out, _ = made
    for run in found.played.values():
        assert run.facts.get("data", "scaled_down") == "3,600 rows"
        assert any("synthetic" in note for note in assess(run.facts).notes)
    text = (out / "federatedtrust.md").read_text(encoding="utf-8")
    assert "nbaiot_synthetic (synthetic, in place of N-BaIoT)" in text
    assert "20 (not stated in the paper)" in text


def test_a_run_that_was_stopped_goes_on(made: tuple[Comparison, Path, list[tuple[str, float]]], tmp_path: Path) -> None:
    """Stopped in experiment 4 and again in 5: in the end, the same facts and scores as without."""
    for number, share in ((4, 0.3), (5, 0.6)):

        def stop(stage: str, fraction: float, stage_of: str = f"experiment {number}", at: float = share) -> None:
            if stage == stage_of and fraction > at:
                raise Stopped

        with pytest.raises(Stopped):
            run_federatedtrust(tmp_path, quick=True, experiments=(4, 5), progress=stop)
        assert not (tmp_path / "figure5.csv").exists()
    told: list[tuple[str, float]] = []
    again = run_federatedtrust(tmp_path, quick=True, experiments=(4, 5), progress=lambda *said: told.append(said))
    assert [said for said in told if said[0] == "experiment 4"] == [("experiment 4", 1.0)]
    assert 1 < len(told) < 12  # experiment 5 went on, and was not played anew
    assert same(_facts(again), _facts(made[0]))
    assert again.lines == made[0].lines


def test_without_resuming_everything_is_played(
    made: tuple[Comparison, Path, list[tuple[str, float]]], tmp_path: Path
) -> None:
    """Though a sheet is there."""
    told: list[float] = []
    for resume in (True, False):
        told.clear()
        run_federatedtrust(tmp_path, quick=True, experiments=[4], resume=resume, progress=lambda _, s: told.append(s))
        assert len(told) == 21


@pytest.mark.parametrize("number", STATED)
@pytest.mark.parametrize("quick", [False, True])
def test_settings_are_the_papers(number: int, quick: bool) -> None:
    """Clients, share, rule and ε as stated; rounds too, but in the quick experiments 2 and 3."""
    stated, wanted = STATED[number], experiment(number, quick)
    assert wanted.participation == stated.share
    assert wanted.algorithm.name == stated.algorithm
    assert (wanted.privacy is None) == (stated.epsilon is None)
    if wanted.privacy:
        assert (wanted.privacy.args["epsilon"], wanted.privacy.args["level"]) == (stated.epsilon, "example")
    assert wanted.rounds == (10 if quick and number in (2, 3) else stated.rounds or 20)
    assert partition_of(wanted).parties == stated.clients
    if stated.benign:
        train = ~data_of(wanted).held_out
        assert (data_of(wanted).y[train] == 0).mean() == pytest.approx(stated.benign, abs=0.002)


@pytest.mark.parametrize("number", STATED)
def test_the_bench_plays_the_presets(number: int, tmp_path: Path) -> None:
    """Quick, they are the presets but for the rounds of 2 and 3; whole, but for ConvNet2 and its private steps."""
    preset = presets()[f"paper/experiment-{number}"]
    assert experiment(number, quick=True).change(rounds=preset.rounds) == preset
    assert (experiment(number, quick=True) == preset) == (number not in (2, 3))
    whole = experiment(number)
    assert whole.change(model=preset.model, algorithm=preset.algorithm) == preset
    assert (whole == preset) == (number > 3)
    assert (whole.algorithm == preset.algorithm) == (number not in (2, 3))
    own = experiment(number, quick=True, femnist=tmp_path, nbaiot=tmp_path)
    assert own.change(data=preset.data, rounds=preset.rounds) == preset


def test_nets() -> None:
    """ConvNet2 without its batch norms: 32·26 + 64·801 + 2048·3137 + 10·2049 numbers; the deep nets of section 6.2."""
    assert build(experiment(1)).trainer.facts["parameters"] == 32 * 26 + 64 * 801 + 2048 * 3137 + 10 * 2049
    femnist = Convnet((1, 28, 28), (32, 64), 2048, 62)
    assert femnist.parameters == 6_603_902 - 2 * (32 + 64)  # the authors' number, less the two batch norms
    assert femnist.tensors == 12 - 4
    assert build(experiment(4)).trainer.facts["parameters"] == 8452
    assert build(experiment(5)).trainer.facts["parameters"] == 29_002


def test_global_noise() -> None:
    """Experiments 2 and 3 can protect clients; experiment 5 is local, whatever is asked; 1 and 4 have none."""
    levels = {n: (e.privacy.args["level"] if (e := experiment(n, noise="global")).privacy else None) for n in STATED}
    assert levels == {1: None, 2: "client", 3: "client", 4: None, 5: "example"}


def test_words_of_what_is_smaller(tmp_path: Path) -> None:
    """Nothing is where the paper's own data are given and the bench is not quick."""
    assert scaled_down(1, experiment(1)) == "10,000 images"
    assert scaled_down(3, experiment(3, quick=True)).endswith("in place of ConvNet2, 10 of 50 rounds")
    assert scaled_down(1, experiment(1, femnist=tmp_path)) == ""
    assert scaled_down(5, experiment(5, nbaiot=tmp_path)) == ""


def test_the_papers_own_data(tmp_path: Path) -> None:
    """A FEMNIST of two dozen writers reaches the experiment as it is on the disk; N-BaIoT is read with its balance."""
    users = {f"f{k:04d}_00": {"x": [[float(k % 2)] * 784] * 5, "y": [0, 1, 10, 36, 61]} for k in range(24)}
    content = {"users": list(users), "num_samples": [5] * 24, "user_data": users}
    write_text(tmp_path / "femnist" / "all_data" / "all_data_0.json", dumps(content))
    small = experiment(1, femnist=tmp_path / "femnist")
    assert partition_of(small).parties == 10
    assert data_of(small).image == (1, 28, 28)
    assert len(data_of(small).classes) == 62
    for number, benign in ((4, 0.2), (5, 0.5)):
        wanted = experiment(number, nbaiot=tmp_path).data
        assert (wanted.name, wanted.args["path"], wanted.args["benign"]) == ("nbaiot", str(tmp_path), benign)


def test_refusals(tmp_path: Path) -> None:
    """Before any work: nothing is written."""
    file = tmp_path / "file"
    file.write_text("")
    for changes, message in (
        ({"experiments": [6]}, r"^experiment must be one of 1, 2, 3, 4, 5, got 6$"),
        ({"experiments": []}, r"^experiments must name at least one of 1 to 5, got none$"),
        ({"noise": "loud"}, r"^noise must be local or global, got 'loud'$"),
        ({"data": {"mnist": "x"}}, r"^data must name femnist and nbaiot, got 'mnist'$"),
        ({"data": {"nbaiot": tmp_path / "no"}}, r"^nbaiot must be a folder, got '.*no'$"),
        ({"data": {"femnist": file}}, r"^femnist must be a folder, got '.*file'$"),
    ):
        with pytest.raises(ValueError, match=message):
            run_federatedtrust(tmp_path / "out", **changes)
    with pytest.raises(ValueError, match=r"^out must be a folder, got the file '.*file'$"):
        run_federatedtrust(file)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("name", "numbers"), [("femnist", (1, 4)), ("nbaiot", (1, 5)), ("nbaiot", (1,))])
def test_a_folder_that_holds_something_else(name: str, numbers: tuple[int, ...], tmp_path: Path) -> None:
    """It is found before the first experiment is played; a folder that is none even where no experiment needs it."""
    told: list[str] = []
    (tmp_path / "empty").mkdir()
    where, words = tmp_path / "empty", rf"^{name}: path must be .*, got '.*empty'$"
    if numbers == (1,):
        where, words = tmp_path / "no", r"^nbaiot must be a folder, got '.*no'$"
    with pytest.raises(ValueError, match=words):
        run_federatedtrust(tmp_path / "out", quick=True, data={name: where}, experiments=numbers,
                           progress=lambda stage, _: told.append(stage))  # fmt: skip
    assert not told
    assert not (tmp_path / "out").exists()


def test_the_picture(made: tuple[Comparison, Path, list[tuple[str, float]]]) -> None:
    """A panel an experiment, labelled synthetic; every defined score of ours and every printed number is a dot."""
    lines = made[0].of(5)
    figure = score_dots(lines)
    assert [axes.get_title() for axes in figure.axes] == [
        f"Experiment {n}\n(nbaiot_synthetic, synthetic)" for n in (4, 5)
    ]
    for axes, number in zip(figure.axes, (4, 5), strict=True):
        own = [line for line in lines if line.experiment == number]
        dots = {str(dot.get_label()): np.asarray(dot.get_offsets()) for dot in axes.collections}
        assert len(dots["ours, profile paper"]) == sum(line.paper is not None for line in own)
        printed = [tuple(at) for label, places in dots.items() if label.startswith("printed") for at in places.tolist()]
        assert sorted(printed) == sorted(
            (line.printed, place) for place, line in enumerate(own) if line.printed is not None
        )
    names = [label.get_text().removeprefix("▸ ") for label in figure.axes[0].get_yticklabels()]
    assert names[:3] == ["Trust", "Privacy", PROFILES["paper"].taxonomy.metrics["differential_privacy"].name]
    with pytest.raises(ValueError, match=r"^lines must be of at least one experiment, got none$"):
        score_dots([])
