"""Score and examine what was played."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustkit.cli.program import OUT, REPORTS, cli

__all__ = ["cli"]


@cli.command()
def score(
    factsheet: Annotated[
        Path,
        typer.Argument(
            help="A fact sheet of trustkit, FederatedTrust or NEBULA; or a FederatedScope run's folder.", exists=True
        ),
    ],
    profile: Annotated[str, typer.Option(help="How scores are made: a profile's name or a TOML file.")] = "paper",
    out: Annotated[Path | None, typer.Option(help="A report to write: .html, .json, .md or .csv.")] = None,
    weights: Annotated[
        list[str] | None, typer.Option(help="Of a pillar, notion or metric, as privacy=2; may be repeated.")
    ] = None,
    least_measured: Annotated[
        float | None, typer.Option(help="The least share of the metrics, by weight, that must be measured, 0 to 1.")
    ] = None,
    fail_under: Annotated[float | None, typer.Option(help="The least trust score, from 0 to 1.")] = None,
    target: Annotated[
        list[str] | None, typer.Option(help="The least score of a part, as privacy=0.5; may be repeated.")
    ] = None,
    targets: Annotated[
        Path | None, typer.Option(help="A TOML file of such lines as privacy = 0.5.", exists=True, dir_okay=False)
    ] = None,
) -> None:
    """Score a fact sheet and print the table; with targets, status 1 says that one is missed."""
    from trustkit import assess, export
    from trustkit.trust import targets as gate
    from trustkit.trust.assessment import facts_for
    from trustkit.trust.federatedscope import read_federatedscope

    if out is not None and out.suffix.lower() not in REPORTS:
        raise ValueError(f"out must be a {', '.join(REPORTS)} file, got {out}")
    wanted = gate.load(targets) if targets is not None else {}
    wanted |= gate.pairs(target or [], "--target") | ({} if fail_under is None else {"trust": fail_under})
    given = gate.pairs(weights or [], "--weights")
    facts = read_federatedscope(factsheet) if factsheet.is_dir() else facts_for(factsheet, profile)
    report = assess(facts, profile=profile, weights=given)
    misses = [*gate.missed(report, wanted), *gate.unmeasured(report, least_measured or 0.0)]
    typer.echo(report.to_text())
    if out is not None:
        typer.echo(f"\nwritten to {export.write(report, out)}")
    for miss in misses:
        typer.echo(f"missed: {miss}")
    if misses:
        raise typer.Exit(1)


@cli.command()
def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run, or its run.npz.", exists=True)],
    profile: Annotated[str, typer.Option(help="Which normalisation and weights; a name or a TOML file.")] = "paper",
    out: Annotated[Path | None, typer.Option(help="Folder to write to instead of the run's.", file_okay=False)] = None,
    examine: Annotated[
        bool, typer.Option("--examine", help="Take the costly measures too: attacks, leakage, contributions.")
    ] = False,
    facts: Annotated[
        Path | None,
        typer.Option(
            help="A TOML file of what people state: purpose, owner, claims, audit.", exists=True, dir_okay=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Write report, fact sheet and model card of a stored run anew; status 1 says that its event log does not hold."""
    from trustkit.commands.report import render

    lines, sound = render(run, profile, out, REPORTS, examine, examine and not quiet, facts)
    for line in lines:
        typer.echo(line)
    if not sound:
        raise typer.Exit(1)


@cli.command("examine")
def examine_run(
    run: Annotated[Path, typer.Argument(help="The folder of a run, or its run.npz.", exists=True)],
    measure: Annotated[list[str] | None, typer.Option(help="A measure, by default all; may be repeated.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A fact sheet to write: the run's, with what was found.", dir_okay=False)
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Held-out rows to look at.")] = None,
    share: Annotated[float, typer.Option(max=1, help="Share of the clients that attack, above 0.")] = 0.2,
    radius: Annotated[float, typer.Option(min=0, help="Largest change of a scaled feature.")] = 0.1,
    quasi: Annotated[
        list[str] | None, typer.Option(help="A column that may single somebody out; may be repeated.")
    ] = None,
    coverage: Annotated[str | None, typer.Option(help="Share of the code that tests run, or a coverage.xml.")] = None,
    seed: Annotated[int, typer.Option(help="Of the rows that are looked at, and of who attacks.")] = 0,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Attack a stored run and look for what it gives away; status 1 says that its event log does not hold."""
    from trustkit.commands.report import look_into

    options = {"rows": rows, "share": share, "radius": radius, "quasi": quasi, "coverage": coverage, "seed": seed}
    lines, sound = look_into(run, measure or [], out, not quiet, **options)
    for line in lines:
        typer.echo(line)
    if not sound:
        raise typer.Exit(1)


@cli.command()
def exposure(
    experiments: Annotated[list[str], typer.Argument(help="Presets or TOML files, each over columns.")],
    out: Annotated[Path, OUT] = Path("trustkit-exposure"),
    seeds: Annotated[str, typer.Option(help="Of the runs, as 0-2 or 0,3.")] = "0-2",
    rows: Annotated[int, typer.Option(min=20, help="Training rows that are attacked.")] = 600,
    labelled: Annotated[int, typer.Option(min=1, help="Rows of each class whose label an attacker knows.")] = 5,
    pairs: Annotated[float, typer.Option(help="Share of the rows whose columns an attacker knows, 0 to 1.")] = 0.5,
    parties: Annotated[int, typer.Option(min=1, help="How many other parties attack and are attacked.")] = 2,
    rounds: Annotated[int | None, typer.Option(min=1, help="Of every run, instead of its own.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Attack runs over columns by their own messages: labels, features, membership, beside quality, bytes and ε."""
    from trustkit.commands.exposure import lay_bare

    for line in lay_bare(experiments, out, seeds, rows, labelled, pairs, parties, rounds, not quiet):
        typer.echo(line)
