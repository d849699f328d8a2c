"""Persons as the American Community Survey records them, drawn at random: one state's file, or its people in work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from trustkit.datasets import acs_shares as shares
from trustkit.datasets.acs import STATES
from trustkit.datasets.acs_answers import answers, out_of_work
from trustkit.datasets.acs_shares import Choice, bands, schooling
from trustkit.rng import stream

__all__ = ["IN_WORK", "persons"]

IN_WORK = 0.515
"""The share of persons that are in the task ACSIncome: 1,664,500 of 3,236,107 in 2018 (Ding et al. 2021)."""

_NOISE = 0.65
_REFERENCE = 20_000


@dataclass(frozen=True, eq=False)
class _State:
    """What is a state's own: shares of races, pay, and how far apart men and women, and races, are there."""

    code: int
    mix: np.ndarray
    pay: float
    sexes: float
    races: float


@lru_cache(maxsize=8)
def _states(seed: int) -> Mapping[str, _State]:
    """Draw all states at once, so that one is the same whichever are asked for; on average they have `RACE_MIX`."""
    rng = stream(seed, "acs", "states")
    n, mean = len(STATES), np.array(shares.RACE_MIX)
    mix = rng.dirichlet(7 * mean, n) + 0.15 * mean
    for _ in range(50):  # in turn: the mean of each race, the sum of each state
        mix *= mean / mix.mean(axis=0)
        mix /= mix.sum(axis=1, keepdims=True)
    pay, sexes, apart = rng.normal(0, 0.15, n), rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)
    pay, sexes, apart = pay - pay.mean(), sexes / sexes.mean(), apart / apart.mean()
    return {name: _State(*one) for name, *one in zip(STATES, STATES.values(), mix, pay, sexes, apart, strict=True)}


@cache
def _jobs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where each occupation's codes begin, all codes, what each pays beside its occupation (early ones more)."""
    rng = stream(0, "acs", "jobs")
    codes = [np.arange(first, last + 1, 16) for first, last, *_ in shares.GROUPS.values()]
    ends = np.cumsum([0, *map(len, codes)])
    every = np.concatenate(codes)
    return ends, every, rng.normal(0, 0.15, every.size) + 0.5 * (1 - every / 4500)


@cache
def _weights() -> Mapping[str, np.ndarray]:
    """Find the weights of all codes that give their shares, attribute by attribute, in a population of all states."""
    weights: dict[str, np.ndarray] = {}
    state = _State(0, np.array(shares.RACE_MIX), 0.0, 1.0, 1.0)
    for name, choice in shares.CHOICES.items():
        wanted = choice.shares / choice.shares.sum()
        found = np.log(wanted)
        seen = _traits(stream(0, "acs", "reference"), _REFERENCE, state, weights, until=name)
        tilt = np.exp(_pulls(choice, seen))
        for _ in range(30):
            odds = tilt * np.exp(found)
            found += np.log(wanted / (odds / odds.sum(axis=1, keepdims=True)).mean(axis=0))
        weights[name] = found
    return weights


