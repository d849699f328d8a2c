"""The pillar of accountability: is it written down?

A fact that is not stated is here what is measured, not missing evidence: an empty section has completeness 0.
"""

from __future__ import annotations

from trustkit.catalogue import Interval
from trustkit.trust.factsheet import FactSheet
from trustkit.trust.normalise import identity
from trustkit.trust.taxonomy import FURTHER, metric

__all__ = ["configuration", "data", "fairness_results", "participants", "performance_results", "project_specs",
           "system"]  # fmt: skip

_PROJECT = ("project/overview", "project/purpose", "project/background")
_PARTICIPANTS = ("participants/client_num", "participants/ids", "participants/organisations")
_DATA = ("data/provenance", "data/preprocessing")
_CONFIGURATION = (
    "configuration/aggregation_algorithm", "configuration/training_model", "configuration/total_round_num",
    "participants/sample_client_rate", "configuration/learning_rate", "configuration/local_update_steps",
)  # fmt: skip
_PERFORMANCE = ("performance/test_loss_avg", "performance/test_acc_avg", "explainability/feature_importance_cv",
                "robustness/clever")  # fmt: skip
_FAIRNESS = ("fairness/test_acc_cv", "fairness/selection_cv", "fairness/class_imbalance")
_SYSTEM = ("system/training_seconds", "system/model_bytes", "system/upload_bytes", "system/download_bytes")


def _share_stated(facts: FactSheet, paths: tuple[str, ...]) -> float:
    return sum(facts.values.get(path) not in (None, "", ()) for path in paths) / len(paths)


@metric(
    "factsheet_completeness", "Project Specification", inputs=_PROJECT, range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def project_specs(facts: FactSheet) -> float | None:
    """Say how much of the project's specification is stated.

    Parameters
    ----------
    facts : FactSheet
        Looks for overview, purpose and background.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 3; an empty text is not a statement.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.5 and Table 2, Project Specification.

    Deviations
    ----------
    Table 2 calls it 0/1; the authors' code takes the share. So do we, since only the share (1/3, with purpose and
    background empty) gives the trust scores of the paper's experiments 4 and 5.

    Examples
    --------
    >>> round(project_specs(FactSheet({"project/overview": "digits"})), 2)
    0.33
    """
    return _share_stated(facts, _PROJECT)


@metric(
    "factsheet_completeness", "Participants", inputs=_PARTICIPANTS, range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def participants(facts: FactSheet) -> float | None:
    """Say how much is stated about the participants.

    Parameters
    ----------
    facts : FactSheet
        Looks for the number of clients, their keyed ids and their organisations.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 3.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.5 and Table 2, Participants.

    Deviations
    ----------
    Table 2 calls it 0/1; ours is a share, as in the authors' code. The code looks for number, sampling rate and
    selector; ours for what the paper's Table 2 names.

    Examples
    --------
    >>> round(participants(FactSheet({"participants/client_num": 10})), 2)
    0.33
    """
    return _share_stated(facts, _PARTICIPANTS)


@metric(
    "factsheet_completeness", "Data", inputs=_DATA, range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def data(facts: FactSheet) -> float | None:
    """Say how much is stated about the data.

    Parameters
    ----------
    facts : FactSheet
        Looks for provenance and preprocessing.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 2.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.5 and Table 2, Data.

    Deviations
    ----------
    Table 2 calls it 0/1; ours is a share, as in the authors' code, which also asks for the label entropy.

    Examples
    --------
    >>> data(FactSheet({"data/provenance": "UCI letter"}))
    0.5
    """
    return _share_stated(facts, _DATA)


@metric(
    "factsheet_completeness", "Configuration", inputs=_CONFIGURATION, range=Interval(0, 1),
    better="higher", normalise=identity, when="Pre-training", who="Server",
)  # fmt: skip
def configuration(facts: FactSheet) -> float | None:
    """Say how much is stated about the configuration.

    Parameters
    ----------
    facts : FactSheet
        Looks for the aggregation algorithm, the model, rounds, clients a round, learning rate and local epochs.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 6.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.5 and Table 2, Configuration.

    Deviations
    ----------
    Table 2 calls it 0/1; ours is a share, as in the authors' code. The text's examples of global settings, a
    timeout and a target accuracy, are not asked for: a run of a fixed number of rounds has neither.

    Examples
    --------
    >>> configuration(FactSheet({"configuration/training_model": "mlp", "configuration/learning_rate": 0.1})) * 6
    2.0
    """
    return _share_stated(facts, _CONFIGURATION)


@metric(
    "factsheet_completeness", "System", inputs=_SYSTEM, range=Interval(0, 1),
    better="higher", normalise=identity, when="Post-training", who="Server",
)  # fmt: skip
def system(facts: FactSheet) -> float | None:
    """Say how much is stated about the resources used.

    Parameters
    ----------
    facts : FactSheet
        Looks for training time, model size and bytes sent and received.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 4.

    Source
    ------
    FederatedTrust (Sánchez Sánchez et al. 2024), section 3.5 and Table 2, System.

    Deviations
    ----------
    Table 2 calls it 0/1; ours is a share, as in the authors' code.

    Examples
    --------
    >>> system(FactSheet({"system/training_seconds": 3.2, "system/model_bytes": 4096.0}))
    0.5
    """
    return _share_stated(facts, _SYSTEM)


@metric(
    "factsheet_completeness", "Performance Results", inputs=_PERFORMANCE, range=Interval(0, 1), better="higher",
    normalise=identity, when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def performance_results(facts: FactSheet) -> float | None:
    """Say how much is stated about the model's performance.

    Parameters
    ----------
    facts : FactSheet
        Looks for test loss, test accuracy, variation of feature importance and CLEVER.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 4.

    Source
    ------
    The code of FederatedTrust (Sánchez Sánchez et al. 2024), which scores this beside the rows of Table 2.

    Deviations
    ----------
    The paper's Table 2 has no such row.

    Examples
    --------
    >>> performance_results(FactSheet({"performance/test_acc_avg": 0.9}))
    0.25
    """
    return _share_stated(facts, _PERFORMANCE)


@metric(
    "factsheet_completeness", "Fairness Results", inputs=_FAIRNESS, range=Interval(0, 1), better="higher",
    normalise=identity, when="Post-training", who="Server", table=FURTHER,
)  # fmt: skip
def fairness_results(facts: FactSheet) -> float | None:
    """Say how much is stated about fairness.

    Parameters
    ----------
    facts : FactSheet
        Looks for the variations of accuracy, of participation and of the class counts.

    Returns
    -------
    float
        In [0, 1]; 0 if nothing is.

    Notes
    -----
    Stated facts / 3.

    Source
    ------
    The code of FederatedTrust (Sánchez Sánchez et al. 2024), which scores this beside the rows of Table 2.

    Deviations
    ----------
    The paper's Table 2 has no such row.

    Examples
    --------
    >>> round(fairness_results(FactSheet({"fairness/selection_cv": 0.1})), 2)
    0.33
    """
    return _share_stated(facts, _FAIRNESS)
