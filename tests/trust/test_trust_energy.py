"""Energy from counters and from assumptions, and emissions by hand."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from trustkit.trust import FactSheet, assess
from trustkit.trust.energy import WATTS_PER_CORE, Energy, EnergyMeter, emissions, sustainability, traffic


def _counter(folder: Path, name: str, energy: int, top: int = 10**9) -> None:
    package = folder / name
    package.mkdir(exist_ok=True)
    (package / "energy_uj").write_text(f"{energy}\n")
    (package / "max_energy_range_uj").write_text(f"{top}\n")


def _spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_counters_are_read(tmp_path: Path) -> None:
    """Two packages: 3.6 J and 7.2 J are 10.8 J, 3e−6 kWh; a part of a package is not counted twice."""
    _counter(tmp_path, "intel-rapl:0", 5)
    _counter(tmp_path, "intel-rapl:1", 7)
    _counter(tmp_path, "intel-rapl:0:0", 1)
    with EnergyMeter(counters=tmp_path) as meter:
        _counter(tmp_path, "intel-rapl:0", 5 + 3_600_000)
        _counter(tmp_path, "intel-rapl:1", 7 + 7_200_000)
        _counter(tmp_path, "intel-rapl:0:0", 1 + 9_000_000)
    assert meter.energy is not None
    assert meter.energy.kwh == pytest.approx(3e-6)
    assert meter.energy.measured
    assert meter.energy.words.startswith("counters (RAPL) of 2 processor packages")


def test_a_counter_may_start_over(tmp_path: Path) -> None:
    """From 999 to 99 with the largest value 999 it went 100 on."""
    _counter(tmp_path, "intel-rapl:0", 999, 999)
    with EnergyMeter(counters=tmp_path) as meter:
        _counter(tmp_path, "intel-rapl:0", 99, 999)
    assert meter.energy is not None
    assert meter.energy.kwh == pytest.approx(100 / 1e6 / 3.6e6)


@pytest.mark.parametrize("text", [None, "unreadable"])
def test_without_counters_energy_is_assumed(text: str | None, tmp_path: Path) -> None:
    """Power times processor time, and it says so; a counter that holds no number is none."""
    if text:
        _counter(tmp_path, "intel-rapl:0", 0)
        (tmp_path / "intel-rapl:0" / "energy_uj").write_text(text)
    start = time.process_time()
    with EnergyMeter(watts=36.0, counters=tmp_path) as meter:
        _spin(0.05)
    most = time.process_time() - start
    assert meter.energy is not None
    assert 36 * 0.05 / 3.6e6 <= meter.energy.kwh <= 36 * most / 3.6e6
    assert not meter.energy.measured
    assert meter.energy.words.startswith("assumed: 36 W for each busy core, over 0.0")


def test_energy_is_taken_when_the_block_fails(tmp_path: Path) -> None:
    """A run that is stopped has used energy too; the error goes on."""
    meter = EnergyMeter(counters=tmp_path)
    with pytest.raises(KeyError, match="stopped"), meter:
        raise KeyError("stopped")
    assert meter.energy is not None
    assert f"{WATTS_PER_CORE:g} W" in meter.energy.words


def test_emissions_by_hand() -> None:
    """736,152 bytes at 32.87 gCO2/kWh: the number that NEBULA's extension prints."""
    assert traffic(736152, 32.87) == pytest.approx(0.00542019883776, rel=1e-12)
    assert emissions(2.0, 32.87) == pytest.approx(65.74)
    facts = sustainability(Energy(1e-3, True, "read"), 32.87, 709, upload=736152, download=0)
    assert facts == pytest.approx({
        "sustainability/carbon_intensity_clients": 32.87, "sustainability/carbon_intensity_server": 709,
        "sustainability/emissions_training": 0.03287, "sustainability/emissions_communication_uplink": 0.00542019883776,
        "sustainability/emissions_communication_downlink": 0,
    })  # fmt: skip


def test_the_facts_fit_a_sheet_and_are_scored() -> None:
    """By NEBULA's pillar: .98 and .11 for the two intensities."""
    sheet = FactSheet(sustainability(Energy(1e-3, True, "read"), 32.87, 709))
    report = assess(sheet, "nebula-1.0")
    assert (report["carbon_intensity_clients"].score, report["carbon_intensity_server"].score) == (0.98, 0.11)
    assert "sustainability/emissions_communication_uplink" not in sheet


def test_what_is_refused() -> None:
    """Negative, infinite, not a number; no power."""
    with pytest.raises(ValueError, match="kwh must be at least 0 and finite, got -1"):
        emissions(-1, 5)
    with pytest.raises(ValueError, match="intensity must be at least 0 and finite, got nan"):
        traffic(1, math.nan)
    with pytest.raises(ValueError, match="server must be at least 0 and finite, got inf"):
        sustainability(Energy(1, True, ""), 1, math.inf)
    with pytest.raises(ValueError, match="watts must be above 0 and finite, got 0"):
        EnergyMeter(watts=0)
