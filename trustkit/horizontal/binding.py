"""Binding an algorithm over rows to its data: everything is checked, and noise is found, before any training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from trustkit import memory
from trustkit.data import FederatedDataset, Stacked
from trustkit.devices import device_named
from trustkit.horizontal.adversary import Attack
from trustkit.horizontal.aggregate import Aggregate, weighted_mean
from trustkit.horizontal.convnet import Convnet
from trustkit.horizontal.faults import Faults
from trustkit.horizontal.models import Dense
from trustkit.horizontal.needs import Needs
from trustkit.horizontal.plan import Local
from trustkit.horizontal.privacy import Gaussian, open_ledger
from trustkit.horizontal.rules import PAIRS, bulyan, krum, multi_krum
from trustkit.horizontal.selectors import TITLES, Selector, planned
from trustkit.horizontal.summing import MINIMUM
from trustkit.horizontal.trainer import RowTrainer

__all__ = ["bind", "equip", "moved", "needs_of"]


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
        If the partition is over columns, nobody has training rows, a feature is no finite number in the model's dtype,
        a number is out of range, a round has too few clients for the merge, a privacy mechanism is asked for that
        algorithm or selector do not honour, or a round will not fit into memory.
    """
    if not 0 < participation <= 1:
        raise ValueError(f"participation must be above 0 and at most 1, got {participation}")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    if fed.partition.axis == "rows":
        _fits(fed, model, participation, local, aggregate, kind, selector, privacy, more)
    train, test = (_typed(fed.stacked(part), model, fed.data.columns) for part in ("train", "test"))
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
    unknown = {name: int((code < 0).sum()) for name, (code, _) in codes.items()}
    facts["test_rows_without_attribute"] = {name: count for name, count in unknown.items() if count}
    return kind(
        model, train, test, codes, fed.data.positive, aggregate, local, participation, ledger, seed, facts, selector,
        **more,
    )  # fmt: skip


def equip(
    trainer: RowTrainer, name: str, *, attack: Attack | None = None, faults: Faults | None = None, secure: bool = False
) -> RowTrainer:
    """Add attackers, faults and secure sums to an algorithm that is bound to its data.

    Parameters
    ----------
    trainer : RowTrainer
        Any algorithm over rows.
    name : str
        What a message calls it.
    attack : Attack, optional
        Who poisons what.
    faults : Faults, optional
        Who leaves, fails or is late.
    secure : bool
        Whether the server learns sums of models only; simulated.

    Returns
    -------
    RowTrainer
        Another one, ready to start.

    Raises
    ------
    ValueError
        If the server must see single models, a round has too few clients for a sum, ε would not hold, or what clients
        send will not fit into memory.
    """
    blind = trainer._cohorts == "poisson"
    if faults is not None and faults.wait is not None and blind:
        raise ValueError(
            "wait must be none with Poisson cohorts under client-level privacy, because whether a client is late tells "
            f"of the others, which ε does not count, got {faults.wait:g}"
        )
    if secure:
        why = _singles(trainer)
        if why:
            raise ValueError(f"{name} must run without secure sums, because {why}, got secure=True")
        clients = max(1, round(trainer.share * np.count_nonzero(trainer.train.sizes)))
        if clients < MINIMUM:
            raise ValueError(f"secure sums must have at least {MINIMUM} clients in a round, got {clients}")
        words = 16 * clients * trainer.model.parameters  # of 64 bits, and what they are made of
        memory.fits(f"secure sums of {clients:,} clients", words)
    trainer = replace(trainer, faults=faults, secure=secure)
    return trainer if attack is None else replace(trainer, relabel=attack.relabel, tamper=attack.tamper)


def moved(trainer: RowTrainer, name: str, device: str) -> RowTrainer:
    """Let an algorithm over rows train on a device.

    Parameters
    ----------
    trainer : RowTrainer
        Any algorithm over rows.
    name : str
        What a message calls it.
    device : str
        As `trustkit.devices.device_named` takes it.

    Returns
    -------
    RowTrainer
        Another one; its facts name the device. Clients train there, selection, merging and evaluation stay here.

    Raises
    ------
    ValueError
        If there is no such device, or a gradient of this algorithm is written for the processor alone.
    """
    device_named(device)
    if trainer._by_hand:
        raise ValueError(f"device must be none with {name}, {trainer._by_hand}, got {device!r}")
    return replace(trainer, device=device, facts={**trainer.facts, "device": device})


