"""Ids as functions of content: memory ids, message digests, block ids, slugs.

Nothing here is random or reads a clock (design promise 7): the same turns give the same ids on
every machine. Ids are `[a-z0-9-]{1,80}` and are checked wherever they come in with `is_id`.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from engram.model.instant import Instant, compact
from engram.model.text import content_hash, sha256_text

_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,79})")
_MEMORY = re.compile(r"[a-z]+-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}(?:-[0-9]+)?")
#: file names that Windows does not allow
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{dev}{n}" for dev in ("com", "lpt") for n in range(1, 10)]
)


def is_id(text: str) -> bool:
    """Whether text may name a memory: lower-case letters, digits and hyphens, 1..80 long."""
    return _ID.fullmatch(text) is not None and text not in _RESERVED


def memory_id(category: str, created: Instant, text: str) -> str:
    """`<category>-YYYYMMDD-HHMMSS-<hash8>`: a function of category, source time and content."""
    return f"{category}-{compact(created)}-{content_hash(text)[:8]}"


def is_memory_id(text: str) -> bool:
    """Whether text has the form of an id that `memory_id` makes."""
    return _MEMORY.fullmatch(text) is not None


def message_digest(source: str, session: str, *parts: str) -> str:
    """Digest of one message, 16 hex digits: of its own id, or of role, time and text."""
    joined = "\x1f".join((source, session, *parts))
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def block_id(message: str) -> str:
    """The Obsidian block id of a message in a transcript: `m` and ten hex digits."""
    return "m" + message[:10]


def docid(name: str) -> str:
    """`#` and six hex digits of the id of a memory or page, or of a turn's link."""
    return "#" + sha256_text(name)[:6]


#: a session known by its digest alone
_NAMELESS = re.compile(r"#[0-9a-f]{12}")


@lru_cache(maxsize=4096)
def session_digest(source: str, session: str) -> str:
    """Twelve hex digits that name a session in its transcript's file name.

    A session whose own name is not to be kept is called by them, behind a `#`.
    """
    if _NAMELESS.fullmatch(session):
        return session[1:]
    return sha256_text(f"{source}\x1f{session}")[:12]


@lru_cache(maxsize=4096)
def slug(text: str, fallback: str = "x", limit: int = 60) -> str:
    """`[a-z0-9-]` name of a text; letters that fold to ASCII do, other scripts get a digest.

    `José` -> `jose`, `C++` -> `c-plus-plus`, `C#` -> `c-sharp`, `李雷` -> `x-1f4c8d21`: names that
    differ in their letters never share a slug by losing them.
    """
    folded = unicodedata.normalize("NFKD", text.casefold().replace("++", " plus plus"))
    folded = re.sub(r"(?<=\w)#", " sharp", folded)
    ascii_only = "".join(ch for ch in folded if not unicodedata.combining(ch))
    lost = any(ch.isalnum() and not ch.isascii() for ch in ascii_only)
    name = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")
    if len(name) > limit:
        # two names that begin alike stay apart
        name, lost = name[: limit - 9].strip("-"), True
    if lost or not name or name in _RESERVED:
        name = (
            f"{name or fallback}-{sha256_text(unicodedata.normalize('NFKC', text).casefold())[:8]}"
        )
    return name
