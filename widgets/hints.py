"""What stands beside each slider: its name, what it does now or why it does nothing, and whether it can be moved."""

from __future__ import annotations

import math

import numpy as np
from trustkit.widgets.lab import Lab
from trustkit.widgets.numbers import amount
from trustkit.widgets.strings import say

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
    skew = say("hints.skew_rows") if rows else say("hints.skew_columns")
    many = say("hints.many_rows") if rows else say("hints.many_columns")
    given = say("hints.given") if count is None else say("hints.given_count", count=count)
    return {
        "alpha": (
            say("hints.label_skew") if rows else say("hints.importance"),
            say("hints.alpha", skew=skew) if takes("alpha") else say("hints.unused"),
            takes("alpha"),
        ),
        "beta": (say("hints.correlation"), _beta(lab), takes("beta")),
        "epsilon": (say("hints.epsilon"), _epsilon(lab), rows),
        "clients": (
            say("hints.clients") if rows else say("hints.parties"),
            many if takes("parties") else given,
            takes("parties"),
        ),
        "selection": (say("hints.selection"), _selection(lab, count), rows),
        "rounds": (say("hints.rounds") if rows else say("hints.passes"), "", True),
    }


def _selection(lab: Lab, count: int | None) -> str:
    if not lab.setting.across_rows:
        return say("hints.all_parties")
    if count is None:
        return ""
    chosen = select(lab.setting.seed, 1, np.arange(count), lab.setting.selection)
    return say("hints.selected", selected=chosen.size, total=count)


def _beta(lab: Lab) -> str:
    if lab.setting.across_rows:
        return say("hints.beta_rows")
    if not lab.setting.takes("beta"):
        return say("hints.unused")
    if lab.searching:
        return say("hints.searching")
    try:
        achieved = lab.federated().partition.achieved
    except Exception:  # the page shows it in a card
        return ""
    asked, got = amount(achieved.get("asked_beta")), amount(achieved.get("beta"), 3)
    return say("hints.beta", asked=asked, achieved=got)


def _epsilon(lab: Lab) -> str:
    if not lab.setting.across_rows:
        return say("hints.epsilon_columns")
    if not lab.setting.private:
        return say("hints.epsilon_off")
    if lab.experiment is None or lab.searching:
        return ""
    try:
        noise = build(lab.experiment).trainer.facts.get("noise_multiplier")
    except Exception:  # training will say what is wrong
        return ""
    rule = say("hints.follows") if math.isinf(lab.setting.epsilon) else say("hints.smaller")
    return say("hints.noise", rule=rule, noise=amount(noise))
