"""What workers need beside an experiment's names: the loaded data, once a worker, and modules that enter names.

A parcel is plain values. Its arrays lie in files, which the workers of one machine map into memory and so share, or
are in the parcel itself, for workers elsewhere. A data set added to this process's catalogue gets to workers so too.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PRIVACY, SPLITS, Entry, Use
from trustkit.data import Dataset, Provenance
from trustkit.datasets.ondisk import frozen
from trustkit.experiment import Experiment
from trustkit.jsonfile import canonical, dumps, loads
from trustkit.rounds import data_of
from trustkit.whole import scratch

__all__ = ["packed", "sent", "unpack"]

_CATALOGUES = {"split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY, "attack": ATTACKS,
               "faults": FAULTS}  # fmt: skip
_MAPPED = 1_000_000
"""In bytes: a smaller file is read, since mapping it would cost more than it saves."""
_HERE: set[str] = set()
"""Marks of the parcels that this process made or unpacked."""


@contextmanager
def sent(experiments: Iterable[Experiment], main: bool = False) -> Iterator[dict[str, Any]]:
    """Pack for workers of this machine: arrays are in files that live as long as the context.

    Parameters
    ----------
    experiments : iterable of Experiment
        What workers will play.
    main : bool
        As for `packed`.

    Yields
    ------
    dict
        For `unpack`.
    """
    with scratch("trustkit-sweep") as folder:
        parcel = packed(experiments, main)
        for at, data in enumerate(parcel["data"]):
            for name, array in data.pop("arrays").items():
                np.save(folder / f"{at}-{name}.npy", array, allow_pickle=False)
            data["files"] = str(folder / f"{at}-")
        yield parcel


def packed(experiments: Iterable[Experiment], main: bool = False) -> dict[str, Any]:
    """Pack what workers may lack.

    Parameters
    ----------
    experiments : iterable of Experiment
        What workers will play. Data that cannot be loaded or packed here are left to them, and so is the refusal.
    main : bool
        Whether workers have this process's main module, and so the names that were entered there.

    Returns
    -------
    dict
        mark, modules, data: each a use, a head in JSON and arrays by name.

    Raises
    ------
    ValueError
        If a name was entered in the main module, where workers do not find it.
    """
    listed = list(experiments)
    modules = sorted({module for each in listed for module in _modules(each, main)})
    data, marks = [], hashlib.sha256(canonical(modules).encode())
    for wanted in {each.data: each for each in listed}.values():
        try:
            head, arrays = _taken_apart(data_of(wanted))
        except (OSError, KeyError, TypeError, ValueError):  # the worker will say what is wrong
            continue
        data.append({"use": wanted.data.to_dict(), "head": head, "arrays": arrays})
        marks.update(f"{wanted.data!r}{head}".encode())
        for name, array in arrays.items():
            marks.update(f"{name} {array.dtype.str} {array.shape} {array.flags.f_contiguous}".encode())
            marks.update(np.ascontiguousarray(array).data if array.dtype.kind in "biuf" else array.tobytes())
    mark = marks.hexdigest()
    _HERE.add(mark)
    return {"mark": mark, "modules": modules, "data": data}


def _modules(experiment: Experiment, main: bool) -> Iterator[str]:
    """List the modules, other than ours, that enter an experiment's names."""
    for part, catalogue in _CATALOGUES.items():
        used = getattr(experiment, part)
        module = "" if used is None else catalogue[used.name].function.__module__
        if module == "__main__" and not main:
            raise ValueError(f"{part} must be entered in a module that worker processes can import, or workers be 0, "
                             f"got {used.name!r} of the main module")  # fmt: skip
        if module and module.partition(".")[0] not in ("trustkit", "__main__"):
            yield module


