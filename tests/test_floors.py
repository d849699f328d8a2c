"""The house stands on its floors: imports go down only, and some things are in no room at all.

Every check is a function from sources to complaints, and every one is shown a bad source that it must complain of.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FLOORS = {
    0: [
        "rng",
        "threads",
        "devices",
        "whole",
        "memory",
        "jsonfile",
        "tomlfile",
        "shown",
        "parameters",
        "uses",
        "catalogue",
        "partition",
        "data",
        "records",
    ],
    1: ["metrics", "datasets"],
    2: ["split", "horizontal", "vertical", "trust"],
    3: [
        "experiment",
        "rounds",
        "facts",
        "conduct",
        "findings",
        "attendance",
        "comparison",
        "disparities",
        "exposure",
        "sharelink",
        "threelines",
        "replicas",
        "privacysweep",
        "sidebyside",
        "quantities",
        "lesson",
        "texts",
        "clamped",
        "capped",
        "frontier",
        "gapintervals",
        "handover",
        "injected",
        "plane",
        "preset",
        "replay",
        "store",
        "export",
        "figures",
        "plot",
        "auditing",
        "examination",
        "trail",
    ],
    4: [
        "",
        "bench",
        "cli",
        "commands",
        "__main__",
        "doctor",
        "serve",
        "serving",
        "scale",
        "baking",
        "apipages",
        "flower",
        "workshop",
    ],
    5: ["widgets"],
}
FLOOR_OF = {room: floor for floor, rooms in FLOORS.items() for room in rooms}
APART = (1, 2)
"""On these floors no room knows another."""
HEAVY = ("torch", "pandas", "shap", "sklearn", "matplotlib", "seaborn", "scipy.stats", "dp_accounting", "xgboost",
         "phe", "gmpy2", "numba", "codecarbon", "dask", "distributed",
         "flwr", "ray", "cryptography")  # fmt: skip
DRAWS = ("plot", "widgets")
"""Rooms that nobody enters but to draw: matplotlib is there already."""
PICKLES = ("pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib")
SECRETS = {
    "trustkit.facts": "the key that hides who a client is must not be guessable, so no seed may lead to it",
    "trustkit.flower.strategy": "the same, of a real federation",
    "trustkit.serving.options": "the token that lets people into a room must not be guessable",
}
NAMES = ("utils", "helpers", "base", "common", "config", "manager", "misc", "tools")

OURS = ("trustkit",)
EVERYWHERE = ("trustkit", "trustkit.doctor")
"""The front door shows every room, the doctor visits every room."""

Sources = Mapping[str, str]
"""Text by module name, as ``trustkit.widgets.lab``."""


@dataclass(frozen=True)
class Import:
    """Who imports what, on which line, and whether it happens when the importing module is loaded."""

    by: str
    what: str
    line: int
    eager: bool

    def __str__(self) -> str:
        return f"{self.by}:{self.line} imports {self.what}"


def shipped() -> dict[str, str]:
    """Read all shipped modules."""
    found = {}
    for folder, package in (("trustkit", "trustkit"), ("widgets", "trustkit.widgets")):
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = [package, *file.relative_to(ROOT / folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file.read_text(encoding="utf-8")
    return found


def _statements(node: ast.AST, eager: bool = True) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, eager
        later = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield from _statements(child, eager and not later and not typing_only)


def imports(sources: Sources) -> list[Import]:
    """List all imports, wherever they stand; ``from package import module`` is one of the module."""
    found = []
    for module, text in sources.items():
        package = any(name.startswith(f"{module}.") for name in sources)
        above = module.split(".") if package else module.split(".")[:-1]
        for node, eager in _statements(ast.parse(text)):
            wanted = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                start = _start(above, node)
                inner = [f"{start}.{name}" for name in wanted]
                wanted = [start if _inside(name, OURS) and name not in sources else name for name in inner]
            found += [Import(module, what, node.lineno, eager) for what in dict.fromkeys(wanted)]
    return found


def _start(above: list[str], node: ast.ImportFrom) -> str:
    """Return what ``from`` means, with the dots of a relative import resolved."""
    inside = above[: len(above) + 1 - node.level] if node.level else []
    return ".".join([*inside, *([node.module] if node.module else [])])


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _inside(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def upward(sources: Sources) -> list[str]:
    """Complain of imports that go up, or sideways where rooms are apart; of rooms without a floor; of bare widgets."""
    complaints = [f"{module} has no floor" for module in sources if _room(module) not in FLOOR_OF]
    for each in imports(sources):
        if _inside(each.what, ("widgets",)):
            complaints.append(f"{each}: say trustkit.widgets")
        if not _inside(each.what, OURS) or each.by in EVERYWHERE:
            continue
        here, there = _room(each.by), _room(each.what)
        low, high = FLOOR_OF.get(here, 9), FLOOR_OF.get(there, 9)
        if high > low:
            complaints.append(f"{each}: from floor {low} up to floor {high}")
        elif high == low and low in APART and here != there:
            complaints.append(f"{each}: rooms of floor {low} do not know each other")
    return complaints


def circular(sources: Sources) -> list[str]:
    """Complain of modules that need each other to be loaded, and of rooms of floor 3 that know each other at all."""
    modules: dict[str, set[str]] = {module: set() for module in sources}
    rooms: dict[str, set[str]] = {}
    for each in imports(sources):
        if each.eager and each.what in sources and each.what != each.by:
            modules[each.by].add(each.what)
        pair = _room(each.by), _room(each.what)
        if _inside(each.what, OURS) and pair[0] != pair[1] and {FLOOR_OF.get(room) for room in pair} == {3}:
            rooms.setdefault(pair[0], set()).add(pair[1])
    complaints = []
    for graph in (modules, rooms):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            complaints.append(f"a circle: {' → '.join(error.args[1])}")
    return complaints


def heavy(sources: Sources) -> list[str]:
    """Complain of slow packages imported on loading, and of anything but NumPy and SciPy in the measures."""
    found = imports(sources)
    slow = [
        f"{each}: inside a function, please"
        for each in found
        if each.eager and _inside(each.what, HEAVY)
        if not (_room(each.by) in DRAWS and _inside(each.what, ("matplotlib",)))
    ]
    allowed = ("numpy", "scipy", "trustkit", *sys.stdlib_module_names)
    return slow + [
        f"{each}: measures use NumPy and SciPy only"
        for each in found
        if _room(each.by) == "metrics" and not _inside(each.what, allowed)
    ]


def _dotted(node: ast.AST) -> str:
    """Return ``a.b.c`` for an attribute of a plain name, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    start = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{start}.{node.attr}" if isinstance(node, ast.Attribute) and start else ""


