"""What the pictures of column splits say: each mark is where the number is, and nothing hides anything else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from tests.plot.samples import columns, rows, svg, texts, upright, xy
from tests.plot.test_plot_redraw import PICTURES
from trustkit import plot
from trustkit.data import FederatedDataset, Partition
from trustkit.metrics.correlation import pcor, spearman
from trustkit.plot import PlanePoint
from trustkit.rng import stream

nan, inf = float("nan"), float("inf")
NAMES = ("correlation_blocks", "pcor_heatmap", "icor_gauge", "party_shares", "split_plane", "exchange_trend")


def drawn(figure: Figure) -> np.ndarray:
    """Return the values of the matrix that a figure shows."""
    mesh: Any = figure.axes[0].collections[0]
    return np.ma.filled(mesh.get_array().astype(float), nan)


def boxes(figure: Figure) -> dict[str, Bbox]:
    """Return where the words of a figure are, in pixels, by what they say; ticks are not among them."""
    figure.draw_without_rendering()
    words: Any = [*figure.axes[0].texts, figure.axes[0].xaxis.label, figure.axes[0].yaxis.label]
    return {word.get_text(): Bbox(word.get_window_extent()) for word in words if word.get_text()}


@pytest.mark.parametrize("draw", [pytest.param(draw, id=f"{name}{k}") for name in NAMES
                                  for k, draw in enumerate(PICTURES[name])])  # fmt: skip
def test_nothing_is_cut_off(draw: Callable[[Figure | None], Figure]) -> None:
    """All words and ticks are inside the picture, and the ticks of an axis do not run into one another."""
    figure = draw(None)
    figure.draw_without_rendering()
    for axes in (axes for axes in figure.axes if axes.axison):
        for axis in (axes.xaxis, axes.yaxis):
            ticks = [Bbox(t.get_window_extent()) for t in axis.get_ticklabels() if t.get_text() and t.get_visible()]
            for box in ticks:
                assert box.x0 >= -1, box
                assert box.y0 >= -1, box
                assert box.x1 <= figure.bbox.x1 + 3, box
                assert box.y1 <= figure.bbox.y1 + 1, box
            assert not any(a.overlaps(b) for a, b in itertools.combinations(ticks, 2)) or axes is not figure.axes[0]
    for words, box in boxes(figure).items():
        assert -1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1, words
        assert -1 <= box.y0 < box.y1 <= figure.bbox.y1 + 1, words


def test_signs_are_kept_or_left_out() -> None:
    """The same matrix with its signs, or without; the colour bar says which."""
    fed = columns((3, 4))
    corr = spearman(stream(0, "test", "signs").normal(size=(50, 7)))
    order = [0, 2, 4, 1, 3, 5, 6]
    np.testing.assert_array_equal(drawn(plot.correlation_blocks(fed, corr)), np.abs(corr[np.ix_(order, order)]))
    signed = plot.correlation_blocks(fed, corr, signed=True)
    np.testing.assert_array_equal(drawn(signed), corr[np.ix_(order, order)])
    assert "Spearman" in texts(signed)
    assert "|Spearman|" in texts(plot.correlation_blocks(fed, corr))


def test_clustered_columns_are_neighbours_and_stay_with_their_party() -> None:
    """Two groups of alike columns, in turn inside each party, are found again; signed, opposites are apart."""
    group = np.array([1, -1, 1, -1, 1, -1, 1, -1])
    corr = np.where(np.equal.outer(group, group), 0.9, -0.8) + np.diag(np.full(8, 0.1))
    fed = FederatedDataset(columns((4, 4)).data, Partition("columns", np.arange(8) // 4, 2))
    found = drawn(plot.correlation_blocks(fed, corr, signed=True, order="clustered"))
    for party in (found[:4, :4], found[4:, 4:]):
        assert (party[:2, :2] > 0).all()
        assert (party[2:, 2:] > 0).all()
        assert (party[:2, 2:] < 0).all()
    np.testing.assert_array_equal(np.sort(found, axis=None), np.sort(corr, axis=None))
    assert not np.array_equal(found, drawn(plot.correlation_blocks(fed, corr, signed=True)))


@pytest.mark.parametrize("m", [801, 1650])
def test_a_cell_of_a_wide_matrix_is_a_mean(m: int) -> None:
    """Over 2 × 2 or 3 × 3 columns, at the end over what is left; absolute values are means of absolute values."""
    side = -(-m // 800)
    corr = stream(0, "test", "wide", m).uniform(-1, 1, (m, m))
    fed = columns((m - 500, 500))
    order = np.argsort(fed.partition.owner, kind="stable")
    for signed in (True, False):
        figure = plot.correlation_blocks(fed, corr, signed=signed)
        found, sorted_ = drawn(figure), corr[np.ix_(order, order)]
        sorted_ = sorted_ if signed else np.abs(sorted_)
        assert found.shape == (-(-m // side),) * 2
        assert found[3, 5] == pytest.approx(sorted_[3 * side : 4 * side, 5 * side : 6 * side].mean())
        assert found[-1, 0] == pytest.approx(sorted_[side * (found.shape[0] - 1) :, :side].mean())
        assert f"{m:,} columns; a cell is a mean over {side} × {side}" in texts(figure)
        assert set(upright(figure)) == {(m - 500) / side}
    assert not any("mean" in text for text in texts(plot.correlation_blocks(columns((400, 400)), np.eye(800))))


@pytest.mark.parametrize(("sizes", "count", "all_"), [((1,) * 16, 15, True), ((2,) * 40, 39, True),
                                                      ((1,) * 2048, 15, False)])  # fmt: skip
def test_borders_of_many_parties_leave_something_to_see(sizes: tuple[int, ...], count: int, all_: bool) -> None:
    """All borders as long as they are apart; else some, and the picture says so."""
    figure = plot.correlation_blocks(columns(sizes), np.eye(sum(sizes)))
    borders = upright(figure)
    assert abs(len(borders) - count) <= 1
    assert any("not all borders" in text for text in texts(figure)) != all_
    assert sum(bool(re.fullmatch(r"P\d+", text)) for text in texts(figure)) <= 32


def test_pcor_of_every_two_parties() -> None:
    """Compared with Pcor of the blocks; what is above 1 has the colour of 1 and its own number."""
    fed = columns((9, 2, 0), nobody=2)
    X = stream(0, "test", "pairs").normal(size=(40, 1)) + 0.01 * stream(1, "test", "pairs").normal(size=(40, 13))
    corr, owner = spearman(X), fed.partition.owner
    figure = plot.pcor_heatmap(fed, corr, "package")
    found = drawn(figure)
    across = pcor(corr[np.ix_(owner == 0, owner == 1)], "package")
    assert across > 1
    assert found[0, 1] == found[1, 0] == 1
    assert found[0, 0] == pytest.approx(pcor(corr[np.ix_(owner == 0, owner == 0)], "package"))
    assert np.isnan(found[2]).all()
    said = texts(figure)
    assert said.count("n/a") == 5
    assert said.count(f"{across:.2f}") == 2
    assert f"largest {across:.2f}" in said


def test_pcor_of_many_parties_shows_the_widest() -> None:
    """64 of them, in their order and under their own names."""
    sizes = (1,) * 40 + (3,) * 60
    fed = columns(sizes)
    corr = spearman(stream(0, "test", "many").normal(size=(30, sum(sizes))))
    figure = plot.pcor_heatmap(fed, corr)
    found, owner = drawn(figure), fed.partition.owner
    assert found.shape == (64, 64)
    kept = [0, 1, 2, 3, *range(40, 100)]
    for i, j in ((0, 3), (4, 5), (63, 63), (2, 40)):
        assert found[i, j] == pytest.approx(pcor(corr[np.ix_(owner == kept[i], owner == kept[j])]))
    assert any(text.startswith("64 of 100 parties, largest 0.") for text in texts(figure))
    assert {"P1", "P42", "P47"} <= set(texts(figure))  # every fifth
    assert "P6" not in texts(figure)


def test_shares_are_bars_and_what_was_asked_is_a_diamond() -> None:
    """In the order of the parties; n/a is no bar and no 0; the axis ends at a round number."""
    figure = plot.party_shares(np.array([0.11, nan, 0.0, 0.37]), np.array([0.25, 0.25, 0.25, nan]), what="rows")
    assert [bar.get_width() for bar in figure.axes[0].containers[0]] == [0.11, 0, 0, 0.37]
    (diamonds,) = figure.axes[0].lines
    assert xy(diamonds)[:3].tolist() == [[0.25, 0], [0.25, 1], [0.25, 2]]
    assert {"11 %", "n/a", "0 %", "37 %", "achieved", "asked", "share of rows", "50 %", "P1", "P4"} <= set(
        texts(figure)
    )
    assert "asked" not in texts(plot.party_shares(np.array([0.5, 0.5])))
    assert "2 %" in texts(plot.party_shares(np.full(60, 1 / 60)))
    assert {"a", "b"} <= set(texts(plot.party_shares(np.array([0.5, 0.5]), names=["a", "b"])))


def test_a_hundred_largest_of_many_shares() -> None:
    """Each under its own name; n/a goes first."""
    shares = np.arange(130) / 8385
    shares[5] = nan
    figure = plot.party_shares(shares)
    widths = [bar.get_width() for bar in figure.axes[0].containers[0]]
    np.testing.assert_array_equal(widths, shares[30:])
    assert "P31" in texts(figure)
    assert len([text for text in texts(figure) if text.startswith("P")]) <= 20


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot.pcor_heatmap(rows(3, ("a", "b"))),
         "pcor_heatmap needs a partition over columns, got one over rows"),
        (lambda: plot.correlation_blocks(columns((2, 2)), order="random"),  # type: ignore[arg-type]
         "order must be 'party' or 'clustered', got 'random'"),
        (lambda: plot.correlation_blocks(columns((9000, 2)), np.zeros((1, 1))),
         "correlation_blocks draws at most 8,192 columns, got 9,002"),
        (lambda: plot.pcor_heatmap(columns((2, 2)), np.eye(3)),
         r"corr must have a row and a column for each of the 4 columns, got shape \(3, 3\)"),
        (lambda: plot.party_shares(np.ones(2) / 2, np.ones(3) / 3),
         "asked must have one value for each of the 2 parties, got 3"),
        (lambda: plot.party_shares(np.ones(2) / 2, names=["a"]),
         "names must have one value for each of the 2 parties, got 1"),
        (lambda: plot.split_plane([PlanePoint("a", "real", 1, 1)]),
         "kind must be 'current', 'random' or 'natural', got 'real'"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_of_columns_is_refused(draw: Callable[[], Figure], message: str) -> None:
    """With the thing, the rule and what came."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        draw()


def test_two_thousand_parties_make_a_small_picture() -> None:
    """2,048 parties over 4,096 columns: one image and a few lines."""
    fed = columns((2,) * 2048)
    figure = plot.correlation_blocks(fed, np.eye(4096, dtype=np.float32), order="clustered")
    assert len(plot.to_svg(figure, "x")) < 250_000
    assert len(list(svg(figure).iter())) < 800
