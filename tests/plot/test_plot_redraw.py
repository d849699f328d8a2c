"""A picture that is moved is the picture that is drawn anew, byte for byte, whatever it showed before."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.plot import test_plot_audited as audits
from tests.plot import test_plot_budget as budgets
from tests.plot import test_plot_curves as curves
from tests.plot import test_plot_exposed as exposed
from tests.plot import test_plot_gapbars as gaps
from tests.plot import test_plot_participation as presence
from tests.plot import test_plot_strategies as comparisons
from tests.plot.samples import clients, columns, front, record, rows
from trustkit import plot
from trustkit.metrics.correlation import spearman
from trustkit.plot import PlanePoint
from trustkit.rng import stream
from trustkit.sidebyside import SHOWN, Measured, _scaled, rule_of
from trustkit.split.exchange import exchange
from trustkit.trust import FactSheet, assess, sensitivity, waterfall

Draw = Callable[[Figure | None], Figure]
Scores = Mapping[str, float | None]

nan, inf = float("nan"), float("inf")
SOME = stream(0, "test", "accuracy").random((20, 10))


def _bars(count: int, seed: int = 0, undefined: tuple[int, ...] = (), **more: object) -> Draw:
    gaps, chances, names = clients(count, seed, undefined)
    given = {"pooled": 0.05, "small": gaps > 0.2, "interval": (gaps * 0.5, gaps * 1.2), **more}
    return lambda figure: plot.client_fairness(gaps, chances, names, figure=figure, **given)  # type: ignore[arg-type]


def _shares(parties: int, classes: tuple[str, ...], n: int = 300, **more: object) -> Draw:
    return lambda figure: plot.label_shares(rows(parties, classes, n, **more), figure=figure)


def _matrix(*sizes: int, nobody: int = 0, **more: object) -> Draw:
    return lambda figure: plot.correlation_blocks(columns(sizes, nobody), figure=figure, **more)  # type: ignore[arg-type]


def _pairs(*sizes: int, nobody: int = 0, **more: object) -> Draw:
    return lambda figure: plot.pcor_heatmap(columns(sizes, nobody), figure=figure, **more)  # type: ignore[arg-type]


def _gauge(
    icor: float | None, bounds: tuple[float, float] | None, target: float | None = None, exact: bool = False
) -> Draw:
    return lambda figure: plot.icor_gauge(icor, bounds, target, exact, figure)


def _held(parties: int, seed: int = 0, asked: bool = True, **more: object) -> Draw:
    draw = stream(seed, "test", "shares", parties)
    held, wanted = draw.dirichlet(np.ones(parties)), draw.dirichlet(np.ones(parties)) if asked else None
    return lambda figure: plot.party_shares(held, wanted, figure=figure, **more)  # type: ignore[arg-type]


def _front(count: int, seeds: int = 1, **more: str) -> Draw:
    found = front(count, seeds)
    return lambda figure: plot.pareto_front(found, figure=figure, **more)


def _plane(*points: tuple[str, str, float, float] | tuple[str, str, float, float, bool]) -> Draw:
    return lambda figure: plot.split_plane([PlanePoint(*point) for point in points], figure=figure)


def _trend(first: int, m: int, seed: int = 0, **more: object) -> Draw:
    draw = stream(seed, "test", "trend", m)
    corr = spearman(draw.normal(size=(40, m)) + draw.normal(size=(40, 1)))
    return lambda figure: plot.exchange_trend(exchange(corr, first, **more), figure)  # type: ignore[arg-type]


def _attack(*accuracy: np.ndarray, who: list[int] | None = None, rounds: int = 20, wide: bool = True) -> Draw:
    runs = {name: record(part, rounds) for name, part in zip(("clean", "attacked", "defended"), accuracy, strict=False)}
    attackers = None if who is None else np.array(who)
    return lambda figure: plot.accuracy_under_attack(runs, attackers, wide, figure)


def _audited(draw: Callable[..., Figure], clients: int, shared: bool = False) -> Draw:
    given = (audits.run(audits.LOCAL[np.arange(clients) % 4, 0]),) if shared else ()
    return lambda figure: draw(audits.made(clients), *given, figure=figure)


def _compared(*names: str, seeds: int = 3, draw: int = 0) -> Draw:
    found = comparisons.made_up(names, seeds, draw=draw)
    return lambda figure: plot.strategy_dots(found, figure=figure)


def _exposed(*names: str, **more: Any) -> Draw:
    found = exposed.made_up(names, **more)
    return lambda figure: plot.exposure_points(found, figure)


def _learnt(*lengths: int, by: Any = "round", wide: bool = True, **more: Any) -> Draw:
    runs = {f"algorithm {k}": curves.joint([0.1 * j for j in range(1, n + 1)], draw=k, **more)
            for k, n in enumerate(lengths)}  # fmt: skip
    return lambda figure: plot.quality_curves(runs, ["algorithm 1"], by, wide, figure)


def _sent(*shape: Any, **more: Any) -> Draw:
    found = curves.joint(*shape, **more)
    return lambda figure: plot.traffic_bars(found, figure)


def _along(*names: str, **more: Any) -> Draw:
    found = curves.crossing(*names, **more)
    return lambda figure: plot.quality_by_split(found, figure)


def _gaps(view: str, *shape: Any) -> Draw:
    found = gaps.found(*shape)
    return lambda figure: plot.client_gaps(found, view, figure)  # type: ignore[arg-type]


def _rates(*shape: Any) -> Draw:
    found = gaps.found(*shape)
    return lambda figure: plot.group_rates(found, figure)


def _labels(*shape: int) -> Draw:
    found = gaps.injected(*shape)
    return lambda figure: plot.label_gaps(found, figure)


def _curve(accuracy: object, rounds: int, base: int = 0, wide: bool = True) -> Draw:
    shown = None if accuracy is None else record(accuracy, rounds)  # type: ignore[arg-type]
    before = record(SOME[:base], 20) if base else None
    return lambda figure: plot.accuracy_by_round(shown, before, wide=wide, figure=figure)


def _present(outcomes: Any, rounds: int = 0, names: tuple[str, ...] | None = None, **more: Any) -> Draw:
    found = presence.met(outcomes, rounds, more.pop("stored", False))
    return lambda figure: plot.participation_raster(found, names, figure=figure, **more)


def _dots(accuracy: Any, rows: Any = None, rounds: int = 0, **more: Any) -> Draw:
    found = presence.scored(accuracy, rounds)
    return lambda figure: plot.client_dots(found, rows, figure=figure, **more)


def _errors(*squared: float, before: tuple[float, ...] = ()) -> Draw:
    shown, base = (curves.joint(part, numbers=True) for part in (squared, before))
    return lambda figure: plot.accuracy_by_round(shown, base if before else None, figure=figure)


def _radar(scores: Scores, base: Scores | None = None) -> Draw:
    return lambda figure: plot.pillar_radar(scores, base, figure=figure)


def _trust(**changed: Any) -> Any:
    """A report on a run: a score for four pillars, which the changes move."""
    facts = FactSheet({
        "performance/test_acc_avg": 0.6, "participants/client_num": 100, "fairness/selection_cv": 0.5,
        "explainability/trainable_param_num": 500, "configuration/aggregation_algorithm": "FedAvg",
    })  # fmt: skip
    return assess(facts.with_facts(**changed))


def _ghosts(count: int, baseline: str = "", **changed: float | None) -> Draw:
    runs = {f"run {k}": {**dict.fromkeys("abc", 0.1 * k), **changed} for k in range(count)}
    return lambda figure: plot.pillar_ghosts(runs, baseline, figure)


def _runs(*names: str, runs: int = 3, seed: int = 0, hole: int = -1, **more: Any) -> Draw:
    draw = stream(seed, "test", "multiples", runs)
    found = [Measured(name, values, _scaled(values, rule_of(name)))
             for name in names if (values := _numbers(draw, runs, name, hole))]  # fmt: skip
    titles = [f"run {k}" for k in range(runs)]
    return lambda figure: plot.run_multiples(found, titles, figure=figure, **more)


def _numbers(draw: Any, runs: int, name: str, hole: int) -> tuple[float | None, ...]:
    """Made-up values of a measure; one of a run is not known, the next one's is not defined, the next is infinite."""
    size = 40.0 if rule_of(name) == "share" else 1.0
    values: list[float | None] = [float(each) for each in size * draw.random(runs)]
    for k, value in enumerate((None, nan, inf if size > 1 else 0.0)):
        if 0 <= hole + k < runs and hole >= 0:
            values[hole + k] = value
    return tuple(values)


