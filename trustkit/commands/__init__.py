"""What the commands do: plain arguments in, lines to print out."""

__all__ = ()
