"""Measures: arrays in, numbers out, with NumPy and SciPy only."""

from trustkit.metrics.clients import by_client, disparity_interval, masking_gap, share_over
from trustkit.metrics.correlation import icor, mcor, pcor, pcor_matrix
from trustkit.metrics.explainability import shap_importance, shap_values
from trustkit.metrics.fairness import (
    demographic_disparity,
    discrimination_index,
    equal_opportunity_difference,
    equalized_odds_difference,
)
from trustkit.metrics.groups import (
    GroupRates,
    accuracy_gap_from_counts,
    disparity_from_counts,
    group_counts,
    opportunity_from_counts,
    rates_from_counts,
)
from trustkit.metrics.heterogeneity import (
    coefficient_of_variation,
    entropy,
    gini,
    jain_index,
    label_distribution,
    worst_share_mean,
)
from trustkit.metrics.importance import linear_importance, party_importance, shapley_cmi
from trustkit.metrics.pairwise import ColumnReport, column_report, pearson, spearman
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.metrics.robustness import clever

__all__ = [
    "ColumnReport", "GroupRates", "accuracy_gap_from_counts", "by_client", "clever", "coefficient_of_variation",
    "column_report", "demographic_disparity", "discrimination_index", "disparity_from_counts", "disparity_interval",
    "entropy", "equal_opportunity_difference", "equalized_odds_difference", "gini", "global_privacy_risk",
    "group_counts", "icor", "jain_index", "label_distribution", "linear_importance", "masking_gap", "mcor",
    "opportunity_from_counts", "party_importance", "pcor", "pcor_matrix", "pearson", "rates_from_counts",
    "shap_importance", "shap_values", "shapley_cmi", "share_over", "spearman", "worst_share_mean",
]  # fmt: skip
