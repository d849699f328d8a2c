"""A profile of one's own as a TOML file: what it can say, that it comes back, and one sentence for each error."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.trust import METRICS, NOTIONS, PILLARS, PROFILES, FactSheet, Profile, assess, waterfall
from trustkit.trust.curves import Linear, Log, Reciprocal
from trustkit.trust.direction import against
from trustkit.trust.profilefile import KINDS, parse
from trustkit.trust.stairs import Map, Steps

MINE = """
name = "hospital"
about = "Privacy first."
base = "paper"

[weights]
privacy = 3
technique = 0.5
performance = 2

[normalise.federation_scale]
kind = "log"
zero = 1
one = 10000
why = "Each factor of ten counts the same."

[normalise.model_size]
kind = "steps"
edges = [1000, 100000]
scores = [1, 0.5, 0]

[normalise.algorithmic_transparency]
kind = "map"
values = [1, 5]
scores = [0.1, 1]

[normalise.certified_robustness]
kind = "capped"
limit = 2

[normalise.performance]
kind = "identity"
"""
FACTS = FactSheet({
    "participants/client_num": 100, "performance/test_acc_avg": 0.8, "robustness/clever": 0.5,
    "explainability/trainable_param_num": 2410, "configuration/training_model": "mlp",
    "privacy/differential_privacy": False, "fairness/class_imbalance": 0.4, "fairness/test_acc_cv": math.nan,
})  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where a profile is written."""
    return tmp_path / "mine.toml"


def test_a_file_scores(file: Path) -> None:
    """By its normalisers and weights: 0.5 on the logarithm, 0.5 from the steps, 0.1 from the list, 0.25 of the cap."""
    file.write_text(MINE, encoding="utf-8")
    for place in (file, str(file)):
        report = assess(FACTS, place)
        expected = {"federation_scale": 0.5, "model_size": 0.5, "algorithmic_transparency": 0.1,
                    "certified_robustness": 0.25, "performance": 0.8, "class_imbalance": 0.6}  # fmt: skip
        for metric, score in expected.items():
            assert report[metric].score == pytest.approx(score)
        assert report.profile.name == "hospital"
        assert report.weights["privacy"] == 3
        assert "Why so: Each factor of ten counts the same." in report.explain("federation_scale")
        others = sum(score is not None for score in report.pillars.values()) - 1
        assert report.shares["privacy"] == pytest.approx(3 / (3 + others))


def test_a_file_can_say_little(file: Path) -> None:
    """An empty one is the paper's profile under the file's name; a base brings its own rules and weights."""
    file.write_text("", encoding="utf-8")
    report = assess(FACTS, file)
    assert (report.profile.name, report.score) == ("mine", assess(FACTS).score)
    file.write_text('base = "nebula-1.0"\n[weights]\nsustainability = 0\n', encoding="utf-8")
    other = assess(FACTS, file)
    assert other.weights["privacy"] == 0.15
    assert other.shares["sustainability"] == 0
    file.write_text('base = "calibrated"\ndigits = 1\nmissing = "zero"\naggregation = "flat"\n', encoding="utf-8")
    third = assess(FACTS, file)
    assert third["class_imbalance"].score == 0.7  # 1/1.4 = 0.714
    assert third["entropy"].score == third["accuracy_variation"].score == 0


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_every_profile_comes_back(name: str) -> None:
    """What is written scores alike, and is written alike again."""
    profile = PROFILES[name]
    again = parse(tomllib.loads(profile.to_toml()))
    assert parse(tomllib.loads(again.to_toml())).to_toml() == again.to_toml()
    assert (again.name, again.about, again.reasons) == (profile.name, profile.about, profile.reasons)
    one, two = assess(FACTS, profile), assess(FACTS, again)
    assert [line.score for line in one.metrics] == [line.score for line in two.metrics]
    assert repr(one.score) == repr(two.score)


def test_a_departure_from_rounding_comes_back() -> None:
    """And weights of the base that were taken away."""
    plain = dataclasses.replace(PROFILES["nebula-1.0"], name="plain", digits=None, weights={"privacy": 2.0})
    again = parse(tomllib.loads(plain.to_toml()))
    assert again.digits is None
    assert assess(FACTS, again).score == assess(FACTS, plain).score


@settings(derandomize=True, max_examples=40, deadline=None)
@given(
    st.dictionaries(st.sampled_from([*PILLARS, *NOTIONS, *METRICS]), st.floats(0.01, 100)),
    st.dictionaries(
        st.sampled_from(sorted(METRICS)),
        st.sampled_from(
            [Linear(0, 3), Log(5, 2), Reciprocal(2), Steps((1, 2), (0, 0.3, 1), "right"), Map((1,), (0.3,))]
        ),
    ),
)
def test_round_trip(weights: dict[str, float], rules: dict[str, Linear]) -> None:
    """Weights and rules come back equal."""
    profile = Profile(
        "mine", 'A "quoted" sentence, α.', "flat", rules, weights, digits=3, reasons=dict.fromkeys(rules, ".")
    )
    again = parse(tomllib.loads(profile.to_toml()))
    assert again.normalisers == rules
    assert again.weights == weights
    assert (again.aggregation, again.digits, again.about) == ("flat", 3, profile.about)


