"""Figures 3 and 6: bytes in closed form, as counted here and as the authors counted, and that channels count alike."""

from __future__ import annotations

from collections.abc import Mapping

from trustkit.bench.vertibench_pictures import traffic_bars
from trustkit.bench.vertibench_printed import ALGORITHMS, SHAPES, TITLES, TRAFFIC, split_of
from trustkit.bench.vertibench_runs import Job, Outcome
from trustkit.bench.vertibench_settings import experiment
from trustkit.bench.vertibench_sheet import Cell, Part, Place, Plan, Sheet
from trustkit.experiment import Experiment
from trustkit.vertical.accounting import ACCOUNTINGS, PUBLISHED, Accounting, traffic_of

__all__ = ["FIGURES", "ROUNDS", "closed"]

MIB = 2.0**20

ROUNDS = 50
"""Epochs, or trees an output, of both figures."""

_PARTIES, _COLUMN, _ROWS = 4, "α = 1", 12_000
_CHECKED = {"splitnn": 1, "gal": 2, "fedtree": 2, "cvfl": 1}
"""Rounds that are played to hold the channel against the closed form."""

_SIDES = {"total": "total", "max_in": "received by the first party", "max_out": "sent by the first party"}


def closed(algorithm: str, name: str, accounting: Accounting) -> dict[str, float | None]:
    """Return the MiB of 50 rounds of four parties on a data set in its original size.

    Parameters
    ----------
    algorithm : {"splitnn", "gal", "fedtree", "cvfl"}
        With the paper's hyper-parameters.
    name : str
        One of the seven data sets.
    accounting : {"exact", "paper"}
        As sent here, or as the authors counted.

    Returns
    -------
    dict of str to float
        total, max_in, max_out; ``None`` where it is not known.

    Notes
    -----
    Four fifths of the rows are for training: rounded down for the networks, whose loader deals them out, else to the
    nearest. The exact counts of letter are of its 16 columns; the authors counted 26. gisette has 6,000 rows in both.

    Source
    ------
    VertiBench (Wu et al. 2023), Figures 3 and 6.

    Examples
    --------
    >>> round(closed("splitnn", "letter", "paper")["total"], 3), round(closed("splitnn", "letter", "exact")["total"], 3)
    (1709.747, 1373.291)
    """
    rows, columns, outputs = PUBLISHED[name]
    if accounting == "exact":
        columns = SHAPES[name].columns
    train = int(0.8 * rows) if algorithm == "splitnn" else round(0.8 * rows)
    found = traffic_of(algorithm, rows=train, test_rows=rows - train, columns=columns, parties=_PARTIES,
                       outputs=outputs, rounds=ROUNDS, accounting=accounting)  # fmt: skip
    return {side: None if size is None else size / MIB for side, size in found.items()}


def _jobs(plan: Plan) -> list[Job]:
    """List short runs on letter, of trees with both engines."""
    found = []
    for algorithm, rounds in _CHECKED.items():
        wanted = experiment(algorithm, "letter", "letter", split_of(_COLUMN), 0, most=rounds)
        if algorithm == "gal":
            wanted = wanted.change(algorithm__local_epochs=1)
        if algorithm == "cvfl":
            wanted = wanted.change(algorithm__local_steps=1)
        found.append(_job(algorithm, wanted))
        if algorithm == "fedtree":
            found.append(_job("exchange", wanted.change(algorithm__engine="exchange")))
    return found


def _job(label: str, wanted: Experiment) -> Job:
    return Job(("letter", "check", label, 0), f"bytes of {label}", wanted, (_ROWS, 16, _PARTIES, 26))


def _sheets(plan: Plan, outcomes: Mapping[Place, Outcome]) -> tuple[Sheet, ...]:
    return _sizes(), _checks(outcomes)


def _sizes() -> Sheet:
    """One row a data set, algorithm and way to count."""
    rows: list[tuple[Cell, ...]] = []
    for name in SHAPES:
        for algorithm in ALGORITHMS:
            for accounting in ACCOUNTINGS:
                found, printed = closed(algorithm, name, accounting), _printed(algorithm, name)
                same = _agrees(algorithm, found, printed) if accounting == "paper" else ""
                rows.append((name, TITLES[algorithm], accounting, *found.values(), *printed, same))
    heads = ("data", "algorithm", "accounting", "total", "max in", "max out", "printed total", "printed in",
             "printed out", "paper's reproduced")  # fmt: skip
    notes = (
        "MiB of 50 rounds of four parties; in and out are what the first one, who holds the labels, received and sent.",
        "The paper's figures bear no numbers: printed totals are those of the authors' plots; in and out are halves of "
        "them where both ways carry the same (SplitNN, GAL), and of C-VFL 50 times an epoch's log.",
        "exact: what crosses a border in training, as the channel here counts it; of FedTree the most that full trees "
        "send. paper: as the authors' code counted, with its faults: test rows counted both ways (SplitNN), one "
        "histogram a tree and 26 columns of letter (FedTree), all K parties over the wire (C-VFL).",
        "What C-VFL's first party sent is the authors' log; no formula of theirs gives it, and ours depends on "
        "batches.",
    )  # fmt: skip
    return Sheet("figures3-6", "Figures 3 and 6: bytes of 50 rounds", heads, tuple(rows), notes, digits=3)


