"""The command line: ``trustkit run | score | report | examine | replay | split | bench | app | …``; see ``--help``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from trustkit.cli_bench import bench

__all__ = ["main"]

cli = typer.Typer(
    help="Trustworthy federated learning: splits, training, fairness and trust scores.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.add_typer(bench, name="bench")

_REPORTS = (".html", ".json", ".md", ".csv")
_OUT = typer.Option(help="Folder to write to.", file_okay=False)


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
def run(
    experiment: Annotated[str, typer.Argument(help="A preset's name or a TOML file.")],
    out: Annotated[Path, _OUT] = Path("trustkit-runs"),
    seed: Annotated[int | None, typer.Option(help="Another seed than the experiment's.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Another number of rounds.")] = None,
    attack: Annotated[str | None, typer.Option(help="An attack's name, as label_flip; none for none.")] = None,
    faults: Annotated[str | None, typer.Option(help="dropout, stragglers or mixed; none for none.")] = None,
    secure: Annotated[bool | None, typer.Option(help="Add up updates by simulated secure aggregation.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any part, as attack__share=0.3 or model=mlp; may be repeated.")
    ] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Run an experiment, print its score table, write report, model card, fact sheet, event log and the run."""
    from trustkit.cli_run import perform

    changes = {"seed": seed, "rounds": rounds, "attack": attack, "faults": faults, "secure": secure}
    for line in perform(experiment, out, _REPORTS, changes, setting or [], not quiet):
        typer.echo(line)


