"""What clients brought, and what the run gives away of their rows: against trainings, tables and formulas by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import f1_score, log_loss

from tests.examination.test_examination_attacks import crafted, trainer_of
from trustkit.catalogue import ALGORITHMS, DATASETS, MODELS, Entry, use
from trustkit.data import Dataset, FederatedDataset, Partition, Provenance
from trustkit.examination import examine
from trustkit.examination.contributed import _values
from trustkit.examination.subject import Subject
from trustkit.experiment import Experiment
from trustkit.metrics.fairness import discrimination_from_counts, discrimination_index
from trustkit.records import Round, RunRecord
from trustkit.rng import stream
from trustkit.rounds import build, data_of, partition_of, run

SMALL = Experiment("breast_cancer", use("dirichlet", parties=4, alpha=1.0), use("fedavg", lr=0.05), "logistic",
                   rounds=1, seed=3)  # fmt: skip
SURVEY = Experiment("acs_employment", use("dirichlet", parties=6, alpha=0.5), use("fedavg", lr=0.05), "logistic",
                    rounds=2, participation=0.5, seed=3)  # fmt: skip


@pytest.fixture(scope="module")
def survey() -> RunRecord:
    """Return a run on data with protected attributes."""
    return run(SURVEY)


def subject_of(record: RunRecord) -> Subject:
    """Return a run under examination, on all held-out rows."""
    return Subject(record, build(record.experiment), 10**6, 0, 0.2, 0.1)


def test_what_secure_sums_hide_is_taken_outside_of_the_server() -> None:
    """Single updates that no server could see: their measures say so, others and those of a plain run do not."""
    single, words = ["data_quality", "contributions", "leakage"], "; taken by the simulator from single updates"
    found = examine(run(SMALL.change(secure=True)), measures=[*single, "membership"])
    assert not found.skipped
    assert all(words in found.remarks[name] for name in single)
    assert words not in found.remarks.get("membership", "")
    assert not any(words in each for each in examine(run(SMALL), measures=single).remarks.values())


def server_loss(experiment: Experiment, state: Any) -> float:
    """Mean cross-entropy on all held-out rows, by scikit-learn."""
    data = build(experiment).fed.data
    chances = np.asarray(trainer_of(experiment).predict(state, data.X[data.held_out]), float)
    return float(log_loss(data.y[data.held_out], chances / chances.sum(1, keepdims=True), labels=[0, 1]))


def retrained(experiment: Experiment, who: tuple[int, ...]) -> float:
    """Train with these clients only, the rows of all others taken away, and return the loss."""
    fed = build(experiment).fed
    if not who:
        return server_loss(experiment, trainer_of(experiment).start())
    owner = np.where(np.isin(fed.partition.owner, who) | fed.data.held_out, fed.partition.owner, -1)
    left = FederatedDataset(fed.data, Partition("rows", owner, len(fed), use("by hand"), {}))
    model = MODELS.call(use("logistic"), fed.data)
    trainer = ALGORITHMS.call(experiment.algorithm, left, model, None, 1.0, 1, seed=experiment.seed)
    return server_loss(experiment, trainer.step(trainer.start(), 1, lambda: None)[0])


def test_contributions_are_those_of_retrained_coalitions() -> None:
    """One round: every coalition is trained from scratch, every order of the four clients walked through."""
    record = run(SMALL)
    found = examine(record, measures=["contributions", "data_quality"], rows=10**6)
    loss = {who: retrained(SMALL, who) for n in range(5) for who in itertools.combinations(range(4), n)}
    brought = np.zeros(4)
    for order in itertools.permutations(range(4)):
        for place, k in enumerate(order):
            brought[k] += loss[tuple(sorted(order[:place]))] - loss[tuple(sorted(order[: place + 1]))]
    by_client, _ = _values(subject_of(record), lambda done: None)
    assert by_client == pytest.approx(brought / 24, abs=1e-5)
    assert found["fairness/contributions"] == pytest.approx(np.sort(brought / 24), abs=1e-5)  # tells of nobody
    assert np.argsort(brought).tolist() != [0, 1, 2, 3]
    assert sum(found["fairness/contributions"]) == pytest.approx(loss[()] - loss[0, 1, 2, 3], abs=1e-5)
    kept = np.sort(np.maximum(brought, 0))
    gini = abs(kept[:, None] - kept).sum() / (2 * 16 * kept.mean())
    assert found["fairness/contribution_gini"] == pytest.approx(gini, abs=1e-4)
    assert found["robustness/data_quality"] == np.mean([loss[k,] < loss[()] for k in range(4)])
    assert found.remarks["contributions"] == "exact Shapley values of 4 clients over 1 of 1 rounds"


@pytest.mark.parametrize(
    ("parties", "how"), [(3, "exact Shapley values of 3 clients over 3 of 3"), (9, "exact Shapley values of 9 clients"),
                         (14, "federated Shapley values by round over 3 of 3")],
)  # fmt: skip
def test_contributions_add_up(parties: int, how: str) -> None:
    """All take part: what the clients brought is what the training brought, v(N) − v(∅)."""
    experiment = SMALL.change(split__parties=parties, rounds=3)
    record = run(experiment)
    found = examine(record, measures=["contributions"], rows=10**6)
    gained = server_loss(experiment, trainer_of(experiment).start()) - server_loss(experiment, record.last.state)
    assert sum(found["fairness/contributions"]) == pytest.approx(gained, abs=1e-4)
    assert found.remarks["contributions"].startswith(how)


def test_whoever_was_selected_the_few_are_all_counted() -> None:
    """Half of four clients train in a round; all four are valued, exactly. Of nine, the gaps are filled in."""
    found = examine(run(SMALL.change(participation=0.5, rounds=2)), measures=["contributions"])
    assert np.count_nonzero(found["fairness/contributions"]) == 4
    assert found.remarks["contributions"].startswith("exact")
    found = examine(run(SMALL.change(split__parties=9, participation=0.4, rounds=4)), measures=["contributions"])
    assert np.count_nonzero(found["fairness/contributions"]) == 9
    assert found.remarks["contributions"].startswith("completed")


def test_of_many_clients_who_was_never_there_gets_nothing() -> None:
    """Fourteen clients, two a round: the others' values are 0, and the sum is what these rounds brought."""
    experiment = SMALL.change(split__parties=14, participation=0.15, rounds=3)
    record = run(experiment)
    found = examine(record, measures=["contributions"], rows=10**6)
    by_client, _ = _values(subject_of(record), lambda done: None)
    assert ((by_client != 0) == record.selected.any(0)).all()
    assert np.count_nonzero(found["fairness/contributions"]) == record.selected.any(0).sum()
    gained = server_loss(experiment, trainer_of(experiment).start()) - server_loss(experiment, record.last.state)
    assert sum(found["fairness/contributions"]) == pytest.approx(gained, abs=1e-4)


