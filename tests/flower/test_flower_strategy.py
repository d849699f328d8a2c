"""`TrustStrategy` around Flower's own strategies: they train as ever, and the run has a fact sheet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flwr", reason="flwr is not installed; tests/flower/run makes an environment for these tests")

from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp.strategy import (
    DifferentialPrivacyServerSideFixedClipping,
    FedAdam,
    FedAvg,
    FedMedian,
    FedProx,
    FedTrimmedAvg,
    Krum,
    MultiKrum,
    Strategy,
)
from flwr.supercore.privacy_accounting import NeighboringRelation, PrivacyConfig, SamplingMethod
from flwr.supercore.privacy_accounting.rdp_accountant import RdpAccountant

from tests.flower.loopback import Loopback
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.flower import Federation, TrustStrategy, add_counts, client_app, write_app
from trustkit.rng import stream
from trustkit.rounds import play
from trustkit.trust import assess
from trustkit.trust.chain import read, verify

PEOPLE, FEATURES, CLASSES = 5, 4, 3
LABELS = {node: stream(0, "labels", node).integers(0, CLASSES, 30 + 10 * node) for node in range(1, PEOPLE + 1)}


def somebodys_app(labels: dict[int, np.ndarray] | None = LABELS) -> ClientApp:
    """Make an app as anybody might have: softmax regression in NumPy, one step a round, two arrays."""
    app = ClientApp()

    def rows(context: Any) -> tuple[np.ndarray, np.ndarray]:
        y = LABELS[context.node_id]
        return stream(0, "rows", context.node_id).standard_normal((y.size, FEATURES)) + y[:, None], y

    def scores(message: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        w, b = (message.content["model"][name].numpy() for name in ("w", "b"))
        z = X @ w + b
        p = np.exp(z - z.max(1, keepdims=True))
        return w, b, p / p.sum(1, keepdims=True)

    @app.train()  # type: ignore[untyped-decorator]
    def train(message: Any, context: Any) -> Any:
        X, y = rows(context)
        w, b, p = scores(message, X)
        p[np.arange(y.size), y] -= 1
        lr = float(message.content["config"]["lr"])
        arrays = {"w": Array(w - lr * X.T @ p / y.size), "b": Array(b - lr * p.mean(0))}
        told = MetricRecord({"num-examples": 100 if message.content["config"].get("even") else int(y.size)})
        return Message(RecordDict({"model": ArrayRecord(arrays), "told": told}), reply_to=message)

    @app.evaluate()  # type: ignore[untyped-decorator]
    def evaluate(message: Any, context: Any) -> Any:
        X, y = rows(context)
        p = scores(message, X)[2]
        right, loss = (p.argmax(1) == y).mean(), -np.log(p[np.arange(y.size), y]).mean()
        told = {"eval_acc": float(right), "eval_loss": float(loss), "num-examples": int(y.size)}
        return Message(RecordDict({"told": MetricRecord(told)}), reply_to=message)

    if labels is not None:
        add_counts(app, lambda context: labels[context.node_id], CLASSES)
    return app


def start() -> ArrayRecord:
    """Return a model of zeros."""
    return ArrayRecord({"w": Array(np.zeros((FEATURES, CLASSES))), "b": Array(np.zeros(CLASSES))})


def ways(app: ClientApp | None = None, trouble: Any = None) -> Loopback:
    """Return the way to five nodes."""
    return Loopback(app or somebodys_app(), {node: {} for node in LABELS}, None, trouble)


def config(**more: Any) -> ConfigRecord:
    """Return what clients are told."""
    return ConfigRecord({"lr": 0.5, "local-epochs": 1, **more})


MODEL = {"arrayrecord_key": "model"}


def weights(result: Any) -> np.ndarray:
    """Flatten a result's model."""
    return np.concatenate([array.numpy().ravel() for array in result.arrays.values()])


