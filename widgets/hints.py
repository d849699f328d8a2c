"""What stands beside each slider: its name, what it does now or why it does nothing, and whether it can be moved."""

from __future__ import annotations

import math

import numpy as np
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount

from trustkit.horizontal.plan import select
from trustkit.rounds import build, data_of

__all__ = ["Hint", "hints", "most_parties", "parties"]

Hint = tuple[str, str, bool]
"""Name, text, and whether the slider does anything."""


def parties(lab: Lab) -> int | None:
    """Return how many clients or parties there are under the controls.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    int or None
        ``None`` while the split is looked for, or if there is none.
    """
    try:
        return None if lab.searching else len(lab.federated())
    except Exception:  # the page shows it in a card
        return None


def most_parties(lab: Lab) -> int:
    """Return how many clients or parties the slider offers.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    int
        100 across rows; across columns at most 16, and no more than there are columns.
    """
    if lab.setting.across_rows:
        return 100
    if lab.experiment is None:
        return 16
    return max(2, min(16, int(data_of(lab.experiment).X.shape[1])))


def hints(lab: Lab) -> dict[str, Hint]:
    """Describe all sliders.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    dict of str to (str, str, bool)
        Label, hint and whether it is enabled, by slider.
    """
    rows, takes, count = lab.setting.across_rows, lab.setting.takes, parties(lab)
    skew = "each client sees few classes" if rows else "one party holds most columns"
    many = "2 to 100" if rows else "who share the columns"
    given = "given by this split" if count is None else f"{count}, given by this split"
    return {
        "alpha": (
            "label skew" if rows else "importance",
            f"Dirichlet; small: {skew}" if takes("alpha") else "not used by this split",
            takes("alpha"),
        ),
        "beta": ("correlation between parties", _beta(lab), takes("beta")),
        "epsilon": ("privacy budget", _epsilon(lab), rows),
        "clients": ("clients" if rows else "parties", many if takes("parties") else given, takes("parties")),
        "selection": ("selected each round", _selection(lab, count), rows),
        "rounds": ("rounds" if rows else "passes over the data", "", True),
    }


def _selection(lab: Lab, count: int | None) -> str:
    if not lab.setting.across_rows:
        return "all parties, always"
    if count is None:
        return ""
    chosen = select(lab.setting.seed, 1, np.arange(count), lab.setting.selection)
    return f"{chosen.size} of {count} clients"


def _beta(lab: Lab) -> str:
    if lab.setting.across_rows:
        return "moves columns: switch to across columns"
    if not lab.setting.takes("beta"):
        return "not used by this split"
    if lab.searching:
        return "searching …"
    try:
        achieved = lab.federated().partition.achieved
    except Exception:  # the page shows it in a card
        return ""
    return f"asked {amount(achieved.get('asked_beta'))} · achieved {amount(achieved.get('beta'), 3)}"


def _epsilon(lab: Lab) -> str:
    if not lab.setting.across_rows:
        return "across columns: privacy is under more settings"
    if not lab.setting.private:
        return "off: no noise, no bound"
    if lab.experiment is None or lab.searching:
        return ""
    try:
        noise = build(lab.experiment).trainer.facts.get("noise_multiplier")
    except Exception:  # training will say what is wrong
        return ""
    rule = "ε follows from the noise" if math.isinf(lab.setting.epsilon) else "smaller: more noise"
    return f"{rule} · noise multiplier σ = {amount(noise)}"
