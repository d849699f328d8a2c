"""Goals and verdicts of a lesson in the language of the page; in English as `trustkit.lesson` says them."""

from __future__ import annotations

from trustkit.widgets.strings import say
from trustkit.widgets.translated import translated

from trustkit.lesson import Checked, Goal, Verdict
from trustkit.quantities import QUANTITIES

__all__ = ["goal_words", "verdict_words"]


def goal_words(goal: Goal) -> str:
    """Say what is to be reached.

    Parameters
    ----------
    goal : Goal
        Any.

    Returns
    -------
    str
        Plain text.

    Examples
    --------
    >>> goal_words(Goal("accuracy", at_least=0.8))
    'mean accuracy at least 0.8'
    """
    quantity = translated(QUANTITIES[goal.metric].title)
    if goal.at_least is None:
        return say("goal.at_most", quantity=quantity, line=f"{goal.at_most:g}")
    if goal.at_most is None:
        return say("goal.at_least", quantity=quantity, line=f"{goal.at_least:g}")
    return say("goal.between", quantity=quantity, low=f"{goal.at_least:g}", high=f"{goal.at_most:g}")


def verdict_words(verdict: Verdict) -> str:
    """Say a verdict in one sentence.

    Parameters
    ----------
    verdict : Verdict
        Of `trustkit.lesson.verdict_of`.

    Returns
    -------
    str
        Plain text.
    """
    total, reached = len(verdict.checks), sum(check.met is True for check in verdict.checks)
    if verdict.met:
        return say("goal.reached") if total == 1 else say("goal.all_reached", total=total)
    if verdict.met is None:
        open_ = (check for check in verdict.checks if check.met is None and check.why)
        why = next((_why(check) for check in open_), say("goal.unmeasured"))
        return say("goal.undecided", why=why)
    return say("goal.missed") if total == 1 else say("goal.partly", reached=reached, total=total)


def _why(check: Checked) -> str:
    """Why a goal is not decided."""
    title = QUANTITIES[check.goal.metric].title
    undefined = check.why.startswith(title)
    return say("goal.undefined", quantity=translated(title)) if undefined else translated(check.why)
