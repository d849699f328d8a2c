"""The program that commands are entered in."""

from __future__ import annotations

import typer

from trustkit.cli.benches import bench
from trustkit.cli.federating import flower

__all__ = ["OUT", "REPORTS", "cli"]

cli = typer.Typer(
    help="Trustworthy federated learning: splits, training, fairness and trust scores.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.add_typer(bench, name="bench")
cli.add_typer(flower, name="flower")

REPORTS = (".html", ".json", ".md", ".csv")
"""Kinds of reports by suffix."""

OUT = typer.Option(help="Folder to write to.", file_okay=False)
"""How commands describe their ``--out``."""
