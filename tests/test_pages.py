"""The pages of the book say what the code does: names exist, numbers are recomputed, links and contents hold."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml  # type: ignore[import-untyped]

import trustkit
from trustkit.apipages import PAGES as API
from trustkit.apipages import api_page, write_pages
from trustkit.bench.printed import PRINTED, STATED
from trustkit.cli import cli
from trustkit.metrics.correlation import icor, pcor, spearman
from trustkit.metrics.fairness import equal_opportunity_difference, equalized_odds_difference
from trustkit.metrics.heterogeneity import entropy
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.metrics.spread import client_summary, selection_fairness
from trustkit.partition import Partition
from trustkit.rng import stream
from trustkit.split.estimate import estimate_alpha
from trustkit.trust import METRICS, PILLARS, PROFILES, WHOLE, FactSheet, Profile, assess
from trustkit.trust.misleading import MISLEADS
from trustkit.trust.normalise import capped, scale_steps, size_steps
from trustkit.trust.pages import example_of, metrics_page, section_of
from trustkit.vertical.accounting import PUBLISHED, traffic_of

BOOK = Path(__file__).parents[1] / "notebooks"
PAGES = sorted(BOOK.glob("*.md"))
CONTENTS = yaml.safe_load((BOOK / "myst.yml").read_text(encoding="utf-8"))
PAPER, CALIBRATED, PROTOTYPE = (PROFILES[name] for name in ("paper", "calibrated", "prototype-2022"))
NAME = re.compile(r"`(trustkit(?:\.\w+)+)`")


def text_of(page: str) -> str:
    """Return a page's text."""
    return (BOOK / page).read_text(encoding="utf-8")


