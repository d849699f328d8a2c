"""The radar names the pillars as the report's profile does, whatever taxonomy that scores."""

from __future__ import annotations

import pytest

from trustkit import plot
from trustkit.trust import PROFILES, FactSheet, Profile, assess
from trustkit.trust.scope import WHOLE

FACTS = FactSheet({"performance/test_acc_avg": 0.5, "participants/client_num": 10, "privacy/encryption": 1.0})


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_corners_have_the_profiles_names(name: str) -> None:
    """Six or seven pillars, by name with a word a line, each inside the picture."""
    report = assess(FACTS, name)
    figure = plot.pillar_radar(report, report)
    figure.draw_without_rendering()
    labels = figure.axes[0].get_xticklabels()
    titles = [" ".join(label.get_text().split("\n")[:-1]) for label in labels]
    assert titles == list(report.profile.taxonomy.pillars.values())
    for label in labels:
        box = label.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1


def test_a_profile_of_some_pillars_has_as_many_corners() -> None:
    """And a picture of six is redrawn as one of three."""
    mine = Profile("mine", "Three pillars.", taxonomy=WHOLE.only(["privacy", "robustness", "monitoring"]))
    figure = plot.pillar_radar(assess(FACTS, "calibrated"))
    figure = plot.pillar_radar(assess(FACTS, mine), figure=figure)
    texts = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert texts == ["Privacy\n1.00", "Robustness\n0.35", "Accountability\n0.00"]  # (0.5 + 0.2)/2, Table 3's 0.2 for 10


def test_without_a_report_the_radar_is_empty() -> None:
    """No corner, no error."""
    assert len(plot.pillar_radar(None).axes[0].get_xticklabels()) == 0
