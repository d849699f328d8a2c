"""What a snapshot varies: settings with their values, and the experiment of every combination."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustkit.baking.wording import Words, words_of
from trustkit.catalogue import Use, use
from trustkit.experiment import Experiment
from trustkit.texts import texts

__all__ = ["MOST_FRAMES", "Setting", "compared", "varied"]

MOST_FRAMES = 200
"""Combinations that are played at most."""

_SHORT = {"epsilon": "privacy.epsilon", "alpha": "split.alpha", "beta": "split.beta", "clients": "split.parties"}
_SYMBOLS = {"epsilon": "ε", "alpha": "α", "beta": "β", "delta": "δ"}
_OFF = ("off", "none", None)


@dataclass(frozen=True)
class Setting:
    """One slider: what it sets, and a word for each of its places.

    Parameters
    ----------
    title : str
        As "privacy: ε".
    labels : tuple of str
        By place; at least one.
    """

    title: str
    labels: tuple[str, ...]


def varied(
    start: Experiment, over: Mapping[str, Sequence[Any]], language: str = "en"
) -> tuple[list[Setting], list[Experiment]]:
    """Vary an experiment over all combinations of values.

    Parameters
    ----------
    start : Experiment
        What stays the same otherwise.
    over : mapping of str to sequence
        Values by name, as "privacy.epsilon", "split.alpha", "rounds" or "algorithm"; "epsilon", "alpha", "beta" and
        "clients" are short for those of privacy and split. "off" or ``None`` leaves the whole part out; an ε where
        nothing is private yet adds Gaussian noise.
    language : str
        Of the sliders, see `trustkit.baking.wording.words_of`.

    Returns
    -------
    settings, experiments : list of Setting, list of Experiment
        A slider for each name, and the combinations; the last name varies fastest.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a name or a value does not fit, there are none, or more than 200 combinations.

    Examples
    --------
    >>> start = Experiment("wine", use("iid", parties=2), "fedavg", "logistic", rounds=2)
    >>> settings, wanted = varied(start, {"epsilon": [1, 8, "off"]})
    >>> settings[0].title, settings[0].labels
    ('privacy: ε', ('1', '8', 'off'))
    >>> [each.privacy and each.privacy.args["epsilon"] for each in wanted]
    [1.0, 8.0, None]
    """
    if not over:
        raise ValueError("over must name at least one setting, as privacy.epsilon, got none")
    names = {_SHORT.get(name, name).replace("__", ".", 1): list(values) for name, values in over.items()}
    for name, values in names.items():
        if not values:
            raise ValueError(f"{name} must have at least one value, got none")
        if len({repr(value) for value in values}) < len(values):
            raise ValueError(f"values of {name} must differ, got {', '.join(map(_word, values))}")
    if (size := math.prod(map(len, names.values()))) > MOST_FRAMES:
        raise ValueError(f"a snapshot must have at most {MOST_FRAMES} combinations, got {size:,}")
    words = words_of(language)
    settings = [Setting(_title(name, words), tuple(_word(value, words) for value in values))
                for name, values in names.items()]  # fmt: skip
    return settings, [_changed(start, dict(zip(names, values, strict=True)))
                      for values in itertools.product(*names.values())]  # fmt: skip


def compared(experiments: Sequence[Experiment], language: str = "en") -> tuple[list[Setting], list[Experiment]]:
    """Lay experiments that exist already along one slider, each called by what sets it apart.

    Parameters
    ----------
    experiments : sequence of Experiment
        At least one, at most 200, no two the same. Where a part has another name, its arguments are not compared.
    language : str
        Of the slider, see `trustkit.baking.wording.words_of`.

    Returns
    -------
    settings, experiments : list of Setting, list of Experiment
        As `varied`.

    Raises
    ------
    ValueError
        If there are none, too many, or two are the same.
    """
    if not 1 <= len(experiments) <= MOST_FRAMES:
        raise ValueError(f"a snapshot must have 1 to {MOST_FRAMES} experiments, got {len(experiments)}")
    if len({each.key for each in experiments}) < len(experiments):
        raise ValueError("experiments of a snapshot must differ, got one of them twice")
    parts = [_parts(each.to_dict()) for each in experiments]
    apart = [name for name in dict.fromkeys(name for each in parts for name in each)
             if len({repr(each.get(name)) for each in parts}) > 1]  # fmt: skip
    names = [name for name in apart if name.partition(".")[0] not in apart or "." not in name]
    words = words_of(language)
    labels = tuple(
        ", ".join(f"{_title(name, words)} {_word(each.get(name), words)}" for name in names)
        or words.say("snapshot.run")
        for each in parts
    )
    return [Setting(words.say("snapshot.part_experiment"), labels)], list(experiments)


def _parts(content: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """All values of an experiment by name: ``split.alpha``, and a part's own name as ``split``."""
    found: dict[str, Any] = {}
    for name, value in content.items():
        called = f"{above}{name}"
        if isinstance(value, Mapping):
            found |= {
                called: value.get("name"),
                **_parts({k: v for k, v in value.items() if k != "name"}, f"{called}."),
            }
        else:
            found[called] = value
    return found


def _changed(start: Experiment, values: Mapping[str, Any]) -> Experiment:
    """Change parts, then arguments of parts, since a part that is replaced loses its own."""
    for name, value in sorted(values.items(), key=lambda pair: "." in pair[0]):
        part, _, argument = name.partition(".")
        try:
            if value in _OFF:
                start = start.change(**{part: None})
            elif argument and getattr(start, part, None) is None and part == "privacy":
                start = start.change(privacy=use("gaussian", **{argument: value}))
            else:
                start = start.change(**{f"{part}__{argument}" if argument else part: value})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no experiment with {name} {_word(value)}: {error.args[0]}") from None
    return start


def _title(name: str, words: Words) -> str:
    """A part in words, and its argument, which is a symbol or a name of the code."""
    part, _, argument = name.partition(".")
    said = words.say(f"snapshot.part_{part}") if f"snapshot.part_{part}" in texts(words.language) else part
    return f"{said}: {_SYMBOLS.get(argument, argument.replace('_', ' '))}" if argument else said


def _word(value: Any, words: Words | None = None) -> str:
    if value in _OFF:
        return (words or words_of("en")).say("snapshot.off")
    if isinstance(value, Use):
        return value.name
    return f"{value:g}" if isinstance(value, float) else str(value)
