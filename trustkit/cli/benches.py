"""The command ``trustkit bench``: a paper's experiments beside its printed numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["bench"]

bench = typer.Typer(help="Play a paper's experiments and compare them with its printed numbers.", no_args_is_help=True)


@bench.callback()
def _group() -> None:
    """Play a paper's experiments and compare them with its printed numbers."""


@bench.command()
def federatedtrust(
    quick: Annotated[bool, typer.Option("--quick", help="A small net, fewer rounds: minutes, not hours.")] = False,
    out: Annotated[Path, typer.Option(help="Folder to write to; runs in it are gone on from.", file_okay=False)] = Path(
        "trustkit-bench"
    ),
    femnist: Annotated[Path | None, typer.Option(help="LEAF's folder of FEMNIST; without it a stand-in.")] = None,
    nbaiot: Annotated[Path | None, typer.Option(help="N-BaIoT's folder; without it a stand-in.")] = None,
    experiment: Annotated[list[int] | None, typer.Option(help="Only this one, 1 to 5; may be repeated.")] = None,
    noise: Annotated[str, typer.Option(help="Of experiments 2 and 3: local or global.")] = "local",
    fresh: Annotated[bool, typer.Option("--fresh", help="Play everything anew.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress on standard error.")] = False,
) -> None:
    """Play FederatedTrust's experiments 1 to 5 and mark each printed number: reproduced, consistent, contradicted."""
    from trustkit.commands.bench import compare

    for line in compare(quick, out, femnist, nbaiot, experiment, noise, fresh, quiet):
        typer.echo(line)


@bench.command()
def vertibench(
    quick: Annotated[bool, typer.Option("--quick", help="Few rounds, one seed, stand-ins: minutes.")] = False,
    out: Annotated[Path, typer.Option(help="Folder to write to; runs in it are gone on from.", file_okay=False)] = Path(
        "trustkit-bench"
    ),
    data: Annotated[Path | None, typer.Option(help="Folder with files of covtype, msd, gisette, …")] = None,
    only: Annotated[str, typer.Option(help="Some of table2, figures, scaling, times, solo, with commas.")] = "",
    seeds: Annotated[str, typer.Option(help="As 0-4 or 0,2.")] = "0-4",
    methods: Annotated[str, typer.Option(help="Some of splitnn, gal, gal-undecayed, fedtree, cvfl, with commas.")] = "",
    minutes: Annotated[float | None, typer.Option(help="Of processor time at most; run again to go on.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Play everything anew.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress on standard error.")] = False,
) -> None:
    """Play VertiBench's Tables 2, 6, 7 and Figures 3, 6, 7, and lay them beside the paper's printed numbers."""
    from trustkit.commands.vertibench import replicate

    for line in replicate(quick, out, data, only, seeds, methods, minutes, fresh, quiet):
        typer.echo(line)
