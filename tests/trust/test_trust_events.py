"""The event log: whoever changes, removes, moves, adds or cuts off an event is found out, and where."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustkit.records import Round, Seen, watch
from trustkit.trust import FactSheet, client_id
from trustkit.trust.chain import START, verify
from trustkit.trust.claims import Claim
from trustkit.trust.events import EventLog, digest_of

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


def played(index: int, epsilon: float = math.inf) -> Round:
    """Return a round of four clients, of whom two trained."""
    selected = np.array([True, False, True, False])
    seen = Seen(selected, np.full(4, 0.123456), np.full(4, 0.654321), np.full(4, 10.0), np.full(4, 20.0), epsilon)
    return Round(index, {"w": np.arange(3.0) * index}, seen, 2.0)


def log_of_three(path: Path | None = None) -> EventLog:
    """Return a log of three rounds, the clock standing still at noon."""
    log = EventLog("secret", path, rule="FedAvg", about={"rounds": 3}, clock=lambda: NOON)
    for _ in watch([played(1, 1.0), played(2, 2.0), played(3, 3.0)], log):
        pass
    return log


def test_what_a_round_leaves_in_the_log() -> None:
    """Kinds, times reckoned back from the clock, keyed ids, the model's digest, and traffic of all together."""
    log = log_of_three()
    assert [event.kind for event in log] == ["log_opened", *(["round_started", "clients_selected", "updates_aggregated",
                                                              "privacy_spent", "round_finished"] * 3)]  # fmt: skip
    opened, started, selected, summed, spent, finished = list(log)[:6]
    assert opened.facts == {"rounds": 3}
    assert (started.at, finished.at) == ("2026-01-01T11:59:58.000+00:00", "2026-01-01T12:00:00.000+00:00")
    assert selected.facts == {"round": 1, "clients": [client_id("secret", 0), client_id("secret", 2)]}
    assert summed.facts == {"round": 1, "rule": "FedAvg", "updates": 2}
    assert spent.facts == {"round": 1, "epsilon": 1.0}
    assert finished.facts == {"round": 1, "model": digest_of({"w": np.arange(3.0)}), "seconds": 2.0,
                              "bytes_up": 40.0, "bytes_down": 80.0}  # fmt: skip


def test_without_a_bound_no_privacy_is_spent_and_without_a_model_no_digest_is_made() -> None:
    """Infinity is not logged as a number; an earlier round of a stored run has no state."""
    log = EventLog("secret")
    log(Round(1, None, played(1).seen, 1.0))
    assert "privacy_spent" not in [event.kind for event in log]
    assert list(log)[-1].facts["model"] is None


def test_nothing_of_a_single_client_is_logged() -> None:
    """Neither accuracy nor loss nor a client's traffic."""
    text = log_of_three().to_jsonl()
    assert "0.123456" not in text
    assert "0.654321" not in text
    assert '"10.0"' not in text


def test_digests_by_hand() -> None:
    """SHA-256 of the canonical JSON of everything but the digest; the model's of names, types, shapes and bytes."""
    log, previous = log_of_three(), START
    for line in log.to_jsonl().splitlines():
        event = json.loads(line)
        assert event["previous"] == previous
        rest = {name: value for name, value in event.items() if name != "digest"}
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        previous = hashlib.sha256(text.encode()).hexdigest()
        assert event["digest"] == previous
    assert log.head == previous
    w = np.array([[1.0, 2.0]])
    assert digest_of({"w": w}) == hashlib.sha256(b"w\0<f8\0(1, 2)\0" + w.tobytes()).hexdigest()
    assert len({digest_of({"w": w}), digest_of({"v": w}), digest_of({"w": w.T}), digest_of({"w": w + 1e-16 + 1}),
                digest_of({"w": w.astype(np.float32)})}) == 5  # fmt: skip
    assert digest_of({"w": np.array(3.0), "e": np.zeros(0)}) != digest_of({"w": np.array(3.0)})


LINES = log_of_three().to_jsonl().splitlines()
LAST = json.loads(LINES[-1])["digest"]


def changed(line: str, **parts: Any) -> str:
    """Change parts of a line."""
    return json.dumps({**json.loads(line), **parts})


