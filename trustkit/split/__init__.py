"""Divisions of rows and columns among parties; every one is entered in the catalogue ``SPLITS``."""

from trustkit.split.columns import correlation, icor_bounds, importance, uniform
from trustkit.split.labels import dirichlet, label_classes, shards
from trustkit.split.measured import column_correlation
from trustkit.split.rows import by_group, iid, quantity
from trustkit.split.views import by_views, from_columns

__all__ = [
    "by_group", "by_views", "column_correlation", "correlation", "dirichlet", "from_columns", "icor_bounds", "iid",
    "importance", "label_classes", "quantity", "shards", "uniform",
]  # fmt: skip