def needs_of(trainer: RowTrainer, together: int) -> Needs:
    """Reckon what a round takes of an algorithm that is bound to its data, whatever merges.

    Parameters
    ----------
    trainer : RowTrainer
        Any algorithm over rows.
    together : int
        Clients in a round.

    Returns
    -------
    Needs
        With a copy of all rows, and one of what the clients send.
    """
    rows, kind = trainer.train, type(trainer)
    return Needs(
        trainer.model, trainer.local, rows.sizes, trainer.test.y.size, rows.X.shape[1], together,
        rows.X.dtype.itemsize, getattr(kind, "_kept", 0), 1.0, getattr(trainer, "components", 1),
        _pairs(trainer.aggregate, kind),
    )  # fmt: skip


def _pairs(aggregate: Aggregate, kind: type[RowTrainer]) -> float:
    """Return how many numbers merging holds for every two clients."""
    return PAIRS if getattr(aggregate, "func", aggregate) in (krum, multi_krum, bulyan) else kind._pairs


def _singles(trainer: RowTrainer) -> str:
    """Say why sums are not enough for an algorithm; empty if they are."""
    if trainer._singles:
        return trainer._singles
    if trainer.aggregate is not weighted_mean:
        return "its server looks at each client's numbers"
    if trainer.selector == "reputation":
        return "its selector judges each client's update"
    if trainer._cohorts == "poisson":
        return "a Poisson cohort may be too small for a sum"
    return ""


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


def _fits(
    fed: FederatedDataset, model: Dense | Convnet, share: float, local: Local, aggregate: Aggregate,
    kind: type[RowTrainer], selector: Selector, privacy: Gaussian | None, more: Mapping[str, Any],
) -> None:  # fmt: skip
    """Refuse what will not fit into memory, before any row is copied."""
    owner, tested = fed.partition.owner, fed.data.held_out
    sizes = np.bincount(owner[(owner >= 0) & ~tested], minlength=len(fed))
    if privacy is not None and privacy.level == "example":
        local = replace(local, clip=privacy.clip, sampling=privacy.sampling)
    plain = aggregate is weighted_mean and kind is RowTrainer and selector != "reputation"
    plain = plain and (privacy is None or privacy.level != "client")
    held = Needs(
        model, local, sizes, int(((owner >= 0) & tested).sum()), fed.data.X.shape[1],
        max(1, round(share * np.count_nonzero(sizes))), fed.data.X.dtype.itemsize, getattr(kind, "_kept", 0),
        0.0 if plain else 1.0, more.get("components", 1), _pairs(aggregate, kind),
    )  # fmt: skip
    memory.fits(f"{held.together:,} clients in a round on {fed.data.name}", held.total())


def _typed(rows: Stacked, model: Dense | Convnet, columns: Sequence[str]) -> Stacked:
    """Return rows in the model's dtype, all of whose features are numbers there."""
    with np.errstate(over="ignore", invalid="ignore"):
        X = np.ascontiguousarray(rows.X, model.dtype)
        whole = np.isfinite(X.sum(dtype=float))
    if not whole and (wrong := ~np.isfinite(X)).any():
        i, j = (int(place[0]) for place in np.nonzero(wrong))
        raise ValueError(f"features must be finite numbers in {np.dtype(model.dtype)}, got {rows.X[i, j]:g} in column "
                         f"{columns[j]!r}")  # fmt: skip
    return replace(rows, X=X, y=rows.y.astype(np.int64))


def _groups(fed: FederatedDataset, attribute: str, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Return each row's group, −1 where the attribute is missing, and how many groups there are."""
    codes, values = fed.data.codes(attribute)
    return codes[rows], len(values)
