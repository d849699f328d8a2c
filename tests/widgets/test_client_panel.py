"""Each client of a run on the page: who took part, where it stands beside the mean, and its numbers; live and after."""

from __future__ import annotations

import asyncio
import html
import re
from pathlib import Path
from typing import Any

import pytest
from ipywidgets import ToggleButtons
from trustkit.widgets import ClientPanel, Lab, clients
from trustkit.widgets.player import measure
from trustkit.widgets.sections import Sections
from trustkit.widgets.strings import speaking
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, SMALL, Gate, hear, setting_of, tree
from trustkit import plot, store, use
from trustkit.attendance import attendance_of, client_lines
from trustkit.horizontal.faults import DELIVERED, DROPPED

FAULTY = SMALL.change(split=use("dirichlet", parties=6, alpha=0.5), participation=0.5, rounds=6,
                      faults=use("dropout", chance=0.4))  # fmt: skip


def shown(lab: Any) -> dict[str, Any]:
    """Return the panel's views by name, and its switch."""
    parts = tree(ClientPanel(lab))
    return {each.name: each for each in parts if isinstance(each, View)} | {
        "measure": next(each for each in parts if isinstance(each, ToggleButtons))
    }


def trained(experiment: tk.Experiment) -> Any:
    """Open a lab on a whole run."""
    return Lab(setting_of(experiment), measure(tk.run(experiment)))


