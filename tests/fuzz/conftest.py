"""What is no test: the guided hunt is a command of its own, in an environment with atheris."""

from __future__ import annotations

collect_ignore = ["guided.py"]
