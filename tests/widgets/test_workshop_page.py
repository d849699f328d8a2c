"""A checkpoint is a real page: controls, task, hidden controls, recorded results and baseline are the episode's."""

from __future__ import annotations

import pytest
from trustkit.widgets import app
from trustkit.widgets.lab import Lab
from trustkit.widgets.links import token_of
from trustkit.widgets.workshop import checkpoint

from trustkit.sharelink import decode
from trustkit.workshop import EPISODES, check, episode_of
from trustkit.workshop.episodes import COLUMNS, PLAIN, PRIVATE
from trustkit.workshop.judging import Page

WITH_CONTROLS = [number for number, episode in EPISODES.items() if episode.start is not None]


@pytest.mark.parametrize("number", WITH_CONTROLS)
def test_a_checkpoint_stands_where_the_episode_begins(number: str) -> None:
    """With its experiment, task and baseline; a result is there at once wherever one is shipped."""
    lab, episode = checkpoint(number), episode_of(number)
    assert isinstance(lab, Lab)
    assert lab.experiment == episode.start
    assert lab.lesson == episode.lesson
    assert (lab.baseline is None) == (episode.baseline is None)
    if episode.baseline is not None:
        assert lab.baseline is not None
        assert lab.baseline.record.experiment == episode.baseline
    assert lab.state == ("stale" if number == "02" else "idle")
    assert app(lab).lab is lab
    assert isinstance(lab, Page)


@pytest.mark.parametrize("number", WITH_CONTROLS)
def test_a_checkpoint_goes_into_a_link(number: str) -> None:
    """So that a room without notebooks opens the same lesson in its browser."""
    lab = checkpoint(number)
    opened = decode(token_of(lab))
    assert opened.notes == ()
    assert opened.shared.experiment == lab.experiment
    assert opened.shared.lesson == lab.lesson


def test_recorded_results_are_there_and_nothing_is_trained() -> None:
    """Moving ε to a value that was recorded shows its result; another value does not."""
    lab = checkpoint("03")
    assert len(lab.results) == 6
    lab.change(epsilon=2.0)
    assert lab.state == "idle"
    assert lab.outcome is not None
    assert lab.outcome.record.experiment == PRIVATE
    lab.change(epsilon=3.0)
    assert lab.state == "stale"
    assert check("03", lab).said == "Not decided yet: the controls have moved since, press Run."


def test_an_exercise_is_done_on_the_page() -> None:
    """By its controls, run there; undone by Undo."""
    lab = checkpoint("01")
    assert check("01", lab).met is False
    lab.change(selection=0.25)
    assert check("01", lab).met is None
    lab.run(wait=True)
    assert check("01", lab).met
    lab.undo()
    assert lab.experiment == PLAIN
    assert check("01", lab).met is False


def test_columns_are_checked_without_a_run() -> None:
    """α and β on the page, one after the other."""
    lab = checkpoint("02")
    assert lab.experiment == COLUMNS
    lab.change(beta=0.3)
    assert [each.met for each in check("02", lab).found] == [False, True, True]
    lab.change(alpha=0.5)
    assert check("02", lab).met


def test_weights_on_the_page_turn_the_order() -> None:
    """Held against the pinned run."""
    lab = checkpoint("05")
    assert check("05", lab).met is False
    lab.change(weights=(("fairness", 2.0), ("privacy", 0.0)))
    assert check("05", lab).met


def test_an_episode_without_controls_has_no_checkpoint() -> None:
    """Nor has one that does not exist."""
    with pytest.raises(ValueError, match="an episode must have controls to go back to, got 00, which has none"):
        checkpoint("00")
    with pytest.raises(KeyError, match="there is no episode '7'"):
        checkpoint("7")