def _forbidden(node: ast.AST) -> str | None:
    """Say what is wrong with one node of a module's tree."""
    if isinstance(node, ast.Assert):
        return "assert"
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("eval", "exec", "__import__")
    ):
        return node.func.id
    if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False":
        return "allow_pickle"
    return _dotted(node) if _dotted(node) in ("torch.load", "torch.save", "pd.read_pickle") else None


def forbidden(sources: Sources) -> list[str]:
    """Complain of assert, eval, exec, pickles, pyplot."""
    complaints = [
        str(each) for each in imports(sources) if _inside(each.what, (*PICKLES, "matplotlib.pyplot", "pylab"))
    ]
    for module, text in sources.items():
        for node in ast.walk(ast.parse(text)):
            what = _forbidden(node)
            if what:
                complaints.append(f"{module}:{getattr(node, 'lineno', 0)} uses {what}")
    return complaints


def random(sources: Sources) -> list[str]:
    """Complain of randomness that does not come from a named stream."""
    rest = {module: text for module, text in sources.items() if module != "trustkit.rng"}
    found = imports(rest)
    complaints = [str(each) for each in found if _inside(each.what, ("random", "numpy.random"))]
    complaints += [str(each) for each in found if _inside(each.what, ("secrets",)) and each.by not in SECRETS]
    torches = tuple(f"torch.{name}" for name in ("manual_seed", "rand", "randn", "randint", "randperm", "normal"))
    for module, text in rest.items():
        for node in ast.walk(ast.parse(text)):
            name = _dotted(node)
            made = name.startswith(("np.random.", "numpy.random.")) and not name.endswith(".random.Generator")
            if made or name in torches:
                complaints.append(f"{module}:{getattr(node, 'lineno', 0)} uses {name}")
    return complaints


def sprawling(sources: Sources) -> list[str]:
    """Complain of files above 300 lines and of names that say nothing."""
    long = [f"{m} has {n} lines" for m, text in sources.items() if (n := len(text.splitlines())) > 300]
    return long + [f"{m}: call it by what it does" for m in sources if set(m.split(".")) & set(NAMES)]


CHECKS: list[Callable[[Sources], list[str]]] = [upward, circular, heavy, forbidden, random, sprawling]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_house(check: Callable[[Sources], list[str]]) -> None:
    """No complaint about any shipped module."""
    sources = shipped()
    assert len(sources) > 30
    assert not check(sources), "\n" + "\n".join(check(sources))