def _budget(*points: Any, now: int | None = None, wide: bool = True) -> Draw:
    found = [budgets.point(*point) for point in points]
    return lambda figure: plot.privacy_utility(found, None if now is None else found[now], wide, figure)


def _falls(most: int = 12, **changed: Any) -> Draw:
    found = waterfall(_trust(), _trust(**changed))
    names = {"performance": "Performance", "federation_scale": "a very long name of a metric that will be cut"}
    return lambda figure: plot.trust_waterfall(found, names, most, figure)


def _sure(names: Mapping[str, str] | None = None, level: float = 0.9, **changed: Any) -> Draw:
    found = sensitivity(_trust(**changed), draws=50)
    return lambda figure: plot.score_bands(found, names, level, figure)


def _grown(scores: list[Scores], at: int = -1, **more: Any) -> Draw:
    return lambda figure: plot.pillar_trail(scores, range(1, len(scores) + 1), at, figure=figure, **more)


FATES = stream(0, "test", "fates").integers(-1, 4, size=(20, 8))
"""What became of 8 clients in 20 rounds."""

SIX = dict(zip("abcdef", (0.1, 0.9, 0.3, 0.5, 1.0, 0.0), strict=True))
UNKNOWN = {**SIX, "b": None, "e": nan}
MOVED: dict[str, Any] = {
    "performance__test_acc_avg": 0.9,
    "participants__client_num": 10,
    "fairness__selection_cv": 0.1,
}
LETTERS = tuple(string.ascii_uppercase)

