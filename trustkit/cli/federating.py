"""Real federations: an experiment as a Flower app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["flower"]

flower = typer.Typer(help="Real federations by Flower.", no_args_is_help=True)


@flower.callback()
def _group() -> None:
    """Real federations by Flower."""


@flower.command()
def init(
    folder: Annotated[Path, typer.Argument(help="A new folder for the app.", file_okay=False)],
    experiment: Annotated[str, typer.Argument(help="A preset's name or a TOML file.")] = "start",
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any part, as algorithm=fedmedian; may be repeated.")
    ] = None,
) -> None:
    """Write an experiment as a Flower app, with a file of rows for each client."""
    from trustkit.commands.flower import make

    for line in make(folder, experiment, setting or []):
        typer.echo(line)
