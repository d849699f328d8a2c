"""One step of each algorithm that cares, by its formulas written out: by hand, by autograd, by differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.horizontal.biased import IMAGES, LINEAR, biased, bound, loss_of
from tests.horizontal.naive_loop import _batches, load, module_of, play, toy
from tests.horizontal.naive_steps import descend, played, present
from trustkit.horizontal import fedavg
from trustkit.horizontal.afl import afl, simplex
from trustkit.horizontal.fairfed import fairfed
from trustkit.horizontal.fedfb import fedfb
from trustkit.horizontal.gifair import gifair, ranked
from trustkit.horizontal.protected import reweights
from trustkit.horizontal.puffle import parity_penalty, puffle
from trustkit.horizontal.qfedavg import qfedavg
from trustkit.rng import stream


def test_a_step_of_qfedavg() -> None:
    """By its formulas, written out client by client: q = 2, L = 1/0.3."""
    trainer = bound(qfedavg, q=2.0)
    w, L = trainer.model.init(4), 1 / 0.3
    top, bottom = np.zeros_like(w), 0.0
    for k in present(trainer, 1):
        F, _ = loss_of(trainer, w, k)
        delta = L * (w - descend(trainer, w, 1, k)[0])
        top += F**2 * delta
        bottom += 2 * F * float(delta @ delta) + L * F**2
    assert np.abs(play(trainer, 1) - (w - top / bottom)).max() <= 1e-12


def test_a_step_of_afl() -> None:
    """The first mean is by rows; then weights move by γ times the losses before training, and are projected."""
    trainer = bound(afl, step_size=0.8)
    w = trainer.model.init(4)
    state, _ = played(trainer, 1)
    assert np.abs(state["params"] - play(bound(fedavg), 1)).max() <= 1e-12
    moved = trainer.train.sizes / trainer.train.sizes.sum() + 0.8 * np.array(
        [loss_of(trainer, w, k)[0] for k in range(5)]
    )
    # five weights that all stay positive: the projection takes the same from each
    assert np.allclose(state["mixture"], moved - (moved.sum() - 1) / 5, atol=1e-12)
    after, _ = trainer.step(state, 2, lambda: None)
    models = [descend(trainer, state["params"], 2, k)[0] for k in range(5)]
    assert np.abs(after["params"] - state["mixture"] @ models).max() <= 1e-12


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_the_projection_is_the_nearest_point(values: list[float]) -> None:
    """In the simplex, and no corner lies on the side of the given point: (x − p)·(e − p) ≤ 0."""
    x = np.array(values)
    p = simplex(x)
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(1)
    assert ((x - p) @ (np.eye(x.size) - p).T <= 1e-9).all()


@pytest.mark.parametrize("measure", ["opportunity", "parity"])
def test_a_step_of_fairfed(measure: Any) -> None:
    """Gaps of the start on each client's training rows, counted one by one; the weights by the rule."""
    trainer = bound(fairfed, beta=0.5, measure=measure)
    w, n = trainer.model.init(4), trainer.train.sizes
    owner = np.repeat(np.arange(5), n)
    predicted = np.concatenate([loss_of(trainer, w, k)[1].argmax(1) for k in range(5)])
    y, man = trainer.train.y, trainer.groups == 1

    def gap(rows: np.ndarray) -> float:
        base = rows & ((y == 1) | (measure == "parity"))
        return float(predicted[base & man].mean() - predicted[base & ~man].mean())

    apart = np.abs(gap(owner >= 0) - np.array([gap(owner == k) for k in range(5)]))
    weights = np.maximum(n / n.sum() - 0.5 * (apart - apart.mean()), 0)
    weights /= weights.sum()
    state, _ = played(trainer, 1)
    assert np.allclose(state["shares"] / n.sum(), weights, atol=1e-12)
    models = [descend(trainer, w, 1, k)[0] for k in range(5)]
    assert np.abs(state["params"] - weights @ models).max() <= 1e-12
    assert np.ptp(state["shares"] / n) > 0.1


def test_where_a_client_has_one_group_fairfed_looks_at_accuracy() -> None:
    """Client 0 without men: its distance is that of its accuracy from the accuracy over all."""
    fed = biased()
    sex = np.where(fed.partition.owner == 0, "f", fed.data.sensitive["sex"])
    trainer = bound(fairfed, replace(fed, data=replace(fed.data, sensitive={"sex": sex})))
    w, n = trainer.model.init(4), trainer.train.sizes
    right = np.concatenate([loss_of(trainer, w, k)[1].argmax(1) for k in range(5)]) == trainer.train.y
    distances = trainer._distances(trainer.start(), np.arange(5))
    assert distances[0] == pytest.approx(abs(right[: n[0]].mean() - right.mean()))


