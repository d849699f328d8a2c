"""Experiments by name: FederatedTrust's five on embedded stand-ins, VertiBench rows, and starting points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trustkit.catalogue import use
from trustkit.experiment import Experiment

__all__ = ["PRESETS", "Preset", "caveat_of", "presets", "scaled_down"]


@dataclass(frozen=True)
class Preset:
    """A title for the menu, how it differs from what it is named after, and the experiment, made when asked for."""

    title: str
    caveat: str
    make: Callable[[], Experiment]


_SCALED = "scaled down: "
_DIGITS = (
    f"{_SCALED}10,000 MNIST digits redrawn by simulated writers (10 classes, synthetic hands), where the paper used "
    "FEMNIST (62 classes, real writers); a smaller convolutional network"
)
_TRAFFIC = (
    f"{_SCALED}synthetic traffic in N-BaIoT's 115 columns for its nine devices, a few hundred rows each, and 20 "
    "rounds, a number that the paper leaves open; accuracy on it says nothing about N-BaIoT"
)
_STATES = "answers to an election study, CCES 2016, where FeDa4Fair cuts the American Community Survey by state"

_STEPS = {
    "digits": {"lr": 0.1, "batch": 20}, "private digits": {"lr": 1.0, "batch": 64},
    "traffic": {"lr": 0.1, "batch": 32}, "private traffic": {"lr": 0.2, "batch": 64},
}  # fmt: skip
"""Learning rate and batch, which the paper does not state."""


def _digits(clients: int, share: float, rounds: int, epsilon: float | None) -> Callable[[], Experiment]:
    def make() -> Experiment:
        return Experiment(
            use("mnist_writers", writers=clients),
            use("by_group", group="writer"),
            use("fedavg", **_STEPS["digits" if epsilon is None else "private digits"]),
            "convnet",
            None if epsilon is None else use("gaussian", epsilon=epsilon, level="example"),
            rounds=rounds,
            participation=share,
            seed=1,
        )

    return make


def _traffic(
    algorithm: str, share: float, benign: float, hidden: list[int], epsilon: float | None
) -> Callable[[], Experiment]:
    def make() -> Experiment:
        return Experiment(
            use("nbaiot_synthetic", benign=benign),
            use("by_group", group="device"),
            use(algorithm, **_STEPS["traffic" if epsilon is None else "private traffic"]),
            use("mlp", hidden=hidden),
            None if epsilon is None else use("gaussian", epsilon=epsilon, level="example"),
            rounds=20,
            participation=share,
            seed=1,
        )

    return make


def _start(epsilon: float | None = None, **changes: object) -> Callable[[], Experiment]:
    def make() -> Experiment:
        start = Experiment(
            "acs_employment",
            use("dirichlet", parties=10, alpha=1.0),
            use("fedavg", lr=0.02),
            "logistic",
            None if epsilon is None else use("gaussian", epsilon=epsilon),
            participation=0.5,
            seed=42,
        )
        return start.change(**changes) if changes else start

    return make


def _letter(split: str, **args: float) -> Callable[[], Experiment]:
    return lambda: Experiment("letter", use(split, parties=4, **args), "splitnn", rounds=5, seed=42)


_DRAWN = "one fifth of the rows is always held out, where VertiBench draws another for each of five seeds"


def _table2(split: str, algorithm: str, rounds: int, **args: float) -> Callable[[], Experiment]:
    """Make a cell of VertiBench's Table 2; the bench plays the same with other seeds and test rows."""
    number = {"alpha": 1.0} if split == "importance" else {"beta": 0.6}
    return lambda: Experiment("letter", use(split, parties=4, **number), use(algorithm, **args), rounds=rounds)


_STEPS_OF_TABLE2 = {
    "splitnn": {"lr": 3e-3, "batch": 128}, "fedtree": {"lr": 0.1, "depth": 6, "bins": 32},
    "gal": {"lr": 0.01, "weight_decay": 5e-4, "local_epochs": 20, "batch": 512},
    "cvfl": {"lr": 1e-3, "batch": 512, "local_steps": 10},
}  # fmt: skip
"""Appendix F; SplitNN's rate out of its set for letter, weight decay of GAL as in the authors' code."""

