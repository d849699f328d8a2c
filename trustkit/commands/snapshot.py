"""The command ``trustkit snapshot``: a grid of runs in one HTML file with sliders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trustkit.baking import snapshot
from trustkit.baking.varying import varied
from trustkit.commands.run import _experiment, changed
from trustkit.commands.split import _value
from trustkit.commands.sweep import _bar
from trustkit.preset import scaled_down
from trustkit.records import Stopped

__all__ = ["bake", "read_over"]


def bake(
    name: str, out: Path, over: list[str], setting: list[str], pictures: str, workers: int, store: Path | None,
    progress: bool, language: str = "",
) -> Iterator[str]:  # fmt: skip
    """Play a grid and write its page.

    Parameters
    ----------
    name : str
        A preset's name or a TOML file.
    out : pathlib.Path
        The HTML file.
    over : list of str
        What varies, as ``privacy.epsilon=0.5,1,off``.
    setting : list of str
        What else is changed before, as ``rounds=5`` or ``attack__share=0.3``.
    pictures : str
        Of radar, accuracy, fairness, split, with commas.
    workers : int
        Processes that play runs; 0 for none.
    store : pathlib.Path or None
        A folder that keeps finished runs.
    progress : bool
        Whether to show a progress bar.
    language : str
        Of the page; empty for what TRUSTKIT_LANGUAGE says, else English.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something does not fit; nothing is written then.
    OSError
        If the file cannot be written.
    Stopped
        In place of KeyboardInterrupt: it says what is left.
    """
    start = _experiment(name)
    caveat = scaled_down(start)  # asked before it is changed: a preset with other rounds is still that preset
    start = changed(start, setting)
    values = read_over(over)
    count = len(varied(start, values)[1])
    try:
        with _bar(progress, count) as bar:
            file = snapshot(start, values, out, pictures=[each.strip() for each in pictures.split(",") if each.strip()],
                            workers=workers, store=store, progress=bar, caveat=caveat, language=language)  # fmt: skip
    except KeyboardInterrupt:
        kept = "nothing was written" if store is None else f"runs that have finished are in {store}"
        raise Stopped(f"{kept}, and the same command {'begins anew' if store is None else 'goes on'}") from None
    yield f"{count} run{'s' * (count != 1)}, {file.stat().st_size:,} bytes, written to {file}"


def read_over(over: list[str]) -> dict[str, list[Any]]:
    """Read what varies.

    Parameters
    ----------
    over : list of str
        As ``privacy.epsilon=0.5,1,off``.

    Returns
    -------
    dict of str to list
        Values by name.

    Raises
    ------
    ValueError
        If one has no ``=``, or a name comes twice.

    Examples
    --------
    >>> read_over(["privacy.epsilon=0.5,1,off", "algorithm=fedavg,krum"])
    {'privacy.epsilon': [0.5, 1, 'off'], 'algorithm': ['fedavg', 'krum']}
    """
    found: dict[str, list[Any]] = {}
    for text in over:
        name, equals, values = text.partition("=")
        if not equals or not name:
            raise ValueError(f"--over takes name=value,value,…, got {text!r}")
        if name in found:
            raise ValueError(f"{name} must be given once, got it twice")
        found[name] = [_value(each.strip()) for each in values.split(",") if each.strip()]
    return found