PICTURES: dict[str, list[Draw]] = {
    "client_fairness": [
        _bars(10), _bars(10, seed=1, undefined=(0, 4)), _bars(10, pooled=None, interval=None, small=None),
        _bars(10, threshold=0.25, pooled=0.3), _bars(3), _bars(51), _bars(100, undefined=tuple(range(90))), _bars(20),
        _bars(10, label="gap by race (" + "a group, " * 12 + ")"), _bars(2, undefined=(0, 1), pooled=nan),
    ],
    "label_shares": [
        _shares(10, ("no", "yes")), _shares(10, ("no", "yes"), owner=np.arange(300) % 3), _shares(51, ("no", "yes")),
        _shares(100, ("a", "b", "c")), _shares(10, LETTERS), _shares(10, ("no", "yes"), owner=np.full(300, -1)),
    ],
    "correlation_blocks": [
        _matrix(4, 4, 4, 4), _matrix(1, 5, 2, 8), _matrix(16, 0), _matrix(2, 2, 2, nobody=10), _matrix(*[1] * 16),
        _matrix(*[2] * 8), _matrix(6, 6, 4, signed=True), _matrix(6, 6, 4, signed=True, order="clustered"),
        _matrix(3, 2), _matrix(*[2] * 40), _matrix(500, 0, 350, nobody=51),
    ],
    "pareto_front": [
        _front(5), _front(3, seeds=3), _front(5, x="bytes", y="privacy"), _front(1), _front(4, x="trainings"),
    ],
    "pcor_heatmap": [
        _pairs(4, 4, 4), _pairs(1, 9, 3, definition="package"), _pairs(16, 0, 2), _pairs(*[2] * 8, nobody=3),
        _pairs(*[2] * 9), _pairs(*[1] * 70), _pairs(3, 2),
    ],
    "icor_gauge": [
        _gauge(0.1, (0.0, 0.2)), _gauge(0.1, (0.0, 0.2), 0.12, True), _gauge(None, None), _gauge(nan, (-0.2, 0.1), 0.0),
        _gauge(0.3, (-0.2, 0.1), -0.3), _gauge(0.1, (0.1, 0.1)), _gauge(0.1, (nan, nan), 0.1),
    ],
    "party_shares": [
        _held(4), _held(4, seed=1), _held(4, asked=False), _held(12), _held(120),
        _held(4, what="rows"), _held(2, names=["a hospital with a very long name", "b"]),
    ],
    "split_plane": [
        _plane(("this split", "current", 1.0, 0.5)), _plane(("r", "random", 1.0, 0.5), ("here", "current", 0.1, 0.2)),
        _plane(("a", "natural", 50.0, 0.1), ("b", "natural", 55.0, 0.1, True), ("here", "current", np.inf, 0.9)),
        _plane(("a", "natural", 1e-5, 0.0), ("b", "natural", 1e5, 1.0)), _plane(),
        _plane(("here", "current", nan, 0.9)), _plane(*[(f"set {k}", "natural", 1.0, nan) for k in range(9)]),
        _plane(("here", "current", 1.0, nan), ("a", "natural", 2.0, 0.1)),
    ],
    "exchange_trend": [
        _trend(5, 10), _trend(3, 10, seed=1), _trend(1, 2), _trend(60, 120, definition="package"), _trend(9, 10),
    ],
    "accuracy_by_round": [
        _curve(SOME[:1], 20), _curve(SOME, 20), _curve(SOME[:7], 20, base=12), _curve(None, 20), _curve(SOME[:0], 5),
        _curve(SOME[:5, :1], 5, base=20), _curve(np.where(SOME > 0.5, SOME, nan), 20), _curve([[nan] * 4] * 3, 3),
        _errors(4.0, 1.0), _errors(9.0, before=(16.0,)),
        _curve(np.tile(SOME, (10, 10)), 200), _curve(SOME, 20, wide=False), _curve(SOME[:3], 5, base=9, wide=False),
    ],
    "participation_raster": [
        _present(FATES[:5]), _present(FATES[5:10]), _present(np.tile(FATES, (1, 20))), _present(FATES),
        _present(FATES, 30), _present(FATES, wide=False), _present(FATES, stored=True),
        _present(FATES[:, :2], names=("a hospital", "a school")), _present(np.tile(FATES, (6, 1))),
        _present(np.tile(FATES, (1, 20)), stored=True), _present(np.zeros((20, 130), int)),
        lambda figure: plot.participation_raster(None, figure=figure),
    ],
    "client_dots": [
        _dots(SOME, range(10, 20)), _dots(SOME[:3], rounds=20), _dots(np.tile(SOME, (1, 40)), np.arange(400)),
        _dots(SOME, measure="loss"), _dots(SOME), _dots(SOME, 4 ** np.arange(10)), _dots([[nan] * 4]),
        _dots(np.where(SOME > 0.5, SOME, nan)), _dots(np.tile(SOME, (1, 40)) ** np.arange(1, 401)),
        _dots(SOME, wide=False), lambda figure: plot.client_dots(None, figure=figure),
    ],
    "pillar_radar": [
        _radar(SIX), _radar(UNKNOWN), _radar(SIX, UNKNOWN), _radar(UNKNOWN, SIX), _radar({"a": None, "b": None}),
        _radar({"a": 0.5, "b": None, "c": 1.0}), _radar(dict.fromkeys("abcdef"), SIX), _radar(SIX, {"f": 0.5}),
    ],
    "pillar_trail": [
        _grown([SIX, UNKNOWN, SIX]), _grown([UNKNOWN, SIX, SIX], 0), _grown([SIX]), _grown([dict.fromkeys("abcdef")]),
        _grown([SIX] * 40), _grown([{"a": 0.5, "b": 0.1, "c": 1.0}] * 2, names={"a": "the first"}),
    ],
    "pillar_ghosts": [
        _ghosts(3, "run 1"), _ghosts(3, "run 1", b=None), _ghosts(3), _ghosts(1), _ghosts(9, "run 8", c=nan),
        _ghosts(2, d=0.4),
    ],
    "run_multiples": [
        _runs("accuracy", "epsilon", "seconds"), _runs("accuracy", "epsilon", "seconds", seed=1, hole=0),
        _runs("trust", "fairness.pooled", "megabytes", seed=2, scaled=True), _runs("accuracy", "epsilon", hole=1),
        _runs("accuracy", runs=1), _runs(*SHOWN, runs=6, baseline="run 1"), _runs(*SHOWN, runs=9, hole=3, across=2),
    ],
    "privacy_utility": [
        _budget((0.1, 0.5), (1.0, 0.4), (inf, 0.8)), _budget((0.2, 0.6), (1.0, nan), (inf, 0.7), now=2),
        _budget((0.1, 0.5, None), (1.0, 0.4, None)), _budget((0.001, 0.5), (2000.0, 0.4)), _budget(),
        _budget((0.1, 9.0, None, "RMSE"), (1.0, 4.0, None, "RMSE"), now=0),
        _budget((0.1, 0.5), (inf, 0.8), now=1, wide=False),
    ],
    "score_bands": [
        _sure(), _sure(participants__client_num=10_000), _sure(level=0.5), _sure({"trust": "Trust"}),
        _sure(privacy__differential_privacy=True),
    ],
    "sensitive_shares": [_audited(plot.sensitive_shares, count) for count in (4, 1, 9)],
    "model_bars": [_audited(plot.model_bars, count) for count in (4, 1, 9)],
    "value_changes": [_audited(plot.value_changes, count) for count in (4, 1, 9)],
    "local_federated": [_audited(plot.local_federated, count, shared=True) for count in (4, 1, 9)],
    "client_gaps": [
        _gaps("clients", 3), _gaps("clients", 3, 2, 1), _gaps("server", 3), _gaps("clients", 14),
    ],
    "group_rates": [_rates(3), _rates(3, 2, 1), _rates(3, 5), _rates(12, 8)],
    "label_gaps": [_labels(4), _labels(4, 1), _labels(15)],
    "exposure_points": [
        _exposed("splitnn", "gal"), _exposed("splitnn", "gal", seeds=1), _exposed("splitnn", "gal", blind="gal"),
        _exposed("splitnn", "gal", "cvfl", refused="cvfl"), _exposed("gal"),
    ],
    "quality_curves": [
        _learnt(3, 2, 5), _learnt(1, 0, 2), _learnt(3, 2, 5, by="bytes"), _learnt(2, 2, 2, by="bytes", scale=1e9),
        _learnt(0, 0, 0), _learnt(0, 0, 0, by="bytes"), _learnt(5, 2, 5, numbers=True), _learnt(3),
        _learnt(3, 2, wide=False),
    ],
    "traffic_bars": [
        _sent([0.1, 0.2]), _sent([0.1], draw=1), _sent([0.1], scale=0.0), _sent([0.1], scale=1e12),
        _sent([0.1], parties=20), _sent([0.1], kinds=()), _sent([0.1], kinds=tuple("abcde")),
    ],
    "quality_by_split": [
        _along("splitnn", "solo"), _along("gal", "pooled", whole=3), _along("gal", "solo", whole=0),
        _along("splitnn", "solo", along="beta", values=(0, 0.5, 1)), _along("gal"),
        _along("gal", "al", "solo", "pooled"), _along("gal", values=(1.0,)),
    ],
    "strategy_dots": [
        _compared("fedavg", "fairfed"), _compared("fedavg", "fairfed", draw=1), _compared("fedavg", "fairfed", seeds=1),
        _compared("fedavg"),
    ],
    "accuracy_under_attack": [
        _attack(SOME), _attack(SOME, SOME[:5] / 2), _attack(SOME, SOME[:5] / 2, SOME[:2], who=[1]),
        _attack(SOME[:0], rounds=5), _attack(SOME, who=[0, 2], wide=False),
    ],
    "trust_waterfall": [
        _falls(**MOVED), _falls(performance__test_acc_avg=0.2, participants__client_num=10, fairness__selection_cv=0.9),
        _falls(), _falls(2, **MOVED), _falls(performance__test_acc_avg=0.601), _falls(performance__test_acc_avg=0.9),
    ],
}  # fmt: skip


