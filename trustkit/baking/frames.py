"""One place of the slider: the run's numbers, a sentence, and its pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trustkit import plot
from trustkit.baking.wording import Words, words_of
from trustkit.disparities import disparities_of
from trustkit.experiment import Experiment
from trustkit.facts import facts_of
from trustkit.findings import THRESHOLD, fairness_of, quality_of
from trustkit.quantities import QUANTITIES, Seen
from trustkit.records import RunRecord
from trustkit.rounds import build, data_of
from trustkit.trust import FactSheet, TrustReport, assess

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawn: TypeAlias = tuple[str, "Figure", str]
"""A picture's title, the picture, and what it shows in a sentence."""

__all__ = ["NUMBERS", "PICTURES", "Frame", "Tile", "frame_of", "scored", "written"]

NUMBERS: Mapping[str, tuple[str, int]] = {
    "trust": ("trust", 2),
    "accuracy": ("accuracy", 3),
    "rmse": ("rmse", 2),
    "worst_accuracy": ("worst_accuracy", 3),
    "fairness.demographic_disparity": ("disparity", 3),
    "epsilon": ("epsilon", 2),
    "megabytes": ("megabytes", 2),
}
"""What the tiles and the table show: quantities by name, with the name of their short title, and digits after the
point."""


@dataclass(frozen=True)
class Tile:
    """A number as it is shown, and as it is."""

    name: str
    title: str
    value: float | None
    text: str


@dataclass(frozen=True)
class Frame:
    """What one place of the slider shows.

    Parameters
    ----------
    experiment : Experiment
        What was played.
    sentence : str
        What the run shows, in words.
    tiles : tuple of Tile
        Its numbers.
    pictures : tuple of (str, str)
        A title and an inline SVG each.
    """

    experiment: Experiment
    sentence: str
    tiles: tuple[Tile, ...]
    pictures: tuple[tuple[str, str], ...]


def written(value: float | None, digits: int, words: Words | None = None) -> str:
    """Write a number; n/a where it is not defined, ∞ where it is infinite, a dash where it is not known.

    Parameters
    ----------
    value : float or None
        The number.
    digits : int
        After the point.
    words : Words, optional
        The language; by default English.

    Returns
    -------
    str
        Text; the decimal sign is a point in every language.

    Examples
    --------
    >>> written(0.12345, 3), written(float("nan"), 2), written(None, 2), written(float("inf"), 2)
    ('0.123', 'n/a', '–', '∞')
    """
    if value is None:
        return "–"
    if math.isnan(value):
        return (words or words_of("en")).say("page.undefined")
    return "∞" if math.isinf(value) else f"{value:z.{digits}f}"


def scored(record: RunRecord) -> tuple[FactSheet, TrustReport]:
    """Score a run by the usual profile.

    Parameters
    ----------
    record : RunRecord
        At least one round.

    Returns
    -------
    FactSheet, TrustReport
        The facts that the run itself tells, and their score.
    """
    facts = facts_of(record)
    return facts, assess(facts)


def _radar(record: RunRecord, report: TrustReport, before: TrustReport | None, words: Words) -> Drawn:
    names = report.profile.taxonomy.pillars
    scores = ", ".join(f"{words.translated(names.get(name, name))} {written(score, 2, words)}"
                       for name, score in report.pillars.items())  # fmt: skip
    title = words.say("snapshot.picture_radar")
    return title, plot.pillar_radar(report, before), words.say("snapshot.said_radar", scores=scores)


def _accuracy(record: RunRecord, report: TrustReport, before: TrustReport | None, words: Words) -> Drawn:
    quality = quality_of(record)
    first, last = (written(float(quality.by_round[k]), 3, words) for k in (0, -1))
    figure = plot.accuracy_by_round(record, wide=False)
    if quality.higher:
        said = words.say("snapshot.said_accuracy", first=first, last=last)
        return words.say("snapshot.picture_accuracy"), figure, said
    return words.say("snapshot.picture_rmse"), figure, words.say("snapshot.said_rmse", first=first, last=last)


def _fairness(record: RunRecord, report: TrustReport, before: TrustReport | None, words: Words) -> Drawn | None:
    found = disparities_of(record)
    if found is None:
        return None
    known = found.gap[np.isfinite(found.gap)]
    worst = written(float(known.max()) if known.size else math.nan, 3, words)
    said = words.say("snapshot.said_fairness", attribute=found.attribute, worst=worst,
                     pooled=written(found.pooled, 3, words))  # fmt: skip
    return words.say("snapshot.picture_fairness"), plot.client_gaps(found), said


