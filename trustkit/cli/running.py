"""Play experiments: one, one again, or many that are searched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustkit.cli.program import OUT, REPORTS, cli

__all__ = ["cli"]


@cli.command()
def run(
    experiment: Annotated[str, typer.Argument(help="A preset's name or a TOML file.")],
    out: Annotated[Path, OUT] = Path("trustkit-runs"),
    seed: Annotated[int | None, typer.Option(help="Another seed than the experiment's.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Another number of rounds.")] = None,
    attack: Annotated[str | None, typer.Option(help="An attack's name, as label_flip; none for none.")] = None,
    faults: Annotated[str | None, typer.Option(help="dropout, stragglers or mixed; none for none.")] = None,
    secure: Annotated[bool | None, typer.Option(help="Add up updates by simulated secure aggregation.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any part, as attack__share=0.3 or model=mlp; may be repeated.")
    ] = None,
    facts: Annotated[
        Path | None,
        typer.Option(
            help="A TOML file of what people state: purpose, owner, claims, audit.", exists=True, dir_okay=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Run an experiment, print its score table, write report, model card, fact sheet, event log and the run."""
    from trustkit.commands.run import perform

    changes = {"seed": seed, "rounds": rounds, "attack": attack, "faults": faults, "secure": secure}
    for line in perform(experiment, out, REPORTS, changes, setting or [], not quiet, facts):
        typer.echo(line)


@cli.command()
def replay(
    report: Annotated[Path, typer.Argument(help="A report.json, or the folder of a run.", exists=True)],
    relative: Annotated[float, typer.Option(min=0, help="Numbers agree within this share of the larger one,")] = 1e-6,
    absolute: Annotated[float, typer.Option(min=0, help="or within this.")] = 1e-9,
    profile: Annotated[str | None, typer.Option(help="The TOML file of a report with a profile of one's own.")] = None,
    examine: Annotated[
        bool, typer.Option("--examine", help="Take again what an examination found: attacks, leakage, contributions.")
    ] = False,
    all: Annotated[bool, typer.Option("--all", help="List every number, not only those that do not hold.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Run a report's experiment again and say whether its numbers still hold: status 0 if all do, 1 if not."""
    from trustkit.commands.report import compare

    lines, holds = compare(report, relative, absolute, profile, all, not quiet, examine)
    for line in lines:
        typer.echo(line)
    if not holds:
        raise typer.Exit(1)


@cli.command()
def pareto(
    experiment: Annotated[str, typer.Argument(help="Where to start from: a preset's name or a TOML file.")],
    evaluations: Annotated[int, typer.Option(min=1, help="Configurations to try besides the start.")] = 40,
    vary: Annotated[
        list[str] | None, typer.Option(help="As algorithm=fedavg,krum or rounds=5..40 or a name; may be repeated.")
    ] = None,
    objectives: Annotated[
        str, typer.Option(help="Of trust, pillars by id or all as pillars, accuracy, bytes, trainings.")
    ] = "trust,accuracy,bytes",
    profile: Annotated[str, typer.Option(help="How scores are made: a profile's name or a TOML file.")] = "paper",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each configuration.")] = 1,
    seed: Annotated[int, typer.Option(help="Of the search.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that play runs.")] = 1,
    out: Annotated[Path, OUT] = Path("trustkit-pareto"),
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Search configurations for what would raise trust, and what that costs; called again, it goes on."""
    from trustkit.commands.pareto import look

    for line in look(experiment, out, vary or [], objectives, profile, evaluations, seeds, seed, workers, not quiet):
        typer.echo(line)


@cli.command()
def sweep(
    grid: Annotated[str, typer.Argument(help="A TOML file: an experiment, and a table [grid] of lists of values.")],
    workers: Annotated[
        int | None, typer.Option(min=0, help="Processes that play runs; 0 for none. By default one a core.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="A Dask scheduler, as tcp://host:8786; or local to start one.")
    ] = None,
    out: Annotated[Path, OUT] = Path("trustkit-sweep"),
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Run an experiment over a grid of values; called again, it goes on: status 0 if all runs ended well, 1 if not."""
    from trustkit.commands.sweep import spread

    lines, well = spread(grid, out, workers, dask, not quiet)
    for line in lines:
        typer.echo(line)
    if not well:
        raise typer.Exit(1)


@cli.command()
def snapshot(
    experiment: Annotated[str, typer.Argument(help="A preset's name or a TOML file.")],
    over: Annotated[list[str], typer.Option(help="A slider, as privacy.epsilon=0.5,1,2,4,8,off; may be repeated.")],
    out: Annotated[Path, typer.Option(help="The HTML file to write.", dir_okay=False)] = Path("snapshot.html"),
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any part, as rounds=5 or model=mlp; may be repeated.")
    ] = None,
    pictures: Annotated[
        str, typer.Option(help="Of radar, accuracy, fairness, split, with commas.")
    ] = "radar,accuracy,fairness",
    workers: Annotated[int, typer.Option(min=0, help="Processes that play runs; 0 for none.")] = 0,
    store: Annotated[Path | None, typer.Option(help="A folder that keeps finished runs.", file_okay=False)] = None,
    language: Annotated[str, typer.Option(help="Of the page, as de; by default what TRUSTKIT_LANGUAGE says.")] = "",
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Run an experiment over a grid of values and write one HTML page with sliders that needs no kernel."""
    from trustkit.commands.snapshot import bake

    for line in bake(experiment, out, over, setting or [], pictures, workers, store, not quiet, language):
        typer.echo(line)
