"""What one client holds: its own rows in a file of its own, and what it does with them."""

from __future__ import annotations

import dataclasses
import io
import os
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from trustkit import jsonfile
from trustkit.data import Stacked
from trustkit.flower.federation import Federation
from trustkit.horizontal.plan import cohort
from trustkit.horizontal.trainer import RowTrainer
from trustkit.metrics.evaluate import count_groups, examine
from trustkit.rounds import Built
from trustkit.threads import one_blas_thread

__all__ = ["Held", "file_of", "hold", "write_party"]

_FORMAT = "trustkit-flower-party-1"


def file_of(client: int) -> str:
    """Name a client's file.

    Parameters
    ----------
    client : int
        0 … K−1.

    Returns
    -------
    str
        Without a folder.

    Examples
    --------
    >>> file_of(3)
    'party_3.npz'
    """
    return f"party_{client}.npz"


def write_party(built: Built, client: int, folder: Path) -> Path:
    """Write what one client holds.

    Parameters
    ----------
    built : Built
        An experiment over rows, with its data.
    client : int
        0 … K−1.
    folder : pathlib.Path
        Where the file goes.

    Returns
    -------
    pathlib.Path
        NPZ: the client's training and test rows, scaled, their classes, and the protected groups of the test rows as
        numbers.
    """
    trainer = built.trainer
    if not isinstance(trainer, RowTrainer):
        raise ValueError(f"an experiment must train over rows to be handed to clients, got a {type(trainer).__name__}")
    arrays: dict[str, np.ndarray] = {"format": np.array(_FORMAT), "client": np.array(client)}
    for part, rows in (("train", trainer.train), ("test", trainer.test)):
        own = slice(*rows.offsets[client : client + 2].tolist())
        arrays |= {f"{part}_X": np.asarray(rows.X)[own], f"{part}_y": rows.y[own]}
    tested = slice(*trainer.test.offsets[client : client + 2].tolist())
    arrays |= {f"group.{name}": codes[tested] for name, (codes, _) in trainer.codes.items()}
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    return jsonfile.write_bytes(folder / file_of(client), packed.getvalue())


def hold(federation: Federation, path: str | os.PathLike[str]) -> Held:
    """Read what one client holds; kept in memory while the file does not change.

    Parameters
    ----------
    federation : Federation
        Which it is in.
    path : path-like
        The client's file.

    Returns
    -------
    Held
        Ready to train.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such file, or it is of no client of this federation.
    """
    file = Path(path).expanduser()
    return _held(federation, str(file), _read(str(file), file.stat().st_mtime_ns))


@lru_cache(maxsize=256)
def _read(path: str, changed: int) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = dict(found)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} must be a client's file, got: {error}") from None
    if str(arrays.get("format")) != _FORMAT:
        raise ValueError(f"{path} must be a client's file of the format {_FORMAT}, got another")
    return arrays


def _held(federation: Federation, path: str, arrays: dict[str, np.ndarray]) -> Held:
    wanted = ("client", "train_X", "train_y", "test_X", "test_y", *(f"group.{name}" for name in federation.groups))
    if missing := [name for name in wanted if name not in arrays]:
        raise ValueError(f"{path} must have {', '.join(wanted)}, got none of {', '.join(missing)}")
    client = int(arrays["client"])
    if not 0 <= client < federation.parties:
        raise ValueError(f"{path} must be of one of the {federation.parties} clients, got client {client}")
    trainer = federation.trainer(np.ones(federation.parties, int))
    wide = arrays["train_X"].shape[1]
    if wide != federation.features:
        raise ValueError(f"{path} must have the {federation.features} features of the federation, got {wide}")
    return Held(
        client,
        dataclasses.replace(
            trainer, train=_alone(arrays, "train", client, federation.parties, trainer.model.dtype),
            test=_alone(arrays, "test", client, federation.parties, trainer.model.dtype),
            codes={name: (arrays[f"group.{name}"], len(values)) for name, values in federation.groups.items()},
        ),
    )  # fmt: skip


def _alone(arrays: dict[str, np.ndarray], part: str, client: int, parties: int, dtype: str) -> Stacked:
    """Return a client's rows as if the others had none, so that it draws the same batches as among them."""
    X = np.ascontiguousarray(arrays[f"{part}_X"], dtype)
    offsets = np.where(np.arange(parties + 1) > client, len(X), 0)
    return Stacked(X, arrays[f"{part}_y"].astype(np.int64), offsets, np.arange(len(X)))


def _never() -> None:
    """Do nothing."""


@dataclass(frozen=True, eq=False)
class Held:
    """A client with its rows.

    Parameters
    ----------
    client : int
        0 … K−1.
    trainer : RowTrainer
        Bound to its rows and to nobody else's.
    """

    client: int
    trainer: RowTrainer

    @property
    def rows(self) -> int:
        """Training rows."""
        return len(self.trainer.train.y)

    def train(self, params: np.ndarray, index: int) -> np.ndarray:
        """Train for one round.

        Parameters
        ----------
        params : (P,) float array
            The model that it received.
        index : int
            The round, from 1.

        Returns
        -------
        (P,) float array
            Its model afterwards: what the same client makes of it in a simulation, up to rounding.
        """
        trainer = self.trainer
        plan = cohort(trainer.seed, index, np.array([self.client]), trainer.train.offsets, trainer.local)
        with one_blas_thread():
            return np.asarray(trainer._train(np.asarray(params, trainer.model.dtype), plan, _never)[0])

    def evaluate(self, params: np.ndarray) -> tuple[float, float, int]:
        """Test a model.

        Parameters
        ----------
        params : (P,) float array
            The model.

        Returns
        -------
        accuracy, loss, rows : float, float, int
            On its test rows; NaN without any.
        """
        test = self.trainer.test
        offsets = np.array([0, len(test.y)])
        seen = examine(self._logits(params), test.y, offsets)
        return float(seen.accuracy[0]), float(seen.loss[0]), len(test.y)

    def labels(self, classes: int) -> np.ndarray:
        """Count its training rows by class.

        Parameters
        ----------
        classes : int
            How many there are, C.

        Returns
        -------
        (C,) int array
            Rows.
        """
        return np.bincount(self.trainer.train.y, minlength=classes)

    def groups(self, params: np.ndarray) -> np.ndarray:
        """Count its test rows by protected group, label and prediction.

        Parameters
        ----------
        params : (P,) float array
            The model.

        Returns
        -------
        (n,) int array
            For each attribute, in the federation's order, (G, 2, 2) counts one after the other.
        """
        test, offsets = self.trainer.test, np.array([0, len(self.trainer.test.y)])
        predicted = self._logits(params).argmax(axis=1)
        counts = count_groups(predicted, test.y, offsets, self.trainer.codes, self.trainer.positive)
        return np.concatenate([np.zeros(0, np.int64), *(each[0].ravel() for each in counts.values())]).astype(np.int64)

    def _logits(self, params: np.ndarray) -> np.ndarray:
        test = np.asarray(self.trainer.test.X)
        with one_blas_thread():
            return self.trainer.model.logits(np.asarray(params, self.trainer.model.dtype), test)
