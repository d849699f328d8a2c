"""A link leads back to the state it came from; anything else leads to one sentence."""

from __future__ import annotations

import base64
import math
import re
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trustkit as tk
from tests.strategies import values
from trustkit import jsonfile, use
from trustkit.catalogue import DATASETS, Entry
from trustkit.lesson import HIDABLE, SECTIONS, Goal, Lesson
from trustkit.preset import PRESETS
from trustkit.quantities import QUANTITIES
from trustkit.rng import stream
from trustkit.sharelink import LONGEST, VERSION, Opened, Shared, decode, encode
from trustkit.sidebyside import MEASURES
from trustkit.threelines import three_lines

START = PRESETS["start"].make()


def packed(content: Any, version: int = VERSION) -> str:
    """Write any content as a token, without a check."""
    text = content if isinstance(content, bytes) else jsonfile.canonical(content).encode()
    return f"{version}.{base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip('=')}"


@st.composite
def lessons(draw: st.DrawFn) -> Lesson:
    """Any lesson."""
    ends = st.floats(-1e6, 1e6)
    goals = st.builds(lambda name, end, up: Goal(name, **{"at_least" if up else "at_most": end}),
                      st.sampled_from(sorted(QUANTITIES)), ends, st.booleans())  # fmt: skip
    text = st.text(max_size=60)
    return Lesson(
        draw(text),
        tuple(draw(st.lists(st.sampled_from(sorted(HIDABLE)), max_size=5, unique=True))),
        tuple(draw(st.lists(goals, max_size=3))),
        tuple(draw(st.lists(text, max_size=3))),
    )


@st.composite
def experiments(draw: st.DrawFn) -> tk.Experiment:
    """Experiments across rows and columns, within the range of the controls."""
    seed = draw(st.integers(-(2**53), 2**53))
    if draw(st.booleans()):
        split = use("importance", parties=draw(st.integers(2, 16)), alpha=draw(st.floats(0.01, 100)))
        return tk.Experiment("wine", split, "splitnn", rounds=draw(st.integers(1, 200)), seed=seed)
    epsilon = draw(st.none() | st.floats(0.1, 50))
    return tk.Experiment(
        draw(st.sampled_from(["acs_employment", "breast_cancer", "cces"])),
        use("dirichlet", parties=draw(st.integers(2, 100)), alpha=draw(st.floats(0.01, 100))),
        use(draw(st.sampled_from(["fedavg", "fedprox", "fedmedian"])), lr=draw(st.floats(0.001, 1))),
        use("mlp", hidden=draw(st.lists(st.integers(1, 64), min_size=1, max_size=3))),
        None if epsilon is None else use("gaussian", epsilon=epsilon),
        rounds=draw(st.integers(1, 200)),
        participation=draw(st.floats(0.05, 1)),
        seed=seed,
        attack=draw(st.none() | st.just(use("label_flip"))),
        secure=draw(st.booleans()) and epsilon is None,
    )


@settings(max_examples=60)
@given(experiments(), st.none() | experiments(), lessons(),
       st.dictionaries(st.sampled_from(["privacy", "fairness"]), st.floats(0.1, 10), max_size=2),
       st.sampled_from(sorted(SECTIONS)), st.lists(experiments(), max_size=4, unique_by=lambda each: each.key),
       st.sampled_from(["", "en", "de", "pt-BR"]), st.none() | st.sets(st.sampled_from(sorted(MEASURES))),
       st.booleans())  # fmt: skip
def test_a_link_leads_back(
    here: tk.Experiment, there: tk.Experiment | None, lesson: Lesson, weights: Any, section: str,
    pins: list[tk.Experiment], language: str, chosen: set[str] | None, scaled: bool,
) -> None:  # fmt: skip
    """Experiment, what is compared and how, weights, lesson, section, language; safe in an address, always the same."""
    measures = None if chosen is None else tuple(each for each in MEASURES if each in chosen)
    state = Shared(here, "paper", tuple(sorted(weights.items())), there, lesson, section, tuple(pins), language,
                   measures, scaled)  # fmt: skip
    token = encode(state)
    assert decode(token) == Opened(state)
    assert encode(decode(token).shared) == token
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


