"""The command ``trustkit split``: which split is meant, what it is made of, where it goes and what is said of it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustkit import datasets, experiment, export, handover  # noqa: F401 (experiment fills the catalogues)
from trustkit.catalogue import DATASETS, SPLITS, Use
from trustkit.data import Dataset, FederatedDataset
from trustkit.datasets.parties import read_parties
from trustkit.parameters import spelt
from trustkit.partition import Partition
from trustkit.records import Progress

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["divide"]

_FILES = (".json", ".csv")
_PACKED = (".gz", ".bz2", ".xz")
_TABLES = (".csv", ".tsv", ".txt", ".data", ".dat", ".parquet", ".npz", ".arrow", ".feather")
_LIBSVM = (".libsvm", ".svm", ".svmlight", ".scale", ".t")
_MOST = 16
"""So many numbers of a list are printed."""


def divide(
    data: str,
    how: str,
    options: Mapping[str, Any],
    settings: Sequence[str],
    target: str,
    client: str,
    seed: int,
    out: Path,
    format: str | None,
) -> Iterator[str]:
    """Divide a data set, write the result and say what was done.

    Parameters
    ----------
    data : str
        The name of a data set, a table, a LIBSVM file or a folder of parties.
    how : str
        The split's name; if empty, the one that `options` speak of.
    options : mapping
        Parameters of the split by name, as a person typed them; None for not given.
    settings : sequence of str
        More parameters, as "name=value".
    target, client : str
        Columns of a table; may be empty.
    seed : int
        Of the split.
    out : pathlib.Path
        A .json or .csv file for the partition, else a folder for the parties' files.
    format : str or None
        Of the parties' files; by default CSV.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, TypeError, ValueError
        For whatever does not fit, before the split is searched for.
    """
    given = {name: _value(value) for name, value in options.items() if value is not None}
    for name, value in map(_argument, settings):
        if name in given:
            raise ValueError(f"{name} must be given once, got --{name} and --set {name}")
        given[name] = value
    name = how or _meant(given)
    wanted = SPLITS.complete(Use(name, given))
    folder = _checked_out(name, out, format)
    table = _loaded(data, target, client)
    if folder:
        handover.check_folder(out, format or "csv", table)  # type: ignore[arg-type]
    function = SPLITS[name].function
    with _bar() as progress:
        told = {"progress": progress} if "progress" in inspect.signature(function).parameters else {}
        partition: Partition = SPLITS.call(wanted, table, seed=seed, **told)
    yield f"{partition!r} by {name}"
    yield from _achieved(partition, table, "alpha" in given)
    if dropped := table.notes.get("dropped_rows"):
        yield f"  rows without a target, left out and not numbered: {dropped}"
    if missing := [f"{n} in {column}" for column, n in table.notes.get("missing", {}).items() if column != target]:
        yield f"  missing values, filled in: {', '.join(missing)}"
    if folder:
        written = handover.write_parties(FederatedDataset(table, partition), out, format or "csv")  # type: ignore[arg-type]
    else:
        written = export.write(partition, out)
    yield f"written to {written}"


def _meant(given: Mapping[str, Any]) -> str:
    """Return the split that the parameters speak of."""
    if "beta" in given:
        return "joint" if "alpha" in given else "correlation"
    return "importance" if "alpha" in given else "uniform"


def _checked_out(name: str, out: Path, format: str | None) -> bool:
    """Say whether a folder is to be written, if what is asked for can be written."""
    if out.suffix.lower() in _FILES:
        if format is not None:
            raise ValueError(f"--format is for a folder of parties, got the file {out}")
        if out.is_dir():
            raise ValueError(f"out must be a folder without an ending, or a .json or .csv file, got the folder {out}")
        return False
    if out.suffix and not out.suffix[1:].isdigit():
        raise ValueError(f"out must be a folder without an ending, or a .json or .csv file, got {out}")
    if SPLITS[name].axis != "columns":
        raise ValueError(f"{name} divides rows, so out must be a .json or .csv file, got {out}")
    handover.check_folder(out, format or "csv")  # type: ignore[arg-type]
    return True


def _loaded(data: str, target: str, client: str) -> Dataset:
    """Load what is named; a table needs to know its target."""
    path = Path(data)
    endings = [ending for ending in path.suffixes if ending.lower() not in _PACKED]
    ending = endings[-1].lower() if endings else ""
    if data not in DATASETS and not path.exists() and (ending in (*_TABLES, *_LIBSVM) or len(path.parts) > 1):
        raise ValueError(f"there is no file {data!r}")
    if ending in _TABLES:
        return datasets.read_table(data, target=target or (-1 if ending == ".npz" else ""), client=client)
    if target or client:
        raise ValueError(f"--target and --client are for tables ({', '.join(_TABLES)}), got {data!r}")
    if data not in DATASETS and path.is_dir():
        return read_parties(path)
    if ending in _LIBSVM or (data not in DATASETS and path.is_file()):
        return datasets.read_libsvm(data)
    loaded: Dataset = datasets.load(data)
    return loaded


def _achieved(partition: Partition, table: Dataset, alpha: bool) -> Iterator[str]:
    """Yield what was asked and what was reached; with α also its estimate, where the split itself has none."""
    achieved = dict(partition.achieved)
    if alpha and partition.axis == "columns" and "alpha_package" not in achieved:
        from trustkit.split.estimate import estimate_alpha
        from trustkit.split.importances import column_importance

        achieved["alpha_package"] = estimate_alpha(column_importance(table), partition, "package")
    for name, value in achieved.items():
        if name == "tradeoff":
            continue
        if value is not None:
            yield f"  {name}: {_text(value)}"
    for point in achieved.get("tradeoff", ()):
        weight, beta, importance = (point[name] for name in ("weight", "beta_error", "importance_error"))
        yield f"  importance counts {weight:g} times: beta off by {beta:.4f}, importance by {importance:.4f}"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, (list, tuple)):
        more = f", … ({len(value):,})" if len(value) > _MOST else ""
        return f"[{', '.join(map(_text, value[:_MOST]))}{more}]"
    return str(value)


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set takes name=value, got {text!r}")
    return name, _value(value)


def _value(text: Any) -> Any:
    """Return the number, the list or the truth that a text stands for, else the text."""
    return spelt(text) if isinstance(text, str) else text


@contextmanager
def _bar() -> Iterator[Progress | None]:
    """Show progress on standard error, a bar a stage, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    bar: tqdm[Any] = tqdm(total=1.0, leave=False, file=sys.stderr, bar_format="{desc} |{bar}| {percentage:3.0f} %")

    def show(stage: str, fraction: float) -> None:
        bar.set_description_str(stage, refresh=False)
        bar.n = fraction
        bar.refresh()

    with bar:
        yield show
