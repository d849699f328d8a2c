"""Files and folders that are written whole or not at all, and what a writer that was killed leaves behind.

What is being written has a name of its own, ``.report.html.3f2a91bc.unfinished`` for ``report.html``, and is renamed
when it is whole. Its writer holds a lock on it, which ends with the writer: what nobody holds was left behind, is read
by nobody, and `tidy` takes it away. No clock is asked, so none can be wrong.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["alone", "check", "folder", "scratch", "tidy", "write_bytes"]

_ENDING = ".unfinished"
_LEFT = re.compile(r"\..+\.[0-9a-f]{8}\.unfinished", re.DOTALL)
_LONGEST = 200
"""Of a name, in characters: what is added must fit into what a file system takes."""


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file in one step: all of it or nothing.

    Parameters
    ----------
    path : path-like
        Where to; missing folders are made.
    content : bytes
        What to write.

    Returns
    -------
    pathlib.Path
        The written file. Of two that write at once, one replaces what the other wrote.

    Raises
    ------
    OSError
        If it cannot be written, as where the disk is full; what was there before is still there, and the message names
        the file.

    Examples
    --------
    >>> import tempfile
    >>> write_bytes(Path(tempfile.mkdtemp()) / "new" / "a.txt", b"abc").read_bytes()
    b'abc'
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with _unfinished(target, folder=False) as temporary, open(temporary, "r+b") as file:
        file.write(content)
    return target


@contextmanager
def folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a folder in one step: all of it or nothing.

    Parameters
    ----------
    path : path-like
        Where to: new, or empty. Missing folders above it are made.

    Yields
    ------
    pathlib.Path
        An empty folder to write to, which becomes the other one at the end, and goes if anything is raised.

    Raises
    ------
    OSError
        If it cannot be written, or has files by then.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "parties"
    >>> with folder(place) as unfinished:
    ...     _ = (unfinished / "a.txt").write_text("abc"), place.exists()
    >>> [file.name for file in place.iterdir()]
    ['a.txt']
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with _unfinished(target, folder=True) as temporary:
        yield temporary
        if target.exists():
            target.rmdir()


@contextmanager
def scratch(name: str) -> Iterator[Path]:
    """Make a folder for what is needed for a while, and take away those that were left when their process was killed.

    Parameters
    ----------
    name : str
        What it is for; others with this name that nobody holds go.

    Yields
    ------
    pathlib.Path
        An empty folder among the system's temporary files, which only this user may enter; it goes at the end.

    Raises
    ------
    OSError
        If there is no place for temporary files.
    """
    place = Path(tempfile.gettempdir())
    tidy(place, name)
    with _made(place / name, folder=True, mode=0o700) as made:
        yield made


def check(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that takes no files, before the work whose outcome goes there; and tidy it.

    Parameters
    ----------
    path : path-like
        Made if missing.

    Raises
    ------
    OSError
        If it cannot be made, or nothing can be written to it; the message names it.
    """
    place = Path(path)
    place.mkdir(parents=True, exist_ok=True)
    tidy(place)
    try:
        with _made(place / "probe", folder=False):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(place)) from None


def tidy(path: str | os.PathLike[str], name: str = "") -> None:
    """Take away what writers that were killed left in a folder.

    Parameters
    ----------
    path : path-like
        The folder; nothing is done if there is none, or where the system knows no locks.
    name : str
        Only of the file or folder with this name; by default of all.

    Notes
    -----
    What somebody still writes stays, and so does what cannot be taken away: it does no harm.
    """
    start = f".{name[:_LONGEST]}." if name else "."
    with suppress(OSError):
        for left in sorted(Path(path).iterdir()):
            if left.name.startswith(start) and _LEFT.fullmatch(left.name):
                _take_away(left)


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Wait until nobody else is in here for the same folder, so that files that belong together come from one writer.

    Parameters
    ----------
    path : path-like
        The folder; made if missing.

    Yields
    ------
    None
        While no other process is between the same lines. Where the system knows no locks, nobody waits.
    """
    place = Path(path)
    place.mkdir(parents=True, exist_ok=True)
    held = _held(place, wait=True)
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


@contextmanager
def _unfinished(target: Path, folder: bool) -> Iterator[Path]:
    """Yield an empty file or folder that is renamed to the target in the end, or goes."""
    with _made(target, folder) as temporary:
        try:
            yield temporary
            os.replace(temporary, target)
        except OSError as error:
            if error.errno and error.filename in (None, str(temporary)):
                raise OSError(error.errno, error.strerror, str(target)) from None  # a write does not say where
            raise


@contextmanager
def _made(target: Path, folder: bool, mode: int = 0o777) -> Iterator[Path]:
    """Yield an empty file or folder that is held; what is still there in the end goes.

    It has its name before it is made, so that Ctrl-C between any two of these lines leaves nothing. Who tidies may have
    been faster than the lock: then another one is made.
    """
    temporary, held = _named(target), None
    try:
        while True:
            try:
                temporary.mkdir(mode) if folder else temporary.touch(exist_ok=False)  # with any new file's permissions
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(target)) from None
            held = _held(temporary, wait=True)
            if temporary.exists():
                break
            if held is not None:
                os.close(held)
            temporary, held = _named(target), None
        yield temporary
    finally:
        with suppress(OSError):
            shutil.rmtree(temporary, ignore_errors=True) if folder else temporary.unlink(missing_ok=True)
        if held is not None:
            os.close(held)


def _named(target: Path) -> Path:
    """Name what becomes the target."""
    return target.with_name(f".{target.name[:_LONGEST]}.{uuid.uuid4().hex[:8]}{_ENDING}")


def _held(path: Path, wait: bool) -> int | None:
    """Lock a file or folder until its number is closed, or the process ends; ``None`` if it is held, or cannot be."""
    try:
        import fcntl

        number = os.open(path, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BaseException as error:
        os.close(number)
        if isinstance(error, OSError):
            return None
        raise
    return number


def _take_away(left: Path) -> None:
    """Remove what nobody holds."""
    held = _held(left, wait=False)
    if held is None:
        return
    try:
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
    finally:
        os.close(held)
