"""An audit as a table, one line a client, and as a few numbers about all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from trustkit.auditing.verdicts import NO_BIAS
from trustkit.metrics.gaps import Rate, gaps_from_counts, why_undefined
from trustkit.metrics.spread import client_summary
from trustkit.metrics.uncertainty import chance_gap

if TYPE_CHECKING:
    import pandas as pd

    from trustkit.auditing.result import Audit

__all__ = ["CHANCE", "MEASURES", "TINY", "dealt_of", "lines_of", "reasons_of", "smallest_groups", "summary_of"]

MEASURES: Mapping[str, Rate] = {
    "demographic_disparity": "selection",
    "equal_opportunity": "tpr",
    "equalized_odds": "odds",
    "accuracy_gap": "accuracy",
}
"""What may be compared between groups, and the rate that it is about."""

CHANCE = ("selection", "tpr", "accuracy")
"""The rates for which it is known what chance alone would give; odds are two rates."""

TINY = 10
"""A group with fewer test rows than this makes a gap that may be one person's doing."""

_SHORT = {"selection": "DD", "tpr": "EOD", "odds": "EO", "accuracy": "AG"}


def lines_of(audit: Audit) -> pd.DataFrame:
    """Return one line a client.

    Parameters
    ----------
    audit : Audit
        Any.

    Returns
    -------
    pandas.DataFrame
        See `Audit.frame`.
    """
    import pandas as pd

    found = audit.verdicts()
    lines: dict[str, Any] = {"client": audit.clients, "rows": audit.rows, "test_rows": audit.test_rows[0]}
    lines |= {part: [getattr(each, part) for each in found] for part in ("verdict", "leaning", "strength")}
    if len(audit.test_rows) > 1:
        lines["stability"] = [each.stability for each in found]
    if audit.again is not None:
        other = audit.again.verdicts()
        lines["verdict_again"] = [each.verdict for each in other]
        lines["strength_again"] = [each.strength for each in other]
        lines["confirmed"] = [one.verdict == two.verdict for one, two in zip(found, other, strict=True)]
    rate = MEASURES[audit.measure]
    short = _SHORT[rate]
    for m, model in enumerate(audit.models):
        lines[f"{model} accuracy"] = audit.accuracy[0, :, m]
    for attribute, values in audit.attributes.items():
        gaps, (low, high) = audit.gaps(attribute), audit.interval(attribute)
        names, (expected, p) = np.array([*values, ""]), audit.chance(attribute)
        for m, model in enumerate(audit.models):
            what = f"{model} {short}({attribute})"
            lines |= {what: gaps.gap[0, :, m], f"{what} low": low[:, m], f"{what} high": high[:, m]}
            if rate in CHANCE:
                lines |= {f"{what} by chance": expected[:, m], f"{what} p": p[:, m]}
            lines |= {f"{what} better": names[gaps.better[0, :, m]],
                      f"{what} worse": names[gaps.worse[0, :, m]]}  # fmt: skip
        lines[f"{attribute} smallest group"] = smallest_groups(audit, attribute)
        lines[f"{attribute} missing"] = audit.missing[attribute]
    lines["reason"] = [each.reason for each in found]
    return pd.DataFrame(lines)


def dealt_of(audit: Audit) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Say what gaps chance alone would give; see `Audit.chance`.

    Parameters
    ----------
    audit : Audit
        Any.

    Returns
    -------
    dict of str to two (K, M) float array
        By attribute: the expected gap, and p.
    """
    rate = MEASURES[audit.measure]
    if rate not in CHANCE:
        nothing = np.full(audit.accuracy.shape[1:], np.nan)
        return dict.fromkeys(audit.counts, (nothing, nothing))
    seed, least = int(audit.facts.get("seed", 0)), audit.min_group
    return {
        name: chance_gap(cells[0], rate, draws=400, seed=seed, min_group=least)  # type: ignore[arg-type]
        for name, cells in audit.counts.items()
    }


def reasons_of(audit: Audit) -> list[str]:
    """Say of each client why it, or which of its attributes, could not be measured.

    Parameters
    ----------
    audit : Audit
        Any.

    Returns
    -------
    list of K str
        Empty where every attribute has a gap for every model.
    """
    said: list[list[str]] = [[] for _ in audit.clients]
    for name, cells in audit.counts.items():
        undefined = np.flatnonzero(np.isnan(audit.gaps(name).gap[0]).any(axis=-1))
        words = why_undefined(cells[0, undefined, 0], MEASURES[audit.measure], audit.min_group)
        for k, why in zip(undefined.tolist(), words.tolist(), strict=True):
            said[k].append(f"{name}: {why or 'not for every model'}")
    return [whole or "; ".join(parts) for whole, parts in zip(audit.reasons, said, strict=True)]


def smallest_groups(audit: Audit, attribute: str) -> np.ndarray:
    """Count the test rows of each client's smallest group, of those that take part.

    Parameters
    ----------
    audit : Audit
        Any.
    attribute : str
        One of its attributes.

    Returns
    -------
    (K,) int array
        Rows of the first division; 0 for a client without any.
    """
    size = audit.counts[attribute][0, :, 0].sum(axis=(-2, -1))
    part = (size > 0) & (size >= audit.min_group)
    least = np.where(part, size, size.max(initial=0) + 1).min(axis=-1)
    return np.asarray(np.where(part.any(axis=-1), least, 0))


def summary_of(audit: Audit) -> dict[str, Any]:
    """Say what clients show and what pooling them would hide.

    Parameters
    ----------
    audit : Audit
        Any.

    Returns
    -------
    dict of str to object
        See `Audit.summary`.
    """
    found: dict[str, Any] = {"tally": audit.tally()}
    if audit.again is not None:
        pairs = [(one.strength, two.strength) for one, two in zip(audit.verdicts(), audit.again.verdicts(), strict=True)
                 if one.verdict not in NO_BIAS]  # fmt: skip
        before, after = np.array(pairs).reshape(-1, 2).T
        known = ~np.isnan(after)
        found["selected"] = {
            "clients": before.size,
            "strength": float(before.mean()) if before.size else float("nan"),
            "strength_again": float(after[known].mean()) if known.any() else float("nan"),
        }
    for m, model in enumerate(audit.models):
        spread = client_summary(audit.accuracy[0, :, m])
        found[model] = {"accuracy": spread.mean, "worst_accuracy": spread.worst, "jain": spread.jain} | {
            attribute: _about(audit, attribute, m) for attribute in audit.attributes
        }
    return found


def _about(audit: Audit, attribute: str, m: int) -> dict[str, float | int]:
    cells = audit.counts[attribute][0, :, m]
    gap = audit.gaps(attribute).gap[0, :, m]
    pooled = float(gaps_from_counts(cells.sum(axis=0), MEASURES[audit.measure], audit.min_group).gap)
    known = gap[~np.isnan(gap)]
    over = float((known > audit.threshold).mean()) if known.size else float("nan")
    largest = float(known.max()) if known.size else float("nan")
    mean = float(known.mean()) if known.size else float("nan")
    dealt = audit.chance(attribute)[0][:, m]
    dealt = dealt[~np.isnan(dealt)]
    chance = float(dealt.mean()) if dealt.size else float("nan")
    return {"mean": mean, "largest": largest, "pooled": pooled, "masking": largest - pooled, "by_chance": chance,
            "share_over": over, "undefined": int(np.isnan(gap).sum())}  # fmt: skip
