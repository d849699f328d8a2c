"""What a picture says as inline SVG and as PNG: read by people, by screen readers, on light pages and on dark ones."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from tests.plot.samples import clients, columns, fill, record, rows, svg, table, texts, upright, xy
from tests.plot.test_plot_redraw import PICTURES, Draw
from trustkit import plot
from trustkit.data import FederatedDataset, Partition
from trustkit.metrics.correlation import pcor, spearman
from trustkit.plot import columns as blocks

nan = float("nan")
ALL = [pytest.param(draw, id=f"{name}{k}") for name, draws in PICTURES.items() for k, draw in enumerate(draws[1::3])]


@pytest.mark.parametrize("draw", ALL)
def test_follows_the_page_and_asks_nobody(draw: Draw) -> None:
    """No text is black by default or by name, lines take the page's colour, and nothing is loaded from anywhere."""
    figure = draw(None)
    root, text = svg(figure), plot.to_svg(figure, "x")
    words = [node for node in root.iter() if node.tag.endswith("}text")]
    assert words
    assert {fill(node) for node in words} <= {
        "currentColor", "#222222", "var(--tk-now, #0072b2)", "var(--tk-base, #8b8d90)", "var(--tk-warn, #d55e00)",
        "#04070a", "#ffffff",  # on cells, whose colours are those of both themes
    }  # fmt: skip
    assert "currentColor" in {fill(node) for node in words}
    bare = re.sub(r'data:image/png;base64,[^"]*"', '"', text)
    assert not re.search(r"#000000|black|font-family: (?!inherit)|<metadata|<\?xml|<!DOCTYPE|<style", bare)
    for node in root.iter():
        for name, value in node.attrib.items():
            assert "://" not in value
            assert not name.endswith("href") or value.startswith(("#", "data:image/png;base64,"))
    assert root.get("width") == "100%"
    assert root.get("height") is None


def test_says_what_it_shows_to_those_who_do_not_see_it() -> None:
    """The label is an attribute of an image, whatever characters are in it."""
    label = 'Gap by "sex" <b>& race</b>: 3 > 2, α'
    root = svg(PICTURES["pillar_radar"][0](None), label)
    assert root.get("role") == "img"
    assert root.get("aria-label") == label
    assert "<b>" not in plot.to_svg(PICTURES["pillar_radar"][0](None), label)


def test_series_take_the_themes_colours() -> None:
    """Now, baseline, grid and threshold are variables of the page, with a colour for pages that have none."""
    gaps, chances, names = clients(4)
    bars = plot.to_svg(plot.client_fairness(gaps + 0.1, chances, names, pooled=0.05), "x")
    curve = plot.to_svg(plot.accuracy_by_round(record([[0.5], [0.6]], 2), record([[0.4]], 2)), "x")
    assert "var(--tk-warn, #d55e00)" in bars
    assert all(f"var(--tk-{name}, #" in curve for name in ("now", "base", "grid"))


def test_names_are_text_and_nothing_else() -> None:
    """Neither markup nor formulas: a class may be called anything."""
    classes = ("<script>alert(1)</script>", "$5k to $10k & more")
    picture = plot.label_shares(rows(3, classes))
    assert set(classes) <= set(texts(picture))
    assert "<script" not in plot.to_svg(picture, "x")
    gaps, chances, _ = clients(2)
    assert {"$a_b$", "<i>", "by $x$ <y>"} <= set(texts(plot.client_fairness(gaps, chances, ["$a_b$", "<i>"],
                                                                             label="by $x$ <y>")))  # fmt: skip


@pytest.mark.parametrize("draw", [draws[0] for draws in PICTURES.values()], ids=list(PICTURES))
def test_a_notebook_gets_a_png_on_white(draw: Draw) -> None:
    """Opaque, as a dark theme would swallow the text otherwise; the picture itself stays transparent."""
    from PIL import Image

    figure = draw(None)
    for _ in range(3):  # a layout that is not settled moves a little at first
        before = plot.to_svg(figure, "x")
    raw = figure._repr_png_()  # type: ignore[attr-defined]
    assert raw.startswith(b"\x89PNG\r\n\x1a\n")
    pixels = np.asarray(Image.open(io.BytesIO(raw)).convert("RGBA"))
    assert (pixels[..., 3] == 255).all()
    assert pixels[0, 0].tolist() == [255] * 4
    assert pixels[..., :3].min() < 80  # there is something on it
    assert plot.to_svg(figure, "x") == before


def _bars(figure: Figure) -> tuple[list[float], list[float], list[str]]:
    full, hatched = figure.axes[0].containers[:2]
    return [bar.get_width() for bar in full], [bar.get_width() for bar in hatched], [to_hex(b.get_fc()) for b in full]


