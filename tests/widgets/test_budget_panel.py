"""What privacy costs, on the page: real runs at six ε, what they show, what ε means in words."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from trustkit.widgets import Lab, PrivacyPanel
from trustkit.widgets.player import measure
from trustkit.widgets.view import View

import trustkit as tk
from tests.widgets.labs import COLUMNS, Gate, setting_of, tree
from trustkit import use
from trustkit.privacysweep import EPSILONS, attack_bound, budget_points, epsilon_grid, posterior_bound

SMALL = tk.Experiment("acs_employment", use("iid", parties=3), model="logistic", rounds=1, seed=1)
NOISY = SMALL.change(privacy=use("gaussian", epsilon=4.0))


def panel(experiment: tk.Experiment, trained: bool = True) -> tuple[Any, Any, dict[str, Any]]:
    """Open the panel; return the lab, the panel and its views by name."""
    lab = Lab(setting_of(experiment), measure(tk.run(experiment)) if trained else None)
    box = PrivacyPanel(lab)
    return lab, box, {each.name: each for each in tree(box) if isinstance(each, View)}


def test_the_sweep_plays_real_runs() -> None:
    """Six ε and no noise: numbers in the table are those of the runs, and the page's own run is not played again."""
    lab, box, views = panel(SMALL)
    seeds, start, _ = box.children[1].children
    seeds.value = 1
    assert "1 of 7 runs are there" in views["swept"].value
    start.click()
    assert "all 7 runs are there" in views["swept"].value
    grid = epsilon_grid(SMALL, seeds=1)
    points = budget_points({key: lab.results.of(experiment).record for key, experiment in grid.items()})
    assert [point.asked for point in points] == [*EPSILONS, math.inf]
    rows = re.findall(r'<th scope="row">([^<]+)</th><td>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td><td>([0-9.]+)',
                      views["swept"].value)  # fmt: skip
    assert rows == [
        (f"ε = {point.asked:g}", f"{point.epsilon:.2f}", f"{point.noise:.2f}", _percent(point.epsilon),
         f"{point.quality.mean:.3f}")
        for point in points[:-1]
    ] + [("no noise", "n/a", "n/a", "n/a", f"{points[-1].quality.mean:.3f}")]  # fmt: skip
    assert 'aria-label="Quality by ε: ε = 0.1: accuracy' in views["swept"].value
    assert lab.outcome.record.experiment == SMALL


def _percent(epsilon: float) -> str:
    share = attack_bound(epsilon, 1e-5)
    return "> 99.9 %" if share >= 0.9995 else f"{100 * share:.3g} %"


def test_epsilon_in_words() -> None:
    """Whom it protects, from whom, with the bound's numbers; n/a where there is no noise."""
    lab, _, views = panel(NOISY)
    said = re.sub(r'<span class="tk-unseen">.*?</span>|<[^>]+>', "", views["privacy"].value)
    epsilon = lab.outcome.record.last.epsilon
    assert f"has spent ε = {epsilon:.2f} at δ = 1e-05. It protects one row against whoever" in said
    assert f"right at most {100 * attack_bound(epsilon, 1e-5):.3g} %" in said
    assert f"a suspicion of 1 % can rise to at most {100 * posterior_bound(epsilon, 0.01):.3g} %" in said
    assert "dp-accounting" in views["swept"].value or "accountant" in said
    lab, _, views = panel(SMALL)
    assert "<b>without noise: ε is n/a</b>" in views["privacy"].value


def test_where_epsilon_cannot_be_varied() -> None:
    """Across columns without a mechanism: said, and the button is off; with one it can."""
    _, box, views = panel(COLUMNS, trained=False)
    assert "it has to be said first what is protected" in views["swept"].value
    assert box.children[1].children[1].disabled
    _, box, views = panel(COLUMNS.change(privacy=use("column_noise", protects="labels")), trained=False)
    assert "0 of 14 runs are there" in views["swept"].value
    assert not box.children[1].children[1].disabled


def test_what_is_refused_is_said() -> None:
    """An algorithm that takes no noise: each run fails with its sentence, once."""
    lab, box, views = panel(SMALL, trained=False)

    def refuse(experiment: Any, *_: Any) -> Any:
        raise ValueError(f"no <noise> here: {experiment.seed}")

    lab.player.work = refuse
    box.children[1].children[0].value = 1
    box.children[1].children[1].click()
    assert views["swept"].value.count('role="alert"') == 1
    assert "Not played: no &lt;noise&gt; here: 1" in views["swept"].value


def test_the_sweep_can_be_stopped() -> None:
    """In mid run: what was trained stays, the rest is left out."""
    import asyncio

    async def test() -> None:
        gate = Gate()
        lab = gate.lab(SMALL.change(rounds=2))
        box = PrivacyPanel(lab)
        view = next(each for each in tree(box) if getattr(each, "name", "") == "swept")
        _, start, halt = box.children[1].children
        start.click()
        await asyncio.to_thread(gate.arrive)
        assert start.disabled
        assert not halt.disabled
        gate.open()
        await asyncio.to_thread(gate.arrive)
        halt.click()
        gate.open()
        for _ in range(400):
            await asyncio.sleep(0.05)
            if not start.disabled:
                break
        assert "0 of 14 runs are there" in view.value
        assert halt.disabled

    asyncio.run(test())


@pytest.mark.parametrize("name", ["setting", "outcome"])
def test_the_picture_is_drawn_only_when_runs_came(name: str) -> None:
    """A change of nothing that is shown redraws nothing."""
    lab, _, views = panel(NOISY)
    drawn = views["swept"].value
    lab.hearing.tell(name)
    assert views["swept"].value is drawn or views["swept"].value == drawn