def noise_data(n: int = 160, m: int = 400) -> Dataset:
    """Labels that no feature explains, and more features than rows: whatever is learnt is learnt by heart."""
    rng = stream(0, "noise data")
    X, y = rng.standard_normal((n, m)), rng.integers(0, 2, n)
    return Dataset("noise_by_hand", X, y, tuple(f"x{j}" for j in range(m)), ("no", "yes"), Provenance("made up", "CC0"),
                   held_out=np.arange(n) % 2 == 0)  # fmt: skip


@pytest.fixture
def by_heart() -> Iterator[Experiment]:
    """Return an experiment on such data, which this test enters and takes back."""
    DATASETS.replace(Entry("noise_by_hand", noise_data, "Noise"))
    yield Experiment("noise_by_hand", use("iid", parties=2), use("fedavg", lr=0.5, epochs=20), "logistic", rounds=5)
    DATASETS._entries.pop("noise_by_hand")


def test_membership_of_what_is_learnt_by_heart(by_heart: Experiment) -> None:
    """Every row is given away, and the bound grows with it; a model that learnt nothing gives none away."""
    found = examine(run(by_heart), measures=["membership"])
    assert found["privacy/membership_auc"] > 0.9
    assert found["privacy/membership_tpr"] > 0.1
    assert found["privacy/empirical_epsilon"] > 0.5
    assert found["privacy/membership_fpr"] == 0.01
    assert found.remarks["membership"].endswith("refutes nothing, as no ε is claimed")
    start = trainer_of(by_heart).start()["params"]
    untouched = examine(crafted(by_heart, start), measures=["membership"])
    assert untouched["privacy/membership_auc"] == pytest.approx(0.5, abs=0.12)  # two standard errors of 80 rows each
    assert untouched["privacy/empirical_epsilon"] < 0.5