@pytest.mark.parametrize("make", [FedAvg, FedMedian, FedTrimmedAvg, FedAdam, FedProx, MultiKrum])
def test_it_trains_as_the_strategy_alone(make: Any) -> None:
    """Up to the order in which Flower draws the nodes and adds them up, with the same metrics."""
    more = {"proximal_mu": 0.0} if make is FedProx else {}
    alone = make(**MODEL, **more).start(ways(), start(), num_rounds=3, train_config=config())
    wrapped = TrustStrategy(make(**MODEL, **more), classes=CLASSES)
    result = wrapped.start(ways(), start(), num_rounds=3, train_config=config())
    np.testing.assert_allclose(weights(result), weights(alone), rtol=0, atol=1e-12)
    for index, told in alone.evaluate_metrics_clientapp.items():
        assert dict(result.evaluate_metrics_clientapp[index]) == pytest.approx(dict(told))
    assert isinstance(wrapped, Strategy)
    assert wrapped.facts().get("configuration", "aggregation_algorithm") == {"FedAdam": "FedOpt"}.get(
        make.__name__, make.__name__
    )


def test_a_run_has_a_fact_sheet_and_a_report(tmp_path: Path) -> None:
    """Counts, accuracy by client, bytes, a log that holds; what the server cannot see stays unknown."""
    strategy = TrustStrategy(FedAvg(**MODEL), classes=CLASSES, log=tmp_path / "log.jsonl", project__purpose="a test")
    result = strategy.start(ways(), start(), num_rounds=3, train_config=config())
    facts = strategy.facts(privacy__encryption=0.5)
    wanted = {
        "participants/client_num": PEOPLE, "participants/client_selector": "all",
        "participants/sample_client_rate": 1.0,
        "configuration/total_round_num": 3, "configuration/learning_rate": 0.5, "configuration/local_update_steps": 1.0,
        "configuration/topology": "server", "explainability/trainable_param_num": 15, "explainability/tensors": 2,
        "performance/rounds_played": 3, "project/purpose": "a test", "privacy/encryption": 0.5,
        "fairness/selection_cv": 0.0, "system/model_bytes": 120.0, "participants/registry_complete": 1.0,
        "configuration/co_versioning": 1.0, "privacy/differential_privacy": None, "privacy/epsilon": None,
        "data/class_counts": tuple(np.bincount(np.concatenate(list(LABELS.values()))).tolist()),
        "participants/avg_dataset_size": sum(y.size for y in LABELS.values()) / PEOPLE,
    }  # fmt: skip
    for path, value in wanted.items():
        assert facts.get(*path.split("/")) == value, path
    record = strategy.record
    assert record.accuracy.shape == (3, PEOPLE)
    pooled = np.average(record.accuracy[-1], weights=[y.size for y in LABELS.values()])
    assert result.evaluate_metrics_clientapp[3]["eval_acc"] == pytest.approx(pooled)
    assert facts.get("performance", "test_acc_avg") == pytest.approx(record.accuracy[-1].mean())
    assert facts.get("fairness", "test_acc_cv") == pytest.approx(
        np.std(record.accuracy[-1]) / record.accuracy[-1].mean()
    )
    assert record.bytes_up.min() > 120
    assert verify(tmp_path / "log.jsonl", facts.get("log", "head"), facts.get("log", "events")).sound
    report = assess(facts)
    assert report.score is not None
    assert 0 < report.score < 1
    assert len(set(facts.get("participants", "ids"))) == PEOPLE


def test_counts_come_once_and_masked() -> None:
    """One hello and one sum, before the first round; no client's counts are among the messages."""
    grid = ways()
    TrustStrategy(FedAvg(**MODEL), classes=CLASSES).start(grid, start(), num_rounds=2, train_config=config())
    kinds = [kind for kind, _, _ in grid.seen]
    assert kinds[: 2 * PEOPLE] == ["query.trustkit_hello"] * PEOPLE + ["query.trustkit_count"] * PEOPLE
    assert kinds.count("query.trustkit_count") == PEOPLE
    for kind, node, content in grid.seen:
        if kind == "query.trustkit_count":
            words = content["words"]["words"].numpy()
            assert not (words[:CLASSES] == np.bincount(LABELS[node], minlength=CLASSES).astype(np.uint64)).any()


