"""The app for a room: a Voilà server with limits, whose kernels branch off one loaded process."""

from trustkit.serving.options import Serving

__all__ = ["Serving"]
