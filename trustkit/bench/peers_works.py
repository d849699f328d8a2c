"""What is done on both sides: the arrays of each work, who else does it, what counts as equal, and what is aimed at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from trustkit.bench.peers_worker import Arrays

__all__ = ["WORKS", "Checked", "Results", "Work"]

Results = Mapping[str, np.ndarray]
"""What one side returned, by variant."""


@dataclass(frozen=True)
class Checked:
    """Whether two sides gave the same: ``equal``, None where nothing can be compared, and what was ``said`` of it."""

    equal: bool | None
    said: str


@dataclass(frozen=True)
class Work:
    """A work that several sides can do.

    Parameters
    ----------
    title : str
        What it is; in the quick mode it is smaller.
    arrays : callable
        From whether it is quick to arrays by variant; ``timed`` is what the clock runs for.
    check : callable
        From our results and theirs to whether they are equal.
    peers : mapping of str to float or None
        Who does it, and how many times as fast ours is meant to be at least; None where nothing is aimed at.
    note : str
        What has to be said with its numbers.
    """

    title: str
    arrays: Callable[[bool], Mapping[str, Arrays]]
    check: Callable[[Results, Results], Checked]
    peers: Mapping[str, float | None] = field(default_factory=dict)
    note: str = ""


def _problem(features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make the rows of 100 clients, 100 to 500 each, in 10 classes, and say whose each is."""
    from trustkit.rng import stream

    draw = stream(0, "bench")
    owner = np.repeat(np.arange(100), draw.integers(100, 501, 100))
    X = draw.standard_normal((owner.size, features))
    return X.astype(np.float32), (X @ draw.standard_normal((features, 10))).argmax(axis=1), owner


def training(sizes: tuple[int, ...], rounds: int, **more: float) -> Arrays:
    """Lay out a federated training: rows, parameters to start from, and every batch of every client and round.

    Parameters
    ----------
    sizes : tuple of int
        Inputs, hidden widths, classes.
    rounds : int
        How many.
    **more : float
        ``clip`` and ``noise`` of a private one.

    Returns
    -------
    mapping
        X (N, m), y (N,), owner (N,), sizes, params (P,), lr, batch, rounds, and ``rows_1`` … as
        `trustkit.bench.peers_network.rounds` reads them.
    """
    from trustkit.horizontal.models import Dense
    from trustkit.horizontal.plan import Local, cohort, select

    X, y, owner = _problem(sizes[0])
    local, offsets = Local(), np.searchsorted(owner, np.arange(101))
    plans = {}
    for index in range(1, rounds + 1):
        plan = cohort(0, index, select(0, index, np.arange(100), 0.4), offsets, local)
        plans[f"rows_{index}"] = plan.rows
    told = {"sizes": sizes, "lr": local.lr, "batch": local.batch, "rounds": rounds, **more}
    return {"X": X, "y": y, "owner": owner, "params": Dense(sizes).init(0), **plans,
            **{name: np.array(value) for name, value in told.items()}}  # fmt: skip


def _private(quick: bool) -> Mapping[str, Arrays]:
    sizes, rounds = (115, 64, 10), 1 if quick else 2
    return {"timed": training(sizes, rounds, clip=0.5, noise=1.0),
            "noiseless": training(sizes, rounds, clip=0.5, noise=0.0)}  # fmt: skip


def _trained() -> tuple[Arrays, np.ndarray]:
    """Train a network 64-64-10, and return it with rows that it has not seen."""
    from trustkit.bench.peers_ours import prepare
    from trustkit.rng import stream

    arrays = training((64, 64, 10), 10)
    params = prepare("mlp", arrays)()
    return {"sizes": arrays["sizes"], "params": params}, stream(0, "bench", "rows").standard_normal((200, 64))


def _robustness(fit: str, quick: bool) -> Mapping[str, Arrays]:
    from trustkit.metrics.robustness import _ball
    from trustkit.rng import stream

    (model, rows), (count, size, factor, tested) = _trained(), (10, 20, 5, 1) if quick else (50, 100, 10, 5)
    points, radius = factor * size, 2.0
    pool = _ball(stream(0, "clever", "pool"), points, rows.shape[1], radius)
    draws = stream(0, "clever", "batches").integers(0, points, (count, size))
    arrays = {**model, "rows": rows[:tested], "pool": pool, "draws": draws, "radius": np.array(radius)}
    return {"timed": {**arrays, "fit": np.array(fit)}, "art": {**arrays, "fit": np.array("art")}}


def _explanation(draws: int, quick: bool) -> Mapping[str, Arrays]:
    model, rows = _trained()
    shown = 30 if quick else 100
    told = {"draws": np.array(200), "ours": np.array(draws)}
    return {"timed": {**model, **told, "rows": rows[:shown], "background": rows[100:]}}


def _columns(quick: bool) -> Mapping[str, Arrays]:
    from sklearn.datasets import make_classification

    from trustkit.rng import stream

    X, _ = make_classification(2000 if quick else 20_000, 16, n_informative=10, n_redundant=4, n_classes=4,
                               random_state=2)  # fmt: skip
    draw = stream(0, "bench", "owners")
    owners = np.stack([draw.permutation(np.arange(16) % 4) for _ in range(20)])
    return {"timed": {"X": X, "owners": owners, "generations": np.array(1 if quick else 5)}}


