"""Algorithms that care: where they are FedAvg, which way they go, what sums and noise allow, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.horizontal.biased import IMAGES, LINEAR, biased, bound, independent, loss_of
from tests.horizontal.naive_loop import play, toy
from tests.horizontal.naive_steps import descend, played, present
from trustkit.horizontal import Dense, RowTrainer, ditto, fedavg, fedprox, gaussian
from trustkit.horizontal.afl import afl
from trustkit.horizontal.binding import equip
from trustkit.horizontal.fairfed import fairfed
from trustkit.horizontal.fedfb import fedfb
from trustkit.horizontal.gifair import gifair
from trustkit.horizontal.protected import protected
from trustkit.horizontal.puffle import puffle
from trustkit.horizontal.qfedavg import qfedavg
from trustkit.horizontal.reweighing import reweighing
from trustkit.metrics.groups import disparity_from_counts, opportunity_from_counts

GROUPED = [fairfed, fedfb, puffle, reweighing]


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize(
    ("function", "more"),
    [
        (fedprox, {"mu": 0.0}),
        (fairfed, {"beta": 0.0}),
        (fedfb, {"alpha": 0.0}),
        (fedfb, {"alpha": 0.0, "measure": "parity"}),
        (puffle, {"weight": 0.0}),
        (gifair, {"strength": 0.0}),
        (gifair, {"strength": 0.0, "by": "attribute"}),
        (ditto, {}),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_without_its_term_it_is_fedavg(function: Any, more: dict[str, Any], share: float) -> None:
    """To the last bit, whoever takes part."""
    assert np.array_equal(play(bound(function, share=share, **more), 4), play(bound(fedavg, share=share), 4))


def test_agnostic_weights_that_stay_are_fedavg() -> None:
    """γ = 0 keeps the shares of the rows, up to the rounding of a division."""
    state, _ = played(bound(afl, step_size=0.0), 4)
    assert np.abs(state["params"] - play(bound(fedavg), 4)).max() <= 1e-12
    sizes = bound(afl).train.sizes
    assert np.allclose(state["mixture"], sizes / sizes.sum(), rtol=0, atol=1e-15)


def test_q_of_zero_is_the_even_mean() -> None:
    """Of clients of one size FedAvg, of others the mean of their models, each counted once."""
    fed = biased(even=True)
    assert np.abs(play(bound(qfedavg, fed, q=0.0), 4) - play(bound(fedavg, fed), 4)).max() <= 1e-12
    trainer = bound(qfedavg, q=0.0)
    start = trainer.model.init(4)
    models = [descend(trainer, start, 1, k)[0] for k in present(trainer, 1)]
    assert np.abs(play(trainer, 1) - np.mean(models, axis=0)).max() <= 1e-12


def test_reweighing_what_is_independent_is_fedavg() -> None:
    """All weights are exactly 1."""
    fed = independent()
    trainer = bound(reweighing, fed)
    assert (trainer._reweights == 1).all()
    assert np.array_equal(play(trainer, 3), play(bound(fedavg, fed), 3))
    assert not np.array_equal(play(bound(reweighing), 3), play(bound(fedavg), 3))


def test_a_penalty_of_weight_zero_is_fedavg_on_images() -> None:
    """The client loop, whose bent loss is another sum of the same."""
    fed = toy(clients=3, rows=36, features=64, image=(1, 8, 8))
    plain = play(fedavg(fed, IMAGES, None, 1.0, 2, lr=0.2, batch=8), 2)
    bent = play(puffle(fed, IMAGES, None, 1.0, 2, lr=0.2, batch=8, weight=0.0), 2)
    assert np.abs(plain - bent).max() <= 1e-12


def test_gifair_groups_clients_by_their_most_frequent_value() -> None:
    """Where most training rows are a woman's, or a man's; no value at all is a group of its own."""
    fed = biased()
    sex = np.where(fed.partition.owner < 2, 1.0, 2.0)
    sex[fed.partition.owner == 4] = np.nan
    trainer = bound(gifair, replace(fed, data=replace(fed.data, sensitive={"sex": sex})), by="attribute")
    assert trainer.kinds.tolist() == [0, 0, 1, 1, 2]


def gaps(trainer: RowTrainer, rounds: int = 12) -> tuple[float, float, np.ndarray]:
    """Return pooled disparity and opportunity gap on the test rows, and the clients' losses on them."""
    _, seen = played(trainer, rounds)
    counts = seen.groups["sex"].sum(0)
    return float(disparity_from_counts(counts)), float(opportunity_from_counts(counts)), seen.loss


