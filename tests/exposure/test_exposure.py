"""Exposure of runs over columns: where protocols give all away, where they give nothing, and what defences change."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from trustkit import datasets
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.exposure import MEASURES, NOTE, Exposure, Finding, Tradeoff, compare_exposure, exposure_of
from trustkit.exposure.attacks import AVERAGED, Scene, label_attacks, membership_attack
from trustkit.exposure.messages import averaged, made_of
from trustkit.exposure.tradeoff import Trial
from trustkit.metrics.learnt import learnt_classes
from trustkit.records import RunRecord, Stopped
from trustkit.rounds import build, run
from trustkit.vertical.overheard import Heard

BASE = Experiment("wine", use("importance", parties=3), use("splitnn", batch=32, local=(12,), top=(8,)), rounds=2)
QUICK: dict[str, Any] = {"seeds": range(2), "rows": 100, "parties": 1}


@cache
def found(name: str, privacy: str = "", **args: Any) -> Exposure:
    """Expose a small run, once."""
    chosen = BASE.algorithm if name == "splitnn" else use(name, **args)
    mechanism = {"": None, "labels": use("column_noise", protects="labels", epsilon=1.0),
                 "features": use("column_noise", epsilon=5.0)}[privacy]  # fmt: skip
    return exposure_of(BASE.change(algorithm=chosen, privacy=mechanism), **QUICK)


def test_plain_protocols_tell_labels_whole() -> None:
    """Residuals, gradients of trees and of embeddings all say the class; guessing would be right on 40 %."""
    for name, attack in (
        ("splitnn", "direction of gradient"),
        ("gal", "sign of residual"),
        ("fedtree", "sign of gradient"),
    ):
        worst = found(name).worst("labels")
        assert worst is not None
        line = next(each for each in found(name).findings if each.attack == attack)
        assert line.mean > 0.97
        assert 0.35 < line.floor < 0.45
        assert found(name).share("labels") > 0.95


def test_a_linear_embedding_tells_features_whole_and_trees_little() -> None:
    """One layer of 12 units over at most 7 columns can be inverted; sides at splits are coarse."""
    assert found("splitnn").share("features") > 0.97
    lines = [each for each in found("fedtree").findings if each.target == "features"]
    assert lines
    assert all(each.mean < 0.9 for each in lines)


def test_noise_takes_away_what_it_is_meant_to_and_no_more() -> None:
    """ε = 1 of labels leaves features as they are; ε = 5 of features leaves labels as they are."""
    plain, labels, features = (found("splitnn", privacy) for privacy in ("", "labels", "features"))
    assert labels.share("labels") < 0.35 < plain.share("labels")
    assert labels.share("features") > 0.97
    assert features.share("features") < 0.1
    assert features.share("labels") > 0.5


def test_labelled_rows_and_own_columns_count_as_what_takes_no_run() -> None:
    """Whoever knows labels of some rows finds others by its columns alone: that is no exposure by the run."""
    lines = found("splitnn").findings
    ways = [each for each in lines if each.attack.startswith("direction")]
    (done,) = [each for each in lines if each.attack == "model completion"]
    assert ways
    assert {each.own for each in ways} == {done.own}
    assert done.own > done.floor
    both = [each for each in lines if each.attack == "model on gradient and own columns"]
    assert len(both) == len(ways)
    sent = next(each for each in found("cvfl").findings if each.attack == "labels are sent")
    assert sent.own == done.own
    assert all(one.own == done.own and one.mean >= way.mean for one, way in zip(both, ways, strict=True))


def test_only_derivatives_by_the_scores_have_a_sign_to_read() -> None:
    """A gradient by an embedding may be as wide as trees' first and second derivatives, but it is something else."""
    wide = exposure_of(BASE.change(algorithm=use("splitnn", batch=32, local=[6], top=[4])), **QUICK)
    assert not [each for each in wide.findings if each.attack.startswith("sign")]
    assert [each for each in found("fedtree").findings if each.attack == "sign of gradient"]
    assert [each for each in found("gal").findings if each.attack == "sign of residual"]
    two = BASE.change(data="breast_cancer", rounds=1)
    for output in ("linear", "softmax"):  # one score of two classes, or one each
        told = exposure_of(two.change(algorithm=use("gal", output=output, local_epochs=1)), **QUICK)
        signs = [each.mean for each in told.findings if each.attack == "sign of residual"]
        assert signs[0] == 1.0


