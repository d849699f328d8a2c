"""The command ``trustkit pareto``: configurations searched for what would raise trust, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from trustkit import export, plot, whole
from trustkit.commands.run import _experiment, _stem
from trustkit.frontier import pareto
from trustkit.frontier.points import objectives_of
from trustkit.frontier.space import space_of
from trustkit.jsonfile import write_text
from trustkit.parameters import spelt
from trustkit.plot import style
from trustkit.records import Progress, Stopped
from trustkit.scale.processes import processes
from trustkit.trust.profiles import profile_named

__all__ = ["look", "varied"]


def look(
    name: str, out: Path, vary: Sequence[str], objectives: str, profile: str, evaluations: int, seeds: int,
    seed: int, workers: int, progress: bool,
) -> Iterator[str]:  # fmt: skip
    """Search configurations, and write points, picture and what would raise each score.

    Parameters
    ----------
    name : str
        A preset's name or a TOML file: the start.
    out : pathlib.Path
        Folder in which the search gets a folder of its own; it goes on from what is there.
    vary : sequence of str
        As "algorithm=fedavg,krum", "rounds=5..40", or a name alone; empty for the usual things.
    objectives : str
        With commas between.
    profile : str
        A profile's name, or a TOML file.
    evaluations, seeds, seed : int
        As for `trustkit.frontier.pareto`.
    workers : int
        Processes, at least 1.
    progress : bool
        Whether to show a progress bar.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is unknown or does not fit; nothing is written then.
    OSError
        If something cannot be written.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    start, wanted = _experiment(name), varied(vary) or None
    space_of(start, wanted)
    chosen = profile_named(profile)
    names = objectives_of([each.strip() for each in objectives.split(",")], chosen)
    target = out / f"{_stem(name)}-{start.key[:8]}"
    whole.check(target)
    team: Any = nullcontext() if workers == 1 else processes(workers)
    try:
        with _bar(progress) as bar, team as executor:
            front = pareto(start, wanted, names, chosen, evaluations, seed, bar, seeds=seeds, folder=target / "tried",
                           executor=executor)  # fmt: skip
    except KeyboardInterrupt:
        raise Stopped(f"runs that have finished are in {target / 'tried'}, and the same command goes on") from None
    with whole.alone(target), style.looks():  # the same picture whenever it is written
        export.write(front, target / "points.csv")
        export.write(front, target / "front.json")
        write_text(target / "changes.md", front.to_markdown())
        export.write(plot.pareto_front(front), target / "front.svg")
    yield front.to_text()
    yield f"\nwritten to {target}"


def varied(words: Sequence[str]) -> dict[str, Any]:
    """Read from the command line what may vary.

    Parameters
    ----------
    words : sequence of str
        Each ``name``, ``name=value,value`` or ``name=low..high``.

    Returns
    -------
    dict
        As `trustkit.frontier.space_of` takes it.

    Raises
    ------
    ValueError
        If a name is missing or given twice, or a range is not one of numbers.

    Examples
    --------
    >>> varied(["algorithm=fedavg,krum", "participation=0.1..1", "rounds"])
    {'algorithm': ['fedavg', 'krum'], 'participation': (0.1, 1), 'rounds': None}
    """
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not name or name in found or (equals and not value):
            raise ValueError(f"--vary must be name, name=value,value or name=low..high, each name once, got {word!r}")
        low, dots, high = value.partition("..")
        if dots:
            ends = _read(low), _read(high)
            if any(isinstance(end, (str, bool)) or end is None for end in ends):
                raise ValueError(f"--vary must have numbers at both ends of a range, got {word!r}")
            found[name] = ends
        else:
            found[name] = [_read(each) for each in value.split(",")] if equals else None
    return found


def _read(word: str) -> Any:
    """Return a number, truth or nothing as what it is, all else as text."""
    plain = word.strip()
    if plain == "none":
        return None
    return spelt(plain)


@contextmanager
def _bar(shown: bool) -> Iterator[Progress | None]:
    """Show how far the search is, if wanted."""
    if not shown:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(total=100, bar_format="{desc}{percentage:3.0f}%|{bar}| {elapsed}", delay=0.1) as bar:

        def tell(stage: str, done: float) -> None:
            bar.set_description(stage, refresh=False)
            bar.update(100 * done - bar.n)

        yield tell
