"""The template of a fact sheet: every fact that can be stated, with its type, unit, range, time and author."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from trustkit.catalogue import Interval

__all__ = ["FIELDS", "LIMIT", "Field", "Kind", "field_of"]

Kind = Literal["text", "flag", "count", "number", "counts", "numbers", "ids", "texts"]

LIMIT = 4096
"""No list, and no text, in a fact sheet is longer."""

_NOUNS = {"text": "text", "flag": "true or false", "count": "a whole number", "number": "a number",
          "counts": "a list of whole numbers", "numbers": "a list of numbers", "ids": "a list of client ids",
          "texts": "a list of texts"}  # fmt: skip
_ITEMS: dict[str, Kind] = {"counts": "count", "numbers": "number", "ids": "text", "texts": "text"}


@dataclass(frozen=True)
class Field:
    """A line of the template: ``when`` it becomes known, ``who`` states it, ``about`` in one line what it is."""

    section: str
    name: str
    kind: Kind
    unit: str
    when: str
    who: str
    about: str
    interval: Interval | None = None

    @property
    def path(self) -> str:
        """``section/name``."""
        return f"{self.section}/{self.name}"

    def check(self, value: Any) -> Any:
        """Return the value as plain Python, or say what is wrong with it.

        Parameters
        ----------
        value : object
            None, or what the field's kind asks for; lists, tuples and vectors for lists.

        Returns
        -------
        object
            None, str, bool, int, float or a tuple of them.

        Raises
        ------
        TypeError
            If the type does not fit.
        ValueError
            If it is out of range, too long, or no client id.

        Examples
        --------
        >>> FIELDS["participants/client_num"].check(10)
        10
        """
        if value is None:
            return None
        if self.kind not in _ITEMS:
            return self._scalar(value, self.kind)
        if not isinstance(value, (list, tuple, np.ndarray)) or np.ndim(value) != 1:
            raise TypeError(f"{self.path} must be {_NOUNS[self.kind]}, got {value!r:.80}")
        if len(value) > LIMIT:
            raise ValueError(
                f"{self.path} must have at most {LIMIT:,} entries (aggregates, not rows), got {len(value):,}"
            )
        items = tuple(self._scalar(item, _ITEMS[self.kind]) for item in value)
        if self.kind == "ids":
            for item in items:
                if len(item) != 16 or set(item) - set("0123456789abcdef"):
                    raise ValueError(f"{self.path} must hold keyed ids made by client_id, got {item!r:.40}")
        return items

    def _scalar(self, value: Any, kind: Kind) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        fits = {
            "text": isinstance(value, str),
            "flag": isinstance(value, bool),
            "count": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, (int, float)) and not isinstance(value, bool),
        }
        if not fits[kind]:
            raise TypeError(f"{self.path} must be {_NOUNS[self.kind]}, got {value!r:.80}")
        if kind == "text" and len(value) > LIMIT:
            raise ValueError(f"{self.path} must have at most {LIMIT:,} characters, got {len(value):,}")
        if kind == "number":
            value = float(value)
        if self.interval is not None and value == value and not self._inside(value):
            raise ValueError(f"{self.path} must be {self.interval}, got {value!r}")
        return value

    def _inside(self, value: float) -> bool:
        slack = 1e-9  # a share that rounding lifted above 1 is still a share
        return self.interval is None or self.interval.low - slack <= value <= self.interval.high + slack


_SHARE, _POSITIVE, _ANY = Interval(0, 1), Interval(1, float("inf")), Interval(0, float("inf"))
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
    ),
    *_lines("participants", "Server",
        ("client_num", "count", "clients", _PRE, "how many clients take part", _POSITIVE),
        ("sample_client_rate", "number", "share", _PRE, "clients selected in a round", _SHARE),
        ("client_selector", "text", "", _PRE, "how they are selected: random, all, or the criteria"),
        ("ids", "ids", "", _PRE, "keyed ids of the clients"),
        ("organisations", "texts", "", _PRE, "the organisations behind the clients"),
        ("avg_dataset_size", "number", "rows", _PRE, "training rows of a client, on average over clients", _ANY),
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
    ),
    *_lines("performance", "Clients",
        ("test_acc_avg", "number", "share", _DURING, "mean over clients of the global model's test accuracy", _SHARE),
        ("test_loss_avg", "number", "nats", _DURING, "mean over clients of its test loss", _ANY),
        ("worst_tenth_accuracy", "number", "share", _DURING, "mean test accuracy of the worst 10 % of clients", _SHARE),
        ("rounds_played", "count", "rounds", _POST, "rounds that were finished", _ANY),
    ),
    *_lines("robustness", "Server",
        ("clever", "number", "scaled features", _POST, "mean CLEVER score over the rows looked at", _ANY),
        ("clever_low", "number", "scaled features", _POST, "its lowest decile", _ANY),
        ("clever_rows", "count", "rows", _POST, "how many rows were looked at", _ANY),
        ("clever_radius", "number", "scaled features", _POST, "radius of the search: no score is larger", _ANY),
    ),
    *_lines("fairness", "Clients",
        ("selection_cv", "number", "", _POST, "variation over clients of how often they were selected", _ANY),
        ("test_acc_cv", "number", "", _DURING, "variation over clients of test accuracy", _ANY),
        ("class_imbalance", "number", "", _PRE, "variation over classes of the merged class counts", _ANY),
        ("attribute", "text", "", _PRE, "the protected attribute that disparity is measured for"),
        ("worst_disparity", "number", "share", _POST, "largest demographic disparity of a client", _SHARE),
        ("pooled_disparity", "number", "share", _POST, "demographic disparity of all test rows together", _SHARE),
        ("share_over", "number", "share", _POST, "clients whose disparity exceeds the threshold", _SHARE),
    ),
    *_lines("explainability", "Server",
        ("trainable_param_num", "count", "parameters", _POST, "trainable numbers of the model", _ANY),
        ("tensors", "count", "tensors", _POST, "named parameter arrays of the model", _ANY),
        ("feature_importance_cv", "number", "", _POST, "variation over features of mean absolute SHAP values", _ANY),
        ("feature_importance", "numbers", "share", _POST, "mean absolute SHAP value by feature", _ANY),
        ("visualization", "flag", "", _PRE, "whether a dashboard shows the training's course"),
    ),
    *_lines("system", "Server",
        ("training_seconds", "number", "s", _POST, "duration of the training, simulated on one machine", _ANY),
        ("model_bytes", "number", "bytes", _POST, "size of the model", _ANY),
        ("upload_bytes", "number", "bytes", _POST, "sent by a client, on average over clients", _ANY),
        ("download_bytes", "number", "bytes", _POST, "received by a client, on average over clients", _ANY),
        ("total_upload_bytes", "number", "bytes", _POST, "sent by all clients together", _ANY),
        ("total_download_bytes", "number", "bytes", _POST, "received by all clients together", _ANY),
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
    ),
    *_lines("log", "Server",
        ("head", "text", "", _POST, "digest of the last event of the event log"),
        ("events", "count", "events", _POST, "how many events the event log has", _ANY),
    ),
]  # fmt: skip

FIELDS: Mapping[str, Field] = MappingProxyType({field.path: field for field in _TEMPLATE})
"""Every line of the template by ``section/name``, in the order of a printed sheet."""


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
        raise KeyError(f"there is no fact {path!r}; {hint}known are {', '.join(FIELDS)}")
    return FIELDS[path]