def test_a_simulated_run_tells_what_the_exchange_tells() -> None:
    """Trained in one place, nothing is sent here; the protocol sends all of it."""
    assert found("fedtree", engine="simulated").findings == found("fedtree").findings


def test_an_area_of_own_columns_is_that_of_the_classes_they_name() -> None:
    """Of hard names the AUC is the mean of both classes' shares that are right, by hand."""
    rng = np.random.default_rng(1)
    y = (np.arange(90) % 3 == 0).astype(int)
    X = rng.normal(size=(90, 2)) + y[:, None]
    table: Any = SimpleNamespace(y=y, X=X, columns=((0,), (1,)), classes=2)
    scene = Scene(table, np.arange(90), (0, 1), 5, 0.5)
    right, areas = [], []
    for seed in scene.seeds:
        known = scene.known_labels(seed)
        x = (X[:, 1:] - X[known, 1:].mean()) / X[known, 1:].std()
        named = learnt_classes(x[known], y[known], x[~known]) == y[~known]
        right.append(named.mean())
        areas.append((named[y[~known] == 0].mean() + named[y[~known] == 1].mean()) / 2)
    lines = list(label_attacks(scene, [Heard(0, 1, "gradient", rng.normal(size=(90, 5)))], 1, "last round"))
    by = {each.attack: each for each in lines}
    assert by["norm of gradient"].own == pytest.approx(np.mean(areas))
    assert by["direction of gradient"].own == pytest.approx(np.mean(right))


def test_a_party_completes_its_layers_as_it_knows_them() -> None:
    """Its embedding before cut and noise; BlindFL's layers are nobody's alone, and trees have none."""
    private = run(BASE.change(privacy=use("column_noise", epsilon=5.0)))
    trainer: Any = build(private.experiment).trainer
    rows, state = np.arange(40), private.last.state
    assert state is not None
    made = made_of(trainer, state, rows, 1)
    plain = replace(trainer, ledger=None).overheard(state, rows, 3)
    sent = next(each.numbers for each in plain if (each.sender, each.receiver) == (1, 0))
    noisy = next(each.numbers for each in trainer.overheard(state, rows, 3) if (each.sender, each.receiver) == (1, 0))
    assert made == pytest.approx(sent, abs=1e-5)
    assert np.abs(made - noisy).max() > 1
    for name in ("blindfl", "fedtree"):
        other = build(BASE.change(algorithm=name)).trainer
        assert made_of(other, other.start(), rows, 1) is None


def test_large_numbers_and_no_guarantee_are_written_out() -> None:
    """1,000 and not 1e+03; infinity is said to promise nothing."""
    text = Tradeoff((0,), {"a": (Trial(0.9, 2e9, 999.99),), "b": (Trial(0.9, 2e9),)}).to_markdown()
    assert "| a | 0.9 | n/a | n/a | n/a | 2,000 | 1,000 |" in text
    assert "| b | 0.9 | n/a | n/a | n/a | 2,000 | n/a |" in text
    assert "no guarantee" not in text
    assert "ε = ∞: no guarantee." in Tradeoff((0,), {"b": (Trial(0.9, 2e9, math.inf),)}).to_markdown()


def test_nothing_heard_is_not_nothing_to_find() -> None:
    """Alone, a party sends nothing: no value, and the reason; BlindFL's masked numbers lie at the floor."""
    alone = found("solo")
    for target in ("labels", "features"):
        assert alone.worst(target) is None
        assert math.isnan(alone.share(target))
    assert "n/a (nothing that the first party sends has one line of numbers a row)" in str(alone)
    masked = found("blindfl")
    assert masked.share("features") < 0.1
    assert masked.share("labels") < 0.15


def test_labels_that_are_told_are_found() -> None:
    """C-VFL gives labels to every party; that is its own finding."""
    line = next(each for each in found("cvfl").findings if each.attack == "labels are sent")
    assert line.values == (1.0, 1.0)


def test_regressions_are_attacked_too() -> None:
    """Labels are rebuilt from residuals by a line; there are no classes to complete."""
    wine = datasets.load("wine")
    datasets.add(replace(wine, name="exposed numbers", y=wine.X[:, :6].sum(axis=1), classes=()))
    one = exposure_of(BASE.change(data="exposed numbers", algorithm="gal"), **QUICK)
    line = one.worst("labels")
    assert line is not None
    assert (line.measure, line.floor) == ("R²", 0.0)
    assert line.mean > 0.99
    assert 0 <= one.share("membership") < 0.5
    told = exposure_of(BASE.change(data="exposed numbers", algorithm="cvfl"), **QUICK)
    assert next(each.mean for each in told.findings if each.attack == "labels are sent") > 0.999


