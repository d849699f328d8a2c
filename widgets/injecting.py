"""Bias on purpose: which clients, against whom, how large a gap; and what it would do, before anything is trained."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

import ipywidgets as w
import numpy as np
from trustkit.widgets.figures import to_svg
from trustkit.widgets.guard import guarded
from trustkit.widgets.lab import Lab
from trustkit.widgets.more import offer
from trustkit.widgets.numbers import amount, count, percent
from trustkit.widgets.setting import Setting
from trustkit.widgets.slider import Slider
from trustkit.widgets.strings import say, say_html
from trustkit.widgets.translated import english
from trustkit.widgets.view import View, tip

from trustkit.catalogue import SPLITS
from trustkit.injected import BIASED, Injected, injected_of, reachable
from trustkit.plot.labelgaps import MOST_SHOWN, label_gaps
from trustkit.rounds import data_of

__all__ = ["Injecting", "biased", "plain"]

_GAPS = tuple(k / 100 for k in range(61))
_SHARES = tuple(k / 20 for k in range(1, 21))
_RESTS = (*(k / 100 for k in range(31)), 1.0)
_FIRST_GAP = 0.2


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
        self.on = w.Checkbox(description=say("injecting.on"), indent=False)
        self.attribute = w.Dropdown(description=say("injecting.attribute"))
        self.value = w.Dropdown(description=say("injecting.value"))
        self.sliders = {
            name: Slider(stops, _spelt(name, stops), value, label=say(f"injecting.{name}"))
            for name, stops, value in (("gap", _GAPS, _FIRST_GAP), ("share", _SHARES, 0.5), ("rest", _RESTS, 1.0))
        }
        named = {"on": self.on, "attribute": self.attribute, "value": self.value, **self.sliders}
        for name, widget in named.items():
            widget.add_class(f"tk-b-{name}")
        self.picture = View(lab, _drawing(self), ("setting", "search"), "injected")
        self.box = w.VBox([self.picture, *named.values()])
        self._connect()
        lab.watch(lambda what: self.follow() if what == "setting" else None)
        self.follow()

    def _connect(self) -> None:
        self.on.observe(guarded(self.lab, "groups", lambda event: self._turn(event.new)), "value")
        self.attribute.observe(
            guarded(self.lab, "groups", lambda event: self._chosen(attribute=event.new, value="")), "value"
        )
        self.value.observe(guarded(self.lab, "groups", lambda event: self._chosen(value=event.new)), "value")
        for name, slider in self.sliders.items():
            slider.observe(guarded(self.lab, "groups", lambda _, name=name: self._slid(name)), "index")
            slider.observe(guarded(self.lab, "groups", lambda _: self.lab.let_go()), "released")

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
        turns = []
        if len(names) > 1:
            turns = [(say("injecting.then", first=names[0], second=names[1]), f"{names[0]},{names[1]}")]
        offer(self.attribute, [*((name, name) for name in names), *turns], given["attribute"] or names[0])
        several = "," in str(given["attribute"])
        values = () if several else data_of(setting.experiment()).codes(self.chosen())[1] if self._whole() else ()
        offer(self.value, [(say("injecting.the_one"), ""), *((value, value) for value in values)], given["value"])
        most = self._most(setting, self.chosen(), str(given["value"]), given["share"])
        stops = tuple(sorted({*(gap for gap in _GAPS if gap <= most), given["gap"]}))
        for name, stop in (("gap", stops), ("share", _SHARES), ("rest", _RESTS)):
            slider, value = self.sliders[name], given[name]
            stop = stop if value in stop else tuple(sorted((*stop, value)))
            with slider.hold_sync():
                slider.offer(stop, _spelt(name, stop), value)
        self.sliders["gap"].hint = "" if most >= 1 else say("injecting.most", most=f"{most:.2f}")

    def _whole(self) -> bool:
        """Whether one attribute is meant, not several crossed."""
        return self.chosen() in self._attributes()


def _spelt(name: str, stops: tuple[float, ...]) -> list[str]:
    """How the stops of a slider read."""
    if name == "share":
        return [percent(stop) for stop in stops]
    return [say("injecting.as_they_are") if name == "rest" and stop == 1 else f"{stop:.2f}" for stop in stops]


def _drawing(controls: Injecting) -> Callable[[Lab], str]:
    pictures: dict[str, Any] = {}

    def draw(lab: Lab) -> str:
        if not lab.setting.across_rows or lab.searching:
            return ""
        head = f"<h3>{say('injecting.title')}</h3>"
        try:
            experiment = lab.setting.experiment()
            if not data_of(experiment).sensitive:
                return f'{head}<p class="tk-sub">{say("fairness.none")}</p>'
            found = injected_of(experiment, controls.chosen())
        except (KeyError, ValueError) as error:
            why = str(error.args[0]) if error.args else str(error)
            return f'{head}<p class="tk-caveat" role="alert">{english(html.escape(why))}</p>'
        pictures["gaps"] = figure = label_gaps(found, pictures.get("gaps"))
        return f'{head}<p class="tk-sub">{_words(found)}</p>{to_svg(figure, _label(found))}'

    return draw


def _label(found: Injected) -> str:
    total = len(found.names)
    if total > MOST_SHOWN:
        return say("injecting.label_first", shown=MOST_SHOWN, total=total, achieved=_achieved(found))
    return say("injecting.label", total=total, achieved=_achieved(found))


def _achieved(found: Injected) -> str:
    exact = np.isfinite(found.asked) & ~found.at_most
    if not exact.any():
        low, high = _ends(found.achieved)
        return say("injecting.as_they_came", low=amount(low), high=amount(high))
    low, high = _ends(found.achieved[exact])
    asked = {"asked": amount(float(found.asked[exact][0])), "biased": int(exact.sum()), "total": len(found.names)}
    return say("injecting.achieved", low=amount(low, 3), high=amount(high, 3), **asked)


def _ends(values: np.ndarray) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (math.nan, math.nan)


def _words(found: Injected) -> str:
    names = list(dict.fromkeys(found.attributes))
    named = names[0] if len(names) == 1 else say("injecting.both", first=names[0], second=names[1])
    text = str(say_html("injecting.before", attributes=named, achieved=_achieved(found)))
    if np.isfinite(found.asked).any():
        dropped, rows = int(found.dropped.sum()), int(found.rows.sum())
        word, share = tip(say("injecting.dropped"), say("injecting.about")), percent(dropped / max(rows, 1), 1)
        text += say_html("injecting.rows", dropped=count(dropped), total=count(rows), word=word, share=share)
        text += say("injecting.legend")
    return f"{text}. {say('injecting.intervals')}"
