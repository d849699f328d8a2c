"""Whole or not at all: what a failed, a killed and a second writer leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from trustkit import whole

HOLDS = """
import sys, time
from pathlib import Path
from trustkit import whole
with {what} as unfinished:
    print(unfinished, flush=True)
    time.sleep(60)
"""


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """Nothing else is left, and the permissions are those of any new file."""
    (tmp_path / "any").touch()
    written = whole.write_bytes(tmp_path / "new" / "a.txt", b"one")
    assert whole.write_bytes(written, b"two") == written
    assert written.read_bytes() == b"two"
    assert list(written.parent.iterdir()) == [written]
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE((tmp_path / "any").stat().st_mode)


def test_a_very_long_name_can_be_written(tmp_path: Path) -> None:
    """As long as a file system allows: what is added while it is written is cut from the name."""
    assert whole.write_bytes(tmp_path / ("a" * 255), b"x").read_bytes() == b"x"


@pytest.mark.parametrize("event", ["line", "opcode"])
def test_ctrl_c_at_every_step(event: str, tmp_path: Path) -> None:
    """Wherever it comes, the file is the one before or the new one, and nothing else is there."""
    target = tmp_path / "a.txt"
    contents = set()
    for at in range(10_000):
        whole.write_bytes(target, b"before")
        came = _interrupted(lambda: whole.write_bytes(target, b"new"), event, at)
        assert [file.name for file in tmp_path.iterdir()] == ["a.txt"], at
        contents.add((came, target.read_bytes()))
        if not came:
            break
    assert at > 20
    assert contents == {(True, b"before"), (True, b"new"), (False, b"new")}


def _interrupted(does: Callable[[], object], event: str, at: int) -> bool:
    """Do it and raise KeyboardInterrupt at a step of it; return whether it came to that."""
    left = at
    watched = {whole.__file__, contextlib.__file__}

    def each(frame: FrameType, what: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in watched:
            return None
        frame.f_trace_opcodes = event == "opcode"
        if what == event:
            left -= 1
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return each

    before = sys.gettrace()
    sys.settrace(each)
    try:
        does()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    """By the name that was asked for, and what was there stays."""
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="a") as caught:
        whole.write_bytes(tmp_path / "a", b"x")
    assert str(tmp_path / "a") in (caught.value.filename, caught.value.filename2)
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_folder_is_there_when_it_is_whole(tmp_path: Path) -> None:
    """Or not at all; one with files is not replaced, an empty one is."""
    (tmp_path / "out").mkdir()
    with whole.folder(tmp_path / "out") as unfinished:
        (unfinished / "a").write_text("x", encoding="utf-8")
        assert not list((tmp_path / "out").iterdir())
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["a"]
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), whole.folder(tmp_path / "other"):
            raise error
    with pytest.raises(OSError, match="not empty"), whole.folder(tmp_path / "out") as unfinished:
        (unfinished / "b").touch()
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("what", ["whole._unfinished(Path('{}') / 'a.txt', folder=False)", "whole.folder('{}/out')"])
def test_what_a_killed_writer_left_is_taken_away(what: str, tmp_path: Path) -> None:
    """But not while it lives, and nothing else goes."""
    for other in (".a.txt", ".a.txt.0a1b2c3d", "a.txt.0a1b2c3d.unfinished", ".a.txt.0A1B2C3D.unfinished"):
        (tmp_path / other).touch()
    before = set(tmp_path.iterdir())
    code = HOLDS.format(what=what.format(tmp_path))
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    unfinished = Path(writer.stdout.readline().strip())
    assert unfinished in set(tmp_path.iterdir()) - before
    whole.tidy(tmp_path)
    assert unfinished.exists()
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    whole.tidy(tmp_path, "b.txt")
    assert unfinished.exists()
    whole.tidy(tmp_path, unfinished.name[1 : -len(".0a1b2c3d.unfinished")])
    assert set(tmp_path.iterdir()) == before
    whole.tidy(tmp_path / "nowhere")


def test_a_folder_for_a_while_is_private_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So do those of processes that were killed, once another one is made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / ".sweep.0a1b2c3d.unfinished"
    left.mkdir()
    (left / "rows").touch()
    with whole.scratch("sweep") as first, whole.scratch("sweep") as second:
        assert not left.exists()
        assert stat.S_IMODE(first.stat().st_mode) == 0o700
        assert sorted(tmp_path.iterdir()) == sorted([first, second])
    assert not list(tmp_path.iterdir())


def test_one_at_a_time_is_alone(tmp_path: Path) -> None:
    """The second waits for the first, in another thread as in another process."""
    order = []

    def second() -> None:
        with whole.alone(tmp_path / "out"):
            order.append("second")

    with whole.alone(tmp_path / "out"):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join(timeout=10)
    assert order == ["first", "second"]


def test_many_writers_of_one_file_and_one_who_tidies(tmp_path: Path) -> None:
    """Every write succeeds, and the file is always one of those that were written."""
    contents, failed = [bytes([k]) * 10_000 for k in range(4)], list[BaseException]()

    def write(content: bytes) -> None:
        try:
            for _ in range(60):
                whole.write_bytes(tmp_path / "a", content)
                assert (tmp_path / "a").read_bytes() in contents
        except BaseException as error:  # the main thread tells
            failed.append(error)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        whole.tidy(tmp_path)
    assert not failed
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
