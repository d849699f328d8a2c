"""Accounting against closed forms and an independent composition; calibration; what the noise really is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from tests.horizontal.naive_loop import never, play, toy
from trustkit.catalogue import PRIVACY, use
from trustkit.horizontal import Dense, RowTrainer, fedavg, fedmedian, gaussian
from trustkit.horizontal.accountant import _PLAIN, _SAMPLED, epsilon_of, noise_for
from trustkit.horizontal.noise import add_gaussian, privatise
from trustkit.horizontal.plan import participations, select
from trustkit.rng import stream

MODEL = Dense((5, 3))
ALPHAS = np.concatenate([1 + np.arange(1, 100) / 10, np.arange(11, 64), [128, 256, 512, 1024]])


def convert(alphas: np.ndarray, divergences: np.ndarray, delta: float) -> float:
    """Turn a Rényi curve into ε: D + ln((α−1)/α) − (ln δ + ln α)/(α−1), at the best α."""
    bounds = divergences + np.log1p(-1 / alphas) - (math.log(delta) + np.log(alphas)) / (alphas - 1)
    return float(max(0.0, bounds.min()))


@pytest.mark.parametrize(("noise", "releases", "delta"), [(5.0, 10, 1e-5), (1.0, 1, 1e-6), (20.0, 400, 1e-5)])
def test_epsilon_is_the_closed_form(noise: float, releases: int, delta: float) -> None:
    """T releases of the Gaussian mechanism have divergence T·α/(2σ²) at order α."""
    expected = convert(ALPHAS, releases * ALPHAS / (2 * noise**2), delta)
    assert epsilon_of(noise, 1.0, releases, delta) == pytest.approx(expected, rel=1e-9)


def test_epsilon_is_above_the_exact_one() -> None:
    """T releases are one with σ/√T, whose δ(ε) Balle and Wang (2018) give exactly; Rényi accounting bounds it."""
    noise, releases, delta = 5.0, 10, 1e-5
    epsilon, mu = epsilon_of(noise, 1.0, releases, delta), math.sqrt(releases) / noise
    normal = stats.norm.cdf
    exact = normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu)
    assert 0.1 * delta < exact < delta


@pytest.mark.parametrize(("noise", "rate", "releases"), [(1.3, 0.4, 20), (1.0, 0.01, 1000), (0.8, 0.1, 50)])
def test_sampled_epsilon_is_an_independent_composition(noise: float, rate: float, releases: int) -> None:
    """The divergence of one sampled release by numerical integration, at whole orders, composed by hand.

    E_{x ~ N(0, σ²)} [((1 − q) + q·exp((2x − 1)/(2σ²)))^α] is the moment; its logarithm over α − 1 the divergence.
    """
    alphas = np.array([2.0, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20])

    def moment(alpha: float) -> float:
        def integrand(x: float) -> float:
            ratio = np.logaddexp(math.log1p(-rate), math.log(rate) + (2 * x - 1) / (2 * noise**2))
            return math.exp(alpha * ratio + stats.norm.logpdf(x, scale=noise))

        return float(integrate.quad(integrand, -30, 30 + alpha, limit=400, points=[0, 1, alpha])[0])

    curve = np.array([math.log(moment(a)) / (a - 1) for a in alphas])
    assert epsilon_of(noise, rate, releases, 1e-5) == pytest.approx(convert(alphas, releases * curve, 1e-5), rel=1e-6)


def test_sampled_epsilon_against_dp_accounting_with_its_own_orders() -> None:
    """Whole orders alone cost a few percent, upwards."""
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    for noise, rate, releases in [(1.3, 0.4, 20), (1.0, 0.01, 1000)]:
        accountant = RdpAccountant()
        event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise))
        accountant.compose(event, releases)
        finer = accountant.get_epsilon(1e-5)
        assert finer <= epsilon_of(noise, rate, releases, 1e-5) <= 1.05 * finer


@settings(derandomize=True, max_examples=12, deadline=None)
@given(
    epsilon=st.floats(0.1, 50), rate=st.sampled_from([1.0, 0.3, 0.02]), releases=st.integers(1, 300),
    delta=st.sampled_from([1e-5, 1e-7]),
)  # fmt: skip
def test_calibration_and_accounting_are_inverse(epsilon: float, rate: float, releases: int, delta: float) -> None:
    """The noise found keeps ε, and 0.1 % less noise would not."""
    noise = noise_for(epsilon, rate, releases, delta)
    assert epsilon_of(noise, rate, releases, delta) <= epsilon
    assert epsilon_of(noise * 0.999, rate, releases, delta) > epsilon


def test_ends_of_accounting() -> None:
    """No noise is no privacy; no release is no loss."""
    assert epsilon_of(0.0, 1.0, 3, 1e-5) == math.inf
    assert epsilon_of(1.0, 1.0, 0, 1e-5) == 0


@pytest.mark.parametrize("bad", [
    {"noise": 1.0}, {"epsilon": None}, {"epsilon": -1.0}, {"epsilon": None, "noise": -1.0}, {"delta": 0.0},
    {"clip": 0.0},
])  # fmt: skip
def test_what_gaussian_refuses(bad: dict[str, Any]) -> None:
    """Numbers out of range, and both or neither of ε and noise."""
    with pytest.raises(ValueError, match=r"must be|exactly one"):
        gaussian(**bad)
    with pytest.raises(ValueError, match=r"must be|exactly one"):
        PRIVACY.call(use("gaussian", **bad))


def bound(level: str, sampling: str, **extra: Any) -> RowTrainer:
    """Bind FedAvg with ε = 4 over 6 rounds, 60 % of the clients in each."""
    privacy = gaussian(level=level, epsilon=4.0, sampling=sampling)  # type: ignore[arg-type]
    return fedavg(toy(), MODEL, privacy, 0.6, 6, batch=8, seed=5, **extra)


def epsilon_by_hand(trainer: RowTrainer, level: str, sampling: str, rounds: int, epochs: int) -> float:
    """Compose the releases of every client, as documented; the largest ε counts."""
    noise, seen = trainer.facts["noise_multiplier"], participations(5, np.arange(5), 6, rounds, 0.6)
    if level == "client":
        return epsilon_of(noise, *((0.6, rounds) if sampling == "poisson" else (1.0, int(seen.max()))), 1e-5)
    if sampling == "fixed":
        return epsilon_of(noise, 1.0, int(epochs * seen.max()), 1e-5)
    return max(
        epsilon_of(noise, min(1.0, 8 / size), int(rounds_of * epochs * math.ceil(size / 8)), 1e-5)
        for size, rounds_of in zip(trainer.train.sizes.tolist(), seen, strict=True)
        if size
    )


@pytest.mark.parametrize("level", ["client", "example"])
@pytest.mark.parametrize("sampling", ["fixed", "poisson"])
@pytest.mark.parametrize("epochs", [1, 3])
def test_epsilon_grows_round_by_round_up_to_what_was_asked(level: str, sampling: str, epochs: int) -> None:
    """ε of each round is the composition counted by hand; the last one meets the ε asked for."""
    trainer = bound(level, sampling, epochs=epochs)
    state, spent = trainer.start(), []
    for index in range(1, 7):
        state, seen = trainer.step(state, index, never)
        spent.append(seen.epsilon)
        assert seen.epsilon == pytest.approx(epsilon_by_hand(trainer, level, sampling, index, epochs), rel=1e-12)
    assert spent == sorted(spent)
    assert 3.99 < spent[-1] <= 4.0
    assert trainer.facts["epsilon"] == pytest.approx(spent[-1], rel=1e-12)
    assert trainer.facts["assumption"].endswith(".")
    assert trainer.facts["noise_is_secret"] is False


def test_poisson_steps_need_the_noise_of_one_client_not_of_two_mixed() -> None:
    """Each client is counted with its own steps at its own rate: a large one has many steps, but a small rate.

    Sizes lie between 7 and 57 rows here. The largest client's steps at the smallest one's rate would bound every client
    too, and ask for much more noise than the neediest client needs.
    """
    trainer = bound("example", "poisson", epochs=3)
    sizes, seen = trainer.train.sizes[:5], participations(5, np.arange(5), 6, 6, 0.6)[:5]
    steps = (3 * seen * np.ceil(sizes / 8)).astype(int)
    needs = [noise_for(4.0, min(1.0, 8 / n), int(t), 1e-5) for n, t in zip(sizes.tolist(), steps, strict=True)]
    mixed = noise_for(4.0, min(1.0, 8 / sizes.min()), int(steps.max()), 1e-5)
    assert max(needs) * (1 - 1e-3) < trainer.facts["noise_multiplier"] <= max(needs) * (1 + 1e-3) < mixed / 1.3


def test_epsilon_says_what_it_covers() -> None:
    """Accuracies and counts of a round are exact, and a record shows who took part: both are said where ε is."""
    assert "accuracies and counts" in gaussian().assumption
    assert "shows" in gaussian(level="client", sampling="poisson").assumption


def test_noise_given_and_epsilon_follows() -> None:
    """The other direction: σ is used as it is."""
    trainer = fedavg(toy(), MODEL, gaussian(epsilon=None, noise=1.5, level="client"), 1.0, 4)
    assert trainer.facts["noise_multiplier"] == 1.5
    assert trainer.facts["epsilon"] == epsilon_of(1.5, 1.0, 4, 1e-5)


def test_client_level_needs_a_mean() -> None:
    """A median's noise is not what the accountant assumes; rows may be protected under any merge."""
    with pytest.raises(ValueError, match="averages the clients' updates"):
        fedmedian(toy(), MODEL, gaussian(level="client"), 1.0, 3)
    assert fedmedian(toy(), MODEL, gaussian(level="example"), 1.0, 3).local.noise > 0


