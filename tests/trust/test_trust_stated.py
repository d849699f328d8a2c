"""What people state in a file: read, checked, and nothing that a run measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustkit.trust import FIELDS, Claim, FactSheet
from trustkit.trust.stated import STATED, read_stated

WHOLE = """
[project]
purpose = "teaching"
background = "a course"

[participants]
organisations = ["Hospital A", "Hospital B"]

[audit]
scoping = "charter.md"

[[claims]]
role = "aggregator"
text = "ε stays at most 6."
who = "Hospital A"
facts = {"privacy/epsilon" = "<= 6"}

[[claims]]
role = "data"
text = "Nobody is in it twice."
"""


def test_facts_and_claims(tmp_path: Path) -> None:
    """Both are those of the file; an empty file states nothing."""
    (tmp_path / "own.toml").write_text(WHOLE, encoding="utf-8")
    facts = {"project/purpose": "teaching", "project/background": "a course", "audit/scoping": "charter.md",
             "participants/organisations": ["Hospital A", "Hospital B"]}  # fmt: skip
    claims = (
        Claim("aggregator", "ε stays at most 6.", who="Hospital A", facts={"privacy/epsilon": "<= 6"}),
        Claim("data", "Nobody is in it twice."),
    )
    assert read_stated(tmp_path / "own.toml") == FactSheet(facts, claims)
    (tmp_path / "none.toml").write_text("", encoding="utf-8")
    assert read_stated(tmp_path / "none.toml") == FactSheet()


def test_what_can_be_stated_is_in_the_template() -> None:
    """And once."""
    assert set(STATED) <= set(FIELDS)
    assert len(set(STATED)) == len(STATED)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "[performance]\ntest_acc_avg = 0.99",
            ValueError,
            "performance/test_acc_avg must not be stated, as a run",
        ),
        ("[project]\ncolour = 'red'", KeyError, "colour"),
        ("[project]\npurpose = 3", TypeError, "project/purpose must be text, got 3"),
        ("project = 'mine'", TypeError, r"project must be a table, as \[project\], got 'mine'"),
        ("[claims]\nrole = 'owner'", TypeError, r"claims must be tables, each under \[\[claims\]\]"),
        ("[[claims]]\nrole = 'owner'", ValueError, "a claim must have role and text, got role"),
        ("[[claims]]\nrole = 'owner'\ntext = 'x'\nmood = 'x'", KeyError, "a claim has no part 'mood'"),
        ("[[claims]]\nrole = 'boss'\ntext = 'x'", ValueError, "a claim's role must be owner, data, aggregator"),
        ("[project", ValueError, "must state facts in TOML, got: "),
        ("[robustness]\ntest_coverage = 1.5", ValueError, "robustness/test_coverage must be"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    """With the file's name and one sentence."""
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message) as caught:
        read_stated(file)
    assert str(caught.value.args[0]).startswith(f"{file} must state facts in TOML, got: ")
