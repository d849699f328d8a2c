"""Runs side by side: strategies over several seeds, and an experiment with, without and in spite of its attack."""

from trustkit.comparison.adjusted import Adjusted, adjust_thresholds
from trustkit.comparison.attacked import DEFENCES, attackers_of, backdoor_success, twins
from trustkit.comparison.compare import STRATEGIES, THRESHOLDS, compare_strategies, lineup
from trustkit.comparison.result import MEASURES, Comparison, Outcome

__all__ = [
    "DEFENCES", "MEASURES", "STRATEGIES", "THRESHOLDS", "Adjusted", "Comparison", "Outcome", "adjust_thresholds",
    "attackers_of", "backdoor_success", "compare_strategies", "lineup", "twins",
]  # fmt: skip