def test_client_level_mean_is_clipped_even_and_noisy() -> None:
    """The step of the global model is Σ clipped updates / m plus the noise of the stream (seed, round, "noise")."""
    fed, model = toy(), Dense((5, 3), "float64")
    privacy = gaussian(level="client", epsilon=None, noise=0.8, clip=0.05)
    closed, plain = (fedavg(fed, model, p, 1.0, 1, batch=8, seed=2) for p in (privacy, None))
    rows: list[np.ndarray] = []
    plain = replace(plain, aggregate=lambda stack, _: rows.append(stack) or stack[0])  # type: ignore[func-returns-value]
    play(plain, 1)
    updates = rows[0] - model.init(2)
    norms = np.linalg.norm(updates, axis=1)
    assert norms.min() > 0.05
    expected = (updates * (0.05 / norms)[:, None]).sum(axis=0) + 0.04 * stream(2, 1, "noise").standard_normal(18)
    assert np.allclose(play(closed, 1) - model.init(2), expected / 5, rtol=0, atol=1e-14)


def test_poisson_cohorts_divide_by_their_expected_size_and_may_be_empty() -> None:
    """Dividing by the actual size would tell who is there; an empty cohort moves the model by noise alone."""
    privacy = gaussian(level="client", epsilon=None, noise=0.8, sampling="poisson")
    trainer = fedavg(toy(), Dense((5, 3), "float64"), privacy, 0.2, 40, seed=2)
    state = trainer.start()
    for index in range(1, 41):
        chosen = select(2, index, np.arange(5), 0.2, "poisson")
        after, seen = trainer.step(state, index, never)
        assert seen.selected.nonzero()[0].tolist() == chosen.tolist()
        if not chosen.size:
            moved = after["params"] - state["params"]
            noise = stream(2, index, "noise").standard_normal(18)
            assert np.allclose(moved, 0.8 * noise / (0.2 * 5), rtol=0, atol=1e-14)
            return
        state = after
    pytest.fail("no cohort was empty in 40 rounds of five clients at 20 %")