def resolved(name: str) -> Any:
    """Return the module, or what a module has, by its dotted name."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise AttributeError(f"there is no {name}")


# The metrics


def test_the_page_of_metrics_is_what_the_rows_say() -> None:
    """If this fails, a row has changed: write the page anew with `metrics_page`."""
    assert text_of("metrics.md") == metrics_page()


def test_every_row_has_a_section_with_every_part() -> None:
    """Formula, value, facts, score, example, failures, source and deviations; twice where a row is refined."""
    page = metrics_page()
    for key, row in WHOLE.metrics.items():
        section = section_of(key)
        assert section in page
        times = 2 if METRICS.get(key, row) is not row else 1
        for part in ("Formula", "Value", "Reads", "Worked example", "Missing or undefined", "Misleads", "Source",
                     "Deviations"):  # fmt: skip
            assert section.count(f"- **{part}.** ") == times, (key, part)
        assert 'Score under "paper".** ' in section or key not in METRICS
        assert 'Score under "calibrated".** ' in section
        assert f"{row.better} is better." in section
    assert page.count("\n### ") == len(WHOLE.metrics)
    assert page.count("\n## ") == len(PILLARS)


def test_a_worked_example_and_its_failures_are_computed() -> None:
    """ε = 6 and 100 clients: 1 / (1 + 99 e^−6) = 0.803, score 0.197; without ε nothing is known."""
    section = section_of("global_privacy_risk")
    assert f"the value is {1 / (1 + 99 * math.exp(-6)):.3g}, which scores 0.197 under" in section
    assert "It is missing with nothing stated, without `privacy/differential_privacy`" in section
    assert "undefined with an undefined `privacy/epsilon`" in section
    assert "ε is the loss composed" in section  # a letter of mathematics stays small


def test_every_row_says_where_it_misleads() -> None:
    """One case each, of its own; figures in them are computed."""
    assert set(MISLEADS) == set(WHOLE.metrics)
    assert len(set(MISLEADS.values())) == len(MISLEADS)
    assert all(words.endswith(".") and len(words) > 50 for words in MISLEADS.values())
    assert f"it is {global_privacy_risk(6.0, 10_000):.2f}." in MISLEADS["global_privacy_risk"]
    assert f"about {math.sqrt((1 - 0.5) / (0.5 * 20)):.2f}, with" in MISLEADS["selection_variation"]
    assert scale_steps(10) == scale_steps(99)
    row = WHOLE.metrics["pgd_robustness"]
    assert row.function(FactSheet(dict.fromkeys(row.inputs, 1.0))) == 1


def test_every_row_has_an_example_with_a_value_in_range() -> None:
    """As the docstring has it: a finite value between the ends that the row states."""
    for row in WHOLE.metrics.values():
        value = row.function(FactSheet(example_of(row)))
        assert value is not None
        assert row.range.low <= value <= row.range.high, row.id


def test_a_row_without_an_example_and_an_unknown_metric_are_refused() -> None:
    """By name."""
    from dataclasses import replace

    def silent(facts: FactSheet) -> float | None:
        return None

    with pytest.raises(ValueError, match="the docstring of lonely must have an example"):
        example_of(replace(METRICS["performance"], id="lonely", function=silent))
    with pytest.raises(KeyError, match="there is no metric 'luck'"):
        section_of("luck")


# The public names


@pytest.mark.parametrize("page", API)
def test_a_page_of_names_is_what_the_docstrings_say(page: str) -> None:
    """If this fails, a docstring has changed: ``python -m trustkit.apipages notebooks`` writes the pages anew."""
    assert text_of(f"{page}.md") == api_page(page)


def test_every_public_name_is_on_a_page_with_what_it_takes() -> None:
    """All names of `trustkit.__all__` that are no rooms, and of the rooms; a section and a link to it each."""
    for page, (_, _, modules) in API.items():
        text = text_of(f"{page}.md")
        for module in map(importlib.import_module, modules):
            for name in module.__all__:
                if isinstance(getattr(module, name), type(importlib)):
                    continue
                assert f"\n### {name}\n" in text, (module, name)
                assert f"[`{name}`](#{module.__name__.replace('.', '-')}-" in text
    assert "- `parties` (int): " in text_of("api_split.md")
    assert ">>> " in text_of("api_metrics.md")
    with pytest.raises(KeyError, match="there is no page 'nothing'; known are api, "):
        api_page("nothing")


def test_the_names_are_on_pages_that_the_rooms_have() -> None:
    """A room that is a public name of its own has a page."""
    rooms = {name for name in trustkit.__all__ if isinstance(getattr(trustkit, name), type(importlib))}
    assert rooms <= {module.rpartition(".")[2] for _, _, modules in API.values() for module in modules} | {"widgets"}


def test_pages_are_written_to_a_folder(tmp_path: Path) -> None:
    """All of them."""
    assert [file.stem for file in write_pages(tmp_path)] == list(API)
    assert (tmp_path / "api_plot.md").read_text(encoding="utf-8") == api_page("api_plot")


# Papers and code

FEW = Profile("few", "notions, with CLEVER as it is", normalisers={"certified_robustness": capped})


def _pillars() -> Iterator[float | str]:
    printed = PRINTED[2]
    facts = FactSheet({
        "robustness/clever": printed["certified_robustness"], "performance/test_acc_avg": printed["performance"],
        "configuration/personalization": False, "participants/client_num": STATED[2].clients,
    })  # fmt: skip
    yield printed["robustness"]
    for profile in (PROFILES["paper-figures"], FEW):
        yield f"{assess(facts, profile=profile).pillars['robustness']:.3f}"


def _scale() -> Iterator[float | str]:
    yield from (scale_steps(n) for n in (10, 50, 100))
    yield PRINTED[2]["federation_scale"]
    yield PRINTED[3]["federation_scale"]
    yield from (f"{PROTOTYPE.score('scale', n):.2f}" for n in (50, 100))
    assert PROTOTYPE.score("scale", 10) == 1


def _clever() -> Iterator[float | str]:
    value = PRINTED[1]["certified_robustness"]
    yield value
    yield f"{PAPER.score('certified_robustness', value):.2f}"
    assert PROFILES["paper-figures"].score("certified_robustness", value) == value


def _size() -> Iterator[float | str]:
    for number, arrays, rows in ((4, 6, (115, 50, 50, 2)), (5, 10, (115, 100, 80, 70, 50, 2))):
        parameters = sum((a + 1) * b for a, b in pairwise(rows))
        assert STATED[number].hidden == rows[1:-1]
        yield f"{parameters:,}"
        yield size_steps(parameters)
        yield PRINTED[number]["model_size"]
        assert PROTOTYPE.score("model_size", arrays) == 1


def _transparency() -> Iterator[float | str]:
    yield PAPER.score("algorithmic_transparency", 1)
    assert PROTOTYPE.score("algorithmic_transparency", 1) == CALIBRATED.score("algorithmic_transparency", 1) == 0


def _aggregation() -> Iterator[float | str]:
    facts = FactSheet({"configuration/aggregation_algorithm": "FedAvg", "participants/client_selector": "random"})
    value = METRICS["aggregation_algorithm"].function(facts)
    assert value is not None
    yield value
    yield f"{PROTOTYPE.score('algorithm', value):.2f}"
    yield f"{assess(facts, profile='paper-figures').pillars['federation']:.2f}"
    yield f"{assess(facts, profile='prototype-2022').pillars['architectural_soundness']:.2f}"
    yield PRINTED[4]["federation"]


def _selector() -> Iterator[float | str]:
    facts = FactSheet({"participants/client_selector": "random"})
    for profile, score in (("paper", 0), ("paper-figures", 1)):
        assert assess(facts, profile=profile).notions["client_management"] == score
        yield f" {score}"


def _accountability() -> Iterator[float | str]:
    third = METRICS["project_specs"].function(FactSheet({"project/overview": "digits"})) or 0
    five, seven = (third + 4) / 5, (third + 6) / 7
    yield from (f"{five:.3f}", f"{seven:.2f}")
    for number in (4, 5):
        pillars = [PRINTED[number][p] for p in ("privacy", "robustness", "fairness", "explainability", "federation")]
        assert abs((sum(pillars) + five) / 6 - PRINTED[number]["trust"]) < 0.005
        yield PRINTED[number]["trust"]
    checks = [sum(row.pillar == "accountability" for row in p.taxonomy.metrics.values()) for p in (PAPER, PROTOTYPE)]
    assert checks == [5, 7]
    assert len([k for k, r in WHOLE.metrics.items() if r.notion == "factsheet_completeness"]) == 7


def _imbalance() -> Iterator[float | str]:
    counts = np.array([20, 80])
    cv = counts.std() / counts.mean()
    yield f"{cv:g}"
    yield f"{PAPER.score('class_imbalance', cv):g}"
    yield f"{CALIBRATED.score('class_imbalance', 1.44):.2f}"
    assert PAPER.score("class_imbalance", 1.44) == 0


def _entropy() -> Iterator[float | str]:
    yield f"{entropy([0.6, 0.3, 0.1]) / math.log2(3):.2f}"
    assert math.isclose(entropy([1 / 3] * 3) / math.log2(3), 1)


def _risk() -> Iterator[float | str]:
    for number in (2, 3, 5):
        assert STATED[number].epsilon is not None
        yield f"{1 - global_privacy_risk(STATED[number].epsilon or 0, STATED[number].clients):.2f}"
    yield PRINTED[5]["global_privacy_risk"]


def _composed() -> Iterator[float | str]:
    from trustkit.horizontal.accountant import epsilon_of, noise_for

    epsilon = epsilon_of(noise_for(6.0, 1.0, 1, 1e-5), 1.0, 50, 1e-5)
    yield f"about {epsilon:.0f}"
    yield from (f"{global_privacy_risk(each, 100):.2f}" for each in (epsilon, 6.0))


def _nothing_right() -> Iterator[float | str]:
    assert math.isnan(client_summary([0.0, 0.0]).variation)
    yield "NaN"


def _participation() -> Iterator[float | str]:
    yield PRINTED[1]["selection_variation"]
    yield PRINTED[2]["selection_variation"]
    yield f"{1 - math.sqrt((1 - 0.6) / (0.6 * 25)):.2f}"
    draw, scores = stream(0, "pages"), []
    for _ in range(400):
        selected = np.zeros((5, 10), bool)
        for line in selected:
            line[draw.choice(10, 5, replace=False)] = True
        scores.append(1 - selection_fairness(selected).variation)
    assert abs(np.mean(scores) - 0.55) < 0.02
    yield f"{1 - math.sqrt((1 - 0.5) / (0.5 * 5)):.2f}"


def _trust() -> Iterator[float | str]:
    printed = PRINTED[2]
    pillars = [printed[p] for p in ("privacy", "robustness", "fairness", "explainability")]
    yield printed["trust"]
    yield f"{(sum(pillars) + (1 / 3 + 6) / 7 + (1 + 0.8493) / 2) / 6:.2f}"


def _icor() -> Iterator[float | str]:
    from sklearn.datasets import make_classification

    corr = spearman(make_classification(n_samples=1000, n_features=12, random_state=0)[0])
    owner = np.repeat(np.arange(4), 3)
    yield from (f"{icor(corr, owner, each):.4f}" for each in ("paper", "package"))


def _pcor() -> Iterator[float | str]:
    yield f"{pcor(np.ones((2, 2))):.3f}"
    assert math.isclose(pcor(np.ones((2, 2)), "package"), 1)
    yield from (f"{pcor(np.ones((5, 7)), each):.3f}" for each in ("paper", "package"))


def _alpha() -> Iterator[float | str]:
    four = Partition("columns", np.arange(4), 4)
    yield f"{estimate_alpha(np.array([1, 1, 1, 3]), four, 'paper'):.2f}"
    yield f"{estimate_alpha(np.ones(4), four, 'paper'):.2f}"
    yield f"{estimate_alpha(np.array([1, 1, 1, 3]), four):.2f}"
    assert estimate_alpha(np.ones(4), four) == math.inf


def _beta() -> Iterator[float | str]:
    from sklearn.datasets import load_digits

    from trustkit.split.search import bounds

    found = bounds(spearman(load_digits().data), [16] * 4, definition="package")
    yield from (f"{found.min:.2f}", f"{found.max:.2f}")
    yield f"about {(-0.1214 - found.min) / (found.max - found.min):.2f}"


def _theorem() -> Iterator[float | str]:
    from trustkit.split.shares import deal_columns

    for allowed, expected in ((True, 10), (False, 9)):
        owned = [np.sum(deal_columns(20, 4, (1.0, 1.0, 1.0, 3.0), allowed, seed)[0] == 3) for seed in range(400)]
        assert abs(np.mean(owned) - expected) < 3 * np.std(owned) / 20
        yield f" {expected}."


def mebibytes(algorithm: str, name: str, accounting: Any = "paper", share: Callable[[float], int] = round,
              **changed: int) -> tuple[str, str]:  # fmt: skip
    """Return total and received bytes as the page prints them; one of them is "–" if it is not known."""
    rows, columns, outputs = PUBLISHED[name]
    rows, columns = changed.get("rows", rows), changed.get("columns", columns)
    found = traffic_of(
        algorithm, rows=share(0.8 * rows), test_rows=rows - share(0.8 * rows), columns=columns, parties=4,
        outputs=outputs, rounds=50, accounting=accounting,
    )  # fmt: skip
    total, received = (
        "–" if found[key] is None else f"{(found[key] or 0) / 2**20:,.3f}" for key in ("total", "max_in")
    )
    return total, received


def _splitnn() -> Iterator[float | str]:
    yield mebibytes("splitnn", "covtype", share=int)[0]
    yield mebibytes("splitnn", "covtype", "exact", int)[0]


def _fedtree() -> Iterator[float | str]:
    yield from mebibytes("fedtree", "gisette")
    yield mebibytes("fedtree", "gisette", "exact")[1]
    yield mebibytes("fedtree", "letter")[0]
    yield mebibytes("fedtree", "letter", columns=16)[0]


def _cvfl() -> Iterator[float | str]:
    for accounting in ("paper", "exact"):
        total, received = mebibytes("cvfl", "covtype", accounting)
        assert total == "–"
        yield f"{float(received.replace(',', '')) / 50:.3f}"


def _gisette() -> Iterator[float | str]:
    yield mebibytes("splitnn", "gisette", share=int)[0]
    yield mebibytes("splitnn", "gisette", share=int, rows=60_000)[0]
    yield f"{PUBLISHED['gisette'][0]:,}"


def _eod() -> Iterator[float | str]:
    y, pred, group = [1, 1, 1, 0, 0, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 1, 0, 0, 0, 0], list("AAAAABBBBB")
    yield f"{equal_opportunity_difference(pred, y, group):.3f}"
    yield f"{equalized_odds_difference(pred, y, group):.3f}"
    yield f"{equal_opportunity_difference(pred, y, group, definition='card_recipe'):.3f}"


def _no_favourable() -> Iterator[float | str]:
    from fairlearn.metrics import equal_opportunity_difference as theirs

    y, pred, group = [1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 1, 0], list("AAAABBB")
    assert theirs(y, pred, sensitive_features=group) == 1
    assert theirs([1, 0], [1, 0], sensitive_features=["A", "A"]) == 0
    assert math.isnan(equal_opportunity_difference(pred, y, group))
    assert math.isnan(equal_opportunity_difference([1, 0], [1, 0], ["A", "A"]))
    yield "NaN"


def _drop() -> Iterator[float | str]:
    from trustkit.split.closedforms import drop_share

    assert math.isclose(drop_share(0.40, 0.25), 0.5)
    dropped = 40 // 2
    yield f"{dropped}, and"
    yield f"{(40 - dropped) / (100 - dropped):.2f}"


def _devices() -> Iterator[float | str]:
    from trustkit.datasets.feda4fair_published import SELECTED

    sizes = [sum(len(re.sub(r"\D", "", word)) for word in SELECTED[f"{kind}-device"].split())
             for kind in ("attribute", "value")]  # fmt: skip
    yield f"{sizes[0]} and {sizes[1]}"


def _strength() -> Iterator[float | str]:
    from trustkit.datasets.feda4fair_published import DEVICE_BOUNDS

    yield from (*DEVICE_BOUNDS["RAC1P"], DEVICE_BOUNDS["SEX"][0])


def _gaps() -> Iterator[float | str]:
    assert np.nan_to_num(np.array([math.nan]), -1)[0] == 0  # type: ignore[call-overload]
    yield "become 0"


RECOMPUTED: dict[str, Callable[[], Iterator[float | str]]] = {
    "A pillar: mean of notions, or of metrics": _pillars,
    "Federation scale: do more clients deserve more trust?": _scale,
    "Certified robustness: steps, or a cap": _clever,
    "Model size: which way, and of what": _size,
    "Algorithmic transparency: a mark out of five": _transparency,
    "Aggregation algorithm: values, or ranks": _aggregation,
    "Client selector: does random selection count?": _selector,
    "Accountability: yes or no, and how many checks": _accountability,
    "Class imbalance: of whom": _imbalance,
    "Entropy: of clients, or of labels": _entropy,
    "Global privacy risk: a printed score that the formula does not give": _risk,
    "ε: of one release, or of all": _composed,
    "Accuracy variation where nothing is right": _nothing_right,
    "Participation in experiment 1": _participation,
    "Trust in experiment 2": _trust,
    "Icor: with or without what is inside a party": _icor,
    "Pcor: which standard deviation": _pcor,
    "α̂: which variance": _alpha,
    "β: how wide is the range it is a share of?": _beta,
    "Theorem 1, and parties that may not be empty": _theorem,
    "Bytes of SplitNN": _splitnn,
    "Bytes of FedTree": _fedtree,
    "Bytes of C-VFL": _cvfl,
    "Rows of gisette": _gisette,
    "EOD: one name, three measures": _eod,
    "A group without favourable labels": _no_favourable,
    "A drop rate: of which rows": _drop,
    "Which device set has 111 clients": _devices,
    "Strong enough, but not too strong": _strength,
    "Gaps in census records": _gaps,
}
MEASURED_ONCE = {"Pcor of large blocks", "Row numbers as a feature", "Marital status"}
"""Their numbers come from the authors' code or files, and carry a dagger."""


