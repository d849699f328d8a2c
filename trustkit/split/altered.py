"""Data sets by name whose clients were changed on purpose, for an experiment: labels flipped, features noisy, concepts.

A split says who owns which row and cannot change a row, so these are entries of ``DATASETS``. Each loads another data
set, makes clients by a rule, changes them and keeps them as the natural group "client": an experiment then divides by
``use("by_group", group="client")``.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

import numpy as np

from trustkit import datasets
from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset
from trustkit.datasets.sampled import options_of
from trustkit.partition import Partition
from trustkit.split.bias import Operation, inject_bias
from trustkit.split.dealing import Alpha, Clients
from trustkit.split.shifts import concept_shift, feature_noise
from trustkit.split.targeted import dealt, targets_of, wanted_attributes

__all__ = ["flipped_labels", "noisy_features", "shifted_concepts"]

Rule = Annotated[Literal["iid", "dirichlet", "quantity", "by_group"], "how clients are made"]
Of = Annotated[str, "the data set that is changed"]
Options = Annotated[str, 'its arguments as JSON, as {"setting": "value-silo"}; empty for none']
Group = Annotated[str, "by_group: which natural clients; empty for the first"]
Draw = Annotated[int, Interval(0, 1_000_000), "which random draw of clients and changes"]


@DATASETS.enter("flipped_labels", title="Another data set, unfair on purpose (labels flipped)")
def flipped_labels(
    of: Of = "cces",
    options: Options = "",
    rule: Rule = "by_group",
    parties: Clients = 10,
    alpha: Alpha = 0.5,
    group: Group = "",
    attribute: Annotated[str, "protected attribute, or several with commas, in turn; empty for the first"] = "",
    value: Annotated[str, "the group to be worst off; empty for the one that is"] = "",
    gap: Annotated[float, Interval(0, 1, step=0.01), "gap of the labels that biased clients have"] = 0.3,
    share: Annotated[float, Interval(0, 1, step=0.05), "which part of the clients is biased, the first ones"] = 0.5,
    rest: Annotated[float, Interval(0, 1, step=0.01), "largest gap of the others; 1 leaves them as they are"] = 1.0,
    operation: Annotated[Operation, "what is done to favourable training rows"] = "flip",
    draw: Draw = 0,
) -> Dataset:
    """Another data set whose clients were made unfair: favourable labels of a group are flipped, or rows dropped.

    Parameters
    ----------
    of : str
        The data set that is changed, an entry of ``DATASETS``.
    options : str
        Its arguments as the text of a JSON object; empty for its defaults.
    rule : {"iid", "dirichlet", "quantity", "by_group"}
        How clients are made.
    parties : int
        Clients K, in [2, 100]; not used by "by_group".
    alpha : float
        Concentration for "dirichlet" and "quantity", in [0.01, 100].
    group : str
        For "by_group": natural clients of the data set; empty for the first.
    attribute, value, gap, share, rest
        Who is to have what gap of the labels, as for `biased`.
    operation : {"drop", "flip", "drop_then_flip"}
        As for `inject_bias`.
    draw : int
        Of clients, and of the rows that are changed, in [0, 1,000,000].

    Returns
    -------
    Dataset
        Training labels changed, held-out labels as they came; natural clients: client. ``notes``: "bias" (what was
        done), "gaps" (a line for each target: asked, before, achieved with its interval), "dropped_by_client" and
        "altered" (of, rule, draw).

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such data set, argument or attribute, or a gap cannot be reached.

    Source
    ------
    FeDa4Fair (Heilmann et al. 2025), which changes favourable rows of one group of a client.

    Deviations
    ----------
    As for `inject_bias`.

    Examples
    --------
    >>> from trustkit import Experiment, run, use
    >>> data = use("flipped_labels", of="acs_employment", attribute="sex", gap=0.4)
    >>> run(Experiment(data, use("by_group", group="client"), "fedavg", "logistic", rounds=1)).last.index
    1
    """
    data = _loaded(of, options)
    clients = dealt(data, rule, parties, alpha, group, draw)
    wanted = wanted_attributes("flipped_labels", data, attribute, value)
    told: dict[str, Any] = {"altered": {"of": of, "rule": rule, "draw": draw}}
    targets = targets_of(clients.parties, wanted, value, gap, share, rest)
    if not targets:
        return _whole(data, clients, f"{of} as it came", {**told, "gaps": []})
    done = inject_bias(data, clients, targets, operation=operation, seed=draw)
    gone = clients.owner[(done.partition.owner < 0) & (clients.owner >= 0)]
    told |= {
        "gaps": [dataclasses.asdict(each) for each in done.targets],
        "dropped_by_client": np.bincount(gone, minlength=clients.parties).tolist(),
    }
    return _whole(done.data, done.partition, f"{of}, unfair on purpose", told)


@DATASETS.enter("noisy_features", title="Another data set, noisier from client to client")
def noisy_features(
    of: Of = "cces",
    options: Options = "",
    rule: Rule = "by_group",
    parties: Clients = 10,
    alpha: Alpha = 0.5,
    group: Group = "",
    sigma: Annotated[float, Interval(0, 100, step=0.1), "noise of the last client, in standard deviations"] = 1.0,
    draw: Draw = 0,
) -> Dataset:
    """Another data set whose features have noise that grows from client to client.

    Parameters
    ----------
    of, options, rule, parties, alpha, group, draw
        The data set, and how its clients are made, as for `flipped_labels`.
    sigma : float
        As for `feature_noise`, in [0, 100].

    Returns
    -------
    Dataset
        Features changed; natural clients: client. ``notes``: "feature_noise" and "altered" (of, rule).

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such data set or argument, or its table is sparse.

    Examples
    --------
    >>> noisy_features("acs_employment", sigma=2.0).notes["feature_noise"]["sigma"]
    2.0
    """
    data = _loaded(of, options)
    clients = dealt(data, rule, parties, alpha, group, draw)
    told = {"altered": {"of": of, "rule": rule, "draw": draw}}
    return _whole(feature_noise(data, clients, sigma, draw), clients, f"{of}, noisy on purpose", told)


@DATASETS.enter("shifted_concepts", title="Another data set, whose classes mean other things at some clients")
def shifted_concepts(
    of: Of = "cces",
    options: Options = "",
    rule: Rule = "by_group",
    parties: Clients = 10,
    alpha: Alpha = 0.5,
    group: Group = "",
    amount: Annotated[float, Interval(0, 1, step=0.05), "which part of a client's labels is shifted"] = 1.0,
    concepts: Annotated[int, Interval(2, 100), "how many meanings there are, at most the classes"] = 2,
    draw: Draw = 0,
) -> Dataset:
    """Another data set whose classes mean other things at some clients.

    Parameters
    ----------
    of, options, rule, parties, alpha, group, draw
        The data set, and how its clients are made, as for `flipped_labels`.
    amount, concepts : float, int
        As for `concept_shift`.

    Returns
    -------
    Dataset
        Labels changed, of held-out rows too; natural clients: client. ``notes``: "concept_shift" and "altered" (of,
        rule).

    Raises
    ------
    KeyError, TypeError, ValueError
        If there is no such data set or argument, or it has fewer classes than meanings.

    Examples
    --------
    >>> shifted_concepts("acs_employment", amount=0.5).notes["concept_shift"]["amount"]
    0.5
    """
    data = _loaded(of, options)
    clients = dealt(data, rule, parties, alpha, group, draw)
    told = {"altered": {"of": of, "rule": rule, "draw": draw}}
    return _whole(concept_shift(data, clients, amount, concepts, draw), clients, f"{of}, shifted on purpose", told)


def _loaded(of: str, options: str) -> Dataset:
    """Load the data set that is to be changed."""
    return datasets.load(of, **options_of(options))


def _whole(data: Dataset, clients: Partition, name: str, told: dict[str, Any]) -> Dataset:
    """Return the rows that have an owner, their clients as the first natural group."""
    rows = np.flatnonzero(clients.owner >= 0)
    names = clients.achieved.get("names")
    owner = clients.owner[rows]
    others = {key: each[rows] for key, each in data.groups.items() if key != "client"}
    return dataclasses.replace(
        data,
        name=name,
        X=data.X[rows],
        y=data.y[rows],
        held_out=data.held_out[rows],
        sensitive={key: each[rows] for key, each in data.sensitive.items()},
        groups={"client": np.array(names)[owner] if names else owner, **others},
        notes={**data.notes, **told},
    )
