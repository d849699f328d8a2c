"""Trust: a fact sheet, the taxonomy of metrics, profiles that score them, and the report."""

# The pillars enter their metrics in the paper's order.
# isort: off
from trustkit.trust import privacy as privacy
from trustkit.trust import leakage as leakage
from trustkit.trust import robustness as robustness
from trustkit.trust import attacked as attacked
from trustkit.trust import reliability as reliability
from trustkit.trust import fairness as fairness
from trustkit.trust import explainability as explainability
from trustkit.trust import accountability as accountability
from trustkit.trust import audit as audit
from trustkit.trust import federation as federation
from trustkit.trust import management as management
# isort: on

from trustkit.trust.assessment import assess, facts_for
from trustkit.trust.attribution import Waterfall, waterfall
from trustkit.trust.chain import verify
from trustkit.trust.claims import Claim
from trustkit.trust.curves import Capped, Linear, Log, Reciprocal, Saturating
from trustkit.trust.events import EventLog
from trustkit.trust.factsheet import Fact, FactSheet, client_id
from trustkit.trust.federatedscope import read_federatedscope
from trustkit.trust.fields import EXAMINED, FIELDS, Field
from trustkit.trust.listing import rows_table
from trustkit.trust.modelcard import model_card
from trustkit.trust.profiles import PROFILES, Profile
from trustkit.trust.report import Score, TrustReport
from trustkit.trust.sampling import Sensitivity, outranks, sensitivity
from trustkit.trust.scope import WHOLE
from trustkit.trust.stairs import Map, Steps
from trustkit.trust.taxonomy import METRICS, NOTIONS, PILLARS, Metric, Notion, metric

__all__ = [
    "EXAMINED", "FIELDS", "METRICS", "NOTIONS", "PILLARS", "PROFILES", "WHOLE", "Capped", "Claim", "EventLog", "Fact",
    "FactSheet", "Field", "Linear", "Log", "Map", "Metric", "Notion", "Profile", "Reciprocal", "Saturating", "Score",
    "Sensitivity", "Steps", "TrustReport", "Waterfall", "assess", "client_id", "facts_for", "metric", "model_card",
    "outranks", "read_federatedscope", "rows_table", "sensitivity", "verify", "waterfall",
]  # fmt: skip
