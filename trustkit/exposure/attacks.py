"""The attacks that apply to what was heard, each over several seeds; a seed says which rows the attacker knows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from trustkit import metrics
from trustkit.exposure.result import Finding
from trustkit.rng import stream
from trustkit.vertical.overheard import Heard
from trustkit.vertical.table import ColumnTable

__all__ = ["AVERAGED", "Scene", "feature_attacks", "label_attacks", "membership_attack"]

AVERAGED = "rounds averaged"
"""The moment of messages that are means over rounds."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What is attacked, and what the attacker knows beforehand.

    Parameters
    ----------
    table : ColumnTable
        Who holds what.
    rows : (n,) int array
        The training rows that are attacked.
    seeds : tuple of int
        One attack each.
    labelled : int
        Rows of each class whose label is known.
    pairs : float
        In (0, 1): share of the rows whose columns are known.
    alone : dict of int to tuple of float
        Accuracy and AUC of what each party finds of the labels without the run, once they are known.
    """

    table: ColumnTable
    rows: np.ndarray
    seeds: tuple[int, ...]
    labelled: int
    pairs: float
    alone: dict[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def y(self) -> np.ndarray:
        """Labels of the rows."""
        return np.asarray(self.table.y[self.rows])

    def columns(self, party: int) -> np.ndarray:
        """Return a party's own columns of the rows.

        Parameters
        ----------
        party : int
            0 … K−1.

        Returns
        -------
        (n, m_k) float array
            Scaled.
        """
        return np.asarray(self.table.X[self.rows][:, np.array(self.table.columns[party])], float)

    def known_labels(self, seed: int) -> np.ndarray:
        """Draw the rows whose label the attacker knows: the same number of each class, or a share of numbers.

        Parameters
        ----------
        seed : int
            One of ``seeds``.

        Returns
        -------
        (n,) bool array
            Never all rows of a class.
        """
        if not self.table.classes:
            return self.known_pairs(seed)
        drawn, mask = stream(seed, "exposure", "labels"), np.zeros(self.rows.size, bool)
        for label in np.unique(self.y):
            own = drawn.permutation(np.flatnonzero(self.y == label))
            mask[own[: min(self.labelled, max(1, own.size - 1))]] = True
        return mask

    def known_pairs(self, seed: int) -> np.ndarray:
        """Draw the rows whose columns the attacker knows.

        Parameters
        ----------
        seed : int
            One of ``seeds``.

        Returns
        -------
        (n,) bool array
            At least two rows, and not all.
        """
        count = min(max(2, round(self.pairs * self.rows.size)), self.rows.size - 1)
        mask = np.zeros(self.rows.size, bool)
        mask[stream(seed, "exposure", "pairs").permutation(self.rows.size)[:count]] = True
        return mask


def _between(heard: Iterable[Heard], sender: int, receiver: int) -> list[Heard]:
    return [each for each in heard if (each.sender, each.receiver) == (sender, receiver)]


def _none(target: str, attack: str, attacker: int, victim: int, moment: str, measure: str, reason: str) -> Finding:
    return Finding(target, attack, attacker, victim, moment, measure, reason=reason)


def label_attacks(
    scene: Scene, heard: Sequence[Heard], party: int, moment: str, made: np.ndarray | None = None
) -> Iterator[Finding]:
    """Look for labels in what a party receives from the first one, and in what it makes of its own columns.

    Parameters
    ----------
    scene : Scene
        What is attacked.
    heard : sequence of Heard
        All messages, by row.
    party : int
        The attacker, 1 … K−1.
    moment : str
        When they were heard.
    made : (n, w) float array, optional
        What the party's own layers make of its columns, where it knows that better than its messages tell; by default
        what it sends.

    Yields
    ------
    Finding
        One an attack; one with a reason where nothing can be attacked.
    """
    told, sent = _between(heard, 0, party), _between(heard, party, 0)
    told = [each for each in told if np.isfinite(each.numbers.astype(float)).all() and each.kind != "embedding"]
    if not told:
        reason = "nothing that the first party sends has one line of numbers a row"
        measure = "accuracy" if scene.table.classes else "R²"
        yield _none("labels", "gradients", party, 0, moment, measure, reason)
    for each in told:
        yield from _from_first(scene, each, party, moment)
    if sent and scene.table.classes and moment not in ("first round", AVERAGED):  # own layers need no messages
        lines = np.hstack([each.numbers for each in sent]) if made is None else made
        yield _completed(scene, lines, party, moment)


def _from_first(scene: Scene, each: Heard, party: int, moment: str) -> Iterator[Finding]:
    """Attack one kind of message from the holder of the labels."""
    y, lines, classes = scene.y, each.numbers.astype(float), scene.table.classes
    if not classes:
        found = [float(metrics.reconstruct(lines, y[:, None], scene.known_labels(s), seed=s)[0]) for s in scene.seeds]
        own = np.mean([metrics.reconstruct(scene.columns(party), y[:, None], scene.known_labels(s))[0]
                       for s in scene.seeds])  # fmt: skip
        words = "labels are sent" if each.kind == "label" else f"regression on {each.kind}"
        yield Finding("labels", words, party, 0, moment, "R²", tuple(found), 0.0, float(own))
        return
    floor, (own, area) = metrics.label_floor(y), _alone(scene, party)
    if each.kind == "label":
        told = (float((lines[:, 0] == y).mean()),) * len(scene.seeds)
        yield Finding("labels", "labels are sent", party, 0, moment, "accuracy", told, floor, own)
        return
    parts = [stream(s, "exposure", "again").integers(0, y.size, y.size) for s in scene.seeds] + [np.arange(y.size)]
    if scores := _by_scores(each.kind, lines, classes):
        sign = 1 if each.kind == "residual" else -1
        *read, whole = (metrics.residual_attack(sign * lines[at, :scores], y[at]) for at in parts)
        words = f"sign of {each.kind}"
        yield Finding("labels", words, party, 0, moment, "accuracy", tuple(read), floor, own, whole)
    if np.unique(y).size == 2:
        *norms, whole = (metrics.norm_attack(lines[at], y[at]) if np.unique(y[at]).size == 2 else math.nan
                         for at in parts)  # fmt: skip
        words = f"norm of {each.kind}"
        yield Finding("labels", words, party, 0, moment, "AUC", tuple(norms), 0.5, area, whole)
    ways = [metrics.direction_attack(lines, y, scene.known_labels(s)) for s in scene.seeds]
    yield Finding("labels", f"direction of {each.kind}", party, 0, moment, "accuracy", tuple(ways), floor, own)
    joined = np.hstack([scene.columns(party), _directions(lines)])
    models = [metrics.completion_attack(joined, y, scene.known_labels(s)) for s in scene.seeds]
    words = f"model on {each.kind} and own columns"
    yield Finding("labels", words, party, 0, moment, "accuracy", tuple(models), floor, own)


def _by_scores(kind: str, lines: np.ndarray, classes: int) -> int:
    """Return by how many scores lines are derivatives: residuals, or trees' first and second ones; else 0."""
    for scores in (classes, 1) if classes == 2 else (classes,):
        if kind == "residual" and lines.shape[1] == scores:
            return scores
        if kind == "gradient" and lines.shape[1] == 2 * scores and (lines[:, scores:] >= 0).all():
            return scores
    return 0


