"""The command line: ``trustkit run | score | report | examine | audit | split | bench | app | …``; see ``--help``.

A command's words are here, what it does is in `trustkit.commands`, which is loaded when it is called.
"""

from __future__ import annotations

import re
import sys
from concurrent.futures import BrokenExecutor
from typing import NoReturn

import typer

import trustkit.cli.reporting
import trustkit.cli.running
import trustkit.cli.serving  # these modules enter the commands
import trustkit.cli.tables  # noqa: F401
from trustkit.cli.program import cli
from trustkit.records import Stopped

__all__ = ["cli", "main"]

_CTRL_C = 130
"""The status of a command that Ctrl-C ended."""


def main() -> None:
    """Run the command line: status 0 on success, 2 on bad input and 130 on Ctrl-C, with one line on standard error."""
    try:
        status = cli(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort, Stopped) as error:
        _leave(str(error))
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            cli(["--help"])
            return
        words = _words(error)
        if words is None:
            raise
        _refuse(words)
    if status == _CTRL_C:  # what Typer makes of it
        _leave()
    sys.exit(status if isinstance(status, int) else 0)


def _words(error: Exception) -> str | None:
    """Return the sentence for what a person, the disk or the memory did not allow; ``None`` for a mistake of ours."""
    if isinstance(error, FileNotFoundError):
        return f"there is no file {error.filename!s}" if error.filename else str(error)
    if isinstance(error, OSError):  # a file or folder that cannot be read or written
        return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    if isinstance(error, KeyError):
        return str(error.args[0]) if error.args else str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: fewer rows, a smaller model or fewer workers need less"
    if isinstance(error, (TypeError, ValueError, BrokenExecutor)):
        return str(error)
    words = getattr(error, "format_message", None)  # what Typer found wrong with the words of the call
    if words is None:
        return None
    missing = re.search(r"(?:file|path) '(.+)' does not exist", words(), re.IGNORECASE | re.DOTALL)
    return f"there is no file {missing[1]}" if missing else str(words())


def _leave(kept: str = "") -> NoReturn:
    """End as Ctrl-C does, and say what is left."""
    print(f"trustkit: stopped{'; ' * bool(kept)}{kept}", file=sys.stderr)
    sys.exit(_CTRL_C)


def _refuse(words: str) -> NoReturn:
    print(f"trustkit: {' '.join(words.split())}", file=sys.stderr)
    sys.exit(2)
