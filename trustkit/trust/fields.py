"""The template of a fact sheet: every fact that can be stated, with its type, unit, range, time and author."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from trustkit.catalogue import Interval
from trustkit.trust.kinds import LIMIT, Field, Kind

__all__ = ["EXAMINED", "FIELDS", "LIMIT", "Field", "Kind", "field_of"]

_SHARE, _POSITIVE, _ANY = Interval(0, 1), Interval(1, float("inf")), Interval(0, float("inf"))
_SIGNED = Interval(-1, 1)
_PRE, _DURING, _POST = "Pre-training", "During-training", "Post-training"


def _lines(section: str, who: str, *lines: tuple[Any, ...]) -> list[Field]:
    return [
        Field(section, name, kind, unit, when, who, about, *interval)
        for name, kind, unit, when, about, *interval in lines
    ]


_TEMPLATE = [
    *_lines("project", "Server",
        ("overview", "text", "", _PRE, "what the project is about"),
        ("purpose", "text", "", _PRE, "what it is for"),
        ("background", "text", "", _PRE, "the knowledge that motivates it"),
        ("experiment", "text", "", _PRE, "key of the experiment that was run"),
        ("owner", "text", "", _PRE, "who answers for the project"),
        ("limits", "text", "", _PRE, "what the model must not be used for"),
        ("imported_from", "text", "", _PRE, "whose files the facts were read from, and what was not taken over"),
        ("imported_empty", "texts", "", _PRE, "fields of those files that hold NaN or an empty list"),
    ),
    *_lines("participants", "Server",
        ("client_num", "count", "clients", _PRE, "how many clients take part", _POSITIVE),
        ("sample_client_rate", "number", "share", _PRE, "clients selected in a round", _SHARE),
        ("client_selector", "text", "", _PRE, "how they are selected: random, all, or the criteria"),
        ("ids", "ids", "", _PRE, "keyed ids of the clients"),
        ("organisations", "texts", "", _PRE, "the organisations behind the clients"),
        ("avg_dataset_size", "number", "rows", _PRE, "training rows of a client, on average over clients", _ANY),
        ("registry_complete", "number", "share", _DURING, "rounds whose clients are all registered in full", _SHARE),
        ("minimum_group", "count", "clients", _PRE, "fewest clients whose counts are added up before anybody sees them",
         _POSITIVE),
        ("reputation", "numbers", "", _DURING, "reputation of the clients by subjective logic", _SHARE),
        ("reputation_mean", "number", "", _DURING, "its mean over clients", _SHARE),
    ),
    *_lines("data", "Server",
        ("provenance", "text", "", _PRE, "where the data come from"),
        ("preprocessing", "text", "", _PRE, "what was done to them before training"),
        ("synthetic", "flag", "", _PRE, "whether they are made up"),
        ("stands_in_for", "text", "", _PRE, "the real data that synthetic data replace"),
        ("scaled_down", "text", "", _PRE, "what was made smaller than in the source that is replayed"),
        ("split", "text", "", _PRE, "how the data were divided among the clients"),
        ("rows", "count", "rows", _PRE, "how many rows there are", _ANY),
        ("features", "count", "features", _PRE, "how many features a row has", _POSITIVE),
        ("class_counts", "counts", "rows", _PRE, "training rows by class, over all clients", _ANY),
        ("avg_entropy", "number", "", _PRE, "mean label entropy of the clients, scaled by its extremes", _SHARE),
        ("withheld", "text", "", _PRE, "what is not stated, since it would tell of single clients"),
    ),
    *_lines("configuration", "Server",
        ("aggregation_algorithm", "text", "", _PRE, "the rule that combines the clients' models"),
        ("training_model", "text", "", _PRE, "the model's family"),
        ("personalization", "flag", "", _PRE, "whether clients keep parts of the model to themselves"),
        ("total_round_num", "count", "rounds", _PRE, "rounds of training", _ANY),
        ("learning_rate", "number", "", _PRE, "of the clients' optimiser", _ANY),
        ("local_update_steps", "number", "epochs", _PRE, "passes over its data by a client in a round", _ANY),
        ("batch_size", "count", "rows", _PRE, "rows of a step", _POSITIVE),
        ("seed", "count", "", _PRE, "of all randomness"),
        ("topology", "text", "", _PRE, "who aggregates with whom: server, ring, random graph, complete graph"),
        ("attack", "text", "", _PRE, "the attack that was simulated"),
        ("attackers", "count", "clients", _PRE, "how many clients attacked", _ANY),
        ("co_versioning", "number", "share", _DURING, "rounds whose local versions are mapped to global ones", _SHARE),
        ("replacement_trigger", "text", "", _PRE, "what starts a new training where the global model gets worse"),
    ),
    *_lines("privacy", "Server",
        ("differential_privacy", "flag", "", _PRE, "whether a differentially private mechanism is in use"),
        ("mechanism", "text", "", _PRE, "which"),
        ("level", "text", "", _PRE, "what it protects: one row (example) or one client"),
        ("epsilon", "number", "", _POST, "privacy loss composed over all rounds", _ANY),
        ("configured_epsilon", "number", "", _PRE, "privacy loss that was asked for", _ANY),
        ("delta", "number", "", _PRE, "δ: how far the bound by ε may fail", _SHARE),
        ("noise_multiplier", "number", "", _PRE, "noise divided by sensitivity", _ANY),
        ("clip", "number", "", _PRE, "the norm that contributions are cut to", _ANY),
        ("assumption", "text", "", _PRE, "what the accounting takes for granted"),
        ("client_entropy", "number", "", _PRE, "evenness of which client a training row belongs to", _SHARE),
        ("encryption", "number", "", _PRE, "0 none, 0.5 in transport only, 1 secure aggregation or similar", _SHARE),
        ("aggregation_protection", "text", "", _PRE, "how updates are hidden from whoever adds them up"),
        ("k_anonymity", "number", "rows", _PRE, "fewest rows of a client that nothing tells apart", _POSITIVE),
        ("l_diversity", "number", "values", _PRE, "fewest sensitive values of such a group of rows", _POSITIVE),
        ("quasi_identifiers", "texts", "", _PRE, "the columns by which rows might be told apart"),
        ("leakage_bound", "number", "nats", _DURING, "what a round can tell of a client's rows at most", _ANY),
        ("leakage_estimate", "number", "nats", _DURING, "mutual information of updates and rows, as estimated: the "
         "largest of the rounds looked at", _ANY),
        ("leakage_by_round", "numbers", "nats", _DURING, "the estimate by round looked at, the last after the training",
         _ANY),
        ("leakage_share", "number", "share", _DURING, "the estimate over the entropy of the rows; across columns the "
         "larger of label_exposure and feature_exposure", _SHARE),
        ("label_exposure", "number", "share", _POST, "labels that attacks on messages find, above what takes no run",
         _SHARE),
        ("feature_exposure", "number", "share", _POST, "columns that attacks on messages rebuild, above what takes no "
         "run", _SHARE),
        ("membership_auc", "number", "", _POST, "area under the curve of a membership attack", _SHARE),
        ("membership_tpr", "number", "share", _POST, "members that the attack finds", _SHARE),
        ("membership_fpr", "number", "share", _POST, "strangers that it then takes for members", _SHARE),
        ("empirical_epsilon", "number", "", _POST, "lower bound on ε that the attack shows", _ANY),
    ),
    *_lines("performance", "Clients",
        ("test_acc_avg", "number", "share", _DURING, "mean over clients of the global model's test accuracy", _SHARE),
        ("test_loss_avg", "number", "nats", _DURING, "mean over clients of its test loss", _ANY),
        ("worst_tenth_accuracy", "number", "share", _DURING, "mean test accuracy of the worst 10 % of clients", _SHARE),
        ("rounds_played", "count", "rounds", _POST, "rounds that were finished", _ANY),
        ("against_fedavg", "number", "share", _POST, "accuracy over that of the same run by FedAvg, at most 1", _SHARE),
    ),
    *_lines("robustness", "Server",
        ("clever", "number", "scaled features", _POST, "mean CLEVER score over the rows looked at", _ANY),
        ("clever_low", "number", "scaled features", _POST, "its lowest decile", _ANY),
        ("clever_rows", "count", "rows", _POST, "how many rows were looked at", _ANY),
        ("clever_radius", "number", "scaled features", _POST, "radius of the search: no score is larger", _ANY),
        ("poisoning_defence", "number", "share", _POST, "mean of what is kept under the attacks on training", _SHARE),
        ("label_flip", "number", "share", _POST, "accuracy kept where attackers flip labels", _SHARE),
        ("sign_flip", "number", "share", _POST, "accuracy kept where attackers reverse their updates", _SHARE),
        ("model_replacement", "number", "share", _POST, "accuracy kept where attackers replace the model", _SHARE),
        ("backdoor", "number", "share", _POST, "rows with a pattern that do not go where attackers want them", _SHARE),
        ("attackers_share", "number", "share", _POST, "clients that attack in these attacks", _SHARE),
        ("fgsm", "number", "share", _POST, "accuracy kept on rows changed by one step (FGSM)", _SHARE),
        ("pgd", "number", "share", _POST, "accuracy kept on rows changed by many steps (PGD)", _SHARE),
        ("attack_radius", "number", "scaled features", _POST, "how far a feature of these rows is changed", _ANY),
        ("replacement_global", "number", "share", _POST, "accuracy kept right after one model replacement", _SHARE),
        ("replacement_persistent", "number", "share", _POST, "accuracy kept after the rounds that follow it", _SHARE),
        ("data_quality", "number", "share", _DURING, "updates of clients that improve the global model", _SHARE),
        ("test_coverage", "number", "share", _PRE, "lines of the code that tests run", _SHARE),
    ),
    *_lines("fairness", "Clients",
        ("selection_cv", "number", "", _POST, "variation over clients of how often they were selected", _ANY),
        ("test_acc_cv", "number", "", _DURING, "variation over clients of test accuracy", _ANY),
        ("class_imbalance", "number", "", _PRE, "variation over classes of the merged class counts", _ANY),
        ("attribute", "text", "", _PRE, "the protected attribute that disparity is measured for"),
        ("worst_disparity", "number", "share", _POST, "largest demographic disparity of a client", _SHARE),
        ("pooled_disparity", "number", "share", _POST, "demographic disparity of all test rows together", _SHARE),
        ("share_over", "number", "share", _POST, "clients whose disparity exceeds the threshold", _SHARE),
        ("discrimination_index", "number", "", _POST, "F1 of a protected group less F1 of the rest, largest in size",
         _SIGNED),
        ("contributions", "numbers", "", _POST, "Shapley values of the clients"),
        ("contribution_gini", "number", "", _POST, "Gini index of the contributions", _SHARE),
    ),
    *_lines("explainability", "Server",
        ("trainable_param_num", "count", "parameters", _POST, "trainable numbers of the model", _ANY),
        ("tensors", "count", "tensors", _POST, "named parameter arrays of the model", _ANY),
        ("feature_importance_cv", "number", "", _POST, "variation over features of mean absolute SHAP values", _ANY),
        ("feature_importance", "numbers", "share", _POST, "mean absolute SHAP value by feature", _ANY),
        ("looked_at", "text", "", _POST, "the model that CLEVER and SHAP look at, where clients have their own; or why "
         "they are not defined"),
        ("visualization", "flag", "", _PRE, "whether a dashboard shows the training's course"),
        ("surrogate_fidelity", "number", "share", _POST, "held-out rows on which a small tree agrees with the model",
         _SHARE),
        ("surrogate_leaves", "count", "leaves", _POST, "size of that tree", _POSITIVE),
    ),
    *_lines("system", "Server",
        ("training_seconds", "number", "s", _POST, "duration of the training; of a simulation, on one machine", _ANY),
        ("model_bytes", "number", "bytes", _POST, "size of the model", _ANY),
        ("upload_bytes", "number", "bytes", _POST, "sent by a client, on average over clients", _ANY),
        ("download_bytes", "number", "bytes", _POST, "received by a client, on average over clients", _ANY),
        ("total_upload_bytes", "number", "bytes", _POST, "sent by all clients together", _ANY),
        ("total_download_bytes", "number", "bytes", _POST, "received by all clients together", _ANY),
        ("faults", "text", "", _PRE, "the faults that were injected"),
        ("dropout_rate", "number", "share", _DURING, "clients that left, of those asked", _SHARE),
        ("error_rate", "number", "share", _DURING, "clients that failed, of those that stayed", _SHARE),
        ("timeout_rate", "number", "share", _DURING, "clients that were late, of those that finished", _SHARE),
        ("diverged_clients", "count", "clients", _DURING,
         "clients that ever sent a model in which a number was infinite or not defined", _ANY),
    ),
    *_lines("sustainability", "Server",
        ("carbon_intensity_clients", "number", "gCO2/kWh", _POST, "of the electricity that clients use", _ANY),
        ("carbon_intensity_server", "number", "gCO2/kWh", _POST, "of the electricity that the server uses", _ANY),
        ("power_performance_clients", "number", "points/W", _POST, "PassMark, of the clients' processors", _ANY),
        ("power_performance_server", "number", "points/W", _POST, "PassMark, of the server's processors", _ANY),
        ("emissions_training", "number", "gCO2", _POST, "of the clients' training", _ANY),
        ("emissions_aggregation", "number", "gCO2", _POST, "of the server's aggregation", _ANY),
        ("emissions_communication_uplink", "number", "gCO2", _POST, "of what clients sent", _ANY),
        ("emissions_communication_downlink", "number", "gCO2", _POST, "of what clients received", _ANY),
        ("assumption", "text", "", _POST, "how energy and emissions were found, and what was assumed"),
    ),
    *_lines("audit", "Server",
        ("scoping", "text", "", _PRE, "what was to be audited, against which principles and harms"),
        ("mapping", "text", "", _PRE, "who takes part and answers for what, and who was asked"),
        ("artifacts", "text", "", _POST, "the documents collected: model card, data sheet, fact sheet, log"),
        ("testing", "text", "", _POST, "the tests that were run, and what they found"),
        ("reflection", "text", "", _POST, "the risks that remain, and what was decided"),
    ),
    *_lines("log", "Server",
        ("head", "text", "", _POST, "digest of the last event of the event log"),
        ("events", "count", "events", _POST, "how many events the event log has", _ANY),
    ),
]  # fmt: skip

FIELDS: Mapping[str, Field] = MappingProxyType({field.path: field for field in _TEMPLATE})
"""Every line of the template by ``section/name``, in the order of a printed sheet."""

_BY_EXAMINATION = {
    "privacy": "k_anonymity l_diversity quasi_identifiers leakage_bound leakage_estimate leakage_by_round "
    "leakage_share label_exposure feature_exposure membership_auc membership_tpr membership_fpr empirical_epsilon",
    "robustness": "poisoning_defence label_flip sign_flip model_replacement backdoor attackers_share fgsm pgd "
    "attack_radius replacement_global replacement_persistent data_quality test_coverage",
    "performance": "against_fedavg",
    "fairness": "discrimination_index contributions contribution_gini",
    "explainability": "surrogate_fidelity surrogate_leaves",
}
EXAMINED = frozenset(f"{section}/{name}" for section, names in _BY_EXAMINATION.items() for name in names.split())
"""Facts that cost trainings or many gradients: they are measured by examining a finished run, not by the run itself."""


def field_of(path: str) -> Field:
    """Return a line of the template.

    Parameters
    ----------
    path : str
        ``section/name``.

    Returns
    -------
    Field
        The line.

    Raises
    ------
    KeyError
        If there is none; the message lists those there are.

    Examples
    --------
    >>> field_of("data/rows").unit
    'rows'
    """
    if path not in FIELDS:
        close = difflib.get_close_matches(path, FIELDS, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise KeyError(f"there is no fact {path!r:.60}; {hint}known are {', '.join(FIELDS)}")
    return FIELDS[path]
