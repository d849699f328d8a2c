"""A `Use`: the name of a catalogue entry together with arguments for it, as a value."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trustkit.jsonfile import canonical
from trustkit.shown import shown

__all__ = ["Use", "use"]


@dataclass(frozen=True)
class Use:
    """The name of a catalogue entry together with arguments for it: ``use("dirichlet", parties=10, alpha=0.5)``."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {key: tuple(value) if isinstance(value, list) else value for key, value in sorted(self.args.items())}
        object.__setattr__(self, "args", types.MappingProxyType(frozen))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Use) and (self.name, canonical(self.args)) == (other.name, canonical(other.args))

    def __hash__(self) -> int:
        return hash((self.name, canonical(self.args)))

    def __repr__(self) -> str:
        inner = "".join(f", {key}={list(v) if isinstance(v, tuple) else v!r}" for key, v in self.args.items())
        return f"use({self.name!r}{inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Use, (self.name, dict(self.args))

    def with_args(self, **changes: Any) -> Use:
        """Return the same use with some arguments replaced.

        Parameters
        ----------
        **changes
            New values by parameter name.

        Returns
        -------
        Use
            A new value; this one is unchanged.

        Examples
        --------
        >>> use("dirichlet", alpha=0.5).with_args(alpha=1.0)
        use('dirichlet', alpha=1.0)
        """
        return Use(self.name, {**self.args, **changes})

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"name": …, **args}``, ready for JSON and TOML.

        Returns
        -------
        dict
            Lists instead of tuples; an argument that is itself called ``name`` is written ``name_``.

        Examples
        --------
        >>> use("mlp", hidden=[64]).to_dict()
        {'name': 'mlp', 'hidden': [64]}
        """
        args = {"name_" if key == "name" else key: value for key, value in self.args.items()}
        return {"name": self.name, **{k: list(v) if isinstance(v, tuple) else v for k, v in args.items()}}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Use:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        content : mapping
            A ``name`` and arguments.

        Returns
        -------
        Use
            The use.

        Raises
        ------
        ValueError
            If there is no name.

        Examples
        --------
        >>> Use.from_dict({"name": "mlp", "hidden": [64]})
        use('mlp', hidden=[64])
        """
        args = dict(content)
        name = args.pop("name", None)
        if not isinstance(name, str):
            raise ValueError(f"a use needs a name, got {shown(dict(content))}")
        if "name_" in args:
            args["name"] = args.pop("name_")
        return cls(name, args)


def use(name: str, /, **args: Any) -> Use:
    """Name a catalogue entry and give it arguments.

    Parameters
    ----------
    name : str
        The entry's name.
    **args
        Arguments by parameter name; lists become tuples.

    Returns
    -------
    Use
        Checked later, by the catalogue that it is looked up in.

    Examples
    --------
    >>> use("dirichlet", parties=10, alpha=0.5)
    use('dirichlet', alpha=0.5, parties=10)
    """
    return Use(name, args)