def test_a_file_can_name_its_rows(file: Path) -> None:
    """By metric, notion or pillar; from the whole taxonomy also where the base is the paper's; and it comes back."""
    file.write_text('rows = ["performance", "monitoring", "encryption"]\n[weights]\nencryption = 2\n', encoding="utf-8")
    report = assess(FACTS.with_facts(audit__scoping="charter.md", privacy__encryption=0.5), file)
    assert [line.metric for line in report.metrics] == ["encryption", "performance", "algorithmic_auditing"]
    assert list(report.pillars) == ["privacy", "robustness", "accountability"]
    assert report.score == pytest.approx((0.5 + 0.8 + 0.2) / 3)
    again = parse(tomllib.loads(report.profile.to_toml()))
    assert list(again.taxonomy.metrics) == list(report.profile.taxonomy.metrics)
    assert assess(FACTS, again).score == assess(FACTS, file).score
    file.write_text('base = "calibrated"\nrows = ["robustness"]\n', encoding="utf-8")
    other = assess(FACTS, file)
    assert len(other.metrics) == 12
    assert other["federation_scale"].score == 0.5  # the base's rule: 100 clients, half of four decades
    assert set(other.profile.reasons) == {line.metric for line in other.metrics}
    file.write_text('base = "nebula-1.0"\nrows = ["sustainability", "accountability/performance"]', encoding="utf-8")
    assert list(assess(FACTS, file).pillars) == ["accountability", "sustainability"]


def test_two_readings_of_a_file_can_be_compared(file: Path) -> None:
    """Rows are the same if they are the same rows, not the same table."""
    file.write_text('rows = ["robustness"]', encoding="utf-8")
    found = waterfall(assess(FACTS, file), assess(FACTS.with_facts(performance__test_acc_avg=0.9), file))
    assert found.end > found.start