def test_a_step_of_fedfb() -> None:
    """Two groups, of which women have the larger loss among the favoured: λ moves by α/2 from men to women.

    v = n(y)·λ/n(y, a), so that v changes by α·n(y)/(2·n(y, a)), up for one group and down for the other; the sum of λ
    stays 1 without scaling.
    """
    trainer = bound(fedfb, alpha=0.1)
    w, y, sex = trainer.model.init(4), trainer.train.y, trainer.groups
    chances = np.concatenate([loss_of(trainer, w, k)[1] for k in range(5)])
    loss = -np.log(chances[np.arange(y.size), y])
    favoured = [(y == 1) & (sex == a) for a in (0, 1)]
    worse = int(loss[favoured[1]].mean() > loss[favoured[0]].mean())
    state, _ = played(trainer, 1)
    for a in (0, 1):
        move = 0.1 * (y == 1).sum() / (2 * favoured[a].sum()) * (1 if a == worse else -1)
        assert state["emphasis"][1, a] == pytest.approx(1 + move)
    assert (state["emphasis"][0] == 1).all()


def test_fedfb_for_parity_moves_both_labels_against_each_other() -> None:
    """The group that is selected less gets more weight on favourable rows and less on the others."""
    trainer = bound(fedfb, alpha=0.1, measure="parity")
    w = trainer.model.init(4)
    chances = np.concatenate([loss_of(trainer, w, k)[1][:, 1] for k in range(5)])
    rate = [chances[trainer.groups == a].mean() for a in (0, 1)]
    state, _ = played(trainer, 1)
    less = int(rate[1] < rate[0])
    assert state["emphasis"][1, less] > 1 > state["emphasis"][0, less]
    assert state["emphasis"][1, 1 - less] < 1 < state["emphasis"][0, 1 - less]
    mass = (state["emphasis"] * trainer._cells).sum(axis=1)
    assert np.allclose(mass, trainer._cells.sum(axis=1))


@given(st.integers(2, 6), st.integers(0, 1000), st.floats(0, 0.9))
@settings(max_examples=40, deadline=None)
def test_the_ranks_of_gifair_are_a_slope(clients: int, seed: int, strength: float) -> None:
    """Of Σ p_k F_k + λ Σ_{i<j} |L_i − L_j|, by differences; factors stay positive."""
    rng = stream(seed, "gifair")
    loss, sizes, groups = rng.random(clients), rng.integers(1, 50, clients), rng.integers(0, 3, clients)
    kinds, p = np.unique(groups), sizes / sizes.sum()
    if kinds.size < 2:
        assert (ranked(loss, sizes, groups, strength) == 1).all()
        return
    members = np.array([(groups == g).sum() for g in groups])
    weight = strength * (p * members).min() / (kinds.size - 1)

    def objective(F: np.ndarray) -> float:
        L = [F[groups == g].mean() for g in kinds]
        return float(p @ F + weight * sum(abs(a - b) for i, a in enumerate(L) for b in L[:i]))

    factors = ranked(loss, sizes, groups, strength)
    assert (factors > 0).all()
    for k in range(clients):
        step = 1e-7 * np.eye(clients)[k]
        slope = (objective(loss + step) - objective(loss - step)) / 2e-7
        assert slope == pytest.approx(p[k] * factors[k], abs=1e-5)


def test_a_step_of_gifair() -> None:
    """Each client's gradient is taken times its factor."""
    trainer = bound(gifair, strength=0.5)
    w, n = trainer.model.init(4), trainer.train.sizes
    loss = np.array([loss_of(trainer, w, k)[0] for k in range(5)])
    factors = ranked(loss, n, np.arange(5), 0.5)
    models = [
        descend(replace(trainer, local=replace(trainer.local, lr=0.3 * factors[k])), w, 1, k)[0] for k in range(5)
    ]
    assert np.abs(play(trainer, 1) - n @ models / n.sum()).max() <= 1e-12


