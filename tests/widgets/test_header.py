"""The header: presets with their caveats, undo and redo, a baseline and files to take home."""

from __future__ import annotations

from trustkit.widgets import Lab
from trustkit.widgets.header import Header
from trustkit.widgets.player import measure

import trustkit as tk
from tests.widgets.labs import PLAIN, setting_of
from trustkit.preset import PRESETS


def test_header_buttons_and_presets() -> None:
    """Pin changes its name; a preset is one step; its caveat is shown while the controls stand on it, and only then."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    header = Header(lab)
    header.buttons["pin"].click()
    assert (header.buttons["pin"].description, lab.baseline) == ("Unpin", lab.outcome)
    header.buttons["pin"].click()
    assert header.buttons["pin"].description == "Pin"
    header.preset.value = "paper/experiment-4"
    assert lab.experiment == PRESETS["paper/experiment-4"].make()
    assert PRESETS["paper/experiment-4"].caveat in header.caveat.value
    lab.change(seed=3)
    assert (header.preset.value, header.caveat.value) == ("", "")
    header.buttons["undo"].click()
    assert header.preset.value == "paper/experiment-4"
    assert PRESETS["paper/experiment-4"].caveat in header.caveat.value
    header.buttons["undo"].click()
    assert (lab.experiment, header.preset.value, header.caveat.value) == (PLAIN, "", "")
    header.buttons["redo"].click()
    header.buttons["reset"].click()
    assert lab.setting == lab.first


def test_files_to_take_home() -> None:
    """Every file of a result, inside the page; they go when the result does."""
    lab = Lab(setting_of(PLAIN), measure(tk.run(PLAIN)))
    header = Header(lab)
    header.buttons["report"].click()
    for name in ("report.html", "report.json", "report.md", "report.csv", "factsheet.json", "rounds.csv"):
        assert f">{name}</a>" in header.files.value
    assert f'download="trustkit_{PLAIN.key[:8]}_experiment.toml"' in header.files.value
    assert "http" not in header.files.value.replace("http-equiv", "")
    lab.change(seed=4)
    assert header.files.value == ""
    empty = Header(Lab(setting_of(PLAIN)))
    empty.buttons["report"].click()
    assert "Nothing measured yet" in empty.files.value
