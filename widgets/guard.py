"""What stands between a visitor's moves and what a panel does with them: a fault is kept to be shown, the rest goes on.

A widget swallows what its callbacks raise, and says it where nobody looks. So no panel hands a function to a widget as
it is, but `guarded`; ``tests/widgets/test_guard.py`` reads every file for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trustkit.widgets.lab import Lab

__all__ = ["Fault", "Guard", "guarded", "strict"]

_strict: list[list[Exception]] = []


@dataclass(frozen=True, eq=False)
class Fault:
    """Something that went wrong.

    Parameters
    ----------
    where : str
        What failed: the text ``view.`` and this is its name.
    error : Exception
        What was raised.
    again : callable
        Tries it once more.
    shown : bool
        Whether it is shown where it happened already.
    """

    where: str
    error: Exception
    again: Callable[[], object]
    shown: bool = False


class Guard:
    """The faults of a page; one is gone as soon as the same thing succeeds."""

    def __init__(self) -> None:
        self._faults: dict[Any, Fault] = {}
        self._claimed: set[str] = set()
        self._told: list[Callable[[], None]] = []

    def faults(self, where: str = "") -> tuple[Fault, ...]:
        """Return what is wrong.

        Parameters
        ----------
        where : str
            In one panel; by default wherever no panel shows its own.

        Returns
        -------
        tuple of Fault
            The oldest first.
        """
        return tuple(
            fault for fault in self._faults.values() if (fault.where if fault.where in self._claimed else "") == where
        )

    def watch(self, told: Callable[[], None], where: str = "") -> None:
        """Tell somebody who shows faults that they have changed.

        Parameters
        ----------
        told : callable
            Called without arguments; it must not fail.
        where : str
            The panel whose faults it shows, and nobody else from now on; by default all that no panel shows.
        """
        self._claimed.update({where} - {""})
        self._told.append(told)

    def call(self, where: str, act: Callable[..., object], *args: Any) -> None:
        """Do something; what it raises becomes a fault.

        Parameters
        ----------
        where : str
            What fails if it does.
        act : callable
            What is done.
        *args
            Given to it; words among them tell one deed from another.
        """
        words = tuple(each for each in args if isinstance(each, str))
        with self.over(where, partial(self.call, where, act, *args), (act, *words)):
            act(*args)

    @contextmanager
    def over(self, where: str, again: Callable[[], object], key: Any = None) -> Iterator[None]:
        """Make a fault of what a block raises, and of nothing else.

        Parameters
        ----------
        where : str
            What fails if it does.
        again : callable
            Tries it once more.
        key : object
            What the block is known by: its success ends its earlier fault; by default `where`.

        Yields
        ------
        None
            Inside, anything may go wrong.
        """
        key = where if key is None else key
        try:
            yield
        except Exception as error:
            if _strict:
                _strict[-1].append(error)
                raise
            self.keep(key, Fault(where, error, again))
        else:
            self.end(key)

    def keep(self, key: Any, fault: Fault) -> None:
        """Keep a fault.

        Parameters
        ----------
        key : object
            What it is known by; it replaces an earlier one.
        fault : Fault
            What went wrong.
        """
        self._faults[key] = fault
        self._tell()

    def end(self, key: Any) -> None:
        """Let go of a fault, if there is one.

        Parameters
        ----------
        key : object
            What it is known by.
        """
        if self._faults.pop(key, None) is not None:
            self._tell()

    def retry(self, where: str = "") -> None:
        """Try everything again that went wrong.

        Parameters
        ----------
        where : str
            See `faults`.
        """
        for fault in self.faults(where):
            fault.again()

    def forget(self, where: str = "") -> None:
        """Let go of what went wrong.

        Parameters
        ----------
        where : str
            See `faults`.
        """
        gone = self.faults(where)
        self._faults = {key: fault for key, fault in self._faults.items() if fault not in gone}
        self._tell()

    def _tell(self) -> None:
        for told in self._told:
            told()


def guarded(lab: Lab, where: str, act: Callable[..., object]) -> Callable[..., None]:
    """Return a function to be handed to a widget.

    Parameters
    ----------
    lab : Lab
        Whose page shows what goes wrong.
    where : str
        What fails if it does: the text ``view.`` and this is its name.
    act : callable
        What is done.

    Returns
    -------
    callable
        It takes what `act` takes, and raises nothing.

    Examples
    --------
    >>> from trustkit.widgets import Lab
    >>> lab = Lab()
    >>> guarded(lab, "split", lambda event: 1 / event)(0)
    >>> [(fault.where, str(fault.error)) for fault in lab.hearing.guard.faults()]
    [('split', 'division by zero')]
    """
    return partial(lab.hearing.guard.call, where, act)


@contextmanager
def strict() -> Iterator[None]:
    """Raise what a guard would keep, for tests; what a widget swallows on the way is raised at the end of the block.

    Yields
    ------
    None
        Inside, guards raise.

    Examples
    --------
    >>> from trustkit.widgets import Lab
    >>> with strict():
    ...     guarded(Lab(), "split", lambda event: 1 / event)(0)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: division by zero
    """
    errors: list[Exception] = []
    _strict.append(errors)
    try:
        yield
    finally:
        _strict.pop()
    if errors:
        raise errors[0]
