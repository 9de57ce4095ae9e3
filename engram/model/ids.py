"""Ids as functions of content: memory ids, message digests, block ids, numbers of speakers, slugs.

Nothing here is random or reads a clock (design promise 7): the same turns give the same ids on
every machine. Ids are `[a-z0-9-]{1,80}` and are checked wherever they come in with `is_id`.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from engram.model.instant import Instant, compact
from engram.model.text import content_hash, sha256_text
from engram.model.vault_label import split_id

_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,79})")
_MEMORY = re.compile(r"[a-z]+-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}(?:-[0-9]+)?")
#: file names that Windows does not allow
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{dev}{n}" for dev in ("com", "lpt") for n in range(1, 10)]
)


def is_id(text: str) -> bool:
    """Whether text may name a memory: lower-case letters, digits and hyphens, 1..80 long."""
    return _ID.fullmatch(text) is not None and text not in _RESERVED


def is_name(text: str) -> bool:
    """Whether a text can be the id of a memory, of this vault or of another one (`@shop/ID`)."""
    label, identifier = split_id(text)
    return is_id(identifier) and (not label or is_id(label[1:]))


def is_reserved(name: str) -> bool:
    """Whether a file of that name, with any ending, cannot be made on every system."""
    return name.partition(".")[0].strip().casefold() in _RESERVED


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
    """`#` and six hex digits of the id of a memory or page, or of a turn's link.

    A memory of another vault (`@shop/ID`) has the one that it has there.
    """
    return "#" + sha256_text(split_id(name)[1])[:6]


_NAME_WORD = re.compile(r"\w+")


def speaker_number(name: str) -> int:
    """A number for a speaker's name whatever its case, blanks and signs; 0 for no name.

    "CAROLINE  smith" and "Caroline Smith" have one, which does not tell the name.
    """
    folded = unicodedata.normalize("NFKC", name).casefold().strip()
    words = " ".join(_NAME_WORD.findall(folded)) or folded
    return int(message_digest("speaker", words)[:15], 16) | 1 if words else 0


#: folder of the turns that a person forgot without a memory of them: links, a file for each time
FORGOTTEN = "state/forgotten"
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
    """`[a-z0-9-]` name of a text; letters of other scripts are written as they are read.

    `José` -> `jose`, `Sørensen` -> `sorensen`, `Анна` -> `anna`, `C++` -> `c-plus-plus`; `李雷` ->
    `li-lei-3a47328a`: where many characters are read alike a digest keeps names apart, so that
    names which differ in their letters do not share a slug by losing them.
    """
    folded = re.sub(r"(?<=\w)#", " sharp", text.casefold().replace("++", " plus plus"))
    lost = False
    if not folded.isascii():
        folded, lost = _read(unicodedata.normalize("NFKC", folded))
    return _slug_of(folded, text, lost, fallback, limit)


def former_slug(text: str) -> str:
    """The slug of earlier versions, which kept no letter of other scripts: `x-3a47328a`.

    Pages, memories and projects that they named are still there.
    """
    folded = unicodedata.normalize("NFKD", text.casefold().replace("++", " plus plus"))
    folded = re.sub(r"(?<=\w)#", " sharp", folded)
    ascii_only = "".join(ch for ch in folded if not unicodedata.combining(ch))
    lost = any(ch.isalnum() and not ch.isascii() for ch in ascii_only)
    return _slug_of(ascii_only, text, lost, "x", 60)


def slugs_of(text: str) -> tuple[str, ...]:
    """The slug of a text, and the former one where it was another."""
    name = slug(text)
    former = name if text.isascii() else former_slug(text)
    return (name,) if former == name else (name, former)


def known_slug(text: str, known: Callable[[str], bool]) -> str:
    """The slug of a text, or the former one where that is known and the new one is not."""
    name, *former = slugs_of(text)
    return former[0] if former and known(former[0]) and not known(name) else name


#: the scripts with so few letters that names which are read alike are the same name
_ALPHABETS = re.compile(r"[\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_SIGNS = re.compile(r"[^a-z0-9]")


def _read(text: str) -> tuple[str, bool]:
    """A text in ASCII, and whether another one may be read the same."""
    # a table of 2 MB, which English names do not need
    from anyascii import anyascii

    parts, lost = [], False
    for sign in text:
        plain = [ch for ch in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(ch)]
        if all(map(str.isascii, plain)):
            parts += plain
        elif sign.isalnum() or unicodedata.category(sign) == "Mc":
            said = _SIGNS.sub("", anyascii(sign).lower())
            parts.append(f"-{said}-" if _HAN.match(sign) else said)
            lost = lost or not _ALPHABETS.match(sign)
        else:
            parts.append("-")
    return "".join(parts), lost


def _slug_of(folded: str, text: str, lost: bool, fallback: str, limit: int) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")
    if len(name) > limit:
        # two names that begin alike stay apart
        name, lost = name[: limit - 9].strip("-"), True
    if lost or not name or name in _RESERVED:
        name = (
            f"{name or fallback}-{sha256_text(unicodedata.normalize('NFKC', text).casefold())[:8]}"
        )
    return name


_DIGEST = re.compile(r"-[0-9a-f]{8}\Z")


def without_digest(name: str) -> str:
    """A slug without the digest that keeps names apart; the whole of one that is nothing else."""
    return _DIGEST.sub("", name)


def digest_of(name: str) -> str:
    """The digest at the end of a slug, the same however the name before it is written; else ''."""
    found = _DIGEST.search(name)
    return found[0][1:] if found else ""
