"""Small valid folders of every layout that trustkit reads, written by the writers themselves where there are any."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import trustkit as tk
from tests.datasets.test_datasets_feda4fair_files import frame as released
from tests.datasets.test_datasets_nuswide import _folder as nuswide
from tests.test_replay import SMALL, leave
from tests.trust.test_trust_imports import NEBULA, PROTOTYPE
from trustkit import jsonfile, sharelink
from trustkit.datasets.joined import GENRES
from trustkit.datasets.synthetic import NBAIOT_COLUMNS
from trustkit.datasets.uci import LAYOUTS
from trustkit.lesson import Goal, Lesson

__all__ = ["SEEDS"]

Files = dict[str, bytes]


def _files(write: Callable[[Path], object]) -> Files:
    """Return what a writer leaves in a folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*"))
                if file.is_file()}  # fmt: skip


def _people(rows: int = 24) -> pd.DataFrame:
    at = np.arange(rows)
    return pd.DataFrame({
        "age": np.where(at == 4, np.nan, 20.5 + at), "town": np.array(["Ulm", "Bonn", "Köln"])[at % 3],
        "sex": np.array(["f", "m"])[at // 3 % 2], "paid": np.array(["no", "yes"])[(at % 4 == 0).astype(int)],
    })  # fmt: skip


def _csv(delimiter: str = ",") -> bytes:
    return _people().to_csv(index=False, sep=delimiter).encode()


def _buffer(write: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _arrow(stream: bool) -> bytes:
    import pyarrow as pa

    table = pa.Table.from_pandas(_people().assign(sex=np.arange(24) // 3 % 2))
    features = {"sex": {"names": ["f", "m"], "_type": "ClassLabel"}}
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    buffer = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def _libsvm(rows: int = 24, width: int = 9) -> bytes:
    lines = [f"{1 if i % 3 else -1} {i % width + 1}:{i / 4} {width + 1}:1 # row {i}" for i in range(rows)]
    return "\n".join(lines).encode() + b"\n"


def _uci(name: str, rows: int = 8) -> bytes:
    layout = LAYOUTS[name]
    numbers = [[str((7 * i + j) % 50) for j in range(len(layout.columns))] for i in range(rows)]
    labels = [chr(65 + i % 4) if name == "letter" else str(1 + i % 3) for i in range(rows)]
    cells = [[label, *row] if layout.label == "first" else [*row, label]
             for label, row in zip(labels, numbers, strict=True)]  # fmt: skip
    head = [["label", *layout.columns]] if layout.header else []
    return "".join(",".join(line) + "\n" for line in head + cells).encode()


def _leaf(start: int = 0) -> bytes:
    users = [f"w{start + u}" for u in range(3)]
    rows = {user: {"x": [[0.5 * i, 1.0, u] for i in range(4)], "y": [i % 2 for i in range(4)]}
            for u, user in enumerate(users)}  # fmt: skip
    return json.dumps({"users": users, "num_samples": [4] * 3, "user_data": rows}).encode()


def _nbaiot() -> Files:
    head = ",".join(NBAIOT_COLUMNS)

    def table(value: float) -> bytes:
        return (head + "\n" + "".join(",".join([str(value + i)] * 115) + "\n" for i in range(4))).encode()

    return {
        f"{device}/{name}": table(value)
        for device in ("Ennio_Doorbell", "Danmini_Doorbell")
        for value, name in enumerate(("benign_traffic.csv", "gafgyt_attacks/combo.csv", "mirai_attacks/ack.csv"))
    }


def _parties(format: str) -> Callable[[], Files]:
    def make() -> Files:
        data = tk.datasets.load("wine")
        few = tk.data.Dataset("few", data.X[:30, :6], data.y[:30], data.columns[:6], data.classes, data.provenance,
                              sensitive={"group": np.array(list("ab") * 15)})  # fmt: skip
        fed = tk.FederatedDataset(few, tk.split.importance(few, parties=3, alpha=1.0, seed=0))
        return _files(lambda folder: tk.write_parties(fed, folder / "p", format))  # type: ignore[arg-type]

    return make


def _movielens() -> Files:
    flags = "|".join("01"[g % 2] for g in range(len(GENRES)))
    films = "".join(f"{f}|Film {f} (1995)|01-Jan-{1990 + f}||http://x/{f}|{flags}\n" for f in range(1, 5))
    users = "".join(f"{u}|{20 + u}|{'MF'[u % 2]}|student|12345\n" for u in range(1, 5))
    ratings = "".join(f"{1 + i % 4}\t{1 + i // 4 % 4}\t{1 + i % 5}\t88{i}\n" for i in range(16))
    return {"u.data": ratings.encode(), "u.user": users.encode(), "u.item": films.encode()}


def _feda4fair() -> Files:
    return {f"AL_{k}.csv": released(start=8 * k).to_csv(index=bool(k)).encode() for k in range(2)}


def _run() -> Files:
    return _files(lambda folder: leave(folder, SMALL, purpose="fuzz"))


def _partition() -> bytes:
    data = tk.datasets.load("wine")
    made = tk.split.importance(data, parties=3, alpha=1.0, seed=0)
    return _files(lambda folder: made.save(folder / "a"))["a"]


def _shared() -> sharelink.Shared:
    goals = (Goal("accuracy", at_least=0.5), Goal("participation", at_most=0.5))
    lesson = Lesson("Reach it.", ("axis", "link"), goals, ("Try more rounds.",))
    start = tk.presets()["start"]
    pins = (start.change(rounds=5), start.change(privacy=tk.use("gaussian", epsilon=6.0)))
    return sharelink.Shared(start, "paper", (("privacy", 2.0),), start.change(seed=3), lesson, pins=pins, language="de")


def _link(first: bool = False) -> bytes:
    """What a link holds; of the first version, which knew no pins and no language."""
    import zlib
    from base64 import urlsafe_b64decode
    from dataclasses import replace

    shared = replace(_shared(), pins=(), language="") if first else _shared()
    token = sharelink.encode(shared).partition(".")[2]
    return zlib.decompress(urlsafe_b64decode(token + "=" * (-len(token) % 4)))


def _grid() -> bytes:
    return (SMALL.to_toml() + '\n[grid]\nseed = [0, 1]\nsplit__parties = [2, 3]\nprivacy = ["none"]\n').encode()


PROFILE = """name = "mine"
about = "One's own."
base = "calibrated"
aggregation = "notions"
missing = "left out"
digits = 3
[weights]
privacy = 2.0
[normalise.federation_scale]
kind = "log"
zero = 1
one = 10000
"""
STATED = """[project]
purpose = "teaching"
[[claims]]
role = "owner"
text = "For teaching only."
who = "A. Person"
when = "2026-01-31"
[claims.facts]
"project/purpose" = "teaching"
"""
CONFIG = """expname: run
federate: {client_num: 5, method: FedAvg, sample_client_rate: 0.2, total_round_num: 10}
data: {type: femnist, transform: [['ToTensor'], ['Normalize', {'mean': [0.9]}]], batch_size: 10}
model: {type: convnet2}
train: {local_update_steps: 1, optimizer: {lr: 0.01}}
nbafl: {use: true, epsilon: 20.0}
"""
RAW = ("{'Role': 'Server #', 'Round': 'Final', 'Results_raw': {'client_summarized_avg': {'test_acc': 0.5, "
       "'test_avg_loss': 1.5}, 'client_summarized_fairness': {'test_acc_std': 0.1}}}\n")  # fmt: skip
SYSTEM = '{"id": "sys_avg", "sys_avg/fl_end_time_minutes": 0.7, "sys_avg/total_model_size": "2.5M"}\n'


def _folktables() -> Files:
    return _files(lambda folder: tk.datasets.write_psam(folder, states=("WY", "VT"), rows=60))


def _made(**content: Any) -> Callable[[], Files]:
    return lambda: {name.replace("__", "."): value() if callable(value) else value for name, value in content.items()}


SEEDS: dict[str, Callable[[], Files]] = {
    "csv": _made(people__csv=_csv),
    "csv, packed": _made(people__csv=lambda: gzip.compress(_csv())),
    "table": _made(people__tsv=lambda: _csv("\t")),
    "blanks": _made(people__txt=lambda: _people().drop(columns="age").to_csv(index=False, sep=" ").encode()),
    "parquet": _made(people__parquet=lambda: _buffer(lambda file: _people().to_parquet(file))),
    "arrow": _made(people__arrow=lambda: _arrow(False)),
    "arrow stream": _made(people__arrow=lambda: _arrow(True)),
    "npz": _made(table__npz=lambda: _buffer(
        lambda file: np.savez_compressed(file, X=np.eye(6)[:, :4], y=np.arange(6) % 2, columns=[*"abcd"]))),
    "npz columns": _made(table__npz=lambda: _buffer(
        lambda file: np.savez(file, a=np.arange(6.0), b=np.array(list("xyxyxy")), c=np.arange(6) % 2))),
    "hugging face": _made(**{"data-00000-of-00001__arrow": lambda: _arrow(True), "state__json":
                             b'{"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}'}),
    "libsvm": _made(own__svm=_libsvm),
    "libsvm, two files": _made(own__svm=lambda: gzip.compress(_libsvm()), own__t=lambda: _libsvm(6)),
    "libsvm, listed": _made(own__svm=lambda: b"".join(b"%d %d %d\n" % (i % 2, i, i * i) for i in range(20))),
    "vehicle": _made(combined=lambda: _libsvm(20, 98)),
    "covtype": _made(covtype__data=lambda: _uci("covtype")),
    "letter": _made(letter=lambda: _uci("letter")),
    "msd": _made(msd__txt=lambda: _uci("year_prediction_msd")),
    "radar": _made(radar__txt=lambda: _uci("radar", 4)),
    "gisette": lambda: {
        "gisette_train.data": b"".join(b" ".join([b"%d" % i] * 5000) + b" \n" for i in range(3)),
        "gisette_train.labels": b"1\n-1\n1\n",
    },
    "leaf": lambda: {"train/a.json": _leaf(), "test/a.json": _leaf()},
    "leaf, one folder": lambda: {"all_data/a.json": _leaf(), "all_data/b.json": _leaf(3)},
    "nbaiot": _nbaiot,
    "folktables": _folktables,
    "feda4fair": _feda4fair,
    "parties": lambda: {"bank.csv": b"id,y,income,split\n7,no,1,train\n8,yes,5,train\n9,no,2,test\n",
                        "shop.csv": b"id,spent\n8,4\n7,3\n9,1\n"},
    "parties, released": lambda: {f"a_party{k}_{part}.csv": b"id,y,v%d\n%d,0,2\n%d,1,3\n" % (k, n, n + 1)
                                  for k in range(2) for n, part in ((1, "train"), (5, "test"))},
    "parties, manifest": _parties("csv"),
    "parties, npz": _parties("npz"),
    "parties, parquet": _parties("parquet"),
    "joined": lambda: {"seen.csv": b"film,age,liked\na,20,no\nb,30,yes\na,40,yes\n",
                       "films.csv": b"film,year\na,1990\nb,1999\nc,2001\n"},
    "movielens": _movielens,
    "nuswide": lambda: _files(lambda folder: nuswide(folder)),
    "experiment toml": _made(e__toml=lambda: tk.presets()["start"].change(
        attack=tk.use("sign_flip", share=0.3), privacy=tk.use("gaussian", epsilon=6.0)).to_toml().encode()),
    "experiment json": _made(e__json=lambda: jsonfile.dumps(tk.presets()["start"].to_dict()).encode()),
    "link": _made(token=lambda: sharelink.encode(_shared()).encode()),
    "link content": _made(token=_link),
    "link content, first version": _made(token=lambda: _link(first=True)),
    "grid": _made(sweep__toml=_grid),
    "profile": _made(mine__toml=PROFILE.encode()),
    "stated": _made(own__toml=STATED.encode()),
    "targets": _made(least__toml=b"trust = 0.6\nprivacy = 0.5\n"),
    "factsheet": lambda: {"factsheet.json": _run()["factsheet.json"]},
    "prototype": _made(sheet__json=PROTOTYPE.encode()),
    "nebula": _made(sheet__json=NEBULA.encode()),
    "federatedscope": _made(config__yaml=CONFIG.encode(), system_metrics__log=SYSTEM.encode(),
                            eval_results__raw__gz=lambda: gzip.compress(RAW.encode()),
                            eval_results__log=RAW.encode()),
    "run": lambda: {"run.npz": _run()["run.npz"]},
    "partition": _made(split__json=_partition),
    "events": lambda: {"events.jsonl": _run()["events.jsonl"]},
    "report": lambda: {"report.json": _run()["report.json"]},
}  # fmt: skip
"""By target: files by their path in a folder."""
