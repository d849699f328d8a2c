"""Clean, attacked and defended in one picture: lines are the runs' means, crosses mark attackers, words stay apart."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.plot import samples
from trustkit.plot import to_svg
from trustkit.plot.attack import accuracy_under_attack

WHO = np.array([1])


def run_of(accuracy: list[list[float]], selected: list[list[bool]] | None = None, rounds: int = 4) -> Any:
    """Stand in for a record: rounds by clients."""
    table = np.array(accuracy, float).reshape(len(accuracy), -1)
    chosen = np.ones(table.shape, bool) if selected is None else np.array(selected, bool)

    class Table(SimpleNamespace):
        def __len__(self) -> int:
            return len(table)

    return Table(
        accuracy=table, selected=chosen, index=np.arange(1, len(table) + 1), experiment=SimpleNamespace(rounds=rounds)
    )


CLEAN = run_of([[0.2, 0.4], [0.6, 0.8], [0.8, 0.9]])
ATTACKED = run_of([[0.2, 0.4], [0.1, 0.3], [0.0, 0.2]], [[True, False], [True, True], [False, True]])
DEFENDED = run_of([[0.2, 0.4], [0.5, 0.7]])
ALL = {"clean": CLEAN, "attacked": ATTACKED, "defended": DEFENDED}


def lines(figure: Figure) -> list[tuple[list[float], list[float]]]:
    """Return the data of the drawn lines."""
    return [(xy[:, 0].tolist(), xy[:, 1].tolist()) for xy in map(samples.xy, figure.axes[0].lines)]


def words(figure: Figure) -> dict[str, float]:
    """Return the words at the ends, and how high they stand."""
    return {text.get_text(): float(text.get_position()[1]) for text in figure.axes[0].texts if text.get_text()}


def test_lines_are_means_and_crosses_are_rounds_with_attackers() -> None:
    """Client 2 attacks; it took part in rounds 2 and 3."""
    found = lines(accuracy_under_attack(ALL, WHO))
    assert [rounds for rounds, _ in found] == [[1, 2, 3], [1, 2, 3], [1, 2], [2, 3]]
    means = [[0.3, 0.7, 0.85], [0.3, 0.2, 0.1], [0.3, 0.6], [0.2, 0.1]]
    assert [accuracy for _, accuracy in found] == [pytest.approx(mean) for mean in means]
    assert lines(accuracy_under_attack(ALL))[3] == ([], [])


@pytest.mark.parametrize("ends", [(0.9, 0.9, 0.9), (0.0, 0.0, 0.0), (1.0, 0.98, 0.96), (0.5, 0.1, 0.52)], ids=str)
def test_words_stand_apart_and_inside(ends: tuple[float, float, float]) -> None:
    """In the order of their lines."""
    runs = {name: run_of([[end]]) for name, end in zip(ALL, ends, strict=True)}
    places = words(accuracy_under_attack(runs))
    assert [float(text.split()[1]) for text in places] == list(ends)
    high = sorted(places.values())
    assert min(b - a for a, b in itertools.pairwise(high)) > 0.099
    assert high[0] >= 0
    assert high[-1] <= 1
    for (a, x), (b, y) in itertools.combinations(zip(ends, places.values(), strict=True), 2):
        assert (a - b) * (x - y) >= 0


@pytest.mark.parametrize("wide", [True, False])
def test_a_moved_picture_is_the_picture_drawn_anew(wide: bool) -> None:
    """Byte for byte, whatever it showed before; without a run and with an undefined accuracy too."""
    undefined = {"clean": run_of([[float("nan"), float("nan")]])}
    cases: list[Any] = [(ALL, WHO), ({}, None), (undefined, WHO), ({"attacked": ATTACKED}, WHO), (ALL, None)]
    moved = None
    for runs, who in cases:
        moved = accuracy_under_attack(runs, who, wide, moved)
        assert to_svg(moved, "x") == to_svg(accuracy_under_attack(runs, who, wide), "x")


def test_a_run_of_another_name_is_refused() -> None:
    """With the names there are."""
    with pytest.raises(KeyError, match="runs must be named clean, attacked, defended, got 'robust'"):
        accuracy_under_attack({"robust": CLEAN})