def test_a_finding_s_numbers() -> None:
    """The advantage is above guessing, and above what own columns give; bands are over seeds."""
    one = Finding("labels", "a", 1, 0, "model", "accuracy", (0.7, 0.9), 0.6)
    assert one.mean == pytest.approx(0.8)
    assert one.band == (0.7, 0.9)
    assert one.advantage == pytest.approx(0.5)
    assert replace(one, own=0.75).advantage == pytest.approx(0.2)
    assert replace(one, own=0.3).advantage == pytest.approx(0.5)
    assert replace(one, whole=0.65).advantage == pytest.approx(0.125)
    assert replace(one, values=(0.1,)).advantage == 0.0
    assert replace(one, own=1.0).advantage == 0.0
    assert math.isnan(replace(one, values=()).advantage)
    whole = Exposure((one, replace(one, attack="b", values=(), reason="no")), (0, 1), 10)
    assert whole.worst("labels") is one
    least = (replace(one, values=(0.3,)), replace(one, values=(0.5,)), replace(one, values=(0.4,)))
    assert Exposure(least, (0,), 10).worst("labels") is least[1]
    assert whole.share("labels", 1) == pytest.approx(0.75)
    assert Exposure.from_dict(whole.to_dict()).findings == whole.findings
    with pytest.raises(KeyError, match="there is no target 'x'"):
        whole.worst("x")


def test_strangers_alike_are_not_told_apart() -> None:
    """Losses of one distribution: about 1/2; undefined ones have a reason."""
    rng = np.random.default_rng(0)
    assert abs(membership_attack(rng.random(3000), rng.random(3000), (0, 1, 2)).mean - 0.5) < 0.03
    assert membership_attack(np.full(5, np.nan), np.ones(5), (0,)).reason


def test_the_frame_and_the_sentence() -> None:
    """One line an attack; the sentence ends in what attacks do not show."""
    frame = found("splitnn").frame()
    assert list(frame.columns[:6]) == ["target", "attack", "attacker", "victim", "moment", "measure"]
    assert len(frame) == len(found("splitnn").findings)
    assert str(found("splitnn")).endswith(NOTE)


def test_the_same_run_gives_the_same_numbers() -> None:
    """From its record or from its experiment."""
    assert exposure_of(run(BASE), **QUICK).findings == found("splitnn").findings


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 5}, "rows must be at least 20, got 5"),
        ({"seeds": ()}, "seeds must be at least one and differ, got none"),
        ({"seeds": (1, 1)}, "seeds must be at least one and differ, got 1, 1"),
        ({"pairs": 1.0}, "pairs must be above 0 and below 1, got 1.0"),
        ({"labelled": 0}, "labelled must be at least 1, got 0"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], words: str) -> None:
    """One sentence each."""
    with pytest.raises(ValueError, match=words):
        exposure_of(BASE, **changes)


def test_rows_and_lost_states_are_refused() -> None:
    """Exposure is about columns, and needs the model."""
    with pytest.raises(ValueError, match="exposure attacks runs over columns, got fedavg over rows"):
        exposure_of(Experiment("digits", use("iid", parties=3), "fedavg", "logistic", rounds=1))
    record = run(BASE.change(rounds=1))
    lost = RunRecord(record.experiment, [replace(record.last, state=None)])
    with pytest.raises(ValueError, match="must have its state, got round 1 without"):
        exposure_of(lost)