def test_those_for_parity_bring_it_nearer() -> None:
    """On clients of which each favours men more than the one before it."""
    fed = biased(rows=160)
    parity, _, _ = gaps(bound(fedavg, fed))
    assert parity > 0.25
    assert gaps(bound(reweighing, fed))[0] < parity - 0.1
    assert gaps(bound(puffle, fed, weight=0.7))[0] < parity - 0.1
    assert gaps(bound(fedfb, fed, alpha=0.2, measure="parity"))[0] < parity - 0.1


def test_those_for_even_losses_bring_them_together() -> None:
    """The worst client of AFL loses less, and the losses of q-FedAvg and GIFAIR lie nearer to each other."""
    fed = biased(rows=160)
    loss = gaps(bound(fedavg, fed), 40)[2]
    assert gaps(bound(afl, fed, step_size=0.5), 40)[2].max() < loss.max() - 0.01
    assert np.ptp(gaps(bound(qfedavg, fed, q=5.0), 40)[2]) < np.ptp(loss) - 0.005
    assert np.ptp(gaps(bound(gifair, fed, strength=0.9), 40)[2]) < np.ptp(loss) - 0.005


def test_fedfb_brings_the_losses_of_the_favoured_together() -> None:
    """Of women and of men in all training rows whose label is favourable."""

    def apart(trainer: RowTrainer) -> float:
        state, _ = played(trainer, 12)
        chances = np.concatenate([loss_of(trainer, state["params"], k)[1][:, 1] for k in range(5)])
        woman = protected(fed, "").codes[trainer.train.rows] == 0
        loss, favoured = -np.log(chances), trainer.train.y == 1
        return float(loss[favoured & woman].mean() - loss[favoured & ~woman].mean())

    fed = biased(rows=160)
    assert abs(apart(bound(fedfb, fed, alpha=0.05))) < 0.5 * apart(bound(fedavg, fed))


def test_fairfed_leaves_the_outlier_behind() -> None:
    """Only the last client favours men: it keeps a third of its weight, and the pooled gap becomes smaller."""
    fed = biased(rows=160, only_last=True, even=True)
    trainer = bound(fairfed, fed, beta=0.3, measure="parity")
    state, _ = played(trainer, 12)
    assert state["shares"][-1] < 0.6 * trainer.train.sizes[-1]
    assert gaps(trainer)[0] < gaps(bound(fedavg, fed))[0] - 0.03


def test_puffle_tunes_its_weight_client_by_client() -> None:
    """From 0 up where the gap is above the target, while the first client, whose gap is below it, keeps 0."""
    fed = biased(rows=160)
    trainer = puffle(fed, LINEAR, None, 1.0, 30, lr=0.3, epochs=3, batch=60, weight=0.0, target=0.15, step_size=0.1,
                     seed=4)  # fmt: skip
    state, _ = played(trainer, 30)
    assert state["weight"][0] == 0
    assert (state["weight"][1:] > 0.2).all()
    assert gaps(trainer, 30)[0] < gaps(bound(fedavg, fed))[0] - 0.1


@pytest.mark.parametrize("function", [qfedavg, fairfed, fedfb, puffle, reweighing])
def test_sums_are_enough(function: Any) -> None:
    """The same model up to the digits of a word."""
    plain, hidden = play(bound(function), 3), play(equip(bound(function), "it", secure=True), 3)
    assert np.abs(plain - hidden).max() <= 1e-7


@pytest.mark.parametrize(
    ("function", "why"),
    [(afl, "its server looks at each client's loss"), (gifair, "its server ranks the clients' losses")],
)
def test_sums_are_not_enough(function: Any, why: str) -> None:
    """And the sentence says why."""
    with pytest.raises(ValueError, match=f"^it must run without secure sums, because {why}, got secure=True$"):
        equip(bound(function), "it", secure=True)