def test_what_is_over_the_line_is_hatched_and_of_another_colour() -> None:
    """Above the threshold, not on it; the largest comes first, and what is not defined last, as n/a and not as 0."""
    gaps = np.array([0.05, nan, 0.30, 0.09, 0.0, 0.1])
    figure = plot.client_fairness(gaps, gaps, [f"c{k}" for k in range(6)], small=np.array([0, 0, 1, 0, 0, 0], bool))
    widths, hatches, colours = _bars(figure)
    assert widths == [0.30, 0.1, 0.09, 0.05, 0.0, 0]
    assert hatches == [0.30, 0.1, 0, 0, 0, 0]
    assert colours == ["#d55e00"] * 2 + ["#0072b2"] * 4
    assert [name for name in texts(figure) if name.startswith("c")] == ["c2 †", "c5", "c3", "c0", "c4", "c1"]
    assert texts(figure).count("n/a") == 1
    again = plot.client_fairness(gaps, gaps, [f"c{k}" for k in range(6)], threshold=0.2, figure=figure)
    assert _bars(again)[1] == [0.30, 0, 0, 0, 0, 0]
    assert " 0.2 " in texts(again)


@pytest.mark.parametrize("pooled", [0.0, 0.05, 0.12, 0.3, 0.6, 0.7, 1.0])
def test_the_pooled_line_has_room_for_its_text(pooled: float) -> None:
    """Inside the picture, and not over the threshold's."""
    gaps, chances, names = clients(4)
    figure = plot.client_fairness(gaps / 3, chances / 3, names, pooled=pooled)
    figure.draw_without_rendering()
    said = {text.get_text().strip(): text.get_window_extent() for text in figure.axes[0].texts if text.get_visible()}
    line, text = said["0.09"], said[f"pooled {pooled:.3f}"]
    assert figure.bbox.x0 <= text.x0 < text.x1 <= figure.bbox.x1
    assert not line.overlaps(text)


def test_pooled_disparity_is_a_line_only_where_it_is_known() -> None:
    """None: not asked for; NaN: not defined; 0: measured."""
    gaps, chances, names = clients(3)
    shown = {pooled: [t for t in texts(plot.client_fairness(gaps, chances, names, pooled=pooled)) if "pooled" in t]
             for pooled in (None, nan, 0.0)}  # fmt: skip
    assert list(shown.values()) == [[], [], [" pooled 0.000 "]]


@pytest.mark.parametrize("count", [51, 100])
def test_with_many_clients_the_twenty_worst_are_drawn(count: int) -> None:
    """In order; a hundred clients are as legible as twenty."""
    gaps, chances, names = clients(count, undefined=(3,))
    figure = plot.client_fairness(gaps, chances, names)
    order = sorted((k for k in range(count) if k != 3), key=lambda k: -gaps[k])[:20]
    assert _bars(figure)[0] == pytest.approx(gaps[order])
    assert [name for name in texts(figure) if name.startswith("client")] == [names[k] for k in order]


def test_long_names_fit() -> None:
    """A long name ends in an ellipsis, a long label takes several lines; both stay inside the picture."""
    gaps, chances = np.array([1.0, 0.5, 0.2]), np.ones(3)
    label = "gap by race (" + ", ".join(f"group {k}" for k in range(9)) + ")"
    figure = plot.client_fairness(
        gaps, chances, ["a name that is far too long for a bar", "Massachusetts", "c"], label=label
    )
    found = texts(figure)
    assert "a name that is far too …" in found
    assert " ".join(t for t in found if "group" in t) == label
    figure.draw_without_rendering()
    edge = figure.bbox
    axis = figure.axes[0]
    for text in (*axis.get_yticklabels(), axis.xaxis.label, *axis.get_xticklabels()):
        box = text.get_window_extent()
        assert edge.x0 <= box.x0 < box.x1 <= edge.x1 + 1
        assert edge.y0 - 1 <= box.y0


def test_radar_leaves_out_what_has_no_evidence() -> None:
    """A pillar without a score is no corner at 0: it is written n/a and its neighbours are joined."""
    figure = plot.pillar_radar({"a": 0.5, "b": None, "c": 1.0, "d": nan, "e": 0.0}, {"e": 0.25, "a": 0.75, "z": 1.0})
    base, now = figure.axes[0].lines[:2]
    corner = 2 * np.pi / 5
    np.testing.assert_allclose(xy(now), [(0, 0.5), (2 * corner, 1.0), (4 * corner, 0.0), (0, 0.5)])
    np.testing.assert_allclose(xy(base), [(0, 0.75), (4 * corner, 0.25), (0, 0.75)])  # by name, not by place
    assert texts(figure)[:10] == ["a", "0.50", "b", "n/a", "c", "1.00", "d", "n/a", "e", "0.00"]


def test_curve_is_the_mean_of_the_clients_that_have_test_rows() -> None:
    """NaN for a client is no 0; a round in which nobody has any is a gap in line and band, and says n/a."""
    accuracy = [[0.2, nan, 0.6], [nan, nan, nan], [0.9, 0.7, nan]]
    figure = plot.accuracy_by_round(record(accuracy, 5))
    _, line, _ = figure.axes[0].lines[:3]
    np.testing.assert_allclose(xy(line)[:, 1], [0.4, nan, 0.8])
    band = np.concatenate([path.vertices for path in figure.axes[0].collections[0].get_paths()])
    assert {(x, round(float(y), 6)) for x, y in band} == {(1.0, 0.2), (1.0, 0.6), (3.0, 0.7), (3.0, 0.9)}
    assert "now 0.800" in texts(figure)
    assert "now n/a" in texts(plot.accuracy_by_round(record(accuracy[:2], 5), figure=figure))


