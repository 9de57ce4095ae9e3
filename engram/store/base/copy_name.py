"""Names of conflict copies, as sync tools write them -> the name of the original file.

Syncthing, Dropbox (in a few languages), Nextcloud, Drive, iCloud; and what merge tools leave, which
is no other machine's version but an older one. By the name alone. A number behind a blank
(`x 2.md`) is how iCloud names a copy, and how people name a second note: so it counts only behind a
name that the program gave, which never has a blank.
"""

from __future__ import annotations

import re
from functools import cache

from engram.model.entity import TYPES

_SUFFIX = r"(?=\.[A-Za-z0-9]{1,8}$|$)"
_WORDS = "conflicted copy|case conflict|sync conflict|konfliktkopie|copie en conflit|en conflicto"
#: how the names begin that memories, boxes, entities and transcripts have
_OURS = (
    r"(?:[a-z]+-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}(?:-[0-9]{1,4})?|box-[0-9a-f]{8}"
    rf"|(?:{'|'.join(TYPES)})-[a-z0-9-]+|[a-z-]+-[0-9a-f]{{12}})"
)
#: none of our own names contains one of these, so that most names need no closer look
_SUSPECT = (" ", "(", "_", ".sync-", ".orig")
_MARKS = (
    rf"\.sync-conflict-[\w-]*{_SUFFIX}",
    rf" ?\(.*(?:{_WORDS}).*\){_SUFFIX}",
    rf" ?\(conflict(?:ed)?(?: [0-9][^()]*)?\){_SUFFIX}",
    rf"_conflict-[0-9]{{8}}-[0-9]{{6}}{_SUFFIX}",
    rf"_conf\([0-9]+\){_SUFFIX}",
    r" \([0-9]+\)(?=\.md$)",
    rf"^(?P<ours>(?-i:{_OURS}))(?: copy| kopie)?(?: [0-9]{{1,3}})?(?=\.md$)",
)
_LEFT_OVER = rf"\.orig$|_(?:BACKUP|BASE|LOCAL|REMOTE)_[0-9]+{_SUFFIX}"


def original_name(name: str) -> str:
    """The name of the original file; '' when this one is no copy."""
    found = name if any(map(name.__contains__, _SUSPECT)) else ""
    while found and (shorter := _stripped(found)) != found:
        found = shorter
    return found if found not in (name, ".md") else ""


def is_left_over(name: str) -> bool:
    """Whether a merge tool left it: an older version, nothing to merge."""
    return re.search(_LEFT_OVER, name) is not None


@cache
def _marks() -> tuple[re.Pattern[str], ...]:
    """Compiled with the first name that is suspect: most vaults have none."""
    return (*(re.compile(mark, re.IGNORECASE) for mark in _MARKS), re.compile(_LEFT_OVER))


def _stripped(name: str) -> str:
    """A name without the first copy marker in it."""
    for mark in _marks():
        if hit := mark.search(name):
            kept = hit.groupdict().get("ours") or ""
            return name[: hit.start()] + kept + name[hit.end() :]
    return name
