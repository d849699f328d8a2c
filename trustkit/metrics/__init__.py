"""Measures: arrays in, numbers out, with NumPy and SciPy only."""

from trustkit.metrics.adversarial import Attacked, empirical_robustness, fgsm, pgd
from trustkit.metrics.anonymity import equivalence_classes, k_anonymity, l_diversity
from trustkit.metrics.clients import by_client, disparity_interval, masking_gap, share_over
from trustkit.metrics.coalitions import coalition_values, leave_one_out, shapley, shapley_exact
from trustkit.metrics.coding import Coded, group_codes, intersection
from trustkit.metrics.contribution import completed_shapley, data_quality, round_utilities
from trustkit.metrics.correlation import icor, mcor, pcor, pcor_matrix
from trustkit.metrics.counting import Counted, count_clients
from trustkit.metrics.defence import attack_success_rate, backdoor_success_rate, poisoning_defence
from trustkit.metrics.distances import hellinger, jensen_shannon, kl_divergence, total_variation
from trustkit.metrics.explainability import shap_importance, shap_values
from trustkit.metrics.fairness import (
    demographic_disparity,
    discrimination_from_counts,
    discrimination_index,
    equal_opportunity_difference,
    equalized_odds_difference,
)
from trustkit.metrics.gaps import Gaps, gaps_from_counts, group_rate, why_undefined
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
from trustkit.metrics.inversion import column_r2, reconstruct
from trustkit.metrics.labelinference import (
    completion_attack,
    direction_attack,
    label_floor,
    norm_attack,
    residual_attack,
)
from trustkit.metrics.leakage import gaussian_leakage_bound, leakage_estimate
from trustkit.metrics.membership import EmpiricalEpsilon, empirical_epsilon, membership_auc, tpr_at_fpr
from trustkit.metrics.pairs import (
    Pair,
    demographic_parity_ratio,
    equal_opportunity_ratio,
    equalized_odds_ratio,
    worse_off,
)
from trustkit.metrics.pairwise import ColumnReport, column_report, pearson, spearman
from trustkit.metrics.privacy import global_privacy_risk
from trustkit.metrics.reputation import Opinion, beta_reputation, client_reputation, interactions, opinion
from trustkit.metrics.robustness import clever
from trustkit.metrics.spread import (
    ClientSummary,
    SelectionFairness,
    client_summary,
    contribution_fairness,
    selection_fairness,
)
from trustkit.metrics.transport import earth_movers
from trustkit.metrics.uncertainty import bootstrap_interval, chance_gap
from trustkit.metrics.unlike import (
    DISTANCES,
    Spread,
    client_distributions,
    distance_matrix,
    distance_to_pool,
    quantile_bins,
)

__all__ = [
    "DISTANCES",
    "Attacked",
    "ClientSummary",
    "Coded",
    "ColumnReport",
    "Counted",
    "EmpiricalEpsilon",
    "Gaps",
    "GroupRates",
    "Opinion",
    "Pair",
    "SelectionFairness",
    "Spread",
    "accuracy_gap_from_counts",
    "attack_success_rate",
    "backdoor_success_rate",
    "beta_reputation",
    "bootstrap_interval",
    "by_client",
    "chance_gap",
    "clever",
    "client_distributions",
    "client_reputation",
    "client_summary",
    "coalition_values",
    "coefficient_of_variation",
    "column_r2",
    "column_report",
    "completed_shapley",
    "completion_attack",
    "contribution_fairness",
    "count_clients",
    "data_quality",
    "demographic_disparity",
    "demographic_parity_ratio",
    "direction_attack",
    "discrimination_from_counts",
    "discrimination_index",
    "disparity_from_counts",
    "disparity_interval",
    "distance_matrix",
    "distance_to_pool",
    "earth_movers",
    "empirical_epsilon",
    "empirical_robustness",
    "entropy",
    "equal_opportunity_difference",
    "equal_opportunity_ratio",
    "equalized_odds_difference",
    "equalized_odds_ratio",
    "equivalence_classes",
    "fgsm",
    "gaps_from_counts",
    "gaussian_leakage_bound",
    "gini",
    "global_privacy_risk",
    "group_codes",
    "group_counts",
    "group_rate",
    "hellinger",
    "icor",
    "interactions",
    "intersection",
    "jain_index",
    "jensen_shannon",
    "k_anonymity",
    "kl_divergence",
    "l_diversity",
    "label_distribution",
    "label_floor",
    "leakage_estimate",
    "leave_one_out",
    "linear_importance",
    "masking_gap",
    "mcor",
    "membership_auc",
    "norm_attack",
    "opinion",
    "opportunity_from_counts",
    "party_importance",
    "pcor",
    "pcor_matrix",
    "pearson",
    "pgd",
    "poisoning_defence",
    "quantile_bins",
    "rates_from_counts",
    "reconstruct",
    "residual_attack",
    "round_utilities",
    "selection_fairness",
    "shap_importance",
    "shap_values",
    "shapley",
    "shapley_cmi",
    "shapley_exact",
    "share_over",
    "spearman",
    "total_variation",
    "tpr_at_fpr",
    "why_undefined",
    "worse_off",
    "worst_share_mean",
]
