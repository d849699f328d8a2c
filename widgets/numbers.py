"""How numbers are written on the page, and how each of them is explained: formula and source."""

from __future__ import annotations

import math

from trustkit.records import RunRecord
from trustkit.rounds import data_of

__all__ = [
    "ACCURACY", "ALPHA_HAT", "BETA", "DISPARITY", "EPSILON", "ICOR", "MASKING", "NOISE", "OVER", "PCOR", "PLANE",
    "POOLED", "RMSE", "ROWS", "SELECTED", "SYNTHETIC", "TRAFFIC", "TRUST",
    "amount", "bytes_text", "synthetic",
]  # fmt: skip

SYNTHETIC = "synthetic data"
"""The words beside whatever comes from rows that are made up."""


def synthetic(record: RunRecord) -> bool:
    """Tell whether a run's rows are made up.

    Parameters
    ----------
    record : RunRecord
        A run.

    Returns
    -------
    bool
        Then every number from it has to say so.
    """
    return data_of(record.experiment).provenance.synthetic


def amount(value: float | None, digits: int = 2) -> str:
    """Write a number; n/a where it is not defined, ∞ where it is infinite, a dash where it is not known.

    Parameters
    ----------
    value : float or None
        The number.
    digits : int
        After the point.

    Returns
    -------
    str
        Text.
    """
    if value is None:
        return "–"
    if math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:z.{digits}f}"


def bytes_text(count: float) -> str:
    """Write a number of bytes.

    Parameters
    ----------
    count : float
        Bytes.

    Returns
    -------
    str
        With a decimal unit.
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return ""


TRUST = (
    "Σ weight × pillar ÷ Σ weight, over the pillars that have evidence; a pillar is the mean of its notions, a notion "
    "that of its metrics. Source: FederatedTrust, Section 5."
)
ACCURACY = (
    "Correct predictions ÷ held-out rows, client by client; the mean over the clients that have any. Source: the last "
    "round; FederatedTrust, Table 2 (performance)."
)
RMSE = (
    "Root of the mean squared error of the joint model on held-out rows, in the target's unit; smaller is better. A "
    "number has no accuracy. Source: the last round."
)
DISPARITY = (
    "Demographic disparity: the largest minus the smallest share of favourable predictions between the groups, on a "
    "client's held-out rows. Source: FeDa4Fair."
)
POOLED = "Demographic disparity of all clients' held-out rows together. Source: FeDa4Fair."
MASKING = "The worst client's disparity minus that of all rows together: what the average hides. Source: FeDa4Fair."
OVER = "Clients whose demographic disparity exceeds 0.09. Source: FeDa4Fair, the line of its protocol."
EPSILON = "P(outcome) ≤ e^ε · P(outcome without one row or client) + δ."
TRAFFIC = (
    "Σ over rounds and parties of the bytes of what crosses a party's border: parameters across rows, embeddings and "
    "their gradients across columns. Source: counted as it is sent; a simulation, so no packet overhead."
)
NOISE = (
    "σ: standard deviation of the noise ÷ clipping norm, the least that keeps ε over all rounds. Source: dp-accounting."
)
SELECTED = "max(1, round(q · K)) clients, drawn anew each round without replacement. Source: the plan of the run."
BETA = "β = (Icor − min) ÷ (max − min) over the splits found. Source: VertiBench, Algorithm 1."
ROWS = "Training and held-out rows that the split gives a client, from the smallest to the largest. Source: counted."
ICOR = (
    "Icor: mean Pcor over ordered pairs of parties (VertiBench, Eq. 3). β places it between the smallest and the "
    "largest value that any split of these columns into parties of these sizes was found to have."
)
PCOR = (
    "Pcor: spread of the singular values of the block of correlations between two parties: √Σ(σ − σ̄)² ÷ d. Source: "
    "VertiBench, Eq. 2."
)
ALPHA_HAT = (
    "α̂ = (K − 1 − K²v) ÷ (K³v), v the variance of the parties' shares of importance: Shapley values of a boosted-tree "
    "model's margins on training rows, summed by party. Source: VertiBench, Proposition 2, as its authors' package has "
    "it; the paper's reading takes the shares for Dirichlet parameters, is 1/K for equal parties and grows from there."
)
PLANE = (
    "Right: the parties' columns matter alike; up: the parties are correlated. Random splits are of equal sizes and of "
    "the same columns. Data sets with natural parties were measured once and recorded. Source: VertiBench, Figure 2c."
)