def _directions(lines: np.ndarray) -> np.ndarray:
    """Return each line over its length; of a line of zeros, zeros."""
    length = np.linalg.norm(lines, axis=1, keepdims=True)
    return np.asarray(np.divide(lines, length, out=np.zeros_like(lines), where=length > 0))


def _completed(scene: Scene, made: np.ndarray, party: int, moment: str) -> Finding:
    """Attack the labels with a party's own trained layers and a few labelled rows."""
    done = [metrics.completion_attack(made, scene.y, scene.known_labels(s)) for s in scene.seeds]
    return Finding("labels", "model completion", party, 0, moment, "accuracy", tuple(done),
                   metrics.label_floor(scene.y), _alone(scene, party)[0])  # fmt: skip


def _alone(scene: Scene, party: int) -> tuple[float, float]:
    """Return accuracy and AUC of a party that has labels of some rows and its own columns, without the run."""
    if party not in scene.alone:
        X, y, masks = scene.columns(party), scene.y, [scene.known_labels(s) for s in scene.seeds]
        right = [metrics.completion_attack(X, y, known) for known in masks]
        # of classes that are named and not scored, the AUC of two is the mean of the shares of each that are right
        found = [metrics.completion_attack(X[of], y[of], known[of])
                 for known in masks for label in np.unique(y[~known]) for of in [known | (y == label)]]  # fmt: skip
        scene.alone[party] = float(np.mean(right)), float(np.mean(found))
    return scene.alone[party]


