"""Divisions of rows and columns among parties; every one is entered in the catalogue ``SPLITS``."""

from trustkit.split.altered import flipped_labels, noisy_features, shifted_concepts
from trustkit.split.asked import AskedLine, asked_and_achieved
from trustkit.split.bias import inject_bias
from trustkit.split.columns import correlation, icor_bounds, importance, uniform
from trustkit.split.estimate import BetaEstimate, estimate_alpha, estimate_beta
from trustkit.split.exchange import exchange
from trustkit.split.importances import column_importance, shapley_importance
from trustkit.split.injection import Injection, Target
from trustkit.split.joint import joint
from trustkit.split.labels import dirichlet, label_classes, shards
from trustkit.split.measured import column_correlation
from trustkit.split.population import icor_population
from trustkit.split.reach import reachable_gap
from trustkit.split.rows import by_group, iid, quantity
from trustkit.split.shifts import concept_shift, feature_noise, hold_out
from trustkit.split.sizes import exact_sizes, power_law
from trustkit.split.skews import attribute_skew, feature_skew, joint_skew
from trustkit.split.targeted import biased
from trustkit.split.views import by_views, from_columns

__all__ = [
    "AskedLine", "BetaEstimate", "Injection", "Target", "asked_and_achieved", "attribute_skew", "biased", "by_group",
    "by_views", "column_correlation", "column_importance", "concept_shift", "correlation", "dirichlet",
    "estimate_alpha", "estimate_beta", "exact_sizes", "exchange", "feature_noise", "feature_skew", "flipped_labels",
    "from_columns", "hold_out", "icor_bounds", "icor_population", "iid", "importance", "inject_bias", "joint",
    "joint_skew", "label_classes", "noisy_features", "power_law", "quantity", "reachable_gap", "shapley_importance",
    "shards", "shifted_concepts", "uniform",
]  # fmt: skip
