"""Pages of documentation, written from the rows of the taxonomy: what they say is what is computed."""

from __future__ import annotations

import ast
import doctest
import inspect
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trustkit.trust.factsheet import FactSheet
from trustkit.trust.fields import EXAMINED, FIELDS
from trustkit.trust.misleading import MISLEADS
from trustkit.trust.profiles import PROFILES, Profile
from trustkit.trust.rules import words_of
from trustkit.trust.taxonomy import METRICS, Metric

__all__ = ["example_of", "metrics_page", "section_of"]

_HEAD = """# Every metric, and how it is scored

This page is written from the rows of the taxonomy by `trustkit.trust.pages.metrics_page`, and a test holds it to them:
formulas, sources and deviations are the words of the functions, and every number was computed when the page was
written. `trustkit.trust.rows_table` gives the same rows as one table, of any profile.

A metric is a function from a fact sheet to a raw value. A profile scores the raw value: "paper" takes the {table} rows
of FederatedTrust's Table 2, "calibrated" the {whole} rows of the whole taxonomy, each choice with its reason. Two raw
values are no numbers: *missing* (`None`) means that nobody stated or measured what the metric reads, *undefined*
(`NaN`) that the quantity does not exist there, as a rate of nobody. Neither counts as 0: under both profiles the metric
is left out, and its weight goes to its neighbours. Profiles that score as other code does ("prototype-2022",
"nebula-1.0") have rows of their own, in which both score 0.

A fact with a star (\\*) costs trainings or many gradients: `trustkit.examine` measures it on a finished run."""

_PROFILES = ("paper", "calibrated")


def metrics_page() -> str:
    """Write the page of all metrics, pillar by pillar.

    Returns
    -------
    str
        MyST Markdown: a list of the metrics, and a section of each with formula, range, direction, the facts that it
        reads, how it is scored, a worked example, what happens where facts are missing or undefined, where it
        misleads, its source and its deviations.

    Examples
    --------
    >>> metrics_page().splitlines()[0]
    '# Every metric, and how it is scored'
    """
    paper, whole = (PROFILES[name].taxonomy for name in _PROFILES)
    parts = [_HEAD.format(table=len(paper.metrics), whole=len(whole.metrics)), "\n".join(_contents())]
    for pillar, name in whole.pillars.items():
        parts.append(f"## {name}")
        parts += [section_of(key) for key, row in whole.metrics.items() if row.pillar == pillar]
    return "\n\n".join(parts) + "\n"


def section_of(key: str) -> str:
    """Write the section of one metric.

    Parameters
    ----------
    key : str
        A metric's id in the whole taxonomy.

    Returns
    -------
    str
        MyST Markdown. A row that the whole taxonomy refines is described twice, as the paper's table has it first.

    Raises
    ------
    KeyError
        If there is no such metric.

    Examples
    --------
    >>> print(section_of("performance").splitlines()[1])
    ### Performance
    """
    paper, whole = (PROFILES[name].taxonomy for name in _PROFILES)
    if key not in whole.metrics:
        raise KeyError(f"there is no metric {key!r}; known are {', '.join(whole.metrics)}")
    row, table = whole.metrics[key], paper.metrics.get(key)
    place = f"{whole.pillars[row.pillar]}, {whole.notions[row.notion].name}"
    when = f"{row.when.lower()}, by the {row.who.lower()}"
    parts = [f"({_anchor(row.name)})=\n### {row.name}", f"`{key}`: {place}; {when}; {row.better} is better."]
    if table is None:
        parts += [
            f'{_asked(row)} Only "calibrated" scores it, as Table 2 leaves it out.',
            _bullets(key, row, "calibrated"),
        ]
    elif table is row:
        parts += [_asked(row), _bullets(key, row, *_PROFILES)]
    else:
        parts += [f"{_asked(table)} This is how Table 2 has it:", _bullets(key, table, "paper")]
        parts += [f"{_asked(row)} This is how the whole taxonomy has it:", _bullets(key, row, "calibrated")]
    return "\n\n".join(parts)


def example_of(row: Metric) -> dict[str, Any]:
    """Return the facts of a metric's worked example: the first of its docstring's that give it a value.

    Parameters
    ----------
    row : Metric
        A row of the taxonomy.

    Returns
    -------
    dict of str to object
        Values of facts by ``section/name``.

    Raises
    ------
    ValueError
        If no example in the docstring, nor in that of the table's row of the same id, gives a value.

    Examples
    --------
    >>> from trustkit.trust import METRICS
    >>> example_of(METRICS["certified_robustness"])
    {'robustness/clever': 0.48}
    """
    table = METRICS.get(row.id, row)
    for function in (row.function, table.function):
        for facts in _literals(inspect.getdoc(function) or ""):
            value = row.function(FactSheet(facts))
            if value is not None and math.isfinite(value):
                return facts
    raise ValueError(f"the docstring of {row.id} must have an example with facts that give it a value")


