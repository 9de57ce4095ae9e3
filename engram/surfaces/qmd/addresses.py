"""Document addresses: names as people and agents write them -> documents of the index.

A name is a docid, a URI, collection/path, a path in a collection, an absolute path, or the end of
any of these; a pattern is a glob, a list with commas, or one docid. Paths similar to an unknown
name are found by edit distance. Nothing raises; a lookup costs one pass over the names at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engram.surfaces.qmd.config import Config
from engram.surfaces.qmd.globs import Glob
from engram.surfaces.qmd.index import DocumentIndex, IndexedDocument

_DOCID = re.compile(r"#?([0-9a-fA-F]{6,64})")
_RANGE = re.compile(r":([0-9]{1,9})(?::([0-9]{1,9}))?$")
_URI = re.compile(r"qmd:/*([^/?]+)/?([^?]*)(?:\?(.*))?", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_PATH = 8_192
#: how many edits a name may be away from what it might mean
_NEAR = 5
#: a longer name is not compared
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Address:
    """A URI in its parts; `index` is "" unless it names one."""

    collection: str
    path: str
    index: str = ""


def address_of(text: str) -> Address | None:
    """The parts of an explicit URI (`qmd://c/p`, `//c/p`); None for anything else."""
    text = text.strip()
    if text.startswith("//"):
        text = f"qmd:{text}"
    match = _URI.fullmatch(text)
    if match is None:
        return None
    index = ""
    if match[3]:
        from urllib.parse import parse_qs

        index = parse_qs(match[3]).get("index", [""])[0].strip()
    return Address(match[1], match[2], index)


def cut_range(name: str) -> tuple[str, int | None, int | None]:
    """A name without `:from[:count]` behind it, and these."""
    match = _RANGE.search(name)
    if match is None:
        return name, None, None
    count = int(match[2]) if match[2] is not None else None
    return name[: match.start()], int(match[1]), count


def is_docid(name: str) -> bool:
    """Whether a name is taken for the digits of a hash."""
    return _DOCID.fullmatch(_bare(name)) is not None


def find(index: DocumentIndex, config: Config, name: str) -> IndexedDocument | None:
    """The document that a name means; a docid's digits are never a path."""
    if not _sayable(name):
        return None
    if is_docid(name):
        return _by_docid(index, name)
    address = address_of(name)
    if address is not None:
        name = f"qmd://{address.collection}/{address.path}"
        exact = _at(index, address.collection, address.path)
        return exact or _by_end(index, name)
    return _by_end(index, name) or _by_place(index, config, name)


def listed(
    index: DocumentIndex, name: str, may: Callable[[IndexedDocument], bool] = lambda one: True
) -> tuple[IndexedDocument | None, str]:
    """One item of a list: the document, or the line that says why there is none.

    Of those that `may` be named.
    """
    name = name.strip()
    if not _sayable(name):
        return None, f"File not found: {name}"
    if is_docid(name):
        document = _by_docid(index, name)
        return document, "" if document else f"File not found: {name}"
    if (address := address_of(name)) is not None:
        found = [one for one in [_at(index, address.collection, address.path)] if one]
    else:
        found = (
            index.documents("collection || '/' || path = ?", (name,))
            or index.documents("path = ?", (name,))
            or index.documents("path like ? escape '#'", (f"%/{_literally(name)}",))
        )
    found = list(filter(may, found))
    if len(found) == 1:
        return found[0], ""
    if found:
        return None, f"Ambiguous path {name}: {', '.join(one.uri for one in found)}"
    near = similar(index, name, 3, may)
    meant = f" (did you mean: {', '.join(near)}?)" if near else ""
    return None, f"File not found: {name}{meant}"


def by_glob(index: DocumentIndex, pattern: str) -> list[IndexedDocument]:
    """The documents that a pattern means by URI, path or collection/path."""
    glob = Glob(pattern)
    return [
        one
        for one in index.documents()
        if glob.matches(one.path)
        or glob.matches(f"{one.collection}/{one.path}")
        or glob.matches(one.uri)
    ]


