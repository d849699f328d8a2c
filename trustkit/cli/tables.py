"""Data sets and tables: list, divide, audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustkit.cli.program import cli

__all__ = ["cli"]


@cli.command("data")
def data_sets() -> None:
    """List the data sets."""
    import trustkit.split  # noqa: F401 (it enters data sets that are changed on purpose)
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
    from trustkit.commands.split import divide

    options = {"parties": parties, "beta": beta, "alpha": alpha, "definition": definition, "method": method}
    for line in divide(data, how, options, setting or [], target, client, seed, out, format):
        typer.echo(line)


@cli.command("audit")
def audit_table(
    data: Annotated[str, typer.Argument(help="A CSV, TSV, Parquet or NPZ file, or a data set's name.")],
    sensitive: Annotated[str, typer.Option(help="Protected attributes, as sex,race; crossed as 'sex & race'.")] = "",
    target: Annotated[str, typer.Option(help="Target column of a table.")] = "",
    client: Annotated[str, typer.Option(help="Column that names the clients; without one all rows are one's.")] = "",
    positive: Annotated[str, typer.Option(help="The favourable class; needed with more than two.")] = "",
    leave_out: Annotated[str, typer.Option(help="Columns that are no features, with commas between them.")] = "",
    models: Annotated[str, typer.Option(help="Two or more of logistic, xgboost, tree.")] = "logistic,xgboost",
    level: Annotated[str, typer.Option(help="What models have to agree on: attribute or value.")] = "attribute",
    measure: Annotated[
        str, typer.Option(help="demographic_disparity, equal_opportunity, equalized_odds or accuracy_gap.")
    ] = "demographic_disparity",
    threshold: Annotated[float, typer.Option(help="A gap above it counts, 0 … 1.")] = 0.09,
    min_group: Annotated[int, typer.Option(help="Groups with fewer test rows are left out.")] = 0,
    repeats: Annotated[int, typer.Option(help="Divisions of the rows; the share with the same verdict is told.")] = 1,
    again: Annotated[bool, typer.Option("--again", help="Measure once more on other test rows.")] = False,
    keep_index: Annotated[bool, typer.Option("--keep-index", help="Leftover row numbers stay features.")] = False,
    seed: Annotated[int, typer.Option(help="Of the divisions.")] = 42,
    out: Annotated[Path, typer.Option(help="A new folder for tables, pictures and a datasheet.")] = Path("audit"),
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Fit models at every client and say which protected attribute, or value, all of them treat worst."""
    from trustkit.commands.audit import investigate

    options = {"target": target, "client": client, "positive": positive, "level": level, "measure": measure,
               "threshold": threshold, "min_group": min_group, "repeats": repeats, "again": again,
               "keep_index": keep_index, "seed": seed}  # fmt: skip
    for line in investigate(data, out, sensitive=sensitive, models=models, leave_out=leave_out, quiet=quiet, **options):
        typer.echo(line)
