"""The command ``trustkit flower``: an experiment as a Flower app."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trustkit.commands.run import _experiment, changed
from trustkit.flower.writing import write_app

__all__ = ["make"]


def make(folder: Path, name: str, setting: list[str]) -> Iterator[str]:
    """Write a Flower app.

    Parameters
    ----------
    folder : pathlib.Path
        New, or empty.
    name : str
        A preset's name or a TOML file.
    setting : list of str
        Changes, as ``algorithm=fedmedian`` or ``split__parties=4``.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such experiment, it does not fit, or the folder is in use; nothing is written then.
    """
    made = write_app(changed(_experiment(name), setting), folder)
    yield f"written to {made}; a file for each client is in {made / 'parties'}"
    yield f"simulate it: see {made / 'README.md'}, which also says how to deploy it"