def names_of(pattern: str) -> list[str] | None:
    """The items of a pattern that is a list or one docid; None for a glob."""
    if "," in pattern and not set("*?{") & set(pattern):
        return [name.strip() for name in pattern.split(",") if name.strip()]
    return [pattern.strip()] if is_docid(pattern) else None


def similar(
    index: DocumentIndex, name: str, most: int = 5,
    may: Callable[[IndexedDocument], bool] = lambda one: True,
) -> tuple[str, ...]:  # fmt: skip
    """The paths that are a few letters away from a name and `may` be named, the nearest first."""
    if len(name) > _LONGEST:
        return ()
    wanted = name.lower()
    near = [
        (distance, number, one.path)
        for number, one in enumerate(index.documents())
        if (distance := edits(one.path.lower(), wanted, _NEAR)) <= _NEAR and may(one)
    ]
    return tuple(path for _, _, path in sorted(near)[:most])


def edits(one: str, other: str, most: int) -> int:
    """Edit distance of two names; more than `most` is any number above it."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        low, high = max(1, row - most), min(len(other), row + most)
        now = [row if low == 1 else most + 1] * low + [most + 1] * (len(other) + 1 - low)
        for column in range(low, high + 1):
            now[column] = min(
                before[column] + 1,
                now[column - 1] + 1,
                before[column - 1] + (letter != other[column - 1]),
            )
        if min(now[low - 1 : high + 1]) > most:
            return most + 1
        before = now
    return before[-1]


def ignored(config: Config, name: str) -> tuple[str, str, str] | None:
    """The (collection, path, rule) that keeps a named file out of the index."""
    address = address_of(name)
    for one in config.collections:
        if address is not None:
            paths = [address.path] if address.collection == one.name else []
        elif name.startswith(f"{one.path}/"):
            paths = [name[len(one.path) + 1 :]]
        elif name.startswith("/"):
            paths = []
        else:
            paths = [name.removeprefix(f"{one.name}/")]
        for path in paths:
            for rule in one.ignore:
                if Glob(rule.strip("/"), dot=True).matches(path):
                    return one.name, path, rule
    return None


def _sayable(name: str) -> bool:
    """Whether a name can be one of the index: bounded, and valid text."""
    return len(name) <= _LONGEST_PATH and _SURROGATE.search(name) is None


def _bare(name: str) -> str:
    name = name.strip()
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        name = name[1:-1]
    return name


def _by_docid(index: DocumentIndex, name: str) -> IndexedDocument | None:
    digits = _bare(name).removeprefix("#").lower()
    return _first(index.documents("hash >= ? and hash < ?", (digits, digits + "g")))


def _at(index: DocumentIndex, collection: str, path: str) -> IndexedDocument | None:
    return _first(index.documents("collection = ? and path = ?", (collection, path)))


def _by_end(index: DocumentIndex, name: str) -> IndexedDocument | None:
    """The document whose URI ends so; a whole name before a part of one, then the shortest."""
    ending = f"%{_literally(name)}"
    found = index.documents("'qmd://' || collection || '/' || path like ? escape '#'", (ending,))
    wanted = name.lower()

    def rank(one: IndexedDocument) -> tuple[int, int]:
        whole = f"{one.collection}/{one.path}".lower()
        if wanted in (whole, one.path.lower()):
            return 0, len(whole)
        return (1 if whole.endswith(f"/{wanted}") else 2), len(whole)

    return min(found, key=rank, default=None)


def _by_place(index: DocumentIndex, config: Config, name: str) -> IndexedDocument | None:
    """The document at an absolute path under a collection."""
    for one in config.collections:
        if name.startswith(f"{one.path}/"):
            found = _at(index, one.name, name[len(one.path) + 1 :])
            if found is not None:
                return found
    return None


def _literally(text: str) -> str:
    return text.replace("#", "##").replace("%", "#%").replace("_", "#_")


def _first(found: Sequence[IndexedDocument]) -> IndexedDocument | None:
    return found[0] if found else None