def test_code_cannot_be_written() -> None:
    """A function of one's own has no name that a file could hold."""
    mine = Profile("mine", "Mine.", normalisers={"entropy": lambda value: value})
    with pytest.raises(
        ValueError, match=r"of entropy must be a rule or one of trustkit\.trust\.normalise, got <lambda>"
    ):
        mine.to_toml()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("[weights", ValueError, "Expected ']'"),
        ("colour = 1", KeyError, "a profile has no part 'colour'; it has name, about, base"),
        ('base = "nice"', KeyError, "there is no profile 'nice' to depart from; known are paper"),
        ("name = 3", TypeError, "name must be text, got 3"),
        ('missing = "maybe"', ValueError, "missing must be left out or zero, got 'maybe'"),
        ('aggregation = "sum"', ValueError, "aggregation must be notions or flat, got 'sum'"),
        ("digits = 99", ValueError, "digits must be a whole number from 0 to 15, or none, got 99"),
        ("weights = 1", TypeError, "weights must be a table, got 1"),
        ("[weights]\nprivcy = 1", KeyError, "there is no pillar, notion or metric 'privcy'; did you mean 'privacy'"),
        ("rows = 'privacy'", TypeError, "rows must be a list of metrics, notions or pillars, got 'privacy'"),
        ("rows = [1]", TypeError, r"rows must be a list of metrics, notions or pillars, got \[1\]"),
        ("rows = []", ValueError, "a taxonomy must keep at least one metric, got none"),
        ("rows = ['encrypton']", KeyError, "no pillar, notion or metric 'encrypton'; did you mean 'encryption'"),
        ("[weights]\nencryption = 1", KeyError, "no pillar, notion or metric 'encryption'"),
        ("rows = ['entropy']\n[weights]\nperformance = 1", KeyError, "no pillar, notion or metric 'performance'"),
        ("[weights]\nprivacy = -1", ValueError, "the weight of privacy must be at least 0 and finite, got -1"),
        ("[weights]\nprivacy = true", TypeError, "the weight of privacy must be a number, got True"),
        (
            "[weights]\n" + "\n".join(f"{p} = 0" for p in PILLARS),
            ValueError,
            "at least one metric with a weight above 0",
        ),
        ("[normalise.beauty]\nkind = 'identity'", KeyError, "no pillar, notion or metric 'beauty'"),
        ("[normalise.privacy]\nkind = 'identity'", ValueError, "normalise.privacy must be a metric, got a pillar"),
        ("normalise.entropy = 1", TypeError, "normalise.entropy must be a table with a kind, got 1"),
        ("[normalise.entropy]\nzero = 1", TypeError, "normalise.entropy must be a table with a kind"),
        ("[normalise.entropy]\nkind = 'eval'", KeyError, "normalise.entropy has no kind 'eval'; known are linear, log"),
        ("[normalise.entropy]\nkind = 1", KeyError, "normalise.entropy has no kind 1"),
        ("[normalise.entropy]\nkind = 'linear'\nzero = 1", ValueError, "normalise.entropy: linear needs one, got zero"),
        ("[normalise.entropy]\nkind = 'log'\nzero = 0\none = 1", ValueError, "normalise.entropy: zero must be above 0"),
        ("[normalise.entropy]\nkind = 'capped'\ntop = 1", KeyError, "capped takes no 'top'; it takes limit"),
        ("[normalise.entropy]\nkind = 'identity'\ntop = 1", KeyError, "identity takes no 'top'; it takes nothing"),
        ("[normalise.entropy]\nkind = 'steps'\nedges = [2, 1]\nscores = [0, 0.5, 1]", ValueError, "edges must ascend"),
        ("[normalise.entropy]\nkind = 'capped'\nwhy = 1", TypeError, "why must be text, got 1"),
        ('name = "paper"\n[weights]\nprivacy = 3', ValueError,
         "name must not be a built-in profile's that scores in another way, got 'paper'"),
        ('name = "calibrated"', ValueError, "built-in profile's that scores in another way, got 'calibrated'"),
        ('name = "paper"\n[normalise.entropy]\nkind = "capped"\nlimit = 2', ValueError, "got 'paper'"),
        ("[normalise.performance]\nkind = 'linear'\nzero = 1\none = 0", ValueError,
         r"normalise.performance must not fall where the metric gets better \(higher is better\) unless it says "
         "reverse = true, got 1 for 0 and 0.9844 for 0.01562"),
        ("[normalise.global_privacy_risk]\nkind = 'identity'", ValueError, r"gets better \(lower is better\) unless"),
        ("[normalise.model_size]\nkind = 'steps'\nedges = [1000]\nscores = [0, 1]", ValueError, "lower is better"),
        ("[normalise.entropy]\nkind = 'steps'\nedges = [0.501, 0.502]\nscores = [0, 1, 0.9]", ValueError,
         "got 1 for 0.5015 and 0.9 for 0.502"),
        ("[normalise.algorithmic_transparency]\nkind = 'map'\nvalues = [1, 5]\nscores = [1, 0]", ValueError,
         "got 1 for 1 and 0 for 5"),
        ("[normalise.performance]\nkind = 'identity'\nreverse = true", ValueError,
         "normalise.performance must not say reverse: it scores in the metric's direction, higher"),
        ("[normalise.performance]\nkind = 'identity'\nreverse = 1", TypeError, "reverse must be true or false, got 1"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, error: type[Exception], message: str, file: Path) -> None:
    """With the file's name before it, and nothing scored."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=f"mine.toml must be a profile in TOML, got: .*{message}"):
        assess(FACTS, file)


def test_files_that_are_not_there_or_no_text(file: Path) -> None:
    """The operating system's words, and those of the decoder."""
    with pytest.raises(FileNotFoundError):
        assess(FACTS, file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"mine\.toml must be a profile in TOML"):
        assess(FACTS, file)


def test_every_kind_is_named() -> None:
    """The seven that take numbers."""
    assert list(KINDS) == ["linear", "log", "steps", "map", "capped", "saturating", "reciprocal"]


def test_a_direction_can_be_turned_on_purpose(file: Path) -> None:
    """The code's view of scale: fewer clients are better; it is said in the file, in the report, and when written."""
    file.write_text("[normalise.federation_scale]\nkind = 'log'\nzero = 10000\none = 1\nreverse = true\n", "utf-8")
    report = assess(FACTS, file)
    assert report["federation_scale"].score == pytest.approx(0.5)
    assert "Against the metric's own direction" in report.explain("federation_scale")
    written = tomllib.loads(report.profile.to_toml())
    assert written["normalise"]["federation_scale"]["reverse"] is True
    assert parse(written).normalisers == report.profile.normalisers
    assert "reverse" not in written["normalise"].get("certified_robustness", {})


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_every_profile_scores_in_the_metrics_direction(name: str) -> None:
    """None of trustkit's needs the exception."""
    profile = PROFILES[name]
    assert [m for m, row in profile.taxonomy.metrics.items() if against(row, profile.normaliser(m))] == []


def test_a_built_in_name_stands_for_the_built_in_profile(file: Path) -> None:
    """A copy that scores alike may keep it, whatever it says of itself; also by the file's own name."""
    copy = file.with_name("paper.toml")
    copy.write_text("about = 'A copy.'\n[weights]\nprivacy = 1\n", encoding="utf-8")
    assert assess(FACTS, copy).score == assess(FACTS).score
    copy.write_text("[weights]\nprivacy = 2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"paper\.toml must be a profile in TOML, got: name must not be a built-in"):
        assess(FACTS, copy)
