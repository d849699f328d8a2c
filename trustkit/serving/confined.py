"""A bound on the memory of one kernel, which the system keeps: what asks for more is refused, and the rest goes on."""

from __future__ import annotations

import os
import sys

__all__ = ["MEMORY", "confine"]

MEMORY = "TRUSTKIT_MEMORY"
"""The environment variable of a kernel that says how many megabytes it may allocate; 0 or nothing sets no bound."""


def confine() -> None:
    """Let this process allocate no more memory than its environment says; without a word there it stays as it is."""
    asked = os.environ.get(MEMORY, "")
    if asked.isdecimal() and int(asked) and sys.platform == "linux":
        import resource

        size = int(asked) << 20
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        size = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