OLD = [
    (
        "1.eNrVUEtOxDAMvQryuqo6hdn0GIjdCFWexDQW-Snx_FTN3XHKCHEANuwS-329whEreY4E0wrol1RYXGifI4pxMD2PHVBOxlWYdh34AtPQDzqMGJQ"
        "EH2TxvEAHKkNGku6hYLQpwL0Di4JN7AFGU2cK2adboCgNEJIl_wvh08JV2LRdxqIvziicYrPdd1DSKVqNMg7NkawG1Ef2LN8FslO_Xa_bwHEu6aLY_"
        "U9Yy4WN8yTwUKfWarirGV0zFd5i_ddLvIx_cwpPtTabFZaEXscHlZPZE1Z5mAcSpW89zKmgucH9vQPH1pISD4BXrrBNojQBeCu3vg0E66fSXgmNe2Lp"
        "W7uq19p6gUlBs5BGuhAvrlFXyIXPzWEae433BcrB4S0",
        Shared(START, "paper", (("privacy", 2.0),), START.change(seed=3),
               Lesson("Reach it.", ("axis",), (Goal("accuracy", at_least=0.5),), ("Try.",)), "compare"),
    ),
    (
        "1.eNo9j91qAkEMhd8l16nM2goyryJF4mx0g_PHbMoqsu_eTF16EUgOyflOXsCPyk0SZwX_Aoq30kSn1IcLaZjAD_sjwp25WrtzCLEEiuBPg3No9W1"
        "KA-92zg0ImRKDh7lG0ZwBQYvdnfZ_ewvLbdLzyIGeZsYf7rAijKTUcdvpIpnB5EpNJUgllZI3dCs_eZzBfyHMzKNR8Y16Z49lOXOqauZXijOjaXWiHu"
        "7wH01SLU0pB4YNwub4uXZkK1eJfck-lEsjNcb6C2MvXXI",
        Shared(tk.Experiment("wine", use("importance", parties=3, alpha=0.5), "splitnn", rounds=4), "calibrated"),
    ),
]  # fmt: skip
"""Links of version 1, as they were given out, and what they meant."""


@pytest.mark.parametrize(("token", "meant"), OLD)
def test_a_link_of_the_first_version_is_read(token: str, meant: Shared) -> None:
    """Without pins, and with no language of its own; it goes on as a link of the second version."""
    assert decode(token) == Opened(meant)
    assert encode(decode(token).shared).startswith("2.")
    assert decode(encode(meant)) == Opened(meant)


SECOND = (
    "2.eNrVkNFqgyEMhd8l11L-disDX2WMkmmmATWitlsp_7s3dj9jD7Cb3Rm_wzknuQF9VWqcqQywN8AUpPGIeQ7vOFwE-3QwQFVc7GD3BlIDu-wW_SyYCSx8"
    "kMdLAAOdErkhyqFh8ZJhNeBx4DTbxOj6iXJNcn1EqiCLp_RLkSRwH-wmq9j0xRUHS5mxRwNNzsVrlcMyE8mDfdYuvSbeNqhRA_c7xZnLqcmnio8_bT03dj"
    "HRgM2e5lrLqmkJSzhjeKhoYi7KXv_pVV7-4ihv081954CTrJBgvQNI77hu"
)
"""A link of version 2, as it was given out."""


def test_a_link_says_no_more_than_it_has_to() -> None:
    """Where nothing is said of what is compared it is one of version 2, to the letter, which older pages read."""
    meant = Shared(START, section="compare", language="de", pins=(START.change(seed=7),))
    assert decode(SECOND) == Opened(meant)
    assert encode(meant) == SECOND
    for more in ({"measures": ("accuracy", "epsilon")}, {"measures": ()}, {"scaled": True}):
        token = encode(replace(meant, **more))
        assert token.startswith(f"{VERSION}.")
        assert decode(token) == Opened(replace(meant, **more))


def test_measures_of_a_link_are_known_ones() -> None:
    """In their own order, each once; one that this page has not is left out and said; anything else is refused."""
    content = {"experiment": START.to_dict(), "measures": ["epsilon", "beauty", "accuracy", "epsilon"]}
    opened = decode(packed(content))
    assert opened.shared.measures == ("accuracy", "epsilon")
    assert opened.notes == ("measure 'beauty' → none",)
    with pytest.raises(ValueError, match=r"measures must be some of .*, in that order, got \('epsilon', 'accuracy'\)"):
        Shared(START, measures=("epsilon", "accuracy"))
    with pytest.raises(ValueError, match="in that order, got"):
        Shared(START, measures=("beauty",))


def test_pins_are_brought_into_range_and_each_is_there_once() -> None:
    """Notes say which of them was changed; five are refused before they become a link."""
    made = START.to_dict()
    opened = decode(packed({"experiment": made, "pins": [{**made, "rounds": 900}, {**made, "seed": 5}, made,
                                                         {**made, "rounds": 200}]}))  # fmt: skip
    assert opened.notes == ("pin 1: rounds 900 → 200",)
    assert [(each.rounds, each.seed) for each in opened.shared.pins] == [(200, START.seed), (START.rounds, 5),
                                                                         (START.rounds, START.seed)]  # fmt: skip
    with pytest.raises(ValueError, match="pins must be at most 4, got 5"):
        Shared(START, pins=tuple(START.change(seed=seed) for seed in range(5)))
    with pytest.raises(ValueError, match="language must be a code as en, got 'English'"):
        Shared(START, language="English")


