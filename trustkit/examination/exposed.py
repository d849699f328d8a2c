"""What a run over columns gives away to who listens: its labels, and the columns of its parties."""

from __future__ import annotations

import math

from trustkit.examination.subject import Found, NotMeasured, Subject, Tell, measure
from trustkit.exposure import NOTE, exposure_of

__all__ = ["exposed"]


@measure("exposure", cost="gradients", axes=("columns",))
def exposed(subject: Subject, tell: Tell) -> Found:
    """Attack what crosses the wire: infer labels from gradients, rebuild columns from embeddings.

    Parameters
    ----------
    subject : Subject
        A run over columns.
    tell : callable
        Told how far it is.

    Returns
    -------
    Found
        privacy/label_exposure, privacy/feature_exposure; privacy/leakage_share, the larger of the two.

    Raises
    ------
    NotMeasured
        If nothing crosses that has one line of numbers a row: nothing is sent, or only sums or ciphertexts.

    Notes
    -----
    (value − w) / (1 − w) of the attack that finds most, at least 0, where w is what guessing or the attacker's own
    columns find without the run; see `trustkit.exposure.exposure_of`. Up to 600 rows, three draws of known rows.

    Source
    ------
    Li et al. (2022), Fu et al. (2022) and Luo et al. (2021), by attack; VertiBench (Wu et al. 2023) leaves the privacy
    of vertical training to future work; FederatedTrust (Sánchez Sánchez et al. 2024), "Information Leakage Risk".

    Deviations
    ----------
    FederatedTrust names mutual information in nats; shares of what attacks find are read without a unit, and are lower
    bounds.
    """
    found = exposure_of(subject.record, seed=subject.seed, progress=lambda _, done: tell(done))
    shares = {target: found.share(target) for target in ("labels", "features")}
    known = [value for value in shares.values() if not math.isnan(value)]
    if not known:
        raise NotMeasured(next(each.reason for each in found.findings if each.reason))
    facts = {"privacy/label_exposure": shares["labels"], "privacy/feature_exposure": shares["features"]}
    heard = {path: value for path, value in facts.items() if not math.isnan(value)}
    words = [f"{target} by {worst.attack}, {worst.measure} {worst.mean:.2f} against {worst.without:.2f} without the run"
             for target in ("labels", "features") if (worst := found.worst(target))]  # fmt: skip
    return Found({**heard, "privacy/leakage_share": max(known)}, "; ".join(words) + f". {NOTE}")
