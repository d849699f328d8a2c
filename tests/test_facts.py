"""What `facts_of` states of a run, against the same numbers worked out by hand from the record and the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trustkit import facts as room
from trustkit import metrics
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.records import RunRecord
from trustkit.rng import stream
from trustkit.rounds import build, data_of, partition_of, run
from trustkit.trust import FactSheet, assess

SURVEY = Experiment("acs_employment", use("dirichlet", parties=6, alpha=0.5), use("fedavg", lr=0.05), "logistic",
                    rounds=4, participation=0.5, seed=3)  # fmt: skip
EXPERIMENTS = {
    "survey": SURVEY,
    "private": SURVEY.change(privacy=use("gaussian", epsilon=6.0)),
    "digits": Experiment("digits", use("shards", parties=5), use("fedmedian", epochs=2), use("mlp", hidden=[8]),
                         rounds=2),
    "columns": Experiment("breast_cancer", use("importance", parties=3), use("splitnn", local=[4], top=[4]), rounds=2),
}  # fmt: skip


@pytest.fixture(scope="module")
def records() -> dict[str, RunRecord]:
    """Return a run of each kind."""
    return {kind: run(experiment) for kind, experiment in EXPERIMENTS.items()}


@pytest.fixture(scope="module")
def sheets(records: dict[str, RunRecord]) -> dict[str, FactSheet]:
    """Return the fact sheet of each."""
    return {kind: facts_of(record) for kind, record in records.items()}


def counted(experiment: Experiment) -> np.ndarray:
    """Count training rows by client and class, one cell at a time."""
    data, owner = data_of(experiment), partition_of(experiment).owner
    return np.array([[sum((owner == k) & (data.y == c) & ~data.held_out) for c in range(len(data.classes))]
                     for k in range(partition_of(experiment).parties)])  # fmt: skip


def variation(x: Any) -> float:
    """Population standard deviation over mean."""
    values = np.asarray(x, float)
    return float(np.sqrt(((values - values.mean()) ** 2).mean()) / values.mean())


def bits(counts: np.ndarray) -> float:
    """Entropy in bits."""
    p = counts[counts > 0] / counts.sum()
    return float(sum(-x * np.log2(x) for x in p))


@pytest.mark.parametrize("kind", ["survey", "digits"])
def test_what_is_said_of_labels(kind: str, sheets: dict[str, FactSheet]) -> None:
    """Class counts, their variation, and the two entropies: whose a row is, and how mixed the clients' labels are."""
    counts, facts = counted(EXPERIMENTS[kind]), sheets[kind]
    holders = (counts > 0).sum(0)
    assert (kind == "digits") == bool((holders < 3).any())  # shards: a digit has one or two clients
    assert facts.get("data", "class_counts") == (tuple(counts.sum(0).tolist()) if kind == "survey" else None)
    assert facts.get("fairness", "class_imbalance") == pytest.approx(variation(counts.sum(0)))
    assert facts.get("privacy", "client_entropy") == pytest.approx(bits(counts.sum(1)) / np.log2(len(counts)))
    own = np.array([bits(row) for row in counts])
    assert facts.get("data", "avg_entropy") == pytest.approx(np.mean((own - own.min()) / (own.max() - own.min())))


def test_what_is_said_of_labels_across_columns(sheets: dict[str, FactSheet]) -> None:
    """One party holds the labels: their counts are its own and stay out; whose a row is, is no question."""
    assert ("data", "class_counts") not in sheets["columns"]
    assert sheets["columns"].get("data", "withheld") == "class counts, which fewer than 3 clients would add up to"
    assert math.isnan(sheets["columns"].get("privacy", "client_entropy"))
    assert math.isnan(sheets["columns"].get("data", "avg_entropy"))
    assert math.isnan(sheets["columns"].get("fairness", "test_acc_cv"))


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_what_is_said_of_accuracy_and_selection(
    kind: str, records: dict[str, RunRecord], sheets: dict[str, FactSheet]
) -> None:
    """Means and variations over clients of the last round, and of how often each was selected in all of them."""
    record, facts = records[kind], sheets[kind]
    accuracy, often = np.array(list(record)[-1].accuracy), sum(played.selected.astype(int) for played in record)
    assert facts.get("performance", "test_acc_avg") == pytest.approx(sum(accuracy) / len(accuracy))
    assert facts.get("performance", "test_loss_avg") == pytest.approx(np.mean(list(record)[-1].loss))
    assert facts.get("performance", "worst_tenth_accuracy") == pytest.approx(min(accuracy))  # a tenth of 6, rounded up
    assert facts.get("performance", "rounds_played") == len(record) == EXPERIMENTS[kind].rounds
    assert facts.get("fairness", "selection_cv") == pytest.approx(variation(often))
    if kind != "columns":
        assert facts.get("fairness", "test_acc_cv") == pytest.approx(variation(accuracy))


