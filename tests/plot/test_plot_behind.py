"""The numbers behind a picture are those of its bars, lines and cells, whatever it showed before."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tests.plot.test_plot_redraw import PICTURES, SIX, UNKNOWN
from trustkit import plot
from trustkit.attendance import WORDS
from trustkit.plot import behind, style

Agree = Callable[[Figure, dict[str, Any], Any], None]
AGREE: dict[str, Agree] = {}


def _agrees(check: Agree) -> Agree:
    """Enter how a picture of this name is compared with its table."""
    AGREE[check.__name__.lstrip("_")] = check
    return check


def _floats(column: Any) -> np.ndarray:
    return np.asarray(pd.to_numeric(pd.Series(column), errors="coerce"), float)


def _same(drawn: Any, told: Any) -> None:
    np.testing.assert_array_equal(np.asarray(drawn, float).ravel(), _floats(np.ravel(told)))


def _known(*columns: Any) -> np.ndarray:
    return np.asarray(np.all([np.isfinite(_floats(column)) for column in columns], axis=0))


def _widths(bars: Any) -> list[float]:
    return [bar.get_width() for bar in bars]


def _cells(mesh: Any) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(mesh.get_array(), float), np.nan)


def _across(segments: Any) -> list[tuple[float, float]]:
    return [(segment[0][0], segment[1][0]) for segment in segments.get_segments()]


@_agrees
def _client_fairness(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(_widths(parts["bars"]), table.disparity.fillna(0))
    _same(parts["gaps"].get_xdata(), table.opportunity[_known(table.opportunity)])
    if _known(table.low).any():
        _same(_across(parts["spread"]), table[["low", "high"]][_known(table.low)])
    _same(parts["line"].get_xdata()[:1], table.threshold[:1])
    over = [bar.get_width() > 0 for bar in parts["hatches"]]
    assert over == table.over.tolist()
    if parts["pooled"].get_visible():
        _same(parts["pooled"].get_xdata()[:1], table.pooled[:1])


@_agrees
def _client_gaps(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    widths = _widths(parts["bars"])
    _same(widths[: len(table)], table.gap.fillna(0))
    assert not any(widths[len(table) :])
    _same(_across(parts["spread"]), table[["low", "high"]][_known(table.low)])
    _same(parts["line"].get_xdata()[:1], table.line[:1])


@_agrees
def _label_shares(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(np.array([_widths(bars) for bars in parts["bars"]]).T, table.share_of_largest)
    rows = table.groupby("client", sort=False)["rows"].sum()
    assert not rows.any() or np.allclose(table.share_of_largest, table["rows"] / rows.max())


@_agrees
def _correlation_blocks(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(_cells(parts["mesh"]), table.drop(columns=["column", "party"]))


@_agrees
def _pcor_heatmap(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(_cells(parts["mesh"]), np.minimum(table.pcor, 1))


@_agrees
def _group_rates(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(_cells(parts["mesh"]), table.rate)
    assert sum(box.get_visible() for box in parts["boxes"]) == table.worst_off.sum()


@_agrees
def _sensitive_shares(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(_cells(figure.axes[0].images[0]), table.share)


@_agrees
def _pareto_front(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for kind, chosen in (("front", table.on_front), ("tried", ~table.on_front), ("start", table.start)):
        _same(np.array(parts["marks"][kind].get_data()).T, table[["x", "y"]][chosen])
    sides = [(row.x - row.x_deviation, row.x + row.x_deviation) for row in table.itertuples()
             if _known([row.x, row.y, row.x_deviation, row.y_deviation]).all()]  # fmt: skip
    _same(_across(parts["bars"])[::2], sides)


@_agrees
def _icor_gauge(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for mark, word, value in (("now", "now_word", table.icor[0]), ("aim", "aim_word", table.target[0])):
        assert value is None or not np.isfinite(value) or f"{value:.3f}".replace("-", "−") in parts[word].get_text()
        if len(parts[mark].get_xdata()) and table.high[0] > table.low[0]:
            place = (value - table.low[0]) / (table.high[0] - table.low[0])
            _same(parts[mark].get_xdata(), [min(max(place, 0), 1)])


@_agrees
def _party_shares(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(_widths(parts["bars"]), table.share.fillna(0))
    _same(parts["marks"].get_xdata(), table.asked)


@_agrees
def _split_plane(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for kind, mark in parts["marks"].items():
        own = table[(table.kind == kind) & _known(table.beta) & ~np.isnan(_floats(table.alpha))]
        assert len(mark.get_xdata()) == len(own)
        if len(own):
            _same(mark.get_ydata(), own.beta)
            known = np.isfinite(_floats(own.alpha))
            clipped = np.clip(np.log10(_floats(own.alpha)[known]), -2, 2)
            np.testing.assert_allclose(np.asarray(mark.get_xdata())[known], clipped, rtol=1e-12)


@_agrees
def _exchange_trend(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for column, line in parts["lines"].items():
        _same(np.array(line.get_data()).T, table[["moved", column]][_known(table[column])])


@_agrees
def _accuracy_by_round(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    now = table[table.run == "now"] if len(table) else table
    before = table[table.run == "baseline"] if len(table) else table
    _same(np.array(parts["now"].get_data()).T, now[["round", "mean"]])
    _same(np.array(parts["base"].get_data()).T, before[["round", "mean"]])
    corners = np.concatenate([path.vertices for path in parts["band"].get_paths()] or [np.zeros((0, 2))])
    told = _floats(np.ravel(now[["lowest", "highest"]]))
    assert {*corners[:, 1]} - {np.nan} <= {*told} | {y for y in corners[:, 1] if np.isnan(y)}
    if _known(now.lowest, now.highest).all() and len(now) > 1:
        assert {*told} == {*corners[:, 1]}


@_agrees
def _participation_raster(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    single = bool(len(table)) and table["what"].notna().all()
    areas = {name: len(_corners(parts[name])) for name in ("took_part", "lost", "unrecorded")}
    assert areas["took_part"] == (table.took_part > 0).sum()
    assert [areas[name] for name in ("lost", "unrecorded")] == [
        0 if single else (table[name] > 0).sum() for name in ("lost", "unrecorded")
    ]
    drawn, there = _corners(parts["took_part"]), table[table.took_part > 0]
    _same((drawn[:, 0] + drawn[:, 1]).round(9), there.first_round + there.last_round)
    if single:
        for code, line in parts["marks"].items():
            own = table[table["what"] == WORDS[code]]
            assert sorted(line.get_xdata()) == sorted(own.first_round)
    elif len(there):
        members = there.clients_and_rounds / (there.last_round - there.first_round + 1)
        heights = (drawn[:, 3] - drawn[:, 2]) / (members - 0.16) * there.clients_and_rounds / there.took_part
        np.testing.assert_allclose(heights, heights.iloc[0])


def _corners(patch: Any) -> np.ndarray:
    """Left, right, roof and floor of each box of a path."""
    corners = patch.get_path().vertices.reshape(-1, 5, 2)
    return np.stack([corners[:, 0, 0], corners[:, 1, 0], corners[:, 2, 1], corners[:, 0, 1]], axis=1)


@_agrees
def _client_dots(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    curve, known = table[table.shown == "mean"], table[(table.shown == "client") & _known(table.value)]
    _same(np.array(parts["mean"].get_data()).T, curve[["round", "value"]])
    for name, own in (("in", known[known.in_last_round == True]), ("out", known[known.in_last_round == False])):  # noqa: E712
        _same(parts[name].get_ydata(), own.value)
        if own.training_rows.notna().any():
            _same(parts[name].get_xdata(), own.training_rows)
    groups = table[table.shown == "group"]
    _same(parts["groups"].get_ydata(), groups.value)
    _same([(part[0][1], part[1][1]) for part in parts["bars"].get_segments()], groups[["low", "high"]])
    for band, ends in (("all", ["low", "high"]), ("half", ["quarter", "three_quarters"])):
        corners = np.concatenate([path.vertices for path in parts[band].get_paths()] or [np.zeros((0, 2))])
        told = {*_floats(np.ravel(curve[ends]))}
        assert {y for y in corners[:, 1] if np.isfinite(y)} <= told


@_agrees
def _accuracy_under_attack(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for name in ("clean", "attacked", "defended"):
        own = table[table.run == name] if len(table) else table
        _same(np.array(parts[name][0].get_data()).T, own[["round", "accuracy"]])
    took_part = table[[each is True for each in table.attacker_took_part]] if len(table) else table
    _same(np.array(parts["crosses"].get_data()).T, took_part[["round", "accuracy"]])


@_agrees
def _quality_curves(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    names = list(dict.fromkeys(table.run)) if len(table) else []
    drawn = [line for line, _ in parts["lines"] if len(line.get_ydata())]
    assert len(drawn) == len(names)
    by = "bytes_sent" if figure.axes[0].get_xscale() == "log" else "round"
    for line, name in zip(drawn, names, strict=True):
        own = table[table.run == name]
        level = bool(own.level.all())
        _same(line.get_ydata()[-1:] if level else line.get_ydata(), own.value)
        if not level:
            _same(line.get_xdata(), own[by])


@_agrees
def _quality_by_split(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(np.concatenate([line.get_ydata() for line in parts["lines"]]), table.value)


@_agrees
def _pillar_radar(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for line, column in (("now", table.score), ("base", table.baseline)):
        _same(parts[line].get_ydata()[:-1], column[_known(column)])


@_agrees
def _pillar_trail(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(parts["now"].get_ydata()[:-1], table.score[table.in_full & _known(table.score)])
    ghosts = [float(y) for segment in parts["ghosts"].get_segments() for y in segment[:-1, 1]]
    _same(ghosts, table.score[_known(table.score)])


@_agrees
def _score_bands(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same([bar.get_x() for bar in parts["bands"]], table.low)
    np.testing.assert_allclose([bar.get_x() + bar.get_width() for bar in parts["bands"]], table.high, rtol=1e-12)
    _same(parts["middle"].get_xdata(), table["median"])
    _same(parts["given"].get_xdata(), table.given)


@_agrees
def _model_bars(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    axes: Any = figure.axes[0]
    for bars, dots, model in zip(axes.containers, axes.lines, dict.fromkeys(table.model), strict=False):
        own = table[table.model == model]
        _same(_widths(bars), own.gap[_known(own.gap)])
        _same(dots.get_xdata(), own.accuracy)
        assert [bar.get_alpha() != 1 for bar in bars] == own.pale[_known(own.gap)].tolist()


@_agrees
def _local_federated(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    known = _known(table.local, table.federated)
    lines: Any = figure.axes[0].lines
    for line, chosen in ((lines[3], table.federated <= table.local), (lines[4], table.federated > table.local)):
        _same(np.array(line.get_data()).T, table[["local", "federated"]][known & chosen])


@_agrees
def _value_changes(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    axes: Any = figure.axes[0]
    known = _known(table.gap_before, table.gap_after)
    _same(axes.lines[0].get_ydata(), table.gap_after[known & ~table.changed])
    _same([each.xy[1] for each in axes.texts if hasattr(each, "xy")], table.gap_after[table.changed])
    for word, client in zip([each for each in axes.texts if hasattr(each, "xy")], table[table.changed].itertuples(),
                            strict=True):  # fmt: skip
        place = axes.get_xticklabels()[round(word.xy[0])].get_text()
        assert place == client.worse_off_after


@_agrees
def _label_gaps(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    _same(parts["before"].get_xdata(), table.before)
    _same(parts["after"].get_xdata(), table.now)
    _same(_across(parts["spread"]), table[["low", "high"]][_known(table.now)])
    _same([segment[0] for segment in _across(parts["asked"])], table.asked[_known(table.asked)])


@_agrees
def _exposure_points(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for panel, target in zip(parts["panels"], ("labels", "features"), strict=True):
        shown = _known(table[target], table.quality)
        _same(np.array(panel["dots"].get_data()).T, table[[target, "quality"]][shown])
        ends = _across(panel["bars"])[: shown.sum()]
        _same(ends, table[[f"{target}_lowest", f"{target}_highest"]][shown])


@_agrees
def _traffic_bars(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for side, column in enumerate((table.sent_bytes, table.received_bytes)):
        _same([_widths(bars) for bars in parts["bars"][side]], column)


@_agrees
def _strategy_dots(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for panel, measure in zip(parts["panels"], dict.fromkeys(table.measure), strict=True):
        own = table[table.measure == measure]
        _same(panel["dots"].get_xdata(), own["mean"][_known(own["mean"])])
        _same(_across(panel["bands"]), own[["lowest", "highest"]][_known(own["mean"])])


@_agrees
def _trust_waterfall(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    changes = _floats(table.change[1:-1])
    _same(_widths(parts["bars"]), np.abs(changes))
    starts = _floats(table.trust)[:-2]
    np.testing.assert_allclose([bar.get_x() for bar in parts["bars"]], starts + np.minimum(changes, 0), atol=1e-15)
    _same([parts["first"].get_xdata()[0], parts["last"].get_xdata()[0]], [table.trust.iloc[0], table.trust.iloc[-1]])


@_agrees
def _pillar_ghosts(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for line, run in zip(parts["lines"], dict.fromkeys(table.run), strict=True):
        own = table.score[table.run == run]
        _same(line.get_ydata()[:-1], own[_known(own)])


@_agrees
def _run_multiples(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for panel, measure in zip(parts["panels"], dict.fromkeys(table.measure), strict=True):
        own = table[table.measure == measure]
        places = own.scaled if "÷" in panel["title"].get_text() or "−" in panel["title"].get_text() else own.value
        drawn = [dot.get_xdata()[0] if len(dot.get_xdata()) else np.nan for dot in panel["dots"]]
        known = _known(places)
        _same(np.array(drawn)[known], places[known])
        assert np.isnan(np.array(drawn)[~known]).all()
        assert (~known).tolist() == [word.get_text() in ("n/a", "–", "∞") for word in panel["words"]] or "÷" in str(
            panel["title"].get_text()
        )


@_agrees
def _privacy_utility(figure: Figure, parts: dict[str, Any], table: Any) -> None:
    for series, name in zip(parts["series"], ("quality", "worst_gap"), strict=False):
        for kind, chosen in (("front", table.on_front), ("beaten", ~table.on_front)):
            _same(series[kind].get_ydata(), table[f"{name}_mean"][chosen])
        ends = [(segment[0][1], segment[1][1]) for segment in series["bands"].get_segments()]
        _same(ends, table[[f"{name}_low", f"{name}_high"]][_known(table[f"{name}_low"])])


def _written(figure: Figure) -> pd.DataFrame:
    """The table as somebody reads the CSV who has nothing else."""
    lines = list(csv.DictReader(io.StringIO(plot.to_csv(figure))))
    frame = plot.data_of(figure)
    assert [list(line) for line in lines[:1]] == [list(frame.columns)] * min(1, len(frame))
    return pd.DataFrame({name: [line[name] for line in lines] for name in frame.columns})


@pytest.mark.parametrize("name", PICTURES)
def test_the_table_is_what_is_drawn(name: str) -> None:
    """Drawn anew and moved: the table equals the artists, and the CSV the table, digit by digit."""
    draws = PICTURES[name]
    figure = None
    for draw in (*draws[:3], draws[-1]):
        figure = draw(figure)
        told = plot.data_of(figure)
        AGREE[name](figure, behind_parts(figure), told)
        written = _written(figure)
        for column in told.columns:
            for cell, value in zip(written[column], told[column], strict=True):
                if isinstance(value, float | int | np.number) and not isinstance(value, bool | np.bool_):
                    assert cell == "nan" if value != value else float(cell) == float(value)
                else:
                    assert cell == ("" if value is None else str(value))


def behind_parts(figure: Figure) -> dict[str, Any]:
    """The artists that a picture keeps; those of an audit keep none."""
    return style._ARTISTS.get(figure, {})


def test_every_picture_is_compared() -> None:
    """A new plot function says what it drew, and how that is checked."""
    assert set(AGREE) == set(PICTURES)


def test_a_figure_of_somebody_else_tells_nothing() -> None:
    """One sentence, no empty table."""
    for ask in (plot.data_of, plot.to_csv):
        with pytest.raises(ValueError, match=r"must come from a function of trustkit\.plot, got one that tells no num"):
            ask(Figure())


def test_unknown_undefined_and_zero_stay_apart() -> None:
    """An empty cell, nan and 0."""
    figure = plot.pillar_radar({"a": None, "b": float("nan"), "c": 0.0}, {"a": 0.1 + 0.2})
    assert plot.to_csv(figure) == "pillar,score,baseline\na,,0.30000000000000004\nb,nan,\nc,0.0,\n"


def test_a_picture_that_is_redrawn_has_new_numbers() -> None:
    """And whoever kept the table keeps it as it was."""
    figure = plot.pillar_radar(SIX)
    old = plot.data_of(figure)
    assert plot.pillar_radar(UNKNOWN, figure=figure) is figure
    assert plot.data_of(figure).score.isna().sum() == 2
    assert old.score.tolist() == list(SIX.values())


def test_columns_of_one_length() -> None:
    """Single values stand in every row; other lengths are refused."""
    figure = behind.tell(Figure(), a=[1, 2], b="x")
    assert plot.data_of(figure).to_dict("list") == {"a": [1, 2], "b": ["x", "x"]}
    with pytest.raises(ValueError, match="columns must be equally long, got 2 rows and 1 of b"):
        behind.tell(Figure(), a=[1, 2], b=[1])
    assert plot.data_of(behind.tell_rows(Figure(), ("a", "b"), [])).columns.tolist() == ["a", "b"]


def test_columns_of_one_name_stay_columns() -> None:
    """A matrix has as many columns of numbers as rows, whatever the data's columns are called."""
    from dataclasses import replace

    from tests.plot.samples import columns

    fed = columns((2, 2))
    twin = replace(fed, data=replace(fed.data, columns=("x", "x", "party", "y")))
    assert plot.data_of(plot.correlation_blocks(twin)).shape == (4, 6)
