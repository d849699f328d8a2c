"""NUS-WIDE's folder, with three training rows and two test rows: views, concepts, and lines that end in a blank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trustkit.datasets import load, read_nuswide
from trustkit.datasets.nuswide import VIEWS
from trustkit.split import by_views

ROWS = {"Train": 3, "Test": 2}
LABELS = {"Train": [1, 0, 1], "Test": [0, 1]}


def _value(view: str, part: str, row: int, column: int) -> float:
    """Return a number that tells all four apart."""
    return [*VIEWS, "Tags1k"].index(view) * 1e6 + (part == "Test") * 1e5 + row * 1e4 + column


def _folder(folder: Path, flat: bool = False, end: str = " ") -> Path:
    places = [folder] * 3 if flat else [
        folder / "Low_Level_Features", folder / "NUS_WID_Tags", folder / "Groundtruth" / "TrainTestLabels"
    ]  # fmt: skip
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
    for part, n in ROWS.items():
        for view, width in VIEWS.items():
            rows = [[_value(view, part, i, j) for j in range(width)] for i in range(n)]
            text = "".join(
                " ".join(f"{value:g}" if value < 1e6 else f"{value:.0f}" for value in row) + f"{end}\n" for row in rows
            )
            (places[0] / f"{part}_Normalized_{view}.dat").write_text(text)
        rows = [[_value("Tags1k", part, i, j) for j in range(1000)] for i in range(n)]
        (places[1] / f"{part}_Tags1k.dat").write_text(
            "".join("\t".join(f"{v:.0f}" for v in row) + "\n" for row in rows)
        )
        for concept, flip in (("sky", 0), ("water", 1)):
            labels = "".join(f"{label ^ flip}\n" for label in LABELS[part])
            (places[2] / f"Labels_{concept}_{part}.txt").write_text(labels)
    return folder


def _expected(views: list[str]) -> list[list[float]]:
    widths = VIEWS | {"Tags1k": 1000}
    return [[_value(view, part, i, j) for view in views for j in range(widths[view])]
            for part, n in ROWS.items() for i in range(n)]  # fmt: skip


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("end", [" ", ""])
def test_five_views_of_the_pictures(tmp_path: Path, flat: bool, end: str) -> None:
    """64 + 144 + 73 + 128 + 225 = 634 columns; the blank at the end of lines adds none and is noted."""
    data = read_nuswide(_folder(tmp_path, flat, end), concept="sky", precision="float64")
    assert data.X.tolist() == _expected(list(VIEWS))
    assert data.X.shape == (5, 634)
    assert (data.y.tolist(), data.classes) == ([1, 0, 1, 0, 1], ("other", "sky"))
    assert data.held_out.tolist() == [False, False, False, True, True]
    assert data.notes["phantom_column"] == (tuple(VIEWS) if end else ())
    assert (data.columns[0], data.columns[64], data.columns[-1]) == ("CH.0", "CORR.0", "CM55.224")
    assert len(data.provenance.sha256) == 64
    parties = by_views(data)
    assert np.bincount(parties.owner).tolist() == [64, 144, 73, 128, 225]


def test_tags_are_a_sixth_view(tmp_path: Path) -> None:
    """1,000 more columns; another concept has other labels; float32 by default."""
    data = load("nuswide", path=str(_folder(tmp_path)), concept="water", tags=True)
    assert data.X.dtype == np.float32
    assert data.X.tolist() == _expected([*VIEWS, "Tags1k"])
    assert data.y.tolist() == [0, 1, 0, 1, 0]
    assert data.notes["views"][-1000:] == ("Tags1k",) * 1000
    assert not data.X.flags.writeable


def test_a_concept_that_is_not_there(tmp_path: Path) -> None:
    """The message lists those that are."""
    with pytest.raises(ValueError, match=r"^concept must be one with a file Labels_…_Train.txt, got 'moon'; there are "
                                         r"sky, water$"):  # fmt: skip
        read_nuswide(_folder(tmp_path), concept="moon")
    with pytest.raises(ValueError, match=r"got 'sky'; there are none$"):
        read_nuswide(tmp_path / "Low_Level_Features", concept="sky")


def test_what_does_not_fit(tmp_path: Path) -> None:
    """No folder; a file that is missing; rows, columns, labels that differ; a value that is no number."""
    with pytest.raises(ValueError, match=r"^path must be the folder of NUS-WIDE, got '/no/NUS-WIDE'$"):
        read_nuswide("/no/NUS-WIDE", concept="sky")
    with pytest.raises(ValueError, match=r"^precision must be float32 or float64, got 'half'$"):
        read_nuswide(tmp_path, concept="sky", precision="half")  # type: ignore[arg-type]
    folder = _folder(tmp_path, flat=True)
    file = folder / "Test_Normalized_WT.dat"
    whole = file.read_text()
    file.write_text(whole.splitlines()[0] + "\n")
    with pytest.raises(ValueError, match=r"Test_Normalized_WT.dat must have the 2 rows of Labels_sky_Test.txt, got 1$"):
        read_nuswide(folder, concept="sky")
    file.write_text(whole.replace(" 3100004 ", " "))
    with pytest.raises(ValueError, match=r"^line 1 of .*Test_Normalized_WT.dat must have 128 numbers, got 127$"):
        read_nuswide(folder, concept="sky")
    file.write_text(whole.replace(" 3110004 ", " four "))
    with pytest.raises(ValueError, match=r"^line 2 of .*Test_Normalized_WT.dat must hold finite numbers, got 'four'$"):
        read_nuswide(folder, concept="sky")
    file.unlink()
    with pytest.raises(ValueError, match=r"^path must be the folder of NUS-WIDE with all its files, got '.*WT.dat'$"):
        read_nuswide(folder, concept="sky")
    (folder / "Labels_sky_Test.txt").write_text("0\n2\n")
    file.write_text(whole)
    with pytest.raises(ValueError, match=r"Labels_sky_Test.txt must say 0 or 1 for sky, got 2$"):
        read_nuswide(folder, concept="sky")