def test_a_client_tells_its_counts_once() -> None:
    """A second question in the same run gets no answer: two sums would tell of whoever is in one only."""
    grid = ways()
    for _ in range(2):
        strategy = TrustStrategy(FedAvg(**MODEL), classes=CLASSES)
        strategy.start(grid, start(), num_rounds=1, train_config=config())
    assert strategy.facts().get("data", "class_counts") is None
    assert strategy.facts().get("data", "withheld") == (
        "class counts, since not every SuperNode that gave a key sent its words, and masks stay on"
    )


def test_an_app_without_counts_runs_all_the_same() -> None:
    """They are then withheld, with the reason; and nothing is asked where nobody wants them."""
    strategy = TrustStrategy(FedAvg(**MODEL), classes=CLASSES)
    strategy.start(ways(somebodys_app(None)), start(), num_rounds=1, train_config=config())
    assert strategy.facts().get("data", "withheld") == (
        "class counts, which need at least 3 SuperNodes that answer; 0 of 5 did"
    )
    grid = ways()
    strategy = TrustStrategy(FedAvg(**MODEL))
    strategy.start(grid, start(), num_rounds=1, train_config=config())
    assert {kind for kind, _, _ in grid.seen} == {"train", "evaluate"}
    assert strategy.facts().get("data", "withheld") is None


def test_partial_participation_is_measured() -> None:
    """Two of five train in a round, at random; the others are there all the same."""
    strategy = TrustStrategy(FedAvg(fraction_train=0.4, **MODEL), classes=CLASSES)
    strategy.start(ways(), start(), num_rounds=6, train_config=config())
    facts = strategy.facts()
    assert strategy.record.selected.sum(1).tolist() == [2] * 6
    assert facts.get("participants", "sample_client_rate") == pytest.approx(0.4)
    assert facts.get("participants", "client_selector") == "random"
    assert facts.get("fairness", "selection_cv") >= 0


def test_trouble_is_told(tmp_path: Path) -> None:
    """A ClientApp that raises, silence, and a model with NaN: rates, log, and a finite mean of the rest."""

    def trouble(index: int, node: int, kind: str, answer: Any) -> Any:
        if kind != "train" or index != 2:
            return answer
        if node == 2:
            return None
        if node == 3:
            answer.content["model"] = ArrayRecord({"w": Array(np.full((FEATURES, CLASSES), np.nan)),
                                                   "b": Array(np.zeros(CLASSES))})  # fmt: skip
        return answer

    strategy = TrustStrategy(FedAvg(**MODEL), log=tmp_path / "log.jsonl")
    app = somebodys_app()
    inner = app._registered_funcs["train.default"]

    def fails(message: Any, context: Any) -> Any:
        if context.node_id == 1 and message.content["config"]["server-round"] == 2:
            raise RuntimeError("out of memory")
        return inner(message, context)

    app._registered_funcs["train.default"] = fails
    result = strategy.start(ways(app, trouble), start(), num_rounds=3, train_config=config())
    facts = strategy.facts()
    assert np.isfinite(weights(result)).all()
    assert strategy.record.last.state["outcomes"].tolist() == [[2, 0, 1, 0], [2, 0, 0, 1], [2, 0, 1, 0], [3, 0, 0, 0],
                                                               [3, 0, 0, 0]]  # fmt: skip
    assert facts.get("system", "error_rate") == pytest.approx(2 / 15)
    assert facts.get("system", "timeout_rate") == pytest.approx(1 / 13)
    (lost, *_) = [e for e in read(tmp_path / "log.jsonl") if e.kind == "clients_lost" and e.facts["round"] == 2]
    assert [len(lost.facts[name]) for name in ("dropped", "failed", "late")] == [0, 2, 1]