ONE_SHAPE = (
    "exchange_trend", "icor_gauge", "local_federated", "model_bars", "pareto_front", "sensitive_shares",
    "value_changes",
)  # fmt: skip
"""Pictures that have the same artists whatever they show."""


@pytest.mark.parametrize("name", PICTURES)
def test_redrawn_is_drawn_anew(name: str) -> None:
    """Through the list and back to its first: nothing of an earlier picture is left."""
    draws = PICTURES[name]
    fresh = [plot.to_svg(draw(None), name) for draw in draws]
    assert len(set(fresh)) == len(fresh)
    figure = draws[0](None)
    for at in (*range(1, len(draws)), 0):
        figure = draws[at](figure)
        assert plot.to_svg(figure, name) == fresh[at], f"{name} {at}"


@pytest.mark.parametrize("name", PICTURES)
def test_same_shape_keeps_the_figure(name: str) -> None:
    """Drawn twice, the second time it is the first figure that was moved; some other shape is another figure."""
    draws = PICTURES[name]
    first = draws[0](None)
    assert draws[0](first) is first
    assert draws[1](first) is first
    others = [draw(first) for draw in draws[-3:]]
    assert any(other is not first for other in others) != (name in ONE_SHAPE)


def test_every_picture_of_the_room_is_redrawn_here() -> None:
    """A new plot function needs its cases."""
    assert {*PICTURES, "PlanePoint", "data_of", "to_csv", "to_svg"} == set(plot.__all__)