def test_a_comparison_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Stopped before its last run, it plays only what is missing, and gives what a whole one gives."""
    wanted = {"plain": BASE.change(rounds=1), "noisy": BASE.change(rounds=1, privacy=use("randomised_labels")),
              "refused": BASE.change(algorithm="solo", privacy="randomised_labels")}  # fmt: skip
    options: dict[str, Any] = {"attack_seeds": [0], "rows": 60, "parties": 1}
    told: list[str] = []

    def stop(words: str, done: float) -> None:
        told.append(words)
        if done >= 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        compare_exposure(wanted, [0, 1], tmp_path, stop, **options)
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    whole = compare_exposure(wanted, [0, 1], tmp_path, **options)
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())
    fresh = compare_exposure(wanted, [0, 1], **options)
    for label in ("plain", "noisy"):
        assert whole.bands(label) == fresh.bands(label)
    assert list(whole.refused) == ["refused"]
    assert whole.bands("noisy")["epsilon"].mean == 2.0
    table = whole.to_markdown()
    assert "∞" in table
    assert "refused was refused: solo trains without a privacy mechanism" in table
    assert NOTE in table
    assert list(whole.frame().columns) == ["label", "seed", *MEASURES, "refused"]
    assert math.isnan(whole.bands("refused")["quality"].mean)


def test_what_cannot_be_compared() -> None:
    """Labels that repeat, none at all, rows, and no seed."""
    with pytest.raises(ValueError, match="experiments must differ by label, got 'splitnn' twice"):
        compare_exposure([BASE, BASE.change(rounds=1)])
    with pytest.raises(ValueError, match="experiments must be at least one, got none"):
        compare_exposure([])
    with pytest.raises(ValueError, match="experiments must be over columns, got 'fedavg' over rows"):
        compare_exposure([Experiment("digits", use("iid", parties=3), "fedavg", "logistic")])
    with pytest.raises(ValueError, match="seeds must be at least one and differ, got none"):
        compare_exposure([BASE], seeds=())
    assert Tradeoff((0,), {}).refused == {}


def test_averaging_over_rounds_undoes_fresh_noise() -> None:
    """With a model that hardly moves, the mean of R rounds has noise of 1/√R and finds what one round hides."""
    still = BASE.change(
        algorithm=use("splitnn", batch=32, local=(12,), top=(8,), lr=1e-5),
        privacy=use("column_noise", protects="labels", noise=3.0, epsilon=None), rounds=60,
    )  # fmt: skip
    lines = exposure_of(still, **QUICK).findings
    means = {moment: np.mean([each.mean for each in lines
                              if (each.target, each.moment) == ("labels", moment) and "direction" in each.attack])
             for moment in ("last round", AVERAGED)}  # fmt: skip
    assert means[AVERAGED] > means["last round"] + 0.1
    trainer: Any = build(still).trainer
    rows, state = np.arange(40), trainer.start()

    def apart(rounds: int) -> float:
        """Pairs of listeners who hear so many rounds each: how far what they have of the first party lies apart."""
        heard = [averaged(trainer, [state] * rounds, rows, first) for first in range(1, 1 + 20 * rounds, rounds)]
        told = np.array([[each.numbers for each in one if each.sender == 0] for one in heard])
        return float(np.median((told[::2] - told[1::2]).std(axis=0)))

    assert apart(1) / apart(36) == pytest.approx(6.0, rel=0.1)  # √36


def test_averaging_reads_the_runs_own_rounds() -> None:
    """A record that kept only its last state gives what one with all states gives: the run is played again."""
    record = run(BASE.change(rounds=4))
    bare = RunRecord(record.experiment, [*(replace(each, state=None) for each in list(record)[:-1]), record.last])
    assert exposure_of(bare, **QUICK).findings == exposure_of(record, **QUICK).findings


def test_it_is_stopped_between_two_steps() -> None:
    """Inside the round that is played to hear its messages, between two attacks, and where runs are compared."""
    trees = run(BASE.change(algorithm=use("fedtree", depth=3, engine="exchange"), rounds=1))
    for record in (trees, run(BASE)):
        told: list[tuple[str, float]] = []
        exposure_of(record, **QUICK, progress=lambda *words, told=told: told.append(words))
        assert told[0] == ("messages of the first round", 0.0)
        assert told[-1] == ("attacked", 1.0)
        assert [done for _, done in told] == sorted(done for _, done in told)
        for at in (1, len(told) // 2):
            left = iter(range(at))

            def stop(words: str, done: float, left: Iterator[int] = left) -> None:
                if next(left, None) is None:
                    raise Stopped

            with pytest.raises(Stopped):
                exposure_of(record, **QUICK, progress=stop)

    def attacked(words: str, done: float) -> None:
        if words == "splitnn, seed 0: messages of the last round":
            raise Stopped

    with pytest.raises(Stopped):
        compare_exposure([BASE], [0], None, attacked, rows=60, attack_seeds=[0], parties=1)