@pytest.mark.parametrize(
    ("value", "now", "above"), [(0.8, 0.6, True), (0.4, 0.6, False), (0.9, 0.1, False), (0.05, 0.6, True)]
)
def test_baseline_is_named_at_its_line(value: float, now: float, above: bool) -> None:
    """The word stands beside the end of the dashed line, on the side where there is room."""
    figure = plot.accuracy_by_round(record([[now]] * 3, 5), record([[value]] * 4, 5))
    (word,) = [text for text in figure.axes[0].texts if text.get_text() == "baseline"]
    x, y = word.get_position()
    assert (x, round(y - value, 6)) == (4, 0.03 if above else -0.03)


def test_curve_of_nothing_and_baseline() -> None:
    """Before the first round there are axes and no number; the baseline is named."""
    empty = texts(plot.accuracy_by_round(None))
    assert {"round", "accuracy"} <= set(empty)
    assert not any("now" in text or text == "baseline" for text in empty)
    longer = plot.accuracy_by_round(record([[0.5]], 5), record(np.full((40, 3), 0.25), 40))
    assert {"now 0.500", "baseline", "40"} <= set(texts(longer))
    assert longer.axes[0].get_xlim()[1] > 40


@pytest.mark.parametrize(("parties", "count"), [(10, 2), (51, 3), (100, 11), (6, 26)])
def test_shares_are_the_rows_of_each_class(parties: int, count: int) -> None:
    """Counted another way; rows that nobody has are left out, and each client's bar is as long as its rows."""
    owner = np.minimum(np.arange(600) ** 2 % (parties + 7), parties) - 1
    fed = rows(parties, [f"c{k}" for k in range(count)], 600, owner)
    figure = plot.label_shares(fed)
    largest = max(np.sum(owner == k) for k in range(parties))
    for c, container in enumerate(figure.axes[0].containers):
        counted = [np.sum((owner == k) & (fed.data.y == c)) / largest for k in range(parties)]
        assert [bar.get_width() for bar in container] == pytest.approx(counted)
    ends = [bar.get_x() + bar.get_width() for bar in figure.axes[0].containers[-1]]
    assert max(ends) == pytest.approx(1)
    assert len({to_hex(container[0].get_fc()) for container in figure.axes[0].containers}) == count
    assert sum(text.startswith("client") for text in texts(figure)) <= 20


def test_matrix_is_sorted_by_party_with_its_pcor_on_the_blocks() -> None:
    """Compared with Pcor of the block taken by hand."""
    fed = columns((2, 3, 1), nobody=2)
    corr = spearman(fed.data.X)
    figure = plot.correlation_blocks(fed, definition="package")
    order = [0, 3, 1, 4, 5, 2, 6, 7]  # dealt in turn: P1 has 0, 3; P2 has 1, 4, 5; P3 has 2; nobody has 6, 7
    mesh = figure.axes[0].collections[0].get_array()
    np.testing.assert_allclose(np.asarray(mesh).reshape(8, 8), np.abs(corr)[np.ix_(order, order)])
    said = {text.get_position(): text.get_text() for text in figure.axes[0].texts}
    assert len(said) == 6
    assert said[3.5, 1.0] == f"{pcor(corr[np.ix_([0, 3], [1, 4, 5])], 'package'):.2f}".removeprefix("0")
    borders = set(upright(figure))
    assert borders == {2, 5, 6}  # the last one sets off what nobody has


def test_numbers_on_the_blocks_lose_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a leading nought is left out."""
    values = np.array([[1.0, 10.05], [0.5, 1.0]])
    monkeypatch.setattr(blocks, "pcor_matrix", lambda *args, **more: values)
    assert {"10.05", ".50"} <= set(texts(plot.correlation_blocks(columns((2, 2)))))


def test_a_wide_matrix_is_one_small_image() -> None:
    """784 columns are 614,656 cells: as pixels, not as shapes; and as sharp the second time as the first."""
    fed = columns((196,) * 4)
    corr = spearman(fed.data.X)
    figure = plot.correlation_blocks(fed, corr)
    first = plot.to_svg(figure, "x")
    assert len(first) < 150_000
    assert plot.to_svg(figure, "x") == first


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plot.label_shares(columns((2, 2))), "label_shares needs a partition over rows, got one over columns"),
        (lambda: plot.correlation_blocks(rows(3, ("a", "b"))),
         "correlation_blocks needs a partition over columns, got one over rows"),
        (lambda: plot.label_shares(FederatedDataset(table(9, 2, (), "prices"), Partition("rows", np.arange(9) % 3, 3))),
         "label_shares needs classes, and the target of prices is a number"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], Figure], message: str) -> None:
    """With the thing, the rule and what came."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        draw()
