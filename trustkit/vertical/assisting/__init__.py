"""Models of single parties that assist each other by residuals."""

__all__ = []
