"""Shares and dependencies by which `acs_people` draws persons in work, as choices of codes.

The shares of codes, and of incomes above 50,000 dollars, are near those of the American Community Survey of 2018; what
ties a code to sex, age, race and schooling, and every occupation's pay, is made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = [
    "ABROAD", "AGES", "AGES_OUT", "BANDS", "CHOICES", "EFFECTS", "GROUPS", "NATIVE", "PUBLIC", "RACE_MIX", "RACE_OF",
    "Choice", "bands", "schooling",
]  # fmt: skip

AGES = ((0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995, 1), (17, 20, 30, 43, 56, 68, 80, 97))
"""Quantiles of age."""

AGES_OUT = ((0, 0.4, 0.5, 0.62, 0.72, 0.9, 0.99, 1), (0, 17, 24, 48, 63, 77, 91, 96))
"""The same of those who are not in work."""

RACE_MIX = (0.8013, 0.1032, 0.0426, 0.0075, 0.0453)
"""White, Black, Asian, American Indian or Alaska Native, other: means over the states."""

RACE_OF = (((1,), (1,)), ((2,), (1,)), ((6,), (1,)), ((3, 4, 5), (0.75, 0.02, 0.23)), ((7, 8, 9), (0.03, 0.55, 0.42)))
"""The codes of RAC1P behind each of the five, and their shares."""

NATIVE = (0.92, 0.88, 0.25, 0.98, 0.6)
"""By race: the share of those who were born in the United States."""

ABROAD = (np.arange(100, 169, 2), np.arange(400, 469, 2), np.arange(200, 255), np.arange(300, 375, 3),
          np.arange(300, 375, 2))  # fmt: skip
"""By race: the codes of POBP for those who were not."""


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several codes: their shares, and how a person's traits tilt them.

    Parameters
    ----------
    codes : (k,) int array
        Of the census.
    shares : (k,) float array
        In all persons, in any unit.
    tilts : mapping of str to (k,) float array
        By trait: what the logarithm of a code's odds gains for each unit of it.
    """

    codes: np.ndarray
    shares: np.ndarray
    tilts: Mapping[str, np.ndarray]

    @cached_property
    def matrix(self) -> np.ndarray:
        """Tilts as (traits, k), in their order."""
        return np.array(list(self.tilts.values()))


def schooling(code: np.ndarray) -> np.ndarray:
    """Say how long somebody was at school, for SCHL.

    Parameters
    ----------
    code : (n,) int array
        0 … 24.

    Returns
    -------
    (n,) float array
        Years beyond 13.5, in units of 2.5 years.

    Examples
    --------
    >>> schooling(np.array([16, 21, 24])).tolist()
    [-0.6, 1.0, 2.6]
    """
    years = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11.5, 12, 12, 13, 13.5, 14.5, 16, 18, 19, 20])
    found: np.ndarray = (years[code] - 13.5) / 2.5
    return found


def _choice(shares: Mapping[int, float], **tilts: Mapping[int, float] | np.ndarray) -> Choice:
    """Write a choice down by code; a code that a tilt does not name is not tilted."""
    codes = np.array(list(shares))
    rows = {trait: np.array([tilt.get(code, 0.0) for code in shares]) if isinstance(tilt, Mapping) else tilt
            for trait, tilt in tilts.items()}  # fmt: skip
    return Choice(codes, np.array(list(shares.values())), rows)


_SCHL = {1: 0.004, 4: 0.0003, 5: 0.0004, 6: 0.0006, 7: 0.0006, 8: 0.0008, 9: 0.003, 10: 0.0012, 11: 0.0045, 12: 0.006,
         13: 0.012, 14: 0.022, 15: 0.014, 16: 0.208, 17: 0.034, 18: 0.075, 19: 0.153, 20: 0.092, 21: 0.222, 22: 0.1,
         23: 0.025, 24: 0.018}  # fmt: skip
