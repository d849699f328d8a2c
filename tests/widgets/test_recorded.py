"""The run that the app opens on is a real one: played anew, it comes out the same."""

from __future__ import annotations

import os

import numpy as np
from trustkit.widgets.app import RECORDED

import trustkit as tk


def test_recorded_run_is_what_the_preset_gives() -> None:
    """Set TRUSTKIT_RECORD=1 to write it anew after a change of the engine or the preset."""
    fresh = tk.run(tk.presets()["start"])
    if os.environ.get("TRUSTKIT_RECORD") == "1":
        tk.store.save(fresh, RECORDED)
    kept = tk.store.load(RECORDED)
    assert kept.experiment == fresh.experiment
    assert kept.complete
    np.testing.assert_array_equal(kept.selected, fresh.selected)
    np.testing.assert_allclose(kept.accuracy, fresh.accuracy, atol=0.01)
    np.testing.assert_allclose(kept.last.state["params"], fresh.last.state["params"], atol=1e-3)