@pytest.mark.parametrize("function", [qfedavg, afl, gifair, fairfed, fedfb])
@pytest.mark.parametrize("level", ["example", "client"])
def test_what_is_sent_without_noise_has_no_epsilon(function: Any, level: Any) -> None:
    """Losses and counts of rows."""
    with pytest.raises(ValueError, match=f"must run without {level}-level privacy, because its clients send losses or"):
        bound(function, privacy=gaussian(level=level))


@pytest.mark.parametrize(
    ("function", "why"), [(puffle, "its loss couples the rows"), (reweighing, "what a row counts")]
)
def test_clients_can_be_protected_where_only_models_are_sent(function: Any, why: str) -> None:
    """With noise on the mean; single rows cannot, for what one row changes is not bounded by its gradient."""
    noisy = bound(function, privacy=gaussian(level="client", epsilon=None, noise=2.0))
    state, seen = played(noisy, 6)
    assert 0 < seen.epsilon < 50
    assert not np.allclose(state["params"], play(bound(function), 6), atol=0.1)
    with pytest.raises(ValueError, match=f"must run without example-level privacy, because {why}"):
        bound(function, privacy=gaussian(level="example"))


@pytest.mark.parametrize("function", GROUPED)
def test_an_attribute_is_needed(function: Any) -> None:
    """One sentence says which there are, or that there is none, or that it tells no groups apart."""
    fed = biased()
    bare = replace(fed, data=replace(fed.data, sensitive={}))
    with pytest.raises(ValueError, match=r"^data must have a protected attribute for this algorithm, got biased with"):
        bound(function, bare)
    with pytest.raises(ValueError, match=r"^attribute must be one of sex, got 'race'$"):
        bound(function, attribute="race")
    one = replace(fed, data=replace(fed.data, sensitive={"sex": np.full(fed.data.y.size, "f")}))
    with pytest.raises(ValueError, match=r"^sex must have at least two values, got f$"):
        bound(function, one)


def test_fairfed_compares_one_value_with_all_others() -> None:
    """Of two the first by default; of more it must be said."""
    fed = biased()
    race = np.array(["a", "b", "c"])[np.arange(fed.data.y.size) % 3]
    three = replace(fed, data=replace(fed.data, sensitive={"race": race}))
    with pytest.raises(ValueError, match=r"^group must be one of a, b, c, got ''$"):
        bound(fairfed, three)
    with pytest.raises(ValueError, match=r"^group must be one of f, m, got 'x'$"):
        bound(fairfed, group="x")
    assert bound(fairfed, three, group="c").group == 2
    # both groups of two give gaps of opposite sign and the same distances
    assert np.array_equal(play(bound(fairfed, group="f"), 3), play(bound(fairfed, group="m"), 3))


@pytest.mark.parametrize("function", GROUPED)
def test_rows_of_unknown_group_are_in_no_group(function: Any) -> None:
    """They train with weight 1, and the gaps are those of the others."""
    fed = biased()
    sex = np.where(fed.data.sensitive["sex"] == "f", 1.0, 2.0)
    sex[::5] = np.nan
    holes = replace(fed, data=replace(fed.data, sensitive={"sex": sex}))
    assert protected(holes, "").values == ("1.0", "2.0")
    trainer = bound(function, holes)
    assert (trainer.groups == -1).sum() > 20
    params = play(trainer, 2)
    assert np.isfinite(params).all()
    assert not np.array_equal(params, play(bound(function), 2))


@pytest.mark.parametrize("function", GROUPED)
def test_many_classes_are_the_favourable_one_against_all_others(function: Any) -> None:
    """Three classes and clients without rows: it plays, and differs from FedAvg."""
    fed = toy(4, 90)
    params = play(function(fed, Dense((5, 3), "float64"), None, 1.0, 3, lr=0.3, batch=8), 3)
    assert np.isfinite(params).all()
    assert not np.array_equal(params, play(fedavg(fed, Dense((5, 3), "float64"), None, 1.0, 3, lr=0.3, batch=8), 3))
