"""Scores under sampled weights and normalisers: exact cases, closed forms, repeats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from trustkit.trust import PILLARS, PROFILES, FactSheet, Profile, TrustReport, assess
from trustkit.trust.sampling import outranks, sensitivity

FACTS = FactSheet({
    "participants/client_num": 100, "performance/test_acc_avg": 0.8, "robustness/clever": 0.5,
    "privacy/differential_privacy": False, "privacy/client_entropy": 0.9, "fairness/class_imbalance": 0.4,
    "fairness/test_acc_cv": math.nan, "configuration/training_model": "mlp",
})  # fmt: skip


def two_pillars(entropy: float, imbalance: float, **weights: float) -> TrustReport:
    """Score privacy by its entropy and fairness by its balance alone."""
    facts = FactSheet({"privacy/client_entropy": entropy, "fairness/class_imbalance": imbalance})
    return assess(facts, "paper", {"accountability": 0, **weights})


@pytest.mark.parametrize("profile", ["paper", "paper-figures", "calibrated", "prototype-2022"])
def test_samples_lie_around_the_score(profile: str) -> None:
    """In [0, 1]; the interval holds the score; missing pillars have none; the frame has a line each."""
    report = assess(FACTS, profile)
    found = sensitivity(report, draws=400)
    assert list(found.samples) == ["trust", *(p for p, score in report.pillars.items() if score is not None)]
    for name, values in found.samples.items():
        assert values.shape == (400,)
        assert (values >= 0).all()
        assert (values <= 1 + 1e-12).all()
        low, high = found.interval(name, 1.0)
        assert low == values.min()
        assert high == values.max()
    low, high = found.interval()
    assert report.score is not None
    assert low < report.score < high
    frame = found.frame()
    assert list(frame.columns) == ["id", "score", "low", "median", "high"]
    assert (frame["low"] <= frame["median"]).all()
    assert frame.set_index("id")["score"]["trust"] == report.score


def test_share_of_a_pillar_is_beta() -> None:
    """Trust of scores 1 and 0 is the first's share: Beta(c/6, c/6), as 4 of 6 pillars have no evidence.

    Dirichlet shares of some, over their sum, follow a Dirichlet again; a weight of 0 (accountability) leaves 5 pillars
    of share 1/5, so Beta(4, 4) for c = 20. Kolmogorov–Smirnov at 4,000 draws; the seed is fixed.
    """
    report = two_pillars(1.0, 1.0)
    assert report.score == 0.5
    samples = sensitivity(report, draws=4000, concentration=20, normalisers=False).samples
    assert stats.kstest(samples["trust"], stats.beta(4, 4).cdf).pvalue > 0.01
    assert (samples["privacy"] == 1).all()
    assert (samples["fairness"] == 0).all()


def test_closed_form_of_outranking() -> None:
    """a beats b where w₁ (.9 − .6) > w₂ (.8 − .6): share u = w₁/(w₁ + w₂) > .2/.5 = .4, u ~ Beta(4, 4).

    1 − I_.4(4, 4) = .710208; the standard error at 20,000 draws is .0032, four of them are allowed.
    """
    a, b = two_pillars(0.9, 0.4), two_pillars(0.6, 0.2)
    exact = 1 - stats.beta(4, 4).cdf(0.4)
    assert exact == pytest.approx(0.710208)
    got = outranks(a, b, draws=20_000, normalisers=False)
    assert got == pytest.approx(exact, abs=0.013)
    assert outranks(b, a, draws=20_000, normalisers=False) == pytest.approx(1 - got)


@pytest.mark.parametrize("normalisers", [True, False])
@pytest.mark.parametrize("seed", [0, 7])
def test_dominance_is_certain(normalisers: bool, seed: int) -> None:
    """A run that is better in one metric and equal in all others outranks for sure, and a run ties with itself."""
    a = assess(FACTS.with_facts(fairness__class_imbalance=0.3))
    b = assess(FACTS)
    assert outranks(a, b, 300, seed=seed, normalisers=normalisers) == 1
    assert outranks(b, a, 300, seed=seed, normalisers=normalisers) == 0
    assert outranks(a, a, 300, seed=seed, normalisers=normalisers) == 0.5


def test_draws_repeat_and_are_common() -> None:
    """The same seed gives the same samples bit for bit, another seed others; more evidence does not move the draws."""
    first, again = (sensitivity(FACTS, draws=50, seed=3).samples["trust"] for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, sensitivity(FACTS, draws=50, seed=4).samples["trust"])
    more = assess(FACTS.with_facts(configuration__aggregation_algorithm="FedAvg"))
    one, two = (sensitivity(report, draws=50).samples["privacy"] for report in (assess(FACTS), more))
    assert np.array_equal(one, two)


def test_concentration_narrows() -> None:
    """At a million the weights are the given ones: every sample is the score; a weight of 0 stays 0 at any."""
    report = assess(FACTS, weights={"fairness": 0, "privacy": 3})
    assert report.score is not None
    tight = sensitivity(report, draws=100, concentration=1e9, normalisers=False).samples["trust"]
    assert tight == pytest.approx(np.full(100, report.score), abs=1e-3)
    widths = [np.ptp(sensitivity(report, 200, c, normalisers=False).samples["trust"]) for c in (5.0, 50.0, 500.0)]
    assert widths == sorted(widths, reverse=True)
    moved = assess(FACTS.with_facts(fairness__class_imbalance=0.1), weights={"fairness": 0, "privacy": 3})
    assert outranks(report, moved, draws=50) == 0.5


def test_normalisers_move_towards_the_other_profiles() -> None:
    """CLEVER 0.5: .1 by steps, .5 capped, 1/3 saturating; with one metric all samples lie between the extremes."""
    report = assess(FactSheet({"robustness/clever": 0.5}), weights={"accountability": 0})
    values = sensitivity(report, draws=2000).samples["trust"]
    rivals = [PROFILES[name].score("certified_robustness", 0.5) for name in ("paper-figures", "calibrated")]
    assert values.min() >= 0.1
    assert values.max() <= max(rivals)
    # t is uniform and s′ one of the two at even odds, so the mean is .1 + ½ (½ (.5 + 1/3) − .1) = .258333.
    assert values.mean() == pytest.approx(0.1 + (sum(rivals) / 2 - 0.1) / 2, abs=0.01)
    assert sensitivity(report, draws=100, normalisers=False).samples["trust"] == pytest.approx(np.full(100, 0.1))


def test_a_profile_of_ones_own_is_sampled_too() -> None:
    """Its rivals are all that score the same metrics."""
    mine = Profile("mine", "Mine.", weights={"privacy": 2})
    assert sensitivity(assess(FACTS, mine), draws=20).samples["trust"].std() > 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: sensitivity(r, draws=0), ValueError, "draws must be a whole number, at least 1, got 0"),
        (lambda r: sensitivity(r, True), ValueError, "draws must be a whole number, at least 1, got True"),
        (lambda r: sensitivity(r, concentration=0), ValueError, "concentration must be above 0 and finite, got 0"),
        (
            lambda r: sensitivity(r, concentration=math.inf),
            ValueError,
            "concentration must be above 0 and finite, got inf",
        ),
        (
            lambda r: sensitivity(assess(FactSheet(), weights={"accountability": 0})),
            ValueError,
            "must have a trust score",
        ),
        (
            lambda r: sensitivity(r, 10).interval("beauty"),
            KeyError,
            "there are no samples of 'beauty'; known are trust",
        ),
        (lambda r: sensitivity(r, 10).interval("trust", 0), ValueError, "level must be above 0 and at most 1, got 0"),
        (
            lambda r: outranks(r, assess(FACTS, "calibrated")),
            ValueError,
            "must be of one profile with the same weights",
        ),
        (lambda r: outranks(r, assess(FACTS, weights={"privacy": 2})), ValueError, "got paper and paper"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], message: str) -> None:
    """Before anything is drawn."""
    with pytest.raises(error, match=message):
        call(assess(FACTS))


def test_pillars_are_those_of_the_profile() -> None:
    """NEBULA has a seventh."""
    assert "sustainability" in sensitivity(assess(FACTS, "nebula-1.0"), draws=10).samples
    assert set(sensitivity(assess(FACTS), draws=10).samples) <= {"trust", *PILLARS}
