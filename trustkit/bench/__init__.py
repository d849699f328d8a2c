"""Benchmarks: the experiments of a paper, played again and laid beside its printed numbers."""

from trustkit.bench.federatedtrust import run_federatedtrust
from trustkit.bench.vertibench import run_vertibench
from trustkit.bench.vertibench_stored import Stored, read_vertibench

__all__ = ["Stored", "read_vertibench", "run_federatedtrust", "run_vertibench"]