PRESETS: dict[str, Preset] = {
    "start": Preset("Start here: employment in Massachusetts", "", _start()),
    "start/private": Preset("The same with differential privacy, ε = 6", "", _start(6.0)),
    "start/states": Preset("51 natural clients: household income by state", _STATES,
                           _start(data="cces", split=use("by_group", group="state"))),
    "paper/experiment-1": Preset("FederatedTrust 1: 10 clients, half selected", _DIGITS, _digits(10, 0.5, 5, None)),
    "paper/experiment-2": Preset("FederatedTrust 2: 50 clients, ε = 20", _DIGITS, _digits(50, 0.6, 25, 20.0)),
    "paper/experiment-3": Preset("FederatedTrust 3: 100 clients, ε = 6", _DIGITS, _digits(100, 0.4, 50, 6.0)),
    "paper/experiment-4": Preset("FederatedTrust 4: nine devices, 20/80", _TRAFFIC,
                                 _traffic("fedavg", 0.7, 0.2, [50, 50], None)),
    "paper/experiment-5": Preset("FederatedTrust 5: median, ε = 4, 50/50", _TRAFFIC,
                                 _traffic("fedmedian", 0.9, 0.5, [100, 80, 70, 50], 4.0)),
    "vertibench/importance": Preset("VertiBench: letter by importance, α = 1", "", _letter("importance", alpha=1.0)),
    "vertibench/correlation": Preset("VertiBench: letter by correlation, β = 0.6", "",
                                     _letter("correlation", beta=0.6)),
    "vertibench/letter-splitnn-alpha-1": Preset("VertiBench, Table 2: SplitNN on letter, α = 1", _DRAWN,
        _table2("importance", "splitnn", 50, **_STEPS_OF_TABLE2["splitnn"])),
    "vertibench/letter-splitnn-beta-0.6": Preset("VertiBench, Table 2: SplitNN on letter, β = 0.6", _DRAWN,
        _table2("correlation", "splitnn", 50, **_STEPS_OF_TABLE2["splitnn"])),
    "vertibench/letter-fedtree-alpha-1": Preset("VertiBench, Table 2: FedTree on letter, α = 1", _DRAWN,
        _table2("importance", "fedtree", 50, **_STEPS_OF_TABLE2["fedtree"])),
    "vertibench/letter-gal-alpha-1": Preset("VertiBench, Table 2: GAL on letter, α = 1", _DRAWN,
        _table2("importance", "gal", 20, **_STEPS_OF_TABLE2["gal"])),
    "vertibench/letter-cvfl-alpha-1": Preset("VertiBench, Table 2: C-VFL on letter, α = 1", _DRAWN,
        _table2("importance", "cvfl", 200, **_STEPS_OF_TABLE2["cvfl"])),
}  # fmt: skip
"""Presets by name."""


def presets() -> dict[str, Experiment]:
    """Return all named experiments.

    Returns
    -------
    dict of str to Experiment
        Ready for `run`.

    Examples
    --------
    >>> presets()["start"].rounds
    20
    """
    return {name: preset.make() for name, preset in PRESETS.items()}


def caveat_of(experiment: Experiment) -> str:
    """Return how a preset differs from what it is named after, for an experiment that is one.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    str
        Empty if the experiment is no preset, or a preset without a caveat.
    """
    return next((p.caveat for p in PRESETS.values() if p.caveat and p.make().key == experiment.key), "")


def scaled_down(experiment: Experiment) -> str:
    """Return what a preset makes smaller than in the paper it replays.

    Parameters
    ----------
    experiment : Experiment
        Any.

    Returns
    -------
    str
        The caveat without its first words, as a fact sheet states it; empty if nothing is scaled down.

    Examples
    --------
    >>> scaled_down(presets()["paper/experiment-4"])[:17]
    'synthetic traffic'
    >>> scaled_down(presets()["start"])
    ''
    """
    before, _, words = caveat_of(experiment).partition(_SCALED)
    return "" if before else words
