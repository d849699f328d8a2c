"""Who holds what: the correlation matrix with party borders across columns, the classes by client across rows."""

from __future__ import annotations

from typing import Any

from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import ROWS, SYNTHETIC, amount
from trustkit.widgets.view import View, card, tip

from trustkit import plot
from trustkit.catalogue import PANELS
from trustkit.data import FederatedDataset
from trustkit.split import column_correlation

__all__ = ["SplitPanel"]

_ICOR = (
    "Icor: mean Pcor over ordered pairs of parties (VertiBench, Eq. 3). Pcor: spread of the singular values of the "
    "block of correlations between two parties (Eq. 2). β places Icor between the smallest and the largest value that "
    "any split of "
    "these columns into parties of these sizes was found to have."
)


@PANELS.enter("split", title="Who holds what")
def SplitPanel(lab: Lab | None = None) -> View:  # noqa: N802 (a panel reads as a thing)
    """Show how the columns, or the rows, are divided; it follows the sliders while they move.

    Parameters
    ----------
    lab : Lab, optional
        The shared state; by default one of its own.

    Returns
    -------
    View
        A widget.
    """
    pictures: dict[str, Any] = {}

    def draw(state: Lab) -> str:
        if state.searching:
            title = "Who holds which rows" if state.setting.across_rows else "Who holds correlated columns"
            return card(title, "looking for the split: this table is wide …", "")
        if not state.setting.across_rows:
            return _columns(state, pictures)
        fed = state.federated()
        pictures["rows"] = figure = plot.label_shares(fed, figure=pictures.get("rows"))
        sizes = fed.partition.sizes
        label = (
            f"Rows of each class by client: {len(fed)} clients of {sizes.min():,} to {sizes.max():,} rows, "
            f"{len(fed.data.classes)} classes"
        )
        rows = tip(f"{sizes.min():,} to {sizes.max():,} rows", ROWS)
        return card(
            "Who holds which rows",
            f"{_origin(fed)}{len(fed)} clients · {rows} · colours are classes",
            plot.to_svg(figure, label),
        )

    return View(lab or Lab(), draw, ("setting",), "split")


def _origin(fed: FederatedDataset) -> str:
    return f'<span class="tk-tag">{SYNTHETIC}</span> ' if fed.data.provenance.synthetic else ""


def _columns(state: Lab, pictures: dict[str, Any]) -> str:
    fed = state.federated()
    achieved = fed.partition.achieved
    pictures["columns"] = figure = plot.correlation_blocks(
        fed, column_correlation(fed.data), figure=pictures.get("columns")
    )
    icor, bounds = achieved.get("icor"), achieved.get("bounds")
    text = f"{_origin(fed)}{tip('Icor', _ICOR)} {amount(icor, 3)}"
    if bounds is not None:
        exact = "all splits tried" if achieved.get("bounds_exact") else "best found"
        text += f" between {amount(bounds[0], 3)} and {amount(bounds[1], 3)} ({exact})"
        text += f" · β asked {amount(achieved.get('asked_beta'))}, achieved {amount(achieved.get('beta'), 3)}"
    sizes = ", ".join(map(str, fed.partition.sizes[:12])) + (" …" if len(fed) > 12 else "")
    label = (
        f"Absolute Spearman correlation of {fed.data.X.shape[1]} columns with the borders of {len(fed)} parties "
        "holding "
        f"{sizes} columns; Icor {amount(icor, 3)}"
    )
    return card("Who holds correlated columns", text, plot.to_svg(figure, label))
