"""More settings: whatever an entry takes beside the sliders can be set, and reaches the experiment."""

from __future__ import annotations

import math
from typing import Any

import ipywidgets as w
from trustkit.widgets.controls import Controls
from trustkit.widgets.lab import Lab
from trustkit.widgets.setting import Setting


def boxes(controls: Controls) -> dict[str, Any]:
    """The controls in the fold, by their label."""
    found: dict[str, Any] = {}

    def walk(widget: w.Widget) -> None:
        if getattr(widget, "description", ""):
            found[widget.description] = widget
        for child in getattr(widget, "children", ()):
            walk(child)

    walk(controls.more)
    return found


def test_every_part_has_its_form_and_sliders_are_not_repeated() -> None:
    """Split, training, model and, once ε is on, the mechanism."""
    lab = Lab(Setting(model="mlp", rows_split="label_classes"))
    controls = Controls(lab)
    assert {"seed", "classes per party", "lr", "epochs", "batch", "hidden"} <= set(boxes(controls))
    assert not {"alpha", "parties", "epsilon", "level", "clip"} & set(boxes(controls))
    lab.change(epsilon=6.0)
    assert {"clip", "delta", "sampling"} <= set(boxes(controls))
    lab.change(epsilon=math.inf)
    assert "clip" not in boxes(controls)


def test_a_change_reaches_the_experiment_and_keeps_its_box() -> None:
    """Classes per client, hidden layers and clip land in their parts; the box that was typed in stays."""
    lab = Lab(Setting(data="digits", model="mlp", rows_split="label_classes", epsilon=6.0))
    controls = Controls(lab)
    box = boxes(controls)["classes per party"]
    box.value = 3
    boxes(controls)["hidden"].value = "32, 16"
    boxes(controls)["clip"].value = 0.5
    assert boxes(controls)["classes per party"] is box
    experiment = lab.experiment
    assert experiment is not None
    assert experiment.split.args["classes_per_party"] == 3
    assert experiment.model is not None
    assert experiment.model.args["hidden"] == (32, 16)
    assert experiment.privacy is not None
    assert experiment.privacy.args["clip"] == 0.5


def test_across_columns_the_joint_algorithm_is_offered() -> None:
    """SplitNN's layers and learning rate, and nothing of the rows."""
    lab = Lab(Setting(axis="columns"))
    names = set(boxes(Controls(lab)))
    assert {"local", "top", "lr", "batch", "weight decay"} <= names
    assert "hidden" not in names
