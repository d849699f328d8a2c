"""One thread, no screen, the same examples every time."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is imported
os.environ["MPLBACKEND"] = "agg"
os.environ["TRUSTKIT_AUTOSAVE"] = "0"  # what a test plays is played
signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # a shell's background job ignores it, and so would its children

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("trustkit", derandomize=True, deadline=None)
settings.load_profile("trustkit")

from tests.browser.driving import app_url, browser, chromium, page  # noqa: E402, F401 (fixtures of browser and bench)
from tests.turns import turn  # noqa: E402


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker a core for the whole suite, four at most; what is named by its path runs in this process."""
    whole = config.args == config.getini("testpaths")
    return min(len(os.sched_getaffinity(0)), 4) if whole else 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Where workers share the tests (`-n`), those of tests/bench take their times while no other test runs."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    shared = item.config._tmp_path_factory.getbasetemp().parent  # type: ignore[attr-defined]
    with turn(shared, alone=Path(__file__).parent / "bench" in item.path.parents):
        return (yield)


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
