"""An `Experiment`: names of catalogue entries, numbers and a seed, which together fix a run completely."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import trustkit.datasets  # these rooms fill the catalogues
import trustkit.horizontal
import trustkit.split
import trustkit.vertical  # noqa: F401
from trustkit import tomlfile
from trustkit.catalogue import ALGORITHMS, ATTACKS, DATASETS, FAULTS, MODELS, PRIVACY, SPLITS, Use
from trustkit.jsonfile import canonical
from trustkit.shown import shown

__all__ = ["Experiment"]

_CATALOGUES = {"data": DATASETS, "split": SPLITS, "algorithm": ALGORITHMS, "model": MODELS, "privacy": PRIVACY,
               "attack": ATTACKS, "faults": FAULTS}  # fmt: skip


@dataclass(frozen=True, init=False)
class Experiment:
    """Names and numbers that fix a run completely.

    Parameters
    ----------
    data : str or Use
        An entry of ``DATASETS``.
    split : str or Use
        An entry of ``SPLITS``, over rows or over columns.
    algorithm : str or Use
        An entry of ``ALGORITHMS`` for the same axis.
    model : str or Use, optional
        An entry of ``MODELS``; algorithms over columns bring their own.
    privacy : str or Use, optional
        An entry of ``PRIVACY``; without one ε is infinite.
    rounds : int
        How many, at least 1.
    participation : float
        Share of the clients that train in a round, in (0, 1].
    seed : int
        The seed of every random stream.
    attack : str or Use, optional
        An entry of ``ATTACKS``: some clients are malicious; by default none.
    faults : str or Use, optional
        An entry of ``FAULTS``: clients leave, fail or are late; by default all deliver.
    secure : bool
        Whether the server learns only sums of the clients' models, by simulated secure aggregation.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a name is unknown or a value does not fit; the message names it, the rule and the value.
    """

    data: Use
    split: Use
    algorithm: Use
    model: Use | None
    privacy: Use | None
    rounds: int
    participation: float
    seed: int
    attack: Use | None
    faults: Use | None
    secure: bool

    def __init__(
        self,
        data: str | Use,
        split: str | Use,
        algorithm: str | Use = "fedavg",
        model: str | Use | None = None,
        privacy: str | Use | None = None,
        rounds: int = 20,
        participation: float = 1.0,
        seed: int = 0,
        attack: str | Use | None = None,
        faults: str | Use | None = None,
        secure: bool = False,
    ) -> None:
        keep = object.__setattr__
        keep(self, "data", DATASETS.complete(_named(data)))
        keep(self, "split", SPLITS.complete(_named(split)))
        keep(self, "algorithm", ALGORITHMS.complete(_named(algorithm)))
        keep(self, "model", None if model is None else MODELS.complete(_named(model)))
        keep(self, "privacy", None if privacy is None else PRIVACY.complete(_named(privacy)))
        keep(self, "rounds", _whole("rounds", rounds, 1))
        keep(self, "participation", _share("participation", participation))
        keep(self, "seed", _whole("seed", seed, None))
        keep(self, "attack", None if attack is None else ATTACKS.complete(_named(attack)))
        keep(self, "faults", None if faults is None else FAULTS.complete(_named(faults)))
        keep(self, "secure", _flag("secure", secure))
        self._fits()

    def _fits(self) -> None:
        over, needs = SPLITS[self.split.name].axis, ALGORITHMS[self.algorithm.name].axis
        if over != needs:
            able = [name for name, entry in ALGORITHMS.items() if entry.axis == over]
            raise ValueError(
                f"{self.algorithm.name} trains across {needs}, but {self.split.name} splits {over}; "
                f"across {over} there are {', '.join(able)}"
            )
        if self.axis == "rows" and self.model is None:
            raise ValueError(f"model must be given for {self.algorithm.name}; known are {', '.join(MODELS)}")
        if self.axis == "columns" and self.model is not None:
            raise ValueError(f"{self.algorithm.name} brings its own model, got model={self.model.name!r}")
        if self.axis == "columns" and self.participation != 1:
            raise ValueError(f"participation must be 1 across columns, got {self.participation:g}")
        if self.privacy is not None:
            self._private(PRIVACY[self.privacy.name].axis or "rows")
        if self.axis == "columns":
            for name in ("attack", "faults", "secure"):
                part = getattr(self, name)
                if part:
                    came = part.name if isinstance(part, Use) else part
                    raise ValueError(f"{name} must stay unset across columns, got {came!r}")

    def _private(self, over: str) -> None:
        """Refuse a mechanism that is made for the other axis."""
        name = "" if self.privacy is None else self.privacy.name
        if self.axis == "columns" and over != "columns":
            raise ValueError(f"{self.algorithm.name} trains without a privacy mechanism, got {name!r}")
        if self.axis == "rows" and over == "columns":
            raise ValueError(f"privacy must be a mechanism for rows, because {self.algorithm.name} divides rows, "
                             f"got {name!r}")  # fmt: skip

    @property
    def axis(self) -> str:
        """ "rows" or "columns": what is divided among the parties."""
        return SPLITS[self.split.name].axis

    @cached_property
    def key(self) -> str:
        """64 hexadecimal digits: the SHA-256 of the canonical JSON. Equal experiments have equal keys."""
        content = self.to_dict()
        for name, usual in (("selector", "random"), ("keep", 1.0)):  # said or not, it is the same experiment
            if content["algorithm"].get(name) == usual:
                del content["algorithm"][name]
        return hashlib.sha256(canonical(content).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON and TOML.

        Returns
        -------
        dict
            Without the parts that are not set.
        """
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        return {name: value.to_dict() if isinstance(value, Use) else value
                for name, value in parts.items() if value is not None and value is not False}  # fmt: skip

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Experiment:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        content : mapping
            Parts by name.

        Returns
        -------
        Experiment
            Checked.

        Raises
        ------
        ValueError
            If a part is unknown or missing.
        KeyError, TypeError
            As for a new experiment: if a name is unknown, or a value does not fit.
        """
        known = [part.name for part in fields(cls)]
        for name in content:
            if name not in known:
                raise ValueError(f"an experiment has no part {shown(name)}; it has {', '.join(known)}")
        for name in ("data", "split"):
            if name not in content:
                raise ValueError(f"an experiment needs {name}, got only {', '.join(content) or 'nothing'}")
        parts: dict[str, Any] = {k: Use.from_dict(v) if isinstance(v, Mapping) else v for k, v in content.items()}
        return cls(**parts)

    def to_toml(self) -> str:
        """Return the experiment as TOML text.

        Returns
        -------
        str
            Reads back to an equal experiment. TOML has no ``None``: where that is not the default it says "none".
        """
        import tomli_w

        content = {k: _spell_none(k, v) if isinstance(v, dict) else v for k, v in self.to_dict().items()}
        return tomli_w.dumps(content)

    @classmethod
    def from_toml(cls, text: str) -> Experiment:
        """Read TOML text.

        Parameters
        ----------
        text : str
            What `to_toml` wrote, or a person.

        Returns
        -------
        Experiment
            Checked.

        Raises
        ------
        ValueError
            If it is not TOML, is nested too deeply to be read, or lacks a part.
        KeyError, TypeError
            As for a new experiment: if a name is unknown, or a value does not fit.
        """
        content = tomlfile.loads(text)
        return cls.from_dict({k: _read_none(k, v) if isinstance(v, dict) else v for k, v in content.items()})

    def change(self, **changes: Any) -> Experiment:
        """Return the experiment with parts replaced; ``split__alpha=1.0`` replaces an argument of a part.

        Parameters
        ----------
        **changes
            New values by name.

        Returns
        -------
        Experiment
            A new value, checked.

        Raises
        ------
        ValueError
            If a part is not set or unknown.
        """
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        for name, value in changes.items():
            part, _, argument = name.partition("__")
            if part not in parts:
                raise ValueError(f"an experiment has no part {shown(part)}; it has {', '.join(parts)}")
            if argument and parts[part] is None:
                raise ValueError(f"{part} is not set, so {name} cannot be changed")
            parts[part] = parts[part].with_args(**{argument: value}) if argument else value
        return Experiment(**parts)


def _spell_none(part: str, content: dict[str, Any]) -> dict[str, Any]:
    """Say "none" where ``None`` differs from the default, and leave it out where it does not."""
    usual = {p.name: p.default for p in _CATALOGUES[part][content["name"]].parameters}
    spelt = {key: "none" if value is None else value for key, value in content.items()}
    return {key: value for key, value in spelt.items() if content[key] is not None or usual.get(key) is not None}


def _read_none(part: str, content: dict[str, Any]) -> dict[str, Any]:
    """Undo `_spell_none`: "none" is ``None`` for a parameter that can be ``None`` by choice."""
    entry = _CATALOGUES.get(part, {}).get(content.get("name", ""))
    optional = {p.name for p in entry.parameters if p.optional} if entry else set()
    return {key: None if key in optional and value == "none" else value for key, value in content.items()}


def _named(part: str | Use) -> Use:
    if isinstance(part, (str, Use)):
        return Use(part) if isinstance(part, str) else part
    raise TypeError(f"a part of an experiment must be a name or a use, got {shown(part)}")


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be true or false, got {shown(value)}")
    return value


def _whole(name: str, value: Any, low: int | None) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {shown(value)}")
    if low is not None and value < low:
        raise ValueError(f"{name} must be at least {low}, got {value}")
    return int(value)


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    if not 0 < value <= 1:
        raise ValueError(f"{name} must be above 0 and at most 1, got {shown(value)}")
    return float(value)
