"""Pictures of an audit: what a federated model, or another local one, changes at each client."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from trustkit.auditing.result import Audit
from trustkit.auditing.tables import MEASURES
from trustkit.metrics.gaps import Gaps, gaps_from_counts
from trustkit.plot import behind, style
from trustkit.plot.audited import attribute_of, settled, sheet
from trustkit.records import RunRecord

__all__ = ["local_federated", "value_changes"]


def _model(audit: Audit, model: str) -> int:
    name = model or audit.models[0]
    if name not in audit.models:
        raise KeyError(f"there is no model {name!r}; known are {', '.join(audit.models)}")
    return audit.models.index(name)


def _federated(audit: Audit, record: RunRecord, attribute: str) -> Gaps:
    """Return the gaps of a federated model at the audit's clients."""
    counts = record.groups.get(attribute)
    wanted = (len(audit.clients), len(audit.attributes[attribute]), 2, 2)
    if counts is None or counts.shape != wanted:
        got = "none" if counts is None else f"{counts.shape[0]} and {counts.shape[1]}"
        raise ValueError(
            f"the run must have the audit's {wanted[0]} clients and {wanted[1]} groups of {attribute}, got {got}"
        )
    return gaps_from_counts(counts, MEASURES[audit.measure], audit.min_group)


def local_federated(
    audit: Audit, record: RunRecord, attribute: str = "", model: str = "", figure: Figure | None = None
) -> Figure:
    """Draw every client's gap with its own model against its gap with the federated model.

    Parameters
    ----------
    audit : Audit
        Best with ``division="held_out"``, so that both models see the same test rows.
    record : RunRecord
        A run over the same clients, in the same order.
    attribute : str
        By default the audit's first.
    model : str
        The local one, by default the audit's first.
    figure : Figure, optional
        The picture to draw on.

    Returns
    -------
    matplotlib.figure.Figure
        Below the diagonal the federated model has the smaller gap. Clients without one of the two gaps are counted, not
        drawn.

    Raises
    ------
    KeyError, ValueError
        If attribute or model are unknown, or the run has other clients or groups.
    """
    name, m = attribute_of(audit, attribute), _model(audit, model)
    local, shared = audit.gaps(name).gap[0, :, m], _federated(audit, record, name).gap
    known = ~np.isnan(local) & ~np.isnan(shared)
    reach = 1.08 * max(audit.threshold * 1.3, *local[known].tolist(), *shared[known].tolist())
    with style.looks():
        figure, axes = sheet(figure, 3.6, 3.5)
        axes.plot([0, reach], [0, reach], color=style.BASE, linewidth=1)
        for draw in (axes.axvline, axes.axhline):
            draw(audit.threshold, color=style.INK, linewidth=0.8, linestyle=":")
        better = shared <= local
        for chosen, colour, word in ((known & better, style.NOW, "no larger"), (known & ~better, style.WARN, "larger")):
            axes.plot(local[chosen], shared[chosen], linestyle="none", marker="o" if word == "no larger" else "^",
                      markersize=4.5, color=colour, alpha=0.85, label=f"{int(chosen.sum())} {word}")  # fmt: skip
        axes.set_xlim(0, reach)
        axes.set_ylim(0, reach)
        axes.set_aspect("equal")
        axes.set_xlabel(f"gap of {name}, {audit.models[m]} at the client")
        axes.set_ylabel("gap with the federated model")
        if not known.all():
            axes.plot([], [], linestyle="none", label=f"{int((~known).sum())} n/a")
        axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), columnspacing=1)
    behind.tell(figure, client=list(audit.clients), local=local, federated=shared, threshold=audit.threshold,
                model=audit.models[m], measure=audit.measure, attribute=name)  # fmt: skip
    return settled(figure)


def value_changes(
    audit: Audit, attribute: str = "", record: RunRecord | None = None, model: str = "", figure: Figure | None = None
) -> Figure:
    """Draw who is worse off at every client, with arrows where another model puts somebody else there.

    Parameters
    ----------
    audit : Audit
        Of K clients.
    attribute : str
        By default the audit's first.
    record : RunRecord, optional
        A federated run over the same clients, to which arrows lead; by default they lead to the audit's last model.
    model : str
        Where arrows start, by default the audit's first.
    figure : Figure, optional
        The picture to draw on.

    Returns
    -------
    matplotlib.figure.Figure
        A column a value that is worse off, height the gap; a dot for a client where it stays the same.

    Raises
    ------
    KeyError, ValueError
        As `local_federated`.
    """
    name, m = attribute_of(audit, attribute), _model(audit, model)
    found = audit.gaps(name)
    before = found.gap[0, :, m], found.worse[0, :, m]
    if record is None:
        after, where = (found.gap[0, :, -1], found.worse[0, :, -1]), audit.models[-1]
    else:
        shared = _federated(audit, record, name)
        after, where = (shared.gap, shared.worse), "federated"
    known = ~np.isnan(before[0]) & ~np.isnan(after[0])
    changed = known & (before[1] != after[1])
    values = audit.attributes[name]
    with style.looks():
        figure, axes = sheet(figure, max(3.2, 1.2 + 0.85 * len(values)), 3.2)
        place = np.linspace(-0.28, 0.28, known.size) if known.size > 1 else np.zeros(known.size)
        stay = known & ~changed
        axes.plot(after[1][stay] + place[stay], after[0][stay], linestyle="none", marker="o", markersize=3.5,
                  color=style.BASE)  # fmt: skip
        for k in np.flatnonzero(changed):
            start, end = ((each[1][k] + place[k], each[0][k]) for each in (before, after))
            axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": style.WARN, "lw": 0.9})
            axes.plot(*start, marker="o", markersize=3, color=style.WARN)
        axes.axhline(audit.threshold, color=style.INK, linewidth=0.8, linestyle=":")
        axes.set_xlim(-0.5, len(values) - 0.5)
        axes.set_ylim(0, 1.08 * max([audit.threshold, *before[0][known].tolist(), *after[0][known].tolist()]))
        axes.set_xticks(range(len(values)), [style.short(value, 14) for value in values])
        axes.set_xlabel(f"{name}: worse off")
        axes.set_ylabel(audit.measure.replace("_", " "))
        change = f"{int(changed.sum())} of {int(known.sum())} clients change (arrows), {int(stay.sum())} do not (dots)"
        axes.set_title(f"{audit.models[m]} → {where}\n{change}", fontsize=8, loc="left")
    told = {
        f"{part}_{when}": each
        for when, pair in (("before", before), ("after", after))
        for part, each in (("gap", pair[0]), ("worse_off", [values[g] if g >= 0 else None for g in pair[1]]))
    }
    behind.tell(figure, client=list(audit.clients), **told, changed=changed, threshold=audit.threshold,
                before=audit.models[m], after=where, measure=audit.measure, attribute=name)  # fmt: skip
    return settled(figure)
