"""Runs side by side: strategies over several seeds, and an experiment with, without and in spite of its attack."""

from trustkit.comparison.adjusted import Adjusted, adjust_thresholds
from trustkit.comparison.algorithms import ALONG, FAMILIES, YARDSTICKS, compare_algorithms, crossed
from trustkit.comparison.attacked import DEFENCES, attackers_of, backdoor_success, twins
from trustkit.comparison.compare import STRATEGIES, THRESHOLDS, compare_strategies, lineup
from trustkit.comparison.crossing import Crossing, Run, run_of
from trustkit.comparison.result import MEASURES, Comparison, Outcome

__all__ = [
    "ALONG", "DEFENCES", "FAMILIES", "MEASURES", "STRATEGIES", "THRESHOLDS", "YARDSTICKS", "Adjusted", "Comparison",
    "Crossing", "Outcome", "Run", "adjust_thresholds", "attackers_of", "backdoor_success", "compare_algorithms",
    "compare_strategies", "crossed", "lineup", "run_of", "twins",
]  # fmt: skip