def test_a_claim_that_is_false_is_refuted(by_heart: Experiment) -> None:
    """A run that gives rows away, said to have ε = 0.1."""
    record = run(by_heart)
    claimed = Round(5, record.last.state, replace(record.last.seen, epsilon=0.1), 0.0)
    found = examine(RunRecord(by_heart, [*list(record)[:-1], claimed]), measures=["membership"])
    assert found.remarks["membership"].endswith("which refutes the claimed ε = 0.1")


def test_leakage_falls_with_noise() -> None:
    """Nothing is left in updates that drown in noise; without noise much is, and no bound is known."""
    plain, noisy = (
        examine(run(SMALL.change(privacy=privacy)), measures=["leakage"])
        for privacy in (None, use("gaussian", epsilon=None, noise=50.0))
    )
    assert plain["privacy/leakage_estimate"] > 0.3
    assert plain["privacy/leakage_estimate"] == max(plain["privacy/leakage_by_round"])
    assert plain["privacy/leakage_share"] == pytest.approx(plain["privacy/leakage_estimate"] / math.log(300))
    assert "privacy/leakage_bound" not in plain
    assert noisy["privacy/leakage_estimate"] < 0.1
    assert noisy["privacy/leakage_bound"] == pytest.approx(62 / 2 * math.log(1 + 1 / (62 * 50**2)))
    assert noisy.remarks["leakage"].endswith("the bound is for one row")


def test_leakage_is_looked_at_early_midway_and_late() -> None:
    """The start leaks as the start of any run of the same seed, the end as the end of a run that stopped there."""
    long, short = (examine(run(SMALL.change(rounds=rounds)), measures=["leakage"]) for rounds in (4, 2))
    first, middle, last = long["privacy/leakage_by_round"]
    assert long.remarks["leakage"].endswith("after 0 and 2 and 4 rounds")
    assert short["privacy/leakage_by_round"][0] == first
    assert short["privacy/leakage_by_round"][-1] == pytest.approx(middle, rel=1e-6)
    assert last != middle
    single = examine(run(SMALL.change(rounds=1)), measures=["leakage"])
    assert len(single["privacy/leakage_by_round"]) == 2


def test_the_bound_counts_releases() -> None:
    """A row's gradient goes out once an epoch, a client's update once a round, whatever the clipping norm."""
    rows = use("gaussian", epsilon=None, noise=2.0, clip=5.0)
    clients = use("gaussian", level="client", epsilon=None, noise=2.0, clip=5.0)
    once = 62 / 2 * math.log(1 + 1 / (62 * 4))
    for privacy, releases in ((rows, 3), (clients, 1)):
        found = examine(run(SMALL.change(privacy=privacy, algorithm__epochs=3)), measures=["leakage"])
        assert found["privacy/leakage_bound"] == pytest.approx(releases * once)


@pytest.mark.parametrize("quasi", [("sex",), ("sex", "race5"), ("sex", "SCHL", "MAR")])
def test_anonymity_by_pandas(quasi: tuple[str, ...], survey: RunRecord) -> None:
    """Smallest group, and fewest labels in a group, of any client's table."""
    data, owner = data_of(SURVEY), partition_of(SURVEY).owner
    table = pd.DataFrame(data.X, columns=list(data.columns)).assign(**data.sensitive, label=data.y, client=owner)
    groups = table[table.client >= 0].groupby(["client", *quasi], observed=True).label
    found = examine(survey, measures=["anonymity"], quasi=quasi)
    assert found["privacy/k_anonymity"] == groups.size().min()
    assert found["privacy/l_diversity"] == groups.nunique().min()
    assert found["privacy/quasi_identifiers"] == list(quasi)
    assert "anonymity" not in found.remarks


