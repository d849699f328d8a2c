"""FeDa4Fair's four settings, made of census records: recoded, made unfair where its authors did, cut into clients."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.acs import STATES, TASKS, married, people, races
from trustkit.datasets.feda4fair_published import DEVICE_BOUNDS, MODIFIED, SELECTED, Change
from trustkit.datasets.folktables import LICENCE, SOURCE, records
from trustkit.datasets.ondisk import AnyPath, frozen, owned
from trustkit.datasets.standins_acs import generated_income, made
from trustkit.rng import stream

__all__ = ["SettingName", "feda4fair", "pieces", "select"]

SettingName = Literal["attribute-silo", "value-silo", "attribute-device", "value-device"]


@DATASETS.enter("feda4fair", title="FeDa4Fair's four settings (synthetic without ACS files)")
def feda4fair(
    setting: Annotated[SettingName, "bias by attribute or by value; states or pieces of them"] = "attribute-silo",
    path: Annotated[AnyPath, "a folder of ACS person files; without one the records are synthetic"] = "",
    rows: Annotated[int, Interval(60, 100_000), "synthetic rows of each state"] = 1200,
    year: Annotated[int, Interval(0, 2100), "which year's folder; 0 for the only one"] = 0,
    modified: Annotated[bool, "rows are dropped and labels turned as the authors did"] = True,
    clients: Annotated[Literal["published", "all"], "which pieces of the states are clients"] = "published",
    one_hot: Annotated[tuple[str, ...], "codes that become columns of 0 and 1"] = (),
    keep_sensitive: Annotated[bool, "SEX, RAC1P and MAR are features too"] = False,
    test_size: Annotated[float, Interval(0, 0.9, step=0.05), "share of test rows"] = 0.2,
    seed: int = 0,
) -> Dataset:
    """FeDa4Fair's federations, whose clients are unfair to different attributes or values: income in US states.

    Parameters
    ----------
    setting : {"attribute-silo", "value-silo", "attribute-device", "value-device"}
        Attribute: some clients are unfair by SEX, some by RAC1P (two values). Value: all by RAC1P (five values), but to
        different ones. Silo: a client is a state (51 with Puerto Rico, without DC). Device: a piece of one.
    path : str or path-like
        Person files, as `read_folktables` reads them; the paper's are those of 2018. Empty for synthetic records, as of
        `acs_synthetic`.
    rows : int
        Of each state before anything is dropped, 60 to 100,000, if they are synthetic.
    year : int
        The folder to read; 0 if there is only one.
    modified : bool
        Whether favourable rows are dropped and labels turned in the states where the authors did so.
    clients : {"published", "all"}
        Of the device settings: the pieces that the authors kept (111 and 100), or all, of which
        `trustkit.auditing.select_clients` keeps those that pass the authors' rule.
    one_hot : tuple of str
        Features that become a column for each code, as ("COW", "SCHL").
    keep_sensitive : bool
        Whether SEX, RAC1P and MAR are features; the protocol leaves them out.
    test_size : float
        The share of test rows, from 0 to 0.9, the same in both classes of every client.
    seed : int
        Of synthetic persons, of what is dropped or turned, and of test rows.

    Returns
    -------
    Dataset
        Census codes as float64, of AGEP, COW, SCHL, OCCP, POBP, RELP and WKHP; protected attributes SEX, RAC1P and MAR
        (married or not), each value with code and meaning, as "2 not White"; natural clients: client, "AL" or "AL_2".
        ``notes``: "setting", "clients" (how many), "dropped" and "flipped" (rows by state), "unused" (rows of no
        client) and "origin"; of files also what `read_folktables` notes.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range, files are not as they should be, or no client is left.

    Notes
    -----
    In a state with a change, of the favourable rows of the group int(rate × rows) go, drawn at random; of those left
    the labels of int(rate × rows) turn. A state is then cut into pieces of consecutive rows: six of equal length, up to
    five rows being left over, or three that differ by at most one row.

    Of synthetic records the published clients are only names: nobody has measured them.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), releases of 2025: recodings, rates, pieces, names of clients.

    Deviations
    ----------
    Rates are those found in the released files: for AL and GA (10 % dropped, 10 % turned), ME and MT (0 and 10 %) and
    OR (25 and 15 %) the authors list the sum as rate of dropping. Which rows go is drawn by trustkit's own stream, and
    rows keep their order (the released files of changed states are shuffled).

    Examples
    --------
    >>> data = feda4fair("value-device", rows=60)
    >>> data
    Dataset('feda4fair_value-device', synthetic, 2,000 rows × 7 columns, binary)
    >>> data.notes["clients"], data.codes("RAC1P")[1]
    (100, ('1 White', '2 Black', '3 Asian', '4 AIAN', '5 other'))
    """
    DATASETS["feda4fair"].arguments({"setting": setting, "rows": rows, "year": year, "modified": modified,
                                     "clients": clients, "test_size": test_size})  # fmt: skip
    if path:
        table, files, notes = records(path, "ACSIncome", year=year)
        provenance = owned(*files, source=SOURCE, licence=LICENCE)
    else:
        table, notes = generated_income(rows, seed), {}
        provenance = made(table, TASKS["ACSIncome"].features)
    kind, values = ("attribute", 2) if setting.startswith("attribute") else ("value", 5)
    table |= {"RAC1P": races(table["RAC1P"], values), "MAR": married(table["MAR"])}
    read, dropped, flipped = table["y"].size, dict[str, int](), dict[str, int]()
    parts = []
    for state, rows_of in _states(table["state"]):
        part = {name: column[rows_of] for name, column in table.items()}
        if modified and (change := MODIFIED[kind].get(state)):
            part, dropped[state], flipped[state] = _changed(part, state, change, seed)
        parts += list(_clients(part, setting, state, clients == "all"))
    if not parts:
        raise ValueError(f"clients must be pieces of states that are in {path}, got none of the published ones there")
    table = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    notes |= {"setting": setting, "clients": len(parts), "dropped": dropped, "flipped": flipped,
              "unused": read - sum(dropped.values()) - table["y"].size}  # fmt: skip
    return people(
        f"feda4fair_{setting}", table, TASKS["ACSIncome"].features, TASKS["ACSIncome"].classes, provenance,
        groups={"client": table["client"]}, values=(values, 2), keep_sensitive=keep_sensitive, one_hot=one_hot,
        test_size=test_size, seed=seed, notes=notes,
    )  # fmt: skip


def pieces(setting: SettingName, rows: int) -> list[slice]:
    """Say how the rows of a state are cut into clients, one after the other.

    Parameters
    ----------
    setting : str
        As in `feda4fair`.
    rows : int
        Of the state, at least 0.

    Returns
    -------
    list of slice
        All rows; six pieces of equal length, the rows that are left over being nobody's; or three pieces, the first
        ones with a row more where that does not go up evenly.

    Examples
    --------
    >>> pieces("value-device", 8)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 8, None)]
    """
    if setting == "attribute-device":
        return [slice(k * (rows // 6), (k + 1) * (rows // 6)) for k in range(6)]
    ends = [-(-k * rows // 3) for k in range(4)] if setting == "value-device" else [0, rows]
    return [slice(start, stop) for start, stop in pairwise(ends)]


def select(data: Dataset, verdicts: Mapping[str, tuple[str, float]],
           bounds: Mapping[str, tuple[float, float]] = DEVICE_BOUNDS, threshold: float = 0.09) -> Dataset:  # fmt: skip
    """Keep the clients that are unfair enough, by what an audit says of each.

    Parameters
    ----------
    data : Dataset
        With natural clients "client", as ``feda4fair("attribute-device", clients="all")``.
    verdicts : mapping of str to (str, float)
        By client: the attribute that it is unfair by, or attribute and value as "RAC1P=4 AIAN"; and the strength, in
        [0, 1]. A client that is not there, or whose verdict names no protected attribute ("undecided"), is left out.
    bounds : mapping of str to (float, float)
        By attribute: between which strengths a client is kept, both ends excluded. It does not count for verdicts that
        name a value.
    threshold : float
        For all others: above which strength.

    Returns
    -------
    Dataset
        The rows of these clients; ``notes``: "clients" (how many) and "unselected" (the names of the others).

    Raises
    ------
    KeyError
        If the data have no natural clients "client".
    ValueError
        If no client is left.

    Notes
    -----
    `trustkit.auditing.select_clients` audits and selects in one call.

    The bounds are FeDa4Fair's; the upper one for RAC1P, which is not in its paper, brings as many clients of one kind
    as of the other. If the strengths come from the rows that are reported on later, they are too high there: what is
    selected for being extreme is extreme by chance as well.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), the settings of pieces.

    Examples
    --------
    >>> data = feda4fair("attribute-device", rows=60, clients="all")
    >>> some = select(data, {"AL_0": ("SEX", 0.1), "AL_1": ("RAC1P", 0.1), "AL_2": ("undecided", 0.3)})
    >>> some.notes["clients"], set(some.groups["client"].tolist())
    (1, {'AL_0'})
    """
    if "client" not in data.groups:
        raise KeyError(f"{data.name} must have natural clients 'client', got {', '.join(data.groups) or 'none'}")
    names, place = np.unique(data.groups["client"], return_inverse=True)
    kept = np.array([_strong(verdicts.get(str(name)), data, bounds, threshold) for name in names])
    if not kept.any():
        raise ValueError(f"some client must be over its threshold, got none of {names.size}")
    rows = kept[place]
    return frozen(
        dataclasses.replace(
            data,
            X=data.X[rows],
            y=data.y[rows],
            held_out=data.held_out[rows],
            sensitive={name: values[rows] for name, values in data.sensitive.items()},
            groups={name: values[rows] for name, values in data.groups.items()},
            notes={**data.notes, "clients": int(kept.sum()), "unselected": tuple(map(str, names[~kept]))},
        )
    )


def _strong(
    verdict: tuple[str, float] | None, data: Dataset, bounds: Mapping[str, tuple[float, float]], threshold: float
) -> bool:
    """Say whether a client is kept."""
    if verdict is None or verdict[0].partition("=")[0] not in data.sensitive:
        return False
    low, high = bounds.get(verdict[0], (threshold, np.inf))
    return bool(low < verdict[1] < high)


def _states(names: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the 51 states that are there, in the order in which they come, with their rows."""
    found, first, place = np.unique(names, return_index=True, return_inverse=True)
    for k in np.argsort(first):
        if str(found[k]) in STATES:
            yield str(found[k]), np.flatnonzero(place == k)


