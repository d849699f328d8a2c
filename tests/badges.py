"""README's badges, which open JupyterLab and the app by Voilà on Binder; made of the project's address.

``python -m tests.badges`` draws both pictures and writes them with their links below README's title. Their address is
Repository in pyproject's ``[project.urls]``; as long as it names none there is nothing to open, and README has none.
The book's first page has them too, `tests.book` puts them there; built by a forge's CI, it knows the address from that.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from trustkit.jsonfile import write_text

__all__ = ["BADGES", "address", "badges", "picture", "write"]

ROOT = Path(__file__).parents[1]

BADGES = {
    "lab": ("JupyterLab", "Open the notebooks in JupyterLab", "lab/tree/notebooks/00_tour.ipynb"),
    "voila": ("Voilà", "Open the app by Voilà", "voila/render/notebooks/app.ipynb"),
}
"""By file: what stands on the badge, what a screen reader says, and what is opened."""

_FORGE = re.compile(r"https://(github|gitlab)\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
_SHORT = {"github": "gh", "gitlab": "gl"}
_LINE = re.compile(r"\A(# trustkit\n\n)(?:\[!\[.*\n\n)?")


def address(environment: Mapping[str, str] | None = None) -> str | None:
    """Return the project's public address.

    Parameters
    ----------
    environment : mapping of str to str, optional
        Of a forge's CI, which says where it runs.

    Returns
    -------
    str or None
        Pyproject's, else that of the forge, if there is any.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: str | None = project.get("urls", {}).get("Repository")
    told = dict(environment or {})
    here = f"{told.get('GITHUB_SERVER_URL', 'https://github.com')}/{told.get('GITHUB_REPOSITORY', '')}"
    return here if found is None and _FORGE.fullmatch(here) else found


def badges(repository: str | None, folder: str = ".github/") -> str:
    """Return the line of badges.

    Parameters
    ----------
    repository : str or None
        A project's address on one of the forges that Binder builds from by owner and name.
    folder : str
        Where the pictures lie, with its slash.

    Returns
    -------
    str
        Markdown; empty without an address.

    Raises
    ------
    ValueError
        If it is the address of something else.
    """
    if repository is None:
        return ""
    found = _FORGE.fullmatch(repository)
    if found is None:
        raise ValueError(f"Repository must be https://github.com/OWNER/NAME or gitlab.com's, got {repository!r}")
    forge, owner, name = found.groups()
    start = f"https://mybinder.org/v2/{_SHORT[forge]}/{owner}/{name}/HEAD?urlpath="
    if forge == "gitlab":
        start = start.replace(f"/{owner}/{name}/", f"/{owner}%2F{name}/")
    return " ".join(f"[![{words}]({folder}{file}.svg)]({start}{path})" for file, (_, words, path) in BADGES.items())


def picture(word: str) -> str:
    """Draw a badge: "open in" on dark grey, and in what on dark blue; white on both has a contrast of more than 7.

    Parameters
    ----------
    word : str
        In what.

    Returns
    -------
    str
        SVG.
    """
    left, right = 58, 16 + round(7.2 * len(word))
    wide, spoken = left + right, f"open in {word}"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="22" role="img" aria-label="{spoken}">
<title>{spoken}</title>
<clipPath id="round"><rect width="{wide}" height="22" rx="4"/></clipPath>
<g clip-path="url(#round)">
<rect width="{left}" height="22" fill="#444"/>
<rect x="{left}" width="{right}" height="22" fill="#14508c"/>
</g>
<g fill="#fff" font-family="DejaVu Sans, Verdana, sans-serif" font-size="11" text-anchor="middle">
<text x="{left / 2:g}" y="15">open in</text>
<text x="{left + right / 2:g}" y="15">{word}</text>
</g>
</svg>
"""


def write(repository: str | None) -> None:
    """Write the pictures and README's line.

    Parameters
    ----------
    repository : str or None
        See `badges`.
    """
    readme, line = ROOT / "README.md", badges(repository)
    for file, (word, _, _) in BADGES.items():
        if repository is not None:
            write_text(ROOT / ".github" / f"{file}.svg", picture(word))
    text = readme.read_text(encoding="utf-8")
    write_text(readme, _LINE.sub(lambda found: found[1] + (f"{line}\n\n" if line else ""), text))


if __name__ == "__main__":
    found = address()
    write(found)
    print(f"badges for {found}" if found else "no badges: pyproject's [project.urls] names no Repository")
