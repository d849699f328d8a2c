"""What a view keeps: texts by all that they were drawn of, to be shown again when a change is taken back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustkit.widgets.lab import Lab

__all__ = ["Itself", "Kept", "groups", "results", "scores"]

_MOST = 8


class Kept:
    """The texts that a view has drawn last, by what they were drawn of; of more than 8 the oldest go first."""

    def __init__(self) -> None:
        self._texts: OrderedDict[Hashable, str] = OrderedDict()
        self._newest: Hashable = None
        self.again = False
        """Whether the newest text is one of before, so that figures may have been drawn of something else since."""

    def text(self, of: Hashable, draw: Callable[[], str]) -> str:
        """Return a text.

        Parameters
        ----------
        of : hashable
            All that it is drawn of; ``None`` if that is not to be found again.
        draw : callable
            Draws it, if that has to be.

        Returns
        -------
        str
            As it was drawn.

        Examples
        --------
        >>> kept = Kept()
        >>> [kept.text(name, lambda: f"{name} drawn at {place}") for place, name in enumerate(("a", "b", "a"))]
        ['a drawn at 0', 'b drawn at 1', 'a drawn at 0']
        """
        found = of is not None and of in self._texts
        text = self._texts[of] if found else draw()  # which may ask whether the text before this one was an earlier one
        if not found or of != self._newest:
            self.again = found
        self._newest = of
        if of is not None:
            self._texts[of] = text
            self._texts.move_to_end(of)
            while len(self._texts) > _MOST:
                self._texts.popitem(last=False)
        return text

    def clear(self) -> None:
        """Forget all texts."""
        self._texts.clear()
        self._newest, self.again = None, False


class Itself:
    """A thing as itself, for what cannot be hashed: it equals no other thing, not even one of the same content.

    Parameters
    ----------
    thing : object
        Any; it is held.

    Examples
    --------
    >>> numbers = [1, 2]
    >>> Itself(numbers) == Itself(numbers), Itself(numbers) == Itself([1, 2])
    (True, False)
    """

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def results(lab: Lab) -> Hashable:
    """Return what rounds are drawn of while nothing is played.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    hashable
        The result and the baseline.
    """
    return lab.outcome, lab.baseline


def scores(lab: Lab) -> Hashable:
    """Return what scores are drawn of.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    hashable
        The result and the baseline, profile and weights.
    """
    return lab.outcome, lab.baseline, lab.profile, lab.setting.weights


def groups(lab: Lab) -> Hashable:
    """Return what groups are drawn of while nothing is played.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    hashable
        The result, and how one looks at it.
    """
    return lab.outcome, lab.looking.look
