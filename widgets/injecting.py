"""Bias on purpose: which clients, against whom, how large a gap; and what it would do, before anything is trained."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

import ipywidgets as w
import numpy as np
from trustkit.widgets.fairness import NONE
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount
from trustkit.widgets.setting import Setting
from trustkit.widgets.slider import Slider
from trustkit.widgets.view import View, tip

from trustkit.catalogue import SPLITS
from trustkit.injected import BIASED, Injected, injected_of, reachable
from trustkit.plot import to_svg
from trustkit.plot.labelgaps import MOST_SHOWN, label_gaps
from trustkit.rounds import data_of

__all__ = ["Injecting", "biased", "plain"]

_GAPS = tuple(k / 100 for k in range(61))
_SHARES = tuple(k / 20 for k in range(1, 21))
_RESTS = (*(k / 100 for k in range(31)), 1.0)
_FIRST_GAP = 0.2

_HOW = (
    "Training rows with the favourable label are dropped from the groups whose rate is to fall, chosen by the seed; "
    "n rows of which k are favourable, r = k/n, get the rate r′ when the share (r − r′) ÷ (r (1 − r′)) of the k is "
    "dropped. The gap of a trained model follows only loosely. Source: FeDa4Fair, whose search is replaced by the "
    "closed form."
)


def biased(setting: Setting) -> Setting:
    """Return a setting whose clients are made as before and then biased.

    Parameters
    ----------
    setting : Setting
        Over rows.

    Returns
    -------
    Setting
        With the split "biased"; a rule that it does not know gives way to "iid".
    """
    if setting.rows_split == BIASED:
        return setting
    (known,) = (each.choices for each in SPLITS[BIASED].parameters if each.name == "rule")
    rule = setting.rows_split if setting.rows_split in (known or ()) else "iid"
    group = setting.further("split").get("group")
    given = {"split__rule": rule, **({"split__group": group} if group else {})}
    moved = setting.change(rows_split=BIASED)
    return moved.change(more={**dict(moved.more), **given})


def plain(setting: Setting) -> Setting:
    """Return a setting without the bias.

    Parameters
    ----------
    setting : Setting
        Over rows.

    Returns
    -------
    Setting
        Clients are made by the rule alone.
    """
    if setting.rows_split != BIASED:
        return setting
    given = setting.further("split")
    moved = setting.change(rows_split=given.get("rule", "iid"))
    group = {"split__group": given["group"]} if given.get("group") and moved.rows_split == "by_group" else {}
    return moved.change(more={**dict(moved.more), **group})


class Injecting:
    """The controls and the preview.

    Parameters
    ----------
    lab : Lab
        Whose split it is.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab, self._following = lab, False
        self.on = w.Checkbox(description="drop rows on purpose", indent=False)
        self.attribute, self.value = w.Dropdown(description="attribute"), w.Dropdown(description="worst off")
        self.sliders = {
            "gap": Slider(_GAPS, [f"{gap:.2f}" for gap in _GAPS], _FIRST_GAP, label="gap of the labels"),
            "share": Slider(_SHARES, [f"{share:.0%}" for share in _SHARES], 0.5, label="of the clients"),
            "rest": Slider(_RESTS, [*(f"{rest:.2f}" for rest in _RESTS[:-1]), "as they are"], 1.0,
                           label="others at most"),
        }  # fmt: skip
        named = {"on": self.on, "attribute": self.attribute, "value": self.value, **self.sliders}
        for name, widget in named.items():
            widget.add_class(f"tk-b-{name}")
        self.picture = View(lab, _drawing(self), ("setting", "search"), "injected")
        self.box = w.VBox([self.picture, *named.values()])
        self._connect()
        lab.watch(lambda what: self.follow() if what == "setting" else None)
        self.follow()

    def _connect(self) -> None:
        self.on.observe(lambda event: self._turn(event.new), "value")
        self.attribute.observe(lambda event: self._chosen(attribute=event.new, value=""), "value")
        self.value.observe(lambda event: self._chosen(value=event.new), "value")
        for name, slider in self.sliders.items():
            slider.observe(lambda _, name=name: self._slid(name), "index")
            slider.observe(lambda _: self.lab.let_go(), "released")

    def given(self) -> dict[str, Any]:
        """Return what the biased split is given, with its defaults.

        Returns
        -------
        dict
            By parameter.
        """
        further = self.lab.setting.further("split") if self.lab.setting.rows_split == BIASED else {}
        return {**{each.name: each.default for each in SPLITS[BIASED].parameters}, **further}

    def _attributes(self) -> tuple[str, ...]:
        setting = self.lab.setting
        try:
            return tuple(data_of(setting.experiment()).sensitive) if setting.across_rows else ()
        except Exception:  # the page shows it in a card
            return ()

    def chosen(self) -> str:
        """Return the attribute that is looked at: the one that the split is given, else the first.

        Returns
        -------
        str
            Empty without a protected attribute.
        """
        asked = str(self.given()["attribute"]).split(",")[0].strip()
        return asked or next(iter(self._attributes()), "")

    def _turn(self, on: bool) -> None:
        if self._following:
            return
        setting = biased(self.lab.setting) if on else plain(self.lab.setting)
        if on:
            gap = min(_FIRST_GAP, self._most(setting, self.chosen(), "", self.given()["share"]))
            setting = setting.change(more={**dict(setting.more), "split__gap": gap})
        self.lab.go(setting)

    def _slid(self, name: str) -> None:
        if name == "gap":
            self._change("bias gap", gap=self.sliders["gap"].value)
        elif name == "rest":
            self._change("bias rest", rest=self.sliders["rest"].value)
        else:
            self._change("bias share", **self._within(share=self.sliders["share"].value))

    def _chosen(self, **changes: Any) -> None:
        if not self._following:
            self._change("", **self._within(**changes))

    def _within(self, **changes: Any) -> dict[str, Any]:
        """Make the gap as small as the clients that are now meant can be given."""
        now = {**self.given(), **changes}
        attribute = str(now["attribute"]).split(",")[0].strip() or self.chosen()
        most = self._most(self.lab.setting, attribute, str(now["value"]), now["share"])
        return {**changes, "gap": min(now["gap"], most)} if now["gap"] > most else changes

    def _change(self, drag: str, **changes: Any) -> None:
        if not self._following and self.lab.setting.rows_split == BIASED:
            more = {f"split__{name}": value for name, value in changes.items()}
            self.lab.change(drag, more={**dict(self.lab.setting.more), **more})

    def _most(self, setting: Setting, attribute: str, value: str, share: float) -> float:
        """The largest stop of the gap that every biased client can be given; 1 where that is not known."""
        try:
            found = reachable(setting.experiment(), attribute, value)
        except Exception:  # the preview says why
            return 1.0
        found = found[: max(1, math.ceil(round(share * found.size, 9)))]
        return 1.0 if np.isnan(found).any() else math.floor(100 * float(found.min())) / 100

    def follow(self) -> None:
        """Stand where the setting stands."""
        self._following = True
        try:
            self._stand()
        finally:
            self._following = False

    def _stand(self) -> None:
        setting, names, given = self.lab.setting, self._attributes(), self.given()
        on = setting.rows_split == BIASED and setting.across_rows
        self.box.layout.display = "" if names else "none"
        self.on.value = on
        for widget in (self.attribute, self.value, *self.sliders.values()):
            widget.layout.display = "" if on and names else "none"
        if not on or not names:
            return
        turns = [(f"{names[0]}, then {names[1]}", f"{names[0]},{names[1]}")] if len(names) > 1 else []
        offer(self.attribute, [*((name, name) for name in names), *turns], given["attribute"] or names[0])
        several = "," in str(given["attribute"])
        values = () if several else data_of(setting.experiment()).codes(self.chosen())[1] if self._whole() else ()
        offer(self.value, [("the one that is", ""), *((value, value) for value in values)], given["value"])
        most = self._most(setting, self.chosen(), str(given["value"]), given["share"])
        stops = tuple(sorted({*(gap for gap in _GAPS if gap <= most), given["gap"]}))
        for name, stop in (("gap", stops), ("share", _SHARES), ("rest", _RESTS)):
            slider, value = self.sliders[name], given[name]
            stop = stop if value in stop else tuple(sorted((*stop, value)))
            spell = "{:.0%}".format if name == "share" else "{:.2f}".format
            texts = ["as they are" if name == "rest" and each == 1 else spell(each) for each in stop]
            with slider.hold_sync():
                slider.offer(stop, texts, value)
        self.sliders["gap"].hint = "" if most >= 1 else f"up to {most:.2f}: the labels of these clients allow no more"

    def _whole(self) -> bool:
        """Whether one attribute is meant, not several crossed."""
        return self.chosen() in self._attributes()


