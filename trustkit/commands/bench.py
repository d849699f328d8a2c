"""What ``trustkit bench`` does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trustkit.commands.benching import show
from trustkit.records import Stopped

__all__ = ["compare"]

_LEGEND = (
    "a mark is about the paper's printed number, not about our scores: reproduced, the paper's rules (or our run on "
    "its data) give it; consistent, nothing in print settles it; contradicted, no rule of the paper gives it"
)
"""What the marks mean, in one line."""


def compare(
    quick: bool, out: Path, femnist: Path | None, nbaiot: Path | None, experiment: list[int] | None, noise: str,
    fresh: bool, quiet: bool,
) -> Iterator[str]:  # fmt: skip
    """Run the bench, and say what came out.

    Parameters
    ----------
    quick, fresh, quiet : bool
        Smaller; not resumed; without progress.
    out : pathlib.Path
        The folder to write to.
    femnist, nbaiot : pathlib.Path or None
        Folders of the paper's data.
    experiment : list of int or None
        Some of 1 to 5; by default all.
    noise : str
        "local" or "global".

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
    from trustkit.bench import run_federatedtrust

    given = {name: folder for name, folder in (("femnist", femnist), ("nbaiot", nbaiot)) if folder is not None}
    try:
        found = run_federatedtrust(out, quick, given, experiment or (1, 2, 3, 4, 5), noise, not fresh,  # type: ignore[arg-type]
                                   None if quiet else show)  # fmt: skip
    except KeyboardInterrupt:
        raise Stopped(f"what was played is in {out}, and the same command goes on") from None
    yield f"{'experiment':10}  {'score':24}  {'paper':>5}  {'figures':>7}  {'printed':>7}  mark"
    for line in found.lines:
        if line.printed is not None:
            numbers = (line.paper, line.paper_figures, line.printed)
            ours, figures, printed = ("-" if value is None else f"{value:.2f}" for value in numbers)
            yield f"{line.experiment:<10}  {line.name:24}  {ours:>5}  {figures:>7}  {printed:>7}  {line.mark}"
    yield f"\n{', '.join(f'{count} {mark}' for mark, count in found.marks.items())}"
    yield _LEGEND
    yield f"written to {out}"
