"""Where FeDa4Fair's released files are, if they are on this machine at all: they are no part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["released"]


def released(name: str) -> Path:
    """Return a file of the releases; skip the test that asks for it where it is absent.

    The environment variable TRUSTKIT_REFERENCE names the folder, or else it lies beside the checkout.
    """
    named = os.environ.get("TRUSTKIT_REFERENCE")
    root = Path(named) if named else Path(__file__).parents[2] / "shared" / "data_reference"
    for file in (root / "feda4fair" / name, root / name):
        if file.exists():
            return file
    pytest.skip(f"{name} of FeDa4Fair's releases is not here")
