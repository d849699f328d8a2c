"""Benchmarks: the experiments of a paper, played again and laid beside its printed numbers."""

from trustkit.bench.federatedtrust import run_federatedtrust

__all__ = ["run_federatedtrust"]
