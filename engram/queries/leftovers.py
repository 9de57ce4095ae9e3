"""Leftovers: where words still stand that only purged texts had.

Turns the plan of a purge that was done into `(path, words)` of every file of a vault, of its cache
and of the user's state that holds one of them. In text a word is a word; in a database or an index,
where words stand without spaces, a run of at least six characters that begins as one. Numbers are
looked for from six digits on: shorter ones stand anywhere. Reads only; git's folder is left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from engram.language.distinct_words import found_in, holds, words_in
from engram.model.change import Plan
from engram.settings.load import VAULT_CONFIG
from engram.store.commits.purge import remains_of

_LEAST = 6
#: a longer list would take minutes to look for in a database
_MOST_WORDS = 200
_ESCAPED = re.compile(rb"\\u([0-9a-f]{4})")
_TEXTS = frozenset((".md", ".txt", ".json", ".jsonl", ".toml", ".base", ".torn", ".tmp", ".log"))
#: what git and editors keep of a vault
_FOREIGN = frozenset((".git", ".obsidian", ".trash", ".stversions"))


Places = tuple[tuple[str, tuple[str, ...]], ...]


def said_in(vault: Path, words: Iterable[str]) -> Places:
    """The Markdown files of a vault that say one of these words, and which they say."""
    wanted = frozenset(form for word in words for form in words_in(word))
    found = []
    for path in _below(vault) if wanted else ():
        if path.suffix == ".md" and (here := found_in(_text(path), wanted)):
            found.append((path.relative_to(vault).as_posix(), tuple(sorted(here))))
    return tuple(found)


def leftovers(plan: Plan, vault: Path, cache: Path, state: Path) -> Places:
    """The files that still hold words of a purge, and which; paths of the vault are relative."""
    remains = remains_of(plan.events)
    numbers = {word for word in remains.words if word.isdigit() and len(word) >= _LEAST}
    words, phrase = remains.rare | numbers, remains.phrase
    if len(phrase) < _LEAST and not any(map(str.isalpha, phrase)):
        phrase = ""
    long = sorted((word for word in words if len(word) >= _LEAST), key=len)[-_MOST_WORDS:]
    if not (words or phrase):
        return ()
    found: list[tuple[str, tuple[str, ...]]] = []
    for path, shown in _files(vault, cache, state):
        if path.suffix in _TEXTS:
            text = _text(path)
            here = found_in(text, words) | ({phrase} if phrase and holds(text, phrase) else set())
        else:
            here = _in_bytes(_bytes(path), [*long, *([phrase] if len(phrase) >= _LEAST else [])])
        here |= found_in(path.name, words)
        if here:
            found.append((shown, tuple(sorted(here))))
    return tuple(found)


def _bytes(path: Path) -> bytes:
    """What a file holds; nothing when it is gone, or cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _text(path: Path) -> str:
    return _ESCAPED.sub(_sign, _bytes(path)).decode("utf-8", "replace")


def _in_bytes(data: bytes, words: Sequence[str]) -> set[str]:
    text = data.decode("utf-8", "ignore").casefold()
    return {
        word for word in words if word in text and re.search(rf"(?<![^\W_]){re.escape(word)}", text)
    }


def _sign(hit: re.Match[bytes]) -> bytes:
    """An escaped letter of JSON as it is; half of a pair stays escaped."""
    return chr(int(hit[1], 16)).encode("utf-8", "ignore") or hit[0]


def _files(vault: Path, cache: Path, state: Path) -> Iterator[tuple[Path, str]]:
    for path in _below(vault):
        yield path, path.relative_to(vault).as_posix()
    for top in dict.fromkeys((cache, state)):
        for path in _below(top, without=(vault, cache.parent if top == state else vault)):
            yield path, str(path)


def _below(top: Path, without: Sequence[Path] = ()) -> Iterator[Path]:
    """The regular files below a folder, but those of other vaults."""
    for folder, folders, names in os.walk(top):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders
            if name not in _FOREIGN and here / name not in without
            and not (here / name / VAULT_CONFIG).is_file()
        )  # fmt: skip
        for name in sorted(names):
            if (here / name).is_file() and not (here / name).is_symlink():
                yield here / name
