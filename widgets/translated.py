"""The library's own words in the language of the page: titles of entries, pillars and metrics, words in pictures.

The library writes English. What it names is looked up by its English text, see `trustkit.texts`. What is not found is
shown as it came: entries of one's own, names in the data, formulas, sources and errors, which `english` marks as such
for a screen reader.
"""

from __future__ import annotations

from trustkit.widgets.strings import Html, language

from trustkit import texts

__all__ = ["english", "spoken", "translated"]


def translated(text: str) -> str:
    """Return a text of the library in the language of the page.

    Parameters
    ----------
    text : str
        In English.

    Returns
    -------
    str
        The text itself where the language has no other.

    Examples
    --------
    >>> from trustkit.widgets.strings import speaking
    >>> with speaking("de"):
    ...     translated("Privacy"), translated("client 3"), translated("my own split")
    ('Privatsphäre', 'Client 3', 'my own split')
    """
    code = language()
    return text if code == "en" else texts.translated(text, code)


def spoken(name: str) -> str:
    """Return a name as it stands inside a sentence.

    Parameters
    ----------
    name : str
        In the language of the page, beginning with a capital.

    Returns
    -------
    str
        In English with a small letter; German nouns keep their capital.
    """
    return name.lower() if language() == "en" else name


def english(text: str) -> Html:
    """Mark what stays English: formulas, sources, and sentences that the library writes.

    Parameters
    ----------
    text : str
        HTML.

    Returns
    -------
    Html
        On an English page the text itself.
    """
    return Html(text if language() == "en" else f'<span lang="en">{text}</span>')
