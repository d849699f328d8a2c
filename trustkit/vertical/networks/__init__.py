"""Networks cut among parties: their layers, their steps, and how they are trained."""

__all__ = []
