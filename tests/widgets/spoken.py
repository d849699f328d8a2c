"""English on a page that is not English: looked for by the texts of the English catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from trustkit.texts import library_texts, texts
from trustkit.trust import PROFILES

__all__ = ["english_in"]

_NAMES = re.compile("|".join([r"\w+\.(?:html|json|md|csv|toml)\b", r"\w+/\w+",
                              *sorted(map(re.escape, PROFILES), key=len, reverse=True)]))  # fmt: skip
"""Names of files, facts and profiles are the same in all languages."""


@cache
def _only_english() -> tuple[re.Pattern[str], ...]:
    """Texts, and parts between their fields, that hold a word which German does not know."""
    german = " ".join([*map(str, texts("de").values()), *library_texts("de").values()]).lower()
    known = set(re.findall(r"\w+", german))
    found = {}
    for id_, text in texts("en").items():
        for form in (text,) if isinstance(text, str) else text.values():
            if form in str(texts("de")[id_]):
                continue
            for part in re.split(r"\{\w+\}|<[^>]+>", form):
                strange = [word for word in re.findall(r"[A-Za-z]{4,}", part) if word.lower() not in known]
                if strange:
                    found[part.strip()] = re.compile(rf"(?<!\w){re.escape(part.strip())}(?!\w)")
    return tuple(found.values())


def english_in(said: Iterable[str]) -> list[str]:
    """List what is English in what a German page says, with the English text that it is."""
    assert len(_only_english()) > 300
    heard = {_NAMES.sub("", text) for text in said}
    return sorted({f"{shape.pattern}: {text}" for text in heard for shape in _only_english() if shape.search(text)})