def test_quasi_identifiers_that_nobody_named(survey: RunRecord) -> None:
    """The protected attributes, and the columns with 2 to 10 values; pixels are none."""
    data = data_of(SURVEY)
    few = [name for name in data.columns if 2 <= pd.Series(data.X[:, data.columns.index(name)]).nunique() <= 10]
    found = examine(survey, measures=["anonymity"])
    assert found["privacy/quasi_identifiers"] == [*data.sensitive, *few]
    assert found.remarks["anonymity"].startswith("the quasi-identifiers are a guess")
    digits = Experiment("digits", use("iid", parties=2), "fedavg", "logistic", rounds=1)
    assert examine(run(digits), measures=["anonymity"]).skipped["anonymity"].startswith("pixels")


def test_discrimination_by_scikit_learn(survey: RunRecord) -> None:
    """F1 of each group with 30 rows minus F1 of the rest, over all clients' test rows; the largest in size."""
    data, owner = data_of(SURVEY), partition_of(SURVEY).owner
    test = data.held_out & (owner >= 0)
    said, y = trainer_of(SURVEY).predict(survey.last.state, build(SURVEY).fed.data.X[test]).argmax(1), data.y[test]
    gaps = {}
    for attribute in data.sensitive:
        values = np.asarray(data.sensitive[attribute])[test]
        for value in np.unique(values):
            inside = values == value
            if inside.sum() >= 30:
                gaps[attribute, value] = f1_score(y[inside], said[inside]) - f1_score(y[~inside], said[~inside])
    worst = max(gaps, key=lambda group: abs(gaps[group]))
    found = examine(survey, measures=["discrimination"])
    assert found["fairness/discrimination_index"] == pytest.approx(gaps[worst])
    assert found.remarks["discrimination"].startswith(f"{worst[0]} {worst[1]}: {gaps[worst]:+.2f}")


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 40), st.integers(1, 4))
def test_discrimination_from_counts_is_that_of_rows(draw: st.DataObject, n: int, groups: int) -> None:
    """One group after the other against the rest, NaN where an F1 score is not defined."""
    said, y = (draw.draw(arrays(int, n, elements=st.integers(0, 1))) for _ in range(2))
    group = draw.draw(arrays(int, n, elements=st.integers(0, groups - 1)))
    counts = np.zeros((groups, 2, 2), int)
    np.add.at(counts, (group, y, said), 1)
    expected = [discrimination_index(said, y, group == g) for g in range(groups)]
    assert discrimination_from_counts(counts) == pytest.approx(np.array(expected), nan_ok=True)
    least = [value if (group == g).sum() >= 5 else math.nan for g, value in enumerate(expected)]
    assert discrimination_from_counts(counts, 5) == pytest.approx(np.array(least), nan_ok=True)


def test_discrimination_needs_counts() -> None:
    """A table of another shape is refused."""
    with pytest.raises(ValueError, match=r"counts must be \(…, G, 2, 2\), got shape \(2, 2\)"):
        discrimination_from_counts(np.ones((2, 2)))


def test_a_tree_repeats_what_a_tree_can_say() -> None:
    """A model that looks at one column is one split; a model that always says the same is one leaf."""
    W = np.zeros((30, 2))
    W[4] = -1.0, 1.0
    split = examine(crafted(SMALL, np.concatenate([W.ravel(), [0, 0]])), measures=["surrogate"])
    assert split["explainability/surrogate_leaves"] == 2
    assert split["explainability/surrogate_fidelity"] > 0.98  # rows between the last two on either side of the split
    same = examine(crafted(SMALL, np.zeros(62)), measures=["surrogate"])
    assert (same["explainability/surrogate_leaves"], same["explainability/surrogate_fidelity"]) == (1, 1.0)
    assert same.remarks["surrogate"] == "the commonest answer alone agrees on 100%"