def _pulls(choice: Choice, seen: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return what a choice's codes (n, k) gain from persons' traits."""
    return np.asarray(np.column_stack([seen[trait] for trait in choice.tilts]) @ choice.matrix)


def _chosen(rng: np.random.Generator, odds: np.ndarray) -> np.ndarray:
    """Choose a column for each row of (n, k) odds."""
    sums = odds.cumsum(axis=1)
    return np.asarray((sums < rng.random((odds.shape[0], 1)) * sums[:, -1:]).sum(axis=1))


def _traits(
    rng: np.random.Generator, n: int, state: _State, weights: Mapping[str, np.ndarray], until: str = "",
    age: np.ndarray | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Draw persons' attributes in their order, up to one that is still to be drawn; return those and their traits."""
    race = np.searchsorted(state.mix.cumsum()[:-1], rng.random(n))
    female = rng.random(n) < 0.4806
    years = np.rint(np.interp(rng.random(n), *shares.AGES)) if age is None else age
    sexes = (female - 0.4806) * state.sexes
    seen = {
        "race": race, "SEX": 1 + female, "AGEP": years, "age": (years - 43) / 15, "female": sexes,
        "young": (years < 25) * 1.0, "under22": (years < 22) * 1.0,
        "old": (years > 65) * 1.0, "minority": (race > 0) * 1.0,
        **{name: (race == k) * state.races for k, name in enumerate(("black", "asian", "native", "other"), 1)},
    }  # fmt: skip
    for name, choice in shares.CHOICES.items():
        if name == until:
            break
        place = _chosen(rng, np.exp(weights[name] + _pulls(choice, seen)))
        seen[name] = choice.codes[place]
        _follow(seen, name)
    return seen


def _follow(seen: dict[str, np.ndarray], name: str) -> None:
    """Add the traits that an attribute brings."""
    if name == "MAR":
        seen["married"] = (seen["MAR"] == 1) * 1.0
    elif name == "SCHL":
        seen["schooling"] = schooling(seen["SCHL"])
    elif name == "group":
        seen["pays"] = pays = np.array([pay for *_, pay in shares.GROUPS.values()])[seen["group"]]
        seen["public"] = np.array([group in shares.PUBLIC for group in shares.GROUPS])[seen["group"]] * 1.0
        seen["well"] = np.minimum(pays, 0.5)


def _jobs_of(rng: np.random.Generator, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw a code of OCCP within each occupation, the first ones more often, and what it pays."""
    ends, codes, pays = _jobs()
    place = ends[group] + np.floor(rng.random(group.size) ** 1.3 * np.diff(ends)[group]).astype(int)
    return codes[place], pays[place]


def _born(rng: np.random.Generator, race: np.ndarray, state: _State) -> np.ndarray:
    """Draw POBP: in this state, in another one, or abroad."""
    n = race.size
    fips = np.array(list(STATES.values()))
    here = np.where(rng.random(n) < 0.62, state.code, fips[rng.integers(0, fips.size, n)])
    draws = rng.random(n) ** 2
    abroad = np.zeros(n, int)
    for k, codes in enumerate(shares.ABROAD):
        abroad = np.where(race == k, codes[(draws * codes.size).astype(int)], abroad)
    native = rng.random(n) < np.array(shares.NATIVE)[race]
    return np.where(native | (state.code == STATES["PR"]), here, abroad)


def _income(rng: np.random.Generator, seen: Mapping[str, np.ndarray], job: np.ndarray, state: _State) -> np.ndarray:
    """Draw PINCP in dollars: a logarithm that the attributes move, and noise; in tens as the census rounds it."""
    each = {name: np.array(steps) for name, steps in shares.EFFECTS.items()}
    moved = (
        each["all"] + sum(bands(name, seen[name]) for name in shares.BANDS) + each["race"][seen["race"]]
        + each["SEX"][seen["SEX"] - 1] * state.sexes + each["married"][seen["married"].astype(int)]
        + each["COW"][seen["COW"] - 1] + seen["pays"] + job + state.pay
    )  # fmt: skip
    dollars = np.exp(np.log(50_000) + _NOISE * (moved + rng.normal(size=job.size)))
    return np.asarray(np.clip(np.rint(dollars / 10) * 10, 110, 1_500_000))


def persons(state: str, rows: int, seed: int, in_work: float = IN_WORK) -> dict[str, np.ndarray]:
    """Draw the persons of a state.

    Parameters
    ----------
    state : str
        One of the 51 of `trustkit.datasets.acs.STATES`, "AL" … "PR".
    rows : int
        How many, n.
    seed : int
        Of the draws; a state's persons depend on nothing but state, seed and these arguments.
    in_work : float
        The share of those who earned more than 100 dollars by paid work, from 0 to 1.

    Returns
    -------
    dict of str to (n,) float array
        By the census's names, NaN where it has no value: ST, PWGTP, PINCP, ESR and all features of both tasks.
    """
    own, rng = _states(seed)[state], stream(seed, "acs", state)
    works = rng.random(rows) < in_work
    drawn = rng.random(rows)
    age = np.rint(np.where(works, np.interp(drawn, *shares.AGES), np.interp(drawn, *shares.AGES_OUT)))
    seen = _traits(rng, rows, own, _weights(), age=age)
    occupation, pay = _jobs_of(rng, seen["group"])
    raw = np.zeros(rows)
    for k, (codes, parts) in enumerate(shares.RACE_OF):
        raw = np.where(seen["race"] == k, rng.choice(codes, rows, p=parts), raw)
    table = {
        "ST": np.full(rows, float(own.code)),
        "PWGTP": np.clip(np.rint(rng.gamma(1.6, 62, rows)), 1, 1500),
        **{name: seen[name].astype(float) for name in ("AGEP", "COW", "SCHL", "MAR")},
        "OCCP": occupation.astype(float),
        "POBP": _born(rng, seen["race"], own).astype(float),
        **{name: seen[name].astype(float) for name in ("RELP", "WKHP", "SEX")},
        "RAC1P": raw,
        "PINCP": _income(rng, seen, pay, own),
    }
    out_of_work(rng, table, ~works)
    return table | answers(rng, table, works)
