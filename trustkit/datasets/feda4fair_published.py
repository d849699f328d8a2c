"""What FeDa4Fair's authors changed in which state, and which clients they kept: their releases of 2025."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["DEVICE_BOUNDS", "MODIFIED", "SELECTED", "Change"]

DEVICE_BOUNDS = {"SEX": (0.09, 1.0), "RAC1P": (0.12, 0.175)}
"""Between which strengths a client of "attribute-device" is kept, both ends excluded; all others above 0.09."""


@dataclass(frozen=True)
class Change:
    """What is done to the favourable labels of a group in one state: first some rows go, then some labels turn.

    Parameters
    ----------
    column : {"SEX", "RAC1P"}
        The attribute.
    value : int
        Its code, as recoded.
    drop : float
        In [0, 1]: the share of the group's favourable rows that is dropped.
    flip : float
        In [0, 1]: the share of those left whose label becomes unfavourable.
    """

    column: str
    value: int
    drop: float
    flip: float = 0.0


def _changes(column: str, value: int, **rates: str) -> dict[str, Change]:
    """Write changes down by rate: d40 drops 40 %, f10 turns 10 %."""
    found: dict[str, Change] = {}
    for name, states in rates.items():
        shares = {part[0]: int(part[1:]) / 100 for part in name.split("_")}
        found |= dict.fromkeys(states.split(), Change(column, value, shares.get("d", 0.0), shares.get("f", 0.0)))
    return found


MODIFIED: Mapping[str, Mapping[str, Change]] = {
    "attribute": {
        **_changes("SEX", 2, d10="WY ND LA", d20="IN", d30="IL WA NH", d40="PA WV AR KS TX OK ID", d50="MI VA TN OH",
                   d60="MO PR"),
        **_changes("RAC1P", 2, d10="WI CA KY", f10="MT ME", d10_f10="AL GA", d20="MS VT", d25_f15="OR", d40="DE"),
    },
    "value": {
        **_changes("RAC1P", 2, d20="OR"),
        **_changes("RAC1P", 4, d10="OH", d20="AR", d30="DE NE", d50="AK MS", d60="PR"),
        **_changes("RAC1P", 5, d10="AZ", d20="MN WV", d30="LA"),
    },
}  # fmt: skip
"""What FeDa4Fair's authors changed, by kind of bias and state."""

SELECTED = {
    "attribute-device": "AL234 AZ05 CA1 CO03 CT25 FL5 HI0 IA01 ID02 IL234 IN023 KS24 LA24 MA034 ME1 MI01234 MN0345 "
                        "MO14 MS45 NC1 ND14 NE345 NH0145 NJ134 NM15 NV013 NY012345 OH01234 OK023 OR134 PA01235 RI2 "
                        "SC0124 SD3 TN245 TX01345 UT0145 VA0134 WA35 WI23 WV05",
    "value-device": "AK012 AL02 AR012 AZ012 CA12 CO12 CT12 DE012 FL0 GA012 HI012 ID012 IL01 IN02 KS02 KY02 LA1 MA0 "
                    "MD012 ME12 MI12 MN012 MO012 MS01 MT012 NC012 ND01 NE012 NH2 NJ12 NM0 NV02 NY012 OH0 PA02 RI02 "
                    "SC12 SD12 TN02 TX012 VA2 VT01 WA12 WI012 WV02 WY0",
}  # fmt: skip
"""The clients that its authors kept: a state and the numbers of its pieces."""
