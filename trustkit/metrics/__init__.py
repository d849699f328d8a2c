"""Measures: arrays in, numbers out, with NumPy and SciPy only."""

from trustkit.metrics.adversarial import Attacked, empirical_robustness, fgsm, pgd
from trustkit.metrics.anonymity import equivalence_classes, k_anonymity, l_diversity
from trustkit.metrics.clients import by_client, disparity_interval, masking_gap, share_over
from trustkit.metrics.coalitions import coalition_values, leave_one_out, shapley, shapley_exact
from trustkit.metrics.contribution import completed_shapley, data_quality, round_utilities
from trustkit.metrics.correlation import icor, mcor, pcor, pcor_matrix
from trustkit.metrics.defence import attack_success_rate, backdoor_success_rate, poisoning_defence
from trustkit.metrics.explainability import shap_importance, shap_values
from trustkit.metrics.fairness import (
    demographic_disparity,
    discrimination_from_counts,
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
from trustkit.metrics.leakage import gaussian_leakage_bound, leakage_estimate
from trustkit.metrics.membership import EmpiricalEpsilon, empirical_epsilon, membership_auc, tpr_at_fpr
from trustkit.metrics.pairwise import ColumnReport, column_report, pearson, spearman
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.metrics.reputation import Opinion, beta_reputation, client_reputation, interactions, opinion
from trustkit.metrics.robustness import clever

__all__ = [
    "Attacked", "ColumnReport", "EmpiricalEpsilon", "GroupRates", "Opinion", "accuracy_gap_from_counts",
    "attack_success_rate", "backdoor_success_rate", "beta_reputation", "by_client", "clever", "client_reputation",
    "coalition_values", "coefficient_of_variation", "column_report", "completed_shapley", "data_quality",
    "demographic_disparity", "discrimination_from_counts", "discrimination_index", "disparity_from_counts",
    "disparity_interval", "empirical_epsilon", "empirical_robustness", "entropy", "equal_opportunity_difference",
    "equalized_odds_difference", "equivalence_classes", "fgsm", "gaussian_leakage_bound", "gini", "global_privacy_risk",
    "group_counts", "icor", "interactions", "jain_index", "k_anonymity", "l_diversity", "label_distribution",
    "leakage_estimate", "leave_one_out", "linear_importance", "masking_gap", "mcor", "membership_auc", "opinion",
    "opportunity_from_counts", "party_importance", "pcor", "pcor_matrix", "pearson", "pgd", "poisoning_defence",
    "rates_from_counts", "round_utilities", "shap_importance", "shap_values", "shapley", "shapley_cmi", "shapley_exact",
    "share_over", "spearman", "tpr_at_fpr", "worst_share_mean",
]  # fmt: skip
