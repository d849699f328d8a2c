"""One room for all tests that change nothing in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.driving import browser, chromium, page  # noqa: F401
from tests.serving.visiting import Served, room


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A public room with two pages drawn in advance."""
    with room(tmp_path_factory.mktemp("room"), pool=2) as running:
        yield running
