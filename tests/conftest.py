"""One thread, no screen, the same examples every time."""

from __future__ import annotations

import os
from collections.abc import Iterator

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is imported
os.environ["MPLBACKEND"] = "agg"

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("trustkit", derandomize=True, deadline=None)
settings.load_profile("trustkit")

from tests.browser.driving import app_url, browser, chromium, page  # noqa: E402, F401 (fixtures of browser and bench)


@pytest.fixture(scope="module", autouse=True)
def _own_data_sets_leave_with_their_tests() -> Iterator[None]:
    """Take out of the catalogue what a file of tests entered there: others list the catalogue as it comes."""
    from trustkit import datasets
    from trustkit.catalogue import DATASETS

    before = set(datasets._OWN)
    yield
    for name in datasets._OWN - before:
        DATASETS._entries.pop(name, None)
    datasets._OWN &= before
