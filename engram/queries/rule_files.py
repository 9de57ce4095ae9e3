"""What a project's rule files say (the WrittenRules port): CLAUDE.md, AGENTS.md, .claude/rules.

Turns a statement and a project into whether a sentence of those files says as much. The folder of a
project is known once turns that were said in it have been taken in, and only as long as the program
runs: no path is written anywhere. Guarantees: nothing outside the folder is read, at most
`_MOST_BYTES` of a file and `_MOST_FILES` of them, each again only after it changed; a folder that
is gone, or cannot be read, says nothing.
"""

from __future__ import annotations

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from engram.language.paraphrase.phrasing import phrasing
from engram.language.wording import Terms, telling, terms_of
from engram.model.sentences import sentences_of
from engram.settings.project_folders import repository

_FILES = ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md")
_FOLDER = ".claude/rules"
_MOST_FILES, _MOST_BYTES, _MOST_STATEMENTS = 50, 256 * 1024, 4_000
#: a list item, a heading, a quotation: what stands before its words
_MARK = re.compile(r"^[\s>#*+-]*(?:\d+[.)] )?(?:\[[ x]\] )?")
#: the words of a sentence that name something; its numbers and negations
_Saying = tuple[Terms, frozenset[str]]
#: path, size and time of each file: what is read again only when it differs
_State = tuple[tuple[str, int, int], ...]


class ProjectRuleFiles:
    """Of the projects whose folders were seen by this vault."""

    def __init__(self, home: Path, vault: Path | None = None) -> None:
        self._home = home
        self._vault = vault
        self._folders: dict[str, str] = {}
        self._read: dict[str, tuple[_State, dict[str, list[_Saying]]]] = {}

    def note(self, project: str, folder: str) -> None:
        """Remember where a project lies; the folder said last counts."""
        if project and folder:
            self._folders[project] = folder

    def says(self, text: str, project: str) -> bool:
        """Whether a rule file of the project says all that a statement does."""
        folder = self._folders.get(project)
        terms, marks = _saying(text)
        if folder is None or not terms:
            return False
        by_term = self._statements(folder)
        shortest = min((by_term.get(term, []) for term in terms), key=len)
        return any(terms <= others and marks == turned for others, turned in shortest)

    def _statements(self, folder: str) -> dict[str, list[_Saying]]:
        """The statements of a folder's rule files, by each of their terms."""
        try:
            root = repository(folder, self._home, self._vault) or Path(os.path.realpath(folder))
            state = tuple(_files(root))
        except OSError:
            return {}
        known = self._read.get(folder)
        if known is None or known[0] != state:
            by_term: dict[str, list[_Saying]] = defaultdict(list)
            for said in _sayings(path for path, _, _ in state):
                for term in said[0]:
                    by_term[term].append(said)
            known = self._read[folder] = (state, by_term)
        return known[1]


def _saying(text: str) -> _Saying:
    return telling(terms_of(text)), phrasing(text).marks


def _files(root: Path) -> Iterator[tuple[str, int, int]]:
    """The rule files of a folder that are regular files within it."""
    inside = sorted(islice((root / _FOLDER).glob("**/*.md"), _MOST_FILES))
    for path in (*(root / name for name in _FILES), *inside):
        try:
            found = path.lstat()
        except OSError:
            continue
        within = Path(os.path.realpath(path)).is_relative_to(root)
        if within and stat.S_ISREG(found.st_mode):
            yield str(path), found.st_size, found.st_mtime_ns


def _sayings(paths: Iterator[str]) -> Iterator[_Saying]:
    """What the lines of some files say, each sentence by itself."""
    count = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                text = file.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        for line in text.splitlines():
            for sentence in sentences_of(_MARK.sub("", line)):
                if count >= _MOST_STATEMENTS:
                    return
                count += 1
                yield _saying(sentence)