def plain_penalty(logits: torch.Tensor, codes: np.ndarray) -> torch.Tensor:
    """Return PUFFLE's gap by its definition, group by group and class by class."""
    chances = torch.softmax(logits, 1)
    gaps = []
    for z in np.unique(codes[codes >= 0]):
        inside, outside = torch.tensor(codes == z), torch.tensor((codes >= 0) & (codes != z))
        if inside.any() and outside.any():
            for c in range(logits.shape[1]):
                soft = chances[:, c] * (chances.argmax(1) == c)
                gaps.append((soft[inside].mean() - soft[outside].mean()).abs())
    return torch.stack(gaps).max()


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_the_penalty_and_its_slope_are_those_of_autograd(seed: int, groups: int, classes: int) -> None:
    """For several groups and classes, rows of unknown group among them."""
    rng = stream(seed, "penalty")
    codes = np.concatenate([[0, 1], rng.integers(-1, groups, 10)])
    logits = torch.tensor(rng.standard_normal((12, classes)), requires_grad=True)
    gap = plain_penalty(logits, codes)
    (slope,) = torch.autograd.grad(gap, logits)
    found, bent = parity_penalty(torch.softmax(logits, 1).detach().numpy()[None], codes[None], groups)
    assert found[0] == pytest.approx(gap.item())
    assert np.abs(bent[0] - slope.numpy()).max() <= 1e-12


def test_a_batch_of_one_group_has_no_penalty() -> None:
    """Not defined, and no slope."""
    gap, slope = parity_penalty(np.array([[[0.3, 0.7]] * 3]), np.array([[1, 1, -1]]), 2)
    assert np.isnan(gap).all()
    assert not slope.any()


@pytest.mark.parametrize("target", [None, 0.05])
@pytest.mark.parametrize("images", [False, True])
def test_puffle_agrees_with_the_plain_loop(images: bool, target: float | None) -> None:
    """Two rounds by autograd on (1 − λ)·F + λ·D, each client tuning its own λ step by step."""
    fed, model = (toy(3, 36, 64, image=(1, 8, 8)), IMAGES) if images else (biased(), LINEAR)
    trainer: Any = puffle(fed, model, None, 1.0, 2, lr=0.2, batch=8, weight=0.4, target=target, seed=2)
    w, n = trainer.model.init(2), trainer.train.sizes
    clients = [int(k) for k in np.flatnonzero(n)]
    tuned = {k: [0.4, 0.0] for k in clients}
    for index in (1, 2):
        models = []
        for k in clients:
            here = w.copy()
            for rows in _batches(trainer, index, k):
                module = module_of(model)
                load(model, module, here)
                logits = module(torch.tensor(trainer.train.X[rows]))
                loss = torch.nn.functional.cross_entropy(logits, torch.tensor(trainer.train.y[rows]))
                codes, (lam, speed) = trainer.groups[rows], tuned[k]
                total = (1 - lam) * loss
                if np.unique(codes).size > 1:
                    gap = plain_penalty(logits, codes)
                    total = total + lam * gap
                    if target is not None:
                        speed = 0.5 * speed + target - gap.item()
                        tuned[k] = [min(1.0, max(0.0, lam - 0.05 * 0.95 ** (index - 1) * speed)), speed]
                grads = torch.autograd.grad(total, list(module.parameters()))
                parts = [g.T if g.dim() == 2 and not images else g for g in grads]
                here = here - 0.2 * np.concatenate([part.contiguous().numpy().ravel() for part in parts])
            models.append(here)
        w = n[clients] @ np.array(models) / n.sum()
    state, _ = played(trainer, 2)
    assert np.abs(state["params"] - w).max() <= 1e-9
    assert np.allclose(state["weight"][clients], [tuned[k][0] for k in clients])


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_reweighed_rows_are_independent(seed: int) -> None:
    """In every client with all four cells, weighted shares of group and class multiply to the share of the cell."""
    rng = stream(seed, "reweights")
    y, a, owner = (rng.integers(0, 2, 60), rng.integers(-1, 2, 60), rng.integers(0, 2, 60))
    v = reweights(y, a, owner)
    assert (v[a < 0] == 1).all()
    for k in (0, 1):
        own = (owner == k) & (a >= 0)
        table = np.array([[v[own & (a == g) & (y == c)].sum() for c in (0, 1)] for g in (0, 1)])
        if all((own & (a == g) & (y == c)).any() for c in (0, 1) for g in (0, 1)):
            assert np.allclose(table, np.outer(table.sum(1), table.sum(0)) / own.sum())
            assert table.sum() == pytest.approx(own.sum())


def test_weights_by_hand() -> None:
    """Of 6 rows, 4 of women, 2 favoured (one of each): P(f)·P(1)/P(f, 1) = (4/6)(2/6)/(1/6) = 4/3, and so on."""
    y, a = np.array([1, 0, 0, 0, 1, 0]), np.array([0, 0, 0, 0, 1, 1])
    assert np.allclose(reweights(y, a, np.zeros(6, int)), [4 / 3, 8 / 9, 8 / 9, 8 / 9, 2 / 3, 4 / 3])
