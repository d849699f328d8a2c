"""Trust: a fact sheet, the taxonomy of metrics, profiles that score them, and the report."""

# The pillars enter their metrics in the paper's order.
# isort: off
from trustkit.trust import privacy as privacy
from trustkit.trust import robustness as robustness
from trustkit.trust import fairness as fairness
from trustkit.trust import explainability as explainability
from trustkit.trust import accountability as accountability
from trustkit.trust import federation as federation
# isort: on

from trustkit.trust.assessment import assess
from trustkit.trust.factsheet import Fact, FactSheet, client_id
from trustkit.trust.fields import FIELDS, Field
from trustkit.trust.profiles import PROFILES, Profile
from trustkit.trust.report import Score, TrustReport
from trustkit.trust.taxonomy import METRICS, NOTIONS, PILLARS, Metric, Notion, metric

__all__ = [
    "FIELDS", "METRICS", "NOTIONS", "PILLARS", "PROFILES", "Fact", "FactSheet", "Field", "Metric", "Notion", "Profile",
    "Score", "TrustReport", "assess", "client_id", "metric",
]  # fmt: skip
