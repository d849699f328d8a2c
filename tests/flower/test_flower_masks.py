"""Masked sums: exact in the sum of all, noise in anything less, and one answer a purpose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("cryptography", reason="cryptography is not installed; pip install 'trustkit[flower]'")

from trustkit.flower.masks import masked, new_keys, unmasked
from trustkit.flower.telling import Counts, class_facts
from trustkit.horizontal.summing import word_sum
from trustkit.rng import stream


def sent(values: np.ndarray, purpose: str = "counts", fraction: int = 0) -> list[np.ndarray]:
    """Let every row be a participant's."""
    keys = [new_keys() for _ in values]
    public = [each[1] for each in keys]
    return [masked(row, *pair, public, purpose, fraction) for row, pair in zip(values, keys, strict=True)]


@pytest.mark.parametrize(("people", "fraction"), [(3, 0), (3, 32), (8, 32)])
def test_the_sum_is_that_of_the_simulation(people: int, fraction: int) -> None:
    """Bit for bit, of whole numbers and of others, negative ones too."""
    values = stream(1, "masks").normal(size=(people, 50)) * 100
    values = values if fraction else values.round()
    assert unmasked(sent(values, fraction=fraction), fraction).tolist() == word_sum(values, fraction=fraction).tolist()


def test_less_than_all_is_noise() -> None:
    """One word, or all but one, are spread over the whole range; the same numbers look different each time."""
    words = sent(np.zeros((4, 2000), int))
    for part in ([words[0]], words[:3]):
        share = np.sum(np.stack(part), axis=0, dtype=np.uint64) / 2.0**64
        assert abs(share.mean() - 0.5) < 0.03
        assert abs(np.quantile(share, 0.25) - 0.25) < 0.05
    assert not (sent(np.zeros((4, 2000), int))[0] == words[0]).any()


def test_purposes_have_masks_of_their_own() -> None:
    """The difference of two messages is no number of the client's."""
    keys = [new_keys() for _ in range(3)]
    public = [each[1] for each in keys]
    one, other = (masked(np.zeros(500, int), *keys[0], public, purpose) for purpose in ("labels", "groups"))
    assert not (one == other).any()


REFUSED: dict[str, Callable[[bytes, list[bytes]], list[bytes]]] = {
    "a masked sum must have at least 3 participants, got 2": lambda own, others: [own, others[0]],
    "a masked sum must have different keys, got one twice": lambda own, others: [own, others[0], others[0]],
    "a masked sum must be with one's own key, which was not": lambda own, others: others,
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_would_tell_too_much_is_refused(words: str) -> None:
    """By the client, whatever the server asks."""
    private, public = new_keys()
    others = [new_keys()[1] for _ in range(3)]
    with pytest.raises(ValueError, match=f"^{words}"):
        masked(np.zeros(3, int), private, public, REFUSED[words](public, others), "counts")


def test_words_of_another_kind_are_refused() -> None:
    """Lengths and types."""
    with pytest.raises(ValueError, match=r"^masked words must be of one length and 64 bits each"):
        unmasked([np.zeros(2, np.uint64), np.zeros(3, np.uint64)])
    with pytest.raises(ValueError, match=r"^masked words must be of one length and 64 bits each"):
        unmasked([np.zeros(2, np.int64)])


def test_counts_of_one_or_two_holders_are_withheld() -> None:
    """The sum of a class that two clients hold is theirs; with two classes its variation is as well."""
    total = np.array([40, 10, 5, 3, 2, 3, 4])
    told = class_facts(Counts(3, 4, 4, total))
    assert "data/class_counts" not in told
    assert told["data/withheld"] == "class counts, as fewer than 3 clients have rows of 1 of 3 classes"
    assert told["fairness/class_imbalance"] == pytest.approx(np.std([40, 10, 5]) / np.mean([40, 10, 5]))
    assert "fairness/class_imbalance" not in class_facts(Counts(2, 4, 4, np.array([40, 10, 4, 2, 4])))


def test_no_sum_is_said_to_be_none() -> None:
    """With the reason: too few, or one that fell silent."""
    assert class_facts(Counts(2, 5, 5, None)) == {
        "data/withheld": "class counts, since not every SuperNode that gave a key sent its words, and masks stay on"
    }
    assert "2 of 5 did" in class_facts(Counts(2, 5, 2, None))["data/withheld"]