def test_noise_is_standard_normal() -> None:
    """Kolmogorov–Smirnov on 200,000 draws, their moments, and no correlation of the two halves."""
    rows = np.zeros((10, 20_001))
    scale = np.linspace(0.5, 3, 10)
    add_gaussian(rows, scale, stream(1, "noise"))
    draws = (rows / scale[:, None]).ravel()
    assert stats.kstest(draws, "norm").pvalue > 0.01
    assert abs(stats.kurtosis(draws)) < 0.05
    assert draws.var() == pytest.approx(1, abs=0.01)
    assert abs(np.corrcoef(rows[:, :10_000].ravel(), rows[:, 10_001:].ravel())[0, 1]) < 0.01
    assert np.abs(draws).max() > 4
    pairs = np.hypot(rows[:, :10_000], rows[:, 10_001:]) / scale[:, None]
    assert stats.kstest(pairs.ravel(), "rayleigh").pvalue > 0.01
    turned = (0.6 * rows[:, :10_000] + 0.8 * rows[:, 10_001:]) / scale[:, None]
    assert stats.kstest(turned.ravel(), "norm").pvalue > 0.01


def test_privatise_scales_noise_by_clip_and_size() -> None:
    """The standard deviation of the mean's noise is σ·C/d; with no update at all it is all there is."""
    noisy = privatise(np.zeros((0, 50_000)), clip=2.0, noise=3.0, denominator=4.0, generator=stream(0))
    assert noisy.std() == pytest.approx(1.5, rel=0.02)


@pytest.mark.parametrize(
    ("noise", "rate", "releases"), [(1.1, 0.01, 1000), (0.8, 0.05, 200), (2.0, 0.2, 50), (5.0, 1.0, 10)]
)
def test_epsilon_against_opacus(noise: float, rate: float, releases: int) -> None:
    """Opacus composes sampled Gaussian releases by code of its own: at our orders the same, at its own no larger."""
    from opacus.accountants import RDPAccountant
    from opacus.accountants.analysis.rdp import compute_rdp, get_privacy_spent

    orders = _SAMPLED if rate < 1 else _PLAIN
    divergence = compute_rdp(q=rate, noise_multiplier=noise, steps=releases, orders=orders)
    theirs, _ = get_privacy_spent(orders=orders, rdp=divergence, delta=1e-5)
    assert epsilon_of(noise, rate, releases, 1e-5) == pytest.approx(theirs, rel=1e-9)
    other = RDPAccountant()
    other.history = [(noise, rate, releases)]
    finer, ours = other.get_epsilon(1e-5), epsilon_of(noise, rate, releases, 1e-5)
    assert finer <= ours * (1 + 1e-3) <= 1.05 * finer
