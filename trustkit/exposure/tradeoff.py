"""Privacy, quality and traffic of several runs side by side, by seed and as bands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trustkit.comparison.result import Band
from trustkit.exposure.result import NOTE, Exposure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASURES", "Tradeoff", "Trial"]

MEASURES = {
    "quality": "accuracy",
    "labels": "labels found",
    "features": "features found",
    "membership": "members found",
    "megabytes": "MB sent",
    "epsilon": "ε",
}
"""What is measured of every run, and what it is called; of a regression the quality is R² on test rows."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What one run gave, or why it was refused.

    Parameters
    ----------
    quality : float
        Accuracy on test rows, or R² of a regression.
    sent : float
        Bytes that all parties sent in all rounds.
    epsilon : float
        Composed over all rounds; infinity where nothing is claimed.
    exposure : Exposure, optional
        What attacks found.
    refused : str
        The sentence of the refusal; empty if it was played.
    """

    quality: float = math.nan
    sent: float = math.nan
    epsilon: float = math.nan
    exposure: Exposure | None = None
    refused: str = ""

    def measures(self) -> dict[str, float]:
        """Return the run's numbers.

        Returns
        -------
        dict of str to float
            By the names of `MEASURES`; NaN where undefined, and for a run that was refused.
        """
        found = self.exposure
        shares = {name: math.nan if found is None else found.share(name)
                  for name in ("labels", "features", "membership")}  # fmt: skip
        return {"quality": self.quality, **shares, "megabytes": self.sent / 1e6, "epsilon": self.epsilon}


@dataclass(frozen=True, eq=False)
class Tradeoff:
    """Runs that were played over the same seeds, and attacked.

    Parameters
    ----------
    seeds : tuple of S int
        The runs' seeds.
    trials : mapping of str to tuple of S Trial
        By label.
    regression : bool
        Whether the quality is R² instead of accuracy.
    """

    seeds: tuple[int, ...]
    trials: Mapping[str, tuple[Trial, ...]]
    regression: bool = False

    def bands(self, label: str) -> dict[str, Band]:
        """Return mean, smallest and largest value over the seeds.

        Parameters
        ----------
        label : str
            Of a run.

        Returns
        -------
        dict of str to Band
            By the names of `MEASURES`; of the seeds at which it is defined.
        """
        each = [trial.measures() for trial in self.trials[label]]
        found = {name: np.array([one[name] for one in each]) for name in MEASURES}
        return {name: _band(values[~np.isnan(values)]) for name, values in found.items()}

    @property
    def refused(self) -> dict[str, str]:
        """By label the sentence for which it was refused, of those that were."""
        said = {name: next((one.refused for one in each if one.refused), "") for name, each in self.trials.items()}
        return {name: sentence for name, sentence in said.items() if sentence}

    def frame(self) -> pd.DataFrame:
        """Return one line for each run.

        Returns
        -------
        pandas.DataFrame
            label, seed, the measures by the names of `MEASURES`, refused.
        """
        import pandas as pd

        lines = [
            {"label": name, "seed": seed, **one.measures(), "refused": one.refused}
            for name, each in self.trials.items()
            for seed, one in zip(self.seeds, each, strict=True)
        ]
        return pd.DataFrame(lines, columns=["label", "seed", *MEASURES, "refused"])

    def to_markdown(self) -> str:
        """Return a table: mean over the seeds, smallest and largest value in brackets.

        Returns
        -------
        str
            One line a run, and below what the numbers are.
        """
        wide = len(self.seeds) > 1
        titles = ["R²" if self.regression and name == "quality" else words for name, words in MEASURES.items()]
        lines = [["", *titles], ["---"] * (1 + len(MEASURES))]
        for name in self.trials:
            if name not in self.refused:
                lines.append([name, *(_spelt(band, wide) for band in self.bands(name).values())])
        text = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
        span = f" Mean over {len(self.seeds)} seeds, smallest and largest in brackets." if wide else ""
        notes = [f"0 is what guessing or own columns find without the run, 1 is everything.{span} {NOTE}"]
        if any(math.isinf(self.bands(name)["epsilon"].mean) for name in self.trials if name not in self.refused):
            notes.append("ε = ∞: no guarantee.")
        notes += [f"{name} was refused: {sentence}." for name, sentence in self.refused.items()]
        return text + "\n\n" + "\n".join(notes) + "\n"


def _band(values: np.ndarray) -> Band:
    return Band(float(values.mean()), float(values.min()), float(values.max())) if values.size else Band(*[np.nan] * 3)


def _spelt(band: Band, wide: bool) -> str:
    if math.isnan(band.mean):
        return "n/a"
    if math.isinf(band.mean):
        return "∞"
    return _said(band.mean) + (f" [{_said(band.low)}, {_said(band.high)}]" if wide else "")


def _said(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
