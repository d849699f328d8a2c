"""Two workers of a real Dask scheduler, started once for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trustkit.scale import dask
from trustkit.scale.scheduler import DaskWorkers


@pytest.fixture(scope="package")
def team() -> Iterator[DaskWorkers]:
    """Return the workers: processes of one thread each, on this machine."""
    with dask(workers=2) as workers:
        yield workers
