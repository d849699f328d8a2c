"""Tables of the benchmark in one file: shown, and drawn as pictures, without playing anything."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from trustkit import jsonfile
from trustkit.bench.vertibench_sheet import Sheet

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Stored", "read_vertibench", "write_vertibench"]


@dataclass(frozen=True, eq=False)
class Stored:
    """What a run of the benchmark left.

    Parameters
    ----------
    sheets : mapping of str to tuple of Sheet
        By part: table2, figures, scaling, times, solo.
    finished, wanted : int
        How many runs there were, of how many that were asked for.
    """

    sheets: Mapping[str, tuple[Sheet, ...]]
    finished: int
    wanted: int

    def __iter__(self) -> Iterator[Sheet]:
        for sheets in self.sheets.values():
            yield from sheets

    def sheet(self, stem: str) -> Sheet:
        """Return a table.

        Parameters
        ----------
        stem : str
            What its file is called, for example "table2".

        Returns
        -------
        Sheet
            Possibly without a row, if its runs are not there.

        Raises
        ------
        KeyError
            If there is no such table; the message lists those there are.
        """
        found = {sheet.stem: sheet for sheet in self}
        if stem not in found:
            raise KeyError(f"there is no table {stem!r}; known are {', '.join(found)}")
        return found[stem]

    def frame(self, stem: str) -> pd.DataFrame:
        """Return a table as a frame.

        Parameters
        ----------
        stem : str
            What its file is called.

        Returns
        -------
        pandas.DataFrame
            One line a row; what is not known is empty.
        """
        import pandas as pd

        sheet = self.sheet(stem)
        return pd.DataFrame(list(sheet.rows), columns=list(sheet.heads))

    def picture(self, part: str) -> Figure:
        """Draw a part as the benchmark does.

        Parameters
        ----------
        part : str
            table2, figures, scaling, times or solo.

        Returns
        -------
        matplotlib.figure.Figure
            The picture.

        Raises
        ------
        KeyError
            If there is no such part.
        """
        from trustkit.bench.vertibench import PARTS

        if part not in self.sheets:
            raise KeyError(f"there is no part {part!r}; known are {', '.join(self.sheets)}")
        return PARTS[part].draw(self.sheets[part])


def write_vertibench(
    sheets: Mapping[str, Sequence[Sheet]], finished: int, wanted: int, path: str | os.PathLike[str]
) -> None:
    """Write tables to one file.

    Parameters
    ----------
    sheets : mapping of str to sequence of Sheet
        By part.
    finished, wanted : int
        How many runs there were, of how many that were asked for.
    path : path-like
        JSON.
    """
    told = {part: [asdict(sheet) for sheet in each] for part, each in sheets.items()}
    jsonfile.write_text(path, jsonfile.dumps({"finished": finished, "wanted": wanted, "sheets": told}))


def read_vertibench(path: str | os.PathLike[str]) -> Stored:
    """Read what `write_vertibench` wrote, as ``trustkit bench vertibench`` leaves it in ``vertibench.json``.

    Parameters
    ----------
    path : path-like
        JSON.

    Returns
    -------
    Stored
        The tables.

    Raises
    ------
    ValueError
        If the file is none of the benchmark.
    """
    content: Any = jsonfile.read(path)
    if not isinstance(content, dict) or not {"finished", "wanted", "sheets"} <= set(content):
        raise ValueError(f"{path} must be a file that trustkit bench vertibench wrote, got another")
    sheets = {part: tuple(_sheet(each) for each in told) for part, told in content["sheets"].items()}
    return Stored(sheets, int(content["finished"]), int(content["wanted"]))


def _sheet(told: Mapping[str, Any]) -> Sheet:
    rows = tuple(tuple(row) for row in told["rows"])
    return Sheet(**{**told, "heads": tuple(told["heads"]), "rows": rows, "notes": tuple(told["notes"])})
