"""What a run over columns gives away to who listens: attacks on its real messages, measured against guessing."""

from trustkit.exposure.compare import compare_exposure, trial_of
from trustkit.exposure.measure import exposure_of
from trustkit.exposure.result import NOTE, Exposure, Finding
from trustkit.exposure.tradeoff import MEASURES, Tradeoff, Trial

__all__ = ["MEASURES", "NOTE", "Exposure", "Finding", "Tradeoff", "Trial", "compare_exposure", "exposure_of",
           "trial_of"]  # fmt: skip