_LONG = schooling(np.array(list(_SCHL)))
_WKHP = {4: 0.005, 5: 0.004, 6: 0.004, 8: 0.008, 10: 0.018, 12: 0.013, 15: 0.017, 16: 0.01, 18: 0.005, 20: 0.044,
         22: 0.004, 24: 0.013, 25: 0.025, 28: 0.006, 30: 0.044, 32: 0.018, 34: 0.002, 35: 0.05, 36: 0.024, 37: 0.012,
         38: 0.02, 40: 0.435, 42: 0.009, 43: 0.005, 44: 0.005, 45: 0.068, 46: 0.003, 48: 0.014, 50: 0.084, 55: 0.023,
         60: 0.04, 65: 0.007, 70: 0.012, 72: 0.003, 80: 0.007, 84: 0.002, 99: 0.002}  # fmt: skip
_HOURS = np.array(list(_WKHP))
_FEW, _PART, _MORE, _MOST = _HOURS <= 20, (_HOURS > 20) & (_HOURS < 35), (_HOURS > 40) & (_HOURS <= 50), _HOURS > 50

GROUPS = {
    "management": (10, 440, 0.105, 0.36, 0.55, 0.38), "finance": (500, 960, 0.055, 0.48, 0.7, 0.19),
    "computers": (1005, 1240, 0.03, 0.25, 0.9, 0.77), "engineering": (1305, 1560, 0.02, 0.15, 0.9, 0.69),
    "science": (1600, 1980, 0.011, 0.47, 1.4, 0.08), "counsel": (2001, 2060, 0.018, 0.67, 0.9, -0.46),
    "law": (2100, 2180, 0.012, 0.52, 1.4, 0.38), "teaching": (2205, 2555, 0.068, 0.74, 1.2, -0.54),
    "arts": (2600, 2920, 0.02, 0.47, 0.6, -0.38), "medicine": (3000, 3550, 0.065, 0.75, 0.9, 0.61),
    "care": (3601, 3655, 0.028, 0.86, -0.3, -0.77), "protection": (3700, 3960, 0.022, 0.23, -0.1, 0.31),
    "kitchen": (4000, 4160, 0.05, 0.54, -0.6, -1.15), "cleaning": (4200, 4255, 0.034, 0.4, -0.9, -0.92),
    "service": (4330, 4655, 0.03, 0.77, -0.2, -1.07), "sales": (4700, 4965, 0.1, 0.49, 0.0, -0.15),
    "office": (5000, 5940, 0.12, 0.73, -0.1, -0.31), "farming": (6005, 6130, 0.008, 0.24, -1.2, -0.77),
    "building": (6200, 6950, 0.055, 0.03, -0.8, 0.15), "repair": (7000, 7640, 0.032, 0.03, -0.5, 0.38),
    "making": (7700, 8990, 0.06, 0.28, -0.7, 0.0), "moving": (9000, 9760, 0.066, 0.18, -0.7, -0.15),
    "forces": (9800, 9830, 0.004, 0.15, 0.0, 0.46),
}  # fmt: skip
"""Occupations: first and last code, share, share of women, pull of schooling, pay."""

_FIRST, _, _SHARE, _WOMEN, _PULL, _ = np.array(list(GROUPS.values())).T
PUBLIC = ("teaching", "counsel", "protection", "law", "science")
"""Occupations that often serve a government."""

