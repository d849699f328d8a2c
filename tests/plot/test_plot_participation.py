"""Who took part, and each client beside the mean: hand-made rounds, read back from what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.plot.samples import texts, xy
from trustkit import Experiment, plot, run
from trustkit.attendance import BLOCKED, DIVERGED, LEFT_OUT, UNRECORDED, WORDS, attendance_of
from trustkit.catalogue import use
from trustkit.horizontal.faults import DELIVERED, DROPPED, FAILED, LATE, UNSELECTED
from trustkit.plot import style
from trustkit.plot.clientdots import MOST_DOTS
from trustkit.plot.participation import MOST_CLIENTS, MOST_ROUNDS
from trustkit.records import Round, RunRecord, Seen, State
from trustkit.rng import stream

nan = float("nan")


def seen(selected: np.ndarray, accuracy: np.ndarray) -> Seen:
    """Make what a round saw; the loss is what the accuracy leaves."""
    none = np.zeros(selected.size)
    return Seen(selected, accuracy, 1 - accuracy, none, none)


def met(outcomes: Sequence[Sequence[int]] | np.ndarray, rounds: int = 0, stored: bool = False) -> RunRecord:
    """Make a run of which each round's state says what became of every client; of a stored one only the last does."""
    fates, played = np.asarray(outcomes), []
    for index, row in enumerate(fates, 1):
        state: State | None = None if stored and index < len(fates) else {"outcome": row}
        played.append(Round(index, state, seen(row != UNSELECTED, np.linspace(0.1, 0.9, row.size)), 0.1))
    return RunRecord(SimpleNamespace(rounds=rounds or len(fates), algorithm=use("fedavg")), played)


def asked(selected: Sequence[Sequence[int]] | np.ndarray, rounds: int = 0, algorithm: str = "fedavg") -> RunRecord:
    """Make a run of which only is known who was asked."""
    rows = np.asarray(selected, bool)
    played = [Round(k, None, seen(row, np.linspace(0.1, 0.9, row.size)), 0.1) for k, row in enumerate(rows, 1)]
    return RunRecord(SimpleNamespace(rounds=rounds or len(rows), algorithm=use(algorithm)), played)


def judged(bad: Sequence[Sequence[int]], selected: Sequence[Sequence[int]]) -> RunRecord:
    """Make a run of AFA from the verdicts counted after each round."""
    played = []
    for index, (row, chosen) in enumerate(zip(np.array(bad), np.array(selected, bool), strict=True), 1):
        state = {"good": np.zeros_like(row), "bad": row}
        played.append(Round(index, state, seen(chosen, np.full(row.size, 0.5)), 0.1))
    return RunRecord(SimpleNamespace(rounds=len(bad), algorithm=use("afa", confidence=0.95)), played)


def scored(accuracy: Any, rounds: int = 0) -> RunRecord:
    """Make a run from accuracies; everybody took part, but the first client in the last round."""
    values, played = np.asarray(accuracy, float), []
    for index, row in enumerate(values, 1):
        selected = np.ones(row.size, bool)
        selected[0] = index < len(values)
        played.append(Round(index, None, seen(selected, row), 0.1))
    return RunRecord(SimpleNamespace(rounds=rounds or len(values), algorithm=use("fedavg")), played)


ALL = [[DELIVERED, UNSELECTED, LATE], [DROPPED, DELIVERED, FAILED], [DELIVERED, DELIVERED, UNSELECTED]]


def test_states_say_what_became_of_each() -> None:
    """Codes as the states have them; asked and took part are counted by client."""
    found = attendance_of(met(ALL))
    assert found.codes.tolist() == ALL
    assert (found.asked.tolist(), found.took_part.tolist()) == ([3, 2, 2], [2, 2, 0])
    assert found.newest().codes.tolist() == ALL[-1:]
    assert attendance_of(asked([[1, 0], [1, 1]])).codes.tolist() == [[0, -1], [0, 0]]
    assert attendance_of(asked([])).codes.shape == (0, 0)


def test_what_is_not_recorded_is_not_invented() -> None:
    """A stored run has its last state only: of the rounds before it is known who was asked, and no more."""
    found = attendance_of(met(ALL, stored=True))
    assert found.codes.tolist() == [[UNRECORDED, -1, UNRECORDED], [UNRECORDED] * 3, ALL[-1]]
    assert (found.asked.tolist(), found.took_part.tolist()) == ([3, 2, 2], [1, 1, 0])
    assert [attendance_of(asked([[1]], algorithm=name)).silent for name in ("krum", "multi_krum", "bulyan")] == [
        True
    ] * 3
    assert not attendance_of(asked([[1]], algorithm="trimmed_mean")).silent


