"""Where things lie in a vault: names and folders, computed, never looked up.

Turns ids, instants and sessions into relative POSIX paths (design 4). Base names are unique in a
vault so that `[[name]]` resolves. `kind_of` says what a path is; conflict copies that sync tools
leave, temporary files and hidden files are nothing.
"""

from __future__ import annotations

import re
from typing import Literal

from engram.model.instant import Instant, day_of
from engram.model.memory import Memory
from engram.model.turn import Turn

FORMAT = 1
CONFIG = "engram.toml"
FACTS, ARCHIVE, TRANSCRIPTS = "facts", "archive", "transcripts"
STATE, PENDING, JOURNAL, TURNS = "state", "state/pending", "state/journal", "state/turns"
DEAD_LETTER = "state/dead-letter"
HASHES, TRACE, CURSORS = "state/fact-hashes.txt", "state/trace.jsonl", "state/cursors.json"
TOPICS = "state/topics.json"
LOCK = "state/lock"
#: what `init` makes beside the template's files
FOLDERS = (
    FACTS, "entities", "boxes", "summaries", TRANSCRIPTS, ARCHIVE, "inbox",
    TURNS, PENDING, JOURNAL, DEAD_LETTER,
)  # fmt: skip
#: what the program writes, and is never imported as somebody's words
OWN = (
    *(folder.partition("/")[0] for folder in FOLDERS if folder != "inbox"),
    "README.md", "home.md", "profile.md", "IDENTITY.md", "views",
)  # fmt: skip
#: folders of Markdown that a person reads and edits; scanned for hand edits
CONTENT = (FACTS, ARCHIVE)

Kind = Literal["memory", "transcript", "other"]

_CONFLICT = re.compile(
    r"\(.*conflicted copy.*\)|\.sync-conflict-|\(conflict(?:ed)?[ )]| \(\d+\)\.md$|_conf\(\d+\)",
    re.IGNORECASE,
)
_TRANSACTION = re.compile(r"[0-9]{8}\.json")


def memory_path(memory: Memory) -> str:
    """`facts/YYYY-MM-DD/<id>.md`; the day is that of the source turn."""
    folder = ARCHIVE if memory.status == "archived" else FACTS
    return f"{folder}/{day_of(memory.created)}/{memory.id}.md"


def transcript_path(turn: Turn) -> str:
    """`transcripts/YYYY-MM-DD/<source>-<session12>.md`, dated by the turn that begins the file."""
    return f"{TRANSCRIPTS}/{turn.day}/{turn.transcript}.md"


def pending_path(number: int) -> str:
    """The transaction file while it is being applied."""
    return f"{PENDING}/{number:08d}.json"


def is_transaction(name: str) -> bool:
    """Whether a file of the journal, or of what is pending, has the name of a transaction."""
    return _TRANSACTION.fullmatch(name) is not None


def journal_path(number: int, time: Instant) -> str:
    """The transaction file once it is applied."""
    return f"{JOURNAL}/{time[:7]}/{number:08d}.json"


def kind_of(path: str) -> Kind:
    """What a vault path holds, by its place."""
    top, _, rest = path.partition("/")
    if not rest or not path.endswith(".md") or is_foreign_name(path.rpartition("/")[2]):
        return "other"
    if top in CONTENT:
        return "memory"
    return "transcript" if top == TRANSCRIPTS else "other"


def is_storable(path: str) -> bool:
    """Whether every system can store a file of that name, and a catalog its path."""
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
    return _CONFLICT.search(name) is not None
