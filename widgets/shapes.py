"""The two shapes of a picture: for a wide page and for a phone, of which the style sheet shows one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trustkit.widgets.lab import Lab

__all__ = ["SHAPES", "Shaped", "going", "shaped"]

SHAPES = ("wide", "narrow")


def shaped(draw: Callable[[str], str]) -> str:
    """Draw both shapes.

    Parameters
    ----------
    draw : callable
        One of `SHAPES` in, HTML out.

    Returns
    -------
    str
        HTML: one element a shape.

    Examples
    --------
    >>> shaped(str.upper)
    '<div class="tk-only-wide">WIDE</div><div class="tk-only-narrow">NARROW</div>'
    """
    return "".join(f'<div class="tk-only-{shape}">{draw(shape)}</div>' for shape in SHAPES)


class Shaped:
    """Both shapes of what moves: one a time while it does, so that a click waits for one drawing and not for two."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._of: Hashable = None

    def draw(self, draw: Callable[[str], str], moving: Hashable = None) -> str:
        """Draw both shapes, or the one that was drawn longer ago and the other as it was.

        Parameters
        ----------
        draw : callable
            One of `SHAPES` in, HTML out.
        moving : hashable
            What moves, as `going` gives it: the other shape is at most one drawing old, of the same; ``None`` if
            nothing does, which draws both.

        Returns
        -------
        str
            As `shaped` gives it.

        Examples
        --------
        >>> picture = Shaped()
        >>> texts = [picture.draw(lambda shape: f"{shape} {done}", "a run") for done in (1, 2, 3)]
        >>> [text.count(f"{done}</div>") for done, text in enumerate(texts, 1)]
        [2, 1, 1]
        """
        if moving is None or moving != self._of:
            self._texts = {shape: draw(shape) for shape in SHAPES}
        else:
            older = next(iter(self._texts))
            del self._texts[older]
            self._texts[older] = draw(older)
        self._of = moving
        return shaped(self._texts.__getitem__)


def going(lab: Lab) -> Hashable:
    """Say what goes on.

    Parameters
    ----------
    lab : Lab
        The page's state.

    Returns
    -------
    hashable
        The run that goes on and what it is drawn beside; ``None`` if none does.
    """
    return (lab.progress, lab.baseline) if lab.player.busy else None