UP, PLOT, SPLIT, STORE = "trustkit.metrics.a", "trustkit.plot", "trustkit.split.rows", "trustkit.store"
BAD = [
    (upward, {"trustkit.rng": "import trustkit.metrics"}, "from floor 0 up to floor 1"),
    (upward, {UP: "from trustkit import rounds", "trustkit.rounds": ""}, "from floor 1 up to floor 3"),
    (upward, {"trustkit.data": "from trustkit import use"}, "from floor 0 up to floor 4"),
    (upward, {"trustkit.data": "def f():\n    from .split.rows import iid"}, "data:2 imports trustkit.split.rows"),
    (upward, {UP: "from ..rounds import play"}, "from floor 1 up to floor 3"),
    (upward, {"trustkit.split": "from .. import widgets", SPLIT: ""}, "imports trustkit: from floor 2 up to floor 4"),
    (upward, {SPLIT: "if TYPE_CHECKING:\n    import trustkit.widgets.lab"}, "from floor 2 up to floor 5"),
    (upward, {SPLIT: "from trustkit.trust import assess"}, "rooms of floor 2 do not know each other"),
    (upward, {UP: "import trustkit.datasets"}, "rooms of floor 1 do not know each other"),
    (upward, {"trustkit.attic": ""}, "trustkit.attic has no floor"),
    (upward, {"trustkit.cli": "import widgets.lab"}, "say trustkit.widgets"),
    (circular, {"trustkit.rng": "import trustkit.data", "trustkit.data": "import trustkit.rng"}, "a circle"),
    (circular, {STORE: "import trustkit.facts", "trustkit.facts": "def f(): import trustkit.store"}, "a circle"),
    (heavy, {"trustkit.cli": "import pandas as pd"}, "trustkit.cli:1 imports pandas"),
    (heavy, {"trustkit.cli": "from scipy import stats"}, "imports scipy.stats: inside a function"),
    (heavy, {"trustkit.cli": "try:\n    import torch.nn\nexcept ImportError: ..."}, "imports torch.nn"),
    (heavy, {UP: "def f(): import sklearn"}, "measures use NumPy and SciPy only"),
    (forbidden, {PLOT: "def f(): import matplotlib.pyplot as plt"}, "imports matplotlib.pyplot"),
    (forbidden, {PLOT: "from matplotlib import pyplot"}, "imports matplotlib.pyplot"),
    (forbidden, {STORE: "from pickle import loads"}, "imports pickle"),
    (forbidden, {STORE: "np.load(path, allow_pickle=True)"}, "uses allow_pickle"),
    (forbidden, {STORE: "torch.load(path)"}, "uses torch.load"),
    (forbidden, {STORE: "x = eval('1')"}, "uses eval"),
    (forbidden, {STORE: "def f(x):\n    assert x"}, "trustkit.store:2 uses assert"),
    (random, {SPLIT: "np.random.seed(0)"}, "uses np.random.seed"),
    (random, {SPLIT: "g = np.random.default_rng(0)"}, "uses np.random.default_rng"),
    (random, {SPLIT: "from numpy.random import default_rng"}, "imports numpy.random"),
    (random, {SPLIT: "import random"}, "imports random"),
    (random, {SPLIT: "def f(): import secrets"}, "imports secrets"),
    (random, {SPLIT: "torch.manual_seed(0)"}, "uses torch.manual_seed"),
    (sprawling, {"trustkit.data": "x = 1\n" * 301}, "trustkit.data has 301 lines"),
    (sprawling, {"trustkit.split.utils": ""}, "call it by what it does"),
]


@pytest.mark.parametrize("module", ["trustkit", "trustkit.rounds", "trustkit.store", "trustkit.cli"])
def test_loading_a_module_loads_nothing_heavy(module: str) -> None:
    """Neither by itself nor through another package, in an interpreter of its own."""
    code = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(("check", "sources", "text"), BAD)
def test_every_check_can_fail(check: Callable[[Sources], list[str]], sources: Sources, text: str) -> None:
    """On a made-up source."""
    assert any(text in complaint for complaint in check(sources)), check(sources)


ROWS = "from trustkit import rng\nfrom . import columns\ndef f(g: np.random.Generator): import torch"


def test_a_good_source_passes_every_check() -> None:
    """Down, lazily, with a generator handed in."""
    good = {
        "trustkit.rng": "import numpy as np\ng = np.random.Generator(np.random.Philox(key=1))",
        "trustkit.split.rows": ROWS,
        "trustkit.split.columns": "from trustkit.metrics.a import b",
        "trustkit.split": "from .rows import f",
        "trustkit.metrics.a": "import math\nfrom scipy.special import ndtri\nfrom trustkit.rng import stream",
    }
    assert [check(good) for check in CHECKS] == [[]] * len(CHECKS)
