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
    browser: Annotated[bool, typer.Option(help="Open a browser window; a public server opens none.")] = True,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    language: Annotated[str, typer.Option(help="Of the page, as en; by default what TRUSTKIT_LANGUAGE says.")] = "",
    address: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    base_url: Annotated[str, typer.Option(help="Path that the app lies under, for a reverse proxy.")] = "/",
    token: Annotated[
        str | None,
        typer.Option(help="Key to the page; made up for any address but this machine's, empty for no key."),
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="For strangers: caps on work and memory.")] = False,
    pool: Annotated[
        int | None, typer.Option(min=0, help="Pages drawn in advance; by default 1, and 8 if public.")
    ] = None,
    visitors: Annotated[int, typer.Option(min=0, help="Public: the most at a time; 0 sets no bound.")] = 30,
    memory: Annotated[int, typer.Option(min=0, help="Public: MB that a visitor may allocate; 0 sets no bound.")] = 1536,
    idle: Annotated[int, typer.Option(min=1, help="Seconds after which a kernel without a page is ended.")] = 600,
    sweep: Annotated[int, typer.Option(min=1, help="Seconds between looks for such kernels.")] = 60,
) -> None:
    """Serve the app by Voilà, on an embedded data set: for yourself, or with --public for a room."""
    from trustkit.serve import serve_app
    from trustkit.serving.options import Serving

    pool = pool if pool is not None else min(8, visitors or 8) if public else 1
    serve_app(Serving(port=port, address=address, base_url=base_url, browser=browser, theme=theme, language=language,
                      token=token, public=public, pool=pool, visitors=visitors, memory=memory, idle=idle,
                      sweep=sweep))  # fmt: skip


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
