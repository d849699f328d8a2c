"""The tree of weights: its means and shares by hand, and that every report says what each part carries."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit import jsonfile
from trustkit.trust import METRICS, NOTIONS, PILLARS, PROFILES, FactSheet, assess
from trustkit.trust.nebula import NEBULA
from trustkit.trust.prototype import PROTOTYPE
from trustkit.trust.tree import TAXONOMY, TRUST, Edges, Taxonomy, check_weights, edges_of, means, parents, reaches

EDGES: Edges = {"n": {"a": 1.0, "b": 3.0}, "o": {"c": 1.0}, "p": {"n": 1.0, "o": 4.0}, "q": {"d": 1.0},
                TRUST: {"p": 2.0, "q": 1.0}}  # fmt: skip
FACTS = {
    "participants/client_num": 100, "performance/test_acc_avg": 0.8, "robustness/clever": 0.5, "privacy/epsilon": 3.0,
    "privacy/differential_privacy": True, "privacy/client_entropy": 0.9, "fairness/class_imbalance": 0.4,
    "configuration/training_model": "mlp", "fairness/test_acc_cv": math.nan, "configuration/total_round_num": 7,
}  # fmt: skip


def test_means_and_shares_by_hand() -> None:
    """n = (1 + 3·.2)/4 = .4; p = (.4 + 4·.5)/5 = .48; trust = (2·.48 + .9)/3 = .62. a carries ⅔ · ⅕ · ¼ = 1/30."""
    found = means(EDGES, {"a": 1.0, "b": 0.2, "c": 0.5, "d": 0.9})
    assert (found["n"], found["p"], found[TRUST]) == pytest.approx((0.4, 0.48, 0.62))
    share = reaches(EDGES, found)
    assert (share["a"], share["b"], share["c"], share["d"]) == pytest.approx((1 / 30, 1 / 10, 8 / 15, 1 / 3))
    assert sum(share[name] for name in "abcd") == pytest.approx(1)


def test_what_has_no_evidence_hands_its_share_on() -> None:
    """Without c the notion o has none, so n carries all of p; without d, p carries all of trust."""
    found = means(EDGES, {"a": 1.0, "b": 0.2, "c": None, "d": None})
    assert found["o"] is None
    assert found["q"] is None
    assert found[TRUST] == pytest.approx(0.4)
    share = reaches(EDGES, found)
    assert (share["n"], share["o"], share["q"], share["b"]) == (1, 0, 0, 0.75)
    nothing = means(EDGES, dict.fromkeys("abcd"))
    assert nothing[TRUST] is None
    assert set(reaches(EDGES, nothing).values()) == {0.0, 1.0}  # trust itself is all of trust


def test_weights_may_be_draws() -> None:
    """An array in place of a number gives what each of its entries gives."""
    draws = np.array([1.0, 3.0, 0.5])
    scores = {"a": 1.0, "b": 0.2, "c": 0.5, "d": 0.9}
    many = means({**EDGES, "n": {"a": draws, "b": 3.0}}, scores)[TRUST]
    each = [means({**EDGES, "n": {"a": float(draw), "b": 3.0}}, scores)[TRUST] for draw in draws]
    assert many == pytest.approx(each)


def test_flat_edges_skip_the_notions() -> None:
    """A metric is counted under its pillar, at notion times metric; the notions are there to be shown."""
    weights = check_weights(TAXONOMY, {"algorithm_robustness": 2, "performance": 3})
    edges = edges_of(TAXONOMY, "flat", weights)
    assert edges["robustness"]["performance"] == 6
    assert edges["algorithm_robustness"]["performance"] == 3
    assert parents(edges)["performance"] == "robustness"
    assert parents(edges_of(TAXONOMY, "notions", weights))["performance"] == "algorithm_robustness"
    assert list(edges) == [*NOTIONS, *PILLARS, TRUST]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    st.sets(st.sampled_from(sorted(FACTS))), st.sampled_from(sorted(PROFILES)),
    st.dictionaries(st.sampled_from(["privacy", "robustness", "performance", "entropy", "technique"]),
                    st.just(0.0) | st.floats(0.1, 9)),
)  # fmt: skip
def test_shares_are_shown_and_add_up(kept: set[str], profile: str, weights: dict[str, float]) -> None:
    """Pillars to 1, notions to their pillar, metrics to their notion; written in every form."""
    report = assess(FactSheet({path: FACTS[path] for path in kept}), profile, weights)
    taxonomy, total = report.profile.taxonomy, 1 if report.score is not None else 0
    assert sum(report.shares[pillar] for pillar in taxonomy.pillars) == pytest.approx(total)
    for pillar in taxonomy.pillars:
        inside = [n.id for n in taxonomy.notions.values() if n.pillar == pillar]
        assert sum(report.shares[n] for n in inside) == pytest.approx(report.shares[pillar])
    for notion in taxonomy.notions:
        lines = [line.weight for line in report.metrics if line.notion == notion]
        assert sum(lines) == pytest.approx(report.shares[notion])
    assert f"{report.shares['privacy']:.1%} of trust" in report.to_text()
    given = jsonfile.loads(report.to_json())
    assert given["shares"] == report.shares
    assert {**dict.fromkeys(report.weights, 1.0), **given["weights"]} == report.weights
    assert report.weights["privacy"] == weights.get("privacy", report.profile.weights.get("privacy", 1))


@pytest.mark.parametrize(
    ("weights", "largest"),
    [({"privacy": 1e308, "robustness": 1e308}, "1e+308"), ({"privacy": 1e200, "technique": 1e200}, "1e+200")],
)
def test_weights_that_cannot_be_added_up_are_refused(weights: dict[str, float], largest: str) -> None:
    """Every share would be 0 of infinity, and trust 0, whatever the scores."""
    with pytest.raises(ValueError, match=re.escape(f"weights must add up to a finite number, got one of {largest}")):
        check_weights(TAXONOMY, weights)
    with pytest.raises(ValueError, match="finite"):
        assess(FactSheet(FACTS), "paper", weights)


def test_levels() -> None:
    """Each taxonomy knows its own ids, and lists them where one is unknown."""
    assert TAXONOMY.level_of("entropy")[0] == "metric"
    assert PROTOTYPE.level_of("architectural_soundness") == ("pillar", "Architectural Soundness")
    assert NEBULA.level_of("energy_source")[0] == "notion"
    with pytest.raises(KeyError, match="no pillar, notion or metric 'sustainability'"):
        PROTOTYPE.level_of("sustainability")
    with pytest.raises(KeyError, match="did you mean 'fairness'"):
        TAXONOMY.level_of("fairnes")
    assert set(check_weights(TAXONOMY, {}).values()) == {1.0}
    assert len(check_weights(TAXONOMY, {})) == len(PILLARS) + len(NOTIONS) + len(METRICS)


@pytest.mark.parametrize("taxonomy", [TAXONOMY, PROTOTYPE, NEBULA], ids=lambda t: t.name)
def test_no_two_parts_share_an_id(taxonomy: Taxonomy) -> None:
    """Or a weight would mean two things; every row has words, a place, and inputs."""
    ids = [*taxonomy.pillars, *taxonomy.notions, *taxonomy.metrics]
    assert len(set(ids)) == len(ids)
    for row in taxonomy.metrics.values():
        assert taxonomy.notions[row.notion].pillar == row.pillar
        assert row.inputs
        assert all(text.strip() for text in (row.name, row.synopsis, row.formula, row.source, row.deviations))