def _split(record: RunRecord, report: TrustReport, before: TrustReport | None, words: Words) -> Drawn | None:
    fed = build(record.experiment).fed
    if fed.partition.axis != "rows" or not fed.data.classes:
        return None
    least, most = (f"{size:,}" for size in (fed.partition.sizes.min(), fed.partition.sizes.max()))
    said = words.say("snapshot.said_split", clients=len(fed), least=least, most=most)
    return words.say("snapshot.picture_split"), plot.label_shares(fed), said


_Draw = Callable[[RunRecord, TrustReport, "TrustReport | None", Words], "Drawn | None"]
PICTURES: Mapping[str, _Draw] = {"radar": _radar, "accuracy": _accuracy, "fairness": _fairness, "split": _split}
"""Pictures that a frame may hold: what gives a title, draws one, and says it in a sentence."""


def frame_of(
    record: RunRecord, pictures: Sequence[str], before: TrustReport | None = None, language: str = "en"
) -> Frame:
    """Make what a place of the slider shows.

    Parameters
    ----------
    record : RunRecord
        At least one round.
    pictures : sequence of str
        Names of `PICTURES`; one that the run does not have is left out.
    before : TrustReport, optional
        Of the setting that the snapshot opens with: its radar is drawn dashed.
    language : str
        See `trustkit.baking.wording.words_of`.

    Returns
    -------
    Frame
        Numbers, sentence and pictures.
    """
    words = words_of(language)
    facts, report = scored(record)
    seen = Seen(record.experiment, record, report)
    regression = not quality_of(record).higher
    left_out = {"accuracy", "worst_accuracy"} if regression else {"rmse"}
    if record.last.accuracy.size == 1:
        left_out.add("worst_accuracy")
    tiles = []
    for name, (title, digits) in NUMBERS.items():
        if name not in left_out:
            value = QUANTITIES[name].read(seen)
            tiles.append(Tile(name, words.say(f"snapshot.number_{title}"), value, written(value, digits, words)))
    drawn = []
    for name in pictures:
        if (found := PICTURES[name](record, report, before, words)) is not None:
            title, figure, said = found
            drawn.append((title, words.drawn(plot.to_svg(figure, said))))
    texts = {tile.name: tile.text for tile in tiles}
    return Frame(record.experiment, _sentence(record, facts, texts, words), tuple(tiles), tuple(drawn))


def _sentence(record: RunRecord, facts: FactSheet, texts: Mapping[str, str], words: Words) -> str:
    """Say what a run shows; every number is one of the tiles', or the fairness of its last round."""
    said = [words.say("snapshot.synthetic_data")] if data_of(record.experiment).provenance.synthetic else []
    if "rmse" in texts:
        reached = words.say("snapshot.reached_rmse", rmse=texts["rmse"])
    elif "worst_accuracy" in texts:
        reached = words.say("snapshot.reached", accuracy=texts["accuracy"], worst=texts["worst_accuracy"])
    else:
        reached = words.say("snapshot.reached_joint", accuracy=texts["accuracy"])
    said.append(words.say("snapshot.trust", trust=texts["trust"], count=len(record), reached=reached))
    said.append(_privacy(record, facts, texts["epsilon"], words))
    found = fairness_of(record)
    if found is not None:
        said.append(words.say("snapshot.gaps", attribute=found.attribute, pooled=written(found.pooled, 3, words),
                              over=found.over, clients=len(found.names), line=f"{THRESHOLD:g}"))  # fmt: skip
    return " ".join(said)


def _privacy(record: RunRecord, facts: FactSheet, epsilon: str, words: Words) -> str:
    """Say what ε is, and whom it protects; without noise there is none."""
    if record.experiment.privacy is None:
        return words.say("snapshot.no_noise")
    level, delta = facts.get("privacy", "level"), facts.get("privacy", "delta")
    whom = words.say(f"snapshot.for_{level}") if level in ("example", "client") else ""
    at = "" if delta is None else words.say("snapshot.at_delta", delta=f"{delta:g}")
    return words.say("snapshot.spent", epsilon=epsilon, whom=whom, delta=at)
