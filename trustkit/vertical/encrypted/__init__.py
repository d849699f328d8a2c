"""Sums of numbers that only the holder of the key can read."""

__all__ = []