def test_verdicts_of_afa_leave_clients_out_and_block_them() -> None:
    """A bad verdict in a round leaves a client out of it; whoever has six and no good one is asked no more."""
    bad = [[k, 0] for k in (1, 2, 3, 4, 5, 6, 6, 6)]
    record = judged(bad, [[1, 1]] * 6 + [[0, 1]] * 2)
    found = attendance_of(record)
    assert found.codes[:, 0].tolist() == [LEFT_OUT] * 6 + [BLOCKED] * 2
    assert found.codes[:, 1].tolist() == [DELIVERED] * 8
    assert found.asked.tolist() == [6, 8]
    later = RunRecord(record.experiment, list(record)[3:])
    assert attendance_of(later).codes[0].tolist() == [UNRECORDED] * 2
    assert attendance_of(later).codes[1].tolist() == [LEFT_OUT, DELIVERED]


def test_who_sent_no_finite_model_is_marked_in_that_round() -> None:
    """By the counts before and after it; where the round before is not there, nothing is claimed."""
    record = asked([[1, 1, 0], [1, 1, 1], [1, 0, 1]], algorithm="fedmedian")
    counts = [None, [0, 1, 0], [0, 1, 1]]
    played = [Round(each.index, {} if count is None else {"diverged": np.array(count)}, each.seen, each.seconds)
              for each, count in zip(record, counts, strict=True)]  # fmt: skip
    found = attendance_of(RunRecord(record.experiment, played))
    assert found.codes.tolist() == [
        [DELIVERED, DELIVERED, UNSELECTED], [DELIVERED, DIVERGED, DELIVERED], [DELIVERED, UNSELECTED, DIVERGED],
    ]  # fmt: skip
    later = attendance_of(RunRecord(record.experiment, [played[0], played[2]]))
    assert later.codes[1].tolist() == [DELIVERED, UNSELECTED, DELIVERED]
    drawn = plot.participation_raster(RunRecord(record.experiment, played))
    assert f"{WORDS[DIVERGED]}: 2" in texts(drawn)


def test_a_real_run_of_afa_counts_its_verdicts() -> None:
    """Under an attack: as many exclusions as the state counts, and whoever is blocked is never asked again."""
    asked_for = Experiment("breast_cancer", use("iid", parties=8), "afa", "logistic", rounds=10,
                           attack=use("sign_flip", share=0.25))  # fmt: skip
    record = run(asked_for)
    found = attendance_of(record)
    assert ((found.codes == LEFT_OUT).sum(axis=0) == record.last.state["bad"]).all()
    assert ((found.codes == DELIVERED).sum(axis=0) == record.last.state["good"]).all()
    assert found.count(BLOCKED) == (~record.selected).sum() > 0


def boxes(figure: Any, name: str) -> np.ndarray:
    """Return the boxes of one kind: left, right, roof, floor, one a row."""
    corners = style._ARTISTS[figure][name].get_path().vertices.reshape(-1, 5, 2)
    return np.stack([corners[:, 0, 0], corners[:, 1, 0], corners[:, 2, 1], corners[:, 0, 1]], axis=1)


def test_every_fate_has_a_mark_of_its_own() -> None:
    """By shape and not by colour alone: no two kinds share a marker, and the legend counts each."""
    codes = [[DELIVERED, DROPPED, FAILED, LATE, UNSELECTED]]
    figure = plot.participation_raster(met(codes))
    marks = style._ARTISTS[figure]["marks"]
    assert {code: xy(line).tolist() for code, line in marks.items()} == {
        DROPPED: [[1, 1]], FAILED: [[1, 2]], LATE: [[1, 3]],
    }  # fmt: skip
    assert len({line.get_marker() for line in marks.values()}) == 3
    assert [round(float(y), 2) for y in boxes(figure, "took_part")[0, 2:]] == [-0.42, 0.42]
    assert {f"{WORDS[code]}: 1" for code in codes[0]} <= set(texts(figure))
    table = plot.data_of(figure)
    assert table["what"].tolist() == [WORDS[code] for code in codes[0]]
    assert table.asked.tolist() == [1, 1, 1, 1, 0]


def test_rounds_to_come_are_shaded() -> None:
    """So that nobody takes them for rounds in which no one was asked."""
    shade = style._ARTISTS[plot.participation_raster(asked([[1, 0]] * 3, rounds=8))]["coming"]
    assert (shade.get_x(), shade.get_width()) == (3.5, 5)
    whole = style._ARTISTS[plot.participation_raster(asked([[1, 0]] * 3))]["coming"]
    assert whole.get_width() == 0


def test_large_cohorts_share_cells_and_say_so() -> None:
    """Groups of neighbours, filled by shares; the sums of the table are those of the run."""
    draw = stream(0, "test", "cohort")
    codes = np.where(draw.random((4, 950)) < 0.1, draw.choice([DELIVERED, DELIVERED, DROPPED], (4, 950)), UNSELECTED)
    figure = plot.participation_raster(met(codes, rounds=6))
    table = plot.data_of(figure)
    assert len(table) == 25 * 4
    assert table["client"].iloc[0] == "client 1 … client 38"
    assert table.clients_and_rounds.tolist() == [38] * 100
    assert [table[name].sum() for name in ("took_part", "lost", "asked")] == [
        (codes == DELIVERED).sum(), (codes == DROPPED).sum(), (codes != UNSELECTED).sum()
    ]  # fmt: skip
    assert any(text.startswith("38 clients a row · full height ") for text in texts(figure))
    assert table["what"].isna().all()


