"""More settings: whatever an entry takes beside the sliders can be set, and reaches the experiment."""

from __future__ import annotations

import math
from typing import Any

import ipywidgets as w
from trustkit.widgets.controls import Controls
from trustkit.widgets.lab import Lab
from trustkit.widgets.setting import Setting

from trustkit import use


def boxes(controls: Controls) -> dict[str, Any]:
    """The controls in the fold, which is opened, by their label."""
    controls.more.children[0].value = True
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


def test_attack_faults_and_secure_sums_are_chosen_here_with_their_arguments() -> None:
    """Each moves its own field and reaches the experiment; across columns they hide."""
    lab = Lab(Setting(data="breast_cancer", clients=4, selection=1.0))
    controls = Controls(lab)
    first = boxes(controls)
    assert [first[name].value for name in ("attack", "faults", "secure sums")] == ["", "", False]
    first["attack"].value = "sign_flip"
    first["faults"].value = "mixed"
    first["secure sums"].value = True
    assert {"share", "scale", "dropout", "error", "spread"} <= set(boxes(controls))
    lr = boxes(controls)["lr"]
    boxes(controls)["scale"].value = 5.0
    boxes(controls)["dropout"].value = 0.25
    experiment = lab.experiment
    assert experiment is not None
    assert experiment.attack == use("sign_flip", share=0.2, scale=5.0)
    assert experiment.faults is not None
    assert experiment.faults.args["dropout"] == 0.25
    assert experiment.secure
    assert boxes(controls)["lr"] is lr
    lab.undo()
    assert boxes(controls)["dropout"].value == 0.1
    lab.change(axis="columns")
    hidden = [boxes(controls)[name].layout.display for name in ("attack", "faults", "secure sums")]
    assert hidden == ["none", "none", "none"]
    assert "scale" not in boxes(controls)
    lab.change(axis="rows", attack="")
    assert boxes(controls)["secure sums"].layout.display == ""
    assert "share" not in boxes(controls)


def test_an_optional_number_reaches_the_experiment_and_comes_back() -> None:
    """Boost of a model replacement and the wait of faults: none, then a number, then undone; a setting shows them."""
    lab = Lab(Setting(data="breast_cancer", clients=4, attack="model_replacement", faults="mixed"))
    controls = Controls(lab)
    controls.more.children[0].value = True  # forms are made when the fold is opened first

    def rows() -> dict[str, Any]:
        found = [box for part in controls.more.children[1].children for box in getattr(part, "children", ())]
        return {box.children[0].description: box.children for box in found if isinstance(box, w.HBox)}

    def given() -> tuple[Any, Any]:
        experiment = lab.experiment
        return experiment.attack.args["boost"], experiment.faults.args["wait"]

    switch, number = rows()["boost"]
    assert (given(), number.disabled) == ((None, None), True)
    switch.value = True
    number.value = 12.5
    rows()["wait"][0].value = True
    rows()["wait"][1].value = 3.0
    assert given() == (12.5, 3.0)
    assert rows()["boost"] == (switch, number)
    again = Controls(Lab(Setting.of(lab.experiment)))
    again.more.children[0].value = True
    assert {box.children[0].description: box.children[1].value
            for part in again.more.children[1].children for box in getattr(part, "children", ())
            if isinstance(box, w.HBox) and box.children[0].value} == {"boost": 12.5, "wait": 3.0}  # fmt: skip
    switch.value = False
    assert given() == (None, 3.0)
    lab.undo()
    assert given() == (12.5, 3.0)
    assert [box.value for box in rows()["boost"]] == [True, 12.5]


def test_privacy_across_columns_has_a_menu_and_a_form() -> None:
    """All of a mechanism is in the form, ε too; across rows the menu is hidden and sliders move ε."""
    lab = Lab(Setting(axis="columns", table="wine", columns_split="importance"))
    controls = Controls(lab)
    menu = boxes(controls)["privacy"]
    assert menu.layout.display == ""
    assert {name for _, name in menu.options} == {"", "randomised_labels", "column_noise"}
    menu.value = "column_noise"
    assert {"protects", "epsilon", "noise", "delta", "clip"} <= set(boxes(controls))
    boxes(controls)["value of epsilon"].value = 2.5
    experiment = lab.experiment
    assert experiment is not None
    assert experiment.privacy is not None
    assert (experiment.privacy.name, experiment.privacy.args["epsilon"]) == ("column_noise", 2.5)
    lab.change(axis="rows")
    assert menu.layout.display == "none"
    assert "protects" not in boxes(controls)
    lab.undo()
    lab.change(guard="")
    assert "protects" not in boxes(controls)
