"""Profiles: complete answers to "how do raw values become one score?"."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from trustkit.trust import calibrated, nebula, prototype
from trustkit.trust.direction import samples
from trustkit.trust.normalise import capped, documented
from trustkit.trust.scope import TAXONOMY, WHOLE, Taxonomy
from trustkit.trust.taxonomy import Metric
from trustkit.trust.tree import check_weights

__all__ = ["PROFILES", "Profile", "alike", "profile_named"]


@dataclass(frozen=True, eq=False)
class Profile:
    """How scores are made and combined.

    Parameters
    ----------
    name : str
        What `assess` is asked for.
    about : str
        One sentence for people.
    aggregation : {"notions", "flat"}
        A pillar is the mean of its notions, or of its metrics at once.
    normalisers : mapping of str to callable
        By metric id, where the profile departs from the metric's own normaliser.
    weights : mapping of str to float
        By pillar, notion or metric id; 1 where nothing is said.
    taxonomy : Taxonomy
        What is scored.
    missing : {"left out", "zero"}
        What lacks evidence, or is not defined, carries no weight, or scores 0.
    digits : int, optional
        To how many digits metrics, pillars and trust are rounded; not at all by default.
    reasons : mapping of str to str
        By metric id, one sentence on why it is scored so.

    Raises
    ------
    ValueError
        If the name is a profile's of `PROFILES` that scores in another way: a report names its profile only.
    """

    name: str
    about: str
    aggregation: Literal["notions", "flat"] = "notions"
    normalisers: Mapping[str, Callable[[float], float]] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    taxonomy: Taxonomy = TAXONOMY
    missing: Literal["left out", "zero"] = "left out"
    digits: int | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = PROFILES.get(self.name)
        if known is not None and not alike(self, known):
            raise ValueError(f"name must not be a built-in profile's that scores in another way, got {self.name!r}")

    def __str__(self) -> str:
        return self.name

    def normaliser(self, metric: str) -> Callable[[float], float]:
        """Return the function that scores a metric.

        Parameters
        ----------
        metric : str
            A metric's id.

        Returns
        -------
        callable
            From a raw value to a score in [0, 1].

        Raises
        ------
        KeyError
            If there is no such metric.

        Examples
        --------
        >>> PROFILES["paper"].normaliser("model_size").__name__
        'size_steps'
        """
        metrics = self.taxonomy.metrics
        if metric not in metrics:
            raise KeyError(f"there is no metric {metric!r}; known are {', '.join(metrics)}")
        return self.normalisers.get(metric, metrics[metric].normalise)

    def score(self, metric: str, raw: float) -> float:
        """Turn a defined raw value into a score.

        Parameters
        ----------
        metric : str
            A metric's id.
        raw : float
            In the metric's range.

        Returns
        -------
        float
            In [0, 1]; higher deserves more trust.

        Raises
        ------
        KeyError
            If there is no such metric.

        Examples
        --------
        >>> PROFILES["paper"].score("federation_scale", 100)
        0.4
        """
        return self.normaliser(metric)(raw)

    def to_toml(self) -> str:
        """Write the profile as a file that `assess` takes.

        Returns
        -------
        str
            TOML; what is read from it scores alike.

        Raises
        ------
        ValueError
            If a normaliser is neither a rule nor a function of `trustkit.trust.normalise`: a file holds no code.
        """
        from trustkit.trust import profilefile

        return profilefile.write(self)


_AS_CODED = "missing evidence scores 0, scores of metrics and pillars are rounded to two digits"

PROFILES: dict[str, Profile] = {}
"""Profiles by name."""

PROFILES |= {
    profile.name: profile
    for profile in (
        Profile(
            "paper",
            "Table 3 of the FederatedTrust paper, with its text where table and text disagree; a pillar is the mean of "
            "its notions, as the text of section 5 says.",
        ),
        Profile(
            "paper-figures",
            "What the numbers printed in the FederatedTrust paper follow: a pillar is the flat mean of its metrics, "
            "CLEVER counts up to 1, and any stated client selector scores 1.",
            aggregation="flat",
            normalisers={"certified_robustness": capped, "client_selector": documented},
        ),
        Profile(
            "prototype-2022",
            f"What FederatedTrust's prototype computes, with equal weights: {_AS_CODED}.",
            taxonomy=prototype.PROTOTYPE,
            missing="zero",
            digits=2,
        ),
        Profile(
            "prototype-2022-weighted",
            f"What FederatedTrust's prototype computes when it is asked to use its weights: {_AS_CODED}.",
            weights=prototype.WEIGHTS,
            taxonomy=prototype.PROTOTYPE,
            missing="zero",
            digits=2,
        ),
        Profile(
            "nebula-1.0",
            f"What NEBULA 1.0.0 computes, with sustainability and its own weights: {_AS_CODED}. One rule is "
            "repaired: a carbon intensity or a number of local rounds of 0 scores 1, where NEBULA takes it for missing "
            "and scores it 0.",
            weights=nebula.WEIGHTS,
            taxonomy=nebula.NEBULA,
            missing="zero",
            digits=2,
        ),
        Profile(
            "calibrated",
            "All metrics that the paper's section 3 names, with directions as its text argues, normalisers that do not "
            "saturate, and ε composed over all rounds; every choice has its reason.",
            normalisers=calibrated.NORMALISERS,
            taxonomy=WHOLE,
            reasons=calibrated.REASONS,
        ),
    )
}


def alike(one: Profile, two: Profile) -> bool:
    """Say whether two profiles score every fact sheet alike.

    Parameters
    ----------
    one, two : Profile
        Names, texts and reasons do not count.

    Returns
    -------
    bool
        Whether rows, normalisers, weights, aggregation, digits and what is missing are the same.

    Examples
    --------
    >>> alike(PROFILES["paper"], PROFILES["paper"]), alike(PROFILES["paper"], PROFILES["paper-figures"])
    (True, False)
    """
    a, b = one.taxonomy, two.taxonomy
    return (
        (one.aggregation, one.missing, one.digits) == (two.aggregation, two.missing, two.digits)
        and list(a.metrics.items()) == list(b.metrics.items())
        and all(_same(metric, one.normaliser(key), two.normaliser(key)) for key, metric in a.metrics.items())
        and check_weights(a, one.weights) == check_weights(b, two.weights)
    )


def _same(metric: Metric, one: Callable[[float], float], two: Callable[[float], float]) -> bool:
    """Whether two normalisers are equal, or of two kinds and equal where they are looked at."""
    points = (*samples(metric, one), *samples(metric, two))
    return one == two or (type(one) is not type(two) and all(one(value) == two(value) for value in points))


def profile_named(profile: str | os.PathLike[str] | Profile) -> Profile:
    """Look a profile up.

    Parameters
    ----------
    profile : str, path-like or Profile
        A key of `PROFILES`; a TOML file, which ends in ``.toml``; or a profile of one's own, which is returned as it
        is.

    Returns
    -------
    Profile
        The profile.

    Raises
    ------
    KeyError
        If there is no such profile; the message lists those there are.
    TypeError, ValueError
        If a file does not hold a profile.

    Examples
    --------
    >>> profile_named("paper").aggregation
    'notions'
    """
    if isinstance(profile, Profile):
        return profile
    if isinstance(profile, os.PathLike) or profile.lower().endswith(".toml"):
        from trustkit.trust import profilefile

        return profilefile.load(Path(profile))
    if profile not in PROFILES:
        raise KeyError(f"there is no profile {profile!r}; known are {', '.join(PROFILES)}; or give a .toml file")
    return PROFILES[profile]