def _drawing(controls: Injecting) -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}

    def draw(lab: Lab) -> str:
        if not lab.setting.across_rows or lab.searching:
            return ""
        head = "<h3>Bias on purpose</h3>"
        try:
            experiment = lab.setting.experiment()
            if not data_of(experiment).sensitive:
                return f'{head}<p class="tk-sub">{NONE}</p>'
            found = injected_of(experiment, controls.chosen())
        except (KeyError, ValueError) as error:
            why = str(error.args[0]) if error.args else str(error)
            return f'{head}<p class="tk-caveat" role="alert">{html.escape(why)}</p>'
        pictures["gaps"] = figure = label_gaps(found, pictures.get("gaps"))
        return f'{head}<p class="tk-sub">{_words(found)}</p>{to_svg(figure, _label(found))}'

    return draw


def _label(found: Injected) -> str:
    total = len(found.names)
    shown = f"the first {MOST_SHOWN} of {total}" if total > MOST_SHOWN else f"{total}"
    return f"Gap of the labels before training, {shown} clients: {_achieved(found)}"


def _achieved(found: Injected) -> str:
    exact = np.isfinite(found.asked) & ~found.at_most
    if not exact.any():
        return f"{amount(_ends(found.achieved)[0])} to {amount(_ends(found.achieved)[1])} as the rows came"
    low, high = _ends(found.achieved[exact])
    return (
        f"asked {amount(float(found.asked[exact][0]))} at {int(exact.sum())} of {len(found.names)} clients, achieved "
        f"{amount(low, 3)} to {amount(high, 3)}"
    )


def _ends(values: np.ndarray) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (math.nan, math.nan)


def _words(found: Injected) -> str:
    names = " and ".join(dict.fromkeys(found.attributes))
    text = f"Before training, by {html.escape(names)}: {_achieved(found)}"
    if np.isfinite(found.asked).any():
        dropped, rows = int(found.dropped.sum()), int(found.rows.sum())
        text += f"; {dropped:,} of {rows:,} training rows {tip('dropped', _HOW)}, {dropped / max(rows, 1):.1%}. "
        text += "Held-out rows stay as they came. Hollow: as the rows came; solid: now; stroke: asked"
    return f"{text}. Lines: 95\u202f% intervals."