def test_what_is_said_of_disparity(records: dict[str, RunRecord], sheets: dict[str, FactSheet]) -> None:
    """Worst client, pool and share above 0.09, from predictions made anew with the last round's parameters."""
    record, facts = records["survey"], sheets["survey"]
    data, owner = data_of(SURVEY), partition_of(SURVEY).owner
    W, b = (part.astype(np.float32) for part in _linear(record))  # as the model computes, so that no row changes sides
    favoured = (data.scaled().X.astype(np.float32) @ W + b).argmax(1) == data.positive
    sex, test = np.asarray(data.sensitive["sex"]), data.held_out & (owner >= 0)

    def gap(rows: np.ndarray) -> float:
        return float(abs(favoured[rows & (sex == "female")].mean() - favoured[rows & (sex == "male")].mean()))

    clients = np.array([gap(test & (owner == k)) for k in range(6)])
    assert facts.get("fairness", "attribute") == "sex"
    assert facts.get("fairness", "worst_disparity") == pytest.approx(clients.max())
    assert facts.get("fairness", "pooled_disparity") == pytest.approx(gap(test))
    assert facts.get("fairness", "share_over") == pytest.approx(sum(clients > 0.09) / 6)
    assert 0 < sum(clients > 0.09) < 6


def _linear(record: RunRecord) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (m, 2) and offsets (2,) of the logistic regression."""
    flat = np.asarray(record.last.state["params"], float)
    return flat[:-2].reshape(-1, 2), flat[-2:]


def test_clever_of_a_linear_model_is_the_distance_to_its_boundary(
    records: dict[str, RunRecord], sheets: dict[str, FactSheet]
) -> None:
    """|z₀ − z₁| / ‖w₀ − w₁‖ for eight held-out rows, at most the radius; the mean and the lowest decile are stated."""
    data, facts = data_of(SURVEY).scaled(), sheets["survey"]
    W, b = _linear(records["survey"])
    rows = stream(SURVEY.seed, "facts", "rows").permutation(np.flatnonzero(data.held_out))[:8]
    z = data.X[rows] @ W + b
    distance = np.minimum(abs(z[:, 0] - z[:, 1]) / np.linalg.norm(W[:, 0] - W[:, 1]), room.CLEVER_RADIUS)
    assert facts.get("robustness", "clever") == pytest.approx(distance.mean(), rel=1e-4)
    assert facts.get("robustness", "clever_low") == pytest.approx(np.quantile(distance, 0.1), rel=1e-4)
    assert facts.get("robustness", "clever_rows") == 8
    assert facts.get("robustness", "clever_radius") == 4.0
    assert facts_of(records["survey"], look_at=3).get("robustness", "clever") == pytest.approx(
        distance[:3].mean(), rel=1e-4
    )


@pytest.mark.parametrize("kind", ["digits", "columns"])
def test_clever_and_importance_are_those_of_the_metrics(
    kind: str, records: dict[str, RunRecord], sheets: dict[str, FactSheet]
) -> None:
    """The measures called directly on the last state and the scaled rows give the stated numbers."""
    record, facts, seed = records[kind], sheets[kind], EXPERIMENTS[kind].seed
    data, trainer, state = data_of(record.experiment).scaled(), build(record.experiment).trainer, record.last.state
    test = stream(seed, "facts", "rows").permutation(np.flatnonzero(data.held_out))
    train = stream(seed, "facts", "background").permutation(np.flatnonzero(~data.held_out))
    looks: dict[str, Any] = {"logits": lambda X: trainer.logits(state, X),
                             "gradient": lambda X, weights: trainer.gradient(state, X, weights)}  # fmt: skip
    scores = metrics.clever(X=data.X[test[:8]], radius=4.0, batches=25, batch_size=25, seed=seed, **looks)
    assert facts.get("robustness", "clever") == pytest.approx(sum(scores) / 8)
    found = metrics.shap_importance(X=data.X[test[:48]], background=data.X[train[:50]], draws=20, seed=seed, **looks)
    assert facts.get("explainability", "feature_importance") == pytest.approx(tuple(found), rel=1e-5)
    assert facts.get("explainability", "feature_importance_cv") == pytest.approx(variation(found), rel=1e-5)


def test_importances_add_up_to_what_the_prediction_moved(records: dict[str, RunRecord]) -> None:
    """For a single row their sum is at least |p(x) − mean p(background)|: nothing that moved it is left out."""
    record, data = records["survey"], data_of(SURVEY).scaled()
    trainer, state = build(SURVEY).trainer, record.last.state
    test = stream(SURVEY.seed, "facts", "rows").permutation(np.flatnonzero(data.held_out))[:48]
    train = stream(SURVEY.seed, "facts", "background").permutation(np.flatnonzero(~data.held_out))[:50]
    here, there = trainer.predict(state, data.X[test]), trainer.predict(state, data.X[train])
    moved = np.abs(here.max(1) - there.mean(0)[here.argmax(1)]).mean()
    stated = facts_of(record).get("explainability", "feature_importance")
    assert len(stated) == data.X.shape[1]
    assert sum(stated) > 0.9 * moved > 0


@pytest.mark.parametrize("kind", ["survey", "private", "digits"])
def test_bytes_and_parameters_of_rows(kind: str, records: dict[str, RunRecord], sheets: dict[str, FactSheet]) -> None:
    """A model of float32 numbers goes down and up once for each client in each round."""
    record, facts = records[kind], sheets[kind]
    parameters = {"survey": 16 * 2 + 2, "private": 16 * 2 + 2, "digits": 64 * 8 + 8 + 8 * 10 + 10}[kind]
    assert facts.get("explainability", "trainable_param_num") == parameters
    assert facts.get("explainability", "tensors") == (4 if kind == "digits" else 2)
    assert facts.get("system", "model_bytes") == 4 * parameters
    sent = 4 * parameters * sum(played.selected.sum() for played in record) / len(build(record.experiment).fed)
    assert facts.get("system", "upload_bytes") == facts.get("system", "download_bytes") == pytest.approx(sent)
    assert facts.get("system", "training_seconds") == pytest.approx(sum(played.seconds for played in record))


def test_bytes_and_parameters_of_columns(records: dict[str, RunRecord], sheets: dict[str, FactSheet]) -> None:
    """Each of two epochs sends every training row's four float32 embeddings up and as many gradients down, between
    each of two passive parties and the first one, which sends to itself for nothing.
    """
    data, facts = data_of(EXPERIMENTS["columns"]), sheets["columns"]
    network = data.X.shape[1] * 4 + 3 * 4 + (3 * 4) * 4 + 4 + 4 * 2 + 2  # three local layers, the top, the output
    assert facts.get("explainability", "trainable_param_num") == network
    assert facts.get("system", "model_bytes") == 4 * network
    epoch = 4 * 4 * int((~data.held_out).sum())
    total = sum(played.bytes_up.sum() for played in records["columns"])
    assert total == 2 * (2 * epoch + 2 * epoch)  # embeddings of parties 2 and 3, and what party 1 returns to them
    assert facts.get("system", "upload_bytes") == facts.get("system", "download_bytes") == pytest.approx(total / 3)


def test_what_is_said_of_privacy(records: dict[str, RunRecord], sheets: dict[str, FactSheet]) -> None:
    """ε holds for the client that gave most: n releases of noise σ are one of σ/√n, whose δ is known exactly."""
    facts, record = sheets["private"], records["private"]
    epsilon, sigma = facts.get("privacy", "epsilon"), facts.get("privacy", "noise_multiplier")
    most = max(sum(played.selected.astype(int) for played in record))
    s = sigma / math.sqrt(most)

    def delta(e: float) -> float:  # Balle and Wang 2018, theorem 8
        def phi(x: float) -> float:
            return 0.5 * math.erfc(-x / math.sqrt(2))

        return phi(0.5 / s - e * s) - math.exp(e) * phi(-0.5 / s - e * s)

    assert delta(epsilon) <= 1e-5 < delta(0.8 * epsilon)
    assert epsilon == record.last.epsilon == pytest.approx(6.0, rel=1e-3)
    stated = [facts.get("privacy", name) for name in ("differential_privacy", "configured_epsilon", "delta", "clip")]
    assert stated == [True, 6.0, 1e-5, 1.0]
    assert facts.get("privacy", "mechanism") == "gaussian"
    assert facts.get("privacy", "level") == "example"
    assert "no amplification by sampling" in facts.get("privacy", "assumption").replace("\n", " ")


def test_without_a_mechanism_there_is_none(sheets: dict[str, FactSheet]) -> None:
    """ε is infinite, and nothing is said of noise."""
    for kind in ("survey", "digits", "columns"):
        assert sheets[kind].get("privacy", "differential_privacy") is False
        assert sheets[kind].get("privacy", "epsilon") == math.inf
        assert ("privacy", "noise_multiplier") not in sheets[kind]


def test_a_mechanism_without_noise_protects_nobody() -> None:
    """Clipping alone has ε = ∞, and the report gives no credit for it."""
    experiment = SURVEY.change(privacy=use("gaussian", epsilon=None, noise=0.0), rounds=1)
    facts = facts_of(run(experiment))
    assert facts.get("privacy", "epsilon") == math.inf
    assert facts.get("privacy", "differential_privacy") is False
    assert facts.get("privacy", "clip") == 1.0
    assert ("privacy", "configured_epsilon") not in facts
    assert assess(facts)["differential_privacy"].score == 0


def test_what_is_said_of_the_configuration(sheets: dict[str, FactSheet]) -> None:
    """Read off the experiment, in the words of the template."""
    facts = sheets["survey"]
    stated = facts.to_dict()
    assert stated["configuration"] == {
        "aggregation_algorithm": "FedAvg", "training_model": "logistic", "personalization": False, "total_round_num": 4,
        "learning_rate": 0.05, "local_update_steps": 1.0, "batch_size": 32, "seed": 3, "topology": "server",
    }  # fmt: skip
    assert stated["project"] == {"overview": "FedAvg on acs_employment, simulated on one machine",
                                 "experiment": SURVEY.key}  # fmt: skip
    assert [stated["participants"][name] for name in ("client_num", "sample_client_rate", "client_selector")] == [
        6, 0.5, "random",
    ]  # fmt: skip
    assert len(set(stated["participants"]["ids"])) == 6
    data = stated["data"]
    assert (data["rows"], data["features"], data["synthetic"]) == (16000, 16, False)
    assert "US Census Bureau" in data["provenance"]
    assert data["preprocessing"] == "standardised by the training rows"
    assert "alpha=0.5" in data["split"]
    assert "parties=6" in data["split"]
    assert sheets["digits"].get("participants", "client_selector") == "all"
    assert sheets["digits"].get("configuration", "local_update_steps") == 2
    assert sheets["columns"].get("configuration", "aggregation_algorithm") == "SplitNN"


def test_no_fact_is_as_long_as_the_data(sheets: dict[str, FactSheet]) -> None:
    """Every list has an entry for each client, class or feature."""
    for kind, facts in sheets.items():
        data, parties = data_of(EXPERIMENTS[kind]), partition_of(EXPERIMENTS[kind]).parties
        for fact in facts:
            if isinstance(fact.value, tuple):
                assert len(fact.value) in (parties, len(data.classes), data.X.shape[1]), (kind, fact.name)
                assert len(fact.value) < len(data.y)


def test_what_a_run_across_columns_cannot_say(sheets: dict[str, FactSheet]) -> None:
    """Missing: the paper has no value for SplitNN, labels are not counted. Undefined: whose a row is, how accuracy
    varies over one model, how clients that all take part are selected.
    """
    report = assess(sheets["columns"])
    assert report.missing == ("class_imbalance", "aggregation_algorithm")
    assert set(report.undefined) == {"entropy", "accuracy_variation", "client_selector"}
    assert assess(sheets["digits"]).missing == ("aggregation_algorithm",)  # nor one for the median
