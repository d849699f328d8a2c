"""Landsat: four natural parties of a data set that is shipped."""

from __future__ import annotations

import numpy as np

from trustkit.datasets.bundled import landsat
from trustkit.split.measured import column_correlation


def test_landsat_has_four_bands() -> None:
    """UCI's counts by class; its file's first row; nine columns a band, taken in turn; neighbours in a band agree."""
    data = landsat()
    assert data.X.shape == (6435, 36)
    assert dict(zip(data.classes, np.bincount(data.y).tolist(), strict=True)) == {
        "cotton crop": 703, "damp grey soil": 626, "grey soil": 1358, "red soil": 1533, "vegetation stubble": 707,
        "very damp grey soil": 1508,
    }  # fmt: skip
    assert data.X[0, :8].tolist() == [92, 115, 120, 94, 84, 102, 106, 79]
    assert (data.X.min(), data.X.max()) == (27, 157)
    assert data.columns[:5] == ("green.0", "red.0", "infrared1.0", "infrared2.0", "green.1")
    assert all(column.partition(".")[0] == view for column, view in zip(data.columns, data.notes["views"], strict=True))
    corr = column_correlation(data)
    same = np.equal.outer(data.notes["views"], data.notes["views"])
    assert corr[same].mean() > 0.8 > np.abs(corr[~same]).mean()
    assert not data.provenance.synthetic
