"""Numbers that no party knows, because each holds a share of them."""

__all__ = []
