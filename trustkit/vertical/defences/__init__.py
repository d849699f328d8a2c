"""What keeps messages from telling: noise, flips, and the ε they are good for."""

__all__ = []
