"""What ``trustkit bench peers`` does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from trustkit.commands.benching import named
from trustkit.records import Stopped

__all__ = ["side_by_side"]


def side_by_side(quick: bool, out: Path, only: str, environments: Path | None, quiet: bool) -> Iterator[str]:
    """Run the bench, and say what came out.

    Parameters
    ----------
    quick, quiet : bool
        Smaller; without progress.
    out : pathlib.Path
        The folder to write to.
    only : str
        Peers, with commas between; empty for all.
    environments : pathlib.Path or None
        Where peers' environments are kept.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    ValueError
        If one of these does not fit, before any work.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    from trustkit.bench.peers import run_peers
    from trustkit.bench.peers_environments import PEERS, home

    def tell(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr, flush=True)

    wanted = named(only, PEERS)
    kept = home() if environments is None else environments
    try:
        found = run_peers(out, quick, wanted, kept, tell)
    except KeyboardInterrupt:
        raise Stopped(f"nothing was written; environments that are whole stay in {kept}") from None
    yield from found.to_text().splitlines()
    yield ""
    met = [row.met for row in found.rows if row.met]
    yield f"{met.count('yes')} of {len(met)} aims are met"
    yield f"written to {out}"
