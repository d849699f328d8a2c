"""Profiles: complete answers to "how do raw values become one score?"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from trustkit.trust.normalise import capped, documented
from trustkit.trust.taxonomy import METRICS

__all__ = ["PROFILES", "Profile", "profile_named"]


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
    """

    name: str
    about: str
    aggregation: Literal["notions", "flat"] = "notions"
    normalisers: Mapping[str, Callable[[float], float]] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

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
        if metric not in METRICS:
            raise KeyError(f"there is no metric {metric!r}; known are {', '.join(METRICS)}")
        return self.normalisers.get(metric, METRICS[metric].normalise)

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


PROFILES: dict[str, Profile] = {
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
    )
}
"""Profiles by name."""


def profile_named(profile: str | Profile) -> Profile:
    """Look a profile up.

    Parameters
    ----------
    profile : str or Profile
        A key of `PROFILES`, or a profile of one's own, which is returned as it is.

    Returns
    -------
    Profile
        The profile.

    Raises
    ------
    KeyError
        If there is no such profile; the message lists those there are.

    Examples
    --------
    >>> profile_named("paper").aggregation
    'notions'
    """
    if isinstance(profile, Profile):
        return profile
    if profile not in PROFILES:
        raise KeyError(f"there is no profile {profile!r}; known are {', '.join(PROFILES)}")
    return PROFILES[profile]