CHOICES = {
    "MAR": _choice({1: 0.5553, 2: 0.018, 3: 0.105, 4: 0.016, 5: 0.3057}, age={2: 2, 3: 0.6, 4: 0.3, 5: -1.6},
                   young={2: -5, 3: -3, 4: -2, 5: 2.2}, female={2: 0.8, 3: 0.3, 4: 0.2},
                   black={1: -0.7, 5: 0.3}, asian={1: 0.3, 3: -0.6}),
    "SCHL": _choice(_SCHL, female=0.12 * _LONG, black=-0.6 * _LONG, asian=0.5 * _LONG, native=-0.75 * _LONG,
                    other=-0.75 * _LONG, under22=-6.0 * (_LONG > 0.2), young=-3.0 * (_LONG > 1.2)),
    "group": Choice(np.arange(len(GROUPS)), _SHARE,
                    {"female": np.log(_WOMEN / (1 - _WOMEN)), "schooling": _PULL,
                     "young": np.select([_PULL < -0.5, _FIRST == 10, _PULL > 0.4], [0.3, -1.5, -1.2], 0.5),
                     "minority": np.select([_PULL > 0.5, _PULL < 0], [-0.3, 0.35], 0.0)}),
    "COW": _choice({1: 0.659, 2: 0.086, 3: 0.068, 4: 0.05, 5: 0.036, 6: 0.061, 7: 0.038, 8: 0.003},
                   age={6: 0.45, 7: 0.55, 8: 0.2}, public={1: -1, 2: 0.7, 3: 2.2, 4: 1.4, 6: -1, 7: -1},
                   schooling={2: 0.35, 4: 0.3, 5: 0.2}, female={2: 0.6, 3: 0.2, 6: -0.4, 7: -0.8}),
    "WKHP": _choice(_WKHP, female=1.2 * _FEW + 1.1 * _PART - 0.9 * _MORE - 1.6 * _MOST,
                    young=2.2 * _FEW + 1.4 * _PART - 0.6 * _MORE, old=1.6 * _FEW + 0.9 * _PART,
                    schooling=-0.15 * _FEW - 0.25 * _PART + 0.3 * _MORE + 0.25 * _MOST,
                    well=-1.0 * _FEW - 1.0 * _PART + 0.3 * _MORE + 0.3 * _MOST),
    "RELP": _choice({0: 0.5, 1: 0.252, 2: 0.103, 3: 0.002, 4: 0.004, 5: 0.01, 6: 0.009, 7: 0.006, 8: 0.003, 9: 0.004,
                     10: 0.008, 11: 0.004, 12: 0.019, 13: 0.034, 14: 0.0003, 15: 0.01, 16: 0.0017, 17: 0.03},
                    married={1: 12, 2: -3, 3: -2, 7: -2, 8: 2, 9: 4, 12: -3, 13: -3, 15: -1.5, 17: -2.5},
                    age={0: 0.35, 2: -1.3, 7: -1.5, 6: 1.2}, young={0: -1.8, 1: -0.6, 2: 1, 7: 1, 17: 1.2},
                    female={1: 1.2, 17: -0.5, 12: -0.2}, minority={0: -0.2, 2: 0.2, 10: 0.4}),
}  # fmt: skip
"""Each attribute of a person in work, in the order in which they are drawn."""

BANDS = {
    "SCHL": ((16, 18, 20, 21, 22, 23), (-0.58, -0.03, -0.02, 0.03, 0.5, 0.8, 1.28)),
    "AGEP": ((25, 35, 45, 55, 65), (-1.05, -0.45, 0.12, 0.24, 0.18, 0.36)),
    "WKHP": ((21, 35, 41, 51), (-0.73, -0.49, 0.04, 0.47, 0.65)),
}
"""Where bands of codes begin, and what each, the one before the first too, adds to the logarithm of an income. Here and
below the unit is the standard deviation of what remains by chance."""

EFFECTS = {"all": (-0.69,), "race": (-0.01, -0.09, -0.07, -0.21, -0.23), "SEX": (0.0, -0.37), "married": (0.0, 0.45),
           "COW": (0.0, -0.15, -0.05, 0.05, 0.35, -0.45, 0.3, -3.0)}  # fmt: skip
"""What else adds to it: for everybody, by race, by SEX, when not married and when married, by COW."""


def bands(column: str, codes: np.ndarray) -> np.ndarray:
    """Look up what codes add to an income.

    Parameters
    ----------
    column : str
        SCHL, AGEP or WKHP.
    codes : (n,) array
        Of that column.

    Returns
    -------
    (n,) float array
        In units of the noise.
    """
    starts, steps = BANDS[column]
    found: np.ndarray = np.array(steps)[np.searchsorted(starts, codes, side="right")]
    return found
