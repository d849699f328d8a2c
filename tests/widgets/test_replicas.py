"""The panel that asks whether an effect is real: the seeds of both sides, played by the page's worker."""

from __future__ import annotations

import asyncio
from typing import Any

import ipywidgets as w
from trustkit.widgets import Lab, ReplicaPanel
from trustkit.widgets.player import measure
from trustkit.widgets.replicas import Replicas

import trustkit as tk
from tests.widgets.labs import PLAIN, Gate, setting_of, tree
from trustkit.replicas import replicate


def opened(lab: Any) -> Any:
    """Return the inside of the panel."""
    parts = Replicas(lab)
    parts.seeds.value = 2
    return parts


def test_it_is_filled_when_it_is_opened() -> None:
    """A page that nobody asks is not slower for it."""
    panel = ReplicaPanel(Lab(setting_of(PLAIN)))
    assert len(tree(panel)) == 2
    panel.children[0].value = True
    assert len(panel.children) == 2
    assert panel.children[0].description.startswith("▾ Is it real?")
    panel.children[0].value = False
    assert panel.children[1].layout.display == "none"


def test_both_sides_are_played_with_the_same_seeds() -> None:
    """And say what `trustkit.replicas.replicate` says."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    parts = opened(lab)
    assert list(parts.wanted().values()) == [PLAIN, PLAIN.change(seed=2)]
    assert "Pin a result and change a control" in parts.view.value
    lab.pin()
    assert len(parts.sides()) == 1  # the baseline is this experiment itself
    lab.change(rounds=1)
    assert [(side, seed) for side, seed in parts.wanted()] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert "1 of 4 runs are there" in parts.view.value
    parts.playing.start(wait=True)
    assert "4 of 4 runs are there" in parts.view.value
    assert parts.start.disabled is False
    for effect in replicate(PLAIN.change(rounds=1), PLAIN, count=2):
        if effect.beyond is not None:
            assert f"<td>{effect.difference:+z.3f}</td>" in parts.view.value
            assert f"{effect.low:+z.3f} … {effect.high:+z.3f}" in parts.view.value
    assert "noise of seeds" in parts.view.value
    assert lab.outcome.record.experiment == PLAIN.change(rounds=1)
    lab.pin()
    assert "standard deviation" in parts.view.value  # alone again: how far seeds move each number


def test_seeds_that_were_stopped_are_kept() -> None:
    """What is not there yet is left out, and played on later."""

    async def test() -> None:
        gate = Gate()
        lab = gate.lab(PLAIN)
        parts = opened(lab)
        parts.start.click()
        await asyncio.to_thread(gate.arrive)
        assert parts.start.disabled
        gate.open(2)
        await asyncio.to_thread(gate.arrive)
        await asyncio.to_thread(gate.arrive)  # before the first round of the second seed
        parts.halt.click()
        gate.open()
        while parts.playing.busy:
            await asyncio.sleep(0.02)
        assert "1 of 2 runs are there" in parts.view.value
        assert parts.halt.disabled

    asyncio.run(test())


def test_no_experiment_no_seeds() -> None:
    """Said, and the button is off."""
    lab = Lab(setting_of(PLAIN))
    lab.change(axis="columns", table="wine", columns_split="correlation", parties=16)
    parts = opened(lab)
    assert lab.experiment is None
    assert "describe no experiment" in parts.view.value
    assert parts.start.disabled
    assert isinstance(parts.box, w.VBox)
