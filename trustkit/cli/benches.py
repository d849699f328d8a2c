"""The command ``trustkit bench``: papers' experiments beside printed numbers, and times beside others'."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["bench"]

_HELP = "Play papers' experiments beside their printed numbers, and time the same work beside others."
bench = typer.Typer(help=_HELP, no_args_is_help=True)


@bench.callback()
def _group() -> None:
    """Play papers' experiments beside their printed numbers, and time the same work beside others."""


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


@bench.command()
def growth(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes: minutes.")] = False,
    out: Annotated[Path, typer.Option(help="Folder to write to; points in it are kept.", file_okay=False)] = Path(
        "trustkit-bench"
    ),
    only: Annotated[str, typer.Option(help="Some of clients, columns, parties, rows, with commas.")] = "",
    minutes: Annotated[float | None, typer.Option(help="By the clock at most; run again to go on.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Of processor time a point may take; also tries again.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure everything anew.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress on standard error.")] = False,
) -> None:
    """Measure how time and memory grow with clients, columns, parties and rows, and write points, fits and a page."""
    from trustkit.commands.growth import measure

    for line in measure(quick, out, only, minutes, fresh, quiet, seconds):
        typer.echo(line)


@bench.command()
def peers(
    quick: Annotated[bool, typer.Option("--quick", help="Little work, nothing installed: seconds.")] = False,
    out: Annotated[Path, typer.Option(help="Folder to write to.", file_okay=False)] = Path("trustkit-bench"),
    only: Annotated[str, typer.Option(help="Some of bound, naive, pfl, flower, opacus, art, …, with commas.")] = "",
    environments: Annotated[Path | None, typer.Option(help="Where environments of peers are kept.")] = None,
    quiet: Annotated[bool, typer.Option(help="No progress on standard error.")] = False,
) -> None:
    """Do the same work with other packages and with this one: equal results first, then seconds and ratios."""
    from trustkit.commands.peers import side_by_side

    for line in side_by_side(quick, out, only, environments, quiet):
        typer.echo(line)


@bench.command()
def device(
    name: Annotated[str, typer.Argument(help="As PyTorch names it: cuda, cuda:1, mps, cpu.")] = "cuda",
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the work.")] = False,
) -> None:
    """Do the same work on the processor and on a graphics card: equal results first, then seconds."""
    from trustkit.bench.device import time_device

    try:
        measured = time_device(name, quick)
    except ValueError as error:
        typer.echo(f"nothing was measured: {error}")
        return
    typer.echo(f"{'work':48}  {'equal':>5}  {'apart':>7}  {'here s':>8}  {'there s':>8}  {'ratio':>6}")
    for each in measured:
        same = "yes" if each.equal else "NO"
        numbers = f"{each.apart:7.0e}  {each.here:8.3f}  {each.there:8.3f}  {each.ratio:6.2f}"
        typer.echo(f"{each.work:48}  {same:>5}  {numbers}")