def test_four_pins_fit_into_a_link() -> None:
    """Also of the widest presets: what they have in common is written once."""
    names = ("paper/experiment-2", "paper/experiment-5", "vertibench/letter-cvfl-alpha-1", "start/states")
    pins = [PRESETS[name].make() for name in names]
    token = encode(Shared(START, baseline=START.change(seed=1), pins=tuple(pins), language="de"))
    assert decode(token).shared.pins == tuple(pins)
    assert len(token) < 1500


def test_a_section_that_is_none() -> None:
    """One of another version of the page gives way to the overview and is said; anything but text is refused."""
    content = {"experiment": START.to_dict(), "section": "somewhere"}
    opened = decode(packed(content))
    assert (opened.shared.section, opened.notes) == ("overview", ("section 'somewhere' → overview",))
    with pytest.raises(ValueError, match="section must be text, got int"):
        decode(packed({**content, "section": 3}))


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_fits_into_a_link_and_into_three_lines(name: str) -> None:
    """Nothing is brought into range; the lines, executed, give the same key."""
    made = PRESETS[name].make()
    token = encode(Shared(made, baseline=START))
    assert decode(token) == Opened(Shared(made, baseline=START))
    assert len(token) < 1000
    lines = three_lines(made).split("\n")
    assert len(lines) == 3
    assert lines[-1] == "record = tk.run(experiment)"
    place: dict[str, Any] = {}
    exec("\n".join(lines[:2]), place)
    assert place["experiment"].key == made.key


@settings(max_examples=30)
@given(experiments())
def test_three_lines_make_the_same_experiment(made: tk.Experiment) -> None:
    """Floats bit for bit, lists, nothing where there is nothing."""
    place: dict[str, Any] = {}
    exec("\n".join(three_lines(made).split("\n")[:2]), place)
    assert place["experiment"] == made


def test_three_lines_play() -> None:
    """All three of them, as somebody would."""
    made = tk.Experiment("wine", use("iid", parties=2), model="logistic", rounds=1, seed=3)
    place: dict[str, Any] = {}
    exec(three_lines(made), place)
    assert place["record"].complete
    assert place["record"].experiment.key == made.key