def _literals(text: str) -> Iterator[dict[str, Any]]:
    """Yield the dictionaries of facts that are written out in a docstring's examples."""
    for shown in doctest.DocTestParser().get_examples(text):
        for node in ast.walk(ast.parse(shown.source)):
            if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
                try:
                    facts = ast.literal_eval(node)
                except ValueError:  # a value is computed, not written out
                    continue
                if set(facts) <= set(FIELDS):
                    yield facts


def _contents() -> Iterator[str]:
    whole = PROFILES[_PROFILES[-1]].taxonomy
    for pillar, name in whole.pillars.items():
        rows = [row for row in whole.metrics.values() if row.pillar == pillar]
        yield f"- {name}: " + ", ".join(f"[{row.name}](#{_anchor(row.name)})" for row in rows)


def _anchor(name: str) -> str:
    """Return the address that a heading has on its page."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _asked(row: Metric) -> str:
    """Turn a docstring's first line, which tells a function what to do, into what the metric is about."""
    words = re.sub(r"^(Say|Return) ", "", row.synopsis)
    return _begun(_text(words))


def _begun(words: str) -> str:
    """Begin with a capital where a word of prose stands first: n, ε and min(1, x) stay as they are."""
    return words[0].upper() + words[1:] if re.match(r"a |[a-z]{2,}[ ,:]", words) else words


def _bullets(key: str, row: Metric, *scored: str) -> str:
    profiles = [PROFILES[name] for name in scored]
    return "\n".join(f"- **{title}.** {_begun(text)}" for title, text in _lines(key, row, profiles))


def _lines(key: str, row: Metric, scored: list[Profile]) -> Iterator[tuple[str, str]]:
    yield "Formula", _text(row.formula)
    yield "Value", _value(row)
    yield "Reads", "; ".join(_fact(path) for path in row.inputs) + "."
    for profile in scored:
        yield f'Score under "{profile}"', _scored(key, row, profile)
    yield "Worked example", _example(key, row, scored)
    yield "Missing or undefined", _failures(row)
    yield "Misleads", _text(MISLEADS[key])
    yield "Source", _text(row.source)
    yield "Deviations", _text(row.deviations)


def _value(row: Metric) -> str:
    """Return the range, and what the docstring says about it."""
    found = re.search(r"\nReturns\n-+\n.*?\n((?: +.*\n)+)", inspect.getdoc(row.function) or "")
    words, known = re.subn(r"^(In \[0, 1\]|At least [^:;]+)[:;.] *", "", " ".join(found[1].split()) if found else "")
    unit = f" {row.unit}" if row.unit else ""
    between = "; " if words and (known or words[0].isdigit()) else ". "
    return f"{_plain(row.range.low)} to {_plain(row.range.high)}{unit}{between}{_text(words)}".strip()


def _fact(path: str) -> str:
    star = "\\*" if path in EXAMINED else ""
    return f"`{path}`{star}, {_text(FIELDS[path].about)}"


def _scored(key: str, row: Metric, profile: Profile) -> str:
    rule, ends = profile.normaliser(key), (row.range.low, row.range.high)
    told = ", ".join(f"{_plain(end)} scores {_plain(rule(end))}" for end in ends)
    reason = profile.reasons.get(key, "")
    return f"{_text(words_of(rule))}; {told}.{f' {_text(reason)}' if reason else ''}"


def _example(key: str, row: Metric, scored: list[Profile]) -> str:
    facts = example_of(row)
    raw = row.function(FactSheet(facts))
    assumed = ", ".join(f"`{path}` = {_plain(value)}" for path, value in facts.items())
    scores = " and ".join(f'{_plain(profile.score(key, raw or 0.0))} under "{profile}"' for profile in scored)
    return f"with {assumed}, the value is {_plain(raw)}, which scores {scores}."


def _failures(row: Metric) -> str:
    facts = example_of(row)
    told: dict[str, list[str]] = {}

    def tell(changed: Mapping[str, Any], words: str) -> None:
        told.setdefault(_plain(row.function(FactSheet(changed))), []).append(words)

    tell({}, "with nothing stated")
    for path in facts if len(facts) > 1 else ():
        tell({name: value for name, value in facts.items() if name != path}, f"without `{path}`")
    for path in facts:
        if FIELDS[path].kind == "number":
            tell({**facts, path: math.nan}, f"with an undefined `{path}`")
    return "it is " + "; ".join(f"{value} {', '.join(words)}" for value, words in told.items()) + "."


def _plain(value: Any) -> str:
    """Write a value for people: three digits, thousands in groups."""
    if value is None:
        return "missing"
    if isinstance(value, (bool, str)):
        return str(value).lower() if isinstance(value, bool) else f'"{value}"'
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "∞"
    return f"{int(value):,}" if float(value).is_integer() else f"{value:.3g}"


def _text(words: str) -> str:
    """Make a docstring's words Markdown's: code in single ticks, signs of Markdown outside it escaped."""
    parts = re.split(r"(`+[^`]+`+)", words)
    return "".join(f"`{part.strip('`')}`" if at % 2 else re.sub(r"([*$|<@])", r"\\\1", part)
                   for at, part in enumerate(parts))  # fmt: skip
