"""Changes to a valid file, as data: Hypothesis draws a recipe, a coverage-guided fuzzer reads one from bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["LONGEST", "OPERATIONS", "Recipe", "Step", "changed", "recipe_from"]

Step = tuple[int, int, int]
"""Which operation, where (0 … 65535 of the file), and a number that the operation reads as it likes."""

Recipe = tuple[tuple[int, tuple[Step, ...]], ...]
"""By file of the folder (a number, modulo how many there are): the steps."""

LONGEST = 96 * 1024
"""In bytes: what a step makes longer is cut off here, so that a slow reader is slow on a small file."""

NUMBERS = (
    b"1e400", b"-1e308", b"1e-320", b"nan", b"NaN", b"inf", b"-inf", b"9" * 30, b"9" * 5000, b"0x10", b"-0", b"-1",
    b"2147483648", b"4294967295", b"2000000000", b"1_000", b"1e9", b"1e39", "٣".encode(), b"True", b"null", b"",
    b"0", b"1", b"0.5", b"1e18", b"9007199254740993", b"-9223372036854775808", b"18446744073709551616", b"1,5",
)  # fmt: skip
TOKENS = (
    b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", "é".encode(), "𝕏".encode(), "\u2028".encode(), b"\xc2\x85",
    b'"', b"'", b",", b"\n", b"\r", b"\r\n", b"#", b"[", b"{", b"]", b"}", b"[[", b"\x1b[31m", b"../", b"/etc/passwd",
    b"../../../../etc/passwd", b"<html>", b'{"$float": "nan"}', b"PK\x03\x04", b"\x1f\x8b", b"=", b":", b";", b"\t",
    b"|", b" ", b"name", b"none", b"missing", b"id", b"y", b"label", b"split", b"\\", b'"""', b"a" * 5000, b"%s%n",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 10**30, 1e308, 1e-320, "", "a", "\0", "../x", "/etc/passwd", [], {}, [[]], [None],
    {"a": 1}, {"name": "csv"}, {"$float": "inf"}, {"$float": "nan"}, {"$float": []}, ["a", "b"], [1, 2, 3], "x" * 5000,
    "𝕏\u2028", 2**31, 2**63, -(2**63) - 1, 0.5, [1.5, "a"], {"name_": 1, "name": "mlp"}, "fedavg", "none",
)  # fmt: skip


def _place(content: bytes, at: int) -> int:
    return at * (len(content) + 1) >> 16


def _flip(content: bytes, at: int, what: int) -> bytes:
    place = _place(content[:-1], at)
    return content[:place] + bytes([content[place] ^ (what % 255 + 1)]) + content[place + 1 :] if content else content


def _cut(content: bytes, at: int, what: int) -> bytes:
    return content[: _place(content, at)]


def _without(content: bytes, at: int, what: int) -> bytes:
    place = _place(content, at)
    return content[:place] + content[place + 1 + what % 64 :]