@pytest.mark.parametrize(
    ("part", "value", "note", "found"),
    [
        ("rounds", 5000, "rounds 5000 → 200", lambda e: e.rounds == 200),
        ("rounds", -3, "rounds -3 → 1", lambda e: e.rounds == 1),
        ("rounds", 10**400, "rounds a very large number → 200", lambda e: e.rounds == 200),
        ("participation", 0.0, "participation 0 → 0.05", lambda e: e.participation == 0.05),
        ("seed", 2**60, "seed 1.15292e+18 → 9.0072e+15", lambda e: e.seed == 2**53),
        ("split", {"name": "dirichlet", "alpha": math.inf}, "split alpha inf → 100",
         lambda e: e.split.args["alpha"] == 100),
        ("split", {"name": "dirichlet", "parties": 9999}, "split parties 9999 → 100",
         lambda e: e.split.args["parties"] == 100),
        ("privacy", {"name": "gaussian", "epsilon": 1e-9}, "privacy epsilon 1e-09 → 0.1",
         lambda e: e.privacy.args["epsilon"] == 0.1),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_brought_in_and_said(part: str, value: Any, note: str, found: Any) -> None:
    """With the value that was asked for."""
    opened = decode(packed({"experiment": {**START.to_dict(), part: value}}))
    assert len(opened.notes) == 1
    assert opened.notes[0].startswith(note[:12])
    assert note in opened.notes[0] or part == "seed"
    assert found(opened.shared.experiment)


def test_numbers_of_other_parts_are_kept_in_their_own_range() -> None:
    """Each argument has the range that its entry states."""
    made = {**START.to_dict(), "algorithm": {"name": "fedavg", "epochs": 10**9}}
    opened = decode(packed({"experiment": made, "baseline": {**made, "rounds": 900}}))
    assert opened.notes[0].startswith("algorithm epochs 1e+09 → ")
    assert opened.notes[-1] == "baseline: rounds 900 → 200"


FILE = {**START.to_dict(), "data": {"name": "csv", "path": "/etc/passwd", "target": "x"}}
REFUSED: list[tuple[Any, str]] = [
    ("", "it is empty"),
    ("garbage", "a version, a full stop"),
    ("1.", "a version, a full stop"),
    ("1.é", "a version, a full stop"),
    ("1.AAAA", "cut off or damaged"),
    (f"4.{packed({})[2:]}", "version 4, and this trustkit reads versions 1 to 3"),
    (packed({"experiment": START.to_dict(), "scaled": True}, 2), "holds 'scaled', and version 2 knows"),
    (packed({"experiment": START.to_dict(), "scaled": 1}), "scaled must be true or false, got int"),
    (packed({"experiment": START.to_dict(), "measures": "all"}), "measures must be a list of names, got 'all'"),
    (packed({"experiment": START.to_dict(), "measures": [3]}), "measures must be a list of names, got"),
    (packed({"experiment": START.to_dict(), "measures": ["x"] * 500}), "measures must be at most 4"),
    (packed({"experiment": START.to_dict(), "pins": []}, 1), "holds 'pins', and version 1 knows experiment, profile"),
    (packed({"experiment": START.to_dict(), "language": "de"}, 1), "holds 'language', and version 1 knows"),
    (packed({"experiment": START.to_dict(), "pins": {}}), "pins must be a list, got dict"),
    (packed({"experiment": START.to_dict(), "pins": [START.to_dict()] * 5}), "pins must be at most 4, got 5"),
    (packed({"experiment": START.to_dict(), "pins": [None] * 5_000}), "pins must be at most 4, got 5000"),
    (packed({"experiment": START.to_dict(), "pins": [START.to_dict(), "x"]}), "pin 2 must be an experiment, got str"),
    (packed({"experiment": START.to_dict(), "pins": [FILE]}), "reads a file, which a link cannot carry"),
    (packed({"experiment": START.to_dict(), "language": 3}), "language must be text, got int"),
    (packed({"experiment": START.to_dict(), "language": "<b>"}), "language must be a code as en, got '<b>'"),
    ("1." + "A" * LONGEST, "at most 6000 characters"),
    (packed(b"[" * 4000), "nested too deeply"),
    (packed(b"not json"), "Expecting value"),
    (packed(b"\xff\xfe"), "cut off or damaged"),
    (packed(b" " * 2_000_000), "at most 32768 bytes"),
    (packed([]), "holds no experiment"),
    (packed({"experiment": {}}), "needs data"),
    (packed({"experiment": START.to_dict(), "code": "1"}), "holds 'code'"),
    (packed({"experiment": {**START.to_dict(), "data": {"name": "nowhere"}}}), "there is no data set 'nowhere'"),
    (packed({"experiment": {**START.to_dict(), "data": "wine"}}), "data must be a name with arguments"),
    (packed({"experiment": {**START.to_dict(), "split": {"name": "dirichlet", "alpha": math.nan}}}), "got NaN"),
    (packed({"experiment": {**START.to_dict(), "split": {"name": "dirichlet", "beta": 1}}}), "no parameter 'beta'"),
    (packed({"experiment": {**START.to_dict(), "secure": "yes"}}), "secure must be true or false"),
    (packed({"experiment": {**START.to_dict(), "model": {"name": "mlp", "hidden": [3] * 65}}}), "at most 64 values"),
    (packed({"experiment": START.to_dict(), "profile": "mine"}), "there is no profile 'mine'"),
    (packed({"experiment": START.to_dict(), "profile": ["paper"]}), "there is no profile"),
    (packed({"experiment": START.to_dict(), "weights": {"nobody": 1}}), "nobody"),
    (packed({"experiment": START.to_dict(), "weights": {"privacy": -1}}), "at least 0"),
    (packed({"experiment": START.to_dict(), "weights": [1]}), "weights must be a mapping"),
    (packed({"experiment": START.to_dict(), "baseline": 3}), "baseline must be an experiment"),
    (packed({"experiment": START.to_dict(), "lesson": {"hidden": ["run"]}}), "'run' cannot be hidden"),
    (packed({"experiment": START.to_dict(), "lesson": {"hidden": [["alpha"]]}}), "must be text"),
    (packed({"experiment": START.to_dict(), "lesson": {"goals": [{"metric": "luck", "at_most": 1}]}}), "'luck'"),
    (packed({"experiment": START.to_dict(), "lesson": {"goals": [{"at_most": 1}]}}), "must name a metric"),
    (packed({"experiment": START.to_dict(), "lesson": {"task": "x" * 601}}), "at most 600 characters"),
]
"""Tokens and a part of what is said of them."""


@pytest.mark.parametrize(("token", "said"), REFUSED)
def test_garbage_is_said_in_one_sentence(token: Any, said: str) -> None:
    """One line, with the reason."""
    with pytest.raises(ValueError, match="this link cannot be read: ") as raised:
        decode(token)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    "data",
    [
        {"name": "csv", "path": "/etc/passwd", "target": "x"},
        {"name": "redrawn", "path": "/etc/passwd"},
        {"name": "redrawn", "layout": "/etc/passwd"},
        {"name": "feda4fair", "path": "/etc"},
        {"name": "flipped_labels", "of": "csv"},
        {"name": "flipped_labels", "options": "path=/etc/passwd"},
        {"name": "sampled", "of": "csv"},
        {"name": "sampled", "of": "feda4fair", "options": '{"path": "/etc"}'},
        {"name": "sampled", "of": "flipped_labels", "options": '{"of": "csv"}'},
        {"name": "sampled", "of": "flipped_labels", "options": '{"of": "sampled", "options": "{\\"of\\": \\"csv\\"}"}'},
        {"name": "sampled", "of": ["csv"], "options": "{}"},
    ],
)
def test_a_link_opens_no_file(data: Any) -> None:
    """Whatever the data set calls it."""
    with pytest.raises(ValueError, match="which a link cannot carry"):
        decode(packed({"experiment": {**START.to_dict(), "data": data}}))


def test_every_data_set_with_free_text_is_looked_at() -> None:
    """Those that are read from a file are refused; of the others no text but names of columns and values is taken."""
    allowed = {"of", "group", "attribute", "value", "positive"}
    for entry in DATASETS.values():
        free = {p.name for p in entry.parameters if p.type is str or "PathLike" in str(p.type)} - allowed
        for name in free if not entry.reads else ():
            with pytest.raises(ValueError, match="which a link cannot carry"):
                decode(packed({"experiment": {**START.to_dict(), "data": {"name": entry.name, name: "x"}}}))


def test_a_data_set_of_ones_own_is_a_name_only() -> None:
    """Known to this process, it opens here; nowhere else."""
    DATASETS.replace(Entry("own_wine", DATASETS["wine"].function, "own"))
    try:
        token = encode(Shared(tk.Experiment("own_wine", "iid", model="logistic")))
        assert decode(token).shared.experiment.data.name == "own_wine"
    finally:
        DATASETS._entries.pop("own_wine")
    with pytest.raises(ValueError, match="there is no data set 'own_wine'"):
        decode(token)


def test_a_link_that_is_too_long_is_not_made() -> None:
    """Rather than one that is cut off on its way."""
    letters = stream(0, "test", "hints").integers(0x10000, 0x10FFFF, (6, 300))
    hints = tuple("".join(map(chr, line)) for line in letters.tolist())
    with pytest.raises(ValueError, match="a link must have at most 6000 characters, got "):
        encode(Shared(START, lesson=Lesson(hints=hints)))


@settings(max_examples=200)
@given(st.text(max_size=80) | st.binary(max_size=80).map(packed) | values.map(packed))
def test_any_text_is_a_state_or_a_sentence(token: str) -> None:
    """Never another error."""
    assert re.match("this link cannot be read: |$", read(token))


def read(token: str) -> str:
    """Return what is said of a token; empty if it is read."""
    try:
        decode(token)
    except ValueError as error:
        return str(error)
    return ""


PARTS = ["experiment", "profile", "weights", "baseline", "lesson", "pins", "language"]


@settings(max_examples=200)
@given(st.sampled_from(PARTS), st.sampled_from([*START.to_dict(), "task", "goals", "hints", "hidden"]), values)
def test_any_value_anywhere_is_a_state_or_a_sentence(part: str, name: str, value: Any) -> None:
    """In the place of a part, or inside it."""
    for inside in (value, {**START.to_dict(), name: value} if part in ("experiment", "baseline") else {name: value}):
        for found in (inside, [inside], [START.to_dict(), inside]):
            assert re.match("this link cannot be read: |$", read(packed({"experiment": START.to_dict(), part: found})))


@settings(max_examples=100)
@given(st.integers(0, 400), st.sampled_from("AZaz09-_."))
def test_one_wrong_letter_is_found_out(at: int, letter: str) -> None:
    """By the checksum of the compression; a token that is cut off, too."""
    token = encode(Shared(START))
    at %= len(token) - 1
    damaged = token[:at] + letter + token[at + 1 :]
    if damaged != token:
        with pytest.raises(ValueError, match="this link cannot be read: "):
            decode(damaged)
    with pytest.raises(ValueError, match="this link cannot be read: "):
        decode(token[:at])
