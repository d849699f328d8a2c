"""Boosted trees across columns: bins, histograms, splits, and who tells whom what while they grow."""

__all__ = []