def feature_attacks(scene: Scene, heard: Sequence[Heard], party: int, moment: str) -> Iterator[Finding]:
    """Rebuild a party's columns from what it sends to the first one.

    Parameters
    ----------
    scene : Scene
        What is attacked.
    heard : sequence of Heard
        All messages, by row.
    party : int
        The victim, 1 … K−1.
    moment : str
        When they were heard.

    Yields
    ------
    Finding
        One an attack; one with a reason where nothing can be attacked.
    """
    told = [each.numbers.astype(float) for each in _between(heard, party, 0)]
    if not told:
        reason = "nothing that this party sends has one line of numbers a row"
        yield _none("features", "reconstruction", 0, party, moment, "R²", reason)
        return
    lines, truth = np.hstack(told), scene.columns(party)
    lines = np.where(np.isfinite(lines), lines, 0.0)
    own = [_mean(scene.columns(0), truth, scene.known_pairs(s), "linear", s) for s in scene.seeds]
    methods: tuple[Literal["linear", "network"], ...] = ("linear", "network")
    for method in methods:
        found = [_mean(lines, truth, scene.known_pairs(s), method, s) for s in scene.seeds]
        words = "least squares" if method == "linear" else "inverse network"
        yield Finding("features", words, 0, party, moment, "R²", tuple(found), 0.0, float(np.mean(own)))


def _mean(
    lines: np.ndarray, truth: np.ndarray, known: np.ndarray, method: Literal["linear", "network"], seed: int
) -> float:
    """Return the mean of R² over the columns that vary."""
    found = metrics.reconstruct(lines, truth, known, method, seed)
    return float(np.nanmean(found)) if np.isfinite(found).any() else math.nan


def membership_attack(inside: np.ndarray, outside: np.ndarray, seeds: Sequence[int]) -> Finding:
    """Tell training rows from held-out ones by the joint model's losses.

    Parameters
    ----------
    inside, outside : (n,) and (k,) float array
        Losses of training rows and of held-out ones.
    seeds : sequence of int
        Rows are drawn anew, with replacement, for each.

    Returns
    -------
    Finding
        By whoever sees the joint model's answers, or a reason.
    """
    if not (inside.size and outside.size) or np.isnan(inside).any() or np.isnan(outside).any():
        return _none("membership", "loss threshold", -1, -1, "model", "AUC", "the model's losses are not defined")
    values = []
    for seed in seeds:
        drawn = stream(seed, "exposure", "membership")
        again = [part[drawn.integers(0, part.size, part.size)] for part in (inside, outside)]
        values.append(metrics.membership_auc(*again))
    whole = metrics.membership_auc(inside, outside)
    return Finding("membership", "loss threshold", -1, -1, "model", "AUC", tuple(values), 0.5, whole=whole)
