"""Where parties' networks are trained: on the processor, or on a graphics card."""

from __future__ import annotations

from dataclasses import replace

from trustkit.records import Trainer
from trustkit.vertical.assisting.assisted import AssistedTrainer
from trustkit.vertical.networks.split_training import SplitTrainer
from trustkit.vertical.networks.stale_training import StaleTrainer
from trustkit.vertical.networks.yardsticks import AloneTrainer

__all__ = ["placed"]


def placed(trainer: Trainer, device: str) -> Trainer | None:
    """Return the same trainer with its networks on another device.

    Parameters
    ----------
    trainer : Trainer
        Over columns.
    device : str
        As `trustkit.devices.device_named` takes it.

    Returns
    -------
    Trainer or None
        ``None`` for what stays on the processor: trees, secret shares, whose sums of whole numbers a graphics card
        does not multiply, and noise by row, which is drawn there.
    """
    facts = {**trainer.facts, "device": device}
    if isinstance(trainer, AloneTrainer):
        inner = placed(trainer.inner, device)
        return replace(trainer, inner=inner, facts=facts) if isinstance(inner, SplitTrainer) else None
    if isinstance(trainer, AssistedTrainer):
        return replace(trainer, learners=replace(trainer.learners, device=device), facts=facts)
    if isinstance(trainer, StaleTrainer) or (isinstance(trainer, SplitTrainer) and trainer.ledger is None):
        return replace(trainer, device=device, facts=facts)
    return None
