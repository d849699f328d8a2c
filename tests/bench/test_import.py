"""How long ``import trustkit`` takes in a fresh interpreter, and what it leaves alone.

``TRUSTKIT_BENCH=1 pytest tests/bench -s`` prints the seconds and holds them to half a second; plain pytest looks only
at what was loaded.
"""

from __future__ import annotations

import os
import subprocess
import sys

FULL = os.environ.get("TRUSTKIT_BENCH") == "1"
HEAVY = ("torch", "shap", "seaborn", "pandas", "sklearn", "matplotlib", "xgboost", "scipy.stats", "dp_accounting",
         "ipywidgets", "typer")  # fmt: skip
USUAL = "trustkit.Experiment, trustkit.run, trustkit.facts_of, trustkit.assess, trustkit.presets, trustkit.datasets"


def fresh(code: str) -> list[str]:
    """Run code in a fresh interpreter; its last line says seconds and which heavy libraries are there."""
    script = f"""
import sys, time
began = time.perf_counter()
{code}
seconds = time.perf_counter() - began
print(seconds, *(name for name in {HEAVY!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()


def test_the_front_door_is_light() -> None:
    """``import trustkit`` loads none of the heavy libraries, nor do the names that every script begins with."""
    for code in ("import trustkit", f"import trustkit; {USUAL}"):
        seconds, *heavy = min((fresh(code) for _ in range(3 if FULL else 1)), key=lambda found: float(found[0]))
        print(f"{code:.40}: {float(seconds):.3f} s")
        assert heavy == []
        if FULL:
            assert float(seconds) <= 0.5


def test_the_command_line_starts_light() -> None:
    """``trustkit --help`` needs Typer and nothing that computes."""
    code = "import trustkit.cli"
    assert set(fresh(code)[1:]) <= {"typer"}
