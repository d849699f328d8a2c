"""The optional parts of an experiment: an attack, faults, secure sums."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trustkit import jsonfile, store
from trustkit.catalogue import use
from trustkit.experiment import Experiment
from trustkit.horizontal import RowTrainer
from trustkit.preset import presets
from trustkit.rounds import build, play, run

PLAIN = Experiment("breast_cancer", use("iid", parties=6), use("fedavg", batch=64), "logistic", rounds=3)
FULL = PLAIN.change(attack=use("label_flip", share=0.4), faults=use("mixed", dropout=0.3, error=0.1), secure=True)

KEYS = {
    "start": "d778d09a95e01608634e9e50199b36160ee76e73b6f9f031fb17b734315eb28d",
    "start/private": "cb3382fc0d20b3b8e93cf06f0bc03c617b6b0e56aabf8a5609ee8b4aeb5e3380",
    "vertibench/importance": "edaa7b78b0c13b9adf8e191fb1a141ae01a1106f64bf0fb26abed1237eaccbaf",
}
"""Of experiments stored before these parts existed."""


@pytest.mark.parametrize("name", KEYS)
def test_parts_that_are_not_set_leave_no_trace(name: str) -> None:
    """Not in the key, by which stored runs are found, nor in files; said or not, it is the same experiment."""
    wanted = presets()[name]
    assert wanted.key == KEYS[name]
    assert wanted.change(attack=None, faults=None, secure=False).key == KEYS[name]
    assert not {"attack", "faults", "secure"} & set(wanted.to_dict())
    assert "secure" not in wanted.to_toml()


@pytest.mark.parametrize("changes", [{"attack": "label_flip"}, {"faults": "dropout"}, {"secure": True}])
def test_each_part_changes_the_key(changes: dict[str, Any]) -> None:
    """And so does an argument of it."""
    changed = PLAIN.change(**changes)
    assert changed.key != PLAIN.key
    assert changed.change(attack=None, faults=None, secure=False) == PLAIN
    assert PLAIN.change(attack="label_flip").change(attack__share=0.5).key != PLAIN.change(attack="label_flip").key


def test_parts_go_through_dict_json_and_toml() -> None:
    """And "none" says what TOML cannot where it is not the default."""
    for experiment in (
        FULL, FULL.change(attack="backdoor"), FULL.change(attack=use("model_replacement", boost=4)),
        FULL.change(faults=use("stragglers", wait=3)), PLAIN.change(secure=True),
    ):  # fmt: skip
        assert Experiment.from_dict(jsonfile.loads(jsonfile.dumps(experiment.to_dict()))) == experiment
        back = Experiment.from_toml(experiment.to_toml())
        assert back == experiment
        assert back.key == experiment.key
    by_hand = 'data = "breast_cancer"\nmodel = "logistic"\nattack = "sign_flip"\nsecure = true\n[split]\nname = "iid"\n'
    by_hand += '[faults]\nname = "mixed"\nwait = "none"\nerror = 0.5\n'
    read = Experiment.from_toml(by_hand)
    assert (read.secure, read.attack) == (True, use("sign_flip", share=0.2, scale=1.0))
    assert read.faults is not None
    assert (read.faults.args["wait"], read.faults.args["error"]) == (None, 0.5)


def test_build_gives_the_trainer_its_parts() -> None:
    """Who attacks is known, and what they do is the trainer's; without parts it is the trainer as it ever was."""
    built = build(FULL)
    assert isinstance(built.trainer, RowTrainer)
    assert built.attack is not None
    assert built.attack.clients.size == 2
    assert built.trainer.relabel is built.attack.relabel is not None
    assert built.trainer.faults is not None
    assert built.trainer.faults.dropout == 0.3
    assert built.trainer.secure
    plain = build(PLAIN)
    assert isinstance(plain.trainer, RowTrainer)
    assert (plain.attack, plain.trainer.relabel, plain.trainer.faults) == (None, None, None)
    assert not plain.trainer.secure


def test_an_attack_hurts_and_going_on_after_a_round_gives_the_same_rounds() -> None:
    """Bit for bit, with all parts at once, from a round that a file brought back."""
    hurt = run(PLAIN.change(attack=use("sign_flip", share=0.6, scale=3.0))).accuracy[-1].mean()
    assert hurt < run(PLAIN).accuracy[-1].mean() - 0.2
    whole = list(play(FULL))
    rest = list(play(FULL, after=whole[0]))
    for one, other in zip(rest, whole[1:], strict=True):
        assert one.state.keys() == other.state.keys()
        assert all(np.array_equal(one.state[name], other.state[name]) for name in one.state)


def test_outcomes_are_stored(tmp_path: Path) -> None:
    """They are part of the last round's state."""
    record = run(FULL)
    back = store.load(store.save(record, tmp_path / "run.npz"))
    assert back.experiment == FULL
    assert np.array_equal(back.last.state["outcomes"], record.last.state["outcomes"])
    assert record.last.state["outcomes"].sum() == 18
    assert (record.selected.sum(0) == 3).all()


COLUMNS = {"split": "correlation", "algorithm": "splitnn", "model": None}


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"attack": use("label_flip", share=2)}, ValueError, "label_flip: share must be between 0 and 1, got 2.0"),
        ({"attack": use("label_flip", force=1)}, ValueError,
         "label_flip has no parameter 'force'; it takes share, source, target"),
        ({"faults": use("dropout", chance=-1)}, ValueError, "dropout: chance must be between 0 and 1, got -1.0"),
        ({"secure": 1}, TypeError, "secure must be true or false, got 1"),
        ({"attack": True}, TypeError, "a part of an experiment must be a name or a use, got True"),
        ({**COLUMNS, "attack": "label_flip"}, ValueError,
         "attack must stay unset across columns, got 'label_flip'"),
        ({**COLUMNS, "faults": "dropout"}, ValueError, "faults must stay unset across columns, got 'dropout'"),
        ({**COLUMNS, "secure": True}, ValueError, "secure must stay unset across columns, got True"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_when_it_is_made(changes: Any, error: type[Exception], text: str) -> None:
    """In one sentence that names the thing, the rule and what came."""
    with pytest.raises(error) as caught:
        PLAIN.change(**changes)
    assert caught.value.args == (text,)


def test_an_unknown_attack_lists_the_known_ones() -> None:
    """And offers the nearest."""
    with pytest.raises(KeyError, match="there is no attack 'labelflip'; did you mean 'label_flip'"):
        PLAIN.change(attack="labelflip")
    with pytest.raises(KeyError, match=r"there is no kind of fault 'drop'; .*known are "):
        PLAIN.change(faults="drop")


def test_a_rule_that_needs_single_updates_refuses_to_play_securely() -> None:
    """Before the first round is asked for; so does an attack on a class that there is not."""
    with pytest.raises(ValueError, match=r"^krum must run without secure sums, because its server looks at each"):
        play(PLAIN.change(algorithm="krum", secure=True))
    with pytest.raises(ValueError, match=r"^target must be one of the classes 0 … 1 of breast_cancer, got 7$"):
        play(PLAIN.change(attack=use("backdoor", target=7)))
