"""Binding an algorithm over rows to its data: everything is checked, and noise is found, before any training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from trustkit.data import FederatedDataset, Stacked
from trustkit.horizontal.aggregate import Aggregate, weighted_mean
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.models import Dense
from trustkit.horizontal.plan import Local
from trustkit.horizontal.privacy import Gaussian, open_ledger
from trustkit.horizontal.selectors import TITLES, Selector, planned
from trustkit.horizontal.trainer import RowTrainer

__all__ = ["bind"]


def bind(
    fed: FederatedDataset, model: Dense | Convnet, privacy: Gaussian | None, participation: float, rounds: int,
    seed: int, local: Local, aggregate: Aggregate = weighted_mean, *, kind: type[RowTrainer] = RowTrainer,
    selector: Selector = "random", check: Callable[[int], None] | None = None, **more: Any,
) -> RowTrainer:  # fmt: skip
    """Bind an algorithm over rows to its data.

    Parameters
    ----------
    fed : FederatedDataset
        Over rows, features scaled.
    model : Dense or Convnet
        What to train.
    privacy : Gaussian, optional
        A mechanism; ``None`` for none.
    participation : float
        In (0, 1]: the share of clients in a round.
    rounds : int
        At least 1: over how many rounds ε is planned.
    seed : int
        The experiment's seed.
    local : Local
        How clients train.
    aggregate : callable
        How the server merges: `weighted_mean`, `median`, …
    kind : type
        The algorithm's own trainer.
    selector : str
        How the clients of a round are chosen.
    check : callable, optional
        Told how many clients a round has; raises where they are too few for the merge.
    **more
        Further fields of the trainer.

    Returns
    -------
    RowTrainer
        Ready to start.

    Raises
    ------
    ValueError
        If the partition is over columns, nobody has training rows, a number is out of range, a round has too few
        clients for the merge, or a privacy mechanism is asked for that algorithm or selector do not honour.
    """
    if not 0 < participation <= 1:
        raise ValueError(f"participation must be above 0 and at most 1, got {participation}")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    train, test = (_typed(fed.stacked("train"), model), _typed(fed.stacked("test"), model))
    eligible = np.flatnonzero(train.sizes)
    if not eligible.size:
        raise ValueError(f"some client must have training rows, got none of the {len(fed)} of {fed.data.name}")
    if check is not None:
        check(max(1, round(participation * eligible.size)))
    facts: dict[str, Any] = {
        "parameters": model.parameters, "tensors": model.tensors,
        "model_bytes": model.parameters * np.dtype(model.dtype).itemsize,
        "personalization": kind._personal, "client_selector": "all" if participation == 1 else TITLES[selector],
    }  # fmt: skip
    ledger = None
    if privacy is not None:
        _honours(privacy, aggregate, kind, selector)
        plan = planned(selector, seed, train.sizes, rounds, participation)
        ledger = open_ledger(privacy, train.sizes, local, participation, plan, rounds)
        facts |= ledger.facts(plan, rounds)
        if privacy.level == "example":
            local = replace(local, clip=privacy.clip, noise=ledger.noise, sampling=privacy.sampling)
    codes = {name: _groups(fed, name, test.rows) for name in fed.data.sensitive}
    return kind(
        model, train, test, codes, fed.data.positive, aggregate, local, participation, ledger, seed, facts, selector,
        **more,
    )  # fmt: skip


def _honours(privacy: Gaussian, aggregate: Aggregate, kind: type[RowTrainer], selector: Selector) -> None:
    """Refuse a privacy mechanism whose ε would not hold."""
    if privacy.level in kind._refuses:
        raise ValueError(
            f"{kind.__name__} must run without {privacy.level}-level privacy, because {kind._refuses[privacy.level]}; "
            f"got level {privacy.level!r}"
        )
    if privacy.level == "client" and aggregate is not weighted_mean:
        raise ValueError(
            "client-level privacy must go with a strategy that averages the clients' updates, as FedAvg and "
            "FedProx do; its noise fits no median or trimmed mean"
        )
    poisson = privacy.level == "client" and privacy.sampling == "poisson"
    if selector in ("loss", "reputation") or (poisson and selector != "random"):
        able = "random" if poisson else "random, size or fair"
        raise ValueError(
            f"selector must be {able} with this privacy mechanism, whose ε takes for granted that cohorts are drawn "
            f"without looking at models, got {selector!r}"
        )


def _typed(rows: Stacked, model: Dense | Convnet) -> Stacked:
    return replace(rows, X=np.ascontiguousarray(rows.X, model.dtype), y=rows.y.astype(np.int64))


def _groups(fed: FederatedDataset, attribute: str, rows: np.ndarray) -> tuple[np.ndarray, int]:
    codes, values = fed.data.codes(attribute)
    return codes[rows], len(values)
