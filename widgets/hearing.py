"""Who is told what changed: panels that are seen at once, others when they are seen again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from trustkit.widgets.guard import Guard

__all__ = ["Ear", "Hearing", "Listener"]

Listener = Callable[[str], None]
"""Told what changed: "setting", "still", "search", "standing", "looking", "started", "beat", "progress", "outcome",
"baseline", "weights", "pins", "tables" or "section"; "started" is for what says so at once, before pictures are drawn,
and "beat" for what follows a run ten times a second, however long pictures take."""


class Ear:
    """The listeners of one panel; what they miss while it is shut, they are told once when it opens.

    Parameters
    ----------
    name : str
        What failed if a listener does: the text ``view.`` and this is its name.
    """

    def __init__(self, name: str = "page") -> None:
        self.name = name
        self.listeners: list[Listener] = []
        self.shut = False
        self.missed: dict[str, None] = {}  # in the order in which it was missed first


class Hearing:
    """All listeners of a page: panels' first, then those of what is around them; one that fails stops no other."""

    def __init__(self) -> None:
        self.guard = Guard()
        self._first: list[Listener] = []
        self._ears: list[Ear] = []
        self._page = self._into = Ear()

    @property
    def coming(self) -> Collection[str]:
        """What is going to be told next to who is being told something now: what concerns both is drawn only then."""
        return self._into.missed.keys()

    def watch(self, listener: Listener, first: bool = False) -> None:
        """Tell a listener of every change from now on.

        Parameters
        ----------
        listener : callable
            Takes what changed.
        first : bool
            Whether it is told before all others, as what decides who is seen.
        """
        (self._first if first else self._into.listeners).append(listener)

    @contextmanager
    def into(self, ear: Ear) -> Iterator[None]:
        """Give an ear all listeners that come inside the block.

        Parameters
        ----------
        ear : Ear
            A panel's, which is built in the block.

        Yields
        ------
        None
            Inside, `watch` is the ear's.
        """
        before, self._into = self._into, ear
        if ear not in (self._page, *self._ears):
            self._ears.append(ear)
        try:
            yield
        finally:
            self._into = before

    def tell(self, *changes: str) -> None:
        """Tell everybody; what surrounds the panels hears it last, when they are drawn.

        Parameters
        ----------
        *changes : str
            What changed, at once.
        """
        for ear in (*self._ears, self._page):
            ear.missed.update(dict.fromkeys(changes))
        for what in changes:
            for listener in self._first:
                self.guard.call("page", listener, what)
        for ear in (*self._ears, self._page):
            self._deliver(ear)

    def in_turn(self, what: str) -> Iterator[None]:
        """Tell everybody, one after the other.

        Parameters
        ----------
        what : str
            What changed.

        Yields
        ------
        None
            After each listener: meanwhile something else may be done, and told.
        """
        for ear in (*self._ears, self._page):
            for listener in tuple(ear.listeners):
                if ear.shut:
                    ear.missed[what] = None
                    break
                with self.into(ear):
                    self.guard.call(ear.name, listener, what)
                yield

    def shut(self, ear: Ear, shut: bool) -> None:
        """Shut an ear, or open it and tell it what it has missed.

        Parameters
        ----------
        ear : Ear
            A panel's.
        shut : bool
            Whether nobody sees the panel.
        """
        ear.shut = shut
        self._deliver(ear)

    def catch_up(self) -> None:
        """Tell all panels what they have missed, though nobody sees them."""
        for ear in [ear for ear in self._ears if ear.shut]:
            self.shut(ear, False)
            ear.shut = True

    def _deliver(self, ear: Ear) -> None:
        """Tell an ear what it has missed, unless it is shut."""
        while not ear.shut and ear.missed:
            what = next(iter(ear.missed))
            del ear.missed[what]
            with self.into(ear):  # a panel that fills itself on being told keeps its new listeners
                for listener in ear.listeners:
                    self.guard.call(ear.name, listener, what)