def test_the_users_settings_are_left_alone() -> None:
    """Whoever draws in a style of his own still has it afterwards, and has no say in our pictures."""
    import matplotlib

    draw = PICTURES["accuracy_by_round"][1]
    usual = plot.to_svg(draw(None), "a")
    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "text.color": "red", "figure.dpi": 10}):
        assert plot.to_svg(draw(None), "a") == usual
        assert matplotlib.rcParams["font.size"] == 30


def test_axes_are_the_same_in_any_two_pictures() -> None:
    """Accuracy, correlation and pillars run from 0 to 1 whatever the data; only then can two pictures be compared."""
    for name, axis in (("accuracy_by_round", "y"), ("pillar_radar", "y")):
        for draw in PICTURES[name][:4]:
            axes = draw(None).axes[0]
            assert getattr(axes, f"get_{axis}lim")() == (0, 1)
    for draw in (*PICTURES["correlation_blocks"][:4], *PICTURES["pcor_heatmap"]):
        assert draw(None).axes[0].collections[0].get_clim() == (0, 1)
    signed = plot.correlation_blocks(columns((3, 3)), signed=True)
    assert signed.axes[0].collections[0].get_clim() == (-1, 1)
    planes = [draw(None).axes[0] for draw in PICTURES["split_plane"]]
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in planes}) == 1