def _changed(
    part: dict[str, np.ndarray], state: str, change: Change, seed: int
) -> tuple[dict[str, np.ndarray], int, int]:
    """Drop favourable rows of a group and turn labels of others; return what is left and how many of either."""
    rng = stream(seed, "feda4fair", state, change.column, change.value)
    group = rng.permutation(np.flatnonzero((part[change.column] == change.value) & (part["y"] == 1)))
    drop = int(change.drop * group.size)
    flip = int(change.flip * (group.size - drop))
    y = part["y"].copy()
    y[group[drop : drop + flip]] = 0
    left = np.ones(y.size, bool)
    left[group[:drop]] = False
    return {name: column[left] for name, column in (part | {"y": y}).items()}, drop, flip


def _clients(part: dict[str, np.ndarray], setting: SettingName, state: str, every: bool) -> Iterator[dict[str, Any]]:
    """Yield the clients of a state: itself, or those of its pieces that are wanted."""
    spans = pieces(setting, part["y"].size)
    if len(spans) == 1:
        yield part | {"client": np.full(part["y"].size, state)}
        return
    wanted = {name[:2]: name[2:] for name in SELECTED[setting].split()}.get(state, "")
    for k, span in enumerate(spans):
        if span.stop > span.start and (every or str(k) in wanted):
            cut = {name: column[span] for name, column in part.items()}
            yield cut | {"client": np.full(cut["y"].size, f"{state}_{k}")}
