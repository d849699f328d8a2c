"""Ratios of engines to reference loops beside the committed ones; only with ``TRUSTKIT_BENCH=1``, as it takes times."""

from __future__ import annotations

import os

import pytest

from tests.bench.ratios import measure


@pytest.mark.skipif(os.environ.get("TRUSTKIT_BENCH") != "1", reason="takes times: TRUSTKIT_BENCH=1")
def test_no_ratio_has_grown() -> None:
    """By more than 1.3 times."""
    found, complaints = measure()
    print(found)
    assert complaints == []
