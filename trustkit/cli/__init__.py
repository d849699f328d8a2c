"""The command line: ``trustkit run | score | report | examine | audit | split | bench | app | …``; see ``--help``.

A command's words are here, what it does is in `trustkit.commands`, which is loaded when it is called.
"""

from __future__ import annotations

import re
import sys
from typing import NoReturn

import typer

import trustkit.cli.reporting
import trustkit.cli.running
import trustkit.cli.serving  # these modules enter the commands
import trustkit.cli.tables  # noqa: F401
from trustkit.cli.program import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Run the command line: status 0 on success, 2 on bad input with one line on standard error."""
    try:
        status = cli(standalone_mode=False)
    except typer.Abort:
        sys.exit(130)
    except (KeyError, TypeError, ValueError) as error:
        _refuse(str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error))
    except FileNotFoundError as error:
        _refuse(f"there is no file {error.filename!s}" if error.filename else str(error))
    except OSError as error:  # a file or folder that cannot be read or written
        _refuse(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except Exception as error:  # what Typer found wrong with the words of the call
        if type(error).__name__ == "NoArgsIsHelpError":
            cli(["--help"])
            return
        words = getattr(error, "format_message", None)
        if words is None:
            raise
        missing = re.search(r"(?:file|path) '(.+)' does not exist", words(), re.IGNORECASE | re.DOTALL)
        _refuse(f"there is no file {missing[1]}" if missing else words())
    sys.exit(status if isinstance(status, int) else 0)


def _refuse(words: str) -> NoReturn:
    print(f"trustkit: {' '.join(words.split())}", file=sys.stderr)
    sys.exit(2)
