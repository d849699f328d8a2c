"""The README's animated picture, taken from the running app: ``python -m tests.browser.animate`` writes it anew.

The app is served as ``trustkit app`` serves it, a real Chromium opens it and presses the same keys as a person would,
and every frame is a screenshot. Beside the animation a still picture of its end is written.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageChops, ImageDraw, ImageFont

from tests.browser.driving import _FLAGS, free_port, local_only, serve, stop
from tests.browser.test_app import RADAR, click, press, state

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["LARGEST", "SECONDS", "WIDTH", "Frame", "compose", "film"]

WIDTH, LARGEST, SECONDS = 900, 3_000_000, (6.0, 10.0)
"""Pixels, bytes, and how long it takes from start to end, in seconds."""

_FOLDER = Path(__file__).parents[2] / ".github"
_VIEW = {"width": 1320, "height": 1090}
_PATIENCE = 240_000
"""Milliseconds for the app to come up on a busy machine."""
_STRIP, _INK, _PAPER = 34, "#1d2328", "#eef1f3"
_STEP, _READ, _END = 0.14, 1.1, 2.2
"""Seconds of a frame in motion, of one to read, and of the last."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A screenshot, the words under it, and how many seconds it stays."""

    picture: Image.Image
    words: str
    seconds: float


def film(page: Page, url: str) -> Iterator[Frame]:
    """Do what the README tells of, and yield what a person sees.

    Parameters
    ----------
    page : Page
        Of 1,320 × 1,090 pixels.
    url : str
        The app.

    Yields
    ------
    Frame
        Pin, lower ε, Run, and the radar beside its baseline.
    """
    page.goto(url, timeout=_PATIENCE)
    page.wait_for_selector(f"{RADAR} svg", timeout=_PATIENCE)
    state(page, "idle", _PATIENCE)
    yield Frame(_shot(page), "A recorded run on 16,000 survey rows: ten clients, six pillars of trust", _READ)
    click(page, "Pin")
    page.wait_for_timeout(400)
    yield Frame(_shot(page), "1  Pin it as the baseline", _READ)
    words = "2  Lower ε: more noise, more privacy"
    for _ in range(11):
        press(page, "ε privacy budget", "ArrowLeft")
        page.wait_for_timeout(120)
        yield Frame(_shot(page), words, _STEP)
    click(page, "Run")
    end = time.monotonic() + 240
    while time.monotonic() < end:
        yield Frame(_shot(page), "3  Run: every round redraws the page", _STEP)
        said = page.locator(".tk-v-status .tk-state").inner_text()
        if said.startswith("idle") and " done" in said:
            break
    page.wait_for_timeout(600)
    yield Frame(_shot(page), "Privacy has risen, accuracy has not: the baseline stays dashed", _END)


def _shot(page: Page) -> Image.Image:
    """What is on the screen, from the top of the page on."""
    page.evaluate("window.scrollTo(0, 0)")
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def compose(frames: Sequence[Frame]) -> tuple[list[Image.Image], list[int]]:
    """Scale frames, write their words under them, and join those that look the same.

    Parameters
    ----------
    frames : sequence of Frame
        In order.

    Returns
    -------
    pictures, milliseconds : list of Image, list of int
        900 pixels wide; frames in motion are thinned out evenly until all together take at most 10 seconds.
    """
    kept: list[Frame] = []
    for frame in frames:
        same = bool(kept) and kept[-1].words == frame.words and not _differ(kept[-1].picture, frame.picture)
        if not same:
            kept.append(frame)
    moving = [k for k, frame in enumerate(kept) if frame.seconds == _STEP]
    still = sum(frame.seconds for frame in kept) - _STEP * len(moving)
    room = max(1, int((SECONDS[1] - 0.2 - still) / _STEP))
    if len(moving) > room:
        chosen = {moving[round(k * (len(moving) - 1) / max(1, room - 1))] for k in range(room)}
        kept = [frame for k, frame in enumerate(kept) if k not in moving or k in chosen]
    return [_labelled(frame) for frame in kept], [round(1000 * frame.seconds) for frame in kept]


def _differ(one: Image.Image, other: Image.Image) -> bool:
    return ImageChops.difference(one, other).getbbox() is not None


def _labelled(frame: Frame) -> Image.Image:
    """The screenshot, 900 pixels wide, over a strip with the words."""
    import matplotlib

    scale = WIDTH / frame.picture.width
    small = frame.picture.resize((WIDTH, round(frame.picture.height * scale)), Image.Resampling.LANCZOS)
    sheet = Image.new("RGB", (WIDTH, small.height + _STRIP), _PAPER)
    sheet.paste(small)
    font = ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans-Bold.ttf", 17)
    ImageDraw.Draw(sheet).text((16, small.height + _STRIP / 2), frame.words, _INK, font, anchor="lm")
    return sheet


def write(pictures: Sequence[Image.Image], milliseconds: Sequence[int], path: Path) -> None:
    """Write a looping GIF with one palette for all frames, and its last frame as PNG beside it."""
    small = [each.resize((each.width // 4, each.height // 4), Image.Resampling.NEAREST) for each in pictures]
    sheet = Image.new("RGB", (small[0].width, sum(each.height for each in small)))
    for k, each in enumerate(small):
        sheet.paste(each, (0, k * each.height))
    palette = sheet.quantize(255, dither=Image.Dither.NONE)
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    buffer = io.BytesIO()
    flat[0].save(buffer, "GIF", save_all=True, append_images=flat[1:], duration=list(milliseconds), loop=0,
                  optimize=False)  # fmt: skip
    if buffer.tell() > LARGEST:
        raise ValueError(f"the animation must have at most {LARGEST:,} bytes, got {buffer.tell():,}")
    path.write_bytes(buffer.getvalue())
    pictures[-1].save(path.with_suffix(".png"), optimize=True)


def main(path: Path) -> None:
    """Serve the app, film it, write both pictures."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    chromium = os.environ.get("TRUSTKIT_CHROMIUM") or next(filter(None, map(shutil.which, names)))
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        server = serve([sys.executable, "-m", "trustkit", "app", "--no-browser", "--port", str(port)],
                       f"http://127.0.0.1:{port}/voila/static/main.js", Path(folder))  # fmt: skip
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
                page = browser.new_context(viewport=_VIEW, color_scheme="light", bypass_csp=True).new_page()  # type: ignore[arg-type]
                local_only(page)
                frames = list(film(page, f"http://127.0.0.1:{port}/"))
                browser.close()
        finally:
            stop(server)
    pictures, milliseconds = compose(frames)
    write(pictures, milliseconds, path)
    print(f"{path}: {len(pictures)} frames, {sum(milliseconds) / 1000:.1f} s, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER / "app.gif")
