"""Coverage-guided fuzzing by atheris, a command of its own: ``python -m tests.fuzz.guided TARGET [-runs=N …]``.

It needs ``pip install atheris`` (Linux). The bytes it grows are read as recipes of changes to the valid folder, so that
it walks through readers instead of failing at the first byte; what trustkit's own code does with them guides it. It
stops at the first finding and prints the recipe.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

with atheris.instrument_imports(include=["trustkit"]):
    from tests.fuzz.recipes import recipe_from
    from tests.fuzz.seeds import SEEDS
    from tests.fuzz.worker import tried

__all__ = ["main"]


def main(arguments: list[str]) -> None:
    """Fuzz one target until it is stopped, has run as often as was asked, or something is found.

    Parameters
    ----------
    arguments : list of str
        The program, the target, and options of libFuzzer.
    """
    name = arguments[1]
    files = SEEDS[name]()

    def one(raw: bytes) -> None:
        recipe = recipe_from(raw)
        kind, wrong = tried(name, files, recipe)
        if wrong:
            raise AssertionError(f"{name}: {kind}: {wrong}\n{recipe!r}")

    atheris.Setup([arguments[0], *arguments[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
