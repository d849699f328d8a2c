"""Named random streams: the address decides, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from tests.strategies import seeds
from trustkit.rng import stream

steps = st.lists(st.integers(-(2**70), 2**70) | st.text(max_size=6), max_size=4)


def _draw(seed: int, *path: int | str) -> bytes:
    return stream(seed, *path).random(4).tobytes()


@given(seeds, steps)
def test_the_same_address_gives_the_same_numbers(seed: int, path: list[int | str]) -> None:
    """Whatever was drawn in between, here or elsewhere."""
    before = _draw(seed, *path)
    stream(seed, *path, "elsewhere").random(1000)
    np.random.default_rng(0).random(10)
    assert _draw(seed, *path) == before


@given(seeds, steps, seeds, steps)
def test_different_addresses_give_different_numbers(a: int, p: list[int | str], b: int, q: list[int | str]) -> None:
    """A step that is a number is not one that is a text, and steps do not run into each other."""
    assert (_draw(a, *p) == _draw(b, *q)) == ((a, p) == (b, q))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((0, 1), (0, "1")),
        ((0, "a", "b"), (0, "ab")),
        ((0, "a/s1:b"), (0, "a", "b")),
        ((0, 12), (0, 1, 2)),
        ((0,), (0, "")),
    ],
)
def test_addresses_that_look_alike_differ(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """The pairs that a careless joining of the steps would confuse."""
    assert _draw(*left) != _draw(*right)


def test_golden_numbers_stay() -> None:
    """Runs on other machines and in later versions draw the same numbers (BLAKE2b-128 as the key of Philox)."""
    import hashlib

    key = int.from_bytes(hashlib.blake2b(b"i7/i3/s6:client/i1", digest_size=16).digest(), "little")
    expected = np.random.Generator(np.random.Philox(key=key)).integers(0, 1000, 5)
    assert stream(7, 3, "client", 1).integers(0, 1000, 5).tolist() == expected.tolist()
    assert stream(0, "golden").integers(0, 1000, 5).tolist() == GOLDEN


GOLDEN = [790, 280, 154, 118, 674]


def test_numpy_integers_are_integers() -> None:
    """A round number may come out of an array."""
    assert _draw(np.int64(3), np.int32(4)) == _draw(3, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("step", [1.0, True, None, (1,)])
def test_other_steps_are_refused(step: object) -> None:
    """The message shows what came."""
    with pytest.raises(TypeError, match="a stream's address takes integers and strings, got ") as caught:
        stream(0, step)  # type: ignore[arg-type]
    assert str(caught.value).endswith(repr(step))


def test_neighbouring_streams_are_uniform_together() -> None:
    """The first numbers of 2,000 neighbouring streams look like uniform ones (Kolmogorov–Smirnov, fixed seeds)."""
    firsts = [stream(0, "client", k).random() for k in range(2000)]
    assert kstest(firsts, "uniform").pvalue > 0.01