@pytest.mark.parametrize("wide", [True, False])
def test_many_rounds_share_columns(wide: bool) -> None:
    """Spans of equally many rounds; the last played one may hold fewer, and counts only those."""
    rounds = MOST_ROUNDS[wide] + 1
    figure = plot.participation_raster(asked([[1, 0]] * (rounds - 2), rounds=rounds), wide=wide)
    table = plot.data_of(figure)
    own = table[table["client"] == "client 1"]
    assert own.clients_and_rounds.sum() == own.took_part.sum() == rounds - 2
    assert (own.last_round - own.first_round + 1).tolist() == own.clients_and_rounds.tolist()
    assert boxes(figure, "took_part").shape == (len(own), 4)


def test_a_hundred_clients_have_a_row_each() -> None:
    """And runs of full cells are one box, which keeps a large picture light."""
    figure = plot.participation_raster(asked(np.ones((60, MOST_CLIENTS)), rounds=60))
    assert len(plot.data_of(figure)) == 60 * MOST_CLIENTS
    drawn = boxes(figure, "took_part")
    assert len(drawn) == MOST_CLIENTS
    assert drawn[0, :2].round(2).tolist() == [0.58, 60.42]


def test_names_are_as_many_as_clients() -> None:
    """One sentence that says what came."""
    with pytest.raises(ValueError, match="names must be one for each of the 2 clients, got 3"):
        plot.participation_raster(asked([[1, 0]]), ["a", "b", "c"])
    with pytest.raises(ValueError, match="rows must be one for each of the 2 clients, got 1"):
        plot.client_dots(scored([[0.5, 0.6]]), [3])
    with pytest.raises(ValueError, match="measure must be accuracy or loss, got 'f1'"):
        plot.client_dots(scored([[0.5, 0.6]]), measure="f1")  # type: ignore[arg-type]


def test_dots_are_the_clients() -> None:
    """Where its rows and its accuracy are; hollow for who was not in the last round; the mean runs through."""
    accuracy = [[0.2, 0.4, 0.9], [0.3, 0.5, 1.0]]
    figure = plot.client_dots(scored(accuracy), [10, 20, 60], ["a", "b", "c"])
    parts = style._ARTISTS[figure]
    assert xy(parts["out"]).tolist() == [[10, 0.3]]
    assert xy(parts["in"]).tolist() == [[20, 0.5], [60, 1.0]]
    np.testing.assert_allclose(xy(parts["mean"]), [[1, 0.5], [2, 0.6]])
    assert {"a", "c"} <= set(texts(figure))
    assert "b" not in texts(figure)
    loss = plot.client_dots(scored(accuracy), [10, 20, 60], ["a", "b", "c"], measure="loss", figure=figure)
    assert loss is figure
    assert xy(parts["out"]).round(9).tolist() == [[10, 0.7]]


def test_clients_without_test_rows_are_counted_not_drawn() -> None:
    """NaN is not 0: no dot, a note, and nan in the table; the mean is that of the others."""
    figure = plot.client_dots(scored([[0.2, nan, 0.8]]), [10, 20, 30])
    table = plot.data_of(figure)
    assert len(xy(style._ARTISTS[figure]["in"])) == 1
    assert "n/a: 1 without test rows" in texts(figure)
    assert np.isnan(table[table.client == "client 2"].value.iloc[0])
    assert table[table.shown == "mean"].value.tolist() == [0.5]
    empty = plot.client_dots(scored([[nan, nan]]), [1, 2])
    assert not style._ARTISTS[empty]["level"].get_visible()


def test_more_clients_than_dots_are_bands() -> None:
    """Groups by rows: each client is in one of them, and the lowest keeps its dot and its name."""
    draw = stream(0, "test", "dots")
    values = 0.5 + 0.3 * draw.random(MOST_DOTS + 20)
    values[7] = 0.1
    figure = plot.client_dots(scored([values]), 10 + draw.integers(5000, size=values.size))
    table = plot.data_of(figure)
    groups = table[table.shown == "group"]
    assert len(groups) == 24
    assert sum(int(name.split()[0]) for name in groups.client) == values.size
    assert (groups.low <= groups.value).all()
    assert "client 8" in table[table.shown == "client"].client.tolist()
    assert "320 clients in groups of about 14" in texts(figure)
    assert figure.axes[1].get_xscale() == "log"


def test_one_joint_model_has_no_dots() -> None:
    """One sentence that says why."""
    row = Seen(np.ones(3, bool), np.array([0.5]), np.array([0.5]), np.zeros(3), np.zeros(3))
    record = RunRecord(SimpleNamespace(rounds=1, algorithm=use("splitnn")), [Round(1, None, row, 0.1)])
    with pytest.raises(ValueError, match="needs a value for each of the 3 clients, got one joint model"):
        plot.client_dots(record)
    assert plot.data_of(plot.participation_raster(record)).took_part.tolist() == [1, 1, 1]
