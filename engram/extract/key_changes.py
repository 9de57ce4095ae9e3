"""Tool lines and the words about commits -> what a conversation changed.

    `Edit app.py` `Read b.py` `Write c.py`, "Committed as `06e93767`"
    -> "written c.py" · "edited app.py" · "commit 06e93767"

Tool lines are elided (`capture/sources/shared/tools`): they name a file by its base name. Files
that were only read are no change, nor is a commit that is merely spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engram.model.turn import Turn

#: how the line of a commit begins
COMMIT = "commit "
#: lines of a record, files on a line
_MOST, _ON_LINE = 10, 6
#: the tools by which agents change files, in lower case
_EDITS = frozenset(
    [
        "edit",
        "multiedit",
        "update",
        "replace",
        "apply_patch",
        "search_replace",
        "edit_file",
        "fs_write",
    ]
)
_WRITES = frozenset(["write", "write_file", "create", "create_file"])
_KINDS = {
    **dict.fromkeys(_WRITES, "written"),
    **dict.fromkeys(_EDITS, "edited"),
}
#: "Committed as `06e93767`", "**Commit:** `ea7ef24`": no commit that is merely spoken of
_COMMIT = re.compile(
    r"(?:\bcommitted\b[^\n.;|]{0,40}?[\s`(]"
    r"|^\W*commit\b[*:`\s]{1,6})((?=[0-9a-f]*\d)[0-9a-f]{7,12})\b",
    re.I | re.M,
)
#: what stands in every text that tells a commit or a request to merge
_TELLING = ("ommit", "https://")
_REQUEST = re.compile(r"https://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/\d+")


def changes_of(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """The lines of what was changed, files first, each with the link of the turn that tells it."""
    found = [*_files(turns), *_commits(turns)]
    return found[:_MOST]


def has_changed(lines: Iterable[str]) -> bool:
    """Whether one of these tool lines changed a file."""
    return any(_KINDS.get(_tool(line)) for line in lines)


def asks_to_merge(item: str) -> bool:
    """Whether an item holds the address of a request to merge."""
    return _REQUEST.search(item) is not None


def changed_files(turns: Iterable[Turn]) -> set[str]:
    """The base names of the files that tools changed."""
    lines = (line for turn in turns for line in turn.tools)
    return {line.partition(" ")[2].strip() for line in lines if _KINDS.get(_tool(line))} - {""}


def _tool(line: str) -> str:
    return line.partition(" ")[0].rpartition("__")[2].casefold()


def _files(turns: Iterable[Turn]) -> Iterator[tuple[str, str]]:
    kinds: dict[str, str] = {}
    told: dict[str, Turn] = {}
    for turn in turns:
        for line in turn.tools:
            kind, name = _KINDS.get(_tool(line)), line.partition(" ")[2].strip()
            if not kind or not name:
                continue
            if kinds.get(name) != "written":
                kinds[name] = kind
            told[name] = turn
    for kind in ("written", "edited"):
        names = [name for name, one in kinds.items() if one == kind]
        for at in range(0, len(names), _ON_LINE):
            group = names[at : at + _ON_LINE]
            yield f"{kind} {', '.join(group)}", _link(told[group[-1]])


def _commits(turns: Iterable[Turn]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for turn in turns:
        if turn.role != "assistant" or not any(sign in turn.text for sign in _TELLING):
            continue
        for name in (f"{COMMIT}{found[1]}" for found in _COMMIT.finditer(turn.text)):
            if name not in seen:
                seen.add(name)
                yield name, _link(turn)
        for address in _REQUEST.findall(turn.text):
            if address not in seen:
                seen.add(address)
                yield address, _link(turn)


def _link(turn: Turn) -> str:
    return f"{turn.transcript}#^{turn.block}"
