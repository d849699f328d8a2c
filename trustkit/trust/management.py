"""The pillar of federation, of its records: who is connected, which versions belong together, when is it redone?"""

from __future__ import annotations

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["client_registry", "co_versioning", "model_replacement", "replacement_trigger"]

_NONE = ("", "none", "no")


@metric(
    "client_management", "Client Registry", inputs=("participants/registry_complete",), range=Interval(0, 1),
    better="higher", normalise=identity, when="During-training", who="Server", table=FURTHER,
)  # fmt: skip
def client_registry(facts: FactSheet) -> float | None:
    """Say in how many rounds the server's registry names all clients in full.

    Parameters
    ----------
    facts : FactSheet
        Reads ``participants/registry_complete``.

    Returns
    -------
    float or None
        In [0, 1]; None without an event log.

    Notes
    -----
    Rounds whose clients all have a complete row in the registry / all rounds.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.6, Client Registry.

    Deviations
    ----------
    The paper asks for a registry and gives no score. Devices are named by keyed ids; simulated ones have no address.

    Examples
    --------
    >>> client_registry(FactSheet({"participants/registry_complete": 1.0}))
    1.0
    """
    value = facts.get("participants", "registry_complete")
    return None if value is None else float(value)


@metric(
    "model_management", "Co-versioning", inputs=("configuration/co_versioning",), range=Interval(0, 1),
    better="higher", normalise=identity, when="During-training", who="Server", table=FURTHER,
)  # fmt: skip
def co_versioning(facts: FactSheet) -> float | None:
    """Say in how many rounds local versions of the model are mapped to the global one.

    Parameters
    ----------
    facts : FactSheet
        Reads ``configuration/co_versioning``.

    Returns
    -------
    float or None
        In [0, 1]; None without an event log.

    Notes
    -----
    Rounds whose local versions are mapped to a global version / all rounds.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.6, Model Co-versioning.

    Deviations
    ----------
    The paper asks for a registry of versions and gives no score.

    Examples
    --------
    >>> co_versioning(FactSheet({"configuration/co_versioning": 0.5}))
    0.5
    """
    value = facts.get("configuration", "co_versioning")
    return None if value is None else float(value)


@metric(
    "model_management", "Model Replacement: Trigger", inputs=("configuration/replacement_trigger",), range=Interval(0,
    1), better="higher", normalise=identity, when="Pre-training", who="Server", table=FURTHER,
)  # fmt: skip
def replacement_trigger(facts: FactSheet) -> float | None:
    """Say whether it is laid down when a model that got worse is trained anew.

    Parameters
    ----------
    facts : FactSheet
        Reads ``configuration/replacement_trigger``.

    Returns
    -------
    float or None
        1 for a stated trigger, 0 for "none"; None if not stated.

    Notes
    -----
    1 if a trigger is documented, else 0.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.6, Model Replacement.

    Deviations
    ----------
    The paper describes the trigger and gives no score.

    Examples
    --------
    >>> replacement_trigger(FactSheet({"configuration/replacement_trigger": "accuracy below 0.8 in 3 rounds"}))
    1.0
    """
    trigger = facts.get("configuration", "replacement_trigger")
    return None if trigger is None else float(trigger.strip().lower() not in _NONE)


@metric(
    "model_management", "Model Replacement: Recovery", inputs=("robustness/replacement_global",
    "robustness/replacement_persistent"), range=Interval(0, 1), better="higher", normalise=identity,
    when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def model_replacement(facts: FactSheet) -> float | None:
    """Say how much accuracy is kept when the global model is replaced once, at once and in the long run.

    Parameters
    ----------
    facts : FactSheet
        Reads ``robustness/replacement_global`` and ``robustness/replacement_persistent``.

    Returns
    -------
    float or None
        In [0, 1]; None if one is not measured.

    Notes
    -----
    (global + persistent) / 2: accuracy kept over all clients right after the replacement, and after the rounds that
    follow it.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.6, Model Replacement: a degradation counts if it is global
    and persistent.

    Deviations
    ----------
    The paper gives no score. A federation that trains on is its own replacement; how much that mends is measured here.

    Examples
    --------
    >>> model_replacement(FactSheet({"robustness/replacement_global": 0.5, "robustness/replacement_persistent": 1.0}))
    0.75
    """
    at_once, later = (facts.get("robustness", f"replacement_{name}") for name in ("global", "persistent"))
    return None if at_once is None or later is None else float(at_once + later) / 2