def _taken_apart(data: Dataset) -> tuple[str, dict[str, np.ndarray]]:
    """Return what is no array as JSON text, and the arrays by name; vectors of objects are lists in the text."""
    vectors = {"y": data.y, "held_out": data.held_out}
    vectors |= {f"sensitive.{at}": values for at, values in enumerate(data.sensitive.values())}
    vectors |= {f"groups.{at}": values for at, values in enumerate(data.groups.values())}
    arrays = {name: np.asarray(values) for name, values in vectors.items() if np.asarray(values).dtype != object}
    kept = {name: list(values) for name, values in vectors.items() if name not in arrays}
    if data.sparse:
        arrays |= {"data": data.X.data, "indices": data.X.indices, "indptr": data.X.indptr}
    else:
        arrays["X"] = np.asarray(data.X)
    plain = {name: getattr(data, name) for name in ("name", "columns", "classes", "scaling", "image", "positive")}
    head = {"plain": plain, "notes": data.notes, "provenance": asdict(data.provenance), "shape": data.X.shape,
            "sensitive": list(data.sensitive), "groups": list(data.groups), "objects": kept}  # fmt: skip
    return dumps(head, indent=None), arrays


def _put_together(text: str, arrays: Mapping[str, np.ndarray]) -> Dataset:
    """Undo `_taken_apart`."""
    head = loads(text)
    vectors = dict(arrays)
    for name, values in head["objects"].items():
        vectors[name] = np.empty(len(values), object)
        vectors[name][:] = values
    rest: dict[str, Any] = {kind: {name: vectors[f"{kind}.{at}"] for at, name in enumerate(head[kind])}
                            for kind in ("sensitive", "groups")}  # fmt: skip
    if "X" in arrays:
        X: Any = arrays["X"]
    else:
        from scipy.sparse import csr_array

        X = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), tuple(head["shape"]))
    told = {part.name: head["provenance"][part.name] for part in fields(Provenance)}
    rest |= {name: tuple(value) if isinstance(value, list) else value for name, value in head["plain"].items()}
    return frozen(Dataset(X=X, y=vectors["y"], held_out=vectors["held_out"], notes=head["notes"],
                          provenance=Provenance(**told), **rest))  # fmt: skip


def unpack(parcel: Mapping[str, Any]) -> None:
    """Enter what a parcel has in this process's catalogues, once.

    Parameters
    ----------
    parcel : mapping
        What `packed` returned or `sent` yielded. Files that are not on this machine are passed over: the data are then
        loaded by their name.
    """
    if parcel["mark"] in _HERE:
        return
    for module in parcel["modules"]:
        importlib.import_module(module)
    found: dict[str, dict[str, Dataset]] = {}
    for each in parcel["data"]:
        arrays = each["arrays"] if "arrays" in each else _mapped(Path(each["files"]))
        if arrays:
            wanted = Use.from_dict(each["use"])
            found.setdefault(wanted.name, {})[canonical(wanted.args)] = _put_together(each["head"], arrays)
    for name, datasets in found.items():
        DATASETS.replace(_entry(name, datasets))
    _HERE.add(parcel["mark"])


def _mapped(stem: Path) -> dict[str, np.ndarray]:
    """Return the arrays of files whose name begins so; large ones are mapped, not read."""
    found = {}
    for file in stem.parent.glob(f"{stem.name}*.npy"):
        mode: Any = "r" if file.stat().st_size >= _MAPPED else None
        found[file.stem.removeprefix(stem.name)] = np.asarray(np.load(file, mode, allow_pickle=False))
    return found


def _entry(name: str, datasets: Mapping[str, Dataset]) -> Entry:
    """Return an entry that has these data by their arguments, and does for others what it did before."""
    before = DATASETS.get(name)

    def load(**args: Any) -> Dataset:
        """Return what another process loaded."""
        found = datasets.get(canonical(args))
        if found is None and before is not None:
            loaded: Dataset = before.function(**args)
            return loaded
        return datasets[canonical(args)] if found is None else found

    if before is None:
        return Entry(name, load, name)
    return Entry(name, functools.wraps(before.function)(load), before.title, before.axis)
