"""Every public function says what it takes, what it gives, and, where it is a formula, where that comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TITLE = re.compile(r"^([A-Z][A-Za-z ]*)\n-{3,}$", re.MULTILINE)
NAMED = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: ?:.*)?$", re.MULTILINE)
NUMBERS = re.compile(r"\b(float|int|ndarray|NDArray|Floats?|Array)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef

NO_FORMULA = {
    "trustkit.metrics.clients.by_client": "applies a measure that is given to it; that one has its source",
    "trustkit.metrics.clients.share_over": "counts values above a line that the caller draws",
    "trustkit.metrics.groups.flags": "turns 0 and 1 into booleans, nothing is defined by it",
    "trustkit.metrics.groups.group_counts": "counts rows, nothing is defined by it",
    "trustkit.metrics.groups.disparity_from_counts": "demographic_disparity, whose source is there",
    "trustkit.metrics.groups.opportunity_from_counts": "equal_opportunity_difference, as above",
    "trustkit.metrics.heterogeneity.label_distribution": "counts rows, nothing is defined by it",
}
"""Functions of the measures that are no formula, each with the reason."""


def sections(text: str) -> dict[str, str]:
    """Split a docstring into its start (``""``) and its numpydoc sections."""
    parts = TITLE.split(text)
    return {
        "": parts[0].strip(),
        **{title: body.strip("\n") for title, body in zip(parts[1::2], parts[2::2], strict=True)},
    }


def documented(body: str) -> list[str]:
    """List the names that a section of parameters describes; only those without an indent count."""
    return [name.strip() for line in NAMED.findall(body) for name in line.split(",")]


def arguments(node: Function) -> list[str]:
    """List a function's parameters, without self and cls."""
    a = node.args
    names = [arg.arg for arg in (*a.posonlyargs, *a.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    stars = ([f"*{a.vararg.arg}"] if a.vararg else []) + ([f"**{a.kwarg.arg}"] if a.kwarg else [])
    return [*names, *(arg.arg for arg in a.kwonlyargs), *stars]


def _decorators(node: Function | ast.ClassDef) -> list[str]:
    return [ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list]


def _summary(found: dict[str, str]) -> Iterator[str]:
    line = found[""].split("\n", 1)[0]
    if not line:
        yield "has no docstring"
    elif not line.endswith("."):
        yield f"its first line must end with a full stop, got {line!r}"


def _names(found: dict[str, str], wanted: list[str]) -> Iterator[str]:
    given = documented(found.get("Parameters", ""))
    yield from (f"does not describe {name}" for name in wanted if name not in given)
    yield from (f"describes {name}, which is no parameter" for name in given if name not in wanted)


def about_function(node: Function, formula: bool) -> Iterator[str]:
    """Complain of a function's docstring."""
    if any(name.endswith(".setter") for name in _decorators(node)):
        return
    found = sections(ast.get_docstring(node) or "")
    yield from _summary(found)
    if any("property" in name for name in _decorators(node)):
        return
    yield from _names(found, arguments(node))
    result = "None" if node.returns is None else ast.unparse(node.returns).strip("'\"")
    if result not in ("None", "NoReturn", "Never") and not {"Returns", "Yields"} & found.keys():
        yield f"has no section Returns for {result}"
    if formula and NUMBERS.search(result):
        yield from (f"has no section {title}" for title in ("Source", "Deviations") if not found.get(title, "").strip())
        if ">>>" not in found.get("Examples", ""):
            yield "has no example"


def about_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Complain of a class's docstring and of its public methods', each with its name."""
    found = sections(ast.get_docstring(node) or "")
    yield from ((node.name, text) for text in _summary(found))
    methods = [child for child in node.body if isinstance(child, Function)]
    start = next((child for child in methods if child.name == "__init__"), None)
    names = [
        child.target.id
        for child in node.body
        if isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name)
    ]
    if start is not None:
        names = arguments(start)
    if "Parameters" in found or (start is not None and names):
        yield from ((node.name, text) for text in _names(found, [name for name in names if not name.startswith("_")]))
    contract = any(ast.unparse(base).split("[")[0] == "Protocol" for base in node.bases)
    for method in methods:
        if not method.name.startswith("_"):
            complaints = (
                _summary(sections(ast.get_docstring(method) or "")) if contract else about_function(method, False)
            )
            yield from ((f"{node.name}.{method.name}", text) for text in complaints)


def public(tree: ast.Module) -> list[str] | None:
    """Return ``__all__``, or None if the module sets none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def complaints(module: str, text: str) -> list[str]:
    """Complain of everything public in a module."""
    tree = ast.parse(text)
    names = public(tree)
    found = [] if ast.get_docstring(tree) else [f"{module}: has no docstring"]
    if names is None:
        return [*found, f"{module}: sets no __all__"]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in names:
            found += [f"{module}.{name}: {text}" for name, text in about_class(node)]
        if isinstance(node, Function) and node.name in names:
            measure = module.startswith("trustkit.metrics") or "metric" in _decorators(node)
            formula = measure and f"{module}.{node.name}" not in NO_FORMULA
            found += [f"{module}.{node.name}: {text}" for text in about_function(node, formula)]
    return found


def modules() -> dict[str, str]:
    """Read all shipped modules."""
    found = {}
    for folder, package in (("trustkit", "trustkit"), ("widgets", "trustkit.widgets")):
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = [package, *file.relative_to(ROOT / folder).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = file.read_text(encoding="utf-8")
    found.pop("trustkit.__main__", None)  # a script
    return found


MODULES = modules()


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module: str) -> None:
    """No complaint about any shipped module."""
    found = complaints(module, MODULES[module])
    assert not found, "\n" + "\n".join(found)


def test_exemptions_are_needed_and_have_a_reason() -> None:
    """Each names a function that exists and would be complained of."""
    for name, reason in NO_FORMULA.items():
        module, _, function = name.rpartition(".")
        node = next(n for n in ast.parse(MODULES[module]).body if isinstance(n, Function) and n.name == function)
        assert len(reason.split()) > 2
        assert list(about_function(node, formula=True)), f"{name} needs no exemption"


GOOD = '''"""A module."""

__all__ = ["Row", "share"]


def share(part: float, *rest: float, whole: float = 1.0, **more: int) -> float:
    """Return a share.

    Parameters
    ----------
    part, whole : float
        In rows.
    *rest : float
        Not
        read : it is indented
    **more
        Nothing.

    Returns
    -------
    float
        In [0, 1].

    Source
    ------
    Arithmetic.

    Deviations
    ----------
    None.

    Examples
    --------
    >>> share(1.0)
    1.0
    """
    return part / whole


class Row:
    """A row.

    Parameters
    ----------
    width : int
        How wide.
    """

    def __init__(self, width: int) -> None:
        self.width = width

    @property
    def half(self) -> float:
        """Half the width."""

    @half.setter
    def half(self, value: float) -> None:
        self.width = 2 * value

    def times(self, factor: int) -> int:
        """Multiply.

        Parameters
        ----------
        factor : int
            By this.

        Returns
        -------
        int
            The product.
        """
'''


def test_a_good_module_passes() -> None:
    """With several names in a line, stars, a property, a class."""
    assert complaints("trustkit.metrics.made_up", GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"""A module."""', "", "has no docstring"),
        ('__all__ = ["Row", "share"]', "", "sets no __all__"),
        ('"""Return a share.', '"""Return a share', "its first line must end with a full stop"),
        ('"""Half the width."""', "...", "Row.half: has no docstring"),
        ("part, whole : float", "part : float", "share: does not describe whole"),
        ("    *rest : float", "    rest : float", "share: does not describe *rest"),
        ("    *rest : float", "    rest : float", "share: describes rest, which is no parameter"),
        ("    **more\n        Nothing.\n", "", "share: does not describe **more"),
        ("    width : int\n", "    height : int\n", "Row: does not describe width"),
        ("        factor : int\n            By this.\n", "", "Row.times: does not describe factor"),
        (
            "    Returns\n    -------\n    float",
            "    Notes\n    -----\n    float",
            "share: has no section Returns for float",
        ),
        ("    Source\n    ------\n    Arithmetic.\n", "", "share: has no section Source"),
        ("    Deviations\n    ----------\n    None.\n", "", "share: has no section Deviations"),
        ("    >>> share(1.0)\n", "", "share: has no example"),
    ],
)
def test_a_bad_docstring_is_complained_of(old: str, new: str, complaint: str) -> None:
    """One thing is taken out of the good module at a time."""
    assert old in GOOD
    found = complaints("trustkit.metrics.made_up", GOOD.replace(old, new))
    assert any(complaint in each for each in found), found


def test_a_formula_is_asked_for_its_source_only_where_it_is_one() -> None:
    """In the measures and in the taxonomy, not elsewhere."""
    bare = GOOD.replace("    Source\n    ------\n    Arithmetic.\n", "")
    assert complaints("trustkit.split.made_up", bare) == []
    in_taxonomy = bare.replace("def share", "@metric('notion', 'Name')\ndef share")
    assert complaints("trustkit.trust.made_up", in_taxonomy) == ["trustkit.trust.made_up.share: has no section Source"]