def words(view: Any) -> str:
    """Return what a view says beside its pictures."""
    text = re.sub(r"<svg.*?</svg>", "", view.value, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


def labels(view: Any) -> list[str]:
    """Return what a view's pictures say to people who do not see them."""
    return [html.unescape(text) for text in re.findall(r'<svg role="img" aria-label="([^"]*)"', view.value)]


def test_the_raster_tells_the_run() -> None:
    """In words and as alternative text: who was asked, who left; for a wide page and for a phone."""
    lab = trained(FAULTY)
    found = attendance_of(lab.outcome.record)
    view = shown(lab)["participation"]
    last = found.newest()
    said = words(view)
    assert f"Round 6 of 6: 3 of 6 asked, {last.count(DELIVERED)} took part" in said
    assert (f"left: {last.count(DROPPED)}" in said) == (last.count(DROPPED) > 0)
    low, high = found.asked.min(), found.asked.max()
    assert labels(view) == [f"Who took part in 6 rounds: each of 6 was asked {low} to {high} times"] * 2
    assert view.value.count('role="status"') == 1
    assert 'class="tk-only-wide"' in view.value
    assert 'class="tk-only-narrow"' in view.value
    assert "Not recorded" not in said


def test_dots_and_table_tell_each_client() -> None:
    """A dot says its client's numbers; the switch shows the loss; the table has a line for each."""
    lab = trained(FAULTY)
    found, lines = shown(lab), client_lines(lab.outcome.record)
    titles = [html.unescape(each) for each in re.findall(r"<title>(.*?)</title>", found["dots"].value)]
    assert len(titles) == 2 * len(lines)
    for line in lines:
        start = (
            f"{line.name}: {line.train_rows} training rows, {line.test_rows} test rows; accuracy {line.accuracy:.3f}"
        )
        assert sum(each.startswith(start) for each in titles) == 2
    assert labels(found["dots"])[0].startswith("Accuracy of 6 clients after round 6: mean 0.")
    found["measure"].value = "loss"
    assert labels(found["dots"])[0].startswith("Loss of 6 clients after round 6: mean ")
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td>', found["lines"].value)
    assert rows == [(line.name, str(line.train_rows)) for line in lines]
    assert found["lines"].value.count('<th scope="col">') == 7


def test_what_a_stored_run_forgot_is_said(tmp_path: Path) -> None:
    """The states of all rounds but the last are gone: "not recorded", and "at least" in the table."""
    record = store.load(store.save(tk.run(FAULTY), tmp_path / "run.npz"))
    lab = Lab(setting_of(FAULTY), measure(record))
    found = shown(lab)
    assert "Not recorded: what became of some who were asked." in words(found["participation"])
    assert "at least" in words(found["lines"])
    rule = tk.Experiment("breast_cancer", use("iid", parties=8), "krum", "logistic", rounds=1)
    silent = words(shown(trained(rule))["participation"])
    assert "Not recorded: Krum builds the model from some of the clients" in silent


def test_parties_share_a_model() -> None:
    """Across columns: who took part is drawn, dots and table say why there are none."""
    found = shown(trained(COLUMNS))
    assert labels(found["participation"])[0] == "Who took part in 2 rounds: each of 3 was asked 2 to 2 times"
    assert "party 1" in found["participation"].value
    for name in ("dots", "lines"):
        assert "none has an accuracy of its own" in words(found[name])
        assert "<svg" not in found[name].value


def test_nothing_trained_says_so() -> None:
    """No empty axes."""
    found = shown(Lab(setting_of(SMALL)))
    for name in ("participation", "dots", "lines"):
        assert "nothing trained yet" in words(found[name])


def test_it_follows_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Round by round, in one picture that is moved; it is read out when the run is over."""
    monkeypatch.setattr(clients, "_REST", 0)

    async def live() -> list[str]:
        gate = Gate()
        lab = gate.lab(SMALL)
        view, seen = shown(lab)["participation"], []
        lab.run()
        gate.arrive()
        for _ in range(SMALL.rounds - 1):
            gate.open()
            gate.arrive()
            view.hear("progress")
            seen.append(view.value)
        await hear(lab, "outcome", gate.open)
        return [*seen, view.value]

    for played, value in enumerate(asyncio.run(live()), 1):
        assert f"Round {played} of 4: 4 of 4 asked, 4 took part." in value
        assert ('role="status"' in value) == (played == SMALL.rounds)


def test_a_large_picture_rests_while_a_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop is heard meanwhile: a picture is not drawn anew until it has rested; the last round is drawn in any case."""
    monkeypatch.setattr(clients, "_REST", 1e9)

    async def live() -> list[str]:
        gate = Gate()
        lab = gate.lab(SMALL)
        found, seen = shown(lab), []
        lab.run()
        gate.arrive()
        for _ in range(2):
            gate.open()
            gate.arrive()
            found["dots"].hear("progress")
            seen.append(labels(found["dots"])[0])
        found["measure"].value = "loss"
        seen.append(labels(found["dots"])[0])
        await hear(lab, "outcome", lambda: gate.open(2))
        return [*seen, labels(found["dots"])[0]]

    first, second, loss, last = asyncio.run(live())
    assert first.startswith("Accuracy of 4 clients after round 1: ")
    assert second == first
    assert loss.startswith("Loss of 4 clients after round 2: ")
    assert last.startswith("Loss of 4 clients after round 4: ")


def test_it_is_in_train_and_built_when_that_is_opened() -> None:
    """Lazily; a lesson that hides the curve hides it too."""
    lab = trained(SMALL)
    sections = Sections(lab)
    assert "participation" not in {getattr(each, "name", "") for each in tree(sections.box)}
    sections.open("train")
    assert {"accuracy", "participation", "dots"} <= {getattr(each, "name", "") for each in tree(sections.box)}


def test_german_pictures_speak_german() -> None:
    """Words inside the pictures, too."""
    with speaking("de"):
        found = shown(trained(FAULTY))
        assert "ausgeschieden: " in found["participation"].value
        assert "Trainingszeilen des Clients" in found["dots"].value
    assert "nicht gefragt" in found["participation"].value


def test_figures_can_be_taken_home() -> None:
    """The raster and the dots, with their numbers."""
    from trustkit.widgets.drawn import pictures_of

    lab = trained(FAULTY)
    panel = ClientPanel(lab)
    found = pictures_of(lab)
    assert {"participation", "dots"} <= set(found)
    assert plot.data_of(found["participation"][0]).took_part.sum() == attendance_of(lab.outcome.record).count(DELIVERED)
    assert panel is not None


@pytest.mark.parametrize("clients", [100])
def test_a_hundred_clients_are_drawn_in_time(clients: int) -> None:
    """The largest run of the page stays a page."""
    crowd = tk.Experiment("digits", use("iid", parties=clients), use("fedavg", batch=64), "logistic", rounds=3,
                          participation=0.1)  # fmt: skip
    found = shown(trained(crowd))
    assert len(found["participation"].value) < 400_000
    assert f"10 of {clients} asked" in words(found["participation"])
