"""Show it: the app, JupyterLab, and whether the installation is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustkit.cli.program import cli

__all__ = ["cli"]


@cli.command()
def app(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 8866,
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    address: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Serve the app by Voilà, on an embedded data set."""
    from trustkit.serve import serve_app

    serve_app(port, browser, theme, address)


@cli.command()
def lab(
    folder: Annotated[Path, typer.Argument(help="Where the notebooks are copied to; existing ones are kept.")] = Path(
        "trustkit-notebooks"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8888,
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """Open JupyterLab on the tour and the app notebook."""
    from trustkit.serve import serve_lab

    serve_lab(folder, port, browser)


@cli.command()
def doctor() -> None:
    """Say whether the installation is sound: versions, files, a training run, the server's parts."""
    from trustkit.doctor import examine

    sound = True
    for name, verdict, fine in examine():
        typer.echo(f"{'ok  ' if fine else 'FAIL'}  {name:22} {verdict}")
        sound &= fine
    if not sound:
        raise typer.Exit(1)
    typer.echo("sound")