@cli.command()
def score(
    factsheet: Annotated[
        Path, typer.Argument(help="A fact sheet of trustkit, FederatedTrust or NEBULA.", exists=True, dir_okay=False)
    ],
    profile: Annotated[str, typer.Option(help="How scores are made: a profile's name or a TOML file.")] = "paper",
    out: Annotated[Path | None, typer.Option(help="A report to write: .html, .json, .md or .csv.")] = None,
    weights: Annotated[
        list[str] | None, typer.Option(help="Of a pillar, notion or metric, as privacy=2; may be repeated.")
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

    if out is not None and out.suffix.lower() not in _REPORTS:
        raise ValueError(f"out must be a {', '.join(_REPORTS)} file, got {out}")
    wanted = gate.load(targets) if targets is not None else {}
    wanted |= gate.pairs(target or [], "--target") | ({} if fail_under is None else {"trust": fail_under})
    given = gate.pairs(weights or [], "--weights")
    report = assess(facts_for(factsheet, profile), profile=profile, weights=given)
    misses = gate.missed(report, wanted)
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
) -> None:
    """Write report, fact sheet and model card of a stored run anew, without training."""
    from trustkit.cli_report import render

    for line in render(run, profile, out, _REPORTS, examine, examine):
        typer.echo(line)


@cli.command("examine")
def examine_run(
    run: Annotated[Path, typer.Argument(help="The folder of a run, or its run.npz.", exists=True)],
    measure: Annotated[list[str] | None, typer.Option(help="A measure, by default all; may be repeated.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="A fact sheet to write: the run's, with what was found.", dir_okay=False)
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Held-out rows to look at.")] = None,
    share: Annotated[float, typer.Option(min=0, max=1, help="Share of the clients that attack.")] = 0.2,
    radius: Annotated[float, typer.Option(min=0, help="Largest change of a scaled feature.")] = 0.1,
    quasi: Annotated[
        list[str] | None, typer.Option(help="A column that may single somebody out; may be repeated.")
    ] = None,
    coverage: Annotated[str | None, typer.Option(help="Share of the code that tests run, or a coverage.xml.")] = None,
    seed: Annotated[int, typer.Option(help="Of the rows that are looked at, and of who attacks.")] = 0,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Attack a stored run and look for what it gives away: the measures that cost trainings or gradients."""
    from trustkit.cli_report import look_into

    options = {"rows": rows, "share": share, "radius": radius, "quasi": quasi, "coverage": coverage, "seed": seed}
    for line in look_into(run, measure or [], out, not quiet, **options):
        typer.echo(line)


@cli.command()
def replay(
    report: Annotated[Path, typer.Argument(help="A report.json, or the folder of a run.", exists=True)],
    relative: Annotated[float, typer.Option(min=0, help="Numbers agree within this share of the larger one,")] = 1e-6,
    absolute: Annotated[float, typer.Option(min=0, help="or within this.")] = 1e-9,
    profile: Annotated[str | None, typer.Option(help="The TOML file of a report with a profile of one's own.")] = None,
    all: Annotated[bool, typer.Option("--all", help="List every number, not only those that do not hold.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Run a report's experiment again and say whether its numbers still hold: status 0 if all do, 1 if not."""
    from trustkit.cli_report import compare

    lines, holds = compare(report, relative, absolute, profile, all, not quiet)
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
    out: Annotated[Path, _OUT] = Path("trustkit-pareto"),
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Search configurations for what would raise trust, and what that costs; called again, it goes on."""
    from trustkit.cli_pareto import look

    for line in look(experiment, out, vary or [], objectives, profile, evaluations, seeds, seed, workers, not quiet):
        typer.echo(line)


@cli.command()
def split(
    data: Annotated[
        str,
        typer.Argument(help="A data set's name; a CSV, TSV, Parquet, NPZ or LIBSVM file; or a folder of parties."),
    ],
    how: Annotated[
        str,
        typer.Argument(
            help="A split's name; without one --beta is correlation, --alpha importance, both joint, neither uniform."
        ),
    ] = "",
    parties: Annotated[str | None, typer.Option(help="How many, or the columns of each as 8,4,4.")] = None,
    beta: Annotated[float | None, typer.Option(help="Correlation between parties, 0 … 1 between its bounds.")] = None,
    alpha: Annotated[
        str | None, typer.Option(help="Importance: small for unequal parties; or one each as 1,1,5.")
    ] = None,
    definition: Annotated[
        str | None, typer.Option(help="Of the correlation between parties: paper or package.")
    ] = None,
    method: Annotated[str | None, typer.Option(help="How correlation is searched: annealing or brkga.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="Any other parameter, as allow_empty=true; may be repeated.")
    ] = None,
    target: Annotated[str, typer.Option(help="Target column of a table, by name or by number; -1 is the last.")] = "",
    client: Annotated[str, typer.Option(help="Column of a table that names the clients, for by_group.")] = "",
    seed: Annotated[int, typer.Option()] = 0,
    out: Annotated[
        Path, typer.Option(help="A new folder for the parties' files, or a .json or .csv file that says who owns what.")
    ] = Path("split.json"),
    format: Annotated[str | None, typer.Option(help="Of the parties' files: csv, parquet or npz.")] = None,
) -> None:
    """Divide a data set; write what each party holds, or who owns what."""
    from trustkit.cli_split import divide

    options = {"parties": parties, "beta": beta, "alpha": alpha, "definition": definition, "method": method}
    for line in divide(data, how, options, setting or [], target, client, seed, out, format):
        typer.echo(line)


@cli.command("data")
def data_sets() -> None:
    """List the data sets."""
    from trustkit import datasets
    from trustkit.catalogue import DATASETS

    for name in datasets.names():
        typer.echo(f"{name:18} {DATASETS[name].title}")


@cli.command("presets")
def list_presets() -> None:
    """List the experiments that have a name."""
    from trustkit.preset import PRESETS

    for name, preset in PRESETS.items():
        typer.echo(f"{name:24} {preset.title}" + (f"\n{'':24} ({preset.caveat})" if preset.caveat else ""))


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


def main() -> None:
    """Run the command line: status 0 on success, 2 on bad input with one line on standard error."""
    try:
        status = cli(standalone_mode=False)
    except typer.Abort:
        sys.exit(130)
    except (KeyError, TypeError, ValueError) as error:
        _refuse(str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error))
    except OSError as error:  # a file or folder that cannot be read or written
        _refuse(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except Exception as error:  # what Typer found wrong with the words of the call
        if type(error).__name__ == "NoArgsIsHelpError":
            cli(["--help"])
            return
        words = getattr(error, "format_message", None)
        if words is None:
            raise
        _refuse(words())
    sys.exit(status if isinstance(status, int) else 0)


def _refuse(words: str) -> NoReturn:
    print(f"trustkit: {' '.join(words.split())}", file=sys.stderr)
    sys.exit(2)
