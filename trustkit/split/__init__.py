"""Divisions of rows and columns among parties; every one is entered in the catalogue ``SPLITS``."""

from trustkit.split.columns import correlation, icor_bounds, importance, uniform
from trustkit.split.estimate import BetaEstimate, estimate_alpha, estimate_beta
from trustkit.split.exchange import exchange
from trustkit.split.importances import column_importance, shapley_importance
from trustkit.split.joint import joint
from trustkit.split.labels import dirichlet, label_classes, shards
from trustkit.split.measured import column_correlation
from trustkit.split.population import icor_population
from trustkit.split.rows import by_group, iid, quantity
from trustkit.split.views import by_views, from_columns

__all__ = [
    "BetaEstimate", "by_group", "by_views", "column_correlation", "column_importance", "correlation", "dirichlet",
    "estimate_alpha", "estimate_beta", "exchange", "from_columns", "icor_bounds", "icor_population", "iid",
    "importance", "joint", "label_classes", "quantity", "shapley_importance", "shards", "uniform",
]  # fmt: skip
