"""Energy from counters and from assumptions, and emissions by hand."""

from __future__ import annotations

import logging
import math
import socket
import threading
import time
from pathlib import Path

import pytest
from codecarbon.input import DataSource

from trustkit.trust import FactSheet, assess, counters
from trustkit.trust.energy import INTENSITY, WATTS_PER_CORE, Energy, EnergyMeter, emissions, sustainability, traffic


def _counter(folder: Path, name: str, energy: int, top: int = 10**9, label: str = "") -> None:
    """Lay a counter out as Linux does: packages in ``intel-rapl``, parts of a package inside it."""
    package = folder / "intel-rapl" / name if name.count(":") == 1 else folder / "intel-rapl" / name[:-2] / name
    package.mkdir(parents=True, exist_ok=True)
    (package / "name").write_text(f"{label or f'package-{name[-1]}'}\n")
    (package / "energy_uj").write_text(f"{energy}\n")
    (package / "max_energy_range_uj").write_text(f"{top}\n")


def _spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_counters_are_read(tmp_path: Path) -> None:
    """Two packages: 3.6 J and 7.2 J are 10.8 J, 3e−6 kWh; a part of a package is not counted twice.

    CodeCarbon takes 2.77778e−7 kWh for a joule, 8e−7 more than 1/3.6e6.
    """
    _counter(tmp_path, "intel-rapl:0", 5_000_000)
    _counter(tmp_path, "intel-rapl:1", 70_000_000)
    _counter(tmp_path, "intel-rapl:0:0", 1_000_000, label="core")
    with EnergyMeter(counters=tmp_path) as meter:
        _counter(tmp_path, "intel-rapl:0", 5_000_000 + 3_600_000)
        _counter(tmp_path, "intel-rapl:1", 70_000_000 + 7_200_000)
        _counter(tmp_path, "intel-rapl:0:0", 1_000_000 + 9_000_000, label="core")
    assert meter.energy is not None
    assert meter.energy.kwh == pytest.approx(3e-6, rel=1e-6)
    assert meter.energy.measured
    assert meter.energy.words.startswith("counters (RAPL) of 2 processor packages")


def test_a_counter_may_start_over(tmp_path: Path) -> None:
    """From 9 J to 1 J with the largest value 10 J it went 2 J on."""
    _counter(tmp_path, "intel-rapl:0", 9_000_000, 10_000_000)
    with EnergyMeter(counters=tmp_path) as meter:
        _counter(tmp_path, "intel-rapl:0", 1_000_000, 10_000_000)
    assert meter.energy is not None
    assert meter.energy.kwh == pytest.approx(2 / 3.6e6, rel=1e-6)


def test_counters_are_read_in_between(tmp_path: Path) -> None:
    """One that starts over twice, from 9 J by way of 1 J and 9 J to 1 J, went 2 + 8 + 2 J on."""
    _counter(tmp_path, "intel-rapl:0", 9_000_000, 10_000_000)
    with EnergyMeter(counters=tmp_path) as meter:
        assert meter._counters is not None
        for joules in (1, 9, 1):
            _counter(tmp_path, "intel-rapl:0", joules * 1_000_000, 10_000_000)
            meter._counters._read()
    assert meter.energy is not None
    assert meter.energy.kwh == pytest.approx(12 / 3.6e6, rel=1e-6)


def test_a_clock_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Again and again inside the block, and once at its end."""
    seen = threading.Semaphore(0)
    monkeypatch.setattr(counters, "INTERVAL", 0.01)
    monkeypatch.setattr(counters.Counters, "_read", lambda self: seen.release())
    _counter(tmp_path, "intel-rapl:0", 0)
    with EnergyMeter(counters=tmp_path):
        assert seen.acquire(timeout=5)
        assert seen.acquire(timeout=5)
    assert seen.acquire(timeout=5)


@pytest.mark.parametrize("text", [None, "unreadable"])
def test_without_counters_energy_is_assumed(text: str | None, tmp_path: Path) -> None:
    """Power times processor time, and it says so; a counter that holds no number is none."""
    if text:
        _counter(tmp_path, "intel-rapl:0", 0)
        (tmp_path / "intel-rapl" / "intel-rapl:0" / "energy_uj").write_text(text)
    _assumed(tmp_path)


def test_without_the_library_energy_is_assumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters that are there but that nothing reads are no measurement."""
    _counter(tmp_path, "intel-rapl:0", 0)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    _assumed(tmp_path)


def _assumed(folder: Path) -> None:
    start = time.process_time()
    with EnergyMeter(watts=36.0, counters=folder) as meter:
        _spin(0.05)
    most = time.process_time() - start
    assert meter.energy is not None
    assert 36 * 0.05 / 3.6e6 <= meter.energy.kwh <= 36 * most / 3.6e6
    assert not meter.energy.measured
    assert meter.energy.words.startswith("assumed: 36 W for each busy core, over 0.0")


def test_nothing_is_written_said_or_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No file, no line on the screen and no connection; whose log level is whose stays so."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(socket, "socket", None)
    _counter(tmp_path, "intel-rapl:0", 0)
    level = logging.getLogger("codecarbon").level
    with EnergyMeter(counters=tmp_path):
        _counter(tmp_path, "intel-rapl:0", 10)
    assert list((tmp_path / "here").iterdir()) == []
    assert tuple(capfd.readouterr()) == ("", "")
    assert logging.getLogger("codecarbon").level == level


def test_the_worlds_mean_is_codecarbons() -> None:
    """475 gCO2/kWh, with the report of the International Energy Agency that it comes from."""
    table = DataSource().get_carbon_intensity_per_source_data()
    assert table["world_average"] == INTENSITY
    assert "iea.org/reports/global-energy-co2-status-report-2019" in str(table["world_average_source"])


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