def sections() -> dict[str, str]:
    """Return the sections of the page of disagreements by heading."""
    numbered = text_of("disagreements.md").split("\n## Without a number\n")[0]
    parts = re.split(r"^### (.+)$", numbered, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_disagreement_is_recomputed_or_marked() -> None:
    """A section with no figure of its own has a dagger; none is forgotten on either side."""
    assert set(sections()) == set(RECOMPUTED) | MEASURED_ONCE
    assert all("†" in sections()[heading] for heading in MEASURED_ONCE)


@pytest.mark.parametrize("heading", RECOMPUTED)
def test_a_figure_on_the_page_is_recomputed(heading: str) -> None:
    """It stands in its section as trustkit computes it today."""
    section = " ".join(sections()[heading].split())
    for figure in RECOMPUTED[heading]():
        shown = f"{figure:g}" if isinstance(figure, float) else figure.replace("-", "−")
        assert re.search(rf"(?<![\d.,]){re.escape(shown)}(?!\d|[.,]\d)", section), (shown, section)


@pytest.mark.parametrize("heading", sections())
def test_a_disagreement_says_all_three(heading: str) -> None:
    """What the text says, what the code does, and which we follow, with the module that does it."""
    section = sections()[heading]
    assert re.findall(r"^- \*\*(\w+)\.\*\* ", section, re.MULTILINE) == ["Text", "Code", "trustkit"]
    assert NAME.search(section.split("**trustkit.**")[1]) or '"prototype-2022"' in section
    assert re.search(r"\d", section)


# The book


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_what_exists(page: Path) -> None:
    """Modules and their contents in full, public names behind ``tk.``, commands, profiles."""
    text = page.read_text(encoding="utf-8")
    for name in NAME.findall(text):
        assert resolved(name) is not None
    for call in re.findall(r"`tk\.([\w.]+)", text):
        found: Any = trustkit
        for part in call.split("."):
            found = getattr(found, part)
    known = {command.name or command.callback.__name__ for command in cli.registered_commands if command.callback}
    known |= {str(group.name) for group in cli.registered_groups}
    assert set(re.findall(r"`trustkit ([a-z]+)", text)) <= known
    assert set(re.findall(r'"((?:paper|prototype|nebula|calibrated)[\w.-]*)"', text)) - {"package"} <= set(PROFILES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_sound(page: Path) -> None:
    """One title, relative links that lead somewhere, no address of another machine, no sign that MyST would take."""
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    text = re.sub(
        r"^```.*?^```$",
        lambda code: code[0].replace("://127.0.0.1", "").replace("\n# ", "\n"),
        text,
        flags=re.MULTILINE | re.DOTALL,
    )  # comments in code, and this machine
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1
    labels = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("#"):
            assert link[1:] in labels, link
        else:
            assert (BOOK / link).is_file(), link
    assert len(labels) == len(re.findall(r"^\([\w-]+\)=$", text, re.MULTILINE))
    prose = re.sub(r"`[^`]*`", "", text)
    assert "://" not in (prose if page.stem in API else text)  # a docstring may name an address as an example
    assert not re.search(r"\{\w+\}`|(?<!\\)\$|(?<![\w\\])@\w", prose)


def listed(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the files of a table of contents."""
    for entry in entries:
        if "file" in entry:
            yield entry["file"]
        yield from listed(entry.get("children", []))


def test_the_contents_have_four_doors_and_every_page_and_lesson_once() -> None:
    """Nothing that is listed is missing, and nothing that is there is left out but the app, which is no page."""
    toc = CONTENTS["project"]["toc"]
    assert toc[0] == {"file": "index.md"}
    assert [entry["title"] for entry in toc[1:]] == ["Try", "Learn", "Use", "Understand"]
    files = list(listed(toc))
    assert len(files) == len(set(files))
    there = {file.name for file in BOOK.iterdir() if file.suffix in (".md", ".ipynb")}
    assert set(files) == there - {"app.ipynb"}
    assert all(set(entry) <= {"file", "title", "children"} for entry in toc)


def test_the_first_page_opens_every_door() -> None:
    """A heading for each, and a link to every file behind it."""
    text = text_of("index.md")
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == ["Try", "Learn", "Use", "Understand"]
    assert set(re.findall(r"\]\(([^)]+)\)", text)) == set(listed(CONTENTS["project"]["toc"])) - {"index.md"}
