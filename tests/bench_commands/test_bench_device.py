"""The bench of a graphics card: real work on both sides, equal results, and a clean end where there is no card."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch

from trustkit import cli
from trustkit.bench import device
from trustkit.bench.device import Timed, time_device
from trustkit.rounds import build


def test_the_same_engine_on_the_processor_is_equal() -> None:
    """Three pieces of work, done by both engines, with the same results; the seconds are measured, not judged."""
    found = list(time_device("cpu", quick=True))
    assert [each.work.split()[0] for each in found] == ["Icor", "FedAvg,", "SplitNN"]
    assert all(each.equal for each in found)
    assert all(each.here > 0 and each.there > 0 for each in found)
    assert found[2].apart == 0  # SplitNN is one code on every device


def test_unlike_results_are_said_to_be_so() -> None:
    """Speed of a wrong result is none."""
    assert not Timed("x", 1.0, 0.5, 0.01).equal
    assert Timed("x", 1.0, 0.5, 0.0).ratio == 2


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a graphics card here")
def test_without_a_card_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 0, one line."""
    monkeypatch.setattr(sys, "argv", ["trustkit", "bench", "device"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    assert capsys.readouterr().out == "nothing was measured: device must be one of cpu here, got 'cuda'\n"


def test_there_are_a_thousand_clients() -> None:
    """In the full mode, of real rows, each with some to train on."""
    fed = build(device._among(1000, 5)).fed
    assert len(fed) == 1000
    assert not fed.data.provenance.synthetic
    rows = np.bincount(fed.partition.owner[~fed.data.held_out], minlength=1000)
    assert rows.min() > 0
