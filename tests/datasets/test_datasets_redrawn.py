"""Another draw of the test rows: as many, others for each number, the same rows of the same data set."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from trustkit import datasets
from trustkit.datasets import redrawn


def test_draws_differ_and_repeat() -> None:
    """3,000 of letter's 15,000 rows; two draws share about a fifth of them: 600, ± 20 by chance."""
    letter = datasets.load("letter")
    draws = [redrawn(draw=number) for number in (0, 1, 1)]
    assert [int(data.held_out.sum()) for data in draws] == [3000] * 3
    assert np.array_equal(draws[1].held_out, draws[2].held_out)
    shared = int((draws[0].held_out & draws[1].held_out).sum())
    assert 500 < shared < 700
    for data in draws:
        assert np.array_equal(data.X, letter.X)
        assert (data.name, data.provenance, data.scaling) == (letter.name, letter.provenance, letter.scaling)


def test_a_draw_is_not_stratified() -> None:
    """Classes have more or fewer than a fifth, as a simple draw has it."""
    data = redrawn("letter", draw=3)
    shares = np.bincount(data.y[data.held_out]) / np.bincount(data.y)
    assert 0.01 < shares.std() < 0.03  # √(0.2 · 0.8 / 577) = 0.017


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    """UCI's layout by its name, LIBSVM's file with another scaling."""
    lines = "".join(f"{1 + row % 2} 1:{row} 2:{row % 3}\n" for row in range(50))
    (tmp_path / "few.gz").write_bytes(gzip.compress(lines.encode()))
    data = redrawn("libsvm", draw=1, path=tmp_path / "few.gz", layout="few", scaling="none", test_size=0.1)
    assert (data.name, data.X.shape, data.scaling, int(data.held_out.sum())) == ("few", (50, 2), "none", 5)
    (tmp_path / "covtype.data").write_text("".join(",".join(["1"] * 54 + [str(1 + r % 7)]) + "\n" for r in range(35)))
    cover = redrawn("uci", layout="covtype", path=tmp_path / "covtype.data")
    assert (len(cover.classes), int(cover.held_out.sum())) == (7, 7)


def test_what_is_refused() -> None:
    """An unknown data set, and itself."""
    with pytest.raises(KeyError, match="there is no data set 'lettre'"):
        redrawn("lettre")
    with pytest.raises(ValueError, match="of must be a data set that is there, got 'redrawn'"):
        redrawn("redrawn")
