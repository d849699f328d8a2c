"""What goes wrong in a panel's callback fails the test: nobody sees the red card there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from trustkit.widgets.guard import strict


@pytest.fixture(autouse=True)
def guards() -> Iterator[None]:
    """They raise; a module that tests what they show instead has a fixture of this name that changes nothing."""
    with strict():
        yield
