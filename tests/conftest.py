"""One thread, no screen, the same examples every time."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is imported
os.environ["MPLBACKEND"] = "agg"

from hypothesis import settings  # noqa: E402

settings.register_profile("trustkit", derandomize=True, deadline=None)
settings.load_profile("trustkit")

from tests.browser.driving import app_url, browser, chromium, page  # noqa: E402, F401 (fixtures of browser and bench)