def test_central_noise_is_stated(tmp_path: Path) -> None:
    """Mechanism, clipping and multiplier; ε by Flower's accountant, and unknown without one."""
    config_of = PrivacyConfig(1e-5, PEOPLE, NeighboringRelation.ADD_OR_REMOVE_ONE, SamplingMethod.NO_AMPLIFICATION)
    for accountant in (None, RdpAccountant(config_of)):
        noisy = DifferentialPrivacyServerSideFixedClipping(
            FedAvg(**MODEL), noise_multiplier=2.0, clipping_norm=1.5, num_sampled_clients=PEOPLE, accountant=accountant
        )
        strategy = TrustStrategy(noisy)
        strategy.start(ways(), start(), num_rounds=2, train_config=config(even=1))
        facts = strategy.facts()
        assert facts.get("privacy", "differential_privacy") is True
        assert facts.get("privacy", "mechanism") == "Gaussian, by Flower's DifferentialPrivacyServerSideFixedClipping"
        assert (facts.get("privacy", "clip"), facts.get("privacy", "noise_multiplier")) == (1.5, 2.0)
        assert facts.get("configuration", "aggregation_algorithm") == "FedAvg"
        if accountant is None:
            assert facts.get("privacy", "epsilon") is None
            assert "ε is not known" in facts.get("privacy", "assumption")
        else:
            assert facts.get("privacy", "epsilon") == pytest.approx(accountant.get_privacy_spent().epsilon)
            assert strategy.record.epsilon[0] < strategy.record.epsilon[1] < math.inf


OWN = Experiment("breast_cancer", use("iid", parties=8), use("fedavg", lr=0.05), "logistic", rounds=3, seed=2)
SAME: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "fedavg": (FedAvg, {}, {}),
    "fedprox": (FedProx, {"proximal_mu": 0.3}, {"mu": 0.3}),
    "fedmedian": (FedMedian, {}, {}),
    "trimmed_mean": (FedTrimmedAvg, {"beta": 0.2}, {"share": 0.2}),
    "krum": (Krum, {"num_malicious_nodes": 1}, {"share": 0.2}),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_flowers_own_rules_are_the_experiments(name: str, tmp_path: Path) -> None:
    """With all clients in a round: Flower's strategy over trustkit's clients gives the weights of `play`."""
    make, theirs, ours = SAME[name]
    experiment = OWN.change(algorithm=use(name, lr=0.05, **ours))
    folder = write_app(experiment, tmp_path / "app")
    grid = Loopback(client_app(folder), {k + 1: {"partition-id": k} for k in range(8)},
                    {"parties": str(folder / "parties")})  # fmt: skip
    played = list(play(experiment))
    params = Federation.load(folder).trainer(np.full(8, 50)).start()["params"]
    strategy = TrustStrategy(make(**theirs), classes=2)
    result = strategy.start(grid, ArrayRecord({"params": Array(params)}), num_rounds=3)
    assert np.abs(weights(result) - played[-1].state["params"]).max() <= 1e-5
    np.testing.assert_allclose(strategy.record.loss, [each.loss for each in played], atol=1e-5)


def test_what_does_not_fit_is_refused() -> None:
    """Before anything runs."""
    with pytest.raises(ValueError, match=r"^classes must be at least 1, got 0"):
        TrustStrategy(FedAvg(), classes=0)
    with pytest.raises(KeyError, match=r"there is no fact 'project/porpose'"):
        TrustStrategy(FedAvg(), project__porpose="a slip")
    with pytest.raises(ValueError, match=r"^a strategy must have run before it has facts"):
        TrustStrategy(FedAvg()).facts()
    with pytest.raises(ValueError, match=r"^classes must be at least 1, got 0"):
        add_counts(ClientApp(), lambda context: LABELS[1], 0)