def _repeated(content: bytes, at: int, what: int) -> bytes:
    place = _place(content, at)
    part = content[place : place + 1 + what % 128]
    return content[:place] + part * (1 + what // 8) + content[place:]


def _token(content: bytes, at: int, what: int) -> bytes:
    place = _place(content, at)
    return content[:place] + TOKENS[what % len(TOKENS)] + content[place:]


def _number(content: bytes, at: int, what: int) -> bytes:
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?", content))
    if not found:
        return content
    chosen = found[at % len(found)]
    return content[: chosen.start()] + NUMBERS[what % len(NUMBERS)] + content[chosen.end() :]


def _word(content: bytes, at: int, what: int) -> bytes:
    found = list(re.finditer(rb"[A-Za-z_]\w*", content))
    if not found:
        return content
    chosen = found[at % len(found)]
    other = found[what % len(found)][0] if what & 1 else TOKENS[what % len(TOKENS)]
    return content[: chosen.start()] + other + content[chosen.end() :]


def _lines(content: bytes, at: int, what: int) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    place = at % len(lines)
    if what & 1:
        most = 1 + max(len(content), LONGEST) // len(lines[place])  # more would be cut off again
        return b"".join(lines[:place] + lines[place : place + 1] * min(1 + what, most) + lines[place + 1 :])
    other = what // 2 % len(lines)
    lines[place], lines[other] = lines[other], lines[place]
    return b"".join(lines)


def _noise(content: bytes, at: int, what: int) -> bytes:
    return random.Random(at << 16 | what).randbytes(what % 512)


def _nested(content: bytes, at: int, what: int) -> bytes:
    opening, closing = ((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"a.", b""), (b"- ", b""))[what % 5]
    depth = 1 + (what << 4) % (LONGEST // 8)
    place = _place(content, at) if at & 1 else 0
    return content[:place] + opening * depth + content[place:] + closing * (depth if what & 8 else 0)


def _packed(content: bytes, at: int, what: int) -> bytes:
    return (gzip.compress, bz2.compress, lzma.compress)[what % 3](content)


def _binary(content: bytes, at: int, what: int) -> bytes:
    """Write a length or an offset over four or eight bytes."""
    place = _place(content, at)
    number = (0, 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62)[what % 8]
    raw = struct.pack("<Q", number)[: 8 if what & 8 else 4]
    return content[:place] + raw + content[place + len(raw) :]


def _json(content: bytes, at: int, what: int) -> bytes:
    """Exchange, leave out or double one node of JSON."""
    try:
        root = json.loads(content)
        nodes: list[tuple[Any, Any]] = []
        queue = [root]
        while queue and len(nodes) < 5000:
            node = queue.pop()
            keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
            nodes += [(node, key) for key in keys]
            queue += [node[key] for key in keys]
        if not nodes:
            return json.dumps(VALUES[what % len(VALUES)]).encode()
        node, key = nodes[at % len(nodes)]
        if what % 7 == 0:
            del node[key]
        elif what % 7 == 1 and isinstance(node, dict):
            node[f"{key}2"] = node[key]
        elif what % 7 == 2:
            holder, other = nodes[what % len(nodes)]
            node[key] = json.loads(json.dumps(holder[other]))
        else:
            node[key] = VALUES[what % len(VALUES)]
        return json.dumps(root).encode()
    except (ValueError, KeyError, IndexError, RecursionError):
        return content


def _members(content: bytes) -> list[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [(info.filename, archive.read(info)) for info in archive.infolist()]
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, ValueError, OSError, EOFError, RuntimeError):
        return []


def _member(content: bytes, at: int, what: int) -> bytes:
    """Change one member of a ZIP archive, its name or its content, and pack it again so that its sum is right."""
    members = _members(content)
    if not members:
        return content
    place = at % len(members)
    name, inner = members[place]
    kind = what % 6
    if kind == 0:
        name = ("../../evil.npy", "/etc/passwd", "head.npy", "X.npy", "y.npy", "a" * 300, "state/../x.npy")[what % 7]
    elif kind == 1:
        members.append((f"extra{what}.npy", inner))
    elif kind == 2:
        inner = _flip(inner, what, at)
    elif kind == 3:  # the header of an array
        inner = _number(inner[:128], what, at) + inner[128:]
    elif kind == 4:
        inner = _cut(inner, what, at)
    else:
        inner = _json(inner[128:], what, at) if inner[128:129] == b"{" else _binary(inner, what, at)
    members[place] = (name, inner)
    buffer = io.BytesIO()
    with (
        warnings.catch_warnings(),
        zipfile.ZipFile(buffer, "w", (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)[what & 1]) as archive,
    ):
        warnings.simplefilter("ignore")  # of names that are there twice
        for member, data in members:
            archive.writestr(zipfile.ZipInfo(member), data)
    return buffer.getvalue()


OPERATIONS: tuple[Callable[[bytes, int, int], bytes], ...] = (
    _flip, _cut, _without, _repeated, _token, _number, _number, _word, _lines, _noise, _nested, _packed, _binary,
    _json, _json, _json, _member, _member,
)  # fmt: skip
"""What a step can do."""


def changed(files: Mapping[str, bytes], recipe: Recipe) -> dict[str, bytes]:
    """Apply a recipe to a folder of files.

    Parameters
    ----------
    files : mapping of str to bytes
        Contents by path in the folder; the order counts.
    recipe : Recipe
        What is done.

    Returns
    -------
    dict of str to bytes
        None of them is longer than it was and `LONGEST`.
    """
    found, names = dict(files), list(files)
    for number, steps in recipe:
        name = names[number % len(names)]
        content, most = found[name], max(LONGEST, len(found[name]))
        for operation, at, what in steps:
            content = OPERATIONS[operation % len(OPERATIONS)](content, at, what)[:most]
        found[name] = content
    return found


def recipe_from(raw: bytes) -> Recipe:
    """Read a recipe from bytes: six to a step, the first of them one of three files' numbers.

    Parameters
    ----------
    raw : bytes
        Any.

    Returns
    -------
    Recipe
        Up to six steps.
    """
    steps = [struct.unpack(">BBHH", raw[n : n + 6]) for n in range(0, min(len(raw), 36) // 6 * 6, 6)]
    return tuple((number, ((operation, at, what),)) for number, operation, at, what in steps)
