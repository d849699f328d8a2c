"""A profile as a TOML file: weights and normalisers at every level, checked when it is read; no code in it is run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from trustkit import tomlfile
from trustkit.trust import normalise
from trustkit.trust.curves import Capped, Linear, Log, Reciprocal, Saturating
from trustkit.trust.direction import against
from trustkit.trust.profiles import PROFILES, Profile
from trustkit.trust.rules import Rule
from trustkit.trust.scope import TAXONOMY, WHOLE, Taxonomy
from trustkit.trust.stairs import Map, Steps
from trustkit.trust.taxonomy import Metric
from trustkit.trust.tree import check_weights

__all__ = ["KINDS", "load", "parse", "write"]

KINDS: dict[str, type[Rule]] = {
    "linear": Linear, "log": Log, "steps": Steps, "map": Map, "capped": Capped, "saturating": Saturating,
    "reciprocal": Reciprocal,
}  # fmt: skip
"""Normalisers that take numbers, by the name that a file gives them."""

_V = TypeVar("_V")
_NAMED: dict[str, Callable[[float], float]] = {name: getattr(normalise, name) for name in normalise.__all__}
_SAID = ("kind", "why", "reverse")
_TURNED = "Against the metric's own direction, as the profile says on purpose."
_PARTS = ("name", "about", "base", "rows", "aggregation", "missing", "digits", "weights", "normalise")


def load(path: Path) -> Profile:
    """Read a profile from a file.

    Parameters
    ----------
    path : pathlib.Path
        TOML, in UTF-8.

    Returns
    -------
    Profile
        Its name is the file's unless it states one.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the file is no profile; the message begins with its name.
    """
    try:
        return parse(tomlfile.loads(path.read_text(encoding="utf-8")), path.stem)
    except (KeyError, TypeError, ValueError) as error:
        kind = next((kind for kind in (KeyError, TypeError) if isinstance(error, kind)), ValueError)
        words = error.args[0] if isinstance(error, KeyError) else error
        raise kind(f"{path} must be a profile in TOML, got: {words}") from None


def parse(content: Mapping[str, Any], name: str = "mine") -> Profile:
    """Make a profile from the content of a file.

    Parameters
    ----------
    content : mapping
        ``name``, ``about``; ``base``, the profile that it departs from ("paper" unless stated); ``rows``, the metrics
        that it scores, by id or by their notion or pillar (the base's unless stated; from the whole taxonomy where the
        base is over the paper's); ``aggregation``, ``missing``, ``digits``; ``weights`` by pillar, notion or metric;
        ``normalise`` by metric, each with its ``kind``, the kind's numbers and, if one likes, ``why``. A normaliser
        that scores against the metric's better direction somewhere must say ``reverse = true``, and only such a one:
        the paper and its authors' code disagree on a direction themselves, but nobody should turn one by exchanging
        two numbers.
    name : str
        If the content has none.

    Returns
    -------
    Profile
        Checked.

    Raises
    ------
    KeyError
        If a part, an id, a kind or the base is unknown; the message lists those there are.
    TypeError, ValueError
        If a weight is no number or negative, all are 0, the numbers of a kind do not fit, a normaliser's direction is
        not the metric's and this is not said, or the name is a profile's of `PROFILES` that scores in another way.

    Examples
    --------
    >>> mine = parse({"normalise": {"federation_scale": {"kind": "log", "zero": 1, "one": 10000}}})
    >>> mine.score("federation_scale", 100)
    0.5
    """
    for part in content:
        if part not in _PARTS:
            raise KeyError(f"a profile has no part {part!r}; it has {', '.join(_PARTS)}")
    base_name = _text(content, "base", "paper")
    if base_name not in PROFILES:
        raise KeyError(f"there is no profile {base_name!r} to depart from; known are {', '.join(PROFILES)}")
    base = PROFILES[base_name]
    tables = {part: content.get(part, {}) for part in ("weights", "normalise")}
    for part, table in tables.items():
        if not isinstance(table, Mapping):
            raise TypeError(f"{part} must be a table, got {table!r:.60}")
    taxonomy = _rows(base.taxonomy, content.get("rows"))
    rules = {metric: _rule(taxonomy, metric, entry) for metric, entry in tables["normalise"].items()}
    turned = {metric: _TURNED for metric, entry in tables["normalise"].items() if entry.get("reverse")}
    reasons = turned | {
        metric: _text(entry, "why", "") for metric, entry in tables["normalise"].items() if "why" in entry
    }
    weights = {**_within(taxonomy, base.weights), **tables["weights"]}
    check_weights(taxonomy, weights)
    return Profile(
        name=_text(content, "name", name),
        about=_text(content, "about", f"A profile of one's own, from {base_name}."),
        aggregation=_one_of(content, "aggregation", ("notions", "flat"), base.aggregation),
        normalisers={**_within(taxonomy, base.normalisers), **rules},
        weights=weights,
        taxonomy=taxonomy,
        missing=_one_of(content, "missing", ("left out", "zero"), base.missing),
        digits=_digits(content.get("digits", base.digits)),
        reasons={**{m: text for m, text in _within(taxonomy, base.reasons).items() if m not in rules}, **reasons},
    )


def _rows(taxonomy: Taxonomy, rows: Any) -> Taxonomy:
    """The taxonomy of a profile that names its rows."""
    if rows is None:
        return taxonomy
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise TypeError(f"rows must be a list of metrics, notions or pillars, got {rows!r:.60}")
    if taxonomy is not TAXONOMY:
        return taxonomy.only(rows)
    chosen = WHOLE.only(rows)
    own = {key: taxonomy.metrics.get(key, row) for key, row in chosen.metrics.items()}  # the paper's rows, unrefined
    return dataclasses.replace(chosen, name=taxonomy.name, metrics=own)


def _within(taxonomy: Taxonomy, table: Mapping[str, _V]) -> dict[str, _V]:
    """The part of a table by id that a taxonomy has."""
    known = {*taxonomy.pillars, *taxonomy.notions, *taxonomy.metrics}
    return {name: value for name, value in table.items() if name in known}


def _text(content: Mapping[str, Any], part: str, default: str) -> str:
    value = content.get(part, default)
    if not isinstance(value, str):
        raise TypeError(f"{part} must be text, got {value!r:.60}")
    return value


def _digits(value: Any) -> int | None:
    if value is None or value == "none":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 15:
        raise ValueError(f"digits must be a whole number from 0 to 15, or none, got {value!r:.60}")
    return value


def _one_of(content: Mapping[str, Any], part: str, known: tuple[str, ...], default: str) -> Any:
    value = content.get(part, default)
    if value not in known:
        raise ValueError(f"{part} must be {' or '.join(known)}, got {value!r:.60}")
    return value


def _rule(taxonomy: Taxonomy, metric: str, entry: Any) -> Callable[[float], float]:
    if metric not in taxonomy.metrics:
        level, _ = taxonomy.level_of(metric)
        raise ValueError(f"normalise.{metric} must be a metric, got a {level}")
    if not isinstance(entry, Mapping) or "kind" not in entry:
        raise TypeError(f"normalise.{metric} must be a table with a kind, got {entry!r:.60}")
    kind, numbers = entry["kind"], {name: value for name, value in entry.items() if name not in _SAID}
    if not isinstance(kind, str) or (kind not in KINDS and kind not in _NAMED):
        raise KeyError(f"normalise.{metric} has no kind {kind!r}; known are {', '.join({**KINDS, **_NAMED})}")
    fields = dataclasses.fields(KINDS[kind]) if kind in KINDS else ()  # type: ignore[arg-type]
    names = [field.name for field in fields]
    for name in numbers:
        if name not in names:
            raise KeyError(f"normalise.{metric}: {kind} takes no {name!r}; it takes {', '.join(names) or 'nothing'}")
    for field in fields:
        if field.default is dataclasses.MISSING and field.name not in numbers:
            raise ValueError(f"normalise.{metric}: {kind} needs {field.name}, got {', '.join(numbers) or 'nothing'}")
    try:
        rule = KINDS[kind](**numbers) if kind in KINDS else _NAMED[kind]
    except (TypeError, ValueError) as error:
        raise type(error)(f"normalise.{metric}: {error}") from None
    _directed(taxonomy.metrics[metric], rule, entry.get("reverse", False), metric)
    return rule


def _directed(row: Metric, rule: Callable[[float], float], reverse: Any, metric: str) -> None:
    """Refuse a direction that is not the metric's and not said, or said and not so."""
    if not isinstance(reverse, bool):
        raise TypeError(f"normalise.{metric}: reverse must be true or false, got {reverse!r:.60}")
    pair = against(row, rule)
    if pair is not None and not reverse:
        (a, b), (one, two) = pair, map(rule, pair)
        raise ValueError(
            f"normalise.{metric} must not fall where the metric gets better ({row.better} is better) unless it says "
            f"reverse = true, got {one:.4g} for {a:.4g} and {two:.4g} for {b:.4g}"
        )
    if pair is None and reverse:
        raise ValueError(f"normalise.{metric} must not say reverse: it scores in the metric's direction, {row.better}")


def write(profile: Profile) -> str:
    """Write a profile as TOML.

    Parameters
    ----------
    profile : Profile
        Any whose normalisers are rules or functions of `trustkit.trust.normalise`.

    Returns
    -------
    str
        What `parse` reads.

    Raises
    ------
    ValueError
        If a normaliser is something else: a file holds no code.

    Examples
    --------
    >>> print(write(Profile("mine", "Accuracy counts.", weights={"performance": 3})))
    name = "mine"
    about = "Accuracy counts."
    base = "paper"
    aggregation = "notions"
    missing = "left out"
    <BLANKLINE>
    [weights]
    performance = 3.0
    <BLANKLINE>
    """
    import tomli_w

    content: dict[str, Any] = {
        "name": profile.name, "about": profile.about, "base": profile.taxonomy.name,
        "aggregation": profile.aggregation, "missing": profile.missing,
    }  # fmt: skip
    base, taxonomy = PROFILES[profile.taxonomy.name], profile.taxonomy
    if list(taxonomy.metrics) != list(base.taxonomy.metrics):
        content["rows"] = list(taxonomy.metrics)
    if profile.digits != base.digits:
        content["digits"] = "none" if profile.digits is None else profile.digits
    weights = {**dict.fromkeys(_within(taxonomy, base.weights), 1.0), **profile.weights}
    content["weights"] = {name: float(weight) for name, weight in weights.items()}
    ruled = {**_within(taxonomy, base.normalisers), **profile.normalisers}
    content["normalise"] = {metric: _entry(profile, metric) for metric in ruled}
    for metric, why in profile.reasons.items():
        content["normalise"].setdefault(metric, _entry(profile, metric))["why"] = why
    return tomli_w.dumps({part: value for part, value in content.items() if value != {}})


def _entry(profile: Profile, metric: str) -> dict[str, Any]:
    rule = profile.normaliser(metric)
    turned = {"reverse": True} if against(profile.taxonomy.metrics[metric], rule) else {}
    for kind, made in KINDS.items():
        if type(rule) is made:
            numbers = dataclasses.asdict(rule)  # type: ignore[call-overload]
            return {"kind": kind, **{n: list(v) if isinstance(v, tuple) else v for n, v in numbers.items()}, **turned}
    for kind, function in _NAMED.items():
        if rule is function:
            return {"kind": kind, **turned}
    name = getattr(rule, "__name__", type(rule).__name__)
    raise ValueError(f"the normaliser of {metric} must be a rule or one of trustkit.trust.normalise, got {name}")