TAMPERED: dict[str, tuple[Callable[[list[str]], list[str]], int, str]] = {
    "a fact": (lambda x: [*x[:4], x[4].replace("1.0", "0.5"), *x[5:]], 5, "the digest is not that of its content"),
    "a time": (lambda x: [*x[:4], changed(x[4], at="2027"), *x[5:]], 5, "the digest is not that of its content"),
    "a digest": (lambda x: [*x[:4], changed(x[4], digest="0" * 64), *x[5:]], 5, "the digest is not that"),
    "removed": (lambda x: [*x[:4], *x[5:]], 5, "the order is broken: event 6 is there"),
    "the first removed": (lambda x: x[1:], 1, "the order is broken: event 2 is there"),
    "moved": (lambda x: [*x[:4], x[5], x[4], *x[6:]], 5, "the order is broken: event 6"),
    "twice": (lambda x: [*x[:5], x[4], *x[5:]], 6, "the order is broken: event 5"),
    "one of another log": (lambda x: [*x[:4], EventLog("x").to_jsonl(), *x[4:]], 5, "the order is broken: event 1"),
    "an empty line": (lambda x: [*x[:4], "", *x[4:]], 5, "the line is no event"),
    "half a line": (lambda x: [*x[:-1], x[-1][:40]], 16, "the line is no event"),
    "another part": (lambda x: [*x[:4], changed(x[4], more=1), *x[5:]], 5, "the line is no event"),
    "one cut off": (lambda x: x[:-1], 16, "the log ends: 1 of 16 events are missing"),
    "many cut off": (lambda x: x[:3], 4, "the log ends: 13 of 16 events are missing"),
    "all cut off": (lambda x: [], 1, "there is no event"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_is_found_where_it_is(how: str, tmp_path: Path) -> None:
    """In lines and in a file, with the head and the number of events that the fact sheet keeps."""
    tamper, at, reason = TAMPERED[how]
    lines = tamper(list(LINES))
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")
    for source in (lines, path):
        found = verify(source, LAST, len(LINES))
        assert (found.sound, found.at) == (False, at)
        assert reason in found.reason


def test_a_file_cut_inside_its_last_line_is_found(tmp_path: Path) -> None:
    """As after a power cut; a missing end of line alone loses nothing."""
    text = "\n".join(LINES)
    path = tmp_path / "events.jsonl"
    path.write_text(text[:-5], encoding="utf-8")
    assert verify(path).at == 16
    path.write_text(text, encoding="utf-8")
    assert verify(path, LAST, 16).sound


def test_a_log_written_anew_has_another_head() -> None:
    """A consistent chain of other content fits by itself, and only the head tells; so does one that goes on."""
    forged = EventLog("other", rule="FedAvg", clock=lambda: NOON)
    for k in (1, 2, 3):
        forged(played(k, 9.0))
    assert verify(forged).sound
    assert verify(forged, LAST, 16).at == 16
    assert "written anew" in verify(forged, LAST, 16).reason
    assert "written anew" in verify(LINES[:-1], LAST).reason
    longer = log_of_three()
    longer.append("model_released")
    found = verify(longer, LAST, 16)
    assert (found.sound, found.at) == (False, 17)


@given(st.data())
def test_any_change_of_one_character_is_found(data: st.DataObject) -> None:
    """Unless it spells the same JSON: a space, which the digest does not cover."""
    number = data.draw(st.integers(0, len(LINES) - 1))
    place = data.draw(st.integers(0, len(LINES[number]) - 1))
    letter = data.draw(st.characters(min_codepoint=33, max_codepoint=126))
    line = LINES[number][:place] + letter + LINES[number][place + 1 :]
    try:
        same = json.loads(line) == json.loads(LINES[number])
    except ValueError:
        same = False
    found = verify([*LINES[:number], line, *LINES[number + 1 :]], LAST, len(LINES))
    assert found.sound == same
    assert same or found.at == number + 1


def test_the_file_grows_with_every_round_and_goes_on(tmp_path: Path) -> None:
    """Whole after each round, without strays; a loaded log continues the chain; a broken one is not continued."""
    path = tmp_path / "log" / "events.jsonl"
    log = EventLog("secret", path, rule="FedAvg")
    assert verify(path, log.head, 1).sound
    log(played(1))
    assert verify(path, log.head, len(log)).sound
    again = EventLog.load(path, "secret", rule="FedAvg")
    assert (again.head, len(again)) == (log.head, len(log))
    again(played(2))
    assert verify(path, again.head, len(log) + 4).sound
    assert [file.name for file in path.parent.iterdir()] == ["events.jsonl"]
    path.write_text(path.read_text().replace('"round": 1', '"round": 7'))
    with pytest.raises(ValueError, match=r"events\.jsonl must be an unbroken event log, but at event 2 the digest"):
        EventLog.load(path, "secret")
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "none.jsonl")


def test_a_log_takes_aggregates_only() -> None:
    """Lists are of keyed ids; a refused event leaves the log as it was."""
    log = EventLog("secret")
    for value in ([1, 2, 3], np.zeros(3), {"a": 1}, ["client 1"], [0.5]):
        with pytest.raises(TypeError, match="seen must be a number, a flag, a text or a list of keyed ids, got"):
            log.append("counted", seen=value)
    assert len(log) == 1
    log.append("joined", clients=[client_id("secret", 3)], note="a\u2028b\n", rate=math.nan)
    assert verify(log).sound
    with pytest.raises(ValueError, match="key must not be empty"):
        EventLog("")


def test_claims_are_logged_with_their_digest() -> None:
    """So that a claim cannot be changed afterwards."""
    claim = Claim("owner", "For teaching.", "A school", "2026", {"data/rows": 5})
    event = EventLog("secret").claim(claim)
    assert event.kind == "claim_made"
    assert (event.facts["role"], event.facts["text"], event.facts["who"]) == ("owner", "For teaching.", "A school")
    other = EventLog("secret").claim(Claim("owner", "For teaching.", "A school", "2026", {"data/rows": 6}))
    assert other.facts["claim"] != event.facts["claim"]


def test_the_sheet_keeps_the_head() -> None:
    """As facts of the template."""
    log = log_of_three()
    sheet = FactSheet({"log/head": log.head, "log/events": len(log)})
    assert verify(log, sheet.get("log", "head"), sheet.get("log", "events")).sound
