"""Vault layout: names and folders of all files, computed, never looked up.

Turns ids, instants and sessions into relative POSIX paths (design 4). Base names are unique in a
vault so that `[[name]]` resolves. `kind_of` classifies a path; conflict copies that sync tools
leave, temporary files and hidden files have no kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.ids import FORGOTTEN as FORGOTTEN
from engram.model.instant import Instant, day_of
from engram.model.memory import ARCHIVE as ARCHIVE
from engram.model.memory import Memory
from engram.model.summary import Summary
from engram.store.base.copy_name import original_name

if TYPE_CHECKING:
    from engram.model.step import Page
    from engram.model.turn import Turn

FORMAT = 1
CONFIG = "engram.toml"
FACTS, TRANSCRIPTS = "facts", "transcripts"
BOXES, ENTITIES, SUMMARIES = "boxes", "entities", "summaries"
PROFILE, IDENTITY, INDEX, HOME = "profile.md", "IDENTITY.md", "index.md", "home.md"
PHASES = "phases.md"
#: plain pages that the program writes into: what it makes of memories, and phases
PROSE = (PROFILE, IDENTITY, INDEX, PHASES, HOME)
STATE, PENDING, JOURNAL, TURNS = "state", "state/pending", "state/journal", "state/turns"
DEAD_LETTER = "state/dead-letter"
HASHES, TRACE, CURSORS = "state/fact-hashes.txt", "state/trace.jsonl", "state/cursors.json"
RUNS, POLICIES = "state/runs", "state/policies"
TRACES, TOPICS, ACCESS = "state/traces.json", "state/topics.json", "state/access.jsonl"
VERDICTS, JUDGED = "state/verdicts.jsonl", "state/judged.jsonl"
LOCK = "state/lock"
#: files dropped by a person, and copies of what was captured of them
INBOX, TAKEN = "inbox", "inbox/taken"
#: what `init` creates beside the template's files
FOLDERS = (
    FACTS, ENTITIES, BOXES, SUMMARIES, TRANSCRIPTS, ARCHIVE, INBOX,
    TURNS, PENDING, JOURNAL, DEAD_LETTER,
)  # fmt: skip
#: files written by the program, never imported as a person's words
OWN = (
    *(folder.partition("/")[0] for folder in FOLDERS if folder != INBOX), TAKEN,
    "README.md", HOME, PROFILE, IDENTITY, INDEX, PHASES, "views",
)  # fmt: skip
#: folders of Markdown that a person reads and edits; scanned for hand edits
CONTENT = (FACTS, ARCHIVE, BOXES, ENTITIES, SUMMARIES)

#: content type by folder
Content = Memory | Box | Entity | Summary
Kind = Literal["memory", "box", "entity", "summary", "transcript", "other"]

_KINDS: dict[str, Kind] = {
    FACTS: "memory", ARCHIVE: "memory", BOXES: "box", ENTITIES: "entity",
    SUMMARIES: "summary", TRANSCRIPTS: "transcript",
}  # fmt: skip
_CONTENT: dict[Kind, type[Content]] = {
    "memory": Memory, "box": Box, "entity": Entity, "summary": Summary,
}  # fmt: skip
#: kinds of files that show what memories say
PAGES = frozenset[Kind](["box", "entity", "summary"])

_TRANSACTION = re.compile(r"[0-9]{8}\.json")


def memory_path(memory: Memory) -> str:
    """`facts/YYYY-MM-DD/<id>.md`; the day is that of the source turn."""
    folder = ARCHIVE if memory.status == "archived" else FACTS
    return f"{folder}/{day_of(memory.created)}/{memory.id}.md"


def page_path(page: Page) -> str:
    """`boxes/YYYY-MM-DD/<id>.md`, `summaries/YYYY-MM-DD/<id>.md` or `entities/<id>.md`.

    The day is that of a box's first memory, and of a summary's newest source.
    """
    if isinstance(page, Box):
        return f"{BOXES}/{day_of(page.created)}/{page.id}.md"
    if isinstance(page, Summary):
        return f"{SUMMARIES}/{page.last or day_of(page.created)}/{page.id}.md"
    return f"{ENTITIES}/{page.id}.md"


def transcript_path(turn: Turn) -> str:
    """`transcripts/YYYY-MM-DD/<source>-<session12>.md`, dated by the turn that begins the file."""
    return f"{TRANSCRIPTS}/{day_of(turn.time)}/{turn.transcript}.md"


def pending_path(number: int) -> str:
    """The transaction file while it is being applied."""
    return f"{PENDING}/{number:08d}.json"


def run_path(number: int) -> str:
    """The record of the consolidation that is this transaction."""
    return f"{RUNS}/{number:08d}.json"


def policy_path(digest: str) -> str:
    """The snapshot of the policy of that digest."""
    return f"{POLICIES}/{digest}.json"


def is_transaction(name: str) -> bool:
    """Whether a file name in the journal or in pending/ is that of a transaction."""
    return _TRANSACTION.fullmatch(name) is not None


def journal_path(number: int, time: Instant) -> str:
    """The transaction file once it is applied."""
    return f"{JOURNAL}/{time[:7]}/{number:08d}.json"


def kind_of(path: str) -> Kind:
    """What a vault path holds, by its location."""
    top, _, rest = path.partition("/")
    if not rest or not path.endswith(".md") or is_foreign_name(path.rpartition("/")[2]):
        return "other"
    return _KINDS.get(top, "other")


def content_type(path: str) -> type[Content] | None:
    """The type of what a path in a content folder holds, None for any other."""
    return _CONTENT.get(kind_of(path))


def is_page(path: str) -> bool:
    """Whether a path is that of a page that shows memories: one of PAGES, or a plain page."""
    return path in PROSE or kind_of(path) in PAGES


def is_linked(path: str) -> bool:
    """Whether links in a file are the program's to follow: memories, pages, plain pages."""
    return path in PROSE or content_type(path) is not None


def is_storable(path: str) -> bool:
    """Whether every system can store a file of that name, and SQLite its path."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\\" not in path


def is_foreign_name(name: str) -> bool:
    """Hidden and temporary files, editor backups and conflict copies: never indexed."""
    return name.startswith(".") or name.endswith(("~", ".tmp")) or is_conflict_copy(name)


def is_conflict_copy(name: str) -> bool:
    """Whether a sync tool left this file beside the real one."""
    return bool(original_name(name))


def original_of(path: str) -> str:
    """The path of the original of a conflict copy; any other path unchanged."""
    folder, slash, name = path.rpartition("/")
    return folder + slash + (original_name(name) or name)
