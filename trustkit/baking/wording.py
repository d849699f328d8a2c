"""What a snapshot says, in one of the page's languages: texts by id, and the library's own words."""

from __future__ import annotations

import html
import os
import re
from dataclasses import dataclass
from typing import Any

from trustkit import texts

__all__ = ["Words", "words_of"]

_DRAWN = re.compile(r"(<text\b[^>]*>)([^<]+)(</text>)")


@dataclass(frozen=True)
class Words:
    """One language.

    Parameters
    ----------
    language : str
        Its code, as ``lang`` attributes have it.
    """

    language: str

    def __post_init__(self) -> None:
        texts.texts(self.language)

    def say(self, id: str, /, **fields: Any) -> str:
        """Return a text.

        Parameters
        ----------
        id : str
            Section and name, as ``"snapshot.numbers"``.
        **fields
            What stands in its braces; ``count`` chooses among plural forms.

        Returns
        -------
        str
            Plain text.
        """
        return texts.found(id, self.language, fields).format_map(fields)

    def translated(self, text: str) -> str:
        """Return words of the library.

        Parameters
        ----------
        text : str
            In English.

        Returns
        -------
        str
            The text itself where it is not known.
        """
        return text if self.language == "en" else texts.translated(text, self.language)

    def drawn(self, svg: str) -> str:
        """Return a picture with its words in this language.

        Parameters
        ----------
        svg : str
            As `trustkit.plot.to_svg` writes it.

        Returns
        -------
        str
            The same marks.
        """

        def said(found: re.Match[str]) -> str:
            return found[1] + html.escape(self.translated(html.unescape(found[2])), quote=False) + found[3]

        return svg if self.language == "en" else _DRAWN.sub(said, svg)

    def english(self, text: str) -> str:
        """Mark what stays English: sources, licences, names in files.

        Parameters
        ----------
        text : str
            HTML.

        Returns
        -------
        str
            On an English page the text itself.
        """
        return text if self.language == "en" else f'<span lang="en">{text}</span>'


def words_of(language: str = "") -> Words:
    """Return a language.

    Parameters
    ----------
    language : str
        "en" or "de"; by default what the environment variable ``TRUSTKIT_LANGUAGE`` says, else "en".

    Returns
    -------
    Words
        Its texts.

    Raises
    ------
    ValueError
        If there is no such language.

    Examples
    --------
    >>> words_of("de").say("snapshot.numbers"), words_of("de").translated("Privacy")
    ('Alle Zahlen', 'Privatsphäre')
    """
    return Words(language or os.environ.get("TRUSTKIT_LANGUAGE") or "en")