def _boosting(quick: bool) -> Mapping[str, Arrays]:
    from trustkit import datasets

    data = datasets.load("letter").scaled()
    X, y, out = np.asarray(data.X), np.asarray(data.y), np.asarray(data.held_out)
    return {"timed": {"X": X[~out].astype(np.float32), "y": y[~out], "X_test": X[out].astype(np.float32),
                      "y_test": y[out], "rounds": np.array(2 if quick else 20)}}  # fmt: skip


def _fairness(quick: bool) -> Mapping[str, Arrays]:
    from trustkit.rng import stream

    draw, (rows, clients) = stream(0, "bench", "fairness"), (5_000, 20) if quick else (740_932, 111)
    owner = np.sort(draw.integers(0, clients, rows))
    pred, y = draw.integers(0, 2, (2, rows))
    group = draw.integers(1, 6, rows)  # so many of each that every rate is defined
    return {"timed": {"owner": owner, "pred": pred, "y": y, "group": group}}


def _near(what: str, most: float, variant: str = "timed") -> Callable[[Results, Results], Checked]:
    """Compare number by number."""

    def check(ours: Results, theirs: Results) -> Checked:
        apart = float(np.abs(ours[variant] - theirs[variant]).max())
        return Checked(apart <= most, f"{what} differ by {apart:.1g} (at most {most:.0e})")

    return check


def _weights(ours: Results, theirs: Results) -> Checked:
    if theirs["timed"].size == 1:
        return Checked(None, f"{theirs['timed'][0] / 1e9:.1f} GFLOP in products alone; nothing is learnt")
    return _near("parameters", 5e-5)(ours, theirs)


def _noisy(ours: Results, theirs: Results) -> Checked:
    """Compare what is left without noise number by number, and how wide the noise is."""
    clean = _near("parameters without noise", 5e-5, "noiseless")(ours, theirs)
    wide = float(np.std(ours["timed"] - ours["noiseless"]) / np.std(theirs["timed"] - theirs["noiseless"]))
    return Checked(bool(clean.equal and 0.95 < wide < 1.05), f"{clean.said}; noise {wide:.2f} times as wide")


def _scores(ours: Results, theirs: Results) -> Checked:
    """Compare scores from one pool by one fit."""
    return _near("scores from one pool by SciPy's fit, in 0 … 2,", 1e-3, "art")(ours, theirs)


def _importances(ours: Results, theirs: Results) -> Checked:
    r = float(np.corrcoef(ours["timed"], theirs["timed"])[0, 1])
    return Checked(r >= 0.99, f"importances correlate by {r:.4f} (at least 0.99)")


def _icors(ours: Results, theirs: Results) -> Checked:
    """Compare Icor division by division; bounds may be wider, as those of a better search are."""
    (low, high), (least, greatest) = ours["timed"][-2:], theirs["timed"][-2:]
    apart = float(np.abs(ours["timed"][:-2] - theirs["timed"][:-2]).max())
    wide = low <= least + 1e-6 and high >= greatest - 1e-6
    found = f"bounds {low:.4f} … {high:.4f}, theirs {least:.4f} … {greatest:.4f}"
    return Checked(
        bool(apart <= 1e-6 and wide), f"Icor of 20 divisions differs by {apart:.1g} (at most 1e-06); {found}"
    )


def _mlp(quick: bool) -> Mapping[str, Arrays]:
    return {"timed": training((115, 64, 10), 2 if quick else 10)}


WORKS: Mapping[str, Work] = {
    "mlp": Work("FedAvg, MLP 115-64-10, 40 of 100 clients, 10 rounds", _mlp, _weights,
                {"bound": 1 / 2.2, "needed": None, "pfl": 7.0, "flower": 25.0, "naive": 7.0},
                "ours plans its batches while the clock runs, the others find them ready; Flower has two actors at "
                "most, all its processes are added up, and its start is left out"),
    "logistic": Work("FedAvg, logistic regression 64-10, 40 of 100 clients, 10 rounds",
                     lambda quick: {"timed": training((64, 10), 2 if quick else 10)}, _weights, {"naive": 10.0}),
    "private": Work("DP-SGD with noise, MLP 115-64-10, 40 of 100 clients, 2 rounds", _private, _noisy,
                    {"opacus": 10.0}),
    "clever": Work("CLEVER of 5 rows, MLP 64-64-10, 50 batches of 100 from a pool of 1,000",
                   lambda quick: _robustness("mle", quick), _scores, {"art": 10.0},
                   "timed with our default fit, by profile likelihood"),
    "clever-scipy": Work("the same with SciPy's fit on both sides", lambda quick: _robustness("art", quick), _scores,
                         {"art": None}),
    "importance": Work("importance of 64 features, 100 rows, 200 draws a row",
                       lambda quick: _explanation(200, quick), _importances, {"shap": 50.0},
                       "both explain the predicted class alone"),
    "importance-50": Work("the same with 50 draws a row on our side, its default",
                          lambda quick: _explanation(50, quick), _importances, {"shap": 50.0}),
    "columns": Work("bounds of Icor, 20,000 rows, 16 columns, 4 parties", _columns, _icors, {"vertibench": None},
                    "theirs with 5 of its 100 generations"),
    "boosting": Work("boosted trees over 4 parties, letter, 20 rounds", _boosting, _near("margins", 1e-4),
                     {"xgboost": None}, "XGBoost has all columns at one place; ours sends every message"),
    "fairness": Work("gaps of three rates, 740,932 rows, 111 clients, 5 groups", _fairness, _near("gaps", 1e-12),
                     {"fairlearn": None}),
}  # fmt: skip
"""By name, in the order in which they are done."""