def _printed(algorithm: str, name: str) -> tuple[float | None, float | None, float | None]:
    """Return total, in and out of the authors' plots; in and out only where they were logged apart."""
    if algorithm == "cvfl":
        received, sent = (TRAFFIC[f"cvfl {side} an epoch"][name] * ROUNDS for side in ("in", "out"))
        return received + sent, received, sent
    total = TRAFFIC[algorithm][name]
    return (total, None, None) if algorithm == "fedtree" else (total, total / 2, total / 2)


def _agrees(
    algorithm: str, found: Mapping[str, float | None], printed: tuple[float | None, float | None, float | None]
) -> str:  # fmt: skip
    """Say whether the formula gives the last printed digit: of the total, or of C-VFL what came in, an epoch."""
    side, at = ("max_in", 1) if algorithm == "cvfl" else ("total", 0)
    ours, theirs, digit = found[side], printed[at], 0.0005 * (ROUNDS if algorithm == "cvfl" else 1)
    alike = ours is not None and theirs is not None and abs(ours - theirs) <= digit * 1.0001
    return ("yes, what came in" if algorithm == "cvfl" else "yes") if alike else "no"


def _checks(outcomes: Mapping[Place, Outcome]) -> Sheet:
    """One row a check of the channel: counted, and in closed form."""
    rows: list[tuple[Cell, ...]] = []
    for algorithm, rounds in _CHECKED.items():
        run = outcomes.get(("letter", "check", algorithm, 0))
        if run is None:
            continue
        if algorithm == "fedtree":
            rows += _of_trees(run, outcomes.get(("letter", "check", "exchange", 0)), rounds)
            continue
        formula = traffic_of(algorithm, rows=run.rows, test_rows=run.test_rows, columns=16, parties=_PARTIES,
                             outputs=26, rounds=rounds)  # fmt: skip
        sent, received = run.sides[:, 0]
        counted = {"total": run.sizes["total"], "max_in": received, "max_out": sent}
        rows += [_check(algorithm, _SIDES[side], rounds, float(counted[side]), float(size))
                 for side, size in formula.items() if size is not None]  # fmt: skip
    heads = ("algorithm", "what", "rounds", "counted", "closed form", "equal")
    notes = ("Bytes on letter's 12,000 training rows; C-VFL's sum of both sides has no closed form here.",
             "Trees end where no split gains, so FedTree's bytes are counted from its trees: by the engine that sends "
             "every message, and by the one that trains in one place.")  # fmt: skip
    return Sheet("figures3-6-checked", "The channel's counts beside the closed form", heads, tuple(rows), notes, 0)


def _of_trees(run: Outcome, exchange: Outcome | None, rounds: int) -> list[tuple[Cell, ...]]:
    full = traffic_of("fedtree", rows=run.rows, test_rows=run.test_rows, columns=16, parties=_PARTIES, outputs=26,
                      rounds=rounds)  # fmt: skip
    gradients = 8.0 * (_PARTIES - 1) * run.rows * 26 * rounds
    rows = [_check("fedtree", "gradients", rounds, float(sum(run.traffic["gradient"][0])), gradients)]
    if exchange is not None:
        rows += [_check("fedtree", f"{kind}s, by both engines", rounds, float(sum(exchange.traffic[kind][0])),
                        float(sum(sent))) for kind, (sent, _) in run.traffic.items()]  # fmt: skip
    most, came = float(full["max_in"] or 0), run.sizes["max_in"]
    fits = "yes" if came <= most else "no"
    return [*rows, (TITLES["fedtree"], f"{_SIDES['max_in']}, at most", rounds, came, most, fits)]


def _check(algorithm: str, what: str, rounds: int, counted: float, formula: float) -> tuple[Cell, ...]:
    return TITLES[algorithm], what, rounds, counted, formula, "yes" if counted == formula else "no"


FIGURES = Part("Figures 3 and 6", _jobs, _sheets, traffic_bars)
"""Bytes by data set and algorithm."""
