"""Memory is reckoned before work starts: against peaks that processes really had, and refused with the numbers."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.faults.driving import LONG
from tests.fuzz.seeds import SEEDS
from tests.fuzz.targets import TARGETS, sound
from trustkit import memory, whole
from trustkit.catalogue import use
from trustkit.datasets import read_csv, read_libsvm, read_table
from trustkit.examination import examine
from trustkit.experiment import Experiment
from trustkit.exposure import exposure_of
from trustkit.metrics import pearson, spearman
from trustkit.rounds import play, run
from trustkit.scale import Failure, processes, sweep
from trustkit.split import column_correlation

FACTOR = 2.0
"""Within which an estimate of over 100 MB has to be of the measured peak."""

WATCHED = """
reckoned = []
fits = memory.fits
memory.fits = lambda name, size: (reckoned.append(size), fits(name, size))

def held(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # from now on the peak is counted anew
before = held("VmRSS")
"""

PLAYED = """
state = trainer.start()
for index in (1, 2):
    state, _ = trainer.step(state, index, lambda: None)
print(json.dumps([max(reckoned), held("VmHWM") - before]))
"""

MEASURED = (
    """
import json, sys
import numpy as np
import torch
import trustkit as tk
from trustkit import memory
from trustkit.data import Dataset, FederatedDataset, Provenance
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.privacy import gaussian
from trustkit.partition import Partition
from trustkit.catalogue import ALGORITHMS, Use

what = json.loads(sys.argv[1])
rows, columns, clients = what["rows"], what["columns"], what["clients"]
generator = np.random.default_rng(0)
X = generator.standard_normal((rows, columns)).astype(what.get("dtype", "float64"), copy=False)
data = Dataset("made", X, generator.integers(0, 10, rows), tuple(f"x{j}" for j in range(columns)),
               tuple("0123456789"), Provenance("made up", "none", synthetic=True), scaling="none",
               held_out=np.arange(rows) % 5 == 0)
fed = FederatedDataset(data, Partition("rows", np.arange(rows) % clients, clients))
model = Convnet((1, 28, 28), (32, 64), 512, 10) if what.get("images") else Dense((columns, *what["hidden"], 10))
"""
    + WATCHED
    + """
private = gaussian(**what["privacy"]) if "privacy" in what else None
named = Use(what["name"], what.get("args", {}))
trainer = ALGORITHMS.call(named, fed, model, private, what.get("share", 1.0), 2, seed=0)
"""
    + PLAYED
)

CASES = {
    "wide rows": {"name": "fedavg", "rows": 100_000, "columns": 300, "clients": 20, "hidden": [32]},
    "rows in single precision": {
        "name": "fedavg", "rows": 150_000, "columns": 300, "clients": 20, "hidden": [32], "dtype": "float32",
    },
    "many clients": {"name": "fedavg", "rows": 20_000, "columns": 100, "clients": 1_000, "hidden": [256]},
    "a median": {"name": "fedmedian", "rows": 20_000, "columns": 100, "clients": 1_000, "hidden": [256]},
    "models of their own": {"name": "ditto", "rows": 10_000, "columns": 100, "clients": 500, "hidden": [256]},
    "control variates": {"name": "scaffold", "rows": 10_000, "columns": 100, "clients": 500, "hidden": [256]},
    "several models": {"name": "fedem", "rows": 10_000, "columns": 100, "clients": 300, "hidden": [256]},
    "neighbours": {"name": "gossip", "rows": 10_000, "columns": 100, "clients": 500, "hidden": [256]},
    "distances of pairs": {"name": "krum", "rows": 20_000, "columns": 16, "clients": 4_000, "hidden": [8]},
    "links of pairs": {
        "name": "gossip", "rows": 20_000, "columns": 16, "clients": 4_000, "hidden": [8],
        "args": {"topology": "random"},
    },
    "proximal": {"name": "fedprox", "rows": 20_000, "columns": 100, "clients": 1_000, "hidden": [256]},
    "large batches": {
        "name": "fedavg", "rows": 200_000, "columns": 50, "clients": 50, "hidden": [128], "args": {"batch": 4096},
    },
    "noise for rows": {
        "name": "fedavg", "rows": 40_000, "columns": 100, "clients": 1_000, "hidden": [256],
        "privacy": {"epsilon": None, "noise": 1.0, "sampling": "poisson"},
    },
    "noise for clients": {
        "name": "fedavg", "rows": 20_000, "columns": 100, "clients": 1_000, "hidden": [256],
        "privacy": {"epsilon": None, "noise": 1.0, "level": "client"},
    },
    "images": {"name": "fedavg", "rows": 4_000, "columns": 784, "clients": 20, "images": True},
    "images, cut": {
        "name": "fedavg", "rows": 1_000, "columns": 784, "clients": 10, "images": True,
        "privacy": {"epsilon": None, "noise": 1.0},
    },
}  # fmt: skip
SHORT = ("wide rows", "a median", "models of their own", "distances of pairs")


@pytest.mark.parametrize("name", CASES if LONG else SHORT)
def test_the_estimate_is_near_the_measured_peak(name: str) -> None:
    """Of a process of its own, from when it has its data to the end of two rounds."""
    words = [sys.executable, "-c", MEASURED, json.dumps(CASES[name])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reckoned, measured = json.loads(done.stdout)
    print(f"{name}: {reckoned / 1e6:.0f} MB reckoned, {measured / 1e6:.0f} MB measured, {reckoned / measured:.2f}")
    assert reckoned > 1e8
    assert 1 / FACTOR < reckoned / measured < FACTOR


ACROSS = (
    """
import json, sys
import numpy as np
import torch
import trustkit as tk
from trustkit import memory, rounds
from trustkit.catalogue import use
from trustkit.data import Dataset, Provenance

what = json.loads(sys.argv[1])
rows, columns = what["rows"], what["columns"]
generator = np.random.default_rng(0)
data = Dataset("made", generator.standard_normal((rows, columns)), generator.integers(0, 2, rows),
               tuple(f"x{j}" for j in range(columns)), ("no", "yes"), Provenance("made up", "none", synthetic=True),
               held_out=np.arange(rows) % 5 == 0)
tk.datasets.add(data)
experiment = tk.Experiment("made", use("uniform", parties=what["parties"]), use(what["name"], **what["args"]), rounds=2)
rounds.partition_of(experiment), rounds.data_of(experiment)
"""
    + WATCHED
    + """
trainer = rounds.build(experiment).trainer
"""
    + PLAYED
)

COLUMNS = {
    "splitnn": {"rows": 50_000, "columns": 300, "parties": 4, "args": {"batch": 1024}},
    "splitnn, many parties": {"rows": 60_000, "columns": 400, "parties": 16, "args": {"batch": 4096}},
    "cvfl": {"rows": 60_000, "columns": 300, "parties": 4, "args": {"batch": 4096}},
    "gal": {"rows": 50_000, "columns": 200, "parties": 4, "args": {"local_epochs": 1}},
    "fedtree": {"rows": 50_000, "columns": 300, "parties": 4, "args": {}},
}


def near(name: str, code: str, what: dict[str, object]) -> None:
    """Hold what a script reckons against the peak that its own process measures."""
    done = subprocess.run([sys.executable, "-c", code, json.dumps(what)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reckoned, measured = json.loads(done.stdout)
    print(f"{name}: {reckoned / 1e6:.0f} MB reckoned, {measured / 1e6:.0f} MB measured, {reckoned / measured:.2f}")
    assert reckoned > 1e8
    assert 1 / FACTOR < reckoned / measured < FACTOR


@pytest.mark.parametrize("name", COLUMNS if LONG else ["splitnn"])
def test_the_estimate_across_columns_is_near_the_measured_peak(name: str) -> None:
    """The same, of a vertical run: its own table, and a step."""
    what = {"name": name.split(",")[0], **COLUMNS[name]}
    near(name, ACROSS, what)


LOOKED = (
    """
import json, sys
import numpy as np
import torch
import trustkit as tk
from trustkit import memory
from trustkit.catalogue import use
from trustkit.data import Dataset, Provenance
from trustkit.examination import examine
from trustkit.exposure import exposure_of

what = json.loads(sys.argv[1])
rows, columns, classes = what["rows"], what["columns"], what.get("classes", 10)
generator = np.random.default_rng(0)
names = tuple(f"x{j}" for j in range(columns)), tuple(f"c{j}" for j in range(classes))
data = Dataset("made", generator.standard_normal((rows, columns)), generator.integers(0, classes, rows), *names,
               Provenance("made up", "none", synthetic=True), held_out=np.arange(rows) % 5 == 0)
tk.datasets.add(data)
model = use("mlp", hidden=what["hidden"]) if "hidden" in what else None
experiment = tk.Experiment("made", use(what["split"], parties=4), use(what["name"], **what["args"]), model, rounds=2)
record = tk.run(experiment)
"""
    + WATCHED
    + """
if what["measure"] == "messages":
    exposure_of(record, seeds=[0], rows=60, parties=1)
else:
    examine(record, measures=[what["measure"]])
print(json.dumps([max(reckoned), held("VmHWM") - before]))
"""
)

EXAMINED: dict[str, dict[str, object]] = {
    "leakage": {"rows": 2_000, "columns": 100, "hidden": [128], "name": "fedavg"},
    "poisoning": {"rows": 100_000, "columns": 300, "hidden": [32], "name": "fedavg"},
    "messages": {"rows": 60_000, "columns": 40, "classes": 100, "name": "gal", "args": {"local_epochs": 1}},
}


@pytest.mark.parametrize("name", EXAMINED if LONG else ["leakage"])
def test_the_estimate_of_a_measure_is_near_the_measured_peak(name: str) -> None:
    """Of what looks into a run that has been played: steps, rounds that are played again, messages that are heard."""
    split = "uniform" if name == "messages" else "iid"
    what = {"measure": name, "split": split, "args": {}, **EXAMINED[name]}
    near(name, LOOKED, what)


ROWS = Experiment("breast_cancer", use("iid", parties=4), "fedavg", "logistic", rounds=2)


def test_what_will_not_fit_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any training: a round, and all rounds of a record together, which play does not keep."""
    monkeypatch.setattr(memory, "free", lambda: 100_000)
    with pytest.raises(ValueError, match=r"^4 clients in a round on breast_cancer must fit into the 0\.0 GB"):
        run(ROWS.change(seed=77))
    monkeypatch.setattr(memory, "free", lambda: 2_000_000)
    with pytest.raises(ValueError, match=r"^90,000 rounds, each with a state of \d+ bytes, must fit into the 0\.0 GB"):
        run(ROWS.change(rounds=90_000))
    assert next(play(ROWS.change(rounds=90_000))).index == 1


def test_what_looks_into_a_run_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that does not fit is left out, the others are taken; messages are refused before one is heard."""
    rows = run(ROWS.change(seed=78))
    trees = run(Experiment("wine", use("uniform", parties=3), "gal", rounds=1))
    monkeypatch.setattr(memory, "free", lambda: 1_000)
    wanted = ["leakage", "poisoning", "contributions", "discrimination", "membership"]
    found = examine(rows, measures=wanted)
    left = r" must fit into the 0\.0 GB of memory that are free, got about 0\.0 GB to hold$"
    for name, words in (("leakage", "the steps that leakage is estimated from"),
                        ("poisoning", "poisoning, which plays rounds of 4 clients again,"),
                        ("contributions", "contributions, which plays rounds of 4 clients again,")):  # fmt: skip
        assert re.match(words + left, found.skipped[name])
    assert set(found.seconds) == {"membership"}
    with pytest.raises(ValueError, match="^the messages of a round of gal" + left):
        exposure_of(trees)
    assert re.match("the messages of a round of gal" + left, examine(trees, measures=["exposure"]).skipped["exposure"])


@pytest.mark.parametrize(("name", "read"), [
    ("a.csv", lambda file: read_csv(file, target="t")), ("a.csv", lambda file: read_table(file, target="t")),
    ("a.txt", read_libsvm),
])  # fmt: skip
def test_a_table_is_refused_before_it_is_read(
    name: str, read: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the numbers; packed by gzip, three times as large is expected."""
    lines = ["a,b,t", *(f"{i},{i * i % 7},{i % 2}" for i in range(400))]
    text = "\n".join(lines if name == "a.csv" else [f"{i % 2} 1:{i} 2:{i * i % 7}" for i in range(400)])
    plain, packed = tmp_path / name, tmp_path / f"packed-{name}"
    plain.write_text(text, encoding="ascii")
    packed.write_bytes(gzip.compress(text.encode()))
    read(plain)
    monkeypatch.setattr(memory, "free", lambda: 3 * len(text) - 1)
    with pytest.raises(ValueError, match=rf"^a table read from {plain} must fit into the 0\.0 GB of memory that are "
                                         r"free, got about 0\.0 GB to hold$"):  # fmt: skip
        read(plain)
    read(packed)
    monkeypatch.setattr(memory, "free", lambda: 9 * packed.stat().st_size - 1)
    with pytest.raises(ValueError, match=rf"^a table read from {packed} must fit into"):
        read(packed)


@pytest.mark.parametrize("layout", ["leaf", "nbaiot", "parties", "folktables", "feda4fair", "nuswide", "radar"])
def test_a_folder_is_refused_before_it_is_read(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts of public sources too; with room it is read."""
    for name, content in SEEDS[layout]().items():
        whole.write_bytes(tmp_path / name, content)
    monkeypatch.setattr(memory, "free", lambda: 100)
    with pytest.raises(ValueError, match=r"must fit into the 0\.0 GB of memory that are free, got about 0\.0 GB"):
        TARGETS[layout].read(tmp_path)
    monkeypatch.setattr(memory, "free", lambda: 100_000_000)
    assert sound(TARGETS[layout].read(tmp_path)) == ""


def test_correlations_are_refused_before_they_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table, dense or sparse, and where a split by correlation begins."""
    X = np.random.default_rng(0).standard_normal((20, 100))
    monkeypatch.setattr(memory, "free", lambda: 8 * 100 * (100 + 20) - 1)
    for measure in (spearman, pearson, column_correlation):
        with pytest.raises(ValueError, match=r"^correlations of 100 columns must fit into the 0\.0 GB of memory that"):
            measure(X)
    monkeypatch.setattr(memory, "free", lambda: 8 * 100 * 100)
    with pytest.raises(ValueError, match=r"^correlations of 100 columns must fit"):
        spearman(csr_array(X))
    monkeypatch.setattr(memory, "free", lambda: 10_000_000)
    assert spearman(X).shape == spearman(csr_array(X)).shape == (100, 100)


def test_a_worker_has_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into it is a failure with the numbers, and no other run's; too many workers do not start."""
    monkeypatch.setattr(memory, "free", lambda: 1_400_000_000)
    large = ROWS.change(model=use("mlp", hidden=[1024] * 60), seed=1)  # a quarter of a gigabyte
    found = sweep([ROWS, large], workers=2)
    assert found[ROWS].complete
    failure = found[large]
    assert isinstance(failure, Failure)
    assert "must fit into the 0." in failure.message
    with pytest.raises(ValueError, match=r"^40 worker processes must fit into the 1\.4 GB of memory that are free, got "
                                         r"about 12\.0 GB to hold$"):  # fmt: skip
        processes(40)


def test_limits_of_the_process_and_of_its_container_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of all; a file cache that can be given back is free."""
    there = memory.free()
    assert there is not None
    (tmp_path / "memory.max").write_text("5000000\n")
    (tmp_path / "memory.current").write_text("4000000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 500000\n")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    assert memory.free() == 1_500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert (memory.free() or 0) > 5_000_000
    code = "from trustkit import memory; print(memory.free())"
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000,) * 2); {code}"
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2_000_000_000
