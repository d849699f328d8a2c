"""Strategies side by side: each played over several seeds, by accuracy, gaps between groups, and traffic."""

from trustkit.comparison.adjusted import Adjusted, adjust_thresholds
from trustkit.comparison.compare import STRATEGIES, compare_strategies
from trustkit.comparison.result import MEASURES, Comparison, Outcome

__all__ = [
    "MEASURES", "STRATEGIES", "Adjusted", "Comparison", "Outcome", "adjust_thresholds", "compare_strategies",
]  # fmt: skip
