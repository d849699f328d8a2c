"""``trustkit run`` with an attack, faults and secure sums."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit import cli, jsonfile, store
from trustkit.catalogue import use
from trustkit.commands.run import changed
from trustkit.experiment import Experiment
from trustkit.rounds import run
from trustkit.trust import FactSheet, assess
from trustkit.trust.claims import verdict

PLAIN = Experiment("breast_cancer", use("iid", parties=6), use("fedavg", batch=64), "logistic", rounds=2)


def called(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the command line and return its status."""
    monkeypatch.setattr("sys.argv", ["trustkit", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    return int(caught.value.code or 0)


def test_a_run_with_all_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in the experiment that is written, and in the facts, with the energy that training took."""
    (tmp_path / "own.toml").write_text(PLAIN.to_toml(), encoding="utf-8")
    words = ["run", str(tmp_path / "own.toml"), "--out", str(tmp_path), "--quiet", "--attack", "label_flip", "--faults",
             "dropout", "--secure", "--set", "attack__share=0.5", "--set", "faults__chance=0.2"]  # fmt: skip
    assert called(monkeypatch, *words) == 0
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    want = PLAIN.change(attack=use("label_flip", share=0.5), faults=use("dropout", chance=0.2), secure=True)
    assert Experiment.from_toml((folder / "experiment.toml").read_text(encoding="utf-8")) == want
    facts = jsonfile.read(folder / "factsheet.json")["facts"]
    assert facts["configuration"]["attackers"] == 3
    assert facts["privacy"]["encryption"] == 1
    assert facts["participants"]["registry_complete"] == 1
    assert facts["sustainability"]["emissions_training"] > 0
    assert "gCO2/kWh" in facts["sustainability"]["assumption"]
    assert called(monkeypatch, "replay", str(folder), "--quiet") == 0


@pytest.mark.parametrize(
    ("setting", "given", "want"),
    [
        ([], {}, {}),
        ([], {"seed": 4, "rounds": None, "secure": False}, {"seed": 4}),
        (["model=mlp", "model__hidden=4,4"], {}, {"model": use("mlp", hidden=[4, 4])}),
        (["attack__boost=none"], {"attack": "model_replacement"}, {"attack": "model_replacement"}),
        (["attack__source=1"], {"attack": "label_flip"}, {"attack": use("label_flip", source=1)}),
        (["faults__wait=none", "faults=mixed"], {}, {"faults": "mixed"}),
        (["participation=0.5", "split__parties=4"], {}, {"participation": 0.5, "split__parties": 4}),
    ],
)
def test_what_a_call_changes(setting: list[str], given: dict[str, Any], want: dict[str, Any]) -> None:
    """Parts first, then their arguments, in whatever order they were said."""
    assert changed(PLAIN, setting, **given) == PLAIN.change(**want)


def test_none_takes_a_part_away() -> None:
    """By option or by setting."""
    full = PLAIN.change(attack="label_flip", faults="dropout", secure=True)
    assert changed(full, ["faults=none"], attack="none", secure=False) == PLAIN


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--attack", "flip"], "there is no attack 'flip'; did you mean"),
        (["--set", "faults__chance=0.2"], "faults is not set, so faults__chance cannot be changed"),
        (["--set", "attack__share=3", "--attack", "sign_flip"], "sign_flip: share must be between 0 and 1, got 3"),
        (["--set", "share"], "--set takes name=value, got 'share'"),
        (["--set", "attack=none", "--attack", "sign_flip"], "attack must be given once, got it twice"),
        (["--set", "colour=red"], "an experiment has no part 'colour'; it has data, split, "),
        (["--set", "algorithm=krum", "--secure"], "krum must run without secure sums, because its server looks at"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    words: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, one line on standard error, and nothing is written."""
    out = tmp_path / "out"
    (tmp_path / "own.toml").write_text(PLAIN.to_toml(), encoding="utf-8")
    assert called(monkeypatch, "run", str(tmp_path / "own.toml"), "--out", str(out), "--quiet", *words) == 2
    line = capsys.readouterr().err
    assert text in line
    assert line.count("\n") == 1
    assert not out.exists()


STATED = """
[project]
purpose = "teaching"
background = "a course"
[participants]
organisations = ["Hospital A"]
[audit]
scoping = "charter.md"
[[claims]]
role = "owner"
text = "Two rounds."
facts = {"performance/rounds_played" = 2}
"""


def test_what_people_state_is_in_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In fact sheet and model card of a run, kept by its report, said once; its files are an audit's artefacts."""
    (tmp_path / "own.toml").write_text(PLAIN.to_toml(), encoding="utf-8")
    (tmp_path / "facts.toml").write_text(STATED, encoding="utf-8")
    given = ["--facts", str(tmp_path / "facts.toml")]
    assert called(monkeypatch, "run", str(tmp_path / "own.toml"), "--out", str(tmp_path), "--quiet", *given) == 0
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    sheet = FactSheet.load(folder / "factsheet.json")
    scores = {line.metric: line.score for line in assess(sheet, "calibrated").metrics}
    assert (scores["project_specs"], scores["participants"], scores["algorithmic_auditing"]) == (1, 1, 0.4)
    assert [verdict(claim, sheet) for claim in sheet.claims] == ["holds"]
    assert all((folder / name.strip()).exists() for name in re.findall(r"\w+\.\w+", sheet.get("audit", "artifacts")))
    assert "Two rounds." in (folder / "modelcard.md").read_text(encoding="utf-8")
    assert called(monkeypatch, "report", str(folder), *given) == 0
    assert FactSheet.load(folder / "factsheet.json") == sheet
    assert called(monkeypatch, "replay", str(folder), "--quiet") == 0


def test_an_examination_is_an_audits_test_unless_people_state_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the measures that were taken."""
    (tmp_path / "own.toml").write_text(PLAIN.to_toml(), encoding="utf-8")
    assert called(monkeypatch, "run", str(tmp_path / "own.toml"), "--out", str(tmp_path), "--quiet") == 0
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    words = ["examine", str(folder), "--quiet", "--out", str(tmp_path / "seen.json")]
    assert called(monkeypatch, *words, "--measure", "membership", "--measure", "gradient_attacks") == 0
    sheet = FactSheet.load(tmp_path / "seen.json")
    assert sheet.get("audit", "testing") == "trustkit examine: membership, gradient_attacks"
    FactSheet.load(folder / "factsheet.json").with_facts(audit__testing="by hand").save(folder / "factsheet.json")
    assert called(monkeypatch, *words, "--measure", "membership") == 0
    assert FactSheet.load(tmp_path / "seen.json").get("audit", "testing") == "by hand"


def test_what_is_stated_too_late_or_wrongly_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is trained or written."""
    (tmp_path / "own.toml").write_text(PLAIN.to_toml(), encoding="utf-8")
    (tmp_path / "facts.toml").write_text("[fairness]\ntest_acc_cv = 0.0", encoding="utf-8")
    words = ["run", str(tmp_path / "own.toml"), "--out", str(tmp_path / "runs"), "--quiet"]
    assert called(monkeypatch, *words, "--facts", str(tmp_path / "facts.toml")) == 2
    assert "fairness/test_acc_cv must not be stated, as a run tells it" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
    assert called(monkeypatch, *words) == 0
    (folder,) = (tmp_path / "runs").iterdir()
    (tmp_path / "facts.toml").write_text("[sustainability]\ncarbon_intensity_server = 20.0", encoding="utf-8")
    capsys.readouterr()
    assert called(monkeypatch, "report", str(folder), "--facts", str(tmp_path / "facts.toml")) == 2
    assert "must be stated when the run is made" in capsys.readouterr().err


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed without warning in the middle of an epoch: nothing half-written, and the end is bit for bit the same."""
    wanted = Experiment("letter", use("importance", parties=4), use("splitnn", batch=32), rounds=8)
    (tmp_path / "own.toml").write_text(wanted.to_toml(), encoding="utf-8")
    words = ["run", str(tmp_path / "own.toml"), "--out", str(tmp_path), "--quiet"]
    playing = subprocess.Popen([sys.executable, "-m", "trustkit", *words], stdout=subprocess.DEVNULL)
    folder, waited = tmp_path / f"own-{wanted.key[:8]}", time.monotonic()
    while not (folder / "run.part.npz").exists() and playing.poll() is None and time.monotonic() - waited < 120:
        time.sleep(0.05)
    time.sleep(0.2)
    os.kill(playing.pid, signal.SIGKILL)
    assert playing.wait() == -signal.SIGKILL, "the run was over before it could be killed"
    assert {path.name for path in folder.iterdir()} == {"run.part.npz", "events.part.jsonl"}
    done = len(store.load(folder / "run.part.npz"))
    assert 1 <= done < 8
    assert called(monkeypatch, *words) == 0
    assert not (folder / "run.part.npz").exists()
    events = (folder / "events.jsonl").read_text(encoding="utf-8")
    assert f'"after_round":{done}' in events.replace(" ", "")
    finished, whole = store.load(folder / "run.npz"), run(wanted)
    for name in ("accuracy", "loss", "bytes_up", "bytes_down"):
        assert np.array_equal(finished.stack(name), whole.stack(name))
    for name, value in whole.last.state.items():
        assert np.array_equal(finished.last.state[name], value)
    assert called(monkeypatch, "replay", str(folder), "--quiet") == 0


def test_a_damaged_checkpoint_is_no_reason_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run begins anew, and the checkpoint goes."""
    (tmp_path / "own.toml").write_text(PLAIN.to_toml(), encoding="utf-8")
    folder = tmp_path / f"own-{PLAIN.key[:8]}"
    folder.mkdir()
    (folder / "run.part.npz").write_bytes(b"PK\x03\x04 half of something")
    assert called(monkeypatch, "run", str(tmp_path / "own.toml"), "--out", str(tmp_path), "--quiet") == 0
    assert len(store.load(folder / "run.npz")) == 2
    assert not (folder / "run.part.npz").exists()


def test_only_the_same_experiment_goes_on() -> None:
    """Another seed is another run."""
    with pytest.raises(ValueError, match="begun must be a run of experiment"):
        run(PLAIN.change(seed=1), begun=run(PLAIN.change(rounds=1)))
