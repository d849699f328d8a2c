"""What a comparison of strategies found: by strategy and seed, and as bands over the seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trustkit.experiment import Experiment
from trustkit.metrics.clients import masking_gap, share_over
from trustkit.metrics.gaps import Rate, gaps_from_counts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASURES", "THRESHOLD", "Band", "Comparison", "Outcome"]

THRESHOLD = 0.09
"""FeDa4Fair's line between a client that is called unfair and one that is not."""

MEASURES = {
    "accuracy": "accuracy",
    "worst_accuracy": "accuracy, worst client",
    "pooled_dd": "DD, pooled",
    "client_dd": "DD, mean of clients",
    "worst_dd": "DD, worst client",
    "pooled_eod": "EOD, pooled",
    "client_eod": "EOD, mean of clients",
    "worst_eod": "EOD, worst client",
    "masking_gap": "masking gap",
    "over": f"clients with DD > {THRESHOLD:g}",
    "megabytes": "MB sent and received",
}
"""What is measured of every run, and what it is called; DD is the gap in selection, EOD in true positive rate."""


class Band(NamedTuple):
    """Mean, smallest and largest value over seeds; NaN where none is defined."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one run gave, or why it was refused.

    Parameters
    ----------
    accuracy : (K,) float array
        On each client's test rows; NaN where it has none.
    groups : mapping of str to (K, G, 2, 2) int array
        Test rows by protected attribute, client, group, favourable label and prediction.
    sent : float
        Bytes that all clients sent and received in all rounds.
    refused : str
        The sentence of the refusal; empty if it was played.
    """

    accuracy: np.ndarray = field(default_factory=lambda: np.zeros(0))
    groups: Mapping[str, np.ndarray] = field(default_factory=dict)
    sent: float = np.nan
    refused: str = ""

    def measures(self, attribute: str) -> dict[str, float]:
        """Measure the run.

        Parameters
        ----------
        attribute : str
            A protected attribute.

        Returns
        -------
        dict of str to float
            By the names of `MEASURES`; NaN where undefined, and for a run that was refused.

        Notes
        -----
        Accuracy is that of all test rows together, where clients count by their rows whose attribute is known; a
        client's gap is that of its test rows.
        """
        if self.refused:
            return dict.fromkeys(MEASURES, np.nan)
        counts = self.groups[attribute]
        known = ~np.isnan(self.accuracy)
        rows, right = counts.sum(axis=(1, 2, 3))[known], self.accuracy[known]
        mean = float(rows @ right / rows.sum()) if rows.sum() else np.nan
        found = {"accuracy": mean, "worst_accuracy": float(right.min())}
        rates: dict[str, Rate] = {"dd": "selection", "eod": "tpr"}
        for short, rate in rates.items():
            gaps = gaps_from_counts(counts, rate).gap
            defined = gaps[~np.isnan(gaps)]
            found[f"pooled_{short}"] = float(gaps_from_counts(counts.sum(axis=0), rate).gap)
            found[f"client_{short}"] = float(defined.mean()) if defined.size else np.nan
            found[f"worst_{short}"] = float(defined.max(initial=-np.inf)) if defined.size else np.nan
        over = share_over(gaps_from_counts(counts).gap, THRESHOLD)
        return {**found, "masking_gap": masking_gap(counts), "over": over, "megabytes": self.sent / 1e6}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Strategies that were played over the same seeds, and so over the same splits.

    Parameters
    ----------
    experiment : Experiment
        What they have in common.
    attribute : str
        The protected attribute that gaps are about.
    seeds : tuple of S int
        The seeds.
    outcomes : mapping of str to tuple of S Outcome
        By strategy.
    """

    experiment: Experiment
    attribute: str
    seeds: tuple[int, ...]
    outcomes: Mapping[str, tuple[Outcome, ...]]

    def values(self, strategy: str) -> dict[str, np.ndarray]:
        """Return a strategy's measures seed by seed.

        Parameters
        ----------
        strategy : str
            Its label.

        Returns
        -------
        dict of str to (S,) float array
            By the names of `MEASURES`.
        """
        each = [outcome.measures(self.attribute) for outcome in self.outcomes[strategy]]
        return {name: np.array([found[name] for found in each]) for name in MEASURES}

    def bands(self, strategy: str) -> dict[str, Band]:
        """Return mean, smallest and largest value of a strategy's measures over the seeds.

        Parameters
        ----------
        strategy : str
            Its label.

        Returns
        -------
        dict of str to Band
            By the names of `MEASURES`; of the seeds at which it is defined.
        """
        return {name: _band(values[~np.isnan(values)]) for name, values in self.values(strategy).items()}

    @property
    def refused(self) -> dict[str, str]:
        """By strategy the sentence for which it was refused, of those that were."""
        said = {name: next((one.refused for one in each if one.refused), "") for name, each in self.outcomes.items()}
        return {name: sentence for name, sentence in said.items() if sentence}

    def frame(self) -> pd.DataFrame:
        """Return one line for each strategy and seed.

        Returns
        -------
        pandas.DataFrame
            strategy, seed, the measures by the names of `MEASURES`, refused.
        """
        import pandas as pd

        lines = [
            {"strategy": name, "seed": seed, **one.measures(self.attribute), "refused": one.refused}
            for name, each in self.outcomes.items()
            for seed, one in zip(self.seeds, each, strict=True)
        ]
        return pd.DataFrame(lines, columns=["strategy", "seed", *MEASURES, "refused"])

    def to_markdown(self) -> str:
        """Return a table: mean over the seeds, smallest and largest value in brackets.

        Returns
        -------
        str
            One line a strategy, and below what the numbers are.
        """
        wide = len(self.seeds) > 1
        lines = [["strategy", *MEASURES.values()], ["---"] * (1 + len(MEASURES))]
        for name in self.outcomes:
            if name not in self.refused:
                lines.append([name, *(_spelt(band, wide) for band in self.bands(name).values())])
        text = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
        span = f"; mean over {len(self.seeds)} seeds, smallest and largest in brackets" if wide else ""
        notes = [f"Gaps between the groups of {self.attribute}, measured on test rows{span}."]
        notes += [f"{name} was refused: {sentence}." for name, sentence in self.refused.items()]
        return text + "\n\n" + "\n".join(notes) + "\n"


def _band(values: np.ndarray) -> Band:
    return Band(float(values.mean()), float(values.min()), float(values.max())) if values.size else Band(*[np.nan] * 3)


def _spelt(band: Band, wide: bool) -> str:
    if np.isnan(band.mean):
        return "n/a"
    return f"{band.mean:.3f} ({band.low:.3f}–{band.high:.3f})" if wide else f"{band.mean:.3f}"
