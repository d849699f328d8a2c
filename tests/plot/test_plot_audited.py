"""Pictures of an audit: what is drawn is what was counted."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.plot.samples import svg, texts, xy
from trustkit.auditing import Audit
from trustkit.plot import audited, changed
from trustkit.records import Round, RunRecord, Seen


def _counts(*rates: tuple[int, ...]) -> np.ndarray:
    """Counts of groups of ten rows, so many of them selected; None is a group without rows."""
    return np.array([[[[10 - k, k], [0, 0]] if k >= 0 else [[0, 0], [0, 0]] for k in each] for each in rates])


LOCAL = np.stack([_counts((9, 5, 2), (5, 5, 5), (1, 8, 4), (4, -1, -1)),
                  _counts((8, 3, 4), (5, 6, 5), (2, 9, 1), (4, -1, -1))], axis=1)  # fmt: skip
"""(K, M, G, 2, 2). Gaps of the first model: .7 (c worse), 0, .7 (a), n/a; of the second .5 (b), .1 (a), .8 (c), n/a."""

SHARED = _counts((6, 5, 3), (5, 5, 6), (2, 4, 1), (4, -1, -1))
"""Of a federated model: .3 (c), .1 (a), .3 (c), n/a."""


def made(clients: int = 4) -> Audit:
    """Make an audit of four clients, two models, one attribute with the values a, b, c."""
    at = np.arange(clients) % 4
    counts = LOCAL[at][None]
    sizes = np.stack([counts[0, :, 0, :, 0].sum(-1), np.zeros((clients, 3), int)], axis=-1)
    return Audit(
        name="made up", level="attribute", measure="demographic_disparity", threshold=0.09, min_group=0,
        models=("one", "two"), attributes={"g": ("a", "b", "c")}, clients=tuple(f"k{k}" for k in range(clients)),
        composition={"g": sizes}, missing={"g": np.zeros(clients, int)}, rows=sizes.sum(axis=(1, 2)),
        test_rows=np.full((1, clients), 30), counts={"g": counts}, accuracy=np.full((1, clients, 2), 0.75),
        reasons=("",) * clients,
    )  # fmt: skip


def run(groups: np.ndarray) -> RunRecord:
    """Make a run of one round that ended with these counts."""
    none = np.zeros(len(groups))
    seen = Seen(none > 0, none, none, none, none, groups={"g": groups})
    return RunRecord(SimpleNamespace(rounds=1), [Round(1, None, seen, 0.1)])


def test_shares_are_those_of_the_rows() -> None:
    """A third each where all have ten rows, all of it for a client with one group."""
    figure = audited.sensitive_shares(made())
    shown = np.asarray(figure.axes[0].images[0].get_array(), float)
    np.testing.assert_allclose(shown[[0, 3]], np.array([[1 / 3] * 3, [1.0, 0.0, 0.0]]))
    assert {"a", "b", "c", "k0", "k3", "0.33", "1.00", "0", "g: share of a client's rows"} <= set(texts(figure))


def test_bars_are_the_gaps_and_dots_the_accuracies() -> None:
    """Largest smaller gap first: k2 (.7 and .8), k0 (.7, .5), k1 (0, .1), and k3 without one."""
    figure = audited.model_bars(made())
    axes: Any = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["k2", "k0", "k1", "k3"]
    widths = [[round(bar.get_width(), 6) for bar in container] for container in axes.containers]
    assert widths == [[0.7, 0.7, 0.0], [0.8, 0.5, 0.1]]
    assert [float(x) for x, _ in xy(axes.lines[0])] == [0.75] * 4
    assert axes.lines[2].get_xdata()[0] == 0.09
    said = texts(figure)
    assert said.count(" n/a") + said.count("n/a") == 2
    assert "30 of 40 clients" in texts(audited.model_bars(made(40)))


def test_bars_of_few_rows_are_pale() -> None:
    """A group of nine rows at one client: its bars, and the picture says why."""
    whole = made()
    counts = whole.counts["g"].copy()
    counts[0, 0, :, 0] = [[0, 9], [0, 0]]
    figure = audited.model_bars(replace(whole, counts={"g": counts}))
    axes: Any = figure.axes[0]
    place = [label.get_text() for label in axes.get_yticklabels()].index("k0")
    assert [bar.get_alpha() for bar in axes.containers[0]] == [0.4 if k == place else 1 for k in range(3)]
    assert "pale: a group has fewer than 10 test rows" in texts(figure)
    assert not any("pale" in text for text in texts(audited.model_bars(whole)))


def test_local_against_federated() -> None:
    """Points by hand; which are above the diagonal; what has no gap is counted."""
    figure = changed.local_federated(made(), run(SHARED))
    axes: Any = figure.axes[0]
    below, above = (line for line in axes.lines if line.get_label().split()[0].isdigit() and len(line.get_xdata()))
    np.testing.assert_allclose(xy(below), [(0.7, 0.3), (0.7, 0.3)], atol=1e-12)
    np.testing.assert_allclose(xy(above), [(0.0, 0.1)], atol=1e-12)
    assert {"2 no larger", "1 larger", "1 n/a"} <= set(texts(figure))
    second = changed.local_federated(made(), run(SHARED), "g", "two")
    assert "gap of g, two at the client" in texts(second)


def test_arrows_where_somebody_else_is_worse_off() -> None:
    """From model one to the federated one: k2's a becomes c, k1's tie stays with a, k0 stays with c."""
    figure = changed.value_changes(made(), record=run(SHARED))
    arrows: list[Any] = [each for each in figure.axes[0].texts if hasattr(each, "arrow_patch")]
    assert len(arrows) == 1
    place = np.linspace(-0.28, 0.28, 4)
    assert arrows[0].xy == pytest.approx((2 + place[2], 0.3))
    assert arrows[0].xyann == pytest.approx((0 + place[2], 0.7))
    assert any("1 of 3 clients change" in text for text in texts(figure))
    among = changed.value_changes(made())  # to the last model: k0 c → b, k2 a → c
    assert any("2 of 3 clients change" in text for text in texts(among))


DRAWN = [
    lambda audit, figure: audited.sensitive_shares(audit, figure=figure),
    lambda audit, figure: audited.model_bars(audit, figure=figure),
    lambda audit, figure: changed.local_federated(
        audit, run(LOCAL[np.arange(len(audit.clients)) % 4, 0]), figure=figure
    ),
    lambda audit, figure: changed.value_changes(audit, figure=figure),
]


@pytest.mark.parametrize("draw", DRAWN)
def test_drawn_again_it_is_as_drawn_anew(draw: Any) -> None:
    """Whatever was on the picture before."""
    moved = draw(made(12), None)
    again = draw(made(), moved)
    assert again is moved
    assert texts(again) == texts(draw(made(), None))
    assert svg(again).get("viewBox") == svg(draw(made(), None)).get("viewBox")


@pytest.mark.parametrize("draw", DRAWN)
def test_words_fit_on_the_picture(draw: Any) -> None:
    """With many clients too."""
    for clients in (1, 4, 60):
        figure = draw(made(clients), None)
        figure.draw_without_rendering()
        for axes in figure.axes:
            for text in (*axes.texts, *axes.get_yticklabels(), *axes.get_xticklabels(), axes.xaxis.label,
                         axes.yaxis.label, axes.title):  # fmt: skip
                box = text.get_window_extent()
                if text.get_text() and box.width:
                    assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1, (clients, text.get_text())


def test_what_does_not_fit_is_refused() -> None:
    """Unknown names, and a run over other clients or groups."""
    with pytest.raises(KeyError, match="there is no attribute 'sex'; known are g"):
        audited.model_bars(made(), "sex")
    with pytest.raises(KeyError, match="there is no model 'three'; known are one, two"):
        changed.local_federated(made(), run(SHARED), model="three")
    with pytest.raises(ValueError, match="the run must have the audit's 4 clients and 3 groups of g, got 3 and 3"):
        changed.local_federated(made(), run(SHARED[:3]))
    none = np.zeros(4)
    empty = RunRecord(SimpleNamespace(rounds=1), [Round(1, None, Seen(none > 0, none, none, none, none), 0.1)])
    with pytest.raises(ValueError, match=r"the run must have .* of g, got none"):
        changed.value_changes(made(), record=empty)
