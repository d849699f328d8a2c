"""The bench of growth: points in processes of their own, exponents, what does not fit, files, the command."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trustkit import cli, jsonfile
from trustkit.bench import growth as bench
from trustkit.bench.growth import Growth, read_growth, run_growth, still
from trustkit.bench.growth_curves import AXES, CURVES, QUICK, Curve
from trustkit.bench.growth_fit import slope, upper
from trustkit.bench.growth_page import faster, growth_page, summary
from trustkit.bench.growth_picture import draw_growth
from trustkit.bench.growth_point import Point, measured
from trustkit.serve import NOTEBOOKS

KRUM, DEALT = CURVES["clients", "krum"], CURVES["rows", "dirichlet"]


def made(exponent: float, curve: Curve = KRUM) -> Growth:
    """Make up the points of a curve."""
    points = [Point(curve.axis, curve.name, size, 1e-6 * size**exponent, 1.0, 3, 10**6 * size) for size in curve.sizes]
    return Growth(bench.machine_here(), (0.5, 2.0), tuple(points))


def test_a_power_is_found_and_its_bend_is_told() -> None:
    """Exactly where there is one; with its range where fixed costs bend it, and the upper half is nearer."""
    sizes = [10, 100, 1000, 10_000, 100_000]
    exact = slope(sizes, [3e-6 * size**1.5 for size in sizes])
    assert exact is not None
    assert (exact.exponent, exact.low, exact.high, exact.residual) == pytest.approx((1.5, 1.5, 1.5, 1.0))
    bent = [0.01 + 1e-5 * size for size in sizes]
    whole, half = slope(sizes, bent), upper(sizes, bent)
    assert whole is not None
    assert half is not None
    assert whole.low < whole.exponent < half.exponent < whole.high < 1
    assert whole.residual > half.residual > 1
    assert (half.first, half.points) == (1000, 3)
    assert slope(sizes[:2], bent[:2]) is None
    for wrong in ((sizes, bent[:2]), (sizes, [0.0] * 5), (sizes[::-1], bent)):
        with pytest.raises(ValueError, match="must be"):
            slope(*wrong)


def test_every_axis_reaches_its_end() -> None:
    """10 to 100,000 clients, 16 to 20,000 columns, 2 to 2,048 parties, 1,000 to a million rows."""
    ends = {axis: (sizes[0], sizes[-1]) for axis, (sizes, _) in AXES.items()}
    assert ends == {"clients": (10, 100_000), "columns": (16, 20_000), "parties": (2, 2048), "rows": (1000, 1_000_000)}
    assert {axis for axis, _ in CURVES} == set(AXES) == set(QUICK)


def test_a_point_is_measured_in_a_process_of_its_own() -> None:
    """Seconds and bytes of real work; too little time or memory is a reason, not an error."""
    found = measured(DEALT, 30_000, 30, 10**9)
    assert found.why == ""
    assert found.cpu is not None
    assert 0 < found.cpu < 1
    assert found.repeats > 1
    if sys.platform == "linux":
        assert found.memory is not None
        assert 30_000 * 16 * 8 <= found.memory < 10**8
        small = measured(CURVES["rows", "spearman"], 1_000_000, 60, 10**7)
        assert small.cpu is None
        assert "allocate" in small.why
        assert measured(CURVES["columns", "icor"], 5000, 1, 4 * 10**9).why == "more than 1 s of processor time"


def test_a_run_goes_on_and_ends_a_curve_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points are kept as they come; after one that did not fit no larger one is tried."""
    asked: list[tuple[str, int]] = []

    def point(curve: Curve, size: int, seconds: float, room: int) -> Point:
        asked.append((curve.name, size))
        if len(asked) == 4:
            raise KeyboardInterrupt
        fits = curve.name != "krum"
        return Point(curve.axis, curve.name, size, 1e-4 * size, 1.0, 1, 10**6, "") if fits else Point(
            curve.axis, curve.name, size, why="more than 60 s of processor time")  # fmt: skip

    monkeypatch.setattr(bench, "measured", point)
    with pytest.raises(KeyboardInterrupt):
        run_growth(tmp_path, quick=True, only=["clients"])
    assert len(read_growth(tmp_path / "growth.json").points) == 3
    found = run_growth(tmp_path, quick=True, only=["clients"])
    assert [size for name, size in asked if name == "krum"] == [10]
    assert not list(still(found, True, ["clients"]))
    assert {path.name for path in tmp_path.iterdir()} == {f"growth.{kind}" for kind in ("json", "csv", "svg", "md")}
    rows = list(csv.DictReader(io.StringIO((tmp_path / "growth.csv").read_text(encoding="utf-8"))))
    assert len(rows) == len(found.points) == 21
    assert "a round of Krum, 10, 30," in (tmp_path / "growth.md").read_text(encoding="utf-8")
    again = run_growth(tmp_path, quick=True, only=["clients"], seconds=90)
    assert [size for name, size in asked if name == "krum"] == [10, 10]
    assert len(again.points) == len(found.points)
    jsonfile.write_text(tmp_path / "growth.json", jsonfile.dumps({"machine": {}, "load": [], "points": []}))
    with pytest.raises(ValueError, match="must be of this machine to be gone on with"):
        run_growth(tmp_path, only=["clients"])


def test_what_grows_too_fast_is_said() -> None:
    """Krum as the square is expected; as the cube it is not."""
    assert not faster(made(2.0), KRUM)
    assert faster(made(3.0), KRUM)
    assert "Faster than expected by more than 0.2 in the upper half: a round of Krum." in growth_page(made(3.0))
    page = growth_page(made(2.0))
    assert "| a round of Krum | 2 | 2.00 (2.00…2.00), × 1.00 | 2.00 (2.00…2.00), × 1.00 |" in page
    assert "None of 1 that can be judged grows faster" in page
    assert any("2.00 (2.00…2.00)" in line for line in summary(made(2.0), "clients"))
    assert not faster(made(3.0), replace(KRUM, expected=None))


def test_the_picture_has_a_row_an_axis() -> None:
    """Both costs, logarithmic; an axis without points says so."""
    figure = draw_growth(made(2.0))
    assert len(figure.axes) == 2 * len(AXES)
    assert {axes.get_yscale() for axes in figure.axes[:2]} == {"log"}
    assert [text.get_text() for text in figure.axes[2].texts] == ["nothing was measured"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "layers"), "only must name some of clients, columns, parties, rows, got 'layers'"),
        (("--minutes", "0"), "minutes must be above 0, got 0"),
        (("--seconds", "0.5"), "seconds must be at least 1, got 0.5"),
    ],
)
def test_what_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...],
    message: str,
) -> None:  # fmt: skip
    """Status 2, one line, nothing written."""
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "argv", ["trustkit", "bench", "growth", *words, "--out", str(out)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_another_file_is_refused(tmp_path: Path) -> None:
    """With its name."""
    (tmp_path / "other.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json must be a file that trustkit bench growth wrote"):
        read_growth(tmp_path / "other.json")


def test_the_page_is_what_the_points_say() -> None:
    """Word for word, and there are points of every axis."""
    stored = read_growth(NOTEBOOKS / "growth.json")
    assert (NOTEBOOKS / "growth.md").read_text(encoding="utf-8") == growth_page(stored)
    assert {point.axis for point in stored.points} == set(AXES)
