"""Merge of two versions of one transcript -> one with every block of both, or None.

Blocks are matched by their ids. Where both have one its words must be the same, but purged words
stay purged. Blocks keep the order of their file; those that only one file has are placed by time.
`extracted` names the last block up to which everything was settled on one side or the other.

None: other headers, other words, another order; a person's words beside the blocks that differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engram.model.errors import BadInput
from engram.store.files import document
from engram.store.files.meaning import said_in
from engram.store.files.transcripts import PURGED, SPEAKER

_MARK = "extracted"


class _Block(NamedTuple):
    """A block's time, its id, its speaker line, and its words."""

    time: str
    id: str
    line: str
    words: str

    @property
    def purged(self) -> bool:
        """Whether its words were destroyed."""
        return self.words == PURGED


class _Version(NamedTuple):
    head: bytes
    blocks: Mapping[str, _Block]
    extracted: str


def merged_transcript(one: bytes, other: bytes) -> bytes | None:
    """One transcript merged from two versions; `one` or `other` itself when it holds all."""
    mine, theirs = _version(one), _version(other)
    if mine is None or theirs is None or mine.head != theirs.head:
        return None
    order = _order(list(mine.blocks.values()), list(theirs.blocks.values()))
    if order is None:
        return None
    blocks: dict[str, _Block] = {}
    for name in order:
        found = [version.blocks[name] for version in (mine, theirs) if name in version.blocks]
        words = {(block.line.rstrip(), said_in(block.words)) for block in found}
        if len(words) > 1 and not any(block.purged for block in found):
            return None
        blocks[name] = next((block for block in found if block.purged), found[0])
    result = _Version(mine.head, blocks, _settled(order, mine, theirs))
    for version, data in ((mine, one), (theirs, other)):
        if list(version.blocks.items()) == list(blocks.items()) and (
            version.extracted == result.extracted
        ):
            return data
    return _rendered(result)


def _version(data: bytes) -> _Version | None:
    """A transcript by its blocks; None when it cannot be taken apart."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        parsed = document.parse(text.encode("utf-8"))
        hits = list(SPEAKER.finditer(text))
        end = hits[0].start() if hits else len(text)
        head = text[:end].rstrip("\n").encode("utf-8") + b"\n\n"
        head = document.patch(head, {_MARK: None})
    except (UnicodeDecodeError, BadInput):
        return None
    if parsed.problem or len({hit["block"] for hit in hits}) < len(hits):
        return None
    stops = [hit.start() for hit in hits[1:]] + [len(text)]
    blocks = {
        hit["block"]: _Block(
            f"{hit['day']}T{hit['time']}", hit["block"], hit[0], text[hit.end() : stop].strip("\n")
        )
        for hit, stop in zip(hits, stops, strict=False)
    }
    mark = parsed.header.get(_MARK, "")
    return _Version(head, blocks, mark if isinstance(mark, str) else "")


def _order(one: list[_Block], other: list[_Block]) -> list[str] | None:
    """The ids of both in an order that both agree with; None when there is none."""
    mine, theirs = {block.id for block in one}, {block.id for block in other}
    shared = [[block.id for block in some if block.id in mine & theirs] for some in (one, other)]
    if shared[0] != shared[1]:
        return None
    found: list[str] = []
    at = to = 0
    while at < len(one) or to < len(other):
        # blocks of one side only are placed before the next common one
        new = (
            at < len(one) and one[at].id not in theirs,
            to < len(other) and (other[to].id not in mine),
        )
        first = new[0] and (not new[1] or one[at] < other[to])
        found.append(one[at].id if first or not new[1] else other[to].id)
        both = not any(new)
        at += first or both
        to += (new[1] and not first) or both
    return found


def _settled(order: list[str], *versions: _Version) -> str:
    """The last block up to which each was settled in one version or the other."""
    done: set[str] = set()
    for version in versions:
        names = list(version.blocks)
        if version.extracted in names:
            done.update(names[: names.index(version.extracted) + 1])
    last = ""
    for name in order:
        if name not in done:
            break
        last = name
    return last


def _rendered(version: _Version) -> bytes:
    body = "".join(f"{block.line}\n\n{block.words}\n\n" for block in version.blocks.values())
    head = document.patch(version.head, {_MARK: version.extracted or None})
    return head + body.encode("utf-8")
