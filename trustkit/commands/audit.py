"""The command ``trustkit audit``: what is audited, where the result goes and what is said of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trustkit.split  # noqa: F401 (it enters data sets that are changed on purpose)
from trustkit import datasets, export, whole
from trustkit.auditing import Audit, audit
from trustkit.auditing.tables import TINY, smallest_groups
from trustkit.catalogue import DATASETS
from trustkit.handover import check_folder
from trustkit.records import Progress

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["investigate"]


def investigate(data: str, out: Path, *, sensitive: str = "", models: str = "logistic,xgboost", leave_out: str = "",
                quiet: bool = True, **options: Any) -> Iterator[str]:  # fmt: skip
    """Audit a table, write the result to a new folder and say what was found.

    Parameters
    ----------
    data : str
        A table, or the name of a data set.
    out : pathlib.Path
        A new or empty folder. It is written whole or not at all: audit.csv, audit.json, datasheet.md and the pictures
        as SVG and PNG.
    sensitive, models, leave_out : str
        Names with commas between them.
    quiet : bool
        No progress bar.
    **options
        Other arguments of `audit`.

    Yields
    ------
    str
        Lines to print.

    Raises
    ------
    KeyError, TypeError, ValueError
        For whatever does not fit, before anything is written.
    """
    check_folder(out)
    if data not in DATASETS and not Path(data).exists():
        raise ValueError(f"there is no file {data!r}, and no data set of that name")
    table = data not in DATASETS or Path(data).is_file()
    if table and not _names(sensitive):
        raise ValueError("--sensitive must name the protected attributes of a table, as sex,race, got none")
    if table and not options.get("target"):
        raise ValueError("--target must name the column of a table that is predicted, got none")
    source: Any = data if table else datasets.load(data)
    with _bar(quiet) as progress:
        found = audit(source, _names(models), _names(sensitive) or None, leave_out=_names(leave_out),
                      progress=progress, **options)  # fmt: skip
    yield repr(found)
    yield from _said(found)
    yield f"written to {_written(found, out)}"


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _said(found: Audit) -> Iterator[str]:
    for verdict, clients in found.clients_by_verdict().items():
        more = f" and {len(clients) - 8:,} more" if len(clients) > 8 else ""
        yield f"  {verdict}: {', '.join(clients[:8])}{more}"
    summary = found.summary()
    for model in found.models:
        about = summary[model]
        yield f"  {model}: accuracy {about['accuracy']:.4f}, worst 10 % of clients {about['worst_accuracy']:.4f}"
        for attribute in found.attributes:
            each = about[attribute]
            if each["mean"] != each["mean"]:
                yield f"    {attribute}: n/a at all clients"
                continue
            chance = "" if each["by_chance"] != each["by_chance"] else f" ({each['by_chance']:.4f} by chance alone)"
            yield (f"    {attribute}: mean gap {each['mean']:.4f}{chance}, largest {each['largest']:.4f}, pooled "
                   f"{each['pooled']:.4f}, over {found.threshold:g} at {each['share_over']:.0%} of clients"
                   + (f", n/a at {each['undefined']}" if each["undefined"] else ""))  # fmt: skip
    yield from _cautions(found)
    if found.again is not None:
        chosen = summary["selected"]
        yield (f"  {chosen['clients']} clients over the threshold: strength {chosen['strength']:.4f}, on other test "
               f"rows {chosen['strength_again']:.4f}")  # fmt: skip
    if left_out := found.facts["left_out"]:
        yield f"  no features: {', '.join(f'{name} ({why})' for name, why in left_out.items())}"


def _cautions(found: Audit) -> Iterator[str]:
    """Say where numbers rest on little: rows without an attribute, groups of few test rows, clients without a gap."""
    for attribute in found.attributes:
        if missing := int(found.missing[attribute].sum()):
            yield f"  {attribute} is missing in {missing:,} rows, which are in no group"
        least = smallest_groups(found, attribute)
        if few := int(((least > 0) & (least < TINY)).sum()):
            yield (f"  {attribute}: at {few:,} clients a group has fewer than {TINY} test rows, so that one row moves "
                   f"its rate by more than {1 / TINY:g}; --min-group {TINY} leaves such groups out")  # fmt: skip
    reasons = Counter(verdict.reason for verdict in found.verdicts() if verdict.reason)
    for reason, clients in reasons.most_common(5):
        yield f"  n/a at {clients:,} client{'s' * (clients != 1)}: {reason}"


def _written(found: Audit, out: Path) -> Path:
    """Write the folder whole or not at all."""
    from trustkit.plot import audited, changed, style

    whole.tidy(out.parent, out.name)
    with whole.folder(out) as unfinished:
        for file in ("audit.csv", "audit.json", "datasheet.md"):
            export.write(found, unfinished / file)
        for number, attribute in enumerate(found.attributes):
            for what, draw in (("shares", audited.sensitive_shares), ("models", audited.model_bars),
                               ("worse_off", changed.value_changes)):  # fmt: skip
                figure, file = draw(found, attribute), f"{what}_{_file(attribute, number)}"
                figure.patch.set_alpha(1)  # a file is looked at on any background
                with style.looks():
                    for suffix in ("svg", "png"):
                        export.write(figure, unfinished / f"{file}.{suffix}")
    return out


def _file(attribute: str, number: int) -> str:
    """Return an attribute's name as a part of a file's."""
    kept = "".join(each if each.isalnum() else "_" for each in attribute)
    return kept if kept == attribute else f"{kept}_{number}"


@contextmanager
def _bar(quiet: bool) -> Iterator[Progress | None]:
    """Show which client is being fitted on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    bar: tqdm[Any] = tqdm(total=1.0, leave=False, bar_format="{desc} |{bar}| {percentage:3.0f} %")

    def show(stage: str, fraction: float) -> None:
        bar.set_description_str(stage, refresh=False)
        bar.n = fraction
        bar.refresh()

    with bar:
        yield show
