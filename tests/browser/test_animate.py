"""The README's animated picture: what its script makes of screenshots, and the file that is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from tests.browser.animate import LARGEST, SECONDS, WIDTH, Frame, compose, write

GITHUB = Path(__file__).parents[2] / ".github"


def frames(count: int) -> list[Frame]:
    """A still frame, so many that move, and a still one."""
    moving = [
        Frame(Image.new("RGB", (1180, 900), (40 * k % 256, 99, k * 40 // 256)), "moves", 0.14) for k in range(count)
    ]
    still = Image.new("RGB", (1180, 900), "white")
    return [Frame(still, "begins", 1.1), *moving, Frame(still, "ends", 2.2)]


def test_frames_are_scaled_labelled_and_thinned_out() -> None:
    """At most ten seconds, however long the run took; first and last frames stay; what does not move is one frame."""
    pictures, milliseconds = compose(frames(400))
    assert {picture.width for picture in pictures} == {WIDTH}
    assert sum(milliseconds) <= 1000 * SECONDS[1]
    assert (milliseconds[0], milliseconds[-1]) == (1100, 2200)
    assert len(pictures) > 30
    assert len(compose([frames(1)[1]] * 5)[0]) == 1
    assert len(compose(frames(7))[0]) == 9


def test_written_as_a_loop_with_a_still_picture(tmp_path: Path) -> None:
    """A GIF that says how long each frame stays, and its last frame."""
    pictures, milliseconds = compose(frames(7))
    write(pictures, milliseconds, tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as found:
        assert (len(list(ImageSequence.Iterator(found))), found.info["loop"]) == (9, 0)
    with Image.open(tmp_path / "a.png") as still:
        assert still.size == pictures[-1].size


@pytest.mark.skipif(not (GITHUB / "app.gif").is_file(), reason="a source distribution has no pictures of the README")
def test_the_picture_of_the_readme() -> None:
    """900 pixels wide, at most 3 MB, 6 to 10 seconds, for ever; beside it a still one."""
    file = GITHUB / "app.gif"
    assert file.stat().st_size <= LARGEST
    with Image.open(file) as found:
        assert found.width == WIDTH
        assert found.info["loop"] == 0
        seconds = sum(frame.info["duration"] for frame in ImageSequence.Iterator(found)) / 1000
    assert SECONDS[0] <= seconds <= SECONDS[1]
    with Image.open(GITHUB / "app.png") as still:
        assert still.width == WIDTH
